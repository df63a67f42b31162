"""The same job again, with other values: same package, same place, a new id.

The package of the first job is the source. Where a changed value is written into the script (a hyperparameter declared
by an assignment), the script is taken from it, changed on that line and packed anew.
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.place import Place
from pai_jupyter.jobs.script import read_script_file
from pai_jupyter.jobs.submit import draft
from pai_jupyter.package import unpack
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import MASKED


def rerun(job: Job, values: Mapping[str, object] | None = None) -> Job:
    """Submit `job` again, its hyperparameters overlaid by `values`.

    Raises:
        SpecError: a value does not fit, or a secret variable of the first job is not set any more.
    """
    record = job.folder.record
    packed = job.folder.path / "package.tar.gz"
    if not packed.is_file():
        raise NotFoundError(f"the package of job {job.id} is gone. Run its cell again: %pai_attach {job.id} --source")
    with tempfile.TemporaryDirectory(prefix="pai-rerun-") as scratch:
        source = Path(scratch) / "source"
        unpack(packed, source)
        spec = _unmask(replace(record.spec, source_dir=source, hyperparameters=dict(record.spec.hyperparameters)), job)
        files: dict[str, bytes] = {}
        if record.entry_point and values:
            script = read_script_file(source, record.entry_point, inputs=spec.inputs, outputs=spec.outputs)
            spec, files = script.apply(spec, {**record.spec.hyperparameters, **values})
        elif values:
            spec = replace(spec, hyperparameters={**spec.hyperparameters, **_plain(values)})
        place = Place(backend=record.backend, reason=f"as job {job.id}")
        with draft(
            spec, place, overlay=files, allow_large=True, cell=record.cell, notebook=record.notebook, entry_point=record.entry_point
        ) as ready:
            ready.spec = replace(spec, source_dir=record.spec.source_dir)
            return ready.submit()


def _plain(values: Mapping[str, object]) -> dict[str, bool | int | float | str | None]:
    """Values for a job with no script to check them against: text stays text."""
    return {name: value if isinstance(value, bool | int | float | str) else str(value) for name, value in values.items()}


def _unmask(spec: JobSpec, job: Job) -> JobSpec:
    """Give masked variables (secrets are never recorded) the values of this process's environment."""
    environments = dict(spec.environments)
    for name, value in environments.items():
        if value != MASKED:
            continue
        if name not in os.environ:
            raise SpecError(
                f"job {job.id} was given the variable {name}, whose value is not recorded because it may be a secret. "
                f"Set it in this process first, e.g. os.environ[{name!r}] = getpass.getpass().",
                field="environments",
            )
        environments[name] = os.environ[name]
    return replace(spec, environments=environments)
