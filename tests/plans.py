"""A row of the table `campaigns`, for tests that need a planned campaign without its plan."""

import pandas as pd

from annotation.questions.declarations import shipped_question
from data.contract.tables.plans import Campaigns
from data.storage.manifest import Manifest
from data.storage.store import Store

AT = pd.Timestamp("2026-01-01", tz="UTC")


def plan(store: Store, campaign: str = "main", generator: str = "recommended", **changes: object) -> None:
    """Append the plan of a campaign that asks a shipped question (`question`, by default the standard one)."""
    question = shipped_question(str(changes.pop("question", "parade")))
    row = dict.fromkeys(Campaigns.columns()) | {
        "campaign": campaign, "study": campaign, "arm": "main", "at": AT, "generator": generator,
        "scale": "0-3", "labels_per_pair": 3, "show_entity": True,
        "gold_share": 0.0, "repeat_share": 0.0, "trap_share": 0.0, "seed": 1,
        **question.identity, "question_content": question.content,
    }  # fmt: skip
    store.append(Campaigns, pd.DataFrame([row | changes]), Manifest(stage="test"))
