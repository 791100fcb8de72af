"""Simulated annotators label through the server, several at a time, as people do."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import islice

from annotation.campaign.campaign import Campaign
from annotation.label_studio.projects import closed, list_projects
from annotation.label_studio.simulated.sitting import Sitting
from annotation.simulation.answering import Answers, simulate
from data.console.errors import ServerError
from data.console.messages import progress
from data.contract.questions import Question

AT_ONCE = 8
"""Annotators who work at the same time."""


def label(
    campaign: Campaign,
    sittings: Sequence[Sitting],
    script: Mapping[str, tuple[int, float]],
    pairs_each: int | None,
) -> int:
    """Label the open assignments as the script says, at most `pairs_each` per sitting; returns their number."""
    titles = _open_titles(campaign)
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(AT_ONCE))
        stack.callback(pool.shutdown, cancel_futures=True)
        for sitting in sittings:
            stack.enter_context(sitting)
        projects = dict(zip(sittings, _sign_in(pool, sittings), strict=True))
        work, n_open = [], 0
        for sitting, shown in projects.items():
            own = [_find(title, shown) for title in titles.get(sitting.account.annotator, ())]
            n_open += min(sum(tasks for _, tasks in own), pairs_each or len(script))
            numbers = [number for number, tasks in own if tasks]
            work.append(islice(_label_tasks(sitting, numbers, script, campaign.question), pairs_each))
        return sum(1 for _ in progress(_in_turns(pool, work), label="labelling", unit="pairs", total=n_open))


def _open_titles(campaign: Campaign) -> dict[str, list[str]]:
    """Annotator -> titles of their open projects, by round."""
    titles: dict[str, list[str]] = {}
    over = closed(campaign)
    for project in list_projects(campaign):
        if project.title not in over:
            titles.setdefault(project.annotator, []).append(project.title)
    return titles


def _sign_in(pool: ThreadPoolExecutor, sittings: Sequence[Sitting]) -> list[dict[str, tuple[int, int]]]:
    """The projects that each is shown after signing in."""

    def enter(sitting: Sitting) -> dict[str, tuple[int, int]]:
        sitting.sign_in()
        return sitting.projects()

    return list(progress(pool.map(enter, sittings), label="signing in", unit="annotators", total=len(sittings)))


def _find(title: str, projects: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    if title not in projects:
        raise ServerError(
            "Label Studio",
            expected=f"the project {title!r}",
            found="none of this title",
            remedy="open the projects first: python -m annotation open",
        )
    return projects[title]


def _label_tasks(
    sitting: Sitting, projects: Sequence[int], script: Mapping[str, tuple[int, float]], question: Question
) -> Iterator[int]:
    """Label an annotator's open tasks, one per step; yields their ids."""
    for project in projects:
        while task := sitting.next_task(project):
            place, seconds = script[task["data"]["assignment"]]
            answers = simulate(question, place, task["data"])
            sitting.submit(
                project, task["id"], answers, seconds, _reason(question, answers) if "votes" in task["data"] else ""
            )
            yield task["id"]


def _reason(question: Question, answers: Answers) -> str:
    """What a simulated senior says: the text of the first answer."""
    chosen = answers[question.first.name]
    return next((answer.text for answer in question.first.answers if answer.value in chosen), "as I read it")


def _in_turns(pool: ThreadPoolExecutor, work: Sequence[Iterator[int]]) -> Iterator[int]:
    """One item whenever an annotator has done a step; each waits with the next until the others had their turn."""
    waiting = {pool.submit(next, steps, None): steps for steps in work}
    while waiting:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            steps, step = waiting.pop(future), future.result()
            if step is not None:
                waiting[pool.submit(next, steps, None)] = steps
                yield step
