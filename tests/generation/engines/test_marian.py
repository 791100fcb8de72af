"""A tiny Marian model with random weights, converted to CTranslate2."""

import json
import shutil
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from data.console.errors import InputError
from generation.engines.marian import Marian

TEXTS = ["the process of converting plaintext into ciphertext", "  two\nlines  ", ""]
MISSING = [name for name in ("torch", "transformers", "sentencepiece") if find_spec(name) is None]
needs_models = pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} is missing: make models generation")


@pytest.fixture(scope="session")
def marian(engines: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with model.bin and both vocabularies."""
    import ctranslate2
    import sentencepiece
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("marian")
    lines = folder / "lines.txt"
    words = f"{TEXTS[0]} a network that stores data two lines".split()
    lines.write_text("\n".join(" ".join(words[at:] + words[:at]) for at in range(len(words))), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(lines), model_prefix=str(folder / "source"), vocab_size=60, hard_vocab_limit=False, minloglevel=2
    )
    source = folder / "source.model"
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(source))
    vocabulary = ["</s>", "<unk>", *(pieces.id_to_piece(n) for n in range(pieces.get_piece_size()))]
    vocabulary = [*dict.fromkeys(piece for piece in vocabulary if piece != "<s>"), "<pad>"]
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(source.read_bytes())
    (folder / "vocab.json").write_text(json.dumps({piece: n for n, piece in enumerate(vocabulary)}))
    config = MarianConfig(
        vocab_size=len(vocabulary), d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64,
        pad_token_id=len(vocabulary) - 1, eos_token_id=0, decoder_start_token_id=len(vocabulary) - 1, max_length=16,
        forced_eos_token_id=0,
    )  # fmt: skip
    model = folder / "model"
    MarianMTModel(config).save_pretrained(model)
    files = {name: str(folder / name) for name in ("source.spm", "target.spm", "vocab.json")}
    with warnings.catch_warnings(action="ignore"):  # sacremoses, which tidies punctuation, is not needed
        tokens = MarianTokenizer(
            source_spm=files["source.spm"], target_spm=files["target.spm"], vocab=files["vocab.json"]
        )
        tokens.save_pretrained(model)
        made = folder / "converted"
        converter = ctranslate2.converters.TransformersConverter(str(model), copy_files=["source.spm", "target.spm"])
        converter.convert(str(made))
    return made


@pytest.mark.sweep
@needs_models
def test_k_results_each_way_best_first_and_no_text_twice(marian: Path) -> None:
    translator = Marian(marian, marian, k=5, threads=1)
    found = translator.there_and_back(TEXTS)
    assert len(found) == len(TEXTS)
    for results in found[:2]:
        assert 5 <= len(results) <= 25
        assert len({result.text for result in results}) == len(results)
        scores = [result.score for result in results]
        assert scores == sorted(scores, reverse=True)
        assert {result.rank_there for result in results} <= set(range(5))
    assert found == Marian(marian, marian, k=5, threads=1).there_and_back(TEXTS)
    assert translator.name.split()[:3] == ["marian", "converted", "converted"]


@pytest.mark.sweep
@needs_models
@pytest.mark.parametrize("spoilt", ["model.bin", "source.spm"])
def test_files_that_hold_no_model_are_refused_in_one_line(marian: Path, tmp_path: Path, spoilt: str) -> None:
    folder = tmp_path / "spoilt"
    shutil.copytree(marian, folder)
    (folder / spoilt).write_bytes(b"no model")
    with pytest.raises(InputError, match=r"--marian .*spoilt: expected a folder of CTranslate2 with .*; convert"):
        Marian(folder, marian, threads=1)


@needs_models
def test_a_folder_that_is_not_converted_says_how(marian: Path) -> None:
    with pytest.raises(InputError, match=r"no model\.bin; convert a Marian model: ct2-transformers-converter"):
        Marian(marian.parent / "model", marian)
