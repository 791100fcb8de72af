"""`judge`: from released files to two folders that `serve` opens as stand-ins; what they learn is measured unseen."""

import gzip
import json

import pytest

from data.console.errors import InputError
from paraphrase_game.__main__ import main
from paraphrase_game.config import RewardRule
from paraphrase_game.judges.judging import JudgeChoice, open_judges

HEADER = "token\ttime\tduration\tdataset\tindex\tsentence\tcandidate\tBLEURT\tMI\tdollar"
WORDS = "a b c d e f g h"


def line(number, mi, sentence):
    candidate = f"{'a a' if mi else 'b b'} {number % 5}"
    return f"t\t{number}\t1\tours\t{number}\t{sentence}\t{candidate}\t{0.2 if mi else -0.4}\t{mi}\t0"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder in the form of the released files, and one of the machine's attempts."""
    folder = tmp_path_factory.mktemp("released")
    rows = [(number % 2, f"c d {number // 8}") for number in range(80)]
    log = "\n".join([HEADER, *(line(number, mi, text) for number, (mi, text) in enumerate(rows))])
    (folder / "ap_h_final_checks.tsv.gz").write_bytes(gzip.compress(log.encode()))
    test = "\n".join(["text_a\ttext_b\tlabels", *(f"{text}\tx\t{mi}" for mi, text in rows if text[-1] in "012")])
    (folder / "ap_h_test.tsv.gz").write_bytes(gzip.compress(test.encode()))
    for name, mi in (("ours-mi0", 1), ("ours-nmi0", 0)):
        lines = [f"e f {number}\t{'a a' if mi else 'b b'} {number}\t{0.3 * mi}\t{mi}" for number in range(20)]
        (folder / name).write_text("\n".join([*lines, "broken line"]))
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """The folder of a tiny encoder."""
    torch = pytest.importorskip("torch", reason="the extra `models` is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    from data.models.pretrained import quiet

    folder = tmp_path_factory.mktemp("encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS.split()]
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    with quiet():
        BertModel(config).save_pretrained(folder)
        PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
        ).save_pretrained(folder)
    return folder


def call(*args):
    return main(["judge", "--dataset", *map(str, args)])


@pytest.mark.sweep
def test_judges_are_trained_measured_and_opened(released, encoder, tmp_path, capsys):
    flags = ("--machine", released, "--encoder", encoder, "--epochs", 20, "--learning-rate", 0.02)
    assert call(released, *flags, "--out", tmp_path / "judges") == 0
    out = capsys.readouterr().out
    assert "40 machine attempts" in out
    assert "at 3 sentences that they have not learned from" in out
    run_file = json.loads((tmp_path / "judges" / "entailment" / "run.json").read_text())
    assert run_file["agreement"]["MCC of MI"][0] > 0.9, "a marker that two words give away is learned"
    assert run_file["agreement"]["Spearman of BLEURT"][0] > 0.8
    choice = JudgeChoice(entailment=str(tmp_path / "judges/entailment"), similarity=str(tmp_path / "judges/similarity"))
    judges = open_judges(choice)
    assert "not to pay people" in judges.stand_ins
    same, other = judges.judge(["c d 1", "c d 1"], ["a a 1", "b b 1"], RewardRule())
    assert (same["implied"], other["implied"]) == (True, False)
    assert same["forward"] == pytest.approx(same["backward"]) if same["forward"][2] else True
    assert same["bleurt"] > other["bleurt"]
    assert judges.similarities(["a b c"], ["d e"]) == pytest.approx(judges.similarities(["d e"], ["a b c"]))
    form = tmp_path / "judges/similarity/alignment.json"
    form.write_text(form.read_text().replace('digest": "', 'digest": "0'))
    from paraphrase_game.judges.models import folder_digest

    run_file = json.loads((form.parent / "run.json").read_text())
    (form.parent / "run.json").write_text(json.dumps(run_file | {"digest": folder_digest(form.parent)}))
    with pytest.raises(InputError, match="that the judge was trained with, found another one"):
        open_judges(choice)
    assert call(released, "--encoder", encoder, "--out", tmp_path / "judges") == 2
    assert "a new folder" in capsys.readouterr().err


@pytest.mark.sweep
def test_without_the_machine_only_people_are_learned_from(released, encoder, tmp_path, capsys):
    assert call(released, "--encoder", encoder, "--epochs", 1, "--out", tmp_path / "judges") == 0
    assert " 0 machine attempts" in capsys.readouterr().out


@pytest.mark.parametrize(("folder", "flags"), [("nothing", ()), ("{released}", ("--machine", "{empty}"))])
def test_missing_files_are_one_line(released, tmp_path, capsys, folder, flags):
    pytest.importorskip("torch", reason="the extra `models` is not installed")
    words = [word.format(released=released, empty=tmp_path) for word in (folder, *flags)]
    assert call(*words, "--out", tmp_path / "judges") == 2
    assert "name the " in capsys.readouterr().err
