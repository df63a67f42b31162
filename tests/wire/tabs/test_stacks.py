"""Stacks and recordings over the wire: asked for until they are done, ended when nobody asks."""

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, Target, close_runtime, draft
from pai_jupyter.spec import JobSpec
from pai_jupyter.stacks import py_spy
from pai_jupyter.wire.tabs import stacks as tab
from pai_jupyter.wire.tabs.stacks import profile, stacks
from tests.support.patience import DEADLINE
from tests.support.started import until

pytestmark = pytest.mark.skipif(
    py_spy.find_py_spy() is None, reason="py-spy is missing: pip install 'pai_jupyter[stack]'"
)
SCRIPT = b"print('up', flush=True)\ndef burn():\n    while True:\n        sum(range(1000))\nburn()\n"


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Job]:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    spec = JobSpec(name="busy", command="python train.py")
    job = draft(spec, Target(backend="process", reason="asked for"), files={"train.py": SCRIPT}).submit()
    until(lambda: any(line.text == "up" for line in job.logs()))
    yield job
    tab._forget(job.id)
    job.stop()
    close_runtime()


def asked(job: Job, action: str, **more: object) -> dict[str, Any]:  # Any: JSON
    return dict(profile(job, {"action": action, **more}).body)


def recorders(job: Job) -> list[str]:
    """The command lines of the py-spys that record."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"py-spy"):
            found.append(b" ".join(words).decode())
    return [line for line in found if any(f"--pid {pid} " in line for pid in pids(job))]


def processes(job: Job) -> list[dict[str, Any]]:  # Any: JSON
    found: Any = stacks(job, {}).body["processes"]  # Any: as above
    return list(found)


def pids(job: Job) -> list[int]:
    return [process["pid"] for process in processes(job)]


def test_the_stacks_of_a_job_are_answered_with_the_lines_of_its_script(busy: Job) -> None:
    (process,) = processes(busy)
    (thread,) = process["threads"]
    assert [frame["function"] for frame in thread["frames"]] == ["<module>", "burn"]
    assert thread["frames"][0]["file"] == "train.py"
    assert thread["frames"][0]["is_own"] is True
    assert process["trouble"] == ""


def test_a_recording_is_running_and_then_a_tree(busy: Job) -> None:
    first = asked(busy, "start", seconds=1)
    assert (first["state"], first["seconds"]) == ("running", 1)
    assert asked(busy, "start", seconds=9)["seconds"] == 1  # another view sees the same
    assert all("--nonblocking" in line and "--rate 100" in line for line in recorders(busy))
    until(lambda: asked(busy, "show")["state"] == "done")
    done = asked(busy, "show")
    assert done["samples"] > 10
    depths = [depth for depth, _, _ in done["nodes"]]
    assert depths[0] == 0
    assert done["nodes"][0][1] < 0  # a process
    assert all(after <= before + 1 for before, after in itertools.pairwise(depths))
    assert {frame["function"] for frame in done["frames"]} >= {"<module>", "burn"}


def test_one_that_nobody_asks_for_is_ended(busy: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tab, "UNASKED", 0.2)
    asked(busy, "start", seconds=60)
    until(lambda: busy.id not in tab._kept)
    assert recorders(busy) == []
    assert asked(busy, "show")["state"] == "none"


def test_one_is_ended_when_that_is_asked_for(busy: Job) -> None:
    asked(busy, "start", seconds=60)
    begun = time.monotonic()
    assert asked(busy, "stop")["state"] == "none"
    assert time.monotonic() - begun < DEADLINE
    assert recorders(busy) == []


@pytest.mark.parametrize("more", [{"seconds": 0}, {"seconds": 61}, {"seconds": "9"}, {"action": "go"}, {"replica": 3}])
def test_a_bad_request_is_refused(busy: Job, more: dict[str, object]) -> None:
    with pytest.raises(SpecError, match=re.escape(next(iter(more)))):
        profile(busy, {"action": "start", **more})
