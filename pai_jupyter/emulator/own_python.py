"""A Python of a job's own, for what its command installs. As a script it needs the standard library alone.

    taking(command, work)                 the lines of sh that come before a command which installs something
    python own_python.py DIRECTORY        makes an environment below it and prints the line of sh that takes it into use

A job of PAI runs in a container, where `pip install` changes nothing but that. As a process of this machine it would
change the Python that runs the emulator, which is the user's own. Each replica makes an environment for itself, as each
pod has a container; it sees the packages of the Python that runs this, and is removed with the job's directory of work.
"""

import re
import shlex
import site
import sys
import tempfile
from pathlib import Path

_PIP = '#!/bin/sh\nexec {python} -m pip "$@"\n'


_INSTALLS = re.compile(r"\bpip3?\b")


def taking(command: str, work: Path | None) -> list[str]:
    """Return the lines to run before `command`; `work` is the job's own directory, None in a container."""
    if work is None or not _INSTALLS.search(command):
        return []
    words = shlex.join(["python", "-P", __file__, str(work / "python")])
    return [f'own="$({words})" || exit 1; eval "$own"; unset own']


def main(directory: str) -> None:
    Path(directory).mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix="python-", dir=directory))
    _create(place)
    programs, path = shlex.quote(str(place / "bin")), '"${PATH:+:$PATH}"'
    print(  # noqa: T201  for the shell that started it
        f"export PATH={programs}{path} VIRTUAL_ENV={shlex.quote(str(place))} PIP_USER=0; unset PIP_TARGET PIP_PREFIX"
    )


def _create(place: Path) -> None:
    """Make a venv without pip; a .pth file adds the packages of this Python, its pip among them, behind its own."""
    import venv

    venv.EnvBuilder(symlinks=True).create(place)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folders = site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
    lines = "".join(f"import site; site.addsitedir({folder!r})\n" for folder in folders)
    (place / "lib" / version / "site-packages" / "_emulator.pth").write_text(lines)
    for name in ("pip", "pip3"):  # else those of this Python would be found, which install beside themselves
        program = place / "bin" / name
        program.write_text(_PIP.format(python=shlex.quote(str(place / "bin" / "python"))))
        program.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
