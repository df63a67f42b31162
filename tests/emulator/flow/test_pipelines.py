"""Saved pipelines of the emulator: what it keeps of a manifest, and what it refuses."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import yaml

from pai_jupyter.cloud.client import Client, paiflow
from pai_jupyter.emulator.calls.context import ACCOUNT_ID
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.spec import Json
from tests.support.emulators import WORKSPACE, Emulator
from tests.support.flows import component, documents, pipeline, step


@pytest.fixture
async def client(running: Emulator) -> AsyncIterator[Client]:
    async with running.client() as client:
        yield client


async def save(client: Client, *given: dict[str, Json]) -> str:
    body: dict[str, Json] = {"Manifest": documents(*given), "WorkspaceId": WORKSPACE}
    return str((await client.call(paiflow.CREATE_PIPELINE, body=body))["PipelineId"])


async def listed(client: Client, **query: Any) -> list[str]:
    answer: Any = await client.call(paiflow.LIST_PIPELINES, query=query)
    return [str(each["PipelineId"]) for each in answer["Pipelines"]]


async def test_a_saved_component_is_found_by_its_names(client: Client) -> None:
    made = await save(client, component("echo", identifier="found", version="v1"))
    names = {"PipelineIdentifier": "found", "PipelineProvider": ACCOUNT_ID}
    assert await listed(client, **names, PipelineVersion="v1") == [made]
    assert await listed(client, **names, PipelineVersion="v2") == []
    assert await listed(client, PipelineIdentifier="foun") == []
    assert await listed(client, PipelineIdentifier="foun", FuzzyMatching=True) == [made]


async def test_the_schema_is_the_last_document_alone(client: Client) -> None:
    inner = component("echo", guid="g1")
    made = await save(client, inner, pipeline(step("a", "g1"), identifier="several", version="v1"))
    path = {"pipeline_id": made}
    whole: Any = await client.call(paiflow.GET_PIPELINE, path=path)
    schema: Any = await client.call(paiflow.GET_PIPELINE_SCHEMA, path=path)
    assert len([*yaml.safe_load_all(whole["Manifest"])]) == 2
    metadata = yaml.safe_load(schema["Manifest"])["metadata"]
    assert (metadata["identifier"], metadata["provider"]) == ("several", ACCOUNT_ID)
    assert (schema["Identifier"], schema["Provider"], schema["Version"]) == ("several", ACCOUNT_ID, "v1")


async def test_names_are_used_once_and_kept(client: Client) -> None:
    made = await save(client, component("echo", identifier="once", version="v1"))
    with pytest.raises(PaiJupyterError, match="PipelineAlreadyExists"):
        await save(client, component("true", identifier="once", version="v1"))
    other = await save(client, component("true", identifier="once", version="v2"))
    assert await listed(client, PipelineIdentifier="once") == [other, made]
    changed: dict[str, Json] = {"Manifest": documents(component("true", identifier="once", version="v3"))}
    with pytest.raises(SpecError, match="must stay once v1"):
        await client.call(paiflow.UPDATE_PIPELINE, path={"pipeline_id": made}, body=changed)


async def test_a_pipeline_is_updated_and_deleted(client: Client) -> None:
    path = {"pipeline_id": await save(client, component("echo", identifier="changing", version="v1"))}
    again = documents(component("false", identifier="changing", version="v1"))
    await client.call(paiflow.UPDATE_PIPELINE, path=path, body={"Manifest": again})
    got: Any = await client.call(paiflow.GET_PIPELINE, path=path)
    assert yaml.safe_load(got["Manifest"])["spec"]["container"]["command"] == ["sh", "-c", "false"]
    await client.call(paiflow.DELETE_PIPELINE, path=path)
    with pytest.raises(NotFoundError, match="PipelineNotFound"):
        await client.call(paiflow.GET_PIPELINE, path=path)


async def test_the_account_is_the_provider(client: Client) -> None:
    assert (await client.call(paiflow.GET_CALLER_PROVIDER))["Provider"] == ACCOUNT_ID


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ("", "Manifest"),
        ("a: [", "not valid YAML"),
        ("a: &x [1]\nb: *x", "alias"),
        ("a: 2020-01-01", "not valid YAML"),
        ("[1, 2]", "no object"),
        ("apiVersion: core/v2\nmetadata: {}\nspec: {container: {}}", "core/v1"),
        ("apiVersion: core/v1\nmetadata: {}", "spec"),
        ("apiVersion: core/v1\nmetadata: {}\nspec: {inputs: {}}", "container"),
        (documents(component("true")), "identifier"),
        (documents(component("true"), component("true", identifier="a", version="v")), "guid"),
        ("[" * 3000, "not valid YAML"),
    ],
)
async def test_a_wrong_manifest_is_refused(client: Client, manifest: str, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        await client.call(paiflow.CREATE_PIPELINE, body={"Manifest": manifest})


async def test_a_secret_variable_is_not_written(running: Emulator, client: Client) -> None:
    secret = component("true", identifier="secret", version="v1", envs={"API_TOKEN": "s3cr3t-value"})
    made = await save(client, secret)
    got: Any = await client.call(paiflow.GET_PIPELINE, path={"pipeline_id": made})
    assert "s3cr3t-value" in got["Manifest"]
    state = running.data / "state" / "flowpipelines"
    assert state.exists()
    assert not [path for path in state.rglob("*") if path.is_file() and b"s3cr3t-value" in path.read_bytes()]
