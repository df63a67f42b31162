"""Whether a job is tracked, and where, as the settings say when it is submitted. Kept in its outbox, without a login."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import PurePath

from pai_jupyter.config import Settings, trackers
from pai_jupyter.spec import Json
from pai_jupyter.store import JobRecord

NAME = "tracking"
PACKAGE = "mlflow-skinny>=3"
INSTALL = f"%pip install '{PACKAGE}'"


def wanted_tracking(settings: Settings, environ: Mapping[str, str] | None = None) -> dict[str, Json] | None:
    """Return where a job is tracked, and which of MLflow's own variables have the login; None if it is not.

    Raises:
        SpecError: a setting is invalid.
    """
    address = trackers.server_of(settings.get(trackers.NAME))
    if not address:
        return None
    here = os.environ if environ is None else environ
    needs: list[Json] = [name for name in trackers.LOGIN if here.get(name)]
    return {"address": address, "experiment": settings.get(trackers.EXPERIMENT) or "", "needs": needs}


def note_about_tracking(settings: Settings) -> list[str]:
    """Return what the user must know before a job is submitted: that nothing here can bring it to its server.

    Raises:
        SpecError: the setting is invalid.
    """
    address = trackers.server_of(settings.get(trackers.NAME))
    if not address or has_client():
        return []
    return [f"this job is not tracked at {address} until mlflow-skinny is installed here. Type: {INSTALL}"]


def address_of(wanted: Mapping[str, Json]) -> str:
    address = wanted.get("address")
    return address if isinstance(address, str) else ""


def can_send(wanted: Mapping[str, Json], environ: Mapping[str, str]) -> bool:
    """Return whether this process has MLflow's client and the login."""
    return bool(address_of(wanted)) and not missing_login(wanted, environ) and has_client()


def missing_login(wanted: Mapping[str, Json], environ: Mapping[str, str]) -> list[str]:
    """Return which of the variables with the login, that were set when the job was submitted, this process lacks."""
    needs = wanted.get("needs")
    return [str(name) for name in (needs if isinstance(needs, list) else []) if not environ.get(str(name))]


def has_client() -> bool:
    return find_spec("mlflow") is not None


def experiment_of(record: JobRecord, wanted: Mapping[str, Json]) -> str:
    """Return the name of the experiment: as set, else that of the notebook, else the job's name without its number."""
    given = wanted.get("experiment")
    return str(given or "") or PurePath(record.notebook or "").stem or record.stem or record.spec.name
