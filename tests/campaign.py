"""The README's campaign, run once a session for all tests that look at it."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from data.store import Store
from demo.site import DemoSite

ROOT = Path(__file__).resolve().parent.parent
SITE_PORT = 8018
BLOCK = re.compile(
    r"^<!-- run(?:: (?P<mode>\w+))? -->\n```\n(?P<commands>.*?)```\n(?:\n```text\n(?P<said>.*?)```)?", re.M | re.S
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """A command of the README and what it did."""

    command: str
    mode: str
    expected: str | None
    """What the README says it prints; None where it shows nothing."""
    code: int
    said: str
    complained: str


@dataclass(frozen=True, kw_only=True)
class CampaignRun:
    """All commands, in order, and the store they made."""

    steps: list[Step]
    store: Store
    folder: Path


def read_commands(readme: str) -> Iterator[tuple[str, str, str | None]]:
    """Each marked command with its mode (`exact`, `findings` or empty) and the output shown below its block."""
    for block in BLOCK.finditer(readme):
        commands = block["commands"].strip().splitlines()
        for command in commands:
            yield command, block["mode"] or "", block["said"] if len(commands) == 1 else None


def run_campaign(folder: Path) -> CampaignRun:
    """Runs the README's commands in `folder` as a person would in a clone; the demo's site runs beside them."""
    (folder / "demo").symlink_to(ROOT / "demo")
    (folder / "scrapy.cfg").symlink_to(ROOT / "scrapy.cfg")
    programs = Path(sys.executable).parent
    environment = {name: value for name, value in os.environ.items() if name != "PARADE_STORE"} | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PARADE_LABEL_STUDIO": str(ROOT / ".label-studio"),
    }
    steps = []
    with ExitStack() as stack:
        stack.enter_context(DemoSite(port=SITE_PORT))
        stop = ["python", "-m", "annotation", "server", "stop"]
        stack.callback(subprocess.run, stop, cwd=folder, env=environment, capture_output=True, check=False)
        for command, mode, expected in read_commands((ROOT / "README.md").read_text(encoding="utf-8")):
            done = subprocess.run(
                shlex.split(command),
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=900,
            )
            steps.append(
                Step(
                    command=command,
                    mode=mode,
                    expected=expected,
                    code=done.returncode,
                    said=done.stdout,
                    complained=done.stderr,
                )
            )
            if done.returncode not in (0, 1):
                break
    return CampaignRun(steps=steps, store=Store(folder / "data" / "store"), folder=folder)
