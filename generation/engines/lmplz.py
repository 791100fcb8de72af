"""Training n-gram models with KenLM's own `lmplz`, built once from the source distribution of the package kenlm."""

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from data.console.errors import InputError
from data.files.whole import whole_file, whole_folder

PROGRAMS = ("lmplz", "build_binary")
DEBIAN = (
    "apt-get install g++ make cmake libboost-program-options-dev libboost-system-dev libboost-thread-dev "
    "libboost-test-dev zlib1g-dev libbz2-dev liblzma-dev"
)
MEMORY = "1G"


def programs(say: Callable[[str], None]) -> dict[str, str]:
    """The paths of lmplz and build_binary: those installed, those built before, or new ones, which takes minutes.

    Raises InputError, with the Debian packages to install, where they cannot be built.
    """
    built = Path(sys.prefix) / "share" / f"kenlm-{version('kenlm')}"
    paths = {name: shutil.which(name) or str(built / name) for name in PROGRAMS}
    if not all(Path(path).is_file() for path in paths.values()):
        say("lmplz is built from the package kenlm, once: some minutes")
        if missing := [tool for tool in ("g++", "make", "cmake") if shutil.which(tool) is None]:
            raise _cannot_build(f"no {missing[0]}")
        shutil.rmtree(built, ignore_errors=True)
        with TemporaryDirectory() as scratch, whole_folder(built) as folder:
            for program in _build(Path(scratch)):
                shutil.copy2(program, folder)
    return paths


def _build(scratch: Path) -> list[Path]:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*pip, "--no-binary", ":all:", "--dest", str(scratch), f"kenlm=={version('kenlm')}"])
    archive = next(scratch.glob("kenlm-*.tar.gz"))
    with tarfile.open(archive) as file:
        file.extractall(scratch, filter="data")
    source = scratch / archive.name.removesuffix(".tar.gz")
    build = scratch / "build"
    _run(["cmake", "-S", str(source), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"])
    _run(["make", "-C", str(build), f"-j{len(os.sched_getaffinity(0))}", *PROGRAMS])
    return [build / "bin" / name for name in PROGRAMS]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - ours
    if done.returncode:
        said = [line.strip() for line in (done.stderr or done.stdout).splitlines()]
        first = next((at for at, line in enumerate(said) if "rror" in line), 0)
        raise _cannot_build(" ".join(said[first : first + 3]))  # cmake says below its first line what is missing


def _cannot_build(found: str) -> InputError:
    return InputError(
        "lm --train",
        expected="what builds lmplz from the package kenlm: a compiler, cmake and Boost",
        found=" ".join(found.split())[:250] or "no word",
        remedy=f"run `{DEBIAN}`, or bring a model made elsewhere",
    )


def train(sentences: Iterable[str], out: Path, *, order: int, prune: tuple[int, ...], tools: dict[str, str]) -> int:
    """Write the binary n-gram model of the sentences, which are tokens between spaces; return how many there were.

    `prune` holds, from the shortest n-grams on, the counts up to which n-grams are left out; the last one holds for
    longer ones. Raises InputError where there is no sentence, or lmplz refuses the texts.
    """
    with TemporaryDirectory(dir=out.absolute().parent) as scratch:
        arpa = Path(scratch) / "model.arpa"
        command = [tools["lmplz"], "--order", str(order), "--memory", MEMORY, "--temp_prefix", f"{scratch}/", "--arpa"]
        command += [str(arpa), "--discount_fallback"]
        if any(prune):
            command += ["--prune", *map(str, prune)]
        n = _feed(command, sentences)
        if not n:
            remedy = "give more text, or --no-hold-out"
            raise InputError("lm --train", expected="sentences that the store lacks", found="none", remedy=remedy)
        with whole_file(out) as unfinished:
            _run_tool([tools["build_binary"], "probing", str(arpa), str(unfinished)])
    return n


def _feed(command: list[str], sentences: Iterable[str]) -> int:
    n = 0
    with TemporaryDirectory() as logs, (Path(logs) / "log").open("w+b") as log:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": log}
        with subprocess.Popen(command, **pipes) as process:  # noqa: S603 - ours
            assert process.stdin is not None  # noqa: S101 - it is a pipe
            with suppress(BrokenPipeError):  # lmplz ended early; its log says why
                for sentence in sentences:
                    process.stdin.write(sentence.encode() + b"\n")
                    n += 1
            with suppress(BrokenPipeError):
                process.stdin.close()
        log.seek(0)
        _require_valid(process.returncode, log.read())
    return n


def _run_tool(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - ours
    _require_valid(done.returncode, done.stderr)


def _require_valid(code: int, log: bytes) -> None:
    if code:
        lines = [
            line for line in map(str.strip, log.decode("utf-8", "replace").splitlines()) if line not in ("", "ERROR")
        ]
        raise InputError(
            "lm --train",
            expected="texts that a model can be made of",
            found=lines[-1][:200] if lines else f"an end with {code}",
            remedy="give more text, or a lower --order",
        )
