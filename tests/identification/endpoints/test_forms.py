"""What a server refuses of a request is left out, once and for all; what the answers lack then is said."""

from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identification.endpoints.forms import Form
from tests.identification.endpoints.model_server import completion, reply, serve
from tests.identification.endpoints.test_endpoints import score

REFUSALS = [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    "Requested sample logprobs of 20, which is greater than max allowed: 5",
    "logprobs are not supported",
    "top_logprobs: Input should be less than or equal to 10",
    "too many logprobs",
    "[{'type': 'extra_forbidden', 'loc': ['body', 'max_tokens'], 'msg': 'Extra inputs are not permitted'}]",
    "the context is too long",
]


@given(st.lists(st.sampled_from(REFUSALS)))
def test_no_sequence_of_refusals_goes_on_for_ever(complaints: list[str]) -> None:
    form: Form | None = Form()
    forms = []
    for complaint in complaints:
        if form is not None:
            forms.append(form)
            form = form.without(complaint)
    assert len(set(forms)) == len(forms) <= 8


def test_each_refusal_changes_what_it_names() -> None:
    forms = [Form().without(text) for text in REFUSALS]
    assert forms.pop() is None
    limit, temperature, five, none, ten, fewer, extra = (form.content("tiny", "?", 5) for form in forms if form)
    for content in (limit, extra):
        assert (content["max_completion_tokens"], "max_tokens" in content) == (5, False)
    assert "temperature" not in temperature
    assert [content.get("top_logprobs") for content in (five, none, ten, fewer)] == [5, None, 10, 5]
    assert [len(form.losses()) for form in forms if form] == [0, 1, 1, 1, 1, 1, 0]


def test_the_largest_number_of_log_probabilities_that_a_server_gives_is_asked_for(tmp_path: Path) -> None:
    for most in (1, 3, 8, 19):

        def respond(handler: BaseHTTPRequestHandler, question: str, time: int, most: int = most) -> None:
            asked = server.requests[-1].get("top_logprobs", 0)
            refusal = {"detail": [{"loc": ["body", "top_logprobs"], "msg": f"logprobs of {asked} exceed {most}"}]}
            reply(handler, refusal, 422) if asked > most else reply(handler, completion("yes"))

        with serve(respond) as server:
            score(server, tmp_path / str(most), concurrency=1)
            assert [request.get("top_logprobs") for request in server.requests] == [20, *[most] * 4]


def find_fault(request: dict[str, Any], strict: str) -> str:
    """What a server says of a request for which it is too strict; empty where it accepts it."""
    if strict in ("limit", "reasoning") and "max_tokens" in request:
        return REFUSALS[0]
    if strict == "reasoning" and "temperature" in request:
        return REFUSALS[1]
    if strict == "five" and request.get("top_logprobs", 0) > 5:
        return REFUSALS[2]
    return REFUSALS[3] if strict == "none" and "logprobs" in request else ""


@pytest.mark.parametrize(("strict", "n_refused"), [("limit", 1), ("reasoning", 2), ("five", 1), ("none", 1)])
def test_a_server_is_asked_in_the_form_that_it_accepts(tmp_path: Path, strict: str, n_refused: int) -> None:
    def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        fault = find_fault(server.requests[-1], strict)
        reply(handler, {"error": {"message": fault}}, 400) if fault else reply(handler, completion("yes"))

    with serve(respond) as server:
        assert score(server, tmp_path, concurrency=1)["score"].tolist() == [1, 1]
        assert len(server.requests) == 4 + n_refused


@pytest.mark.parametrize("status", [400, 403, 422, 501])
def test_log_probabilities_are_left_out_whatever_the_status_of_their_refusal(tmp_path: Path, status: int) -> None:
    def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        refusal = {"error": {"message": "You are not allowed to request logprobs from this model"}}
        asked = "logprobs" in server.requests[-1]
        reply(handler, refusal, status) if asked else reply(handler, completion("yes"))

    with serve(respond) as server:
        assert score(server, tmp_path)["score"].tolist() == [1, 1]
        assert len(server.requests) == 5


def test_the_next_run_begins_with_the_accepted_form(tmp_path: Path) -> None:
    def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        known = "max_completion_tokens" in server.requests[-1]
        reply(handler, completion("yes")) if known else reply(handler, REFUSALS[0].encode(), 422)

    with serve(respond) as server:
        score(server, tmp_path, concurrency=1, max_requests=3)
        score(server, tmp_path, concurrency=1)
        assert len(server.requests) == 4 + 1


def test_a_refusal_of_the_question_itself_changes_nothing(tmp_path: Path) -> None:
    def respond(handler: BaseHTTPRequestHandler, question: str, time: int) -> None:
        long = "tree" in question
        reply(handler, b"too long: the question with its logprobs", 400) if long else reply(handler, completion("yes"))

    with serve(respond) as server:
        score(server, tmp_path, concurrency=1)
        assert [request.get("top_logprobs") for request in server.requests if "cat" in str(request)] == [20, 20]
