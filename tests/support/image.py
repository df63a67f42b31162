"""The image that container tests run: this interpreter with pip, and busybox. Made here, from files of this machine.

No registry is asked. The layout is that of the host, so that absolute paths inside the interpreter stay right.
The tag names the content, so an image that the engine has already is not made again.
"""

import ensurepip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

CACHE = ROOT / "tests" / ".work"
NAME = "pai-jupyter-test"
USER = 1000

# What an image may lack is out of reach in these: not on the PATH, or hidden by a module that is not there.
# `sh` is busybox's, or that of Debian's images (dash) or of others (bash), both with the `env` of coreutils.
_FULL = ("ENV PATH=/usr/local/bin:/bin", "ENV NVIDIA_VISIBLE_DEVICES=all")
VARIANTS = {
    "full": (),
    "no-sh": ("ENV PATH=/usr/local/bin",),
    "no-python": ("ENV PATH=/bin",),
    "no-pip": ("ENV PYTHONPATH=/opt/no-pip",),
    "dash": ("ENV PATH=/opt/dash:/usr/local/bin:/bin",),
    "bash": ("ENV PATH=/opt/bash:/usr/local/bin:/bin",),
    "user": (f"USER {USER}",),
    "workdir": ("WORKDIR /opt/app",),
}
_LEFT_OUT = {
    "__pycache__",
    "site-packages",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
}


class NoImage(Exception):
    """This machine lacks what the image is made of; the text says what."""


def make_image(address: str, variant: str = "full") -> str:
    """The name of the test image in the engine at `address`; made when it is not there."""
    name = f"{NAME}:{_digest()}-{variant}"
    if _docker(address, "images", "--quiet", name):
        return name
    if variant == "full":
        _docker(address, "import", *_changes(_FULL), str(_packed()), name)
        return name
    container = _docker(address, "create", make_image(address), "sh")
    try:
        _docker(address, "commit", *_changes(VARIANTS[variant]), container, name)
    finally:
        _docker(address, "rm", container)
    return name


def _docker(address: str, *words: str) -> str:
    return subprocess.run(
        ["docker", "--host", address, *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def _changes(lines: tuple[str, ...]) -> list[str]:
    return [word for line in lines for word in ("--change", line)]


@cache
def _digest() -> str:
    parts = [Path(__file__).read_text(), sys.version, _interpreter(), _pip_wheel().name, _busybox().stat().st_mtime]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def _packed() -> Path:
    """The tar of the image's files, made once for each content."""
    tar = CACHE / f"{NAME}-{_digest()}.tar"
    if not tar.exists():
        CACHE.mkdir(exist_ok=True)
        for old in CACHE.glob(f"{NAME}-*"):
            old.unlink()
        unfinished = tar.with_suffix(f".{os.getpid()}")
        with tarfile.open(unfinished, "w") as archive:
            _put_system(archive)
            _put_applets(archive)
            _put_python(archive)
            for name, source in sorted(_files().items()):
                _put(archive, name, source.read_bytes(), mode=source.stat().st_mode & 0o755)
        unfinished.replace(tar)
    return tar


def _files() -> dict[str, Path]:
    """Every file of this machine that goes in, by its name there; programs with the libraries that they load."""
    modules = _modules(Path(sysconfig.get_path("stdlib")))
    programs = {str(_interpreter()): _interpreter(), "/bin/busybox": _busybox()}
    for shell in ("dash", "bash"):
        programs |= {f"/opt/{shell}/sh": Path("/bin", shell), f"/opt/{shell}/env": Path("/usr/bin/env")}
    files = programs | {str(path): path for path in modules}
    for binary in [path for path in files.values() if path in programs.values() or path.suffix == ".so"]:
        files |= {str(path): path for path in shared_libraries(binary)}
    return files


def _busybox() -> Path:
    found = shutil.which("busybox")
    if found is None:
        raise NoImage("busybox is not installed")
    return Path(found)


def _interpreter() -> Path:
    return Path(sys.executable).resolve()


def _pip_wheel() -> Path:
    for folder in (Path(ensurepip.__file__).parent / "_bundled", Path("/usr/share/python-wheels")):
        for wheel in folder.glob("pip-*.whl"):
            return wheel
    raise NoImage("this Python has no pip of its own to give")


def _put_system(archive: tarfile.TarFile) -> None:
    for name in ("/root", "/proc", "/sys", "/dev", "/etc"):
        _put(archive, name, kind=tarfile.DIRTYPE, mode=0o755)
    _put(archive, "/tmp", kind=tarfile.DIRTYPE, mode=0o1777)
    users = f"root:x:0:0:root:/root:/bin/sh\nuser:x:{USER}:{USER}:user:/tmp:/bin/sh\n"
    _put(archive, "/etc/passwd", users.encode())
    _put(archive, "/etc/group", f"root:x:0:\nuser:x:{USER}:\n".encode())
    _put(archive, "/etc/nsswitch.conf", b"hosts: files dns\n")
    _put(archive, "/opt/no-pip/pip.py", b"raise ModuleNotFoundError(\"No module named 'pip'\")\n")


def _put_applets(archive: tarfile.TarFile) -> None:
    listed = subprocess.run([_busybox(), "--list"], capture_output=True, text=True, check=True).stdout
    for applet in sorted(set(listed.split()) - {"busybox"}):
        _put(archive, f"/bin/{applet}", kind=tarfile.SYMTYPE, target="busybox")


def _put_python(archive: tarfile.TarFile) -> None:
    """The names of the interpreter, and its pip."""
    for name in ("python", "python3"):
        _put(archive, f"/usr/local/bin/{name}", kind=tarfile.SYMTYPE, target=str(_interpreter()))
    with zipfile.ZipFile(_pip_wheel()) as wheel:
        for name in wheel.namelist():
            _put(archive, f"{sysconfig.get_path('stdlib')}/site-packages/{name}", wheel.read(name))


def _modules(library: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(library):
        folders[:] = [name for name in folders if name not in _LEFT_OUT and not name.startswith("config-")]
        found += [Path(parent, name) for name in names if not name.endswith((".pyc", ".a"))]
    return found


def shared_libraries(binary: Path) -> list[Path]:
    """The files that a program or library of this machine loads."""
    listed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
    return [Path(name) for name in re.findall(r"(/\S+\.so\S*)", listed)]


def _put(
    archive: tarfile.TarFile,
    name: str,
    content: bytes = b"",
    *,
    kind: bytes = tarfile.REGTYPE,
    mode: int = 0o644,
    target: str = "",
) -> None:
    info = tarfile.TarInfo(name.lstrip("/"))
    info.type, info.mode, info.size, info.linkname = kind, mode, len(content), target
    archive.addfile(info, io.BytesIO(content))
