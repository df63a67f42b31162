"""Components and pipelines that PAIFlow keeps."""

import asyncio
import json

import pytest

from pai_jupyter.cloud.flow import delete_pipeline, from_yaml, get_pipeline, list_pipelines, save_pipeline
from pai_jupyter.cloud.flow.manifest_text import Document
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import NotFoundError, SpecError, UncertainError
from tests.fakes.openapi import lost, says
from tests.fakes.paiflow import ACCOUNT, PaiFlow
from tests.support.paiflow import flow_session, paiflow

__all__ = ["paiflow"]  # a fixture

STEP: Document = {"apiVersion": "core/v1", "metadata": {"name": "tmp-a", "guid": "1"}, "spec": {"container": {}}}
WHOLE: Document = {"apiVersion": "core/v1", "metadata": {"name": "tmp-b", "guid": "2"}, "spec": {"pipelines": []}}


@pytest.fixture
def session(paiflow: PaiFlow) -> Session:
    return flow_session(paiflow)


async def test_a_saved_manifest_is_found_with_all_of_its_documents(paiflow: PaiFlow, session: Session) -> None:
    saved = await asyncio.to_thread(
        lambda: save_pipeline([STEP, WHOLE], identifier="iris 训练", version="v 2.0-beta", session=session)
    )
    found = await asyncio.to_thread(lambda: get_pipeline("iris 训练", version="v 2.0-beta", session=session))
    assert (found.id, found.provider, found.version) == (saved.id, ACCOUNT, "v 2.0-beta")
    assert found.documents == saved.documents
    assert [each["metadata"] for each in found.documents] == [
        {"name": "tmp-a", "guid": "1", "provider": ACCOUNT},
        {
            "name": "tmp-b",
            "guid": "2",
            "provider": ACCOUNT,
            "identifier": "iris 训练",
            "version": "v 2.0-beta",
        },
    ]
    assert WHOLE["metadata"] == {"name": "tmp-b", "guid": "2"}  # what was given stays as it was


async def test_a_version_stays_as_it_is(paiflow: PaiFlow, session: Session) -> None:
    def save() -> None:
        save_pipeline([STEP], identifier="a", version="v1", session=session)

    await asyncio.to_thread(save)
    with pytest.raises(SpecError, match="taken"):
        await asyncio.to_thread(save)
    assert len(paiflow.pipelines) == 1


async def test_others_components_are_known_by_their_schema(paiflow: PaiFlow, session: Session) -> None:
    manifest = "metadata: {identifier: split, provider: pai, version: v1}\nspec: {inputs: {}}\n"
    paiflow.pipelines["p"] = {
        "PipelineId": "p",
        "Identifier": "split",
        "Provider": "pai",
        "Version": "v1",
        "Manifest": manifest,
    }
    found = await asyncio.to_thread(lambda: get_pipeline("split", provider="pai", session=session))
    assert found.documents == tuple(from_yaml(manifest))


async def test_a_component_that_is_not_there_is_named(paiflow: PaiFlow, session: Session) -> None:
    with pytest.raises(NotFoundError, match="'iris' of version 'v3'"):
        await asyncio.to_thread(lambda: get_pipeline("iris", version="v3", session=session))


async def test_saved_pipelines_are_listed_on_all_pages_and_deleted(paiflow: PaiFlow, session: Session) -> None:
    for number in range(120):
        paiflow.pipelines[f"p{number}"] = {
            "PipelineId": f"p{number}",
            "Identifier": f"c{number}",
            "Provider": ACCOUNT,
            "Version": "v1",
        }
    listed = await asyncio.to_thread(lambda: list_pipelines(session=session))
    assert [each.identifier for each in listed] == [f"c{number}" for number in range(120)]
    await asyncio.to_thread(lambda: delete_pipeline("p7", session=session))
    assert "p7" not in paiflow.pipelines


async def test_a_lost_answer_to_a_creation_is_not_repeated(paiflow: PaiFlow, session: Session) -> None:
    account = json.dumps({"AccountId": ACCOUNT})
    paiflow.plan.extend([says(200, account), lost])
    with pytest.raises(UncertainError):
        await asyncio.to_thread(lambda: save_pipeline([STEP], identifier="a", version="v1", session=session))
    assert len(paiflow.pipelines) == 1


@pytest.mark.parametrize(("identifier", "version"), [("", "v1"), ("a", "")])
async def test_an_identifier_and_a_version_are_needed(
    paiflow: PaiFlow, session: Session, identifier: str, version: str
) -> None:
    with pytest.raises(SpecError, match="identifier and a version"):
        await asyncio.to_thread(lambda: save_pipeline([STEP], identifier=identifier, version=version, session=session))
    assert paiflow.requests == []
