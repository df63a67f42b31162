"""Services of the emulator: a handler takes a verified `ApiCall` and returns an answer's fields, or raises `ApiRefusal`.

A service is an `OperationTable`: it maps the operations of our client's tables (`cloud.client.paistudio`, ...) to handlers,
so that method and path of an operation are declared once for client and emulator. Operations that only other clients call
are declared with `SERVICE.operation(...)` at their handler.

Rule 1: a handler never sees HTTP, signatures or keys; authorization was checked before.
Rule 2: what the cloud refuses is an `ApiRefusal` with the cloud's code; any other exception of a handler is a bug of ours.
Rule 3: paths are matched undecoded, so that a `%2F` in a parameter is part of it.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from pai_jupyter.cloud.client import Operation
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.spec import Json


@dataclass(frozen=True, kw_only=True)
class ApiCall:
    """One authorized call of an operation. `query` is decoded; `body` is JSON, or form fields."""

    operation: Operation
    world: EmulatorContext
    account: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Json] = field(default_factory=dict)


Handler = Callable[[ApiCall], Awaitable[Fields]]


class OperationTable:
    """The operations of one service with their handlers."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._routes: list[tuple[Operation, re.Pattern[str], Handler]] = []

    def serves(self, *operations: Operation) -> Callable[[Handler], Handler]:
        """Register the decorated handler for these operations."""

        def add(handler: Handler) -> Handler:
            self._routes += [(each, _pattern(each.path), handler) for each in operations]
            return handler

        return add

    @property
    def actions(self) -> frozenset[str]:
        """The names of the registered operations."""
        return frozenset(operation.action for operation, _, _ in self._routes)

    def find(self, method: str, raw_path: str) -> tuple[Operation, dict[str, str], Handler] | None:
        """Find the operation for a request line; return it with the parameters in the path and its handler, or None."""
        for operation, pattern, handler in self._routes:
            found = pattern.fullmatch(raw_path) if operation.method == method else None
            if found is not None:
                return operation, {name: unquote(value) for name, value in found.groupdict().items()}, handler
        return None


def _pattern(path: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", path)
    return re.compile(
        "".join(f"(?P<{part}>[^/]+)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
    )
