"""Runs `scrapy crawl` in a process of its own, as a person does."""

import subprocess
import sys

import pandas as pd

from data.contract.stages import UNREAD
from data.contract.tables.definitions import Cards
from data.contract.tables.removals import Rejects
from data.storage.store import Store
from tests.commands import ROOT, environment, run_all


def command(*arguments, store):
    return ["scrapy", "crawl", *map(str, arguments), "--store", str(store)]


def crawl(*arguments, store):
    """The finished process, with its output as text."""
    return run_all([command(*arguments, store=store)], variables=environment())


def start(*arguments, store, output=subprocess.DEVNULL):
    """The running process."""
    return subprocess.Popen(
        [sys.executable, "-m", *command(*arguments, store=store)],
        cwd=ROOT,
        env=environment(),
        stdout=output,
        stderr=output,
    )


def cards(store):
    """The table of cards, sorted, without the times, and without the site's port in the addresses."""
    frame = Store(store).read(Cards).drop(columns="fetched_at")
    frame["url"] = frame["url"].str.replace(r"^http://127.0.0.1:\d+", "", regex=True)
    return frame.sort_values(["card_id", "url"]).reset_index(drop=True)


def rejects(store, source):
    """Reason -> number of rejects of a source, of cards, entries and pages."""
    stages = [Store(store).read(Rejects, stage=stage, part=source) for stage in ("crawler", UNREAD)]
    return pd.concat(stages)["reason"].value_counts().to_dict()


def sets(store):
    """Set id -> the sides of its cards, in order."""
    table = cards(store)
    return {
        set_id: list(zip(rows.sort_values("position")["front"], rows.sort_values("position")["back"], strict=True))
        for set_id, rows in table.groupby("set_id")
    }
