"""Jobs with roles on DLC: the body of CreateJob, its answers in the other service's form, logs without lines' numbers."""

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.pai.following.log_readers import replicas_of
from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.dlc_service import WholeLog, translated
from pai_jupyter.backends.pai.submission.dlc_request import UNKNOWN_TO_DLC, job
from pai_jupyter.backends.pai.submission.training_request import UploadedPlaces
from pai_jupyter.contract import PAI_OPTIONS, end_mark
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Event, LogChunk, Notice, Status, StatusChanged
from pai_jupyter.jobs import close_runtime, submit
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec, Json, Role
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.store import JobRecord, JobStore
from tests.support.emulators import DEADLINE, Emulator
from tests.support.pai_jobs import rehearsal, rehearsed
from tests.support.paths import DATA
from tests.support.wheels import WHEEL, is_importable, wheel

__all__ = ["rehearsal", "rehearsed"]  # fixtures

OFFICIAL: dict[str, Any] = next(  # Any: JSON
    row["body"] for row in json.loads((DATA / "pai_requests.json").read_text()) if row["action"] == "CreateJob"
)
IMAGE = OFFICIAL["JobSpecs"][0]["Image"]
ROLES = (
    Role(name="master", instance_type="ecs.c6.large"),
    Role(name="worker", instance_count=2, instance_type="ecs.c6.large"),
)


def spec_with(**fields: Any) -> JobSpec:  # Any: fields of a spec
    return JobSpec(**{"name": "j", "command": "python x.py", "image_uri": IMAGE, "roles": ROLES, **fields})


def body_of(spec: JobSpec, code: str = "oss://bkt/pai-jupyter/code/d1/code.tar.gz") -> dict[str, Any]:  # Any: JSON
    places = UploadedPlaces(code=parse_oss_url(code) if code else None, inputs=spec.inputs)
    return job(spec, places, job_id="j1", workspace="12345")


def test_the_body_is_what_the_official_client_sends() -> None:
    spec = spec_with(environments={"A": "b"}, requirements=("numpy==1.26",))
    ours = body_of(spec, code="")
    assert ours.pop("UserCommand") == contract.dlc_launcher(spec, contract.replicas(spec)[0], job_id="j1", code=None)
    assert ours.pop("Settings") == {"EnableOssAppend": True, "Tags": {"pai_jupyter_job_id": "j1"}}
    variables = ours.pop("Envs")
    official = {name: value for name, value in OFFICIAL.items() if name not in ("Envs", "UserCommand")}
    official["JobSpecs"] = [{name: value for name, value in each.items() if value} for each in official["JobSpecs"]]
    assert ours == official
    assert OFFICIAL["Envs"].items() <= variables.items()


def test_the_variables_are_the_contracts_but_those_by_which_replicas_find_each_other() -> None:
    variables = body_of(spec_with(hyperparameters={"lr": 0.1}))["Envs"]
    assert (variables["PAI_HPS_LR"], variables["PAI_OUTPUT_MODEL"]) == ("0.1", "/ml/output/model/")
    assert not variables.keys() & {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TF_CONFIG"}


def test_code_inputs_and_outputs_are_data_sources() -> None:
    spec = spec_with(
        inputs={
            "dir": "oss://bkt/data/",
            "file": "oss://bkt/d/a b.csv",
            "set": "d-g1bt7qk8nm6gvg",
            "nas": "nas://fs/x",
        },
        output_path="oss://bkt/out",
        outputs={"report": "oss://bkt/report/"},
        options={"pai.input_options": {"set": {"VersionName": "v1", "Options": "{}"}}},
    )
    body = body_of(spec)
    assert body["DataSources"] == [
        {"Uri": "oss://bkt/pai-jupyter/code/d1/", "MountPath": "/ml/mount/code/"},
        {"Uri": "oss://bkt/data/", "MountPath": "/ml/input/data/dir/"},
        {"Uri": "oss://bkt/d/", "MountPath": "/ml/input/data/file/"},
        {
            "DataSourceId": "d-g1bt7qk8nm6gvg",
            "MountPath": "/ml/input/data/set/",
            "DataSourceVersion": "v1",
            "Options": "{}",
        },
        {"Uri": "nas://fs/x", "MountPath": "/ml/input/data/nas/"},
        {"Uri": "oss://bkt/out/", "MountPath": "/ml/output/"},
        {"Uri": "oss://bkt/report/", "MountPath": "/ml/output/report/"},
    ]
    assert body["Envs"]["PAI_INPUT_FILE"] == "/ml/input/data/file/a b.csv"


def test_roles_may_have_commands_images_and_shares_of_a_quota_of_their_own() -> None:
    roles = (Role(name="chief", command="python chief.py"), Role(name="ps", image_uri="ps:1"), Role(name="worker"))
    options: dict[str, Json] = {
        "pai.resource_id": "quota1",
        "pai.instance_spec": {"CPU": 4},
        "pai.priority": 5,
        "pai.labels": {"team": "a"},
        "pai.settings": {"EnableRDMA": True, "EnableOssAppend": False},
        "pai.user_vpc_config": {"VpcId": "vpc-1"},
    }
    body = body_of(spec_with(job_type="TFJob", roles=roles, options=options, max_run_time=61))
    chief, ps, worker = body["JobSpecs"]
    assert [each["Type"] for each in body["JobSpecs"]] == ["Chief", "PS", "Worker"]
    assert "python chief.py" in chief["UserCommand"]
    assert ("UserCommand" in ps, ps["Image"], worker["Image"]) == (False, "ps:1", IMAGE)
    assert ("EcsSpec" in worker, worker["ResourceConfig"]) == (False, {"CPU": "4"})
    assert (body["ResourceId"], body["Priority"], body["UserVpc"]) == ("quota1", 5, {"VpcId": "vpc-1"})
    assert body["JobMaxRunningTimeMinutes"] == 2
    assert body["Settings"] == {
        "EnableOssAppend": False,
        "EnableRDMA": True,
        "Tags": {"team": "a", "pai_jupyter_job_id": "j1"},
    }


@pytest.mark.parametrize(("name", "shown"), [("训练 ab", "-ab"), ("a.b_c-d", "a.b_c-d")])
def test_a_name_has_only_what_dlc_takes(name: str, shown: str) -> None:
    assert body_of(spec_with(name=name))["DisplayName"] == shown


def test_what_dlc_does_not_know_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.backends.pai.submission.spec_check._check_session", lambda _: iter(()))
    values: dict[str, Json] = {"mapping": {}, "list": [], "text": "x", "number": 1, "flag": True, "labels": {}}
    for name in UNKNOWN_TO_DLC:
        spec = spec_with(options={f"pai.{name}": values[PAI_OPTIONS[name].kind]})
        (sentence,) = PaiBackend().check(spec)
        assert f"the option pai.{name} is of the training service" in sentence
    (sentence,) = PaiBackend().check(spec_with(inputs={"t": "odps://p/tables/t"}))
    assert "input 't' is a table" in sentence
    assert PaiBackend().check(spec_with()) == []


# --- its answers -------------------------------------------------------------------------------------------------


def test_a_job_of_dlc_is_told_as_the_other_service_would() -> None:
    job = translated(
        {
            "JobId": "dlc1",
            "Status": "Failed",
            "ReasonMessage": "exit code 3",
            "GmtCreateTime": "2026-01-01T00:00:00Z",
            "StatusHistory": [{"Status": "Running", "StartTime": "2026-01-01T00:00:05Z"}],
            "Settings": {"Tags": {"pai_jupyter_job_id": "j1"}},
            "Pods": [{"PodId": "dlc1-worker-1", "Type": "Worker"}, {"PodId": "dlc1-ps-0", "Type": "PS"}],
            "DataSources": [
                {"MountPath": "/ml/output", "Uri": "oss://b/out/"},
                {"MountPath": "/ml/output/model/", "Uri": "oss://b/m/"},
                {"MountPath": "/ml/input/data/x", "Uri": "oss://b/x/"},
            ],
        }
    )
    assert status_map.report_of(job).status is Status.FAILED
    assert status_map.report_of(job).started is not None
    assert sorted(replicas_of(status_map.objects(job, "Instances"))) == ["ps-0", "worker-1"]
    assert job["Labels"] == [{"Key": "pai_jupyter_job_id", "Value": "j1"}]
    places = {each["Name"]: each["OutputUri"] for each in status_map.objects(job, "OutputChannels")}
    assert (places["model"], places["tensorboard"]) == ("oss://b/m/", "oss://b/out/tensorboard/")
    assert "x" not in places


def test_an_answer_with_nothing_in_it_is_told_too() -> None:
    assert status_map.report_of(translated({})).status is Status.UNKNOWN


# --- logs --------------------------------------------------------------------------------------------------------


class PodLog:
    """A client whose service has one log; it gives the first `MaxLines` of it, or the last."""

    def __init__(self, lines: list[str], *, gives_last: bool) -> None:
        self.lines = lines
        self.gives_last = gives_last
        self.asked: list[int] = []
        self.is_there = True

    async def call(self, *_: object, query: dict[str, int], **__: object) -> dict[str, Json]:
        if not self.is_there:
            raise NotFoundError("no pod", code="PodNotFound")
        wanted = query["MaxLines"]
        self.asked.append(wanted)
        return {"Logs": [*(self.lines[-wanted:] if self.gives_last else self.lines[:wanted])]}


async def read(log: WholeLog) -> str:
    log._due = 0.0
    return b"".join([found.data async for found in log.read()]).decode()


@pytest.mark.parametrize("gives_last", [False, True])
@pytest.mark.parametrize("count", [0, 1, 1999, 2000, 2001, 9000])
@pytest.mark.parametrize("start", [0, 1, 1500])
async def test_every_line_behind_the_cursor_comes_once(gives_last: bool, count: int, start: int) -> None:
    service = PodLog([f"line {number}" for number in range(count)], gives_last=gives_last)
    log = WholeLog(service, "dlc1", "pod", job_id="j1", cursor=min(start, count))  # type: ignore[arg-type]  # a client
    found = await read(log)
    service.lines += ["more", end_mark("j1", 0)]
    found += await read(log)
    assert found == "".join(f"{line}\n" for line in service.lines[min(start, count) : -1])
    assert log.is_complete


async def test_a_pod_that_is_not_there_yet_has_no_lines() -> None:
    service = PodLog(["a"], gives_last=False)
    service.is_there = False
    log = WholeLog(service, "dlc1", "pod", job_id="j1", cursor=0)  # type: ignore[arg-type]  # a client
    assert await read(log) == ""
    service.is_there = True
    assert await read(log) == "a\n"


async def test_a_long_log_is_asked_for_more_seldom() -> None:
    service = PodLog(["a"] * 5000, gives_last=False)
    log = WholeLog(service, "dlc1", "pod", job_id="j1", cursor=0)  # type: ignore[arg-type]  # a client
    await read(log)
    asked = len(service.asked)
    assert [found async for found in log.read()] == []
    assert len(service.asked) == asked


# --- the launcher ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["archive", "directory"])
def test_the_launcher_lays_out_the_tree_once_for_all_replicas(tmp_path: Path, kind: str) -> None:
    ml, mounted = tmp_path / "ml", tmp_path / "mount 代码"
    mounted.mkdir()
    files = {"train.py": b"print('hi', open('data 1').read())", "data 1": b"x"}
    package = build(None, to=mounted / "code.tar.gz", files=files)
    code = str(package.path)
    if kind == "directory":
        package.path.unlink()
        for name, content in files.items():
            (mounted / name).write_bytes(content)
        code = f"{mounted}/"
    spec = spec_with(command="python3 train.py $PAI_USER_ARGS", hyperparameters={"a": "b  c'"})
    text = contract.dlc_launcher(spec, contract.replicas(spec)[0], job_id="j1", code=code).replace("/ml", str(ml))
    replicas = [
        subprocess.Popen(
            ["sh", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ
        )
        for _ in range(3)
    ]
    logs = {replica.communicate(timeout=DEADLINE)[0] for replica in replicas}
    assert logs == {f"hi x\n{end_mark('j1', 0)}\n"}
    assert json.loads((ml / "input/config/hyperparameters.json").read_text()) == {"a": "b  c'"}
    assert json.loads((ml / "input/config/training_job.json").read_text())["TrainingJobName"] == "j"
    assert (ml / "code").readlink() == Path("usercode")
    assert (ml / "output/logs").readlink() == Path("tensorboard")
    assert (ml / "output/output_parameters").is_dir()


def dlc_run(tmp_path: Path, spec: JobSpec, **variables: str) -> "subprocess.CompletedProcess[str]":
    text = contract.dlc_launcher(spec, contract.replicas(spec)[0], job_id="j1", code=None)
    return subprocess.run(
        ["sh", "-c", text.replace("/ml", str(tmp_path / "ml"))],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )


def test_a_link_that_another_replica_creates_meanwhile_is_no_stray_file(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    slow = tmp_path / "bin" / "ln"
    real = shutil.which("ln")
    slow.write_text(
        f'#!/bin/sh\nfor each; do to=$at at=$each; done\n{real} -s "$to" "$at" 2>/dev/null\nexec {real} "$@"\n'
    )
    slow.chmod(0o755)
    done = dlc_run(tmp_path, spec_with(command="true"), PATH=f"{slow.parent}:{os.environ['PATH']}")
    assert done.stdout == f"{end_mark('j1', 0)}\n"
    assert (tmp_path / "ml" / "code").readlink() == Path("usercode")
    assert not [*(tmp_path / "ml" / "usercode").iterdir()]
    assert not [*(tmp_path / "ml" / "output" / "tensorboard").iterdir()]


@pytest.mark.parametrize(("also", "code"), [("", 1), ('; touch "$PAI_SHARDS_DONE"', 0), ("; exit 3", 3)])
def test_a_worker_that_has_left_shards_has_failed(tmp_path: Path, also: str, code: int) -> None:
    spec = JobSpec(
        name="j",
        command=f'touch "$PAI_SHARDS_DONE.left"{also}',
        image_uri="img:1",
        job_type="ElasticBatchJob",
        instance_count=2,
    )
    done = dlc_run(tmp_path, spec)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, end_mark("j1", code))
    assert ("has left shards" in done.stdout) == (code == 1)


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"RANK": "0"}, ""),
        ({"RANK": "2"}, "rank-2/"),
        ({"TF_CONFIG": '{"cluster":{"chief":["a:1"],"worker":["b:1"]},"task":{"index":0,"type":"chief"}}'}, ""),
        (
            {"TF_CONFIG": '{"cluster": {"chief": ["a:1"]}, "task": {"type": "worker", "index": 0}}'},
            "worker-0/",
        ),
        ({"TF_CONFIG": '{"cluster":{"worker":["a:1"],"ps":["b:1"]},"task":{"index":0,"type":"worker"}}'}, ""),
        ({"TF_CONFIG": '{"cluster":{"worker":["a:1"],"ps":["b:1"]},"task":{"index":0,"type":"ps"}}'}, "ps-0/"),
        ({"ELASTICBATCH_CONFIG": '{"task":{"type":"worker","index":12},"environment":"cloud"}'}, "worker-12/"),
        ({"ELASTICBATCH_CONFIG": '{"task":{"type":"worker","index":0}}'}, ""),
        ({"TF_CONFIG": "{"}, ""),
    ],
)
def test_files_of_replicas_are_apart_by_rank_or_by_role(tmp_path: Path, variables: dict[str, str], place: str) -> None:
    done = dlc_run(tmp_path, spec_with(command="echo x >ck.txt"), **variables)
    assert done.stdout == f"{end_mark('j1', 0)}; in workdir: 1 {place}ck.txt\n"
    assert (tmp_path / "ml" / "output" / "workdir" / f"{place}ck.txt").exists()


def test_code_that_is_not_there_is_the_end_and_marked_so(tmp_path: Path) -> None:
    spec = spec_with()
    text = contract.dlc_launcher(spec, contract.replicas(spec)[0], job_id="j1", code="/nowhere/code.tar.gz")
    done = subprocess.run(
        ["sh", "-c", text.replace("/ml", str(tmp_path / "ml"))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, end_mark("j1", 1))


# --- at the emulator ---------------------------------------------------------------------------------------------

SCRIPT = b"""
import os, pathlib, sys
role = os.environ["RANK"]
print("rank", role, "of", os.environ["WORLD_SIZE"], sys.argv[1:], sorted(os.listdir(os.environ["PAI_INPUT_DATA"])))
if role == "0":
    pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.bin").write_bytes(b"weights")
sys.exit(int(os.environ.get("EXIT", "0")))
"""


async def run(
    backend: PaiBackend, folder: Path, *, files: Mapping[str, bytes] | None = None, **fields: Any
) -> tuple[list[Event], Any]:  # Any: fields of a spec, a JobRef
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "a b").write_text("1")
    given = {
        "command": "python train.py $PAI_USER_ARGS",
        "hyperparameters": {"s": "x  y"},
        "inputs": {"data": str(folder / "data")},
    }
    spec = spec_with(**{**given, **fields})
    JobStore().create(JobRecord(id="j1", spec=spec, backend="pai", created=0.0))
    package = build(None, to=folder / "p.tar.gz", files={"train.py": SCRIPT, **(files or {})})
    ref = await backend.submit(spec, package, job_id="j1")
    return [event async for event in backend.follow(ref, {})], ref


def logs(events: list[Event]) -> dict[str, str]:
    found: dict[str, str] = {}
    for event in events:
        if isinstance(event, LogChunk):
            found[event.replica] = found.get(event.replica, "") + event.data.decode()
    return found


async def test_a_job_with_roles_runs_on_dlc(rehearsed: PaiBackend, tmp_path: Path) -> None:
    events, ref = await run(rehearsed, tmp_path)
    assert ref.data["kind"] == "dlc"
    assert logs(events) == {
        name: f"rank {rank} of 3 ['--s', 'x  y'] ['a b']\n"
        for rank, name in enumerate(("master-0", "worker-0", "worker-1"))
    }
    end = events[-1]
    assert isinstance(end, StatusChanged)
    assert (end.status, end.exit_code) == (Status.SUCCEEDED, 0)
    assert await rehearsed.submit(spec_with(), build(None, to=tmp_path / "q.tar.gz"), job_id="j1") == ref
    model = await rehearsed.fetch(ref, "model", tmp_path / "model")
    assert (model / "model.bin").read_bytes() == b"weights"
    with pytest.raises(NotFoundError):
        await rehearsed.fetch(ref, "modle", tmp_path / "copy")


async def test_a_job_with_roles_has_its_hyperparameters_in_its_variables(rehearsed: PaiBackend, tmp_path: Path) -> None:
    command = 'printf "%s\\n" "$PAI_HPS" "$PAI_USER_ARGS" "$PAI_HPS_LR"'
    events, _ = await run(rehearsed, tmp_path, command=command, hyperparameters={"lr": 0.1, "s": "x  y"})
    assert logs(events)["worker-1"].splitlines() == ['{"lr": 0.1, "s": "x  y"}', "--lr 0.1 --s x  y", "0.1"]


async def test_what_replicas_leave_in_their_working_directories_is_saved_for_each(
    rehearsed: PaiBackend, tmp_path: Path
) -> None:
    script = b"import os\nopen(f\"of {os.environ['RANK']}\", 'w').close()\n"
    events, ref = await run(rehearsed, tmp_path, files={"train.py": script})
    fetched = await rehearsed.fetch(ref, "workdir", tmp_path / "fetched")
    found = {path.relative_to(fetched).as_posix() for path in fetched.rglob("of *")}
    assert found == {"of 0", "rank-1/of 1", "rank-2/of 2"}
    (said,) = [each.text for each in events if isinstance(each, Notice)]
    assert said == "3 files beside the channels: of 0, rank-1/of 1, rank-2/of 2, in Files below workdir."


async def test_a_script_at_the_emulator_finds_what_it_has_written_and_no_other_replicas(
    rehearsed: PaiBackend, tmp_path: Path
) -> None:
    """Each has a working directory of its own with the whole code, as each pod has."""
    script = (
        b"import os, pathlib\nown = pathlib.Path('ck.txt')\nassert not own.exists()\nown.write_text(os.environ['RANK'])\n"
        b"barrier = pathlib.Path(os.environ['PAI_OUTPUT_MODEL'])\n(barrier / os.environ['RANK']).touch()\n"
        b"while len([*barrier.iterdir()]) < 3: pass\n"
        b"place = pathlib.Path(os.environ['PAI_WORKING_DIR'])\n"
        b"print(own.read_text() == os.environ['RANK'], place.samefile('.'), pathlib.Path('train.py').exists())\n"
    )
    events, _ = await run(rehearsed, tmp_path, files={"train.py": script})
    assert set(logs(events).values()) == {"True True True\n"}


async def test_what_a_job_with_roles_writes_beside_its_channels_lies_below_the_output_path(
    rehearsed: PaiBackend, rehearsal: Emulator, tmp_path: Path
) -> None:
    script = (
        b"import os, pathlib\nplace = pathlib.Path('/ml/output', f\"of {os.environ['RANK']}\")\nplace.mkdir()\n"
        b"(place / 'a.txt').write_text('a')\n"
    )
    _, ref = await run(rehearsed, tmp_path, files={"train.py": script}, output_path="oss://emulator/with roles/")
    found = sorted(await asyncio.to_thread(rehearsal.keys, "with roles/of "))
    assert found == [f"with roles/of {rank}/a.txt" for rank in range(3)]
    fetched = await rehearsed.fetch(ref, "beside_channels", tmp_path / "beside")
    assert sorted(str(path.relative_to(fetched)) for path in fetched.rglob("*.txt")) == [
        f"of {rank}/a.txt" for rank in range(3)
    ]


async def test_requirements_of_a_job_with_roles_stay_out_of_the_python_of_the_emulator(
    rehearsed: PaiBackend, tmp_path: Path
) -> None:
    use = b"import importlib.metadata as m, pai_jupyter_demo\nprint('used', m.version('pai_jupyter_demo'))"
    files = {WHEEL: wheel("pai_jupyter_demo"), "requirements.txt": f"./{WHEEL}\n".encode(), "train.py": use}
    events, _ = await run(rehearsed, tmp_path, files=files, environments={"PIP_NO_INDEX": "1"})
    assert [log.splitlines()[-1] for log in logs(events).values()] == ["used 1.0"] * 3
    assert not is_importable("pai_jupyter_demo")


async def test_a_job_with_roles_that_fails_says_who(rehearsed: PaiBackend, tmp_path: Path) -> None:
    events, ref = await run(rehearsed, tmp_path, environments={"EXIT": "3"})
    end = events[-1]
    assert isinstance(end, StatusChanged)
    assert (end.status, end.exit_code) == (Status.FAILED, 3)
    assert end.reason.endswith(": exit code 3")
    assert (await rehearsed.status(ref)).status is Status.FAILED


def test_a_job_with_roles_is_stopped(rehearsed: PaiBackend, rehearsal: Emulator, tmp_path: Path) -> None:
    spec = spec_with(command="echo begun; sleep 60")
    job = submit(spec, backend="pai")
    _until(lambda: job.folder.log("master-0").count() >= 1)
    job.stop()
    _until(lambda: job.status.is_terminal)
    close_runtime()
    assert job.status is Status.STOPPED


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
