"""Who may use the emulator's OSS, as `oss2` asks it: signatures, signed addresses, clocks, what is public."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from pai_jupyter.storage.oss.connection import load
from tests.support.buckets import AUTHS, Bucket, bucket_of, emptied, refused
from tests.support.emulators import KEY, SECRET, STS_KEY, STS_SECRET, STS_TOKEN, Emulator

oss2 = load()
pytestmark = pytest.mark.usefixtures("fine")


@pytest.fixture
def bucket(running: Emulator) -> Iterator[Bucket]:
    with emptied(bucket_of(running, AUTHS["v4"]())) as bucket:
        yield bucket


@pytest.mark.parametrize("how", AUTHS)
def test_anybody_with_a_signed_address_may_use_it(bucket: Bucket, running: Emulator, how: str) -> None:
    signing = bucket_of(running, AUTHS[how]())
    bucket.put_object("训练/a+b %", b"shared")
    for slash_safe in (True, False):
        address = signing.sign_url("GET", "训练/a+b %", 60, slash_safe=slash_safe)
        assert httpx.get(address, trust_env=False).content == b"shared"
    named = {"response-content-type": "text/csv", "response-content-disposition": 'attachment; filename="a b.csv"'}
    answer = httpx.get(signing.sign_url("GET", "训练/a+b %", 60, params=named), trust_env=False)
    assert answer.headers["Content-Type"] == "text/csv"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a b.csv"'
    assert httpx.put(signing.sign_url("PUT", "new", 60), content=b"put", trust_env=False).status_code == 200
    assert bucket.get_object("new").read() == b"put"


def fetched(address: str) -> int:
    return httpx.get(address, trust_env=False).status_code


@pytest.mark.parametrize("how", ["v1", "v2", "v4", "sts v1", "sts v4"])
def test_a_signed_address_holds_for_what_was_signed_alone_and_not_for_ever(
    bucket: Bucket, running: Emulator, how: str
) -> None:
    for key in ("key", "other"):
        bucket.put_object(key, b"x")
    address = bucket_of(running, AUTHS[how]()).sign_url("GET", "key", 60, params={"response-content-type": "text/a"})
    assert fetched(address) == 200
    assert fetched(address.replace("/key?", "/other?")) == 403
    assert fetched(address.replace("text%2Fa", "text%2Fb")) == 403
    assert fetched(address[:-1] + ("0" if address[-1] != "0" else "1")) == 403
    assert fetched(address + "&acl") in (403, 501)
    running.fault("skewed-clock", seconds=120)
    assert fetched(address) == 403


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "v1 secret": (lambda: oss2.Auth(KEY, "wrong"), "SignatureDoesNotMatch"),
    "v2 secret": (lambda: oss2.AuthV2(KEY, "wrong"), "SignatureDoesNotMatch"),
    "v4 secret": (lambda: oss2.AuthV4(KEY, "wrong"), "SignatureDoesNotMatch"),
    "v1 key": (lambda: oss2.Auth("nobody", SECRET), "InvalidAccessKeyId"),
    "v4 key": (lambda: oss2.AuthV4("nobody", SECRET), "InvalidAccessKeyId"),
    "token": (lambda: oss2.StsAuth(STS_KEY, STS_SECRET, "other", auth_version="v4"), "InvalidSecurityToken"),
    "no token": (lambda: oss2.AuthV4(STS_KEY, STS_SECRET), "InvalidAccessKeyId"),
    "token of another key": (lambda: oss2.StsAuth(KEY, SECRET, STS_TOKEN), "InvalidSecurityToken"),
    "nobody": (lambda: oss2.AnonymousAuth(), "AccessDenied"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_who_is_not_who_he_says_is_refused_with_the_clouds_code(running: Emulator, wrong: str) -> None:
    auth, code = WRONG[wrong]
    bucket = bucket_of(running, auth())
    for action in (
        lambda: bucket.put_object("key", b"x"),
        lambda: bucket.head_object("key"),
        lambda: bucket.list_objects(),
        lambda: bucket.batch_delete_objects(["key"]),
    ):
        assert refused(action) == (403, code)


@pytest.mark.parametrize("how", ["v1", "v4"])
@pytest.mark.parametrize("seconds", [-901 * 1, 901])
def test_a_clock_that_is_off_is_refused(bucket: Bucket, running: Emulator, how: str, seconds: int) -> None:
    running.fault("skewed-clock", seconds=seconds + (1 if seconds > 0 else -1))
    assert refused(lambda: bucket_of(running, AUTHS[how]()).get_object("key")) == (403, "RequestTimeTooSkewed")
    running.clear_faults()
    running.fault("skewed-clock", seconds=890 if seconds > 0 else -890)
    assert refused(lambda: bucket_of(running, AUTHS[how]()).get_object("key")) == (404, "NoSuchKey")


def test_a_signature_for_another_region_is_refused(running: Emulator) -> None:
    bucket = bucket_of(running, AUTHS["v4"](), region="cn-hangzhou")
    assert refused(lambda: bucket.get_object("key")) == (400, "InvalidArgument")


def test_what_is_public_may_be_read_by_anybody_and_nothing_else(bucket: Bucket, running: Emulator) -> None:
    bucket.put_object("public", b"x", headers={"x-oss-object-acl": "public-read"})
    bucket.put_object("private", b"x")
    anybody = bucket_of(running, oss2.AnonymousAuth())
    assert anybody.get_object("public").read() == b"x"
    assert anybody.head_object("public").content_length == 1
    for action in (
        lambda: anybody.get_object("private"),
        lambda: anybody.get_object("missing"),
        lambda: anybody.put_object("public", b"y"),
        lambda: anybody.delete_object("public"),
        lambda: anybody.get_object("public", params={"response-content-type": "text/html"}),
        lambda: anybody.get_object_acl("public"),
    ):
        assert refused(action) == (403, "AccessDenied")
    bucket.put_object_acl("public", oss2.OBJECT_ACL_PRIVATE)
    assert refused(lambda: anybody.get_object("public")) == (403, "AccessDenied")
