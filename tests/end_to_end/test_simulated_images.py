"""A simulation as the panel starts it: a local image runs in place of the job file's."""

import json
from pathlib import Path

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs import attach
from pai_jupyter.server.job_files import simulate
from tests.support.openpai_files import V1, changed


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend")
def test_a_local_image_runs_in_place_of_the_job_files(tmp_path: Path, test_image: str) -> None:
    config = changed(V1, {"image": "vzich/poet:tensorflow", "taskRoles/0/command": "echo in $PAI_JOB_NAME"})
    (tmp_path / "job.pai.json").write_text(json.dumps(config))
    answer = simulate({"path": "job.pai.json", "images": {"vzich/poet:tensorflow": test_image}}, str(tmp_path))
    job = attach(answer["job"])
    assert job.wait().status is Status.SUCCEEDED
    assert {role.image_uri for role in job.spec.roles} == {test_image}
