"""The acts that may block: each runs in a thread of the driver, and returns what the driver's own thread then writes down.

    prepare   the builder makes a job of the step     submit   that job is submitted, under the id that is journalled
    collect   the builder reads what the job gave     end      a job is stopped, or what a lost one has left running

Rule 1: nothing here touches the journal or the fold.
Rule 2: a service that does not answer and a full disk are waited for (`Postponed`), a key that it takes as well (`Denied`); anything
    else ends the try with its sentence, a permission that the key lacks included: whoever gives it runs the step again.
"""

import logging
import os
import re
import shutil
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from pai_jupyter.backends import StopsRemoved, get_backend
from pai_jupyter.backends.local import with_few_gpus
from pai_jupyter.errors import (
    AuthError,
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    SpecError,
    UnavailableError,
    cause_of,
)
from pai_jupyter.jobs import Job, Target, draft
from pai_jupyter.jobs.provenance import kept_code
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.runs.acts import CollectOutputs, StartTry
from pai_jupyter.runs.inputs import note_inputs
from pai_jupyter.runs.outcomes import Collected, Denied, Ended, Outcome, Postponed, Prepared, Refused, Submitted
from pai_jupyter.runs.plan import Given, JobBuilder, JobRequest
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobFolder

MAX_NAME = 100  # characters of a job's name
_log = logging.getLogger(__name__)


def prepare(folder: RunFolder, act: StartTry, job_id: str) -> Outcome:
    """Have the builder make a job of the step."""
    try:
        note_inputs(folder, job_id, act.artifacts)
        request = builder_of(act.body.builder).prepare(
            act.body, _given(act), job_id=job_id, run_folder=folder.path, environment=dict(os.environ)
        )
    except (LimitExceededError, UnavailableError) as exc:
        return Postponed(step=act.step, job_id=job_id, reason=str(exc))
    except Exception as exc:  # noqa: BLE001  a builder's code: the step fails, the run goes on
        kind = Denied if _wants_key(exc) else Refused
        return kind(step=act.step, job_id=job_id, reason=_sentence(exc))
    return Prepared(step=act.step, job_id=job_id, request=request)


def submit(folder: RunFolder, prepared: Prepared) -> Outcome:
    """Submit the job; what is not known to have been started is left to those who follow it."""
    step, job_id, request = prepared.step, prepared.job_id, prepared.request
    record = folder.record
    try:
        with draft(
            _spec(request, job_name(record.plan.name, step)),
            _target(request),
            package=request.package,
            overlay=request.changed,
            job_id=job_id,
            run=folder.id,
            step=step,
            origin=kept_code(request.package),
            cell=record.cell or None,
            notebook=record.notebook or None,
        ) as ready:
            notes = (*request.notes, *ready.notes)
            ready.submit(is_forced=True, progress_callback=lambda text: None)
    except (LimitExceededError, UnavailableError) as exc:
        return Postponed(step=step, job_id=job_id, reason=str(exc))
    except Exception as exc:  # noqa: BLE001  a backend's code: the step fails, the run goes on
        kind = Denied if _wants_key(exc) else Refused
        return kind(step=step, job_id=job_id, reason=_sentence(exc))
    return Submitted(step=step, job_id=job_id, notes=notes)


def _spec(request: JobRequest, name: str) -> JobSpec:
    """Return the spec of the job: with GPUs of its own, since steps run side by side."""
    spec = replace(request.spec, name=name)
    return with_few_gpus(spec) if get_backend(request.backend).info.is_local else spec


def job_name(run: str, step: str) -> str:
    """Return the name of the job of a step, `run.step`; of a long one its end, which tells steps apart."""
    name = re.sub(r"[\x00-\x1f/\\]", "-", f"{run}.{step}")
    return name if len(name) <= MAX_NAME else f"…{name[1 - MAX_NAME :]}"


def collect(folder: RunFolder, act: CollectOutputs) -> Outcome:
    """Have the builder read what the job has given."""
    try:
        outputs = builder_of(act.body.builder).collect(act.body, _given(act), job_id=act.job_id, run_folder=folder.path)
    except (LimitExceededError, UnavailableError) as exc:
        return Postponed(step=act.step, reason=str(exc))
    except Exception as exc:  # noqa: BLE001  as in `prepare`
        if _wants_key(exc):
            return Denied(step=act.step, job_id=act.job_id, reason=str(exc), has_job=True)
        return Collected(step=act.step, job_id=act.job_id, reason=_sentence(exc))
    return Collected(step=act.step, job_id=act.job_id, outputs=outputs)


def end(step: str, folder: JobFolder | None, job_id: str, *, is_lost: bool) -> Outcome:
    """Stop a job, or end what a lost one has left running."""
    try:
        if is_lost and folder is not None:
            backend = get_backend(folder.record.backend)
            if isinstance(backend, StopsRemoved):
                runtime().run(backend.stop_removed(job_id))
        elif folder is not None:
            Job(folder).stop()
    except NotFoundError:
        return Ended(step=step, job_id=job_id, is_lost=is_lost, is_gone=not is_lost)
    except PaiJupyterError as exc:
        return Postponed(step=step, reason=str(exc))
    return Ended(step=step, job_id=job_id, is_lost=is_lost, is_gone=folder is None and not is_lost)


def clear_unmade(path: Path) -> None:
    """Delete the folder of a job whose record was never written: its submitter was killed."""
    if path.is_dir() and not (path / "job.json").exists():
        shutil.rmtree(path, ignore_errors=True)


@cache
def builder_of(address: str) -> JobBuilder:
    """Return the builder at "module:name", an object or a class of them.

    Raises:
        SpecError: there is none.
    """
    module, _, name = address.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as exc:
        raise SpecError(
            f"what makes jobs of this step, {address!r}, is not installed here: {cause_of(exc)}. Install the same version "
            "of pai_jupyter that has started the run."
        ) from exc
    return cast(JobBuilder, found() if isinstance(found, type) else found)


def _given(act: StartTry | CollectOutputs) -> Given:
    return Given(parameters=act.parameters, artifacts=act.artifacts)


def _target(request: JobRequest) -> Target:
    reason = request.place.partition("(")[2].removesuffix(")")
    is_emulated = request.place.startswith("emulator")
    return Target(backend=request.backend, reason=reason or request.place or "asked for", is_emulated=is_emulated)


def _wants_key(exc: Exception) -> bool:
    return isinstance(exc, AuthError) and exc.is_about_key


def _sentence(exc: Exception) -> str:
    if isinstance(exc, PaiJupyterError):
        return str(exc)
    _log.error("%s", cause_of(exc), exc_info=exc)
    return cause_of(exc)
