"""Judges: which output is entailment is read, never assumed; both directions count; stand-ins say that they are."""

import json

import numpy as np
import pytest

from data.console.errors import InputError
from data.models.scorers import open_scorer
from paraphrase_game.config import RewardRule
from paraphrase_game.judges.judging import JudgeChoice, Judges, open_judges

RULE = RewardRule()


def judges(odds, scores, **more):
    """Judges that answer with these probabilities per ordered pair, and these scores."""
    return Judges(
        probabilities=lambda first, second: np.array([odds[pair] for pair in zip(first, second, strict=True)]),
        similarities=lambda first, second: np.array([scores[pair] for pair in zip(first, second, strict=True)]),
        sha256="x",
        stand_ins="",
        **more,
    )


YES, MAYBE, NO, TIE = [0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]


@pytest.mark.parametrize("forward", [YES, MAYBE, NO])
@pytest.mark.parametrize("backward", [YES, MAYBE, NO])
def test_both_directions_must_entail(forward, backward):
    both = judges({("a", "b"): forward, ("b", "a"): backward}, {("a", "b"): -0.5, ("b", "a"): -0.1})
    there, back = both.judge(["a", "b"], ["b", "a"], RULE)
    assert there["implied"] == back["implied"] == (forward is backward is YES)
    assert there["bleurt"] == back["bleurt"] == pytest.approx(-0.3)
    assert there["forward"] == back["backward"] == forward
    assert there["reward"] == (67 if there["implied"] else 0)


def test_equal_odds_entail_and_the_papers_fault_scores_one_direction():
    both = judges({("a", "b"): TIE, ("b", "a"): TIE}, {("a", "b"): -0.5, ("b", "a"): -0.1}, paper_bug=True)
    (judgement,) = both.judge(["a"], ["b"], RULE)
    assert judgement["implied"]
    assert judgement["bleurt"] == -0.5
    assert both.judge([], [], RULE) == []


def test_two_labels_leave_the_third_open():
    odds = {("a", "b"): [0.6, 0.4, np.nan], ("b", "a"): [0.7, 0.3, np.nan]}
    (judgement,) = judges(odds, dict.fromkeys(odds, 0.0)).judge(["a"], ["b"], RULE)
    assert judgement["implied"]
    assert judgement["forward"] == [0.6, 0.4, None]


def test_the_rule_judges_are_stand_ins():
    overlap = open_judges(JudgeChoice())
    assert "nothing is paid" in overlap.stand_ins
    same, negated = overlap.judge(
        ["a list holds its items in order"] * 2, ["items in a list are in order", "a dog does not bark"], RULE
    )
    assert same["implied"]
    assert not negated["implied"]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """Makes a tiny classifier with these labels in a folder, and returns the folder."""
    torch = pytest.importorskip("torch", reason="the extra `models` is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    def make(labels):
        folder = tmp_path_factory.mktemp("classifier")
        words = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c"])}
        tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        fast = PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
        )
        torch.manual_seed(1)
        config = BertConfig(
            vocab_size=7, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
            id2label=dict(enumerate(labels)), label2id={name: n for n, name in enumerate(labels)},
        )  # fmt: skip
        model = BertForSequenceClassification(config)
        with torch.no_grad():
            model.classifier.bias.copy_(torch.arange(len(labels)).float())
        model.save_pretrained(folder)
        fast.save_pretrained(folder)
        return folder

    return make


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("labels", "order"),
    [(["entailment", "neutral", "contradiction"], [0, 1, 2]), (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], [2, 1, 0]),
     (["not_entailment", "entailment"], [1, 0])],
)  # fmt: skip
def test_the_order_of_labels_is_read_from_the_configuration(classifier, labels, order):
    folder, bleurt = classifier(labels), classifier(["LABEL_0"])
    opened = open_judges(JudgeChoice(entailment=str(folder), similarity=str(bleurt)))
    assert opened.stand_ins == ""
    (judgement,) = opened.judge(["a b"], ["c"], RULE)
    odds = [value for value in judgement["forward"] if value is not None]
    assert sum(odds) == pytest.approx(1, abs=1e-4)
    assert (odds[0] == max(odds)) == (order[0] == len(labels) - 1)  # the last output has the highest bias
    again = open_judges(JudgeChoice(entailment=str(folder), similarity=str(bleurt)))
    assert again.sha256 == opened.sha256
    other = open_judges(JudgeChoice(entailment=str(folder), similarity=str(bleurt), paper_bug=True))
    assert other.sha256 != opened.sha256


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1", "LABEL_2"], ["entailment", "x", "y"], ["entailment"]])
def test_labels_without_names_are_refused(classifier, labels):
    with pytest.raises(InputError, match="entailment"):
        open_judges(JudgeChoice(entailment=str(classifier(labels))))


def test_a_similarity_model_has_one_output(classifier):
    with pytest.raises(InputError, match="2 outputs"):
        open_judges(JudgeChoice(similarity=str(classifier(["entailment", "not_entailment"]))))


def test_a_folder_without_a_model_is_one_line(tmp_path):
    pytest.importorskip("torch", reason="the extra `models` is not installed")
    with pytest.raises(InputError, match="found a folder without weights"):
        open_judges(JudgeChoice(entailment=str(tmp_path)))


def test_a_judge_is_a_scorer(classifier):
    folder = classifier(["not_entailment", "entailment"])
    from paraphrase_game.judges.models import folder_digest

    run = {"format": "parade-judge/1", "kind": "entailment", "note": "a stand-in", "digest": folder_digest(folder)}
    (folder / "run.json").write_text(json.dumps(run))
    assert open_judges(JudgeChoice(entailment=str(folder))).stand_ins.startswith("a stand-in")
    scores = open_scorer(folder)(["a", "b a"], ["b", "c"])
    assert scores.shape == (2,)
    with pytest.raises(InputError, match="similarity"):
        open_judges(JudgeChoice(similarity=str(folder)))
    (folder / "run.json").write_text(json.dumps(run | {"kind": "os:system"}))
    with pytest.raises(InputError, match="expected kind entailment or similarity, found os:system"):
        open_scorer(folder)


def test_a_judge_that_was_changed_is_refused_before_it_is_opened(classifier):
    folder = classifier(["not_entailment", "entailment"])
    from paraphrase_game.judges.models import folder_digest

    run = {"format": "parade-judge/1", "kind": "entailment", "note": "a stand-in", "digest": folder_digest(folder)}
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "vocab.txt").write_text("[UNK]\nb\na\n")
    with pytest.raises(InputError, match="found files that were changed since"):
        open_scorer(folder)
