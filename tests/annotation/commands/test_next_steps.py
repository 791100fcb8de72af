"""What to run next: from every state the steps lead to the finished set, each of them runs, and none is run in vain."""

import shlex
from collections import Counter

import pandas as pd
import pytest

from annotation.campaign.accounts import unnamed_people
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.game import GameRules, enrol
from annotation.campaign.game import record_opening as record_round
from annotation.campaign.rounds.allocating import is_finished as is_answered
from annotation.label_studio.opening import record_opening
from data.contract.tables.campaign import Assignments, Openings
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.labels import Labels, Splits
from data.contract.tables.pairs import Pairs
from data.contract.vocabulary import FOOLED, INHERITED, MUTUAL_ENTAILMENT, PLAYED
from data.guidance.next_steps import is_finished, next_steps
from data.recorded.plans import read_plans
from data.storage.manifest import Manifest
from tests.annotation.commands.before.test_items_from import answer as correct
from tests.annotation.support.frames import at_random, pairs, planned, predicted, rate, six_good_two_bad
from tests.campaign import in_this_process


def truth(annotator, pair):
    """The right answer."""
    del annotator
    return 3 * (pair % 2)


class Lead:
    """Runs what the steps say, answers what is asked, and remembers the commands."""

    def __init__(self, store, folder, answers=truth):
        self.store, self.folder, self.answers, self.done, self.last = store, folder, answers, [], None

    def __call__(self, words, codes=(0,)):
        code, out, err = in_this_process(f"python -m {words} --store {self.store.root}")
        assert code in codes, (words, err)
        return out

    def plan(self, words="", campaign="main"):
        self(f"annotation plan --annotators 8 --campaign {campaign} {words}")

    def collect(self, campaign="main", answers=None, half=False):
        """Answer what a campaign asks, or the first half of it, from a file."""
        file = rate(self.store, self.folder / "ratings.csv", answers or self.answers, campaign)
        if read_plans(self.store).question(campaign).scale is None:
            rows = pd.read_csv(file)
            said = rows["score"].ge(2).map({True: "yes", False: "no"})
            rows.drop(columns="score").assign(same_meaning=said).to_csv(file, index=False)
        if half:
            file.write_text("".join(file.read_text().splitlines(keepends=True)[: len(planned(self.store)) // 2]))
        self(f"annotation collect --campaign {campaign} --file {file}")

    def label(self, campaign="main", words=""):
        """Take a campaign from its plan to its labels."""
        self.plan(words, campaign)
        self.collect(campaign)
        for verb in ("quality", "adjudicate"):
            self(f"annotation {verb} --campaign {campaign}")

    def follow(self):
        """Follow the best step until only files are left to write; return the commands that ran."""
        while not is_finished(steps := next_steps(self.store)):
            assert len(self.done) < 20, self.done
            self._run(steps[0].removesuffix(f" --store {self.store.root}"))
        return [command.removeprefix("python -m ") for command in self.done]

    def _run(self, step):
        state = step, len(self.store.read(Assignments))
        assert state != self.last, f"{step} leads to itself"
        self.last = state
        self.done.append(step)
        words = shlex.split(step.removeprefix("python -m "))
        campaign = words[words.index("--campaign") + 1] if "--campaign" in words else "main"
        if words[:2] in (["annotation", "open"], ["annotation", "collect"], ["annotation", "watch"]):
            self.collect(campaign)
        elif words[:3] == ["annotation", "pilot", "report"]:
            self._settle()
        else:
            words = ["8" if word == "N" else word for word in words]
            more = " --annotators 8" if words[:2] == ["annotation", "plan"] and "--annotators" not in words else ""
            more += f" --out {self.folder / 'answers.csv'}" if words[1:2] == ["export"] else ""
            out = self(shlex.join(words) + more, codes=(0, 1))
            assert "nothing to do" not in out, step

    def _settle(self):
        self(f"annotation pilot report --out {self.folder}")
        sheet = pd.read_csv(self.folder / "discussion.csv", dtype="str")
        sheet.assign(score="3", reason="agreed").to_csv(self.folder / "discussion.csv", index=False)
        guide = self.folder / "guide.md"
        self(f"annotation pilot settle {self.folder / 'discussion.csv'} --guide {guide}")


@pytest.fixture
def lead(filled, tmp_path):
    return Lead(filled, tmp_path)


LAST = ["annotation quality --campaign main", "annotation adjudicate --campaign main",
        "analysis.splits --campaign main"]  # fmt: skip


def half_rated(lead):
    lead.plan()
    lead.collect(half=True)


def opened(lead):
    lead.plan()
    record_opening(Campaign(OfCampaign(store=lead.store.root)))


def opened_half_rated(lead):
    opened(lead)
    lead.collect(half=True)


def rated(lead):
    lead.plan()
    lead.collect()


def measured(lead):
    rated(lead)
    lead("annotation quality")


def two_low(lead):
    lead.answers = six_good_two_bad
    rated(lead)


def two_careless(lead):
    two_low(lead)
    lead("annotation quality")
    lead("annotation verdict")


def two_low_replaced(lead):
    two_low(lead)
    for verb in ("quality", "reassign"):
        lead(f"annotation {verb}")


def all_low(lead):
    lead.plan()
    lead.collect(answers=at_random)


def changed_after(*verbs):
    def changed(lead):
        measured(lead)
        for verb in verbs:
            lead(verb)
        file = lead.folder / "changed.csv"
        row = planned(lead.store)[["assignment_id"]].head(1)
        row.assign(submitted_at="2026-02-05T10:00:00Z", score=1).to_csv(file, index=False)
        lead(f"annotation collect --file {file}")

    return changed


def by_a_model(lead):
    measured(lead)
    lead("annotation adjudicate --method dawid-skene")


def flagged_once(lead):
    lead.plan()
    rows = planned(lead.store)
    scores = [truth("", int(pair, 16)) for pair in rows["pair_id"]]
    rows = rows[["assignment_id"]].assign(submitted_at="2026-01-05T10:00:00Z", score=scores, flags="")
    rows = rows.astype({"score": "object"})
    rows.loc[0, ["score", "flags"]] = ["", "ill_formed"]
    rows.to_csv(lead.folder / "flagged.csv", index=False)
    lead(f"annotation collect --file {lead.folder / 'flagged.csv'}")


def pilot(lead):
    lead("annotation pilot plan --annotators 8 --pairs 12")


def pilot_rated(lead):
    pilot(lead)
    lead.collect("main-pilot")


def pilot_and_campaign(lead):
    pilot_rated(lead)
    lead.plan()


def control(lead):
    lead.label()
    lead("annotation control plan --annotators 3 --examples 4 --pairs 6")


def control_rated(lead):
    control(lead)
    lead.collect("main-control")


def person(verb):
    def left(lead):
        half_rated(lead)
        lead(f"annotation {verb} a03")

    return left


def opened_then_handed_over(lead):
    opened(lead)
    lead("annotation hand-over a03")


def reviewed(lead):
    people = [f"p{n}@x.parade.invalid,{'senior' if n == 8 else 'expert'}" for n in range(1, 9)]
    file = lead.folder / "people.csv"
    file.write_text("\n".join(["email,role", *people]) + "\n")
    lead(f"annotation plan --annotators {file}")
    lead.collect(answers=lambda name, pair: truth(name, pair) if pair % 5 or name != "a02" else 1)
    lead("annotation quality")
    lead("annotation review blind")


def corrected(lead):
    lead.plan("--question sentence-correction --double-share 0", "fluency")
    file, _ = correct(lead.store, lead.folder / "answers.csv", fates=("accept", "fix", "reject"))
    lead(f"annotation collect --campaign fluency --file {file}")


def physics_finished(lead):
    lead.label("physics")
    lead("analysis.splits --campaign physics")


def physics_then_law(lead):
    physics_finished(lead)
    lead.label("law")


def said_by_rule(lead, method="rule", campaign="paws", by=None):
    rows = lead.store.read(Pairs)[["pair_id"]].assign(
        campaign=campaign, method=method, control=None, value=None, votes=0, n_votes=0, binary=1, scores=[[]] * 40,
        posterior=None, stratum="unanimous", decided_by=by or method,
    )  # fmt: skip
    made = Manifest(stage="generation.recombine", config={"name": "paws-rule"})
    lead.store.replace(Labels, rows, made, campaign=campaign, method=method)


def said_by_judges(lead):
    """The judges of a game have their say in the campaign's name before people answer."""
    said_by_rule(lead, MUTUAL_ENTAILMENT, "main", "entailed")
    measured(lead)


def attacked(*words):
    """Pairs of the test split were modified, and have their originals' labels; then commands ran again."""

    def state(lead):
        lead.label()
        lead("analysis.splits --freeze")
        inputs = lead.store.inputs(Labels, Pairs, Splits)
        made = Manifest(stage="identification.attack", config={"split": "test"}, inputs=inputs)
        rows = pairs(6, "shared-words").assign(selection=FOOLED)
        labels = lead.store.read(Labels).head(6).assign(method=INHERITED, pair_id=rows["pair_id"])
        lead.store.replace(Pairs, rows, made, generator="shared-words")
        lead.store.replace(Labels, labels, made, campaign="main", method=INHERITED)
        for each in words:
            lead(each)

    return state


def silver(lead):
    said_by_rule(lead, "silver")


def audit(lead):
    said_by_rule(lead)
    drawn = pairs(10, "drawn").assign(selection="rule", sample_of="paws-rule")
    lead.store.replace(Pairs, drawn, Manifest(stage="generation.recombine"), generator="drawn")


def why(lead):
    predicted(lead.store)
    lead.plan("--question phenomena --split all --labels-of before", "why")
    rows = planned(lead.store, "why")[["assignment_id"]].assign(submitted_at="2026-01-05T10:00:00Z", phenomena="none")
    rows.to_csv(lead.folder / "why.csv", index=False)
    lead(f"annotation collect --campaign why --file {lead.folder / 'why.csv'}")


def stops_early(lead):
    lead.plan("--allocate majority-decided --labels-per-pair 3")


def asks_further(lead):
    """The second annotator of every tenth pair disagrees, so that a third one is asked."""
    lead.plan("--allocate majority-decided --labels-per-pair 3 --random-share 0")
    asked = Counter()

    def answer(name, pair):
        asked[pair] += 1
        return truth(name, pair) if pair % 10 or asked[pair] != 2 else 3 - truth(name, pair)

    lead.answers = answer


def skipped(lead):
    lead.plan()
    rows = planned(lead.store)
    rows = rows.assign(score=[truth("", int(pair, 16)) for pair in rows["pair_id"]]).astype({"score": "object"})
    rows = rows.assign(skipped=rows.index == 0, submitted_at="2026-01-05T10:00:00Z")
    rows.loc[0, "score"] = ""
    rows[["assignment_id", "submitted_at", "score", "skipped"]].to_csv(lead.folder / "skipped.csv", index=False)
    lead(f"annotation collect --file {lead.folder / 'skipped.csv'}")


ALL = ["annotation plan --annotators N", "annotation open --campaign main", *LAST]
AGAIN = "annotation reassign --campaign main"


@pytest.mark.sweep
@pytest.mark.parametrize(("state", "steps"), [
    (lambda _: None, ALL),
    (lambda lead: lead.plan(), ALL[1:]),
    (opened, ["annotation watch --campaign main", *LAST]),
    (opened_half_rated, ["annotation watch --campaign main", *LAST]),
    (half_rated, ["annotation collect --campaign main", *LAST]),
    (rated, LAST),
    (measured, LAST[1:]),
    (two_low, [LAST[0], AGAIN, ALL[1], *LAST]),
    (two_careless, [f"{AGAIN} --low-by verdict", ALL[1], *LAST]),
    (two_low_replaced, ALL[1:]),
    (all_low, [LAST[0], AGAIN, *LAST[1:]]),
    (changed_after(), LAST),
    (changed_after("annotation adjudicate"), LAST),
    (changed_after("annotation adjudicate", "analysis.splits"), LAST),
    (by_a_model, ["analysis.splits --campaign main --method dawid-skene"]),
    (lambda lead: lead.label(), LAST[2:]),
    (flagged_once, [LAST[0], AGAIN, ALL[1], *LAST]),
    (pilot, ["annotation open --campaign main-pilot", "annotation pilot report --campaign main",
             "annotation plan --annotators N --campaign main", *ALL[1:]]),
    (pilot_rated, ["annotation pilot report --campaign main",
                   "annotation plan --annotators N --campaign main", *ALL[1:]]),
    (pilot_and_campaign, ALL[1:]),
    (control, ["annotation open --campaign main-control", *LAST[2:]]),
    (control_rated, LAST[2:]),
    (person("pause"), ["annotation collect --campaign main", *LAST]),
    (person("hand-over"), ALL[1:]),
    (opened_then_handed_over, ALL[1:]),
    (reviewed, ["annotation open --campaign main", "annotation quality --campaign main",
                "annotation review informed --campaign main", "annotation open --campaign main", *LAST]),
    (corrected, ["annotation quality --campaign fluency", "annotation adjudicate --campaign fluency",
                 "annotation plan --campaign fluency-judged --question same-meaning --items-from fluency",
                 "annotation open --campaign fluency-judged", "annotation quality --campaign fluency-judged",
                 "annotation adjudicate --campaign fluency-judged", "analysis.splits --campaign fluency-judged"]),
    (physics_finished, []),
    (physics_then_law, ["analysis.splits --campaign law --scheme law"]),
    (said_by_rule, ["analysis.splits --campaign paws --method rule"]),
    (said_by_judges, LAST[1:]),
    (attacked(), []),
    (attacked("analysis.splits"), []),
    (attacked(f"analysis.splits --method {INHERITED}"), []),
    (silver, ["analysis.splits --campaign paws --method silver"]),
    (audit, ["annotation plan --annotators N --campaign audit --generator drawn --question same-meaning",
             "annotation open --campaign audit", "annotation quality --campaign audit",
             "annotation adjudicate --campaign audit", "analysis.splits --campaign paws --method rule"]),
    (why, ["annotation quality --campaign why", "annotation adjudicate --campaign why"]),
    (stops_early, ALL[1:]),
    (asks_further, [ALL[1], ALL[1], *LAST]),
    (skipped, LAST),
])  # fmt: skip
def test_the_steps_lead_from_every_state_to_the_end(lead, state, steps):
    state(lead)
    assert lead.follow() == steps


@pytest.mark.sweep
def test_an_opening_is_recorded_where_something_new_was_opened(lead):
    opened(lead)
    record_opening(Campaign(OfCampaign(store=lead.store.root)))
    assert len(lead.store.read(Openings)) == 1
    lead("annotation hand-over a03")
    record_opening(Campaign(OfCampaign(store=lead.store.root)))
    assert len(lead.store.read(Openings)) == 2


@pytest.mark.sweep
def test_a_watch_does_not_wait_for_a_skipped_pair(lead):
    skipped(lead)
    campaign = Campaign(OfCampaign(store=lead.store.root))
    assert len(campaign.waiting) == 1
    assert is_answered(campaign, None)


def step_of(store, **of):
    """The steps without their store."""
    return [step.removesuffix(f" --store {store.root}") for step in next_steps(store, **of)]


def put(store, table, **values):
    """A table with one row, of values that are null where none is given."""
    names = table.columns()
    store.append(table, pd.DataFrame([dict.fromkeys(names) | values]), Manifest(stage="test"))


def test_the_first_steps_of_an_empty_store(store):
    decks = "scrapy crawl files -a path=DECKS -a terms=any"
    assert step_of(store) == ["python -m crawler.terminology PAPERS", decks]
    assert step_of(store, generator="game-human") == ["python -m paraphrase_game prompts definitions"]
    assert step_of(store, campaign="physics") == ["python -m annotation plan --annotators N --campaign physics"]


def play(store, frame):
    """Make the pairs of the attempts that there are."""
    manifest = Manifest(stage="paraphrase_game.collect", inputs=store.inputs(Attempts))
    store.replace(Pairs, frame, manifest, generator=PLAYED)


@pytest.mark.sweep
def test_the_steps_of_a_game(store):
    """From its sentences to the labels of its pairs; another round begins from its attempts again."""
    game = Campaign(OfCampaign(store=store.root, campaign="game"))
    prompt = dict.fromkeys(Prompts.columns()) | {"source": "ours", "prompt_id": "p", "text": "a map", "n_words": 2}
    prompts = pd.DataFrame([prompt | {"source_id": "1"}])
    store.replace(Prompts, prompts, Manifest(stage="paraphrase_game.prompts"), source="ours")
    assert step_of(store) == ["python -m annotation game open --prompts ours --annotators N"]
    collect, pair = "python -m annotation game collect --campaign game", "python -m paraphrase_game collect"
    enrol(game, unnamed_people(2, "game"), GameRules())
    for number in ("1", "2"):
        record_round(game)
        assert step_of(store)[0] == step_of(store, campaign="game")[0] == collect
        attempt = {"attempt_id": number, "changed_at": game.now(), "asked_at": game.now(), "campaign": "game"}
        attempt |= {"round": int(number), "player": "a01", "prompt_id": "p", "text": "a list", "base": 0, "bonus": 0}
        put(store, Attempts, **attempt | {"practice": True})
        assert step_of(store)[0] == step_of(store, campaign="game")[0] == pair
        play(store, pairs(0, PLAYED))
        assert step_of(store, campaign="game") == [collect]
        play(store, pairs(3, PLAYED))
        assert step_of(store) == step_of(store, campaign="game") == ["python -m annotation plan --annotators N"]


def test_a_game_beside_a_campaign_keeps_its_steps(lead):
    lead.plan()
    enrol(game := Campaign(OfCampaign(store=lead.store.root, campaign="game")), unnamed_people(2, "game"), GameRules())
    record_round(game)
    steps = step_of(lead.store)
    assert steps[0] == "python -m annotation open --campaign main"
    assert steps[-1] == "python -m annotation game collect --campaign game"


def test_a_generator_of_several_has_a_campaign_of_its_own(lead):
    assert step_of(lead.store, generator="recommended") == ["python -m annotation plan --annotators N"]
    lead.store.replace(Pairs, pairs(20, "other"), Manifest(stage="clustering"), generator="other")
    planning = "python -m annotation plan --annotators N --campaign other --generator other"
    assert step_of(lead.store, generator="other") == [planning]
    lead(planning.removeprefix("python -m ").replace("N", "8"))
    assert step_of(lead.store, generator="other")[0] == "python -m annotation open --campaign other"


@pytest.mark.sweep
def test_a_started_server_leads_to_the_campaign_that_was_planned_last(filled, command, label_studio):
    (filled.root / "server").symlink_to(label_studio.folder)
    assert f"next: python -m annotation plan --annotators N --store {filled.root}\n" in command("server start")[1]
    for name in ("physics", "law"):
        assert "server start" not in command(f"plan --campaign {name} --annotators 8")[1]
        shown = f"next: python -m annotation open --campaign {name} --store {filled.root}\n"
        assert shown in command("server start")[1]


@pytest.mark.sweep
def test_every_command_of_a_campaign_says_the_same(lead, command):
    assert "next: python -m annotation server start" in command("plan --annotators 8")[1]
    lead.collect()
    for verb in ("quality", "adjudicate"):
        shown = f"next: python -m annotation {verb} --campaign main --store {lead.store.root}\n"
        assert shown in command("status")[1]
        assert shown not in command(verb)[1]
    shown = f"next: python -m analysis.splits --campaign main --store {lead.store.root}\n"
    assert shown in command("status")[1]
    assert shown in in_this_process(f"python -m data status --store {lead.store.root}")[1]
