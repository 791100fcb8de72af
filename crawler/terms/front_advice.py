"""Cards whose front is no term: of which kind they are, and what flags would bring, counted on the cards; pure."""

from collections.abc import Iterator, Sequence

import pandas as pd

from crawler.cards import fronts
from crawler.cards.acceptance import judge_language
from crawler.cards.limit_advice import prospect
from crawler.cards.selection import definitions_per_entity, read_cards
from crawler.config import DefinitionConfig
from crawler.terms import extraction
from crawler.terms.limits import MAX_TERM_WORDS, MIN_TERM_WORDS, TermLimits
from crawler.terms.word_store import PaperWords
from data.texts.languages.base import Language

FEW_CARDS = 50
"""Fewer cards can be read one by one in the table of rejects."""
MAX_SORTED_CARDS = 200_000
"""Of more cards, only the kinds are counted: their languages alone would take minutes."""


def measure_fronts(names: pd.Series, words: PaperWords | None) -> pd.Series:
    """For each name the number of papers that contain it in any variant; null where that is unknown."""
    if words is None:
        return pd.Series(pd.NA, names.index, dtype="Int64")
    wanted = names[names != ""].drop_duplicates()
    measured = words.measure(wanted[wanted.str.count(" ") < MAX_TERM_WORDS].tolist())
    known = measured.explode("variants").drop_duplicates("variants").set_index("variants")["document_frequency"]
    return names.map(known).astype("Int64")


def sort_fronts(cards: pd.DataFrame, words: PaperWords | None) -> pd.Series:
    """The kind of each card (columns front, and term: the name on it), a key of `flags`."""
    names, size, used = cards["term"], cards["term"].str.count(" ") + 1, _limits(words)
    papers = measure_fronts(names, words).fillna(0)
    kinds = pd.Series("absent", cards.index, dtype=object)
    kinds[papers > 0] = "rarest and of other lengths"
    inside = size.between(used.min_words, used.max_words)
    kinds[inside & (papers > 0)] = "rarest"
    kinds[inside & (papers > used.above // 4)] = "rare"
    kinds[inside & (papers > used.above)] = "low"
    kinds[(papers > used.above) & (size < used.min_words)] = "short"
    kinds[(papers > used.above) & (size > used.max_words)] = "long"
    if words is not None:
        distinct = names.drop_duplicates()
        fit = extraction.may_be_terms(distinct.tolist(), words.config, words.language)
        kinds[(papers > 0) & names.isin(distinct[~fit])] = "unfit"
        named = pd.DataFrame({"term": distinct})
        kinds[names.isin(extraction.drop_terms(named, words.dropped, words.config, words.language)[1])] = "dropped"
    kinds[(papers == 0) & (size > MAX_TERM_WORDS)] = "longer"
    kinds[(papers == 0) & cards["front"].str.contains("?", regex=False)] = "question"
    return kinds


def _limits(words: PaperWords | None) -> TermLimits:
    """The limits of the terms that were found in papers alone."""
    return words.limits if words else TermLimits(min_words=MIN_TERM_WORDS, max_words=MAX_TERM_WORDS, above=0)


def flags(words: PaperWords | None) -> dict[str, tuple[str, str]]:
    """Kind -> what its fronts are, and the flags that keep them."""
    used = _limits(words)
    above, some = used.above, used.above // 4
    fewer = "are single words" if used.min_words == MIN_TERM_WORDS + 1 else f"have fewer than {used.min_words} words"
    more = (
        f"have {MAX_TERM_WORDS} words"
        if used.max_words == MAX_TERM_WORDS - 1
        else f"have {used.max_words + 1} to {MAX_TERM_WORDS} words"
    )
    everything = f"--min-words {MIN_TERM_WORDS} --max-words {MAX_TERM_WORDS} --above 0"
    top = words and words.config.limit
    low = (f"and not among the best {top}", NO_LIMIT) if top else ("in other forms", "--add FILE")
    return {
        "short": (f"{fewer} in more than {above} papers", f"--min-words {MIN_TERM_WORDS}"),
        "long": (
            f"{more} and are in more than {above} papers",
            f"--max-words {MAX_TERM_WORDS}",
        ),
        "low": (f"are in more than {above} papers, {low[0]}", low[1]),
        "rare": (f"are in {some + 1} to {above} papers", f"--above {some}"),
        "rarest": (f"are in 1 to {some} papers", "--above 0"),
        "rarest and of other lengths": (f"have other lengths and are in 1 to {above} papers", everything),
        "unfit": ("begin or end with a number or a word such as `the`", "--add FILE"),
        "dropped": ("are dropped by the list of --drop", "no --drop"),
        "question": ("are questions", "-a terms=FILE"),
        "longer": (f"have more than {MAX_TERM_WORDS} words", "-a terms=FILE"),
        "absent": ("are in none of the papers" if words else "are not in the list", "--add FILE"),
    }


BESIDE = {
    "short": [],
    "long": [],
    "rare": [],
    "rarest": ["rare"],
    "rarest and of other lengths": ["short", "long", "rare", "rarest"],
}
"""Kind by length and frequency -> the other kinds that the same flags keep."""
NO_LIMIT = "no --limit"


def describe_unmatched(
    kept: pd.DataFrame, others: pd.DataFrame, language: Language, words: PaperWords | None
) -> Iterator[str]:
    """Lines that say what the `others`, cards without a term, are, and what flags would bring.

    Counted as `crawler.definitions` would count, on the `kept` cards and the others. Nothing where there are few.
    """
    if len(others) < FEW_CARDS:
        return
    config = DefinitionConfig.recommended()
    others = others.assign(term=fronts.read_all(others["front"], language))
    others = others.assign(kind=sort_fronts(others, words))
    judged = kept.assign(kind="kept").iloc[:0]
    if few := len(others) <= MAX_SORTED_CARDS:
        cards = pd.concat([kept.assign(kind="kept"), others], ignore_index=True)
        judged = read_cards(cards, config, language).assign(kind=cards["kind"])
        often = definitions_per_entity(judged) >= config.min_definitions  # whatever their language
        judged = judge_language(judged[judged["entity"].isin(often.index[often])], config, language)

    def gives(flag: str, kinds: Sequence[str]) -> str:
        part = judged[judged["kind"].isin(["kept", *kinds])]
        return f"{flag} would give {prospect(part, config.min_definitions)}" if few else flag

    def gives_limits(flag: str, kinds: Sequence[str]) -> str:
        return gives(f"{NO_LIMIT}, {flag}", [*kinds, "low"]) if words and words.config.limit else gives(flag, kinds)

    yield f"{len(others):,} cards have a front that is no term; {gives('the terms as they are', [])}"
    counts, named = others["kind"].value_counts(), flags(words)
    present = [kind for kind in named if kind in counts.index]
    for kind in present:
        text, flag = named[kind]
        brings = gives_limits(flag, [kind, *BESIDE[kind]]) if kind in BESIDE else gives(flag, [kind])
        yield f"  {counts[kind]:,} {text}: {brings}"
    wider = [kind for kind in ("short", "long", "rare") if kind in present]
    if len(wider) > 1:
        yield f"  together: {gives_limits(' '.join(named[kind][1] for kind in wider), wider)}"
    yield f"  all of them: {gives('-a terms=any', present)}"
    yield "  (flags with two hyphens are for python -m crawler.terminology; then run this command again)"
