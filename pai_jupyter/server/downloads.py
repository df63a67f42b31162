"""Stream whole files and logs as browser downloads; the server holds one piece at a time in memory.

Rule 1: no content of a job may run in the server's origin: every download is an attachment without a content type.
Rule 2: a file is sent with the size that it had when it was opened. If it grows, the rest is left out; if it shrinks, the
    connection is closed, so that the browser reports a failed download instead of saving a short file.
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
    """Return the `Content-Disposition` that saves a response as `name`, with unsafe characters replaced.

    Unprintable characters (newlines, right-to-left marks, lone surrogates) could make the name look like another one.
    """
    name = "".join(sign if sign.isprintable() and sign not in "/\\" else "_" for sign in name) or "_"
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


@dataclass(frozen=True, kw_only=True)
class OpenDownload:
    """An open file, the number of bytes to send, and the name for the browser."""

    file: BinaryIO
    size: int
    name: str


def open_output(job: str, channel: str, path: str) -> OpenDownload:
    file, size = open_file(find_job(job), channel, path)
    return OpenDownload(file=file, size=size, name=path.rpartition("/")[2])


def open_log(job: str, *, replica: str | None = None) -> OpenDownload:
    """Open the log of a replica as raw bytes; None = the first replica."""
    found = find_job(job)
    replica = replica_of(found, replica)
    place = path_guard.JobDirectory(found.folder.path)
    file = path_guard.open_file(place, f"logs/{replica}.log", what=f"the folder of job {job}")
    return OpenDownload(file=file, size=os.fstat(file.fileno()).st_size, name=f"{found.name} {replica}.log")


def open_package(job: str) -> OpenDownload:
    found = find_job(job)
    file, size = package_file(found)
    return OpenDownload(file=file, size=size, name=f"{found.name} {job}.tar.gz")


class Download(Handler):
    """Sends the file that `opening` opens."""

    def initialize(self, kind: str, opening: Callable[..., OpenDownload]) -> None:
        self._kind, self._open = kind, opening

    @web.authenticated
    @authorized
    async def get(self, **parts: str) -> None:
        with self.refusing():
            given = parameters(self._kind, self.request.query)
            opened = await on_thread(partial(self._open, **parts, **given), threads=_threads)
            with closing(opened.file):
                await self._send(opened)

    async def _send(self, opened: OpenDownload) -> None:
        self.set_header("Content-Type", _BYTES)
        self.set_header("Content-Length", str(opened.size))
        self.set_header("Content-Disposition", attachment(opened.name))
        self.set_header("Cache-Control", "no-store")
        try:
            await self._stream(opened.file, opened.size)
        except (OSError, EOFError):  # the disk failed, or the browser disconnected (StreamClosedError)
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
            await self.flush()  # waits until the system has taken it
            left -= len(piece)
