"""Jobs of OpenPAI's task roles as processes: every task runs, finds the others, and decides by its role's counts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pai_jupyter.backends.local import addresses
from tests.support.local_jobs import LocalJobs
from tests.support.task_roles import CASES, MEETING, MEETS, RolesCase


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_job_ends_by_the_counts_of_its_roles(jobs: LocalJobs, case: RolesCase) -> None:
    ref = await jobs.start("", job_type="TaskRoles", roles=case.roles)
    assert (await jobs.finish(ref)).end.status is case.status


@pytest.mark.parametrize("is_whole", [True, False])
async def test_tasks_find_each_other(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, is_whole: bool) -> None:
    if not is_whole:
        monkeypatch.setattr(addresses, "has_whole_loopback", lambda: False)
    ended = await jobs.finish(await jobs.start(MEETING, job_type="TaskRoles", roles=MEETS.roles))
    assert ended.end.status is MEETS.status
    assert [ended.log(f"client_001-{index}") for index in (0, 1)] == ["hello 0 0,2,300,64\n", "hello 1 0,2,300,64\n"]
