"""The session of this kernel, from the layers of `config` or set by a cell.

Only the last session is kept here, for its cached answers; the values are those of `settings()`, which `%pai_config show`
shows.
"""

from typing import Literal

from pai_jupyter.cloud.client import Endpoints, Network
from pai_jupyter.cloud.session.keys import credential_of, credentials_at
from pai_jupyter.cloud.session.literal import warn_of_literals
from pai_jupyter.cloud.session.session import Session, oss_hosts
from pai_jupyter.config import Key, settings
from pai_jupyter.errors import SpecError

_last: Session | None = None


def get_default_session() -> Session | None:
    """Return the session of this kernel; None if no region is configured. Makes no request.

    Raises:
        SpecError: a settings file is invalid, or a profile has only half a key.

    Example:
        >>> get_default_session().is_emulator  # after %pai_config use emulator
        True
    """
    region = settings().get("region")
    if region is None:
        return None
    return _same(
        _session(
            region,
            address=settings().get("services"),
            workspace=settings().get("workspace"),
            bucket=settings().get("bucket"),
            endpoint=settings().get("endpoint"),
        )
    )


def need_session() -> Session:
    """Return the session of this kernel, or raise if none is configured.

    Raises:
        SpecError: there is none; the error says what to type.
    """
    session = get_default_session()
    if session is None:
        raise SpecError(
            "no region is set, so PAI cannot be asked. Type %pai_config wizard, or %pai_config set region=cn-shanghai; "
            "%pai_config use emulator rehearses on this machine, with no account.",
            field="region",
        )
    return session


def session_for(region_id: str, address: str | None = None, workspace_id: str | None = None) -> Session:
    """Return the session for a recorded job: in this region, or in the emulator at `address`.

    It uses this kernel's keys for that place, and its bucket if the place is that of this kernel's session.
    """
    here = get_default_session()
    is_here = here is not None and (here.region_id, here.endpoints.address) == (region_id, address)
    if here is not None and is_here and workspace_id in (None, here.workspace_id):
        return here
    bucket = (
        here.oss_bucket_name
        if here is not None and is_here
        else settings().emulated(address).bucket
        if address
        else None
    )
    endpoint = here.oss_endpoint if here is not None and is_here else None
    return _session(region_id, address=address, workspace=workspace_id, bucket=bucket, endpoint=endpoint)


def setup_default_session(
    access_key_id: str | None = None,
    access_key_secret: str | None = None,
    region_id: str | None = None,
    workspace_id: str | int | None = None,
    oss_bucket_name: str | None = None,
    *,
    security_token: str | None = None,
    oss_endpoint: str | None = None,
    network: Literal["public", "vpc", "PUBLIC", "VPC"] | None = None,
) -> Session:
    """Set the session of this kernel; arguments that are not given stay as configured.

    The key stays in this kernel's memory and is not written. Do not type it into a cell; use a profile
    (`%pai_config wizard`), or `access_key_secret=getpass.getpass()`.

    Raises:
        SpecError: a value is invalid, half a key is given, or no region is known. Nothing is changed then.
        AuthError: the key has an invalid character.

    Example:
        >>> setup_default_session(workspace_id="10001").workspace_id
        '10001'
    """
    values = {
        "region": region_id,
        "workspace": None if workspace_id is None else str(workspace_id),
        "bucket": oss_bucket_name,
        "endpoint": oss_endpoint,
        "network": network,
    }
    key = _key(access_key_id, access_key_secret, security_token)
    _check_place(region_id)
    settings().update({name: value for name, value in values.items() if value}, key=key)
    if key is not None:
        warn_of_literals(key.secrets)
    return need_session()


def _session(
    region: str, *, address: str | None, workspace: str | None, bucket: str | None, endpoint: str | None
) -> Session:
    network: Network = "vpc" if (settings().get("network") or "").lower() == "vpc" else "public"
    public, internal = oss_hosts(region)
    return Session(
        region_id=region,
        workspace_id=workspace,
        oss_bucket_name=bucket,
        oss_endpoint=_host(endpoint) or address or (internal if network == "vpc" else public),
        endpoints=Endpoints(region=region, network=network, address=address),
        credentials=credentials_at(address),
    )


def _same(session: Session) -> Session:
    """Return the previous session with its cached answers if nothing has changed."""
    global _last
    if _last != session:
        _last = session
    return _last


def _host(endpoint: str | None) -> str | None:
    """Return an endpoint as written in addresses: without its scheme if that is the default."""
    return endpoint.removeprefix("https://").rstrip("/") if endpoint else None


def _key(key_id: object, secret: object, token: object) -> Key | None:
    """Return the key that a cell gives, if any; an error about it does not repeat it."""
    given = {"access_key_id": key_id, "access_key_secret": secret, "security_token": token}
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise SpecError(f"`{name}` is no text but {type(value).__name__}. Give it as a string.", field=name)
    key = Key.of({name: str(value) for name, value in given.items() if value}, origin="setup_default_session")
    if key is not None:
        credential_of(key)
    return key


def _check_place(region: str | None) -> None:
    """Reject a session without a region, and one of the cloud while an emulator is active."""
    services = settings().get("services")
    if services and region not in (None, here := settings().get("region"), settings().emulated(services).region):
        raise SpecError(
            f"the emulator at {services} is in force here, and its region is {here!r}. For the cloud "
            "type first: %pai_config use emulator --stop",
            field="region_id",
        )
    if region is None and settings().get("region") is None:
        raise SpecError(
            "`region_id` is missing, and no region is configured, e.g. region_id='cn-shanghai'.", field="region_id"
        )
