"""Translate errors of the engine and the SDK. Only this module knows their exceptions.

Rule: every SDK call runs inside `engine_errors`; the engine's message decides first, then the exception class.
"""

import http.client
import re
from contextlib import AbstractContextManager

from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    UnavailableError,
    translating,
)


def engine_errors(action: str) -> AbstractContextManager[None]:
    """Translate the SDK's exceptions in the block to `BackendError`; `action` names the work, e.g. "starting x"."""
    return translating(_translate, action)


def error_from_text(text: str, action: str) -> BackendError | None:
    """Map a known error message of the engine to an error; return None for an unknown one."""
    for pattern, kind, sentence in _KNOWN_WORDS:
        found = re.search(pattern, text, re.IGNORECASE | re.DOTALL)
        if found:
            return kind(sentence.format(*found.groups(), action=action))
    return None


# The engine's messages -> our errors. The first match counts; {0} is the first group of the pattern.
_KNOWN_WORDS: tuple[tuple[str, type[BackendError], str], ...] = (
    (
        r"no space left on device|disk quota exceeded",
        LimitExceededError,
        "the engine's disk is full ({action}). Make room, e.g. with `docker system prune`, and run it again.",
    ),
    (
        r"could not select device driver.*gpu|nvidia-container|libnvidia-ml|no cuda-capable device",
        BackendError,
        "the engine has no GPU to give. Install the NVIDIA Container Toolkit, or use --instance-type local.",
    ),
    (
        r"bind source path does not exist: (.*?)\"?\)?$",
        BackendError,
        "the engine does not see {0}: it lives on another machine or in a container of its own. "
        "Use an engine of this machine, or --backend process.",
    ),
    (
        r"mounts denied|not shared from (?:the )?host",
        BackendError,
        "the engine may not see the job's folder. Share it in Docker Desktop (Settings, Resources, File sharing), "
        "or set PAI_JUPYTER_HOME to a shared directory.",
    ),
    (
        r"exec: \\?\"sh\\?\": (?:executable file not found|stat .*no such file)|exec: sh: not found",
        BackendError,
        "the image has no `sh`, which runs the command of every job. Use another image: --image NAME.",
    ),
    (
        r"exec format error",
        BackendError,
        "the image is made for another processor than this machine's. Use another image: --image NAME.",
    ),
    (
        r"invalid reference format|repository name must be",
        NotFoundError,
        "the image's name is invalid ({action}). It looks like this: --image python:3.11-slim",
    ),
    (
        r"unauthorized|denied: |pull access denied|no basic auth credentials|authentication required",
        BackendError,  # of no key of the cloud's
        "the registry refuses you ({action}). Check the name, or log in first: `docker login`.",
    ),
    (
        r"manifest.* (?:unknown|not found)|repository does not exist|not found: does not exist",
        NotFoundError,
        "the registry has no such image ({action}). Check its name and tag.",
    ),
    (
        r"no such image",
        NotFoundError,
        "the engine has no such image ({action}).",
    ),
    (
        r"dial tcp|lookup .* on |i/o timeout|TLS handshake timeout|no such host|x509:|proxyconnect|awaiting headers",
        BackendError,  # the name may be wrong: nobody is to wait for it
        "the registry cannot be reached ({action}). Check the network, or bring the image here with `docker load`.",
    ),
    (
        r"range of cpus is from|minimum memory limit|memory limit.*(?:smaller|larger)|invalid size",
        LimitExceededError,
        "the engine refuses a limit ({action}). Check --option docker.memory and docker.cpus against this machine.",
    ),
)


def _translate(exc: Exception, action: str) -> PaiJupyterError | None:
    """Return our error for `exc`; None if neither the SDK nor the system raises it: that is a bug."""
    if isinstance(exc, ModuleNotFoundError):
        return BackendError(
            f"backend 'docker' needs the package {exc.name!r}. Type: %pip install 'pai_jupyter[docker]'"
        )
    if isinstance(exc, OSError | http.client.HTTPException) and type(exc).__module__ in ("builtins", "http.client"):
        return _socket_error(exc, action)
    import docker.errors
    import requests.exceptions
    import urllib3.exceptions

    text = f"{getattr(exc, 'explanation', None) or exc}".strip()
    sdk = (docker.errors.DockerException, docker.errors.StreamParseError)
    foreign = (*sdk, requests.exceptions.RequestException, urllib3.exceptions.HTTPError)
    if not isinstance(exc, foreign):
        return None
    known = error_from_text(text, action)
    if known is not None:
        return known
    match exc:
        case docker.errors.NotFound():
            return NotFoundError(f"the Docker engine finds no such thing ({action}): {text}")
        case docker.errors.APIError():
            return BackendError(f"the Docker engine refuses ({action}): {text}")
        case requests.exceptions.JSONDecodeError() | docker.errors.InvalidVersion():
            return ProtocolError(f"the Docker engine sent an answer that cannot be understood ({action}): {text}")
        case requests.exceptions.RequestException() | urllib3.exceptions.HTTPError():
            return _unavailable(action)
        case docker.errors.DockerException() if "fetching server API version" in text:  # for any cause
            return _unavailable(action)
    return BackendError(f"the Docker engine cannot be used ({action}): {text}")


def _socket_error(exc: Exception, action: str) -> BackendError:
    if isinstance(exc, PermissionError):
        return AuthError(
            f"you may not use the Docker engine ({action}). Add yourself to its group: `sudo usermod -aG docker $USER`, "
            "and log in again; or use --backend process."
        )
    return _unavailable(action)


def _unavailable(action: str) -> UnavailableError:
    return UnavailableError(
        f"no Docker engine answers ({action}). "
        "Start it (`sudo systemctl start docker`, or Docker Desktop), or use --backend process."
    )
