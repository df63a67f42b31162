"""What PAI cannot honour is said in sentences, before anything is uploaded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.cloud.session import default
from pai_jupyter.config import settings
from pai_jupyter.jobs import place_of
from pai_jupyter.spec import JobSpec, Role

PLACE = {"region": "cn-shanghai", "workspace": "12345", "bucket": "my-bucket"}


@pytest.fixture(autouse=True)
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A kernel in which a session is configured, and nothing else."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    settings.cache_clear()
    settings().update(PLACE)
    yield
    settings.cache_clear()
    default._last = None


def check(**fields: Any) -> list[str]:  # Any: fields of a spec
    spec = {"name": "a", "command": "true", "image_uri": "img:1", "instance_type": "ecs.c6.large", **fields}
    return PaiBackend().check(JobSpec(**spec))


def test_nothing_is_said_against_a_job_that_can_run() -> None:
    assert check() == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"instance_type": "local"}, "PAI needs an instance type; 'local' is this machine"),
        ({"instance_type": "local_gpu"}, "PAI needs an instance type; 'local_gpu' is this machine"),
        ({"image_uri": None}, "backend 'pai' needs an image"),
        ({"options": {"local.pass_env": ["HF_TOKEN"]}}, "`--pass-env HF_TOKEN` is for jobs of this machine: PAI keeps"),
        ({"inputs": {"a": "s3://b/c"}}, "input 'a' is 's3://b/c', which PAI does not know; it takes oss://"),
        ({"inputs": {"a": "file:///tmp"}}, "input 'a' is 'file:///tmp'; give the path itself"),
        ({"inputs": {"a": "/nowhere/x"}}, "input 'a': there is no /nowhere/x"),
        ({"inputs": {"a": "oss://B_/c"}}, "input 'a': 'oss://B_/c' is no address in OSS"),
        ({"output_path": "/tmp/out"}, "output_path is '/tmp/out', which PAI cannot write to"),
        ({"output_path": "file:///tmp/out"}, "output_path is 'file:///tmp/out', which PAI cannot write to"),
        ({"output_path": "d-g1bt7qk8nm6gvg"}, "output_path is 'd-g1bt7qk8nm6gvg', which PAI cannot write to"),
        ({"outputs": {"r": "./r"}}, "output 'r' is './r', which PAI cannot write to"),
        ({"outputs": {"r": "oss://B_/r"}}, "output 'r': 'oss://B_/r' is no address in OSS"),
        ({"source_dir": "https://h/x.git"}, "`source_dir` is 'https://h/x.git'; PAI takes a directory"),
        ({"source_dir": "oss://bucket/code"}, "it ends with a slash where it is a directory, or with .tar.gz"),
        ({"options": {"pai.resourceid": "q"}}, "no option 'pai.resourceid' (did you mean 'resource_id'?); it has pai."),
        ({"options": {"pai.labels": "x"}}, "the option pai.labels is 'x'; it must be a mapping"),
        ({"options": {"pai.priority": True}}, "the option pai.priority is True; it must be a whole number"),
        ({"options": {"pai.user_vpc_config": {"vpc_id": 1}}}, "has no 'vpc_id' (did you mean 'VpcId'?); it has VpcId"),
        ({"options": {"pai.input_options": {"a": 1}}}, "the option pai.input_options['a'] is 1; it must be a mapping"),
        ({"options": {"pai.input_options": {"a": {"Role": 1}}}}, "pai.input_options['a'] has no 'Role'"),
        ({"options": {"pai.instance_spec": {"CPU": "2"}}}, "name that too: pai.resource_id=QUOTA"),
        (
            {"options": {"pai.credential_config": {"CredentialConfigItems": [{"Roles": [{"SecurityToken": "t"}]}]}}},
            "the option pai.credential_config holds 'SecurityToken', a secret",
        ),
        ({"command": "true\0"}, "`command` holds a NUL character"),
    ],
)
def test_what_cannot_be_is_one_sentence(fields: dict[str, Any], sentence: str) -> None:
    problems = check(**fields)
    assert len(problems) == 1
    assert sentence in problems[0]


def test_every_problem_is_said_at_once() -> None:
    assert len(check(instance_type="local", image_uri=None, inputs={"a": "s3://b"}, outputs={"r": "r"})) == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"inputs": {"a": "oss://bucket/x", "b": "nas://fs.cn-h/x", "c": "cpfs://x/y", "d": "bmcpfs://x/y"}},
        {"inputs": {"t": "odps://p/tables/t", "s": "d-g1bt7qk8nm6gvg"}},
        {"source_dir": "oss://bucket/code/"},
        {"source_dir": "oss://bucket.oss-cn-shanghai.aliyuncs.com/code.tar.gz"},
        {"output_path": "oss://bucket/out", "outputs": {"r": "nas://fs.cn-h/r"}},
        {"instance_type": "local", "options": {"pai.resource_id": "quota1", "pai.instance_spec": {"CPU": "2"}}},
        {"options": {"pai.settings": {"Tags": {"key": "v", "token": "x"}}}},
    ],
)
def test_what_the_service_reaches_itself_is_fine(fields: dict[str, Any]) -> None:
    assert check(**fields) == []


def test_a_local_input_is_uploaded(tmp_path: Path) -> None:
    (tmp_path / "iris 数据.csv").touch()
    assert check(inputs={"a": str(tmp_path), "b": str(tmp_path / "iris 数据.csv")}) == []


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        ("region", "no region is set"),
        ("workspace", "no workspace is set"),
        ("bucket", "no OSS bucket is set"),
    ],
)
def test_a_session_that_lacks_something_is_said(missing: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings().set(missing, "")
    monkeypatch.setattr("pai_jupyter.cloud.session.session.Session._default_bucket", None)
    problems = check()
    assert len(problems) == 1
    assert sentence in problems[0]


def test_another_workspace_needs_none_in_the_session() -> None:
    settings().set("workspace", "")
    assert check(options={"pai.workspace_id": "7"}) == []


def test_a_rehearsal_is_called_one() -> None:
    settings().use_emulator("http://127.0.0.1:9")
    assert check() == ["note: this is a rehearsal: the job runs at the emulator on this machine, http://127.0.0.1:9."]


@pytest.mark.parametrize(("runner", "is_said"), [("process", True), ("docker", False)])
def test_a_rehearsal_says_that_its_image_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runner: str, *, is_said: bool
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "emulator").mkdir(parents=True)
    told = {"address": "http://127.0.0.1:9", "runner": runner}
    (tmp_path / "home" / "emulator" / "address.json").write_text(json.dumps(told))
    settings().use_emulator("http://127.0.0.1:9")
    (note,) = check()
    assert note.startswith("note: this is a rehearsal")
    assert ("the image is neither checked nor used" in note) is is_said


@pytest.mark.parametrize("mounts", [["nas://fs.cn-h/data"], []])
def test_data_that_the_emulator_does_not_have_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: list[str]
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "emulator").mkdir(parents=True)
    told = {"address": "http://127.0.0.1:9", "pid": 1, "mounts": mounts}
    (tmp_path / "home" / "emulator" / "address.json").write_text(json.dumps(told))
    settings().use_emulator("http://127.0.0.1:9")
    inputs = {"a": "nas://fs.cn-h/data/x/", "b": "nas://fs.cn-h/database", "c": "odps://p/tables/t", "d": "oss://b/x"}
    said = check(inputs=inputs, outputs={"r": "cpfs://x/y"}, output_path="nas://fs.cn-h/data/out")
    problems = [line.partition(" is ")[0] for line in said if "--mount " in line]
    everywhere = ["input 'b'", "input 'c'", "output 'r'"]
    assert problems == (everywhere if mounts else ["input 'a'", *everywhere, "output_path"])
    assert any("--mount odps://p/tables/t=DIRECTORY" in line for line in said)


def test_what_an_unknown_emulator_has_it_says_itself() -> None:
    settings().use_emulator("http://127.0.0.1:9")
    assert len(check(inputs={"a": "nas://fs.cn-h/data/x/"})) == 1


def test_a_quota_needs_no_instance_type() -> None:
    spec = JobSpec(name="a", command="true", options={"pai.resource_id": "quota1"})
    assert place_of(spec).backend == "pai"


def test_roles_may_have_the_instance_types() -> None:
    roles = (Role(name="master", instance_type="ecs.c6.large"), Role(name="worker", instance_type="ecs.c6.large"))
    spec = JobSpec(name="a", command="true", image_uri="img:1", roles=roles)
    assert place_of(spec).backend == "pai"
    assert PaiBackend().check(spec) == []
