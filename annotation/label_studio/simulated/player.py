"""A player at work: signed in on the login page, on the game's page, checking and submitting sentences."""

import html
import re
from dataclasses import dataclass

import httpx

from annotation.label_studio.simulated.sitting import Sitting

_HIDDEN = re.compile(r'name="(csrfmiddlewaretoken|key|sentence)" value="(\w{1,128})"')
_SENTENCE = re.compile(r'<blockquote lang="en">([^<]{0,20000})</blockquote>')
_EARNED = re.compile(r"You have earned \$([0-9]{1,9})\.([0-9]{2})")
_SUBMIT = re.compile(r'/submit"><input [^>]{0,200}>\s{0,9}<input type="hidden" name="key" value="(\w{1,64})">')


@dataclass(frozen=True, kw_only=True)
class Sight:
    """What the page shows a player."""

    status: int
    sentence: str | None
    """The sentence to rewrite; None where the game is over."""
    fields: dict[str, str]
    """The hidden fields of the form."""
    payable: list[str]
    """The keys of the checks that can be submitted, the latest first; the key of a sentence to give up comes last."""
    cents: int
    """What the page says has been earned."""
    page: str


class Player(Sitting):
    """One player's browser session on one project's game."""

    project: int = 0

    def enter(self) -> None:
        """Sign in and go to the game that the start page leads to."""
        self.sign_in()
        with self._one_line_errors():
            answer = self._browser.get("/", follow_redirects=True)
        self.project = int(answer.url.path.rstrip("/").rpartition("/")[2]) if "/game/" in answer.url.path else 0

    def look(self) -> Sight:
        """The page as it is now."""
        with self._one_line_errors():
            return _read(self._browser.get(f"/game/{self.project}"))

    def check(self, text: str, sight: Sight) -> Sight:
        """Type the text and press Check; what the page shows then."""
        return self._press("check", sight.fields | {"text": text})

    def hand_in(self, key: str, sight: Sight) -> Sight:
        """Press Submit beside the check with this key."""
        return self._press("submit", {"csrfmiddlewaretoken": sight.fields["csrfmiddlewaretoken"], "key": key})

    def _press(self, what: str, form: dict[str, str]) -> Sight:
        place = f"/game/{self.project}"
        referer = str(self._browser.base_url.join(place))
        with self._one_line_errors():
            answer = self._browser.post(f"{place}/{what}", data=form, headers={"Referer": referer})
            return _read(self._browser.get(place) if answer.is_redirect else answer)


def _read(answer: httpx.Response) -> Sight:
    sentence, earned = _SENTENCE.search(answer.text), _EARNED.search(answer.text)
    fields: dict[str, str] = {}
    for name, value in _HIDDEN.findall(answer.text):
        fields.setdefault(name, value)
    return Sight(
        status=answer.status_code,
        sentence=html.unescape(sentence[1]) if sentence else None,
        fields=fields,
        payable=_SUBMIT.findall(answer.text),
        cents=100 * int(earned[1]) + int(earned[2]) if earned else 0,
        page=answer.text,
    )
