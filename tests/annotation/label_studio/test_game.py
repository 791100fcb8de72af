"""The game on a real server: what is typed is stored, judged and paid once, and nothing else is ever paid."""

import concurrent.futures
import html
import http.server
import json
import secrets
import socketserver
import sqlite3
import threading
import uuid
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import ClassVar

import httpx
import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign import accounts
from annotation.campaign.authorship import authors
from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.game import guide
from annotation.label_studio.playing import server_name
from annotation.label_studio.server import environment
from annotation.label_studio.simulated.player import Player
from data.contract.tables.campaign import Assignments
from data.contract.tables.game import Attempts, Prompts
from data.contract.tables.pairs import Pairs
from data.files.keys import judges_key
from data.storage.manifest import Manifest
from data.texts.identity import text_id
from paraphrase_game.__main__ import main as paraphrase_game
from paraphrase_game.config import RewardRule
from paraphrase_game.game.guards import GuardRule
from paraphrase_game.game.scoring import JudgeQueue, SentCheck
from paraphrase_game.game.serving import Server
from paraphrase_game.judges.judging import JudgeChoice, open_judges

pytestmark = pytest.mark.sweep

SENTENCES = [
    "A cache is a small fast memory between the processor and the main memory.",
    "A protocol is a set of rules by which two machines talk to each other.",
    "A compiler turns the text of a program into something that a machine runs.",
]
GOOD = {
    SENTENCES[0]: "Between main memory and processor sits the cache, quick but tiny memory.",
    SENTENCES[1]: "Machines that talk to each other follow rules, a set called the protocol.",
    SENTENCES[2]: "Something a machine runs is what the compiler makes from program text.",
}


class Generous:
    """Judges that find whatever passes the guards worth 85 cents, until they are told to be slow or to fail."""

    def __init__(self):
        self.judges = replace(open_judges(JudgeChoice()), stand_ins="")

    def judge(self, first, second, rule):
        answers = self.judges.judge(first, second, rule)
        return [answer | {"implied": True, "reward": 85} for answer in answers]

    sha256, stand_ins = "generous", ""


@contextmanager
def judges_at(folder, port=0, *, practice=False, judges=None):
    """Judges who know the secret of the server in the folder."""
    bench = JudgeQueue(judges or Generous(), RewardRule(), GuardRule(), practice=practice)
    bench.answer(
        SentCheck(sentence="As in `serve`, no player waits for the first", text="What each guard reads is there then")
    )
    with closing(Server(bench, port, judges_key(folder))) as server:
        server.close = server.server_close
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield SimpleNamespace(url=f"http://127.0.0.1:{server.server_address[1]}", port=server.server_address[1])
        finally:
            server.shutdown()


@pytest.fixture
def game(label_studio, store, capsys, monkeypatch):
    """Opens a game of its own and runs its commands; players who are no people."""
    name = f"game-{secrets.token_hex(4)}"
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    rows = pd.DataFrame({"text": SENTENCES, "prompt_id": [text_id(text) for text in SENTENCES], "entity": None})
    rows = rows.assign(source="ours", source_id=["1", "2", "3"], n_words=13)
    store.replace(Prompts, rows, Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours")
    campaign = Campaign(OfCampaign(store=store.root, campaign=name))

    def call(*words):
        flags = ["--campaign", name, "--store", str(store.root)]
        where = [] if words[0] == "pay" else ["--url", label_studio.running.url]
        code = main(["game", *map(str, words), *flags, *where])
        return code, *capsys.readouterr()

    def sit(number=0):
        player = at_table.enter_context(
            Player(label_studio.running.url, accounts.read_accounts(store.root, name)[number])
        )
        player.enter()
        return player

    def checks():
        return label_studio.client.checks(server_name(campaign))

    with ExitStack() as at_table:
        yield SimpleNamespace(
            folder=label_studio.folder, call=call, sit=sit, store=store, name=name, checks=checks, campaign=campaign
        )


def open_round(game, judge, *more, players=2):
    code, out, err = game.call("open", "--prompts", "ours", "--annotators", players, "--scorer", judge.url, *more)
    assert code == 0, err
    return out


def bring_pairs(store):
    return paraphrase_game(["collect", "--which", "judged", "--store", str(store.root)])


def attempt(player, text=None):
    sight = player.look()
    return player.check(text or GOOD[sight.sentence], sight)


def test_a_game_from_sign_in_to_the_pay_list(game, tmp_path):
    with judges_at(game.folder) as judge:
        out = open_round(game, judge, "--base", 20)
        assert "3 sentences and 2 seats are new" in out
        player = game.sit()
        first = player.look().sentence
        sight = player.check(first, player.look())
        assert "repeats the sentence" in sight.page
        assert sight.payable == []
        sight = attempt(player)
        assert "a bonus of $0.85" in html.unescape(sight.page)
        sight = player.hand_in(sight.payable[0], sight)
        assert sight.cents == 105
        assert sight.sentence not in (None, first)
        for _ in range(2):
            sight = attempt(player)
            sight = player.hand_in(sight.payable[0], sight)
        assert (sight.sentence, sight.cents) == (None, 315)
        assert "all your sentences" in sight.page
        code, out, _ = game.call("collect")
        assert (code, out.count("4 rows of 4 checks")) == (0, 1)
        assert "2 players, 1 have begun; 4 checks, 3 submitted" in game.call("status")[1]
    rows = game.store.read(Attempts)
    assert sorted(rows["refused"].fillna("")) == ["", "", "", "copy"]
    assert rows["bonus"].sum() + rows["base"].sum() == 315
    judged = rows[rows["refused"].isna()]
    assert judged.filter(like="ward_").notna().all(axis=None)
    assert set(rows["player"]) == {"a01"}
    assert "0 rows of 4 checks" in game.call("collect")[1]
    assert "1 players, 3.15 to pay" in game.call("pay", "--out", tmp_path / "pay.csv")[1]
    assert pd.read_csv(tmp_path / "pay.csv")["amount"].tolist() == [3.15]
    assert game.call("close")[0] == 0
    assert "has ended" in game.sit(1).look().page


def test_nothing_is_paid_twice_or_to_another(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge)
        player, thief = game.sit(0), game.sit(1)
        sight = attempt(player)
        key, mine = sight.payable[0], thief.look()
        browser, place = thief._browser, f"/game/{thief.project}"
        token = {"csrfmiddlewaretoken": mine.fields["csrfmiddlewaretoken"]}

        def post(path, **form):
            return browser.post(path, data=token | form, headers={"Referer": str(browser.base_url)})

        assert post(f"{place}/submit", key=key).status_code == 403  # another's check
        assert post(f"/game/{player.project}/submit", key=key).status_code == 403  # another's seat
        assert post(f"/game/{player.project}/check", **(mine.fields | {"text": "x"})).status_code == 403
        assert browser.get(f"/game/{player.project}").status_code == 403
        assert post(f"{place}/check", **(mine.fields | {"key": key, "text": "mine now"})).status_code == 403
        assert post(f"{place}/check", **(mine.fields | {"text": "a\0b c d e f g"})).status_code == 400
        assert post(f"{place}/check", **(mine.fields | {"key": "../../x", "text": "a b c"})).status_code == 400
        assert post(f"{place}/check", **(mine.fields | {"text": "  "})).status_code == 400
        assert post(f"{place}/check", **(mine.fields | {"text": "x" * 10_001})).status_code == 400
        assert post(f"{place}/submit", key=uuid.uuid4().hex).status_code == 403
        no_token = browser.post(f"{place}/check", data={**mine.fields, "csrfmiddlewaretoken": "x", "text": "a b c d"})
        assert no_token.status_code == 403
        for path in ("/parade/game", "/parade/game/checks", "/parade/game/close"):
            assert browser.post(path, json={"campaign": server_name(game.campaign)}).status_code in (403, 404)
        forged = {"reward": "9999", "bonus": "9999", "base": "9999", "cents": "9999", "submitted_at": "2000-01-01"}
        copied = post(f"{place}/check", **(mine.fields | forged | {"text": mine.sentence}))
        assert copied.status_code == 302
        refused_key = mine.fields["key"]
        assert post(f"{place}/submit", key=refused_key, **forged).status_code == 302  # refused: nothing to pay
        assert thief.look().cents == 0
        stolen = post(f"{place}/check", **(thief.look().fields | {"text": GOOD[mine.sentence]}))
        assert stolen.status_code == 302
        own = player.look()
        replayed = [player.check(GOOD[own.sentence], replace(own, fields=own.fields | {"key": key})) for _ in range(3)]
        assert {one.status for one in replayed} == {200}
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda _: player.hand_in(key, own), range(6)))
        assert {one.status for one in done} == {200}
        rows, spent = game.checks()
        assert spent == rows["base"].sum() + rows["bonus"].sum() == 105
        assert rows["submitted_at"].notna().sum() == 1
        assert rows["key"].is_unique
        stranger = httpx.get(browser.base_url.join(f"/game/{player.project}"))
        assert (stranger.status_code, "login" in stranger.headers["location"]) == (302, True)
        if mine.sentence == sight.sentence:
            assert "Another player has written" in html.unescape(thief.look().page)


def test_one_text_is_paid_for_one_sentence_only(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge)
        player, other = game.sit(0), game.sit(1)
        text = "Bananas are yellow and they grow in warm countries that lie near the sea."
        sight = attempt(player, text)
        player.hand_in(sight.payable[0], sight)
        sight = attempt(player, text.replace("warm", "hot"))
        assert "for another sentence" in sight.page
        assert sight.payable == []
        while other.look().sentence == player.look().sentence:
            sight = attempt(other)
            other.hand_in(sight.payable[0], sight)
        assert attempt(other, text).payable or "Another player" in other.look().page, "it is no other player's affair"


def test_a_dead_judge_loses_nothing(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge)
        player, port = game.sit(), judge.port
    sight = attempt(player)
    assert sight.status == 503
    assert "Your sentence is stored" in sight.page
    rows, _ = game.checks()
    assert len(rows) == 1
    assert rows["judged_at"].isna().all()
    assert "1 are not judged yet" in game.call("collect")[1]
    with judges_at(game.folder, port):
        again = player.check("whatever is typed now", sight)  # the same key: what was stored is judged
        assert (again.status, len(again.payable)) == (200, 1)
        code, out, _ = game.call("collect")
    assert (code, "not judged" in out) == (0, False)
    rows = game.store.read(Attempts)
    assert (rows["attempt_id"].nunique(), len(rows)) == (1, 2)
    assert rows["text"].nunique() == 1


def test_no_one_plays_for_pay_before_judges_that_do_not_pay(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge)
        player, port = game.sit(), judge.port
    with judges_at(game.folder, port, practice=True):
        sight = attempt(player)
        assert (sight.status, sight.payable) == (503, [])
        assert "bonus of $0.85" not in html.unescape(sight.page)
    with judges_at(game.folder, port):
        assert len(player.check("the stored one counts", sight).payable) == 1


class Babble(socketserver.StreamRequestHandler):
    """No judge, not even HTTP."""

    def handle(self):
        self.rfile.readline()
        self.wfile.write(b"220 mail ready\r\n")


class Impostor(http.server.BaseHTTPRequestHandler):
    """Answers as judges would, for the highest bonus, and repeats each proof that it has been sent."""

    heard: ClassVar = set()

    def do_GET(self):
        self.say({"judges": "ours", "stand_ins": "", "practice": False, "highest": 100})

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.say({"practice": False, "implied": True, "reward": 100})

    def say(self, content):
        self.heard.add(self.path)
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("X-Parade-Proof", self.headers["X-Parade-Proof"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("handler", [Babble, Impostor])
def test_another_program_on_the_judges_port_is_not_believed_and_gets_no_text(game, handler):
    with judges_at(game.folder) as judge:
        open_round(game, judge)
        player, port = game.sit(), judge.port
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        sight = attempt(player)
        assert (sight.status, sight.payable) == (503, [])
        code, _, err = game.call("open", "--prompts", "ours", "--annotators", 2, "--scorer", judge.url)
        assert (code, "found no answer, or another program's" in err) == (2, True)
        other.shutdown()
    assert Impostor.heard <= {"/about"}
    with judges_at(game.folder, port):
        assert len(player.check("what is stored counts", sight).payable) == 1


def test_judges_of_another_server_are_none(game, tmp_path):
    with judges_at(tmp_path) as judge:
        code, _, err = game.call("open", "--prompts", "ours", "--annotators", 2, "--scorer", judge.url)
    assert (code, "paraphrase_game serve --store" in err) == (2, True)


class Spendthrift(Generous):
    """Judges who say more than their rule allows."""

    def judge(self, first, second, rule):
        return [answer | {"reward": 101} for answer in super().judge(first, second, rule)]


def test_no_one_is_promised_or_paid_more_than_the_highest_bonus(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge)
        player, port = game.sit(), judge.port
    with judges_at(game.folder, port, judges=Spendthrift()):
        sight = attempt(player)
        assert sight.status == 503
    with judges_at(game.folder, port) as judge:
        sight = player.check("what is stored counts", sight)
        with (
            closing(sqlite3.connect(game.folder / "data" / environment.DATABASE, timeout=60)) as connection,
            connection,
        ):
            connection.execute(
                "UPDATE parade_gate_check SET judgement = json_set(judgement, '$.reward', 9999) WHERE key = ?",
                [sight.payable[0]],
            )
        assert player.hand_in(sight.payable[0], sight).cents == 120


N_AT_ONCE = 40  # with 150 the same, in 20 s


class OneByOne(Generous):
    """Judges who count how many checks they have at once."""

    now = most = 0

    def judge(self, first, second, rule):
        self.now += len(first)
        self.most = max(self.most, self.now)
        answers = super().judge(first, second, rule)
        self.now -= len(first)
        return answers


def test_checks_at_once_are_answered_and_counted_one_after_another(game):
    check_checks_at_once(game)


def check_checks_at_once(game):
    """On any database: each of many requests at once is answered, and the limit holds."""
    judges = OneByOne()
    with judges_at(game.folder, judges=judges) as judge:
        open_round(game, judge, "--per-minute", 4)
        player = game.sit()
        sight = player.look()

        def post(n):
            fields = sight.fields | {"key": secrets.token_hex(16), "text": f"{GOOD[sight.sentence]} {n}"}
            with httpx.Client(cookies=dict(player._browser.cookies), timeout=120) as browser:
                url = player._browser.base_url.join(f"/game/{player.project}/check")
                return browser.post(url, data=fields, headers={"Referer": str(url)})

        with concurrent.futures.ThreadPoolExecutor(N_AT_ONCE) as pool:
            answers = list(pool.map(post, range(N_AT_ONCE)))
        assert {answer.status_code for answer in answers} <= {302, 429, 503}  # 503: stored, and the judges were slow
        refused = [answer for answer in answers if answer.status_code == 429]
        assert all('role="alert"' in answer.text and answer.headers["Retry-After"] for answer in refused)
        while "at most 4 checks per minute" not in post(N_AT_ONCE).text:
            pass
        assert judges.most == 1
        assert len(game.checks()[0]) == 4


@pytest.mark.parametrize(("flag", "words"), [("--cap", "one person can earn"), ("--budget", "spent its budget")])
def test_no_one_gets_more_than_is_left(game, flag, words):
    with judges_at(game.folder) as judge:
        open_round(game, judge, "--base", 20, flag, 150)
        player = game.sit()
        for wanted in (105, 150):
            sight = attempt(player)
            assert ("Only $0.45 is left" in html.unescape(sight.page)) == (wanted == 150)
            sight = player.hand_in(sight.payable[0], sight)
            assert sight.cents == wanted
        assert sight.sentence is None
        assert words in sight.page
        other = game.sit(1).look()
        assert (other.sentence is None) == (flag == "--budget")


def test_practice_pays_nothing_and_speed_is_limited(game):
    assert "In a round with pay you get the base pay" in guide().text  # the text is the same for both
    with judges_at(game.folder, practice=True) as judge:
        assert "pay no player" in open_round(game, judge, "--per-minute", 3)
        player = game.sit()
        sight = attempt(player)
        assert "85 points" in sight.page
        sight = player.hand_in(sight.payable[0], sight)
        assert "no money is paid" in sight.page
        for _ in range(2):
            attempt(player, secrets.token_hex(4))
        assert attempt(player).status == 429
        with (
            closing(sqlite3.connect(game.folder / "data" / environment.DATABASE, timeout=60)) as connection,
            connection,
        ):
            connection.execute("UPDATE parade_gate_check SET at = '2099-01-01 00:00:00'")
            connection.execute("UPDATE parade_gate_seat SET asked_at = '2099-01-01 00:00:00'")
        assert attempt(player).status == 200, "a clock that was ahead holds no one up"
        rows, spent = game.checks()
    assert (spent, rows["base"].sum() + rows["bonus"].sum(), len(rows)) == (0, 0, 4)


@pytest.mark.parametrize(
    ("flags", "words"),
    [(["--prompts", "theirs"], "theirs"), (["--annotators", "0"], "--annotators"), (["--base", "-1"], "--base"),
     (["--scorer", "http://127.0.0.1:9"], "paraphrase_game serve"), (["--annotators", "people.csv"], "nothing there")],
)  # fmt: skip
def test_bad_input_opens_nothing(game, flags, words):
    with judges_at(game.folder) as judge:
        usual = {"--prompts": "ours", "--annotators": "2", "--scorer": judge.url}
        usual |= dict(zip(flags[::2], flags[1::2], strict=True))
        code, _, err = game.call("open", *[word for pair in usual.items() for word in pair])
    assert code == 2
    assert words in err
    assert accounts.read_accounts(game.store.root, game.name) == []


def test_simulated_players_play_through_the_page(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge, players=3)
        code, out, err = game.call("simulate", "--habits", "synonyms:1,copy:1,reorder:1")
        assert code == 0, err
        assert "0 answered with an error" in out
        game.call("collect")
    rows = game.store.read(Attempts)
    assert rows.groupby("player")["submitted_at"].count().to_dict() == {"a01": 3, "a02": 3, "a03": 0}
    assert rows.groupby("player")["base"].sum().to_dict() == {"a01": 60, "a02": 0, "a03": 0}, "giving up earns nothing"
    assert set(rows.loc[rows["player"] == "a02", "refused"]) <= {"copy", "earlier"}
    assert set(rows.loc[rows["player"] == "a03", "refused"]) <= {"reordering", "earlier"}


def test_who_withdraws_leaves_nothing_but_their_pay(game, tmp_path):
    with judges_at(game.folder) as judge:
        open_round(game, judge, "--base", 20)
        texts = {}
        for number in (0, 1):
            player = game.sit(number)
            sight = player.look()
            texts[number] = GOOD[sight.sentence] if number else f"mark{secrets.token_hex(6)} " + GOOD[sight.sentence]
            sight = player.check(texts[number], sight)
            if sight.payable:
                player.hand_in(sight.payable[0], sight)
        assert game.call("collect")[0] == 0
        assert bring_pairs(game.store) == 0
        code, out, err = game.call("withdraw", "a01")
        assert code == 0, err
        assert "1.05 stay in the pay list" in out
        rows, spent = game.checks()
        assert texts[0] not in set(rows["text"])
        assert f"{spent / 100:.2f} spent, 1.05 of it on players who have withdrawn" in game.call("status")[1]
        assert game.call("withdraw", "a01")[0] in (0, 2)
        assert game.call("collect")[0] == 0
    assert set(game.store.read(Attempts)["player"]) <= {"a02"}
    assert texts[0] not in set(game.store.read(Pairs)["second"])
    files = [path for root in (game.store.root, game.folder) for path in root.rglob("*") if path.is_file()]
    assert [path for path in files if texts[0][:16].encode() in path.read_bytes()] == []
    assert game.call("pay", "--out", tmp_path / "pay.csv")[0] == 0
    pay = pd.read_csv(tmp_path / "pay.csv").set_index("annotator")
    assert pay["amount"]["a01"] == 1.05
    assert pay["cents"].sum() == spent, "the list pays what the budget has spent"
    assert game.call("withdraw", "a77")[0] == 2


def test_no_one_rates_their_own_pairs(game):
    with judges_at(game.folder) as judge:
        open_round(game, judge, players=3)
        assert game.call("simulate", "--habits", "synonyms:3", "--sentences-each", 2)[0] == 0
        assert game.call("collect")[0] == 0
    store = game.store
    assert bring_pairs(store) == 0
    emails = sorted(account.email for account in accounts.read_accounts(store.root, game.name))
    people = store.root.parent / "people.csv"
    people.write_text("email\n" + "\n".join([*emails, "other1@x.example", "other2@x.example"]))
    flags = ["--annotators", str(people), "--generator", "game-human", "--labels-per-pair", "2", "--campaign", "labels"]
    assert main(["plan", *flags, "--store", str(store.root)]) == 0
    work = store.read(Assignments, campaign="labels")
    known = {account.annotator: account.email for account in accounts.read_accounts(store.root, "labels")}
    wrote = authors(store, "game-human")
    assert len(wrote) >= 2
    own = set(zip(wrote["pair_id"], wrote["email"], strict=True))
    assert not own & set(zip(work["pair_id"], work["annotator"].map(known), strict=True))
    assert len(work) == 2 * store.read(Pairs, generator="game-human")["pair_id"].nunique()
