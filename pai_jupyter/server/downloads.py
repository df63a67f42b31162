"""Whole files and logs for the browser's own download, streamed: the server holds one piece at a time.

Rule 1: nothing of a job runs in the origin of the server. Every download is an attachment of bytes without a type.
Rule 2: what is sent is the file as long as it was when it was opened. What it grows by meanwhile is left out; when it
    shrinks, the connection is cut, so that the browser shows a broken download and no short file that looks whole.
"""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO
from urllib.parse import quote

from jupyter_server.auth.decorator import authorized
from tornado import web

from pai_jupyter import path_guard
from pai_jupyter.server.answers import parameters
from pai_jupyter.server.http import Handler, on_thread
from pai_jupyter.wire.files.output_files import open_file, package_file
from pai_jupyter.wire.protocol.jobs import find_job, replica_of

PIECE = 256 * 1024  # bytes
_threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="pai-jupyter-download")
_BYTES = "application/octet-stream"


def attachment(name: str) -> str:
    """Return the header value with which a browser saves the response as `name`, made safe.

    Signs that show nothing (newlines, right-to-left marks, half characters) could make the name look like another one.
    """
    name = "".join(sign if sign.isprintable() and sign not in "/\\" else "_" for sign in name) or "_"
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An open file, how much of it counts, and what a browser is to call it."""

    file: BinaryIO
    size: int
    name: str


def open_output(job: str, channel: str, path: str) -> Opened:
    file, size = open_file(find_job(job), channel, path)
    return Opened(file=file, size=size, name=path.rpartition("/")[2])


def open_log(job: str, *, replica: str | None = None) -> Opened:
    """Open the log of a replica as raw bytes; None = the first replica."""
    found = find_job(job)
    replica = replica_of(found, replica)
    place = path_guard.JobDirectory(found.folder.path)
    file = path_guard.open_file(place, f"logs/{replica}.log", what=f"the folder of job {job}")
    return Opened(file=file, size=os.fstat(file.fileno()).st_size, name=f"{found.name} {replica}.log")


def open_package(job: str) -> Opened:
    found = find_job(job)
    file, size = package_file(found)
    return Opened(file=file, size=size, name=f"{found.name} {job}.tar.gz")


class Download(Handler):
    """Sends what `opening` opens."""

    def initialize(self, kind: str, opening: Callable[..., Opened]) -> None:
        self._kind, self._open = kind, opening

    @web.authenticated
    @authorized
    async def get(self, **parts: str) -> None:
        with self.refusing():
            given = parameters(self._kind, self.request.query)
            opened = await on_thread(partial(self._open, **parts, **given), threads=_threads)
            with closing(opened.file):
                await self._send(opened)

    async def _send(self, opened: Opened) -> None:
        self.set_header("Content-Type", _BYTES)
        self.set_header("Content-Length", str(opened.size))
        self.set_header("Content-Disposition", attachment(opened.name))
        self.set_header("Cache-Control", "no-store")
        try:
            await self._stream(opened.file, opened.size)
        except (OSError, EOFError):  # of the disk, or of a browser that has had enough (StreamClosedError is one)
            self.detach().close()
        else:
            self.finish(set_content_type=_BYTES)

    async def _stream(self, file: BinaryIO, left: int) -> None:
        await self.flush()
        while left > 0:
            piece = await on_thread(partial(file.read, min(PIECE, left)), threads=_threads)
            if not piece:
                raise EOFError
            self.write(piece)
            await self.flush()  # until the system has taken it
            left -= len(piece)
