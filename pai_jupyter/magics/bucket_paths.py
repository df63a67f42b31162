"""Tab completion of `oss://` addresses, the only completion that uses the network.

Rule: it takes at most `WITHIN` seconds, and offers nothing after that or on an error: typing must not wait for a network.
"""

import threading
from itertools import islice

from pai_jupyter.errors import PaiJupyterError

WITHIN = 1.0  # seconds
MOST = 200  # names


def bucket_paths(word: str) -> list[str]:
    """Return addresses that begin with `word`: the session's bucket, or entries of the directory typed so far."""
    from pai_jupyter.cloud.session import get_default_session  # late: %load_ext must not load cloud libraries

    try:
        session = get_default_session()
        if session is None:
            return []
        if not word.startswith("oss://") or "/" not in word.removeprefix("oss://"):
            return [session.uri("")] if session.oss_bucket_name else []  # without a request
    except PaiJupyterError:
        return []
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.extend(_listed(word)), daemon=True)
    asking.start()
    asking.join(WITHIN)
    return list(found)


def _listed(word: str) -> list[str]:
    from pai_jupyter.cloud.session import need_session
    from pai_jupyter.storage import open_storage

    above, _, begun = word.rpartition("/")
    try:
        session = need_session()
        storage = open_storage(
            f"{above}/", credentials=session.credentials, endpoint=session.oss_endpoint, region=session.region_id
        )
        entries = list(islice(storage.list(begun), MOST))
    except PaiJupyterError:
        return []
    return [f"{above}/{entry.key}" for entry in entries if entry.key.isprintable() and " " not in entry.key]
