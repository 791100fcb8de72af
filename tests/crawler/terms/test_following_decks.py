"""Terms that follow the fronts of decks, and what a crawl says of the fronts that are no terms."""

import json
import re
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import definitions, terminology
from crawler.commands.closing import finish
from crawler.config import TermConfig
from crawler.ledger.ledger import Ledger
from crawler.ledger.licences import StatementAccount
from crawler.terms.extraction import find_terms, may_be_terms
from crawler.terms.front_advice import sort_fronts
from crawler.terms.fronts import widen_limits
from crawler.terms.limits import limits
from crawler.terms.lists import read_terms
from crawler.terms.word_store import PaperWords, keep, open_kept, read_kept_terms
from data.console.commands import run
from data.contract.tables.definitions import Cards, Definitions, Terms
from data.contract.tables.removals import Rejects
from data.storage import manifest
from data.storage.store import Store
from data.texts.languages.en import ENGLISH
from tests.crawler.tools.counting import tokens_of
from tests.crawler.tools.crawling import crawl

PAPERS = {
    "enzyme": 12,
    "blood pressure": 12,
    "deep vein clot risk": 12,
    "type 2 diabetes": 12,
    "heart rate": 5,
    "cell wall": 1,
    "of tissue": 12,
}
"""Phrase -> the number of papers that contain it."""
FRONTS = [*PAPERS, "unicorn tail", "Which organ beats at night?"]
ENDS = "keeps warm, moves food, protects us, grows slowly, is very small, was found late, rests at night, heals itself"
BACKS = [f"the part that {end}" for end in ENDS.split(", ")]


@pytest.fixture
def papers(tmp_path):
    lines = [
        {"id": f"{phrase} {n}", "title": f"Study {chr(97 + n)}{phrase[:2]}", "abstract": f"We saw: {phrase}. "}
        for phrase, often in PAPERS.items()
        for n in range(often)
    ]
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "deck.tsv"
    path.write_text("".join(f"{front}\t{back}\n" for front in FRONTS for back in BACKS))
    return path


def find(store, *arguments):
    flags = [str(argument) for argument in (*arguments, "--store", store.root)]
    return run(terminology.main, prog="terminology", args=flags, recipes=terminology.RECIPES)


def define(store):
    flags = ["--store", str(store.root)]
    return run(definitions.main, prog="definitions", args=flags, recipes=definitions.RECIPES)


def terms(store):
    return set(store.read(Terms)["term"])


@given(st.lists(st.integers(1, 8), max_size=60))
def test_lengths_follow_the_fronts_and_flags_go_before(lengths):
    names = [" ".join([f"w{number}"] * n) for number, n in enumerate(lengths)]
    usual = limits(TermConfig(), 0)
    used = widen_limits(usual, names, TermConfig())
    often = {n for n in (1, 2, 3, 4) if lengths.count(n) >= 0.05 * len(lengths) > 0}
    assert used.min_words == min(often | {2})
    assert used.max_words == max(often | {3})
    for config in (TermConfig.paper(), TermConfig(min_words=2, max_words=3), TermConfig(limit=5)):
        assert widen_limits(usual, names, config) == usual


def test_kept_words_give_the_same_measures(tmp_path):
    tokens = tokens_of([("hash tables", "a trie"), ("hash table", "level 2 cache")])
    words = PaperWords(tokens=tokens, n_papers=2, config=TermConfig(above=1), language=ENGLISH, dropped=("trie",))
    names = ["hash table", "trie", "level 2 cache", "tree"]
    measured = words.measure(names)
    keep(words, words.measure(["hash table"]), tmp_path, "these papers")
    kept = open_kept(tmp_path, "these papers")
    assert kept is not None
    assert (kept.n_papers, kept.config, kept.dropped) == (2, TermConfig(above=1), ("trie",))
    pd.testing.assert_frame_equal(kept.measure(names), measured)
    assert read_kept_terms(tmp_path)["term"].tolist() == ["hash table"]
    assert open_kept(tmp_path / "elsewhere", "these papers") is None
    assert open_kept(tmp_path, "other papers") is None


def damage(folder, fault):
    """Do to the kept words what a killed run, a full disk or an older version leaves."""
    about = folder / "about.json"
    if fault == "missing":
        shutil.rmtree(folder)
    elif fault == "half a file":
        (folder / "piece-0.npz").write_bytes((folder / "piece-0.npz").read_bytes()[:100])
    elif fault == "file missing":
        (folder / "terms.parquet").unlink()
    elif fault == "another version":
        about.write_text(json.dumps({"config": {"gone": 1}, "vocabulary": []}))
    else:
        about.write_text(fault)


@pytest.mark.sweep
@pytest.mark.parametrize("fault", ["missing", "half a file", "file missing", "another version", "{", "[]", "\ud800"])
def test_damaged_words_are_said_by_a_crawl_and_replaced_by_terminology(store, papers, deck, capsys, fault):
    assert find(store, papers, "--above", "8") == 0
    folder = store.root / "words"
    if fault == "\ud800":
        (folder / "about.json").write_bytes(b"\xff\xfe{")
    else:
        damage(folder, fault)
    before = terms(store)
    done = crawl("files", "-a", f"path={deck}", store=store.root)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the words of the papers are missing") == 1
    assert "  all of them: -a terms=any" not in done.stdout
    assert terms(store) == before
    assert find(store, papers, "--above", "8") == 0
    assert {"enzyme", "deep vein clot risk"} <= terms(store)
    crawl("files", "-a", f"path={deck}", store=store.root)
    capsys.readouterr()
    assert find(store, papers, "--above", "8") == 0
    assert "nothing to do" in capsys.readouterr().out


STEPS = ["reject", "replace", "keep"]


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_run_leaves_no_words_of_other_terms(store, papers, monkeypatch, step):
    def kill(*_, **__):
        raise KeyboardInterrupt

    assert find(store, papers, "--above", "8") == 0
    with monkeypatch.context() as patched:
        if step == "keep":
            patched.setattr(terminology, "keep", kill)
        else:
            patched.setattr(Store, step, kill)
        assert find(store, papers, "--above", "4") == 130
    assert find(store, papers, "--above", "8") == 0
    record = store.manifest(Terms)
    kept = open_kept(store.root, record["fingerprint"])
    assert kept is not None
    assert (kept.config.above, record["counts"]["limits"]["above"]) == (8, 8)
    assert store.manifest(Rejects, stage="crawler.terminology", part="")["config"]["terms"]["above"] == 8


@pytest.mark.parametrize("step", ["reject", "replace", "forget"])
def test_a_killed_run_over_a_list_leaves_the_papers_as_good(store, papers, monkeypatch, step):
    def kill(*_, **__):
        raise KeyboardInterrupt

    assert find(store, papers, "--above", "8") == 0
    names = papers.with_name("list.txt")
    names.write_text("heart rate\n")
    with monkeypatch.context() as patched:
        if step == "forget":
            patched.setattr(terminology, "forget", kill)
        else:
            patched.setattr(Store, step, kill)
        assert find(store, "--terms", names) == 130
    before = terms(store)
    assert find(store, papers, "--above", "8") == 0
    assert "blood pressure" in terms(store)
    assert open_kept(store.root, store.manifest(Terms)["fingerprint"]) is not None
    assert before


@pytest.mark.sweep
def test_fronts_of_decks_become_terms_where_decks_have_many_of_their_length(store, papers, deck, capsys):
    assert find(store, papers, "--above", "8") == 0
    assert {"blood pressure", "type 2 diabetes", "vein clot risk"} <= terms(store)
    assert not {"enzyme", "deep vein clot risk"} & terms(store)
    done = crawl("files", "-a", f"path={deck}", store=store.root)
    assert "terms now have 1 to 4 words and occur in more than 8 papers\n9 terms, 2 of them fronts" in done.stdout
    assert {"enzyme", "deep vein clot risk"} <= terms(store)
    assert set(store.read(Cards)["term"]) == {"enzyme", "blood pressure", "deep vein clot risk", "type 2 diabetes"}
    assert store.manifest(Terms)["counts"]["limits"] == {"min_words": 1, "max_words": 4, "above": 8}
    before, version = terms(store), store.version(Terms)
    assert find(store, papers, "--above", "8") == 0
    assert "nothing to do" in capsys.readouterr().out
    assert store.version(Terms) == version
    drop = papers.with_name("drop.txt")
    drop.write_text("enzymes\n")
    assert find(store, papers, "--above", "8", "--drop", drop) == 0
    assert terms(store) == before - {"enzyme"}
    crawl("files", "-a", f"path={deck}", store=store.root)
    assert terms(store) == before - {"enzyme"}
    assert find(store, papers, "--above", "8", "--min-words", "2", "--max-words", "3") == 0
    assert not {"enzyme", "deep vein clot risk"} & terms(store)


TWO_WORDS = [f"unicorn {first}{second}" for first in "abcdefgh" for second in "abcdefgh"]


@pytest.mark.sweep
def test_terms_match_the_papers_and_all_decks_in_any_order(store, tmp_path, papers, capsys):
    """Enough fronts of two words leave single words under a share of one in 20."""
    many = tmp_path / "many.tsv"
    many.write_text("".join(f"{front}\t{BACKS[0]}\n" for front in TWO_WORDS))
    few = tmp_path / "few.tsv"
    few.write_text(f"enzyme\t{BACKS[0]}\ndeep vein clot risk\t{BACKS[0]}\n")
    assert find(store, papers, "--above", "8") == 0
    usual = terms(store)
    for path, more in ((few, {"enzyme", "deep vein clot risk"}), (many, set())):
        printed = crawl("files", "-a", f"path={path}", store=store.root).stdout
        assert terms(store) == usual | more
        counts = store.manifest(Terms)["counts"]
        assert counts["rows_out"] == len(usual | more)
        assert counts["rejects"] == {}
        limits = counts["limits"]
        assert f"terms now have {limits['min_words']} to {limits['max_words']} words" in printed
        version = store.version(Terms)
        capsys.readouterr()
        assert find(store, papers, "--above", "8") == 0
        assert "nothing to do" in capsys.readouterr().out
        assert store.version(Terms) == version
        assert "terms now" not in crawl("files", "-a", f"path={path}", store=store.root).stdout


@pytest.mark.sweep
def test_terms_of_another_version_follow_no_decks_until_they_are_made_again(store, papers, deck, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        patched.setattr(manifest, "code_version", lambda stage: "an older one")
        assert find(store, papers, "--above", "8") == 0
    before = terms(store)
    assert "of another version of this program" in crawl("files", "-a", f"path={deck}", store=store.root).stdout
    assert terms(store) == before
    capsys.readouterr()
    assert find(store, papers, "--above", "8") == 0
    assert "9 terms, 2 of them fronts of the decks, written" in capsys.readouterr().out
    assert terms(store) == before | {"enzyme", "deep vein clot risk"}


@pytest.mark.sweep
def test_a_stopped_crawl_leaves_the_terms_as_they_are(store, papers, deck):
    """Its ledger has a part of the decks."""
    assert find(store, papers, "--above", "8") == 0
    crawl("files", "-a", f"path={deck}", "-a", "terms=any", store=store.root)
    stopped = SimpleNamespace(stats=SimpleNamespace(get_value={"finish_reason": "shutdown"}.get), spider=None)
    before = terms(store)
    with Ledger(store.root / "ledgers" / "files.sqlite") as ledger, pytest.raises(KeyboardInterrupt):
        finish(store, ledger, read_terms(store, "table"), stopped, StatementAccount(lines=(), faults=()))
    assert terms(store) == before


@pytest.mark.sweep
def test_what_flags_would_bring_is_what_they_bring(store, papers, deck, capsys):
    flags = {"--min-words": "2", "--max-words": "3", "--above": "8"}

    def run_line(changed):
        parts = [part for flag in (flags | changed).items() for part in flag]
        assert find(store, papers, *parts) == 0
        return crawl("files", "-a", f"path={deck}", store=store.root)

    printed = run_line({}).stdout
    lines = dict(re.findall(r"^  (\d+ [^:]*): (.*) would give", printed, re.MULTILINE))
    assert lines == {
        "8 are single words in more than 8 papers": "--min-words 1",
        "8 have 4 words and are in more than 8 papers": "--max-words 4",
        "8 are in 3 to 8 papers": "--above 2",
        "8 are in 1 to 2 papers": "--above 0",
        "8 begin or end with a number or a word such as `the`": "--add FILE",
        "8 are questions": "-a terms=FILE",
        "8 are in none of the papers": "--add FILE",
    }
    forecasts = re.findall(r"((?:--[a-z-]+ \d ?)+)would give (\d+) definitions? of (\d+) entit(?:y|ies)", printed)
    assert len(forecasts) == 5
    for flag, n_definitions, n_entities in forecasts[-2:]:
        run_line(dict(zip(flag.split()[::2], flag.split()[1::2], strict=True)))
        assert define(store) == 0
        made = store.read(Definitions)
        assert (len(made), made["entity"].nunique()) == (int(n_definitions), int(n_entities)), flag


def sort(papers, config, *names):
    words = PaperWords(tokens=tokens_of(papers), n_papers=len(papers), config=config, language=ENGLISH)
    cards = pd.DataFrame({"front": names, "term": names})
    return dict(zip(names, sort_fronts(cards, words), strict=True))


MANY = [("", f"method: we like big cats of type 2, in vivo {chr(97 + n)}") for n in range(12)]


def test_advice_names_the_flag_that_keeps_a_front():
    """Frequent single words are no term of papers although decks made single words terms."""
    assert sort(MANY, TermConfig(above=4), "method", "big cats", "dogs") == {
        "method": "short",
        "big cats": "low",
        "dogs": "absent",
    }


@pytest.mark.sweep
def test_terms_below_the_top_are_not_called_rare(store, tmp_path):
    papers = tmp_path / "papers.jsonl"
    papers.write_text("\n".join(json.dumps({"id": f"{n}", "title": f"t{n}", "abstract": TOP}) for n in range(30)))
    assert find(store, papers, "--limit", "1", "--above", "20") == 0
    assert len(terms(store)) == 1
    path = tmp_path / "deck.tsv"
    fronts = ["flat tree", "deep heap", "wide graph"] * 30
    path.write_text("".join(f"{front}\t{BACKS[n % 8]} {n}\n" for n, front in enumerate(fronts)))
    printed = crawl("files", "-a", f"path={path}", store=store.root).stdout
    assert re.search(
        r"^  60 are in more than 20 papers, and not among the best 1: no --limit would give", printed, re.M
    )


TOP = "The flat tree, the flat tree, a deep heap: a wide graph"


@pytest.mark.parametrize("config", [TermConfig(above=4, max_words=2), TermConfig(above=4, short_words=False)])
def test_one_rule_says_what_may_be_a_term(config):
    names = ["vivo", "in vivo", "in", "type 2", "2", "cats of", "big cats", "vivo d", "type"]
    expected = set(find_terms(tokens_of(MANY), 12, replace(config, min_words=1), ENGLISH)["term"])
    fit = {name for name, fits in zip(names, may_be_terms(names, config, ENGLISH), strict=True) if fits}
    assert fit & {"vivo", "in vivo", "in", "type 2", "2", "cats of", "big cats", "type"} == expected & set(names)


@pytest.mark.sweep
def test_entities_have_the_headwords_of_the_terms(store, tmp_path):
    """The headwords of a file, and those that the papers' capitals show."""
    papers = tmp_path / "papers.jsonl"
    abstract = "A deep QRN beats old QRNs. The fast rover and fast rovers. An old QRN: deep QRNs, a"
    lines = [json.dumps({"id": str(n), "title": f"t{n}", "abstract": f"{abstract} {chr(97 + n)}"}) for n in range(25)]
    papers.write_text("\n".join(lines))
    lemmas = tmp_path / "lemmas.txt"
    lemmas.write_text("rovers rovers\n")
    deck = tmp_path / "deck.tsv"
    backs = {"deep QRN": BACKS[:4], "deep QRNs": BACKS[4:], "fast rover": BACKS[:6], "fast rovers": BACKS[:5]}
    deck.write_text("".join(f"{front}\t{back}\n" for front in backs for back in backs[front]))
    assert find(store, papers, "--lemmas", lemmas) == 0
    crawl("files", "-a", f"path={deck}", store=store.root)
    assert define(store) == 0
    assert store.read(Definitions)["entity"].value_counts().to_dict() == {
        "deep qrn": 8,
        "fast rover": 6,
        "fast rovers": 5,
    }
