"""The machine goes down under a run in containers: what had succeeded does not start again, and the run ends right."""

import os
import signal
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.docker import containers
from pai_jupyter.backends.docker.deployment import JOB_LABEL
from pai_jupyter.backends.docker.engine import connect
from pai_jupyter.errors import RunFailed
from pai_jupyter.jobs import close_runtime
from pai_jupyter.runs import Run, attach_run
from pai_jupyter.runs.driver import Driver
from pai_jupyter.runs.driving import is_driven
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.workflow.local_run import local_run
from tests.support.drivers import drivers_of
from tests.support.engine import Engine
from tests.support.manifests import custom_job, packed, parameter, pipeline, step
from tests.support.patience import DEADLINE
from tests.support.started import until

TRAIN = """
import os, sys, time
with open("/ml/output/starts", "a") as file:
    file.write("started\\n")
while "--wait" in sys.argv and not os.path.exists("/ml/output/go"):
    time.sleep(0.02)
"""
NAMES = ("first", "second", "third")


@pytest.fixture
def run(docker_backend: object, engine: Engine, home: Path, workplace: Path, test_image: str) -> Run:
    """A run of three steps behind each other, of which the second runs when everything is killed."""
    return killed(engine, home, workplace, test_image)


@pytest.fixture
def patient_run(docker_backend: object, engine: Engine, home: Path, workplace: Path, test_image: str) -> Run:
    """The same, whose second step is tried again."""
    return killed(engine, home, workplace, test_image, retries=1)


def killed(engine: Engine, home: Path, folder: Path, image: str, **second: Any) -> Run:  # Any: fields of a step
    source = packed(folder / "code.tar.gz", train_py=TRAIN)
    job = custom_job(source=source, image=image, inputs=(parameter("output_path"),))
    waiting = custom_job(guid="wait", source=source, image=image, inputs=(parameter("output_path"), parameter("wait")))
    for name in NAMES:
        (folder / name).mkdir()
    entry = pipeline(
        step("first", given={"output_path": str(folder / "first")}),
        step("second", "first", guid="wait", given={"output_path": str(folder / "second"), "wait": "1"}, **second),
        step("third", "second", given={"output_path": str(folder / "third")}),
    )
    run = local_run([job, waiting, entry], "demo", backend="docker", wait=False)
    until(lambda: starts(folder)["second"] == 1)
    for pid in drivers_of(home):
        os.kill(pid, signal.SIGKILL)
    kill_containers(engine, run)
    until(lambda: not is_driven(open_run_folder(run.id)))
    (folder / "second" / "go").touch()
    return run


def kill_containers(engine: Engine, run: Run) -> None:
    with closing(connect(engine.address)) as client:
        wanted = [f"{JOB_LABEL}={job.id}" for job in run.jobs]
        found = [it["Id"] for label in wanted for it in client.containers(filters={"label": label})]
        assert found
        for container in found:
            client.kill(container)


def starts(folder: Path) -> dict[str, int]:
    places = {name: folder / name / "starts" for name in NAMES}
    return {name: len(place.read_text().split()) if place.exists() else 0 for name, place in places.items()}


def statuses(run: Run) -> dict[str, str]:
    return {step.name: step.status.value for step in run.state.steps}


@pytest.mark.docker
def test_after_a_reboot_what_ran_starts_again_and_what_had_succeeded_does_not(
    run: Run, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    booted = time.time()
    monkeypatch.setattr(containers, "booted", lambda: booted)
    folder = open_run_folder(run.id)
    lock = folder.try_lock()
    assert lock is not None
    with lock, Driver(folder) as driver:  # in this process, which believes that the machine has just been started
        driver.run()
    close_runtime()
    assert run.state.status == "succeeded"
    assert starts(workplace) == {"first": 1, "second": 2, "third": 1}


@pytest.mark.docker
def test_where_only_the_containers_were_killed_the_step_has_failed(run: Run, workplace: Path) -> None:
    with pytest.raises(RunFailed, match=r"step `second` failed: .*137"):
        attach_run(run.id).wait(DEADLINE)
    assert statuses(run) == {"first": "succeeded", "second": "failed", "third": "skipped"}
    assert starts(workplace) == {"first": 1, "second": 1, "third": 0}


@pytest.mark.docker
def test_where_only_the_containers_were_killed_a_step_with_retries_is_tried_again(
    patient_run: Run, workplace: Path
) -> None:
    attach_run(patient_run.id).wait(DEADLINE)
    assert starts(workplace) == {"first": 1, "second": 2, "third": 1}
