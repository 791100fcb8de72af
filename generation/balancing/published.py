"""A set in the files of PAWS: raw pairs with ids, what each text was made from, places in Quora's questions; pure.

Source: the README files of the repository google-research-datasets/paws.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from data.contract.vocabulary import BACK_TRANSLATION, CORRECTION, WORD_SWAP
from data.labelled.forms import paws

RAW_IDS = {WORD_SWAP: "swap", BACK_TRANSLATION: "backtransl"}
"""How the ids of raw pairs begin, by method."""


@dataclass(frozen=True, kw_only=True)
class TextDescent:
    """What every text was made from; texts are named by their ids."""

    made: dict[str, tuple[str, str, str]]
    """Of each swap and back translation its method, the id of its raw pair, and its source."""
    corrected: dict[str, str]
    """Of each corrected text what it was before."""
    swapped: dict[str, str]
    """Of each source of swaps the first of them."""

    def origin(self, text: str) -> str:
        """The text before any correction."""
        seen = set[str]()
        while text in self.corrected and text not in seen and text not in self.swapped:
            seen.add(text)
            text = self.corrected[text]
        return text

    def chain(self, text: str) -> Iterator[str]:
        """The text before any correction, what that was made from, and so on to the sentence."""
        text = self.origin(text)
        yield text
        while text in self.made and text not in self.swapped:
            text = self.origin(self.made[text][2])
            yield text

    def map_sides(self, *pair: str) -> list[str]:
        """For each text of a pair the id of its raw pair with `_1` or `_2`; empty where it is from none.

        A sentence is named by the swap that the other text is from, if that is one of it, else by its first swap.
        """
        chains = [[*self.chain(text)] for text in pair]
        swaps = [text for chain in chains for text in chain if self.made.get(text, ("",))[0] == WORD_SWAP]
        return [self._name(chain[0], swaps) for chain in chains]

    def _name(self, text: str, swaps: list[str]) -> str:
        if text in self.made and text not in self.swapped:
            return f"{self.made[text][1]}_2"
        own = [swap for swap in [*swaps, self.swapped.get(text)] if swap and self.made[swap][2] == text]
        return f"{self.made[own[0]][1]}_1" if own else ""


def descent(generated: pd.DataFrame) -> TextDescent:
    """The descent in rows of the table `generated_texts`; raw pairs are numbered in its order."""
    rows = generated.sort_values(["generator", "text_id"])[["method", "text_id", "source_id"]]
    once = rows.drop_duplicates(["method", "text_id"])
    numbers = once.groupby("method").cumcount() + 1
    made = {
        text: (method, f"{RAW_IDS[method]}_{number:05d}", source)
        for method, text, source, number in once.assign(number=numbers).itertuples(index=False)
        if method in RAW_IDS
    }
    corrected = once[once["method"] == CORRECTION]
    return TextDescent(
        made=made,
        corrected=dict(zip(corrected["text_id"], corrected["source_id"], strict=True)),
        swapped={source: text for text, (method, _, source) in reversed(made.items()) if method == WORD_SWAP},
    )


def list_raw(ways: TextDescent, texts: dict[str, str]) -> dict[str, pd.DataFrame]:
    """The rows of each raw file, by its name; `texts`: text_id -> text. A raw pair without its source is left out."""
    rows = [
        (method, raw, texts[source], texts[text], ways.map_sides(source)[0])
        for text, (method, raw, source) in ways.made.items()
        if source in texts and text in texts
    ]
    frame = pd.DataFrame(rows, columns=["method", *paws.RAW, paws.SWAP_ID]).sort_values("id")
    swaps, backs = (frame[frame["method"] == method] for method in RAW_IDS)
    return {paws.SWAPS: swaps[paws.RAW], paws.BACKS: backs[[*paws.RAW, paws.SWAP_ID]]}


def index_pairs(pairs: pd.DataFrame, sentences: list[tuple[str, str]], questions: paws.Questions) -> pd.DataFrame:
    """The pairs in the columns of PAWS' index; null where Quora's questions cannot spell a text.

    `pairs`: PAIRED of `forms.paws`; `sentences`: of each pair the two sentences that its texts go back to.
    """
    ids = {" ".join(text.split()): question for question, text in reversed(questions.texts.items())}
    known = pd.DataFrame([[ids.get(" ".join(text.split())) for text in both] for both in sentences], pairs.index)
    known = known.set_axis(["qid1", "qid2"], axis="columns")
    used = sorted({*known["qid1"].dropna(), *known["qid2"].dropna()})
    places = {token: (question, at) for question in reversed(used)
              for at, token in enumerate(questions.tokens(question))}  # fmt: skip
    for side in (1, 2):
        sides = zip(pairs[f"sentence{side}"], known[f"qid{side}"], strict=True)
        known[f"sentence{side}"] = [
            paws.index(paws.tokenize(text), question, places, questions) if isinstance(question, str) else None
            for text, question in sides
        ]
    rows: pd.DataFrame = pairs.assign(**known)
    return rows[paws.INDEXED]
