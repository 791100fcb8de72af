"""The server for many annotators: gunicorn with PostgreSQL behind the same gate, backed up and restored."""

import dataclasses
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from annotation.label_studio.client import LabelStudio
from annotation.label_studio.server import environment, server
from annotation.label_studio.server.folder import CREDENTIALS
from annotation.label_studio.simulated import sitting as sittings
from annotation.label_studio.simulated.sitting import Sitting
from data.console.errors import InputError, ServerError
from data.files.whole import write_whole
from tests.annotation.conftest import Lent
from tests.annotation.label_studio.test_game import check_checks_at_once, game  # noqa: F401 - a fixture
from tests.annotation.label_studio.test_gate import MAIN_METHODS, REFUSALS, leaks
from tests.annotation.support import probes, promises, traces
from tests.annotation.support.probes import fill, forged, make_things
from tests.annotation.support.proxy import PUBLIC, nginx

pytestmark = pytest.mark.sweep
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A PostgreSQL server for the tests alone."""

    folder: Path
    port: int
    password: str

    def address(self, name: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def run(self, program: str, *arguments: str, script: str | None = None) -> str:
        command = [str(PROGRAMS[-1] / program), "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", *arguments]
        environment = {**os.environ, "PGPASSWORD": self.password}
        return subprocess.run(command, env=environment, input=script, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def cluster(label_studio_environment) -> Iterator[Cluster]:
    """A PostgreSQL server; it runs as the user postgres if the tests run as root, which PostgreSQL refuses."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is missing: expected /usr/lib/postgresql/*/bin")
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="parade-pg-"))
    running = Cluster(folder=folder, port=server.free_port(0), password=secrets.token_urlsafe(12))
    (folder / "password").write_text(running.password)
    if user:
        for path in (folder, folder / "password"):
            shutil.chown(path, "postgres")
    data, programs = folder / "data", PROGRAMS[-1]
    create = [programs / "initdb", "-D", data, "-U", "postgres", "--auth=scram-sha-256", "-N", "--pwfile"]
    subprocess.run([*create, folder / "password"], check=True, capture_output=True, **user)
    options = f"-h 127.0.0.1 -p {running.port} -k {folder} -c fsync=off"
    control = [programs / "pg_ctl", "-D", data, "-w"]
    subprocess.run(
        [*control, "-l", folder / "log", "-o", options, "start"], check=True, stdout=subprocess.DEVNULL, **user
    )
    try:
        yield running
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, **user)
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def migrated(cluster, label_studio_environment, tmp_path_factory) -> str:
    """The dump of an empty migrated database; kept beside SQLite's, since migrating takes half a minute."""
    path = environment.template_path(label_studio_environment).with_suffix(".pgsql")
    if not path.exists():
        cluster.run("createdb", "migrating")
        variables = environment.variables(tmp_path_factory.mktemp("migrating"))
        variables |= environment.database_variables(cluster.address("migrating"))
        command = [environment.program(label_studio_environment), "version"]
        subprocess.run(command, env=variables | {"POSTGRE_PASSWORD": cluster.password}, check=True, capture_output=True)
        write_whole(path, cluster.run("pg_dump", "migrating"))
    return path.read_text()


@pytest.fixture(scope="module")
def campaign_server(cluster, migrated, tmp_path_factory) -> Iterator[Lent]:
    """A server on PostgreSQL with two workers."""
    folder = tmp_path_factory.mktemp("campaign-server")
    cluster.run("createdb", "labels")
    cluster.run("psql", "-q", "-d", "labels", script=migrated)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSWORD", cluster.password)
        running = server.start(folder, server.Options(port=0, database=cluster.address("labels"), workers=2))
        try:
            with LabelStudio(url=running.url, api_key=running.api_key) as client:
                yield Lent(folder=folder, running=running, client=client)
        finally:
            server.stop(folder)


@pytest.mark.sweep
@pytest.mark.parametrize("method", MAIN_METHODS)
def test_the_gate_holds_under_gunicorn_too(campaign_server, cluster, label_studio_environment, method):
    own, victim = make_things(campaign_server, "ownmark"), make_things(campaign_server, "victimmark")
    dump = ("pg_dump", "--data-only", "--inserts", "labels")
    before = {line for line in cluster.run(*dump).splitlines() if victim.mark in line}
    templates = probes.url_templates(campaign_server.folder, label_studio_environment)
    with Sitting(campaign_server.running.url, own.account) as sitting, ThreadPoolExecutor(4) as threads:
        sitting.sign_in()

        def probe(template: str) -> None:
            more = {"json": forged(victim)} if method in probes.WRITES else {}
            query = {"project": victim.project, "id": "next_task"}
            answer = sitting._browser.request(method, fill(template, victim), params=query, **more)
            assert leaks(answer, victim) == []
            assert method == "GET" or answer.status_code in REFUSALS, (method, template)

        probed = [template for template in templates if "logout" not in template and "login" not in template]
        list(threads.map(probe, probed))
        chunked = sitting._browser.post(f"/api/tasks/{own.task}/annotations", content=iter([b"{}"]))
        assert chunked.status_code == 415
    assert {line for line in cluster.run(*dump).splitlines() if victim.mark in line} == before
    assert len(before) > 3


@pytest.mark.sweep
def test_an_empty_database_is_migrated_by_the_first_start(cluster, tmp_path, monkeypatch, label_studio_environment):
    monkeypatch.setenv("PGPASSWORD", cluster.password)
    cluster.run("createdb", "empty")
    running = server.start(tmp_path, server.Options(port=0, database=cluster.address("empty"), workers=1))
    try:
        with LabelStudio(url=running.url, api_key=running.api_key) as client:
            assert client.projects() == {}
    finally:
        server.stop(tmp_path)


@pytest.mark.parametrize("check", promises.CHECKS)
def test_what_the_gate_promises_holds_on_postgresql(campaign_server, check):
    check(campaign_server)


@pytest.fixture
def label_studio(campaign_server: Lent) -> Lent:
    """The server of the game's fixture."""
    return campaign_server


def test_checks_at_once_are_counted_on_postgresql(game):  # noqa: F811
    check_checks_at_once(game)


def test_passwords_cannot_be_guessed_on_postgresql(campaign_server, cluster):
    def execute(statement: str) -> str:
        return cluster.run("psql", "-q", "-d", "labels", script=f"SET TIME ZONE 'UTC'; {statement}")

    promises.check_sign_in_limits(campaign_server, execute)
    promises.check_order_of_answers(campaign_server, execute)


def test_no_file_of_server_store_or_database_holds_anything_of_who_withdrew(
    campaign_server, cluster, command, store, monkeypatch
):
    """The log of writes (pg_wal) is left out: see docs/deployment.md."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", campaign_server.running.api_key)

    def psql(statement: str) -> str:
        return cluster.run("psql", "-q", "-d", "labels", "-c", statement)

    def files() -> list[Path]:
        psql("CHECKPOINT")
        return [path for path in cluster.folder.rglob("*") if "pg_wal" not in path.parts]

    traces.check_nothing_is_left(campaign_server, command, store, files, prepare=lambda: psql("ANALYZE"))


def test_a_withdrawal_under_load_and_beside_a_reader_leaves_nothing_and_loses_no_ones_answer(
    campaign_server, cluster, command, store, monkeypatch
):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", campaign_server.running.api_key)
    reader = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current_snapshot(); SELECT pg_sleep(12); COMMIT"
    with ThreadPoolExecutor(1) as threads:

        def start_reader() -> None:
            threads.submit(cluster.run, "psql", "-q", "-d", "labels", "-c", reader)
            while "pg_sleep" not in cluster.run("psql", "-t", "-d", "labels", "-c", "TABLE pg_stat_activity"):
                pass

        def files() -> list[Path]:
            cluster.run("psql", "-q", "-d", "labels", "-c", "CHECKPOINT")
            return [path for path in cluster.folder.rglob("*") if "pg_wal" not in path.parts]

        traces.check_withdrawal_under_load(campaign_server, command, store, files, prepare=start_reader)


def test_withdrawn_answers_leave_the_files_of_the_database(campaign_server, cluster):
    leaver, other = make_things(campaign_server, "leavermark"), make_things(campaign_server, "othermark")

    def stored(mark: str) -> bool:
        cluster.run("psql", "-q", "-d", "labels", "-c", "CHECKPOINT")
        files = [path for path in (cluster.folder / "data" / "base").rglob("*") if path.is_file()]
        return any(mark.encode() in path.read_bytes() for path in files)

    assert stored("leavermark")
    assert campaign_server.client.withdraw([leaver.project], leaver.account.email, close=True) == 1
    assert not stored("leavermark")
    assert stored("othermark")
    assert campaign_server.client.collect({other.project: None})["comment"].to_list() == ["othermark"]


def test_a_table_that_withdrawals_empty_leaves_no_samples_of_itself(campaign_server, cluster):
    """ANALYZE keeps what it sampled before where a table has no rows any more."""

    def psql(statement: str) -> str:
        return cluster.run("psql", "-q", "-t", "-d", "labels", "-c", statement)

    def stored() -> set[str]:
        psql("CHECKPOINT")
        files = [path for path in cluster.folder.rglob("*") if "pg_wal" not in path.parts]
        return {mark for mark, _ in traces.find(["emptiedmark", "remainingmark"], files)}

    columns = "id serial PRIMARY KEY, words varchar(99) UNIQUE, note text, result jsonb, parent int REFERENCES {0}"
    row = "INSERT INTO {0} (words, note, result) SELECT '{1}' || n, '{1}', '[\"{1}\"]' FROM generate_series(1, 9) n"
    for table, mark in (("Emptied", "emptiedmark"), ("remaining", "remainingmark")):
        psql(f'CREATE TABLE "{table}" ({columns})'.format(f'"{table}"') + "; " + row.format(f'"{table}"', mark))
    psql("ANALYZE")
    psql('DELETE FROM "Emptied"')
    leaver = make_things(campaign_server, "somemark")
    assert stored() == {"emptiedmark", "remainingmark"}
    assert campaign_server.client.withdraw([leaver.project], leaver.account.email, close=True) == 1
    assert stored() == {"remainingmark"}
    assert "remainingmark" in psql("SELECT most_common_vals FROM pg_stats WHERE tablename = 'remaining'")
    types = psql("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '\"Emptied\"'::regclass")
    assert "character varying(99)" in types


def test_answers_survive_a_kill_and_a_restored_backup_behind_nginx(campaign_server, cluster, tmp_path, monkeypatch):
    find = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **more: find("127.0.0.1" if host == PUBLIC else host, *rest, **more)
    )
    things = make_things(campaign_server, "savedmark")
    running = campaign_server.running
    dump = cluster.run("pg_dump", "labels")
    os.killpg(running.pid, 9)
    assert server.wait_until_gone(campaign_server.folder, running.pid)
    port = int(running.url.rpartition(":")[2])
    again = server.start(campaign_server.folder, server.Options(port=port, workers=2))
    assert again.pid != running.pid
    before = campaign_server.client.collect({things.project: None})
    assert before["comment"].to_list() == ["savedmark"]

    cluster.run("createdb", "restored")
    cluster.run("psql", "-q", "-d", "restored", script=dump)
    folder = tmp_path / "server"
    folder.mkdir()
    shutil.copy(campaign_server.folder / CREDENTIALS, folder)
    text = (folder / CREDENTIALS).read_text().replace("/labels", "/restored")
    (folder / CREDENTIALS).write_text(text)
    address = f"https://{PUBLIC}:{server.free_port(0)}"
    restored = server.start(folder, server.Options(port=0, workers=1, public=address))
    assert restored.public == address
    try:
        with LabelStudio(url=restored.url, api_key=restored.api_key) as client:
            assert client.collect({things.project: None}).equals(before)
        with nginx(tmp_path / "nginx", restored.url, int(address.rpartition(":")[2])) as certificate:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            monkeypatch.setattr(sittings, "_certificates", httpx.create_ssl_context)  # not those that were read before
            with LabelStudio(url=restored.url, api_key=restored.api_key) as client:
                public = Lent(folder=folder, running=dataclasses.replace(restored, url=address), client=client)
                check_public_address(public, things)
        with httpx.Client(base_url=restored.url, headers={"Host": "elsewhere.example.org"}) as plain:
            assert plain.get("/user/login/").status_code == 400
    finally:
        server.stop(folder)


def check_public_address(public: Lent, things: probes.Things) -> None:
    """An annotator works over https, with cookies for https only; the gate promises the same as without a proxy."""
    address = public.running.url
    with Sitting(address, things.account) as sitting:
        sitting._browser.headers["Origin"] = address
        sitting.sign_in()
        assert sitting.next_task(things.project)["data"]["entity"] == "savedmark"
        assert {cookie.name for cookie in sitting._browser.cookies.jar if not cookie.secure} == set()
    with httpx.Client(base_url=address) as stranger:
        for path in ("/user/login/", "/user/account/", "/nothing", "/api/projects/"):
            assert stranger.get(path).headers["Strict-Transport-Security"].startswith("max-age="), path
        with_key = stranger.get("/api/projects/", headers={"Authorization": f"Token {public.running.api_key}"})
        assert with_key.status_code in REFUSALS
        assert stranger.post("/user/login/", content=b"x" * 100_000).status_code == 413
    for check in (
        promises.check_refused_answers,
        promises.check_repeated_answers,
        promises.check_sign_out,
        promises.check_frames,
        promises.check_forged_addresses,
    ):
        check(public)
    check_limit(address)


def check_limit(address: str) -> None:
    """nginx lets 60 attempts to sign in through at once, and pages without end."""
    with httpx.Client(base_url=address) as stranger:
        paths = ["/user/login/", "/user/login", "/user//login/", "/user/%6Cogin/"] * 30
        statuses = [stranger.post(path, content=b"{}").status_code for path in paths]
        first = statuses.index(429)
        assert 40 <= first <= 75
        assert set(statuses[:first]) <= REFUSALS
        assert statuses[first:].count(429) > 0.8 * len(statuses[first:])
        assert {stranger.get("/user/login/").status_code for _ in range(70)} == {200}


def test_another_database_is_refused_and_a_password_in_an_address_too(campaign_server, cluster, tmp_path, monkeypatch):
    server.stop(campaign_server.folder)
    with pytest.raises(ServerError, match="expected the database of this folder's server"):
        server.start(campaign_server.folder, server.Options(port=0, database=cluster.address("other")))
    address = "postgresql://me:secret@127.0.0.1/x"
    with pytest.raises(InputError, match="found an address with a password") as caught:
        server.start(tmp_path / "server", server.Options(port=0, database=address))
    assert "secret" not in str(caught.value)
