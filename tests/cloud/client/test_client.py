"""Calls against a service that has bad days: what is repeated, what is not, and that it ends."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from email.utils import formatdate
from typing import Any

import pytest

from pai_jupyter.cloud.client import (
    Client,
    Credential,
    CredentialProvider,
    Endpoints,
    Operation,
    StaticCredentials,
    UncertainError,
    dlc,
    paistudio,
)
from pai_jupyter.errors import AuthError, NotFoundError, ProtocolError, SpecError, UnavailableError
from pai_jupyter.spec import Json
from tests.fakes.openapi import (
    KEY,
    SECRET,
    TOKEN,
    Fault,
    OpenApi,
    code,
    dropped,
    garbled,
    lost,
    says,
    stalled,
)
from tests.support.patience import SOON

GIVEN = StaticCredentials(Credential(access_key_id=KEY, access_key_secret=SECRET))
JOB = {"training_job_id": "train1"}


@pytest.fixture
async def service() -> AsyncIterator[OpenApi]:
    async with OpenApi() as service:
        service.jobs["train1"] = {"TrainingJobId": "train1", "Status": "Running"}
        yield service


@pytest.fixture
def pauses() -> list[float]:
    """The pauses that the client wanted, in seconds; none of them is waited for."""
    return []


@pytest.fixture
async def make(service: OpenApi, pauses: list[float]) -> AsyncIterator[Callable[..., Client]]:
    made: list[Client] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    def make(credentials: CredentialProvider = GIVEN, **options: Any) -> Client:  # Any: options of Client
        endpoints = Endpoints(region="cn-shanghai", address=options.pop("address", service.address))
        options = {"pause": pause, "chance": lambda: 0.0, **options}
        made.append(Client(endpoints, credentials, **options))
        return made[-1]

    yield make
    for client in made:
        await client.aclose()


@pytest.fixture
def client(make: Callable[..., Client]) -> Client:
    return make()


async def test_a_call_gives_the_fields_of_its_answer(client: Client) -> None:
    answer = await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert answer == {"RequestId": "REQ-2", "TrainingJobId": "train1", "Status": "Running"}


async def test_a_body_arrives_as_it_was_given(service: OpenApi, client: Client) -> None:
    body: dict[str, Json] = {"TrainingJobName": '训练 "a\'; echo x"\n', "ComputeResource": {"EcsCount": 1}}
    answer = await client.call(paistudio.CREATE_TRAINING_JOB, body=body)
    job = service.jobs[str(answer["TrainingJobId"])]
    assert isinstance(job, dict)
    assert {name: job[name] for name in body} == body


@pytest.mark.parametrize(
    "fault",
    [
        code(429, "Throttling.User"),
        code(400, "Throttling.Api"),
        code(403, "Other", x_acs_retry_after="10"),
        code(500, "InternalError"),
        code(503, "ServiceUnavailable"),
        code(400, "SignatureNonceUsed"),
        says(502, "<html>bad gateway</html>"),
        says(504),
        says(200, "<html>log in to this network</html>"),
        says(200, "["),
        says(200, b"\xff\xfe"),
        says(200),
        dropped,
        lost,
        garbled,
    ],
)
async def test_reading_is_repeated_until_it_is_answered(service: OpenApi, client: Client, fault: Fault) -> None:
    service.plan.extend([fault] * 3)
    answer = await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert answer["Status"] == "Running"
    assert len(service.requests) == 4


async def test_every_try_has_a_nonce_of_its_own(service: OpenApi, client: Client) -> None:
    service.plan.extend([lost, lost, code(503, "ServiceUnavailable")])
    await client.call(paistudio.GET_TRAINING_JOB, path=JOB)  # the fake refuses a nonce that it has seen
    assert len({request.headers["x-acs-signature-nonce"] for request in service.requests}) == 4


async def test_every_try_has_a_date_of_its_own(service: OpenApi, make: Callable[..., Client]) -> None:
    times = iter(time.time() + seconds for seconds in range(100))
    service.plan.extend([lost, lost])
    await make(now=lambda: next(times)).call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert len({request.headers["x-acs-date"] for request in service.requests}) == 3


async def test_pauses_grow_and_tries_end(service: OpenApi, client: Client, pauses: list[float]) -> None:
    service.plan.extend([dropped] * 100)
    with pytest.raises(UnavailableError, match="GetTrainingJob"):
        await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert pauses == [0.5, 1, 2, 4, 8]


async def test_chance_shortens_pauses(service: OpenApi, make: Callable[..., Client], pauses: list[float]) -> None:
    service.plan.append(dropped)
    await make(chance=lambda: 1.0).call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert pauses == [0.25]


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"x_acs_retry_after": "1500"}, 1.5),
        ({"retry_after": formatdate(20, usegmt=True), "date": formatdate(8, usegmt=True)}, 12.0),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-3"}, 0.5),
        ({"x_acs_retry_after": "0"}, 0.5),
    ],
)
async def test_a_service_says_how_long_to_wait(
    service: OpenApi, client: Client, pauses: list[float], headers: dict[str, str], pause: float
) -> None:
    if "date" in headers:
        service.date = headers.pop("date")
    service.plan.append(code(429, "Throttling", **headers))
    await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert pauses == [pause]


async def test_a_pause_beyond_the_deadline_is_not_begun(service: OpenApi, client: Client, pauses: list[float]) -> None:
    service.plan.append(code(429, "Throttling", retry_after="120"))
    with pytest.raises(UnavailableError, match="in 120 s"):
        await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert pauses == []


async def test_throttling_never_carried_anything_out_so_a_job_is_created_once(service: OpenApi, client: Client) -> None:
    service.plan.extend([code(429, "Throttling.User"), code(400, "Throttling")])
    await client.call(paistudio.CREATE_TRAINING_JOB, body={"TrainingJobName": "n"})
    assert list(service.jobs) == ["train1", "train2"]


@pytest.mark.parametrize(
    ("fault", "jobs"),
    [
        (lost, 2),
        (garbled, 2),
        (dropped, 1),
        (code(500, "InternalError"), 1),
        (says(502, "<html>"), 1),
        (says(200), 1),
        (code(400, "SignatureNonceUsed"), 1),
    ],
)
async def test_a_creation_whose_answer_is_lost_is_never_repeated(
    service: OpenApi, client: Client, fault: Fault, jobs: int
) -> None:
    service.plan.append(fault)
    with pytest.raises(UncertainError, match="look before you try again"):
        await client.call(paistudio.CREATE_TRAINING_JOB, body={"TrainingJobName": "n"})
    assert (len(service.requests), len(service.jobs)) == (1, jobs)


async def test_a_creation_that_was_throttled_and_then_lost_is_uncertain(service: OpenApi, client: Client) -> None:
    service.plan.extend([code(429, "Throttling"), lost])
    with pytest.raises(UncertainError):
        await client.call(dlc.CREATE_JOB, body={"DisplayName": "n"})


async def test_nothing_was_carried_out_where_nobody_listens(make: Callable[..., Client], pauses: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UnavailableError, match=r"is not running\. Start it again") as caught:
        await make(address=address).call(paistudio.CREATE_TRAINING_JOB, body={"TrainingJobName": "n"})
    assert not isinstance(caught.value, UncertainError)
    assert pauses == []  # who waits for the answer is told at once


async def test_a_removal_whose_answer_was_lost_is_done(service: OpenApi, client: Client) -> None:
    service.plan.append(lost)
    assert await client.call(paistudio.DELETE_TRAINING_JOB, path=JOB) == {}
    assert service.jobs == {}


async def test_only_a_removal_is_done_when_nothing_is_left(service: OpenApi, client: Client) -> None:
    service.plan.append(lost)
    with pytest.raises(NotFoundError):
        await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": "train9"})


async def test_a_removal_of_what_never_was_is_an_error(service: OpenApi, client: Client) -> None:
    service.plan.append(code(429, "Throttling"))
    with pytest.raises(NotFoundError) as caught:
        await client.call(paistudio.DELETE_TRAINING_JOB, path={"training_job_id": "train9"})
    assert (caught.value.code, caught.value.request_id) == ("TRAINING_JOB_NOT_FOUND", "REQ-4")


@pytest.mark.parametrize("status", [200, 204])
async def test_stopping_needs_no_words_back(service: OpenApi, client: Client, status: int) -> None:
    service.plan.append(says(status, x_acs_request_id="REQ-1"))
    assert await client.call(paistudio.STOP_TRAINING_JOB, path=JOB) == {}


@pytest.mark.parametrize("status", [200, 204])
async def test_an_empty_answer_of_somebody_on_the_way_stops_nothing(
    service: OpenApi, client: Client, status: int
) -> None:
    service.plan.extend([says(status)] * 9)
    with pytest.raises(ProtocolError, match="HTTPS_PROXY"):
        await client.call(paistudio.STOP_TRAINING_JOB, path=JOB)


@pytest.mark.parametrize("body", ["<html>log in to this network</html>", ""])
async def test_a_creation_that_a_login_page_answers_names_the_proxy(
    service: OpenApi, client: Client, body: str
) -> None:
    service.plan.append(says(200, body))
    with pytest.raises(UncertainError, match=r"look before you try again\. Check the proxy \(HTTPS_PROXY"):
        await client.call(paistudio.CREATE_TRAINING_JOB, body={"TrainingJobName": "n"})


@pytest.mark.parametrize(
    ("operation", "body"),
    [(paistudio.GET_TRAINING_JOB, None), (paistudio.CREATE_TRAINING_JOB, {"TrainingJobName": "n"})],
)
async def test_silence_ends_with_the_deadline(
    service: OpenApi, client: Client, operation: Operation, body: dict[str, Any] | None
) -> None:
    service.plan.append(stalled)
    begun = time.monotonic()
    with pytest.raises(UnavailableError, match="in time") as caught:
        await client.call(operation, path=JOB, body=body, deadline=0.3)
    assert time.monotonic() - begun < SOON
    assert isinstance(caught.value, UncertainError) is not operation.is_repeatable


async def test_silence_in_one_try_is_not_the_end(service: OpenApi, make: Callable[..., Client]) -> None:
    service.plan.append(stalled)
    answer = await make(timeout=0.2).call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert answer["Status"] == "Running"


async def test_a_cancelled_call_ends_at_once(service: OpenApi, client: Client) -> None:
    service.plan.append(stalled)
    task = asyncio.create_task(client.call(paistudio.GET_TRAINING_JOB, path=JOB))
    await service.arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("hours", [-5, 3])
async def test_a_wrong_clock_is_learned_from_the_answer(service: OpenApi, client: Client, hours: int) -> None:
    service.ahead = timedelta(hours=hours).total_seconds()
    await client.call(paistudio.CREATE_TRAINING_JOB, body={"TrainingJobName": "n"})
    assert service.actions == ["CreateTrainingJob"] * 2
    assert list(service.jobs) == ["train1", "train2"]
    assert client.clock_skew == pytest.approx(service.ahead, abs=2)
    await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert len(service.requests) == 3  # the next call knows it already


@pytest.mark.parametrize(
    ("date", "sentence"),
    [
        (formatdate(0, usegmt=True), r"clock is \d+ min ahead of the service's. Set this computer's clock"),
        ("yesterday", "Set this computer's clock"),
        ("Thu, 01 Jan 0001 00:00:00 GMT", "Set this computer's clock"),
    ],
)
async def test_a_service_that_does_not_tell_its_time_leaves_it_to_the_user(
    service: OpenApi, client: Client, date: str, sentence: str
) -> None:
    service.ahead, service.date = 3600, date
    with pytest.raises(AuthError, match=sentence):
        await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert client.clock_skew == 0
    assert len(service.requests) <= 2


class Changing:
    """Gives another temporary key at every question, all of which the service knows."""

    def __init__(self, service: OpenApi) -> None:
        self._service = service
        self.given = 0

    def get(self) -> Credential:
        self.given += 1
        key = f"STS.{self.given}"
        self._service.secrets[key] = f"{SECRET}{self.given}"
        return Credential(access_key_id=key, access_key_secret=f"{SECRET}{self.given}", security_token=TOKEN)


async def test_every_try_asks_for_the_key_of_that_moment(service: OpenApi, make: Callable[..., Client]) -> None:
    service.plan.extend([lost, dropped])
    await make(Changing(service)).call(paistudio.GET_TRAINING_JOB, path=JOB)
    sent = [(r.headers["x-acs-accesskey-id"], r.headers["x-acs-security-token"]) for r in service.requests]
    assert sent == [("STS.1", TOKEN), ("STS.2", TOKEN), ("STS.3", TOKEN)]


async def test_a_wrong_secret_is_told_with_its_origin(service: OpenApi, make: Callable[..., Client]) -> None:
    wrong = Credential(access_key_id=KEY, access_key_secret="wrong", origin="`~/.aliyun/config.json`")
    with pytest.raises(AuthError, match=r"The key came from `~/.aliyun/config.json`") as caught:
        await make(StaticCredentials(wrong)).call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert (caught.value.code, caught.value.request_id) == ("SignatureDoesNotMatch", "REQ-0")
    assert len(service.requests) == 1


class Nobody:
    def get(self) -> Credential:
        raise AuthError("there is no access key.")


async def test_without_a_key_nothing_is_sent(service: OpenApi, make: Callable[..., Client]) -> None:
    with pytest.raises(AuthError, match="no access key"):
        await make(Nobody()).call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert service.requests == []


async def test_many_calls_share_few_connections(service: OpenApi, client: Client) -> None:
    calls = [client.call(paistudio.GET_TRAINING_JOB, path=JOB) for _ in range(200)]
    answers = await asyncio.gather(*calls)
    assert {answer["Status"] for answer in answers} == {"Running"}
    assert service.connections <= 16


async def test_ten_megabytes_of_answer_arrive_whole(service: OpenApi, client: Client) -> None:
    lines = ["训" * 1000] * 3500
    service.plan.append(says(200, json.dumps({"Logs": lines}, ensure_ascii=False)))
    answer = await client.call(paistudio.LIST_TRAINING_JOB_LOGS, path=JOB)
    assert answer["Logs"] == lines


async def test_a_proxy_of_the_environment_is_not_asked_about_this_machine(
    service: OpenApi, make: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    answer = await make().call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert answer["Status"] == "Running"


async def test_a_redirect_is_not_followed(service: OpenApi, client: Client) -> None:
    service.plan.append(says(302, "", location="http://127.0.0.1:1/"))
    with pytest.raises(ProtocolError, match="302 Found"):
        await client.call(paistudio.GET_TRAINING_JOB, path=JOB)
    assert len(service.requests) == 1


async def test_pages_are_calls_like_any_other(service: OpenApi, client: Client) -> None:
    service.plan.extend([code(503, "ServiceUnavailable"), dropped])
    found = [line async for page in client.pages(paistudio.LIST_TRAINING_JOB_LOGS, path=JOB) for line in page]
    assert found == service.lines
    assert len(service.requests) == 5


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks5://127.0.0.1:1"), ("HTTPS_PROXY", "odd://user:MARKED@h"), ("SSL_CERT_FILE", "/nowhere")],
)
def test_surroundings_that_cannot_work_are_told(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SpecError, match=r"HTTPS_PROXY.*SSL_CERT_FILE") as caught:
        Client(Endpoints(region="cn-shanghai"), GIVEN)
    assert "MARKED" not in str(caught.value)
