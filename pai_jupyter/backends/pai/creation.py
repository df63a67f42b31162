"""Making one job of the service for one job of ours, whatever gets lost on the way.

CreateTrainingJob knows no token by which the service itself could tell that it was asked before. So every job carries a
label that only it has, and after an answer that was lost, or a crash, the job is looked for before another one is made.

Rule 1: what was just made may be missing from a list for a moment: after doubt, it is looked for several times.
Rule 2: a caller that is cancelled while the call is under way leaves no job behind: what was made is stopped.
"""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress

from pai_jupyter.backends.pai.board import MARGIN
from pai_jupyter.backends.pai.job import LABEL, Attempt, unknown
from pai_jupyter.backends.pai.service import Service
from pai_jupyter.backends.pai.words import objects
from pai_jupyter.cloud.client import UncertainError
from pai_jupyter.errors import PaiJupyterError, ProtocolError
from pai_jupyter.spec import Json

PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0)  # seconds before each look for a job that may have been made
FRESH = 60.0  # seconds for which a job that was made may be missing from lists
TRIES = 3


async def create(service: Service, body: Mapping[str, Json], *, job_id: str) -> str:
    """Make the job and give the service's id of it.

    Raises:
        PaiJupyterError: it was not made; or, as an UncertainError, nobody knows.
    """
    work = asyncio.ensure_future(_create(service, body, job_id=job_id))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        with suppress(PaiJupyterError):
            await service.stop(await work)
        raise


async def find(service: Service, attempt: Attempt, *, job_id: str) -> str:
    """The service's id of the job of an earlier attempt.

    Raises:
        NotFoundError: it was never made.
    """
    pauses = PAUSES if attempt.age < FRESH else PAUSES[:1]
    found = await _look_for(service, job_id, since=attempt.time, pauses=pauses)
    if found is None:
        raise unknown(job_id)
    return found


async def _create(service: Service, body: Mapping[str, Json], *, job_id: str) -> str:
    started = time.time()
    for tries in range(1, TRIES + 1):
        try:
            return await service.create(body)
        except (UncertainError, ProtocolError):
            found = await _look_for(service, job_id, since=started, pauses=PAUSES)
            if found is not None:
                return found
            if tries == TRIES:
                raise
    raise AssertionError("the last try returns or raises")


async def _look_for(service: Service, job_id: str, *, since: float, pauses: tuple[float, ...]) -> str | None:
    """The service's id of the job with our label, or None when it has not turned up."""
    for pause in pauses:
        await asyncio.sleep(pause)
        async for jobs in service.labelled(LABEL, job_id, since - MARGIN):
            for fields in jobs:
                # a service that did not understand the filter would give us somebody else's job
                if any((each.get("Key"), each.get("Value")) == (LABEL, job_id) for each in objects(fields, "Labels")):
                    return str(fields["TrainingJobId"])
    return None
