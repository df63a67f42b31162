"""What this machine has and lacks for training jobs, each with its remedy. Looks only; changes nothing."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from pai_jupyter import __version__
from pai_jupyter.backends.process import isolation
from pai_jupyter.backends.process.order import count_gpus
from pai_jupyter.cloud.session.keys import origins_at
from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs import engine_answers
from pai_jupyter.store import JobStore
from pai_jupyter.view import front_end

# What the cloud takes, by the name to import: what it is for, and what to type where it is missing.
PACKAGES = {
    "alibabacloud_credentials": ("keys from roles and other tools", "%pip install 'pai_jupyter[pai]'"),
    "oss2": ("OSS", "%pip install 'pai_jupyter[oss]'"),
    "crcmod._crcfunext": (
        "fast checksums; without it 200 MB take 17 s",
        "%pip install --force-reinstall --no-deps crcmod-plus",
    ),
    "uvicorn": ("the emulator of PAI", "%pip install 'pai_jupyter[emulator]'"),
}
LOW_DISK = 2 * 1024**3  # bytes; below this a job's outputs may not fit


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing looked at; `remedy` is empty where nothing need be done."""

    what: str
    found: str
    remedy: str = ""
    is_good: bool = True

    @property
    def mark(self) -> str:
        return "✓" if self.is_good else "✗"


def checkup() -> list[Check]:
    """Look at everything once."""
    return list(_checks())


def _checks() -> Iterator[Check]:
    yield Check(what="pai_jupyter", found=f"{__version__}, Python {platform.python_version()}, {sys.executable}")
    yield _kernel()
    yield _live_view()
    yield _home()
    yield _literal_ml()
    yield engine()
    yield _gpu()
    yield _settings()
    yield _keys()
    yield from _packages()


def _kernel() -> Check:
    try:
        kernel = f"ipykernel {version('ipykernel')}"
    except PackageNotFoundError:
        kernel = "no ipykernel"
    end = (
        "a front end answers: forms are shown"
        if front_end().is_attended
        else "no front end: jobs start at once and are waited for"
    )
    return Check(what="kernel", found=f"{kernel}, IPython {version('ipython')}; {end}")


def _live_view() -> Check:
    ways = {
        "server": "through the Jupyter server, which has pai_jupyter",
        "widget": "as a widget over the kernel; requests wait for the cell that runs",
        "none": "none; cells show how a job stood when it was drawn last",
    }
    found = front_end()
    if not found.is_attended or found.live == "server":
        return Check(what="live view", found=ways[found.live])
    remedy = "Install pai_jupyter in the environment of the Jupyter server too, and restart that."
    return Check(what="live view", found=ways[found.live], remedy=remedy, is_good=found.live == "widget")


def _home() -> Check:
    home = JobStore().home
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(home).free
    except OSError as exc:
        remedy = "Set PAI_JUPYTER_HOME to a directory of yours."
        return Check(what="job folders", found=f"{home}: {exc.strerror}", remedy=remedy, is_good=False)
    remedy = "Make room there, or set PAI_JUPYTER_HOME to another disk." if free < LOW_DISK else ""
    return Check(what="job folders", found=f"{home}, {free / 1e9:.1f} GB free", remedy=remedy, is_good=free >= LOW_DISK)


def _literal_ml() -> Check:
    try:
        chosen = isolation.choose(os.environ.get("PAI_JUPYTER_ML", "auto"))
    except PaiJupyterError as exc:
        return Check(
            what="a literal /ml in local processes", found=str(exc), remedy="unset PAI_JUPYTER_ML", is_good=False
        )
    if chosen is not isolation.Isolation.PLAIN:
        return Check(what="a literal /ml in local processes", found=f"yes, through {chosen.value}")
    return Check(
        what="a literal /ml in local processes",
        found="no; the PAI_* variables point to the tree",
        remedy="Install bubblewrap (Debian: apt-get install bubblewrap), or proot where that is refused.",
        is_good=False,
    )


def engine() -> Check:
    """Whether a container engine answers."""
    if engine_answers():
        return Check(what="Docker engine", found=f"answers at {os.environ.get('DOCKER_HOST', 'the usual socket')}")
    try:
        version("docker")
    except PackageNotFoundError:
        found = "the Python package `docker` is missing"
        return Check(what="Docker engine", found=found, remedy="%pip install 'pai_jupyter[docker]'", is_good=False)
    return Check(
        what="Docker engine",
        found="none answers",
        remedy="Install and start one (Debian: apt-get install docker.io), and be allowed to use it (group docker).",
        is_good=False,
    )


def _gpu() -> Check:
    count = count_gpus()
    return Check(what="NVIDIA GPUs", found=str(count) if count else "none; --instance-type local_gpu is refused")


def _settings() -> Check:
    try:
        given = [f"{value.name}={value.value}" for value in settings().all() if value.value]
    except PaiJupyterError as exc:
        return Check(what="configuration", found=str(exc), remedy="Correct that file.", is_good=False)
    return Check(what="configuration", found=", ".join(given) or "nothing set; %pai_config set NAME=VALUE")


def _keys() -> Check:
    try:
        origin = next(origins_at(settings().get("services")), None)
    except PaiJupyterError as exc:
        return Check(what="keys for the cloud", found=str(exc), remedy="Correct that file.", is_good=False)
    if origin is None:
        return Check(
            what="keys for the cloud", found="none; local jobs need none", remedy="For PAI: %pai_config wizard"
        )
    return Check(what="keys for the cloud", found=f"from {origin}; %pai_config test asks whether they work")


def _packages() -> Iterator[Check]:
    """The optional packages. Nobody needs them who trains on this machine, so a missing one is no fault."""
    for name, (purpose, remedy) in PACKAGES.items():
        what = name.partition("._")[0]
        if _is_there(name):
            yield Check(what=what, found=f"installed: {purpose}")
        else:
            yield Check(what=what, found=f"missing: {purpose}", remedy=remedy)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a package above it is missing, or is no package
        return False
