"""Load Label Studio behind the gate: annotators who each submit a label at fixed intervals (an open loop).

python -m benchmarks.label_studio --annotators 40 --every 20                                    SQLite, one process
python -m benchmarks.label_studio --annotators 40 --every 4 --workers 2 --database postgresql://…  (PGPASSWORD set)

A label consists of the page's requests: the next pair, then the annotation. Its time counts from the moment when it
was due, so a server that falls behind cannot hide it.
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
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.labelling import labelling
from annotation.label_studio.server import server
from annotation.label_studio.simulated.sitting import Sitting
from annotation.questions.declarations import shipped_question

RESULT = [{"from_name": "score", "to_name": "def1", "type": "choices", "value": {"choices": ["2"]}}]


def prepare(client: LabelStudio, annotators: int, tasks: int) -> list[tuple[Account, int]]:
    """Create accounts and projects, each open to its annotator alone."""
    run = secrets.token_hex(3)
    people = [
        Account(annotator=f"a{n:02d}", email=f"a{n:02d}@{run}.parade.invalid", password=secrets.token_urlsafe(12))
        for n in range(annotators)
    ]
    client.ensure_accounts(people)
    page, members, projects = labelling(shipped_question(), show_entity=True), {}, []
    for account in people:
        number = client.ensure_project(title=f"Definitions {run} {account.annotator}", labelling=page)
        rows = [
            {
                "assignment": f"{run}-{account.annotator}-{n}",
                "entity": "entity",
                "definition1": "one",
                "definition2": "two",
            }
            for n in range(tasks)
        ]
        client.ensure_tasks({number: rows})
        members[number] = (account.email, True)
        projects.append((account, number))
    client.open_for(members)
    return projects


def sign_in(url: str, account: Account) -> dict[str, str]:
    """The cookies of a session."""
    with Sitting(url, account) as sitting:
        sitting.sign_in()
        return dict(sitting._browser.cookies)


async def work(url: str, cookies: dict[str, str], project: int, every: float, until: float) -> list[tuple[float, str]]:
    """(seconds from due to done, error message) for each label of one annotator."""
    labels = []
    async with httpx.AsyncClient(base_url=url, cookies=cookies, timeout=60) as browser:
        due = time.monotonic() + random.random() * every
        while due < until:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            labels.append(await submit_label(browser, project, due))
            due += every
    return labels


async def submit_label(browser: httpx.AsyncClient, project: int, due: float) -> tuple[float, str]:
    """(seconds from due to done, error message) for one label."""
    error = ""
    try:
        query = f"/api/dm/actions?id=next_task&project={project}"
        task = (await browser.post(query, json={})).raise_for_status().json()["id"]
        body = {"result": RESULT, "lead_time": 3.0}
        (await browser.post(f"/api/tasks/{task}/annotations?project={project}", json=body)).raise_for_status()
    except httpx.HTTPError as fault:
        error = repr(fault)
    return time.monotonic() - due, error


async def work_all(url: str, sessions: list[tuple[dict[str, str], int]], every: float, seconds: float) -> np.ndarray:
    """The seconds of all annotators' labels; prints the errors."""
    until = time.monotonic() + seconds
    parts = await asyncio.gather(*(work(url, cookies, project, every, until) for cookies, project in sessions))
    labels = [label for part in parts for label in part]
    errors = [error for _, error in labels if error]
    print(f"{len(labels)} labels, {len(errors)} errors", *errors[:3])
    return np.array([duration for duration, _ in labels])


def main() -> None:
    """Start a server in a new folder, load it and stop it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--annotators", type=int, default=40)
    parser.add_argument("--every", type=float, default=20.0, help="seconds from one label of an annotator to the next")
    parser.add_argument("--seconds", type=float, default=180.0, help="how long they work")
    parser.add_argument("--database", default="", help="postgresql://USER@HOST:PORT/NAME; SQLite if omitted")
    parser.add_argument("--workers", type=int, default=0, help="worker processes of gunicorn")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="parade-load-") as scratch:
        folder = Path(scratch) / "server"
        running = server.start(folder, server.Options(port=0, database=arguments.database, workers=arguments.workers))
        try:
            with LabelStudio(url=running.url, api_key=running.api_key) as client:
                projects = prepare(client, arguments.annotators, int(arguments.seconds / arguments.every) + 5)
            sessions = [(sign_in(running.url, account), number) for account, number in projects]
            durations = asyncio.run(work_all(running.url, sessions, arguments.every, arguments.seconds))
        finally:
            server.stop(folder)
    median, high = np.percentile(durations, [50, 95])
    load = arguments.annotators / arguments.every
    print(f"p50 {median:.2f} s, p95 {high:.2f} s, maximum {durations.max():.2f} s; load {load:.1f} labels/s")


if __name__ == "__main__":
    sys.exit(main())
