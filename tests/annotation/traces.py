"""Withdraw somebody from a campaign on a real server, and search the bytes of all files for what is left."""

import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx

from annotation.campaign import accounts
from annotation.campaign.accounts import Account
from annotation.label_studio.sitting import Sitting
from data.store import Store
from tests.annotation.probes import labelled

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
    """The marks that stand in the bytes of the files, with the files' names."""
    content = ((path, path.read_bytes()) for path in files if path.is_file())
    return {(mark, str(path)) for path, text in content for mark in marks if mark.encode() in text}


def check_nothing_is_left(
    lent: Any, command: Command, store: Store, database: Callable[[], Iterable[Path]], *, prepare: Callable[[], object]
) -> None:
    """After `withdraw` neither words nor answers nor address are in any file; somebody else's are.

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
