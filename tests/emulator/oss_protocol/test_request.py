"""Which bucket, which object and which operation a request means, and what its signature covers. No service."""

import hashlib
import hmac
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pai_jupyter.emulator.oss import routing
from pai_jupyter.emulator.oss_protocol import request
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.request import OssRequest
from pai_jupyter.emulator.oss_protocol.signatures import check

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("host", "target", "bucket", "key"),
    [
        ("127.0.0.1:80", "/", "", ""),
        ("127.0.0.1:80", "/bucket", "bucket", ""),
        ("127.0.0.1:80", "/bucket/", "bucket", ""),
        ("127.0.0.1:80", "/bucket/a%2Fb+c%20%2B", "bucket", "a/b+c +"),
        ("127.0.0.1:80", "/bucket/../x", "bucket", "../x"),
        ("127.0.0.1:80", "/bucket//x", "bucket", "/x"),
        ("127.0.0.1:80", "/buck%2Fet/x", "buck/et", "x"),
        ("localhost", "/bucket/%25", "bucket", "%"),
        ("bucket.127.0.0.1:80", "/key", "bucket", "key"),
        ("bucket.localhost:80", "/", "bucket", ""),
        ("oss-cn-emulator.aliyuncs.com", "/", "", ""),
        ("oss-cn-emulator.aliyuncs.com", "/bucket/key", "bucket", "key"),
        ("bucket.oss-cn-emulator.aliyuncs.com", "/a/b", "bucket", "a/b"),
        ("oss-bucket.oss-cn-emulator.aliyuncs.com", "/a", "oss-bucket", "a"),
        ("bucket.vpc100-oss-cn-emulator.aliyuncs.com", "/a", "bucket", "a"),
        ("bucket.oss-cn-emulator.aliyuncs.com", "http://bucket.oss-cn-emulator.aliyuncs.com/a%20b", "bucket", "a b"),
        ("127.0.0.1:80", "http://127.0.0.1:80/bucket/http://x", "bucket", "http://x"),
        ("", "/bucket/key", "bucket", "key"),
    ],
)
def test_the_bucket_and_the_key(host: str, target: str, bucket: str, key: str) -> None:
    asked = request.read("GET", target.encode(), b"", [(b"Host", host.encode())])
    assert (asked.bucket, asked.key) == (bucket, key)


def test_a_query_is_decoded_and_headers_are_joined() -> None:
    asked = request.read("GET", b"/", b"a=1+2%2B&acl&b=", [(b"X-A", b"1"), (b"x-a", b" 2 ")])
    assert asked.query == {"a": "1 2+", "acl": "", "b": ""}
    assert asked.headers == {"x-a": "1,2"}


@pytest.mark.parametrize(
    ("method", "bucket", "key", "query", "name"),
    [
        ("GET", "", "", {}, "list_buckets"),
        ("GET", "b", "", {"prefix": "x"}, "list_objects"),
        ("GET", "b", "", {"list-type": "2", "continuation-token": ""}, "list_objects_v2"),
        ("POST", "b", "", {"delete": ""}, "delete_objects"),
        ("PUT", "b", "k", {"partNumber": "1", "uploadId": "x"}, "upload_part"),
        ("POST", "b", "k", {"append": "", "position": "0"}, "append_object"),
        ("GET", "b", "k", {"response-content-type": "x"}, "get_object"),
        ("HEAD", "b", "k", {"objectMeta": ""}, "get_object_meta"),
        ("GET", "b", "k", {"acl": "", "security-token": "x"}, "get_object_acl"),
        ("GET", "b", "k", {"acl": "", "tagging": ""}, "NotImplemented"),
        ("GET", "b", "k", {"versionId": "x"}, "NotImplemented"),
        ("DELETE", "b", "", {"lifecycle": ""}, "NotImplemented"),
        ("PATCH", "b", "k", {}, "MethodNotAllowed"),
        ("POST", "b", "k", {}, "MethodNotAllowed"),
    ],
)
def test_the_operation(method: str, bucket: str, key: str, query: dict[str, str], name: str) -> None:
    asked = OssRequest(method=method, bucket=bucket, key=key, query=query)
    if name[0].isupper():
        with pytest.raises(OssRefusal, match=r"not") as caught:
            routing.find(asked)
        assert caught.value.code == name
    else:
        assert routing.find(asked).__name__ == name


V4 = "OSS4-HMAC-SHA256 Credential=id/20260102/cn-x/oss/aliyun_v4_request"
HEADERS = {"x-oss-date": "20260102T030405Z", "x-oss-content-sha256": "UNSIGNED-PAYLOAD"}
URL = {
    "x-oss-signature-version": "OSS4-HMAC-SHA256",
    "x-oss-credential": "id/20260102/cn-x/oss/aliyun_v4_request",
    "x-oss-date": "20260102T030405Z",
    "x-oss-expires": "60",
    "x-oss-signature": "",
}


PLAIN = OssRequest(method="GET", bucket="bucket", key="训练 +")


def verdict(
    headers: dict[str, str] | None = None,
    query: dict[str, str] | None = None,
    *,
    of: OssRequest = PLAIN,
    now: float = NOW,
) -> str | None:
    """How the request is signed, or the code that it is refused with."""
    asked = replace(of, headers=headers or {}, query=query or {})
    try:
        return check(asked, lambda key, token: "secret", region="cn-x", now=now)
    except OssRefusal as refusal:
        return refusal.code


def signed() -> dict[str, str]:
    """Headers of the request that `verdict` makes with `QUERY`, signed, put together by hand."""
    headers = {**HEADERS, "content-type": "text/a", "range": "bytes=0-1"}
    canonical = (
        "GET\n/bucket/%E8%AE%AD%E7%BB%83%20%2B\nacl&z=1%2F2\ncontent-type:text/a\nrange:bytes=0-1\n"
        "x-oss-content-sha256:UNSIGNED-PAYLOAD\nx-oss-date:20260102T030405Z\n\nrange\nUNSIGNED-PAYLOAD"
    )
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"OSS4-HMAC-SHA256\n20260102T030405Z\n20260102/cn-x/oss/aliyun_v4_request\n{digest}"
    key = b"aliyun_v4secret"
    for part in (b"20260102", b"cn-x", b"oss", b"aliyun_v4_request"):
        key = hmac.digest(key, part, "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return {**headers, "authorization": f"{V4}, Signature={signature}, AdditionalHeaders=range"}


QUERY = {"z": "1/2", "acl": ""}


@pytest.mark.parametrize("spelling", [", ", ","])
def test_what_is_signed_as_the_protocol_says_is_let_in(spelling: str) -> None:
    headers = signed()
    headers["authorization"] = headers["authorization"].replace(", ", spelling)
    assert verdict(headers, QUERY) == "v4"


@pytest.mark.parametrize(
    "tamper",
    [
        {"content-type": "text/b"},
        {"range": "bytes=0-2"},
        {"x-oss-meta-a": "added"},
        {"content-md5": "added"},
        {"x-oss-date": "20260102T030406Z"},
    ],
)
def test_what_was_tampered_with_is_not(tamper: dict[str, str]) -> None:
    assert verdict({**signed(), **tamper}, QUERY) == "SignatureDoesNotMatch"


@pytest.mark.parametrize(
    "other", [replace(PLAIN, method="PUT"), replace(PLAIN, bucket="other"), replace(PLAIN, key="other")]
)
def test_a_signature_holds_for_one_request(other: OssRequest) -> None:
    assert verdict(signed(), QUERY, of=other) == "SignatureDoesNotMatch"
    assert verdict(signed(), {**QUERY, "more": ""}) == "SignatureDoesNotMatch"


@pytest.mark.parametrize(
    ("headers", "query", "code"),
    [
        ({}, {}, None),
        ({"authorization": "Bearer x"}, {}, "InvalidArgument"),
        ({"authorization": ""}, {}, "InvalidArgument"),
        ({"authorization": "OSS4-HMAC-SHA256 nonsense", **HEADERS}, {}, "InvalidArgument"),
        ({"authorization": V4}, {}, "InvalidArgument"),
        ({"authorization": V4, **HEADERS}, {}, "SignatureDoesNotMatch"),
        ({"authorization": V4, **HEADERS, "x-oss-date": "20260103T030405Z"}, {}, "RequestTimeTooSkewed"),
        ({"authorization": V4, **HEADERS, "x-oss-date": "yesterday"}, {}, "InvalidArgument"),
        ({"authorization": V4.replace("cn-x", "cn-y"), **HEADERS}, {}, "InvalidArgument"),
        ({"authorization": "OSS id:x", "date": "Fri, 02 Jan 2026 03:04:05 GMT"}, {}, "SignatureDoesNotMatch"),
        ({"authorization": "OSS id:x", "date": "Fri, 02 Jan 2026 03:34:05 GMT"}, {}, "RequestTimeTooSkewed"),
        ({"authorization": "OSS id:x", "date": "soon"}, {}, "AccessDenied"),
        ({"authorization": "OSS id:x"}, {}, "AccessDenied"),
        ({"authorization": "OSS id:\udcff", "date": "Fri, 02 Jan 2026 03:04:05 GMT"}, {}, "SignatureDoesNotMatch"),
        ({"authorization": "OSS2 nonsense"}, {}, "InvalidArgument"),
        ({}, URL, "SignatureDoesNotMatch"),
        ({}, {**URL, "x-oss-expires": "x"}, "InvalidArgument"),
        ({}, {**URL, "x-oss-expires": "604801"}, "InvalidArgument"),
        ({}, {**URL, "x-oss-credential": "id"}, "InvalidArgument"),
        ({}, {**URL, "x-oss-credential": "id/20260101/cn-x/oss/aliyun_v4_request"}, "InvalidArgument"),
        ({}, {**URL, "x-oss-date": "20260102T020405Z"}, "AccessDenied"),
        ({}, {**URL, "x-oss-date": "20260102T040405Z"}, "AccessDenied"),
        ({}, {"Signature": "x", "Expires": "1", "OSSAccessKeyId": "id"}, "AccessDenied"),
        ({}, {"Signature": "x", "Expires": "9999999999", "OSSAccessKeyId": "id"}, "SignatureDoesNotMatch"),
        ({}, {"Signature": "x", "Expires": "²", "OSSAccessKeyId": "id"}, "InvalidArgument"),
        ({}, {"x-oss-signature-version": "OSS2", "x-oss-expires": "1"}, "AccessDenied"),
    ],
)
def test_what_is_refused_and_how(headers: dict[str, str], query: dict[str, str], code: str | None) -> None:
    assert verdict(headers, query) == code


@pytest.mark.parametrize("seconds", [-901, -900, 0, 900, 901])
def test_a_quarter_of_an_hour_is_how_far_a_clock_may_be_off(seconds: int) -> None:
    expected = "v4" if abs(seconds) <= 900 else "RequestTimeTooSkewed"
    assert verdict(signed(), QUERY, now=NOW + seconds) == expected


def test_a_refusal_tells_what_should_have_been_signed_and_no_secret() -> None:
    asked = OssRequest(method="GET", bucket="bucket", key="k", headers={"authorization": V4, **HEADERS})
    with pytest.raises(OssRefusal) as caught:
        check(asked, lambda key, token: "the-secret", region="cn-x", now=NOW)
    assert caught.value.more["CanonicalRequest"].startswith("GET\n/bucket/k\n")
    assert caught.value.more["OSSAccessKeyId"] == "id"
    assert "the-secret" not in repr(caught.value.more)
