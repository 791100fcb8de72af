"""Document frequencies against a plain counter, and the command from papers or a list to terms."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config import TermConfig
from crawler.terminology import RECIPES, main
from crawler.terms import extraction, phrases, tokens
from crawler.terms.limits import TermLimits, limits
from data.console.commands import run
from data.contract.tables.definitions import Terms
from data.contract.tables.removals import Rejects
from data.recorded.languages import recorded
from data.texts.languages.base import language
from data.texts.languages.en import ENGLISH
from tests.crawler.tools.counting import tokens_of
from tests.crawler.tools.crawling import crawl

WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")


def naive_terms(papers, config):
    """Term -> (papers with any variant, variants with their papers), counted in the plainest way."""
    groups = defaultdict(lambda: defaultdict(set))
    for number, texts in enumerate(papers):
        for sentence in re.split(r"[.,:()/]", " . ".join(texts).lower()):
            found = WORD.findall(sentence)
            for size in range(config.min_words, config.max_words + 1):
                for at in range(len(found) - size + 1):
                    phrase = found[at : at + size]
                    if not {phrase[0], phrase[-1]} & ENGLISH.edge_words:
                        name = " ".join(phrase)
                        groups[ENGLISH.canonical(name) if config.merge_variants else name][name].add(number)
    frequent = {}
    for variants in groups.values():
        frequency = len(set().union(*variants.values()))
        if frequency > config.above:
            ordered = sorted(variants, key=lambda name: (-len(variants[name]), name))
            frequent[ordered[0]] = (frequency, ordered)
    return frequent


def counted(papers, config):
    table = extraction.find_terms(tokens_of(papers), len(papers), config, ENGLISH)
    return {row.term: (row.document_frequency, list(row.variants)) for row in table.itertuples()}


WORDS = "the of data structure structures hash table tables tree trees real-time moore's analysis analyses"
vocabulary = st.sampled_from([*WORDS.split(" "), ".", ",", ":", "(a)", "/"])
text = st.lists(vocabulary, max_size=12).map(" ".join)


@pytest.mark.sweep
@given(
    st.lists(st.tuples(text, text), max_size=8),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
)
def test_frequencies_match_a_plain_counter(papers, least, more, above, merge):
    config = TermConfig(min_words=least, max_words=min(4, least + more), above=above, merge_variants=merge)
    assert counted(papers, config) == naive_terms(papers, config)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "hash tables. binary heaps, graphs: (sorted lists); skip/list",
            {"hash tables", "binary heaps", "sorted lists"},
        ),
        ("sum $x + y$ total \\emph{red black} costs $5 less $6", {"red black"}),
        ("level 2 cache of 3d models", {"3d models"}),
        ("“smart cards” web\u00a0pages", {"smart cards", "web pages"}),
        ("state-of-the-art method", {"state-of-the-art method"}),
        ("alpha -- beta - gamma 'delta' epsilon", set()),
        ("bayes' rule moore’s law", {"rule moore's", "moore's law"}),
        ("naïve ﬁle", {"naïve file"}),
        ("quality of service", set()),
        ("takes 40 mg o.d. (80 mg P.O), daily dose", {"daily dose"}),
        ("code available at https://example.org/a-b.c?d under it", {"code available"}),
        ("E.coli strains", {"coli strains"}),
    ],
)
def test_what_parts_words(text, expected):
    assert {*counted([(text, None)], TermConfig(max_words=2, above=0, merge_variants=False))} == expected


@pytest.mark.parametrize("at_once", [1, 7, 50])
def test_phrases_counted_in_parts_are_those_counted_at_once(monkeypatch, at_once):
    papers = [("hash tables and trees", "a hash table. Data structures of trees")] * 3 + [
        ("trees", "hash table trees")
    ] * 4
    whole = extraction.find_terms(tokens_of(papers), len(papers), TermConfig(above=2), ENGLISH)
    for module, name in ((tokens, "PIECE_WORDS"), (phrases, "FILE_OCCURRENCES"), (phrases, "BATCH_ROWS")):
        monkeypatch.setattr(module, name, at_once)
    again = extraction.find_terms(tokens_of(papers), len(papers), TermConfig(above=2), ENGLISH)
    pd.testing.assert_frame_equal(again, whole)
    assert len(whole) > 2


def test_a_title_and_its_abstract_are_one_paper_but_no_phrase_crosses():
    papers = [("data structure", "data structure"), ("data", "structure")]
    assert counted(papers, TermConfig(above=0)) == {"data structure": (1, ["data structure"])}


@pytest.mark.sweep
def test_the_threshold_is_strict_and_recipes_differ_by_variants():
    papers = [("data structure", "")] * 12 + [("data structures", None)] * 11 + [("query processing", "")] * 20
    merged = TermConfig(above=20)
    assert counted(papers, merged) == {"data structure": (23, ["data structure", "data structures"])}
    assert counted(papers, RECIPES["paper"]) == {}
    assert {*counted(papers, TermConfig.paper()), *counted(papers, TermConfig(above=19))} == {
        "data structure",
        "query processing",
    }


@pytest.mark.parametrize(("n_papers", "above"), [(0, 2), (363, 2), (10_000, 4), (55_171, 20), (1_000_000, 20)])
def test_the_threshold_follows_the_number_of_papers(n_papers, above):
    assert limits(TermConfig(), n_papers) == TermLimits(min_words=2, max_words=3, above=above)
    assert limits(TermConfig.paper(), n_papers) == TermLimits(min_words=2, max_words=3, above=20)
    assert limits(TermConfig(min_words=4, above=0), n_papers) == TermLimits(min_words=4, max_words=4, above=0)
    assert limits(TermConfig(max_words=1), n_papers).min_words == 1


@pytest.mark.parametrize(
    ("text", "recommended", "paper"),
    [
        ("the type 2 diabetes of", {"type 2 diabetes"}, set()),
        ("the T cells of", {"t cells"}, set()),
        ("of vitamin D in", {"vitamin d"}, set()),
        ("a t test, a type I error", {"t test", "type i error"}, {"type i error"}),
        ("in vitro", {"in vitro"}, set()),
        ("the in vitro assay", {"in vitro", "in vitro assay"}, {"vitro assay"}),
        ("with ex vivo at", {"ex vivo"}, {"ex vivo"}),
        ("of 12 patients, figure 3, 1999 models", set(), set()),
        ("the year 2000 problem", set(), set()),
    ],
)
def test_numbers_and_letters_may_be_words_of_a_term(text, recommended, paper):
    assert {*counted([(text, None)], TermConfig(above=0, merge_variants=False))} == recommended
    assert {*counted([(text, None)], replace(TermConfig.paper(), above=0))} == paper


def test_named_terms_are_measured_however_rare():
    papers = [("hash tables", "a trie"), ("hash table", "")]
    names = ["hash table", "trie", "skip list", "c++", "a trie"]
    measured = extraction.measure_terms(tokens_of(papers), 2, names, TermConfig(), ENGLISH)
    rows = {row.term: (row.document_frequency, list(row.variants)) for row in measured.itertuples()}
    assert measured.set_index("term")["document_frequency"].isna().to_dict()["c++"]
    del rows["c++"]
    assert rows == {
        "hash table": (2, ["hash table", "hash tables"]),
        "trie": (1, ["trie"]),
        "skip list": (0, ["skip list"]),
        "a trie": (1, ["a trie"]),
    }


@pytest.mark.sweep
@given(st.lists(st.tuples(text, text), max_size=6), st.lists(st.lists(vocabulary, min_size=1, max_size=5), max_size=8))
def test_named_terms_are_counted_as_a_plain_counter_does(papers, names):
    names = sorted({" ".join(name) for name in names if all(WORD.fullmatch(word) for word in name)})
    measured = extraction.measure_terms(
        tokens_of(papers), len(papers), names, TermConfig(merge_variants=False), ENGLISH
    )
    texts = [[re.sub(r"[.,:()/]", " | ", text).split() for text in paper] for paper in papers]
    padded = [" | ".join(f" {' '.join(text)} " for text in paper).lower() for paper in texts]
    expected = {name: sum(f" {name} " in paper for paper in padded) for name in names}
    assert dict(zip(measured["term"], measured["document_frequency"], strict=True)) == expected


def write_papers(path, texts):
    lines = [
        json.dumps({"id": n, "title": f"paper {n}x", "abstract": text, "year": 2000}) for n, text in enumerate(texts)
    ]
    path.write_text("\n".join(lines))
    return path


def command(store, *args):
    flags = [str(argument) for argument in (*args, "--store", store.root)]
    return run(main, prog="terminology", args=flags, recipes=RECIPES)


def read_terms(store):
    table = store.read(Terms)
    return {row["term"]: row for row in table.to_dict("records")}


def test_papers_to_terms(tmp_path, store, capsys):
    texts = ["A hash table."] * 20 + ["Hash tables."] + ["The binary tree"] * 25 + [""] * 3
    path = write_papers(tmp_path / "papers.jsonl", texts)
    assert command(store, path, "--above", "20") == 0
    table = read_terms(store)
    assert table["hash table"]["document_frequency"] == 21
    assert list(table["hash table"]["variants"]) == ["hash table", "hash tables"]
    assert table["binary tree"]["documents"] == 49
    assert table["binary tree"]["canonical"] == "binary tree"
    printed = capsys.readouterr().out
    assert "49 of 49 papers count, 2000 to 2000" in printed
    assert "3 of them have a title but no abstract" in printed
    assert "only 2 phrases occur in more than 20 papers" in printed
    assert "next: scrapy crawl quizlet" in printed
    assert "terms have 2 to 3 words and occur in more than 20 papers" in printed
    assert store.manifest(Terms)["recipe"] == "recommended"
    assert store.manifest(Terms)["counts"]["limits"] == {"min_words": 2, "max_words": 3, "above": 20}
    assert command(store, path, "--above", "20") == 0
    assert "nothing to do" in capsys.readouterr().out
    assert store.version(Terms) == 0


def test_only_the_last_words_stay_on_the_disk_and_none_of_a_killed_run(tmp_path, store):
    left = store.root / "words-killed"
    left.mkdir(parents=True)
    (left / "piece-0.npz").touch()
    assert command(store, write_papers(tmp_path / "papers.jsonl", ["A hash table."] * 30)) == 0
    assert list(store.root.glob("words-*")) == []
    assert sorted(path.name for path in (store.root / "words").iterdir()) == [
        "about.json",
        "capitals.npy",
        "piece-0.npz",
        "terms.parquet",
    ]
    (tmp_path / "terms.txt").write_text("hash table\n")
    assert command(store, "--terms", tmp_path / "terms.txt") == 0
    assert list(store.root.glob("words*")) == []


def test_few_papers_get_a_suggestion(tmp_path, store, capsys):
    names = [f"{letter}{letter} tree" for letter in "bcdefghijkmnpqrstuvwxyz"]
    path = write_papers(tmp_path / "papers.jsonl", [f"{name}. " for name in names * 6])
    assert command(store, path, "--recipe", "paper") == 1
    printed = capsys.readouterr().out
    assert "only 0 phrases" in printed
    assert "suggestion: --above 5" in printed
    assert command(store, path, "--recipe", "paper", "--above", "5") == 0
    assert len(read_terms(store)) == len(names)
    assert command(store, path) == 0
    assert "more than 2 papers" in capsys.readouterr().out
    assert len(read_terms(store)) == len(names)


def test_names_with_marks_are_measured_as_written(tmp_path, store):
    texts = ["We like C++.", "c++ and C+++", "The (c++) code, TCP/IP", "cc++ C+ C#", "p  < 0.05 of TNF-α", "TNF-α"]
    path = write_papers(tmp_path / "papers.jsonl", [*texts, *["flat trees"] * 9])
    names = {"c++": 3, "c+": 1, "c#": 1, "tcp/ip": 1, "p < 0.05": 1, "tnf-α": 2, "a/b": 0, "c++ code": 0}
    (tmp_path / "add.txt").write_text("\n".join(names), encoding="utf-8")
    assert command(store, path, "--add", tmp_path / "add.txt") == 0
    table = read_terms(store)
    assert {name: table[name]["document_frequency"] for name in names} == names


def test_lists_add_and_drop(tmp_path, store):
    path = write_papers(tmp_path / "papers.jsonl", ["hash tables, binary tree, skip list"] * 21 + ["trie"])
    (tmp_path / "add.txt").write_text("Trie\nC++\n\nbinary trees\n")
    (tmp_path / "drop.txt").write_text("Skip  Lists\nnever seen\n")
    assert command(store, path, "--add", tmp_path / "add.txt", "--drop", tmp_path / "drop.txt") == 0
    table = read_terms(store)
    assert {name: row["document_frequency"] for name, row in table.items()} == {
        "hash tables": 21,
        "binary tree": 21,
        "trie": 1,
        "c++": 0,
    }
    rejects = store.read(Rejects, stage="crawler.terminology")
    assert rejects[["id", "reason", "detail"]].to_numpy().tolist() == [["skip list", "dropped_by_list", "drop.txt"]]


def test_the_best_terms_up_to_a_number_are_kept_and_the_others_are_rejects(tmp_path, store):
    path = write_papers(tmp_path / "papers.jsonl", ["hash tables. Binary trees. Hash tables."] * 21)
    assert command(store, path, "--limit", "1") == 0
    assert {*read_terms(store)} == {"hash tables"}
    rejects = store.read(Rejects, stage="crawler.terminology")
    assert rejects[["id", "reason", "detail"]].to_numpy().tolist() == [
        ["binary trees", "below_top", "place 2 by score"]
    ]
    assert command(store, path, "--limit", "0") == 2
    (tmp_path / "add.txt").write_text("trie\n")
    assert command(store, path, "--limit", "1", "--add", tmp_path / "add.txt") == 0
    assert {*read_terms(store)} == {"hash tables", "trie"}


@pytest.mark.parametrize(("recipe", "expected"), [("recommended", 2), ("paper", 3)])
def test_a_plain_list_needs_no_papers(tmp_path, store, recipe, expected):
    (tmp_path / "terms.txt").write_text("Hash tables\nhash  table\nCache memory\nhash tables\n")
    assert command(store, "--terms", tmp_path / "terms.txt", "--recipe", recipe) == 0
    table = read_terms(store)
    assert len(table) == expected
    assert set(table) == {"hash table", "hash tables", "cache memory"} - ({"hash tables"} if expected == 2 else set())
    assert store.read(Terms)["document_frequency"].isna().all()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "expected files of papers or --terms FILE, found neither"),
        (["{papers}", "--terms", "{papers}"], "found both"),
        (["missing.jsonl"], "missing.jsonl: expected a file, found nothing there"),
        (["{papers}", "--min-words", "3", "--max-words", "2"], "--min-words <= --max-words"),
        (["{papers}", "--max-words", "5"], "--max-words <= 4"),
        (["{papers}", "--columns", "abstract=Abs"], "expected a column 'Abs'"),
        (["{papers}", "--add", "{list}", "--drop", "{list}"], "expected different terms, found 'hash table'"),
        (["--terms", "{empty}"], "expected one term per line, found no term"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, store, capsys, args, message):
    write_papers(tmp_path / "papers.jsonl", ["x"])
    (tmp_path / "list.txt").write_text("hash table\n")
    (tmp_path / "empty.txt").write_text("\n")
    names = {"papers": tmp_path / "papers.jsonl", "list": tmp_path / "list.txt", "empty": tmp_path / "empty.txt"}
    assert command(store, *[argument.format(**names) for argument in args]) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert message in errors[-1]
    assert not store.exists(Terms)


def test_words_are_integers_of_the_vocabulary(tmp_path):
    batches = [pa.record_batch({"title": ["a b", None], "abstract": pa.array([None, "b. c 7"])})]
    found = tokens.tokenise(batches, tmp_path)
    assert found.vocabulary == ("a", "b", "c", "7")
    piece = found.piece(0)
    assert piece.ids[piece.ids != tokens.BOUNDARY].tolist() == [0, 1, 1, 2, 3]
    assert piece.papers(np.arange(len(piece.ids))).tolist() == [0] * 4 + [1] * 6
    assert found.n_words.tolist() == [1, 2, 1, 1]


@pytest.mark.sweep
def test_a_wrong_column_ends_the_process_in_order(tmp_path):
    """A reader of CSV that is not closed ended it by an abort."""
    (tmp_path / "papers.csv").write_text("id,headline\n1,x\n")
    command = [sys.executable, "-m", "crawler.terminology", "papers.csv", "--store", "store"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "begins with 'id,headline'; export it again as one of these, or map its columns" in done.stderr
    assert not (tmp_path / "store" / "terms").exists()


@pytest.mark.sweep
@pytest.mark.parametrize("listed", ["deep qrn", "deep qrns"])
def test_lists_know_the_acronyms_of_the_papers(tmp_path, store, listed):
    path = write_papers(
        tmp_path / "papers.jsonl", ["Flat trees. Flat trees. Flat trees. The deep QRNs. A deep QRN: QRNs."] * 9
    )
    (tmp_path / "list.txt").write_text(f"{listed}\n")
    assert command(store, path, "--drop", tmp_path / "list.txt") == 0
    assert {*read_terms(store)} == {"flat trees"}
    assert command(store, path, "--limit", "1", "--add", tmp_path / "list.txt") == 0
    assert {*read_terms(store)} == {"flat trees", "deep qrn"}


@pytest.mark.sweep
def test_the_language_matches_the_cards_where_none_is_given(tmp_path, store):
    path = tmp_path / "deck.csv"
    path.write_text("".join(f"Baum,{text} als Graph\n" for text in ("ein Ding", "etwas", "ein Bild")))
    crawl("files", "-a", f"path={path}", "-a", "terms=any", "-a", "language=de", store=store.root)
    names = tmp_path / "list.txt"
    names.write_text("baum\n")
    assert command(store, "--terms", names) == 0
    assert recorded(store, Terms) is language("de")


GERMAN = "Wir ordnen Werte mit einem flachen Baum. Ein flacher Baum wächst mit der Zahl der Werte in der Sammlung."
PLAIN = "We order values with a flat tree. A flat tree grows with the number of values that the collection has."


@pytest.mark.sweep
def test_papers_mostly_in_another_language_are_a_finding_where_no_one_chose_one(tmp_path, store, capsys):
    path = write_papers(tmp_path / "papers.jsonl", [GERMAN] * 20 + [PLAIN] * 10)
    for _ in range(2):
        assert command(store, path) == 1
        printed = capsys.readouterr()
        assert "most papers are not in English: run it again with --language de" in printed.err
        assert "next:" not in printed.out
    assert command(store, path, "--language", "en") == 0, "somebody chose it"
    assert command(store, path, "--language", "de") == 0
    assert recorded(store, Terms) is language("de")


def test_english_papers_with_some_others_are_no_finding(tmp_path, store, capsys):
    path = write_papers(tmp_path / "papers.jsonl", [PLAIN] * 20 + [GERMAN] * 10)
    assert command(store, path) == 0
    assert "33% of the papers are not in English, most of these in German" in capsys.readouterr().out


def test_records_that_are_lost_are_a_finding_each_time(tmp_path, store, capsys):
    path = write_papers(tmp_path / "papers.jsonl", ["A hash table."] * 30)
    path.write_text(path.read_text().rstrip("\n") + "\ntorn" * 2 + "\n")
    for _ in range(2):
        assert command(store, path, "--above", "20") == 1
        said = capsys.readouterr()
        assert "2 of 32 records of papers.jsonl (6%)" in said.err + said.out
    assert "hash table" in read_terms(store)
    path.write_text(path.read_text().replace("torn\n", "", 1))
    assert command(store, path, "--above", "20") == 0
