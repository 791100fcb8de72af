"""Abstracts without what databases and publishers add: notices, headings, and sentences that many papers share.

`trial registration`, `main outcome measures` and `psycinfo database record` were terms otherwise.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_HEADINGS = (
    "Aims?|Approach|Availability(?: and [Ii]mplementation)?|Background|Conclusions?|Contact|Context|Data [Ee]xtraction|"
    "Data [Ss]ources?|Data [Ss]ynthesis|Design|Design/methodology/approach|Discussion|Findings|Index [Tt]erms|"
    "Interpretation|Interventions?|Introduction|Key ?[Ww]ords|Limitations?|Main [Oo]utcome [Mm]easures?|"
    "Main [Rr]esults?|Materials? and [Mm]ethods|Measurements|Methodology(?:/Principal Findings)?|Methods?|"
    "Methods and [Rr]esults|Motivation|Objectives?|Originality/value|Participants|Patients|Practical implications|"
    "Primary [Ff]unding [Ss]ource|Purpose|Results?|Setting|Significance|Study [Dd]esign|Study [Ss]election|Summary|"
    "Supplementary [Ii]nformation|Trial [Rr]egistration"
)
LISTED = (
    rf"(?:^|[.;?!)]\s+)(?:{_HEADINGS}|{_HEADINGS.upper()}|[A-Z]{{2,40}}(?:[ /&,]{{1,3}}[A-Z]{{2,40}}){{1,6}}):",
    r"(?i)\(?psycinfo database record[^.]{0,80}(?:\.|$)",
    r"(?i)(?:\bcopyright|©|\(c\))\s*(?:©|\(c\))?\s*(?:19|20)\d\d\b[^.]{0,120}(?:\.|$)",
    r"(?i)\ball rights reserved\b",
    r"(?i)\b(?:trial|prospero|systematic review|clinical trials?) regist(?:ration|ry|er)\b[^.]{0,100}(?:\.|$)",
)
"""Headings of structured abstracts (those named, and any of several words in capitals), and notices up to the end of
their sentence; RE2 patterns, so linear."""
_ANY = "|".join(f"(?:{pattern})" if pattern[:4] != "(?i)" else f"(?i:{pattern[4:]})" for pattern in LISTED)
REPEATED = 21
"""A first or last sentence is no author's own if this many papers have it, numbers aside: enough to make its phrases
terms (crawler/terms/limits.py)."""
SHORTEST = 4
"""Words of such a sentence: shorter ones are headings or crumbs."""


@dataclass(kw_only=True)
class Boilerplate:
    """Takes boilerplate out of abstracts, and counts them."""

    n_abstracts: int = 0
    """Abstracts that were shortened."""
    _seen: Counter[str] = field(default_factory=Counter)

    def strip(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The papers with what is left of their abstracts.

        A repeated sentence leaves the batch in which it is found often enough, and later ones.
        """
        for batch in batches:
            texts = pc.fill_null(batch["abstract"], "")
            left = self._without_repeated(_without_listed(texts))
            self.n_abstracts += pc.sum(pc.not_equal(texts, left)).as_py() or 0
            yield batch.set_column(batch.schema.get_field_index("abstract"), "abstract", left)

    def _without_repeated(self, texts: pa.Array) -> pa.Array:
        for at_end in (False, True):
            sentences = _sentences(texts, at_end=at_end)
            keys = pc.replace_substring_regex(sentences, r"\d+", "#")
            found = pc.value_counts(keys)
            several = found.filter(pc.greater(found.field("counts"), 1))
            self._seen.update(dict(zip(*(column.to_pylist() for column in several.flatten()), strict=True)))
            often = pa.array([key for key, n in self._seen.items() if n >= REPEATED], pa.string())
            shared = pc.and_(pc.is_in(keys, often), _is_long(sentences))
            shared = pc.and_(shared, pc.not_equal(sentences, texts)).to_numpy(zero_copy_only=False)
            texts = _cut(texts, sentences, shared, at_end=at_end)
        return texts


def _without_listed(texts: pa.Array) -> pa.Array:
    rows = pc.match_substring_regex(texts, _ANY)
    some = texts.filter(rows)
    for pattern in LISTED:
        some = pc.replace_substring_regex(some, pattern, " . ")
    return pc.replace_with_mask(texts, rows, some)


def _sentences(texts: pa.Array, *, at_end: bool) -> pa.Array:
    """The first or the last sentence of each text."""
    parts = pc.split_pattern(texts, ". ", max_splits=1, reverse=at_end)
    ends = np.cumsum(pc.list_value_length(parts).to_numpy(zero_copy_only=False))
    return pc.list_flatten(parts).take(pa.array(ends - 1)) if at_end else pc.list_element(parts, 0)


def _is_long(sentences: pa.Array) -> pa.Array:
    return pc.greater_equal(pc.count_substring(sentences, " "), SHORTEST - 1)


def _cut(texts: pa.Array, sentences: pa.Array, rows: npt.NDArray[np.bool_], *, at_end: bool) -> pa.Array:
    """The texts, in these rows without their sentence."""
    mask = pa.array(rows)
    pairs = zip(texts.filter(mask).to_pylist(), sentences.filter(mask).to_pylist(), strict=True)
    left = [text.removesuffix(sentence) if at_end else text.removeprefix(sentence) for text, sentence in pairs]
    return pc.replace_with_mask(texts, mask, pa.array(left, pa.string()))
