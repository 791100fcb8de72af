"""Run the commands of a document in their order, as a campaign lead types them."""

import contextlib
import io
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

import pandas as pd

from annotation.label_studio.server.environment import SWITCHES
from data.console.rooms import run_program
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from data.storage.store import Store
from demo.site import DemoSite
from tests.commands import environment, run_all

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("terms", "cards", "pairs", "labels", "splits-and-report", "release", "store")
"""The documents whose commands run over one store, in the order of the flow."""
SITE_PORT, SERVER_PORT = "8018", "8019"
"""As in the documents; the tests replace them with free ones."""

BLOCK = re.compile(
    r"^<!-- run(?:: (?P<mode>\w+))? -->\n```\n(?P<commands>.*?)```\n(?:\n```text\n(?P<output>.*?)```)?", re.M | re.S
)

Outcome = tuple[int, str, str]
"""Exit code, standard output, standard error."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Commands of one code block, and the output that the document shows for them."""

    commands: list[str]
    mode: str
    """`exact`: the output is as shown; `findings`: the same, and the exit code is 1; empty: the output may differ."""
    shown: str | None


@dataclass(frozen=True, kw_only=True)
class Step:
    """A command of the document and its outcome."""

    command: str
    block: Block
    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class CampaignRun:
    """All commands in their order, and the store that they filled."""

    steps: list[Step]
    store: Store
    folder: Path
    ports: Mapping[str, str] = field(default_factory=dict)
    """Port in the document -> port that was used."""


def read_blocks(document: str) -> Iterator[Block]:
    """The marked blocks of a document in their order."""
    for block in BLOCK.finditer(document):
        commands = block["commands"].strip().splitlines()
        yield Block(commands=commands, mode=block["mode"] or "", shown=block["output"])


def read(name: str) -> str:
    """The text of a document of docs/."""
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def failures(steps: list[Step]) -> list[str]:
    """The commands that ended with another exit code than the document says, with what they printed."""
    return [
        f"{step.command}: {step.code}\n{step.out}\n{step.err}"
        for step in steps
        if step.code != (1 if step.block.mode == "findings" else 0)
    ]


def differences(steps: list[Step]) -> list[tuple[str, str]]:
    """What the documents show and what the commands of the block printed, where they differ."""
    blocks = [(block, list(group)) for block, group in groupby(steps, key=lambda step: step.block)]
    outputs = [(block, "".join(step.out for step in group)) for block, group in blocks]
    return [
        (block.shown, output) for block, output in outputs
        if block.mode and block.shown is not None and not matches(block.shown, output)
    ]  # fmt: skip


def free_port() -> str:
    """A port on which no process listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


@contextmanager
def fast_servers() -> Iterator[None]:
    """Let servers that start in this process not wait for passwords and the disk, by `fast_server/sitecustomize.py`."""
    folders = [SWITCHES["PYTHONPATH"], str(ROOT / "tests" / "annotation" / "fast_server")]
    with patch.dict(SWITCHES, PYTHONPATH=os.pathsep.join(folders)):
        yield


def run_document(document: str, ports: Mapping[str, str], call: Callable[[str], Outcome]) -> Iterator[Step]:
    """Run the document's commands with other ports, reported as the document's own; stop after a failure."""
    for block in read_blocks(document):
        for command in block.commands:
            code, *texts = call(_swap(command, ports))
            back = {used: documented for documented, used in ports.items()}
            out, err = (_swap(text, back) for text in texts)
            yield Step(command=command, block=block, code=code, out=out, err=err)
            if code not in (0, 1):
                return


def matches(shown: str, output: str) -> bool:
    """Whether the output is as shown, where `…` matches anything within a line, or on its own for any lines."""
    parts = re.split(r"^…\n", shown, flags=re.M)
    first, *later = (".*?".join(map(re.escape, part.split("…"))) for part in parts)
    middle = [rf"(?>(?:.*\n)*?{part})" for part in later[:-1]]  # only the first match of a part is tried
    end = [rf"(?:.*\n)*{part}" for part in later[-1:]]
    return re.fullmatch("".join([first, *middle, *end]), output) is not None


def _swap(text: str, names: Mapping[str, str]) -> str:
    return re.sub("|".join(map(re.escape, names)), lambda match: names[match[0]], text) if names else text


def in_this_process(command: str) -> Outcome:
    """Run one of our `python -m` commands here, which saves the start of Python and its libraries."""
    name, *arguments = shlex.split(command.removeprefix("python -m "))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = run_program(name, arguments)
    return code, out.getvalue(), err.getvalue()


def in_folder(folder: Path) -> Callable[[str], Outcome]:
    """A function that runs a command line in the folder, as in a clone with its environment activated.

    Commands of `annotation` run here: they are many, and a server that they start has this process's cheap passwords.
    Our other commands run in a process each, by `tests.commands`; what is not ours in a shell.
    """
    variables = environment() | {"PARADE_LABEL_STUDIO": str(ROOT / ".label-studio")}

    def call(command: str) -> Outcome:
        words = shlex.split(command)
        if words[:3] == ["python", "-m", "annotation"]:
            with contextlib.chdir(folder), patch.dict(os.environ, variables, clear=True):
                return in_this_process(command)
        if words[0] == "scrapy" or words[:2] == ["python", "-m"]:
            done = run_all([words], variables=variables, folder=folder)
        else:
            done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return call


def run_over_pairs(document: str, port: str, folder: Path) -> CampaignRun:
    """Run a document's commands over the pairs of `miniature/pairs.csv`: vectors would differ between processors."""
    (folder / "demo").symlink_to(ROOT / "demo")
    store = Store(folder / "data" / "store")
    pairs = pd.read_csv(ROOT / "tests" / "miniature" / "pairs.csv")
    more = {"generator": "recommended", "cluster": 0, "similarity": 0.9, "selection": "every-pair"}
    pairs = pairs.assign(**more, rank=range(len(pairs)), parents=[[] for _ in pairs.index])
    store.replace(Pairs, pairs, Manifest(stage="clustering"), generator="recommended")
    call = in_folder(folder)
    try:
        steps = list(run_document(document, {port: free_port()}, call))
    finally:
        call("python -m annotation server stop")
    return CampaignRun(steps=steps, store=store, folder=folder)


def run_campaign(folder: Path) -> CampaignRun:
    """Run the commands of the stages' documents in `folder` while the demo's site is up."""
    (folder / "demo").symlink_to(ROOT / "demo")
    (folder / "scrapy.cfg").symlink_to(ROOT / "scrapy.cfg")
    call = in_folder(folder)
    with ExitStack() as stack:
        stack.enter_context(fast_servers())
        site = stack.enter_context(DemoSite())
        ports = {SITE_PORT: site.url.rpartition(":")[2], SERVER_PORT: free_port()}
        stack.callback(call, "python -m annotation server stop")
        steps = list(run_document("\n".join(map(read, STAGES)), ports, call))
    return CampaignRun(steps=steps, store=Store(folder / "data" / "store"), folder=folder, ports=ports)
