"""Records that somebody changed: each field, by each kind of nonsense, costs that job alone, in a sentence and at once."""

import asyncio
import json
import os
import random
import resource
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pai_jupyter.backends.process.plain_marshal import PlainMarshal
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import (
    Event,
    Link,
    LogChunk,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Progress,
    Status,
    StatusChanged,
    Usage,
)
from pai_jupyter.jobs import Job, list_jobs, remove
from pai_jupyter.jobs.job_index.folders import Folders
from pai_jupyter.spec import MetricDefinition, Role
from pai_jupyter.store import JobFolder, JobStore
from pai_jupyter.view.bundle import bundle
from pai_jupyter.view.html import render_html
from pai_jupyter.view.show import view_data
from pai_jupyter.view.text import render_text
from pai_jupyter.wire import answer
from pai_jupyter.wire.connection.listing import row_body
from pai_jupyter.wire.connection.sparklines import sparks
from pai_jupyter.wire.protocol import jobs as wire_jobs
from pai_jupyter.wire.protocol.messages import encode, sendable
from tests.fakes.troubled import TroubledBackend
from tests.support.lists import record
from tests.support.shells import Shell
from tests.support.wire import RecordedJob

ALL = 10_000
SECONDS = 60.0  # for all that is asked of one damaged job: a hundred times what it takes here
MEMORY = 512 * 1024  # KiB that the process may grow by, over all examples
KINDS = ("job", "lines", "search", "points", "files", "source", "environment", "cell")
PARAMETERS: dict[str, dict[str, Any]] = {  # JSON values
    "search": {"pattern": "loss", "replica": "master-0"},
    "lines": {"start": 0, "stop": 10, "replica": "master-0"},
    "points": {"group": "metrics"},
}
FILES = ("job.json", "state.json", "events.jsonl")

DEEP = "[" * 10_000 + "]" * 10_000
NONSENSE = (  # JSON texts
    *(
        "null",
        "true",
        "-1",
        "0",
        "1e999",
        "NaN",
        "-Infinity",
        "1000000000",
        "9" * 4_000,
        "1" + "0" * 400,
        "1e300",
        "0.5",
    ),
    *('""', '"x"', '"nan"', '"\\u0000\\u001b[2J\\u009b\\n"', '"\\ud800"', '"../../../etc/passwd"'),
    *("[]", "{}", '[{"a": [1]}]', '{"a": {"b": []}}', "[" * 200 + "]" * 200, '{"x": null}'),
)
HUGE = ('"' + "x" * 3_000_000 + '"', DEEP, "[" + "0," * 300_000 + "0]")
_MARK = "§here§"


@pytest.fixture(autouse=True)
def backend(backend: TroubledBackend) -> TroubledBackend:
    """The backend `fake` of this process."""
    return backend


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


@pytest.fixture
def job() -> JobFolder:
    """A job that has ended, with something in every field."""
    written = RecordedJob(
        "j1",
        source_dir="/a",
        image_uri="a/b:1",
        roles=(
            Role(name="master"),
            Role(name="worker", instance_count=2, image_uri="c", command="d", instance_type="e"),
        ),
        hyperparameters={"lr": 0.1, "epochs": 3, "names": ["a"], "more": {"a": 1}},
        argument_styles={"lr": "flag"},
        inputs={"train": "/data"},
        outputs={"more": "/out"},
        environments={"A": "b"},
        requirements=("numpy",),
        metric_definitions=(MetricDefinition(name="m", regex="m=(.)", description="d"),),
        max_run_time=60,
        options={"docker.memory": "4g"},
        instance_count=3,
    )
    events: list[Event] = [
        StatusChanged(status=Status.RUNNING, time=5.0),
        PhaseChanged(phase=Phase.RUNNING, time=5.0, replica="master-0", offset=0),
        Metric(name="loss", value=0.5, time=6.0, step=1.0, replica="master-0"),
        Progress(done=1.0, total=4.0, unit="epoch", time=6.0),
        Usage(replica="master-0", time=6.0, cpu=1.0, cpu_time=1.0, memory=5, peak_memory=6, gpu=0.5, gpu_memory=7),
        Link(name="console", url="https://x", time=6.0),
        Notice(text="a notice", time=6.0, level="warning"),
        LogChunk(replica="master-0", data=b"epoch 1/4 loss=0.25\nm=5\nlast", cursor=28, time=7.0),
        StatusChanged(status=Status.FAILED, time=9.0, reason="exit code 1", exit_code=1),
    ]
    written.record(*events)
    written.release()
    said = json.loads((written.folder.path / "job.json").read_text())
    said |= {"cell": "%%pai_train\n1", "notebook": "a.ipynb", "entry_point": "train.py", "place": "fake (asked for)"}
    (written.folder.path / "job.json").write_text(json.dumps({**said, "digest": "d", "fingerprint": "f"}))
    return written.folder


def places_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in some JSON, containers too."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places_of(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], nonsense: str | None) -> str:
    """The JSON with the value in this place replaced, or deleted."""
    copy = json.loads(json.dumps(value))
    if not path:
        return nonsense or ""
    at = copy
    for key in path[:-1]:
        at = at[key]
    if nonsense is None:
        del at[path[-1]]
    else:
        at[path[-1]] = _MARK
    return json.dumps(copy).replace(json.dumps(_MARK), nonsense or "")


def use_all() -> list[str]:
    """List, read and draw the job, and ask for it as a page does; only our own errors may come of that, as sentences."""
    errors: list[str] = []
    wire_jobs._jobs.clear()  # each is read anew, as by another process
    rows = Folders(JobStore()).look(ALL).rows
    assert rows["j2"].status is Status.SUCCEEDED
    for row in rows.values():
        encode(sendable(row_body(row)))
        assert "\x1b" not in row.place
    encode(sparks(["j1", "j2"]).body)
    assert "j2" in [job.id for job in list_jobs(refresh=False)]
    again = Job(JobStore().open("j1"))
    with told(errors):
        data = view_data(again)
        json.dumps(bundle(data), allow_nan=False)
        render_html(data)
        render_text(data)
    for read in (
        again.to_json,
        lambda: again.metric_values("loss"),
        lambda: again.outputs,
        again.failure,
        again.folder.read,
    ):
        with told(errors):
            read()
    for kind in KINDS:
        with told(errors):
            encode(asyncio.run(answer(kind, "j1", PARAMETERS.get(kind, {}))).body)
    return errors


@contextmanager
def told(errors: list[str]) -> Iterator[None]:
    try:
        yield
    except PaiJupyterError as exc:
        errors.append(str(exc))


def test_a_job_that_nobody_changed_is_all_there(job: JobFolder) -> None:
    record("j2")
    assert job.read().state.status is Status.FAILED
    assert [error for error in use_all() if "package" not in error] == []


def check(folder: JobFolder, file: str, content: bytes) -> None:
    path = folder.path / file
    before = path.read_bytes()
    begin = time.monotonic()
    try:
        path.write_bytes(content)
        use_all()
    finally:
        path.write_bytes(before)
    assert time.monotonic() - begin < SECONDS


def content_of(folder: JobFolder, file: str, place: int, nonsense: str | None) -> bytes:
    """The file with one of its values changed."""
    text = (folder.path / file).read_text()
    lines = text.splitlines() if file == "events.jsonl" else [text]
    values = [json.loads(line) for line in lines]
    paths = [(number, path) for number, value in enumerate(values) for path in places_of(value)]
    number, path = paths[place % len(paths)]
    lines[number] = changed(values[number], path, nonsense)
    return ("\n".join(lines) + ("\n" if file == "events.jsonl" else "")).encode("utf-8", "surrogatepass")


@pytest.mark.timeout(600)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.sampled_from(FILES), st.integers(0, 10_000), st.sampled_from([None, *NONSENSE]))
def test_a_field_that_somebody_changed_costs_that_job_alone(
    job: JobFolder, file: str, place: int, nonsense: str | None
) -> None:
    if "j2" not in JobStore().ids():
        record("j2")
    check(job, file, content_of(job, file, place, nonsense))


@pytest.mark.timeout(600)
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.sampled_from(FILES), st.integers(0, 10_000), st.sampled_from(HUGE))
def test_a_field_without_end_takes_little_time_and_memory(job: JobFolder, file: str, place: int, nonsense: str) -> None:
    if "j2" not in JobStore().ids():
        record("j2")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    check(job, file, content_of(job, file, place, nonsense))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.integers(0, 2**32), st.sampled_from(["random", "small", "times", "torn"]))
def test_an_index_of_any_bytes_gives_the_lines_of_the_log(job: JobFolder, seed: int, kind: str) -> None:
    chosen = random.Random(seed)
    contents = {
        "random": chosen.randbytes(24 * chosen.randrange(1, 20)),
        "small": b"".join(
            struct.pack("<QQd", chosen.randrange(100), chosen.randrange(100), chosen.random()) for _ in range(5)
        ),
        "times": struct.pack("<QQd", 0, 0, chosen.choice([float("nan"), float("inf"), -1.0, 1e300])),
        "torn": chosen.randbytes(chosen.randrange(24)),
    }
    (job.path / "logs" / "master-0.idx").write_bytes(contents[kind])
    log = JobFolder(job.path).log("master-0")
    assert [line.text for line in log.tail(1)] == ["last"]
    if kind != "small":  # plausible records are believed
        assert [line.text for line in log.lines(0, 10)] == ["epoch 1/4 loss=0.25", "m=5", "last"]
        assert log.count() == 3
    assert log.count() <= 110
    assert all(0 <= line.time < 1e12 for line in log)


@pytest.mark.parametrize(
    ("file", "change", "field"),
    [
        ("job.json", {"spec": {"instance_count": 1_000_000_000}}, "`spec.instance_count` is 1000000000"),
        (
            "job.json",
            {"spec": {"roles": [{"name": "worker", "instance_count": 10**9}]}},
            "`spec.roles[0].instance_count`",
        ),
        ("job.json", {"created": "yesterday"}, "`created` is text of 9 characters"),
        ("job.json", {"backend": None}, "`backend` is missing"),
        ("state.json", {"state": {"entered": {"running": 1e300}}}, "`state.entered.running` is 1e+300"),
        ("state.json", {"events": -1}, "`events` is -1"),
        ("state.json", {"ref": {"backend": 7}}, "`ref.backend` is 7"),
    ],
)
def test_a_damaged_job_is_shown_with_its_file_and_field(
    job: JobFolder, shell: Shell, file: str, change: dict[str, Any], field: str
) -> None:
    said = json.loads((job.path / file).read_text())
    for name, value in change.items():
        said[name] = {**said[name], **value} if isinstance(value, dict) else value
    (job.path / file).write_text(json.dumps(said))
    row = Folders(JobStore()).look(ALL).rows["j1"]
    assert row.status is Status.UNKNOWN
    told = row.place if file == "job.json" else row.trouble
    assert f"{file} is damaged" in told
    assert field in told
    assert field in shell.run("%pai_jobs").text
    try:
        told_page = json.dumps(asyncio.run(answer("job", "j1", {})).body)
    except PaiJupyterError as exc:
        told_page = str(exc)
    assert f"{file} is damaged" in told_page
    assert field in told_page


def test_a_record_that_was_mended_is_listed_again(job: JobFolder) -> None:
    good, folders = (job.path / "job.json").read_bytes(), Folders(JobStore())
    (job.path / "job.json").write_bytes(b"{}")
    assert folders.look(ALL).rows["j1"].status is Status.UNKNOWN
    (job.path / "job.json").write_bytes(good)
    assert folders.look(ALL).rows["j1"].place == "fake (asked for)"


@pytest.mark.parametrize("file", ["job.json", "state.json", "events.jsonl", "logs/master-0.idx", "logs/master-0.log"])
@pytest.mark.parametrize("kind", ["fifo", "link", "device", "directory", "endless"])
def test_what_is_no_plain_file_is_not_opened(job: JobFolder, tmp_path: Path, file: str, kind: str) -> None:
    record("j2")
    secret = tmp_path / "secret"
    secret.write_bytes((job.path / file).read_bytes())
    path = job.path / file
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(secret)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "directory":
        path.mkdir()
    else:
        with path.open("wb") as opened:
            opened.truncate(1 << 40)
    if kind == "endless" and "log" in file:
        return  # a log may be of any length
    use_all()
    with suppress(PaiJupyterError):
        lock = job.try_lock()
        assert lock is not None
        with lock:
            JobFolder(job.path).writer("service").close()
    assert secret.read_bytes()
    remove("j1")
    assert not job.path.exists()


@given(st.binary(max_size=200))
def test_a_marshalled_order_of_any_bytes_is_a_value_or_an_error(data: bytes) -> None:
    with suppress(ValueError):
        PlainMarshal(data).read()


def test_a_marshalled_order_is_read_as_it_was_written() -> None:
    import marshal

    shared = {"A": "训" * 300, "B": "b" * 300, "c": "d"}
    order = {
        "id": "j1",
        "replicas": [{"name": "w", "argv": ["a"], "environment": shared}, {"name": "v", "environment": shared}],
        "limit": 5,
        "grace": 0.5,
        "gpus": False,
        "wrapped": True,
        "preparation": None,
    }
    assert PlainMarshal(marshal.dumps(order)).read() == order
