"""The local container engine: its address, a check that it answers, a client.

Rule 1: the `docker` package is imported only in `connect`; checking that an engine answers does not need it.
Rule 2: only an engine with a local socket is used, since a job's log and data are bound from this machine's disk.
Rule 3: the API version is negotiated, never pinned.
"""

import hashlib
import http
import http.client
import json
import os
import socket
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.errors import BackendError

Client: TypeAlias = Any  # docker.APIClient; the SDK has no types
DEFAULT_ADDRESS = "unix:///var/run/docker.sock"
ANSWER_TIMEOUT = 20  # seconds per call; a pull has no limit


def engine_address() -> str:
    """Return the engine's address: `DOCKER_HOST`, else the current Docker context, else the usual socket."""
    if host := os.environ.get("DOCKER_HOST"):
        return host
    config = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
    try:
        name = os.environ.get("DOCKER_CONTEXT") or json.loads((config / "config.json").read_bytes())["currentContext"]
        meta = config / "contexts" / "meta" / hashlib.sha256(name.encode()).hexdigest() / "meta.json"
        return str(json.loads(meta.read_bytes())["Endpoints"]["docker"]["Host"])
    except (OSError, ValueError, LookupError, TypeError):
        return DEFAULT_ADDRESS  # no readable context: use the default, like the docker command


def engine_answers(address: str | None = None, *, timeout: float = 1.0) -> bool:
    """Return whether a usable engine answers within `timeout` seconds."""
    try:
        must_answer(address or engine_address(), timeout=timeout)
    except BackendError:
        return False
    return True


def must_answer(address: str, *, timeout: float = 5.0) -> None:
    """Raise unless the engine answers; takes about 1 ms. The SDK is called only after this: it waits long and leaks.

    Raises:
        BackendError: no engine answers, it is remote, or the caller may not use it.
    """
    if not address.startswith("unix://"):
        raise BackendError(
            f"the engine at {address} is remote, but a job's log and data are bound from this machine's disk. "
            "Unset DOCKER_HOST (or choose a local one with `docker context use`), or use --backend process."
        )
    with engine_errors(f"asking at {address}"), closing(open_connection(address, timeout)) as connection:
        connection.request("GET", "/_ping")
        answer = connection.getresponse()
        answer.read()
        if answer.status != http.HTTPStatus.OK:
            raise ConnectionError(f"status {answer.status}")


def open_connection(address: str, timeout: float) -> http.client.HTTPConnection:
    """Open an HTTP connection to the engine's socket without the SDK; `timeout` is in seconds."""
    connection = http.client.HTTPConnection("localhost", timeout=timeout)
    connection.sock = socket.socket(socket.AF_UNIX)
    try:
        connection.sock.settimeout(timeout)
        connection.sock.connect(address.removeprefix("unix://"))
    except OSError:
        connection.close()
        raise
    return connection


@dataclass(frozen=True, kw_only=True)
class EngineFacts:
    """The facts about an engine for `%pai_doctor`; `memory` in bytes."""

    address: str
    version: str
    cpus: int
    memory: int


def engine_facts(address: str | None = None) -> EngineFacts:
    """Return the engine's address, version, CPU count, memory (bytes) and NVIDIA support.

    Raises:
        BackendError: it cannot be used; the error has reason and remedy.
    """
    address = address or engine_address()
    must_answer(address)
    with closing(connect(address)) as client, engine_errors(f"asking at {address}"):
        info = client.info()
    return EngineFacts(
        address=address,
        version=info["ServerVersion"],
        cpus=info["NCPU"],
        memory=info["MemTotal"],
    )


def connect(address: str) -> Client:
    """Create a client for the engine at `address`, which has already answered.

    Raises:
        BackendError: the engine stopped answering, or the `docker` package is missing.
    """
    with engine_errors(f"connecting to {address}"):
        import docker

        return docker.APIClient(base_url=address, version="auto", timeout=ANSWER_TIMEOUT)
