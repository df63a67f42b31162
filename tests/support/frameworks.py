"""PyTorch, XGBoost and TensorFlow in an environment of their own, which `make distributed` makes: 2.6 GB, in no other tests' way.

Their programs are scripts of tests/data; what one prints in one process, without anything of ours, is the referee of the jobs.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

from tests.support.image import shared_libraries
from tests.support.needs import lacking
from tests.support.paths import DATA, ROOT

ENVIRONMENT = ROOT / ".venv-distributed"
PYTHON = ENVIRONMENT / "bin" / "python"
QUIET = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2"}
"""Variables of each job: replicas share the cores of one machine."""


def packages() -> Path:
    """The directory of the environment's packages."""
    return next((ENVIRONMENT / "lib").glob("python3*")) / "site-packages"


def need(name: str) -> None:
    """Skip the test where the package is not installed, or fail it where it is required."""
    if not PYTHON.exists() or not (packages() / name).is_dir():
        lacking(name, f"{name} is not in {ENVIRONMENT.name}", remedy="`make distributed` installs it")


def source(script: str, to: Path) -> Path:
    """A source directory whose train.py is a script of tests/data."""
    to.mkdir()
    shutil.copy(DATA / script, to / "train.py")
    return to


def train_alone(script: str, folder: Path) -> list[float]:
    """The result of a script that runs in one process, without a job."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PAI_OUTPUT_MODEL": str(folder), **QUIET}
    subprocess.run([PYTHON, DATA / script], env=environment, check=True, timeout=120, stdout=subprocess.DEVNULL)
    return result(folder)


def result(folder: Path) -> list[float]:
    """What the first replica has written to the channel `model`."""
    found: list[float] = json.loads((folder / "result.json").read_text())
    return found


def libraries(to: Path) -> Path:
    """A directory with the libraries of this machine that torch and XGBoost load, and the image of the tests may lack."""
    to.mkdir()
    for library in shared_libraries(packages() / "torch" / "lib" / "libtorch_python.so"):
        if not library.is_relative_to(packages()) and not library.name.startswith(("ld-", "libc.")):
            shutil.copy(library, to)
    return to
