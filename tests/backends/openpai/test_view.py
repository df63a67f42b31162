"""What the view says of a job file's job: OpenPAI's variables, and nothing of the training contract."""

import json

import pytest

from pai_jupyter.backends.openpai import files
from pai_jupyter.backends.openpai.clusters import add_cluster, cluster_of
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.files.output_files import files as shown_files
from pai_jupyter.wire.tabs.environment import environment
from tests.support.openpai_files import V1, V2, changed

SECRET = "kR7qTr0ub4dorWx9"


def job_of(spec: JobSpec) -> Job:
    return Job(JobStore().create(JobRecord(id="j1", spec=spec, backend="openpai", created=1.0)))


@pytest.fixture(params=["v1", "v2"])
def job(request: pytest.FixtureRequest) -> Job:
    add_cluster(cluster_of("lab", "a.example.org", "bob"))
    own = {"jobEnvs": {"EPOCHS": "3", "API_KEY": SECRET}}
    config = changed(V1, own) if request.param == "v1" else changed(V2, {"secrets": {"any": SECRET}})
    return job_of(files.cluster_job(json.dumps(config), cluster=None, user="bob"))


def test_the_variables_of_a_job_file_are_those_of_openpai(job: Job) -> None:
    answer = environment(job)
    variables = [dict(each["variables"]) for each in answer["replicas"]]
    assert [each["PAI_TASK_INDEX"] for each in variables] == ["0", "1"]
    assert variables[0]["PAI_JOB_NAME"].startswith("bob~demo")
    assert variables[0].get("EPOCHS", "3") == "3"
    assert variables[0].get("API_KEY", "***") == "***"
    assert not {"PAI_HPS", "PAI_OUTPUT_MODEL", "PAI_CONFIG_DIR", "PAI_WORKING_DIR"} & variables[0].keys()
    assert not [name for name in variables[0] if "_IP" in name or "PORT" in name]
    assert SECRET not in json.dumps(answer)
    assert answer["replicas"][0]["paths"] == []
    assert "Addresses, ports and directories of its tasks are known only there." in answer["note"]


def test_a_job_file_has_no_output_channels(job: Job) -> None:
    assert shown_files(job, {})[0]["channels"] == []


def test_outputs_of_a_cell_are_not_on_this_machine() -> None:
    job = job_of(JobSpec(name="a", command="true", image_uri="python:3.11"))
    with pytest.raises(SpecError, match=r"output 'model' is not on this machine\. Download it: job\.fetch\('model'\)"):
        shown_files(job, {"channel": "model"})
