"""Models of strangers: nothing in their folders is run, asked for or believed; what is wrong is one line."""

import ast
import importlib
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from data.console.errors import InputError

ROOT = Path(__file__).parents[3]
ROOMS = (
    "analysis",
    "annotation",
    "paraphrase_game",
    "clustering",
    "crawler",
    "data",
    "demo",
    "generation",
    "identification",
)
OPENERS = {"from_pretrained", "from_config", "SentenceTransformer", "CrossEncoder", "pipeline"}
"""What runs the code of a folder where it is trusted."""
EVIL = "from pathlib import Path\nPath({mark!r}).touch()\nclass Evil:\n    pass\n"


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in OPENERS:
                yield node


def test_no_call_trusts_the_code_of_a_folder() -> None:
    found = []
    for room in (*ROOMS, "benchmarks", "studies"):
        for path in (ROOT / room).rglob("*.py"):
            text = path.read_text("utf-8")
            for call in calls(ast.parse(text)) if any(name in text for name in OPENERS) else ():
                said = [word.value for word in call.keywords if word.arg == "trust_remote_code"]
                found.append((path.relative_to(ROOT), [getattr(value, "value", None) for value in said]))
    assert found
    assert [str(path) for path, said in found if said != [False]] == []


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="torch is not installed: make models")
    from tests.identification.world import write_bert

    return write_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def copy(bert: Path, tmp_path: Path) -> Path:
    return shutil.copytree(bert, tmp_path / "model")


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def open_it(folder: Path) -> Any:
    from data.models.pretrained import open_pretrained

    return open_pretrained(str(folder), "AutoModel", f"--model {folder}")


def add_code(folder: Path, *, known: bool) -> Path:
    mark = folder.parent / "ran"
    (folder / "evil.py").write_text(EVIL.format(mark=str(mark)), "utf-8")
    classes = {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"}
    edit(folder / "config.json", auto_map=classes, **({} if known else {"model_type": "evil"}))
    edit(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.Evil", "evil.Evil"]})
    if not known:
        edit(folder / "tokenizer_config.json", tokenizer_class="Evil")
    return mark


@pytest.mark.sweep
def test_code_beside_a_known_model_is_not_run(copy: Path) -> None:
    mark = add_code(copy, known=True)
    assert open_it(copy).model.config.hidden_size == 32
    assert not mark.exists()


@pytest.mark.sweep
def test_a_model_of_own_code_is_refused_and_no_one_is_asked(copy: Path) -> None:
    """At a terminal, where transformers would ask whether to run the code; every question is answered with yes."""
    mark = add_code(copy, known=False)
    own, other = pty.openpty()
    code = (
        f"from tests.data.models.test_pretrained import open_it; from pathlib import Path; open_it(Path({str(copy)!r}))"
    )
    os.write(own, b"y\n" * 20)
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=other, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True, check=False,
    )  # fmt: skip
    os.close(own)
    os.close(other)
    assert "InputError: --model" in done.stdout
    assert "[y/N]" not in done.stdout
    assert not mark.exists()


def spoil_header(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes((2**63).to_bytes(8, "little") + path.read_bytes()[8:])


def fill(value: float) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        from safetensors.torch import load_file, save_file

        tensors = load_file(folder / "model.safetensors")
        tensors["embeddings.LayerNorm.weight"][3] = value
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})

    return spoil


def name_pickle(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04pickled")
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    index = {"metadata": {"total_size": 1}, "weight_map": {"embeddings.LayerNorm.weight": "pytorch_model.bin"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")


def configure(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit(folder / "config.json", **changes)


def nest(folder: Path) -> None:
    (folder / "config.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000, "utf-8")


def drop_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


def write_pieces(folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    content["model"]["vocab"]["zebra"] = 5_000
    path.write_text(json.dumps(content), "utf-8")


SPOILED: dict[str, tuple[Callable[[Path], None], str]] = {
    "header": (spoil_header, "found SafetensorError"),
    "nan": (fill(float("nan")), "embeddings.LayerNorm.weight with values that are infinite or no numbers"),
    "infinite": (fill(float("inf")), "embeddings.LayerNorm.weight with values that are infinite or no numbers"),
    "pickle": (name_pickle, "pytorch_model.bin|Weights only|safetensors"),
    "text": (configure(hidden_size="384"), "found "),
    "nested": (nest, "as JSON, found maximum recursion depth"),
    "layers": (configure(num_hidden_layers=10**7), "num_hidden_layers 10000000 beside weights of other sizes"),
    "width": (configure(hidden_size=10**6), "hidden_size 1000000 beside weights of other sizes"),
    "many": (configure(hidden_size=2**16, intermediate_size=2**16, num_hidden_layers=200), "numbers beside weights of"),
    "positions": (configure(max_position_embeddings=10**9), "numbers beside weights of"),
    "labels": (configure(num_labels=10**8), "num_labels 100000000"),
    "pieces": (write_pieces, "a tokenizer of 5,001 pieces beside a model of"),
    "no tokenizer": (drop_tokenizer, "tokenizer"),
    "pipe": (lambda folder: os.mkfifo(folder / "extra.json"), "neither a file nor a folder"),
    "device": (lambda folder: (folder / "vocab.txt").symlink_to("/dev/zero"), "neither a file nor a folder"),
    "loop": (lambda folder: (folder / "vocab.txt").symlink_to("vocab.txt"), "found "),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", SPOILED)
def test_what_is_spoiled_is_refused_in_one_line(copy: Path, name: str) -> None:
    spoil, found = SPOILED[name]
    spoil(copy)
    with pytest.raises(InputError, match=found):
        open_it(copy)


SMALL = {"vocab_size": 320, "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 8, "intermediate_size": 16}
SMALL_SEQUENCES = {"vocab_size": 320, "d_model": 8, "d_kv": 4, "d_ff": 16, "num_layers": 1, "num_heads": 2}
WITHOUT_TOKENIZER: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("AutoModelForMaskedLM", SMALL),
    "roberta": ("AutoModelForSequenceClassification", SMALL),
    "xlm-roberta": ("AutoModel", SMALL),
    "deberta-v2": ("AutoModelForSequenceClassification", SMALL),
    "gpt2": (
        "AutoModelForCausalLM",
        {"vocab_size": 320, "n_embd": 8, "n_layer": 1, "n_head": 2, "bos_token_id": 0, "eos_token_id": 0},
    ),
    "qwen2": ("AutoModelForCausalLM", SMALL | {"num_key_value_heads": 2}),
    "t5": ("AutoModelForSeq2SeqLM", SMALL_SEQUENCES),
    "mt5": ("AutoModelForSeq2SeqLM", SMALL_SEQUENCES),
}


def write_without_tokenizer(folder: Path, kind: str) -> str:
    """A folder with a small model's configuration and weights; the class that opens it."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: make models")
    name, sizes = WITHOUT_TOKENIZER[kind]
    config = transformers.AutoConfig.for_model(kind, **sizes)
    getattr(transformers, name).from_config(config).save_pretrained(folder)
    return name


@pytest.mark.parametrize("kind", WITHOUT_TOKENIZER)
def test_a_model_of_any_kind_without_its_tokenizer_is_refused(tmp_path: Path, kind: str) -> None:
    name = write_without_tokenizer(tmp_path, kind)
    from data.models.pretrained import open_pretrained

    with pytest.raises(InputError, match="found no files of a tokenizer; fetch the whole model"):
        open_pretrained(str(tmp_path), name, f"--model {tmp_path}")


ROOM_OPENERS: dict[str, tuple[str, str, Callable[[Any, Path], object]]] = {
    "cross-encoder": (
        "identification.architectures.transformers",
        "bert",
        lambda at, place: at.load(f"cross-encoder:{place}"),
    ),
    "bi-encoder": (
        "identification.architectures.transformers",
        "roberta",
        lambda at, place: at.load(f"bi-encoder:{place}"),
    ),
    "masked": ("identification.architectures.masked", "bert", lambda at, place: at.load(str(place), ["fox"])),
    "causal": ("data.models.causal_models", "gpt2", lambda at, place: at.CausalModel(place, "--causal")),
    "judge": (
        "paraphrase_game.judges.models",
        "roberta",
        lambda at, place: at.Classifier(str(place), "entailment", symmetric=True),
    ),
    "alignment": (
        "paraphrase_game.judges.alignment",
        "xlm-roberta",
        lambda at, place: at.AlignmentScorer(str(place), {}),
    ),
    "generator": ("paraphrase_game.generator.model", "t5", lambda at, place: at.open_generator(str(place))),
}


@pytest.mark.parametrize("opener", ROOM_OPENERS)
def test_every_room_refuses_a_model_without_its_tokenizer(tmp_path: Path, opener: str) -> None:
    module, kind, open_model = ROOM_OPENERS[opener]
    write_without_tokenizer(tmp_path, kind)
    with pytest.raises(InputError, match="found no files of a tokenizer"):
        open_model(importlib.import_module(module), tmp_path)


@pytest.mark.sweep
@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="make models")
@pytest.mark.parametrize("name", [name for name in SPOILED if name != "pieces"])
def test_a_sentence_model_is_looked_at_likewise(copy: Path, name: str) -> None:
    from data.models import sentence_models

    SPOILED[name][0](copy)
    with pytest.raises(InputError, match=r"^(--model |/)"):
        sentence_models.encoder(str(copy), "--model", lambda items, **_: iter(items))(["a text"])


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="make models")
@pytest.mark.parametrize("kind", ["evil.Evil", "os.system", "builtins.eval", 3, "sentence_transformers.util.http_get"])
def test_the_modules_of_a_sentence_model_are_no_code_of_others(copy: Path, kind: object) -> None:
    from data.models import sentence_models

    mark = add_code(copy, known=True)
    (copy / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": kind}]), "utf-8")
    with pytest.raises(InputError, match=r"^--model "):
        sentence_models.encoder(str(copy), "--model", lambda items, **_: iter(items))
    assert not mark.exists()


def test_a_whole_model_opens_and_a_link_to_its_weights_is_no_harm(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy.parent / "weights")
    (copy / "model.safetensors").symlink_to(copy.parent / "weights")
    assert open_it(copy).missing == ()


def test_weights_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    pytest.importorskip("safetensors", reason="safetensors is not installed: make models")
    import numpy as np
    from safetensors.numpy import save_file

    from data.models.model_folders import saving

    with pytest.raises(InputError, match="expected to write weights there, found SafetensorError"), saving(tmp_path):
        save_file({"weights": np.zeros(4)}, tmp_path / "no such folder" / "model.safetensors")
