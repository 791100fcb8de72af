"""The answers that were paid for, kept through any crash, so that no question is asked twice: an SQLite file."""

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from data.console.errors import InputError
from data.texts.identity import digest
from identification.endpoints.answer import Reply, ReplyOutcome
from identification.endpoints.client import Endpoint
from identification.endpoints.forms import Form
from identification.endpoints.prompt import Prompt

SCHEMA = """
CREATE TABLE IF NOT EXISTS models (identity TEXT PRIMARY KEY, endpoint TEXT NOT NULL, prompt TEXT NOT NULL,
    form TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    identity TEXT NOT NULL REFERENCES models, question TEXT NOT NULL, outcome TEXT NOT NULL, score REAL,
    text TEXT NOT NULL, model TEXT NOT NULL, tokens INTEGER NOT NULL, at TEXT NOT NULL, PRIMARY KEY (identity, question)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS requests (identity TEXT PRIMARY KEY, n INTEGER NOT NULL);
"""


def identify(endpoint: Endpoint, prompt: Prompt) -> str:
    """What tells two models apart: another wording of the question is another model."""
    return digest(json.dumps(endpoint.identity, sort_keys=True), prompt.digest)


def question_id(first: str, second: str) -> str:
    """The id of the question about two texts in this order."""
    return digest(first, second)


class ReplyCache:
    """The answers of one model to one prompt; a context manager. Errors are not kept: they are asked again."""

    def __init__(self, path: Path, endpoint: Endpoint, prompt: Prompt) -> None:
        """Open or create the file; raises InputError where it is something else."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._identity = identify(endpoint, prompt)
        try:
            self._path, self._database = path, sqlite3.connect(path)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.executescript(SCHEMA)
            known = (self._identity, json.dumps(endpoint.identity, sort_keys=True), prompt.template)
            with self._database:
                form = json.dumps(asdict(Form()))
                self._database.execute("INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?)", (*known, form))
        except sqlite3.DatabaseError as fault:
            raise InputError(
                path, expected="answers of language models (SQLite)", found=str(fault), remedy="move the file away"
            ) from fault

    def __enter__(self) -> "ReplyCache":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._database.close()

    def begin(self) -> None:
        """Count requests from 0."""
        with self._database:
            self._database.execute("INSERT OR REPLACE INTO requests VALUES (?, 0)", (self._identity,))

    def count_request(self, most: int) -> bool:
        """Count a request, of whatever thread or process, since `begin`; False where there were `most` already."""
        with closing(sqlite3.connect(self._path, timeout=60)) as database, database:
            counted = database.execute(
                "UPDATE requests SET n = n + 1 WHERE identity = ? AND n < ?", (self._identity, most)
            )
            return counted.rowcount == 1

    @property
    def form(self) -> Form:
        """How the server was asked last."""
        row = self._database.execute("SELECT form FROM models WHERE identity = ?", (self._identity,)).fetchone()
        return Form(**json.loads(row[0]))

    def keep_form(self, form: Form) -> None:
        """Store how the server is asked, so that the next run does not have to find it out again."""
        with self._database:
            change = json.dumps(asdict(form)), self._identity
            self._database.execute("UPDATE models SET form = ? WHERE identity = ?", change)

    def count_tokens(self) -> int:
        """The tokens of all kept answers."""
        total = self._database.execute("SELECT sum(tokens) FROM answers WHERE identity = ?", (self._identity,))
        return int(total.fetchone()[0] or 0)

    def read(self) -> dict[str, Reply]:
        """Every kept answer by its question."""
        rows = self._database.execute(
            "SELECT question, outcome, score, text, model, tokens FROM answers WHERE identity = ?", (self._identity,)
        )
        return {
            question: Reply(outcome=ReplyOutcome(outcome), score=score, text=text, model=model, tokens=tokens)
            for question, outcome, score, text, model, tokens in rows
        }

    def keep(self, question: str, answer: Reply) -> None:
        """Store the answer durably, unless it is an error."""
        if answer.outcome is ReplyOutcome.ERROR:
            return
        row = (question, answer.outcome, answer.score, answer.text, answer.model, answer.tokens)
        with self._database:
            self._database.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (self._identity, *row, datetime.now(UTC).isoformat(timespec="seconds")),
            )
