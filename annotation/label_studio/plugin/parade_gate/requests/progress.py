"""What the gate adds to Label Studio's pages: how far an annotator is, and what fits a narrow window."""

from statistics import median

from django.http import HttpRequest, HttpResponse, JsonResponse
from tasks.models import Annotation, Task

from parade_gate.models import Seat
from parade_gate.requests import rules
from parade_gate.requests.owners import open_projects

N_TIMED = 30
"""The last answers whose median time tells how long the others will take."""

FEWEST_TIMED = 5
"""With fewer answers no time is foretold."""

LINE = b"""<div id="parade-progress" role="status"></div>
<style>#parade-progress:not(:empty){position:fixed;top:48px;left:0;right:0;z-index:9;padding:4px 12px;
font:13px/18px sans-serif;text-align:center;background:var(--color-neutral-background,#fff);
color:var(--color-neutral-content,#222);pointer-events:none}
.lsf-menu-header__context>*,.lsf-sidepanels__wrapper,.lsf-current-task__task-id{display:none!important}
.lsf-main-view__annotation{padding-top:28px!important}
.parade .ant-collapse,.parade .ant-collapse *{background:none!important;color:inherit!important}
@media(max-width:600px){.lsf-main-view__annotation{padding-top:48px!important}
.lsf-menu-header__hotkeys{display:none!important}}</style>
<script src="/progress.js" defer></script>
"""
"""A strip of its own below Label Studio's header, which is 48 pixels high, and room for it above the pair.

The header's breadcrumb and its link to the settings, which are closed to annotators, go; so do the panel of regions,
which a pair of texts has none of, a second count of tasks, and on a telephone the list of keys. The guide has the
page's own colours, also in the dark.
"""

SIGN_IN = b"""<style>.login_page_new_ui .tips{display:none}
@media(max-width:860px){.login_page_new_ui .left{display:none!important}
.login_page_new_ui .form-wrapper{box-sizing:border-box;min-width:0!important;width:100%!important}}</style>
"""
"""Where a window is too narrow for both, the form without the advertisement; in no window tips for buyers."""

FIELDS = {b"Email Address": b"email", b"Password": b"password"}
"""The labels of the form that name no field, and the fields' names."""

SCRIPT = """
"use strict";
const line = document.getElementById("parade-progress");
const show = () => fetch("/progress").then(answer => answer.ok ? answer.json() : null)
  .then(found => { if (found) line.textContent = found.line; });
new PerformanceObserver(seen => {
  if (seen.getEntries().some(entry => /\\/annotations|next_task/.test(entry.name))) show();
}).observe({type: "resource"});
show();
"""


def progress(request: HttpRequest) -> HttpResponse:
    """The line's text: {"line": ...}."""
    return JsonResponse({"line": describe(*_count(request.user))})


def script(_: HttpRequest) -> HttpResponse:
    """What writes the line when the page opens and after each answer."""
    return HttpResponse(SCRIPT, content_type="text/javascript")


def dress(response: HttpResponse, rule: rules.Rule) -> HttpResponse:
    """The answer to a request of this rule; a page with what the gate adds to it."""
    if rule is rules.SIGN_IN:
        return fit_sign_in(response)
    return _add(response, LINE) if rule in rules.PAGES else response


def fit_sign_in(response: HttpResponse) -> HttpResponse:
    """The login page with labels that screen readers find, for narrow windows, too."""
    for label, field in FIELDS.items():
        response.content = response.content.replace(b"<label>" + label, b'<label for="' + field + b'">' + label)
    return _add(response, SIGN_IN)


def _add(response: HttpResponse, what: bytes) -> HttpResponse:
    """The page with this at its end; any other answer as it is."""
    if response.status_code == 200 and response.get("Content-Type", "").startswith("text/html"):
        start, end, rest = response.content.rpartition(b"</body>")
        response.content = start + what + end + rest
        response["Content-Length"] = str(len(response.content))
    return response


def describe(n_tasks: int, n_done: int, n_skipped: int, seconds: float | None) -> str:
    """The line in words; `seconds`: what an answer takes, None if that is not known yet."""
    skipped = f", {n_skipped} skipped" if n_skipped else ""
    if n_tasks and n_done + n_skipped >= n_tasks:
        back = " You can go back to those you skipped." if n_skipped else ""
        thanks = "Thank you! Your answers are saved, and you may close this page."
        return f"{n_done} of {n_tasks} done{skipped}. {thanks}{back} New pairs, if there are any, will be here later."
    if not n_done:
        return f"0 of {n_tasks} done{skipped}. Submit saves an answer, Skip leaves the pair without one."
    left = (n_tasks - n_done - n_skipped) * (seconds or 0) / 60
    soon = "" if seconds is None else ", less than a minute left" if left < 1 else f", about {left:.0f} min left"
    return f"{n_done} of {n_tasks} done{skipped}{soon}. Skip leaves the pair without an answer."


def _count(user) -> tuple[int, int, int, float | None]:
    """The open tasks of a person's labelling, those answered, those skipped alone, and the seconds of an answer."""
    games = Seat.objects.filter(user=user).values_list("project_id", flat=True)
    tasks = Task.objects.filter(project__in=set(open_projects(user)) - set(games))
    own = Annotation.objects.filter(completed_by=user, task__in=tasks)
    done = set(own.filter(was_cancelled=False).values_list("task_id", flat=True))
    skipped = set(own.filter(was_cancelled=True).values_list("task_id", flat=True)) - done
    times = own.filter(was_cancelled=False).order_by("-id").values_list("lead_time", flat=True)[:N_TIMED]
    known = [seconds for seconds in times if seconds is not None]
    return tasks.count(), len(done), len(skipped), median(known) if len(known) >= FEWEST_TIMED else None
