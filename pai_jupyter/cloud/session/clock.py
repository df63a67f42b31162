"""How far the cloud's clock is from this computer's. A request that is dated wrong by 15 minutes is refused."""

import time
from email.utils import parsedate_to_datetime

import httpx

from pai_jupyter.cloud.client import Endpoints, aiworkspace
from pai_jupyter.errors import ProtocolError, UnavailableError

_PATIENCE = 5.0  # seconds


def clock_skew(endpoints: Endpoints) -> float:
    """Return the seconds by which the service's clock is ahead. No key is needed: refusals carry a date too.

    Raises:
        UnavailableError: it does not answer.
        ProtocolError: its answer has no date.
    """
    url = endpoints.base_url(aiworkspace.SERVICE.origin)
    try:
        with httpx.Client(timeout=_PATIENCE, trust_env=not endpoints.is_local) as http:
            answer = http.get(url, headers={"x-acs-version": aiworkspace.SERVICE.version})
    except (httpx.HTTPError, OSError, ValueError, ImportError) as exc:  # the last three: what proxy variables may hold
        raise UnavailableError(f"{url} does not answer: {type(exc).__name__}.") from None
    try:
        return parsedate_to_datetime(answer.headers.get("date", "")).timestamp() - time.time()
    except (ValueError, OverflowError) as exc:
        raise ProtocolError(f"{url} says no time in its answer. Something stands in between.") from exc
