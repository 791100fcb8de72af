"""The requests to one source, the replies and their cards: an SQLite file that survives kill -9.

A page and everything it yielded are written in one transaction, so the ledger never counts a page as done without its
cards. It also lists what to request next: a crawl stopped at any moment resumes where it was. After a power cut the
file is whole, and pages of the last moments may be requested again (WAL without a sync per page).
"""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd

from crawler.cards.outcome import FINAL, Deck, Outcome
from crawler.ledger.schema import SCHEMA
from data.console.errors import InputError, ParadeError
from data.files.sheets import name_unread
from data.provenance.tombstones import text_digest
from data.storage import ledgers


class LedgerError(ParadeError):
    """The ledger cannot be written."""


@dataclass(frozen=True, kw_only=True)
class SourcePage:
    """Something to request from a source."""

    kind: str
    """`search`, `set`, `items` (a page of a set's JSON) or `file`."""
    key: str
    """Its address relative to the site, or the digest of a file's content."""


@dataclass(frozen=True, kw_only=True)
class PageReply:
    """The reply to a request for a page."""

    page: SourcePage
    url: str
    """The address that was requested."""
    outcome: Outcome
    status: int | None = None
    """HTTP status; None for files and without a response."""
    body_sha256: str = ""
    """Digest of the body; empty without one."""
    place: str = ""
    """Digest of a file's whole path, by which it is known again; empty for anything else."""
    fetched_at: datetime = field(default_factory=lambda: datetime.now(UTC))


class Ledger:
    """The record of one source; a context manager."""

    def __init__(self, path: Path, withheld: frozenset[str] = frozenset()) -> None:
        """Open the file, or create it; texts whose digests are `withheld` are never written to it.

        Raises InputError where it is not a ledger.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._withheld = withheld
        try:
            self._database = sqlite3.connect(path)
            self._database.execute("PRAGMA foreign_keys = ON")
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.executescript(SCHEMA)
        except sqlite3.OperationalError as fault:
            raise self._unwritable(fault) from fault
        except sqlite3.DatabaseError as fault:
            raise InputError(
                path, expected="a ledger (SQLite)", found=str(fault), remedy="move the file away or restore it"
            ) from fault

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _unwritable(self, fault: sqlite3.OperationalError) -> "LedgerError":
        return LedgerError(
            self.path,
            expected="a disk with room to write on",
            found=str(fault),
            remedy="free some and run the same command again: nothing read so far is lost",
        )

    def bind(self, site: str) -> None:
        """Tie the ledger to a site at its first use. Raises InputError where it belongs to another site."""
        row = self._database.execute("SELECT site FROM source").fetchone()
        if row is None:
            with self._database:
                self._database.execute("INSERT INTO source VALUES (?)", (site,))
        elif row[0] != site:
            raise InputError(
                self.path, expected=f"the record of {row[0]}", found=f"a crawl of {site}", remedy="use another --store"
            )

    def require_paths(self) -> None:
        """Raise InputError where a page is not a path on the site, as in a ledger from elsewhere."""
        ledgers.require_paths(str(self.path), self._database)

    def ask(self, pages: Iterable[SourcePage]) -> list[SourcePage]:
        """Add pages to the list, unless they are on it already; return the new ones."""
        try:
            with self._database:
                return self._ask(pages)
        except sqlite3.OperationalError as fault:
            raise self._unwritable(fault) from fault

    def left(self) -> list[SourcePage]:
        """The pages still to be requested, new or failed, in the order in which they were added."""
        rows = self._database.execute(
            "SELECT kind, key FROM pages WHERE state != 'done' AND part_of IS NULL ORDER BY id"
        )
        return [SourcePage(kind=kind, key=key) for kind, key in rows]

    def is_done(self, page: SourcePage) -> bool:
        """Whether the page needs no further request."""
        row = self._database.execute(
            "SELECT state FROM pages WHERE kind = ? AND key = ?", (page.kind, page.key)
        ).fetchone()
        return row is not None and row[0] == "done"

    def linked(self, pages: Iterable[SourcePage]) -> set[str]:
        """The keys that these pages led to."""
        query = "SELECT links.key FROM links JOIN pages ON links.page = pages.id WHERE kind = ? AND pages.key = ?"
        return {row[0] for page in pages for row in self._database.execute(query, (page.kind, page.key))}

    def record(
        self,
        reply: PageReply,
        parts: Sequence[PageReply] = (),
        *,
        links: Sequence[str] = (),
        asks: Iterable[SourcePage] = (),
        again: bool | None = None,
    ) -> list[SourcePage]:
        """Record the reply for a page, with the further replies that belong to it, in one transaction.

        Replaces an earlier record. `links` are the keys that the page led to, `asks` the pages to request next; returns
        the new ones among them. The next run requests the page again if `again`; by default, if a finding is not
        `FINAL`. Raises LedgerError where the disk is full; then nothing is written.
        """
        if again is None:
            again = any(finding.kind not in FINAL for finding in reply.outcome.findings)
        try:
            with self._database:
                earliest = self._after_earlier(reply.page)
                page = self._write(_not_before(earliest, reply), None, again=again)
                self._database.executemany("INSERT INTO links VALUES (?, ?)", [(page, key) for key in links])
                for part in parts:
                    self._write(_not_before(earliest, part), page, again=again)
                return self._ask(asks)
        except sqlite3.OperationalError as fault:
            raise self._unwritable(fault) from fault

    def urls_of(self, places: Iterable[str]) -> dict[str, str]:
        """Place -> the address under which the file there was read last, of those that were."""
        query = "SELECT url FROM pages WHERE place = ? ORDER BY fetched_at DESC LIMIT 1"
        rows = ((place, self._database.execute(query, (place,)).fetchone()) for place in places)
        return {place: str(row[0]) for place, row in rows if row}

    def forget_earlier(self, files: Iterable[tuple[str, str]], gone: Collection[str] = ()) -> None:
        """Drop what was read before of files (key and address, as they are now): of their addresses, of the same bytes
        in another way, and of the addresses that are `gone`.
        """
        now = dict(files)
        bodies, urls = {key.partition(" ")[0] for key in now}, {*now.values(), *gone}
        rows = self._database.execute("SELECT id, key, url FROM pages WHERE kind = 'file'").fetchall()
        old = [
            (page,) for page, key, url in rows if key not in now and (url in urls or key.partition(" ")[0] in bodies)
        ]
        with self._database:
            self._database.executemany("DELETE FROM pages WHERE id = ?", old)

    def counts(self) -> dict[str, int]:
        """State -> number of pages, not counting parts."""
        return {str(state): int(n) for state, n in self.pages()["state"].value_counts().items()}

    def pages(self) -> pd.DataFrame:
        """Requests and replies: columns kind, key, url, state (`asked`, `done` or `failed`), attempts, outcome
        (`read`, or the kinds of findings), status, fetched_at, n_links; without parts.
        """
        return self._frame(
            "SELECT kind, pages.key, url, state, attempts, outcome, status, fetched_at, count(page) AS n_links"
            " FROM pages LEFT JOIN links ON page = id WHERE part_of IS NULL GROUP BY id ORDER BY id"
        )

    def cards(self) -> pd.DataFrame:
        """All cards: page columns url, body_sha256, fetched_at; deck columns set_id, set_title, copied_from,
        licence_note; card columns position, front, back, media, language; in the order of sets and positions.
        """
        return self._frame(
            "SELECT url, body_sha256, fetched_at, set_id, title AS set_title, copied_from, licence_note, position,"
            " front, back, media, language FROM cards JOIN decks ON deck = decks.id JOIN pages ON page = pages.id"
            " ORDER BY set_id, position, cards.rowid"
        )

    def decks(self) -> pd.DataFrame:
        """All decks with cards: columns key (of their page), url, set_id, title, licence_note."""
        return self._frame(
            "SELECT DISTINCT pages.key, url, set_id, title, licence_note FROM decks JOIN pages ON page = pages.id"
            " WHERE EXISTS (SELECT 1 FROM cards WHERE deck = decks.id) ORDER BY url, set_id"
        )

    def unread(self) -> dict[str, str]:
        """Set id -> the columns of its file that were not read, in words; the sets that have some."""
        rows = self._database.execute("SELECT set_id, unread FROM decks WHERE unread != '' ORDER BY set_id").fetchall()
        return dict(rows)

    def fronts(self) -> pd.Series:
        """The distinct fronts of the cards."""
        return self._frame("SELECT DISTINCT front FROM cards ORDER BY front")["front"]

    def findings(self) -> pd.DataFrame:
        """Columns url, kind, detail, has_row (whether a row of the sheet of decks answers it)."""
        return self._frame(
            "SELECT url, findings.kind, detail, has_row FROM findings JOIN pages ON page = pages.id"
            " ORDER BY url, findings.rowid"
        )

    def skipped(self) -> pd.DataFrame:
        """Entries that gave no card: columns url, id, reason."""
        return self._frame(
            "SELECT url, skipped.id, reason FROM skipped JOIN pages ON page = pages.id ORDER BY url, skipped.rowid"
        )

    def _frame(self, query: str) -> pd.DataFrame:
        return pd.read_sql_query(query, self._database)

    def _ask(self, pages: Iterable[SourcePage]) -> list[SourcePage]:
        insert = "INSERT OR IGNORE INTO pages (kind, key) VALUES (?, ?)"
        return [page for page in pages if self._database.execute(insert, (page.kind, page.key)).rowcount]

    def _after_earlier(self, page: SourcePage) -> datetime | None:
        """The instant after the earlier record of the page and its parts; None if there is none."""
        own = "kind = ? AND key = ?"
        row = self._database.execute(
            f"SELECT max(fetched_at) FROM pages WHERE {own} OR part_of = (SELECT id FROM pages WHERE {own})",
            (page.kind, page.key) * 2,
        ).fetchone()
        return datetime.fromisoformat(row[0]) + timedelta(microseconds=1) if row[0] else None

    def _write(self, reply: PageReply, part_of: int | None, *, again: bool) -> int:
        """Write one reply in place of what was known about its page; return the page's row."""
        page = self._write_page(reply, part_of, "failed" if again else "done")
        for deck in reply.outcome.decks:
            self._write_deck(page, deck)
        findings = [(page, one.kind, _storable(one.describe()), bool(one.offers)) for one in reply.outcome.findings]
        skipped = [(page, _storable(name), reason) for name, reason in reply.outcome.skipped]
        self._database.executemany("INSERT INTO findings VALUES (?, ?, ?, ?)", findings)
        self._database.executemany("INSERT INTO skipped VALUES (?, ?, ?)", skipped)
        return page

    def _write_page(self, reply: PageReply, part_of: int | None, state: str) -> int:
        at = reply.fetched_at.astimezone(UTC).isoformat(timespec="microseconds")
        kinds = ", ".join(sorted({finding.kind for finding in reply.outcome.findings})) or "read"
        row = self._database.execute(
            "INSERT INTO pages"
            " (kind, key, url, part_of, state, attempts, outcome, status, body_sha256, fetched_at, place)"
            " VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET url = excluded.url,"
            " part_of = excluded.part_of, state = excluded.state, attempts = attempts + 1, outcome = excluded.outcome,"
            " status = excluded.status, body_sha256 = excluded.body_sha256, fetched_at = excluded.fetched_at,"
            " place = excluded.place RETURNING id, attempts",
            (
                *(reply.page.kind, reply.page.key, reply.url, part_of, state, kinds, reply.status),
                *(reply.body_sha256, at, reply.place),
            ),
        ).fetchone()
        page, attempts = int(row[0]), int(row[1])
        if attempts > 1:
            self._database.execute("DELETE FROM pages WHERE part_of = ?", (page,))
            for table in ("links", "decks", "findings", "skipped"):
                self._database.execute(f"DELETE FROM {table} WHERE page = ?", (page,))
        return page

    def _write_deck(self, page: int, deck: Deck) -> None:
        row = self._database.execute(
            "INSERT INTO decks (page, set_id, title, copied_from, licence_note, declared, unread)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(page, deck.set_id, _storable(deck.title), deck.copied_from, deck.licence_note, deck.declared),
                _storable(name_unread(deck.unread)),
            ),
        )
        rows, gone = [], []
        for card in deck.cards:
            front, back = _storable(card.front), _storable(card.back)
            if self._withheld and not self._withheld.isdisjoint(map(text_digest, (front, back))):
                gone.append((page, f"{deck.set_id} card {card.position}", "taken_down"))
            else:
                media = ",".join(sorted(card.media)) or None
                rows.append((row.lastrowid, card.position, front, back, media, card.language))
        self._database.executemany("INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._database.executemany("INSERT INTO skipped VALUES (?, ?, ?)", gone)


def _storable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _not_before(earliest: datetime | None, reply: PageReply) -> PageReply:
    """The reply with a time from `earliest` on: the clock may have been set back since the record that it replaces."""
    return reply if earliest is None or reply.fetched_at >= earliest else replace(reply, fetched_at=earliest)
