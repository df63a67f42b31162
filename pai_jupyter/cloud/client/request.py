"""Build an outgoing request: the URL as it is signed, the body as bytes. Pure, without a signature.

The URL is built by hand: an HTTP library writes a query in another way (`a b` as `a+b`) than is signed, and normalizes paths: a
job called `..` must not become a request for something else.
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
    """An outgoing request, signed anew for every try."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)  # not in the repr: it may have secrets of a job


def prepare(
    operation: Operation,
    base_url: str,
    *,
    path: Mapping[str, str] | None = None,
    query: Query | None = None,
    body: Mapping[str, Json] | None = None,
) -> UnsignedRequest:
    """Build the request of a call of `operation`.

    Raises:
        SpecError: a path parameter is missing or invalid, or a value cannot be serialized.
    """
    try:
        url = base_url + _path(operation, path or {})
        if text := canonical_query(_query(query or {})):
            url = f"{url}?{text}"
        content = b"" if body is None else _write(operation, body)
    except (TypeError, ValueError) as exc:  # NaN, a lone surrogate, an object
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
        if value in ("", ".", ".."):  # `/trainingjobs/` without an id is another operation
            raise SpecError(f"{value!r} is no `{parameter[1]}`, which {operation.action} needs.", field=parameter[1])
        return quote(value, safe="~")

    return _PARAMETER.sub(fill, operation.path)


def _query(values: Query) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: str | float | Sequence[str] | Mapping[str, str]) -> str:
    """Serialize a value as the official clients do: `True`, lists with commas, mappings as JSON."""
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
