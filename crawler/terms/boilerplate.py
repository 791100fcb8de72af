"""Abstracts without what databases and publishers add: notices and headings.

`trial registration`, `main outcome measures` and `psycinfo database record` were terms otherwise.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
_LONG_HEADINGS = (
    "Data Extraction|Data Sources?|Data Synthesis|Key Words|Main Outcome Measures?|Main Results?|Materials? and "
    "Methods|Methods and Results|Primary Funding Source|Study Design|Study Selection|Supplementary Information"
)
_REST = r"(?:[^.]|\.\w){0,100}(?:\.|$)"
"""What is left of a sentence; a dot before a letter or digit does not end it."""
LISTED = (
    r"(?i)\(?psycinfo database record[^.]{0,80}(?:\.|$)",
    rf"(?i)(?:\(?\bcopyright\b\)?|©)\s*(?:©|\(c\))?\s*(?:19|20)\d\d\b{_REST}",
    rf"(?:^|[.;?!)]\s+)\([cC]\) (?:19|20)\d\d [A-Z]{_REST}",
    r"(?i)\ball rights reserved\b",
    r"(?i)\b(?:clinical )?(?:trials?|prospero|systematic review) regist(?:ration|ry|er)\b"
    r"(?: (?:information|url|identifier))?"
    rf"(?::|\s+(?:number|no|nr)\b\.?|(?:[^.]|\.\w){{0,80}}(?:\b[a-z]{{3,12}}\d{{2}}|\d{{5}})){_REST}",
    rf"(?:^|[.;?!)]\s+|\s\s)(?:(?:{_HEADINGS}|{_HEADINGS.upper()}|[A-Z]{{2,40}}(?:[ /&,]{{1,3}}[A-Z]{{2,40}}){{1,6}}):"
    rf"|(?:{_LONG_HEADINGS}|{_LONG_HEADINGS.upper()})\b)",
)
"""Notices up to the end of their sentence (of a registration, where a colon or a number follows), and headings of
structured abstracts: those named and any of several words in capitals before a colon, and some with a capital on each
word without one; RE2 patterns, so linear."""
_ANY = "|".join(f"(?:{pattern})" if pattern[:4] != "(?i)" else f"(?i:{pattern[4:]})" for pattern in LISTED)


@dataclass(kw_only=True)
class Boilerplate:
    """Takes boilerplate out of abstracts, and counts them."""

    n_abstracts: int = 0
    """Abstracts that were shortened."""

    def strip(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The papers with what is left of their abstracts."""
        for batch in batches:
            texts = pc.fill_null(batch["abstract"], "")
            rows = pc.match_substring_regex(texts, _ANY)
            some = texts.filter(rows)
            for pattern in LISTED:
                some = pc.replace_substring_regex(some, pattern, " . ")
            self.n_abstracts += len(some)
            left = pc.replace_with_mask(texts, rows, some)
            yield batch.set_column(batch.schema.get_field_index("abstract"), "abstract", left)
