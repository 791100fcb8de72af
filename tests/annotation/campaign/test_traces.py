"""What is left of a person who withdrew in the files of store and server, with SQLite."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from annotation.label_studio.server.folder import remove_leftovers
from tests.annotation.support import probes, traces


@pytest.mark.sweep
def test_no_file_of_server_or_store_holds_anything_of_who_withdrew(label_studio, command, store, monkeypatch):
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.running.api_key)
    traces.check_nothing_is_left(label_studio, command, store, list, prepare=lambda: None)


@pytest.mark.sweep
def test_exports_leave_no_file_however_many_at_once_and_what_older_versions_left_goes(label_studio):
    things = probes.make_things(label_studio, "exportedmark")
    data = label_studio.folder / "data"
    (data / "export" / "project-1-at-2026-01-05.json").write_text("left by an older version")
    with ThreadPoolExecutor(4) as threads:
        path = f"api/projects/{things.project}/export?exportType=JSON"
        answers = list(threads.map(lambda _: label_studio.client._request("GET", path).text, range(12)))
    assert all("exportedmark" in answer for answer in answers)
    assert [*(data / "export").iterdir(), *(data / "tmp").iterdir()] == []


def test_a_start_removes_what_a_killed_server_left(tmp_path):
    for name in ("export/project-1.json", "attempts/1.djcache", "tmp/abc/x.json"):
        (tmp_path / "data" / name).parent.mkdir(parents=True)
        (tmp_path / "data" / name).write_text("left")
    remove_leftovers(tmp_path)
    assert [path.name for path in (tmp_path / "data").rglob("*")] == ["tmp"]
