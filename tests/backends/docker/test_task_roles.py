"""Jobs of OpenPAI's task roles as containers, followed or not: as tests/backends/process/test_task_roles.py."""

from dataclasses import replace

import pytest

from pai_jupyter.spec import Json
from tests.support.docker_jobs import Jobs, end, ended_by_itself, log
from tests.support.task_roles import CASES, MEETING, MEETS, RolesCase

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_job_ends_by_the_counts_of_its_roles(jobs: Jobs, test_image: str, case: RolesCase) -> None:
    events = await jobs.run(case.spec(test_image))
    assert end(events).status is case.status


@pytest.mark.parametrize("case", [CASES[3], CASES[5]], ids=str)
async def test_it_ends_so_with_nobody_following(jobs: Jobs, test_image: str, case: RolesCase) -> None:
    ref = await jobs.start(case.spec(test_image))
    assert (await ended_by_itself(jobs.backend, ref)).status is case.status


@pytest.mark.parametrize(
    "options", [{}, {"docker.network": "host"}], ids=["network-of-its-own", "network-of-the-machine"]
)
async def test_tasks_find_each_other(jobs: Jobs, test_image: str, options: dict[str, Json]) -> None:
    events = await jobs.run(replace(MEETS.spec(test_image), options=options), {"train.py": MEETING})
    assert end(events).status is MEETS.status
    assert [log(events, f"client_001-{index}") for index in (0, 1)] == ["hello 0 0,2,300,64\n", "hello 1 0,2,300,64\n"]
