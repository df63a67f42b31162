"""Write the first rows of a MaxCompute table to a CSV file, through PyODPS, which only this module imports, and late.

Rule 1: every PyODPS call runs inside `odps_errors`, and no error contains a key.
Rule 2: the file appears once complete. Missing values are empty; dates, lists and maps are in Python's notation.
"""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import AuthError, BackendError, NotFoundError, UnavailableError, translating
from pai_jupyter.storage.disk import draft

if TYPE_CHECKING:
    from pai_jupyter.cloud.client import Credential

_LONGEST = 300  # characters of the service's message

# Classes of odps.errors -> our errors.
_BY_CLASS: dict[str, tuple[type[BackendError], str]] = {
    "NoSuchProject": (NotFoundError, "there is no such project. Check the address, and the region."),
    "NoSuchTable": (NotFoundError, "there is no such table. Check the address."),
    "NoSuchPartition": (NotFoundError, "the table has no such partition. Check the address."),
    "NoSuchObject": (NotFoundError, "there is no such table. Check the address."),
    "NoPermission": (AuthError, "this access key may not read it. Ask the project's owner for the right."),
    "Unauthorized": (AuthError, "MaxCompute does not accept this access key. Type: %pai_config test"),
    "SignatureNotMatch": (AuthError, "the access key's secret is wrong. Type: %pai_config test"),
    "AuthorizationRequired": (AuthError, "MaxCompute cannot authenticate the request. Type: %pai_config test"),
    "RequestTimeTooSkewed": (AuthError, "the clock of this machine is wrong. Set it: sudo timedatectl set-ntp true"),
    "ConnectTimeout": (UnavailableError, "MaxCompute does not answer. Check the network."),
    "InternalServerError": (UnavailableError, "MaxCompute fails. Try again later."),
}
_NOT_OF_KEYS = ("NoPermission", "RequestTimeTooSkewed")  # AuthErrors that another key would not help


def write_rows(
    to: Path, *, project: str, name: str, partition: str | None, limit: int, endpoint: str, credential: "Credential"
) -> int:
    """Write a header and the first `limit` rows of a table to the CSV file `to`; return the number of rows.

    Raises:
        BackendError: PyODPS is not installed, or the rows cannot be read.
    """
    at = f"odps://{project}/tables/{name}"
    with odps_errors(at, credential.secrets):
        table = _service(project, endpoint, credential).get_table(name)
        columns = [column.name for column in table.table_schema.simple_columns]
        with table.open_reader(partition=partition) as reader, draft(to) as raw:
            out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
            lines = csv.writer(out)
            lines.writerow(columns)
            count = 0
            for record in reader[:limit]:
                lines.writerow([record[name] for name in columns])
                count += 1
            out.detach()  # flushed; the draft closes the file
    return count


def _service(project: str, endpoint: str, credential: "Credential") -> Any:  # Any: PyODPS has no types
    try:
        from odps import ODPS
        from odps.accounts import StsAccount
    except ModuleNotFoundError as exc:
        raise BackendError(f"--odps-limit needs the package {exc.name!r}. Type: %pip install pyodps") from exc
    if credential.security_token is None:
        return ODPS(credential.access_key_id, credential.access_key_secret, project=project, endpoint=endpoint)
    account = StsAccount(credential.access_key_id, credential.access_key_secret, credential.security_token)
    return ODPS(account=account, project=project, endpoint=endpoint)


@contextmanager
def odps_errors(at: str, secrets: tuple[str, ...]) -> Iterator[None]:
    """Translate exceptions of PyODPS or a library below it about the table `at`."""
    try:
        with translating(partial(_translate, secrets=secrets), f"reading {at}"):
            yield
    except BackendError as exc:
        exc.__cause__ = exc.__context__ = None  # it may contain the request with the key
        raise


def _translate(exc: Exception, action: str, *, secrets: tuple[str, ...]) -> BackendError | None:
    """Return our error for `exc`; None if neither PyODPS nor a library below it raises it: that is a bug."""
    from odps.errors import BaseODPSError
    from requests.exceptions import RequestException

    if not isinstance(exc, BaseODPSError | RequestException):
        return None
    for kind in type(exc).__mro__:
        if kind.__name__ in _BY_CLASS:
            error, sentence = _BY_CLASS[kind.__name__]
            return error(f"{sentence} ({action})", code=kind.__name__ if kind.__name__ in _NOT_OF_KEYS else "")
    if isinstance(exc, RequestException):
        return UnavailableError(f"MaxCompute does not answer. Check the network, and the region. ({action})")
    return BackendError(f"MaxCompute refuses: {_line(str(exc), secrets)} ({action})")


def _line(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return re.sub(r"[^\x20-\x7e\u00a0-\ud7ff]+", " ", text)[:_LONGEST].strip()
