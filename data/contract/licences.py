"""Licences by name: SPDX identifiers where a name is well known, and the licence that counts for each deck.

What people write (`CC BY 4.0`, `cc-by-4.0`, `Creative Commons Attribution 4.0 International`, an address of
creativecommons.org) is brought into the form of SPDX and looked up in the list that `packaging` keeps. What has no SPDX
identifier because no version is given becomes `LicenseRef-CC-BY`, `LicenseRef-GPL` and so on, as SPDX provides for.
"""

import re
from functools import lru_cache

import pandas as pd
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

DECK = ["source", "url", "set_id"]
"""What identifies a deck among the cards."""

MAX_NAME_CHARS = 200
"""Characters of a text beyond which it is no licence's name."""

_LONG_FORMS = (
    (r"https?://(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/", "cc "),
    (r"\bcreative commons\b", "cc"),
    (r"\bcc[\s/-]?zero\b|\bcc0\b", "cc zero"),
    (r"\bpublic domain dedication\b", ""),
    (r"\bpublic domain mark\b", "pdm"),
    (r"\bno[nt][\s-]?commercial\b", "nc"),
    (r"\bshare[\s-]?alike\b", "sa"),
    (r"\bno[\s-]?deriv(?:ative)?s?(?: works)?\b", "nd"),
    (r"\battribution\b", "by"),
    (r"\bgnu (?:lesser|library) general public\b", "lgpl"),
    (r"\bgnu affero general public\b", "agpl"),
    (r"\b(?:gnu )?general public\b", "gpl"),
    (r"\bgnu free documentation\b", "gfdl"),
    (r"\bmozilla public\b", "mpl"),
    (r"\bopen data commons\b", "odc"),
    (r"\b(?:odc )?open database\b", "odbl"),
    (r"\bnew bsd\b|\bmodified bsd\b", "bsd 3 clause"),
    (r"\bsimplified bsd\b|\bfreebsd\b", "bsd 2 clause"),
    (r"(?<=\d)\+", " or later"),
    (r"\b([al]?gpl|gfdl|mpl|apache|bsd)v?(?=\d)", r"\1 "),
)
"""Pattern -> the word of SPDX for it, in this order."""

_EMPTY = frozenset(
    (
        *("the", "a", "under", "license", "licence", "licensed", "licenced", "version", "v", "software", "foundation"),
        *("international", "intl", "unported", "generic", "universal", "deed", "legalcode", "gnu"),
    )
)
"""Words that tell no licence from another."""

_WORDS = re.compile(r"[a-z]+\d+(?:\.\d+)*|\d+(?:\.\d+)*|[a-z]+")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)")
_REMARK = re.compile(r"\([^()]{0,200}\)")
_PARTS = re.compile(r"[;:,()\[\]\n]")
_GNU = re.compile(r"([AL]?GPL-\d\.\d|GFDL-\d\.\d)(\+?)")
_RESTRICTS = re.compile(
    r"\b(?:nc|nd|sa|no|not|non|none|nor|only|but|without|personal|private|educational|permission|restricted|forbidden"
    r"|(?:non)?commercial\w*|(?:no)?deriv\w*|share|sharealike|except\w*|exclud\w*|prohibit\w*"
    r"|nicht\w*|nur|kein\w*|ohne|außer|ausgenommen)\b",
    re.IGNORECASE,
)
"""What takes something back from the licence beside it."""
_DENIED = re.compile(r"\bno open licen[cs]e\b|\ball rights reserved\b|\bnone stated\b", re.IGNORECASE)

_VERSIONLESS = {
    "cc-zero": "CC0-1.0", "zero": "CC0-1.0", "pdm": "CC-PDM-1.0", "cc-pdm": "CC-PDM-1.0",
    "odbl": "ODbL-1.0", "pddl": "PDDL-1.0", "odc-by": "ODC-By-1.0", "public-domain": "LicenseRef-public-domain",
    "expat": "MIT", "bsd": "LicenseRef-BSD", "apache": "LicenseRef-Apache",
    "gpl": "LicenseRef-GPL", "lgpl": "LicenseRef-LGPL", "agpl": "LicenseRef-AGPL", "gfdl": "LicenseRef-GFDL",
}  # fmt: skip
"""Words -> the only version, or a reference of our own where there are several."""

_CC = ("by", "nc", "nd", "sa")
_PORTS = frozenset(["at", "au", "de", "fr", "igo", "jp", "nl", "uk", "us"])


def recognise(text: str) -> str | None:
    """The SPDX identifier (or expression of several) of a licence's name; a remark in brackets makes no difference.

    None where the name is not a well-known one, and where a remark restricts it.
    """
    return _recognise(text) if len(text) <= MAX_NAME_CHARS else None


@lru_cache(maxsize=4096)
def _recognise(text: str) -> str | None:
    name = " ".join(_REMARK.sub(" ", text).split())
    words = _read_words(name)
    found = _as_expression(name) or _as_creative_commons(words) or _as_other(words)
    remarks = [remark for remark in _REMARK.findall(text) if _RESTRICTS.search(remark)]
    return found if "©" not in name and all(_recognise(remark[1:-1]) == found for remark in remarks) else None


def find(note: str) -> str | None:
    """The licence that a note names, whole or in one of its parts between punctuation marks.

    None where it names none, several, says that there is none or restricts it, and for a mere `MIT` among other parts,
    which may be the institute.
    """
    if _DENIED.search(note):
        return None
    if (whole := recognise(note)) is not None:
        return whole
    parts = {part: recognise(part) for part in map(str.strip, _PARTS.split(note))}
    if any(licence is None and _RESTRICTS.search(part) for part, licence in parts.items()):
        return None
    named = {part.casefold(): licence for part, licence in parts.items() if licence is not None}
    return next(iter(named.values())) if len({*named.values()}) == 1 and {*named} != {"mit"} else None


def name(licence: str) -> str:
    """A licence's name as people write it: `CC BY-NC-SA 4.0` for `CC-BY-NC-SA-4.0`; others by their identifier."""
    bare = licence.removeprefix("LicenseRef-")
    if bare.startswith("CC0-"):
        return bare.replace("-", " ")
    if match := re.fullmatch(r"CC-(BY(?:-[A-Z]{2})*)(?:-(.+))?", bare):
        return " ".join(filter(None, ("CC", match[1], (match[2] or "").replace("-", " "))))
    return bare.replace("-", " ") if bare != licence else licence


def address(licence: str) -> str | None:
    """Where a licence's text is; None for a reference of our own and for an expression of several."""
    if licence.startswith("LicenseRef-") or " " in licence:
        return None
    if licence == "CC0-1.0":
        return "https://creativecommons.org/publicdomain/zero/1.0/"
    if licence == "CC-PDM-1.0":
        return "https://creativecommons.org/publicdomain/mark/1.0/"
    if match := re.fullmatch(r"CC-(BY(?:-[A-Z]{2})*)-([0-9.]+)(?:-([A-Z]+))?", licence):
        port = f"{match[3].lower()}/" if match[3] else ""
        return f"https://creativecommons.org/licenses/{match[1].lower()}/{match[2]}/{port}"
    return f"https://spdx.org/licenses/{licence}.html"


def of_decks(cards: pd.DataFrame, statements: pd.DataFrame) -> pd.DataFrame:
    """One row per deck of the cards, with what is known of its licence.

    `cards`: DECK, set_title, licence_note, fetched_at; `statements`: rows of the table `licences`. The latest of each
    counts.
    Columns: DECK, title, credit, link, licence (as stated, by the lead rather than the source; null: neither says
    anything), licence_id (SPDX; null: not a well-known one), licence_note (the source's own words).
    """
    order = ["fetched_at", "licence_note", "set_title"]
    decks = cards[[*DECK, *order]].sort_values(order, na_position="first").drop_duplicates(DECK, keep="last")
    latest = statements.sort_values("at").drop_duplicates(DECK, keep="last")
    known = decks.merge(latest[[*DECK, "licence", "title", "credit", "link"]], on=DECK, how="left")
    stated = known["licence"].astype(object)
    licence = stated.where(stated.notna(), known["licence_note"].astype(object))
    by_lead = stated.map(recognise, na_action="ignore")
    by_source = licence.where(stated.isna()).map(find, na_action="ignore")
    title = known["title"].astype(object)
    known = known.assign(
        title=title.where(title.notna(), known["set_title"].astype(object)),
        licence=licence,
        licence_id=by_lead.where(stated.notna(), by_source),
    )
    columns = [*DECK, "title", "credit", "link", "licence", "licence_id", "licence_note"]
    return known[columns].astype("string[pyarrow]").sort_values(DECK, ignore_index=True)


def _as_expression(text: str) -> str | None:
    try:
        found = str(canonicalize_license_expression(text))
    except InvalidLicenseExpression:
        return None
    gnu = _GNU.fullmatch(found)
    return f"{gnu[1]}-{'or-later' if gnu[2] else 'only'}" if gnu else found


def _read_words(text: str) -> list[str]:
    """The words that tell licences apart, in lower case; versions without `v`."""
    text = text.casefold().translate(_DASHES)
    for pattern, word in _LONG_FORMS:
        text = re.sub(pattern, word, text)
    words = [word for word in _WORDS.findall(text) if word not in _EMPTY]
    return [match[1] if (match := _VERSION.fullmatch(word)) else word for word in words]


_DASHES = str.maketrans("‐‑‒–—_", "------")


def _as_creative_commons(words: list[str]) -> str | None:
    """The licence that consists of `cc`, the parts in any order, perhaps a version and a port, and nothing else."""
    parts = [word for word in words if word in _CC]
    rest = [word for word in words if word not in (*_CC, "cc")]
    version = rest.pop(0) if rest and _VERSION.fullmatch(rest[0]) else ""
    port = rest.pop(0) if rest and rest[0] in _PORTS else ""
    if "by" not in parts or "cc" not in words or rest or len(set(words)) != len(words):
        return None
    name = "-".join(["CC", *(part.upper() for part in ("by", "nc", "nd", "sa") if part in parts)])
    if not version:
        return f"LicenseRef-{name}"
    whole = version if "." in version else f"{version}.0"
    return _as_expression("-".join(filter(None, (name, whole, port))))


def _as_other(words: list[str]) -> str | None:
    joined = "-".join(words)
    whole = re.sub(r"(?<=-)(\d)(?=-|$)", r"\1.0", joined)
    return _as_expression(joined) or _as_expression(whole) or _VERSIONLESS.get(joined.removesuffix("-1.0"))
