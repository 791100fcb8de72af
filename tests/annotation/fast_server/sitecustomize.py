"""Python imports this at its start: a server for tests checks passwords in no time and does not wait for the disk.

Only a server that a test starts has this folder on its path: no flag, file or variable leads a campaign's server here.
A password takes 0.85 s otherwise, and a label thirty commits.
"""

import sqlite3

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db.backends.sqlite3.base import DatabaseWrapper

PBKDF2PasswordHasher.iterations = 1
_connect = DatabaseWrapper.get_new_connection


def _connect_without_waiting(wrapper: DatabaseWrapper, options: dict[str, object]) -> sqlite3.Connection:
    connection: sqlite3.Connection = _connect(wrapper, options)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


DatabaseWrapper.get_new_connection = _connect_without_waiting
