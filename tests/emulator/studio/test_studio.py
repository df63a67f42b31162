"""Training jobs of the emulator, really run: what they find, what they leave, how they stand."""

import asyncio
import io
import json
import tarfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.pai.services.status_map import console_of
from pai_jupyter.cloud.client import Client, aiworkspace, paistudio
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.spec import Json
from tests.support.archives import beyond_path_max, crafted
from tests.support.emulators import BUCKET, DEADLINE, WORKSPACE, Emulator, training_job
from tests.support.wheels import WHEEL, is_importable, wheel

CODE = {"LocationType": "oss", "LocationValue": {"Bucket": BUCKET, "Key": "code/", "Endpoint": "oss.example.com"}}


LINKING = """\
import os, pathlib
for place in pathlib.Path({work!r}).glob("*/output/model"):
    place.rename(place.with_name("aside"))
    place.symlink_to({outside!r})
"""


@pytest.fixture
async def client(running: Emulator) -> AsyncIterator[Client]:
    async with running.client() as client:
        yield client


def code_at(key: str) -> dict[str, Any]:
    return {"LocationType": "oss", "LocationValue": {"Bucket": BUCKET, "Key": key, "Endpoint": "oss.example.com"}}


async def test_a_job_goes_through_the_services_states(running: Emulator, client: Client) -> None:
    job = await running.run(client)
    passed = ["Creating", "Created", "Initializing", "Submitted", "Running", "Succeed"]
    assert [each["Status"] for each in job["StatusTransitions"]] == passed
    assert all(each["EndTime"] for each in job["StatusTransitions"][:-1])
    assert job["Instances"] == [{"Name": f"{job['TrainingJobId']}-master-0", "Role": "master", "Status": "Succeeded"}]
    assert job["TrainingJobUrl"].startswith(running.address)
    assert console_of(job) == ""  # the emulator has no pages: what lies there is the answer of its OSS


async def test_a_job_that_fails_says_how(running: Emulator, client: Client) -> None:
    job = await running.run(client, "echo no; exit 3")
    assert (job["Status"], job["ReasonCode"]) == ("Failed", "AlgorithmError")
    assert "exit code 3" in job["ReasonMessage"]
    path = {"training_job_id": job["TrainingJobId"]}
    info: Any = (await client.call(paistudio.GET_TRAINING_JOB_ERROR_INFO, path=path))["ErrorInfo"]
    assert "exit code 3" in info["Message"]


async def test_code_and_inputs_are_there_and_outputs_are_kept(running: Emulator, client: Client) -> None:
    script = (
        "import os, sys\n"
        "print(sys.argv[1:], open('sub/模 x.txt').read())\n"
        "print(open(os.environ['PAI_INPUT_TRAIN'] + 'a/b.csv').read(), os.environ['PAI_INPUT_TRAIN'])\n"
        "print(open(os.environ['PAI_INPUT_ONE']).read(), os.environ['PAI_INPUT_ONE'])\n"
        "print(os.listdir(os.environ['PAI_OUTPUT_CHECKPOINTS']))\n"
        "open(os.environ['PAI_OUTPUT_MODEL'] + '模型.bin', 'w').write('model')\n"
    )
    running.put("code/train.py", script)
    running.put("code/sub/模 x.txt", "beside")
    running.put("code/.paiignore", "sub\n")
    running.put("data/a/b.csv", "1,2")
    running.put("earlier/7.ckpt", "state")
    job = await running.run(
        client,
        "python train.py $PAI_USER_ARGS",
        CodeDir=CODE,
        HyperParameters=[{"Name": "lr", "Value": "0.1"}],
        InputChannels=[
            {"Name": "train", "InputUri": f"oss://{BUCKET}/data/"},
            {"Name": "one", "InputUri": f"oss://{BUCKET}.{running.host}/data/a/b.csv"},
        ],
        OutputChannels=[
            {"Name": "model", "OutputUri": f"oss://{BUCKET}/out/model/"},
            {"Name": "checkpoints", "OutputUri": f"oss://{BUCKET}/earlier"},
        ],
    )
    lines = await running.lines(client, job["TrainingJobId"])
    assert job["Status"] == "Succeed", lines
    assert lines == [
        "['--lr', '0.1'] beside",
        "1,2 /ml/input/data/train/",
        "1,2 /ml/input/data/one/b.csv",
        "['7.ckpt']",
    ]
    assert running.get("out/model/模型.bin") == b"model"
    assert job["OutputModel"]["Uri"] == f"oss://{BUCKET}/out/model/"


async def test_a_link_in_the_place_of_an_output_brings_nothing_from_outside_and_is_told(
    running: Emulator, client: Client, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("hunter2")
    running.put("code/train.py", LINKING.format(work=str(running.data / "work"), outside=str(tmp_path)))
    job = await running.run(
        client,
        "python train.py",
        CodeDir=CODE,
        OutputChannels=[{"Name": "model", "OutputUri": f"oss://{BUCKET}/linked/model/"}],
    )
    path = {"training_job_id": job["TrainingJobId"]}
    events = [e async for page in client.pages(paistudio.LIST_TRAINING_JOB_EVENTS, path=path) for e in page]
    assert job["Status"] == "Succeed", await running.lines(client, job["TrainingJobId"])
    assert running.keys("linked/") == []
    assert any("which is not followed" in str(event) for event in events)


async def test_code_may_be_an_archive(running: Emulator, client: Client) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        member = tarfile.TarInfo("go.sh")
        member.size, member.mode = len(b"echo packed\n"), 0o755
        tar.addfile(member, io.BytesIO(b"echo packed\n"))
    running.put("archives/source.tar.gz", packed.getvalue())
    job = await running.run(client, "./go.sh", CodeDir=code_at("archives/source.tar.gz"))
    assert await running.lines(client, job["TrainingJobId"]) == ["packed"]


async def test_a_dataset_is_given_by_its_id(running: Emulator, client: Client) -> None:
    running.put("iris/x.csv", "5")
    dataset = await client.call(
        aiworkspace.CREATE_DATASET,
        body={
            "Name": "iris",
            "DataSourceType": "OSS",
            "Property": "DIRECTORY",
            "Uri": f"oss://{BUCKET}.{running.host}/iris/",
            "WorkspaceId": WORKSPACE,
        },
    )
    channels = [{"Name": "train", "DatasetId": dataset["DatasetId"]}]
    job = await running.run(client, "cat ${PAI_INPUT_TRAIN}x.csv", InputChannels=channels)
    assert await running.lines(client, job["TrainingJobId"]) == ["5"]


async def test_outputs_are_seen_while_the_job_runs(running: Emulator, client: Client) -> None:
    channels = [{"Name": "model", "OutputUri": f"oss://{BUCKET}/growing/"}]
    command = "echo 1 > ${PAI_OUTPUT_MODEL}first; sleep 60"
    job_id = await running.create(client, command, OutputChannels=channels)
    deadline = time.monotonic() + DEADLINE
    while await asyncio.to_thread(running.keys, "growing/") != ["growing/first"]:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)
    assert (await running.until(client, job_id, "Running"))["Status"] == "Running"
    await client.call(paistudio.STOP_TRAINING_JOB, path={"training_job_id": job_id})
    assert (await running.ended(client, job_id))["Status"] == "Terminated"


async def test_a_job_gets_no_more_of_the_contract_than_the_service_gives(running: Emulator, client: Client) -> None:
    command = "ls -d /ml/code /ml/output/logs 2>/dev/null; env | cut -d= -f1 | grep -e ^PAI_ -e ^PYTHONUN | sort; ls -A"
    channels = [{"Name": "model", "OutputUri": f"oss://{BUCKET}/nothing/"}]
    job = await running.run(client, command, OutputChannels=channels, HyperParameters=[{"Name": "lr", "Value": "1"}])
    assert await running.lines(client, job["TrainingJobId"]) == [
        "PAI_CONFIG_DIR",
        "PAI_HPS",
        "PAI_HPS_LR",
        "PAI_JUPYTER_JOB_ID",  # the mark by which its processes are found
        "PAI_OUTPUT_MODEL",
        "PAI_USER_ARGS",
        "PAI_WORKING_DIR",
    ]


async def test_a_job_finds_the_body_that_made_it(running: Emulator, client: Client) -> None:
    job = await running.run(client, "cat ${PAI_CONFIG_DIR}training_job.json ${PAI_CONFIG_DIR}hyperparameters.json")
    decoder = json.JSONDecoder()
    text = "\n".join(await running.lines(client, job["TrainingJobId"]))
    body, end = decoder.raw_decode(text)
    assert body == training_job("cat ${PAI_CONFIG_DIR}training_job.json ${PAI_CONFIG_DIR}hyperparameters.json")
    assert json.loads(text[end:]) == {}


async def test_what_a_command_installs_is_not_in_the_python_of_the_emulator(
    running: Emulator, client: Client, tmp_path: Path
) -> None:
    (tmp_path / WHEEL).write_bytes(wheel("pai_jupyter_demo"))
    command = f"pip install --no-index {tmp_path}/{WHEEL} && python -c 'import pai_jupyter_demo; print(\"used\")'"
    done = await running.run(client, command)
    assert "used" in await running.lines(client, done["TrainingJobId"]), done
    assert not is_importable("pai_jupyter_demo")


async def test_variables_of_the_body_reach_the_job(running: Emulator, client: Client) -> None:
    values = {"MODE": "a'; echo x", "SECRET_TOKEN": "t0p-secret-value", "PYTHONUNBUFFERED": "x", "训": "练"}
    values.pop("训")
    job = await running.run(client, 'echo "$MODE" $SECRET_TOKEN $PYTHONUNBUFFERED', Environments=values)
    assert await running.lines(client, job["TrainingJobId"]) == ["a'; echo x t0p-secret-value x"]


async def test_several_machines_have_a_log_each(running: Emulator, client: Client) -> None:
    resource = {"EcsCount": 2, "EcsSpec": "ecs.c6.large"}
    job = await running.run(client, "echo rank $RANK of $WORLD_SIZE", ComputeResource=resource)
    names = [each["Name"] for each in job["Instances"]]
    assert names == [f"{job['TrainingJobId']}-master-0", f"{job['TrainingJobId']}-worker-0"]
    path = {"training_job_id": job["TrainingJobId"]}
    for parameter in ("InstanceId", "WorkerId"):
        answer = await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=path, query={parameter: names[1]})
        assert answer["Logs"] == ["rank 1 of 2"]
    with pytest.raises(NotFoundError, match="TRAINING_JOB_INSTANCE_NOT_FOUND"):
        await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=path, query={"InstanceId": "worker-9"})


async def test_logs_come_in_pages_of_lines(running: Emulator, client: Client) -> None:
    job = await running.run(client, "for i in 1 2 3 4 5; do echo line $i; done; printf unfinished")
    path = {"training_job_id": job["TrainingJobId"]}
    pages = [
        await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=path, query={"PageNumber": page, "PageSize": 4})
        for page in (1, 2, 3)
    ]
    assert [page["Logs"] for page in pages] == [[f"line {i}" for i in (1, 2, 3, 4)], ["line 5", "unfinished"], []]
    assert {page["TotalCount"] for page in pages} == {"6"}
    later = {"StartTime": "2126-01-01T00:00:00Z"}
    assert (await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=path, query=later))["Logs"] == []
    with pytest.raises(SpecError, match="StartTime"):
        await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=path, query={"StartTime": "now"})


async def test_metrics_and_progress_are_read_by_the_jobs_own_definitions_alone(
    running: Emulator, client: Client
) -> None:
    job = await running.run(
        client,
        "for i in 1 2 3; do echo epoch $i acc=0.5 my_loss=0.$i done $i%; done; echo my_loss=nan",
        MetricDefinitions=[{"Name": "loss", "Regex": r"my_loss=(\S+)"}],
        ProgressDefinitions={"OverallProgress": {"Regex": r"done (\d+)%"}, "RemainingTime": {"Regex": r"no (\d+)"}},
    )
    assert job["LatestProgress"]["OverallProgress"]["Value"] == 3.0
    assert "RemainingTime" not in job["LatestProgress"]
    assert [(each["Name"], each["Value"]) for each in job["LatestMetrics"]] == [("loss", 0.3)]
    path = {"training_job_id": job["TrainingJobId"]}
    newest = {"Name": "loss", "Order": "DESC", "PageSize": "2"}
    answer: Any = await client.call(paistudio.LIST_TRAINING_JOB_METRICS, path=path, query=newest)
    assert ([each["Value"] for each in answer["Metrics"]], answer["TotalCount"]) == ([0.3, 0.2], 3)


async def test_what_an_instance_uses_is_told_in_percent(running: Emulator, client: Client) -> None:
    job_id = await running.create(client, "python -c 'while True: pass'")
    path, deadline = {"training_job_id": job_id}, time.monotonic() + DEADLINE
    await running.until(client, job_id, "Running")
    metrics: list[Any] = []
    while not metrics and time.monotonic() < deadline:
        query = {"MetricType": "CpuCoreUsage", "TimeStep": "10s"}
        answer: Any = await client.call(paistudio.LIST_TRAINING_JOB_INSTANCE_METRICS, path=path, query=query)
        metrics = answer["InstanceMetrics"][0]["Metrics"]
        await asyncio.sleep(0.1)
    assert 0 <= metrics[0]["Value"] <= 100
    rates: list[Any] = []
    while not rates and time.monotonic() < deadline:  # of the second sample: there is none before a second has passed
        query = {"MetricType": "DiskWriteRate", "TimeStep": "10s"}
        answer = await client.call(paistudio.LIST_TRAINING_JOB_INSTANCE_METRICS, path=path, query=query)
        rates = answer["InstanceMetrics"][0]["Metrics"]
        await asyncio.sleep(0.1)
    assert rates[0]["Value"] >= 0  # bytes per second
    with pytest.raises(SpecError, match="MetricType"):
        await client.call(paistudio.LIST_TRAINING_JOB_INSTANCE_METRICS, path=path, query={"MetricType": "Love"})
    await client.call(paistudio.STOP_TRAINING_JOB, path=path)
    await running.ended(client, job_id)


async def test_the_longest_time_ends_a_job(running: Emulator, client: Client) -> None:
    job = await running.run(client, "sleep 60", Scheduler={"MaxRunningTimeInSeconds": 1})
    assert (job["Status"], "Time limit reached (1 s)" in job["ReasonMessage"]) == ("Failed", True)
    assert job["Scheduler"] == {"MaxRunningTimeInSeconds": "1"}


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        ({"DatasetId": "d-unknown"}, "d-unknown"),
    ],
)
async def test_a_channel_that_cannot_be_given_fails_the_creation(
    running: Emulator, client: Client, channel: dict[str, str], words: str
) -> None:
    job = await running.run(client, InputChannels=[{"Name": "train", **channel}])
    assert (job["Status"], words in job["ReasonMessage"]) == ("CreateFailed", True)
    assert job["Instances"] == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"InputChannels": [{"Name": "a", "InputUri": f"oss://{BUCKET}/is-not-there"}]}, "is-not-there"),
        ({"InputChannels": [{"Name": "a", "InputUri": "oss://no-such-bucket/x/"}]}, "no-such-bucket"),
        ({"CodeDir": code_at("nothing.tar.gz")}, "nothing.tar.gz"),
        ({"OutputChannels": [{"Name": "model", "OutputUri": "oss://no-such-bucket/x/"}]}, "no-such-bucket"),
        ({"JobType": "RayJob"}, "RayJob"),
    ],
)
async def test_what_is_not_there_fails_the_initialisation(
    running: Emulator, client: Client, more: dict[str, Any], words: str
) -> None:
    job = await running.run(client, **more)
    assert (job["Status"], words in job["ReasonMessage"]) == ("InitializeFailed", True), job["ReasonMessage"]


async def test_a_broken_archive_fails_the_initialisation(running: Emulator, client: Client) -> None:
    running.put("archives/broken.tar.gz", b"no archive")
    job = await running.run(client, CodeDir=code_at("archives/broken.tar.gz"))
    assert job["Status"] == "InitializeFailed"


async def test_an_archive_that_leads_out_fails_the_initialisation(
    running: Emulator, client: Client, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("good")
    running.put("archives/evil.tar.gz", crafted(tmp_path / "evil.tar.gz", beyond_path_max(victim)).read_bytes())
    job = await running.run(client, CodeDir=code_at("archives/evil.tar.gz"))
    assert (job["Status"], "was not unpacked" in job["ReasonMessage"]) == ("InitializeFailed", True)
    assert victim.read_text() == "good"


async def test_an_ended_job_is_neither_stopped_nor_a_running_one_deleted(running: Emulator, client: Client) -> None:
    path = {"training_job_id": (await running.run(client))["TrainingJobId"]}
    with pytest.raises(SpecError, match="TRAINING_JOB_STATUS_INVALID"):
        await client.call(paistudio.STOP_TRAINING_JOB, path=path)
    await client.call(paistudio.DELETE_TRAINING_JOB, path=path)
    with pytest.raises(NotFoundError):
        await client.call(paistudio.GET_TRAINING_JOB, path=path)
    other = {"training_job_id": await running.create(client, "sleep 60")}
    with pytest.raises(SpecError, match="TRAINING_JOB_STATUS_INVALID"):
        await client.call(paistudio.DELETE_TRAINING_JOB, path=other)
    await client.call(paistudio.STOP_TRAINING_JOB, path=other)
    await running.ended(client, other["training_job_id"])


async def test_jobs_are_found_by_each_filter(running: Emulator, client: Client) -> None:
    labels = [{"Key": "only", "Value": "this 训练"}]
    first = (await running.run(client, TrainingJobName="find me 1", Labels=labels))["TrainingJobId"]
    second = (await running.run(client, "false", TrainingJobName="find me 2"))["TrainingJobId"]

    async def found(**query: Any) -> list[str]:
        answer: Any = await client.call(paistudio.LIST_TRAINING_JOBS, query=query)
        return [job["TrainingJobId"] for job in answer["TrainingJobs"]]

    assert await found(TrainingJobName="find me") == [second, first]
    assert await found(TrainingJobName="find me", Order="ASC") == [first, second]
    assert await found(TrainingJobName="find me", SortBy="TrainingJobName", Order="ASC") == [first, second]
    assert await found(TrainingJobName="find me", Status="Failed") == [second]
    assert await found(TrainingJobName="find me", PageSize=1, PageNumber=2) == [first]
    assert await found(Labels={"only": "this 训练"}) == [first]
    assert await found(Labels={"only": "that"}) == []
    assert await found(TrainingJobId=first, IsTempAlgo=True) == [first]
    assert await found(TrainingJobId=first, IsTempAlgo=False) == []
    assert await found(TrainingJobId=first, StartTime="2126-01-01T00:00:00Z") == []
    assert await found(TrainingJobId=first, EndTime="2026-01-01T00:00:00+08:00") == []
    for query in ({"Labels": "x"}, {"Status": "Succeeded"}, {"Order": "UP"}, {"SortBy": "Colour"}, {"PageSize": 0}):
        with pytest.raises(SpecError):
            await found(**query)


async def test_a_list_tells_no_algorithm_but_the_job_of_dlc(running: Emulator, client: Client) -> None:
    job_id = (await running.run(client))["TrainingJobId"]
    answer: Any = await client.call(paistudio.LIST_TRAINING_JOBS, query={"TrainingJobId": job_id})
    listed = answer["TrainingJobs"][0]
    assert "AlgorithmSpec" not in listed
    assert listed["DlcJobId"]


async def test_a_workspace_that_is_not_there_is_refused(running: Emulator, client: Client) -> None:
    with pytest.raises(NotFoundError, match="WorkspaceNotFound"):
        await running.create(client, WorkspaceId="99")
    with pytest.raises(SpecError, match="WorkspaceId"):
        await running.create(client, WorkspaceId="")


async def test_nothing_but_the_record_and_the_log_is_left_of_an_ended_job(running: Emulator, client: Client) -> None:
    job = await running.run(client, "echo x", OutputChannels=[{"Name": "model", "OutputUri": f"oss://{BUCKET}/o/"}])
    deadline = time.monotonic() + DEADLINE
    while (running.data / "work" / job["TrainingJobId"]).exists():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    assert await running.lines(client, job["TrainingJobId"]) == ["x"]


@pytest.mark.parametrize(
    "artifacts", [f"oss://{BUCKET}/artifacts", f"oss://{BUCKET}.oss-cn-x.aliyuncs.com/artifacts/", ""]
)
async def test_outputs_without_a_place_go_below_their_experiment(
    running: Emulator, client: Client, artifacts: str
) -> None:
    body: dict[str, Json] = {"Name": f"exp-{time.time_ns()}", "ArtifactUri": artifacts, "WorkspaceId": WORKSPACE}
    experiment = str((await client.call(aiworkspace.CREATE_EXPERIMENT, body=body))["ExperimentId"])
    command = "for i in model tensorboard extra; do echo $i > /ml/output/$i/x; done"
    asked = training_job(command, ExperimentConfig={"ExperimentId": experiment})
    asked["AlgorithmSpec"]["OutputChannels"] = [{"Name": name} for name in ("model", "tensorboard", "extra")]
    asked["OutputChannels"] = [{"Name": "extra", "OutputUri": f"oss://{BUCKET}/given/"}]
    job_id = str((await client.call(paistudio.CREATE_TRAINING_JOB, body=asked))["TrainingJobId"])
    job = await running.ended(client, job_id)
    assert (job["Status"], job["ReasonMessage"]) == ("Succeed", "")
    below = "artifacts" if artifacts else experiment
    whole = artifacts.rstrip("/") or f"oss://{BUCKET}/{experiment}"
    assert {each["Name"]: each["OutputUri"] for each in job["OutputChannels"]} == {
        "extra": f"oss://{BUCKET}/given/",
        "model": f"{whole}/{job_id}/model/",
        "tensorboard": f"{whole}/tensorboard/{job_id}/",
    }
    keys = (f"{below}/{job_id}/model/x", f"{below}/tensorboard/{job_id}/x", "given/x")
    assert [running.get(key) for key in keys] == [b"model\n", b"tensorboard\n", b"extra\n"]


async def test_a_job_of_an_experiment_without_any_channels_keeps_its_outputs(running: Emulator, client: Client) -> None:
    body: dict[str, Json] = {"Name": "no-channels", "ArtifactUri": f"oss://{BUCKET}/a", "WorkspaceId": WORKSPACE}
    experiment = str((await client.call(aiworkspace.CREATE_EXPERIMENT, body=body))["ExperimentId"])
    job = await running.run(client, "echo m > ${PAI_OUTPUT_MODEL}/x", ExperimentConfig={"ExperimentId": experiment})
    assert running.get(f"a/{job['TrainingJobId']}/model/x") == b"m\n"


async def test_a_job_of_no_experiment_is_refused(running: Emulator, client: Client) -> None:
    with pytest.raises(NotFoundError, match="exp-none"):
        await running.create(client, ExperimentConfig={"ExperimentId": "exp-none"})
