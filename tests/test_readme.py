"""README and the stages' documents are true: their commands, run over the demo world, do what they say."""

import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from data.contract.base import Table
from data.contract.tables.campaign import Assignments, Ratings
from data.contract.tables.definitions import Cards, Definitions, Sightings, Terms
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.contract.tables.removals import Rejects
from data.storage.store import Store
from demo import __main__ as demo
from tests.campaign import (
    ROOT,
    SITE_PORT,
    STAGES,
    CampaignRun,
    differences,
    failures,
    in_folder,
    read,
    read_blocks,
    run_campaign,
)

pytestmark = [pytest.mark.server, pytest.mark.timeout(1800)]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MINIATURE = ROOT / "tests" / "miniature"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> CampaignRun:
    """The stages' documents run once over the demo world; the test skips where Label Studio is missing."""
    if not (ROOT / ".label-studio" / "ready").exists():
        pytest.skip("the Label Studio environment is missing: run `make setup`")
    return run_campaign(tmp_path_factory.mktemp("campaign"))


def test_every_command_ends_as_the_documents_say(campaign: CampaignRun) -> None:
    assert failures(campaign.steps) == []
    blocks = [block for name in STAGES for block in read_blocks(read(name))]
    assert [step.command for step in campaign.steps] == [command for block in blocks for command in block.commands]


def test_the_shown_output_is_the_real_one(campaign: CampaignRun) -> None:
    assert differences(campaign.steps) == []


def commands_of(section: str) -> list[str]:
    """The commands in a section's table, in their order."""
    table = README.partition(f"## {section}")[2].partition("\n## ")[0]
    rows = "".join(re.findall(r"^\|.*\n", table, re.MULTILINE))
    return re.findall(r"`((?:python -m (?!demo)|scrapy )[^`]*)`", rows)


def test_the_commands_of_the_readme_are_run_in_their_order(campaign: CampaignRun) -> None:
    commands = commands_of("From papers to a release in fourteen commands")
    assert len(commands) == 14
    run = iter([step.command for step in campaign.steps])
    assert [command for command in commands if command not in run] == []


def test_a_new_round_is_opened_collected_and_measured_again() -> None:
    """A release is refused while answers are newer than their measures, and no next row of the table says so."""
    row = next(line for line in README.splitlines() if line.startswith("| `python -m annotation reassign`"))
    assert re.findall(r"`(\w+)`", row.partition("; then run ")[2]) == ["open", "collect", "quality"]


def test_each_way_in_takes_three_commands(campaign: CampaignRun) -> None:
    """Those from papers are the stages' documents' own; the others run beside their store, and over their release."""
    commands = commands_of("Ways in, three commands each")
    assert len(commands) == 12
    assert set(commands[3:6]) <= {step.command for step in campaign.steps}

    def codes(commands: list[str], place: Path) -> list[int]:
        call = in_folder(place)
        return [call(command)[0] for command in commands]

    decks, own = campaign.folder / "decks-alone", campaign.folder / "pairs-alone"
    for place in (decks, own):
        place.mkdir()
        for name in ("demo", "scrapy.cfg"):
            (place / name).symlink_to(ROOT / name)
    assert codes(commands[:3], decks) == [1, 0, 0]
    assert len(Store(decks / "data" / "store").read(Pairs)) > 100
    assert codes(commands[6:9], own) == [0, 0, 0]
    assert len(Store(own / "data" / "store").read(Assignments)) == 10 * 5
    assert codes(commands[9:], campaign.folder) == [0, 0, 0]
    assert (campaign.folder / "set-report" / "report.html").exists()


def test_the_pair_of_the_readme_is_the_demo_worlds(campaign: CampaignRun) -> None:
    rows = dict(re.findall(r"^\| \[`(\w+)`\]\S+ \| `(\w+)…`", README, re.MULTILINE))
    assert set(rows) == {"cards", "definitions", "pairs", "labels"}
    for table, key in ((Cards, "card_id"), (Definitions, "definition_id"), (Pairs, "pair_id")):
        assert campaign.store.read(table)[key].str.startswith(rows[table.table_name()]).sum() == 1


def test_the_demo_ends_as_the_readme_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(demo, "main", lambda arguments: None)
    demo.timed(demo.Arguments())
    shown = re.search(r"`(the demo took [^`]*)`", README)
    assert shown is not None
    figures = re.compile(r"\d+\.\d")
    assert figures.sub("", capsys.readouterr().out.strip()) == figures.sub("", shown[1])


@pytest.mark.parametrize("table", [Terms, Cards, Definitions], ids=lambda table: table.table_name())
def test_the_demo_world_gives_the_expected_table(campaign: CampaignRun, table: type[Table]) -> None:
    """Golden tables end before the vectors: another processor moves those in the last bits."""
    frame = campaign.store.read(table).drop(columns=["fetched_at", "body_sha256"], errors="ignore")
    text = frame.to_csv(index=False).replace(f"127.0.0.1:{campaign.ports[SITE_PORT]}", f"127.0.0.1:{SITE_PORT}")
    found = text.splitlines()
    expected = (MINIATURE / f"{table.table_name()}.csv").read_text(encoding="utf-8").splitlines()
    assert found == expected


def test_cards_are_definitions_or_rejects(campaign: CampaignRun) -> None:
    rejects = campaign.store.read(Rejects, stage="crawler.definitions")
    assert campaign.store.read(Cards)["card_id"].nunique() == len(campaign.store.read(Sightings)) + len(rejects)


def test_pairs_lie_within_an_entity(campaign: CampaignRun) -> None:
    pairs = campaign.store.read(Pairs)
    entity = campaign.store.read(Definitions).set_index("definition_id")["entity"]
    assert len(pairs) > 100
    assert (pairs["first_id"].map(entity) == pairs["entity"]).all()
    assert (pairs["second_id"].map(entity) == pairs["entity"]).all()


def test_every_planned_pair_is_labelled_or_rejected(campaign: CampaignRun) -> None:
    assignments = campaign.store.read(Assignments)
    labels = campaign.store.read(Labels, method="majority")
    rejects = campaign.store.read(Rejects, stage="annotation.adjudicate")
    first = assignments[assignments["round"] == 1]
    assert first["pair_id"].nunique() == 40 == len(labels) + len(rejects)
    assert (first.groupby("pair_id").size() == 3).all()
    assert not first.duplicated(["pair_id", "annotator"]).any()
    rated = campaign.store.read(Ratings)["assignment_id"].nunique()
    assert rated == len(assignments)


def test_the_report_is_and_says_that_labels_are_simulated(campaign: CampaignRun) -> None:
    page = next((campaign.folder / "demo-report").glob("*.html")).read_text(encoding="utf-8")
    assert "simulated" in page[:20_000].lower()


def test_a_pair_leads_back_to_its_cards(campaign: CampaignRun) -> None:
    pair = campaign.store.read(Pairs)["pair_id"].iloc[0]
    code, out, err = in_folder(campaign.folder)(f"python -m data lineage {pair}")
    assert code == 0, err
    assert out.count("\ndefinition ") == 2
    assert "UTC" in out
    assert "127.0.0.1" in out or "file:" in out


def test_no_secret_lies_in_a_table_or_a_readable_file(campaign: CampaignRun) -> None:
    secret_files = [path for path in campaign.store.root.rglob("*.json") if "password" in path.read_text("utf-8")]
    assert secret_files
    assert all(path.stat().st_mode & 0o077 == 0 for path in secret_files)
    passwords = pd.Series([path.parent.name for path in secret_files])
    assert set(passwords) <= {"private", "server"}


def test_the_server_is_gone(campaign: CampaignRun) -> None:
    folder = str(Path(campaign.store.root).resolve())
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert folder not in running
