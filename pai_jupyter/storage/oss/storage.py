"""`OssStorage`: the keys of a bucket below one prefix."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import BackendError
from pai_jupyter.storage.address import OssUrl, check_key, shown
from pai_jupyter.storage.disk import reading, size_of
from pai_jupyter.storage.oss.checksum import crc_of_file, md5_of, md5_of_file
from pai_jupyter.storage.oss.downloading import PartsDownload, download_whole, receive
from pai_jupyter.storage.oss.faults import damaged, oss_errors
from pai_jupyter.storage.oss.proof import check_object, check_stored
from pai_jupyter.storage.oss.retry import retrying
from pai_jupyter.storage.oss.uploading import PartsUpload
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.storage.protocol import LARGE, Entry
from pai_jupyter.storage.record import recorded, records_folder

if TYPE_CHECKING:
    import oss2

_PAGE = 1000  # keys per listing or deletion
_NO_XML = re.compile(r"[\x00-\x1f\x7f\ufffe\uffff]")  # characters that an XML list of keys cannot hold unchanged
_MD5 = re.compile(r"[0-9A-F]{32}")  # an ETag that may be an MD5; that of an object in parts has a dash
_ABSENT = {"x-oss-forbid-overwrite": "true"}


class OssStorage:
    """A bucket, or what is below `prefix` in it. `records` is the directory for the records of transfers in parts."""

    def __init__(self, bucket: "oss2.Bucket", prefix: str = "", *, records: Path | None = None) -> None:
        self._bucket = bucket
        self._prefix = prefix if prefix.endswith("/") or not prefix else prefix + "/"
        self._records = records or records_folder()
        host = bucket.endpoint.partition("://")[2]
        self.uri = str(OssUrl(bucket_name=bucket.bucket_name, object_key=self._prefix, endpoint=host))

    def __repr__(self) -> str:
        return f"OssStorage({self.uri!r})"

    def put(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> None:
        check_key(key)
        with self._errors("uploading", key):
            self._put(self._prefix + key, source, {}, progress or TransferProgress())

    def put_if_absent(self, key: str, source: Path | bytes, *, progress: TransferProgress | None = None) -> bool:
        """Put as the protocol says; a retry after a lost answer finds the first put and returns True."""
        import oss2.exceptions

        check_key(key)
        if self.head(key) is not None:  # a small request first: a large upload would be rejected only at its end
            return True
        with self._errors("uploading", key):
            try:
                self._put(self._prefix + key, source, _ABSENT, progress or TransferProgress())
            except oss2.exceptions.ServerError as exc:
                if exc.code != "FileAlreadyExists":
                    raise
                return True
        return False

    def get(self, key: str, to: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None) -> None:
        name, progress = self._prefix + key, progress or TransferProgress()
        with self._errors("downloading", key):
            large = retrying(lambda: self._get_unless_large(name, to, progress), progress)
            if large is not None:
                with recorded(self._records, "download", self.uri, key, str(to.absolute())) as record:
                    PartsDownload(self._bucket, name, to, answer=large, record=record, progress=progress).run()

    def read(self, key: str, *, start: int = 0, size: int | None = None) -> bytes:
        import oss2.exceptions

        if size == 0:
            return b""
        with self._errors("reading", key):
            try:
                return retrying(lambda: self._read_once(self._prefix + key, start, size), TransferProgress())
            except oss2.exceptions.ServerError as exc:
                if exc.status != 416:
                    raise
                return b""  # there is nothing at `start`

    def head(self, key: str) -> Entry | None:
        found = self._head(key)
        return found and Entry(key=key, size=found.content_length, modified=found.last_modified, etag=found.etag)

    def holds(
        self, key: str, path: Path, *, listed: Entry | None = None, progress: TransferProgress | None = None
    ) -> bool:
        watched = progress or TransferProgress()
        if listed is not None and _MD5.fullmatch(listed.etag) and md5_of_file(path, watched) == listed.etag:
            return True
        answer = self._head(key)
        if answer is None or answer.server_crc is None or answer.content_length != size_of(path):
            return False
        return bool(crc_of_file(path, watched) == answer.server_crc)

    def list(self, prefix: str = "", *, recursive: bool = False, after: str = "") -> Iterator[Entry]:
        token: str | None = ""
        while token is not None:
            page = self._page(prefix, token, "" if recursive else "/", after)
            entries = sorted(self._entries(page, self._prefix + prefix), key=lambda entry: entry.key.encode())
            # The files of a directory follow its own key, and so would list the directory again.
            yield from (entry for entry in entries if not after or entry.key.encode() > after.encode())
            token = page.next_continuation_token if page.is_truncated else None

    def delete(self, keys: Iterable[str]) -> None:
        plain: list[str] = []
        for key in keys:
            name = self._prefix + key
            if _NO_XML.search(name):
                self._delete_one(name)
            else:
                plain.append(name)
            if len(plain) == _PAGE:
                self._delete_many(plain)
                plain = []
        self._delete_many(plain)

    def delete_tree(self, key: str) -> int:
        files = 0

        def keys() -> Iterator[str]:
            nonlocal files
            for entry in self.list(key, recursive=True):
                files += not entry.is_directory
                yield entry.key
            if key:
                yield key  # the directory's own object last: an interrupted deletion can be repeated

        self.delete(keys())
        return files

    def presign(self, key: str, *, seconds: int) -> str:
        with self._errors("signing an address of", key):
            return str(self._bucket.sign_url("GET", self._prefix + key, seconds, slash_safe=True))

    def _put(self, name: str, source: Path | bytes, headers: Mapping[str, str], progress: TransferProgress) -> None:
        if isinstance(source, Path) and size_of(source) > LARGE:
            where = f"{self._bucket.endpoint}/{self._bucket.bucket_name}"
            with recorded(self._records, "upload", where, name, str(source.absolute())) as record:
                PartsUpload(self._bucket, name, source, headers=headers, record=record, progress=progress).run()
            return

        def put_once() -> None:
            with reading(source, progress) as body:
                answer = self._bucket.put_object(name, body, headers=headers)
            check_stored(answer, lambda: md5_of(source, progress))

        retrying(put_once, progress)

    def _get_unless_large(self, name: str, to: Path, progress: TransferProgress) -> Any:  # Any: oss2 has no types
        """Download the object; if it is large, return the answer with its size and checksum instead."""
        answer = self._bucket.get_object(name)
        check_object(answer)
        if answer.content_length > LARGE:
            answer.close()
            return answer
        download_whole(answer, to, progress)
        return None

    def _read_once(self, name: str, start: int, size: int | None) -> bytes:
        is_whole = start == 0 and size is None
        answer = self._bucket.get_object(
            name,
            byte_range=None if is_whole else (start, None if size is None else start + size - 1),
            headers={
                "x-oss-range-behavior": "standard"
            },  # else OSS answers a range after the end with the whole object
        )
        check_object(answer)
        blocks: list[bytes] = []
        crc = receive(answer, answer.content_length, blocks.append, lambda _: None)
        if is_whole and answer.server_crc not in (None, crc):
            raise damaged(answer.request_id)
        return b"".join(blocks)

    def _head(self, key: str) -> Any:  # Any: oss2 has no types
        import oss2.exceptions

        with self._errors("looking at", key):
            try:
                answer = retrying(lambda: self._bucket.head_object(self._prefix + key), TransferProgress())
            except oss2.exceptions.ServerError as exc:
                if exc.status != 404 or exc.code not in ("NoSuchKey", ""):
                    raise
                return None
            check_object(answer)
            return answer

    def _page(self, prefix: str, token: str, delimiter: str, after: str) -> Any:  # Any: oss2 has no types
        with self._errors("listing", prefix):
            return retrying(
                lambda: self._bucket.list_objects_v2(
                    self._prefix + prefix,
                    delimiter=delimiter,
                    continuation_token=token,
                    start_after=self._prefix + after if after else "",
                    max_keys=_PAGE,
                ),
                TransferProgress(),
            )

    def _entries(self, page: Any, asked: str) -> Iterator[Entry]:  # Any: oss2 has no types
        for name in page.prefix_list:
            yield Entry(key=name.removeprefix(self._prefix))
        for each in page.object_list:
            if each.key == asked and asked.endswith("/"):
                continue  # the key of the directory itself, a marker object
            key = each.key.removeprefix(self._prefix)
            if key.endswith("/"):
                yield Entry(key=key)
            else:
                yield Entry(key=key, size=each.size, modified=each.last_modified, etag=each.etag)

    def _delete_one(self, name: str) -> None:
        with self._errors("deleting", name.removeprefix(self._prefix)):
            retrying(lambda: self._bucket.delete_object(name), TransferProgress())

    def _delete_many(self, names: Sequence[str]) -> None:
        if not names:
            return
        with self._errors("deleting", ""):
            answer = retrying(lambda: self._bucket.batch_delete_objects(names), TransferProgress())
        if left := set(names) - set(answer.deleted_keys):
            example = shown(min(left))
            raise BackendError(f"OSS did not delete {len(left)} of {len(names)} objects, {example} among them.")

    def _errors(self, action: str, key: str) -> AbstractContextManager[None]:
        # Without the endpoint: `host:port` would hide the bucket's name.
        name = OssUrl(bucket_name=self._bucket.bucket_name, object_key=self._prefix + key)
        return oss_errors(f"{action} {shown(str(name))}")
