"""What the replicas of a job in containers are told of each other: each listens at its host name, and the others reach it."""

import re
from dataclasses import replace

import pytest

from pai_jupyter.events import Status
from pai_jupyter.spec import JobSpec
from tests.support import job_types
from tests.support.docker_jobs import Jobs, end, log
from tests.support.job_types import JobTypeCase

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("case", job_types.CASES, ids=str)
async def test_each_replica_is_told_of_the_others_listens_at_its_address_and_reaches_them(
    jobs: Jobs, spec: JobSpec, case: JobTypeCase
) -> None:
    wanted = replace(spec, name="a b", **case.fields)  # no host name
    events = await jobs.run(wanted, {"train.py": job_types.MEETING.read_text()})
    logs = {name: log(events, name) for name in case.each}
    assert end(events).status is Status.SUCCEEDED, logs
    hosts, _ = job_types.told_places(case, logs)
    assert all(re.fullmatch(rf"a-b-[0-9a-f]{{8}}-{name}", host) for name, host in hosts.items())
    job_types.check(case, logs, hosts=hosts)
