"""Cache the names of images and instance types by region, for Tab completion without network requests.

    $PAI_JUPYTER_HOME/known/<kind>-<region>.json

A missing, old or damaged file only means fewer completions.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pai_jupyter.cloud.session import Session, get_default_session
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import home
from pai_jupyter.store.disk import make_folder, replace_file, translated

MOST = 500  # names; more are of no use for Tab


def remember(kind: str, session: Session, names: Iterable[str]) -> None:
    """Replace the stored names."""
    path = _path(kind, session.region_id)
    with suppress(PaiJupyterError), translated(path):
        make_folder(path.parent)
        replace_file(path, json.dumps(list(dict.fromkeys(names))[:MOST]).encode())


def known(kind: str) -> list[str]:
    """Return the names listed last in the region and workspace of this kernel."""
    try:
        session = get_default_session()
        found = json.loads(_path(kind, session.region_id).read_bytes()) if session is not None else []
    except (PaiJupyterError, OSError, ValueError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _path(kind: str, region: str) -> Path:
    return home() / "known" / f"{kind}-{region}.json"
