"""The settings of two stages, papers to terms and cards to definitions, each with its source."""

from dataclasses import dataclass
from typing import Literal

from data.console.marks import Advanced, Limit, NoFlag
from data.texts.languages.base import Language, language
from data.texts.languages.en import ENGLISH


@dataclass(frozen=True, kw_only=True)
class TermConfig:
    """Which phrases of the papers are terms."""

    language: str | None = None
    """The language of the papers, `en` or `de`; later stages follow it. By default the language of the store's cards,
    if there are any, or English (as in He et al. 2020)."""
    min_words: Limit[int | None] = None
    """Fewest words in a term, 1 to 4 (all 788 released entities have two or three). By default 2, or 1 where the decks
    that were read from files have such fronts (crawler/terms/fronts.py)."""
    max_words: Limit[int | None] = None
    """Most words in a term, 1 to 4. By default 3, or 4 where the decks that were read from files have such fronts."""
    above: Limit[int | None] = None
    """A phrase is a term if it occurs in more than this many papers (He et al. 2020, section 3.1: more than 20). By
    default the same share of the papers as in the paper, at least 2 and at most 20."""
    short_words: NoFlag[bool] = True
    """Let numbers be inside a term and single letters anywhere (`type 2 diabetes`, `T cell`), and let `in vitro`
    begin one. The paper is silent; none of the released entities has a number."""
    drop_boilerplate: Advanced[bool] = True
    """Leave out of abstracts what databases and publishers add: notices and headings (crawler/terms/boilerplate.py;
    the paper is silent)."""
    merge_variants: Advanced[bool] = True
    """Count `data structure` and `data structures` as one term. The paper keeps them apart (its Table 2 has both), so
    the entities of 105 pairs in its test split also occur in training."""
    limit: Limit[int | None] = None
    """Keep only this many terms, the best by score (by document frequency with the recipe `paper`), and the terms of
    `--add`; the lengths then follow no decks. By default all (the paper is silent)."""
    rank_by: NoFlag[Literal["score", "document_frequency"]] = "score"
    """The order for `limit`: by the score (crawler/terms/termhood.py) or by document frequency."""

    @property
    def known_language(self) -> Language:
        """The language; English where none is set."""
        return language(self.language) if self.language else ENGLISH

    @classmethod
    def recommended(cls) -> "TermConfig":
        """Merge number variants, so that no entity is in the data set twice."""
        return cls()

    @classmethod
    def paper(cls) -> "TermConfig":
        """As in He et al. 2020: every surface form is a separate term."""
        return cls(
            min_words=2,
            max_words=3,
            above=20,
            short_words=False,
            drop_boilerplate=False,
            merge_variants=False,
            rank_by="document_frequency",
        )


@dataclass(frozen=True, kw_only=True)
class DefinitionConfig:
    """Which cards are definitions, and which entities have enough of them."""

    min_words: Limit[int] = 2
    """Fewest words, separated by white space (the paper is silent; no released definition has fewer than 2)."""
    max_words: Limit[int] = 30
    """Most words, separated by white space (He et al. 2020, section 4.4: at most 30; 82 released ones have 30)."""
    min_confidence: Advanced[float] = 0.1
    """Least confidence that a text is in the language of the terms, 0 to 1 (the paper: English only; this value rejects
    three of the 10,168 released definitions, the detector's first guess among all languages 54, nearly all wrongly)."""
    min_definitions: Limit[int] = 5
    """Fewest definitions per entity (He et al. 2020, section 3.1: entities with fewer than five are dropped)."""
    many_sources: Advanced[int] = 5
    """A text found in this many distinct sets or more is marked as copied (the paper is silent)."""
    merge_variants: Advanced[bool] = True
    """Treat `data structure` and `data structures` as one entity (the 788 released ones become 716)."""
    resolve_markup: NoFlag[bool] = True
    """Resolve HTML typed into a text as a browser would (51 released definitions contain `&gt;` or `&lt;`)."""
    drop_references: NoFlag[bool] = True
    """Leave out texts that only refer to other entries (`See "insulin".`), such sentences at a text's end, and
    addresses before it (a few released definitions have them)."""
    lower_case: NoFlag[bool] = False
    """Convert the texts to lower case, as in the release."""

    @classmethod
    def recommended(cls) -> "DefinitionConfig":
        """One entity for all number variants; texts as people see them: acronyms and names keep their case."""
        return cls()

    @classmethod
    def paper(cls) -> "DefinitionConfig":
        """As released: number variants apart, lower case, HTML entities and references left in the text."""
        return cls(merge_variants=False, resolve_markup=False, drop_references=False, lower_case=True)
