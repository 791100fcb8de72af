"""Labels that rest on the ratings of other campaigns: recounted from these, audited and counted step by step; pure.

The tables are a release's (`data.labelled.release_tables`): `campaigns`, `judgements`, `campaign_ratings`,
`corrections` and `pairs`. Source of the rules: Zhang et al. 2019 (PAWS), section 3.2.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from data.contract.questions import from_content
from data.contract.vocabulary import (
    AT_LEAST,
    AUDIT,
    BASE_ROLES,
    BELOW_RULE,
    CORRECTING,
    JUDGED,
    JUDGEMENT,
    MAJORITY,
    RESTORED,
    RULE,
    SENIOR,
)
from data.measures import ballots, intervals
from data.measures.rules import VoteRule
from data.texts import words
from data.texts.identity import pair_id

Tables = Mapping[str, pd.DataFrame]
Bases = dict[str, dict[str, Any]]
"""By pair_id, its row of `judgements`, with the counts of its ratings."""


def list_mismatches(tables: Tables) -> Iterator[str]:
    """One line per label that does not follow from the ratings of the campaigns; nothing where it rests on none."""
    if "campaigns" not in tables:
        return
    judged = {name: _recount(tables, name) for name in _names(tables, JUDGEMENT)}
    for bases in [*judged.values(), *(_recount(tables, name) for name in _names(tables, AUDIT))]:
        yield from (line for base in bases.values() if (line := _differing_judgement(base)))
    first = {pair: base for bases in reversed(judged.values()) for pair, base in bases.items()}
    restored = _corrected_texts(tables)
    columns = ["pair_id", "first_id", "second_id", "votes", "n_votes", "binary", "decided_by", "parents"]
    texts = tables["pairs"]["first"] if "first" in tables["pairs"] else [None] * len(tables["pairs"])
    for pair, text in zip(_rows(tables["pairs"][columns]), texts, strict=True):
        fault = _differing_label(pair, first) if pair["decided_by"] != RESTORED else _not_restored(pair, text, restored)
        if fault:
            yield f"pair {pair['pair_id']}: label {pair['binary']} by {pair['decided_by']}, but {fault}"


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return table.to_dict("records")  # type: ignore[return-value]


def _names(tables: Tables, role: str) -> list[str]:
    rows = tables["campaigns"]
    return [str(name) for name in rows.loc[rows["role"] == role, "campaign"]]


def _recount(tables: Tables, campaign: str) -> Bases:
    """The judgements of a campaign beside what its ratings give: counted (votes, n_votes) and `label`."""
    plan = _rows(tables["campaigns"].query("campaign == @campaign"))[0]
    every, rule = _read_ballots(tables, campaign), VoteRule(paraphrase_from=int(plan["paraphrase_from"]))
    couples = list(zip(plan["one_vote"][::2], plan["one_vote"][1::2], strict=True))
    votes = ballots.votes_of(ballots.with_one_vote(ballots.counting(ballots.voting(every)), couples), rule)
    positive = votes.groupby("pair_id")["vote"].agg(["sum", "size"])
    counted = {str(pair): (int(yes), int(n)) for pair, yes, n in positive.itertuples()}
    seniors = ballots.senior_votes(every, rule)
    bases = {}
    for row in _rows(tables["judgements"].query("campaign == @campaign")):
        pair = str(row["pair_id"])
        label = _label(row, counted.get(pair, (0, 0)), seniors.get(pair, set()), str(plan["rule"]))
        bases[pair] = row | {"counted": counted.get(pair, (0, 0)), "label": label}
    return bases


def _label(row: Mapping[str, Any], counted: tuple[int, int], seniors: set[int], rule: str) -> int | None:
    """The label that the ratings give by the rule; the stated one where no count of votes made it."""
    yes, n = counted
    stated = None if pd.isna(row["binary"]) else int(row["binary"])
    if row["decided_by"] == SENIOR:
        return stated if stated in seniors else None
    if row["decided_by"] not in (MAJORITY, BELOW_RULE):
        return stated
    at_least = int(rule.split()[1]) if rule.startswith(AT_LEAST) else 1
    return int(2 * yes > n) if max(yes, n - yes) >= at_least and 2 * yes != n else None


def _differing_judgement(base: Mapping[str, Any]) -> str:
    stated = (int(base["votes"]), int(base["n_votes"]), None if pd.isna(base["binary"]) else int(base["binary"]))
    counted = (*base["counted"], base["label"])
    where = f"judgements, {base['campaign']}, pair {base['pair_id']}"
    if stated != counted:
        return f"{where}: votes, n_votes and label {stated}, but the ratings give {counted}"
    if pair_id(base["first_id"], base["second_id"]) != base["pair_id"]:
        return f"{where}: other texts"
    return ""


def _differing_label(pair: Mapping[str, Any], bases: Bases) -> str:
    """Why the label of a pair is not what people's judgements give; empty where it is."""
    parents = [pair["pair_id"]] if pair["decided_by"] == JUDGED else list(pair["parents"])
    missing = [parent for parent in parents if parent not in bases or bases[parent]["label"] is None]
    if missing or not parents:
        return f"no one judged {missing[0] if missing else 'what it was made from'}"
    steps = [bases[parent] for parent in parents]
    if pair["decided_by"] == JUDGED:
        stated, counted = (int(pair["votes"]), int(pair["n_votes"])), steps[0]["counted"]
        if stated != counted:
            return f"with {stated[0]} of {stated[1]} votes, where the ratings of {steps[0]['campaign']} give {counted}"
    elif _ends(steps) != {pair["first_id"], pair["second_id"]}:
        return f"{', '.join(parents)} lead to other texts"
    zeros = sum(step["label"] == 0 for step in steps)
    expected = None if zeros > 1 else 1 - zeros
    if pd.isna(pair["binary"]) or int(pair["binary"]) != expected:
        given = ", ".join(f"{step['label']} of {parent}" for parent, step in zip(parents, steps, strict=True))
        return f"the judgements ({given}) give {'none' if expected is None else expected}"
    return ""


def _ends(steps: list[dict[str, Any]]) -> set[str]:
    """The two ends of a path of pairs: the texts that an odd number of them has."""
    ends = set[str]()
    for step in steps:
        ends ^= {str(step["first_id"])} ^ {str(step["second_id"])}
    return ends


def _corrected_texts(tables: Tables) -> dict[str, set[str] | None]:
    """Pair -> the texts that its correctors wrote, in the form in which they are compared; None: left out."""
    rows = tables["corrections"]
    if "text" not in rows or rows["text"].isna().all():
        return dict.fromkeys(rows["pair_id"].astype(str))
    return {
        str(pair): {words.merge_key(text) for text in some.dropna()} for pair, some in rows.groupby("pair_id")["text"]
    }


def _not_restored(pair: Mapping[str, Any], text: str | None, corrected: Mapping[str, set[str] | None]) -> str:
    known = [parent for parent in pair["parents"] if parent in corrected]
    if not known or pair["first_id"] != pair["second_id"] or pair["binary"] != 1:
        return "no text was corrected back to its source"
    wrote = corrected[known[0]]
    is_other = text is not None and wrote is not None and words.merge_key(text) not in wrote
    return "its corrector wrote another text" if is_other else ""


def describe(tables: Tables) -> dict[str, Any] | None:
    """What a data card says of the labels: the campaigns step by step, the labels by what decided them, the audit.

    None where they rest on no other campaign.
    """
    if "campaigns" not in tables:
        return None
    pairs = tables["pairs"]
    ruled = pairs["decided_by"] == RULE
    rows = tables["campaigns"].sort_values("role", key=lambda roles: roles.map([*BASE_ROLES].index), kind="stable")
    return {
        "campaigns": [_count_campaign(tables, row) for row in _rows(rows)],
        "labels": {
            str(decided_by): {"pairs": len(some), "paraphrase": int((some["binary"] == 1).sum())}
            for decided_by, some in pairs.groupby("decided_by")
        },
        "ruled": int(ruled.sum()),
        "audit": audit(tables),
    }


def audit(tables: Tables) -> list[dict[str, Any]]:
    """How often raters contradict the labels by rule: one row per label and for both; empty where none was rated.

    label (null: both), n (rated), undecided (too few raters agree), decided, wrong, share, low, high (95 % Wilson).
    """
    audited = [base for name in _names(tables, AUDIT) for base in _recount(tables, name).values()]
    by_raters = {base["pair_id"]: base["label"] for base in audited}
    pairs = tables["pairs"]
    ruled = pairs[(pairs["decided_by"] == RULE) & pairs["pair_id"].isin(by_raters)]
    rows = []
    for label in (None, 1, 0) if len(ruled) else ():
        some = ruled if label is None else ruled[ruled["binary"] == label]
        given = some["pair_id"].map(by_raters).astype("Int64")
        decided, wrong = int(given.notna().sum()), int((given != some["binary"].astype("Int64")).sum())
        low, high = intervals.share(wrong, decided) if decided else (None, None)
        rows.append({
            "label": label, "n": len(some), "undecided": len(some) - decided, "decided": decided, "wrong": wrong,
            "share": wrong / decided if decided else None, "low": low, "high": high,
        })  # fmt: skip
    return rows


def _count_campaign(tables: Tables, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Pairs, ratings and what came of them; of a correction, how many sentences got each answer."""
    name, role = str(plan["campaign"]), str(plan["role"])
    counted = ballots.counting(ballots.voting(_read_ballots(tables, name)))
    ratings = counted[counted["state"] == "scored"]
    nothing = dict.fromkeys(("answers", "kept", "paraphrase", "per_kept", "agreement"))
    n_pairs = int(ratings["pair_id"].nunique())
    row: dict[str, Any] = {"campaign": name, "role": role, "pairs": n_pairs, "ratings": len(ratings)} | nothing
    if role == CORRECTING:
        counts = ratings["score"].map(_answers(plan)).value_counts()
        return row | {"answers": {str(answer): int(n) for answer, n in sorted(counts.items())}}
    labels = tables["judgements"].query("campaign == @name")
    kept = labels.dropna(subset="binary")
    equal = kept["votes"].where(kept["binary"] == 1, kept["n_votes"] - kept["votes"]).sum()
    return row | {
        "kept": len(kept),
        "paraphrase": int((kept["binary"] == 1).sum()),
        "per_kept": len(ratings) / len(kept) if len(kept) else None,
        "agreement": float(equal / kept["n_votes"].sum()) if len(kept) else None,
    }


def _read_ballots(tables: Tables, campaign: str) -> pd.DataFrame:
    rows = tables["campaign_ratings"]
    return ballots.of_release(rows[rows["campaign"] == campaign])


def _answers(plan: Mapping[str, Any]) -> dict[int, str]:
    """Number -> answer of the question's vote."""
    vote = from_content(str(plan["question"])).vote
    return {} if vote is None else {number: value for value, number in vote.codes.items()}
