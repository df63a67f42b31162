"""Install a job's Python packages in a disposable environment on top of the kernel's, which never changes.

The environment's path is `<home>/cache/environments/<digest>`: the same requirements with the same kernel packages are
installed once. The supervisor builds it (see `install`), so that the installer's output is in the job's log; jobs with the same
environment wait for each other.
"""

import hashlib
import json
import re
import site
import sys
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.backends.local import LocalTree
from pai_jupyter.backends.process import install
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec

# A line that refers to a file: its content matters, so the digest includes the whole package.
_FILES = re.compile(
    r"^\s*(-[rce]\b|--requirement|--constraint|--editable|--find-links|[./~]|file:)|@\s*file:", re.MULTILINE
)


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The environment of a job, which exists once `build` has run."""

    folder: Path
    build: tuple[str, ...]  # the command that creates it
    is_built: bool

    @property
    def variables(self) -> dict[str, str]:
        return {"VIRTUAL_ENV": str(self.folder)}

    @property
    def programs(self) -> Path:
        """The directory of its `python`."""
        return self.folder / "bin"


def environment_for(spec: JobSpec, package: Package, tree: LocalTree, *, home: Path) -> Environment | None:
    """Write the job's requirements and return its environment; None if it needs no packages."""
    files = []
    if spec.requirements:
        files.append(tree.folder / "run" / "requirements.txt")
        files[0].write_text("".join(f"{line}\n" for line in spec.requirements))
    if (tree.root / "usercode" / "requirements.txt").is_file():
        files.append(tree.root / "usercode" / "requirements.txt")
    text = "\n".join(file.read_text(encoding="utf-8", errors="surrogateescape") for file in files)
    if not re.search(r"^\s*[^#\s]", text, re.MULTILINE):
        return None
    content = [text, package.digest if _FILES.search(text) else "", sys.version, sys.prefix, _kernel_packages()]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
    folder = home / "cache" / "environments" / digest
    reason = tree.folder / "run" / "preparation_failed"
    return Environment(
        folder=folder,
        build=(sys.executable, "-u", str(Path(install.__file__)), str(folder), str(reason), *map(str, files)),
        is_built=install.is_complete(folder),
    )


def _kernel_packages() -> list[str]:
    """List names and versions of the kernel's packages, on which the environment depends."""
    folders = [Path(folder) for folder in (*site.getsitepackages(), site.getusersitepackages())]
    return sorted(entry.name for folder in folders if folder.is_dir() for entry in folder.glob("*.dist-info"))
