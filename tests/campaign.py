"""The commands of a document, run in their order as a lead types them, and what each did."""

import contextlib
import importlib
import io
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from data.console import run
from data.store import Store
from demo.site import DemoSite

ROOT = Path(__file__).resolve().parent.parent
SITE_PORT, SERVER_PORT = "8018", "8019"
"""As the README names them; the tests take free ones in their places."""

BLOCK = re.compile(
    r"^<!-- run(?:: (?P<mode>\w+))? -->\n```\n(?P<commands>.*?)```\n(?:\n```text\n(?P<said>.*?)```)?", re.M | re.S
)

Said = tuple[int, str, str]
"""Exit code, standard output, standard error."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Commands that stand together, and what the document shows of their output."""

    commands: list[str]
    mode: str
    """`exact`, `findings`, `shown` or empty."""
    shown: str | None


@dataclass(frozen=True, kw_only=True)
class Step:
    """A command of the document and what it did."""

    command: str
    block: Block
    code: int
    said: str
    complained: str


@dataclass(frozen=True, kw_only=True)
class CampaignRun:
    """All commands, in order, and the store they made."""

    steps: list[Step]
    store: Store
    folder: Path
    ports: Mapping[str, str] = field(default_factory=dict)
    """Each port of the document and the one that was taken."""


def read_blocks(document: str) -> Iterator[Block]:
    """The marked blocks, in their order."""
    for block in BLOCK.finditer(document):
        commands = block["commands"].strip().splitlines()
        yield Block(commands=commands, mode=block["mode"] or "", shown=block["said"])


def free_port() -> str:
    """One that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return str(found.getsockname()[1])


def run_document(document: str, ports: Mapping[str, str], call: Callable[[str], Said]) -> Iterator[Step]:
    """Runs the document's commands with other ports, and tells them by the document's; ends after a broken one."""
    for block in read_blocks(document):
        for command in block.commands:
            code, *texts = call(_swap(command, ports))
            back = {taken: name for name, taken in ports.items()}
            said, complained = (_swap(text, back) for text in texts)
            yield Step(command=command, block=block, code=code, said=said, complained=complained)
            if code not in (0, 1):
                return


def matches(shown: str, said: str) -> bool:
    """Whether this is what was said, where `…` stands for anything within a line, and alone for any lines."""
    parts = re.split(r"^…\n", shown, flags=re.M)
    first, *later = (".*?".join(map(re.escape, part.split("…"))) for part in parts)
    found = [rf"(?>(?:.*\n)*?{part})" for part in later[:-1]]  # where a part is found first, no other place is tried
    end = [rf"(?:.*\n)*{part}" for part in later[-1:]]
    return re.fullmatch("".join([first, *found, *end]), said) is not None


def _swap(text: str, names: Mapping[str, str]) -> str:
    return re.sub("|".join(map(re.escape, names)), lambda found: names[found[0]], text) if names else text


def by_process(folder: Path) -> Callable[[str], Said]:
    """Runs a command line in the folder, as a person does in a clone with its environment activated."""
    programs = Path(sys.executable).parent
    environment = {name: value for name, value in os.environ.items() if name != "PARADE_STORE"} | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PARADE_LABEL_STUDIO": str(ROOT / ".label-studio"),
    }

    def call(command: str) -> Said:
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=900
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return call


def in_this_process(command: str) -> Said:
    """Runs a `python -m` of ours here, which spares the start of Python and its libraries."""
    name, *arguments = shlex.split(command.removeprefix("python -m "))
    module = importlib.import_module(f"{name}.__main__" if (ROOT / name).is_dir() else name)
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as complained:
        code = run(module.main, prog=f"python -m {name}", args=arguments)
    return code, said.getvalue(), complained.getvalue()


def run_campaign(folder: Path) -> CampaignRun:
    """Runs the README's commands in `folder`; the demo's site runs beside them."""
    (folder / "demo").symlink_to(ROOT / "demo")
    (folder / "scrapy.cfg").symlink_to(ROOT / "scrapy.cfg")
    call = by_process(folder)
    with ExitStack() as stack:
        site = stack.enter_context(DemoSite())
        ports = {SITE_PORT: site.url.rpartition(":")[2], SERVER_PORT: free_port()}
        stack.callback(call, "python -m annotation server stop")
        steps = list(run_document((ROOT / "README.md").read_text(encoding="utf-8"), ports, call))
    return CampaignRun(steps=steps, store=Store(folder / "data" / "store"), folder=folder, ports=ports)
