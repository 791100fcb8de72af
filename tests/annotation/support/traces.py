"""Withdraw an annotator from a campaign on a real server, and search the bytes of all files for what is left."""

import secrets
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from threading import Event
from typing import Any

import httpx

from annotation.campaign import accounts
from annotation.campaign.accounts import Account
from annotation.label_studio.simulated.sitting import Sitting
from data.contract.tables.campaign import Ratings
from data.storage.store import Store
from tests.annotation.support.probes import labelled

Command = Callable[..., tuple[int, str, str]]


def answer(url: str, account: Account, words: str) -> tuple[int, str]:
    """Answer one pair and begin another, with these words; return project and answered assignment."""
    with Sitting(url, account) as sitting:
        sitting.sign_in()
        ((number, _),) = sitting.projects().values()
        for kind in ("annotations", "drafts"):
            task = sitting.next_task(number)
            assert task is not None
            sitting._json("POST", f"/api/tasks/{task['id']}/{kind}?project={number}", labelled(words))
            if kind == "annotations":
                assignment = task["data"]["assignment"]
    return number, assignment


def find(marks: Iterable[str], files: Iterable[Path]) -> set[tuple[str, str]]:
    """The marks in the bytes of the files, with the files' names."""
    content = ((path, path.read_bytes()) for path in files if path.is_file())
    return {(mark, str(path)) for path, text in content for mark in marks if mark.encode() in text}


def check_nothing_is_left(
    lent: Any, command: Command, store: Store, database: Callable[[], Iterable[Path]], *, prepare: Callable[[], object]
) -> None:
    """After `withdraw` neither words nor answers nor address are in any file; another annotator's are.

    `database`: the files of the server's database, up to date on disk. `prepare` is called before the withdrawal.
    """
    name, url = f"leaving-{secrets.token_hex(4)}", lent.running.url
    flags = ("--campaign", name, "--url", url)
    assert command("plan --annotators 4 --pairs 6", *flags[:2])[0] == 0
    assert command("open", *flags)[0] == 0
    leaver, other = accounts.read_accounts(store.root, name)[1:3]
    words, others = (f"words {secrets.token_hex(8)}" for _ in range(2))
    project, assignment = answer(url, leaver, words)
    answer(url, other, others)
    assert command("collect", *flags)[0] == 0
    folder = lent.folder / "data" / "export"
    assert list(folder.iterdir()) == []
    (folder / f"project-{project}-at-2026-01-05.json").write_text(words + leaver.email)  # as an older version did
    key = {"Authorization": f"Token {lent.running.api_key}"}
    assert httpx.post(f"{url}/api/projects/{project}/exports/", headers=key, json={}, timeout=60).status_code == 201
    prepare()

    def left(*marks: str) -> set[tuple[str, str]]:
        return find(marks, [*lent.folder.rglob("*"), *database()])

    marks = (words, assignment, leaver.email)
    assert {mark for mark, _ in left(*marks)} == set(marks)
    code, _, err = command(f"withdraw {leaver.annotator}", *flags)
    assert code == 0, err
    assert left(*marks) == set()
    assert find([words, leaver.email], store.root.rglob("*")) == set()
    assert {mark for mark, _ in left(others, other.email)} == {others, other.email}
    assert command("open", *flags)[0] == 0
    assert command("collect", *flags)[0] == 0
    assert left(*marks) == set()


def post_until(url: str, account: Account, words: str, over: Event) -> tuple[set[str], set[int]]:
    """Answer pair after pair until it is over or refused; return the answered assignments and all statuses.

    An annotator who has answered all pairs tries them again, so that no machine is too fast for what goes on beside it.
    """
    answered: set[str] = set()
    statuses: set[int] = set()
    with Sitting(url, account) as sitting:
        sitting.sign_in()
        ((number, _),) = sitting.projects().values()
        path = {"page_size": 99, "project": number}
        tasks = sitting._browser.get("/api/tasks", params=path).raise_for_status().json()["tasks"]
        for task in cycle(tasks):
            page, assignment = f"/api/tasks/{task['id']}/annotations?project={number}", task["data"]["assignment"]
            status = sitting._browser.post(page, json=labelled(words)).status_code
            again = status == 409 and assignment in answered
            statuses |= set() if again else {status}
            answered |= {assignment} if status == 201 else set()
            if status in (401, 403) or over.wait(0.1 if again else 0):
                break
    return answered, statuses


def check_withdrawal_under_load(
    lent: Any, command: Command, store: Store, database: Callable[[], Iterable[Path]], *, prepare: Callable[[], object]
) -> None:
    """While five people post, the one who withdraws leaves nothing and no one else loses an answer."""
    name, url, over = f"busy-{secrets.token_hex(4)}", lent.running.url, Event()
    flags = ("--campaign", name, "--url", url)
    assert command("plan --annotators 5 --pairs 60", *flags[:2])[0] == 0
    assert command("open", *flags)[0] == 0
    people = accounts.read_accounts(store.root, name)
    words = {account.annotator: f"words {secrets.token_hex(8)}" for account in people}
    with ThreadPoolExecutor(5) as threads:
        posting = {
            account.annotator: threads.submit(post_until, url, account, words[account.annotator], over)
            for account in people
        }
        wait_for_answers(lent, 15)
        prepare()
        code, _, err = command("withdraw a02", *flags)
        over.set()
        posts = {annotator: future.result() for annotator, future in posting.items()}
    assert code == 0, err
    _, refused = posts.pop("a02")
    assert refused - {201} <= {401, 403}
    assert refused > {201}, "the withdrawal came before the first answer"
    assert {status for _, statuses in posts.values() for status in statuses} == {201}
    leaver = next(account for account in people if account.annotator == "a02")
    marks = (words["a02"], leaver.email)
    assert find(marks, [*lent.folder.rglob("*"), *database(), *store.root.rglob("*")]) == set()
    assert command("collect", *flags)[0] == 0
    rated = store.read(Ratings)
    assert set(rated["assignment_id"]) == set().union(*(answered for answered, _ in posts.values()))
    assert set(rated["comment"]) == {words[annotator] for annotator in posts}


def wait_for_answers(lent: Any, n: int) -> None:
    """Return once this many more answers are on the server."""
    before, deadline = sum(count for count, _ in lent.client.latest().values()), time.monotonic() + 120
    while sum(count for count, _ in lent.client.latest().values()) < before + n:
        assert time.monotonic() < deadline
        time.sleep(0.1)
