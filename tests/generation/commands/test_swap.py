"""The commands over a store: sentences, swaps, the same tables however many processes, and bad input."""

import json
import shutil
from itertools import pairwise

import pandas as pd
import pytest

from data.contract.tables.definitions import Definitions, Terms
from data.contract.tables.generated import GeneratedTexts, PairMeasures, Sentences
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.guidance.commands.takedown import Arguments as Takedown
from data.guidance.commands.takedown import main as take_down
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, pair_id, text_id
from data.texts.languages.en import ENGLISH
from generation.__main__ import main
from generation.sources import reading
from generation.swapping import shards
from tests.generation.world import arpa

TEXTS = {
    "compiler": "a program that translates source code of a language into machine code of a processor",
    "interpreter": "Software that runs the instructions of a program without the help of a compiler",
    "neural network": "A model of connected units that learns the weights of a function from examples",
    "virus": "a worm or a bug or a trap",
}
LINES = [
    "The client sends a request to the server and waits for the answer .",
    "one",
    "x" * 100,
    "Costs are $n^2$ here .",
]
LATIN = "terms.latin1"
WORDS = sorted({word.lower() for text in [*TEXTS.values(), LINES[0]] for word in text.split()})


def call(*words) -> int:
    return main([str(word) for word in words])


@pytest.fixture(scope="module")
def lm(engines, tmp_path_factory):
    """A model that knows all words, and likes neighbours in the order of the alphabet."""
    path = tmp_path_factory.mktemp("lm") / "words.arpa"
    path.write_text(arpa(tuple((a, b, -0.1 - i / 100) for i, (a, b) in enumerate(pairwise(WORDS)))))
    return path


@pytest.fixture(scope="module")
def source_store(engines, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("sources") / "store")
    rows = [
        {"definition_id": definition_id(name, text), "entity": name, "text": text, "n_words": len(text.split()),
         "n_cards": 1, "n_sources": 1, "verbatim": None}
        for name, text in TEXTS.items()
    ]  # fmt: skip
    store.replace(Definitions, pd.DataFrame(rows), Manifest(stage="test", language="en"))
    terms = pd.DataFrame({"term": ["source code", "machine code"], "canonical": ["source code", "machine code"]})
    terms = terms.assign(variants=[["source code"], ["machine code"]])
    for name in ("document_frequency", "documents", "recurrence", "title_share", "c_value", "boundary", "score"):
        terms[name] = None
    store.replace(Terms, terms, Manifest(stage="test", language="en"))
    lines = store.root.parent / "lines.txt"
    lines.write_text("\n".join(LINES), encoding="utf-8")
    papers = store.root.parent / "papers.jsonl"
    paper = {
        "id": "p1",
        "abstract": "Workers share e.g. memory and one queue. Tasks wait in the queue of a worker.  Yes.",
    }
    papers.write_text(json.dumps(paper) + "\n", encoding="utf-8")
    for words in ([], ["--lines", lines], ["--papers", papers, "--licence", "CC0"]):
        assert call("sentences", "--store", store.root, *words) == 0
    return store


@pytest.fixture(scope="module")
def swapped(source_store, lm):
    assert call("swap", "--lm", lm, "--store", source_store.root) == 0
    return source_store


@pytest.mark.sweep
def test_sentences_of_each_source_are_beside_each_other(source_store):
    rows = source_store.read(Sentences)
    assert set(rows["source"]) == {"definitions", "lines.txt", "papers"}
    definitions = rows[rows["source"] == "definitions"]
    assert set(definitions["sentence_id"]) == {definition_id(*item) for item in TEXTS.items()}
    assert rows.loc[rows["source"] == "lines.txt", "source_id"].tolist() == ["1"]


def test_abstracts_are_split_and_keep_their_place_and_licence(source_store):
    rows = source_store.read(Sentences, source="papers").sort_values("position")
    assert list(rows["text"]) == ["Workers share e.g. memory and one queue.", "Tasks wait in the queue of a worker."]
    assert list(rows["position"]) == [0, 1]
    assert set(rows["licence"]) == {"CC0"}


def test_what_is_dropped_has_a_reason(source_store):
    rejects = source_store.read(Rejects, stage="generation.sentences", part="lines.txt")
    assert dict(zip(rejects["id"], rejects["reason"], strict=True)) == {
        "2 0": "too_short",
        "3 0": "unbroken",
        "4 0": "latex",
    }


def test_sentences_are_read_again_only_when_something_changed(source_store, capsys):
    version = source_store.version(Sentences)
    assert call("sentences", "--store", source_store.root) == 0
    assert "the sentences of `definitions` are up to date: nothing to do" in capsys.readouterr().out
    assert source_store.version(Sentences) == version


@pytest.mark.sweep
def test_a_paper_in_two_files_is_read_once_and_its_versions_have_rejects_of_their_own(engines, tmp_path, capsys):
    store = Store(tmp_path / "store")
    papers = [{"id": "p1", "abstract": f"{LINES[0]} Costs are $n$ here."}, {"id": "p1", "abstract": "Costs are $m$."}]
    for name, paper in zip("abc", [papers[0], *papers], strict=True):
        (tmp_path / name).write_text(json.dumps(paper) + "\n", encoding="utf-8")
    assert call("sentences", "--papers", *(tmp_path / name for name in "abc"), "--store", store.root) == 0
    shown = capsys.readouterr().out
    assert "2 sentences are in the files twice, under one paper's id: they are read once" in shown
    assert "3 sentences read from 1 text of `papers`" in shown
    assert len(store.read(Sentences)) == 1
    rejects = store.read(Rejects, stage="generation.sentences", part="papers")
    assert dict(zip(rejects["id"], rejects["reason"], strict=True)) == {"p1 1": "latex", "p1 0": "too_short"}
    assert set(rejects["source_id"]) == {"p1"}


def test_files_of_equal_names_are_told_apart(engines, tmp_path, capsys):
    for year, word in (("2019", "cache"), ("2020", "heap")):
        (tmp_path / year).mkdir()
        paper = {
            "id": year,
            "title": year,
            "abstract": f"The {word} keeps what the processor needs for its next steps.",
        }
        (tmp_path / year / "p.jsonl").write_text(json.dumps(paper) + "\n")
    both = [tmp_path / year / "p.jsonl" for year in ("2019", "2020")]
    store = Store(tmp_path / "store")
    for files, n in ((both, 2), (both[1:], 1)):
        assert call("sentences", "--papers", *files, "--store", store.root) == 0
        assert "up to date" not in capsys.readouterr().out
        assert len(store.read(Sentences)) == n


def test_a_limit_of_the_ranker_needs_one(source_store, lm, capsys):
    assert call("swap", "--lm", lm, "--store", source_store.root, "--rank-at-most", 9) == 2
    assert "--rank-at-most: expected --ranker FOLDER, found none" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_tagger_of_another_language_is_refused(source_store, lm, tmp_path, capsys):
    store = Store(shutil.copytree(source_store.root, tmp_path / "store"))
    german = Manifest(stage="crawler.definitions", language="de")
    store.replace(Definitions, store.read(Definitions), german)
    assert call("swap", "--lm", lm, "--store", store.root) == 2
    assert "--tagger: expected a pipeline of 'de', the language of the store" in capsys.readouterr().err


def test_the_sentences_drawn_are_the_same_however_many_are_read_at_once(engines, tmp_path, monkeypatch):
    path = tmp_path / "lines.txt"
    texts = [f"the server of client {n} sends an answer" for n in range(12)]
    path.write_text("\n".join([*texts, "one", texts[0].upper(), *texts[:2]]), encoding="utf-8")
    drawn = {}
    for at_once in (1, 5, 100):
        monkeypatch.setattr(reading, "BATCH_TEXTS", at_once)
        store = Store(tmp_path / str(at_once))
        assert call("sentences", "--lines", path, "--limit", 2, "--store", store.root) == 0
        drawn[at_once] = [store.read(table).to_dict("records") for table in (Sentences, Rejects)]
    assert drawn[1] == drawn[5] == drawn[100]
    assert pd.DataFrame(drawn[1][1])["reason"].value_counts().to_dict() == {
        "not_drawn": 10, "duplicate": 3, "too_short": 1,
    }  # fmt: skip


@pytest.mark.sweep
def test_what_was_taken_down_does_not_come_back(engines, lm, tmp_path):
    store, lines = Store(tmp_path / "store"), tmp_path / "lines.txt"
    lines.write_text(f"{LINES[0]}\n{TEXTS['compiler']}\n")
    assert call("sentences", "--lines", lines, "--store", store.root) == 0
    assert call("swap", "--lm", lm, "--store", store.root) == 0
    swaps = store.read(GeneratedTexts)
    take_down(Takedown(texts=(text_id(LINES[0]), swaps["text_id"].iloc[-1]), store=store.root))
    lines.write_text(f"{TEXTS['compiler']}\n{LINES[0].upper()}\n")
    assert call("sentences", "--lines", lines, "--store", store.root) == 0
    rejects = store.read(Rejects, stage="generation.sentences", part="lines.txt")
    assert (rejects["reason"].tolist(), rejects["detail"].isna().all()) == (["taken_down"], True)
    call("swap", "--lm", lm, "--store", store.root)
    assert set(store.read(GeneratedTexts)["text"]).isdisjoint(swaps["text"].iloc[-1:])


def test_two_sources_cannot_have_one_name(engines, tmp_path, capsys):
    assert call("sentences", "--lines", "a/texts.txt", "b/texts.txt", "--store", tmp_path) == 2
    assert "--lines: expected files of different names" in capsys.readouterr().err


@pytest.mark.sweep
def test_swaps_share_the_words_of_their_source(swapped):
    pairs, texts = swapped.read(Pairs, generator="paws-swap"), swapped.read(GeneratedTexts)
    sources = swapped.read(Sentences).set_index("sentence_id")["text"]
    assert len(pairs) == len(texts) > 2
    for pair in pairs.itertuples():
        assert pair.first == sources[pair.first_id]
        assert sorted(ENGLISH.tokens(pair.first)) == sorted(ENGLISH.tokens(pair.second))
        assert pair.first != pair.second
        assert pair.pair_id == pair_id(pair.first_id, pair.second_id)
    assert pairs["overlap"].eq(1).all()
    assert set(texts["source_id"]) <= set(sources.index)
    assert texts["model"].str.match(r"2-gram words\.arpa [0-9a-f]{32}$").all()
    assert pairs["rank"].sort_values().tolist() == list(range(len(pairs)))


def test_terms_are_never_torn_apart(swapped):
    pair = next(p for p in swapped.read(Pairs).itertuples() if "source code" in p.first)
    assert "source code" in pair.second.lower()
    assert "machine code" in pair.second.lower()


def test_every_sentence_has_a_pair_or_a_reason(swapped):
    rejects = swapped.read(Rejects, stage="generation.swap", part="paws-swap")
    assert sorted([*rejects["id"], *swapped.read(Pairs)["first_id"]]) == sorted(swapped.read(Sentences)["sentence_id"])


def test_pairs_are_measured(swapped):
    measures = swapped.read(PairMeasures).pivot(index="pair_id", columns="measure", values="value")
    assert set(measures.columns) == {"bow_cosine", "inversion_rate", "lm_margin"}
    assert measures["bow_cosine"].astype(float).round(6).eq(1).all()
    assert measures["inversion_rate"].gt(0).all()


@pytest.mark.sweep
def test_a_second_run_has_nothing_to_do(swapped, lm, capsys):
    version = swapped.version(Pairs)
    assert call("swap", "--lm", lm, "--store", swapped.root) == 0
    assert "up to date" in capsys.readouterr().out
    assert swapped.version(Pairs) == version


def rows_of(store, generator):
    return [
        store.read(table, generator=generator).drop(columns="generator").to_dict("records")
        for table in (GeneratedTexts, Pairs)
    ]


@pytest.mark.sweep
def test_the_tables_are_the_same_whatever_the_processes_and_shards_are_not_done_twice(swapped, lm, monkeypatch, capsys):
    """The first run is stopped after one shard; the second does the others only."""
    monkeypatch.setattr(shards, "PER_SHARD", 2)
    done = []

    def stop_after_one(shard, out):
        if done:
            raise KeyboardInterrupt
        done.append(shard)
        original(shard, out)

    original = shards.swap_shard
    words = ["swap", "--lm", lm, "--store", swapped.root, "--generator", "again"]
    with monkeypatch.context() as stopped:
        stopped.setattr(shards, "swap_shard", stop_after_one)
        assert call(*words) == 130
    first = swapped.root.glob("shards/generation-swap-*/swap/*/done")
    before = {path: path.stat().st_mtime_ns for path in first}
    assert len(before) == 1
    kept = {path: path.stat().st_mtime_ns for path in before}
    assert call(*words, "--engine", "processes:2") == 0
    assert before == kept
    assert rows_of(swapped, "again") == rows_of(swapped, "paws-swap")
    assert not list(swapped.root.glob("shards/generation-swap-*"))


@pytest.mark.sweep
def test_the_papers_recipe_takes_one_candidate_down_to_the_threshold(swapped, lm):
    words = ["swap", "--lm", lm, "--store", swapped.root, "--generator", "paper", "--recipe", "paper"]
    assert call(*words) == 0
    margins = swapped.read(PairMeasures, generator="paper", measure="lm_margin")["value"]
    assert margins.ge(-3).all()
    reasons = set(swapped.read(Rejects, stage="generation.swap", part="paper")["reason"])
    assert reasons <= {"no_other_sentence", "only_lists", "below_threshold"}


@pytest.mark.sweep
def test_a_budget_below_the_pairs_keeps_the_best(swapped, lm, capsys):
    assert call("swap", "--lm", lm, "--store", swapped.root, "--generator", "few", "--limit", 1) == 0
    assert "better ones fill the budget (--limit)" in capsys.readouterr().out
    assert len(swapped.read(Pairs, generator="few")) == 1


@pytest.mark.sweep
def test_a_limit_that_no_other_order_keeps_is_named(swapped, lm, capsys):
    words = ["swap", "--lm", lm, "--store", swapped.root, "--generator", "still", "--most-moved", 1]
    assert call(*words) == 1
    assert (
        "too_many_moved: more units change their place in all that were found (--most-moved)" in capsys.readouterr().out
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--tagger", "no_such_pipeline"], "--tagger no_such_pipeline: expected a pipeline of spaCy"),
        (["--sources", "books"], "--sources: expected one of definitions, lines.txt, papers, found books"),
        (["--terms", "no/terms.txt"], "no/terms.txt: expected a text file with one term per line"),
        (["--terms", LATIN], "terms.latin1, line 1: expected a text file with one term per line in UTF-8"),
        (["--threshold", "nan"], "--threshold: expected a finite number, found nan; give another"),
        (["--generator", ""], "--generator: expected a name, found ''"),
        (["--generator", "theirs"], "expected a name of its own, since a run replaces what has this name, found 'th"),
        (["--ranker", "no/model"], "no/model: expected a causal language model"),
        (["--engine", "many"], "--engine: expected here, processes"),
        (["--lm", "no.arpa"], "no.arpa: expected a language model of KenLM, binary or ARPA, found nothing there"),
    ],
)
def test_bad_input_is_one_line(swapped, lm, capsys, words, line):
    latin = swapped.root.parent / LATIN
    latin.write_bytes("K\N{LATIN SMALL LETTER O WITH DIAERESIS}ln".encode("latin-1"))
    words = [latin if word == LATIN else word for word in words]
    if "theirs" in words:
        theirs = swapped.read(Pairs, generator="paws-swap").assign(generator="theirs")
        swapped.replace(Pairs, theirs, Manifest(stage="theirs"), generator="theirs")
    lm_words = [] if "--lm" in words else ["--lm", lm]
    assert call("swap", "--store", swapped.root, "--generator", "bad", *lm_words, *words) == 2
    err = capsys.readouterr().err
    assert line in err
    assert err.startswith("error: ")


def test_no_sentences_and_no_definitions_are_said(engines, lm, tmp_path, capsys):
    assert call("swap", "--lm", lm, "--store", tmp_path) == 2
    assert "run `python -m generation sentences" in capsys.readouterr().err
    assert call("sentences", "--store", tmp_path) == 2
    assert "definitions: expected rows, found none" in capsys.readouterr().err


def test_a_file_of_single_words_is_a_finding(engines, tmp_path, capsys):
    path = tmp_path / "words.txt"
    path.write_text("tree\nnode\nleaf\n")
    assert call("sentences", "--lines", path, "--store", tmp_path / "store") == 1
    captured = capsys.readouterr()
    assert "3 dropped: too_short: fewer than 6 tokens (--shortest)" in captured.out
    assert "no sentence is left" in captured.err


def test_papers_that_are_none_are_said(engines, tmp_path, capsys):
    path = tmp_path / "papers.jsonl"
    for content, found in ((b"no json\n", "a text that begins"), (b'{"id": "p"}\n', "other JSON")):
        path.write_bytes(content)
        assert call("sentences", "--papers", path, "--store", tmp_path / "store") == 2
        assert "papers.jsonl: expected" in (shown := capsys.readouterr().err)
        assert f"found {found}" in shown


def test_a_bibliography_gives_sentences_and_records_without_text_are_named_on_each_run(engines, tmp_path, capsys):
    bib, ris = tmp_path / "a.bib", tmp_path / "a.ris"
    bib.write_text(f"@article{{smith, title={{On servers}}, abstract={{{LINES[0]}}}}}\n@article{{jones, year=1999}}\n")
    ris.write_text(f"TY  - JOUR\nID  - brown\nTI  - On clients\nAB  - {LINES[0].replace('client', 'browser')}\nER  -\n")
    store = Store(tmp_path / "store")
    for said in ("2 of 3 papers count, 1 no_text", "up to date"):
        assert call("sentences", "--papers", bib, ris, "--store", store.root) == 1
        shown = capsys.readouterr()
        assert said in shown.out
        assert "1 of 2 records of a.bib (50%): export these again" in shown.err
    assert set(store.read(Sentences)["source_id"]) == {"smith", "brown"}
    rejects = store.read(Rejects, stage="generation.sentences", part="papers")
    assert rejects[["id", "reason", "detail"]].values.tolist() == [["a.bib row 2", "no_text", "jones"]]
