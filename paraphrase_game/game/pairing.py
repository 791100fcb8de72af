"""Attempts become pairs: the sentence and what a player wrote for it, with what the judges said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from data.contract.rows import label_rows, measure_rows, pair_rows, text_rows
from data.contract.vocabulary import ATTEMPT, ENTAILED, PLAYED
from data.texts.identity import pair_id, text_id
from data.texts.languages.base import Language
from data.texts.languages.en import ENGLISH
from data.texts.similarity import jaccard
from paraphrase_game.config import RewardRule
from paraphrase_game.game.schedule import MachineAttempt
from paraphrase_game.judges.reward import passed

GENERATOR = PLAYED
MEASURES = {
    "mi": "implied", "nli_forward": "forward_entailment", "nli_backward": "backward_entailment", "bleurt": "bleurt",
    "apt_reward": "reward",
}  # fmt: skip
"""Measure of a pair -> column of `attempts`."""

Which = Literal["passed", "submitted", "judged"]


@dataclass(frozen=True, kw_only=True)
class PairRows:
    """Rows of the tables that hold a game's pairs, without scope columns."""

    texts: pd.DataFrame
    pairs: pd.DataFrame
    measures: pd.DataFrame
    """pair_id, measure, value, model_sha256."""
    labels: pd.DataFrame


def choose(attempts: pd.DataFrame, which: Which, rule: RewardRule) -> pd.DataFrame:
    """The judged attempts that become pairs: all, those that passed, or those that were submitted."""
    rows = attempts[attempts["implied"].notna().astype(bool)]
    if which == "submitted":
        return rows[rows["submitted_at"].notna().astype(bool)]
    if which == "passed":
        return rows[passed(rows["implied"].astype(bool), rows["bleurt"].astype(float), rule)]
    return rows


def make_pairs(attempts: pd.DataFrame, prompts: pd.DataFrame, which: Which, language: Language = ENGLISH) -> PairRows:
    """The pairs of these attempts (rows of `choose`) and their prompts; an equal text of a sentence is one pair.

    The first text of a pair is the sentence, the second the attempt: of equal ones, the first that was made.
    """
    sentences = prompts.drop_duplicates("prompt_id").set_index("prompt_id")
    rows = attempts[attempts["prompt_id"].isin(sentences.index)].astype("object")
    rows["first"] = rows["prompt_id"].map(sentences["text"])
    entities = {prompt: name if isinstance(name, str) else None for prompt, name in sentences["entity"].items()}
    rows["entity"] = pd.Series([entities[prompt] for prompt in rows["prompt_id"]], rows.index, dtype="object")
    rows["text_id"] = [text_id(*row) for row in zip(rows["text"], rows["entity"], strict=True)]
    rows = rows[rows["text_id"] != rows["prompt_id"]]
    rows["pair_id"] = [pair_id(*row) for row in zip(rows["prompt_id"], rows["text_id"], strict=True)]
    rows = rows.drop_duplicates("pair_id", ignore_index=True)
    texts = text_rows(rows[["text_id", "text", "entity"]], source_id=rows["prompt_id"], method=ATTEMPT)
    pairs = pair_rows(
        rows[["pair_id", "entity", "first"]], first_id=rows["prompt_id"], second_id=rows["text_id"],
        second=rows["text"], selection=ATTEMPT, detail=which,
        overlap=jaccard(rows["first"].tolist(), rows["text"].tolist(), language).to_numpy(),
    )  # fmt: skip
    parts = [
        measure_rows(rows[["pair_id"]], measure=measure, value=rows[column].astype(float), model_sha256=rows["judges"])
        for measure, column in MEASURES.items()
    ]
    labels = label_rows(rows[["pair_id"]], binary=rows["implied"].astype(bool).astype(int), decided_by=ENTAILED)
    return PairRows(
        texts=texts.drop_duplicates("text_id"), pairs=pairs, measures=pd.concat(parts, ignore_index=True), labels=labels
    )


def pairs_of_machine(
    played: Mapping[str, Sequence[MachineAttempt]], prompts: pd.DataFrame, model: str, language: Language = ENGLISH
) -> PairRows:
    """The pairs of all judged attempts of a machine, by prompt; `steps` of a text say how it was sampled."""
    rows = pd.DataFrame(
        [
            {"prompt_id": prompt, "text": one.text, "step": f"round {one.sampling.number} k {one.sampling.top_k} p "
             f"{one.sampling.top_p} sample {one.sample}"} | _flat(one.judgement)
            for prompt, attempts in played.items() for one in attempts if one.judgement is not None
        ],
        columns=["prompt_id", "text", "step", *MEASURES.values(), "judges"],
    )  # fmt: skip
    made = make_pairs(rows, prompts, "judged", language)
    steps = dict(zip(made.pairs["second_id"], _steps(rows, made.pairs), strict=True))
    texts = made.texts.assign(model=model, method="sampled", steps=made.texts["text_id"].map(steps).astype("object"))
    return replace(made, texts=texts)


def _steps(rows: pd.DataFrame, pairs: pd.DataFrame) -> list[list[str]]:
    known = rows.drop_duplicates(["prompt_id", "text"]).set_index(["prompt_id", "text"])["step"]
    return [[known[key]] for key in zip(pairs["first_id"], pairs["second"], strict=True)]


def _flat(judgement: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "implied": judgement["implied"], "forward_entailment": judgement["forward"][0],
        "backward_entailment": judgement["backward"][0], "bleurt": judgement["bleurt"],
        "reward": judgement["reward"], "judges": judgement["judges"],
    }  # fmt: skip
