"""A job file of a cluster that the Jupyter server simulates, in real containers."""

import json
from pathlib import Path

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs import attach
from pai_jupyter.server.job_files import simulate
from tests.support.openpai_files import V2, changed


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend")
def test_the_server_simulates_a_job_file_with_the_files_beside_it(tmp_path: Path, test_image: str) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.sh").write_text("echo trained as $PAI_JOB_NAME\n")
    commands = {"taskRoles/worker/commands": ["cd $PAI_JOB_NAME && sh train.sh"], "prerequisites/0/uri": test_image}
    (tmp_path / "work" / "here.pai.yaml").write_text(json.dumps(changed(V2, commands)))
    job = attach(simulate({"path": "work/here.pai.yaml"}, str(tmp_path))["job"])
    assert job.wait().status is Status.SUCCEEDED
    assert [line.text.endswith("~demo_1") for line in job.logs() if line.text.startswith("trained as")] == [True, True]
