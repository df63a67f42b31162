"""Where jobs can run from here, and what is set: as `%pai_doctor` and `%pai_config test` know it, for the panel.

Rule 1: nothing is asked over a network unless somebody wants one backend checked. Whether an emulator listens is asked of
    this machine alone.
Rule 2: settings are shown with where they come from; none of them is a key.
"""

import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pai_jupyter.backends import backend_names, get_backend
from pai_jupyter.checkup import Check, machine, service
from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.jobs.place import is_emulated

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import BackendRow, BackendsAnswer, BackendSettings, SettingRow

_ANSWERS_WITHIN = 2.0  # seconds, on this machine


def backends(check: str | None = None) -> "BackendsAnswer":
    """All backends (`BackendsAnswer` of the wire); the one that is called `check` is asked whether it works.

    Raises:
        SpecError: there is no such backend.
    """
    names = backend_names()
    if check is not None and check not in names:
        raise SpecError(f"there is no backend {check[:60]!r}; there are {', '.join(names)}.", field="check")
    rows = [_row(name, is_asked=name == check) for name in names]
    return {"backends": rows, **_settings()}


def _row(name: str, *, is_asked: bool) -> "BackendRow":
    try:
        is_ready, note = _known(name, is_asked=is_asked)
        is_emulator = is_emulated(name, settings())
    except PaiJupyterError as exc:
        is_ready, note, is_emulator = False, str(exc), False
    return {"name": name, "is_ready": is_ready, "note": note, "is_emulator": is_emulator}


def _known(name: str, *, is_asked: bool) -> tuple[bool | None, str]:
    """Whether jobs can run there, None: nobody knows; and what there is to say of it."""
    match name:
        case "process":
            return True, _processes(machine.literal_ml())
        case "docker":
            return _of([machine.engine()])
        case "pai":
            return _of(service()) if is_asked else _configured()
        case _:
            return (True, get_backend(name).name) if is_asked else (None, "")


def _processes(tree: Check) -> str:
    """What a job finds at /ml, the directory that the documents of PAI name."""
    if tree.is_good:
        return "Jobs run on this machine. They find their files below /ml, as on PAI."
    return f"Jobs run on this machine. They have no directory /ml: {tree.found}. {tree.remedy}"


def _of(checks: list[Check]) -> tuple[bool, str]:
    """Whether all is well; else the first thing that is not, and what to do about it."""
    wrong = next((check for check in checks if not check.is_good), None)
    if wrong is not None:
        return False, f"{wrong.what}: {wrong.found}. {wrong.remedy}"
    return True, "; ".join(f"{check.what}: {check.found}" for check in checks)


def _configured() -> tuple[bool | None, str]:
    """What is known of PAI without asking it: where it is, if anybody says so; and whether an emulator is there."""
    from pai_jupyter.cloud.session import need_session  # late: a server may never be asked

    session = need_session()
    if not session.is_emulator:
        return None, f"PAI in {session.region_id}"
    address = str(session.endpoints.address)
    if _listens(address):
        return True, f"the emulator at {address}"
    return False, f"the emulator at {address} does not answer. Start it again: %pai_config use emulator"


def _listens(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=_ANSWERS_WITHIN):
            return True
    except OSError:
        return False


def _settings() -> "BackendSettings":
    try:
        shown = [value for value in settings().all() if value.value and value.name != "profile"]
        profile = settings().get("profile") or ""
    except PaiJupyterError:  # said in the row of the backend that needs them
        shown, profile = [], ""
    told: list[SettingRow] = [{"name": each.name, "value": each.value or "", "origin": each.origin} for each in shown]
    return {"profile": profile, "settings": told}
