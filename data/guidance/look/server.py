"""The server of the pages: Datasette on a copy of the store, on this machine's own address, which is never written."""

import asyncio
import multiprocessing
import os
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import uvicorn
from datasette.app import Datasette
from datasette.database import Database
from datasette.plugins import pm

from data.console.errors import InputError, ParadeError
from data.console.messages import say
from data.console.paths import Address
from data.contract import register
from data.contract.tables.pairs import Pairs
from data.guidance.look.copied_rows import HIDDEN, columns_of
from data.guidance.look.copying import MADE, copy_store, is_current
from data.guidance.look.made_pages import MadePages
from data.guidance.look.pages import BASE, Pages, Rates
from data.storage.store import Store

HERE = Path(__file__).parent
HOST = "127.0.0.1"
SECONDS = 3.0
"""How often the store is looked at for new versions."""
STALE_SECONDS = 900.0
"""After how long a copy is made again in any case: forecasts depend on the clock."""

SETTINGS = {
    "default_allow_sql": False,
    "allow_download": False,
    "suggest_facets": False,
    "default_page_size": 50,
    "max_returned_rows": 1000,
    "default_cache_ttl": 0,
    "sql_time_limit_ms": 3000,
    "facet_time_limit_ms": 1000,
    "truncate_cells_html": 2048,
}
"""Datasette's settings: no SQL from the address line, no download of the file; CSV and JSON stay."""

T = TypeVar("T")


class Copy(Database):  # type: ignore[misc]
    """One copy of the store. Its connections are its own: Datasette's would outlive it under the same name."""

    def __init__(self, app: Datasette, path: Path) -> None:
        """The copy in this file."""
        super().__init__(app, path=str(path), is_mutable=False)
        self.name = self.route = BASE
        self._own = threading.local()

    async def execute_fn(self, fn: Callable[[Any], T]) -> T:
        """What the function returns for a connection of the thread that runs it."""

        def in_thread() -> T:
            if not hasattr(self._own, "connection"):
                self._own.connection = self.connect()
                self.ds._prepare_connection(self._own.connection, self.name)
            return fn(self._own.connection)

        return await asyncio.get_running_loop().run_in_executor(self.ds.executor, in_thread)


@dataclass(kw_only=True)
class Refresher:
    """Makes a new copy in a process of its own whenever the store changes, and shows it once it is whole."""

    store: Store
    folder: Path
    app: Datasette
    made: float = 0.0
    number: int = 0

    async def refresh(self) -> bool:
        """Show a new copy if the store's tables have other versions than those shown; whether it did."""
        before = self.folder / f"{self.number}.db" if self.number else None
        if before and is_current(self.store, before) and monotonic() - self.made < STALE_SECONDS:
            return False
        path = self.folder / f"{self.number + 1}.db"
        path.unlink(missing_ok=True)
        await asyncio.to_thread(_copy_apart, self.store.address, path, before)
        databases = self.app.databases.copy()
        databases[BASE] = Copy(self.app, path)
        self.app.databases = databases
        self.number, self.made = self.number + 1, monotonic()
        (self.folder / f"{self.number - 2}.db").unlink(missing_ok=True)  # requests may still read the one before
        return True

    async def watch(self) -> None:
        """Refresh for ever; a store that cannot be read at the moment is read at the next look."""
        fault = ""
        while True:
            wait = SECONDS
            try:
                wait = 0 if await self.refresh() else SECONDS  # tables may wait for the next copy
                fault = ""
            except (ParadeError, OSError, sqlite3.Error, BrokenExecutor) as error:
                if str(error) != fault:
                    say(f"the pages still show the previous copy, since no new one could be made: {error}")
                fault = str(error)
            await asyncio.sleep(wait)


def _copy_apart(place: Address, path: Path, before: Path | None) -> None:
    """Copy in a separate process, so that the server goes on however that process ends."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(copy_store, place, path, before).result()


def serve(place: Address, listening: socket.socket, rates: Rates, watched: Callable[[], str | None]) -> None:
    """Serve the store's pages until stopped; `watched` tells the campaign that `watch` runs for."""
    with tempfile.TemporaryDirectory(prefix="parade-look-") as folder, suppress(KeyboardInterrupt):
        pages = Pages(place=place, port=listening.getsockname()[1], rates=rates, watched=watched)
        asyncio.run(_serve(pages, Path(folder), listening))


async def _serve(pages: Pages, folder: Path, listening: socket.socket) -> None:
    pm.register(pages, name="look")
    pm.register(MadePages(), name="made")
    app = Datasette(
        [],
        settings=SETTINGS,
        metadata=_describe_tables(),
        template_dir=str(HERE / "templates"),
        static_mounts=[("look", str(HERE / "static"))],
    )
    app.databases.pop("_memory", None)
    sys.modules["datasette.handle_exception"].rich = None  # type: ignore[attr-defined]  # prints much for a wrong address
    refresher = Refresher(store=Store(pages.place), folder=folder, app=app)
    before = monotonic()
    await refresher.refresh()
    await app.invoke_startup()
    config = uvicorn.Config(app.app(), log_level="warning", access_log=False, server_header=False)
    server = uvicorn.Server(config)
    say(f"copied in {monotonic() - before:.1f} s; only this machine can open it, ctrl-C ends it:")
    say(f"http://{HOST}:{pages.port}/")
    watching = asyncio.create_task(refresher.watch())
    try:
        await server.serve(sockets=[listening])
    finally:
        watching.cancel()


def listen(port: int) -> socket.socket:
    """A socket at the port of this machine. Raises InputError where the port is taken."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as fault:
        listening.close()
        reason = os.strerror(fault.errno).lower() if isinstance(fault, OSError) and fault.errno else str(fault)
        raise InputError(
            f"--port {port}", expected="a free port of this machine", found=reason, remedy="name another one"
        ) from fault
    return listening


def _describe_tables() -> dict[str, Any]:
    """Datasette's metadata: what each table and column is."""
    tables: dict[str, Any] = {
        table.table_name(): {"description": " ".join((table.__doc__ or "").split()), "columns": columns_of(table)}
        for table in register.TABLES
        if table not in HIDDEN
    }
    tables[Pairs.table_name()] |= {"fts_table": "pairs_words", "fts_pk": "rowid", "sort": "rank"}
    hidden = {name: {"hidden": True} for name in ("figures", "filters", MADE, "sqlite_stat1")}
    return {"title": "Look", "databases": {BASE: {"tables": tables | hidden}}}
