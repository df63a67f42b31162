"""This notebook's place in the cloud or the emulator: region, workspace, bucket, keys.

    session    `Session`: the values, and requests with them
    default    the session of this kernel: from the layers of `config`, or set by a cell
    keys       which key is used: this kernel's, the emulator's, a profile's, this machine's
    site       where a recorded job is
    asking     run a coroutine from synchronous code
    persist    save values in the official SDK's file, without keys
    literal    the warning about a key in a cell's text

Rule 1: creating a session uses no network and loads no cloud library; the first request does.
Rule 2: no key is written or shown; its owner and origin may be shown.
Rule 3: a session is immutable. Later configuration gives another session; running jobs keep theirs.
"""

from pai_jupyter.cloud.session.default import get_default_session, need_session, session_for, setup_default_session
from pai_jupyter.cloud.session.session import Session
from pai_jupyter.cloud.session.site import Site

__all__ = ["Session", "Site", "get_default_session", "need_session", "session_for", "setup_default_session"]
