"""The `environment` request, held against what real jobs find: every variable, every path, and the command."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.process import isolation
from pai_jupyter.backends.process.supervisor.processes import MARKER
from pai_jupyter.jobs import Job, Target, close_runtime, draft
from pai_jupyter.spec import JobSpec, Role, Scalar
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.wire.tabs.environment import environment, fill_in

SCRIPT = """\
import json, os, pathlib, sys
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], os.environ.get("RANK", "0") + ".json").write_text(
    json.dumps({"variables": dict(os.environ), "argv": sys.argv[1:]}))
"""
ODD: dict[str, Scalar] = {
    "lr": 0.1,
    "blank.s": "a b",
    "quote": "a'; echo x",
    "home": '"$HOME" *',
    "chinese": "训练",
    "empty": "",
    "dash": "--x",
    "lines": "two\nlines",
    "none": None,
    "list": [1, "x y"],
}
COMMAND = 'python train.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN" --one ${PAI_INPUT_ONE} --model=$PAI_OUTPUT_MODEL/m'


@pytest.fixture(autouse=True)
def _runtime() -> Iterator[None]:
    yield
    close_runtime()


def run(backend: str = "process", *, script: str = SCRIPT, **spec: Any) -> Job:
    """A job with the probe as its script, at its end. (Any: of a JobSpec)"""
    wanted = JobSpec(**{"name": "a job", "command": COMMAND, **spec})
    with draft(wanted, Target(backend=backend, reason="asked for"), files={"train.py": script.encode()}) as ready:
        return ready.submit().wait(60)


def recorded(spec: JobSpec) -> Job:
    """A job of a backend that keeps nothing on this machine."""
    return Job(JobStore().create(JobRecord(id="j1", spec=spec, backend="pai", created=1.0)))


def seen(job: Job, rank: int = 0) -> dict[str, Any]:
    """What a replica has found. (Any: JSON)"""
    found: dict[str, Any] = json.loads(Path(job.output("model"), f"{rank}.json").read_text())
    return found


def replica(answer: Mapping[str, Any], number: int = 0) -> dict[str, Any]:
    """A replica of the answer, with its pairs as mappings; the answer must be one that can be sent. (Any: JSON)"""
    found = json.loads(json.dumps(answer))["replicas"][number]
    return {**found, "variables": dict(found["variables"]), "paths": dict(found["paths"])}


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "数据 a'b"
    folder.mkdir()
    (folder / "one file.csv").write_text("1")
    return {"train": str(folder), "one": str(folder / "one file.csv")}


def words_of(command: str) -> list[str]:
    """What `sh` makes of a command that needs no variable any more: the words behind the script."""
    probe = f"python() {{ printf '%s\\0' \"$@\"; }}; {command}"
    printed = subprocess.run(["sh", "-c", probe], capture_output=True, env={}, check=True).stdout.decode()
    return printed.split("\0")[1:-1]


# --- against real jobs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["bwrap", "proot", "plain"])
def test_a_process_was_given_just_what_is_told(
    way: str, inputs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "plain" and shutil.which(way) is None:
        pytest.skip(f"no {way} here; type: make system")
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    isolation.choose(way)
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")  # the kernel's own, which the order then leaves out
    monkeypatch.setenv("KERNELS_OWN", "x")
    job = run(hyperparameters=ODD, inputs=inputs, environments={"MINE": "my 'own'"})
    told, found = replica(environment(job)), seen(job)
    inherited = set(found["variables"]) - set(told["variables"])
    assert {name: found["variables"].get(name) for name in told["variables"]} == told["variables"]
    assert "KERNELS_OWN" in inherited
    assert not [name for name in inherited if name.startswith("PAI_") and not name.startswith("PAI_JUPYTER_")]
    assert told["variables"]["MINE"] == "my 'own'"
    assert told["variables"][MARKER] == job.id
    assert words_of(str(environment(job)["command"])) == found["argv"]
    root = "/ml" if way != "plain" else str(job.folder.path / "ml")
    assert told["paths"][f"{root}/input/data/train/"] == inputs["train"]
    assert told["paths"][f"{root}/input/data/one/one file.csv"] == inputs["one"]
    assert told["paths"][f"{root}/output/model/"] == job.output("model")


@pytest.mark.docker
def test_a_container_was_given_just_what_is_told(
    inputs: dict[str, str], engine: Any, test_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    job = run("docker", hyperparameters=ODD, inputs=inputs, environments={"MINE": "my 'own'"}, image_uri=test_image)
    told, found = replica(environment(job)), seen(job)
    assert {name: found["variables"].get(name) for name in told["variables"]} == told["variables"]
    assert not [name for name in set(found["variables"]) - set(told["variables"]) if name.startswith("PAI_")]
    assert words_of(str(environment(job)["command"])) == found["argv"]
    assert told["paths"]["/ml/input/data/one/one file.csv"] == inputs["one"]


def test_each_replica_has_its_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    job = run(instance_count=2, command="python train.py")
    answer = environment(job)
    for rank, name in enumerate(["master-0", "worker-0"]):
        told = replica(answer, rank)
        assert told["name"] == name
        assert told["variables"]["RANK"] == str(rank)
        assert told["variables"]["MASTER_PORT"] == seen(job, rank)["variables"]["MASTER_PORT"]


def test_another_process_tells_the_same_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    job = run(hyperparameters=ODD)
    before = environment(job)
    for name in ("PATH", "PYTHONUNBUFFERED", "MINE"):
        monkeypatch.setenv(name, "another")
    assert environment(Job(JobStore().open(job.id))) == before


def test_secrets_are_masked_wherever_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    monkeypatch.setenv("KERNEL_TOKEN", "kernel-secret")
    secret = "tell-nobody-of-this"
    job = run(
        command=f"python train.py $PAI_USER_ARGS --key {secret}",
        hyperparameters={"login": secret, "api_key": "only-a-value"},
        environments={"MY_TOKEN": secret, "MY_NAME": "an"},
    )
    assert secret in seen(job)["argv"]
    text = json.dumps(environment(Job(JobStore().open(job.id))))
    assert secret not in text
    assert "kernel-secret" not in text
    assert "only-a-value" not in text
    told = replica(json.loads(text))
    assert (told["variables"]["MY_TOKEN"], told["variables"]["MY_NAME"]) == ("***", "an")


def test_what_is_not_told_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    job = run()
    assert "environment variables of the kernel" in str(environment(job)["note"])
    (job.folder.path / "run" / "job").write_bytes(b"\xf3garbage")
    answer = environment(job)
    assert "were not recorded" in str(answer["note"])
    assert replica(answer)["variables"]["PAI_WORKING_DIR"] == "/ml/usercode/"


def test_a_job_of_any_backend_has_what_its_spec_says() -> None:
    job = recorded(JobSpec(name="a", command="x", hyperparameters={"lr": 1}, outputs={"model": "oss://b/m/"}))
    told = replica(environment(job))
    assert told["variables"]["PAI_HPS_LR"] == "1"
    assert told["paths"]["/ml/output/model/"] == "oss://b/m/"


def test_where_roles_have_commands_of_their_own_the_first_one_is_told() -> None:
    roles = (Role(name="chief", command="python chief.py $PAI_USER_ARGS"), Role(name="worker"))
    spec = JobSpec(name="a", command="python x.py", job_type="TFJob", roles=roles, hyperparameters={"lr": 1})
    answer = environment(recorded(spec))
    assert answer["command"] == "python chief.py --lr 1"
    assert "the command of chief-0" in str(answer["note"])


# --- filling in --------------------------------------------------------------------------------------------------

VALUES = ["plain", "a b", "a'b", 'say "x"', "$HOME", "back\\slash", "`id`", "训练", "", "*", "two\nlines", "-x"]
PLACES = [
    "show $PAI_X",
    "show ${PAI_X}",
    'show "$PAI_X"',
    'show "a${PAI_X}b" c',
    "show --x=$PAI_X",
    "show '$PAI_X'",
    'show "it\'s $PAI_X"',
    'Y=$PAI_X; show "$Y"',
    'Y="$PAI_X"; show "$Y"',
    'show "$(show "$PAI_X")"',
    "show \\$PAI_X $PAI_XY",
    "show a # $PAI_X",
    "if true; then show $PAI_X; fi",
    "(show $PAI_X)",
    "f() { show $PAI_X; }; f",
    "show $PAI_USER_ARGS end",
    "set -- a; show $PAI_USER_ARGS",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_a_command_that_is_filled_in_does_what_the_job_did(tmp_path: Path, place: str, value: str) -> None:
    show = "show() { printf '[%s]' \"$@\"; }\n"
    words = ["--a", value, value]
    variables = {"PAI_X": value, "PAI_USER_ARGS": " ".join(words)}

    def printed(command: str, **environ: str) -> bytes:
        run = subprocess.run(["sh", "-c", show + command], capture_output=True, env=environ, cwd=tmp_path, check=True)
        return run.stdout

    as_run = place.replace("$PAI_USER_ARGS", " ".join("'" + word.replace("'", "'\\''") + "'" for word in words))
    filled = fill_in(place, variables, words)
    if "'$PAI_X'" not in place and "\\$" not in place and "#" not in place:
        assert "PAI_X}" not in filled
        assert "PAI_USER_ARGS" not in filled
    assert printed(filled, PATH=os.defpath) == printed(as_run, PATH=os.defpath, **variables)


@pytest.mark.parametrize(
    ("command", "filled"),
    [
        ("python train.py $PAI_USER_ARGS", "python train.py"),
        ("cat <<E\n$PAI_X\nE\n", "cat <<E\n$PAI_X\nE\n"),
        ("sh -c 'echo $PAI_X'", "sh -c 'echo $PAI_X'"),
        ("echo $HOME $MY_TOKEN $PAI_UNKNOWN ${PAI_X:-1}", "echo $HOME $MY_TOKEN $PAI_UNKNOWN ${PAI_X:-1}"),
        ("echo 'unclosed $PAI_X", "echo 'unclosed $PAI_X"),
    ],
)
def test_what_the_shell_does_not_fill_in_stays(command: str, filled: str) -> None:
    assert fill_in(command, {"PAI_X": "a b", "PAI_USER_ARGS": "", "MY_TOKEN": "s"}, []) == filled
