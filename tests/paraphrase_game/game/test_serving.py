"""The judges' process: whatever is sent to it, and who is answered."""

import json
import threading

import httpx
import pytest

from paraphrase_game.__main__ import main
from paraphrase_game.game.proofs import NONCE, PROOF, prove
from paraphrase_game.game.serving import Server
from tests.paraphrase_game.game.test_scoring import SENTENCE, Slow, bench

KEY, NUMBER = b"k" * 32, "0" * 32


@pytest.fixture(scope="module")
def address():
    with Server(bench(Slow()), 0, KEY) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def send(address, method, path, body=b"", **other):
    """The answer to a request as the game's server sends it, with `other` headers or parts of the proof."""
    place = f"{method} {address.removeprefix('http://')} {path}"
    nonce = other.pop("nonce", NUMBER)
    proof = prove(other.pop("key", KEY), "request", nonce, place, other.pop("proven", body))
    headers = {"Content-Type": "application/json", NONCE: nonce, PROOF: proof} | other.pop("headers", {})
    answer = httpx.request(method, address + path, content=body, headers=headers)
    if answer.status_code in (200, 400, 404) and PROOF in answer.headers:
        assert answer.headers[PROOF] == prove(KEY, "answer", nonce, place, answer.content)
    return answer


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"x", 400), (b"[]", 400), (b"{}", 400), (b'{"sentence": "a", "text": 3}', 400),
     (b'{"sentence": "a", "text": " "}', 400), (b'{"sentence": "a", "text": "b", "own": "c"}', 400),
     (b"[" * 100_000, 400), (b'{"sentence": "a b c d e f g", "text": "b c d"}', 200)],
)  # fmt: skip
def test_only_checks_are_answered(address, body, status):
    assert send(address, "POST", "/check", body).status_code == status
    assert send(address, "GET", "/about").json()["practice"] is True
    assert send(address, "GET", "/other").status_code == send(address, "POST", "/x", b"{}").status_code == 404


@pytest.mark.parametrize(
    "text",
    ["x" * 10_000, "a\u202eb c d e f g h", "<script>alert(1)</script> a b c d", "\U0001f600 " * 20, "\ud800 a b c"],
    ids=["long", "right-to-left", "markup", "no words", "half a character"],
)
def test_hostile_texts_are_refused_with_a_reason(address, text):
    answer = send(address, "POST", "/check", json.dumps({"sentence": SENTENCE, "text": text}).encode())
    assert answer.status_code == 200
    assert answer.json()["refused"]
    assert answer.json()["reason"]


@pytest.mark.parametrize(
    ("wrong", "status"),
    [({"key": b"x" * 32}, 401), ({"proven": b"another body"}, 401), ({"nonce": "short"}, 401), ({"nonce": ""}, 401),
     ({"headers": {PROOF: ""}}, 401), ({"headers": {PROOF: "\xe9".encode("latin-1")}}, 401),
     ({"headers": {"Host": "evil.example"}}, 400), ({"headers": {"Host": "127.0.0.1:1"}}, 400),
     ({"headers": {"Origin": "http://127.0.0.1"}}, 403), ({"headers": {"Content-Type": "text/plain"}}, 415)],
)  # fmt: skip
def test_no_one_is_answered_but_the_server_that_knows_the_secret(address, wrong, status):
    body = json.dumps({"sentence": SENTENCE, "text": "b c d"}).encode()
    answer = send(address, "POST", "/check", body, **wrong)
    assert answer.status_code == status
    assert PROOF not in answer.headers, "no stranger gets a proof of anything"
    assert httpx.get(f"{address}/about").status_code == 401


def test_a_body_without_an_end_is_not_read(address):
    answer = httpx.post(f"{address}/check", content=iter([b"{}"]))
    assert answer.status_code == 413


def test_stand_ins_do_not_pay_unless_told(capsys):
    assert main(["serve", "--port", "0"]) == 2
    err = capsys.readouterr().err
    assert "--practice" in err
    assert "--pay-by-stand-ins" in err
