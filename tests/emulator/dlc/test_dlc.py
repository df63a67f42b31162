"""DLC in the emulator: jobs that really run, their pods, logs and data sources; TensorBoard apps; machines."""

import asyncio
import os
import re
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import Client, aiworkspace, dlc
from pai_jupyter.emulator.dlc.command import Frame
from pai_jupyter.emulator.dlc.mount_paths import check_mount_paths, mount_path
from pai_jupyter.emulator.dlc.request_mapping import job_spec
from pai_jupyter.emulator.dlc.validation import check_job
from pai_jupyter.emulator.jobs.machines import MACHINES
from pai_jupyter.emulator.protocol.refusal import ApiRefusal
from pai_jupyter.errors import LimitExceededError, NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.spec import Json
from tests.support.emulators import DEADLINE, WORKSPACE, Emulator, emulator
from tests.support.wheels import WHEEL, is_importable, wheel

TERMINAL = ("Succeeded", "Failed", "Stopped")


@pytest.fixture
async def client(running: Emulator) -> AsyncIterator[Client]:
    async with running.client() as client:
        yield client
    running.clear_faults()


def job(command: str = "true", **more: Any) -> dict[str, Any]:  # Any: JSON values
    """A body of CreateJob, of one worker unless `JobSpecs` says otherwise."""
    return {
        "DisplayName": "j 训练",
        "JobType": "TFJob",
        "UserCommand": command,
        "JobSpecs": [role()],
        "WorkspaceId": WORKSPACE,
        **more,
    }


def role(kind: str = "Worker", count: int = 1, **more: Json) -> dict[str, Json]:
    return {"Type": kind, "Image": "registry/x:1", "PodCount": count, "EcsSpec": "ecs.c6.large", **more}


async def create(client: Client, command: str = "true", **more: Any) -> str:  # Any: JSON values
    return str((await client.call(dlc.CREATE_JOB, body=job(command, **more)))["JobId"])


async def until(client: Client, job_id: str, *statuses: str) -> dict[str, Any]:  # Any: JSON values
    deadline = time.monotonic() + DEADLINE
    while True:
        found: dict[str, Any] = await client.call(dlc.GET_JOB, path={"job_id": job_id})
        if found["Status"] in statuses:
            return found
        assert time.monotonic() < deadline, found
        assert found["Status"] not in TERMINAL, found
        await asyncio.sleep(0.05)


async def run(client: Client, command: str = "true", **more: Any) -> dict[str, Any]:  # Any: JSON values
    return await until(client, await create(client, command, **more), *TERMINAL)


async def lines(client: Client, job_id: str, pod: str, **query: Any) -> list[Any]:  # Any: JSON values
    path = {"job_id": job_id, "pod_id": f"{job_id}-{pod}"}
    found: Any = (await client.call(dlc.GET_POD_LOGS, path=path, query=query))["Logs"]
    return list(found)


async def test_roles_differ_and_find_each_other(client: Client, tmp_path: Path) -> None:
    roles = [role("Worker", 2), role("PS", UserCommand=f"echo I am $DLC_JOB_ID; touch {tmp_path}/served")]
    # The job ends with its first worker, which therefore waits for the second and for the server.
    greet = f"""case "$TF_CONFIG" in *'"index":1'*) touch {tmp_path}/gate; esac"""
    wait = f"until [ -e {tmp_path}/gate ] && [ -e {tmp_path}/served ]; do sleep 0.02; done"
    done = await run(client, f"echo $TF_CONFIG; {greet}; {wait}", JobSpecs=roles)
    assert (done["Status"], [pod["Type"] for pod in done["Pods"]]) == ("Succeeded", ["PS", "Worker", "Worker"])
    assert await lines(client, done["JobId"], "ps-0") == [f"I am {done['JobId']}"]
    told = [(await lines(client, done["JobId"], f"worker-{index}"))[0] for index in range(2)]
    assert [f'"index":{index},"type":"worker"' in text for index, text in enumerate(told)] == [True, True]


async def test_the_first_worker_is_the_master_where_there_is_none(client: Client) -> None:
    done = await run(client, "echo $RANK of $WORLD_SIZE", JobType="PyTorchJob", JobSpecs=[role("Worker", 2)])
    assert [pod["PodId"].removeprefix(done["JobId"]) for pod in done["Pods"]] == ["-master-0", "-worker-0"]
    assert await lines(client, done["JobId"], "worker-0") == ["1 of 2"]


async def test_a_job_finds_its_data_where_it_wants_it_and_what_it_writes_is_kept(
    client: Client, running: Emulator
) -> None:
    running.put("in/a b/训练.txt", "data")
    running.put("code/run.sh", "cat '/ml/input/data/train/a b/训练.txt'; echo model > /ml/output/model/m.txt")
    dataset: dict[str, Json] = {
        "Name": "code", "Uri": "oss://emulator/code/", "DataSourceType": "OSS", "Property": "DIRECTORY", "Options": "{}",
    }  # fmt: skip
    made = await client.call(aiworkspace.CREATE_DATASET, body=dataset)
    sources = [
        {"Uri": "oss://emulator/in/", "MountPath": "/ml/input/data/train"},
        {"DataSourceId": made["DatasetId"], "MountPath": "/ml/mount/code/"},
        {"Uri": "oss://emulator/out/", "MountPath": "/ml/output"},
        {"Uri": "oss://emulator/logs", "MountPath": "/ml/output/tensorboard"},
    ]
    command = "sh /ml/mount/code/run.sh && echo back > /ml/mount/code/written && echo ev > /ml/output/tensorboard/ev"
    done = await run(client, command, DataSources=sources)
    assert (done["Status"], done["ReasonMessage"]) == ("Succeeded", "")
    assert await lines(client, done["JobId"], "worker-0") == ["data"]
    assert [running.get(key) for key in ("out/model/m.txt", "code/written", "logs/ev")] == [
        b"model\n",
        b"back\n",
        b"ev\n",
    ]
    assert running.get("in/a b/训练.txt") == b"data"


@pytest.mark.parametrize(
    ("options", "source"),
    [
        ('{"mountPath": "/ml/input/data/train/"}', {}),
        ('{"mountPath": "/ml/elsewhere"}', {"MountPath": "/ml/input/data/train"}),
        ("", {"Options": '{"mountPath": "/ml/input/data/train"}'}),
        ('["no object"]', {"MountPath": "/ml/input/data/train"}),
    ],
)
async def test_a_dataset_lies_where_it_or_the_job_says(
    client: Client, running: Emulator, options: str, source: dict[str, Json]
) -> None:
    running.put("in/19/x.txt", "data")
    dataset: dict[str, Json] = {
        "Name": f"set-{time.time_ns()}", "Uri": "oss://emulator/in/19/", "DataSourceType": "OSS", "Property": "DIRECTORY",
        "Options": options,
    }  # fmt: skip
    made = await client.call(aiworkspace.CREATE_DATASET, body=dataset)
    done = await run(
        client, "cat /ml/input/data/train/x.txt", DataSources=[{"DataSourceId": made["DatasetId"], **source}]
    )
    assert (done["Status"], done["ReasonMessage"]) == ("Succeeded", "")
    assert await lines(client, done["JobId"], "worker-0") == ["data"]


async def test_a_job_has_its_own_variables_and_none_of_pais_training(client: Client) -> None:
    command = 'env | grep ^PAI_; env | grep "^A="'
    done = await run(client, command, Envs={"A": "it's $HOME", "PAI_KEPT": "x"})
    assert await lines(client, done["JobId"], "worker-0") == ["PAI_KEPT=x", "A=it's $HOME"]


async def test_a_job_is_told_what_it_was_given_under_names_of_the_contract_too(client: Client) -> None:
    envs = {"PAI_HPS": '{"lr": 0.1}', "PAI_USER_ARGS": "--lr 0.1 --s 'a  b'", "PAI_OUTPUT_MODEL": "/ml/output/model/"}
    done = await run(
        client, 'printf "%s\\n" "$PAI_HPS" "$PAI_USER_ARGS" "$PAI_OUTPUT_MODEL"; env | grep -c GIVES', Envs=envs
    )
    assert await lines(client, done["JobId"], "worker-0") == [*envs.values(), "0"]


async def test_what_a_job_installs_is_not_in_the_python_of_the_emulator(
    client: Client, running: Emulator, tmp_path: Path
) -> None:
    (tmp_path / WHEEL).write_bytes(wheel("pai_jupyter_demo"))
    command = (
        f"pip install --no-index {tmp_path}/{WHEEL} && python -m pip install --no-index {tmp_path}/{WHEEL} "
        "&& python -c 'import pai_jupyter_demo, filelock; print(\"used\", pai_jupyter_demo.VERSION)'"
    )
    done = await run(client, command, JobSpecs=[role("Worker", 2)], JobType="PyTorchJob")
    for pod in ("master-0", "worker-0"):
        said = await lines(client, done["JobId"], pod)
        assert ("used 1.0" in said, done["Status"]) == (True, "Succeeded"), said
    assert not is_importable("pai_jupyter_demo")
    deadline = time.monotonic() + DEADLINE
    while (running.data / "work" / str(done["JobId"])).exists():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


async def test_a_job_that_fails_says_so(client: Client) -> None:
    done = await run(client, "echo before; exit 3")
    assert (done["Status"], done["ReasonCode"]) == ("Failed", "JobFailed")
    assert "exit code 3" in done["ReasonMessage"]
    assert [each["Status"] for each in done["StatusHistory"]] == [
        *("Creating", "Queuing", "EnvPreparing", "Running", "Failed"),
    ]  # fmt: skip
    events: Any = (await client.call(dlc.GET_JOB_EVENTS, path={"job_id": done["JobId"]}))["Events"]
    assert "exit code 3" in events[-1]
    assert done["GmtFailedTime"] == done["GmtFinishTime"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"JobType": "RayJob", "JobSpecs": [role("Head")]}, "the emulator cannot run RayJob; it runs TFJob, "),
        ({"JobSpecs": [role("GraphLearn")]}, "a TFJob has no role GraphLearn in the emulator"),
        ({"DataSources": [{"Uri": "oss://no-such-bucket/", "MountPath": "/ml/x"}]}, "no-such-bucket"),
        ({"DataSources": [{"DataSourceId": "d-none", "MountPath": "/ml/x"}]}, "there is no dataset 'd-none'"),
        ({"DisplayName": "a fault-initialize-failed"}, "asked for the fault initialize-failed"),
    ],
)
async def test_what_cannot_be_run_here_fails_with_the_reason(client: Client, more: dict[str, Any], reason: str) -> None:
    done = await run(client, **more)
    assert (done["Status"], done["ReasonCode"]) == ("Failed", "EnvPrepareFailed")
    assert reason in done["ReasonMessage"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"DisplayName": ""}, "DisplayName is mandatory"),
        ({"DisplayName": "x" * 300}, "at most 256 characters"),
        ({"JobType": "pytorchjob"}, "JobType is 'pytorchjob'"),
        ({"JobSpecs": []}, "JobSpecs is mandatory"),
        ({"JobSpecs": [role("worker")]}, "JobSpecs.Type is 'worker'"),
        ({"JobSpecs": [role(), role()]}, "a list of different roles"),
        ({"JobSpecs": [role(count=0)]}, "JobSpecs.PodCount is '0'"),
        ({"JobSpecs": [role(EcsSpec="")]}, "JobSpecs.EcsSpec is mandatory"),
        ({"JobSpecs": [role(EcsSpec="c6.large")]}, "e.g. ecs.c6.large"),
        ({"JobSpecs": ["worker"]}, "a list of objects"),
        ({"UserCommand": ""}, "UserCommand is mandatory"),
        ({"DataSources": [{"MountPath": "/ml/x"}]}, "either Uri or DataSourceId"),
        ({"Envs": {"A": 1}}, "an object of texts"),
        ({"ThirdpartyLibs": "numpy"}, "a list of texts"),
        ({"Priority": 10}, "from 1 to 9"),
        ({"JobMaxRunningTimeMinutes": -1}, "a whole number from 0"),
    ],
)
def test_a_body_is_checked(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ApiRefusal) as refusal:
        check_job(job(**change))
    assert refusal.value.code in ("MissingParameter", "InvalidParameter")
    assert message in refusal.value.message


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["/mnt/x"], "Start the emulator with --backend docker"),
        (["/ml/../etc"], "the mount path '/ml/../etc' is invalid"),
        (["ml/x"], "the mount path 'ml/x' is invalid"),
        (["/ml/"], "the mount path '/ml' is invalid"),
        (["/ml//input/"], "cannot mount at '/ml/input', where the job has its own files"),
        (["/ml/./usercode"], "Write e.g. /ml/mount/code"),
        (["/ml/code"], "Write e.g. /ml/mount/code"),
        (["/ml/output/logs"], "Write e.g. /ml/output/tensorboard"),
        (["/ml/x", "/ml/x/"], "two data sources have the mount path '/ml/x'"),
        (["/ml/input/data/b", "/ml/input/data"], "'/ml/input/data/b' is inside of '/ml/input/data'"),
        (["/ml/output", "/ml/output/model/best"], "'/ml/output/model/best' is inside of '/ml/output'"),
    ],
)
async def test_a_mount_path_that_cannot_be_given_is_refused_before_there_is_a_job(
    client: Client, paths: list[str], message: str
) -> None:
    before = (await client.call(dlc.LIST_JOBS))["TotalCount"]
    sources = [{"Uri": f"oss://emulator/{number}/", "MountPath": path} for number, path in enumerate(paths)]
    with pytest.raises(SpecError, match=re.escape(message)):
        await create(client, DataSources=sources)
    assert (await client.call(dlc.LIST_JOBS))["TotalCount"] == before


async def test_all_inputs_may_be_one_mount(client: Client, running: Emulator) -> None:
    running.put("every/train/a.txt", "data")
    sources = [{"Uri": "oss://emulator/every/", "MountPath": "/ml/input/data"}]
    done = await run(client, "cat /ml/input/data/train/a.txt; echo; ls /ml/input/data", DataSources=sources)
    assert (done["Status"], await lines(client, done["JobId"], "worker-0")) == ("Succeeded", ["data", "train"])


def test_a_place_with_something_in_it_is_no_place_for_a_mount(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "taken" / "file").mkdir(parents=True)
    frame = Frame(job_id="j", links={"mount0": f"{tmp_path}/taken"}, envs={})
    script = frame.around("echo run")
    environ = {
        "PATH": os.environ["PATH"],
        "PAI_WORKING_DIR": "/x/usercode/",
        "PAI_OUTPUT_MOUNT0": f"{tmp_path}/source/",
    }
    done = subprocess.run(["sh", "-c", script], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"cannot mount a data source at {tmp_path}/taken: the path already exists" in done.stderr
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["file"]


def test_mounts_of_a_container_do_not_lie_in_each_other_either() -> None:
    check_mount_paths(["/mnt/a", "/mnt/ab", "/ml/output", "/ml/output/model"], is_container=True)
    with pytest.raises(SpecError, match="inside of '/mnt/a'"):
        check_mount_paths(["/mnt/a/b", "/mnt/a"], is_container=True)


def test_a_dataset_that_says_nothing_lies_where_the_service_puts_data() -> None:
    assert mount_path({}, {"Options": "{}"}) == "/mnt/data"
    assert mount_path({}, {"Options": "no JSON", "Name": "x"}) == "/mnt/data"
    assert mount_path({"Options": "[" * 100_000}, {}) == "/mnt/data"


def test_a_container_may_have_its_data_anywhere(tmp_path: Path) -> None:
    mounts = {"mount0": ("/mnt/it's here", tmp_path)}
    made = job_spec(job(), mounts, job_id="j", image=lambda name: f"local/{name}", is_container=True)
    assert (made.image_uri, made.outputs) == ("local/registry/x:1", {"mount0": str(tmp_path)})
    with pytest.raises(SpecError, match="not below /ml"):
        job_spec(job(), mounts, job_id="j", image=str, is_container=False)


async def test_a_running_job_is_stopped(client: Client) -> None:
    job_id = await create(client, "echo begun; sleep 60")
    await until(client, job_id, "Running")
    with pytest.raises(PaiJupyterError, match="stop it first"):
        await client.call(dlc.DELETE_JOB, path={"job_id": job_id})
    await client.call(dlc.STOP_JOB, path={"job_id": job_id})
    done = await until(client, job_id, "Stopped")
    assert (done["ReasonCode"], [pod["Status"] for pod in done["Pods"]]) == ("StoppedByUser", ["Failed"])
    await client.call(dlc.STOP_JOB, path={"job_id": job_id})
    await client.call(dlc.DELETE_JOB, path={"job_id": job_id})
    with pytest.raises(NotFoundError):
        await client.call(dlc.GET_JOB, path={"job_id": job_id})


async def test_a_job_that_takes_too_long_is_ended(client: Client, running: Emulator) -> None:
    made = job_spec(job(JobMaxRunningTimeMinutes=2), {}, job_id="j", image=str, is_container=False)
    assert made.max_run_time == 120


async def test_logs_are_told_from_a_time_on_and_so_many(client: Client) -> None:
    done = await run(client, "for n in 1 2 3 4 5; do echo $n; done")
    job_id = done["JobId"]
    assert await lines(client, job_id, "worker-0", MaxLines=2) == ["1", "2"]
    assert await lines(client, job_id, "worker-0", StartTime=done["GmtCreateTime"]) == ["1", "2", "3", "4", "5"]
    assert await lines(client, job_id, "worker-0", StartTime="2999-01-01T00:00:00Z") == []
    for pod in ("worker-1", "ps-0", ""):
        with pytest.raises(NotFoundError):
            await lines(client, job_id, pod)
    uid = {"PodUid": "of another time"}
    with pytest.raises(NotFoundError):
        await lines(client, job_id, "worker-0", **uid)


async def test_pods_and_lines_may_be_late(client: Client, running: Emulator) -> None:
    running.fault("late-instances", action="CreateJob", seconds=60)
    job_id = await create(client, "sleep 30")
    assert (await until(client, job_id, "Running"))["Pods"] == []
    await client.call(dlc.STOP_JOB, path={"job_id": job_id})
    assert len((await until(client, job_id, "Stopped"))["Pods"]) == 1
    running.fault("late-logs", action="CreateJob", seconds=3600)
    done = await run(client, "echo 1")
    assert await lines(client, done["JobId"], "worker-0") == []


async def test_jobs_are_found_by_name_tag_type_and_id(client: Client) -> None:
    job_id = await create(client, DisplayName="only this", JobType="XGBoostJob", Settings={"Tags": {"team": "视觉"}})
    await until(client, job_id, *TERMINAL)

    async def listed(**query: Any) -> list[str]:  # Any: JSON values
        pages = client.pages(dlc.LIST_JOBS, query={"WorkspaceId": WORKSPACE, "PageSize": 2, **query})
        return [str(each["JobId"]) async for page in pages for each in page]

    for query in (
        {"DisplayName": "only"},
        {"DisplayName": "only this", "DisplayNameSearchMode": "exact"},
        {"JobType": "XGBoostJob"},
        {"JobIds": f"{job_id},dlc0"},
        {"Tags": {"team": "视觉"}},
        {"JobId": job_id, "Status": "Succeeded"},
    ):
        assert await listed(**query) == [job_id], query
    assert await listed(DisplayName="only", DisplayNameSearchMode="exact") == []
    assert await listed(Tags={"team": "speech"}) == []
    assert (await listed())[0] == job_id
    with pytest.raises(SpecError, match="Status is 'Done'"):
        await listed(Status="Done")


async def test_jobs_and_apps_outlive_their_emulator(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as first:
        gate = tmp_path / "gate"
        async with first.client() as client:
            job_id = await create(client, f"echo begun; until [ -e '{gate}' ]; do sleep 0.1; done; echo ended")
            await until(client, job_id, "Running")
            app = await board(client, "oss://emulator/x/")
            await until_up(client, app)
        first.kill()
        gate.touch()
        first.start()
        async with first.client() as client:
            await until(client, job_id, "Succeeded")
            assert await lines(client, job_id, "worker-0") == ["begun", "ended"]
            await until_up(client, app)
            await client.call(dlc.DELETE_TENSORBOARD, path={"tensorboard_id": app})


async def board(client: Client, uri: str, **more: Json) -> str:
    body: dict[str, Json] = {"Uri": uri, "DataSourceType": "OSS", "SummaryRelativePath": "/", "WorkspaceId": WORKSPACE}
    return str((await client.call(dlc.CREATE_TENSORBOARD, body={**body, **more}))["TensorboardId"])


async def until_up(client: Client, app: str) -> dict[str, Any]:  # Any: JSON values
    deadline = time.monotonic() + DEADLINE
    while True:
        found: dict[str, Any] = await client.call(dlc.GET_TENSORBOARD, path={"tensorboard_id": app})
        if found["Status"] == "Running":
            return found
        assert time.monotonic() < deadline
        assert found["Status"] == "Creating", found
        await asyncio.sleep(0.1)


@pytest.fixture
async def boards(client: Client) -> AsyncIterator[Client]:
    yield client
    async for page in client.pages(dlc.LIST_TENSORBOARDS):
        for app in page:
            await client.call(dlc.DELETE_TENSORBOARD, path={"tensorboard_id": app["TensorboardId"]})


async def test_an_app_has_states_and_an_address_of_its_own(boards: Client) -> None:
    app = await board(boards, "oss://emulator/logs", DisplayName="看板", SourceType="TrainingJob", SourceId="train1")
    path, query = {"tensorboard_id": app}, {"WorkspaceId": WORKSPACE}
    shown = await until_up(boards, app)
    assert (shown["DisplayName"], shown["SummaryPath"]) == ("看板", "oss://emulator/logs/")
    assert shown["TensorboardUrl"].startswith("http://127.0.0.1:")
    assert not [name for name in shown if name.startswith("_")]
    await boards.call(dlc.STOP_TENSORBOARD, path=path, query=query)
    assert (await boards.call(dlc.GET_TENSORBOARD, path=path))["Status"] == "Stopped"
    await boards.call(dlc.START_TENSORBOARD, path=path, query=query)
    await until_up(boards, app)
    await boards.call(dlc.DELETE_TENSORBOARD, path=path, query=query)
    with pytest.raises(NotFoundError):
        await boards.call(dlc.GET_TENSORBOARD, path=path)


async def test_five_apps_may_run_and_a_stopped_one_does_not_count(boards: Client) -> None:
    apps = [await board(boards, f"oss://emulator/{number}/") for number in range(5)]
    with pytest.raises(LimitExceededError) as refusal:
        await board(boards, "oss://emulator/6/")
    assert refusal.value.code == "TensorboardLimitExceeded"
    await boards.call(dlc.STOP_TENSORBOARD, path={"tensorboard_id": apps[0]})
    apps.append(await board(boards, "oss://emulator/6/"))
    with pytest.raises(LimitExceededError):
        await boards.call(dlc.START_TENSORBOARD, path={"tensorboard_id": apps[0]})


@pytest.mark.parametrize(
    ("uri", "more", "kind"),
    [
        ("", {}, SpecError),
        ("/local", {}, SpecError),
        ("nas://x/y", {}, SpecError),
        ("oss://no-such-bucket/", {}, SpecError),
        ("oss://emulator/", {"MaxRunningTimeMinutes": "long"}, SpecError),
        ("oss://emulator/", {"WorkspaceId": "7"}, NotFoundError),
        ("", {"DataSourceId": "d-none"}, NotFoundError),
    ],
)
async def test_an_app_is_checked(boards: Client, uri: str, more: dict[str, Json], kind: type[PaiJupyterError]) -> None:
    with pytest.raises(kind):
        await board(boards, uri, **more)


async def test_machines_are_listed_in_pages_and_by_kind(client: Client) -> None:
    async def listed(**query: Any) -> list[dict[str, Any]]:  # Any: JSON values
        return [each async for page in client.pages(dlc.LIST_ECS_SPECS, query=query) for each in page]

    assert len(await listed(PageSize=3)) == len(MACHINES)
    assert {each["AcceleratorType"] for each in await listed(AcceleratorType="GPU")} == {"GPU"}
    by_gpu = [each["Gpu"] for each in await listed(SortBy="Gpu", Order="asc")]
    assert by_gpu == sorted(by_gpu)
    types = await listed(InstanceTypes="ecs.c6.large,ecs.none")
    assert [(each["InstanceType"], each["Cpu"], each["Memory"]) for each in types] == [("ecs.c6.large", 2, 4)]


async def test_the_workers_of_an_elastic_batch_job_run_and_its_aimaster_is_the_services_own(client: Client) -> None:
    settings = {"EnableErrorMonitoringInAIMaster": True, "ErrorMonitoringArgs": "--job-execution-mode=Async"}
    roles = [role("AIMaster"), role("Worker", 2)]
    done = await run(client, "echo $ELASTICBATCH_CONFIG", JobType="ElasticBatchJob", JobSpecs=roles, Settings=settings)
    assert (done["Status"], [pod["Type"] for pod in done["Pods"]]) == ("Succeeded", ["Worker", "Worker"])
    assert settings.items() <= done["Settings"].items()


async def test_an_elastic_batch_job_without_workers_fails_and_says_why(client: Client) -> None:
    done = await run(client, JobType="ElasticBatchJob", JobSpecs=[role("AIMaster")])
    assert done["Status"] == "Failed"
    assert "needs workers" in done["ReasonMessage"]
