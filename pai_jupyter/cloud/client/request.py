"""A call in the form in which it goes out: the URL spelt as it is signed, the body as bytes. Pure, and without a signature.

The URL is made by hand. A library's own way to write a query (`a b` as `a+b`) is not the one that is signed, and it would
tidy up a path: a job called `..` must not become a request about something else.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import quote, urlencode

from pai_jupyter.cloud.client.operation import Operation
from pai_jupyter.cloud.client.signatures import canonical_query
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

Query: TypeAlias = Mapping[str, str | int | float | bool | Sequence[str] | Mapping[str, str] | None]
_PARAMETER = re.compile(r"\{(\w+)\}")
_CONTENT_TYPES = {"json": "application/json; charset=utf-8", "form": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, kw_only=True)
class UnsignedRequest:
    """What goes out, to be signed anew for every try."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)  # may hold what a job must have and a log must not


def prepare(
    operation: Operation,
    base_url: str,
    *,
    path: Mapping[str, str] | None = None,
    query: Query | None = None,
    body: Mapping[str, Json] | None = None,
) -> UnsignedRequest:
    """Put a call of `operation` together.

    Raises:
        SpecError: a parameter of the path is missing or cannot stand there, or a value cannot be written.
    """
    try:
        url = base_url + _path(operation, path or {})
        if text := canonical_query(_query(query or {})):
            url = f"{url}?{text}"
        content = b"" if body is None else _write(operation, body)
    except (TypeError, ValueError) as exc:  # a number that is none (NaN), half a character, an object
        raise SpecError(f"{operation.action} cannot be written: {exc}.") from exc
    headers = {
        "accept": "application/json",
        "user-agent": "pai-jupyter",
        "x-acs-action": operation.action,
        "x-acs-version": operation.service.version,
    }
    if content:
        headers["content-type"] = _CONTENT_TYPES[operation.style]
    return UnsignedRequest(method=operation.method, url=url, headers=headers, body=content)


def _path(operation: Operation, values: Mapping[str, str]) -> str:
    def fill(parameter: re.Match[str]) -> str:
        value = values.get(parameter[1], "")
        if value in ("", ".", ".."):  # `/trainingjobs/` with nothing behind it is another call
            raise SpecError(f"{value!r} is no `{parameter[1]}`, which {operation.action} needs.", field=parameter[1])
        return quote(value, safe="~")

    return _PARAMETER.sub(fill, operation.path)


def _query(values: Query) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: str | float | Sequence[str] | Mapping[str, str]) -> str:
    """Write a value as the official clients do: `True`, lists with commas, mappings as JSON."""
    if isinstance(value, Mapping):
        return _json(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(value)
    return str(value)


def _write(operation: Operation, body: Mapping[str, Json]) -> bytes:
    if operation.style == "json":
        return _json(body).encode()
    fields = {
        name: _json(value) if isinstance(value, dict | list) else str(value)
        for name, value in body.items()
        if value is not None
    }
    return urlencode(fields).encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
