"""The storage explorer over REST: list, preview, download, upload, create folders, delete.

An upload is first written to a temporary file on the server, and stored at its address when it is complete.
Rule 1: an upload that is cancelled, refused or killed leaves no temporary file and no object.
Rule 2: authorization and address are checked before the first byte is read.
Rule 3: the server holds one piece in memory and reads the next when the disk has the last. Only the disk limits the size.
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
from pai_jupyter.server.downloads import Download, OpenDownload
from pai_jupyter.server.http import AUTH_RESOURCE, on_thread
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.storage.disk import disk_errors, scratch, sweep
from pai_jupyter.store import home
from pai_jupyter.store.disk import make_folder, translated
from pai_jupyter.wire import Message
from pai_jupyter.wire.files import explorer

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import Deleted, StoredEntry

_sending = ThreadPoolExecutor(max_workers=4, thread_name_prefix="pai-jupyter-upload")
_NO_LIMIT = 1 << 62  # bytes


def open_stored(uri: str = "") -> OpenDownload:
    file, size = explorer.open_at(uri)
    return OpenDownload(file=file, size=size, name=uri.rpartition("/")[2])


def _preview(uri: str) -> Message:
    body, buffers = explorer.preview_at(uri)
    return Message(body=body, buffers=buffers)


def _remove(uri: str) -> "Deleted":
    return {"count": explorer.remove_at(uri)}


PLACES = {
    "get": ApiRoute(kind="places", answer=explorer.listing),
    "delete": ApiRoute(kind="stored", needs=("uri",), answer=_remove),
}
PREVIEWED = {"get": ApiRoute(kind="stored", needs=("uri",), answer=_preview)}
FOLDER = {"post": ApiRoute(kind="stored", needs=("uri",), answer=explorer.make_folder_at)}


@web.stream_request_body
class StoredFile(Download):
    """`GET storage/file?uri=`, a download, and `PUT`, an upload."""

    def initialize(self, kind: str, opening: Callable[..., OpenDownload]) -> None:
        super().initialize(kind, opening)
        self._upload: BrowserUpload | None = None
        self._is_alone = False

    async def prepare(self) -> None:  # type: ignore[override]  # as jupyter_server's own do
        """Start an upload before its body is received."""
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
        assert self._upload is not None, "an upload that could not start has been answered"
        with self.refusing():
            self.finish(await self._upload.finish())

    def on_connection_close(self) -> None:
        super().on_connection_close()
        self._is_alone = True
        if self._upload is not None:
            self._upload.cancel()


class BrowserUpload:
    """One upload: written to a temporary file, then stored at its address. Methods run on the server's loop."""

    def __init__(self, uri: str, folder: Path, parts: ExitStack) -> None:
        """Create the temporary file in `folder`; `parts` is closed when the upload ends."""
        self._uri, self._folder, self._parts = uri, folder, parts
        self._path, self._file = parts.enter_context(scratch(folder))
        self._busy = asyncio.Lock()
        self._cancelled = Event()
        self._trouble: PaiJupyterError | None = None

    @classmethod
    def begin(cls, uri: str) -> "BrowserUpload":
        """Check the address and start an upload. Blocking.

        Raises:
            SpecError: nothing can be uploaded to `uri`.
            PaiJupyterError: the temporary file cannot be created.
        """
        explorer.check_target(uri)
        folder = home() / "uploads"
        with translated(folder):
            make_folder(folder)
        sweep(folder)
        with disk_errors(folder):
            return cls(uri, folder, ExitStack())

    async def take(self, chunk: bytes) -> None:
        """Write the next piece; after an error, which `finish` raises, ignore it."""
        async with self._busy:
            if self._trouble is None and not self._cancelled.is_set():
                try:
                    await asyncio.to_thread(self._write, chunk)
                except PaiJupyterError as exc:
                    self._trouble = exc
                    self._close()

    async def finish(self) -> "StoredEntry":
        """Store the complete file at its address and return its entry."""
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
        async with self._busy:  # waits for a write to end
            self._close()

    def _close(self) -> None:
        with suppress(OSError):  # flushing fails on a full disk, and the bytes are not needed
            self._parts.close()

    def _write(self, chunk: bytes) -> None:
        try:
            with disk_errors(self._path):
                self._file.write(chunk)
        except LimitExceededError as exc:
            raise LimitExceededError(
                f"the disk of the Jupyter server is too full for this upload. Free some space in "
                f"'{self._folder}', or set PAI_JUPYTER_HOME to another disk."
            ) from exc

    def _put(self) -> "StoredEntry":
        with disk_errors(self._path):
            self._file.flush()  # not closed: while it is open, `sweep` of another upload leaves it
        return explorer.put_at(self._uri, self._path, self._cancelled)
