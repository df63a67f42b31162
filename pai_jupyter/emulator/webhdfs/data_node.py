"""The data node: takes the content of a file (`CREATE`, `APPEND`), or gives it (`OPEN`).

Rule 1: a writer whose connection ends leaves the file with what has arrived.
Rule 2: `is_decoding_twice`: a path is percent-decoded twice, as by the data node of Hadoop 2.7.3 with a newer netty.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote, unquote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from pai_jupyter.emulator.webhdfs.name_node import HdfsCall, NameNode, check_name, safe_mode
from pai_jupyter.emulator.webhdfs.namespace import Namespace
from pai_jupyter.emulator.webhdfs.refusal import HdfsRefusal

_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
BLOCK = 256 * 1024  # bytes


class DataNode:
    """Answers the requests of the second step."""

    def __init__(self, names: Namespace, name_node: NameNode, *, is_decoding_twice: bool = True) -> None:
        self._names = names
        self._name_node = name_node
        self.is_decoding_twice = is_decoding_twice

    async def answer(self, request: Request, *, most: int | None = None) -> Response | None:
        """Answer a request; None if the connection must end after `most` bytes of its content."""
        try:
            call = HdfsCall.read(request)
            if call is None:
                raise HdfsRefusal("IllegalArgumentException", "not a request of WebHDFS")
            path = self._path(call)
            if call.operation == "OPEN":
                return await asyncio.to_thread(self._open, path, call)
            return await self._write(request, path, call, most)
        except HdfsRefusal as refusal:
            return refusal.answer(of_data_node=True)

    def _path(self, call: HdfsCall) -> str:
        if not self.is_decoding_twice:
            return call.path
        if wrong := _NO_ESCAPE.search(call.path):
            raise HdfsRefusal(
                "IllegalArgumentException", f"invalid escape sequence at index {wrong.start() + 1} of: /{call.path}"
            )
        return unquote(call.path)

    def _open(self, path: str, call: HdfsCall) -> Response:
        found = self._names.file(path, user=call.user)
        offset = int(call.parameters.get("offset", "0"))
        size = min(int(call.parameters.get("length") or found.length), found.length - offset)
        headers = {"content-length": str(size), "connection": "close"}
        return StreamingResponse(
            _blocks(self._names.content(found), offset, size), headers=headers, media_type="application/octet-stream"
        )

    async def _write(self, request: Request, path: str, call: HdfsCall, most: int | None) -> Response | None:
        if self._name_node.is_safe:
            raise safe_mode(f"Cannot {call.operation.lower()} file/{path}.")
        check_name(path)
        content, writer = await asyncio.to_thread(self._begin, path, call)
        try:
            if not await _receive(request, content, most):
                return None
        finally:
            await asyncio.to_thread(self._names.close_file, writer)
        if call.operation == "APPEND":
            return Response(headers={"connection": "close"})
        headers = {"location": f"hdfs://emulator:9000/{quote(path)}", "connection": "close"}
        return Response(status_code=201, headers=headers)

    def _begin(self, path: str, call: HdfsCall) -> tuple[Path, str]:
        if call.operation == "APPEND":
            return self._names.append(path, call.user)
        replaces = call.parameters.get("overwrite", "false").lower() == "true"
        return self._names.create(path, call.user, call.parameters.get("permission", "755"), replaces=replaces)


async def _receive(request: Request, content: Path, most: int | None) -> bool:
    """Write the body of a request behind what the file has; return whether all of it came."""
    received = 0
    with content.open("ab") as out:
        try:
            async for block in request.stream():
                kept = block if most is None else block[: most - received]
                await asyncio.to_thread(out.write, kept)
                received += len(kept)
                if len(kept) < len(block):
                    return False
        except ClientDisconnect:
            return False
    return True


async def _blocks(content: Path, offset: int, size: int) -> AsyncIterator[bytes]:
    end = offset + size
    while offset < end and (block := await asyncio.to_thread(_read, content, offset, min(BLOCK, end - offset))):
        offset += len(block)
        yield block


def _read(content: Path, offset: int, size: int) -> bytes:
    """Read a block; the file is not held open, as nobody closes it when a client goes away."""
    with content.open("rb") as file:
        file.seek(offset)
        return file.read(size)
