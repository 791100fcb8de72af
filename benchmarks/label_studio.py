"""Annotators at a Label Studio behind the gate, each with a label every so many seconds (an open loop).

python -m benchmarks.label_studio --annotators 40 --every 20                                    SQLite, one process
python -m benchmarks.label_studio --annotators 40 --every 4 --workers 2 --database postgresql://…  (PGPASSWORD set)

A label is what the page asks for: the next pair, then the annotation. Its time runs from the moment when it was due,
so a server that falls behind cannot hide it.
"""

import argparse
import asyncio
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

from annotation.campaign.accounts import Account
from annotation.label_studio import server
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.labelling import labelling
from annotation.label_studio.sitting import Sitting

RESULT = [{"from_name": "score", "to_name": "def1", "type": "choices", "value": {"choices": ["2"]}}]


def prepare(client: LabelStudio, annotators: int, tasks: int) -> list[tuple[Account, int]]:
    """Accounts and projects, each open to its annotator alone."""
    run = secrets.token_hex(3)
    people = [
        Account(annotator=f"a{n:02d}", email=f"a{n:02d}@{run}.parade.invalid", password=secrets.token_urlsafe(12))
        for n in range(annotators)
    ]
    client.ensure_accounts(people)
    page, members, opened = labelling(show_entity=True), {}, []
    for one in people:
        number = client.ensure_project(title=f"Definitions {run} {one.annotator}", labelling=page)
        rows = [
            {"assignment": f"{run}-{one.annotator}-{n}", "entity": "entity", "definition1": "one", "definition2": "two"}
            for n in range(tasks)
        ]
        client.ensure_tasks(number, rows)
        members[number] = (one.email, True)
        opened.append((one, number))
    client.open_for(members)
    return opened


def sign_in(url: str, account: Account) -> dict[str, str]:
    """The cookies of a session."""
    with Sitting(url, account) as sitting:
        sitting.sign_in()
        return dict(sitting._browser.cookies)


async def work(url: str, cookies: dict[str, str], project: int, every: float, until: float) -> list[tuple[float, str]]:
    """(seconds from due to done, what went wrong) of each label of one annotator."""
    found = []
    async with httpx.AsyncClient(base_url=url, cookies=cookies, timeout=60) as browser:
        due = time.monotonic() + random.random() * every
        while due < until:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            found.append((*await label(browser, project, due),))
            due += every
    return found


async def label(browser: httpx.AsyncClient, project: int, due: float) -> tuple[float, str]:
    """One label."""
    wrong = ""
    try:
        query = f"/api/dm/actions?id=next_task&project={project}"
        task = (await browser.post(query, json={})).raise_for_status().json()["id"]
        body = {"result": RESULT, "lead_time": 3.0}
        (await browser.post(f"/api/tasks/{task}/annotations?project={project}", json=body)).raise_for_status()
    except httpx.HTTPError as fault:
        wrong = repr(fault)
    return time.monotonic() - due, wrong


async def everybody(url: str, opened: list[tuple[dict[str, str], int]], every: float, seconds: float) -> np.ndarray:
    """The labels of all, as seconds; prints what went wrong."""
    until = time.monotonic() + seconds
    parts = await asyncio.gather(*(work(url, cookies, project, every, until) for cookies, project in opened))
    labels = [one for part in parts for one in part]
    wrong = [fault for _, fault in labels if fault]
    print(f"{len(labels)} labels, {len(wrong)} errors", *wrong[:3])
    return np.array([taken for taken, _ in labels])


def main() -> None:
    """Starts a server in a new folder, loads it, stops it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--annotators", type=int, default=40)
    parser.add_argument("--every", type=float, default=20.0, help="seconds from one label of an annotator to the next")
    parser.add_argument("--seconds", type=float, default=180.0, help="how long they work")
    parser.add_argument("--database", default="", help="postgresql://USER@HOST:PORT/NAME; else SQLite")
    parser.add_argument("--workers", type=int, default=0, help="processes of gunicorn")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="parade-load-") as scratch:
        folder = Path(scratch) / "server"
        running = server.start(folder, server.Way(port=0, database=given.database, workers=given.workers))
        try:
            with LabelStudio(url=running.url, api_key=running.api_key) as client:
                opened = prepare(client, given.annotators, int(given.seconds / given.every) + 5)
            sessions = [(sign_in(running.url, one), number) for one, number in opened]
            taken = asyncio.run(everybody(running.url, sessions, given.every, given.seconds))
        finally:
            server.stop(folder)
    middle, most = np.percentile(taken, [50, 95])
    asked = given.annotators / given.every
    print(f"p50 {middle:.2f} s, p95 {most:.2f} s, most {taken.max():.2f} s; asked for {asked:.1f} labels/s")


if __name__ == "__main__":
    sys.exit(main())
