"""The errors that a command shows as one line, and the findings that it ends with."""

from typing import Any

MAX_FOUND_CHARS = 500
"""Characters of what was found that an error shows."""


class ParadeError(Exception):
    """A fault that a person can fix: where, what was expected, what was found and what to do (exit code 2)."""

    def __init__(self, where: object, *, expected: str, found: str, remedy: str) -> None:
        """`where` names the file, table, row or server; the other three complete the sentence."""
        shown = found if len(found) <= MAX_FOUND_CHARS else f"{found[:MAX_FOUND_CHARS]}…"
        super().__init__(f"{where}: expected {expected}, found {shown}; {remedy}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the error of a worker reach the process that started it."""
        return restore, (type(self), *self.args)


def restore(kind: type[ParadeError], message: str) -> ParadeError:
    """The error that another process raised with this message."""
    error = kind.__new__(kind, message)
    error.args = (message,)
    return error


class InputError(ParadeError):
    """A file or an argument that cannot be used."""


class TableError(ParadeError):
    """Rows or columns that break a table's declared type."""


class StoreBusy(ParadeError):
    """Another run holds the lock."""


class ServerError(ParadeError):
    """Label Studio does not answer, or not as expected."""


class Findings(Exception):
    """The work is done and written, but there is something that a person should look at (exit code 1)."""
