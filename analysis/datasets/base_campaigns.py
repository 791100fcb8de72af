"""What the labels of a set made from several campaigns rest on, as tables of a release."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.datasets.from_campaign import read_answers, read_ratings
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.vocabulary import AUDIT, CORRECTING, JUDGEMENT, MAJORITY
from data.labelled.label_set import LabelSet
from data.labelled.release_tables import columns
from data.measures.rules import lowest_positive
from data.recorded.plans import read_question, sequence
from data.storage.store import Store


def gather(store: Store, config: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The tables `campaigns`, `judgements`, `campaign_ratings` and `corrections`; none where a campaign has its own.

    `config` (see `base_config`) names the campaigns that judged pairs; those name the ones that corrected
    sentences before (`plan --items-from`). An audit is a campaign over the sample that was drawn for raters.
    """
    if not config.get("campaigns"):
        return {}
    roles = _list_roles(store, config)
    plans = [_describe(store, name, role, config["method"]) for name, role in roles.items()]
    judging = [name for name, role in roles.items() if role != CORRECTING]
    read = {name: read_question(store, name) for name in roles}
    ratings = [read_ratings(store, name, read[name]).assign(campaign=name) for name in roles]
    texts = [read_answers(store, name).dropna(subset="text").assign(campaign=name) for name in roles]
    return {
        "campaigns": pd.DataFrame(plans, columns=columns("campaigns")),
        "judgements": _read_judgements(store, judging, config["method"]),
        "campaign_ratings": pd.concat(ratings, ignore_index=True)[columns("campaign_ratings")],
        "corrections": pd.concat(texts, ignore_index=True)[columns("corrections")],
    }


def base_config(store: Store, label_set: LabelSet) -> dict[str, Any]:
    """What the labels of a derived set were made with; empty for a campaign whose own ratings made its labels."""
    config = store.config(Labels, campaign=label_set.campaign, method=label_set.method)
    return config if config.get("campaigns") or config.get("generators") else {}


def _list_roles(store: Store, config: Mapping[str, Any]) -> dict[str, str]:
    """Campaign -> its role: those that judged, in their order, what they took their items from, and the audits."""
    judged = [str(name) for name in config["campaigns"]]
    plans = store.read(Campaigns, ["campaign", "generator"])
    taken = sequence(store, judged)
    samples = store.read(Pairs, ["generator"], sample_of=str(config.get("name")))["generator"]
    labelled = store.read(Labels, ["campaign"])["campaign"].unique()
    audits = plans.loc[plans["generator"].isin(samples) & plans["campaign"].isin(labelled), "campaign"].unique()
    return {
        **dict.fromkeys(judged, JUDGEMENT),
        **dict.fromkeys(sorted({*taken} - {*judged}), CORRECTING),
        **dict.fromkeys(sorted(audits), AUDIT),
    }


def _describe(store: Store, campaign: str, role: str, method: str) -> dict[str, object]:
    question = read_question(store, campaign)
    config = store.config(Labels, campaign=campaign, method=method)
    return {
        "campaign": campaign,
        "role": role,
        "question": question.content,
        "method": method,
        "rule": " ".join(config.get("rule") or (MAJORITY,)),
        "one_vote": [name for couple in config.get("one_vote") or () for name in couple],
        "paraphrase_from": config.get("paraphrase_from") or lowest_positive(question),
    }


def _read_judgements(store: Store, campaigns: list[str], method: str) -> pd.DataFrame:
    rows = [store.read(Labels, campaign=name, method=method, further=False) for name in campaigns]
    texts = store.read(Pairs, ["pair_id", "first_id", "second_id"]).drop_duplicates("pair_id")
    judged = pd.concat(rows).merge(texts, on="pair_id")[columns("judgements")]
    return judged.sort_values(["campaign", "pair_id"], ignore_index=True)
