"""The source of a custom job, packed once when the component is made: `$PAI_JUPYTER_HOME/workflow/packages/<digest>.tar.gz`.

The same source gives the same file. It stays, for manifests name it; PAI gets a copy in the bucket when it is to run there.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter import contract, package
from pai_jupyter.config import loaded_secrets
from pai_jupyter.estimator.source import code_origin, read_entry_point
from pai_jupyter.jobs.provenance import CodeRecording, keep_code
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import make_folder, translated
from pai_jupyter.store.scratch import Scratch

if TYPE_CHECKING:
    from pai_jupyter.estimator import CustomJob


@dataclass(frozen=True, kw_only=True)
class PackedSource:
    """Where the source is, a path or an oss:// address, and the script in it."""

    source: str
    entry_point: str


def pack_source(job: "CustomJob") -> PackedSource:
    """Pack the source of a job.

    Raises:
        SpecError: the script is not there. PackageError: the source cannot be packed.
    """
    script = read_entry_point(job.entry_point, job.source_code, inputs={})
    if script is None:
        return PackedSource(source=str(job.source_code), entry_point=job.entry_point)
    directory = None if job.source_code is None else Path(job.source_code).expanduser()
    alone = {script.name: script.content} if directory is None else {}
    own = [value for name, value in job.environments.items() if contract.is_secret(name, value)]
    home = JobStore().home
    secrets = [*loaded_secrets(), *own]
    code = CodeRecording(code_origin(job.entry_point, job.source_code), secrets)
    with Scratch(home) as scratch:
        packed = package.build(directory, to=scratch.path / "source.tar.gz", files=alone, secrets=secrets, without=home)
        kept = keep_package(packed, code)
    return PackedSource(source=str(kept), entry_point=script.name if directory is None else job.entry_point)


def keep_package(packed: package.Package, code: CodeRecording) -> Path:
    """Move a package to those that are kept, and write down beside it where its code is from."""
    kept = packages_folder() / f"{packed.digest.rpartition(':')[2][:32]}.tar.gz"
    with translated(kept.parent):
        make_folder(kept.parent)
        packed.path.replace(kept)
    keep_code(kept, code.result())
    return kept


def packages_folder() -> Path:
    """Return where packed sources are kept."""
    return JobStore().home / "workflow" / "packages"
