"""Annotators of known quality who label through the real server, as people do: the verb `simulate`."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pandas as pd

from annotation.campaign import accounts
from annotation.campaign.accounts import Account
from annotation.campaign.campaign import Campaign
from annotation.label_studio.connection import AtServer, endpoint
from annotation.label_studio.projects import closed, list_projects
from annotation.label_studio.sitting import Sitting
from annotation.simulation import behaviour
from annotation.simulation.behaviour import Profile
from annotation.simulation.noise import Noise
from annotation.simulation.truth import graded_overlap, latent_truth, read_truth
from data.console import demand_at_least, progress, say, say_next
from data.errors import InputError, ServerError
from data.manifest import Manifest, plain
from data.studies import study_of
from data.tables.campaign import Annotators, SimulatedTruth
from data.tables.pairs import Pairs

REASONS = ("other concepts", "something important is missing", "only examples differ", "the same in all details")
"""What a simulated senior gives as reason for each score."""


@dataclass(frozen=True, kw_only=True)
class Simulate(AtServer):
    """Let simulated annotators label all open assignments through the server; what they make is marked simulated.

    Nobody may be behind them: they are of a plan by number, or have addresses that end with .parade.invalid.
    """

    profiles: str = "good:5,careless:2,guessing:1"
    """How many annotators are of which kind (good, careless, guessing, always-2, overlap, drifting, tiring); or a JSON
    file that maps names to {"annotators": number, "confusion": 4 rows (deserved score) of 4 chances (given score)}."""

    noise: Noise = "clear"
    """How hard the pairs are: `clear` (the good are right in 95 % of the scores, the careless in 40 %), or as PARADE's
    (the good are right in 68 to 80 % of the votes, the careless in 60 %)."""

    truth: Path | None = None
    """What the annotators err from: a CSV file with the columns pair_id and score, or the folder of the published
    PARADE files (a pair's votes are its score). If left out, a latent score that rises with the pair's overlap."""

    pairs_each: int | None = None
    """Stop when each has labelled so many, as people do in the evening; all that is open if left out."""

    at_once: int = 8
    """How many annotators work at the same time."""

    seed: int = 1
    """What the latent score, the errors and the times are drawn from."""


def main(arguments: Simulate) -> None:
    """Labels what is open, and keeps truth and roles in the store. Run again after a stop it goes on."""
    campaign = Campaign(arguments)
    demand_at_least("--at-once", arguments.at_once, 1)
    demand_at_least("--pairs-each", arguments.pairs_each, 1)
    with campaign.store.lock(f"simulation-{study_of(campaign.name)}"):
        workers = _workers(campaign)
        busy = _busy(campaign)
        there = [one for one in workers if one.annotator in busy]
        profiles = behaviour.read_profiles(arguments.profiles, arguments.noise)
        cast = behaviour.match_profiles(profiles, [one.annotator for one in workers])
        truth = _keep_truth(campaign, arguments, cast)
        url = arguments.url or endpoint(arguments)[0]
        said = _script(campaign, cast, truth, arguments.seed)
        labelled = _label([Sitting(url, one) for one in there], _titles(campaign), said, arguments)
    say(f"{labelled} assignments labelled at {url} by {len(there)} simulated annotators (marked in annotators)")
    say(f"what is true of the {len(truth)} pairs is in {campaign.store.root}/simulated_truth")
    say_next("python -m annotation collect", *campaign.flags)


def _workers(campaign: Campaign) -> list[Account]:
    """The accounts with work, by name. Raises InputError where a person could be behind one."""
    names = set(campaign.assignments["annotator"])
    workers = [one for one in accounts.read_accounts(campaign.store.root, campaign.name) if one.annotator in names]
    roles = campaign.annotators["role"]
    people = [one.annotator for one in workers if not one.email.endswith(accounts.NOBODYS_ADDRESS)]
    if not campaign.ratings.empty:
        people += [one.annotator for one in workers if roles[one.annotator] != "simulated"]
    if people:
        raise InputError(
            f"campaign {campaign.name}",
            expected="annotators whom nobody is (plan --annotators NUMBER, or addresses at *.parade.invalid), without "
            "ratings of their own",
            found="people: " + ", ".join(sorted(set(people))),
            remedy="plan a campaign of its own for the simulation (--campaign NAME)",
        )
    return workers


def _busy(campaign: Campaign) -> set[str]:
    """Who has something to label, as last collected."""
    return set(campaign.waiting["annotator"]) - campaign.withdrawn


def _keep_truth(campaign: Campaign, arguments: Simulate, cast: Mapping[str, Profile]) -> "pd.Series[int]":
    """The deserved scores by pair id, kept in simulated_truth; marks the annotators as simulated first.

    Raises InputError where the campaign was simulated before with other profiles, truth or seed.
    """
    truth = _truth(campaign, arguments)
    confusions = {name: {"profile": one.name, "confusion": one.confusion} for name, one in cast.items()}
    source = "latent" if arguments.truth is None else str(arguments.truth)
    manifest = Manifest(
        stage=campaign.stage("simulate"),
        config={"campaign": campaign.name, "truth": source, "annotators": confusions},
        seed=arguments.seed,
        inputs=campaign.store.inputs(Pairs),
        counts={"pairs": len(truth)},
    )
    with campaign.store.lock(campaign.lock):
        _check_same(campaign, manifest, truth)
        _mark(campaign, list(cast), manifest)
        if not campaign.store.is_current(SimulatedTruth, manifest, campaign=campaign.name):
            rows = pd.DataFrame({"campaign": campaign.name, "pair_id": truth.index, "score": truth.to_numpy()})
            campaign.store.replace(SimulatedTruth, rows, manifest, campaign=campaign.name)
    return truth


def _truth(campaign: Campaign, arguments: Simulate) -> "pd.Series[int]":
    pairs = _pairs(campaign)
    return latent_truth(pairs, arguments.seed) if arguments.truth is None else read_truth(arguments.truth, pairs)


def _pairs(campaign: Campaign) -> pd.DataFrame:
    columns = ["pair_id", "first", "second", "overlap"]
    pairs = campaign.store.read(Pairs, columns=columns, generator=campaign.plan["generator"])
    return pairs[pairs["pair_id"].isin(campaign.assignments["pair_id"])]


def _check_same(campaign: Campaign, manifest: Manifest, truth: "pd.Series[int]") -> None:
    before = campaign.store.manifest(SimulatedTruth, campaign=campaign.name)
    kept = campaign.store.read(SimulatedTruth, campaign=campaign.name).set_index("pair_id")["score"]
    old = kept.reindex(truth.index).dropna().astype("int64")
    same = before is None or (before["config"], before["seed"]) == (plain(manifest.config), manifest.seed)
    if not same or not old.equals(truth.reindex(old.index)):
        raise InputError(
            f"campaign {campaign.name}",
            expected="the profiles, truth and seed that it was simulated with before",
            found="others",
            remedy="give the same, or simulate another campaign (--campaign NAME)",
        )


def _mark(campaign: Campaign, names: Sequence[str], manifest: Manifest) -> None:
    """Gives the annotators the role `simulated` before their first label."""
    rows = campaign.annotators.loc[list(names)]
    rows = rows[rows["role"] != "simulated"].assign(role="simulated", at=datetime.now(UTC))
    if not rows.empty:
        campaign.store.append(Annotators, rows, manifest)


def _script(
    campaign: Campaign, cast: Mapping[str, Profile], truth: "pd.Series[int]", seed: int
) -> dict[str, tuple[int, float]]:
    """Assignment id -> the score that will be given, and the seconds that it is said to take."""
    asked, pairs = campaign.assignments, _pairs(campaign)
    deserved = asked["pair_id"].map(truth).where((asked["kind"] != "trap").astype("bool"), 0).astype("int64")
    suggested = dict(zip(pairs["pair_id"], graded_overlap(pairs["overlap"].fillna(0).to_numpy("float64")), strict=True))
    last = asked.groupby(["annotator", "round"])["position"].transform("max")
    asked = asked.assign(
        truth=deserved, by_overlap=asked["pair_id"].map(suggested), progress=asked["position"] / last.clip(lower=1)
    )
    scores = behaviour.answer(asked, cast, seed)
    said = zip(scores.tolist(), behaviour.seconds(asked, seed).tolist(), strict=True)
    return dict(zip(asked["assignment_id"], said, strict=True))


def _titles(campaign: Campaign) -> dict[str, list[str]]:
    """Annotator -> titles of the projects that are open, by round."""
    titles: dict[str, list[str]] = {}
    over = closed(campaign)
    for project in (one for one in list_projects(campaign) if one.title not in over):
        titles.setdefault(project.annotator, []).append(project.title)
    return titles


def _label(
    sittings: Sequence[Sitting],
    titles: Mapping[str, Sequence[str]],
    script: Mapping[str, tuple[int, float]],
    arguments: Simulate,
) -> int:
    """How many assignments were open and are labelled now."""
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(arguments.at_once))
        stack.callback(pool.shutdown, cancel_futures=True)
        for sitting in sittings:
            stack.enter_context(sitting)
        shown = dict(zip(sittings, _signed_in(pool, sittings), strict=True))
        work, n_open = [], 0
        for sitting, projects in shown.items():
            own = [_find(title, projects) for title in titles.get(sitting.account.annotator, ())]
            n_open += min(sum(tasks for _, tasks in own), arguments.pairs_each or len(script))
            steps = _work(sitting, [number for number, tasks in own if tasks], script)
            work.append(islice(steps, arguments.pairs_each))
        return sum(1 for _ in progress(_in_turns(pool, work), label="labelling", unit="pairs", total=n_open))


def _signed_in(pool: ThreadPoolExecutor, sittings: Sequence[Sitting]) -> list[dict[str, tuple[int, int]]]:
    """What each is shown after signing in."""

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


def _work(sitting: Sitting, projects: Sequence[int], script: Mapping[str, tuple[int, float]]) -> Iterator[int]:
    """Labels an annotator's open tasks, one at each step."""
    for project in projects:
        while task := sitting.next_task(project):
            score, seconds = script[task["data"]["assignment"]]
            sitting.submit(project, task["id"], score, seconds, REASONS[score] if "votes" in task["data"] else "")
            yield task["id"]


def _in_turns(pool: ThreadPoolExecutor, work: Sequence[Iterator[int]]) -> Iterator[int]:
    """Something whenever one of the annotators has done a step; each takes the next one after the others."""
    waiting = {pool.submit(next, one, None): one for one in work}
    while waiting:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            one, step = waiting.pop(future), future.result()
            if step is not None:
                waiting[pool.submit(next, one, None)] = one
                yield step
