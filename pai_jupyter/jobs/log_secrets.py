"""Mask secrets in what is shown of a job's log. `Job.logs` and the log's file have it as the job has printed it.

Masked are what has the form of a secret, the secrets that are loaded in this process, and values of the job that are secrets:
hyperparameters, and variables, whose values its record does not have. Those are known to the process that submitted the job, and
where this process's own environment has a variable of that name (`--pass-env`).

Rule: nothing here is written anywhere.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from pai_jupyter.config import loaded_secrets
from pai_jupyter.contract import secret_values
from pai_jupyter.contract.masking import output_masker
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import MASKED, JobFolder

_submitted: dict[str, list[str]] = {}  # id of a job of this process -> values of its variables that are secrets


def note_variables(job_id: str, spec: JobSpec) -> None:
    """Remember the secret variables of a job, as long as this process lives."""
    if values := secret_values(spec.environments):
        _submitted[job_id] = values


def log_masker(folder: JobFolder) -> Callable[[str], str]:
    """Return what masks the secrets in a line of this job's log, or in a short text with such words."""
    return output_masker({*loaded_secrets(), *_submitted.get(folder.id, ()), *_recorded(folder)})


def _recorded(folder: JobFolder) -> Iterator[str]:
    """Yield the secrets that the job's record has, or names."""
    with suppress(PaiJupyterError):  # it is damaged, and the log may still be read
        spec = folder.record.spec
        yield from secret_values(spec.hyperparameters)
        yield from (os.environ.get(name, "") for name, value in spec.environments.items() if value == MASKED)
