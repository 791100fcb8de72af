"""The page of the game: plain forms, which a few lines of script only make quicker; no other page can run here."""

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from parade_gate.models import Check, Game, Sentence

SCRIPT = """
const box = document.getElementById("text"), form = document.getElementById("check");
if (box) {
  box.focus(); box.setSelectionRange(box.value.length, box.value.length);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const best = document.getElementById("best");
    if (event.ctrlKey) { if (best) best.form.requestSubmit(best); } else form.requestSubmit();
  });
}
for (const one of document.forms) one.addEventListener("submit", (event) => {
  const asked = one.dataset.ask;
  if (asked && !confirm(asked)) { event.preventDefault(); return; }
  for (const button of document.querySelectorAll("button")) button.disabled = true;
});
"""
_HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; form-action 'self'; base-uri 'none'"
)

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Say it differently</title>
<meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark; --text: #222; --back: #fff; --line: #bbb; --soft: #555; --box: #eef4fb; --bad: #a00;
  --good: #060; --warn: #fff3cd; --act: #1d5fa8; }}
@media (prefers-color-scheme: dark) {{ :root {{ --text: #e6e6e6; --back: #1b1d20; --line: #555; --soft: #b5b5b5;
  --box: #26313f; --bad: #ff9a8f; --good: #8fd98f; --warn: #4a3f12; --act: #2f73c0; }} }}
body {{ font: 17px/1.45 sans-serif; max-width: 56em; margin: 1em auto; padding: 0 1em; color: var(--text);
  background: var(--back); }}
h1 {{ font-size: 1em; margin: 1em 0; }} h2 {{ font-size: 1.1em; margin: .8em 0 .2em; }} a {{ color: inherit; }}
header {{ display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1em;
  border-bottom: 1px solid var(--line); }}
blockquote {{ font-size: 1.25em; margin: .6em 0; padding: .5em .8em; background: var(--box); border-radius: 6px; }}
textarea {{ font: inherit; width: 100%; height: 4.4em; box-sizing: border-box; }}
button {{ font: inherit; padding: .35em 1.2em; white-space: nowrap; }} form {{ margin: .4em 0; }}
#check button, #best {{ background: var(--act); color: #fff; border: 1px solid var(--act); border-radius: 4px; }}
table {{ border-collapse: collapse; width: 100%; }} td, th {{ text-align: left; padding: .25em .6em .25em 0;
  border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }}
td:first-child {{ width: 55%; }}
td div {{ max-height: 4.4em; overflow-y: auto; }}
.note {{ color: var(--bad); font-weight: bold; }} .stand-in {{ background: var(--warn); padding: .4em .8em; }}
small {{ color: var(--soft); }} .worth, .kept {{ color: var(--good); font-weight: bold; }}
@media (max-width: 600px) {{
  table, tbody, tr, td {{ display: block; }} tr:first-child {{ position: absolute; left: -99em; }}
  td, td:first-child {{ width: auto; border: 0; padding: .15em 0; }}
  tr {{ border-bottom: 1px solid var(--line); padding: .4em 0; }}
  button {{ width: 100%; padding: .6em; }}
}}
</style>
<body><header><h1>Say it differently: {progress}</h1><p>{money}</p><p><a href="/logout">Sign out</a></p></header>
<main>{warning}{kept}{note}{main}</main><script>{script}</script></body></html>"""

PLAY = """<p>Write a sentence that <strong>means the same</strong> as this one and <strong>looks as different</strong>
as you can. {terms}</p>
{entity}<blockquote lang="en">{sentence}</blockquote>
<form method="post" action="{path}/check" id="check"><input type="hidden" name="csrfmiddlewaretoken" value="{token}">
<input type="hidden" name="key" value="{key}"><input type="hidden" name="sentence" value="{sentence_key}">
<label for="text">Your sentence</label>
<textarea id="text" name="text" maxlength="1000" required spellcheck="true">{text}</textarea>
<button type="submit">Check</button> <small>Enter checks; Ctrl+Enter submits the best one. You may check {most} times
per minute; only what you submit is final.</small></form>{give_up}{checks}"""

TABLE = """<h2>Your attempts</h2><table><tr><th scope="col">You wrote</th>
<th scope="col">What the judge says</th><td></td></tr>{rows}</table>"""
ENTITY = "<p><small>It says what this is: {}</small></p>"
ROW = "<tr><td><div>{text}</div></td><td>{verdict}</td><td>{button}</td></tr>"
GIVE_UP = """<form method="post" action="{path}/submit"><input type="hidden" name="csrfmiddlewaretoken" value="{token}">
<input type="hidden" name="key" value="{key}"><button type="submit">Give up on this sentence</button>
<small>It earns nothing, and you go on with the next one.</small></form>"""
ASK = "This sentence earns no bonus, and submitting it is final. Submit it anyway?"
MIN_REFUSALS = 3
"""Refused checks of a sentence after which a player may give it up."""
SUBMIT = """<form method="post"{ask}
action="{path}/submit"><input type="hidden" name="csrfmiddlewaretoken" value="{token}">
<input type="hidden" name="key" value="{key}"><button type="submit"{best}>Submit</button></form>"""


@dataclass(frozen=True, kw_only=True)
class View:
    """What one player sees."""

    path: str
    game: Game
    sentence: Sentence | None
    checks: list[Check]
    """The player's own checks of the sentence, the oldest first."""
    done: int
    n_sentences: int
    points: int
    """What the player's submissions were worth in practice."""
    last: Check | None
    """What the player submitted last."""
    earned: int
    left: int
    """What the player can still be paid, in cents."""
    over: str
    """Why there is nothing to play; empty where there is."""
    note: str
    text: str
    key: str


def render(request: HttpRequest, view: View, status: int) -> HttpResponse:
    """The page of the view."""
    practice = view.game.rules["practice"]
    warning = view.game.rules.get("judges_note", "")
    content = format_html(
        PAGE,
        progress=f"Sentence {min(view.done + 1, view.n_sentences)} of {view.n_sentences}"
        if not view.over
        else "The end",
        money=f"{view.points} points so far. Practice: no money is paid"
        if practice
        else f"You have earned {amount(view.earned)}",
        kept=_confirm(view),
        warning=format_html('<p class="stand-in">{}</p>', warning) if warning else "",
        note=format_html('<p class="note" role="alert">{}</p>', view.note) if view.note else "",
        main=format_html("<p>{}</p>", view.over) if view.over else _play(request, view),
        script=mark_safe(SCRIPT),  # noqa: S308 - our own text
    )
    response = HttpResponse(content, status=status, headers={"Cache-Control": "no-store"})
    response["Content-Security-Policy"] = POLICY
    return response


def amount(cents: int) -> str:
    """The cents as dollars."""
    return f"${cents // 100}.{cents % 100:02d}"


def _confirm(view: View) -> SafeString | str:
    """What became of the sentence before, until the player goes on with this one."""
    last = view.last
    if last is None or view.checks:
        return ""
    reward = last.judgement.get("reward", 0) if is_payable(last) else 0
    kept = reward if view.game.rules["practice"] else last.base + last.bonus
    said = f"you keep {_worth(kept, view)} for your last sentence" if kept else "your last sentence earned nothing"
    return format_html('<p class="kept" role="status">Submitted: {}.</p>', said)


def _play(request: HttpRequest, view: View) -> SafeString:
    rules, sentence, token = view.game.rules, view.sentence, get_token(request)
    terms = (
        f"Each sentence that you submit earns {amount(rules['base'])}, and a bonus of up to "
        f"{amount(rules['highest'])}: the more different it looks, the more. At most {amount(rules['cap'])} per person."
    )
    if view.left < rules["base"] + rules["highest"]:
        terms += f" Only {amount(view.left)} is left to be paid."
    payable = [check for check in view.checks if is_payable(check)]
    best = max(payable, key=lambda check: (check.judgement["reward"], check.id), default=None)
    ordered = sorted(view.checks, key=lambda check: (check is best, check.id), reverse=True)
    rows = [_row(check, check is best, view, token) for check in ordered]
    return format_html(
        PLAY,
        terms="" if rules["practice"] else terms,
        entity=format_html("<p><small>It says what this is: {}</small></p>", sentence.entity)
        if sentence.entity
        else "",
        sentence=sentence.text,
        path=view.path,
        token=token,
        key=view.key,
        sentence_key=sentence.key,
        text=view.text,
        most=rules["per_minute"],
        checks=format_html(TABLE, rows=format_html_join("", "{}", ((row,) for row in rows))) if rows else "",
        give_up=format_html(GIVE_UP, path=view.path, token=token, key=view.checks[-1].key)
        if can_give_up(view.checks)
        else "",
    )


def is_payable(check: Check) -> bool:
    """Whether the check has been judged and no guard refused it."""
    return check.judged_at is not None and not check.judgement.get("refused")


def can_give_up(checks: Iterable[Check]) -> bool:
    """Whether a player may leave a sentence without pay: several tries, all of which were refused."""
    tries = list(checks)
    refused = [check for check in tries if check.judged_at and check.judgement.get("refused")]
    return len(refused) >= MIN_REFUSALS and len(refused) == len(tries)


def _row(check: Check, best: bool, view: View, token: str) -> SafeString:
    button = ""
    if is_payable(check):
        mark = mark_safe(' id="best"') if best else ""
        ask = "" if check.judgement["reward"] else format_html(' data-ask="{}"', ASK)
        button = format_html(SUBMIT, path=view.path, token=token, key=check.key, best=mark, ask=ask)
    return format_html(ROW, text=check.text, verdict=_verdict(check, view), button=button)


def _verdict(check: Check, view: View) -> SafeString | str:
    if check.judged_at is None:
        return "It is stored, and not judged yet."
    told = check.judgement
    if told.get("refused"):
        return told["reason"]
    if not told["implied"]:
        return "The judge does not find that both say the same: no bonus."
    if not told["reward"]:
        return "It says the same, but looks too much like the sentence: no bonus."
    bonus = "" if view.game.rules["practice"] else "a bonus of "
    earned = f"{bonus}{_worth(told['reward'], view)}"
    return format_html('It says the same and looks different: <span class="worth">{}</span>.', earned)


def _worth(reward: int, view: View) -> str:
    """What is earned, in points or money."""
    return f"{reward} points" if view.game.rules["practice"] else amount(reward)
