"""What a service says, in the words and the classes that its user can act on."""

import json
from typing import Any

import pytest

from pai_jupyter.cloud.client import Credential, UncertainError, dlc, paistudio
from pai_jupyter.cloud.client.answer import CallFailure, clean, read_answer
from pai_jupyter.cloud.client.refusals import error_of
from pai_jupyter.cloud.client.retry import TRIES, pause_before
from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
    UnavailableError,
)

CREDENTIAL = Credential(access_key_id="key", access_key_secret="s3cret/+", security_token="t0ken", origin="a test")


def trouble(status: int, said: Any, *, method: str = "GET", **headers: str) -> CallFailure:
    content = said if isinstance(said, bytes) else json.dumps(said).encode()
    found = read_answer(method, status, headers, content, CREDENTIAL)
    assert isinstance(found, CallFailure)
    return found


def error(status: int, said: Any, *, operation: Any = paistudio.GET_TRAINING_JOB) -> PaiJupyterError:
    return error_of(operation, trouble(status, said))


@pytest.mark.parametrize(
    ("status", "code", "kind", "remedy"),
    [
        (404, "InvalidAccessKeyId.NotFound", AuthError, "Check the access key id"),
        (403, "InvalidAccessKeyId.Inactive", AuthError, "Check the access key id"),
        (400, "SignatureDoesNotMatch", AuthError, "Check the access key secret"),
        (400, "IncompleteSignature", AuthError, "Check the access key secret"),
        (400, "MissingSecurityToken", AuthError, "Give the security token"),
        (400, "InvalidSecurityToken.Expired", AuthError, "Get a new security token"),
        (400, "InvalidSecurityToken.Malformed", AuthError, "Get a new security token"),
        (400, "InvalidSecurityToken.MismatchWithAccessKey", AuthError, "Get a new security token"),
        (400, "InvalidTimeStamp.Expired", AuthError, "Set this computer's clock"),
        (400, "InvalidTimeStamp.Format", AuthError, "Set this computer's clock"),
        (400, "IllegalTimestamp", AuthError, "Set this computer's clock"),
        (403, "Forbidden.RAM", AuthError, "permission in RAM"),
        (403, "NoPermission", AuthError, "permission in RAM"),
        (401, "SomethingElse", AuthError, "Check the access key id"),
        (403, "SomethingElse", AuthError, "permission in RAM"),
        (404, "InvalidAction.NotFound", ProtocolError, "Check that the region has this service"),
        (400, "MissingParameter", SpecError, "Correct the value"),
        (400, "InvalidParameter", SpecError, "Correct the value"),
        (400, "InvalidParameter.EcsSpec", SpecError, "Correct the value"),
        (400, "MissingTrainingJobName", SpecError, "Correct the value"),
        (400, "SomethingElse", SpecError, "Correct the value"),
        (404, "TRAINING_JOB_INSTANCE_NOT_FOUND", NotFoundError, "Check the id"),
        (400, "EntityNotExist.Workspace", NotFoundError, "Check the id"),
        (404, "SomethingElse", NotFoundError, "Check the id"),
        (400, "TensorboardLimitExceeded", LimitExceededError, "Stop or delete a TensorBoard app"),
        (403, "QuotaExceeded.Gpu", LimitExceededError, "Free some of it"),
        (409, "JobIsBusy", BackendError, "Look the code up"),
        (429, "Throttling", UnavailableError, "Try again later"),
        (400, "Throttling.User", UnavailableError, "Try again later"),
        (400, "Throttling.Api", UnavailableError, "Try again later"),
        (400, "SignatureNonceUsed", UnavailableError, "Try again later"),
        (500, "InternalError", UnavailableError, "Try again later"),
        (503, "ServiceUnavailable", UnavailableError, "Try again later"),
    ],
)
def test_every_code_has_its_class_and_its_remedy(
    status: int, code: str, kind: type[PaiJupyterError], remedy: str
) -> None:
    found = error(status, {"Code": code, "Message": "said so.", "RequestId": "REQ-7"})
    assert type(found) is kind
    sentence = str(found)
    assert f"GetTrainingJob: said so ({code}, request REQ-7). " in sentence
    assert remedy in sentence
    assert "\n" not in sentence
    if isinstance(found, BackendError):
        assert (found.code, found.request_id) == (code, "REQ-7")


@pytest.mark.parametrize(
    "said",
    [
        {"code": "InvalidParameter", "message": "lower case keys", "requestId": "REQ-7"},
        {"Code": "InvalidParameter", "Message": "lower case keys", "requestid": "REQ-7"},
        {"Code": "InvalidParameter", "Description": "lower case keys", "RequestId": "REQ-7"},
        {"Code": "InvalidParameter", "Message": None, "Detail": "lower case keys", "RequestId": "REQ-7"},
    ],
)
def test_keys_are_understood_as_services_write_them(said: dict[str, Any]) -> None:
    assert "lower case keys (InvalidParameter, request REQ-7)" in str(error(400, said))


def test_of_a_wrong_machine_is_said_where_to_see_them() -> None:
    message = (
        "EcsSpec is 'ecs.c6.xlage', not an instance type of this region, e.g. ecs.c6.xlarge; ListEcsSpecs lists them"
    )
    said = str(error(400, {"Code": "InvalidParameter", "Message": message}))
    assert "e.g. ecs.c6.xlarge (InvalidParameter" in said
    assert said.endswith("Type %pai_instances to see them.")
    assert "ListEcsSpecs" not in said


def test_the_request_id_of_a_header_is_as_good() -> None:
    found = trouble(404, {"Code": "NotFound"}, **{"x-acs-request-id": "REQ-8"})
    assert found.request_id == "REQ-8"


def test_the_permission_that_lacks_is_named() -> None:
    said = {"Code": "NoPermission", "Message": "no", "AccessDeniedDetail": {"AuthAction": "pai:CreateTrainingJob"}}
    assert "It takes the permission `pai:CreateTrainingJob`." in str(error(403, said))


@pytest.mark.parametrize(
    ("status", "content", "kind", "words"),
    [
        (403, b"<html>blocked</html>", ProtocolError, "403 Forbidden with an HTML page"),
        (404, b"<!DOCTYPE html>", ProtocolError, "404 Not Found with an HTML page"),
        (407, b"", ProtocolError, "407 Proxy Authentication Required with nothing"),
        (302, b"", ProtocolError, "302 Found with nothing"),
        (200, b"<html>log in</html>", ProtocolError, "200 OK with an HTML page"),
        (200, b"[1, 2]", ProtocolError, "200 OK with no JSON"),
        (502, b"<html>bad gateway</html>", UnavailableError, "502 Bad Gateway with an HTML page"),
        (599, b"", UnavailableError, "599 with nothing"),
        (503, b'"busy"', UnavailableError, "503 Service Unavailable with no JSON"),
    ],
)
def test_what_is_no_answer_of_the_service_is_described(
    status: int, content: bytes, kind: type[PaiJupyterError], words: str
) -> None:
    found = error_of(paistudio.GET_TRAINING_JOB, trouble(status, content))
    assert type(found) is kind
    assert words in str(found)


@pytest.mark.parametrize(
    "said",
    [
        {"Code": ["x"], "Message": {"a": 1}, "RequestId": 7},
        {"Code": "a b\n\x1b[31m", "Message": "\x1b]0;title\x07\r\n\u202eevil", "RequestId": "x" * 1000},
        {"Code": "", "Message": "", "AccessDeniedDetail": "no"},
        {"Code": "C" * 100_000, "Message": "m" * 10_000_000},
        {},
    ],
    ids=["other types", "control characters", "empty", "huge", "no fields"],
)
def test_a_hostile_answer_becomes_one_short_clean_line(said: dict[str, Any]) -> None:
    sentence = str(error(400, said))
    assert sentence.isprintable()
    assert len(sentence) < 600


def test_an_answer_nested_beyond_reason_is_no_json() -> None:
    found = trouble(200, b'{"a":' * 200_000)
    assert (found.kind, found.is_readable) == ("lost", False)


@pytest.mark.parametrize("spelling", ["s3cret/+", "s3cret%2F%2B", "s3cret%252F%252B", "t0ken"])
def test_a_service_that_repeats_our_secret_is_not_repeated(spelling: str) -> None:
    said = {"Code": "SignatureDoesNotMatch", "Message": f"server string to sign is: POST&{spelling}&x"}
    assert spelling not in str(error(400, said))
    assert "POST&***&x" in str(error(400, said))


def test_a_secret_is_not_left_over_where_a_text_is_cut() -> None:
    text = "x" * 295 + CREDENTIAL.access_key_secret
    assert "s3" not in clean(text, CREDENTIAL.secrets)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
def test_a_creation_that_may_have_happened_is_uncertain(status: int) -> None:
    assert type(error(status, {}, operation=dlc.CREATE_TENSORBOARD)) is UncertainError


@pytest.mark.parametrize("tries", range(1, TRIES))
@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_pauses_stay_between_a_quarter_and_eight_seconds(tries: int, chance: float) -> None:
    assert 0.25 <= pause_before(tries, CallFailure(kind="busy", message=""), chance) <= 8


def test_the_certificate_of_somebody_in_between_is_explained() -> None:
    found = CallFailure(kind="refused", message="ConnectError, CERTIFICATE_VERIFY_FAILED")
    assert "SSL_CERT_FILE" in str(error_of(paistudio.CREATE_TRAINING_JOB, found))
