"""A Python environment of a job's own, for packages that its command installs.

    taking(command, work)                 shell lines to run before a command that installs packages
    python own_python.py DIRECTORY        create an environment below it and print the shell line that activates it

On PAI a job runs in a container, so `pip install` affects only that. In a local process it would change the user's own
Python, which runs the emulator. So each replica creates an environment, as each pod has a container; it sees the packages of
this Python, and is deleted with the job's work directory. As a script this module uses only the standard library.
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
    print(  # noqa: T201  read by the shell that started it
        f"export PATH={programs}{path} VIRTUAL_ENV={shlex.quote(str(place))} PIP_USER=0; unset PIP_TARGET PIP_PREFIX"
    )


def _create(place: Path) -> None:
    """Create a venv without pip; a .pth file adds the packages of this Python, with its pip, after the venv's own."""
    import venv

    venv.EnvBuilder(symlinks=True).create(place)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folders = site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
    lines = "".join(f"import site; site.addsitedir({folder!r})\n" for folder in folders)
    (place / "lib" / version / "site-packages" / "_emulator.pth").write_text(lines)
    for name in ("pip", "pip3"):  # otherwise this Python's scripts would be found, which install into it
        program = place / "bin" / name
        program.write_text(_PIP.format(python=shlex.quote(str(place / "bin" / "python"))))
        program.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
