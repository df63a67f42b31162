"""A job at the emulator is called that wherever it is shown, and a job that was stopped is called stopped, and no more."""

import time
from dataclasses import replace

import pytest

from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job
from pai_jupyter.jobs.job_index.row import row_of
from pai_jupyter.jobs.where import where_of
from pai_jupyter.magics.list_magics import jobs_table
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore

RECORD = JobRecord(
    id="j1", spec=JobSpec(name="iris", command="true"), backend="pai", created=1.0, place="emulator (asked for)"
)


def job(record: JobRecord) -> Job:
    return Job(JobStore().create(record))


@pytest.mark.parametrize(
    ("place", "where"),
    [("emulator (asked for)", "emulator"), ("pai (asked for)", "pai"), ("", "pai")],
)
def test_a_job_says_where_it_is(place: str, where: str) -> None:
    found = job(replace(RECORD, place=place))
    assert repr(found) == f"<Job j1 'iris' created on {where}>"
    assert found.to_json()["place"] == where


def test_a_rerun_is_called_that_also_where_its_backend_is_not_installed() -> None:
    assert str(where_of("barn (as job j1ng)")) == "barn · rerun of j1ng"
    assert str(where_of("barn (asked for)")) == "barn (asked for)"


def test_the_table_of_jobs_says_emulator() -> None:
    table = jobs_table([row_of(RECORD.id, RECORD)], now=time.time())
    assert "PAI emulator" in table.rows[0]
    assert "pai" not in table.rows[0]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"Status": "Terminated", "ReasonCode": "StoppedByUser", "ReasonMessage": ""}, ""),
        ({"Status": "Stopped", "ReasonCode": "StoppedByUser"}, ""),
        ({"Status": "Stopped", "ReasonCode": "StoppedByUser", "ReasonMessage": "stopped by li"}, "stopped by li"),
        ({"Status": "Terminated", "ReasonCode": "Preempted"}, "Preempted"),
    ],
)
def test_the_reason_of_a_stopped_job_is_what_stopped_does_not_say(fields: dict[str, str], reason: str) -> None:
    report = status_map.report_of(fields)
    assert (report.status, report.reason) == (Status.STOPPED, reason)
