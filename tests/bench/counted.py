"""An emulator that counts what it is asked: `python -m tests.bench.counted`, with the arguments of the emulator.

It counts where both sides must come by, in the server, and answers `GET` with the header `x-counts` with the counts.
"""

import sys
from collections import Counter
from typing import Any

import httpx
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from pai_jupyter.emulator import __main__
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.server import app

HEADER = "x-counts"


class Counted(app.Emulator):
    """The emulator, with a counter of requests: all, those that send an object to OSS, and the bytes of these."""

    def __init__(self, world: EmulatorContext) -> None:
        super().__init__(world)
        self._counts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await super().__call__(scope, receive, send)
        headers = {name for name, _ in scope["headers"]}
        if HEADER.encode() in headers:
            return await JSONResponse(dict(self._counts))(scope, receive, send)
        is_upload = b"x-acs-version" not in headers and scope["method"] in ("PUT", "POST")
        self._counts["requests"] += 1
        self._counts["uploads"] += is_upload

        async def counted() -> Any:  # Any: of ASGI
            message = await receive()
            self._counts["bytes"] += len(message.get("body", b"")) * is_upload
            return message

        return await super().__call__(scope, counted, send)


def counts(address: str) -> Counter[str]:
    """What the emulator at `address` has been asked so far."""
    with httpx.Client(trust_env=False) as http:
        return Counter(http.get(address, headers={HEADER: "1"}).json())


def main() -> int:
    app.Emulator = Counted  # type: ignore[misc]  # what it serves
    return __main__.main()


if __name__ == "__main__":
    sys.exit(main())
