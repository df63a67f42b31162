"""What the services of the emulator are made of: a verified `ApiCall` in, the fields of an answer or a `Refusal` out.

A service is a `OperationTable`: which handler serves which operation of the client's own tables (`cloud.client.paistudio`, ...), so
that method and path of a call are written down once for both ends. Operations that only other clients make are made with
`SERVICE.operation(...)` beside their handler.

Rule 1: a handler sees no HTTP, no signature and no key: who may call has been decided before.
Rule 2: what the cloud refuses is a `Refusal` with the cloud's code; anything else that a handler raises is our defect.
Rule 3: paths are matched as they stand on the request line; a `%2F` in a parameter is part of it.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from pai_jupyter.cloud.client import Operation
from pai_jupyter.emulator.calls.context import World
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.spec import Json


@dataclass(frozen=True, kw_only=True)
class ApiCall:
    """One request for an operation, by somebody who may make it. `query` is decoded; `body` is JSON, or form fields."""

    operation: Operation
    world: World
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
        """Let the decorated handler answer these."""

        def add(handler: Handler) -> Handler:
            self._routes += [(each, _pattern(each.path), handler) for each in operations]
            return handler

        return add

    @property
    def actions(self) -> frozenset[str]:
        """The names of the operations that are served."""
        return frozenset(operation.action for operation, _, _ in self._routes)

    def find(self, method: str, raw_path: str) -> tuple[Operation, dict[str, str], Handler] | None:
        """Find the operation for a request line, the parameters in its path, and its handler."""
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
