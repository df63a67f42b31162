"""Facts of a job as a view is told them."""

from pathlib import Path

import pytest

from pai_jupyter.spec import Role
from pai_jupyter.wire.job_view.facts import job_facts
from tests.support.wire import RecordedJob

ROLES = (Role(name="chief", instance_type="ecs.c6.large"), Role(name="worker", instance_type="ecs.c6.large"))


@pytest.mark.parametrize(
    ("backend", "roles", "is_measured"),
    [
        ("process", (), None),
        ("docker", (), None),
        ("pai", (), None),
        ("pai", ROLES, False),  # a job of DLC
        ("openpai", (), False),
        ("not-installed", (), None),  # nobody knows
    ],
)
def test_a_job_whose_backend_never_measures_is_told_as_such(
    home: Path, backend: str, roles: tuple[Role, ...], is_measured: bool | None
) -> None:
    job = RecordedJob("j1", record={"backend": backend}, name="iris", roles=roles, job_type="TFJob")
    try:
        assert job_facts(job.job).get("is_measured") is is_measured
    finally:
        job.release()
