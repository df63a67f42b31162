"""What is filled in before a job file is sent."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends import openpai
from pai_jupyter.backends.openpai.job_file import completed, filled_in, suffixed, with_one_log
from tests.support.openpai_files import SEED, V1, V2, changed


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("cd $PAI_JOB_NAME && ls $PAI_JOB_NAME", "cd j && ls j"),
        ("${PAI_JOB_NAME}_$PAI_USER_NAME/${PAI_USERNAME}", "j_u/u"),
        ("$PAI_JOB_NAMES $PAI_JOB_NAME_2 $PAI_CODE_DIR", "$PAI_JOB_NAMES $PAI_JOB_NAME_2 $PAI_CODE_DIR"),
    ],
)
def test_every_variable_is_filled_in(text: str, filled: str) -> None:
    assert filled_in(text, job="j", user="u") == filled


@pytest.mark.parametrize(
    ("name", "said"), [("a", "a_0123abcd"), ("a_deadbeef", "a_0123abcd"), ("_deadbeef", "_deadbeef_0123abcd")]
)
def test_a_name_gets_one_suffix(name: str, said: str) -> None:
    assert suffixed(name, "0123abcdef") == said


def test_the_seeds_job_file_goes_to_the_directory_of_its_code() -> None:
    job: Any = completed(json.loads(SEED), "v1", name="train_couplet_demo_1a2b3c4d", user="bob")  # Any: JSON
    assert job["codeDir"] == "$PAI_DEFAULT_FS_URI/bob/train_couplet_demo_1a2b3c4d"
    assert job["jobName"] == "train_couplet_demo_1a2b3c4d"
    assert "cd train_couplet_demo_1a2b3c4d && ls -al" in job["taskRoles"][0]["command"]
    assert openpai.validate(job, "v1") == []


def test_commands_of_version_2_are_filled_in() -> None:
    config = changed(V2, {"taskRoles/worker/commands": ["cd $PAI_JOB_NAME", "echo $PAI_USER_NAME $PAI_JOB_NAME"]})
    job: Any = completed(config, "v2", name="demo_1a2b3c4d", user="bob")  # Any: JSON
    assert job["taskRoles"]["worker"]["commands"] == ["cd demo_1a2b3c4d", "echo bob demo_1a2b3c4d"]
    assert job["name"] == "demo_1a2b3c4d"


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_stderr_is_in_the_log_that_clusters_of_v0_14_show(tmp_path: Path, version: str, quoted: bool) -> None:
    lines = ["echo out && echo err >&2", "cd / && exit 3"]
    if version == "v1":
        config: Any = with_one_log(changed(V1, {"taskRoles/0/command": " && ".join(lines)}), version)  # Any: JSON
        command = config["taskRoles"][0]["command"]
    else:
        config = with_one_log(changed(V2, {"taskRoles/worker/commands": lines}), version)
        command = " && ".join(config["taskRoles"]["worker"]["commands"])
    run = f"run() {{ eval {shlex.quote(command) if quoted else command} || exit $?; exit 0; }}\n"
    done = subprocess.run(["bash", "-c", f"{run}run >out 2>err"], cwd=tmp_path, check=False)  # as their script does it
    assert done.returncode == 3
    assert (tmp_path / "out").read_text().splitlines() == ["out", "err"]
    assert (tmp_path / "err").read_text() == ""
