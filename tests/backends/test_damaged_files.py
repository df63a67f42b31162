"""What backends and the emulator have written down, after somebody changed it: a sentence or nothing, no traceback, no wait."""

import errno
import json
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.outcome import read_exit, read_usage
from pai_jupyter.backends.local.inputs import read_notices
from pai_jupyter.backends.pai.services.job import Attempt, DamagedNoteError, PaiJob
from pai_jupyter.backends.process import report
from pai_jupyter.backends.progress_note import progress_note
from pai_jupyter.emulator.state.records import Records
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.spec import JobRef
from pai_jupyter.store import JobStore, trouble
from pai_jupyter.store.patterns import line_matcher
from tests.store.test_damaged_records import NONSENSE, changed, places_of
from tests.support.lists import record

SUPERVISOR = {"pid": 1, "birth": "1", "began": 5.0, "replicas": ["w-0"]}
EXIT = {
    "status": "failed",
    "reason": "",
    "replica": "w-0",
    "exit_code": 1,
    "ended": 9.0,
    "replicas": {"w-0": {"exit_code": 1, "cpu_time": 1.0, "peak_memory": 5}},
}


@pytest.mark.parametrize("nonsense", [None, *NONSENSE])
@pytest.mark.parametrize("file", ["supervisor.json", "exit.json"])
def test_a_supervisors_file_with_a_changed_field_is_a_sentence(tmp_path: Path, file: str, nonsense: str | None) -> None:
    contents = {"supervisor.json": SUPERVISOR, "exit.json": EXIT}
    (tmp_path / "run").mkdir()
    for name, content in contents.items():
        (tmp_path / "run" / name).write_text(json.dumps(content))
    for place in places_of(contents[file]):
        (tmp_path / "run" / file).write_text(changed(contents[file], place, nonsense))
        with suppress(PaiJupyterError):
            status = report.read_status(tmp_path)
            assert status.exit_code is None or -1000 <= status.exit_code <= 1000
        with suppress(PaiJupyterError):
            assert all(isinstance(name, str) for name in report.read_replicas(tmp_path))
        with suppress(PaiJupyterError):
            assert all(usage.cpu_time is None or usage.cpu_time >= 0 for usage in report.usages(tmp_path))


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_ref_with_a_changed_field_is_a_sentence(nonsense: str) -> None:
    deployed = Deployment(
        job_id="j1",
        engine="unix:///a",
        name="pai-j1",
        images={"w-0": "a"},
        deciding=("w-0",),
        outputs=("/a",),
        memory="4g",
    ).ref.data
    for data in (dict(deployed), {"kind": "dlc", "id": "a", "region": "b", "workspace": "c", "address": "http://d"}):
        for place in places_of(data):
            with suppress(ValueError, PaiJupyterError):
                ref = JobRef.from_json(
                    {"backend": "x", "job_id": "j1", "data": json.loads(changed(data, place, nonsense))}
                )
                for read in (Deployment.from_ref, PaiJob.from_ref):
                    with suppress(PaiJupyterError):
                        read(ref)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for() -> None:
    folder = record("j1").path
    (folder / "run").mkdir()
    for name in (
        "supervisor.json",
        "exit.json",
        "w-0.exit.json",
        "w-0.usage",
        "w-0.samples",
        "doing",
        "job",
        "pai.json",
    ):
        os.mkfifo(folder / "run" / name)
    with pytest.raises(PaiJupyterError, match="no plain file"):
        report.read_status(folder)
    assert report.read_variables(folder) == {}
    assert read_exit(folder / "run", "w-0") is None
    assert read_usage(folder / "run", "w-0", 5.0) is None
    assert progress_note(folder) == ""
    assert list(read_notices(folder)) == []
    with pytest.raises(DamagedNoteError):
        Attempt.read("j1")
    assert JobStore().open("j1").record.id == "j1"


@pytest.mark.parametrize("kind", ["a link", "a pipe", "huge"])
def test_what_a_job_puts_in_the_place_of_its_trouble_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder, outside = record("j1").path, tmp_path / "outside"
    outside.write_text(json.dumps({"kind": "service", "reason": "secret", "since": 5.0}))
    if kind == "a link":
        (folder / trouble.NAME).symlink_to(outside)
    elif kind == "a pipe":
        os.mkfifo(folder / trouble.NAME)
    else:
        (folder / trouble.NAME).touch()
        os.truncate(folder / trouble.NAME, 1 << 40)
    assert trouble.read_trouble(folder) is None

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(trouble, "replace_file", refuse)
    trouble.note_trouble(folder, trouble.Trouble(kind="disk", reason="full", since=5.0))
    assert "secret" in outside.read_text()


def test_a_lost_job_that_has_put_links_among_its_logs_has_failed(tmp_path: Path) -> None:
    for name in ("run", "logs"):
        (tmp_path / name).mkdir()
    (tmp_path / "run" / "supervisor.json").write_text(json.dumps({**SUPERVISOR, "pid": 2**31 - 1}))
    (tmp_path / "logs" / "x.log").symlink_to("nowhere")
    assert report.read_status(tmp_path).status is Status.FAILED


def test_a_damaged_record_of_the_emulator_is_left_out(tmp_path: Path) -> None:
    records = Records(tmp_path / "jobs")
    records.put("a", {"x": 1})
    records.put("b", {"x": 2})
    path = tmp_path / "jobs" / "a.json"
    for content in ("", "[", "[" * 10_000, "[]", '{"id": "a", "number": "1", "fields": {}}', '{"id": [], "number": 1}'):
        path.write_text(content)
        assert list(Records(tmp_path / "jobs").all()) == [{"x": 2}]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(?:a|aa)+=x", "takes too long"),
        ("(", "is no regular expression"),
        ("(?:(?:(?:a{1000}){1000}){1000})", "too long"),
    ],
)
def test_a_pattern_that_nobody_can_wait_for_is_a_sentence(pattern: str, problem: str) -> None:
    begin = time.thread_time()
    with pytest.raises(SpecError, match=problem):
        line_matcher(pattern)("a" * 80 + "=")
    assert time.thread_time() - begin < 20
