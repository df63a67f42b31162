"""Decide a race: either a job is given up, or its late supervisor starts; never both.

Both create run/supervisor.json by a link, which fails if the other was first. So a job recorded as never started never starts:
a late supervisor finds the file and exits without running anything.
"""

import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store.disk import read_plain
from pai_jupyter.typed_json import Fields

GIVEN_UP = "given_up"


def give_up(folder: Path) -> bool:
    """Prevent any later supervisor in `folder`; return False if one has started.

    Raises:
        OSError: it cannot be prevented, e.g. on a full disk.
    """
    run = folder / "run"
    if not run.is_dir():
        return True  # created before a supervisor is started
    draft = run / f"supervisor.{os.getpid()}.{threading.get_ident()}"
    record = {"pid": 0, "birth": "", "began": time.time(), "replicas": [], GIVEN_UP: True}
    try:
        draft.write_text(json.dumps(record))
        os.link(draft, run / "supervisor.json")
    except FileExistsError:
        return _is_given_up(folder)
    finally:
        draft.unlink(missing_ok=True)
    return True


def lift(folder: Path) -> None:
    """Allow a job that was given up to start after all."""
    if _is_given_up(folder):
        (folder / "run" / "supervisor.json").unlink(missing_ok=True)


def _is_given_up(folder: Path) -> bool:
    with suppress(OSError, ValueError, RecursionError, PaiJupyterError):
        return Fields.of(json.loads(read_plain(folder / "run" / "supervisor.json"))).flag(GIVEN_UP)
    return False
