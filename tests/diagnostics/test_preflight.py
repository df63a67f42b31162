"""`%pai_config test`: what is right is said, what is not has a remedy, and no secret is in any of it."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.diagnostics import Check, preflight
from pai_jupyter.magics import emulator
from tests.fakes.openapi import KEY, SECRET, OpenApi, code, says
from tests.support.sessions import Surroundings, surroundings
from tests.support.shells import Shell


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


@pytest.fixture
async def service(place: Surroundings) -> AsyncIterator[OpenApi]:
    """A service that is in force as the emulator: after the clock, STS and AIWorkSpace are asked."""
    async with OpenApi() as service:
        place.have_emulator(service.address, key=KEY, secret=SECRET)
        yield service


CLOCK = code(400, "MissingParameter")
ACCOUNT = says(200, {"AccountId": "1", "IdentityType": "RAMUser", "Arn": "acs:ram::1:user/u"})
WORKSPACE = says(200, {"WorkspaceId": "10001", "WorkspaceName": "训练"})
NO_OSS = says(404, "<Error><Code>NoSuchBucket</Code></Error>", x_oss_request_id="1")


async def checks() -> dict[str, Check]:
    found = await asyncio.to_thread(preflight)
    assert all(check.remedy for check in found if not check.is_good)
    assert SECRET not in repr(found)
    return {check.what: check for check in found}


def test_at_an_emulator_all_is_well_and_says_emulator(place: Surroundings) -> None:
    try:
        with Shell() as shell:
            shell.run("%pai_config use emulator")
            shown = shell.run("%pai_config test").text
            secret = next(iter(settings().loaded_secrets()))
    finally:
        emulator.stop()
    for words in (
        "PAI emulator at http://127",
        "correct",
        "account 1",
        "10001",
        "emulator in cn-emulator",
    ):
        assert words in shown
    assert shown.count("✗") <= 1  # no Docker engine
    assert not re.search(r"account \d+, Account", shown)
    assert secret not in shown
    assert place.reached == []


async def test_with_nothing_configured_it_says_how_to_begin(place: Surroundings) -> None:
    found = await checks()
    assert list(found) == ["session", "proxies", "Docker engine"]
    assert "%pai_config wizard" in found["session"].remedy
    assert place.reached == []


async def test_a_broken_file_is_a_finding(place: Surroundings) -> None:
    place.write(place.sdk, "{")
    assert ".pai/config.json" in (await checks())["session"].found


async def test_without_a_key_nobody_is_asked_for_the_rest(place: Surroundings) -> None:
    settings().set("region", "cn-a")
    found = await checks()
    assert not found["credentials"].is_good
    assert not found["clock"].is_good
    assert "account" not in found
    assert set(place.reached) <= {"aiworkspace.cn-a.aliyuncs.com"}


async def test_a_refused_key_is_named_by_its_end_and_its_origin(service: OpenApi) -> None:
    service.plan += [CLOCK, code(400, "InvalidAccessKeyId.NotFound")]
    found = await checks()
    assert found["credentials"].found == f"a key whose id ends in {KEY[-4:]}, from the emulator"
    assert "InvalidAccessKeyId.NotFound" in found["account"].found
    assert "workspace" not in found


@pytest.mark.parametrize(
    ("ahead", "said", "is_good"), [(30, "correct", True), (300, "5 min behind", True), (-1200, "20 min ahead", False)]
)
async def test_a_wrong_clock_is_measured(service: OpenApi, ahead: int, said: str, is_good: bool) -> None:
    service.ahead = timedelta(seconds=ahead).total_seconds()
    service.plan += [CLOCK, code(403, "Forbidden")]
    clock = (await checks())["clock"]
    assert (said in clock.found, clock.is_good) == (True, is_good)


async def test_a_workspace_elsewhere_is_said_with_the_region(service: OpenApi) -> None:
    service.plan += [CLOCK, ACCOUNT, code(404, "WORKSPACE_NOT_FOUND"), NO_OSS]
    found = await checks()
    assert found["account"].found == "account 1, RAMUser acs:ram::1:user/u"
    assert not found["workspace"].is_good
    assert "region cn-emulator" in found["workspace"].remedy


BUCKET_INFO = """<BucketInfo><Bucket><CreationDate>2024-01-01T00:00:00.000Z</CreationDate>
<ExtranetEndpoint>x</ExtranetEndpoint><IntranetEndpoint>x</IntranetEndpoint><Location>oss-{}</Location><Name>emulator</Name>
<StorageClass>Standard</StorageClass><Owner><DisplayName>1</DisplayName><ID>1</ID></Owner>
<AccessControlList><Grant>private</Grant></AccessControlList></Bucket></BucketInfo>"""


@pytest.mark.parametrize(("region", "is_good"), [("cn-emulator", True), ("cn-beijing", False)])
async def test_a_bucket_must_be_in_the_region_of_the_jobs(service: OpenApi, region: str, is_good: bool) -> None:
    service.plan += [CLOCK, ACCOUNT, WORKSPACE, says(200, BUCKET_INFO.format(region), x_oss_request_id="REQ-1")]
    found = await checks()
    assert found["workspace"].found == "10001, '训练' in cn-emulator"
    assert found["bucket"].is_good is is_good
    assert region in found["bucket"].found


async def test_the_password_of_a_proxy_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{SECRET}@proxy.example.com:3128")
    monkeypatch.setenv("no_proxy", "localhost")
    monkeypatch.setenv("ALL_PROXY", f"user:{SECRET}@proxy:1")
    found = (await checks())["proxies"].found
    assert found == "HTTPS_PROXY=http://proxy.example.com:3128, ALL_PROXY=proxy:1, NO_PROXY=localhost"
