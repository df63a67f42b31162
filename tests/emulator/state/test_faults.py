"""Faults on demand: what clients see of each, and that asking for them is not open to everybody."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pai_jupyter.cloud.client import Client, UncertainError, paistudio
from pai_jupyter.cloud.client.auth import Clock, SignatureAuth
from pai_jupyter.emulator.state.faults import FaultName, Faults, Rule, fault_words
from pai_jupyter.errors import AuthError, NotFoundError, SpecError
from pai_jupyter.storage.oss.connection import load
from tests.support.emulators import DEADLINE, Emulator

pytestmark = pytest.mark.usefixtures("fine")
oss2 = load()
LIST = "ListTrainingJobs"


@pytest.fixture
async def client(running: Emulator) -> AsyncIterator[Client]:
    async with running.client() as client:
        yield client


async def once(running: Emulator, path: str = "/api/v1/trainingjobs", **more: Any) -> httpx.Response:
    """One signed request, repeated by nobody. (Any: of httpx)"""
    auth = SignatureAuth(running.client()._credentials.get(), clock=Clock())
    headers = {"x-acs-version": "2022-01-12"}
    async with httpx.AsyncClient(trust_env=False, auth=auth, timeout=20) as http:
        return await http.request(more.pop("method", "GET"), running.address + path, headers=headers, **more)


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        (FaultName.THROTTLING, 429, "Throttling.User"),
        (FaultName.SERVER_ERROR, 503, "ServiceUnavailable"),
        (FaultName.EXPIRED_TOKEN, 400, "InvalidSecurityToken.Expired"),
        (FaultName.NO_PERMISSION, 403, "NoPermission"),
    ],
)
async def test_an_answer_with_an_error_comes_as_often_as_asked(
    running: Emulator, name: str, status: int, code: str
) -> None:
    running.fault(name, action=LIST, times=2)
    answers = [await once(running) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [status, status, 200]
    assert answers[0].json()["Code"] == code


async def test_an_error_may_have_its_keys_in_lower_case(running: Emulator, client: Client) -> None:
    running.fault("lower-keys", action=LIST, times=2)
    answer = await once(running)
    assert answer.status_code == 400
    assert answer.json() == {
        "code": "InvalidParameter",
        "message": "The emulator was asked for the fault lower-keys.",
        "requestId": answer.headers["x-acs-request-id"],
    }
    with pytest.raises(SpecError, match=f"{LIST}.*lower-keys.*InvalidParameter, request "):
        await client.call(paistudio.LIST_TRAINING_JOBS)


async def test_a_permission_may_be_missing(running: Emulator, client: Client) -> None:
    running.fault("no-permission", action=LIST)
    with pytest.raises(AuthError, match=r"NoPermission.*RAM"):
        await client.call(paistudio.LIST_TRAINING_JOBS)
    running.put("there.txt", b"1")
    running.fault("no-permission", action="OSS:GET")
    with pytest.raises(oss2.exceptions.AccessDenied):
        running.get("there.txt")


async def test_a_proxy_may_answer_instead(running: Emulator) -> None:
    running.fault("html", action=LIST)
    answer = await once(running)
    assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (502, "text/html")


@pytest.mark.parametrize("name", ["dropped", "lost-answer", "truncated"])
async def test_a_connection_may_end(running: Emulator, name: str) -> None:
    running.fault(name, action=LIST)
    with pytest.raises(httpx.RemoteProtocolError if name == "truncated" else httpx.TransportError):
        await once(running)
    assert (await once(running)).status_code == 200


async def test_an_answer_may_be_slow(running: Emulator) -> None:
    running.fault("slow", action=LIST, seconds=0.7)
    began = time.monotonic()
    assert (await once(running)).status_code == 200
    assert time.monotonic() - began >= 0.7


async def test_a_body_may_be_corrupted(running: Emulator) -> None:
    running.fault("corrupted", action=LIST)
    answer = await once(running)
    with pytest.raises(ValueError, match="Expecting"):
        answer.json()


async def test_the_client_gets_over_all_that_may_be_repeated(running: Emulator, client: Client) -> None:
    for name in ("throttling", "server-error", "html", "dropped", "corrupted", "truncated"):
        running.fault(name, action=LIST)
        assert "TrainingJobs" in await client.call(paistudio.LIST_TRAINING_JOBS)


async def test_a_lost_answer_leaves_a_job_behind(running: Emulator, client: Client) -> None:
    label = [{"Key": "mark", "Value": str(time.time_ns())}]
    with pytest.raises(UncertainError):
        await running.create(client, TrainingJobName="x fault-lost-answer y", Labels=label)
    answer = await client.call(paistudio.LIST_TRAINING_JOBS, query={"Labels": {"mark": label[0]["Value"]}})
    assert answer["TotalCount"] == 1


async def test_a_dropped_request_leaves_none(running: Emulator, client: Client) -> None:
    label = [{"Key": "mark", "Value": str(time.time_ns())}]
    with pytest.raises(UncertainError):
        await running.create(client, TrainingJobName="fault-dropped", Labels=label)
    answer = await client.call(paistudio.LIST_TRAINING_JOBS, query={"Labels": {"mark": label[0]["Value"]}})
    assert answer["TotalCount"] == 0


async def test_a_skewed_clock_is_in_every_date(running: Emulator, client: Client) -> None:
    running.fault("skewed-clock", seconds=7200)
    assert "TrainingJobs" in await client.call(paistudio.LIST_TRAINING_JOBS)
    assert client.clock_skew == pytest.approx(7200, abs=60)


async def test_a_name_asks_for_a_fault_of_each_call_once(running: Emulator, client: Client) -> None:
    with pytest.raises(UncertainError):
        await running.create(client, TrainingJobName="my fault-server-error")
    job_id = await running.create(client, TrainingJobName="my fault-server-error")
    assert "fault-server-error" in job_id
    answers = [await once(running, f"/api/v1/trainingjobs/{job_id}") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [503, 200]
    await running.ended(client, job_id)


async def test_instances_may_appear_late(running: Emulator, client: Client) -> None:
    running.fault("late-instances", seconds=3600)
    job = await running.run(client, "echo x")
    path = {"training_job_id": job["TrainingJobId"]}
    assert (job["Status"], job["Instances"]) == ("Succeed", [])
    with pytest.raises(NotFoundError, match="TRAINING_JOB_INSTANCE_NOT_FOUND"):
        await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=path)
    running.fault("late-instances", seconds=1.5)
    job = await running.run(client, "echo x")
    path = {"training_job_id": job["TrainingJobId"]}
    deadline = time.monotonic() + DEADLINE
    while not job["Instances"]:
        assert time.monotonic() < deadline
        job = await client.call(paistudio.GET_TRAINING_JOB, path=path)
    assert await running.lines(client, str(job["TrainingJobId"])) == ["x"]


async def test_lines_may_arrive_late(running: Emulator, client: Client) -> None:
    running.fault("late-logs", seconds=3600)
    job = await running.run(client, "echo x; echo y")
    assert job["Status"] == "Succeed"
    assert await running.lines(client, job["TrainingJobId"]) == []
    job = await running.run(client, "echo x; echo y", TrainingJobName="fault-late-logs")
    deadline = time.monotonic() + DEADLINE
    while await running.lines(client, job["TrainingJobId"]) != ["x", "y"]:
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("name", "status"), [("create-failed", "CreateFailed"), ("initialize-failed", "InitializeFailed")]
)
async def test_a_job_may_fail_before_it_runs(running: Emulator, client: Client, name: str, status: str) -> None:
    job = await running.run(client, TrainingJobName=f"a fault-{name}")
    assert (job["Status"], "emulator" in job["ReasonMessage"]) == (status, True)


@pytest.mark.parametrize("name", ["server-error", "throttling", "html", "dropped", "truncated", "corrupted"])
def test_an_object_may_have_a_fault_when_it_is_read(running: Emulator, tmp_path: Path, name: str) -> None:
    key, content = f"data/fault-{name}.bin", b"0123456789" * 1000
    running.fault("slow", action="OSS:PUT", seconds=0)  # a rule comes first, and leaves the name's own fault for later
    bucket = running.bucket()
    bucket.put_object(key, content)
    with pytest.raises((oss2.exceptions.OssError, OSError)):
        bucket.get_object_to_file(key, str(tmp_path / "got"))
    assert bucket.get_object(key).read() == content


def test_errors_of_objects_come_as_oss_writes_them(running: Emulator) -> None:
    running.fault("expired-token", action="OSS:GET")
    with pytest.raises(oss2.exceptions.ServerError) as refused:
        running.bucket().get_object("x")
    assert (refused.value.status, refused.value.code) == (403, "SecurityTokenExpired")


def test_only_who_has_the_token_may_ask_for_faults(running: Emulator) -> None:
    body = {"name": "throttling"}
    with httpx.Client(trust_env=False) as http:
        url = f"{running.address}/emulator/faults"
        assert http.post(url, json=body, headers={"x-emulator-token": "guessed"}).status_code == 403
        assert http.post(url, json=body).status_code in (403, 405)  # an object called so, and nobody signed for it
        token = {"x-emulator-token": (running.data / "control.token").read_text()}
        assert http.get(url, headers=token).json()["Faults"] == []
        assert http.post(url, json={"name": "love"}, headers=token).status_code == 400
        assert http.post(url, content=b"{", headers=token).status_code == 400


def test_every_fault_can_be_asked_for_by_a_name() -> None:
    for name in FaultName:
        assert fault_words(f"训练 fault-{name} x") == f"-fault-{name}"
    assert fault_words("fault-slower default-slow fault-") == ""
    assert fault_words("fault-slow fault-html fault-slow") == "-fault-slow-fault-html"


def test_a_rule_counts_its_own_action_only() -> None:
    faults = Faults(rules=[Rule(name=FaultName.SLOW, action="A", times=1), Rule(name=FaultName.HTML, times=None)])
    assert [getattr(faults.strike(action, "GET", "/"), "name", None) for action in ("B", "A", "A")] == [
        "html",
        "slow",
        "html",
    ]
