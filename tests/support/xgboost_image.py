"""The image of the tests with XGBoost, scikit-learn and pandas of this machine in it, as PAI's image of the seed has them."""

import hashlib
import io
import subprocess
import sysconfig
import tarfile
from importlib.metadata import version
from pathlib import Path

from tests.support.image import make_image, shared_libraries

PACKAGES = Path(sysconfig.get_path("purelib"))
_NAMES = (
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "xgboost",
    "joblib",
    "threadpoolctl.py",
    "dateutil",
    "pytz",
    "six.py",
    "cloudpickle",
)
_MORE = (
    "numpy.libs",
    "scipy.libs",
    "scikit_learn.libs",
    "pandas.libs",
    "xgboost.libs",
    "xgboost_cpu.libs",
    "tzdata",
    "cloudpickle",
    "narwhals",
    "psutil",
)
_LIBRARIES = "opt/libraries"


def make_xgboost_image(address: str) -> str:
    """The name of the image in the engine at `address`; made when it is not there."""
    base = make_image(address)
    parts = [Path(__file__).read_text(), *(version(name) for name in ("xgboost-cpu", "scikit-learn", "pandas"))]
    name = f"{base}-xgboost-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"
    if _docker(address, "images", "--quiet", name):
        return name
    container = _docker(address, "create", base, "sh")
    try:
        words = ["docker", "--host", address, "cp", "-", f"{container}:/"]
        with subprocess.Popen(words, stdin=subprocess.PIPE) as copying:
            assert copying.stdin is not None
            _write(copying.stdin)
        assert copying.returncode == 0
        _docker(address, "commit", "--change", f"ENV LD_LIBRARY_PATH=/{_LIBRARIES}", container, name)
    finally:
        _docker(address, "rm", container)
    return name


def _write(stream: "io.BufferedIOBase | object") -> None:
    """Write the packages, and the libraries of this machine that they load, as a tar."""
    site = f"{sysconfig.get_path('stdlib')}/site-packages".lstrip("/")
    with tarfile.open(fileobj=stream, mode="w|") as archive:  # type: ignore[call-overload]  # a pipe is enough of a file
        for name in (*_NAMES, *_MORE):
            if (PACKAGES / name).exists():
                archive.add(PACKAGES / name, f"{site}/{name}", filter=_without_caches)
        for dist in PACKAGES.glob("*.dist-info"):
            if dist.name.startswith(("xgboost", "scikit_learn", "numpy", "scipy", "pandas")):
                archive.add(dist, f"{site}/{dist.name}")
        for library in _libraries():
            archive.add(library.resolve(), f"{_LIBRARIES}/{library.name}")


def _without_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.endswith(("/__pycache__", "/tests")) else member


def _libraries() -> set[Path]:
    binaries = [
        *PACKAGES.glob("xgboost/lib/*.so"),
        *PACKAGES.glob("sklearn/utils/*.so"),
        *PACKAGES.glob("pandas/_libs/*.so"),
        *PACKAGES.glob("scipy/linalg/*.so"),
        *PACKAGES.glob("numpy/_core/*.so"),
    ]
    found = {each for binary in binaries for each in shared_libraries(binary)}
    return {it for it in found if not it.is_relative_to(PACKAGES) and not it.name.startswith(("ld-", "libc."))}


def _docker(address: str, *words: str) -> str:
    return subprocess.run(
        ["docker", "--host", address, *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
