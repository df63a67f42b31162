"""The storage explorer over REST: what is in a place, previews, downloads, uploads, folders, deletion.

An upload is written to a file of ours as it comes, and goes to its place when it is complete.
Rule 1: one that is broken off, refused or killed leaves nothing: no file here, no object there.
Rule 2: who may not write is refused before the first byte is taken, and so is an address that takes no file.
Rule 3: the server holds one piece at a time, and takes the next when the disk has the one before. The disk is the limit.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from tornado import web

from pai_jupyter.errors import LimitExceededError, PaiJupyterError
from pai_jupyter.server.answers import parameters
from pai_jupyter.server.downloads import Download, Opened
from pai_jupyter.server.http import AUTH_RESOURCE, on_thread
from pai_jupyter.server.rest import Deed
from pai_jupyter.storage.disk import disk_errors, scratch, sweep
from pai_jupyter.store import home
from pai_jupyter.store.disk import make_folder, translated
from pai_jupyter.wire import Message
from pai_jupyter.wire.files import explorer

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import Deleted, StoredEntry

_sending = ThreadPoolExecutor(max_workers=4, thread_name_prefix="pai-jupyter-upload")
_NO_LIMIT = 1 << 62  # bytes


def open_stored(uri: str = "") -> Opened:
    file, size = explorer.open_at(uri)
    return Opened(file=file, size=size, name=uri.rpartition("/")[2])


def _preview(uri: str) -> Message:
    body, buffers = explorer.preview_at(uri)
    return Message(body=body, buffers=buffers)


def _remove(uri: str) -> "Deleted":
    return {"count": explorer.remove_at(uri)}


LISTED = {
    "get": Deed(kind="places", answer=explorer.listing),
    "delete": Deed(kind="stored", needs=("uri",), answer=_remove),
}
PREVIEWED = {"get": Deed(kind="stored", needs=("uri",), answer=_preview)}
FOLDER = {"post": Deed(kind="stored", needs=("uri",), answer=explorer.make_folder_at)}


@web.stream_request_body
class StoredFile(Download):
    """`GET storage/file?uri=`, a download, and `PUT`, an upload."""

    def initialize(self, kind: str, opening: Callable[..., Opened]) -> None:
        super().initialize(kind, opening)
        self._upload: BrowserUpload | None = None
        self._is_alone = False

    async def prepare(self) -> None:  # type: ignore[override]  # as jupyter_server's own do
        """Begin with an upload, before its body comes."""
        await super().prepare()
        if self.request.method != "PUT" or self._finished:
            return
        user = self.current_user
        if not user or not await ensure_async(self.authorizer.is_authorized(self, user, "write", AUTH_RESOURCE)):
            raise web.HTTPError(HTTPStatus.FORBIDDEN)
        self.request.connection.set_max_body_size(_NO_LIMIT)  # type: ignore[union-attr]  # tornado's HTTP1Connection
        with self.refusing():
            given = parameters(self._kind, self.request.query)
            self._upload = await on_thread(partial(BrowserUpload.begin, str(given.get("uri", ""))))
            if self._is_alone:
                self._upload.cancel()

    async def data_received(self, chunk: bytes) -> None:
        if self._upload is not None:
            await self._upload.take(chunk)

    @web.authenticated
    @authorized
    async def put(self) -> None:
        assert self._upload is not None, "what could not begin has been answered"
        with self.refusing():
            self.finish(await self._upload.finish())

    def on_connection_close(self) -> None:
        super().on_connection_close()
        self._is_alone = True
        if self._upload is not None:
            self._upload.cancel()


class BrowserUpload:
    """One file on its way: to the disk of the server as it comes, then to its place. Methods run on the server's loop."""

    def __init__(self, uri: str, folder: Path, parts: ExitStack) -> None:
        """`parts` are closed when it ends, whichever way."""
        self._uri, self._folder, self._parts = uri, folder, parts
        self._path, self._file = parts.enter_context(scratch(folder))
        self._busy = asyncio.Lock()
        self._cancelled = Event()
        self._trouble: PaiJupyterError | None = None

    @classmethod
    def begin(cls, uri: str) -> "BrowserUpload":
        """Blocking.

        Raises:
            SpecError: nothing can be put there.
            PaiJupyterError: there is no room for it here.
        """
        explorer.check_target(uri)
        folder = home() / "uploads"
        with translated(folder):
            make_folder(folder)
        sweep(folder)
        with disk_errors(folder):
            return cls(uri, folder, ExitStack())

    async def take(self, chunk: bytes) -> None:
        """Write the next piece. Once something has gone wrong, the rest is let by: the answer comes at the end."""
        async with self._busy:
            if self._trouble is None and not self._cancelled.is_set():
                try:
                    await asyncio.to_thread(self._write, chunk)
                except PaiJupyterError as exc:
                    self._trouble = exc
                    self._close()

    async def finish(self) -> "StoredEntry":
        """Everything has come: put it in its place; returns its `StoredEntry`."""
        async with self._busy:
            try:
                if self._trouble is not None:
                    raise self._trouble
                return await on_thread(self._put, threads=_sending)
            finally:
                self._close()

    def cancel(self) -> None:
        """Cancel the upload because the browser has disconnected."""
        self._cancelled.set()
        self._dropping = asyncio.ensure_future(self._drop())

    async def _drop(self) -> None:
        async with self._busy:  # who works at the file lets go of it first
            self._close()

    def _close(self) -> None:
        with suppress(OSError):  # the last bytes find no room either, and nobody wants them
            self._parts.close()

    def _write(self, chunk: bytes) -> None:
        try:
            with disk_errors(self._path):
                self._file.write(chunk)
        except LimitExceededError as exc:
            raise LimitExceededError(
                f"there is no room left on the disk of the Jupyter server for this upload. Free some in "
                f"'{self._folder}', or set PAI_JUPYTER_HOME to another disk."
            ) from exc

    def _put(self) -> "StoredEntry":
        with disk_errors(self._path):
            self._file.flush()  # and not closed: it is held, or the next upload would sweep it away
        return explorer.put_at(self._uri, self._path, self._cancelled)
