"""Migrate, create the administrator, then become gunicorn: python -m parade_gate.serve ADDRESS WORKERS.

For several workers on a database server; `label-studio start` does the same for one process.
"""

import os
import sys

GUNICORN = ["--threads", "4", "--timeout", "120", "--keep-alive", "75", "--no-control-socket"]
"""Threads, because a page mostly waits for the database; keep-alive for longer than an annotator takes per pair."""


def main(address: str, workers: int) -> None:
    """Never return: gunicorn takes over the process, with its lock and its number."""
    from label_studio import server
    from label_studio.core.argparser import parse_input_args

    server._setup_env()
    server._apply_database_migrations()
    server._create_user(parse_input_args(["start"]), {})
    command = [sys.executable, "-m", "gunicorn", "core.wsgi:application", *GUNICORN]
    command += ["--bind", address, "--workers", str(workers)]
    os.environ["PYTHONPATH"] = os.pathsep.join([os.environ["PYTHONPATH"], server.LS_PATH])
    os.execv(sys.executable, command)  # noqa: S606 - our own program


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
