"""Where this notebook stands in the cloud, or at the emulator: region, workspace, bucket, keys.

    session    `Session`: the values, and what is asked with them
    default    the session of this kernel: found by the layers of `config`, or set up by a cell
    keys       which key is asked with: of this kernel, of the emulator, of a profile, of this machine
    asking     from code that cannot wait to code that must
    persist    what is kept for next time, as the official SDK keeps it: no key
    literal    the warning about a key that stands in a cell

Rule 1: to find a session touches no network and loads no cloud library; the first question does.
Rule 2: no key is written anywhere here, and none is shown: who it belongs to and where it came from may be.
Rule 3: a session is a value. What was configured later gives another one; jobs under way keep theirs.
"""

from pai_jupyter.cloud.session.default import get_default_session, need_session, session_for, setup_default_session
from pai_jupyter.cloud.session.session import Session

__all__ = ["Session", "get_default_session", "need_session", "session_for", "setup_default_session"]
