"""Backends and settings for the panel; facts about a backend come from its `BackendInfo`.

Rule 1: no network request unless one backend is to be checked. Whether an emulator listens is asked only on this machine.
Rule 2: settings are shown with their origin; secrets are never shown.
"""

from typing import TYPE_CHECKING

from pai_jupyter.backends import Health, backend_names, get_backend, get_info, health_of
from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError, SpecError

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import BackendRow, BackendsAnswer, BackendSettings, SettingRow


def backends(check: str | None = None) -> "BackendsAnswer":
    """List all backends and the settings; check only the backend named `check`.

    Raises:
        SpecError: there is no such backend.
    """
    names = backend_names()
    if check is not None and check not in names:
        raise SpecError(f"there is no backend {check[:60]!r}; there are {', '.join(names)}.", field="check")
    rows = [_row(name, is_asked=name == check) for name in names]
    return {"backends": rows, **_settings()}


def _row(name: str, *, is_asked: bool) -> "BackendRow":
    title, is_emulator, takes_job_files = name, False, False
    instances: list[str] = []
    try:
        info = get_info(name)
        title, instances, takes_job_files = info.title, [*info.named_instances], info.takes_job_files
        health = health_of(info, is_asked=is_asked)
        is_emulator = info.is_emulated(settings())
        if is_asked and health == Health():  # it has no check of its own: test that it can be loaded
            get_backend(name)
            health = Health(is_ready=True, note=title)
    except PaiJupyterError as exc:
        health = Health(is_ready=False, note=str(exc))
    return {
        "name": name,
        "title": title,
        "is_ready": health.is_ready,
        "note": health.note,
        "is_emulator": is_emulator,
        "instances": instances,
        "takes_job_files": takes_job_files,
    }


def _settings() -> "BackendSettings":
    try:
        shown = [value for value in settings().all() if value.value and value.name != "profile"]
        profile = settings().get("profile") or ""
    except PaiJupyterError:  # reported in the row of the backend that needs them
        shown, profile = [], ""
    told: list[SettingRow] = [{"name": each.name, "value": each.value or "", "origin": each.origin} for each in shown]
    return {"profile": profile, "settings": told}
