"""Consent and guide of a campaign: the verbs, at the real server where one is needed."""

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.documents import default_guide
from annotation.commands.before import guide
from data.contract.tables.campaign import Acceptances, Annotators, Assignments, Documents, Ratings
from data.contract.tables.labels import Labels
from data.contract.tables.pairs import Pairs
from data.storage.manifest import Manifest
from tests.annotation.support.frames import pairs

CONSENT = "# Taking part\n\nVersion 2026-1\n\nYou may stop at any time.\n"
GUIDE = "# Another guide\n\nVersion 2\n\nScore as you see it.\n"
PROFILES = ("--profiles", "good:4")


@pytest.fixture
def command(store, capsys, request):
    """Runs a verb on a campaign named after the test; returns exit code, standard output and standard error."""
    store.replace(Pairs, pairs(40), Manifest(stage="clustering"), generator="recommended")
    name = request.node.name.replace("_", "-").removeprefix("test-")[:28]

    def call(verb, *args):
        where = ["--store", str(store.root), "--campaign", name]
        code = main([verb, *map(str, args), *where])
        return code, *capsys.readouterr()

    call.name = name
    return call


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "consent.md").write_text(CONSENT)
    (tmp_path / "guide.md").write_text(GUIDE)
    return tmp_path


@pytest.mark.sweep
def test_documents_are_kept_with_their_versions_and_reference(store, command, texts):
    assert command("plan", "--annotators", 4, "--pairs", 4)[0] == 0
    code, out, _ = command("consent", texts / "consent.md", "--ethics", "IRB 2026/7")
    assert code == 0
    assert "consent version 2026-1 holds" in out
    assert command("consent", texts / "consent.md", "--ethics", "IRB 2026/7")[0] == 0
    rows = store.read(Documents)
    assert rows[["kind", "version", "reference"]].to_numpy().tolist() == [["consent", "2026-1", "IRB 2026/7"]]
    (texts / "consent.md").write_text(CONSENT + "More.\n")
    code, _, err = command("consent", texts / "consent.md", "--ethics", "IRB 2026/7")
    assert (code, "another line `Version" in err) == (2, True)


@pytest.mark.parametrize(("text", "ethics"), [("", "x"), ("no version", "x"), (CONSENT, " ")])
def test_a_consent_without_version_or_reference_is_one_line(command, tmp_path, text, ethics):
    (tmp_path / "c.md").write_text(text)
    code, _, err = command("consent", tmp_path / "c.md", "--ethics", ethics)
    assert code == 2
    assert err.startswith("error:")
    assert err.count("\n") == 1


def test_a_guide_before_the_plan_opens_no_round(store, command, texts):
    assert command("guide", texts / "guide.md")[0] == 0
    assert command("plan", "--annotators", 4, "--pairs", 8)[0] == 0
    assert set(store.read(Annotators)["guide_version"]) == {"2"}
    assert "holds already" in command("guide", texts / "guide.md")[1]
    assert set(store.read(Assignments)["round"]) == {1}


@pytest.mark.sweep
def test_people_start_only_after_a_consent_text_is_there(command, tmp_path, label_studio, monkeypatch, texts):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    (tmp_path / "people.csv").write_text("email\n" + "".join(f"{one}@asked.test.org\n" for one in "abc"))
    assert command("plan", "--annotators", tmp_path / "people.csv", "--pairs", 3)[0] == 0
    code, _, err = command("open", "--url", label_studio.running.url)
    assert (code, "expected a consent text for 3 people" in err) == (2, True)
    assert command("consent", texts / "consent.md", "--ethics", "IRB 2026/7")[0] == 0
    assert command("open", "--url", label_studio.running.url)[0] == 0


def test_a_guide_with_control_characters_is_refused(store, command, tmp_path):
    (tmp_path / "odd.md").write_text("# A guide\n\nVersion 3\n\nring\x07\n")
    code, _, err = command("guide", tmp_path / "odd.md")
    assert (code, "odd.md: expected a guide without control characters" in err) == (2, True)


@pytest.mark.sweep
def test_another_guide_in_mid_campaign(store, command, label_studio, monkeypatch, texts):
    """Two of four label; the guide changes; the open work becomes round 2 by the new guide, and all is collected."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    there = ("--url", label_studio.running.url)
    assert command("plan", "--annotators", 4, "--pairs", 4)[0] == 0
    assert command("open", *there)[0] == 0
    before = store.read(Assignments)
    half = set(before.loc[before["annotator"].isin(["a01", "a02"]), "assignment_id"])
    campaign = Campaign(OfCampaign(store=store.root, campaign=command.name))
    label_by_hand(label_studio, campaign, ["a01", "a02"])

    code, out, err = command("guide", texts / "guide.md", *there)
    assert code == 0, err
    assert "4 projects closed" in out
    assert f"{len(half)} new ratings" in out
    assert f"{len(before) - len(half)} open pairs go to a new round" in out
    after = store.read(Assignments)
    moved = after[after["round"] == 2]
    assert set(moved["supersedes"]) == set(before["assignment_id"]) - half
    assert set(moved["annotator"]) == {"a03", "a04"}
    code, out, _ = command("open", *there)
    assert (code, "2 projects are open" in out, "4 projects are closed" in out) == (0, True, True)
    label_by_hand(label_studio, Campaign(OfCampaign(store=store.root, campaign=command.name)), ["a03", "a04"])
    assert command("collect", *there)[0] == 0
    said = store.read(Ratings).merge(after, on="assignment_id")
    by_round = set(zip(said["round"], said["guide_version"], strict=True))
    assert by_round == {(1, default_guide().version), (2, "2")}
    accepted = store.read(Acceptances, campaign=command.name)
    found = accepted[["annotator", "version"]].to_numpy().tolist()
    assert sorted(found) == [["a01", "1"], ["a02", "1"], ["a03", "2"], ["a04", "2"]]
    assert (pd.Timestamp.now("UTC") - accepted["at"]).max() < pd.Timedelta(hours=1)
    latest = Campaign(OfCampaign(store=store.root, campaign=command.name)).annotators
    assert latest["guide_version"].to_dict() == {"a01": "1", "a02": "1", "a03": "2", "a04": "2"}
    assert command("quality")[0] == 0
    assert command("reassign", "--dry-run")[0] == 0
    assert command("adjudicate")[0] == 0
    assert len(store.read(Labels)) == 4


@pytest.mark.sweep
def test_a_guide_that_was_stopped_half_way_is_finished_by_the_next_run(store, command, texts, monkeypatch):
    assert command("plan", "--annotators", 4, "--pairs", 4)[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(guide, "move_open_work", interrupted)
        assert command("guide", texts / "guide.md")[0] == 130
    assert set(store.read(Assignments)["round"]) == {1}
    code, out, _ = command("guide", texts / "guide.md")
    assert (code, "12 open pairs go to a new round" in out) == (0, True)
    assert "holds already" in command("guide", texts / "guide.md")[1]
    assert store.read(Assignments)["round"].value_counts().to_dict() == {1: 12, 2: 12}


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.sweep
def test_what_a_guide_moved_counts_once_in_the_quotas(store, command, texts, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("email,quota\n" + "".join(f"{one}@x.org,10\n" for one in "abc"))
    assert command("plan", "--annotators", people, "--pairs", 8)[0] == 0
    assert command("guide", texts / "guide.md")[0] == 0
    campaign = Campaign(OfCampaign(store=store.root, campaign=command.name))
    assert campaign.room(["a01", "a02", "a03"]).to_list() == [2, 2, 2]


@pytest.mark.sweep
def test_a_guide_that_held_before_needs_another_version_to_hold_again(store, command, texts):
    assert command("guide", texts / "guide.md")[0] == 0
    (texts / "third.md").write_text(GUIDE.replace("Version 2", "Version 3"))
    assert command("guide", texts / "third.md")[0] == 0
    assert command("plan", "--annotators", 3, "--pairs", 4)[0] == 0
    code, _, err = command("guide", texts / "guide.md")
    assert (code, "found one that was in force before; give the text another line" in err) == (2, True)
    assert Campaign(OfCampaign(store=store.root, campaign=command.name)).guide.version == "3"


@pytest.mark.parametrize(
    ("content", "code"), [(b"\xef\xbb\xbfVersion 7\r\n\r\nWords.\r\n", 0), (b"Version 7\n\xff", 2)]
)
def test_a_guide_as_an_editor_saves_it(command, tmp_path, content, code):
    (tmp_path / "guide.md").write_bytes(content)
    found, out, err = command("guide", tmp_path / "guide.md")
    assert (found, ("guide version 7 holds" in out) != ("save it as UTF-8" in err)) == (code, True)


def label_by_hand(label_studio, campaign, names):
    """The accounts of these annotators sign in, accept, and give every open pair a 2."""
    from annotation.campaign import accounts
    from annotation.label_studio.simulated.sitting import Sitting

    for account in accounts.read_accounts(campaign.store.root, campaign.name):
        if account.annotator not in names:
            continue
        with Sitting(label_studio.running.url, account) as sitting:
            sitting.sign_in()
            for number, n_open in sitting.projects().values():
                for _ in range(n_open):
                    sitting.submit(number, sitting.next_task(number)["id"], {"score": ["2"]}, 3.0)
