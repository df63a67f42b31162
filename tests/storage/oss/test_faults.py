"""What OSS, its SDK and the libraries below may raise, and the sentence that becomes of it."""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import ParseError

import pytest
import requests.exceptions
import urllib3.exceptions

from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    UnavailableError,
)
from pai_jupyter.storage import Storage, open_storage
from pai_jupyter.storage.oss.connection import load
from pai_jupyter.storage.oss.faults import oss_errors, translate
from tests.fakes.oss import BUCKET, KEY_ID, REGION, FakeOss, Key
from tests.support.storages import PART, TestKey, open_oss, oss, small_parts

__all__ = ["oss", "small_parts"]
oss2 = load()


@pytest.mark.parametrize(
    ("status", "code", "kind", "words"),
    [
        (403, "AccessDenied", AuthError, "may not do that"),
        (403, "InvalidAccessKeyId", AuthError, "does not know this access key"),
        (403, "SignatureDoesNotMatch", AuthError, "secret"),
        (403, "RequestTimeTooSkewed", AuthError, "clock"),
        (403, "SecurityTokenExpired", AuthError, "expired"),
        (403, "InvalidSecurityToken", AuthError, "token"),
        (403, "UserDisable", LimitExceededError, "bills"),
        (403, "InvalidObjectState", BackendError, "archived"),
        (404, "NoSuchBucket", NotFoundError, "no such bucket"),
        (404, "NoSuchKey", NotFoundError, "no such object"),
        (404, "SomethingNew", NotFoundError, "Check the address"),
        (409, "FileImmutable", BackendError, "retention"),
        (412, "PreconditionFailed", BackendError, "replaced"),
        (403, "QuotaExceeded", LimitExceededError, "quota"),
        (429, "TooManyRequests", LimitExceededError, "too often"),
        (503, "ServiceUnavailable", UnavailableError, "status 503"),
        (500, "", UnavailableError, "status 500"),
        (400, "SomethingNew", BackendError, "said the fake"),
        (403, "SomethingNew", AuthError, "refuses"),
    ],
)
def test_every_answer_becomes_one_sentence_with_the_request_id(
    oss: FakeOss, status: int, code: str, kind: type[PaiJupyterError], words: str
) -> None:
    oss.fault(OssRefusal(status, code), "GET", times=3)
    with pytest.raises(kind) as caught:
        open_oss(oss).read("a/训练")
    text = str(caught.value)
    assert type(caught.value) is kind
    assert words in text
    assert "5F3A0123456789ABCDEF0123" in text
    assert "a/训练" in text
    assert code in text
    assert "\n" not in text


def storage_with(oss: FakeOss, **key: str) -> Storage:
    return open_storage(oss.uri(), credentials=TestKey(**key), region=REGION)


def test_a_wrong_secret_is_refused_and_nothing_that_was_signed_is_told(oss: FakeOss) -> None:
    oss.keys[KEY_ID, "STS.token"] = Key(secret="right")
    storage = storage_with(oss, access_key_secret="wrong-secret", security_token="STS.token")
    with pytest.raises(AuthError, match="SignatureDoesNotMatch") as caught:
        storage.put("key", b"")
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__cause__)
    assert "STS.token" not in told
    assert "wrong-secret" not in told
    assert "StringToSign" not in told


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({"access_key_id": "nobody"}, "InvalidAccessKeyId"),
        ({"security_token": "unknown"}, "InvalidSecurityToken"),
        ({"security_token": "old"}, "SecurityTokenExpired"),
    ],
)
def test_keys_that_the_service_does_not_take(oss: FakeOss, key: dict[str, str], words: str) -> None:
    oss.keys[KEY_ID, "old"] = Key(secret=TestKey().access_key_secret, is_expired=True)
    with pytest.raises(AuthError, match=words):
        list(storage_with(oss, **key).list())
    assert len(oss.requests) == 1, "asking again would not help"


def test_a_clock_that_is_off_is_told(oss: FakeOss) -> None:
    from datetime import timedelta

    oss.clock = timedelta(hours=1)
    with pytest.raises(AuthError, match="clock"):
        open_oss(oss).head("key")


def test_a_bucket_that_is_not_there(oss: FakeOss) -> None:
    storage = open_storage(oss.uri().replace(BUCKET, "other-bucket"), credentials=TestKey(), region=REGION)
    for action in (lambda: storage.head("key"), lambda: list(storage.list()), lambda: storage.put("key", b"")):
        with pytest.raises(NotFoundError, match="no such bucket"):
            action()


def test_a_bucket_of_another_region_is_told_with_its_endpoint(oss: FakeOss) -> None:
    oss.fault(OssRefusal(403, "AccessDenied", Endpoint="oss-cn-beijing.aliyuncs.com"), "GET")
    with pytest.raises(NotFoundError, match=r"at oss-cn-beijing\.aliyuncs\.com"):
        open_oss(oss).read("key")


def test_nobody_at_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.storage.retry.FIRST_PAUSE", 0.001)
    with FakeOss() as gone:
        uri = gone.uri()
    with pytest.raises(UnavailableError, match="the connection fails"):
        open_storage(uri, credentials=TestKey(), region=REGION).head("key")


CALLS: dict[str, tuple[str, Callable[[Storage, Path], object]]] = {
    "put": ("PUT", lambda storage, _: storage.put("new", b"x")),
    "put in parts": ("POST", lambda storage, here: storage.put("new", large(here))),
    "head": ("HEAD", lambda storage, _: storage.head("key")),
    "read": ("GET", lambda storage, _: storage.read("key")),
    "read a range": ("GET", lambda storage, _: storage.read("key", start=1, size=1)),
    "get": ("GET", lambda storage, here: storage.get("key", here / "to")),
    "list": ("GET", lambda storage, _: list(storage.list())),
    "delete": ("POST", lambda storage, _: storage.delete(["key"])),
    "delete an odd one": ("DELETE", lambda storage, _: storage.delete(["odd\n"])),
    "put if absent": ("HEAD", lambda storage, _: storage.put_if_absent("key", b"x")),
}


def large(here: Path) -> Path:
    path = here / "large"
    path.write_bytes(bytes(3 * PART))
    return path


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("portal", ["html", "blank", "moved"])
@pytest.mark.usefixtures("small_parts")
def test_an_answer_that_is_not_of_oss_is_no_success(
    oss: FakeOss, tmp_path: Path, call: str, portal: Literal["html", "blank", "moved"]
) -> None:
    oss.put("key", b"content")
    method, act = CALLS[call]
    oss.fault(portal, method, times=9)
    with pytest.raises(ProtocolError, match=r"what answers is not OSS .*HTTPS_PROXY and NO_PROXY") as caught:
        act(open_oss(oss), tmp_path)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "to").exists()
    assert len(oss.asked(method)) == 1, "neither followed nor asked again"


@pytest.mark.parametrize(
    ("query", "method"), [("", "PUT"), ("partNumber", "PUT"), ("uploadId", "POST"), ("", "HEAD"), ("", "GET")]
)
@pytest.mark.usefixtures("small_parts")
def test_an_answer_without_an_etag_proves_nothing(oss: FakeOss, tmp_path: Path, query: str, method: str) -> None:
    oss.put("key", b"content")
    oss.fault("no-etag", method, query=query)
    act = {"GET": CALLS["read"], "HEAD": CALLS["head"]}.get(method) or CALLS["put in parts" if query else "put"]
    with pytest.raises(ProtocolError, match="it tells no etag"):
        act[1](open_oss(oss), tmp_path)


@pytest.mark.usefixtures("small_parts")
def test_what_was_stored_is_proved_by_its_etag_where_no_checksum_is_told(oss: FakeOss, tmp_path: Path) -> None:
    oss.fault("no-crc", "PUT", times=99)
    open_oss(oss).put("small", b"x")
    open_oss(oss).put("large", large(tmp_path))
    assert {key: len(it.data) for key, it in oss.objects.items()} == {"small": 1, "large": 3 * PART}


def test_a_gateway_that_is_busy_is_asked_again(oss: FakeOss) -> None:
    oss.put("key", b"content")
    oss.fault(OssRefusal(503, ""), "GET")
    assert open_oss(oss).read("key") == b"content"


def test_without_credentials_only_what_is_public(oss: FakeOss) -> None:
    with pytest.raises(AuthError):
        open_storage(oss.uri(), region=REGION).read("key")


def classes(root: type[Exception]) -> Iterator[type[Exception]]:
    yield root
    for sub in root.__subclasses__():
        yield from classes(sub)


FOREIGN = [
    *classes(oss2.exceptions.OssError),
    *classes(requests.exceptions.RequestException),
    *classes(urllib3.exceptions.HTTPError),
    ParseError,
]


@pytest.mark.parametrize("kind", FOREIGN, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_no_foreign_error_escapes(kind: type[Exception]) -> None:
    raised = kind.__new__(kind)
    raised.__dict__ |= {
        "status": 418,
        "headers": {},
        "body": b"",
        "details": {},
        "code": "",
        "message": "",
        "request_id": "",
    }
    raised.__dict__["exception"] = requests.exceptions.ConnectionError()
    if not isinstance(raised, oss2.exceptions.OssError):
        raised.__dict__.clear()
    assert isinstance(translate(raised, "testing"), BackendError)


def test_a_bug_of_ours_stays_one() -> None:
    with pytest.raises(ZeroDivisionError), oss_errors("testing"):
        raise ZeroDivisionError


def test_the_disk_is_told_apart_from_the_network(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("key", b"x")
    with pytest.raises(NotFoundError, match="no-such-directory"):
        open_oss(oss).get("key", tmp_path / "no-such-directory" / "file")
    (tmp_path / "dir").mkdir()
    with pytest.raises(PaiJupyterError, match="cannot use"):
        open_oss(oss).get("key", tmp_path / "dir")
