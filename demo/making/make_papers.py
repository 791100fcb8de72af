"""Write `demo/papers.jsonl`: invented abstracts in which each term occurs in exactly the stated number of papers.

python -m demo.making.make_papers
"""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from demo.making.paper_fragments import AREAS, BROKEN, TERMS, phrases

PAPERS = Path(__file__).parents[1] / "papers.jsonl"
N_PAPERS = 700
N_EMPTY = 24
"""Papers without an abstract, which mention their only term in the title."""
SEED = 20


@dataclass
class Supply:
    """Phrases drawn in random order, all equally often, so that no sentence becomes a frequent phrase."""

    phrases: Sequence[str]
    random: random.Random

    def __post_init__(self) -> None:
        self._left: list[str] = []

    def take(self) -> str:
        """The next phrase."""
        if not self._left:
            self._left = self.random.sample(self.phrases, len(self.phrases))
        return self._left.pop()

    def take_with(self, slots: int) -> str:
        """The next phrase that mentions at most this many terms."""
        aside: list[str] = []
        while n_slots(phrase := self.take()) > slots:
            aside.append(phrase)
            if len(aside) > 2 * len(self.phrases):
                raise ValueError(f"no phrase has at most {slots} slots")
        self._left.extend(aside)
        return phrase


def n_slots(phrase: str) -> int:
    return ("{a}" in phrase or "{A}" in phrase) + ("{b}" in phrase)


def mentions(chance: random.Random) -> list[list[str]]:
    """The surface forms that each paper mentions: each form in as many papers as TERMS states.

    Papers have an area in turn; four of five mentions of a term fall on papers of its area.
    """
    papers: list[list[str]] = [[] for _ in range(N_PAPERS)]
    for place, terms in enumerate(AREAS.values()):
        own = range(place, N_PAPERS, len(AREAS))
        for term, (plural, n_singular, n_plural) in terms.items():
            for surface, n in ((term, n_singular), (plural or "", n_plural)):
                at_home = chance.sample(own, n * 4 // 5)
                elsewhere = chance.sample(sorted(set(range(N_PAPERS)) - set(own)), n - len(at_home))
                for at in at_home + elsewhere:
                    papers[at].append(surface)
    return papers


PLURALS = {plural for plural, *_ in TERMS.values() if plural}
MASS = {term for term, (plural, *_) in TERMS.items() if plural is None}


def with_article(surface: str) -> str:
    """The term as it appears in a sentence: "a hash table", "an IP address", "hash tables", "data mining"."""
    written = surface.replace("ip ", "IP ")
    if surface in PLURALS or surface in MASS:
        return written
    return f"{'an' if surface[0] in 'aeio' else 'a'} {written}"


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass
class Writer:
    """A writer of titles and abstracts from the fragments."""

    random: random.Random

    def __post_init__(self) -> None:
        self._titles = Supply(phrases("titles"), self.random)
        self._sentences = Supply(phrases("sentences"), self.random)
        self._closings = Supply(phrases("closings"), self.random)
        self._places = Supply(phrases("places"), self.random)

    def fill(self, phrase: str, surfaces: Sequence[str]) -> str:
        """The phrase with its slots filled: terms in order, a place, a number."""
        names = [with_article(surface) for surface in surfaces] + ["", ""]
        return phrase.format(
            a=names[0],
            A=capitalised(names[0]),
            b=names[1],
            x=self._places.take() if "{x}" in phrase else "",
            n=self.random.randint(2, 90),
        )

    def sentences(self, surfaces: Sequence[str]) -> Iterator[str]:
        """Sentences that mention each of the surface forms once."""
        left = list(surfaces)
        while left:
            phrase = self._sentences.take_with(len(left))
            used, left = left[: n_slots(phrase)], left[n_slots(phrase) :]
            yield self.fill(phrase, used)

    def title(self, surfaces: Sequence[str]) -> tuple[str, int]:
        """A title, and the number of surface forms that it mentions."""
        if not surfaces:
            return capitalised(self._places.take()) + " and what they taught us", 0
        phrase = self._titles.take_with(len(surfaces))
        return capitalised(self.fill(phrase, surfaces)), n_slots(phrase)

    def broken(self, term: str) -> str:
        """Two sentences between which the words of the term meet."""
        first, second = term.split()
        return self.random.choice(phrases("broken_sentences")).format(first=first, Second=second.capitalize())

    def paper(self, surfaces: Sequence[str], broken: Sequence[str], *, empty: bool) -> tuple[str, str]:
        """Title and abstract."""
        title, named = self.title(surfaces)
        if empty:
            return title, ""
        text = [*self.sentences(surfaces[named:]), *(self.broken(term) for term in broken)]
        text += [self.fill(self._closings.take(), []) for _ in range(1 + (len(text) < 2))]
        if named and self.random.random() < 0.3:
            text.insert(0, self.fill("Why write about {a}?", surfaces))
        return title, " ".join(text)


def broken_by_paper(chance: random.Random, papers: Sequence[Sequence[str]]) -> list[list[str]]:
    """The terms whose words meet in each paper only across the end of a sentence."""
    broken: list[list[str]] = [[] for _ in papers]
    for term, n in BROKEN.items():
        free = [at for at, surfaces in enumerate(papers) if surfaces and term not in surfaces]
        for at in chance.sample(free, n):
            broken[at].append(term)
    return broken


def make_papers(seed: int = SEED) -> list[dict[str, str | int]]:
    """The papers; the same for the same seed."""
    chance = random.Random(seed)
    named = mentions(chance)
    broken = broken_by_paper(chance, named)
    writer = Writer(chance)
    candidates = [at for at, surfaces in enumerate(named) if len(surfaces) == 1 and not broken[at]]
    empty = set(candidates[:N_EMPTY])
    papers: list[dict[str, str | int]] = []
    for at, surfaces in enumerate(named):
        title, abstract = writer.paper(chance.sample(surfaces, len(surfaces)), broken[at], empty=at in empty)
        papers.append(
            {
                "id": f"demo-{at:04d}",
                "title": title,
                "abstract": abstract,
                "year": chance.randint(1998, 2014),
                "venue": chance.choice(phrases("venues")),
            }
        )
    return papers


def as_lines(papers: Iterable[dict[str, str | int]]) -> str:
    return "".join(json.dumps(paper, ensure_ascii=False) + "\n" for paper in papers)


if __name__ == "__main__":
    PAPERS.write_text(as_lines(make_papers()), encoding="utf-8")
    print(f"{N_PAPERS} papers written to {PAPERS}")
