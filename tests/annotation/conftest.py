"""One real Label Studio for all tests of the room that need one."""

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotation.__main__ import main
from annotation.campaign.accounts import Account
from annotation.label_studio.client import LabelStudio
from annotation.label_studio.labelling import labelling
from annotation.label_studio.server import environment, server
from annotation.questions.declarations import shipped_question
from data.console.errors import ServerError
from data.contract.questions import Question
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.annotation.support.frames import pairs
from tests.campaign import ROOT, fast_servers


@dataclass(frozen=True, kw_only=True)
class Lent:
    """The server's folder, where it is, and the administrator's view of it."""

    folder: Path
    running: server.Running
    client: LabelStudio

    def account(self) -> Account:
        """A new annotator with an account."""
        name = f"a{secrets.token_hex(4)}"
        account = Account(annotator=name, email=f"{name}@test.parade.invalid", password=secrets.token_urlsafe(12))
        assert self.client.ensure_accounts([account]) == 1
        return account

    def project(
        self,
        tasks: list[dict[str, str]],
        account: Account | None = None,
        *,
        show_entity: bool = False,
        question: Question | None = None,
    ) -> int:
        """A new project with these tasks, open to the account, which asks the question (the standard one if None)."""
        title = f"Definitions {secrets.token_hex(4)}"
        page = labelling(question or shipped_question(), show_entity=show_entity)
        number = self.client.ensure_project(title=title, labelling=page)
        assert self.client.ensure_tasks({number: tasks}) == len(tasks)
        if account:
            assert self.client.open_for({number: (account.email, True)}) == 1
        return number


@pytest.fixture
def filled(store: Store) -> Store:
    """A store of forty pairs."""
    store.replace(Pairs, pairs(40), Manifest(stage="clustering"), generator="recommended")
    return store


@pytest.fixture
def command(store: Store, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command over the store, of sixty pairs unless it has some; returns exit code, output and errors."""
    if not store.exists(Pairs):
        store.replace(Pairs, pairs(60), Manifest(stage="clustering"), generator="recommended")

    def call(words: str, *args: object) -> tuple[int, str, str]:
        arguments = [*words.split(), *map(str, args), "--store", str(store.root)]
        return main(arguments), *capsys.readouterr()

    return call


@pytest.fixture(scope="session")
def label_studio_environment() -> Iterator[Path]:
    """The environment's folder, named to this process; the test skips where Label Studio is not installed.

    Servers that start from now on wait neither for passwords nor for the disk.
    """
    with pytest.MonkeyPatch.context() as patch, fast_servers():
        patch.setenv("PARADE_LABEL_STUDIO", os.environ.get("PARADE_LABEL_STUDIO", str(ROOT / ".label-studio")))
        try:
            yield environment.locate()
        except ServerError as fault:
            pytest.skip(str(fault))


@pytest.fixture(scope="session")
def label_studio(label_studio_environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lent]:
    """The server that all tests share, started from the migrated empty database and stopped at the end."""
    folder = tmp_path_factory.mktemp("label-studio")
    running = server.start(folder, server.Options(port=0))
    try:
        with LabelStudio(url=running.url, api_key=running.api_key) as client:
            yield Lent(folder=folder, running=running, client=client)
    finally:
        server.stop(folder)


@pytest.fixture
def tasks() -> list[dict[str, str]]:
    """Three pairs as the campaign sends them; one has markup in its texts."""
    return [
        {"assignment": "a-1", "definition1": "a list of things", "definition2": "things in an order", "entity": "list"},
        {
            "assignment": "a-2",
            "definition1": "<script>document.title='ran'</script>text with <b>markup</b> and {{7*7}}",
            "definition2": "<img src=x onerror=\"document.title='ran'\"> a picture",
            "entity": "markup",
        },
        {"assignment": "a-3", "definition1": "vier Worte auf Deutsch", "definition2": "four words", "entity": "word"},
    ]
