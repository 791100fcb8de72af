"""The command `mlm`: texts -> a masked language model, which proposes the words of an attack."""

import json
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path

from data.console.errors import InputError
from data.console.messages import say, say_next
from data.console.optional_packages import require_models
from data.files.sheets import read_lines
from data.files.whole import write_whole
from data.labelled.sources import OfDataset
from data.texts.identity import digest
from identification.config import Machine, MaskedTraining

FACTS = "mlm.json"


@dataclass(frozen=True, kw_only=True)
class Arguments(OfDataset):
    """Train a masked language model: MiniLM brings none, and an attack's words come from one."""

    encoder: str = "minilm"
    """The folder or name of the encoder that it starts from."""
    texts: tuple[Path, ...] = ()
    """Files with texts of the speciality, one per line, plain or .gz; a --dataset is read beside them, and without
    files the store. Where these have splits, only their training texts are learned from."""
    out: Path = Path("models/mlm")
    """The model's folder."""
    config: MaskedTraining = field(default_factory=MaskedTraining)
    machine: Machine = field(default_factory=Machine)


def main(arguments: Arguments) -> None:
    """Write the model's folder: weights as safetensors, tokenizer, and `mlm.json` with what it reached."""
    require_models("mlm")
    if (arguments.out / FACTS).is_file():
        remedy = "name another folder, or remove this one"
        raise InputError(f"--out {arguments.out}", expected="a new folder", found="a trained model", remedy=remedy)
    from data.models.pretrained import quiet
    from identification.training import masked

    texts = _read(arguments)
    model, tokenizer, measured = masked.train(arguments.encoder, texts, arguments.config, arguments.machine)
    with quiet():
        model.save_pretrained(arguments.out)
        tokenizer.save_pretrained(arguments.out)
    facts = {"encoder": arguments.encoder, **asdict(arguments.config), **measured, "texts": digest(*texts)}
    write_whole(arguments.out / FACTS, json.dumps(facts, indent=1) + "\n")
    say(
        f"{len(texts):,} texts; {measured['pieces']:,} held-out pieces, perplexity {measured['perplexity']:.0f}, "
        f"found first {measured['top_1']:.1%}, among 5 {measured['top_5']:.1%}, among 25 {measured['top_25']:.1%}; "
        f"{measured['seconds']:.0f} s of the processor"
    )
    say(f"model written to {arguments.out}")
    say_next("python -m identification attack RUN --mlm", arguments.out)


def _read(arguments: Arguments) -> list[str]:
    lines = chain.from_iterable(read_lines(path, "a file of texts") for path in arguments.texts)
    texts = [text for line in lines if (text := line.strip())]
    if arguments.dataset is not None or not arguments.texts:
        frame = arguments.open().frame
        if frame["split"].notna().any():
            frame = frame[frame["split"] == "train"]
        texts += sorted({str(text) for side in ("first", "second") for text in frame[side]})
    if not texts:
        raise InputError(
            "mlm", expected="--texts, or a store or --dataset with pairs", found="no text", remedy="give one"
        )
    return texts
