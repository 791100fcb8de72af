"""Training a language model by lmplz, here one of our own writing, and in the long tests the real one."""

import os
import stat
import sys
from pathlib import Path

import pytest

from data.console.errors import InputError
from data.storage.store import Store
from generation.__main__ import main
from generation.engines import lmplz
from generation.engines.ngrams import NGrams
from tests.generation.world import arpa

TOOLS = {
    "lmplz": """import sys
sentences = sys.stdin.read().splitlines()
if len(sentences) < 2: sys.exit("BadDiscountException: too few")
arguments = sys.argv[1:]
open(arguments[arguments.index("--arpa") + 1], "w").write({arpa!r})
open({log!r}, "w").write("\\n".join([" ".join(arguments), *sentences]))
""",
    "build_binary": "import shutil, sys; shutil.copy(sys.argv[2], sys.argv[3])",
}


def call(*words) -> int:
    return main([str(word) for word in words])


@pytest.fixture
def tools(engines, tmp_path, monkeypatch) -> Path:
    """Programs of our own on the path; the file holds what lmplz was given."""
    folder, log = tmp_path / "bin", tmp_path / "log"
    folder.mkdir()
    for name, code in TOOLS.items():
        program = folder / name
        filled = code.replace("{arpa!r}", repr(arpa())).replace("{log!r}", repr(str(log)))
        program.write_text(f"#!{sys.executable}\n{filled}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log


@pytest.fixture
def texts(tmp_path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("Flights from New York.\nFlights to <s> Florida!\n\nA held out sentence of the store .\n")
    return path


def test_texts_are_tokens_in_lower_case_without_held_out_sentences(tools, texts, tmp_path, capsys):
    store = Store(tmp_path / "store")
    assert call("sentences", "--lines", texts, "--store", store.root, "--shortest", 8) == 0
    model = tmp_path / "new" / "lm.bin"
    assert call("lm", model, "--train", "--lines", texts, "--store", store.root, "--prune", 0, 1) == 0
    arguments, *sentences = tools.read_text().splitlines()
    assert sentences == ["flights from new york .", "flights to < s > florida !"]
    assert "--order 5" in arguments
    assert "--prune 0 1" in arguments
    out = capsys.readouterr().out
    assert "trained on 2 sentences" in out
    assert "2-gram lm.bin" in out
    assert "1 sentence of the store: perplexity" in out


def test_a_refusal_of_lmplz_is_one_line_and_leaves_no_file(tools, tmp_path, capsys):
    path = tmp_path / "one.txt"
    path.write_text("one sentence\n")
    assert call("lm", tmp_path / "lm.bin", "--train", "--lines", path, "--store", tmp_path / "store") == 2
    assert "found BadDiscountException: too few" in capsys.readouterr().err
    assert not list(tmp_path.glob("lm.bin*"))


def test_without_a_compiler_the_packages_to_install_are_named(engines, texts, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lmplz.shutil, "which", lambda name: None)
    monkeypatch.setattr(lmplz.sys, "prefix", str(tmp_path))
    assert call("lm", tmp_path / "lm.bin", "--train", "--lines", texts, "--store", tmp_path / "store") == 2
    err = capsys.readouterr().err
    assert "found no g++" in err
    assert "apt-get install g++ make cmake libboost" in err


def test_what_cmake_does_not_find_is_said():
    said = "CMake Error at Find.cmake:230 (message):\n  Could NOT find Boost (missing: system)\n"
    with pytest.raises(InputError, match=r"Could NOT find Boost \(missing: system\)"):
        lmplz._run([sys.executable, "-c", f"import sys; sys.exit({said!r})"])


def test_papers_of_any_form_are_trained_on_and_lost_records_are_named(tools, tmp_path, capsys):
    bib = tmp_path / "a.bib"
    bib.write_text("@a{b, title={T}, abstract={The server waits. The client asks.}}\n@a{c, year=1999}\n")
    assert call("lm", tmp_path / "lm.bin", "--train", "--papers", bib, "--store", tmp_path / "s") == 1
    assert (tmp_path / "log").read_text().splitlines()[1:] == ["the server waits .", "the client asks ."]
    shown = capsys.readouterr()
    assert "1 of 2 papers count, 1 no_text" in shown.out
    assert "1 of 2 records of a.bib (50%)" in shown.err


def test_training_without_texts_is_said(engines, tmp_path, capsys):
    assert call("lm", tmp_path / "lm.bin", "--train", "--store", tmp_path / "store") == 2
    assert "lm --train: expected texts, found none; give --papers or --lines" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--order", 7], "--order: expected from 2 to 6, as KenLM reads, found 7"),
        (["--prune", 5, 1], "none lower than the one before, found 5 1; try 0 0 1"),
        (["--prune", -1], "found -1; give another number"),
        (["--order", 2, "--prune", 0, 0, 1], "expected at most 2 counts"),
    ],
)
def test_orders_and_counts_that_lmplz_refuses_are_refused_first(engines, texts, capsys, flags, message):
    assert call("lm", texts.parent / "lm.bin", "--train", "--lines", texts, "--store", texts.parent / "s", *flags) == 2
    assert message in capsys.readouterr().err


def test_texts_without_train_are_not_ignored(toy_arpa, texts, capsys):
    assert call("lm", toy_arpa, "--lines", texts) == 2
    assert "lm: expected --train, to make a model, found texts, and no --train" in capsys.readouterr().err


def test_a_file_that_is_no_model_is_not_overwritten(tools, toy_arpa, texts, tmp_path, capsys):
    before = texts.read_text()
    assert call("lm", texts, "--train", "--lines", texts, "--store", tmp_path / "s") == 2
    assert "expected a new file to write, or an earlier model, found a file that is no" in capsys.readouterr().err
    assert texts.read_text() == before
    assert call("lm", tmp_path, "--train", "--lines", texts, "--store", tmp_path / "s") == 2
    assert "found a folder" in capsys.readouterr().err
    model = tmp_path / "old.arpa"
    model.write_bytes(toy_arpa.read_bytes())
    assert call("lm", model, "--train", "--lines", texts, "--store", tmp_path / "s") == 0


def test_texts_without_a_sentence_are_said(tools, tmp_path, capsys, monkeypatch):
    path = tmp_path / "blank.txt"
    path.write_text("\n  \n")
    monkeypatch.setattr(lmplz, "_feed", lambda command, sentences: len(list(sentences)))
    assert call("lm", tmp_path / "lm.bin", "--train", "--lines", path, "--store", tmp_path / "s") == 2
    assert "expected sentences that the store lacks, found none; give more text, or" in capsys.readouterr().err


def test_an_early_end_of_lmplz_is_its_own_message(tools, tmp_path, capsys):
    program = tmp_path / "bin" / "lmplz"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no room for it\\nERROR')\n")
    path = tmp_path / "many.txt"
    path.write_text("a b c d e f g h i j k l m n o p\n" * 20_000)
    assert call("lm", tmp_path / "lm.bin", "--train", "--lines", path, "--store", tmp_path / "s") == 2
    assert "found no room for it;" in capsys.readouterr().err


def test_scores_are_printed(toy_arpa, tmp_path, capsys):
    assert call("lm", toy_arpa, "--score", "Flights from New York to Florida", "--store", tmp_path) == 0
    assert "-4.145  Flights from New York to Florida" in capsys.readouterr().out


@pytest.mark.sweep
def test_lmplz_is_built_from_the_package_once_and_makes_a_model(engines, tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(f"a {noun} of the {other} ." for noun in "abcdefgh" for other in "klmnopq"))
    assert call("lm", tmp_path / "lm.bin", "--train", "--lines", path, "--order", 3, "--store", tmp_path / "s") == 0
    model = NGrams(tmp_path / "lm.bin")
    assert model.order == 3
    seen, reversed_ = model.score(["a b of the k .", ". k the of b a"])
    assert seen > reversed_
