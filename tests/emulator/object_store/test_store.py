"""The objects of the emulator on the disk: whole or not at all, through kills and restarts, whoever reads meanwhile."""

import hashlib
import os
import random
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.emulator.object_store.store import ObjectStore
from pai_jupyter.emulator.oss_protocol.checksum import combined, crc64
from pai_jupyter.emulator.oss_protocol.model import Object
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal

BUCKET = "bucket"
PART = 100 * 1024
ODD_KEYS = [
    "a b",
    "训练/x",
    "a+b%20",
    "line\nbreak",
    "../../etc/passwd",
    "a//b",
    "a/",
    "k" * 1023,
    "\x00",
    "é",
    "'\"`$",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path / "oss", now=lambda: 1_700_000_000.9)
    store.create_bucket(BUCKET)
    yield store
    store.close()


def put(store: ObjectStore, key: str, data: bytes = b"") -> Object:
    return store.put(BUCKET, key, store.draft(data))


def read(store: ObjectStore, key: str) -> bytes:
    _, reading = store.open(BUCKET, key)
    with reading:
        return b"".join(reading.blocks())


def keys(store: ObjectStore) -> list[str]:
    return [found.key for found in store.page(BUCKET).objects]


def files(root: Path) -> list[Path]:
    """The files with the bytes of objects."""
    return [path for path in (root / "oss" / "content").rglob("*") if path.is_file()]


def test_a_checksum_is_that_of_the_protocol() -> None:
    assert crc64(b"123456789") == 11051210869376104954
    assert crc64(b"") == 0


@pytest.mark.parametrize("size", [0, 1, 7, 8, 1000, 102_400, 1_000_003])
def test_checksums_are_put_together(size: int) -> None:
    first, second = b"first", random.Random(size).randbytes(size)
    assert combined(crc64(first), crc64(second), size) == crc64(first + second)
    assert crc64(second, crc64(first)) == crc64(first + second)


@pytest.mark.parametrize("key", ODD_KEYS)
def test_any_key_comes_back_after_a_restart(tmp_path: Path, key: str) -> None:
    first = ObjectStore(tmp_path / "oss")
    first.create_bucket(BUCKET, "public-read")
    first.put(BUCKET, key, first.draft(b"content"), headers={"x-oss-meta-author": "训练"}, acl="private")
    before = first.get(BUCKET, key)
    first.close()
    second = ObjectStore(tmp_path / "oss")
    assert second.get(BUCKET, key) == before
    assert second.bucket(BUCKET).acl == "public-read"
    assert read(second, key) == b"content"
    assert keys(second) == [key]
    second.close()


@pytest.mark.parametrize("key", ["", "/a", "\\a", "k" * 1024, "\udcff"])
def test_what_can_be_no_key_is_refused(store: ObjectStore, key: str) -> None:
    with pytest.raises(OssRefusal) as caught:
        put(store, key)
    assert caught.value.code == "InvalidObjectName"


@pytest.mark.parametrize("name", ["", "ab", "A-bucket", "a_b", "-ab", "a" * 64, "../x", "a.b"])
def test_what_can_be_no_bucket_is_refused(store: ObjectStore, name: str) -> None:
    with pytest.raises(OssRefusal) as caught:
        store.create_bucket(name)
    assert caught.value.code == "InvalidBucketName"
    assert not store.exists(name)


def test_an_object_has_the_sums_of_its_bytes(store: ObjectStore) -> None:
    data = random.Random(1).randbytes(3_000_000)
    stored = put(store, "key", data)
    assert stored.content.etag == hashlib.md5(data).hexdigest().upper()
    assert (stored.content.crc, stored.content.size) == (crc64(data), len(data))
    assert stored.modified == 1_700_000_000
    assert read(store, "key") == data


def test_replacing_and_deleting_leave_no_bytes_behind(store: ObjectStore, tmp_path: Path) -> None:
    put(store, "key", b"old")
    put(store, "key", b"new")
    assert len(files(tmp_path)) == 1
    store.delete(BUCKET, "key")
    store.delete(BUCKET, "key")
    assert files(tmp_path) == []


def test_what_is_not_to_be_replaced_stays(store: ObjectStore, tmp_path: Path) -> None:
    put(store, "key", b"old")
    draft = store.draft(b"new")
    with pytest.raises(OssRefusal) as caught:
        store.put(BUCKET, "key", draft, replaces=False)
    draft.discard()
    assert caught.value.code == "FileAlreadyExists"
    assert read(store, "key") == b"old"
    assert len(files(tmp_path)) == 1


def test_who_reads_has_the_object_as_it_was(store: ObjectStore, tmp_path: Path) -> None:
    put(store, "key", b"old")
    _, reading = store.open(BUCKET, "key")
    put(store, "key", b"new")
    store.delete(BUCKET, "key")
    assert b"".join(reading.blocks()) == b"old"
    reading.close()
    assert files(tmp_path) == []


def test_a_range_may_lie_across_pieces(store: ObjectStore) -> None:
    for position, data in ((0, b"0123"), (4, b"456"), (7, b""), (7, b"789")):
        store.append(BUCKET, "key", position, store.draft(data), headers={})
    _, reading = store.open(BUCKET, "key")
    with reading:
        for start in range(11):
            for end in range(start, 11):
                assert b"".join(reading.blocks(start, end)) == b"0123456789"[start:end]


def test_an_append_changes_the_sums_and_keeps_the_headers(store: ObjectStore) -> None:
    first = store.append(BUCKET, "log", 0, store.draft(b"same"), headers={"content-type": "text/plain"})
    second = store.append(BUCKET, "log", 4, store.draft(b"same"), headers={"content-type": "image/png"})
    assert second.content.crc == crc64(b"samesame")
    assert second.content.etag != first.content.etag
    assert (second.kind, second.headers) == ("Appendable", {"content-type": "text/plain"})


@pytest.mark.parametrize("position", [0, 3, 5])
def test_an_append_elsewhere_than_at_the_end_is_refused(store: ObjectStore, position: int) -> None:
    store.append(BUCKET, "log", 0, store.draft(b"1234"), headers={})
    with pytest.raises(OssRefusal) as caught:
        store.append(BUCKET, "log", position, store.draft(b"x"), headers={})
    assert caught.value.code == "PositionNotEqualToLength"
    assert caught.value.headers == {"x-oss-next-append-position": "4"}
    assert read(store, "log") == b"1234"


def test_nothing_is_appended_to_an_object_that_was_put(store: ObjectStore) -> None:
    put(store, "key", b"1234")
    with pytest.raises(OssRefusal) as caught:
        store.append(BUCKET, "key", 4, store.draft(b"x"), headers={})
    assert caught.value.code == "ObjectNotAppendable"


def test_a_copy_outlives_its_original_and_may_be_its_own(store: ObjectStore, tmp_path: Path) -> None:
    put(store, "from", b"content")
    for target in ("to", "from"):
        source, reading = store.open(BUCKET, "from")
        with reading:
            store.copy(source, BUCKET, target, headers={"x-oss-meta-a": "b"})
    assert store.get(BUCKET, "from").headers == {"x-oss-meta-a": "b"}
    store.delete(BUCKET, "from")
    assert read(store, "to") == b"content"
    assert len(files(tmp_path)) == 1


def test_what_a_killed_emulator_left_half_written_is_swept(tmp_path: Path) -> None:
    program = f"""
import os, signal
from pathlib import Path
from pai_jupyter.emulator.object_store.store import ObjectStore
store = ObjectStore(Path({str(tmp_path / "oss")!r}))
store.create_bucket({BUCKET!r})
store.put({BUCKET!r}, "done", store.draft(b"done"))
store.draft(b"half")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    store = ObjectStore(tmp_path / "oss")
    assert read(store, "done") == b"done"
    assert len(files(tmp_path)) == 1
    store.close()


def test_concurrent_puts_of_one_key_leave_one_of_them(store: ObjectStore, tmp_path: Path) -> None:
    threads = [threading.Thread(target=put, args=(store, "key", bytes([n]) * 1000)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(store, "key") in {bytes([n]) * 1000 for n in range(16)}
    assert len(files(tmp_path)) == 1


def test_a_large_object_does_not_go_through_memory_as_a_whole(store: ObjectStore) -> None:
    block = bytes(1 << 20)
    tracemalloc.start()
    draft = store.draft()
    for _ in range(50):
        draft.write(block)
    store.put(BUCKET, "large", draft)
    _, reading = store.open(BUCKET, "large")
    with reading:
        assert sum(map(len, reading.blocks())) == 50 << 20
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 << 20


def test_a_bucket_with_something_in_it_stays(store: ObjectStore) -> None:
    def is_refused() -> bool:
        try:
            store.remove_bucket(BUCKET)
        except OssRefusal as refusal:
            return refusal.code == "BucketNotEmpty"
        return False

    upload = store.uploads.begin(BUCKET, "key")
    assert is_refused()
    store.uploads.abort(BUCKET, "key", upload.upload_id)
    put(store, "other")
    assert is_refused()
    store.delete(BUCKET, "other")
    assert not is_refused()
    assert not store.exists(BUCKET)


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize("delimiter", ["", "/", "b/", "训"])
@pytest.mark.parametrize("prefix", ["", "a", "a/", "none"])
def test_pages_of_any_size_tell_the_same(store: ObjectStore, prefix: str, delimiter: str, limit: int) -> None:
    there = ["a", "a/", "a/b/c", "a/b/d", "a/c", "a0", "ab/x", "b", "训练/x", "训/y", "\U0010ffff"]
    for key in there:
        put(store, key)
    told, after = list[str](), ""
    while True:
        page = store.page(BUCKET, prefix=prefix, delimiter=delimiter, after=after, limit=limit)
        names = sorted([found.key for found in page.objects] + page.prefixes, key=str.encode)
        assert len(names) == limit or page.next is None
        told += names
        if page.next is None:
            break
        after = page.next
    assert told == expected(there, prefix, delimiter)


def expected(there: list[str], prefix: str, delimiter: str) -> list[str]:
    names = set()
    for key in there:
        if key.startswith(prefix):
            at = key.find(delimiter, len(prefix)) if delimiter else -1
            names.add(key if at < 0 else key[: at + len(delimiter)])
    return sorted(names, key=str.encode)


def parts_of(store: ObjectStore, sizes: list[int]) -> tuple[str, list[tuple[int, str]], bytes]:
    """An upload with parts of these sizes: its id, the parts as they are named, the bytes."""
    upload_id = store.uploads.begin(BUCKET, "big", headers={"content-type": "text/csv"}).upload_id
    named, whole = [], b""
    for number, size in enumerate(sizes, start=1):
        data = random.Random(number).randbytes(size)
        part = store.uploads.put_part(BUCKET, "big", upload_id, number, store.draft(data))
        named.append((number, part.content.etag))
        whole += data
    return upload_id, named, whole


def test_parts_become_an_object(store: ObjectStore, tmp_path: Path) -> None:
    upload_id, named, whole = parts_of(store, [PART, PART + 1, PART, 5])
    stored = store.uploads.complete(BUCKET, "big", upload_id, [named[0], named[1], named[3]])
    left = whole[: 2 * PART + 1] + whole[-5:]
    assert read(store, "big") == left
    digests = b"".join(bytes.fromhex(named[n][1]) for n in (0, 1, 3))
    assert stored.content.etag == hashlib.md5(digests).hexdigest().upper() + "-3"
    assert (stored.content.crc, stored.kind) == (crc64(left), "Multipart")
    assert stored.headers == {"content-type": "text/csv"}
    assert store.uploads.of(BUCKET) == []
    assert len(files(tmp_path)) == 3, "the part that was not named is gone"


def test_parts_survive_a_restart_and_go_with_their_upload(tmp_path: Path) -> None:
    first = ObjectStore(tmp_path / "oss")
    first.create_bucket(BUCKET)
    upload_id, named, whole = parts_of(first, [PART, 5])
    first.close()
    second = ObjectStore(tmp_path / "oss")
    assert [(part.number, part.content.etag) for part in second.uploads.parts(BUCKET, "big", upload_id)] == named
    second.uploads.complete(BUCKET, "big", upload_id, None)
    assert read(second, "big") == whole
    other, _, _ = parts_of(second, [PART])
    second.uploads.abort(BUCKET, "big", other)
    assert len(files(tmp_path)) == 2
    second.close()


@pytest.mark.parametrize(
    ("sizes", "order", "code"),
    [
        ([PART, PART], [1, 0], "InvalidPartOrder"),
        ([PART, PART], [0, 0], "InvalidPartOrder"),
        ([PART - 1, PART], [0, 1], "EntityTooSmall"),
        ([], [], "InvalidPart"),
    ],
)
def test_parts_that_do_not_fit_become_no_object(
    store: ObjectStore, sizes: list[int], order: list[int], code: str
) -> None:
    upload_id, named, _ = parts_of(store, sizes)
    with pytest.raises(OssRefusal) as caught:
        store.uploads.complete(BUCKET, "big", upload_id, [named[n] for n in order])
    assert caught.value.code == code
    assert len(store.uploads.parts(BUCKET, "big", upload_id)) == len(sizes)
    assert keys(store) == []


@pytest.mark.parametrize("wrong", [(1, "0" * 32), (2, "")])
def test_a_part_with_another_etag_or_that_is_missing_is_refused(store: ObjectStore, wrong: tuple[int, str]) -> None:
    upload_id, _, _ = parts_of(store, [PART])
    with pytest.raises(OssRefusal) as caught:
        store.uploads.complete(BUCKET, "big", upload_id, [wrong])
    assert caught.value.code == "InvalidPart"


def test_an_upload_belongs_to_its_key(store: ObjectStore) -> None:
    upload_id, named, _ = parts_of(store, [PART])
    for key, asked in (("other", upload_id), ("big", "NONE")):
        with pytest.raises(OssRefusal) as caught:
            store.uploads.complete(BUCKET, key, asked, named)
        assert caught.value.code == "NoSuchUpload"


@pytest.mark.parametrize("number", [0, -1, 10_001])
def test_a_part_has_a_number_that_parts_have(store: ObjectStore, number: int) -> None:
    upload_id, _, _ = parts_of(store, [])
    draft = store.draft(b"x")
    with pytest.raises(OssRefusal) as caught:
        store.uploads.put_part(BUCKET, "big", upload_id, number, draft)
    draft.discard()
    assert caught.value.code == "InvalidArgument"


def test_a_bucket_that_is_not_there_holds_nothing(store: ObjectStore) -> None:
    for action in (
        lambda: store.get("other", "key"),
        lambda: store.put("other", "key", store.draft(b"x")),
        lambda: store.page("other"),
        lambda: store.delete("other", "key"),
        lambda: store.uploads.begin("other", "key"),
        lambda: store.materialise("other", "", Path(os.devnull)),
        lambda: store.absorb(Path(os.devnull), "other", ""),
    ):
        with pytest.raises(OssRefusal) as caught:
            action()
        assert caught.value.code == "NoSuchBucket"
