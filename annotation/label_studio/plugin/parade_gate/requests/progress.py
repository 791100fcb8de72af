"""How far an annotator is: a line at the top of the labelling page, which Label Studio's free edition does not have."""

from statistics import median

from django.http import HttpRequest, HttpResponse, JsonResponse
from tasks.models import Annotation, Task

from parade_gate.models import Seat
from parade_gate.requests.owners import open_projects

N_TIMED = 30
"""The last answers whose median time tells how long the others will take."""

FEWEST_TIMED = 5
"""With fewer answers no time is foretold."""

LINE = b"""<div id="parade-progress" role="status"></div>
<style>#parade-progress:not(:empty){position:fixed;top:48px;left:0;right:0;z-index:9;padding:4px 12px;
font:13px/18px sans-serif;text-align:center;background:var(--color-neutral-background,#fff);
color:var(--color-neutral-content,#222);pointer-events:none}
.lsf-main-view__annotation{padding-top:28px!important}
@media(max-width:600px){.lsf-main-view__annotation{padding-top:48px!important}}</style>
<script src="/progress.js" defer></script>
"""
"""A strip of its own below Label Studio's header, which is 48 pixels high, and room for it above the pair."""

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


def add_line(response: HttpResponse) -> HttpResponse:
    """The page with the line at its end."""
    if response.status_code == 200 and response.get("Content-Type", "").startswith("text/html"):
        start, end, rest = response.content.rpartition(b"</body>")
        response.content = start + LINE + end + rest
        response["Content-Length"] = str(len(response.content))
    return response


def describe(n_tasks: int, n_done: int, n_skipped: int, seconds: float | None) -> str:
    """The line in words; `seconds`: what an answer takes, None if that is not known yet."""
    skipped = f", {n_skipped} skipped" if n_skipped else ""
    if n_tasks and n_done + n_skipped >= n_tasks:
        back = " You can go back to those you skipped." if n_skipped else ""
        return f"{n_done} of {n_tasks} done{skipped}. Thank you! Your answers are saved.{back}"
    if not n_done:
        return f"0 of {n_tasks} done{skipped}. Submit saves an answer, Skip leaves the pair without one."
    left = (n_tasks - n_done - n_skipped) * (seconds or 0) / 60
    soon = "" if seconds is None else ", less than a minute left" if left < 1 else f", about {left:.0f} min left"
    return f"{n_done} of {n_tasks} done{skipped}{soon}"


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
