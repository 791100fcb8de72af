"""A pilot, in which everybody labels the same pairs: where annotators differ, and what a discussion settles; pure."""

import numpy as np
import pandas as pd

from annotation.config import VoteRule
from data.vocabulary import SCORES, SPLIT, UNANIMOUS

METHOD = "discussion"
"""The method of labels settled by a discussion, in the pilot's own campaign."""

GOLD, EXAMPLE = "gold", "example"
"""What becomes of a settled pair (`decided_by`): mixed into the work to check it, or shown in the guide."""


def discuss(ballots: pd.DataFrame, texts: pd.DataFrame, comments: pd.DataFrame, rule: VoteRule) -> pd.DataFrame:
    """One row per pair, the most disputed first.

    `ballots`: the pilot's. `texts`: pair_id, entity, first, second. `comments`: assignment_id, comment.
    Columns: pair_id, entity, definition1, definition2, votes (for "paraphrase"), n_votes, spread (highest minus lowest
    score), scores ("a01: 3, …"), comments, and to fill in: score (where all votes agree, their median), reason.
    """
    scored = ballots[ballots["state"] == "scored"].sort_values(["pair_id", "annotator"])
    scored = scored.assign(
        score=scored["score"].astype("int64"), scores=scored["annotator"] + ": " + scored["score"].astype("str")
    )
    parts = scored.assign(yes=scored["score"] >= rule.lowest_yes).groupby("pair_id")
    rows = pd.DataFrame(
        {"votes": parts["yes"].sum(), "n_votes": parts["yes"].size(), "scores": parts["scores"].agg(", ".join)}
    )
    rows["spread"] = parts["score"].max() - parts["score"].min()
    rows["score"] = parts["score"].median().where(rows["votes"].isin([0]) | (rows["votes"] == rows["n_votes"]))
    rows["score"] = np.floor(rows["score"]).astype("Int64")
    noted = ballots.merge(comments[comments["comment"].notna()], on="assignment_id")
    rows["comments"] = noted.groupby("pair_id")["comment"].agg(" | ".join).reindex(rows.index).fillna("")
    rows = rows.reset_index().merge(texts, on="pair_id").assign(reason="")
    rows = rows.rename(columns={"first": "definition1", "second": "definition2"})
    rows["doubt"] = (rows["votes"] / rows["n_votes"] - 0.5).abs()
    rows = rows.sort_values(["doubt", "spread", "pair_id"], ascending=[True, False, True], ignore_index=True)
    shown = ["pair_id", "entity", "definition1", "definition2", "votes", "n_votes", "spread", "scores", "comments"]
    return rows[[*shown, "score", "reason"]]


def settle(sheet: pd.DataFrame, n_examples: int, rule: VoteRule) -> pd.DataFrame:
    """The labels of a filled sheet as rows of the table `labels`: `n_examples` become examples, the rest gold.

    `sheet`: pair_id, score (0-3), votes, n_votes, in the order of the sheet. Examples come from each score in turn,
    the most disputed first, so that the guide shows every score.
    """
    turn = sheet.groupby("score").cumcount()
    chosen = sheet.assign(turn=turn).sort_values(["turn", "score"]).index[:n_examples]
    one_hot = [[int(score == settled) for score in SCORES] for settled in sheet["score"]]
    binary = (sheet["score"] >= rule.lowest_yes).astype("int64")
    unanimous = sheet["votes"].isin([0]) | (sheet["votes"] == sheet["n_votes"])
    return pd.DataFrame(
        {
            "method": METHOD,
            "pair_id": sheet["pair_id"],
            "votes": binary,
            "n_votes": 1,
            "binary": binary,
            "scores": pd.Series(one_hot, index=sheet.index, dtype=object),
            "posterior": None,
            "stratum": np.where(unanimous, UNANIMOUS, SPLIT),
            "decided_by": np.where(sheet.index.isin(chosen), EXAMPLE, GOLD),
        }
    )


def settled_scores(labels: pd.DataFrame) -> dict[str, int]:
    """The score of each settled pair, by pair_id."""
    return {pair: int(np.argmax(counts)) for pair, counts in zip(labels["pair_id"], labels["scores"], strict=True)}


def with_examples(guide: str, version: str, examples: pd.DataFrame) -> str:
    """The guide, under a version of its own, with the examples at its end, by score.

    `examples`: score, entity, definition1, definition2, reason.
    """
    lines = [f"Version {version}.examples" if line == f"Version {version}" else line for line in guide.splitlines()]
    lines += ["", "## Examples", ""]
    for row in examples.sort_values("score", ascending=False).to_dict("records"):
        why = f" {row['reason'].strip()}" if str(row["reason"]).strip() else ""
        lines.append(f"- {row['score']}: {row['entity']}: “{row['definition1']}” and “{row['definition2']}”.{why}")
    return "\n".join(lines) + "\n"
