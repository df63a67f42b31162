"""Jobs of every type through `--backend pai` at the emulator: what the replicas are told, and that they reach each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, close_runtime, submit
from pai_jupyter.spec import JobSpec, Role
from tests.support import job_types
from tests.support.emulators import DEADLINE
from tests.support.job_types import JobTypeCase
from tests.support.pai_jobs import rehearsal, rehearsed

__all__ = ["rehearsal", "rehearsed"]  # fixtures

MACHINE = "ecs.c6.large"


@pytest.fixture(autouse=True)
def _end(rehearsed: PaiBackend) -> Iterator[None]:
    yield
    close_runtime()


def run(case: JobTypeCase, folder: Path) -> Job:
    (folder / "train.py").write_text(job_types.MEETING.read_text())
    fields = case.fields
    if "roles" in fields:
        fields["roles"] = tuple(
            Role(name=role.name, instance_count=role.instance_count, instance_type=MACHINE) for role in fields["roles"]
        )
    spec = JobSpec(name="meeting", source_dir=folder, instance_type=MACHINE, image_uri="img:1", **fields)
    return submit(spec, backend="pai").wait(DEADLINE)


@pytest.mark.parametrize("case", job_types.CASES, ids=str)
def test_the_emulator_runs_every_type_of_job(case: JobTypeCase, tmp_path: Path) -> None:
    job = run(case, tmp_path)
    assert job.status is Status.SUCCEEDED
    logs = {name: "".join(f"{line.text}\n" for line in job.logs(replica=name)) for name in job.replicas}
    hosts, ports = job_types.told_places(case, logs)
    job_types.check(case, logs, hosts=hosts, ports=ports)
