"""Check this machine."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec

from pai_jupyter.backends import Check, health_of, infos
from pai_jupyter.backends.local import count_gpus
from pai_jupyter.cloud.hdfs import hdfs_session
from pai_jupyter.cloud.session.keys import origins_at
from pai_jupyter.config import settings
from pai_jupyter.config.prices import EXAMPLE, empty_price_lists, price_lists
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store import JobStore

# The packages for the cloud, by import name: purpose, and the command that installs them.
PACKAGES = {
    "alibabacloud_credentials": ("keys from roles and other tools", "%pip install 'pai_jupyter[pai]'"),
    "oss2": ("OSS", "%pip install 'pai_jupyter[oss]'"),
    "crcmod._crcfunext": (
        "fast checksums; without it 200 MB take 17 s",
        "%pip install --force-reinstall --no-deps crcmod-plus",
    ),
    "uvicorn": ("the emulator of PAI", "%pip install 'pai_jupyter[emulator]'"),
}
LOW_DISK = 2 * 1024**3  # bytes of free disk; with less, a job's outputs may not fit


def job_folders() -> Check:
    what, elsewhere = "job folders", "Set PAI_JUPYTER_HOME to a directory that you can write to."
    try:
        home = JobStore().home
    except PaiJupyterError as exc:
        return Check(what=what, found=str(exc), remedy=elsewhere, is_good=False)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(home).free
    except OSError as exc:
        return Check(what=what, found=f"{home}: {exc.strerror}", remedy=elsewhere, is_good=False)
    if not os.access(home, os.W_OK | os.X_OK):
        return Check(what=what, found=f"{home}: no write permission", remedy=elsewhere, is_good=False)
    remedy = "Free some space there, or set PAI_JUPYTER_HOME to a directory on another disk." if free < LOW_DISK else ""
    return Check(what=what, found=f"{home}, {free / 1e9:.1f} GB free", remedy=remedy, is_good=free >= LOW_DISK)


def backends(*, are_local: bool) -> Iterator[Check]:
    """Yield the health checks of the local or of the remote backends, without asking a service."""
    for info in infos():
        if info.is_local is are_local:
            with suppress(PaiJupyterError):  # invalid settings: the check of the configuration reports them
                yield from health_of(info).checks


def hdfs() -> Iterator[Check]:
    """Yield what the settings say about an HDFS, if they name one; asks nobody."""
    with suppress(PaiJupyterError):  # invalid settings, as above
        access = hdfs_session().access
        if access.host:
            yield Check(what="HDFS", found=f"hdfs://{access.host}; look into it with %pai_hdfs ls")


def gpus() -> Check:
    count = count_gpus()
    return Check(what="GPUs", found=str(count) if count else "none", is_there=bool(count))


def prices() -> Iterator[Check]:
    """Yield which price lists there are, and what is wrong with one; nothing without any."""
    try:
        lists, empty = price_lists(settings()), empty_price_lists(settings())
    except SpecError as exc:
        yield Check(what="prices", found=str(exc), remedy="No job has a cost until this is corrected.", is_good=False)
        return
    for each in lists:
        yield Check(what="prices", found=f"{each.path}: {len(each.per_hour)} × {each.currency}")
    for path in empty:
        yield Check(what="prices", found=f"{path} is empty: no prices", remedy=f"Write {EXAMPLE}", is_there=False)


def settings_file() -> Check:
    """Name the user's own file of settings, which may not exist: prices.json is read beside it."""
    return Check(what="settings file", found=str(settings().user_path()))


def settings_in_force() -> Check:
    try:
        given = [f"{value.name}={value.value}" for value in settings().all() if value.value]
    except PaiJupyterError as exc:
        return Check(what="configuration", found=str(exc), remedy="Correct that file.", is_good=False)
    return Check(what="configuration", found=", ".join(given) or "defaults; change with %pai_config set NAME=VALUE")


def keys() -> Check:
    try:
        origin = next(origins_at(settings().get("services")), None)
    except PaiJupyterError as exc:
        return Check(what="keys for the cloud", found=str(exc), remedy="Correct that file.", is_good=False)
    if origin is None:
        return Check(
            what="keys for the cloud", found="none (local jobs need none)", remedy="For PAI: %pai_config wizard"
        )
    return Check(what="keys for the cloud", found=f"from {origin}; check them with %pai_config test")


def packages() -> Iterator[Check]:
    """Yield a check for each optional package; a missing one is no failure."""
    for name, (purpose, remedy) in PACKAGES.items():
        what = name.partition("._")[0]
        if _is_there(name):
            yield Check(what=what, found=f"installed: {purpose}")
        else:
            yield Check(what=what, found=f"missing: {purpose}", remedy=remedy)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # its parent package is missing or is a plain module
        return False
