"""Every verb on every shipped question: it works, or it refuses in one line; docs/questions.md says which."""

import re
import zlib
from pathlib import Path

import pandas as pd
import pytest

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.texts import read_shown_texts
from annotation.questions.declarations import list_shipped, shipped_question
from annotation.simulation.answering import latent_classes, simulate
from data.contract.tables.campaign import Ratings
from data.storage.engine import HERE
from tests.annotation.support.frames import predicted

STEPS = {
    "pilot plan": "pilot plan --annotators 4 --pairs 8",
    "pilot report": "pilot report --out {folder}",
    "pilot settle": "pilot settle {folder}/discussion.csv --examples 1 --guide {folder}/guide.md",
    "plan": "plan --annotators {folder}/people.csv --pairs 20 --labels-per-pair 2",
    "plan --gold": "plan --annotators 6 --gold {folder}/gold.csv --campaign gold --question {name}",
    "plan --trap-share": "plan --annotators 6 --trap-share 0.1 --campaign traps --question {name}",
    "plan --repeat-share": "plan --annotators 6 --repeat-share 0.1 --campaign repeats --question {name}",
    "forecast": "forecast --pairs 30 --annotators 5 --pace 10 --simulations 1",
    "quality": "quality",
    "verdict": "verdict",
    "reassign": "reassign --dry-run",
    "review blind": "review blind --pairs 4",
    "review informed": "review informed",
    "adjudicate": "adjudicate",
    "adjudicate --rule at-least": "adjudicate --rule at-least 2",
    "adjudicate --rule mean": "adjudicate --rule mean",
    "adjudicate --method dawid-skene": "adjudicate --method dawid-skene",
    "control plan": "control plan --annotators 2 --examples 3 --pairs 5",
    "control score": "control score",
}
"""Each verb, in the order of a campaign's life; answers are collected after the verbs of RATED."""

RATED = {"pilot plan": "main-pilot", "plan": "main", "review blind": "main", "review informed": "main",
    "control plan": "main-control"}  # fmt: skip

PEOPLE = "email,role\n" + "".join(f"p{n}@x.org,\n" for n in range(4)) + "s1@x.org,senior\n"


def documented(name: str) -> set[str]:
    """The verbs that work for a question: all but those that the documentation's table says it refuses."""
    text = Path("docs/questions.md").read_text(encoding="utf-8").partition("| question | refuses |\n|---|---|\n")[2]
    rows = [line.strip("|").split("|") for line in text.partition("\n\n")[0].splitlines()]
    refused = {
        verb for questions, verbs in rows if f"`{name}`" in questions for verb in re.findall(r"`([^`]+)`", verbs)
    }
    assert refused <= STEPS.keys()
    return set(STEPS) - refused


def answer_all(store, command, campaign_name, path):
    """Collect a simulated answer for every open assignment; one of five annotators' answers is off."""
    campaign = Campaign(OfCampaign(store=store.root, campaign=campaign_name))
    question, n = campaign.question, len(latent_classes(campaign.question))
    rows = campaign.assignments.merge(read_shown_texts(campaign), on="pair_id")
    rows = rows[~rows["assignment_id"].isin(store.read(Ratings)["assignment_id"])]
    cells = []
    for row in rows.to_dict("records"):
        noise = zlib.crc32(f"{row['annotator']} {row['pair_id']}".encode()) % 5 == 0
        place = (int(row["pair_id"], 16) + noise) % n
        answers = simulate(question, place, row | {"assignment": row["assignment_id"]})
        names = ["score"] if question.scale else list(answers)
        texts = [given if isinstance(given, str) else " ".join(given) for given in answers.values()]
        about = {"assignment_id": row["assignment_id"], "submitted_at": "2026-01-05T10:00:00Z", "comment": "because"}
        cells.append(about | dict(zip(names, texts, strict=True)))
    columns = ["score"] if question.scale else [control.name for control in question.asked]
    pd.DataFrame(cells).reindex(columns=["assignment_id", "submitted_at", "comment", *columns]).to_csv(
        path, index=False
    )
    code, _, err = command("collect --file", path, "--campaign", campaign_name)
    assert code == 0, err


@pytest.mark.sweep
@pytest.mark.parametrize("name", list_shipped())
def test_every_verb_works_or_refuses_in_one_line(filled, command, tmp_path, monkeypatch, name):
    # one campaign is not worth new processes
    monkeypatch.setattr("annotation.commands.before.forecast.PROCESSES", HERE)
    question, working = shipped_question(name), set()
    if question.shown.beside:
        predicted(filled)
    (tmp_path / "people.csv").write_text(PEOPLE)
    value = question.first.values[-1]
    (tmp_path / "gold.csv").write_text("pair_id,score\n" + "".join(f"{n:032x},{value}\n" for n in range(4)))
    for verb, words in STEPS.items():
        asks = f" --question {name}" if verb in ("pilot plan", "plan") else ""
        code, out, err = command(words.format(folder=tmp_path, name=name) + asks)
        assert code in (0, 1, 2), (verb, err)
        if code < 2:
            working.add(verb)
            assert out
        else:
            assert err.startswith("error: "), (verb, err)
            assert err.count("\n") == 1, (verb, err)
            assert "; " in err, (verb, err)
        if code < 2 and verb in RATED:
            answer_all(filled, command, RATED[verb], tmp_path / "ratings.csv")
    assert working == documented(name)
