"""What would bring dropped rows back: every reason has one remedy, and the commands have the flags that it names."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis import splits
from analysis.splitting import frozen
from annotation.aggregation import screening
from annotation.assignment import reassignment
from annotation.campaign.progress import collection
from annotation.questions import answers
from clustering.acquisition import priorities
from clustering.candidates import contrasts, pairs
from crawler import terminology
from data.contract import vocabulary
from data.contract.stages import GENERATION, STAGES
from data.guidance.look.wording import mark_flags
from data.guidance.remedies import REMEDIES, remedy
from generation.back_translation import sampling
from generation.balancing import recombination
from generation.commands import silver
from generation.sources.screening import LOST as UNUSABLE
from generation.swapping.selection import LOST as UNSWAPPED
from paraphrase_game.commands.prompts import WHY
from tests.test_command_line import COMMANDS, flags

NAMED = {
    "crawler.terminology": [terminology.DROPPED, "below_top", "no_text", "same_title", "same_id"],
    "clustering": [
        pairs.NO_WORD, pairs.ALONE, pairs.SAME_WORDS, contrasts.JOINS_THIRD, priorities.NO_PREDICTION,
        priorities.NO_OVERLAP, priorities.ENTITY_FULL, priorities.LATER, priorities.SAYS_THE_SAME, "over_contrasts",
        "labelled_or_assigned",
        *(f"near_duplicate_{why}" for why in ("punctuation", "contained", "same_stems", "typos")),
    ],
    "annotation.plan": [
        screening.DROPPED, screening.FLAGGED, screening.TIED, screening.UNANSWERED, screening.BACK_TO_SOURCE,
        screening.SAME_ITEM,
    ],
    "annotation.collect": [collection.EMPTY, collection.NO_REASON, collection.FOREIGN_SIGNATURE, answers.INCOMPLETE],
    "annotation.reassign": [reassignment.NOBODY_QUALIFIES],
    "annotation.adjudicate": [
        vocabulary.FLAGGED, vocabulary.FLAGGED_BY_SENIOR, vocabulary.MISSING_RATINGS, vocabulary.TIE,
    ],
    "analysis.splits": [frozen.REASON, splits.IDENTICAL],
    "paraphrase_game.prompts": [*WHY, "too_long", "markup", "control_marks", "no_words", "repeated"],
    "generation.sentences": [*UNUSABLE],
    "generation.swap": [*UNSWAPPED],
    "generation.translate": [*sampling.REASONS],
    "generation.recombine": [*recombination.REASONS, vocabulary.UNMATCHED],
    "generation.silver": [*recombination.REASONS, silver.HELD],
}  # fmt: skip
"""The reasons that stages without a remedy for all others give."""


@pytest.mark.parametrize(
    "stage", [*(name for one in STAGES for name in one.rejects), *GENERATION, "paraphrase_game.prompts"]
)
def test_every_reason_has_a_remedy(stage: str) -> None:
    reasons = NAMED.get(stage, [])
    assert reasons or remedy(stage, "any other reason")
    for reason in reasons:
        assert remedy(f"{stage}.part", reason), reason


def test_definitions_have_no_other_reasons() -> None:
    text = Path("crawler/cards/acceptance.py").read_text(encoding="utf-8")
    found = set(re.findall(r'\("([a-z_]+)", ', text)) | {"other_language", "term_is_gone"}
    assert found - {"text"} <= REMEDIES["crawler.definitions"].keys()
    assert "not_pure_text" in found


def test_the_longest_name_of_a_stage_goes_first() -> None:
    assert "--max-words" in remedy("crawler.definitions", "too_long")
    assert "--max-words" not in remedy("crawler.files", "too_long")
    assert remedy("crawler.decks.files", "private").startswith("Ask its owner")
    assert remedy("elsewhere", "lost") == ""


def flags_named() -> Iterator[tuple[str, str]]:
    for text in {text for part in REMEDIES.values() for text in part.values()}:
        for names, command in re.findall(r"((?:--[a-z-]+(?: or )?)+) of ((?:crawler[.]|[a-z]+ )[a-z-]+)", text):
            yield from ((name, command.removeprefix("crawler.")) for name in re.findall("--[a-z-]+", names))


def test_the_commands_have_the_flags() -> None:
    found = list(flags_named())
    assert len(found) > 20
    for name, command in found:
        assert command in COMMANDS, command
        assert name.replace("--no-", "--") in {flag.name for flag in flags(command)}, (name, command)


def test_flags_are_marked_whole() -> None:
    assert str(mark_flags("Lower --min-words & more.")) == "Lower <code>--min-words</code> &amp; more."
    assert str(mark_flags("Take `skip` off.")) == "Take <code>skip</code> off."
    assert str(mark_flags("hand-over, or -a decks=FILE.csv.")) == "hand-over, or <code>-a decks=FILE.csv</code>."
