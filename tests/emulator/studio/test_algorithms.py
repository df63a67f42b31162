"""Algorithms that PAI itself provides, seeded into the emulator; versions in a list, chosen and in order."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from pai_jupyter.cloud.client import Operation, paistudio
from pai_jupyter.emulator import studio
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.server.seeding import read_algorithms, seed
from pai_jupyter.emulator.studio.algorithms import algorithm_of
from pai_jupyter.errors import SpecError
from tests.support.emulators import Emulator, emulator, training_job
from tests.support.tables import ask, make_world

SERVICE = paistudio.SERVICE
UPDATE = SERVICE.operation("UpdateAlgorithm", "PUT /algorithms/{algorithm_id}", style="form")
DELETE = SERVICE.operation("DeleteAlgorithm", "DELETE /algorithms/{algorithm_id}")
LIST_VERSIONS = SERVICE.operation("ListAlgorithmVersions", "GET /algorithms/{algorithm_id}/versions")
SPEC = training_job("echo $PAI_USER_ARGS")["AlgorithmSpec"]
PUBLIC: Fields = {"AlgorithmName": "image-classification", "Versions": {"0.1.0": SPEC, "0.2.0": SPEC}}


@pytest.fixture
def world(tmp_path: Path) -> EmulatorContext:
    return make_world(tmp_path)


async def listed(world: EmulatorContext, **query: str) -> list[str]:
    answer: Any = await ask(world, paistudio.LIST_ALGORITHMS, query=query)
    return [each["AlgorithmName"] for each in answer["Algorithms"]]


async def versions(world: EmulatorContext, algorithm_id: str, **query: str) -> list[str]:
    answer: Any = await ask(world, LIST_VERSIONS, path={"algorithm_id": algorithm_id}, query=query)
    assert all("AlgorithmSpec" not in each for each in answer["AlgorithmVersions"])
    return [each["AlgorithmVersion"] for each in answer["AlgorithmVersions"]]


async def test_a_public_algorithm_is_listed_for_who_names_its_provider(world: EmulatorContext) -> None:
    seed(world, PUBLIC)
    await ask(world, paistudio.CREATE_ALGORITHM, body={"AlgorithmName": "mine"})
    assert await listed(world, AlgorithmProvider="pai", AlgorithmName="image-classification") == [
        "image-classification"
    ]
    assert await listed(world) == ["mine"]
    assert await listed(world, AlgorithmProvider=world.account_id) == ["mine"]


async def test_what_is_seeded_again_replaces_what_was_there(world: EmulatorContext) -> None:
    first = seed(world, PUBLIC)
    assert seed(world, {**PUBLIC, "AlgorithmDescription": "newer"}) == first
    assert await listed(world, AlgorithmProvider="pai") == ["image-classification"]


@pytest.mark.parametrize("operation", [UPDATE, DELETE])
async def test_nobody_changes_a_public_algorithm(world: EmulatorContext, operation: Operation) -> None:
    path = {"algorithm_id": seed(world, PUBLIC)}
    with pytest.raises(ApiRefusal, match="belongs to pai") as refused:
        await ask(world, operation, path=path)
    assert (refused.value.status, refused.value.code) == (403, "NoPermission")


async def test_versions_are_listed_oldest_first_and_one_can_be_chosen(world: EmulatorContext) -> None:
    algorithm_id = seed(world, PUBLIC)
    assert await versions(world, algorithm_id) == ["0.1.0", "0.2.0"]
    assert await versions(world, algorithm_id, Order="DESC") == ["0.2.0", "0.1.0"]
    assert await versions(world, algorithm_id, AlgorithmVersion="0.2.0") == ["0.2.0"]
    assert await versions(world, algorithm_id, PageSize="1", PageNumber="2") == ["0.2.0"]


@pytest.mark.parametrize(
    ("algorithm", "named"),
    [
        ({"Versions": {"1": SPEC}}, "AlgorithmName"),
        ({"AlgorithmName": "x"}, "Versions"),
        ({"AlgorithmName": "x", "Versions": {"1": {"Command": ["true"]}}}, "version 1: AlgorithmSpec.Image"),
        ({"AlgorithmName": "x", "Versions": {"1": "no spec"}}, "Versions.1"),
        ({**PUBLIC, "AlgorithmProvider": "1000000000000001"}, "AlgorithmProvider"),
    ],
)
def test_what_is_no_algorithm_is_refused(world: EmulatorContext, algorithm: Fields, named: str) -> None:
    with pytest.raises(ApiRefusal, match=named):
        seed(world, algorithm)


@pytest.mark.parametrize("text", ["[1]", "{", '"x"'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "algorithms.json").write_text(text)
    with pytest.raises(SpecError, match=r"algorithms\.json"):
        read_algorithms(tmp_path / "algorithms.json")


def test_a_job_runs_the_newest_version_of_a_public_algorithm(world: EmulatorContext) -> None:
    algorithm_id = seed(world, PUBLIC)
    call = ApiCall(operation=paistudio.CREATE_TRAINING_JOB, world=world, account=world.account_id)
    found = algorithm_of(call, {"AlgorithmName": "image-classification", "AlgorithmProvider": "pai"})
    assert (found["AlgorithmId"], found["AlgorithmVersion"], found["IsTempAlgo"]) == (algorithm_id, "0.2.0", False)
    assert found["Algorithm"] == SPEC


def test_algorithms_come_from_a_file_and_over_the_control_endpoint(tmp_path: Path) -> None:
    (tmp_path / "algorithms.json").write_text(json.dumps([PUBLIC]))
    with emulator(tmp_path / "data", "--algorithms", str(tmp_path / "algorithms.json")) as running:
        other = {**PUBLIC, "AlgorithmName": "other"}
        assert post_algorithm(running, other)["AlgorithmId"].startswith("algo-")
        found = running.ask(
            lambda client: client.call(paistudio.LIST_ALGORITHMS, query={"AlgorithmProvider": "pai", "Order": "ASC"})
        )
        listed: Any = found["Algorithms"]
        assert [each["AlgorithmName"] for each in listed] == ["image-classification", "other"]


def post_algorithm(running: Emulator, algorithm: Fields) -> dict[str, Any]:
    headers = {"x-emulator-token": (running.data / "control.token").read_text()}
    with httpx.Client(trust_env=False) as http:
        answer = http.post(f"{running.address}/emulator/algorithms", headers=headers, json=algorithm)
    answer.raise_for_status()
    fields: dict[str, Any] = answer.json()
    return fields


def test_the_studio_serves_what_these_tests_ask() -> None:
    assert {"UpdateAlgorithm", "DeleteAlgorithm", "ListAlgorithmVersions"} <= studio.TABLE.actions
