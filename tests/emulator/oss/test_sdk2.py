"""`alibabacloud-oss-v2`, unchanged, uses the emulator's OSS as `oss2` does; it signs with version 4 and tries again by itself."""

import datetime
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import alibabacloud_oss_v2 as oss
import httpx
import pytest

from tests.support.emulators import BUCKET, KEY, REGION, SECRET, STS_KEY, STS_SECRET, STS_TOKEN, Emulator

pytestmark = pytest.mark.usefixtures("fine")
PART = 100 * 1024
ODD_KEYS = ["a b", "训练/x", "a+b%20", "line\nbreak", "a//b", "a?b#c&d=e", "k" * 1000, "~-_.", "é'\"`$"]


def client_of(running: Emulator, *key: str, style: str = "path", **more: Any) -> oss.Client:
    config = oss.config.load_default()
    config.credentials_provider = oss.credentials.StaticCredentialsProvider(*(key or (KEY, SECRET)))
    config.region = REGION
    if style == "path":
        config.endpoint, config.use_path_style = running.address, True
    else:
        config.endpoint, config.proxy_host = "http://oss-cn-emulator.aliyuncs.com", {"http": running.address}
    for name, value in more.items():
        setattr(config, name, value)
    return oss.Client(config)


@pytest.fixture(params=["path", "host", "sts"])
def client(running: Emulator, request: pytest.FixtureRequest) -> Iterator[oss.Client]:
    """Signed and addressed in each way; the bucket is empty."""
    key = (STS_KEY, STS_SECRET, STS_TOKEN) if request.param == "sts" else ()
    client = client_of(running, *key, style="host" if request.param == "host" else "path")
    yield client
    for name in keys(client):
        client.delete_object(oss.DeleteObjectRequest(bucket=BUCKET, key=name))


def put(client: oss.Client, key: str, data: bytes, **more: Any) -> oss.PutObjectResult:
    return client.put_object(oss.PutObjectRequest(bucket=BUCKET, key=key, body=data, **more))


def get(client: oss.Client, key: str, **more: Any) -> bytes:
    body = client.get_object(oss.GetObjectRequest(bucket=BUCKET, key=key, **more)).body
    assert body is not None
    with body as stream:
        return bytes(stream.read())


def keys(client: oss.Client, **more: Any) -> list[str]:
    pages = client.list_objects_v2_paginator().iter_page(oss.ListObjectsV2Request(bucket=BUCKET, max_keys=2, **more))
    return [str(found.key) for page in pages for found in page.contents or []]


def refusal(error: BaseException) -> tuple[int, str]:
    """The status and the code at the bottom of what the SDK raises."""
    assert isinstance(error, oss.exceptions.OperationError)
    service = error.unwrap()
    assert isinstance(service, oss.exceptions.ServiceError)
    return service.status_code, service.code


def test_objects_of_any_name_go_there_and_back(client: oss.Client) -> None:
    for key in ODD_KEYS:
        stored = put(client, key, key.encode(), metadata={"author": "a"})
        assert get(client, key) == key.encode()
        head = client.head_object(oss.HeadObjectRequest(bucket=BUCKET, key=key))
        assert (head.etag, head.content_length) == (stored.etag, len(key.encode()))
        assert head.metadata == {"author": "a"}
        meta = client.get_object_meta(oss.GetObjectMetaRequest(bucket=BUCKET, key=key))
        assert meta.hash_crc64 == stored.hash_crc64
    assert keys(client) == sorted(ODD_KEYS, key=str.encode)
    pages = client.list_objects_paginator().iter_page(oss.ListObjectsRequest(bucket=BUCKET, max_keys=3))
    assert [found.key for page in pages for found in page.contents or []] == sorted(ODD_KEYS, key=str.encode)
    named = [oss.DeleteObject(key=key) for key in ODD_KEYS]
    deleted = client.delete_multiple_objects(oss.DeleteMultipleObjectsRequest(bucket=BUCKET, objects=named))
    assert {it.key for it in deleted.deleted_objects or []} == set(ODD_KEYS)
    assert keys(client) == []


def test_a_large_file_goes_there_and_back_in_parts(client: oss.Client, tmp_path: Path) -> None:
    data = random.Random(1).randbytes(5 * PART + 123)
    (tmp_path / "file").write_bytes(data)
    up = client.uploader(part_size=PART, parallel_num=3)
    up.upload_file(oss.PutObjectRequest(bucket=BUCKET, key="big"), str(tmp_path / "file"))
    down = client.downloader(part_size=PART, parallel_num=3)
    down.download_file(oss.GetObjectRequest(bucket=BUCKET, key="big"), str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == data
    assert client.head_object(oss.HeadObjectRequest(bucket=BUCKET, key="big")).object_type == "Multipart"


def test_appends_copies_and_ranges(client: oss.Client) -> None:
    for position, data in ((0, b"one"), (3, b"two")):
        client.append_object(oss.AppendObjectRequest(bucket=BUCKET, key="log", position=position, body=data))
    copy = oss.CopyObjectRequest(bucket=BUCKET, key="训练 copy", source_bucket=BUCKET, source_key="log")
    assert client.copy_object(copy).etag
    assert get(client, "训练 copy") == b"onetwo"
    assert get(client, "log", range_header="bytes=2-3", range_behavior="standard") == b"et"
    with pytest.raises(oss.exceptions.OperationError) as caught:
        get(client, "log", range_header="bytes=6-", range_behavior="standard")
    assert refusal(caught.value) == (416, "InvalidRange")


def test_a_file_may_be_read_here_and_there(client: oss.Client) -> None:
    put(client, "digits", b"0123456789")
    with client.open_file(BUCKET, "digits") as file:
        file.seek(5)
        assert file.read(2) == b"56"
        file.seek(-1, io.SEEK_END)
        assert file.read() == b"9"


def test_signed_addresses_hold_for_what_was_signed_alone(running: Emulator) -> None:
    client = client_of(running, STS_KEY, STS_SECRET, STS_TOKEN)
    put(client, "训练/a+b %", b"shared")
    asked = oss.GetObjectRequest(bucket=BUCKET, key="训练/a+b %")
    address = str(client.presign(asked, expires=datetime.timedelta(seconds=60)).url)
    assert httpx.get(address, trust_env=False).content == b"shared"
    assert httpx.get(address.replace("a%2Bb", "a%2Bc"), trust_env=False).status_code == 403
    assert httpx.delete(address, trust_env=False).status_code == 403
    running.fault("skewed-clock", seconds=120)
    assert httpx.get(address, trust_env=False).status_code == 403


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ((KEY, "wrong"), "SignatureDoesNotMatch"),
        (("nobody", SECRET), "InvalidAccessKeyId"),
        ((STS_KEY, STS_SECRET, "other"), "InvalidSecurityToken"),
    ],
)
def test_who_is_not_who_he_says_is_refused(running: Emulator, key: tuple[str, ...], code: str) -> None:
    client = client_of(running, *key)
    with pytest.raises(oss.exceptions.OperationError) as caught:
        put(client, "key", b"x")
    assert refusal(caught.value) == (403, code)
    with pytest.raises(oss.exceptions.OperationError) as caught:
        client.head_object(oss.HeadObjectRequest(bucket=BUCKET, key="key"))
    assert refusal(caught.value) == (403, code)


def test_version_1_without_the_tokens_own_header_is_refused(running: Emulator) -> None:
    """This SDK sends `security-token`; whether the cloud takes that is not known, so we are strict."""
    client = client_of(running, STS_KEY, STS_SECRET, STS_TOKEN, signature_version="v1")
    with pytest.raises(oss.exceptions.OperationError) as caught:
        put(client, "key", b"x")
    assert refusal(caught.value) == (403, "InvalidAccessKeyId")
    put(client_of(running, KEY, SECRET, signature_version="v1"), "训练 key", b"x")


@pytest.mark.parametrize("fault", ["server-error", "throttling", "dropped", "html"])
def test_what_goes_wrong_twice_is_tried_a_third_time(running: Emulator, fault: str) -> None:
    client = client_of(running)
    put(client, "key", b"x")
    running.fault(fault, action="OSS:GET", times=2)
    assert get(client, "key") == b"x"


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_that_is_off_is_refused(running: Emulator, seconds: int) -> None:
    running.fault("skewed-clock", seconds=seconds)
    with pytest.raises(oss.exceptions.OperationError) as caught:
        put(client_of(running), "key", b"x")
    assert refusal(caught.value) == (403, "RequestTimeTooSkewed")


@pytest.mark.parametrize("style", ["path", "host"])
def test_buckets_are_made_told_and_removed(running: Emulator, style: str) -> None:
    client, name = client_of(running, style=style), f"made-{style}"
    client.put_bucket(oss.PutBucketRequest(bucket=name, acl="public-read"))
    info = client.get_bucket_info(oss.GetBucketInfoRequest(bucket=name)).bucket_info
    assert info is not None
    assert (info.name, info.acl, info.location) == (name, "public-read", f"oss-{REGION}")
    assert client.get_bucket_stat(oss.GetBucketStatRequest(bucket=name)).object_count == 0
    pages = client.list_buckets_paginator().iter_page(oss.ListBucketsRequest(max_keys=1))
    assert {name, BUCKET} <= {bucket.name for page in pages for bucket in page.buckets or []}
    client.delete_bucket(oss.DeleteBucketRequest(bucket=name))
    assert not client.is_bucket_exist(name)
