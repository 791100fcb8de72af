"""A real Label Studio server: where its secrets are, what it refuses, how it starts and stops."""

import json
import stat

import httpx
import psutil
import pytest

from annotation.label_studio.client import LabelStudio
from annotation.label_studio.connection import AtServer, people_sign_in_at
from annotation.label_studio.server import environment, folder, server
from annotation.label_studio.server.folder import credentials
from annotation.label_studio.server.server import Options, start, status, stop
from annotation.label_studio.simulated.sitting import Sitting
from data.console.errors import InputError, ServerError
from tests.annotation.conftest import Lent


def test_it_serves_this_machine_only_and_sends_no_telemetry(label_studio):
    running = label_studio.running
    assert status(label_studio.folder) == running
    connections = psutil.Process(running.pid).net_connections()
    listening = [connection for connection in connections if connection.status == psutil.CONN_LISTEN]
    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}
    variables = psutil.Process(running.pid).environ()
    assert variables["COLLECT_ANALYTICS"] == "false"
    assert httpx.get(f"{running.url}/health").json() == {"status": "UP"}
    administrator = {"Authorization": f"Token {running.api_key}"}
    version = httpx.get(f"{running.url}/api/version", headers=administrator).json()
    assert version["release"] == environment.VERSION
    assert version["label-studio-os-package"]["latest_version_from_pypi"] is None
    assert (
        httpx.get(f"{running.url}/api/version", headers=administrator | {"Host": "elsewhere.example"}).status_code
        == 400
    )
    signed_up = httpx.post(f"{running.url}/user/signup/", data={"email": "x@example.org", "password": "12345678"})
    assert signed_up.status_code == 401


def test_only_the_owner_can_read_its_secrets(label_studio):
    place = label_studio.folder
    for secret in (place / folder.CREDENTIALS, place / "data" / ".env", place / "data" / environment.DATABASE):
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    content = json.loads((place / folder.CREDENTIALS).read_text())
    assert len(content["api_key"]) == 40
    assert content["password"] not in repr(credentials(place))
    assert content["api_key"] not in repr(label_studio.running)
    assert content["api_key"] not in (place / server.PROCESS).read_text()
    assert content["password"] not in (place / server.LOG).read_text()


def test_a_line_is_in_the_log_once_and_a_long_log_is_moved_aside(label_studio):
    log = label_studio.folder / server.LOG
    key = {"Authorization": f"Token {label_studio.running.api_key}"}
    assert httpx.get(f"{label_studio.running.url}/api/tasks/987654321/", headers=key).status_code == 404
    lines = [line for line in log.read_text().splitlines() if "/api/tasks/987654321/" in line]
    assert 1 <= len(lines) == len(set(lines))
    with log.open("a") as file:
        file.write("x" * 10_000_001)
    assert httpx.get(f"{label_studio.running.url}/api/tasks/987654320/", headers=key).status_code == 404
    assert log.stat().st_size < 10_000
    assert (log.parent / "server.log.1").stat().st_size > 10_000_000


def test_no_variable_leads_a_server_to_other_code(monkeypatch, tmp_path):
    """So that no campaign's server is as fast as a server of the tests, at the cost of safety."""
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "DJANGO_SETTINGS_MODULE", "PASSWORD_HASHERS"):
        monkeypatch.setenv(name, "/elsewhere")
    assert "/elsewhere" not in environment.variables(tmp_path).values()
    ours = [path for path in environment.PLUGIN.rglob("*.py") if "HASHER" in path.read_text() or "site" in path.stem]
    assert ours == []


def test_a_second_start_finds_the_first(label_studio):
    assert start(label_studio.folder, Options(port=0)) == label_studio.running


def test_a_busy_port_is_an_error_and_starts_nothing(label_studio_environment, label_studio, tmp_path):
    port = int(label_studio.running.url.rpartition(":")[2])
    with pytest.raises(
        ServerError, match=rf"^port {port} on 127\.0\.0\.1: expected a free port, found address already"
    ):
        start(tmp_path / "server", Options(port=port))
    assert status(tmp_path / "server") is None


def test_each_folder_has_its_own_credentials(label_studio_environment, label_studio, tmp_path):
    folder.fill(tmp_path / "server", label_studio_environment, "")
    other, own = credentials(tmp_path / "server"), credentials(label_studio.folder)
    assert not {other.password, other.api_key} & {own.password, own.api_key}
    before = (tmp_path / "server" / folder.CREDENTIALS).read_bytes()
    folder.fill(tmp_path / "server", label_studio_environment, "")
    assert (tmp_path / "server" / folder.CREDENTIALS).read_bytes() == before


def test_a_password_in_an_address_is_not_repeated(label_studio_environment, tmp_path):
    folder.fill(tmp_path, label_studio_environment, "")
    for address in ("postgresql://me:geheim@host/name", "postgres://me:geheim@host/name", "me:geheim@host/name"):
        with pytest.raises(InputError, match="PGPASSWORD") as fault:
            start(tmp_path, Options(port=0, database=address))
        assert "geheim" not in str(fault.value)


def test_an_impossible_port_is_one_line(label_studio_environment, tmp_path):
    with pytest.raises(ServerError, match=r"port 99999 .*expected a free port, found a number outside 0 to 65535"):
        start(tmp_path, Options(port=99999))


def test_lost_credentials_are_reported_before_anything_starts(label_studio_environment, tmp_path):
    folder.fill(tmp_path, label_studio_environment, "")
    (tmp_path / folder.CREDENTIALS).unlink()
    with pytest.raises(ServerError, match="expected the credentials of this folder's server, found no such file"):
        start(tmp_path, Options(port=0))


@pytest.mark.sweep
def test_a_published_server_takes_simulated_people_and_stop_ends_every_process(label_studio_environment, tmp_path):
    first = start(tmp_path, Options(port=0, public="https://label.example.org"))
    process = psutil.Process(first.pid)
    family = [process, *process.children(recursive=True)]
    with LabelStudio(url=first.url, api_key=first.api_key) as client:
        one = Lent(folder=tmp_path, running=first, client=client).account()
    with Sitting(first.url, one) as sitting:
        sitting.sign_in()
        assert sitting.projects() == {}
    port = first.url.rpartition(":")[2]
    assert stop(tmp_path) == ("--port", port, "--public", "https://label.example.org")
    assert not any(member.is_running() for member in family)
    assert status(tmp_path) is None
    assert not stop(tmp_path)


def test_people_sign_in_where_a_proxy_publishes_the_server(tmp_path, monkeypatch):
    at, public = "http://127.0.0.1:1", "https://label.example.org"
    monkeypatch.setattr(server, "status", lambda _: server.Running(url=at, pid=1, api_key="k", public=public))
    assert people_sign_in_at(AtServer(store=tmp_path)) == public
    assert people_sign_in_at(AtServer(store=tmp_path, url="http://far.example")) == "http://far.example"
    monkeypatch.setattr(server, "status", lambda _: server.Running(url=at, pid=1, api_key="k"))
    assert people_sign_in_at(AtServer(store=tmp_path)) == at


def test_a_stale_process_number_names_no_one(tmp_path):
    (tmp_path / server.LOCK).touch()
    (tmp_path / server.PROCESS).write_text(json.dumps({"url": "http://127.0.0.1:1", "pid": psutil.Process().pid}))
    assert status(tmp_path) is None
    assert not stop(tmp_path)


def test_a_server_that_ends_at_once_is_reported_with_its_last_line(tmp_path, monkeypatch):
    program = tmp_path / "environment" / "bin" / "label-studio"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho cannot read the moon\nexit 3\n")
    program.chmod(0o700)
    site = tmp_path / "environment" / "lib" / "python3.11" / "site-packages"
    (site / f"label_studio-{environment.VERSION}.dist-info").mkdir(parents=True)
    template = environment.template_path(tmp_path / "environment")
    template.parent.mkdir()
    template.touch()
    monkeypatch.setenv("PARADE_LABEL_STUDIO", str(tmp_path / "environment"))
    with pytest.raises(ServerError, match=r"its process ended \(last line of its log: cannot read the moon\)"):
        start(tmp_path / "server", Options(port=0))
    assert status(tmp_path / "server") is None


@pytest.mark.parametrize(("installed", "found"), [([], "none"), (["1.24.0"], "1.24.0")])
def test_another_environment_is_refused(tmp_path, monkeypatch, installed, found):
    for version in installed:
        (tmp_path / "lib/python3.11/site-packages" / f"label_studio-{version}.dist-info").mkdir(parents=True)
    monkeypatch.setenv("PARADE_LABEL_STUDIO", str(tmp_path))
    with pytest.raises(ServerError, match=rf"expected an environment with label-studio 1\.23\.2, found {found}; "):
        environment.locate()
