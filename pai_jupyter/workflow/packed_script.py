"""The script in the packed code of a custom job: it says how its values reach it, as for `CustomJob.local_run`.

A flag is `--verbose` or nothing, a list is several words, and what an assignment declares is written into the job's copy.
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter import package
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Script, read_script_file
from pai_jupyter.spec import JobSpec, Json

_MOST = 64  # scripts that are kept
_known: dict[tuple[object, ...], Script] = {}


def with_script(
    spec: JobSpec, values: Mapping[str, Json], *, packed: Path | None, entry_point: str
) -> tuple[JobSpec, dict[str, bytes]]:
    """Return the spec with the values as the script takes them, and the files that they change.

    The spec stays as it is where the script is not here, or is no Python.

    Raises:
        SpecError: a value does not fit the script's declaration, or it is not in the code.
        PackageError: the code is damaged.
    """
    if packed is None or not entry_point.endswith(".py") or not packed.is_file():  # a job without code says so
        return spec, {}
    # as for an earlier job's: other clients make components whose scripts do not declare all that they are given
    return _script(packed, entry_point, tuple(spec.inputs)).apply(spec, values, recorded=values)


def _script(packed: Path, entry_point: str, inputs: tuple[str, ...]) -> Script:
    """Read it once per process and state of the file, since a loop starts many jobs with one archive."""
    status = packed.stat()
    mark = (os.path.realpath(packed), status.st_ino, status.st_size, status.st_mtime_ns, entry_point, inputs)
    if mark not in _known:
        with tempfile.TemporaryDirectory(prefix="pai_jupyter-") as folder:
            source = Path(folder) / "source"
            package.unpack(packed, source, allow_large=True)
            if not (source / entry_point).is_file():
                raise SpecError(
                    f"its packed code has no script {entry_point!r}. Make the component anew: job.as_component(...)",
                    field="entry_point",
                )
            _known[mark] = read_script_file(source, entry_point, inputs=inputs)
        while len(_known) > _MOST:
            _known.pop(next(iter(_known)))
    return _known[mark]
