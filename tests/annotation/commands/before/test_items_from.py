"""One pool of annotators for several questions about the same items in sequence."""

import secrets
import shutil

import pytest

from analysis.splits import main as split
from annotation.campaign import accounts
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.label_studio.projects import list_tasks
from annotation.label_studio.server import environment
from data.console.commands import run
from data.contract.tables.campaign import Annotators, Answers, Assignments, Ratings, Worked
from data.contract.tables.definitions import Cards
from data.contract.tables.generated import GeneratedTexts
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.tables.plans import Campaigns
from data.contract.tables.removals import Rejects, Tombstones
from data.guidance.commands.takedown import Arguments as Takedown
from data.guidance.commands.takedown import main as take_down
from data.storage.manifest import Manifest
from data.storage.store import Store
from data.texts.identity import definition_id, text_id
from tests.annotation.questions.test_declarations import DECLARED, declare
from tests.annotation.support import probes
from tests.annotation.support.frames import planned
from tests.data.provenance.test_takedown import SECRET, places, secret_card
from tests.data.provenance.test_takedown import campaign as mined  # noqa: F401 - a fixture: cards, definitions and their pairs

pytestmark = pytest.mark.sweep

HEADER = "assignment_id,submitted_at,decision,corrected,flags"
FATES = ("accept", "fix", "reject", "accept", "flag")


def answer(store, path, campaign="fluency", fates=FATES, at="2026-01-05T10:00:00Z"):
    """Write a file of answers to the campaign's correction, each item's by its place; returns file and fates."""
    rows, lines, said = planned(store, campaign).sort_values("pair_id"), [HEADER], {}
    for place, (name, pair) in enumerate(zip(rows["assignment_id"], rows["pair_id"], strict=True)):
        fate = fates[place % len(fates)]
        cells = {"flag": ",,ill_formed", "fix": f"fix,corrected text {pair[-6:]},"}.get(fate, f"{fate},,")
        lines.append(f"{name},{at},{cells}")
        said[pair] = fate
    path.write_text("\n".join(lines) + "\n")
    return path, said


@pytest.fixture
def corrected(filled, command, tmp_path):
    """Forty corrected sentences of the campaign `fluency`; their fates by pair id."""
    people = tmp_path / "people.csv"
    rows = [f"p{n}@x.parade.invalid,{'senior' if n == 8 else 'expert'},{30 if n == 1 else ''}" for n in range(1, 9)]
    people.write_text("\n".join(["email,role,quota", *rows]) + "\n")
    once = "plan --campaign fluency --double-share 0 --question sentence-correction --annotators"
    assert command(once, people)[0] == 0
    file, said = answer(filled, tmp_path / "answers.csv")
    assert command("collect --campaign fluency --file", file)[0] == 0
    return said


def campaign(store, name="main"):
    return Campaign(OfCampaign(store=store.root, campaign=name))


NEXT = "plan --question same-meaning --items-from sentence-correction"


def test_what_is_kept_goes_on_what_is_fixed_is_new_and_the_rest_is_a_reject(corrected, filled, command):
    code, out, err = command(NEXT)
    assert code == 0, err
    assert "campaign fluency kept 24 items, 8 of them with a corrected text" in out
    assert "16 do not go on: 8 dropped, 8 flagged" in out
    rows = filled.read(Pairs, generator="fluency-kept-for-main")
    new = rows[rows["selection"] == "corrected"]
    assert set(rows["pair_id"]) - set(new["pair_id"]) == {pair for pair, fate in corrected.items() if fate == "accept"}
    assert {parents[0] for parents in new["parents"]} == {pair for pair, fate in corrected.items() if fate == "fix"}
    assert list(new["second_id"]) == [
        definition_id(*row) for row in new[["entity", "second"]].itertuples(index=False, name=None)
    ]
    texts = filled.read(GeneratedTexts, generator="fluency-kept-for-main")
    old = filled.read(Pairs, generator="recommended").set_index("pair_id")["second_id"]
    assert dict(zip(texts["text_id"], texts["source_id"], strict=True)) == {
        second: old[parents[0]] for second, parents in zip(new["second_id"], new["parents"], strict=True)
    }
    assert set(texts["method"]) == {"correction"}
    rejects = filled.read(Rejects, stage="annotation.plan", part="main").set_index("id")["reason"].to_dict()
    assert rejects == {pair: {"reject": "dropped", "flag": "flagged"}[fate] for pair, fate in corrected.items()
                       if fate in ("reject", "flag")}  # fmt: skip
    shown = [task for tasks in list_tasks(campaign(filled)).values() for task in tasks]
    assert {text for task in shown for text in task.values()} >= set(new["second"])
    assert filled.read(Campaigns, campaign="main")["items_from"].to_list() == ["fluency"]
    assert filled.manifest(Pairs, generator="fluency-kept-for-main")["language"] == "en"
    assert "nothing added" in command(NEXT)[1]
    assert command("plan --question same-meaning --annotators 6 --generator recommended")[0] == 2


def test_one_correction_in_ten_is_done_twice_and_their_agreement_is_told(filled, command, tmp_path):
    assert command("plan --campaign fluency --question sentence-correction --annotators 8")[0] == 0
    rows = planned(filled, "fluency").sort_values(["pair_id", "annotator"], ignore_index=True)
    n_answers = rows["pair_id"].value_counts()
    assert n_answers.value_counts().to_dict() == {1: 36, 2: 4}
    assert filled.read(Campaigns, campaign="fluency")["double_share"].to_list() == [0.1]
    twice = sorted(n_answers.index[n_answers == 2])
    fates = dict(
        zip(twice, [("fix", "fix"), ("accept", "fix"), ("reject", "accept"), ("accept", "accept")], strict=True)
    )
    texts = {0: "a text with one corrected word", 1: "a text with one correct word"}
    lines = [HEADER]
    for place, (name, pair) in enumerate(zip(rows["assignment_id"], rows["pair_id"], strict=True)):
        turn = int(place > 0 and rows.at[place - 1, "pair_id"] == pair)
        fate = fates.get(pair, ("accept",))[turn]
        lines.append(f"{name},2026-01-05T1{turn}:00:00Z,{fate},{texts[turn] if fate == 'fix' else ''},")
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
    assert command("collect --campaign fluency --file", tmp_path / "answers.csv")[0] == 0
    code, out, err = command(NEXT)
    assert code == 0, err
    assert "4 items have two answers, 2 of them the same (50.0%)" in out
    assert "1 of these were fixed twice: the texts are 93.3% alike by characters" in out
    kept = filled.read(Pairs, generator="fluency-kept-for-main")
    assert kept.loc[kept["selection"] == "corrected", "second"].to_list() == [texts[0]]
    assert twice[1] in set(kept["pair_id"])
    assert filled.read(Rejects, stage="annotation.plan", part="main")["id"].to_list() == [twice[2]]
    assert command("quality --campaign fluency")[0] == 0
    out = command("adjudicate --campaign fluency")[1]
    assert out.count("1 pairs without a label: unresolved_tie\n") == 2
    assert out.count("1 pairs without a label: unresolved_tie\n  as many people drop") == 1  # of two fixes one goes on
    assert command("plan --campaign alone --question sentence-correction --annotators 1")[0] == 0
    assert (planned(filled, "alone")["pair_id"].value_counts() == 1).all()
    code, _, err = command("plan --campaign x --question sentence-correction --annotators 1 --double-share 0.5")
    assert (code, "--double-share: expected a second annotator for 20 of 40 pairs" in err) == (2, True)


def test_no_one_judges_a_text_that_they_corrected_now_or_later(corrected, filled, command, tmp_path):
    assert command(NEXT + " --labels-per-pair 5")[0] == 0
    before, rows = planned(filled, "fluency"), planned(filled)
    new = filled.read(Pairs, generator="fluency-kept-for-main").query("selection == 'corrected'")
    fixers = before.set_index("pair_id")["annotator"]
    barred = {(pair, fixers[parents[0]]) for pair, parents in zip(new["pair_id"], new["parents"], strict=True)}
    assert len(barred) == 8
    assert barred.isdisjoint(zip(rows["pair_id"], rows["annotator"], strict=True))
    assert (rows.groupby("pair_id")["annotator"].nunique() == 5).all()
    names = {account.email: account.annotator for account in accounts.read_accounts(filled.root, "main")}
    assert names == {account.email: account.annotator for account in accounts.read_accounts(filled.root, "fluency")}
    for leaver in ("a02", "a03"):
        assert command(f"hand-over {leaver}")[0] == 0
    rows = planned(filled)
    assert barred.isdisjoint(zip(rows["pair_id"], rows["annotator"], strict=True))
    lines = [f"{name},2026-01-05T10:00:00Z,{'yes' if pair[-1] in '01234567' else 'no'}" for name, pair in zip(
        rows["assignment_id"], rows["pair_id"], strict=True)]  # fmt: skip
    file = tmp_path / "judged.csv"
    file.write_text("\n".join(["assignment_id,submitted_at,same_meaning", *lines]) + "\n")
    assert command("collect --file", file)[0] == 0
    assert command("reassign --unfinished --relabel uncertain --limit 60 --best 8")[0] in (0, 1)
    later = planned(filled)
    assert later["round"].max() > 1
    assert barred.isdisjoint(zip(later["pair_id"], later["annotator"], strict=True))


def test_the_pool_keeps_its_roles_and_what_is_left_of_its_quotas(corrected, filled, command):
    used = int((planned(filled, "fluency")["annotator"] == "a01").sum())
    assert command("simulate --campaign fluency --profiles good:1 --url http://127.0.0.1:1")[0] == 2
    assert command(NEXT)[0] == 0
    rows = filled.read(Annotators, campaign="main").set_index("annotator")
    assert rows["quota"].dropna().to_dict() == {"a01": 30 - used}
    assert rows.index[rows["role"] == "senior"].to_list() == ["a08"]


def test_new_people_and_a_third_question_in_the_sequence(corrected, filled, command, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text(
        "email\nnew@x.parade.invalid\np3@x.parade.invalid\np5@x.parade.invalid\np6@x.parade.invalid\np7@x.parade.invalid\n"
    )
    second = "plan --campaign again --question sentence-correction --items-from fluency --annotators"
    assert command(second, more)[0] == 0
    names = {account.email: account.annotator for account in accounts.read_accounts(filled.root, "again")}
    assert {names[f"p{n}@x.parade.invalid"] for n in (3, 5, 6, 7)} == {"a03", "a05", "a06", "a07"}
    assert names["new@x.parade.invalid"] not in ("a03", "a05", "a06", "a07")
    file, _ = answer(filled, tmp_path / "again.csv", "again", ("accept", "fix"))
    assert command("collect --campaign again --file", file)[0] == 0
    assert command("plan --question same-meaning --items-from again --labels-per-pair 3")[0] == 0
    emails = {name: {account.annotator: account.email for account in accounts.read_accounts(filled.root, name)}
              for name in ("fluency", "again", "main")}  # fmt: skip
    wrote = {}
    for name in ("fluency", "again"):
        edited = filled.read(Answers).dropna(subset="text")[["assignment_id"]]
        rows = planned(filled, name).merge(edited, on="assignment_id")
        for pair, annotator in zip(rows["pair_id"], rows["annotator"], strict=True):
            wrote[name, pair] = emails[name][annotator]
    parents = {}
    for name in ("fluency-kept-for-again", "again-kept-for-main"):
        rows = filled.read(Pairs, generator=name).query("selection == 'corrected'")
        parents |= {pair: parent[0] for pair, parent in zip(rows["pair_id"], rows["parents"], strict=True)}
    judged = planned(filled)
    assert judged["pair_id"].isin(list(parents)).any()
    for pair, annotator in zip(judged["pair_id"], judged["annotator"], strict=True):
        source = pair
        while source in parents:
            source = parents[source]
            assert emails["main"][annotator] not in {wrote.get((name, source)) for name in ("fluency", "again")}


def test_a_question_of_ones_own_that_keeps_and_drops(filled, command, tmp_path):
    yes_no = declare(
        tmp_path / "fit", DECLARED.replace('positive = ["2", "3"]', 'keeps = ["1", "2", "3"]\ndrops = ["0"]')
    )
    assert command("plan --campaign fit --annotators 3 --labels-per-pair 1 --question", yes_no)[0] == 0
    rows = planned(filled, "fit").sort_values("pair_id")
    lines = [f"{name},2026-01-05T10:00:00Z,{place % 4}" for place, name in enumerate(rows["assignment_id"])]
    file = tmp_path / "fit.csv"
    file.write_text("\n".join(["assignment_id,submitted_at,score", *lines[:-4]]) + "\n")
    assert command("collect --campaign fit --file", file)[0] == 0
    code, out, err = command("plan --items-from fit")
    assert code == 0, err
    assert "campaign fit kept 27 items, 0 of them with a corrected text" in out
    assert "13 do not go on: 9 dropped, 4 unanswered" in out
    assert "what is unanswered stays out of this plan" in out


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("--items-from nothing", "--items-from: expected another campaign of this store, or a question"),
        ("--items-from fluent", "(fluency), found 'fluent'"),
        ("--items-from fluency --generator recommended", "--generator: expected nothing with --items-from"),
        ("--items-from fluency --annotators 3", "annotators: expected at least 5 of them"),
        ("", "--annotators: expected a number, or a sheet of annotators, found nothing"),
    ],
)
def test_what_cannot_be_followed_is_one_line(corrected, command, flags, expected):
    code, _, err = command("plan --question same-meaning " + flags)
    assert (code, expected in err, err.count("\n")) == (2, True, 1), err


def test_a_question_that_keeps_nothing_and_one_that_two_campaigns_ask(corrected, filled, command, tmp_path):
    assert command("plan --campaign plain --annotators 6")[0] == 0
    code, _, err = command("plan --annotators 6 --items-from plain")
    assert (code, "question parade: expected answers that keep, change or drop the item" in err) == (2, True)
    assert command(NEXT)[0] == 0
    assert command("plan --campaign more --annotators 6 --question sentence-correction")[0] == 0
    assert campaign(filled, "more").plan["generator"] == "recommended"
    code, _, err = command("plan --campaign x --annotators 6 --items-from sentence-correction")
    assert (code, "asked by fluency and more" in err) == (2, True)
    code, _, err = command("plan --campaign x --annotators 6 --items-from more")
    assert (code, "expected items that the answers of campaign more keep, found none of 40" in err) == (2, True)


def test_other_answers_since_are_another_plan(corrected, filled, command, tmp_path):
    assert command(NEXT)[0] == 0
    rows = filled.read(Pairs, generator="fluency-kept-for-main")
    file, _ = answer(filled, tmp_path / "later.csv", fates=("accept",), at="2026-01-06T10:00:00Z")
    assert command("collect --campaign fluency --file", file)[0] == 0
    code, _, err = command(NEXT)
    assert (code, "expected the arguments that it was planned with" in err) == (2, True)
    assert filled.read(Pairs, generator="fluency-kept-for-main").equals(rows)


def test_a_corrected_text_falls_with_the_card_of_its_original(mined, command, tmp_path):  # noqa: F811
    assert command("plan --campaign fluency --question sentence-correction --annotators 4 --generator g")[0] == 0
    file, _ = answer(mined, tmp_path / "answers.csv", fates=("fix",))
    assert command("collect --campaign fluency --file", file)[0] == 0
    assert command(NEXT + " --labels-per-pair 2")[0] == 0
    rows = mined.read(Pairs, generator="fluency-kept-for-main")
    sources = mined.read(Pairs, generator="g").set_index("pair_id")
    made_from = [SECRET in (sources["first"][parents[0]], sources["second"][parents[0]]) for parents in rows["parents"]]
    falling = rows[made_from]
    assert 0 < len(falling) < len(rows)
    take_down(Takedown(cards=(secret_card(mined),), store=mined.root))
    left = mined.read(Pairs, generator="fluency-kept-for-main")
    assert set(left["pair_id"]) == set(rows["pair_id"]) - set(falling["pair_id"])
    assert set(mined.read(Assignments, campaign="main")["pair_id"]) == set(left["pair_id"])
    for text in [SECRET, *falling["second"]]:
        assert places(mined.root, text) == [], text
    assert len(mined.read(Tombstones, kind="text")) == 1 + falling["second"].nunique()
    assert not mined.read(Cards).empty


def test_pairs_that_define_nothing_are_corrected_judged_and_labelled_without_an_entity(filled, command, tmp_path):
    pairs = filled.read(Pairs).assign(entity=None, cluster=None)
    filled.replace(Pairs, pairs, Manifest(stage="clustering"), generator="recommended")
    assert command("plan --campaign fluency --question sentence-correction --annotators 8")[0] == 0
    file, _ = answer(filled, tmp_path / "answers.csv")
    assert command("collect --campaign fluency --file", file)[0] == 0
    code, _, err = command(NEXT)
    assert code == 0, err
    new = filled.read(Pairs, generator="fluency-kept-for-main").query("selection == 'corrected'")
    assert list(new["second_id"]) == [text_id(text) for text in new["second"]]
    assert not any("entity" in task for tasks in list_tasks(campaign(filled)).values() for task in tasks)
    rows = planned(filled)
    lines = [f"{name},2026-01-05T10:00:00Z,yes" for name in rows["assignment_id"]]
    file.write_text("\n".join(["assignment_id,submitted_at,same_meaning", *lines]) + "\n")
    assert command("collect --file", file)[0] == 0
    assert command("adjudicate")[0] == 0
    assert len(filled.read(Labels, campaign="main")) == rows["pair_id"].nunique()
    assert run(split, prog="python -m analysis.splits", args=["--store", str(filled.root)]) == 0
    assert set(filled.read(Splits)["pair_id"]) >= set(rows["pair_id"])


def judge(store, path):
    """Write a file with an answer to every open assignment of `main`."""
    rows = planned(store)
    rows = rows[~rows["assignment_id"].isin(store.read(Ratings)["assignment_id"])]
    lines = [f"{name},2026-01-07T10:00:00Z,yes,60" for name in rows["assignment_id"]]
    path.write_text("\n".join(["assignment_id,submitted_at,same_meaning,seconds", *lines]) + "\n")
    return path


@pytest.fixture
def judged(corrected, filled, command, tmp_path):
    """All texts that `fluency` kept are judged and labelled; the texts of the fixers by pair id, and a fixer's name."""
    assert command(NEXT + " --labels-per-pair 3")[0] == 0
    assert command("collect --file", judge(filled, tmp_path / "judged.csv"))[0] == 0
    assert command("adjudicate")[0] == 0
    new = filled.read(Pairs, generator="fluency-kept-for-main").query("selection == 'corrected'")
    fixers = planned(filled, "fluency").set_index("pair_id")["annotator"]
    new = new.assign(fixer=[fixers[parents[0]] for parents in new["parents"]])
    return new, str(new["fixer"].iloc[0])


def contents(store):
    """The rows of the tables that a withdrawal touches, but for when it was."""
    tables = (Ratings, Answers, Assignments, Labels, Pairs, Rejects, Worked)
    frames = {table.table_name(): store.read(table).drop(columns="at", errors="ignore") for table in tables}
    return {name: sorted(map(str, frame.to_numpy().tolist())) for name, frame in frames.items()}


def test_a_corrected_text_goes_with_who_wrote_it_and_what_others_answered_about_it(judged, filled, command, tmp_path):
    new, leaver = judged
    own, others = new[new["fixer"] == leaver], new[new["fixer"] != leaver]
    before = planned(filled)
    lost = before[before["pair_id"].isin(own["pair_id"])]
    assert len(lost) == 3 * len(own) > 0
    assert command("pay --out", tmp_path / "before.csv", "--per-label", 1)[0] == 0
    code, out, err = command(f"withdraw {leaver} --campaign fluency")
    assert code == 0, err
    assert f"{len(own)} texts that no one else wrote are removed" in out
    assert f"campaign main loses {len(own)} pairs and {len(lost)} ratings by others, whose pay stays" in out
    for text in own["second"]:
        assert places(filled.root, text) == [], text
    for text in others["second"]:
        assert places(filled.root, text), text
    left = planned(filled)
    assert set(left["assignment_id"]) == set(before["assignment_id"]) - set(lost["assignment_id"])
    assert not filled.read(Ratings)["assignment_id"].isin(lost["assignment_id"]).any()
    assert set(filled.read(Labels)["pair_id"]) == set(left["pair_id"])
    assert command("pay --out", tmp_path / "after.csv", "--per-label", 1)[0] == 0
    assert (tmp_path / "after.csv").read_text() == (tmp_path / "before.csv").read_text()
    collect_again = f"collect --campaign fluency --file {tmp_path}/answers.csv"
    for verb in ("status", "quality", "adjudicate", collect_again, f"withdraw {leaver} --campaign fluency"):
        assert command(verb)[0] == 0, verb
    assert set(filled.read(Labels)["pair_id"]) == set(left["pair_id"])
    file, _ = answer(filled, tmp_path / "again.csv", fates=("fix",), at="2026-01-08T10:00:00Z")
    assert command("collect --campaign fluency --file", file)[0] == 0
    assert command(NEXT + " --campaign second --labels-per-pair 3")[0] == 0
    assert set(own["pair_id"]) <= set(filled.read(Pairs, generator="fluency-kept-for-second")["pair_id"])


def test_a_text_that_another_annotator_wrote_too_stays(judged, filled, command, tmp_path):
    new, leaver = judged
    own = new[new["fixer"] == leaver]
    shared = own["second"].iloc[0]
    assert command("plan --campaign more --question sentence-correction --generator recommended --annotators 3")[0] == 0
    pair = own["parents"].iloc[0][0]
    again = planned(filled, "more").set_index("pair_id").loc[pair]
    path = tmp_path / "more.csv"
    path.write_text(f"{HEADER}\n{again['assignment_id']},2026-01-08T10:00:00Z,fix,{shared},\n")
    assert command("collect --campaign more --file", path)[0] == 0
    assert command(f"withdraw {leaver} --campaign fluency")[0] == 0
    left = filled.read(Pairs, generator="fluency-kept-for-main")["second"].to_list()
    assert [text in left for text in own["second"]] == [True] + [False] * (len(own) - 1)


def test_a_withdrawal_stopped_anywhere_is_completed_by_the_next(judged, filled, command, tmp_path, monkeypatch):
    _, leaver = judged
    whole = tmp_path / "whole"
    shutil.copytree(filled.root, whole)
    words = f"withdraw {leaver} --campaign fluency"
    erase, calls = Store.erase, []

    def count(self, table, *more):
        calls.append(table)
        return erase(self, table, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "erase", count)
        assert command(words)[0] == 0
    expected, texts = contents(filled), calls.index(Pairs)
    for stop in (0, 2, texts, texts + 1, calls.index(Ratings, texts) + 1):
        shutil.rmtree(filled.root)
        shutil.copytree(whole, filled.root)
        calls.clear()

        def stopped(self, table, *more, stop=stop):
            calls.append(table)
            if len(calls) > stop:
                raise KeyboardInterrupt
            return erase(self, table, *more)

        with monkeypatch.context() as patch:
            patch.setattr(Store, "erase", stopped)
            assert command(words)[0] == 130
        assert command(words)[0] == 0
        assert contents(filled) == expected, calls[-1]


def test_the_server_forgets_it_too(filled, command, label_studio, monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    fixing, judging = (f"--campaign {name}-{secrets.token_hex(4)}" for name in ("fixing", "judging"))
    at = f" --url {label_studio.running.url}"
    database = label_studio.folder / "data" / environment.DATABASE
    of_others = set(probes.rows(database))
    plans = {
        fixing: "plan --annotators 3 --pairs 9 --double-share 0 --question sentence-correction ",
        judging: f"plan --question same-meaning --labels-per-pair 2 --items-from {fixing.split()[1]} ",
    }
    for of, plan in plans.items():
        for words in (plan + of, f"open {of}{at}", f"simulate --profiles good:3 {of}{at}", f"collect {of}{at}"):
            code, _, err = command(words)
            assert code == 0, (words, err)
    new = filled.read(Pairs).query("selection == 'corrected'")
    fixers = planned(filled, fixing.split()[1]).set_index("pair_id")["annotator"]
    leaver = str(fixers[new["parents"].iloc[0][0]])
    own = new[[fixers[parents[0]] == leaver for parents in new["parents"]]]

    def on_server(text):
        rows = (row for key, row in probes.rows(database).items() if key not in of_others)
        return any(f'"{text}"' in str(row) for row in rows)  # whole: one may begin another

    assert all(map(on_server, new["second"]))
    code, out, err = command(f"withdraw {leaver} {fixing}{at}")
    assert (code, "ratings by others, whose pay stays" in out) == (0, True), err
    assert [on_server(text) for text in new["second"]] == [pair not in set(own["pair_id"]) for pair in new["pair_id"]]
    for words in (f"open {judging}{at}", f"collect {judging}{at}", f"status {judging}{at}"):
        code, out, err = command(words)
        assert code == 0, (words, err)
    assert not filled.read(Ratings).merge(planned(filled, judging.split()[1]))["pair_id"].isin(own["pair_id"]).any()
