"""Save the four values that the official SDK saves to its file, without a key.

The rest of the file stays. It is written atomically, readable only by its owner.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter.cloud.session.keys import lasting_origins
from pai_jupyter.config import settings
from pai_jupyter.config.writing import sdk_text
from pai_jupyter.errors import SpecError
from pai_jupyter.store.disk import make_folder, replace_file, translated


def persist(values: Mapping[str, str | None], *, is_emulator: bool) -> None:
    """Write the values to the official SDK's file; print its path and the source of keys for next time.

    An emulator's values are not written, since they would override the cloud's.

    Raises:
        SpecError: the current file is invalid.
        PaiJupyterError: the file cannot be written.
    """
    path = settings().sdk_path()
    if is_emulator:
        print(  # noqa: T201  the user's call expects output
            f"these values are the emulator's, and would stand in the way of the cloud's in {shown(path)}. "
            "Nothing is written: next time type %pai_config use emulator again."
        )
        return
    change(path, sdk_text(path, read(path), values))
    print(f"kept region, workspace and bucket in {shown(path)}; no key is. {_next_time()}")  # noqa: T201  the user's call expects output


def read(path: Path) -> str:
    """Read a configuration file; a missing one counts as empty.

    Raises:
        PaiJupyterError: it cannot be read.
    """
    try:
        with translated(path):
            return path.read_text(encoding="utf-8-sig") if path.exists() else ""
    except UnicodeDecodeError as exc:
        raise SpecError(f"{str(path)!r} is not UTF-8 text. Save it as UTF-8.") from exc


def change(path: Path, text: str) -> None:
    """Replace the content of `path` (of its target if it is a link), readable only by its owner."""
    real = Path(os.path.realpath(path))
    with translated(real):
        make_folder(real.parent)
        replace_file(real, text.encode())


def shown(path: Path) -> str:
    """Shorten a path for people: `~` for the home directory."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  see `keys`
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _next_time() -> str:
    origin = next(lasting_origins(), None)
    if origin is None:
        return "No key is configured for next time: type %pai_config wizard, or set ALIBABA_CLOUD_ACCESS_KEY_ID and _SECRET."
    return f"Next time keys come from {origin}."
