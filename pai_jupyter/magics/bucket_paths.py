"""Tab completion of `oss://` addresses and of paths in HDFS, the only completion that uses the network.

Rule: it takes at most `WITHIN` seconds, and offers nothing after that or on an error: typing must not wait for a network.
"""

import threading
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from pai_jupyter.errors import PaiJupyterError

if TYPE_CHECKING:
    from pai_jupyter.storage import Storage

WITHIN = 1.0  # seconds
MOST = 200  # names


def bucket_paths(word: str) -> list[str]:
    """Return addresses that begin with `word`: the session's bucket, or entries of the directory typed so far."""
    from pai_jupyter.cloud.session import (  # late: %load_ext must not load cloud libraries
        get_default_session,
        need_session,
    )

    try:
        session = get_default_session()
        if session is None:
            return []
        if not word.startswith("oss://") or "/" not in word.removeprefix("oss://"):
            return [session.uri("")] if session.oss_bucket_name else []  # without a request
    except PaiJupyterError:
        return []
    return _within(lambda: _listed(word, need_session().open_storage))


def hdfs_paths(word: str) -> list[str]:
    """Return paths in HDFS that begin with `word`: those of the directory typed so far, or the HDFS that is set."""
    from pai_jupyter.jobs.job_files import file_session  # late, as above

    try:
        session = file_session()
        is_set = bool(session.access.host)
        if "/" not in word.removeprefix("hdfs://"):
            return [session.uri()] if is_set else []  # without a request
    except PaiJupyterError:
        return []
    if word.startswith("hdfs://"):
        return _within(lambda: _listed(word, session.open_storage))
    if not word.startswith("/") or not is_set:
        return []
    root = session.uri().removesuffix("/")
    return [found.removeprefix(root) for found in _within(lambda: _listed(root + word, session.open_storage))]


def _within(ask: Callable[[], list[str]]) -> list[str]:
    """Return what `ask` finds in time."""
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.extend(ask()), daemon=True)
    asking.start()
    asking.join(WITHIN)
    return list(found)


def _listed(word: str, opened: "Callable[[str], Storage]") -> list[str]:
    above, _, begun = word.rpartition("/")
    try:
        entries = list(islice(opened(f"{above}/").list(begun), MOST))
    except PaiJupyterError:
        return []
    return [f"{above}/{entry.key}" for entry in entries if entry.key.isprintable() and " " not in entry.key]
