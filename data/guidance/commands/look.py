"""The command `look`: the store in the browser."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from data.console.errors import InputError
from data.console.paths import Address
from data.recorded.plans import planned_last
from data.storage.store import Store

SECONDS_TO_END = 60.0
"""How long `watch` may take to end once it is told to."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show the store in the browser: the campaign, pairs, annotators and all tables, always as they are now.

    The pages show a copy that is made again when the store changes. Nothing can be written there, no one but this
    machine can open it, and it holds no name, address, password or key of an annotator.
    """

    port: int = 8012
    """The port, on 127.0.0.1; 0 for any free one."""
    per_hour: float = 0.0
    """Pay per hour of labelling, to show what the campaign costs in money."""
    per_label: float = 0.0
    """Pay per rating, likewise."""
    collect_every: str = ""
    """Also run `annotation watch`, with this wait between two looks at Label Studio, such as 5m or 30s, for the
    campaign that was planned last.
    """

    store: Address = field(default_factory=Store.default_address)
    """Where the tables are: a folder, or an address such as s3://bucket/store."""


def main(arguments: Arguments) -> None:
    """Serve the pages until stopped."""
    os.environ["DATASETTE_LOAD_PLUGINS"] = ""  # none but ours, whatever else is installed
    from data.guidance.look.pages import Rates
    from data.guidance.look.server import listen, serve

    rates, store = Rates(per_hour=arguments.per_hour, per_label=arguments.per_label), Store(arguments.store)
    with listen(arguments.port) as listening, _watching(store, arguments.collect_every) as watched:
        serve(store.address, listening, rates, watched)


@contextmanager
def _watching(store: Store, every: str) -> Iterator[Callable[[], str | None]]:
    """Run `watch` in a process beside the pages, if a wait is given; its lines appear among ours.

    Yields what tells the campaign that it watches at the moment; None where it does not run.

    It has a session of its own, so that ctrl-C reaches this process alone, which passes it on once. A signal that ends
    this process ends `watch` too; a hang-up that `nohup` keeps from this process ends neither.
    """
    if not every:
        yield lambda: None
        return
    campaign = planned_last(store)
    if campaign is None:
        remedy = "plan a campaign first (python -m annotation plan)"
        raise InputError("--collect-every", expected="a campaign", found="none planned", remedy=remedy)
    words = [sys.executable, "-m", "annotation", "watch", "--every", every, "--campaign", campaign]
    words += ["--store", str(store.address)]
    endings = [signal.SIGINT, signal.SIGTERM]  # a script that starts this with & has it ignore the first
    endings += [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
    before = {ending: signal.signal(ending, signal.default_int_handler) for ending in endings}
    try:
        with subprocess.Popen(words, start_new_session=True) as watch:  # noqa: S603 - our own command
            try:
                yield lambda: campaign if watch.poll() is None else None
            finally:
                watch.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    watch.wait(SECONDS_TO_END)
                watch.terminate()
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)
