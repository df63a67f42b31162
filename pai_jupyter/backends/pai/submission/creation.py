"""Create exactly one service job per job, even if answers are lost.

CreateTrainingJob has no idempotency token. So every job has a unique label, and after a lost answer or a crash the job is
looked up by it before another one is created.

Rule 1: a new job may be missing from lists for a moment, so the lookup is repeated.
Rule 2: if the caller is cancelled during the call, the created job is stopped.
Rule 3: from the first lost answer until a list was read, the outcome is unknown. Any error meanwhile (of the list, another try,
    the stop) is an `UncertainError`, never "not created".
"""

import asyncio
import time
from collections.abc import Mapping

from pai_jupyter.backends.pai.services.job import LABEL, Attempt, unknown
from pai_jupyter.backends.pai.services.job_service import JobService
from pai_jupyter.backends.pai.services.status_map import objects
from pai_jupyter.backends.pai.services.status_poller import MARGIN
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError, UnavailableError, UncertainError
from pai_jupyter.spec import Json

PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0)  # seconds before each lookup of a job that may have been created
FRESH = 60.0  # seconds for which a new job may be missing from lists
TRIES = 3


async def create(service: JobService, body: Mapping[str, Json], *, job_id: str) -> str:
    """Create the job and return the service's id.

    Raises:
        UncertainError: it may have been created; or it was, although the caller was cancelled.
        PaiJupyterError: it was not created.
    """
    work = asyncio.ensure_future(_create(service, body, job_id=job_id))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await _take_back(service, work)
        raise


async def find(service: JobService, attempt: Attempt, *, job_id: str) -> str:
    """Return the service's id of the job that an earlier attempt created.

    Raises:
        NotFoundError: it was never created.
        PaiJupyterError: the service returned no list, so the outcome is unknown.
    """
    pauses = PAUSES if attempt.age < FRESH else PAUSES[:1]
    found = await _look_for(service, job_id, since=attempt.time, pauses=pauses)
    if found is None:
        raise unknown(job_id)
    return found


async def _create(service: JobService, body: Mapping[str, Json], *, job_id: str) -> str:
    started, doubt = time.time(), None
    for _ in range(TRIES):
        try:
            return await service.create(body)
        except (UncertainError, ProtocolError) as exc:
            doubt = exc
        except PaiJupyterError as exc:
            if doubt is None:
                raise
            raise _uncertain(doubt, exc) from exc
        except asyncio.CancelledError:  # the whole thread ends and cannot wait for the answer
            raise UncertainError("the submission was broken off. It may have been carried out all the same.") from None
        try:
            found = await _look_for(service, job_id, since=started, pauses=PAUSES)
        except (PaiJupyterError, asyncio.CancelledError) as exc:
            raise _uncertain(doubt, exc) from exc
        if found is not None:
            return found
    assert doubt is not None, "the last try returns or leaves a doubt"
    raise _uncertain(doubt, None) from doubt


async def _take_back(service: JobService, work: "asyncio.Future[str]") -> None:
    """Stop the job that `work` has created, if any."""
    try:
        made = await work
    except UncertainError:
        raise
    except PaiJupyterError:  # it was not created
        return
    try:
        await service.stop(made)
    except PaiJupyterError as exc:
        raise UncertainError(f"the job was created and could not be stopped: {exc}") from exc


def _uncertain(doubt: PaiJupyterError, then: BaseException | None) -> UncertainError:
    """Build the error for a call with unknown outcome: what was lost and why the lookup failed."""
    if then is None and isinstance(doubt, UncertainError):
        return doubt
    why = f" Looking for it failed: {then}" if isinstance(then, PaiJupyterError) else ""
    lost = str(doubt) if isinstance(doubt, UncertainError) else f"{doubt} It may have been carried out all the same."
    return UncertainError(f"{lost}{why}")


async def _look_for(service: JobService, job_id: str, *, since: float, pauses: tuple[float, ...]) -> str | None:
    """Return the service's id of the job labelled with our id, or None if no try finds it."""
    for pause in pauses:
        await asyncio.sleep(pause)
        try:
            async for jobs in service.labelled(LABEL, job_id, since - MARGIN):
                for fields in jobs:
                    # a service that ignored the filter would return another job
                    labels = objects(fields, "Labels")
                    if any((each.get("Key"), each.get("Value")) == (LABEL, job_id) for each in labels):
                        return str(fields["TrainingJobId"])
        except NotFoundError as exc:  # an error of the list (workspace, proxy) says nothing about the job
            raise UnavailableError(f"its jobs cannot be listed: {exc}", code=exc.code) from exc
    return None
