"""Tab on an `oss://` address. The one completion that asks a network: whoever types an address wants to know what is there.

Rule: it has a second, and gives nothing when that is over or anything goes wrong. A cell must not wait for a network.
"""

import threading
from itertools import islice

from pai_jupyter.errors import PaiJupyterError

WITHIN = 1.0  # seconds
MOST = 200  # names


def bucket_paths(word: str) -> list[str]:
    """Addresses that begin with `word`: the session's bucket, or what is in the directory that it has got to."""
    from pai_jupyter.cloud.session import get_default_session  # late: %load_ext costs no cloud library

    try:
        session = get_default_session()
        if session is None:
            return []
        if not word.startswith("oss://") or "/" not in word.removeprefix("oss://"):
            return [session.uri("")] if session.oss_bucket_name else []  # asking which it is would take longer
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
