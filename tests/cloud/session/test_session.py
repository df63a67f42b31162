"""The session: found by layers without a network, set up by a cell as the documents do, asked for the rest when needed."""

import asyncio
import json
import re
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import Endpoints, StaticCredentials, paistudio, sts
from pai_jupyter.cloud.client.credential import Credential
from pai_jupyter.cloud.session import (
    Session,
    asking,
    get_default_session,
    need_session,
    session_for,
    setup_default_session,
)
from pai_jupyter.config import EMULATOR, loaded_secrets, settings
from pai_jupyter.errors import AuthError, PaiJupyterError, SpecError
from tests.fakes.openapi import KEY as FAKE_KEY
from tests.fakes.openapi import SECRET as FAKE_SECRET
from tests.fakes.openapi import Fault, OpenApi, Received, Reply, code
from tests.support.paths import DATA
from tests.support.patience import SOON
from tests.support.sessions import GIVEN, KEY, SECRET, TOKEN, Surroundings, surroundings

DOCUMENT = DATA / "seed_000_session.txt"
PROFILE = f'[profiles.default]\nregion = "cn-beijing"\naccess_key_id = "{KEY}"\naccess_key_secret = "{SECRET}"\n'


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


@pytest.fixture
async def service() -> AsyncIterator[OpenApi]:
    async with OpenApi() as service:
        yield service


def told(said: dict[str, Any]) -> Fault:  # Any: JSON values
    """The request is answered so, if its signature is right."""

    async def fault(service: OpenApi, request: Received) -> Reply:
        reply = service.carry_out(request)
        return reply if reply.status != 200 else Reply(body=json.dumps(said).encode())

    return fault


def session_at(service: OpenApi, **values: Any) -> Session:  # Any: fields of a session
    credential = Credential(access_key_id=FAKE_KEY, access_key_secret=FAKE_SECRET)
    endpoints = Endpoints(region="cn-fake", address=service.address)
    return Session(region_id="cn-fake", endpoints=endpoints, credentials=StaticCredentials(credential), **values)


# --- as the documents do it ----------------------------------------------------------------------------------------


def test_the_documents_block_runs_as_it_stands(place: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    block = DOCUMENT.read_text()
    for placeholder, value in zip(re.findall("<[A-Z][A-Za-z]+>", block), GIVEN.values(), strict=True):
        block = block.replace(placeholder, value)
    for said in ("config session\nkept region", ""):  # the second time it finds what it has set up
        names: dict[str, Any] = {
            "get_default_session": get_default_session,
            "setup_default_session": setup_default_session,
        }
        exec(block, names)
        printed = capsys.readouterr().out
        assert printed.startswith(said)
        assert bool(printed) is bool(said)
        bucket = names["sess"].oss_bucket
        assert type(bucket).__module__ == "oss2.api"
        assert (bucket.bucket_name, bucket.endpoint) == ("my-bucket", "https://oss-cn-shanghai.aliyuncs.com")
    assert place.reached == []


def test_nothing_configured_is_no_session_and_nobody_is_asked(place: Surroundings) -> None:
    assert get_default_session() is None
    with pytest.raises(SpecError, match=r"%pai_config wizard.*%pai_config use emulator"):
        need_session()
    assert place.reached == []


def test_a_set_up_session_has_what_was_given() -> None:
    session = setup_default_session(KEY, SECRET, "cn-shanghai", 12345, "my-bucket", security_token=TOKEN)
    credential = session.credentials.get()
    assert (session.region_id, session.workspace_id, session.oss_bucket_name) == ("cn-shanghai", "12345", "my-bucket")
    assert (credential.access_key_id, credential.access_key_secret, credential.security_token) == (KEY, SECRET, TOKEN)
    assert not session.is_emulator
    assert settings().resolve("region").origin == "notebook"
    assert {SECRET, TOKEN} <= loaded_secrets()


def test_what_is_not_given_stays_as_it_was() -> None:
    setup_default_session(**GIVEN)
    session = setup_default_session(oss_bucket_name="other-bucket")
    assert (session.region_id, session.oss_bucket_name) == ("cn-shanghai", "other-bucket")
    assert session.credentials.get().access_key_id == KEY


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"region_id": "<RegionIdWorking>"}, SpecError, "`region` is '<RegionIdWorking>', which is not valid; e.g."),
        ({"region_id": None}, SpecError, "`region_id` is missing, and no region is configured"),
        ({"workspace_id": "<Your Workspace>"}, SpecError, "`workspace` is"),
        ({"oss_bucket_name": "My_Bucket"}, SpecError, "`bucket` is 'My_Bucket'"),
        ({"oss_endpoint": "ftp://x"}, SpecError, "`endpoint` is 'ftp://x'"),
        ({"network": "wlan"}, SpecError, "`network` is 'wlan'"),
        ({"access_key_id": None}, SpecError, "half an access key: `access_key_id` is missing"),
        ({"access_key_secret": ""}, SpecError, "half an access key: `access_key_secret` is missing"),
        ({"access_key_secret": 12345678}, SpecError, "`access_key_secret` is no text but int"),
        ({"access_key_secret": SECRET + "\n"}, AuthError, "`access_key_secret` from setup_default_session"),
        ({"region_id": KEY}, SpecError, "a secret does not belong here"),
    ],
)
def test_a_bad_value_is_refused_and_changes_nothing(
    change: dict[str, Any], kind: type[PaiJupyterError], sentence: str
) -> None:
    with pytest.raises(kind, match=sentence) as caught:
        setup_default_session(**{**GIVEN, **change})
    assert SECRET not in str(caught.value)
    assert "12345678" not in str(caught.value)
    assert get_default_session() is None
    assert loaded_secrets() == frozenset()


# --- found by layers -----------------------------------------------------------------------------------------------


def test_values_come_from_several_layers(place: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(place.project, 'workspace = "77"\n')
    place.write(place.user, PROFILE)
    place.write(place.sdk, {"region_id": "cn-far", "oss_bucket_name": "sdk-bucket"})
    monkeypatch.setenv("PAI_NETWORK_TYPE", "VPC")
    session = need_session()
    assert (session.region_id, session.workspace_id, session.oss_bucket_name) == ("cn-beijing", "77", "sdk-bucket")
    assert session.endpoints == Endpoints(region="cn-beijing", network="vpc")
    assert session.oss_endpoint == "oss-cn-beijing-internal.aliyuncs.com"


@pytest.mark.parametrize(
    ("given", "endpoint"),
    [
        ({}, "oss-cn-shanghai.aliyuncs.com"),
        ({"network": "public"}, "oss-cn-shanghai.aliyuncs.com"),
        ({"network": "vpc"}, "oss-cn-shanghai-internal.aliyuncs.com"),
        ({"oss_endpoint": "https://s3-proxy.example.com/"}, "s3-proxy.example.com"),
        ({"oss_endpoint": "http://pai-oss.local:9000"}, "http://pai-oss.local:9000"),
        ({"oss_endpoint": "oss-accelerate.aliyuncs.com", "network": "vpc"}, "oss-accelerate.aliyuncs.com"),
    ],
)
def test_where_oss_answers(given: dict[str, Any], endpoint: str) -> None:
    session = setup_default_session(**GIVEN, **given)
    assert session.oss_endpoint == endpoint
    assert session.oss_bucket.endpoint.endswith(endpoint)


def test_a_session_is_the_same_until_something_changes() -> None:
    first = setup_default_session(**GIVEN)
    assert get_default_session() is first
    settings().set("workspace", "2")
    assert get_default_session() != first


def test_keys_come_from_the_profile_then_from_this_machine(
    place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_ID", "machine-id")
    monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "machine-secret")
    settings().set("region", "cn-a")
    assert need_session().credentials.get().access_key_id == "machine-id"
    place.write(place.user, PROFILE)
    assert need_session().credentials.get().access_key_id == KEY
    setup_default_session("kernel-id", "kernel-secret")
    assert need_session().credentials.get().access_key_id == "kernel-id"


def test_a_profile_edited_while_a_session_is_used_counts_at_once(place: Surroundings) -> None:
    place.write(place.user, PROFILE)
    session = need_session()
    bucket = session.oss_bucket if session.oss_bucket_name else setup_default_session(oss_bucket_name="abc").oss_bucket
    place.write(place.user, PROFILE.replace(SECRET, "renewed-secret") + f'security_token = "{TOKEN}"\n')
    assert session.credentials.get().security_token == TOKEN
    signed = bucket.sign_url("GET", "k", 60)
    assert "x-oss-security-token=" in signed
    place.write(place.user, "")
    with pytest.raises(AuthError, match="profile 'default' has no access key any more"):
        session.credentials.get()


def test_a_session_shows_no_secret() -> None:
    session = setup_default_session(**GIVEN, security_token=TOKEN)
    shown = repr([session, session.credentials.get(), session.endpoints, settings().all()])
    assert SECRET not in shown
    assert TOKEN not in shown


def test_a_broken_file_is_said_and_no_session(place: Surroundings) -> None:
    place.write(place.sdk, "{")
    with pytest.raises(SpecError, match=r"\.pai/config\.json"):
        get_default_session()


# --- the emulator, and what was recorded elsewhere -----------------------------------------------------------------

ADDRESS = "http://127.0.0.1:4711"


def test_the_emulator_has_its_own_place_and_key(place: Surroundings) -> None:
    setup_default_session(**GIVEN)
    place.have_emulator(ADDRESS, key="emulator-id", secret="emulator-secret")
    session = need_session()
    assert session.is_emulator
    assert [session.region_id, session.workspace_id, session.oss_bucket_name] == list(EMULATOR.values())
    assert session.endpoints == Endpoints(region="cn-emulator", address=ADDRESS)
    assert session.oss_bucket.endpoint == session.oss_endpoint == ADDRESS
    assert session.credentials.get().access_key_id == "emulator-id"
    assert "emulator-secret" in loaded_secrets()


def test_an_emulator_that_left_no_key_is_said(place: Surroundings) -> None:
    settings().use_emulator(ADDRESS)
    for content in (None, "{", "[]", '{"access_key_id": "x"}', '{"access_key_id": "", "access_key_secret": ""}'):
        if content is not None:
            place.write(place.root / "pai_jupyter/emulator/credentials.json", content)
        with pytest.raises(AuthError):
            need_session().credentials.get()


def test_the_cloud_cannot_be_set_up_while_an_emulator_is_in_force(place: Surroundings) -> None:
    place.have_emulator(ADDRESS, key="emulator-id", secret="emulator-secret")
    with pytest.raises(SpecError, match="%pai_config use emulator --stop"):
        setup_default_session(**GIVEN)
    assert need_session().credentials.get().access_key_id == "emulator-id"


def test_a_key_may_be_given_for_the_emulator(place: Surroundings) -> None:
    settings().use_emulator(ADDRESS)
    assert setup_default_session(KEY, SECRET).credentials.get().access_key_id == KEY
    settings().leave_emulator()
    settings().set("region", "cn-a")
    with pytest.raises(AuthError):
        need_session().credentials.get()


def test_a_job_recorded_elsewhere_is_asked_for_there_with_the_keys_for_it(place: Surroundings) -> None:
    here = setup_default_session(**GIVEN)
    assert session_for("cn-shanghai", None, "12345") is here
    other = session_for("cn-beijing", None, "9")
    assert (other.region_id, other.workspace_id, other.oss_bucket_name) == ("cn-beijing", "9", None)
    assert other.oss_endpoint == "oss-cn-beijing.aliyuncs.com"
    assert other.credentials.get().access_key_id == KEY
    neighbour = session_for("cn-shanghai", None, "9")
    assert (neighbour.workspace_id, neighbour.oss_bucket_name) == ("9", "my-bucket")


def test_a_job_of_the_cloud_never_gets_the_emulators_key_nor_the_other_way_round(place: Surroundings) -> None:
    setup_default_session(**GIVEN)
    place.have_emulator(ADDRESS, key="emulator-id", secret="emulator-secret")
    assert session_for("cn-shanghai", None, "1").credentials.get().access_key_id == KEY
    settings().leave_emulator()
    at_emulator = session_for("cn-emulator", ADDRESS, "10001")
    assert at_emulator.credentials.get().access_key_id == "emulator-id"
    assert (at_emulator.oss_bucket_name, at_emulator.oss_endpoint) == ("emulator", ADDRESS)


# --- what the cloud is asked for -----------------------------------------------------------------------------------


async def test_a_bucket_not_configured_is_the_workspaces_and_asked_for_once(service: OpenApi) -> None:
    configs = [
        {"ConfigKey": "other", "ConfigValue": "oss://no"},
        {"ConfigKey": "modelExportPath", "ConfigValue": "oss://its-bucket.oss-cn-fake.aliyuncs.com/models/"},
    ]
    service.plan.append(told({"Configs": configs}))
    session = session_at(service, workspace_id="7", oss_endpoint="oss-cn-fake.aliyuncs.com")
    uri, bucket = await asyncio.to_thread(lambda: (session.uri("a/b"), session.oss_bucket))
    assert (uri, bucket.bucket_name) == ("oss://its-bucket/a/b", "its-bucket")
    assert [(each.action, each.path, each.query) for each in service.requests] == [
        ("ListConfigs", "/api/v1/workspaces/7/configs", {"ConfigKeys": "modelExportPath"})
    ]


@pytest.mark.parametrize("configs", [None, [], [{"ConfigKey": "modelExportPath"}], ["odd"], {"odd": 1}])
async def test_no_bucket_anywhere_is_said(service: OpenApi, configs: object) -> None:
    service.plan.append(told({"Configs": configs}))
    session = session_at(service, workspace_id="7")
    with pytest.raises(SpecError, match="%pai_config set bucket=NAME"):
        await asyncio.to_thread(session.require_bucket)


async def test_a_refused_question_is_no_answer_and_asked_again(service: OpenApi) -> None:
    service.plan += [code(403, "Forbidden"), told({"Configs": []})]
    session = session_at(service, workspace_id="7")
    with pytest.raises(AuthError):
        await asyncio.to_thread(session.require_bucket)
    with pytest.raises(SpecError):
        await asyncio.to_thread(session.require_bucket)


def test_without_workspace_and_bucket_nobody_is_asked(place: Surroundings) -> None:
    session = setup_default_session(KEY, SECRET, "cn-shanghai")
    with pytest.raises(SpecError, match="no workspace is set"):
        session.require_workspace()
    with pytest.raises(SpecError, match="no OSS bucket is set"):
        session.require_bucket()
    assert place.reached == []


async def test_a_notebook_of_pai_knows_its_workspace_by_its_instance(
    service: OpenApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSW_INSTANCE_ID", "dsw-1/2")
    service.plan += [told({"WorkspaceId": 4711})]
    session = session_at(service)
    assert await asyncio.to_thread(lambda: (session.require_workspace(), session.require_workspace())) == ("4711",) * 2
    assert [(each.action, each.path, each.headers["x-acs-version"]) for each in service.requests] == [
        ("GetInstance", "/api/v2/instances/dsw-1%2F2", "2022-01-01")
    ]


# --- asking from synchronous code ----------------------------------------------------------------------------------


async def test_a_question_from_a_cell_is_answered_under_a_running_loop(service: OpenApi) -> None:
    service.plan.append(told({"AccountId": "1"}))
    session = session_at(service)

    def in_a_loop() -> object:
        async def cell() -> object:
            return session.ask(lambda client: client.call(sts.GET_CALLER_IDENTITY))

        return asyncio.run(cell())

    assert await asyncio.to_thread(in_a_loop) == {"AccountId": "1"}


async def test_what_a_question_raises_is_raised(service: OpenApi) -> None:
    service.plan.append(code(403, "Forbidden"))
    with pytest.raises(AuthError, match="Forbidden"):
        await asyncio.to_thread(
            session_at(service).ask,
            lambda client: client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": "x"}),
        )


def test_an_interrupt_ends_the_question_too() -> None:
    ended = threading.Event()

    async def question() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(60)
        finally:
            ended.set()

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        asking.ask(question)
    assert ended.wait(SOON)
    assert time.monotonic() - began < SOON
