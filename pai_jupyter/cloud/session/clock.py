"""Measure the clock difference to the cloud. Requests dated more than 15 minutes off are rejected."""

import time
from email.utils import parsedate_to_datetime

import httpx

from pai_jupyter.cloud.client import Endpoints, aiworkspace
from pai_jupyter.errors import ProtocolError, UnavailableError

_PATIENCE = 5.0  # seconds


def clock_skew(endpoints: Endpoints) -> float:
    """Return the seconds by which the service's clock is ahead. Needs no key: rejections have a date, too.

    Raises:
        UnavailableError: it does not answer.
        ProtocolError: its answer has no date.
    """
    url = endpoints.base_url(aiworkspace.SERVICE.origin)
    try:
        with httpx.Client(timeout=_PATIENCE, trust_env=not endpoints.is_local) as http:
            answer = http.get(url, headers={"x-acs-version": aiworkspace.SERVICE.version})
    except (httpx.HTTPError, OSError, ValueError, ImportError) as exc:  # the last three: invalid proxy variables
        raise UnavailableError(f"{url} does not answer: {type(exc).__name__}.") from None
    try:
        return parsedate_to_datetime(answer.headers.get("date", "")).timestamp() - time.time()
    except (ValueError, OverflowError) as exc:
        raise ProtocolError(f"{url} has no date in its answer. Check the proxy: HTTPS_PROXY, NO_PROXY.") from exc
