"""The description of the server's REST, tests/openapi.json, as tests ask about it."""

import json
from collections.abc import Iterator
from typing import Any

from tests.support.paths import ROOT

DESCRIPTION = ROOT / "tests" / "openapi.json"
DESCRIBED: Any = json.loads(DESCRIPTION.read_text())  # Any: JSON values
METHODS = ("get", "post", "put", "patch", "delete")
_PARTS = {"job": "{job}", "channel": "model", "path": "model.bin", "board": "b1", "run": "r12345678"}


def resolved(value: Any) -> Any:  # Any: JSON values
    """What a reference leads to; anything else is itself."""
    while "$ref" in value:
        found = DESCRIBED
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def every_request() -> Iterator[tuple[str, str]]:
    """A method and an address of everything that there is; for `{job}` in it an id is to be filled in."""
    for address, item in DESCRIBED["paths"].items():
        for method in METHODS:
            if method in item:
                yield method.upper(), address[1:].format(**_PARTS)
