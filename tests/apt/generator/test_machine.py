"""The machine plays: a tiny model, trained and resumed, writes attempts that become pairs."""

import json

import pandas as pd
import pytest

from apt.__main__ import main
from data.console import run
from data.identity import text_id
from data.manifest import Manifest
from data.tables.game import Prompts
from data.tables.generated import GeneratedTexts, PairMeasures
from data.tables.pairs import Pairs

WORDS = "a cache is small fast memory near the processor quick tiny store holds copies of data paraphrase :"
SENTENCES = ["a cache is a small fast memory near the processor", "the processor holds copies of data near a store"]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The folder of a sequence-to-sequence model with seventeen words and no sense."""
    torch = pytest.importorskip("torch", reason="the extra `models` is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    folder = tmp_path_factory.mktemp("tiny")
    vocabulary = {word: n for n, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS.split()])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = T5Config(
        vocab_size=len(vocabulary), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    model = T5ForConditionalGeneration(config)
    model.generation_config.max_length = 20
    model.save_pretrained(folder)
    return folder


def call(*args):
    return run(main, prog="python -m apt", args=[*map(str, args)])


@pytest.fixture
def pairs(tmp_path):
    rows = pd.DataFrame(
        {"text_a": SENTENCES * 3, "text_b": [" ".join(reversed(text.split())) for text in SENTENCES * 3]}
    )
    rows.assign(labels=1).to_csv(tmp_path / "ap_h_train.tsv", sep="\t", index=False)
    return tmp_path / "ap_h_train.tsv"


@pytest.mark.parametrize("flags", [("--loss", "paper", "--reward-on", "target"), ("--batch-size", "3")])
def test_training_goes_on_where_it_stopped(tiny, pairs, tmp_path, capsys, flags):
    usual = ("train", pairs, "--model", tiny, *flags, "--out")
    assert call(*usual, tmp_path / "one", "--epochs", 1) == 0
    assert call(*usual, tmp_path / "one", "--epochs", 2) == 0
    history = json.loads((tmp_path / "one" / "training.json").read_text())["history"]
    assert [epoch["epoch"] for epoch in history] == [1, 2]
    out = capsys.readouterr().out
    assert "epoch 2: loss" in out
    assert "not to pay people" in out
    assert call(*usual, tmp_path / "one", "--epochs", 3, "--seed", 7) == 2
    assert "another one" in capsys.readouterr().err
    assert call(*usual, tmp_path / "one", "--epochs", 3, "--paper-bug") == 2, "other judges"
    pairs.write_text(pairs.read_text().replace("small", "tiny"))
    assert call(*usual, tmp_path / "one", "--epochs", 3) == 2, "as many pairs, but others"


def test_the_same_seed_trains_the_same_even_after_a_kill(tiny, pairs, tmp_path):
    usual = ("train", pairs, "--model", tiny, "--epochs", 2, "--reward-on", "target", "--loss", "paper", "--out")
    assert call(*usual, tmp_path / "one") == 0
    (tmp_path / "two" / "epoch-1").mkdir(parents=True)
    (tmp_path / "two" / "epoch-1" / "config.json").write_text("left by a run that was killed before it noted the epoch")
    assert call(*usual, tmp_path / "two") == 0
    first, second = ((tmp_path / name / "training.json").read_text() for name in ("one", "two"))
    assert first == second


def test_the_machine_plays_and_its_attempts_become_pairs(tiny, store, capsys):
    rows = pd.DataFrame({"text": SENTENCES, "prompt_id": map(text_id, SENTENCES), "entity": None, "n_words": 9})
    rows = rows.assign(source="ours", source_id=["1", "2"])
    store.replace(Prompts, rows, Manifest(stage="apt.prompts.ours"), source="ours")
    flags = ("--model", tiny, "--prompts", "ours", "--store", store.root, "--n-rounds", 2)
    assert call("generate", *flags) == 0
    assert "2 sentences" in capsys.readouterr().out
    texts, pairs = store.read(GeneratedTexts), store.read(Pairs)
    assert 2 <= len(pairs) <= 40
    assert len(texts) <= len(pairs)
    assert set(pairs["generator"]) == {"apt-machine"}
    assert set(pairs["first_id"]) <= set(rows["prompt_id"])
    assert texts["steps"].map(len).eq(1).all()
    assert texts["steps"].map(lambda steps: steps[0].startswith("round ")).all()
    assert len(store.read(PairMeasures)) == 5 * len(pairs)
    before = pairs["pair_id"].tolist()
    assert call("generate", *flags) == 0
    assert store.read(Pairs)["pair_id"].tolist() == before, "the same seed writes the same"


@pytest.mark.parametrize(
    ("flags", "words"), [(["--model", "/nothing"], "sequence-to-sequence"), (["--prompts", "x"], "apt prompts")]
)
def test_bad_input_is_one_line(tiny, store, capsys, flags, words):
    rows = pd.DataFrame([{"source": "ours", "prompt_id": "p", "text": SENTENCES[0], "entity": None, "n_words": 9}])
    store.replace(Prompts, rows.assign(source_id="1"), Manifest(stage="apt.prompts.ours"), source="ours")
    usual = {"--model": str(tiny), "--prompts": "ours"} | dict(zip(flags[::2], flags[1::2], strict=True))
    assert call("generate", *[word for pair in usual.items() for word in pair], "--store", store.root) == 2
    assert words in capsys.readouterr().err
