"""Provide MaxCompute tables (`odps://project/tables/name[/partition]`) like PAI: their address and an access key.

    input/data/<channel>/meta.json       {"endpoint": ..., "path": "odps://..."}, no data
    input/data/<channel>/data.csv        its first rows, with --odps-limit (local jobs only)
    input/credential/odps.json           {"AccessKeyId": ..., "AccessKeySecret": ..., "SecurityToken": ...}

Rule 1: the key is this kernel's session's. It is only in this file, readable by its owner.
Rule 2: the file is deleted at the job's end by any process that sees it (`remove_credential`, idempotent).
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
        SpecError: it is not the address of a table.
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
    """Return the number of table rows in the job's CSV file (`--odps-limit`); None without a file.

    Raises:
        SpecError: the option is not a number.
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
    """Return this kernel's cloud session; an emulator's is an error.

    Raises:
        SpecError: there is none, or it is an emulator's.
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
    """Write the job's files for `table` into the directory `folder`; return the number of rows, None without CSV.

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
    """Write the session's key to its path below the job's /ml."""
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
    """Delete the key of the job in `folder`, if it has one."""
    with suppress(NotFoundError, SpecError, OSError):  # there is no key, or the job has replaced the file
        remove(JobDirectory(folder), f"ml/{_FOLDER.as_posix()}", what="the job's folder", is_directory=True)
