"""What to run next in a store: after its tables as they are, and after a campaign's labels."""

import shlex
from itertools import pairwise
from typing import Any

from data.contract.rows import is_review
from data.contract.stages import REPORT, STAGES, Stage, missing
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.generated import GeneratedTexts, Sentences
from data.contract.tables.labels import Labels, Quality, Splits
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.vocabulary import MAJORITY, PILOT
from data.guidance.status import behind
from data.labelled.label_set import SCHEME, LabelSet
from data.recorded.plans import find_plan, list_arms, planned_last, rated_last, read_question
from data.storage.store import Store


def next_commands(store: Store) -> tuple[str, ...]:
    """The commands of the first needed stage whose table is missing or behind its inputs, then of optional ones behind.

    Commands of a campaign name it: the one that was planned last, has the latest rating, or was labelled last. Pairs of
    other texts than definitions need none of the stages that lead to these. What another command of generation wrote
    last is made again by that one.
    """
    optional = [command for stage in STAGES if not stage.needed for command in _again(store, stage)]
    return (*dict.fromkeys((*_next_needed(store), *optional)),)


def of_store(command: str, store: Store) -> str:
    """One of `next_commands` as it is typed for a store."""
    return f"{command} --store {shlex.quote(str(store.root))}"


def after_labels(store: Store, campaign: str, method: str = MAJORITY) -> str:
    """The command to run once a campaign has labels by a method.

    What a correction kept is judged next. The labels of an audit belong to the set that it is a sample of.
    """
    plan, question = find_plan(store, campaign), read_question(store, campaign)
    generator = "" if plan is None else str(plan["generator"])
    sample = store.read(Pairs, ["selection", "sample_of"], generator=generator).head(1)
    if is_review(sample).any():
        return f"python -m analysis.robustness --review {campaign}"
    if question.screening:
        return _judge_kept(store, campaign)
    if not question.vote:
        return "python -m data export labels --out labels.csv"
    bases = sample["sample_of"].to_list()
    audited = (last["scope"] for last in store.history(Labels) if last["config"].get("name") in bases)
    labels = next(audited, {"campaign": campaign, "method": method})
    return f"python -m analysis.splits {_flags([labels['campaign']], labels['method'])}"


def of_campaign(store: Store, campaign: str) -> str:
    """The command, with its store, that goes on with a planned campaign: `open` as long as answers are missing."""
    asked = store.read(Assignments, ["assignment_id", "supersedes"], campaign=campaign)
    known = {*store.read(Ratings, ["assignment_id"])["assignment_id"], *asked["supersedes"].dropna()}
    if not asked["assignment_id"].isin(list(known)).all():
        return _in_store("python -m annotation open", store, campaign)
    return after_ratings(store, campaign)


def after_ratings(store: Store, campaign: str) -> str:
    """The command, with its store, that goes on with a campaign whose answers are all collected."""
    plan = find_plan(store, campaign)
    if plan is not None and plan["arm"] == PILOT:
        return _in_store("python -m annotation pilot report", store, plan["study"])
    own = [command for command in next_commands(store) if _goes_on(command, campaign)]
    if own:
        return of_store(own[0], store)
    if store.manifest(Quality, campaign=campaign) is None:
        return _in_store("python -m annotation quality", store, campaign)
    if not any(made["scope"].get("campaign") == campaign for made in store.history(Labels)):
        return _in_store("python -m annotation adjudicate", store, campaign)
    return of_store(after_labels(store, campaign), store)


def _goes_on(command: str, campaign: str) -> bool:
    """Whether the command is about what the campaign's ratings lead to."""
    words = shlex.split(command)
    return words[3:4] not in (["open"], ["collect"]) and ["--campaign", campaign] in map(list, pairwise(words))


def _in_store(command: str, store: Store, campaign: str) -> str:
    return f"{command} {shlex.join(['--store', str(store.root), '--campaign', campaign])}"


def _judge_kept(store: Store, campaign: str) -> str:
    """The command that asks about what a correction kept."""
    plans = store.read(Campaigns, ["campaign", "at"], items_from=campaign).sort_values("at")
    if len(plans):
        return f"python -m annotation open --campaign {plans['campaign'].iloc[-1]}"
    asked = f"--question same-meaning --items-from {campaign}"
    return f"python -m annotation plan --campaign {campaign}-judged {asked}"


def _again(store: Store, stage: Stage) -> tuple[str, ...]:
    """The commands that rebuild an out-of-date table."""
    last = store.manifest(stage.table)
    if last is None or not behind(store, stage.table):
        return ()
    room, verb, *_ = f"{last['stage']}..".split(".")
    if room == "generation":
        own = f"python -m {room} {verb}"
        known = (command for stage in STAGES for command in stage.commands if command.startswith(own))
        campaigns = last["config"].get("campaigns", [])
        made_from = f" {shlex.join(['--campaign', *campaigns])}" if campaigns else ""
        return (next(known, own) + made_from,)
    return _commands(store, stage)


def _next_needed(store: Store) -> tuple[str, ...]:
    lacking = missing([stage.name for stage in STAGES if stage.needed and not _is_missing(store, stage)])
    if store.exists(Sentences) and _is_missing(store, next(stage for stage in STAGES if stage.table is Pairs)):
        return next(stage.commands for stage in STAGES if stage.table is GeneratedTexts)
    for stage in STAGES:
        if stage.name in lacking:
            return _commands(store, stage)
        if stage.needed and (again := _again(store, stage)):
            return again
    if not (split := _find_split(store)):
        return REPORT
    flags = _flags(**split | {"campaigns": split["campaigns"][:1]})
    return tuple(f"{command} {flags}" for command in REPORT)


def _is_missing(store: Store, stage: Stage) -> bool:
    """Whether its table was never written; ratings and labels of pilots and control arms alone are none."""
    if stage.table is Ratings:
        return rated_last(store) is None
    return not (_labelled(store) if stage.table is Labels else store.exists(stage.table))


def _commands(store: Store, stage: Stage) -> tuple[str, ...]:
    """The stage's commands with the campaign that they are to go on with."""
    if stage.table in (Splits, Predictions) and (split := _find_split(store)):
        return tuple(f"{command} {_flags(**split)}" for command in stage.commands)
    if stage.table is Splits:
        return (_split_first(store),)
    find = {Ratings: planned_last, Quality: rated_last, Labels: rated_last}.get(stage.table)
    name = find(store) if find else None
    return tuple(f"{command} --campaign {name}" for command in stage.commands) if name else stage.commands


def _split_first(store: Store) -> str:
    """The command that splits the labels made last; where none can be split, the one that goes on from them."""
    commands = [after_labels(store, *label_set) for label_set in _labelled(store)]
    return next((command for command in commands if command.startswith("python -m analysis.splits")), commands[0])


def _labelled(store: Store) -> list[tuple[str, str]]:
    """The campaigns with labels, the last labelled first, each with a method; no pilots, no control arms."""
    rows = store.read(Labels, ["campaign", "method"]).drop_duplicates()
    present = sorted(rows.itertuples(index=False, name=None))
    made = [(last["scope"].get("campaign"), last["scope"].get("method")) for last in store.history(Labels)]
    arms, found = list_arms(store), dict[str, str]()
    for campaign, method in [*made, *present]:
        if (campaign, method) in present and campaign not in arms:
            found.setdefault(campaign, MAJORITY if (campaign, MAJORITY) in present else method)
    return list(found.items())


def _find_split(store: Store) -> dict[str, Any]:
    """Campaigns, method and scheme of the split that was made last; empty without one."""
    last = next((made for made in store.history(Splits) if "campaigns" in made["config"]), None)
    return {name: last["config"][name] for name in ("campaigns", "method")} | last["scope"] if last else {}


def _flags(campaigns: list[str], method: str, scheme: str = SCHEME) -> str:
    """The flags that name labels and their split: campaigns always, the others where they are not the usual ones."""
    others = LabelSet(method=method, scheme=None if scheme == SCHEME else scheme)
    return shlex.join(["--campaign", *campaigns, *others.flags])
