"""Build the environment of a job; a script that the supervisor runs, with the standard library only.

    python install.py ENVIRONMENT REASON-FILE REQUIREMENTS-FILE...

The environment is a venv without pip that also sees the packages of the running Python. pip, or else uv, installs into it from
outside. An interrupted build has no completion mark and is built anew.
"""

import fcntl
import os
import shutil
import site
import subprocess
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = "complete"


def is_complete(environment: Path) -> bool:
    return (environment / _MARK).exists()


def main(arguments: Sequence[str]) -> int:
    """Build the environment unless it is complete; return the installer's exit code."""
    environment, reason_file = Path(arguments[0]), Path(arguments[1])
    environment.parent.mkdir(parents=True, exist_ok=True)
    with _alone(environment.with_suffix(".lock")):
        if is_complete(environment):
            return 0
        shutil.rmtree(environment, ignore_errors=True)
        _create(environment)
        code, last_error = _install(environment, arguments[2:])
        if code:
            reason_file.write_text(f"requirements.txt could not be installed: {last_error}", encoding="utf-8")
            shutil.rmtree(environment, ignore_errors=True)
            return code
        (environment / _MARK).touch()
        return 0


@contextmanager
def _alone(lock: Path) -> "Iterator[None]":
    """Hold `lock`, which the system releases if the builder dies."""
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another job that installs the same requirements")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _create(environment: Path) -> None:
    """Create a venv without pip; a .pth file adds the packages of this Python after its own."""
    import venv

    venv.EnvBuilder(symlinks=True).create(environment)
    folders = site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    pth = environment / "lib" / version / "site-packages" / "_kernel.pth"
    # addsitedir, so that .pth files of those packages (editable installs) also apply
    pth.write_text("".join(f"import site; site.addsitedir({folder!r})\n" for folder in folders))


def _install(environment: Path, files: Sequence[str]) -> tuple[int, str]:
    """Run the installer, echo its output, and return its exit code and last error."""
    command = _installer(environment / "bin" / "python")
    if command is None:
        return 1, "this Python has neither pip nor uv. Type: python -m ensurepip"
    settings = {name: value for name, value in os.environ.items() if name not in ("PIP_TARGET", "PIP_PREFIX")}
    settings |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    words = [*command, *(word for file in files for word in ("-r", file))]
    last_error = ""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=settings) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            text = line.decode(errors="replace").strip()
            if text.lower().startswith("error"):
                last_error = text.partition(":")[2].strip() or text
    return process.returncode, last_error or f"exit code {process.returncode}"


def _installer(python: Path) -> list[str] | None:
    if find_spec("pip"):
        options = ["--disable-pip-version-check", "--no-input"]
        return [sys.executable, "-m", "pip", *options, "--python", str(python), "install"]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "--python", str(python)] if uv else None


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the log of the job


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
