"""The delivery process with jobs of this machine: it outlives who started it, and costs a job nothing."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.delivery import starting
from pai_jupyter.delivery.outbox import open_jobs
from pai_jupyter.delivery.starting import Keeper, is_running, keeper
from pai_jupyter.delivery.webhook import NAME
from pai_jupyter.jobs import Job, attach, close_runtime, submit
from pai_jupyter.spec import JobSpec
from tests.support.patience import SOON
from tests.support.started import until
from tests.support.victims import only_job, victim
from tests.support.webhooks import Webhook

pytestmark = pytest.mark.usefixtures("workplace")


@pytest.fixture(autouse=True)
def alerts_on(hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_WEBHOOK", hook.address)
    monkeypatch.setenv("PAI_JUPYTER_NOTIFY_AFTER", "0")
    settings.cache_clear()


def processes_of(home: Path) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = os.fsdecode(path.read_bytes()).rstrip("\0").split("\0")
            if words[-1] == str(home) and "pai_jupyter.delivery.process" in " ".join(words):
                found.append(int(path.parent.name))
    return found


def run(command: str, **given: object) -> Job:
    return submit(JobSpec(name="a job", command=command, **given), backend="process")  # type: ignore[arg-type]  # of a spec


def held(gate: Path, before: str = "true") -> Job:
    return run(f"{before}; while [ ! -e {gate}/open ]; do sleep 0.1; done")


def test_the_end_of_a_job_is_told_and_the_process_ends(home: Path, hook: Webhook) -> None:
    run("echo epoch 1 loss=nan").wait(SOON)
    until(lambda: hook.alerts == ["nan", "end"])
    assert hook.taken[0].body["reason"] == "`loss` became nan at step 1."
    until(lambda: not processes_of(home))
    assert open_jobs(home, NAME) == []
    assert (home / "delivery" / starting.SAID).read_text() == ""


def test_nothing_is_written_or_started_where_nothing_is_configured(
    home: Path, hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAI_JUPYTER_WEBHOOK")
    run("true").wait(SOON)
    keeper.keep(at_once=True)
    assert not (home / "delivery").exists()
    assert processes_of(home) == []


def test_a_killed_process_is_started_again_by_whoever_looks(home: Path, hook: Webhook, gate: Path) -> None:
    job = held(gate)
    until(lambda: processes_of(home))
    for pid in processes_of(home):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not processes_of(home))
    again = Keeper()
    again.keep()
    until(lambda: is_running(home))
    again.keep()
    (gate / "open").touch()
    job.wait(SOON)
    until(lambda: hook.alerts == ["end"])
    until(lambda: not processes_of(home))


def test_a_killed_kernel_s_job_is_told_of(
    home: Path, hook: Webhook, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VICTIM_BACKEND", "process")
    command = f"while [ ! -e {gate}/open ]; do sleep 0.1; done; echo epoch 3 loss=inf; exit 3"
    with victim("submit", json.dumps(JobSpec(name="orphan", command=command).to_json())) as kernel:
        assert kernel.stdout is not None
        kernel.stdout.readline()
        until(lambda: processes_of(home))
        kernel.kill()
    (gate / "open").touch()
    until(lambda: hook.alerts == ["nan", "failed"])
    assert hook.taken[1].body["name"] == "orphan"
    assert only_job().status == "failed"
    until(lambda: not processes_of(home))


def test_a_dead_webhook_costs_a_job_nothing(home: Path, hook: Webhook) -> None:
    hook.stop()
    began = time.monotonic()
    job = run(f"{sys.executable} -c pass").wait(SOON)
    taken = time.monotonic() - began
    assert taken < SOON
    assert job.status == "succeeded"
    assert not [notice for notice in job.state.notices if "alert" in notice.text]
    until(lambda: processes_of(home))
    hook.start()
    until(lambda: hook.alerts == ["end"])
    until(lambda: not processes_of(home))


def test_after_a_restart_of_the_machine_a_look_at_the_list_is_enough(home: Path, hook: Webhook) -> None:
    hook.stop()
    run("true").wait(SOON)
    until(lambda: processes_of(home) and open_jobs(home, NAME))
    for pid in processes_of(home):
        os.kill(pid, signal.SIGKILL)
    close_runtime()
    hook.start()
    Keeper().keep()
    until(lambda: hook.alerts == ["end"])
    until(lambda: not processes_of(home))


def test_a_stalled_job_is_told_of_once(home: Path, hook: Webhook, gate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_NOTIFY_STALL_AFTER", "0.02")
    os.mkfifo(gate / "pipe")
    job = run(f"echo begun; cat {gate}/pipe")
    until(lambda: "stalled" in hook.alerts)
    (gate / "pipe").write_text("go on\n")
    job.wait(SOON)
    until(lambda: "end" in hook.alerts)
    assert hook.alerts.count("stalled") == 1
    assert "No progress for" in str(hook.taken[0].body["reason"])
    assert [it for it in attach(job.id).state.notices if it.alert == "stalled"]
    until(lambda: not processes_of(home))
