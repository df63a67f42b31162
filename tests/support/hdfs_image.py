"""The test image as the seed of OpenPAI needs it: bash, pip3, PyPI's `hdfs`, and packages that pip finds without a network."""

import hashlib
import io
import subprocess
import sysconfig
import tarfile
from importlib.metadata import version
from pathlib import Path

from tests.support.image import make_image
from tests.support.wheels import wheel

PACKAGES = Path(sysconfig.get_path("purelib"))
_NAMES = ("hdfs", "requests", "urllib3", "idna", "certifi", "charset_normalizer", "six.py", "docopt.py")
_WHEELS = ("future", "couplet_tools")  # what the seed's files install
_PLACE = "opt/wheels"
_PIP = b'#!/bin/sh\nexec python3 -m pip "$@"\n'
_SETTINGS = (f"ENV PIP_FIND_LINKS=/{_PLACE}", "ENV PIP_NO_INDEX=1", "ENV PIP_ROOT_USER_ACTION=ignore")


def make_hdfs_image(address: str) -> str:
    """The name of the image in the engine at `address`; made when it is not there."""
    base = make_image(address)
    parts = [Path(__file__).read_text(), version("hdfs"), version("requests"), version("urllib3")]
    name = f"{base}-hdfs-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"
    if _docker(address, "images", "--quiet", name):
        return name
    container = _docker(address, "create", base, "sh")
    try:
        words = ["docker", "--host", address, "cp", "-", f"{container}:/"]
        subprocess.run(words, input=_packed(), check=True)
        _docker(address, "commit", *(word for line in _SETTINGS for word in ("--change", line)), container, name)
    finally:
        _docker(address, "rm", container)
    return name


def _packed() -> bytes:
    site, packed = f"{sysconfig.get_path('stdlib')}/site-packages".lstrip("/"), io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in _NAMES:
            if (PACKAGES / name).exists():
                archive.add(PACKAGES / name, f"{site}/{name}", filter=_without_caches)
        for name in _WHEELS:
            _put(archive, f"{_PLACE}/{name}-1.0-py3-none-any.whl", wheel(name))
        _put(archive, "usr/local/bin/pip3", _PIP, mode=0o755)
        link = tarfile.TarInfo("bin/bash")
        link.type, link.linkname = tarfile.SYMTYPE, "/opt/bash/sh"
        archive.addfile(link)
    return packed.getvalue()


def _put(archive: tarfile.TarFile, name: str, content: bytes, *, mode: int = 0o644) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), mode
    archive.addfile(info, io.BytesIO(content))


def _without_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.endswith(("/__pycache__", "/ext")) else member


def _docker(address: str, *words: str) -> str:
    return subprocess.run(
        ["docker", "--host", address, *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
