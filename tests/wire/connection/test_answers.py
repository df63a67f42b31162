"""Requests over the job's folder: windows of lines, searches, stop and rerun, and everything that nobody should get."""

import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import close_runtime
from pai_jupyter.jobs.provenance import git as calls_of_git
from pai_jupyter.store import JobStore
from pai_jupyter.wire import Message, answer
from pai_jupyter.wire.connection.answers import HANDLERS
from pai_jupyter.wire.job_view import points
from pai_jupyter.wire.protocol.messages import encode
from tests.fakes.troubled import TroubledBackend
from tests.support.programs import Program, lines
from tests.support.repositories import Repository, needs_git
from tests.support.shells import Shell
from tests.support.started import DEADLINE, begin, open_gate, until
from tests.support.wire import REPLICA, RecordedJob


async def window(job: RecordedJob, **asked: Any) -> dict[str, Any]:
    return dict((await answer("lines", job.id, {"replica": REPLICA, **asked})).body)


async def found(job: RecordedJob, pattern: str = "", **asked: Any) -> tuple[list[int], dict[str, Any]]:
    message = await answer("search", job.id, {"replica": REPLICA, "pattern": pattern, **asked})
    (numbers,) = message.buffers
    return [int(number) for (number,) in struct.iter_unpack("<d", numbers)], dict(message.body)


# --- lines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        (0, 3, ["line 0", "line 1", "line 2"]),
        (3, 9, ["line 3", "line 4", "unfini"]),
        (5, 6, ["unfini"]),
        (2, 2, []),
        (6, 2**53, []),
        (2**53 - 1, 2**53, []),
    ],
)
async def test_a_window_has_its_lines_and_tells_how_long_the_log_is(
    job: RecordedJob, start: int, stop: int, expected: list[str]
) -> None:
    job.print(lines(0, 5) + b"unfini")
    assert await window(job, start=start, stop=stop) == {
        "replica": REPLICA,
        "start": start,
        "lines": expected,
        "times": [7.0] * len(expected),
        "clipped": {},
        "count": 6,
        "finished": 5,
    }


async def test_a_giant_range_brings_its_first_lines(job: RecordedJob) -> None:
    job.print(lines(0, 5_000))
    given = await window(job, start=1, stop=2**53)
    assert (len(given["lines"]), given["lines"][0], given["count"]) == (2_000, "line 1", 5_000)


@pytest.mark.parametrize("sign", ["x", "训", "\x1b", '"'])
async def test_a_window_of_long_lines_is_no_larger_than_a_megabyte(job: RecordedJob, sign: str) -> None:
    job.print(f"{sign * 2_000}\n" * 2_000)
    given = await window(job, start=0, stop=2_000)
    assert 100 < len(given["lines"]) < 2_000
    assert len(encode(given)) < 1.1e6


async def test_long_lines_are_clipped_and_tell_their_length(job: RecordedJob) -> None:
    job.print("a" * 1_000 + "\n" + "训" * 1_001 + "\n" + "c" * 70_000 + "\nd\n")
    given = await window(job, start=0, stop=4)
    assert [len(line) for line in given["lines"]] == [1_000, 1_000, 1_000, 1]
    assert given["clipped"] == {"1": 1_001, "2": 70_000}


@pytest.mark.parametrize("asked", [{"start": 1, "stop": 2}, {"numbers": [1]}])
async def test_a_line_that_is_asked_for_alone_is_whole(job: RecordedJob, asked: dict[str, Any]) -> None:
    job.print("a\n" + "训" * 70_000 + "\n")
    given = await window(job, **asked)
    assert (given["lines"], given["clipped"]) == (["训" * 70_000], {})


async def test_lines_by_number_come_in_the_order_in_which_they_were_asked(job: RecordedJob) -> None:
    job.print(lines(0, 1_000))
    given = await window(job, numbers=[999, 5, 10**9, 5, 0])
    assert given["lines"] == ["line 999", "line 5", "", "line 5", "line 0"]
    assert given["times"] == [7.0, 7.0, 0.0, 7.0, 7.0]


async def test_hostile_bytes_are_text_that_can_be_sent(job: RecordedJob) -> None:
    job.print(b"\xff\xfe\x00<script>\n\x1b]0;title\x07\nold\rnew\n\xed\xa0\x80\n")
    given = await window(job, start=0, stop=10)
    assert given["lines"] == ["��\x00<script>", "\x1b]0;title\x07", "new", "���"]
    encode(given)


async def test_a_replica_that_has_printed_nothing_has_an_empty_log(job: RecordedJob) -> None:
    given = await window(job, start=0, stop=10)
    assert (given["lines"], given["count"]) == ([], 0)


# --- search --------------------------------------------------------------------------------------------------------

LOG = """\
INFO start
DEBUG loss 1
训练 loss 2
WARNING: loss 3
Traceback (most recent call last):
ValueError: loss is nan
Epoch 5 mean Error: 0.3
ERRORS: 0
DEBUG but then an ERROR
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"pattern": "loss"}, [1, 2, 3, 5]),
        ({"pattern": "LOSS"}, []),
        ({"pattern": "LOSS", "ignore_case": True}, [1, 2, 3, 5]),
        ({"pattern": "训练"}, [2]),
        ({"pattern": "训练 LOSS", "ignore_case": True}, [2]),
        ({"pattern": r"loss \d"}, []),
        ({"pattern": r"loss \d", "regex": True}, [1, 2, 3]),
        ({"pattern": r"^[训练]+ LOSS", "regex": True, "ignore_case": True}, [2]),
        ({"level": "error"}, [4, 5, 8]),
        ({"level": "warning"}, [3, 4, 5, 8]),
        ({"level": "info"}, [0, 2, 3, 4, 5, 6, 7, 8]),
        ({"level": "info", "pattern": "loss"}, [2, 3, 5]),
        ({"level": "error", "pattern": "loss"}, [5]),
        ({"level": "warning", "pattern": "LOSS", "ignore_case": True}, [3, 5]),
        ({"level": "error", "pattern": "lo[rs]s", "regex": True}, [5]),
        ({"pattern": "loss", "after": 2}, [2, 3, 5]),
        ({"pattern": "loss", "after": 6}, []),
        ({"pattern": "loss", "after": 2**53}, []),
        ({"pattern": "", "after": 7}, [7, 8]),
    ],
)
async def test_a_search_finds_line_numbers(job: RecordedJob, asked: dict[str, Any], expected: list[int]) -> None:
    job.print(LOG)
    numbers, body = await found(job, **asked)
    assert numbers == expected
    assert body == {"count": len(expected), "searched": 9, "is_more": False}


async def test_a_search_goes_on_where_its_limit_has_ended_it(job: RecordedJob) -> None:
    job.print(lines(0, 1_000))
    numbers, after = [], 0
    while True:
        more, body = await found(job, pattern="7", limit=50, after=after)
        numbers += more
        if not body["is_more"]:
            break
        assert len(more) == 50
        after = body["searched"]
    assert numbers == [number for number in range(1_000) if "7" in str(number)]


@pytest.mark.parametrize("pattern", [r"(\w|\w\w|\s)+x", r"((?:\w|\s){1,50}){1,50}x", "(?:" * 60 + "i" + "){2,9}" * 60])
async def test_a_pattern_that_would_take_all_time_or_memory_is_refused(job: RecordedJob, pattern: str) -> None:
    job.print("a line with words and words and words and words and words and words.\n" + "x" * 40 + " ,y\n")
    with pytest.raises(SpecError, match="takes too") as caught:
        await found(job, pattern=pattern, regex=True)
    assert caught.value.field == "pattern"


async def test_a_broken_pattern_is_refused_in_a_sentence(job: RecordedJob) -> None:
    with pytest.raises(SpecError, match=r"'\(a' is no regular expression.*Put a"):
        await found(job, pattern="(a", regex=True)


# --- whose it is ---------------------------------------------------------------------------------------------------

KINDS: dict[str, dict[str, Any]] = {
    "job": {},
    "lines": {"replica": REPLICA, "start": 0, "stop": 1},
    "search": {"replica": REPLICA, "pattern": "x"},
    "points": {"group": "metrics"},
    "files": {},
    "source": {},
    "environment": {},
    "stop": {},
    "rerun": {},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "job_id",
    [
        "",
        ".",
        "..",
        "../j1",
        "j1/",
        "j1/../j1",
        "j1/logs",
        "/etc",
        "j1\0",
        "j1\n",
        "J1",
        "j2",
        "训练",
        "%2e%2e",
        "*",
        "a" * 200,
    ],
)
async def test_only_a_whole_id_of_a_job_names_one(job: RecordedJob, kind: str, job_id: str) -> None:
    with pytest.raises(NotFoundError, match="there is no job"):
        await answer(kind, job_id, KINDS[kind])


@pytest.mark.parametrize("kind", ["lines", "search"])
@pytest.mark.parametrize(
    "replica", ["", "..", "../job", "/etc/passwd", "master-0.log", "worker-9", "a\0b", "master-0/"]
)
async def test_only_replicas_of_the_job_have_logs(job: RecordedJob, kind: str, replica: str) -> None:
    with pytest.raises(NotFoundError, match=r"has no replica .*it has master-0\."):
        await answer(kind, job.id, {**KINDS[kind], "replica": replica})


@pytest.mark.parametrize("kind", ["", "hello", "bye", "board", "__class__", "LINES", "x" * 10_000])
async def test_an_unknown_kind_is_refused_by_naming_those_there_are(job: RecordedJob, kind: str) -> None:
    with pytest.raises(SpecError, match=r"unknown kind of request .* must be one of job, lines, search") as caught:
        await answer(kind, job.id, {})
    assert len(str(caught.value)) < 400


async def test_a_host_may_answer_kinds_of_its_own(job: RecordedJob) -> None:
    message = await answer("board", job.id, {}, more={"board": lambda job, asked: Message(body={"is": job.id})})
    assert message.body == {"is": job.id}


async def test_changes_are_for_views_alone(job: RecordedJob) -> None:
    with pytest.raises(SpecError, match="live points need a view"):
        await answer("points", job.id, {"group": "metrics", "live": True})


async def test_the_series_of_a_job_are_doubles(job: RecordedJob) -> None:
    job.print("step 1/2 loss=0.5\nstep 2/2 loss=nan\n")
    message = await answer("points", job.id, {"group": "metrics"})
    listed: Any = message.body["series"]
    (buffer,) = message.buffers
    values = struct.unpack("<6d", buffer)
    assert [series["name"] for series in listed] == ["loss"]
    assert values[:2] == (1.0, 2.0)
    assert values[4] == 0.5
    assert math.isnan(values[5])


async def test_what_is_not_in_the_series_is_said(job: RecordedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "MAX_SERIES", 1)
    job.print("step 1/2 loss=0.5 accuracy=0.5\n")
    message = await answer("points", job.id, {"group": "metrics"})
    assert message.body["notes"] == ["This job has more than 1 series; only the first are shown."]
    assert (await answer("points", job.id, {"group": "usage"})).body["notes"] == []


async def test_a_damaged_record_is_an_error_in_a_sentence(job: RecordedJob) -> None:
    (job.folder.path / "job.json").write_text("{")
    with pytest.raises(PaiJupyterError, match="is damaged"):
        await answer("job", job.id, {})


# --- snapshot, stop, rerun -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "entry_point"),
    [
        ({"cell": "%%pai_train\n1", "entry_point": "训练 1.py"}, "训练 1.py"),
        ({"cell": "%%pai_train\n1"}, "train.py"),
        ({"entry_point": "fit.py"}, ""),
        ({}, ""),
    ],
)
async def test_the_file_that_a_cell_was_sent_as_is_told(
    job: RecordedJob, record: dict[str, str], entry_point: str
) -> None:
    path = job.folder.path / "job.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **record}))
    facts: Any = (await answer("job", job.id, {})).body["job"]
    assert facts["entry_point"] == entry_point


async def test_a_snapshot_says_what_the_job_is_and_how_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    job = RecordedJob(hyperparameters={"lr": 0.1, "name": "a b", "sizes": [1, 2], "seed": 2**60, "api_key": "s3cret"})
    monkeypatch.setenv("HOME", str(job.folder.path.parents[2]))
    job.status(Status.RUNNING)
    job.print(lines(0, 500))
    job.print("b\n", replica="worker-7")
    told = dict((await answer("job", job.id, {})).body)
    job.release()
    facts: Any = told["job"]
    assert facts["values"] == {"lr": 0.1, "name": "a b", "sizes": "[1, 2]", "seed": str(2**60), "api_key": "***"}
    assert facts["line"] == f"%pai_rerun {job.id} -p lr=0.1 -p 'name=a b' -p 'sizes=[1, 2]' -p seed={2**60}"
    assert facts["folder"] == f"~/{job.folder.path.parents[1].name}/jobs/{job.id}"
    assert facts["replicas"] == [REPLICA, "worker-7"]
    assert told["counts"] == {REPLICA: 500, "worker-7": 1}
    tail: Any = told["tail"]
    assert (tail["replica"], tail["start"], tail["lines"][0], tail["count"]) == (REPLICA, 300, "line 300", 500)
    assert (told["failure"], told["state"]["status"]) == (None, "running")  # type: ignore[index]  # JSON


async def test_values_of_any_size_and_kind_leave_the_snapshot_small() -> None:
    job = RecordedJob(hyperparameters={f"p{n}": "训" * 100_000 for n in range(150)} | {"text": "a\nb"})
    job.print(("x" * 999 + "\n") * 400)
    message = await answer("job", job.id, {})
    job.release()
    assert len(encode(message.body)) <= 256 * 1024
    assert message.body["job"]["line"] == f"%pai_rerun {job.id}"  # type: ignore[index]  # JSON


async def test_a_failure_names_its_cause_and_the_line_of_the_cell(job: RecordedJob) -> None:
    job.print('Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nValueError: <b>no</b>\n')
    job.status(Status.FAILED, exit_code=1, reason="exit code 1")
    failure: Any = (await answer("job", job.id, {})).body["failure"]
    assert (failure["cause"], failure["line"]) == ("ValueError: <b>no</b> (train.py line 3)", 3)
    assert failure["tail"][-1] == "ValueError: <b>no</b>"


async def test_stopping_and_running_again(backend: TroubledBackend, gate: Path) -> None:
    job = begin(Program(before=lines(0, 2)), gate=gate)
    assert (await answer("stop", job.id, {})).body == {}
    until(lambda: job.status is Status.STOPPED)
    assert (await answer("stop", job.id, {})).body == {}, "an ended job may be stopped again"
    again = (await answer("rerun", job.id, {})).body
    assert again["name"] == job.name
    assert again["job"] in {folder.id for folder in JobStore().folders()} - {job.id}
    open_gate(gate)


async def test_a_secret_that_is_not_here_any_more_refuses_a_rerun_in_a_sentence(backend: TroubledBackend) -> None:
    job = begin(Program(), environments={"API_TOKEN": "a long secret"})
    job.wait(DEADLINE)
    with pytest.raises(SpecError, match="API_TOKEN"):
        await answer("rerun", job.id, {})
    close_runtime()


@needs_git
@pytest.mark.parametrize("secret", ["tell-nobody-of-this", "9xq7v"])
async def test_no_answer_tells_a_secret_that_was_given_on_the_magic_s_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secret: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    monkeypatch.setattr(calls_of_git, "SECONDS", DEADLINE)  # on a busy machine git may take its time
    Repository.make(tmp_path / "code").write("train.py", "lr = 0.2\n")  # a change that is not committed
    monkeypatch.chdir(tmp_path / "code")
    code = "import os\nopen('seen', 'w').write(os.environ['API_KEY'])\n"
    # A job may print what it likes; a rerun is refused; a job that has ended has no stacks.
    others = ("lines", "rerun", "stacks", "profile")
    asked: dict[str, dict[str, Any]] = {kind: {} for kind in HANDLERS if kind not in others}
    asked |= {"search": {"replica": REPLICA, "pattern": ""}, "points": {"group": "metrics"}}
    with Shell() as shell:
        ran = shell.run(f"%%pai_train --backend process --wait --env API_KEY={secret} --env NAME=an\n{code}")
        job = shell.user_ns["_pai"]
        assert (job.folder.path / "ml" / "usercode" / "seen").read_text() == secret, ran.text
        with pytest.raises(PaiJupyterError, match="API_KEY") as refused:  # it is not here any more
            await answer("rerun", job.id, {})
        asked["difference"] = {"to": job.id}
        told = {"rerun": str(refused.value)}
        told |= {kind: str(await answer(kind, job.id, parameters)) for kind, parameters in asked.items()}
    assert [kind for kind, text in told.items() if secret in text] == []
