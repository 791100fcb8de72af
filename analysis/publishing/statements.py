"""What only the publisher can state about a data set: a TOML file, checked."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from data.console.errors import InputError
from data.contract.questions import PUBLISHED_QUESTION, Question
from data.files.values import read_toml

NOT_STATED = "Not stated."


@dataclass(frozen=True, kw_only=True)
class Statements:
    """The publisher's own words; each goes into the data card as it is."""

    title: str = "An expert-labelled paraphrase data set"
    description: str = (
        "Pairs of definitions of one term, labelled by experts of the field for whether they mean the same."
    )
    version: str = "1.0.0"
    licence: str = "none stated"
    authors: tuple[str, ...] = ()
    contact: str = NOT_STATED
    url: str = ""
    date: str = ""
    language: str = ""
    """By default the language of the texts."""
    recruitment: str = NOT_STATED
    levels: str = NOT_STATED
    pay: str = NOT_STATED
    consent: str = NOT_STATED
    guide: str = NOT_STATED
    recipe: str = NOT_STATED
    limits: str = NOT_STATED


TITLE = "A labelled data set"
SIMULATED = "A paraphrase data set with simulated labels"


def for_question(question: Question, *, defines: bool = True, simulated: bool = False) -> Statements:
    """The defaults for a data set of this question.

    `defines`: whether its texts are definitions; `simulated`: whether a program made ratings, no expert.
    """
    if question.has_paraphrases and not defines:
        return Statements(title=TITLE, description="Pairs of texts, labelled for whether they mean the same.")
    if question.has_paraphrases and simulated:
        return Statements(title=SIMULATED, description=Statements.description.replace("by experts of the field ", ""))
    if question.has_paraphrases:
        return Statements()
    texts = "Pairs of texts" if question.shown.is_pair else "Texts"
    asked = " ".join(f"“{control.heading}”" for control in question.asked)
    return Statements(title=TITLE, description=f"{texts}; annotators were asked: {asked}")


FORMS = {
    "title": (r"[^\n\r]*\S[^\n\r]*", "one line"),
    "version": (r"\w[\w.+-]*", "a version such as 1.0.0"),
    "licence": (r"[^\n\r]+", "one line"),
    "url": (r"(https?://[^\s\"<>]+)?", "an address that begins with https:// or http://"),
    "date": (r"(\d{4}-\d{2}-\d{2})?", "a date such as 2026-11-20"),
    "language": (r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*", "a language tag such as en"),
}
"""What machines read, too: a pattern for the whole text, and what it means."""
OPTIONAL = ("title", "description", "version", "url", "date", "language")
"""What readers do not miss where the publisher leaves it as it is."""


HINTS = {
    "title": "what the data set is called",
    "description": "one or two sentences: what the pairs are, and what was asked",
    "version": "1.0.0",
    "licence": "CC BY 4.0",
    "authors": ["Given Name Family Name"],
    "contact": "an address for readers' questions",
    "url": "https://the.address/of/the/set",
    "date": "2026-11-20",
    "language": "en",
    "recruitment": "how annotators were found, and what they had to know",
    "levels": "what each level of annotators means, such as years of study",
    "pay": "20 EUR per hour",
    "consent": "what annotators agreed to, and who approved it",
    "guide": "how annotators were instructed and trained",
    "recipe": "where the procedure differs from a published one, and why",
    "limits": "what the data should not be used for",
}
"""An example of each field, or what belongs in it."""


def template() -> str:
    """A file of statements to fill in: each field with a hint behind a `#`, which leaves it out."""
    lines = (f"# {name} = {json.dumps(hint)}" for name, hint in HINTS.items())
    return "\n".join(["# Remove the first # of a line and write your own words in place of the hint.", *lines, ""])


def read(
    path: Path | None, question: Question = PUBLISHED_QUESTION, *, defines: bool = True, simulated: bool = False
) -> Statements:
    """The statements of a TOML file over `for_question`; raises InputError for any other file."""
    defaults = for_question(question, defines=defines, simulated=simulated)
    if path is None:
        return defaults
    return make(read_toml(path, "the publisher's statements", "correct it"), path, defaults)


def make(values: dict[str, Any], where: object, defaults: Statements | None = None) -> Statements:
    """The statements of plain values; raises InputError for an unknown field and for a value of another form."""
    known = [one.name for one in fields(Statements)]
    for name, value in values.items():
        if name not in known:
            raise InputError(
                where, expected="the fields " + " ".join(known), found=repr(name)[:80], remedy="remove the others"
            )
        if wanted := _find_fault(name, value):
            raise InputError(where, expected=f"{name} to be {wanted}", found=repr(value)[:80], remedy="correct it")
    names = {"authors": tuple(values["authors"])} if "authors" in values else {}
    return replace(defaults or Statements(), **values | names)


def _find_fault(name: str, value: Any) -> str | None:
    """What the value should be, where it is not."""
    if name == "authors":
        listed = isinstance(value, list | tuple) and all(_is_text(one) and "\n" not in one for one in value)
        return None if listed else "a list of names"
    if not _is_text(value):
        return "a text"
    pattern, meaning = FORMS.get(name, (r"(?s:.*)", ""))
    return None if re.fullmatch(pattern, value) and (name != "date" or _is_date(value)) else meaning


def _is_text(value: Any) -> bool:
    """Whether the value is a text that UTF-8 can write, without control characters but tab and newline."""
    return isinstance(value, str) and not re.search(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", value)


def _is_date(value: str) -> bool:
    try:
        return not value or bool(date.fromisoformat(value))
    except ValueError:
        return False


def with_documents(words: Statements, tables: Mapping[str, pd.DataFrame]) -> Statements:
    """The statements, where the publisher says nothing of the guide or the consent with where the release holds it."""
    if "ratings" not in tables:
        return words
    shown = tables["documents"] if "documents" in tables else pd.DataFrame({"kind": [], "reference": []})
    place = "Its text is in the table `documents`"
    consents = shown.loc[shown["kind"] == "consent", "reference"].to_list()
    approved = f"; approved by: {consents[-1]}" if consents and consents[-1] else ""
    guide = place if (shown["kind"] == "guide").any() else "Its text is in `statements.json`"
    if words.guide == NOT_STATED:
        words = replace(words, guide=f"{guide}.")
    if words.consent == NOT_STATED and consents:
        words = replace(words, consent=f"{place}{approved}.")
    return words


def list_not_stated(words: Statements) -> list[str]:
    """The fields that readers look for and the publisher has left as they were."""
    default = Statements()
    names = [one.name for one in fields(Statements) if one.name not in OPTIONAL]
    return [name for name in names if getattr(words, name) == getattr(default, name)]
