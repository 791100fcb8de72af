"""A pilot, in which everybody labels the same pairs: where annotators differ, and what a discussion settles; pure."""

import numpy as np
import pandas as pd

from data.contract.vocabulary import DISCUSSION, EXAMPLE, GOLD
from data.measures.ballots import stratify
from data.measures.classes import PARADE, Classes
from data.measures.rules import VoteRule


def discuss(
    ballots: pd.DataFrame, texts: pd.DataFrame, said: pd.DataFrame, rule: VoteRule, classes: Classes = PARADE
) -> pd.DataFrame:
    """One row per pair, the most disputed first.

    `ballots`: the pilot's. `texts`: pair_id, entity, definition1, definition2. `said`: assignment_id, comment, words
    (the answer). Columns: pair_id, entity, definition1, definition2, votes (for "paraphrase"), n_votes, spread (by how
    many answers the highest and the lowest are apart), scores ("a01: 3, …"), comments, and to fill in: score (where all
    votes agree, their median, or the only answer where these have no order), reason.
    """
    scored = ballots[ballots["state"] == "scored"].sort_values(["pair_id", "annotator"])
    words = scored["assignment_id"].map(said.set_index("assignment_id")["words"])
    scored = scored.assign(
        score=scored["score"].astype("int64"), place=classes.places(scored["score"].to_numpy("int64")),
        scores=scored["annotator"] + ": " + words,
    )  # fmt: skip
    parts = scored.assign(yes=scored["score"] >= rule.lowest_yes).groupby("pair_id")
    rows = pd.DataFrame(
        {"votes": parts["yes"].sum(), "n_votes": parts["yes"].size(), "scores": parts["scores"].agg(", ".join)}
    )
    rows["spread"] = parts["place"].max() - parts["place"].min()
    agreed = rows["votes"].isin([0]) | (rows["votes"] == rows["n_votes"])
    agreed &= classes.is_ordered | (rows["spread"] == 0)
    places = np.floor(parts["place"].median()).astype("int64")
    rows["score"] = places.map(dict(enumerate(classes.values))).where(agreed, "")
    noted = ballots.merge(said[said["comment"].notna()], on="assignment_id")
    rows["comments"] = noted.groupby("pair_id")["comment"].agg(" | ".join).reindex(rows.index).fillna("")
    rows = rows.reset_index().merge(texts, on="pair_id").assign(reason="")
    rows["doubt"] = (rows["votes"] / rows["n_votes"] - 0.5).abs()
    rows = rows.sort_values(["doubt", "spread", "pair_id"], ascending=[True, False, True], ignore_index=True)
    shown = ["pair_id", "entity", "definition1", "definition2", "votes", "n_votes", "spread", "scores", "comments"]
    return rows[[*shown, "score", "reason"]]


def settle(sheet: pd.DataFrame, n_examples: int, rule: VoteRule, classes: Classes = PARADE) -> pd.DataFrame:
    """The labels of a filled sheet as rows of the table `labels`: `n_examples` become examples, the rest gold.

    `sheet`: pair_id, score (the answer's number), votes, n_votes, in the order of the sheet. Examples come from each
    answer in turn, the most disputed first, so that the guide shows every answer.
    """
    turn = sheet.groupby("score").cumcount()
    chosen = sheet.assign(turn=turn).sort_values(["turn", "score"]).index[:n_examples]
    places = classes.places(sheet["score"].to_numpy("int64"))
    one_hot = np.eye(len(classes), dtype="int64")[places].tolist()
    binary = (sheet["score"] >= rule.lowest_yes).astype("int64")
    votes, n_votes = (sheet[column].to_numpy("int64") for column in ("votes", "n_votes"))
    return pd.DataFrame(
        {
            "method": DISCUSSION,
            "pair_id": sheet["pair_id"],
            "value": np.array(classes.values, dtype=object)[places],
            "votes": binary,
            "n_votes": 1,
            "binary": binary,
            "scores": pd.Series(one_hot, index=sheet.index, dtype=object),
            "posterior": None,
            "stratum": stratify((votes == 0) | (votes == n_votes), n_votes),
            "decided_by": np.where(sheet.index.isin(chosen), EXAMPLE, GOLD),
        }
    )


def settled_scores(labels: pd.DataFrame, classes: Classes = PARADE) -> dict[str, int]:
    """The number of the answer to each settled pair, by pair_id."""
    places = [int(np.argmax(counts)) for counts in labels["scores"]]
    return {pair: classes.numbers[place] for pair, place in zip(labels["pair_id"], places, strict=True)}


def with_examples(guide: str, version: str, examples: pd.DataFrame) -> str:
    """The guide, under a version of its own, with the examples at its end, the highest answer first.

    `examples`: score (the answer's number), value, entity, definition1, definition2 (may be empty), reason.
    """
    lines = [f"Version {version}.examples" if line == f"Version {version}" else line for line in guide.splitlines()]
    lines += ["", "## Examples", ""]
    for row in examples.sort_values("score", ascending=False).to_dict("records"):
        why = f" {row['reason'].strip()}" if str(row["reason"]).strip() else ""
        texts = " and ".join(f"“{row[name]}”" for name in ("definition1", "definition2") if row[name])
        lines.append(f"- {row['value']}: {row['entity']}: {texts}.{why}")
    return "\n".join(lines) + "\n"
