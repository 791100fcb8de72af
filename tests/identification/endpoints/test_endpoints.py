"""A language model's answers: every one has an outcome, none is lost, asked twice, or made up."""

import json
import math
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.console.errors import InputError, ServerError
from identification.endpoints.answer import AnswerWords, ReplyOutcome, clean, filters_question, find_sentence, parse
from identification.endpoints.answers import ReplyCache
from identification.endpoints.client import KEY, Budget, Connection, Endpoint, read_address
from identification.endpoints.prompt import Prompt, read_prompt
from identification.endpoints.scoring import ERRORS_IN_A_ROW, score_pairs, summarise
from tests.identification.endpoints.model_server import ModelServer, completion, reply, serve

PROMPT = Prompt("Same meaning, yes or no? 1: {first} 2: {second}")
PAIRS = pd.DataFrame({"first": ["a cat", "a tree"], "second": ["a feline", "a stone"]}, index=[7, 9])


def say_yes(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
    reply(handler, completion("Yes." if "cat" in question else "no"))


def score(server: ModelServer, folder: Path, pairs: pd.DataFrame = PAIRS, **more: Any) -> pd.DataFrame:
    endpoint = Endpoint(
        url=server.url, model="tiny", seconds=more.pop("seconds", 5.0), attempts=more.pop("attempts", 3)
    )
    answers = ReplyCache(folder / "answers.sqlite", endpoint, more.pop("prompt", PROMPT))
    connection = Connection(endpoint, Budget(**more), longest_pause=0.05)
    with connection, answers:
        return score_pairs(pairs, PROMPT, connection, answers)


def test_both_orders_are_asked_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    with serve(say_yes) as server:
        scored = score(server, tmp_path)
    assert scored.drop(columns="error").to_dict("list") == {
        "score": [1, 0],
        "outcome": ["yes", "no"],
        "outcome_flipped": ["yes", "no"],
    }
    assert scored["error"].isna().all()
    assert list(scored.index) == [7, 9]
    assert set(server.times) == {
        PROMPT.fill(*texts) for a, b in zip(PAIRS["first"], PAIRS["second"], strict=True) for texts in ((a, b), (b, a))
    }
    for request, headers in zip(server.requests, server.headers, strict=True):
        asked = {name: request[name] for name in ("path", "model", "temperature", "max_tokens", "logprobs")}
        assert asked == {
            "path": "/v1/chat/completions",
            "model": "tiny",
            "temperature": 0,
            "max_tokens": 5,
            "logprobs": True,
        }
        assert headers["Authorization"] == "Bearer sk-secret"
    assert b"sk-secret" not in (tmp_path / "answers.sqlite").read_bytes()


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    with serve(say_yes) as server:
        first = score(server, tmp_path)
        n = len(server.requests)
        second = score(server, tmp_path)
        assert len(server.requests) == n == 4
    pd.testing.assert_frame_equal(first, second)


def test_another_prompt_is_another_model(tmp_path: Path) -> None:
    with serve(say_yes) as server:
        score(server, tmp_path)
        score(server, tmp_path, prompt=Prompt("Do they agree? {first} {second}"))
        assert len(server.requests) == 8


def test_a_text_that_is_in_many_pairs_is_asked_once_per_partner(tmp_path: Path) -> None:
    pairs = pd.DataFrame({"first": ["a cat", "a feline", "x"], "second": ["a feline", "a cat", "x"]})
    with serve(say_yes) as server:
        scored = score(server, tmp_path, pairs)
        assert len(server.requests) == 3
    assert scored["score"].tolist() == [1, 1, 0]


def test_busy_and_broken_servers_are_asked_again(tmp_path: Path) -> None:
    faults = {
        1: lambda handler: reply(handler, b"", 429, Retry_After="0"),
        2: lambda handler: reply(handler, b"down", 503),
        3: lambda handler: handler.connection.shutdown(socket.SHUT_RDWR),
    }

    def fail_first(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        faults.get(time, lambda handler: say_yes(handler, question, time))(handler)

    with serve(fail_first) as server:
        scored = score(server, tmp_path, attempts=4)
    assert scored["score"].tolist() == [1, 0]
    assert set(server.times.values()) == {4}


def test_the_pause_follows_retry_after() -> None:
    pauses: list[float] = []

    def be_busy(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, b"", 429, Retry_After="7") if time == 1 else say_yes(handler, question, time)

    with serve(be_busy) as server, Connection(Endpoint(url=server.url, model="tiny")) as connection:
        connection._stopped.wait = lambda timeout=None: bool(pauses.append(timeout or 0))  # type: ignore[method-assign]
        assert connection.ask("a cat").outcome is ReplyOutcome.YES
    assert pauses == [7]


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (completion("Perhaps."), "unparsed"),
        (completion("I do not know"), "unparsed"),
        (completion("Yes, since both are cats"), "unparsed"),
        (completion(None), "unparsed"),
        (completion("no", message={"refusal": "I cannot help with that."}), "refused"),
        (completion("yes", choice={"finish_reason": "content_filter"}), "refused"),
        ({"error": {"message": "bad"}}, "error"),
        (completion(["yes"]), "error"),  # type: ignore[list-item]
        (completion("", choice={"error": {"message": "the provider is away"}}), "error"),
        (completion("", choice={"finish_reason": "tool_calls"}), "error"),
        ([], "error"),
        (b"<html>yes</html>", "error"),
        (b"\xff\x00", "error"),
        (b"[" * 100_000, "error"),
        (b"", "error"),
    ],
)
def test_other_answers_have_their_outcome_and_no_score(tmp_path: Path, body: Any, outcome: str) -> None:
    with serve(lambda handler, question, time: reply(handler, body)) as server:
        scored = score(server, tmp_path)
        assert scored["score"].isna().all()
        assert summarise(scored) == {outcome: 4}
        score(server, tmp_path)
    assert len(server.requests) == (8 if outcome == "error" else 4), "errors are asked again, answers are kept"


def test_answers_that_never_end_are_errors(tmp_path: Path) -> None:
    def trickle(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(400):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            threading.Event().wait(0.01)

    def flood(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, b" " * 3_000_000)

    for respond in (trickle, flood):
        with serve(respond) as server:
            assert summarise(score(server, tmp_path, seconds=0.3, attempts=1)) == {"error": 4}


@pytest.mark.parametrize("status", [301, 307, 401, 403, 404])
def test_what_would_fail_for_every_question_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    body = {"error": "wrong key sk-secret"}
    with (
        serve(lambda handler, question, time: reply(handler, body, status, Location="http://127.0.0.1:9/")) as server,
        pytest.raises(ServerError, match=f"status {status}") as caught,
    ):
        score(server, tmp_path)
    assert "sk-secret" not in str(caught.value)
    assert len(server.requests) <= 4


@pytest.mark.sweep
def test_a_server_that_has_gone_ends_the_run_and_keeps_the_answers(tmp_path: Path) -> None:
    pairs = pd.DataFrame({"first": [f"cat {n}" for n in range(100)], "second": "a feline"})
    answered = threading.Semaphore(20)

    def go_away(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        say_yes(handler, question, time) if answered.acquire(blocking=False) else reply(handler, b"gone", 500)

    with serve(go_away) as server:
        with pytest.raises(ServerError, match=f"{ERRORS_IN_A_ROW} errors in a row, the last: status 500: gone"):
            score(server, tmp_path, pairs, attempts=1)
        server.respond = say_yes
        n = len(server.requests)
        assert score(server, tmp_path, pairs)["score"].eq(1).all()
        assert len(server.requests) - n == 180


def test_budgets_stop_a_run_and_the_next_goes_on(tmp_path: Path) -> None:
    pairs = pd.DataFrame({"first": [f"cat {n}" for n in range(10)], "second": "a feline"})
    with serve(say_yes) as server:
        part = score(server, tmp_path, pairs, max_requests=7)
        assert len(server.requests) == 7
        assert summarise(part) == {"yes": 7, "not asked": 13}
        assert part["score"].notna().sum() == 0, "one order alone is no score"
        score(server, tmp_path, pairs, max_tokens=12 * 10, concurrency=1)
        assert len(server.requests) == 10
        assert score(server, tmp_path, pairs)["score"].eq(1).all()
        assert len(server.requests) == 20


def test_no_more_questions_at_once_than_allowed(tmp_path: Path) -> None:
    pairs = pd.DataFrame({"first": [f"cat {n}" for n in range(20)], "second": "a feline"})
    with serve(say_yes) as server:
        score(server, tmp_path, pairs, concurrency=3)
    assert 1 <= server.most_at_once <= 3


def test_a_server_without_log_probabilities_is_asked_without(tmp_path: Path) -> None:
    def refuse(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        asked = "logprobs" in server.requests[-1]
        reply(handler, b"logprobs are not supported", 400) if asked else say_yes(handler, question, time)

    with serve(refuse) as server:
        assert score(server, tmp_path, concurrency=1)["score"].tolist() == [1, 0]
        assert len(server.requests) == 5, "refused once, then never asked for again"


def test_probabilities_come_from_the_token_of_the_answer() -> None:
    top = [{"token": "Yes", "logprob": math.log(0.6)}, {"token": " yes", "logprob": math.log(0.1)}]
    top += [{"token": "No", "logprob": math.log(0.2)}, {"token": "Maybe", "logprob": math.log(0.1)}]
    content = [{"token": "Yes", "logprob": math.log(0.6), "top_logprobs": top}]
    answer = parse(json.dumps(completion("Yes", choice={"logprobs": {"content": content}})).encode(), AnswerWords())
    assert answer.score == pytest.approx(0.7 / 0.9)
    thought = [{"token": token, "logprob": 0.0} for token in ("<think>", "no", "</think>", "\n\n")]
    choice = {"logprobs": {"content": [*thought, *content, {"token": ".", "logprob": 0.0}]}}
    answer = parse(json.dumps(completion("<think>no</think>\n\nYes.", choice=choice)).encode(), AnswerWords())
    assert answer.score == pytest.approx(0.7 / 0.9)


@given(
    st.lists(st.tuples(st.sampled_from(["yes", "no", "x"]), st.floats(allow_nan=True, allow_infinity=True)), max_size=4)
)
def test_whatever_log_probabilities_a_server_invents_a_score_is_a_probability(top: list[tuple[str, float]]) -> None:
    tokens = [{"token": token, "logprob": value} for token, value in top]
    content = [{"token": "yes", "logprob": -0.1, "top_logprobs": tokens}]
    answer = parse(json.dumps(completion("yes", choice={"logprobs": {"content": content}})).encode(), AnswerWords())
    assert answer.score is not None
    assert 0 <= answer.score <= 1


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps).map(str.encode)
)
def test_no_response_is_fatal(body: bytes) -> None:
    assert parse(body, AnswerWords()).outcome in (ReplyOutcome.ERROR, ReplyOutcome.UNPARSED)


@given(st.text(), st.text())
def test_texts_are_filled_in_as_they_are(first: str, second: str) -> None:
    assert Prompt("[{first}|{second}|{third}]").fill(first, second) == f"[{first}|{second}|{{third}}]"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"which one?", "{first} 0 times"),
        (b"{first} {second} {second}", "{second} 2 times"),
        (b"\xff{first}{second}", "bytes of another encoding"),
        (b"{first}{second}" + b"x" * 30_000, "30,015 characters"),
    ],
)
def test_other_prompts_are_refused(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "prompt.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=found):
        read_prompt(path)


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://x/v1", "file:///etc/passwd", "http+unix://%2Ftmp%2Fs/v1", "x", "", "//x/v1", "http:x", "http://"),
        *(
            "http://me:secret@x/v1",
            "http://secret@x/v1",
            "http://@x/v1",
            "http://x\\@secret/v1",
            "http://a:secret@[::1/",
        ),
        *("http://x/v1?key=secret", "http://x/v1?", "http://x/v1#secret", "http://x:0/v1", "http://x:99999/v1"),
        *(
            "http://x/v1\r\nEvil: 1",
            "http://x\r\n/v1",
            "http://x y/v1",
            "http://*/v1",
            "http://a..b/v1",
            "http://[::1/v1",
        ),
        *("http://" + "a" * 64 + "/v1", "http://\udcff/v1", "http://x/\udcff"),
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(InputError, match="--url") as caught:
        Connection(Endpoint(url=url, model="tiny"))
    assert "secret" not in str(caught.value)
    str(caught.value).encode("utf-8")


@pytest.mark.parametrize(
    "url", ["http://[::1]:9/v1", "HTTPS://x/v1/", "http://münchen.example/v1", "http://127.0.0.1:9"]
)
def test_addresses_of_every_kind_of_machine_are_taken(url: str) -> None:
    assert read_address(url).endswith("/chat/completions")


def test_a_machine_that_does_not_exist_is_an_error_and_no_crash(tmp_path: Path) -> None:
    for url in ("http://no-such-machine.invalid/v1", "http://" + "a." * 130 + "x/v1", "https://127.0.0.1:9/v1"):
        with Connection(Endpoint(url=url, model="tiny", attempts=1, seconds=5)) as connection:
            assert connection.ask("?").outcome is ReplyOutcome.ERROR


@pytest.mark.parametrize("key", ["a b", " sk", "sk\n", "ключ", "sk\x7f"])
def test_keys_that_cannot_be_sent_are_refused_unseen(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(KEY, key)
    with pytest.raises(InputError, match=KEY) as caught:
        Connection(Endpoint(url="http://127.0.0.1:9/v1", model="tiny"))
    assert key not in str(caught.value)


ECHOES = {
    "model": completion("yes", model="sk-secret"),
    "long model": completion("yes", model="x" * 195 + "sk-secret"),
    "content": completion("Your key is sk-secret."),
    "refusal": completion("no", message={"refusal": "not with sk-secret"}),
    "error": {"error": "sk-secret"},
    "no JSON": b"<html>sk-secret",
    "escaped": json.dumps(completion("It is sk-secret")).replace("sk-s", "\\u0073k-\\u0073").encode(),
}


@pytest.mark.parametrize("status", [200, 400, 503])
@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_that_comes_back_is_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echo: str, status: int
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")

    def repeat(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, ECHOES[echo], status, X_Key="sk-secret", Retry_After="sk-secret")

    with serve(repeat) as server, Connection(Endpoint(url=server.url, model="tiny", attempts=1)) as connection:
        answer = connection.ask("a cat")
    assert "sk-s" not in answer.text + answer.model
    assert not (status == 200 and echo == "model") or answer.model == "[key]"


def test_halves_of_characters_are_replaced_and_kept(tmp_path: Path) -> None:
    lone = completion("\ud800 yes?", model="tiny \udfff")
    with serve(lambda handler, question, time: reply(handler, lone)) as server:
        assert summarise(score(server, tmp_path)) == {"unparsed": 4}
        score(server, tmp_path)
        assert len(server.requests) == 4
    with ReplyCache(tmp_path / "answers.sqlite", Endpoint(url=server.url, model="tiny"), PROMPT) as answers:
        assert {(answer.text, answer.model) for answer in answers.read().values()} == {("\ufffd yes?", "tiny \ufffd")}


@given(st.text(st.characters(), max_size=300), st.text(st.characters(codec="ascii"), max_size=3))
def test_cleaned_text_can_be_written_anywhere(text: str, key: str) -> None:
    cleaned = clean(text + key + text, key)
    assert len(cleaned.encode("utf-8").decode("utf-8")) <= 200
    assert cleaned == clean(text + key + text, key)


CUT = "cut off before the answer began (finish_reason length)"
THOUGHT = "it thought and gave no answer (finish_reason stop)"
EMPTY = {
    "null": (completion(None, choice={"finish_reason": "length"}), CUT),
    "blank": (completion(" \n", choice={"finish_reason": "length"}, message={"reasoning_content": "Let me"}), CUT),
    "thinking": (completion("<think>\nIs a cat a", choice={"finish_reason": "length"}), CUT),
    "parts": (completion([{"type": "thinking", "thinking": "Is"}], choice={"finish_reason": "length"}), CUT),
    "thought": (completion("", message={"reasoning_content": "So: yes"}), THOUGHT),
    "of OpenRouter": (completion("", message={"reasoning": "So: yes"}), THOUGHT),
    "thought aloud": (completion("<think>So: yes</think>\n"), THOUGHT),
    "without a mark": (
        completion("Okay, so I need", choice={"finish_reason": "length"}),
        "cut off before its one word (finish_reason length): Okay, so I need",
    ),
    "in secret": (completion("", usage={"completion_tokens_details": {"reasoning_tokens": 5}}), THOUGHT),
}


@pytest.mark.parametrize("form", EMPTY)
def test_an_empty_answer_that_says_why_ends_the_run_at_once_and_is_asked_again(tmp_path: Path, form: str) -> None:
    empty, why = EMPTY[form]
    with serve(lambda handler, question, time: reply(handler, empty)) as server:
        with pytest.raises(ServerError, match=re.escape(f"found {why}; allow more --max-answer-tokens")):
            score(server, tmp_path)
        assert len(server.requests) == 1
        server.respond = say_yes
        assert score(server, tmp_path)["score"].tolist() == [1, 0]
        assert len(server.requests) == 5


def test_empty_answers_among_others_are_errors_with_their_reason(tmp_path: Path) -> None:
    def think(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        reply(handler, EMPTY["blank"][0]) if "tree" in question else say_yes(handler, question, time)

    with serve(think) as server:
        scored = score(server, tmp_path)
        assert scored["outcome"].tolist() == ["yes", "error"]
        assert scored["error"].fillna("").tolist() == ["", f"{CUT}; allow more --max-answer-tokens"]
        server.respond = say_yes
        assert score(server, tmp_path)["error"].isna().all()
        assert len(server.requests) == 6


def test_tokens_of_errors_count_towards_the_budget(tmp_path: Path) -> None:
    pairs = pd.DataFrame({"first": ["cat", *(f"tree {n}" for n in range(9))], "second": "a feline"})

    def think(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        say_yes(handler, question, time) if "cat" in question else reply(handler, EMPTY["blank"][0])

    with serve(think) as server:
        assert summarise(score(server, tmp_path, pairs, max_tokens=60, concurrency=1))["not asked"] == 15


@pytest.mark.parametrize(
    "content",
    [
        "“Yes.”", "yes<|im_end|>", "<s> yes</s>", "$\\boxed{\\text{Yes}}$", "«yes»", "yes\u200b", "Ｙｅｓ。",
        "<answer>yes</answer>", "◁think▷no◁/think▷Yes", "<seed:think>no</seed:think>yes",
        "<|begin_of_thought|>no<|end_of_thought|> yes",
    ],
)  # fmt: skip
def test_what_a_model_puts_around_its_word_is_no_part_of_it(content: str) -> None:
    assert parse(json.dumps(completion(content)).encode(), AnswerWords()).outcome == ReplyOutcome.YES


@pytest.mark.parametrize(
    "content",
    [
        "<think>Is a cat no feline? It is.</think> yes",
        "Is a cat no feline? It is.\n</think>\n\nYes.",
        "<THINKING>no</THINKING><think>no</think>**yes**",
        "[THINK]no[/THINK]yes",
        "<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final<|message|>yes",
        [{"type": "text", "text": "Yes"}],
        [{"type": "thinking", "thinking": "no"}, {"type": "text", "text": " yes"}, {"text": "."}],
    ],
)
def test_what_a_model_thinks_before_it_answers_is_no_part_of_the_answer(tmp_path: Path, content: Any) -> None:
    with serve(lambda handler, question, time: reply(handler, completion(content))) as server:
        assert summarise(score(server, tmp_path)) == {"yes": 4}


@pytest.mark.parametrize("status", [400, 402, 409, 413, 415, 418, 422, 429, 451])
def test_what_a_server_says_against_the_first_question_ends_the_run(tmp_path: Path, status: int) -> None:
    body = {"error": {"message": "The model `tiny` needs a paid account.", "type": "x" * 300, "code": None}}
    with (
        serve(lambda handler, question, time: reply(handler, body, status)) as server,
        pytest.raises(ServerError, match=rf"found status {status}: The model `tiny` needs a paid account\..*; do what"),
    ):
        score(server, tmp_path, attempts=1)
    assert len(server.requests) == 1


def test_the_shortest_question_comes_first_and_a_longer_one_may_be_refused(tmp_path: Path) -> None:
    pairs = pd.DataFrame({"first": ["a tree " * 40, "a cat"], "second": ["a stone", "a feline"]})

    def refuse_long(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        long = len(question) > 200
        reply(handler, {"detail": "too long"}, 400) if long else say_yes(handler, question, time)

    with serve(refuse_long) as server:
        scored = score(server, tmp_path, pairs)
    assert scored["outcome"].tolist() == ["error", "yes"]
    assert scored["error"][0].startswith("status 400: too long")


def test_a_question_that_a_filter_refuses_is_refused_for_good(tmp_path: Path) -> None:
    body = {"error": {"message": "The prompt was filtered.", "code": "content_filter"}}
    with serve(lambda handler, question, time: reply(handler, body, 400)) as server:
        assert summarise(score(server, tmp_path)) == {"refused": 4}
        score(server, tmp_path)
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "no luck", "code": 1}}',
        b'{"error": "no luck"}',
        b'{"detail": [{"loc": ["body"], "msg": "no luck"}]}',
        b'[{"error": {"message": "no luck"}}]',
        b'{"object": "error", "message": "no luck"}',
        b"no luck",
    ],
)
def test_the_sentence_of_a_refusal_is_found(body: bytes) -> None:
    assert find_sentence(body) == "no luck"


@given(
    st.binary(max_size=50)
    | st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["error", "detail", "message", "msg"]), inner),
    )
    .map(json.dumps)
    .map(str.encode)
)
def test_a_refusal_of_any_form_has_a_sentence(body: bytes) -> None:
    assert isinstance(find_sentence(body), str)
    assert filters_question(body) is False


@pytest.mark.parametrize("value", [10**400, "10", [], {}, True, None])
def test_log_probabilities_of_any_type_are_survived(value: Any) -> None:
    content = [{"token": "yes", "logprob": value, "top_logprobs": value}]
    answer = parse(json.dumps(completion("yes", choice={"logprobs": {"content": content}})).encode(), AnswerWords())
    assert answer.score == 1


def test_another_file_is_not_taken_for_answers(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_text("yes\n" * 500)
    with pytest.raises(InputError, match="SQLite"):
        ReplyCache(path, Endpoint(url="http://127.0.0.1:9/v1", model="tiny"), PROMPT)
