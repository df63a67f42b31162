"""Who may call the emulator: signatures of the official clients, and everything that is wrong with others."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from pai_jupyter.cloud.client.signatures import SignableRequest, roa, rpc, sign
from pai_jupyter.emulator.protocol.refusal import ApiRefusal
from pai_jupyter.emulator.state.access import WINDOW, AccessControl, EmulatorKey, Keys
from tests.support.paths import DATA

VECTORS: list[dict[str, Any]] = json.loads((DATA / "pai_signatures.json").read_text())
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAIN = EmulatorKey(access_key_id="plain", secret="plain-secret-123")
OTHER = EmulatorKey(access_key_id="other", secret="other-secret-123")
STS = EmulatorKey(access_key_id="temporary", secret="sts-secret-123", token="sts-token-123")

BEARER = "bearer-token-0123456789"


class Clock:
    def __init__(self) -> None:
        self.seconds = NOW.timestamp()

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> AccessControl:
    return AccessControl(Keys([PLAIN, OTHER, STS], bearer_tokens=[BEARER]), clock)


def of_acs3(
    key: EmulatorKey = PLAIN, *, date: datetime = NOW, nonce: str = "n1", secret: str = "", **more: Any
) -> SignableRequest:
    """A request as our own client signs it. (Any: of Message, or headers)"""
    import hashlib

    body = more.pop("body", b'{"a": 1}')
    headers = {
        "host": "127.0.0.1:80",
        "content-type": "application/json",
        "x-acs-date": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "x-acs-signature-nonce": nonce,
        "x-acs-content-sha256": hashlib.sha256(body).hexdigest(),
        **({"x-acs-security-token": key.token} if key.token else {}),
        **more.pop("headers", {}),
    }
    unsigned = SignableRequest(method="POST", path="/api/v1/x", query={"q": "a b", "e": ""}, headers=headers, body=body)
    authorization = sign(unsigned, access_key_id=key.access_key_id, secret=secret or key.secret)
    return replace(unsigned, headers={**headers, "authorization": authorization})


def of_roa(key: EmulatorKey = PLAIN, *, date: datetime = NOW, nonce: str = "n1", secret: str = "") -> SignableRequest:
    headers = {
        "date": format_datetime(date, usegmt=True),
        "x-acs-signature-nonce": nonce,
        **({"x-acs-security-token": key.token} if key.token else {}),
    }
    unsigned = SignableRequest(method="PUT", path="/api/v1/x", query={"q": "a b"}, headers=headers, body=b"{}")
    signature = roa(unsigned, secret or key.secret).value
    return replace(unsigned, headers={**headers, "authorization": f"acs {key.access_key_id}:{signature}"})


def of_rpc(key: EmulatorKey = PLAIN, *, date: datetime = NOW, nonce: str = "n1", secret: str = "") -> SignableRequest:
    query = {
        "Action": "GetCallerIdentity",
        "AccessKeyId": key.access_key_id,
        "SignatureMethod": "HMAC-SHA1",
        "SignatureNonce": nonce,
        "Timestamp": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **({"SecurityToken": key.token} if key.token else {}),
    }
    unsigned = SignableRequest(method="POST", path="/", query=query)
    return replace(unsigned, query={**query, "Signature": rpc(unsigned, secret or key.secret).value})


STYLES = pytest.mark.parametrize("signed", [of_acs3, of_roa, of_rpc])


def refused(gate: AccessControl, message: SignableRequest) -> tuple[int, str]:
    with pytest.raises(ApiRefusal) as refusal:
        gate.admit(message)
    return refusal.value.status, refusal.value.code


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_the_requests_of_official_clients_are_let_in(vector: dict[str, Any], clock: Clock) -> None:
    headers = dict(vector["headers"])
    if vector["algorithm"] != "rpc-hmac-sha1":
        headers["authorization"] = vector["expected"]
    query = dict(vector["query"])
    token = headers.get("x-acs-security-token") or query.get("SecurityToken")
    key = EmulatorKey(access_key_id=vector["access_key_id"], secret=vector["secret"], token=token)
    if vector["algorithm"] == "rpc-hmac-sha1":
        query["Signature"] = vector["expected"]
    body = vector["body"].encode()
    message = SignableRequest(method=vector["method"], path=vector["path"], query=query, headers=headers, body=body)
    AccessControl(Keys([key]), clock).admit(message)


@STYLES
@pytest.mark.parametrize("key", [PLAIN, STS])
def test_a_right_signature_is_let_in_once(gate: AccessControl, signed: Any, key: EmulatorKey) -> None:
    gate.admit(signed(key))
    assert refused(gate, signed(key)) == (400, "SignatureNonceUsed")
    gate.admit(signed(key, nonce="n2"))


@STYLES
def test_a_wrong_secret_is_refused_and_uses_up_no_nonce(gate: AccessControl, signed: Any) -> None:
    assert refused(gate, signed(secret="guessed")) == (400, "SignatureDoesNotMatch")
    gate.admit(signed())


def test_a_nonce_belongs_to_its_key_and_is_forgotten_when_its_date_would_be_too_old(
    gate: AccessControl, clock: Clock
) -> None:
    gate.admit(of_acs3())
    gate.admit(of_acs3(OTHER))
    clock.seconds += WINDOW + 1
    gate.admit(of_acs3(date=NOW + timedelta(seconds=WINDOW + 1)))


@STYLES
@pytest.mark.parametrize("ahead", [0, 14 * 60])
def test_a_request_is_let_in_once_as_long_as_its_date_is_good(
    gate: AccessControl, clock: Clock, signed: Any, ahead: int
) -> None:
    request = signed(date=NOW + timedelta(seconds=ahead))
    gate.admit(request)
    while clock.seconds < NOW.timestamp() + ahead + WINDOW - 60:
        clock.seconds += 60
        assert refused(gate, request) == (400, "SignatureNonceUsed")
    clock.seconds += 120
    assert refused(gate, request) == (400, "InvalidTimeStamp.Expired")


def test_nonces_are_forgotten_when_their_time_is_over_also_behind_a_clock_that_was_wrong(
    gate: AccessControl, clock: Clock
) -> None:
    hour = 3600.0
    clock.seconds += 5 * hour
    gate.admit(of_acs3(date=NOW + timedelta(hours=5), nonce="of the wrong clock"))
    clock.seconds -= 5 * hour
    for number in range(3):
        gate.admit(of_acs3(nonce=f"n{number}"))
    assert len(gate._used) == 4
    clock.seconds += WINDOW + 1
    gate.forget()
    assert len(gate._used) == 1


@STYLES
def test_an_unknown_key_is_refused(gate: AccessControl, signed: Any) -> None:
    nobody = EmulatorKey(access_key_id="nobody", secret="x")
    assert refused(gate, signed(nobody)) == (404, "InvalidAccessKeyId.NotFound")


@STYLES
@pytest.mark.parametrize(("seconds", "code"), [(901, "InvalidTimeStamp.Expired"), (-901, "InvalidTimeStamp.Expired")])
def test_a_clock_that_is_15_minutes_off_is_refused(gate: AccessControl, signed: Any, seconds: int, code: str) -> None:
    assert refused(gate, signed(date=NOW + timedelta(seconds=seconds))) == (400, code)
    gate.admit(signed(date=NOW + timedelta(seconds=seconds * 899 // 901)))


@STYLES
def test_a_temporary_key_is_no_good_without_its_own_token(gate: AccessControl, signed: Any) -> None:
    assert refused(gate, signed(replace(STS, token=None))) == (400, "MissingSecurityToken")
    assert refused(gate, signed(replace(STS, token="another"))) == (400, "InvalidSecurityToken.Malformed")
    assert refused(gate, signed(replace(PLAIN, token="any"))) == (400, "InvalidSecurityToken.MismatchWithAccessKey")


@pytest.mark.parametrize(
    "change",
    [
        {"method": "PUT"},
        {"path": "/api/v1/y"},
        {"path": "/api/v1%2Fx"},
        {"query": {"q": "a c", "e": ""}},
        {"query": {"q": "a b"}},
        {"body": b'{"a": 2}'},
    ],
)
def test_a_request_that_was_changed_on_the_way_is_refused(gate: AccessControl, change: dict[str, Any]) -> None:
    assert refused(gate, replace(of_acs3(), **change)) == (400, "SignatureDoesNotMatch")


def test_a_signed_header_that_was_changed_on_the_way_is_refused(gate: AccessControl) -> None:
    message = of_acs3(headers={"x-acs-action": "GetTrainingJob"})
    changed = replace(message, headers={**message.headers, "x-acs-action": "DeleteTrainingJob"})
    assert refused(gate, changed) == (400, "SignatureDoesNotMatch")


def test_a_body_with_another_digest_is_refused_also_when_the_signature_says_so(gate: AccessControl) -> None:
    assert refused(gate, of_acs3(headers={"x-acs-content-sha256": "0" * 64})) == (400, "SignatureDoesNotMatch")


def test_every_header_that_counts_must_be_signed(gate: AccessControl) -> None:
    message = of_acs3()
    changed = replace(message, headers={**message.headers, "x-acs-action": "DeleteTrainingJob"})
    assert refused(gate, changed) == (400, "IncompleteSignature")


def test_the_older_signature_does_not_cover_the_body(gate: AccessControl) -> None:
    gate.admit(replace(of_roa(), body=b'{"another": 1}'))


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "MissingParameter"),
        ({"x-acs-bearer-token": BEARER}, "UnsupportedSignatureType"),
        ({"x-acs-bearer-token": BEARER, "x-acs-signature-type": "HMAC"}, "UnsupportedSignatureType"),
        ({"authorization": "Basic dXNlcg=="}, "IncompleteSignature"),
        ({"authorization": "acs plain:c2ln", "x-acs-signature-nonce": "n"}, "MissingParameter"),
        (
            {"authorization": "acs plain:c2ln", "date": "yesterday", "x-acs-signature-nonce": "n"},
            "InvalidTimeStamp.Format",
        ),
        ({"authorization": "acs plain:c2ln", "date": format_datetime(NOW, usegmt=True)}, "MissingParameter"),
    ],
)
def test_what_is_not_signed_is_refused(gate: AccessControl, headers: dict[str, str], code: str) -> None:
    assert refused(gate, SignableRequest(method="GET", path="/", headers=headers)) == (400, code)


def test_nothing_that_shows_a_key_shows_its_secret() -> None:
    assert "sts-secret" not in repr(STS)
    assert "sts-token" not in repr(STS)


def of_bearer(token: str) -> SignableRequest:
    headers = {"x-acs-bearer-token": token, "x-acs-signature-type": "BEARERTOKEN"}
    return SignableRequest(method="GET", path="/api/v1/x", headers=headers)


def test_a_bearer_token_lets_in_without_a_signature_as_often_as_it_comes(gate: AccessControl) -> None:
    gate.admit(of_bearer(BEARER))
    gate.admit(of_bearer(BEARER))
    gate.admit(SignableRequest(method="POST", path="/", query={"BearerToken": BEARER, "SignatureType": "BEARERTOKEN"}))


@pytest.mark.parametrize("token", ["another", f"{BEARER}x", BEARER[:-1], "训练"])
def test_another_bearer_token_is_refused(gate: AccessControl, token: str) -> None:
    assert refused(gate, of_bearer(token)) == (403, "InvalidBearerToken")


def test_a_signature_that_is_wrong_is_not_mended_by_a_bearer_token(gate: AccessControl) -> None:
    message = of_acs3(secret="wrong")
    bearer = {"x-acs-bearer-token": BEARER, "x-acs-signature-type": "BEARERTOKEN"}
    assert refused(gate, replace(message, headers={**message.headers, **bearer}))[0] == 400


def test_nobody_may_call_by_a_token_where_there_is_none(clock: Clock) -> None:
    assert refused(AccessControl(Keys([PLAIN]), clock), of_bearer(BEARER)) == (403, "InvalidBearerToken")
