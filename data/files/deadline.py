"""An end to the reading of one file or page, whatever it holds."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PROCESSOR_SECONDS = 30.0
"""Of the processor, for one file or page: the largest known decks take a tenth."""


class DeadlineError(Exception):
    """What is being read takes too long."""


@contextmanager
def deadline(seconds: float | None = None) -> Iterator[None]:
    """Raise DeadlineError in the block after this many seconds (default: PROCESSOR_SECONDS) of the processor.

    Python asks for signals within a regular expression too, which ctrl-C under Scrapy does not end: Scrapy only notes
    it. Signals come in the main thread, so another one has no deadline; within a deadline, a further one has no effect.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getitimer(signal.ITIMER_PROF)[0]:
        yield
        return
    before = signal.signal(signal.SIGPROF, _stop)
    try:
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS if seconds is None else seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _stop(*_: object) -> None:
    raise DeadlineError
