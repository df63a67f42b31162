"""Tables of MaxCompute (`odps://project/tables/name[/partition]`) as PAI hands them to a job: their address, and a key.

    input/data/<channel>/meta.json       {"endpoint": ..., "path": "odps://..."}; nothing of the table itself
    input/data/<channel>/data.csv        its first rows, with --odps-limit: of local jobs alone
    input/credential/odps.json           {"AccessKeyId": ..., "AccessKeySecret": ..., "SecurityToken": ...}

Rule 1: the key is that of this kernel's session. It is in this one file, readable by its owner alone, and nowhere else.
Rule 2: the file goes when the job ends: whoever sees the end removes it (`remove_credential`), as often as they like.
"""

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.path_guard import JobDirectory, remove
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage.address import shown

if TYPE_CHECKING:
    from pai_jupyter.cloud.session import Session

OPTION = "odps_limit"
_TABLE = re.compile(
    r"odps://(?P<project>\w+)/tables/(?P<name>\w+)(?:/(?P<partition>[^/=]+=[^/=]+(?:/[^/=]+=[^/=]+)*))?/?"
)
_FOLDER = Path("input") / "credential"


@dataclass(frozen=True, kw_only=True)
class MaxComputeTable:
    """A table, or one partition of it: `ds=20240101/region=cn`."""

    project: str
    name: str
    partition: str | None = None

    def __str__(self) -> str:
        below = f"/{self.partition}" if self.partition else ""
        return f"odps://{self.project}/tables/{self.name}{below}"


def read_table(place: str) -> MaxComputeTable:
    """Parse the address of a MaxCompute table.

    Raises:
        SpecError: it is no address of a table.
    """
    found = _TABLE.fullmatch(place)
    if found is None:
        raise SpecError(
            f"{shown(place)} is no table of MaxCompute. Write it as odps://PROJECT/tables/NAME, a partition as "
            "odps://PROJECT/tables/NAME/ds=20240101.",
            field="inputs",
        )
    return MaxComputeTable(**found.groupdict())


def rows_wanted(spec: JobSpec) -> int | None:
    """Return how many table rows the job gets as a file (`--odps-limit`); None if no file is wanted.

    Raises:
        SpecError: that is no number.
    """
    limit = spec.backend_options.get("local", {}).get(OPTION)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise SpecError(
            f"`--odps-limit {limit}` must be a whole number from 1, e.g. --odps-limit 1000", field="options"
        )
    return limit


def check_table(place: str, spec: JobSpec) -> str:
    """Why jobs of this machine cannot have the table, as far as that can be told without asking; empty: they may."""
    try:
        read_table(place)
        limit = rows_wanted(spec)
        session_of_the_cloud()
    except SpecError as exc:
        return str(exc)
    if limit is not None and find_spec("odps") is None:
        return "--odps-limit needs the package 'pyodps'. Type: %pip install pyodps"
    return ""


def session_of_the_cloud() -> "Session":
    """Return this kernel's PAI session; the emulator is refused.

    Raises:
        SpecError: there is none, or it is a rehearsal.
    """
    from pai_jupyter.cloud.session import need_session  # the cloud's clients take a while

    session = need_session()
    if session.is_emulator:
        raise SpecError(
            "the emulator has no MaxCompute, so there are no tables. Give the data as a file, or type: "
            "%pai_config use emulator --stop",
            field="inputs",
        )
    return session


def service_address(session: "Session") -> str:
    """Return the MaxCompute endpoint for the session's region and network."""
    region = session.region_id
    if session.endpoints.network == "vpc":
        return f"https://service.{region}-vpc.maxcompute.aliyun-inc.com/api"
    return f"https://service.{region}.maxcompute.aliyun.com/api"


def write_table(table: MaxComputeTable, folder: Path, session: "Session", *, limit: int | None) -> int | None:
    """Write what a job finds of `table` into the directory `folder`; returns how many rows, if rows were wanted.

    Raises:
        BackendError: the rows cannot be read.
    """
    endpoint = service_address(session)
    (folder / "meta.json").write_text(json.dumps({"endpoint": endpoint, "path": str(table)}))
    if limit is None:
        return None
    from pai_jupyter.backends.local.rows import write_rows

    return write_rows(
        folder / "data.csv",
        project=table.project,
        name=table.name,
        partition=table.partition,
        limit=limit,
        endpoint=endpoint,
        credential=session.credentials.get(),
    )


def write_credential(root: Path, session: "Session") -> None:
    """Write the session's key to where jobs expect it, below their /ml."""
    key = session.credentials.get()
    content = {
        "AccessKeyId": key.access_key_id,
        "AccessKeySecret": key.access_key_secret,
        "SecurityToken": key.security_token or "",
    }
    (root / _FOLDER).mkdir()
    file = os.open(root / _FOLDER / "odps.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w") as out:
        json.dump(content, out)


def remove_credential(folder: Path) -> None:
    """Remove the key that the job in `folder` was given, if it was."""
    with suppress(NotFoundError, SpecError, OSError):  # nothing was given; or the job has put something else there
        remove(JobDirectory(folder), f"ml/{_FOLDER.as_posix()}", what="the job's folder", is_directory=True)
