"""Personal data in texts: mail addresses, phone numbers, handles; found and masked; pure."""

import re
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
from phonenumbers import Leniency, PhoneNumberMatcher

REGION = "US"
"""The country of phone numbers without a country code: most sources of cards are there."""

MASKS = {"email": "[email]", "phone": "[phone]", "handle": "[handle]"}

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE = re.compile(r"(?<![\w@./])@[A-Za-z_]\w{2,29}\b(?!\s*\()")


def find(text: str) -> list[tuple[int, int, str]]:
    """Where personal data is in the text: start, end, kind (see MASKS); in order, without overlaps."""
    spans = sorted(_spans(text), key=lambda span: (span[0], -span[1]))
    kept: list[tuple[int, int, str]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    if "@" in text:
        yield from ((*hit.span(), "email") for hit in _EMAIL.finditer(text))
        yield from ((*hit.span(), "handle") for hit in _HANDLE.finditer(text))
    if sum(map(str.isdigit, text)) >= 7:
        matches = PhoneNumberMatcher(text, REGION, leniency=Leniency.VALID)
        yield from ((hit.start, hit.end, "phone") for hit in matches)


def mask(text: str, keep: Sequence[str] = ()) -> str:
    """The text with each hit replaced by its mask, except hits that equal one of `keep`."""
    parts, last = [], 0
    for start, end, kind in find(text):
        if text[start:end] not in keep:
            parts += [text[last:start], MASKS[kind]]
            last = end
    return "".join([*parts, text[last:]])


def list_all(texts: "pd.Series[str]", keep: Sequence[str] = ()) -> pd.DataFrame:
    """Every hit in a column of texts, in order: index of the text, kind, found. A null has none."""
    rows = [
        (index, kind, text[start:end])
        for index, text in texts.dropna().items()
        for start, end, kind in find(text)
        if text[start:end] not in keep
    ]
    return pd.DataFrame(rows, columns=["index", "kind", "found"])


PERSONAL = {
    "pairs": ["first", "second"],
    "labels": ["value"],
    "ratings": ["comment"],
    "answers": ["text"],
    "campaign_ratings": ["comment"],
    "corrections": ["text"],
}
"""The columns of a release's tables in which people may have written what is personal."""


def mask_tables(
    tables: Mapping[str, pd.DataFrame], keep: Sequence[str] = ()
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """A release's tables with personal data masked in texts and comments, and every hit: where, id, kind, found."""
    masked, found = dict(tables), [pd.DataFrame(columns=["where", "id", "kind", "found"])]
    for name, column in [(name, one) for name, columns in PERSONAL.items() for one in columns]:
        table = masked.get(name)
        if table is None or column not in table:
            continue
        hits = list_all(table[column], keep)
        rows = hits["index"].unique()
        masked[name] = table.copy()
        masked[name].loc[rows, column] = [mask(text, keep) for text in table.loc[rows, column]]
        ids = table.loc[hits["index"], "pair_id"].to_numpy()
        found.append(hits.assign(where=f"{name}.{column}", id=ids)[["where", "id", "kind", "found"]])
    return masked, pd.concat(found, ignore_index=True)
