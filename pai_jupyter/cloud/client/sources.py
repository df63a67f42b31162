"""Find the access key in the sources of Alibaba Cloud's tools, in the official order; the first configured one counts.

    1. variables          ALIBABA_CLOUD_ACCESS_KEY_ID, _SECRET, _SECURITY_TOKEN
    2. OIDC               ALIBABA_CLOUD_ROLE_ARN, _OIDC_PROVIDER_ARN, _OIDC_TOKEN_FILE
    3. command line tool  ~/.aliyun/config.json: keys, STS, RAM role, CloudSSO, ...
    4. SDKs' profiles     ~/.alibabacloud/credentials.ini, or ALIBABA_CLOUD_CREDENTIALS_FILE
    5. machine's role     ALIBABA_CLOUD_ECS_METADATA names it
    6. address            ALIBABA_CLOUD_CREDENTIALS_URI

Variables are read here; the other sources use `alibabacloud-credentials`, loaded only if one of them is configured and needed.
Its own chain is not used: without configuration it asks the cloud's metadata address (100.100.100.200), and it reads variables
only on import, too early for a key set in a cell.

Rule 1: only configured sources are asked over the network.
Rule 2: that library writes answers with keys to stderr and into exceptions. It is silenced, and only parts of an exception that
    cannot contain a key are shown.
"""

import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from pai_jupyter.cloud.client.credential import Credential, CredentialProvider
from pai_jupyter.errors import AuthError

_PREFIX = "ALIBABA_CLOUD_"
_LOUD = (
    "credentials",
    "alibabacloud-tea",
    "urllib3.connectionpool",
)  # the last logs URLs with AssumeRole's token
_VARIABLES = "environment variables"
_HTTP_CODE = re.compile(r"http_code[=:] ?(\d{3})")


class _Given(Protocol):
    def get_access_key_id(self) -> str: ...
    def get_access_key_secret(self) -> str: ...
    def get_security_token(self) -> str | None: ...


class _Provider(Protocol):
    def get_credentials(self) -> _Given: ...


@dataclass(frozen=True, kw_only=True)
class _Source:
    """One configured source and the library's class for it."""

    origin: str
    provider: str
    arguments: Mapping[str, str | bool | None] = field(repr=False)


def credentials(*, environ: Mapping[str, str] | None = None, home: Path | None = None) -> CredentialProvider:
    """Return the credentials configured on this machine; nothing is read or requested before `get`."""
    return _Configured(os.environ if environ is None else environ, Path.home() if home is None else home)


def origins(environ: Mapping[str, str], home: Path) -> Iterator[str]:
    """Yield the sources configured on this machine, in order, without asking them."""
    if environ.get(_PREFIX + "ACCESS_KEY_ID") and environ.get(_PREFIX + "ACCESS_KEY_SECRET"):
        yield _VARIABLES
    yield from (source.origin for source in _configured(environ, home))


class _Configured:
    def __init__(self, environ: Mapping[str, str], home: Path) -> None:
        self._environ = environ
        self._home = home
        self._lock = threading.Lock()
        self._found: tuple[_Source, _Provider] | None = None
        self._mark: tuple[int, ...] = ()  # mark of the source's file

    def get(self) -> Credential:
        if credential := _from_variables(self._environ):
            return credential
        with self._lock:  # one refresh serves all callers
            if self._found is not None and self._mark == _mark(self._found[0]):
                return self._refresh(*self._found)
            return self._search()

    def _refresh(self, source: _Source, provider: _Provider) -> Credential:
        answer = _ask(source, provider)
        if isinstance(answer, str):
            raise AuthError(f"{source.origin} gives no key any more: {answer}. Log in again there.")
        return answer[0]

    def _search(self) -> Credential:
        failures = []
        for source in _configured(self._environ, self._home):
            mark = _mark(source)
            answer = _ask(source)
            if not isinstance(answer, str):
                self._found, self._mark = (source, answer[1]), mark
                return answer[0]
            failures.append(f"{source.origin} gives none: {answer}. ")
        raise AuthError(
            f"there is no Alibaba Cloud access key. {''.join(failures)}Set {_PREFIX}ACCESS_KEY_ID and {_PREFIX}ACCESS_KEY_SECRET"
            " before Jupyter starts, or type in a terminal: aliyun configure"
        )


def _mark(source: _Source) -> tuple[int, ...]:
    """Return a value that changes with the source's file: the library reads it once, but the key may change."""
    path = source.arguments.get("profile_file")
    if not isinstance(path, str):
        return ()
    try:
        status = Path(path).stat()
    except OSError:
        return ()
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _from_variables(environ: Mapping[str, str]) -> Credential | None:
    key, secret, token = (
        environ.get(_PREFIX + name) for name in ("ACCESS_KEY_ID", "ACCESS_KEY_SECRET", "SECURITY_TOKEN")
    )
    if not key or not secret:
        return None
    return Credential(access_key_id=key, access_key_secret=secret, security_token=token or None, origin=_VARIABLES)


def _configured(environ: Mapping[str, str], home: Path) -> Iterator[_Source]:
    """Yield every source of keys configured by this environment and home."""
    said = {name.removeprefix(_PREFIX): value for name, value in environ.items() if name.startswith(_PREFIX) and value}
    if all(name in said for name in ("ROLE_ARN", "OIDC_PROVIDER_ARN", "OIDC_TOKEN_FILE")):
        role = {
            "role_arn": said["ROLE_ARN"],
            "oidc_provider_arn": said["OIDC_PROVIDER_ARN"],
            "oidc_token_file_path": said["OIDC_TOKEN_FILE"],
            "role_session_name": said.get("ROLE_SESSION_NAME"),
        }
        yield _Source(origin="OIDC", provider="OIDCRoleArnCredentialsProvider", arguments=role)
    tool = home / ".aliyun" / "config.json"
    if tool.is_file() and said.get("CLI_PROFILE_DISABLED", "").lower() != "true":
        profile = {"profile_file": str(tool), "profile_name": said.get("PROFILE")}
        yield _Source(origin=f"`{tool}`", provider="CLIProfileCredentialsProvider", arguments=profile)
    profiles = Path(said.get("CREDENTIALS_FILE") or home / ".alibabacloud" / "credentials.ini")
    if profiles.is_file():
        profile = {"profile_file": str(profiles), "profile_name": said.get("PROFILE", "default")}
        yield _Source(origin=f"`{profiles}`", provider="ProfileCredentialsProvider", arguments=profile)
    if (name := said.get("ECS_METADATA")) and said.get("ECS_METADATA_DISABLED", "").lower() != "true":
        machine: dict[str, str | bool | None] = {"role_name": name, "async_update_enabled": False}
        yield _Source(
            origin=f"this machine's role {name!r}", provider="EcsRamRoleCredentialsProvider", arguments=machine
        )
    if uri := said.get("CREDENTIALS_URI"):
        origin = f"the address in {_PREFIX}CREDENTIALS_URI"
        yield _Source(origin=origin, provider="URLCredentialsProvider", arguments={"uri": uri})


def _open(source: _Source) -> _Provider:
    from alibabacloud_credentials import provider  # 0.5 s: imported only if the keys are not in variables

    made: _Provider = getattr(provider, source.provider)(**source.arguments)
    return made


def _ask(source: _Source, provider: _Provider | None = None) -> tuple[Credential, _Provider] | str:
    """Ask one source for a key; return the key and its provider, or a sentence why there is none."""
    if find_spec("alibabacloud_credentials") is None:
        return "it needs the package alibabacloud-credentials. Type: %pip install 'pai_jupyter[pai]'"
    try:
        with _silence():
            provider = provider or _open(source)
            return _credential(provider.get_credentials(), source.origin), provider
    except AuthError as exc:
        return str(exc).rstrip(".")
    except Exception as exc:  # noqa: BLE001  the library reads files and networks, and may raise anything
        return _reason(exc)


def _credential(given: _Given, origin: str) -> Credential:
    return Credential(
        access_key_id=given.get_access_key_id(),
        access_key_secret=given.get_access_key_secret(),
        security_token=given.get_security_token() or None,
        origin=origin,
    )


def _reason(exc: Exception) -> str:
    """Describe an exception of the library without any key: by status, one of the library's own sentences, or class name."""
    text = str(exc)
    if found := _HTTP_CODE.search(text):
        return f"it was answered {found[1]}"
    own = type(exc).__name__ == "CredentialException" and not re.search(r"result|https?:|[{}]", text)
    return text.rstrip(".") if own else type(exc).__name__


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the library and its HTTP library from logging keys in this thread."""
    thread = threading.get_ident()

    def is_foreign(record: logging.LogRecord) -> bool:
        return record.thread != thread

    loggers = [logging.getLogger(name) for name in _LOUD]
    for logger in loggers:
        logger.addFilter(is_foreign)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_foreign)
