"""Names that strangers chose: sources, addresses and folders neither leave the release nor become commands."""

import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest
from deltalake import CommitProperties, write_deltalake

from analysis import release, verify
from analysis.publishing import contents
from data.console.commands import run
from data.console.errors import InputError, TableError
from data.contract.tables.definitions import Cards
from data.storage import pack
from data.storage.manifest import Manifest
from data.storage.store import Store

SOURCES = ["../../x", "/tmp/x", "x; touch PWNED #", ".hidden", "a/b", "", "x\ny", "Ä", "$(x)"]


def forge(store: Store, source: str) -> None:
    """Write the source past the table's type, as a forged pack has it."""
    cards = store.read(Cards).assign(source=source)
    manifest = CommitProperties(custom_metadata={"parade": Manifest(stage="crawler.files").to_json({})})
    write_deltalake(store.path(Cards), cards, mode="overwrite", commit_properties=manifest)


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_is_a_path_or_a_command_is_no_source(campaign: Store, source: str) -> None:
    cards = campaign.read(Cards).assign(source=source, card_id="other")
    with pytest.raises(TableError, match="expected source to match"):
        campaign.append(Cards, cards.iloc[:1], Manifest(stage="test"))


def test_a_pack_with_such_a_source_is_refused(campaign: Store, tmp_path: Path) -> None:
    forge(campaign, "../../x")
    pack.pack(campaign, tmp_path / "pack.tar.gz", ratings=True)
    with pytest.raises(InputError, match="table cards"):
        pack.unpack(tmp_path / "pack.tar.gz", tmp_path / "other")


@pytest.mark.sweep
def test_a_release_of_such_a_store_is_refused_and_writes_nothing(
    ready: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(shutil.copytree(ready.root, tmp_path / "store"))
    forge(store, "../../PWNED")
    out = tmp_path / "releases" / "out"
    flags = ["--store", str(store.root), "--name", "simulated", "--without-text"]
    assert run(release.main, prog="release", args=[str(out), *flags]) == 2
    assert "expected source to match" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*PWNED*"))
    assert not list((tmp_path / "releases").iterdir())


@pytest.mark.parametrize("hostile", ["x; touch PWNED #", "$(touch PWNED)", "`touch PWNED`", "a b", "x\ntouch PWNED"])
def test_the_card_s_commands_quote_what_strangers_named(hostile: str) -> None:
    of_site = pd.DataFrame({"source": ["quizlet"], "url": [f"https://host{hostile}/1"]})
    of_files = pd.DataFrame({"source": [f"files.{hostile}"], "url": ["file:x"]})
    for provenance, config in ((of_site, {"lower_case": hostile}), (of_files, {hostile: 1})):
        for command in contents.list_commands(provenance, config):
            assert "\n" not in command
            words = shlex.split(command, comments=True)
            assert "PWNED" not in words
            assert "touch" not in words
            assert ";" not in command or "'" in command


def test_a_file_name_with_a_line_break_is_one_line_of_its_list() -> None:
    provenance = pd.DataFrame({"source": ["files"], "url": ["file:a%0Ahttps://evil.example/"]})
    lists = contents.write_lists(pd.DataFrame({"entity": ["x"], "second_entity": [None]}), provenance)
    assert lists["fetch/files.txt"].count("\n") == 1


@pytest.mark.sweep
def test_two_releases_into_one_folder_at_once_leave_a_whole_one(
    ready: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--store", str(ready.root), "--name", "simulated", "--without-text"]
    derive, codes = contents.derive, []

    def interrupted(*given: object) -> dict[str, str]:
        monkeypatch.setattr(contents, "derive", derive)
        codes.append(run(release.main, prog="release", args=[str(tmp_path / "out"), *flags]))
        return derive(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(contents, "derive", interrupted)
    codes.append(run(release.main, prog="release", args=[str(tmp_path / "out"), *flags]))
    assert codes == [2, 0]
    assert "expected no other run to write it, found a run in progress" in capsys.readouterr().err
    assert run(verify.main, prog="verify", args=[str(tmp_path / "out")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
