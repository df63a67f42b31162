"""The process of an emulator: its directory, keys, socket and HTTP server.

Rule 1: one process uses a directory at a time. The lock is the system's and ends with the process.
Rule 2: it listens only on 127.0.0.1, and prints the address as its first line once it answers.
Rule 3: there is no access log, and errors are logged without the text of requests, which may contain secrets.
"""

import asyncio
import json
import os
import secrets
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from filelock import FileLock, Timeout
from uvicorn.protocols.http.h11_impl import H11Protocol

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.server.app import Emulator
from pai_jupyter.emulator.server.control import make_token
from pai_jupyter.emulator.server.seeding import seed
from pai_jupyter.emulator.state.access import EmulatorKey, Keys
from pai_jupyter.emulator.state.site import EmulatorSite
from pai_jupyter.errors import BackendError, SpecError

if TYPE_CHECKING:
    from starlette.types import ASGIApp as ASGIApplication

HOST = "127.0.0.1"
_ENDS_WITHIN = 3  # seconds that running requests may take after SIGTERM
_CLOUD_PREFIXES = ("PAI_", "OSS_", "ALIBABA_CLOUD_")  # prefixes of environment variables
_IDLE = 75  # seconds until an idle connection is closed


def serve(
    world: EmulatorContext,
    *,
    port: int,
    keys: Sequence[EmulatorKey],
    site: Mapping[str, str | None],
    bearer_tokens: Sequence[str] = (),
    algorithms: Sequence[Fields] = (),
    application: "Callable[[EmulatorContext], ASGIApplication]" = Emulator,
) -> None:
    """Complete `world` by address, keys and site, and serve it until SIGTERM or SIGINT.

    `site` has the chosen region, workspace and bucket; None = default.

    Raises:
        SpecError: the directory cannot be used, or the port is taken.
        BackendError: another emulator uses the directory.
    """
    data = world.data
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(data / "lock", blocking=False)
        with lock:
            known = Keys(_with_own_key(data, keys), bearer_tokens=bearer_tokens)
            _serve(
                replace(world, keys=known),
                port=port,
                site=EmulatorSite.of(data, site),
                algorithms=algorithms,
                application=application,
            )
    except ApiRefusal as exc:
        raise SpecError(f"An algorithm cannot be added: {exc.message}.", field="algorithms") from exc
    except Timeout as exc:
        raise BackendError(f"another emulator uses '{data}'{_where(data)}. Use that one, or another --data.") from exc
    except OSError as exc:
        raise SpecError(f"cannot serve '{data}' on port {port}: {exc.strerror or exc}.") from exc


def _serve(
    world: EmulatorContext,
    *,
    port: int,
    site: EmulatorSite,
    algorithms: Sequence[Fields],
    application: "Callable[[EmulatorContext], ASGIApplication]",
) -> None:
    with socket.create_server((HOST, port)) as listening:
        # Head and body of an answer are two packets; without NODELAY the second waits 40 ms for the first's acknowledgement.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = world.data
        world = replace(
            world,
            address=f"http://{HOST}:{listening.getsockname()[1]}",
            region=site.region,
            workspace_id=site.workspace,
            bucket=site.bucket,
        )
        site.keep(data)
        _isolate_environment(data / "home")
        make_token(data)
        world.objects.create_bucket(world.bucket)
        for algorithm in algorithms:
            seed(world, algorithm)
        _write(data / "credentials.json", _first_pair(world.keys))
        config = uvicorn.Config(
            application(world),
            http=TransportProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            date_header=False,
            server_header=False,
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=_ENDS_WITHIN,
        )
        for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises the signal again after its shutdown: ignore it
            signal.signal(number, lambda *_: None)
        _Server(config, world).run(sockets=[listening])
        (data / "address.json").unlink(missing_ok=True)


def _isolate_environment(home: Path) -> None:
    """Remove variables that have a meaning on PAI, which jobs would inherit, and set a home directory of its own."""
    for name in [name for name in os.environ if name.startswith(_CLOUD_PREFIXES) and name != "PAI_JUPYTER_ML"]:
        del os.environ[name]
    os.environ["PAI_JUPYTER_HOME"] = str(home)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, world: EmulatorContext) -> None:
        super().__init__(config)
        self._world = world

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _write(self._world.data / "address.json", _record(self._world))
            print(f"listening on {self._world.address}", flush=True)  # noqa: T201  read by the process that started it


class TransportProtocol(H11Protocol):
    """HTTP/1.1 that stores the connection in the state of each request, for `fault_injection`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


def _with_own_key(data: Path, keys: Sequence[EmulatorKey]) -> list[EmulatorKey]:
    """Add this directory's own key pair, generated the first time, unless a permanent key is given."""
    if any(key.token is None for key in keys):
        return list(keys)
    try:
        pair: dict[str, str] = json.loads((data / "credentials.json").read_text())
    except (OSError, ValueError):
        pair = {"access_key_id": f"emulator-{secrets.token_hex(8)}", "access_key_secret": secrets.token_urlsafe(30)}
    return [EmulatorKey(access_key_id=pair["access_key_id"], secret=pair["access_key_secret"]), *keys]


def _record(world: EmulatorContext) -> dict[str, Any]:  # Any: JSON values
    """Return the content of address.json, by which other processes find the emulator."""
    return {
        "address": world.address,
        "pid": os.getpid(),
        "region": world.region,
        "workspace": world.workspace_id,
        "bucket": world.bucket,
        "mounts": [*world.mounts],
        "runner": world.backend,
    }


def _first_pair(keys: Keys) -> dict[str, str]:
    return {"access_key_id": keys.first.access_key_id, "access_key_secret": keys.first.secret}


def _write(path: Path, fields: Mapping[str, Any]) -> None:  # Any: JSON values
    fresh = path.with_suffix(".new")
    with open(fresh, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        json.dump(fields, file)
    fresh.replace(path)


def _where(data: Path) -> str:
    try:
        return f" and answers at {json.loads((data / 'address.json').read_text())['address']}"
    except (OSError, ValueError, KeyError):
        return ""
