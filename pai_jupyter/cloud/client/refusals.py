"""Convert failures of calls to our errors, with the service's message, code, request id and a remedy.

The error code is looked up first, since services send one code with different statuses; then the status decides.
"""

import re
from http import HTTPStatus

from pai_jupyter.cloud.client.answer import CallFailure
from pai_jupyter.cloud.client.auth import CLOCK_CODES
from pai_jupyter.cloud.client.operation import Operation
from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
    UnavailableError,
    UncertainError,
)

_KEY = "Check the access key id: it is unknown or switched off there."
_SECRET = "Check the access key secret, which is not the one of this access key id."  # noqa: S105  a sentence, not a password
_TOKEN = "Get a new security token: this one has expired, or belongs to another access key id."  # noqa: S105
_CLOCK = "Set this computer's clock right, e.g. by `timedatectl set-ntp true`."
_RIGHTS = "Ask whoever runs the account for that permission in RAM."
_GONE = "Check the id, the region and the workspace: it may have been deleted, or be somewhere else."
_COMPONENT = "The component, or this version of it, was deleted. Type %pai_component to see those that are there."
_VALUE = "Correct the value that it names."
_MACHINE = "Take an instance type that the region has. Type %pai_instances to see them."
_UNKNOWN_CALL = "Check that the region has this service; if it does, update pai_jupyter."
_ROOM = "Free some of it, or ask for a higher quota in the console."
_PROXY = "Check the proxy (HTTPS_PROXY, NO_PROXY) and the address of the services."
_CERTIFICATE = "Where the network has certificates of its own, name their file in SSL_CERT_FILE."
_NETWORK = "Check the network, the region, and HTTPS_PROXY; hosts of a VPC answer only inside of it."

EMULATOR_IS_GONE = "the emulator at {} is not running. Start it again, jobs included: %pai_config use emulator"
_OF_MACHINE = re.compile(r"\bEcsSpec\b|(?i:instance ?type)")
_FOR_PROGRAMS = re.compile(r"; ListEcsSpecs lists them")  # users do not type names of actions

_CODES: tuple[tuple[str, type[PaiJupyterError], str], ...] = (
    (r"InvalidAccessKeyId(\..*)?", AuthError, _KEY),
    (r"SignatureDoesNotMatch|IncompleteSignature", AuthError, _SECRET),
    (r"MissingSecurityToken", AuthError, "Give the security token too: this access key id is a temporary one."),
    (r"InvalidSecurityToken(\..*)?", AuthError, _TOKEN),
    ("|".join(map(re.escape, sorted(CLOCK_CODES))), AuthError, _CLOCK),
    (r"(Forbidden|NoPermission|AccessDenied|Unauthorized)(\..*)?", AuthError, _RIGHTS),
    (r"(InvalidAction|InvalidVersion|InvalidApi)(\..*)?|UnsupportedHTTPMethod", ProtocolError, _UNKNOWN_CALL),
    (r"TensorboardLimitExceeded", LimitExceededError, "Stop or delete a TensorBoard app first."),
    (r".*(LimitExceed|QuotaExceed|ExceedLimit|ExceedQuota).*", LimitExceededError, _ROOM),
    (r"Algorithm(Version)?NotFound", NotFoundError, _COMPONENT),
    (r".*(NotFound|NOT_FOUND|NotExist|NOT_EXIST)(\..*)?", NotFoundError, _GONE),
    (r"(MissingParameter|InvalidParameter|Missing[A-Z]\w*|Invalid[A-Z]\w*)(\..*)?", SpecError, _VALUE),
)
_STATUSES: dict[int, tuple[type[PaiJupyterError], str]] = {
    HTTPStatus.BAD_REQUEST: (SpecError, _VALUE),
    HTTPStatus.UNAUTHORIZED: (AuthError, _KEY),
    HTTPStatus.FORBIDDEN: (AuthError, _RIGHTS),
    HTTPStatus.NOT_FOUND: (NotFoundError, _GONE),
    HTTPStatus.UNPROCESSABLE_ENTITY: (SpecError, _VALUE),
}


def error_of(
    operation: Operation, trouble: CallFailure, *, skew: float | None = None, emulator: str | None = None
) -> PaiJupyterError:
    """Create the error to raise.

    `skew`: seconds by which the service's clock was ahead; `emulator`: the address of the emulator that was asked.
    """
    if emulator is not None and trouble.status is None and trouble.kind == "busy":
        return UnavailableError(EMULATOR_IS_GONE.format(emulator))
    kind, remedy = _kind_and_remedy(operation, trouble)
    if trouble.code in CLOCK_CODES:
        remedy = f"{_apart(skew)} {remedy}" if skew is not None else remedy
    elif kind is AuthError:
        remedy = f"{remedy} The key came from {trouble.origin}."
    if trouble.permission:
        remedy = f"It takes the permission `{trouble.permission}`. {remedy}"
    if kind is SpecError and _OF_MACHINE.search(trouble.message):
        remedy = _MACHINE
    said = _FOR_PROGRAMS.sub("", trouble.message).rstrip(".。") or "no reason given"
    marks = ", ".join(filter(None, (trouble.code, f"request {trouble.request_id}" if trouble.request_id else "")))
    verb = "refused" if trouble.kind == "refused" else "did not answer"
    sentence = f"{operation.service.name} {verb} {operation.action}: {said}{f' ({marks})' if marks else ''}. {remedy}"
    if issubclass(kind, BackendError):
        return kind(sentence, code=trouble.code, request_id=trouble.request_id)
    return kind(sentence)


def _kind_and_remedy(operation: Operation, trouble: CallFailure) -> tuple[type[PaiJupyterError], str]:
    if trouble.kind == "lost" and not operation.is_repeatable:
        look = "It may have been carried out all the same: look before you try again."
        return UncertainError, look if trouble.is_readable or trouble.status is None else f"{look} {_PROXY}"
    if trouble.status is None:
        return UnavailableError, _NETWORK if trouble.kind != "refused" else _CERTIFICATE
    if trouble.kind != "refused":
        later = "Try again later." if trouble.wait is None else f"Try again in {trouble.wait:.0f} s, as it asks."
        return (UnavailableError, later) if trouble.status >= HTTPStatus.BAD_REQUEST else (ProtocolError, _PROXY)
    if not trouble.is_readable:
        return ProtocolError, _PROXY
    for pattern, kind, remedy in _CODES:
        if re.fullmatch(pattern, trouble.code):
            return kind, remedy
    return _STATUSES.get(trouble.status or 0, (BackendError, "Look the code up in the service's reference."))


def _apart(skew: float) -> str:
    minutes = round(abs(skew) / 60)
    side = "behind" if skew > 0 else "ahead of"
    return f"This computer's clock is {minutes} min {side} the service's."
