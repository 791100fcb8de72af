"""What the gate promises on any database and behind any proxy: checks of a lent server, used for each of them."""

import collections
import dataclasses
import json
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import islice
from threading import Event
from typing import Any

import httpx
import pandas as pd
import pytest

from annotation.campaign.accounts import Account
from annotation.label_studio.simulated.sitting import Sitting
from data.console.errors import ServerError
from tests.annotation.support.probes import AS_JSON, labelled, make_things


def refused_answers() -> dict[str, dict[str, Any]]:
    """Answers that are malformed or cannot be stored, by what is wrong with them."""
    score = labelled("x")["result"][0]

    def comment(text: str, **more: Any) -> dict[str, Any]:
        return {"from_name": "comment", "value": {"text": [text]}, **more}

    results: dict[str, Any] = {
        "half an emoji in a comment": [score, comment("\ud83d")],
        "half an emoji within a comment": [score, comment("a\udc00b")],
        "NUL in a comment": [score, comment("a\x00b")],
        "half an emoji as a choice": [{"from_name": "flag", "value": {"choices": ["\ud800"]}}],
        "a name that is a list": [score | {"from_name": ["score"]}],
        "a name that is an object": [score | {"from_name": {"score": 1}}],
        "no answer": [],
        "a comment alone": [comment("only words")],
    }
    return {name: {"result": result, "lead_time": 1.0} for name, result in results.items()}


def check_refused_answers(lent: Any) -> None:
    """Every answer of `refused_answers` is refused with 400 everywhere, and the project can still be collected."""
    own = make_things(lent, "storable")
    with Sitting(lent.running.url, own.account) as sitting:
        sitting.sign_in()
        fresh = sitting.next_task(own.project)["id"]
        answers = [("POST", f"/api/tasks/{fresh}/annotations"), ("PATCH", f"/api/annotations/{own.annotation}")]
        drafts = [
            ("POST", f"/api/tasks/{fresh}/drafts"),
            ("PATCH", f"/api/drafts/{own.draft}"),
            ("POST", f"/api/tasks/{own.task}/annotations/{own.annotation}/drafts"),
        ]
        for name, body in refused_answers().items():
            for method, path in answers if name in ("no answer", "a comment alone") else answers + drafts:
                answer = sitting._browser.request(method, path, content=json.dumps(body), headers=AS_JSON)
                assert answer.status_code == 400, (name, path, answer.text)
        long = json.dumps(labelled("the longest") | {"lead_time": 10**400})
        answer = sitting._browser.post(f"/api/tasks/{fresh}/annotations", content=long, headers=AS_JSON)
        assert answer.status_code == 201
        again = sitting._browser.post(f"/api/tasks/{fresh}/annotations", json=labelled("a second answer"))
        assert again.status_code == 409
        email = {"email": "a\x00@x.invalid", "password": "p"}
    with Sitting(lent.running.url, own.account) as stranger:
        assert stranger._send_form("/user/login/", email).status_code == 400
    assert sorted(lent.client.collect({own.project: None})["comment"]) == ["storable", "the longest"]


def check_lengths(lent: Any) -> None:
    """A length that is not a decimal number is a bad request, also for a server of its own making."""
    for length in ("abc", "1e3", "0x2", "1_0", "-1", "+2"):
        with socket.create_connection(lent.running.url.removeprefix("http://").split(":"), timeout=30) as connection:
            lines = ["POST /user/login/ HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", "Connection: close"]
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            assert connection.recv(100).split(b" ")[1] == b"400", length


def post_throughout(lent: Any, close: Callable[[Any, int], object]) -> tuple[Account, int, list[str]]:
    """An annotator posts answers from four threads while the project closes: account, project, comments right after."""
    account = lent.account()
    tasks = [{"assignment": f"t{n}", "definition1": "a", "definition2": "b", "entity": "c"} for n in range(200)]
    project, begun, over = lent.project(tasks, account), Event(), Event()
    ids = [task.id for task in lent.client._sdk.tasks.list(project=project, fields="task_only", page_size=200)]
    with Sitting(lent.running.url, account) as sitting, ThreadPoolExecutor(4) as threads:
        sitting.sign_in()

        def post(own_ids: Iterator[int]) -> list[int]:
            statuses = []
            for n, task in enumerate(own_ids):
                answer = sitting._browser.post(f"/api/tasks/{task}/annotations", json=labelled(f"answer {task}"))
                statuses.append(answer.status_code)
                if n == 2:
                    begun.set()
                if over.is_set() and statuses[-4:] == [statuses[-1]] * 4 != [201] * 4:
                    break
            return statuses

        posting = [threads.submit(post, islice(ids, n, None, 4)) for n in range(4)]
        assert begun.wait(600)
        close(account, project)
        is_there = project in lent.client.projects().values()
        comments = sorted(lent.client.collect({project: None})["comment"]) if is_there else []
        over.set()
        statuses = [status for future in posting for status in future.result()]
    assert set(statuses) <= {201, 401, 403}
    assert {201} < set(statuses), "the closing came before the first answer or after the last"
    return account, project, comments


def check_closing_under_load(lent: Any) -> None:
    """Whatever is on its way: no answer comes after a round has closed, and no account that has closed reopens."""
    _, project, comments = post_throughout(
        lent, lambda account, project: lent.client.open_for({project: (account.email, False)})
    )
    assert sorted(lent.client.collect({project: None})["comment"]) == comments
    assert len(comments) >= 3
    account, project, _ = post_throughout(
        lent, lambda account, project: lent.client.withdraw([project], account.email, close=True)
    )
    assert project not in lent.client.projects().values()
    with Sitting(lent.running.url, account) as sitting, pytest.raises(ServerError):
        sitting.sign_in()


def check_repeated_answers(lent: Any) -> None:
    """An answer may follow a skip but nothing else, and eight answers at once are one."""
    own = make_things(lent, "skips")
    with Sitting(lent.running.url, own.account) as sitting:
        sitting.sign_in()
        path = f"/api/tasks/{sitting.next_task(own.project)['id']}/annotations"
        bodies = [{"result": [], "was_cancelled": True}] * 2 + [labelled("after all")] * 2
        assert [sitting._browser.post(path, json=body).status_code for body in bodies] == [201, 409, 201, 409]
    own = make_things(lent, "at once")
    with Sitting(lent.running.url, own.account) as sitting, ThreadPoolExecutor(8) as threads:
        sitting.sign_in()
        path = f"/api/tasks/{sitting.next_task(own.project)['id']}/annotations"
        answers = threads.map(lambda n: sitting._browser.post(path, json=labelled(f"{n}")), range(8))
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7


def check_sign_out(lent: Any) -> None:
    """Signing out, by either method, ends every copy of the cookie."""
    own = make_things(lent, "copied cookie")
    for method in ("GET", "POST"):
        with Sitting(lent.running.url, own.account) as sitting, httpx.Client(base_url=lent.running.url) as thief:
            sitting.sign_in()
            thief.cookies = dict(sitting._browser.cookies)
            assert thief.get(f"/api/tasks/{own.task}").status_code == 200
            token = {"X-CSRFToken": sitting._browser.cookies["csrftoken"], "Referer": f"{lent.running.url}/"}
            assert sitting._browser.request(method, "/logout", headers=token).status_code == 302
            assert thief.get(f"/api/tasks/{own.task}").status_code == 401


def check_frames(lent: Any) -> None:
    """No page can be framed by another site."""
    own = make_things(lent, "framed")
    with httpx.Client(base_url=lent.running.url) as stranger:
        pages = [stranger.get("/user/login/"), stranger.get("/nothing")]
    with Sitting(lent.running.url, own.account) as sitting:
        sitting.sign_in()
        paths = ("/agreement", f"/projects/{own.project}/data?labeling=1")
        pages += [sitting._browser.get(path) for path in paths]
    for page in pages:
        assert page.headers["X-Frame-Options"] == "SAMEORIGIN", page.url
        assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"], page.url


def check_working_time(lent: Any) -> None:
    """Seconds are bounded by the server's own clock, and claims above it are listed."""
    account = lent.account()
    tasks = [{"assignment": f"t{n}", "definition1": "a", "definition2": "b", "entity": "c"} for n in range(3)]
    project = lent.project(tasks, account)
    started = time.monotonic()
    with Sitting(lent.running.url, account) as sitting:
        sitting.sign_in()
        for n in range(3):
            sitting.submit(project, sitting.next_task(project)["id"], {"score": ["1"]}, 0.0 if n == 2 else 300.0)
    passed = time.monotonic() - started
    counted = lent.client.collect({project: None})["seconds"]
    assert counted.sum() <= passed
    assert (counted > 0).sum() == 2
    claims = lent.client.excess_claims()
    n, seconds = claims[account.email]
    assert n == 2
    assert seconds == pytest.approx(600 - counted.sum())
    with Sitting(lent.running.url, account, simulation_key="0" * 40) as sitting:
        sitting.sign_in()
        more = lent.project(tasks[:1], account)
        sitting.submit(more, sitting.next_task(more)["id"], {"score": ["1"]}, 300.0)
    assert lent.client.collect({more: None})["seconds"].item() <= time.monotonic() - started


def check_sign_in_limits(lent: Any, execute: Callable[[str], object]) -> None:
    """Passwords cannot be guessed for long, and no one is locked out; `execute` runs SQL on the server's database."""
    account = lent.account()
    wrong = dataclasses.replace(account, password="not the password")
    with Sitting(lent.running.url, account) as known:
        known.sign_in()
        started = time.monotonic()
        statuses = collections.Counter(_guess(lent.running.url, [wrong] * 24))
        pauses = int((time.monotonic() - started) / 5)
        assert 10 <= statuses[200] <= 10 + pauses  # counted before the check: 24 at once are not 24 checks
        assert statuses[200] + statuses[429] == 24
        execute(f"UPDATE parade_gate_attempt SET at = '{_sql_time(minutes=4)}'")  # no test is too slow to have to wait
        with Sitting(lent.running.url, account) as elsewhere:
            waiting = elsewhere._send_form("/user/login/", _form(account))
        assert waiting.status_code == 429
        assert int(waiting.headers["Retry-After"]) > 0
        known._browser.get("/logout")
        known.sign_in()  # strangers slow no one down whose browser is known
    execute(f"UPDATE parade_gate_attempt SET at = '{_sql_time(days=1)}'")  # by a clock that was ahead
    with Sitting(lent.running.url, account) as elsewhere:
        elsewhere.sign_in()
    assert 429 in list(_guess(lent.running.url, [wrong] * 24))
    _spray(execute, 5_000)
    assert list(_guess(lent.running.url, [wrong])) == [429]
    execute(f"UPDATE parade_gate_attempt SET at = '{_sql_time()}'")
    with Sitting(lent.running.url, lent.account()) as sitting:
        sitting.sign_in()
    with Sitting(lent.running.url, account) as sitting:
        while (answer := sitting._send_form("/user/login/", _form(account))).status_code == 429:
            assert 0 < int(answer.headers["Retry-After"]) <= 5  # slowed down, not locked out
            time.sleep(0.2)
        assert sitting._browser.get("/api/current-user/whoami").status_code == 200


def check_no_one_is_locked_out(lent: Any) -> None:
    """Guesses from forty addresses slow no one down who signs in from another one."""
    account = lent.account()
    wrong = dataclasses.replace(account, password="not the password")
    attackers = [f"127.0.1.{n}" for n in range(1, 41)]
    assert [_attempt_from(lent.running.url, address, wrong) for address in attackers] == [200] * 40
    assert _attempt_from(lent.running.url, "127.0.2.1", account) == 302


def check_forged_addresses(lent: Any) -> None:
    """No header of its own gives a client another address."""
    wrong = dataclasses.replace(lent.account(), password="not the password")
    forged = [dict.fromkeys(("X-Forwarded-For", "X-Real-IP"), f"10.0.0.{n}") for n in range(14)]
    forged += [{"Forwarded": f"for=10.0.0.{n}", "Client-IP": f"10.0.0.{n}"} for n in range(14)]
    statuses = [_attempt_from(lent.running.url, "127.0.1.99", wrong, headers) for headers in forged]
    assert statuses[:10] == [200] * 10
    assert 429 in statuses[10:]


def _attempt_from(url: str, address: str, account: Account, headers: dict[str, str] | None = None) -> int:
    """The status of an attempt to sign in from this address of the machine's own network."""
    with Sitting(url, account) as sitting:
        transport = httpx.HTTPTransport(local_address=address)
        sitting._browser = httpx.Client(base_url=url, transport=transport, headers=headers, timeout=60)
        return sitting._send_form("/user/login/", _form(account)).status_code


def check_order_of_answers(lent: Any, execute: Callable[[str], object]) -> None:
    """A changed answer is later than before even by a clock that was set back since; `execute` as above."""
    things = make_things(lent, f"late{secrets.token_hex(4)}")
    future = pd.Timestamp("2099-01-05 10:00", tz="UTC")
    execute(f"UPDATE task_completion SET updated_at = '2099-01-05 10:00:00' WHERE id = {things.annotation}")
    assert lent.client.latest()[things.project] == (1, future)
    with Sitting(lent.running.url, things.account) as sitting:
        sitting.sign_in()
        where = f"/api/annotations/{things.annotation}?project={things.project}&taskID={things.task}"
        sitting._json("PATCH", where, labelled("changed"))
        second = sitting.next_task(things.project)
        assert second is not None
        sitting.submit(things.project, second["id"], {"score": ["2"]}, 1.0)
    collected = lent.client.collect({things.project: None}).set_index("assignment")["submitted_at"]
    assert sorted(collected - future) == [pd.Timedelta("1us"), pd.Timedelta("2us")]
    assert lent.client.latest()[things.project] == (2, future + pd.Timedelta("2us"))


def _spray(execute: Callable[[str], object], n: int) -> None:
    """Record attempts at as many other addresses, as if as many clients had made them."""
    rows = ", ".join(f"('address {k}', 'client {k}', '{_sql_time()}')" for k in range(n))
    execute(f"INSERT INTO parade_gate_attempt (address, client, at) VALUES {rows}")


def _sql_time(**later: int) -> str:
    return (datetime.now(UTC) + timedelta(**later)).replace(tzinfo=None).isoformat(" ")


def _form(account: Account) -> dict[str, str]:
    return {"email": account.email, "password": account.password}


def _guess(url: str, accounts: list[Account]) -> Iterator[int]:
    """The status of each attempt to sign in, all of them at once."""

    def attempt(account: Account) -> int:
        with Sitting(url, account) as sitting:
            return sitting._send_form("/user/login/", _form(account)).status_code

    with ThreadPoolExecutor(8) as threads:
        yield from threads.map(attempt, accounts)


CHECKS = (
    check_refused_answers,
    check_lengths,
    check_closing_under_load,
    check_repeated_answers,
    check_sign_out,
    check_frames,
    check_working_time,
    check_no_one_is_locked_out,
    check_forged_addresses,
)
"""What needs nothing but the server."""
