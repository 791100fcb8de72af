"""A real Dask cluster on 127.0.0.1: a scheduler and workers, each a process of its own."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS_TO_START = 600


class Cluster:
    """A scheduler and workers without nannies: who is killed stays dead."""

    def __init__(self, folder: Path, n_workers: int = 2) -> None:
        self._folder, self._n_workers = folder, n_workers
        self._processes: list[subprocess.Popen[bytes]] = []
        self.address = ""

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        return self._processes[1:]

    def __enter__(self) -> "Cluster":
        described = self._folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(described))
        self.address = self._wait(lambda: json.loads(described.read_text())["address"])
        for _ in range(self._n_workers):
            self.start_worker()
        if self._n_workers:
            from distributed import Client

            with Client(self.address, timeout=SECONDS_TO_START) as client:
                client.wait_for_workers(self._n_workers, timeout=SECONDS_TO_START)
        return self

    def start_worker(self, path: Path = ROOT) -> None:
        """Start one whose modules are first looked for in `path`, and then in the project."""
        self._start("worker", self.address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", path=path)

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    @property
    def scheduler(self) -> subprocess.Popen[bytes]:
        return self._processes[0]

    def _start(self, what: str, *words: str, path: Path = ROOT) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, "--no-dashboard"]
        environment = os.environ | {
            "PYTHONPATH": f"{path}{os.pathsep}{ROOT}",
            "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "false",
        }
        with (self._folder / f"{what}.log").open("ab") as log:
            process = subprocess.Popen(command, cwd=self._folder, env=environment, stdout=log, stderr=log)
        self._processes.append(process)

    def _wait(self, ready) -> str:  # type: ignore[no-untyped-def]
        until, pause = time.monotonic() + SECONDS_TO_START, threading.Event()
        while True:
            try:
                return str(ready())
            except (OSError, ValueError):
                if time.monotonic() > until:
                    raise
                pause.wait(0.02)
