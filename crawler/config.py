"""The settings of the stages from papers to terms and from cards to definitions, each with its source."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class TermConfig:
    """Which phrases of the papers are terms."""

    min_words: int = 2
    """Fewest words of a term, 1 to 4 (all 788 released entities have two or three)."""
    max_words: int = 3
    """Most words of a term, 1 to 4 (all 788 released entities have two or three)."""
    above: int = 20
    """A phrase is a term where more papers than this hold it (He et al. 2020, section 3.1: more than 20)."""
    merge_variants: bool = True
    """Count `data structure` and `data structures` as one term. The paper keeps them apart (its Table 2 has both),
    by which its test split shares 105 pairs' entities with training."""
    top: int | None = None
    """Keep so many terms, the best by `rank_by`, and what `--add` names; all where none (the paper is silent)."""
    rank_by: Literal["score", "document_frequency"] = "score"
    """What `top` goes by: the score (crawler/terms/termhood.py) or the document frequency."""

    @classmethod
    def recommended(cls) -> "TermConfig":
        """Number variants are one term, so that no entity is in the data set twice."""
        return cls()

    @classmethod
    def paper(cls) -> "TermConfig":
        """As in He et al. 2020: every surface form is a term of its own."""
        return cls(merge_variants=False, rank_by="document_frequency")


@dataclass(frozen=True, kw_only=True)
class DefinitionConfig:
    """Which cards are definitions, and which entities have enough of them."""

    min_words: int = 2
    """Fewest words between white space (the paper is silent; no released definition has fewer than 2)."""
    max_words: int = 30
    """Most words between white space (He et al. 2020, Table 3: at most 30; 82 released definitions have 30)."""
    min_english: float = 0.1
    """Least confidence in English, 0 to 1 (the paper: English only; lower values name four of the 10,168 released
    definitions, its first guess over all languages 54, nearly all wrongly)."""
    min_definitions: int = 5
    """Fewest definitions of an entity (He et al. 2020, section 3.1: entities with fewer than five are dropped)."""
    many_sources: int = 5
    """From so many distinct sets on, a text is marked as one that people copy (the paper is silent)."""
    merge_variants: bool = True
    """Take `data structure` and `data structures` for one entity (the 788 released ones become 716)."""
    resolve_markup: bool = True
    """Read HTML that was typed into a text as a browser would (51 released definitions hold `&gt;` or `&lt;`)."""
    lower_case: bool = False
    """Lower-case the texts, as the release is."""

    @classmethod
    def recommended(cls) -> "DefinitionConfig":
        """One entity for all number variants; texts as people saw them: acronyms and names keep their case."""
        return cls()

    @classmethod
    def paper(cls) -> "DefinitionConfig":
        """As released: number variants apart, lower case, entities of HTML left in the text."""
        return cls(merge_variants=False, resolve_markup=False, lower_case=True)
