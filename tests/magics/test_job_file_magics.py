"""%pai_openpai: job files are checked, submitted to a cluster and simulated; clusters are added and chosen."""

import getpass
import json
import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from IPython.core.error import StdinNotImplementedError

from pai_jupyter.jobs import list_jobs
from pai_jupyter.magics.complete import job_file_words
from tests.support.openpai_cluster import lab_cluster
from tests.support.openpai_files import V1, V2, changed
from tests.support.shells import Shell

# What a task does that reads its data from a cluster on this machine.
_ASKS = """
import os, urllib.request
answer = urllib.request.urlopen(os.environ["ASKED"] + "/rest-server/api/v1/authn/info", timeout=30)
print(os.environ["PAI_CURRENT_TASK_ROLE_NAME"], "was answered with", answer.status)
"""


@pytest.fixture
def shell() -> Iterator[Shell]:
    with Shell() as shell:
        yield shell


@pytest.fixture
def job_file(tmp_path: Path) -> Path:
    path = tmp_path / "job.pai.yaml"
    path.write_text(json.dumps(changed(V2, {"taskRoles/worker/commands": ["echo hello $PAI_JOB_NAME"]})))
    return path


def test_a_job_file_is_checked(shell: Shell, job_file: Path, tmp_path: Path) -> None:
    assert shell.run(f"%pai_openpai validate {job_file}").text == "job.pai.yaml is good.\n"
    wrong = tmp_path / "wrong.pai.json"
    wrong.write_text(json.dumps(changed(V1, {"taskRoles/0/taskNumber": 0, "taskRoles/0/command": "a | b"})))
    (tmp_path / "run.py").write_text("import os\nos.system('train')\n")
    lines = shell.run(f"%pai_openpai validate {wrong}").text.splitlines()
    assert lines[0] == "`taskRoles[0].taskNumber` is 0; it must be from 1 to 10000."
    assert lines[1].startswith("demo_001: a failure before the last `|` is not seen")
    assert lines[2].startswith("run.py, line 2: the exit code is dropped")


@pytest.mark.parametrize("config", [V1, V2])
def test_a_job_file_may_begin_with_the_mark_of_windows(shell: Shell, tmp_path: Path, config: dict[str, object]) -> None:
    (tmp_path / "a.pai").write_text(json.dumps(config), encoding="utf-8-sig")
    assert shell.run(f"%pai_openpai validate {tmp_path}/a.pai").text == "a.pai is good.\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("validate", "give one job file, e.g. %pai_openpai validate job.pai.yaml"),
        ("submit nothing.pai.yaml", "cannot be read: No such file or directory."),
        ("cluster add lab", "Type: %pai_openpai cluster add NAME HOST USER, or: cluster list"),
        ("cluster use lab", "no cluster of OpenPAI is known"),
        ("validate /dev/zero", "'/dev/zero' is no file. Give a job file, e.g. job.pai.yaml"),
    ],
)
def test_what_cannot_be_done_is_said(shell: Shell, line: str, said: str) -> None:
    assert said in str(shell.run(f"%pai_openpai {line}").error)


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("login", "(AAD) is not supported"),
        ("skus", "HiveD and its SKU types are not supported"),
        ("ssh", "how to log in to a task is not shown here"),
        ("attempts job-1", "attempts of a job are not listed here"),
        ("clone job-1", "cannot be cloned here"),
        ("storages", "cannot be browsed here"),
        ("resources", "free resources of a cluster are not shown here"),
    ],
)
def test_what_is_not_supported_is_said(shell: Shell, verb: str, said: str) -> None:
    assert said in str(shell.run(f"%pai_openpai {verb}").error)


def test_a_job_file_is_submitted_to_the_cluster_that_was_added(
    shell: Shell, job_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lab_cluster(tmp_path / "cluster", "v1.x") as lab:
        monkeypatch.setattr(getpass, "getpass", lambda prompt: lab.password)
        shown = shell.run(f"%pai_openpai cluster add lab {lab.emulator.address} {lab.user}").text
        assert lab.emulator.address in shown
        assert lab.password not in shown
        done = shell.run(f"%pai_openpai submit {job_file}")
        assert done.error is None
        assert "hello demo_1_" in done.text
        assert "hello demo_1_" in shell.run("%pai_logs demo_1").text
        assert "no cluster is known" in shell.run("%pai_openpai cluster delete lab").text


def test_a_cluster_is_checked_and_what_is_wrong_is_said(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no cluster of OpenPAI is known" in str(shell.run("%pai_openpai cluster check").error)
    with lab_cluster(tmp_path / "cluster", "v0.14") as lab:
        lab.know()
        good = f"✓ OpenPAI before v1.0 (YARN)\n✓ logged in as {lab.user}\n✓ HDFS, which answers\n"
        assert shell.run("%pai_openpai cluster check").text == shell.run("%pai_openpai cluster check lab").text == good
        monkeypatch.setattr(getpass, "getpass", lambda prompt: "not-the-password")
        shell.run(f"%pai_openpai cluster add lab {lab.emulator.address} {lab.user}")
        lines = shell.run("%pai_openpai cluster check").text.splitlines()
        assert lines[0] == "✓ OpenPAI before v1.0 (YARN)"
        assert lines[1].startswith(f"✗ the cluster refused the login of {lab.user}: Password is incorrect.")
        assert "not-the-password" not in "".join(lines)
    assert "there is no cluster 'other'" in str(shell.run("%pai_openpai cluster check other").error)


@pytest.mark.parametrize("kind", ["user", "application"])
def test_a_cluster_is_added_with_a_token(
    shell: Shell, job_file: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with lab_cluster(tmp_path / "cluster", "v1.x") as lab:
        token = lab.token(is_endless=kind == "application")
        asked: list[str] = []

        def answer(prompt: str) -> str:
            asked.append(prompt)
            return f" {token}\n"

        monkeypatch.setattr(getpass, "getpass", answer)
        shown = shell.run(f"%pai_openpai cluster add lab {lab.emulator.address} {lab.user} --token --keep").text
        assert asked == [f"token of {lab.user} at {lab.emulator.address}: "]
        assert token not in shown
        kept = home / "openpai" / "secrets.json"
        assert kept.stat().st_mode & 0o777 == 0o600
        done = shell.run(f"%pai_openpai submit {job_file}")
        assert done.error is None
        assert "hello demo_1_" in done.text
        assert [path for path in home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()] == [kept]


def test_a_loaded_extension_leaves_no_connection_open_and_a_new_one_begins_anew(job_file: Path, tmp_path: Path) -> None:
    with lab_cluster(tmp_path / "cluster", "v1.x") as lab:
        lab.know()
        for _ in range(2):
            with Shell() as shell:
                done = shell.run(f"%pai_openpai submit {job_file}")
                assert done.error is None
                assert "hello demo_1_" in done.text
        port = int(lab.emulator.address.rpartition(":")[2])
        tcp = psutil.Process().net_connections("tcp")
        assert [each for each in tcp if each.raddr and each.raddr.port == port] == []


def test_the_files_beside_a_job_file_go_to_its_code_directory(shell: Shell, tmp_path: Path) -> None:
    with lab_cluster(tmp_path / "cluster", "v0.14") as lab:
        lab.know()
        folder = tmp_path / "job"
        (folder / ".vscode").mkdir(parents=True)
        (folder / "train.py").write_text("print('trained', open('words.txt').read())")
        (folder / "words.txt").write_text("with words")
        job_file = folder / "job.pai.json"
        place = "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME"
        command = "cd $PAI_JOB_NAME && python train.py"
        job_file.write_text(json.dumps(changed(V1, {"codeDir": place, "taskRoles/0/command": command})))
        done = shell.run(f"%pai_openpai submit {job_file} --upload *.py --upload *.txt")
        assert done.error is None
        assert "trained with words" in done.text
        (folder / ".vscode" / "settings.json").write_text('{"pai.job.upload.enabled": false}')
        refused = str(shell.run(f"%pai_openpai submit {job_file}").error)
        assert "no file goes there with the job, which would fail. Name files: --upload GLOB" in refused
        assert len(list_jobs()) == 1


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend")
def test_a_job_file_is_simulated_in_containers_with_the_files_beside_it(
    shell: Shell, tmp_path: Path, test_image: str
) -> None:
    (tmp_path / "train.py").write_text(_ASKS)
    command = "cd $PAI_JOB_NAME && python train.py"
    job_file = tmp_path / "job.pai.json"
    with lab_cluster(tmp_path / "cluster", "v0.14") as lab:
        changes = {"taskRoles/0/command": command, "image": "vzich/poet", "jobEnvs": {"ASKED": lab.emulator.address}}
        job_file.write_text(json.dumps(changed(V1, changes)))
        done = shell.run(f"%pai_openpai simulate {job_file} --image-map vzich/*={test_image}")
    assert done.error is None, done.text
    assert done.text.count("demo_001 was answered with 200") == 2


def test_a_file_that_is_no_job_file_is_not_read_whole(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "huge.pai.json").write_bytes(b"x" * 2_000_000)
    said = str(shell.run(f"%pai_openpai validate {tmp_path}/huge.pai.json").error)
    assert "has 2000000 bytes, which no cluster takes" in said
    os.mkfifo(tmp_path / "pipe.pai.json")
    assert "is no file" in str(shell.run(f"%pai_openpai validate {tmp_path}/pipe.pai.json").error)


def test_where_nobody_can_be_asked_the_password_comes_from_the_environment(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(prompt: str) -> str:
        raise StdinNotImplementedError

    monkeypatch.setattr(getpass, "getpass", refuse)
    with lab_cluster(tmp_path / "cluster", "v1.x") as lab:
        line = f"%pai_openpai cluster add --keep lab {lab.emulator.address} {lab.user}"
        assert "Set OPENPAI_PASSWORD in the environment" in str(shell.run(line).error)
        monkeypatch.setenv("OPENPAI_PASSWORD", lab.password)
        assert f"✓ logged in as {lab.user}" in shell.run(line).text
        monkeypatch.setenv("OPENPAI_PASSWORD", "wrong-password")
        assert "✗ " in shell.run(line).text


def test_a_job_of_a_job_file_takes_no_values(shell: Shell, job_file: Path, tmp_path: Path) -> None:
    with lab_cluster(tmp_path / "cluster", "v1.x") as lab:
        lab.know()
        assert shell.run(f"%pai_openpai submit {job_file}").error is None
        [job] = list_jobs()
        said = str(shell.run(f"%pai_rerun {job.id} -p lr=0.9").error)
        assert "take no values. Change the file, and submit it again." in said
        assert shell.run(f"%pai_rerun {job.id}").error is None
        assert len(list_jobs()) == 2


def test_a_simulation_without_an_engine_says_what_to_do(
    shell: Shell, job_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    said = str(shell.run(f"%pai_openpai simulate {job_file}").error)
    assert said.startswith("a simulation runs in containers, and cannot now. Docker engine: not running. Start Docker")
    assert list_jobs() == []


def test_words_and_clusters_are_completed(tmp_path: Path) -> None:
    with lab_cluster(tmp_path / "cluster", "v1.x") as lab:
        lab.know()
        assert job_file_words("c") == ["submit", "simulate", "validate", "cluster"]
        assert job_file_words("", ["cluster"]) == ["add", "list", "use", "check", "delete"]
        assert job_file_words("", ["cluster", "use"]) == ["lab"]
        (tmp_path / "job.pai.yaml").touch()
        assert sorted(job_file_words(f"{tmp_path}/", ["submit"])) == [
            f"{tmp_path}/cluster/",
            f"{tmp_path}/job.pai.yaml",
        ]
