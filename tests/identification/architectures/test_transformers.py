"""Cross-encoders and bi-encoders from any folder: laws, counts and refusals."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from data.console.errors import InputError
from tests.identification.world import sentences, write_bert

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures import transformers  # noqa: E402
from identification.config import Machine  # noqa: E402
from identification.training.epochs.inference import score  # noqa: E402
from identification.training.epochs.machine import has_bfloat16, place_model  # noqa: E402


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


def watch(items, **_):
    return iter(items)


def logits(model, texts, pairs, precision="float32"):
    place = place_model(Machine(threads=1, precision=precision), model)
    first, second = np.array(pairs, dtype=np.int64).T
    return score(model, model.read(texts), (first, second), place, watch)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["cross-encoder", "bi-encoder"])
def test_a_pair_alone_scores_as_in_any_padded_batch(bert: Path, kind: str) -> None:
    model = transformers.load(f"{kind}:{bert}")
    rows = sentences(20, 5)
    texts = [*rows["first"], *rows["second"], "oak", "elm is fir , " * 10]
    pairs = [(n, 20 + n) for n in range(20)] + [(40, 41), (41, 40)]
    together, _ = logits(model, texts, pairs)
    alone = [logits(model, texts, [pair])[0][0] for pair in pairs]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    if has_bfloat16(torch.device("cpu")):
        np.testing.assert_allclose(logits(model, texts, pairs, "bfloat16")[0], together, atol=0.1)


def test_a_bi_encoder_reads_each_distinct_text_once_and_knows_no_order(bert: Path) -> None:
    model = transformers.load(f"bi-encoder:{bert}")
    texts = [*sentences(10, 6)["first"], "not in any pair"]
    pairs = [(a, b) for a in range(10) for b in range(10) if a != b]
    there, back = logits(model, texts, pairs)
    assert model.n_encoded == 10
    np.testing.assert_array_equal(there, back)
    by_pair = dict(zip(pairs, there, strict=True))
    assert all(by_pair[a, b] == pytest.approx(by_pair[b, a], abs=1e-5) for a, b in pairs)
    assert by_pair == pytest.approx(dict(zip(pairs, _by_forward(model, texts, pairs), strict=True)), abs=1e-4)


def _by_forward(model, texts, pairs):
    first, second = np.array(pairs).T
    with torch.inference_mode():
        found = model(model.read(texts), first, second)
    return (found[:, 1] - found[:, 0]).numpy()


def test_the_seed_makes_the_fresh_head_and_the_folder_the_rest(bert: Path) -> None:
    one, same, other = (transformers.load(f"cross-encoder:{bert}", seed=seed) for seed in (1, 1, 2))
    assert torch.equal(one.encoder.classifier.weight, same.encoder.classifier.weight)
    assert not torch.equal(one.encoder.classifier.weight, other.encoder.classifier.weight)
    assert torch.equal(one.encoder.get_input_embeddings().weight, other.encoder.get_input_embeddings().weight)


def test_frozen_words_do_not_learn(bert: Path) -> None:
    model = transformers.load(f"cross-encoder:{bert}")
    model.freeze_words()
    words = model.encoder.get_input_embeddings().weight
    model.prepare(training=True)
    model(model.read(["oak", "elm"]), np.array([0]), np.array([1])).sum().backward()
    assert words.grad is None
    assert model.encoder.classifier.weight.grad is not None


def test_long_pairs_are_counted_and_cut_to_what_the_encoder_has_places_for(bert: Path) -> None:
    texts = ["oak", "elm " * 30, "fir " * 10_000]
    pairs = np.array([0, 0, 1, 1, 2]), np.array([1, 2, 1, 2, 2])
    for kind, n in (("cross-encoder", 3), ("bi-encoder", 3)):
        model = transformers.load(f"{kind}:{bert}", longest=5_000)
        assert model.longest == 64
        reading = model.read(texts)
        assert model.count_shortened(reading, *pairs) == n
        assert np.isfinite(logits(model, texts, list(zip(*pairs, strict=True)))[0]).all()
    assert transformers.load(f"cross-encoder:{bert}", longest=20).longest == 20


def test_nothing_of_the_librarys_reports_reaches_the_screen(bert: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = transformers.load(f"cross-encoder:{bert}")
    logits(model, ["oak " * 1_000, "elm"], [(0, 1)])
    assert capfd.readouterr() == ("", "")


def test_folders_without_weights_and_unknown_names_are_refused_in_one_line(bert: Path, tmp_path: Path) -> None:
    bare, pickled, headless = tmp_path / "bare", tmp_path / "pickled", tmp_path / "headless"
    for folder in (bare, pickled, headless):
        shutil.copytree(bert, folder)
    for folder in (bare, pickled):
        (folder / "model.safetensors").unlink()
    (pickled / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    (headless / "config.json").unlink()
    for name, found in (
        (str(bare), "found a folder without weights; fetch the model as safetensors"),
        (str(pickled), "found pickled weights only, which could run any code"),
        (str(headless), "expected a folder of a model with its tokenizer"),
        ("nobody/no-such-model", "expected a folder of a model with its tokenizer, or the name of one"),
        ("/nowhere/at/all", "expected a folder of a model with its tokenizer"),
    ):
        with pytest.raises(InputError, match=found) as caught:
            transformers.load(f"cross-encoder:{name}")
        assert "\n" not in str(caught.value)


@pytest.mark.sweep
def test_the_real_minilm_prefers_a_paraphrase_before_any_training() -> None:
    """Its bi-encoder begins as a scaled cosine, so it knows a paraphrase at once."""
    texts = ["a program that translates source code", "software turning source text into machine code", "a large tree"]
    same, other = logits(transformers.load("bi-encoder:minilm"), texts, [(0, 1), (0, 2)], "auto")[0]
    assert same > other + 2
    with torch.inference_mode():
        cross = transformers.load("cross-encoder:minilm")
        assert sum(weight.numel() for weight in cross.parameters()) == 22_713_986
        assert np.isfinite(logits(cross, texts, [(0, 1)], "auto")).all()
