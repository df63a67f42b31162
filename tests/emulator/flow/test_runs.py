"""Runs of the emulator's PAIFlow, whose jobs really run."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pai_jupyter.cloud.client import Client, paiflow
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.spec import Json
from tests.support.drivers import drivers_of
from tests.support.emulators import BUCKET, DEADLINE, Emulator, emulator
from tests.support.flow_runs import create, ended, logs_of, nodes_of, until
from tests.support.flows import Document, component, custom_job, documents, job_config, packed, pipeline, step


@pytest.fixture
async def client(running: Emulator) -> AsyncIterator[Client]:
    async with running.client() as client:
        yield client


async def test_one_of_two_branches_runs(client: Client) -> None:
    measure = component("echo measured; echo 0.97 > /pai/outputs/parameters/acc", guid="m", outputs=("acc",))
    say = component("echo said {{inputs.parameters.what}}", guid="s", inputs=("what",))
    acc = "{{pipelines.first.outputs.parameters.acc}}"
    steps = [
        step("first", "m"),
        step("good", "s", parameters={"what": acc}, when=f"{acc} > 0.9", dependencies=["first"]),
        step("bad", "s", parameters={"what": acc}, when=f"{acc} <= 0.9", dependencies=["first"]),
    ]
    found = await ended(client, await create(client, measure, say, pipeline(*steps)))
    assert (found["Status"], found["Message"]) == ("Succeeded", "")
    nodes = await nodes_of(client, found)
    assert {name: node["StatusInfo"]["Status"] for name, node in nodes.items()} == {
        "first": "Succeeded",
        "good": "Succeeded",
        "bad": "Skipped",
    }
    path = {"run_id": found["RunId"], "node_id": nodes["good"]["Metadata"]["NodeId"]}
    logs: Any = await client.call(paiflow.LIST_NODE_LOGS, path=path)
    assert (logs["Logs"], logs["TotalCount"]) == (["said 0.97"], 1)


async def test_lines_of_a_log_are_paged_searched_and_reversed(client: Client) -> None:
    say = component("for i in 1 2 3 4 5; do echo line $i; done", guid="s")
    found = await ended(client, await create(client, say, pipeline(step("say", "s"))))
    assert await logs_of(client, found, "say", Offset=1, PageSize=2) == (["line 2", "line 3"], 5)
    assert await logs_of(client, found, "say", Offset=5, PageSize=2) == ([], 5)
    assert await logs_of(client, found, "say", Offset=1, PageSize=2, Reverse=True) == (["line 4", "line 3"], 5)
    assert await logs_of(client, found, "say", Keyword="4") == (["line 4"], 1)
    assert await logs_of(client, found, "say", ToTimeInSeconds=1) == ([], 0)
    path = {"run_id": found["RunId"], "node_id": found["NodeId"]}
    assert (await client.call(paiflow.LIST_NODE_LOGS, path=path))["Logs"] == []


async def test_a_failed_step_says_why_and_what_depends_on_it_is_skipped(client: Client) -> None:
    fails, other = component("echo no; exit 3", guid="f"), component("true", guid="t")
    steps = [step("fails", "f"), step("after", "t", dependencies=["fails"]), step("beside", "t")]
    found = await ended(client, await create(client, fails, other, pipeline(*steps)))
    assert found["Status"] == "Failed"
    assert "fails" in found["Message"]
    nodes = await nodes_of(client, found)
    assert {name: node["StatusInfo"]["Status"] for name, node in nodes.items()} == {
        "fails": "Failed",
        "after": "Skipped",
        "beside": "Succeeded",
    }
    assert "3" in nodes["fails"]["StatusInfo"]["Message"]


SCRIPT = """
import argparse, os, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int)
parser.add_argument("--train_data")
given = parser.parse_args()
out = pathlib.Path("/ml/output")
(out / "output_parameters").mkdir(exist_ok=True)
(out / "output_parameters" / "acc").write_text(str(given.n))
print(pathlib.Path(given.train_data).read_text(), (out / "kept.txt").read_text(), "PAI_JUPYTER_HOME" in os.environ)
(out / "model.txt").write_text("trained")
"""


async def test_a_custom_job_has_its_code_and_data_from_oss_and_its_output_goes_there(
    running: Emulator, client: Client
) -> None:
    running.put("code/source.tar.gz", packed("train.py", SCRIPT))
    running.put("data/train.csv", "1,2,3")
    running.put("out/kept.txt", "earlier")
    running.put("out/output_parameters/acc", "stale")
    train = custom_job(
        f"oss://{BUCKET}.oss-cn-hangzhou.aliyuncs.com/code/source.tar.gz", "train.py", guid="t", outputs=("acc",), n=1
    )
    one = step(
        "train",
        "t",
        parameters={
            "n": 7,
            "job_config": job_config(),
            "output_path": f"oss://{BUCKET}.oss-cn-hangzhou.aliyuncs.com/out/",
        },
        artifacts={"train_data": location("data/train.csv")},
    )
    found = await ended(client, await create(client, train, pipeline(one)))
    assert (found["Status"], found["Message"]) == ("Succeeded", "")
    lines, _ = await logs_of(client, found, "train")
    assert lines == ["1,2,3 earlier False"]
    keys = ["out/kept.txt", "out/model.txt", "out/output_parameters/acc"]
    assert await asyncio.to_thread(running.keys, "out/") == keys
    assert [await asyncio.to_thread(running.get, key) for key in keys] == [b"earlier", b"trained", b"7"]
    outputs = (await nodes_of(client, found))["train"]["Spec"]["Outputs"]
    assert outputs["Parameters"] == [{"Name": "acc", "Type": "String", "Value": "7"}]


@pytest.mark.parametrize(
    ("instance_type", "image", "words"),
    [
        ("ecs.nope", "python:3", "ecs.nope"),
        ("ecs.c6.large", "registry.cn-emulator.aliyuncs.com/pai-dlc/none:1", "pai-dlc/none:1"),
    ],
)
async def test_what_the_service_does_not_have_fails_the_step(
    client: Client, instance_type: str, image: str, words: str
) -> None:
    train = custom_job(f"oss://{BUCKET}/code/none.tar.gz", "train.py", guid="t", image=image, n=1)
    one = step("train", "t", parameters={"job_config": job_config(instance_type)})
    found = await ended(client, await create(client, train, pipeline(one)))
    assert found["Status"] == "Failed"
    node = (await nodes_of(client, found))["train"]["StatusInfo"]
    assert node["Status"] == "Failed"
    assert words in node["Message"]


async def test_no_secret_variable_of_a_run_is_in_the_files_of_the_emulator(running: Emulator, client: Client) -> None:
    command = "test $API_TOKEN = s3cr3t-\\value && echo equal"
    say = component(command, guid="s", envs={"API_TOKEN": "s3cr3t-value"})
    found = await ended(client, await create(client, say, pipeline(step("say", "s"))))
    assert (found["Status"], (await logs_of(client, found, "say"))[0]) == ("Succeeded", ["equal"])
    files = [path for path in running.data.rglob("*") if path.is_file() and b"s3cr3t-value" in path.read_bytes()]
    assert files == []


async def test_a_saved_pipeline_runs_with_arguments_and_saved_components(client: Client) -> None:
    say = component("echo said $0 {{inputs.parameters.what}}", inputs=("what",), identifier="say", version="v1")
    inner: Document = {"metadata": {"name": "a", "identifier": "say", "provider": "", "version": "v1"}}
    inner["spec"] = {
        "arguments": {"parameters": [{"name": "what", "from": "{{inputs.parameters.text}}"}], "artifacts": []}
    }
    whole = pipeline(inner, identifier="whole", version="v1")
    assert isinstance(whole["spec"], dict)
    whole["spec"]["inputs"] = {"parameters": [{"name": "text", "type": "String"}], "artifacts": []}
    ids = [
        (await client.call(paiflow.CREATE_PIPELINE, body={"Manifest": documents(each)}))["PipelineId"]
        for each in (say, whole)
    ]
    made = await create(client, arguments={"text": "hello"}, PipelineManifest="", PipelineId=ids[1])
    found = await ended(client, made)
    assert (found["Status"], found["PipelineId"]) == ("Succeeded", ids[1])
    assert (await logs_of(client, found, "a"))[0] == ["said sh hello"]
    assert yaml.safe_load(found["Manifest"])["metadata"]["identifier"] == "whole"


async def test_an_artifact_goes_from_step_to_step_by_its_address(running: Emulator, client: Client) -> None:
    make = component(
        "mkdir -p /pai/outputs/artifacts/out; echo made > /pai/outputs/artifacts/out/data", guid="m", artifacts=("out",)
    )
    read = reading(component("cat {{inputs.artifacts.given}}", guid="r"))
    arguments: Json = {
        "parameters": [],
        "artifacts": [{"name": "given", "from": "{{pipelines.first.outputs.artifacts.out}}"}],
    }
    second: Document = {
        "metadata": {"name": "second", "guid": "r"},
        "spec": {"arguments": arguments, "dependencies": ["first"]},
    }
    found = await ended(client, await create(client, make, read, pipeline(step("first", "m"), second)))
    assert (found["Status"], found["Message"]) == ("Succeeded", "")
    assert (await logs_of(client, found, "second"))[0] == ["made"]
    path = {"run_id": found["RunId"], "node_id": found["NodeId"]}
    answer: Any = await client.call(paiflow.LIST_NODE_OUTPUTS, path=path, query={"Depth": 2})
    (output,) = answer["Outputs"]
    assert (output["Name"], output["Type"], output["Producer"]) == ("out", "DataSet", "first")
    place = json.loads(output["Info"]["value"])["location"]
    assert await asyncio.to_thread(running.get, place["key"], bucket=place["bucket"]) == b"made\n"


async def test_a_run_waits_for_its_start_and_is_terminated(client: Client) -> None:
    wait = component("sleep 600", guid="w")
    made = await create(client, wait, pipeline(step("waits", "w")), NoConfirmRequired=False)
    path = {"run_id": made}
    before: Any = await client.call(paiflow.GET_RUN, path=path)
    assert (before["Status"], before["NodeId"]) == ("Initialized", "")
    await client.call(paiflow.START_RUN, path=path)
    found = await until(client, made, "Running")
    with pytest.raises(SpecError, match="terminate it first"):
        await client.call(paiflow.DELETE_PIPELINE_RUN, path={"pipeline_run_id": made})
    await client.call(paiflow.TERMINATE_RUN, path=path)
    found = await until(client, made, "Terminated")
    assert isinstance(found["FinishedAt"], int)
    await client.call(paiflow.DELETE_PIPELINE_RUN, path={"pipeline_run_id": made})
    with pytest.raises(NotFoundError, match="RunNotFound"):
        await client.call(paiflow.GET_RUN, path=path)


async def test_runs_are_found_in_both_dialects(client: Client) -> None:
    made = await create(client, component("true", guid="t"), pipeline(step("a", "t")), Name="find me")
    await ended(client, made)
    await client.call(paiflow.UPDATE_RUN, path={"run_id": made}, body={"Name": "found"})
    here: Any = await client.call(paiflow.LIST_RUNS, query={"Name": "foun", "Status": "Succeeded"})
    there: Any = await client.call(paiflow.LIST_PIPELINE_RUNS, query={"PipelineRunId": made})
    assert (
        [each["RunId"] for each in here["Runs"]] == [each["PipelineRunId"] for each in there["PipelineRuns"]] == [made]
    )
    assert isinstance(here["Runs"][0]["StartedAt"], int)
    assert there["PipelineRuns"][0]["StartedAt"].endswith("Z")
    assert there["PipelineRuns"][0]["Name"] == "found"
    path = {"pipeline_run_id": made, "node_id": there["PipelineRuns"][0]["NodeId"]}
    node: Any = await client.call(paiflow.GET_PIPELINE_RUN_NODE, path=path)
    assert (node["Metadata"]["Name"], node["Metadata"]["NodeType"]) == ("found", "Dag")


@pytest.mark.parametrize(
    ("given", "more", "words"),
    [
        ([component("true")], {"Arguments": "arguments: {parameters: [{name: wrong, value: 1}]}"}, "wrong"),
        ([component("true", inputs=("needed",))], {}, "needed"),
        ([component("true")], {"Arguments": "arguments: [", "PipelineId": ""}, "Arguments"),
        ([component("true")], {"PipelineId": "pipeline-x"}, "either"),
        ([component("true")], {"Name": ""}, "Name"),
        ([pipeline(step("a", "none"))], {}, "step `a`"),
        (
            [
                component("true", guid="t"),
                pipeline(step("a", "t", dependencies=["b"]), step("b", "t", dependencies=["a"])),
            ],
            {},
            "circle",
        ),
    ],
)
async def test_what_cannot_run_is_refused(
    client: Client, given: list[Document], more: dict[str, Any], words: str
) -> None:
    with pytest.raises(SpecError, match=words):
        await create(client, *given, **more)


async def test_a_run_outlives_its_emulator_and_its_driver(tmp_path: Path) -> None:
    wait = reading(component("echo begun; until [ -e {{inputs.artifacts.given}}open ]; do sleep 0.05; done", guid="w"))
    read = reading(component("cat {{inputs.artifacts.given}}", guid="r"))
    steps = [
        step("waits", "w", artifacts={"given": location("gate/")}),
        step("reads", "r", artifacts={"given": location("late.txt")}, dependencies=["waits"]),
    ]
    with emulator(tmp_path / "data") as running:
        running.put("gate/x", "")
        async with running.client() as client:
            made = await create(client, wait, read, pipeline(*steps))
            found = await until(client, made, "Running")
            await until_said(client, found, "waits", "begun")
        running.kill()
        (driver,) = drivers_of(running.data / "home")
        os.kill(driver, signal.SIGKILL)
        running.start()  # at another address
        running.put("late.txt", "after the restart")
        async with running.client() as client:
            found = await until(client, made, "Running")
            (gate,) = (running.data / "work").glob("*/*/input/given")
            (gate / "open").touch()
            found = await ended(client, made)
            assert (found["Status"], found["Message"]) == ("Succeeded", "")
            assert (await logs_of(client, found, "waits"))[0] == ["begun"]
            assert (await logs_of(client, found, "reads"))[0] == ["after the restart"]
        assert not gate.exists()


async def until_said(client: Client, found: dict[str, Any], name: str, line: str) -> None:
    deadline = time.monotonic() + DEADLINE
    while name not in await nodes_of(client, found) or line not in (await logs_of(client, found, name))[0]:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


def location(key: str) -> str:
    return json.dumps({"location": {"bucket": BUCKET, "key": key, "endpoint": "oss-cn-hangzhou.aliyuncs.com"}})


def reading(component: Document) -> Document:
    """The component with an input artifact `given`."""
    of_oss: Json = {"name": "given", "metadata": {"type": {"DataSet": {"locationType": "OSS"}}}}
    spec = component["spec"]
    assert isinstance(spec, dict)
    return {**component, "spec": {**spec, "inputs": {"parameters": [], "artifacts": [of_oss]}}}
