"""How many papers hold names with marks that separate words elsewhere: `c++`, `tcp/ip`, `p < 0.05`.

Such a name is no run of words, so it is searched for in the texts while they are read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from crawler.terms.tokens import are_countable

PATTERN_NAMES = 100
"""Names per pattern."""


class MarkedNames:
    """Counts the papers that hold each of some names, as written, whatever the case."""

    def __init__(self, names: Sequence[str]) -> None:
        """`names`: normalised; those that consist of words only are left to the count of phrases."""
        countable = are_countable(names)
        self.papers = Counter({name: 0 for name, plain in zip(names, countable, strict=True) if not plain})
        self._alone = {name: _alone(name) for name in self.papers}

    def watch(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The papers (text columns title and abstract, either may be null), as they are."""
        for batch in batches:
            if self.papers:
                self._count(batch)
            yield batch

    def _count(self, batch: pa.RecordBatch) -> None:
        title, abstract = (pc.fill_null(batch[column], "") for column in ("title", "abstract"))
        texts = pc.utf8_lower(pc.utf8_normalize(pc.binary_join_element_wise(title, abstract, "\n"), form="NFKC"))
        names = list(self.papers)
        for start in range(0, len(names), PATTERN_NAMES):
            some = names[start : start + PATTERN_NAMES]
            rows = texts.filter(pc.match_substring_regex(texts, "|".join(map(_spaced, some))))
            for text in rows.to_pylist():
                self.papers.update(name for name in some if self._alone[name].search(text))


def _spaced(name: str) -> str:
    """A pattern of the name with any white space between its words."""
    return r"[ \t]+".join(map(re.escape, name.split(" ")))


def _alone(name: str) -> re.Pattern[str]:
    """The name where neither a letter or digit, nor the same mark as at its edge, is beside it."""
    first, last = re.escape(name[0]), re.escape(name[-1])
    return re.compile(rf"(?<![^\W_])(?<!{first}){_spaced(name)}(?!{last})(?![^\W_])")
