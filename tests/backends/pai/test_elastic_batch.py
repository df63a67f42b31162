"""A job of type ElasticBatchJob, whose data nobody divides yet."""

import pytest

from pai_jupyter.backends import get_backend
from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.spec import JobSpec, Role
from tests.support.pai_jobs import rehearsal, rehearsed

__all__ = ["rehearsal", "rehearsed"]  # fixtures

ROLES = (Role(name="AIMaster"), Role(name="worker", instance_count=3))


def elastic(**fields: object) -> JobSpec:
    given = {"name": "a", "command": "true", "job_type": "ElasticBatchJob", "image_uri": "img:1", **fields}
    return JobSpec(**given)  # type: ignore[arg-type]  # fields of a spec


@pytest.mark.parametrize("fields", [{"instance_count": 3}, {"roles": ROLES, "instance_count": 4}])
@pytest.mark.parametrize("backend", ["process", "docker"])
def test_that_all_workers_run_over_all_data_is_said(backend: str, fields: dict[str, object]) -> None:
    (said,) = [each for each in get_backend(backend).check(elastic(**fields)) if "ElasticBatchJob" in each]
    assert said.startswith("note: ")
    assert "each of the 3 workers runs the whole command over all the data" in said


async def test_that_all_workers_run_over_all_data_is_said_on_pai(rehearsed: PaiBackend) -> None:
    spec = elastic(instance_count=3, instance_type="ecs.c6.large")
    assert any("each of the 3 workers" in said and said.startswith("note: ") for said in rehearsed.check(spec))


def test_of_one_worker_and_of_other_types_nothing_is_said() -> None:
    for spec in (elastic(), elastic(instance_count=3, job_type="PyTorchJob")):
        assert not any("all the data" in said for said in get_backend("process").check(spec))
