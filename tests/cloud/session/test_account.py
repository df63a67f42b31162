"""What a key sees of its account: regions, the buckets of one region over several pages, workspaces with their names."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pai_jupyter.cloud.client import Credential, StaticCredentials
from pai_jupyter.cloud.session.account import Account, Choice
from pai_jupyter.errors import AuthError
from pai_jupyter.spec import Json
from tests.fakes.openapi import KEY, SECRET, OpenApi, code, says

REGION = "cn-shanghai"
REGIONS = """<RegionInfoList>{}</RegionInfoList>"""
ONE_REGION = """<RegionInfo><Region>oss-{}</Region><InternetEndpoint>i</InternetEndpoint>
<InternalEndpoint>n</InternalEndpoint><AccelerateEndpoint>a</AccelerateEndpoint></RegionInfo>"""
BUCKETS = """<ListAllMyBucketsResult><IsTruncated>{}</IsTruncated><NextMarker>{}</NextMarker>
<Buckets>{}</Buckets></ListAllMyBucketsResult>"""
ONE_BUCKET = """<Bucket><CreationDate>2024-01-01T00:00:00.000Z</CreationDate><ExtranetEndpoint>x</ExtranetEndpoint>
<IntranetEndpoint>x</IntranetEndpoint><Location>oss-{}</Location><Name>{}</Name><StorageClass>Standard</StorageClass></Bucket>"""


@pytest.fixture
async def service() -> AsyncIterator[OpenApi]:
    async with OpenApi() as service:
        yield service


@pytest.fixture
def account(service: OpenApi) -> Account:
    credential = Credential(access_key_id=KEY, access_key_secret=SECRET)
    return Account(credentials=StaticCredentials(credential), address=service.address)


def values(choices: list[Choice]) -> list[str]:
    return [choice.value for choice in choices]


async def test_regions_are_named_as_the_cloud_names_them(service: OpenApi, account: Account) -> None:
    regions = "".join(map(ONE_REGION.format, ("cn-shanghai", "ap-southeast-1")))
    service.plan.append(says(200, REGIONS.format(regions), x_oss_request_id="1"))
    assert values(await asyncio.to_thread(account.regions)) == ["ap-southeast-1", "cn-shanghai"]


async def test_only_buckets_of_the_region_are_offered(service: OpenApi, account: Account) -> None:
    first = ONE_BUCKET.format(REGION, "a") + ONE_BUCKET.format("cn-beijing", "b")
    service.plan += [
        says(200, BUCKETS.format("true", "b", first), x_oss_request_id="1"),
        says(200, BUCKETS.format("false", "", ONE_BUCKET.format(REGION, "c")), x_oss_request_id="1"),
    ]
    assert values(await asyncio.to_thread(account.buckets, REGION)) == ["a", "c"]
    assert [request.query.get("marker") for request in service.requests] == ["", "b"]


async def test_workspaces_have_names(service: OpenApi, account: Account) -> None:
    found: list[Json] = [{"WorkspaceId": 1, "WorkspaceName": "训练"}, {"WorkspaceId": "2"}]
    service.plan.append(says(200, {"Workspaces": found, "TotalCount": 2}))
    expected = [Choice(value="1", label="训练"), Choice(value="2")]
    assert await asyncio.to_thread(account.workspaces, REGION) == expected


async def test_a_workspace_without_storage_has_no_bucket(service: OpenApi, account: Account) -> None:
    service.plan.append(says(200, {"Configs": []}))
    assert await asyncio.to_thread(account.default_bucket, REGION, "1") is None


async def test_what_a_key_may_not_see_is_refused(service: OpenApi, account: Account) -> None:
    service.plan.append(code(403, "Forbidden"))
    with pytest.raises(AuthError):
        await asyncio.to_thread(account.workspaces, REGION)


async def test_what_a_key_may_not_see_of_oss_is_refused(service: OpenApi, account: Account) -> None:
    service.plan.append(says(403, "<Error><Code>AccessDenied</Code></Error>", x_oss_request_id="1"))
    with pytest.raises(AuthError):
        await asyncio.to_thread(account.buckets, REGION)
