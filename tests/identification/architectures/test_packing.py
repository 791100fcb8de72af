"""Packed transformers score as the models that they were packed from, in both precisions."""

from pathlib import Path

import numpy as np
import pytest

from tests.identification.world import sentences, write_bert

torch = pytest.importorskip("torch", reason="torch is not installed: make models")

from identification.architectures import transformers  # noqa: E402
from identification.architectures.packing import FAMILY, pack  # noqa: E402
from identification.training.epochs.machine import has_bfloat16  # noqa: E402


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bert(tmp_path_factory.mktemp("bert"))


def logits(model, bfloat16=False):
    rows = sentences(20, 5)
    texts = [*rows["first"], *rows["second"]]
    model.prepare(training=False)
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
        return model(model.read(texts), np.arange(20), np.arange(20, 40)).float().numpy()


def check(model):
    generator = torch.Generator().manual_seed(1)
    for weight in model.parameters():  # a fresh model gives all pairs nearly the same score
        if weight.dim() == 2:
            weight.data.normal_(0, weight.shape[1] ** -0.5, generator=generator)
    plain = logits(model)
    spread = plain.std(axis=0).max()
    np.testing.assert_allclose(logits(pack(model, torch.float32)), plain, atol=1e-4 * spread)
    if has_bfloat16(torch.device("cpu")):
        rough = logits(model, bfloat16=True)
        np.testing.assert_allclose(logits(pack(model, torch.bfloat16), bfloat16=True), rough, atol=0.1 * spread)
    np.testing.assert_array_equal(logits(model), plain)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["cross-encoder", "bi-encoder"])
def test_a_packed_model_scores_as_the_model_which_stays_as_it_was(bert: Path, kind: str) -> None:
    model = transformers.load(f"{kind}:{bert}")
    check(model)
    packed = pack(model, torch.float32)
    assert not any(isinstance(module, torch.nn.Linear) for module in packed.encoder.modules())
    assert packed.encoder.get_input_embeddings().weight is model.encoder.get_input_embeddings().weight
    assert packed.tokenizer is model.tokenizer


@pytest.mark.parametrize("family", sorted({*FAMILY, "mpnet", "distilbert"}))
def test_every_encoder_may_be_packed(bert: Path, family: str) -> None:
    from transformers import AutoConfig, AutoModelForSequenceClassification

    tokenizer = transformers.load(f"cross-encoder:{bert}").tokenizer
    names = {"vocab_size": len(tokenizer), "max_position_embeddings": 70, "num_labels": 2, "pad_token_id": 0}
    if family == "distilbert":
        sizes = {"dim": 16, "n_heads": 2, "n_layers": 2, "hidden_dim": 32}
    else:
        sizes = {"hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 32}
    config = AutoConfig.for_model(family, **names, **sizes, type_vocab_size=2)
    check(transformers.CrossEncoder(AutoModelForSequenceClassification.from_config(config), tokenizer))
