"""Minimal HTTP to the engine's socket: list running containers, start one. The SDK would take 40 MB per queued job."""

import json
import socket
from urllib.parse import quote

TIMEOUT = 20.0  # seconds per call
NOT_STARTED = 125  # the exit code of `docker run` if the engine refuses to start the container


class EngineAway(Exception):
    """The engine does not answer."""


def running_jobs(path: str, label: str, job_label: str) -> set[str]:
    """Return the jobs with `label` that have a running container; `path` is the engine's socket."""
    filters = quote(json.dumps({"label": [label]}))
    status, body = _call(path, "GET", f"/containers/json?filters={filters}")
    try:
        containers = json.loads(body) if status == 200 else None
        return {str(container["Labels"][job_label]) for container in containers or ()}
    except (ValueError, LookupError, TypeError) as exc:
        raise EngineAway(str(exc)) from exc


def start(path: str, container: str) -> tuple[int, str]:
    """Start a container; return the HTTP status (204 = started, 304 = ran already) and the engine's message."""
    status, body = _call(path, "POST", f"/containers/{container}/start")
    try:
        return status, str(json.loads(body)["message"])
    except (ValueError, LookupError, TypeError):
        return status, body.decode(errors="replace")


def _call(path: str, method: str, target: str) -> tuple[int, bytes]:
    request = f"{method} {target} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode()
    answer = b""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT)
            connection.connect(path)
            connection.sendall(request)
            while block := connection.recv(65536):
                answer += block
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body
    except (OSError, ValueError, IndexError) as exc:
        raise EngineAway(str(exc)) from exc
