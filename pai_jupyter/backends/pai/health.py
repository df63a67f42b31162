"""Check what a job on PAI or at the emulator needs, with a remedy for each failed check."""

import socket
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from pai_jupyter.backends.health import Check, Health
from pai_jupyter.cloud.client import Operation, aiworkspace, sts
from pai_jupyter.cloud.session import Session, get_default_session, need_session
from pai_jupyter.cloud.session.clock import clock_skew
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json
from pai_jupyter.storage.oss.account import region_of_bucket

MOST_SKEW = 15 * 60.0  # seconds; the services reject requests dated further off
_NOTED_SKEW = 60.0
_START = "Start it again: %pai_config use emulator"
_NETWORK = "Check the network, the region and the proxies below; hosts of a VPC answer only inside of it."
_DEADLINE = 15.0  # seconds per request
_ANSWERS_WITHIN = 2.0  # seconds to connect on this machine


def service() -> list[Check]:
    """Run all checks of the service; skip those that depend on a failed one."""
    return list(_checks())


def configured() -> Health:
    """Report the configured PAI region without a request; for an emulator, whether it listens.

    Raises:
        SpecError: nothing is configured, or the settings are invalid.
    """
    session = need_session()
    if not session.is_emulator:
        return Health(note=f"PAI in {session.region_id}")
    address = str(session.endpoints.address)
    if _listens(address):
        return Health(is_ready=True, note=f"the emulator at {address}")
    return Health(
        is_ready=False, note=f"the emulator at {address} does not answer. Start it again: %pai_config use emulator"
    )


def _listens(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=_ANSWERS_WITHIN):
            return True
    except OSError:
        return False


def _checks() -> Iterator[Check]:
    try:
        session = get_default_session()
    except PaiJupyterError as exc:
        yield _bad("session", str(exc), "Correct that file, or type %pai_config wizard.")
        return
    yield _where(session)
    if session is not None:
        yield from _of_session(session)


def _where(session: Session | None) -> Check:
    if session is None:
        return _bad(
            "session",
            "no region is set",
            "Type %pai_config wizard, or %pai_config use emulator to try it without an account.",
        )
    if session.is_emulator:
        return Check(what="session", found=f"PAI emulator at {session.endpoints.address}; nothing is sent to the cloud")
    return Check(what="session", found=f"PAI in {session.region_id}, {session.endpoints.network} network")


def _of_session(session: Session) -> Iterator[Check]:
    credentials = _credentials(session)
    yield credentials
    yield _clock(session)
    if credentials.is_good:
        account = _account(session)
        yield account
        if account.is_good:
            yield _workspace(session)
            yield _bucket(session)


def _credentials(session: Session) -> Check:
    def look() -> str:
        key = session.credentials.get()
        kind = "a temporary key" if key.security_token else "a key"
        return f"{kind} whose id ends in {key.access_key_id[-4:]}, from {key.origin}"

    return _asked("credentials", look, "Type %pai_config wizard, or: aliyun configure (in a terminal).")


def _clock(session: Session) -> Check:
    try:
        skew = clock_skew(session.endpoints)
    except PaiJupyterError as exc:
        return _bad("clock", str(exc), _START if session.is_emulator else _NETWORK)
    found = "correct" if abs(skew) < _NOTED_SKEW else f"{abs(skew) / 60:.0f} min {'behind' if skew > 0 else 'ahead'}"
    if abs(skew) < MOST_SKEW:
        return Check(what="clock", found=found)
    return _bad("clock", found, "Set it: sudo timedatectl set-ntp true")


def _account(session: Session) -> Check:
    def look() -> str:
        answer = _ask(session, sts.GET_CALLER_IDENTITY)
        kind = answer.get("IdentityType") or "identity"
        who = (
            answer.get("Arn") if kind == "Account" else f"{kind} {answer.get('Arn')}"
        )  # the account is already in the text
        return f"account {answer.get('AccountId')}, {who}"

    return _asked("account", look, "Check the key in the RAM console, or type %pai_config wizard to give another.")


def _workspace(session: Session) -> Check:
    def look() -> str:
        workspace = session.require_workspace()
        answer = _ask(session, aiworkspace.GET_WORKSPACE, workspace_id=workspace)
        return f"{workspace}, {answer.get('WorkspaceName')!r} in {session.region_id}"

    remedy = f"Choose one of region {session.region_id} that your account may use: %pai_config set workspace=ID"
    return _asked("workspace", look, remedy)


def _bucket(session: Session) -> Check:
    remedy = f"Choose one in region {session.region_id}: %pai_config set bucket=NAME"
    try:
        bucket = session.require_bucket()
        region = region_of_bucket(
            bucket, credentials=session.credentials, region=session.region_id, endpoint=session.oss_endpoint
        )
    except PaiJupyterError as exc:
        return _bad("bucket", str(exc), remedy)
    if region != session.region_id:
        found = f"{bucket} is in region {region}, but jobs run in {session.region_id} and cannot mount it"
        return _bad("bucket", found, remedy)
    return Check(what="bucket", found=f"{bucket} in {region}")


def _asked(what: str, look: Callable[[], str], remedy: str) -> Check:
    try:
        return Check(what=what, found=look())
    except PaiJupyterError as exc:
        return _bad(what, str(exc), remedy)


def _ask(session: Session, operation: Operation, **path: str) -> dict[str, Json]:
    return session.ask(lambda client: client.call(operation, path=path, deadline=_DEADLINE))


def _bad(what: str, found: str, remedy: str) -> Check:
    return Check(what=what, found=found, remedy=remedy, is_good=False)
