"""What to run next: one function from the state of a store's tables to the commands that go on from it.

Every command, the report and the pages that say "next" about a store ask it. Commands about files (a model, a release)
name the file's next command themselves.
"""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import pandas as pd

from data.console.messages import say_next
from data.contract.stages import STAGES, Stage
from data.contract.tables.campaign import Openings
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.generated import Sentences
from data.contract.tables.labels import Labels, Quality, Splits
from data.contract.tables.models import Predictions
from data.contract.tables.pairs import Pairs, is_review
from data.contract.vocabulary import (
    BLIND,
    CONTROL,
    DISCUSSION,
    MAIN,
    MAJORITY,
    MUTUAL_ENTAILMENT,
    PILOT,
    PLAYED,
    PUBLISHED,
    Method,
)
from data.guidance.state import State
from data.labelled.label_set import SCHEME, LabelSet
from data.storage.store import Store

if TYPE_CHECKING:
    from data.labelled.sources import OfDataset

PLAN = "python -m annotation plan --annotators N"
PILOT_PLAN = "python -m annotation pilot plan --annotators N"
"""The other way on from a store's first pairs: everybody labels the same pairs first, which tries out the guide."""
REPORT = ("python -m analysis.report", "python -m analysis.release FOLDER")
"""The commands after the last table is made."""
LAST = (
    "python -m analysis.report",
    "python -m analysis.release",
    "python -m analysis.robustness",
    "python -m annotation control score",
    "python -m data export",
)
"""How commands begin that write only files, so that no table tells whether they have run."""


def next_steps(store: Store, campaign: str | None = None, generator: str | None = None) -> tuple[str, ...]:
    """The commands that go on from the tables, as they are typed; of several any may be run, best the first.

    `campaign`, `generator`: go on with this campaign, or with the labels of this generator's pairs. Without either,
    what is missing or out of date before the pairs comes first, then the campaign that was worked on last, then
    optional tables that are out of date.
    """
    state = State(store)
    if generator is not None:
        steps = _of_generator(state, generator)
    else:
        steps = tuple(_of_store(state)) if campaign is None else _of_campaign(state, campaign)
    return tuple(f"{step} --store {shlex.quote(str(store.address))}" for step in dict.fromkeys(steps))


def say_steps(store: Store, campaign: str | None = None, generator: str | None = None) -> None:
    """Print the next steps, the best one first: of a campaign or generator only that one."""
    steps = next_steps(store, campaign, generator)
    for place, step in enumerate(steps if campaign is generator is None else steps[:1]):
        say_next(step, heading="  or" if place else "next")


def say_steps_of(asked: "OfDataset") -> None:
    """Print the best step that goes on from the labels that a command was asked about; nothing outside a store."""
    if asked.dataset is None:
        say_steps(Store(asked.store), asked.label_set.campaigns[-1])


def is_finished(steps: tuple[str, ...]) -> bool:
    """Whether only files are left to write, if anything."""
    return all(step.startswith(LAST) for step in steps)


def _of_store(state: State) -> Iterator[str]:
    going_on, early = _of_current(state), _towards_pairs(state)
    games = [_of_game(state, game) for game in state.games.index]
    playing = [step for steps in games if not is_finished(steps) for step in steps]
    if not is_finished(going_on):
        yield from (*going_on, *early)
    else:
        yield from early or going_on or playing or _without_campaign(state)
    yield from playing
    yield from (command for stage in STAGES if not stage.needed for command in _again(state, stage))


# what leads to pairs


def _towards_pairs(state: State) -> tuple[str, ...]:
    """What is missing or out of date up to the pairs."""
    for stage in STAGES:
        if again := _again(state, stage):
            return again
        if stage.table is Pairs:
            break
    return () if state.store.exists(Pairs) else _first_pairs(state)


def _first_pairs(state: State) -> tuple[str, ...]:
    """The way to a store's first pairs."""
    if state.store.exists(Prompts) or len(state.games):
        return _new_game(state)
    if state.store.exists(Sentences):
        return ("python -m generation swap --lm FILE",)
    if state.store.exists(Definitions):
        return ("python -m clustering propose",)
    if state.store.exists(Cards) or state.store.exists(Sightings):
        return ("python -m crawler.definitions",)
    decks = "scrapy crawl files -a path=DECKS"
    if state.store.exists(Terms):
        return "scrapy crawl quizlet", decks
    return "python -m crawler.terminology PAPERS", f"{decks} -a terms=any"


def _new_game(state: State) -> tuple[str, ...]:
    """The way to the pairs of the game that was opened last, or of a first one."""
    if len(state.games):
        return _of_game(state, state.games.index[0])
    made = state.store.manifest(Prompts)
    if made is None:
        return ("python -m paraphrase_game prompts definitions",)
    return (f"python -m annotation game open {shlex.join(['--prompts', made['scope']['source']])} --annotators N",)


def _of_game(state: State, game: str) -> tuple[str, ...]:
    """What was played since the last round was opened is collected, then made into pairs, which are labelled."""
    collect = f"python -m annotation game collect --campaign {game}"
    played = state.store.read(Attempts, ["changed_at"], campaign=game)["changed_at"]
    if played.empty or played.max() < state.games[game]:
        return (collect,)
    made = state.store.manifest(Pairs, generator=PLAYED)
    if made is None or made["inputs"].get(Attempts.table_name()) != state.store.version(Attempts):
        return ("python -m paraphrase_game collect",)
    pairs = state.store.read(Pairs, ["pair_id"], generator=PLAYED)
    return _of_generator(state, PLAYED) if len(pairs) else (collect,)


def _again(state: State, stage: Stage) -> tuple[str, ...]:
    """The commands that rebuild an out-of-date table."""
    last = state.store.manifest(stage.table)
    if last is None or not state.is_behind(stage.table):
        return ()
    own = f"python -m {last['stage'].replace('.', ' ')}"
    if own.startswith(("python -m generation ", "python -m paraphrase_game ")):
        known = (command for stage in STAGES for command in stage.commands if command.startswith(own))
        campaigns = last["config"].get("campaigns", [])
        made_from = f" {shlex.join(['--campaign', *campaigns])}" if campaigns else ""
        return (next(known, own) + made_from,)
    if stage.table is Predictions and (split := next(iter(state.splits), None)):
        return tuple(f"{command} {_flags(**split)}" for command in stage.commands)
    return stage.commands


# what a campaign leads to


def _of_generator(state: State, generator: str) -> tuple[str, ...]:
    """A generator's pairs are made, then labelled in the campaign that was planned for them last."""
    pairs = state.generators
    if generator not in set(pairs["generator"]):
        return _new_game(state) if generator == PLAYED else tuple(_of_store(state))
    own = [name for name, plan in state.plans.latest.items() if plan["generator"] == generator]
    if own:
        main = [name for name in own if name not in state.plans.arms]
        return _of_campaign(state, (main or own)[-1])
    others = set(pairs.loc[pairs["selection"] != PUBLISHED, "generator"]) - {generator}
    question = _ask_of(pairs[pairs["generator"] == generator])
    if not others and not state.plans.latest:
        return (PLAN + question,)
    return (f"{PLAN} --campaign {generator} --generator {generator}{question}",)


def _ask_of(pairs: pd.DataFrame) -> str:
    """The flag that asks about any two texts, where the pairs name no entity that both would define."""
    return "" if pairs["entity"].notna().any() else " --question same-meaning"


def _of_campaign(state: State, campaign: str) -> tuple[str, ...]:
    plan = state.plans.latest.get(campaign, {"arm": MAIN})
    if not (state.assignments["campaign"] == campaign).any():
        if campaign in state.games.index:
            return _of_game(state, campaign)
        labelled = [name for name in state.label_sets if name[0] == campaign]
        return _after_labels(state, *labelled[0]) if labelled else (f"{PLAN} --campaign {campaign}",)
    if waiting := _waiting(state, campaign):
        return waiting
    if plan["arm"] == PILOT:
        return _after_pilot(state, campaign, plan["study"])
    if plan["arm"] == CONTROL:
        return (f"python -m annotation control score --campaign {plan['study']}",)
    return _after_ratings(state, campaign)


def _of_current(state: State) -> tuple[str, ...]:
    """The steps of one of the campaigns planned or rated last: an unfinished one, or else a study's own."""
    steps = {name: _of_campaign(state, name) for name in state.worked_on_last}
    unfinished = [name for name in steps if not is_finished(steps[name])]
    chosen = [*unfinished, *(name for name in steps if name not in state.plans.arms), *steps]
    return steps[chosen[0]] if chosen else ()


def _waiting(state: State, campaign: str) -> tuple[str, ...]:
    """What brings the answers that are missing; nothing where all are there.

    The server has all assignments that were planned before it was opened last; answers in a file say the same of those
    planned before one that is answered. A skip is an answer here: it may be the last word.
    """
    asked, ratings = state.of_campaign(campaign)
    answered = asked["assignment_id"].isin(ratings["assignment_id"])
    waiting = asked.loc[~answered & ~state.are_gone(campaign), "at"]
    if waiting.empty and answered.any():
        return ()
    opened = state.store.read(Openings, ["at"], campaign=campaign)["at"]
    seen = pd.concat([opened, asked.loc[answered, "at"]])
    is_open = len(seen) and len(waiting) and waiting.max() <= seen.max()
    verbs = [*(["watch"] if len(opened) else []), "collect"] if is_open else ["open", "collect"]
    return tuple(f"python -m annotation {verb} --campaign {campaign}" for verb in verbs)


def _after_pilot(state: State, pilot: str, study: str) -> tuple[str, ...]:
    """A pilot is discussed, its discussion settled; then its study is planned and goes on."""
    settled = state.store.read(Labels, ["pair_id"], campaign=pilot, method=DISCUSSION)
    if settled.empty and study not in state.plans.latest:
        return (f"python -m annotation pilot report --campaign {study}",)
    return _of_campaign(state, study)


def _after_ratings(state: State, campaign: str) -> tuple[str, ...]:
    """Answers are measured, low ones are given again, and labels are made, unless the lead made them already."""
    made = [last for last in state.store.history(Labels) if last["scope"].get("campaign") == campaign]
    latest = {last["scope"]["method"]: last for last in reversed(made) if last["scope"]["method"] in get_args(Method)}
    old = [name for name, last in latest.items() if state.has_moved(campaign, last)]
    is_labelled, measured = bool(latest) and not old, state.store.manifest(Quality, campaign=campaign)
    if state.has_moved(campaign, measured) and not (is_labelled and measured is None):
        return (f"python -m annotation quality --campaign {campaign}",)
    if is_labelled:
        return _after_labels(state, campaign, MAJORITY if MAJORITY in latest else next(iter(latest)))
    if state.plans.question(campaign).vote is not None and state.is_to_be_rated_again(campaign):
        by = " --low-by verdict" if state.read_verdicts(campaign) else ""
        return (f"python -m annotation reassign --campaign {campaign}{by}",)
    asked, _ = state.of_campaign(campaign)
    if not asked.loc[asked["kind"] == BLIND, "assignment_id"].isin(asked["supersedes"]).all():
        return (f"python -m annotation review informed --campaign {campaign}",)
    adjudicate = f"python -m annotation adjudicate --campaign {campaign}"
    methods = sorted(old) or [MAJORITY]
    return tuple(adjudicate if name == MAJORITY else f"{adjudicate} --method {name}" for name in methods)


def _after_labels(state: State, campaign: str, method: str) -> tuple[str, ...]:
    """What a kept correction leads to is a judgement, what a sample leads to is the set that it was drawn from."""
    question, generator = state.plans.question(campaign), state.plans.latest.get(campaign, {}).get("generator", "")
    sample = state.store.read(Pairs, ["selection", "sample_of"], generator=generator).head(1)
    if is_review(sample).any():
        return (f"python -m analysis.robustness --review {campaign}",)
    if question.screening:
        return _judge_kept(state, campaign)
    if not question.vote:
        return (f"python -m data export {question.table} --out {question.table}.csv",)
    bases = sample["sample_of"].dropna().to_list()
    audited = (last["scope"] for last in state.store.history(Labels) if last["config"].get("name") in bases)
    labels = next(audited, {"campaign": campaign, "method": method})
    return _after_set(state, labels["campaign"], labels["method"])


def _after_set(state: State, campaign: str, method: str) -> tuple[str, ...]:
    """Labels are split; after that nothing is left but files."""
    own = [split for split in state.splits if split["method"] == method and campaign in split["campaigns"]]
    if own and not state.is_behind(Splits):
        flags = _flags(**own[0] | {"campaigns": [campaign]})
        return tuple(f"{command} {flags}" for command in REPORT)
    taken = {split["scheme"] for split in state.splits}
    scheme = own[0]["scheme"] if own else campaign if SCHEME in taken else SCHEME
    return (f"python -m analysis.splits {_flags(own[0]['campaigns'] if own else [campaign], method, scheme)}",)


def _judge_kept(state: State, campaign: str) -> tuple[str, ...]:
    """People judge next what a correction kept."""
    judging = [name for name, plan in state.plans.latest.items() if plan["items_from"] == campaign]
    if judging:
        return _of_campaign(state, judging[-1])
    asked = f"--question same-meaning --items-from {campaign}"
    return (f"python -m annotation plan --campaign {campaign}-judged {asked}",)


def _without_campaign(state: State) -> Iterator[str]:
    """Pairs are labelled, by people where no rule has said what they are or where a sample was drawn for them."""
    pairs = state.generators
    drawn = pairs.loc[pairs["sample_of"].notna() & ~is_review(pairs), "generator"]
    for generator in drawn:
        yield f"{PLAN} --campaign audit --generator {generator} --question same-meaning"
    by_rule = [(name, method) for name, method in state.label_sets if method != MUTUAL_ENTAILMENT]
    if by_rule:
        yield from _after_set(state, *by_rule[0])
    elif not len(drawn):
        yield from (f"{command}{_ask_of(pairs)}" for command in (PLAN, PILOT_PLAN))


def _flags(campaigns: list[str], method: str, scheme: str = SCHEME) -> str:
    """The flags that name labels and their split: campaigns always, the others where they are not the usual ones."""
    others = LabelSet(method=method, scheme=None if scheme == SCHEME else scheme)
    return shlex.join(["--campaign", *campaigns, *others.flags])
