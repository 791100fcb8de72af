"""A release by the licences of its decks: what it refuses, what one permission grants, whom it credits."""

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from analysis import release, report, restore, verify
from analysis.publishing import from_store, licences, refusals, statements
from annotation.questions.declarations import shipped_question
from data.console.commands import run
from data.contract.tables.definitions import Cards, Definitions, Licences
from data.contract.tables.pairs import Pairs
from data.labelled import releases
from data.labelled.label_set import LabelSet
from data.labelled.releases import Release
from data.labelled.sources import open_dataset
from data.storage.manifest import Manifest
from data.storage.store import Store
from tests.analysis.conftest import START
from tests.analysis.publishing.test_altered_releases import seal

DECKS = {"hash table": "a", "data structure": "b", "file system": "c", "web browser": "d", "graph theory": "d"}
STATED = {
    "a": ("cc-by-4.0", "A. Author", "The *Book* of <b>tables</b>", "https://example.org/book"),
    "b": ("CC BY-NC-SA 4.0", "Group B", None, None),
    "c": ("Creative Commons Attribution-NonCommercial-ShareAlike 4.0 International", None, None, None),
    "d": ("Terms of d", None, None, None),
}
GRANTED = ["--permission", "cc by-nc-sa 4.0=not a commercial release", "--permission", "terms OF d=they said yes"]


NO_SENTENCES = pd.DataFrame(columns=["sentence_id", "source", "licence"])


def state(store: Store, stated: dict[str, tuple[str | None, ...]], day: int = 0) -> None:
    rows = pd.DataFrame.from_dict(stated, "index", columns=["licence", "credit", "title", "link"])
    rows = rows.rename_axis("set_id").reset_index()
    rows = rows.assign(source="files", url="file:" + rows["set_id"], at=START + pd.Timedelta(days=day))
    store.append(Licences, rows, Manifest(stage="crawler.files"))


@pytest.fixture
def decks(ready: Store, tmp_path: Path) -> Store:
    """The campaign with its cards in four decks and a licence for each."""
    store = Store(shutil.copytree(ready.root, tmp_path / "decks"))

    def divide(cards: pd.DataFrame) -> pd.DataFrame:
        names = cards["front"].map(DECKS)
        return cards.assign(set_id=names, set_title="Deck " + names, url="file:" + names)

    store.erase(Cards, divide, "test")
    state(store, STATED)
    return store


def call(store: Store, out: Path, *flags: str) -> int:
    arguments = [str(out), "--store", str(store.root), "--name", "simulated", *flags]
    return run(release.main, prog="release", args=arguments)


def check(folder: Path) -> int:
    return run(verify.main, prog="verify", args=[str(folder)])


@pytest.mark.sweep
def test_permission_is_asked_by_licence_and_granted_once(
    decks: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(decks, tmp_path / "out") == 1
    lines = capsys.readouterr().out.splitlines()
    texts = decks.read(Pairs).groupby("entity").size()
    n_nc = texts["data structure"] + texts["file system"]
    assert lines[0] == (
        f"refused: the texts of {n_nc} pairs are under CC BY-NC-SA 4.0, which forbids commercial use (decks: 2 files): "
        "give --permission 'CC BY-NC-SA 4.0=REASON', or --without-text"
    )
    assert lines[1].endswith(
        "pairs are not under an open licence (Terms of d) (decks: 1 files): "
        "give --permission 'Terms of d=REASON', or --without-text"
    )
    assert len(lines) == 2
    assert call(decks, tmp_path / "out", *GRANTED) == 0
    assert "note: 1 deck under CC BY-NC-SA 4.0 without a credit" in capsys.readouterr().out
    assert check(tmp_path / "out") == 0
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    nc = "https://creativecommons.org/licenses/by-nc-sa/4.0/"
    for line in (
        "| [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) | files | 1 | 3 | 3 | its licence |",
        f"| [CC BY-NC-SA 4.0]({nc}) | files | 2 | 6 | 6 | not a commercial release |",
        "| Terms of d | files | 1 | 4 | 4 | they said yes |",
        "Texts under CC BY-NC-SA 4.0 may be passed on, changed or not, only under the same licence.",
        r"- “The \*Book\* of \<b\>tables\</b\>” by A. Author, <https://example.org/book>, "
        "[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/)",
        f"- “Deck b” by Group B, [CC BY-NC-SA 4.0]({nc})",
        f"- “Deck c”, [CC BY-NC-SA 4.0]({nc})",
        "Changes: single definitions were taken out of their decks; white space was normalised; "
        "e-mail addresses, phone numbers and handles were masked.",
    ):
        assert line in card.splitlines(), line
    sources = releases.read(tmp_path / "out").tables["sources"].set_index("set_id")
    assert sources["licence_id"].fillna("").to_dict() == {
        "a": "CC-BY-4.0", "b": "CC-BY-NC-SA-4.0", "c": "CC-BY-NC-SA-4.0", "d": "",
    }  # fmt: skip


@pytest.mark.sweep
def test_a_licence_changed_later_changes_the_release_and_no_other_table(
    decks: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {table: decks.version(table) for table in (Cards, Definitions, Pairs)}
    state(decks, dict.fromkeys("bcd", ("CC0", None, None, None)), day=1)
    assert call(decks, tmp_path / "out", "--permission", "CC-BY-NC-SA-4.0=no longer needed") == 0
    assert "no text is of the source, and none under the licence, that --permission 'CC-BY-NC-SA-4.0' names" in (
        capsys.readouterr().out
    )
    assert "| files | 3 | 10 | 10 | its licence |" in (tmp_path / "out" / "README.md").read_text("utf-8")
    assert {table: decks.version(table) for table in before} == before


@pytest.mark.sweep
def test_restoring_keeps_licences_and_credits(decks: Store, tmp_path: Path) -> None:
    bare, whole = tmp_path / "bare", tmp_path / "whole"
    assert call(decks, bare, "--without-text") == 0
    assert "| Terms of d | files | 1 | 4 | 4 | texts not published |" in (bare / "README.md").read_text("utf-8")
    state(decks, {"a": ("CC0", "somebody else", None, None)}, day=1)
    assert run(restore.main, prog="restore", args=[str(bare), "--store", str(decks.root), "--out", str(whole)]) == 0
    assert check(whole) == 0
    assert releases.read(whole).tables["sources"].equals(releases.read(bare).tables["sources"])
    credit = [line for line in (whole / "README.md").read_text("utf-8").splitlines() if "A. Author" in line]
    assert len(credit) == 1
    assert credit[0] in (bare / "README.md").read_text("utf-8")


@pytest.mark.sweep
@pytest.mark.parametrize(
    "change",
    [
        ("README.md", "by A. Author", "by B. Author"),
        ("README.md", "forbids", "allows"),
        ("tsv/sources.tsv", "A. Author", "B. Author"),
        ("numbers.json", "CC-BY-NC-SA-4.0", "CC-BY-4.0"),
    ],
)
def test_a_changed_credit_or_licence_is_found(
    decks: Store, tmp_path: Path, change: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (file, old, new), out = change, tmp_path / "out"
    assert call(decks, out, "--permission", "files=it forbids nothing") == 0
    text = (out / file).read_text("utf-8")
    assert old in text
    (out / file).write_text(text.replace(old, new), "utf-8")
    seal(out)
    assert check(out) == 1
    assert file in capsys.readouterr().out


@pytest.mark.sweep
def test_a_deck_without_its_row_of_sources_is_found(
    decks: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert call(decks, out, *GRANTED) == 0
    path = out / "data" / "sources.parquet"
    pd.read_parquet(path, dtype_backend="pyarrow").iloc[1:].to_parquet(path, index=False)
    seal(out)
    assert check(out) == 1
    assert "sources: nothing of the deck ('files', 'file:a', 'a')" in capsys.readouterr().out


@pytest.mark.sweep
def test_the_report_shows_the_licence_that_counts(decks: Store, tmp_path: Path) -> None:
    assert call(decks, tmp_path / "out", *GRANTED) == 0
    for name, flags in (("store", ["--store", str(decks.root)]), ("release", ["--dataset", str(tmp_path / "out")])):
        assert run(report.main, prog="report", args=[*flags, "--out", str(tmp_path / name)]) == 0
        assert "Terms of d" in (tmp_path / name / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("licence", "opened"),
    [
        ("CC-BY-4.0", True),
        ("CC-BY-SA-3.0-DE", True),
        ("CC-BY-NC-4.0", False),
        ("CC-BY-ND-4.0", False),
        ("LicenseRef-CC-BY", True),
        ("LicenseRef-CC-BY-NC", False),
        ("LicenseRef-public-domain", True),
        ("LicenseRef-something", False),
        ("MIT OR Apache-2.0", True),
        ("MIT AND CC-BY-NC-4.0", False),
        ("MITNFA", False),
        ("GPL-3.0-or-later", True),
        ("Intel-ACPI", False),
        (None, False),
    ],
)
def test_which_licences_are_open(licence: str | None, opened: bool) -> None:
    assert licences.is_open(licence) is opened


def test_works_are_listed_once_and_only_where_credit_is_due() -> None:
    rows = [
        ("CC0-1.0", "CC0", None, None), ("CC0-1.0", "CC0", "Kind Author", None), (None, "own", None, None),
        ("GFDL-1.1-or-later", "x", None, "FOLDOC (foldoc.org)"), ("MIT", "MIT", "M", None), ("MIT", "MIT", "M", None),
    ]  # fmt: skip
    sources = pd.DataFrame(rows, columns=["licence_id", "licence", "credit", "licence_note"]).assign(
        title="T", link=None
    )
    works = licences.credit(sources, {})["works"]
    assert [(work["licence"], work["credit"]) for work in works] == [
        ("CC0 1.0", "Kind Author"), ("GFDL-1.1-or-later", "FOLDOC (foldoc.org)"), ("MIT", "M"),
    ]  # fmt: skip
    assert licences.count_uncredited(sources) == {}
    assert licences.count_uncredited(sources.assign(credit=None)) == {"MIT": 2}


@pytest.fixture
def gathered(ready: Store) -> Release:
    return from_store.gather(open_dataset(ready.root, LabelSet()), LabelSet())


def grant(release: Release, permissions: dict[str, str], tables: dict[str, pd.DataFrame]) -> Release:
    facts = replace(release.facts, permissions=permissions)
    return replace(release, tables=release.tables | tables, facts=facts)


@pytest.mark.sweep
def test_texts_on_no_card_are_granted_by_a_permission_of_their_own(gathered: Release) -> None:
    cards, pairs = gathered.tables["provenance"], gathered.tables["pairs"]
    known = {"provenance": cards[cards["definition_id"] != pairs["second_id"].iloc[0]]}
    granted = {"quizlet": "ours", "files": "ours"}
    (reason,) = refusals.find_closed(grant(gathered, granted, known))
    assert "(decks: 1 unknown): give --permission unknown=REASON, or --without-text" in reason
    release = grant(gathered, granted | {"unknown": "written for us"}, known)
    assert not list(refusals.find_closed(release))
    assert "unknown" not in refusals.find_idle(release)


@pytest.mark.sweep
def test_a_text_made_from_a_definition_has_the_cards_of_that(gathered: Release) -> None:
    pairs, cards = gathered.tables["pairs"][:1], gathered.tables["provenance"]
    first, second = pairs.loc[0, ["first_id", "second_id"]]
    steps = pd.DataFrame({"text_id": [second, "on the way"], "source_id": ["on the way", first]})
    known = {"pairs": pairs, "provenance": cards[cards["definition_id"] != second]}
    known |= {"generated_texts": steps, "sentences": NO_SENTENCES}
    assert not list(refusals.find_closed(grant(gathered, {"quizlet": "ours", "files": "ours"}, known)))
    reasons = list(refusals.find_closed(grant(gathered, {}, known)))
    assert reasons
    assert all("unknown" not in reason for reason in reasons)


def test_the_default_title_and_description_are_the_questions(tmp_path: Path) -> None:
    grammar = statements.read(None, shipped_question("grammar"))
    assert "paraphrase" not in grammar.title + grammar.description
    assert shipped_question("grammar").first.heading in grammar.description
    assert statements.read(None, shipped_question("parade")) == statements.Statements()
    file = tmp_path / "statements.toml"
    file.write_text('title = "Ours"')
    assert statements.read(file, shipped_question("grammar")) == replace(grammar, title="Ours")
