"""What the lead states about licences: which decks a row means, what is new, what is said of the rest."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.formats.deck_sheet import DeckSheet, is_sheet, read_decks
from crawler.ledger import licences
from data.console.errors import InputError
from data.contract.tables.definitions import Licences
from data.storage.store import Store


def statements(folder: Path, text: str) -> DeckSheet:
    file = folder / "licences.csv"
    file.write_text(text, "utf-8")
    return read_decks(file)


def decks_of(*names: str) -> pd.DataFrame:
    """Decks read from files of these names."""
    files = {Path("/elsewhere") / name: name for name in names}
    ledger = pd.DataFrame(
        {"key": names, "url": [f"file:{name}" for name in names], "set_id": names, "title": "T", "licence_note": None}
    )
    return licences.of_files(ledger, [(name, name) for name in names], files)


def stated(store: Store) -> dict[str, list[str]]:
    """By deck, the licences stated about it, in their order."""
    rows = store.read(Licences).sort_values("at")
    return {str(set_id): list(some["licence"]) for set_id, some in rows.groupby("set_id")}


NAMES = ("decks/a.tsv", "decks/more/b.apkg", "decks/more/c [1].tsv", "decks/d.zip")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("decks/a.tsv", {"decks/a.tsv"}),
        ("a.tsv", {"decks/a.tsv"}),
        ("./a.tsv", {"decks/a.tsv"}),
        ("/elsewhere/decks/a.tsv", {"decks/a.tsv"}),
        ("more", {"decks/more/b.apkg", "decks/more/c [1].tsv"}),
        ("decks/more/", {"decks/more/b.apkg", "decks/more/c [1].tsv"}),
        ("decks/more/c [1].tsv", {"decks/more/c [1].tsv"}),
        ("*.apkg", {"decks/more/b.apkg"}),
        ("*", set(NAMES)),
        ("mor", set()),
        ("decks/A.tsv", set()),
    ],
)
def test_a_row_means_a_file_a_folder_or_what_fits_its_pattern(tmp_path: Path, path: str, meant: set[str]) -> None:
    decks = decks_of(*NAMES)
    rows = statements(tmp_path, f'path,licence\n"{path}",MIT\n').rows
    assert set(decks.loc[licences.match(decks, rows).notna(), "set_id"]) == meant


def test_the_exact_name_counts_before_the_longest_path(tmp_path: Path) -> None:
    decks = decks_of(*NAMES)
    rows = statements(tmp_path, "path,licence\n*,A\ndecks/more/,B\ndecks/more/b.*,C\na.tsv,D\nx,E\n").rows
    lines = dict(zip(decks["set_id"], licences.match(decks, rows), strict=True))
    assert lines == {"decks/a.tsv": 5, "decks/more/b.apkg": 4, "decks/more/c [1].tsv": 3, "decks/d.zip": 2}


def test_a_deck_within_an_archive_may_have_a_row_of_its_own(tmp_path: Path) -> None:
    ledger = pd.DataFrame({"key": "1", "url": "file:d.zip", "set_id": ["d.zip!a.tsv", "d.zip!b.tsv"], "title": "T"})
    ledger["licence_note"] = None
    decks = licences.of_files(ledger, [("1", "d.zip")], {Path("/d.zip"): "d.zip"})
    rows = statements(tmp_path, "path,licence\nd.zip,A\nd.zip!b.tsv,B\n").rows
    assert licences.match(decks, rows).tolist() == [2, 3]


def test_a_file_that_was_renamed_or_copied_is_the_deck_that_the_ledger_knows(tmp_path: Path) -> None:
    ledger = pd.DataFrame({"key": ["1"], "url": ["file:old.tsv"], "set_id": ["old.tsv"], "title": ["T"]})
    ledger["licence_note"] = None
    files = {Path("/x/new.tsv"): "new.tsv", Path("/x/copy.tsv"): "copy.tsv"}
    decks = licences.of_files(ledger, [("1", "new.tsv"), ("1", "copy.tsv")], files)
    for name in ("new.tsv", "copy.tsv"):
        assert licences.match(decks, statements(tmp_path, f"path,licence\n{name},A\n").rows).tolist() == [2]


@given(st.lists(st.sampled_from(["a", "b/c", "b/*", "*", "b", "x!y"]), unique=True))
def test_every_deck_has_the_row_of_a_path_that_fits_it_or_none(paths: list[str]) -> None:
    decks = decks_of("r/a", "r/b/c", "r/b/d")
    rows = pd.DataFrame({"path": paths}, index=range(2, 2 + len(paths)), dtype="str")
    found = [paths[line - 2] if pd.notna(line) else None for line in licences.match(decks, rows)]
    for name, path in zip(("a", "b/c", "b/d"), found, strict=True):
        fitting = [one for one in paths if one in ("*", name) or (name.startswith("b/") and one in ("b", "b/*"))]
        longest = max(fitting, key=lambda one: (len(one), one), default=None)
        assert path == (name if name in fitting else longest)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("licence\nMIT\n", "expected the columns path and none but path, licence, credit, title, link, skip, shape"),
        ("path,licence\na\n", "line 2: expected a licence, or how to read it, found a path alone, a"),
        ("path,licence,auther\na,MIT,x\n", "found path, licence, auther"),
        ("path,licence,credit\na,MIT\nb,,X\n", "line 3: expected a licence, or `none stated`, found none for b"),
        ("path,licence\n,MIT\n", "a path, an address or a pattern (`*` for every deck), found no path for MIT"),
        ("path,licence\n/,MIT\n", "a path, an address or a pattern (`*` for every deck), found / for MIT"),
        ("path,licence\na,MIT\na,CC0\n", "line 3: expected each path once with a licence, found a again"),
        (
            "path,licence\ndecks,MIT\n./decks/,CC0\n",
            "line 3: expected each path once with a licence, found decks again",
        ),
        ("licence,path\nCC BY 4.0,a,Jane\n", "line 2: expected at most 2 cells, as in the header, found 3"),
        ("path,licence,link\na,MIT,javascript:x\n", "line 2: expected an address as https://…, found javascript:x"),
        ("", "expected a sheet of decks (CSV)"),
    ],
)
def test_a_wrong_csv_is_one_line_of_where_and_what(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        statements(tmp_path, text)
    assert message in str(refusal.value)
    assert "licences.csv" in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    ["path,licence\na,MIT\n", "path,license\na,MIT\n", "Path;Licence\na;MIT\n", "sep=;\npath;licence\na;MIT\n",
     "\ufeffsep=\t\r\npath\tlicence\r\na\tMIT\r\n", '\n"path", "LICENSE"\n"a", "MIT"\n', "path,licence\na,MIT,\n"],
)  # fmt: skip
def test_every_spelling_of_the_header_is_a_sheet_and_no_deck(tmp_path: Path, text: str) -> None:
    assert statements(tmp_path, text).rows[["path", "licence"]].to_numpy().tolist() == [["a", "MIT"]]
    assert is_sheet(tmp_path / "licences.csv")


@pytest.mark.parametrize("text", ["front,back\npath,licence\n", "", '"path,licence'])
def test_a_deck_of_that_name_is_no_sheet(tmp_path: Path, text: str) -> None:
    (tmp_path / "licences.csv").write_text(text)
    assert not is_sheet(tmp_path / "licences.csv")


def test_only_what_is_new_or_changed_is_appended(tmp_path: Path, store: Store) -> None:
    decks = decks_of("decks/a.tsv", "decks/b.tsv", "decks/c.tsv")
    first = statements(tmp_path, "path,licence,credit\na.tsv,CC BY 4.0,A. Author\nb.tsv,none stated,\n")
    account = licences.record(store, "files", decks, first)
    assert account.lines == (
        "licences of 2 decks stated, 2 of them new or changed",
        "  1 deck: CC BY 4.0",
        "  1 deck: none stated (no well-known licence)",
        "  1 deck without a licence in a row: decks/c.tsv",
    )
    assert account.faults == ()
    licences.record(store, "files", decks, first)
    assert store.version(Licences) == 0
    second = statements(tmp_path, "path;licence;credit\na.tsv;CC BY 4.0;A. Author and others\nb.tsv;none stated;\n")
    account = licences.record(store, "files", decks, second)
    assert account.lines[0] == "licences of 2 decks stated, 1 of them new or changed"
    assert stated(store) == {"decks/a.tsv": ["CC BY 4.0", "CC BY 4.0"], "decks/b.tsv": ["none stated"]}
    licences.record(store, "files", decks, first)
    assert list(store.read(Licences, set_id="decks/a.tsv").sort_values("at")["credit"])[-1] == "A. Author"


def test_a_row_that_means_nothing_is_shown_and_is_a_finding(tmp_path: Path, store: Store) -> None:
    account = licences.record(store, "files", decks_of("a.tsv"), statements(tmp_path, "path,licence\na.tvs,MIT\n"))
    assert account.faults == ("1 row of licences.csv without a deck",)
    assert "line 2: no deck is 'a.tvs'" in account.lines[0]
    assert "1 deck without a licence in a row: a.tsv" in account.lines[1]
    assert not store.exists(Licences)


def test_a_row_of_a_file_without_cards_is_right(tmp_path: Path, store: Store) -> None:
    files = {Path("/x/a.tsv"): "a.tsv", Path("/x/scan.djvu"): "scan.djvu"}
    sheet = statements(tmp_path, "path,licence\na.tsv,MIT\nscan.djvu,MIT\n")
    assert licences.record(store, "files", decks_of("a.tsv"), sheet, files).faults == ()
    assert licences.record(store, "files", decks_of("a.tsv"), sheet).faults == ("1 row of licences.csv without a deck",)


def test_a_row_that_leaves_out_a_part_of_a_file_is_right(tmp_path: Path, store: Store) -> None:
    sheet = statements(tmp_path, "path,skip\na.xlsx!Notes,yes\nb.xlsx!Notes,yes\n")
    account = licences.record(store, "files", decks_of("a.xlsx!Terms"), sheet, {Path("/x/a.xlsx"): "a.xlsx"})
    assert account.faults == ("1 row of licences.csv without a deck",)


def test_a_star_states_the_licence_of_the_rest(tmp_path: Path, store: Store) -> None:
    decks = decks_of("a.tsv", "b.tsv")
    licences.record(store, "files", decks, statements(tmp_path, "path,licence\na.tsv,MIT\n*,CC0\n"))
    assert stated(store) == {"a.tsv": ["MIT"], "b.tsv": ["CC0"]}
    assert licences.record(store, "files", decks, DeckSheet()).lines == ()
    account = licences.record(store, "files", decks_of("a.tsv", "c.tsv"), DeckSheet(), {})
    assert account.lines == ("  1 deck without a licence (state them with -a decks=FILE): c.tsv",)


def test_a_run_without_decks_states_nothing(tmp_path: Path, store: Store) -> None:
    none = decks_of()
    account = licences.record(store, "files", none, statements(tmp_path, "path,licence\na.tsv,MIT\n"))
    assert account.faults
    assert not store.exists(Licences)


def test_a_set_of_a_site_is_named_by_its_address_or_number(tmp_path: Path) -> None:
    ledger = pd.DataFrame({"key": "/1/", "url": "https://x.org/1/", "set_id": ["1"], "title": "T"})
    for name in ("https://x.org/1/", "1", "https://x.org/*"):
        rows = statements(tmp_path, f"path,licence\n{name},MIT\n").rows
        assert licences.match(licences.of_site(ledger), rows).tolist() == [2]
