"""The records of runs, and what is said of one that is damaged: which file, why, and what to type next."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.store.disk import read_plain, translated
from pai_jupyter.typed_json import FieldError

T = TypeVar("T")


def damaged(path: Path, why: object) -> PaiJupyterError:
    """Create the error for the file at `path` in the folder of a run; `why` is a sentence or a part of one."""
    return PaiJupyterError(
        f"'{path}' is damaged: {str(why).rstrip('.')}. Put it back as it was, or delete the record of the run (its jobs stay) "
        f"and run the pipeline again: %pai_runs {path.parent.name} --delete"
    )


def read_record(path: Path, read: Callable[[object], T]) -> T:
    """Read a JSON file in the folder of a run by `read`, which raises `FieldError`.

    Raises:
        PaiJupyterError: it is missing or damaged, or cannot be read.
    """
    try:
        with translated(path):
            return read(json.loads(read_plain(path)))
    except NotFoundError as exc:
        raise damaged(path, "it is missing") from exc
    except FieldError as exc:
        raise damaged(path, exc) from exc
    except (ValueError, RecursionError) as exc:
        raise damaged(path, "it is no JSON") from exc
