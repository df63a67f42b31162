"""`oss2`, unchanged, uses the emulator's OSS: path style and virtual-hosted, small objects and large, and after a kill."""

import base64
import hashlib
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from pai_jupyter.storage.oss.connection import load
from tests.support.buckets import AUTHS, Bucket, bucket_of, emptied, refused
from tests.support.emulators import BUCKET, REGION, Emulator, emulator

oss2 = load()
pytestmark = pytest.mark.usefixtures("fine")
PART = 100 * 1024
ODD_KEYS = [
    "a b",
    "训练/x",
    "a+b%20",
    "line\nbreak",
    "../../x",
    "a//b",
    "a?b#c&d=e",
    "k" * 1000,
    "tab\t\x01",
    "~-_.",
    "é'\"`$",
]


@pytest.fixture(params=[*((how, "path") for how in AUTHS), ("v1", "host"), ("v4", "host")], ids=lambda it: "-".join(it))
def any_bucket(running: Emulator, request: pytest.FixtureRequest) -> Iterator[Bucket]:
    """The same bucket, signed and addressed in each way; empty."""
    how, style = request.param
    with emptied(bucket_of(running, AUTHS[how](), style=style)) as bucket:
        yield bucket


@pytest.fixture
def bucket(running: Emulator) -> Iterator[Bucket]:
    with emptied(bucket_of(running, AUTHS["v4"]())) as bucket:
        yield bucket


def test_objects_of_any_name_go_there_and_back(any_bucket: Bucket) -> None:
    for key in ODD_KEYS:
        put = any_bucket.put_object(key, key.encode(), headers={"x-oss-meta-Name": "v", "Content-Type": "text/x"})
        got = any_bucket.get_object(key)
        assert got.read() == key.encode()
        assert got.client_crc == got.server_crc
        head = any_bucket.head_object(key)
        assert head.etag == put.etag == hashlib.md5(key.encode()).hexdigest().upper()
        assert (head.content_length, head.content_type, head.object_type) == (len(key.encode()), "text/x", "Normal")
        assert head.headers["x-oss-meta-name"] == "v"
        assert any_bucket.get_object_meta(key).content_length == head.content_length
    for iterator in (oss2.ObjectIterator, oss2.ObjectIteratorV2):
        assert [found.key for found in iterator(any_bucket, max_keys=2)] == sorted(ODD_KEYS, key=str.encode)
    named = [key for key in ODD_KEYS if "\x01" not in key]  # the SDK writes it into XML, which cannot hold it
    assert set(any_bucket.batch_delete_objects(named).deleted_keys) == set(named)
    any_bucket.delete_object("tab\t\x01")
    assert list(oss2.ObjectIterator(any_bucket)) == []


def test_parts_are_put_copied_listed_and_joined(any_bucket: Bucket) -> None:
    first, second = random.Random(1).randbytes(2 * PART), random.Random(2).randbytes(PART + 7)
    any_bucket.put_object("训练 source", first)
    upload_id = any_bucket.init_multipart_upload("a b/big", headers={"Content-Type": "text/csv"}).upload_id
    assert [up.upload_id for up in oss2.MultipartUploadIterator(any_bucket)] == [upload_id]
    parts = [
        any_bucket.upload_part_copy(
            any_bucket.bucket_name, "训练 source", (PART, 2 * PART - 1), "a b/big", upload_id, 1
        ),
        any_bucket.upload_part("a b/big", upload_id, 2, second),
    ]
    listed = list(oss2.PartIterator(any_bucket, "a b/big", upload_id, max_parts=1))
    assert [(it.part_number, it.etag, it.size) for it in listed] == [
        (1, parts[0].etag, PART),
        (2, parts[1].etag, PART + 7),
    ]
    done = any_bucket.complete_multipart_upload(
        "a b/big", upload_id, [oss2.models.PartInfo(n, part.etag) for n, part in enumerate(parts, start=1)]
    )
    got = any_bucket.get_object("a b/big")
    assert got.read() == first[PART:] + second
    assert (got.etag, got.content_type) == (done.etag, "text/csv")
    assert done.etag.endswith("-2")
    assert list(oss2.MultipartUploadIterator(any_bucket)) == []


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 200),
        ({"If-Match": "ETAG"}, 200),
        ({"If-Match": '"ETAG"'}, 200),
        ({"If-Match": "other"}, 412),
        ({"If-None-Match": "ETAG"}, 304),
        ({"If-None-Match": "other"}, 200),
        ({"If-Modified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"}, 200),
        ({"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 304),
        ({"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"}, 412),
        ({"If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 200),
        ({"If-Modified-Since": "nonsense"}, 200),
    ],
)
def test_conditions(bucket: Bucket, headers: dict[str, str], expected: int) -> None:
    etag = bucket.put_object("key", b"x").etag
    asked = {name: value.replace("ETAG", etag) for name, value in headers.items()}
    for ask in (bucket.get_object, bucket.head_object):
        if expected == 200:
            assert ask("key", headers=asked).status == 200
        else:
            status, code = refused(partial(ask, "key", headers=asked))
            assert status == expected
            assert code == ("PreconditionFailed" if expected == 412 and ask == bucket.get_object else code)


@pytest.mark.parametrize(
    ("asked", "plain", "standard"),
    [
        ("bytes=2-4", b"234", b"234"),
        ("bytes=7-", b"789", b"789"),
        ("bytes=-3", b"789", b"789"),
        ("bytes=0-9", b"0123456789", b"0123456789"),
        ("bytes=2-3,5-6", b"23", b"23"),
        ("bytes=8-100", None, b"89"),
        ("bytes=-100", None, b"0123456789"),
        ("bytes=10-", None, 416),
        ("bytes=99-100", None, 416),
        ("bytes=5-3", None, None),
        ("bytes=-", None, None),
        ("byte=1-2", None, None),
        ("bytes=x-y", None, None),
    ],
)
def test_ranges(bucket: Bucket, asked: str, plain: bytes | None, standard: bytes | int | None) -> None:
    """None: it is no range to the service, so the whole object comes."""
    bucket.put_object("digits", b"0123456789")
    for headers, expected in (({}, plain), ({"x-oss-range-behavior": "standard"}, standard)):
        ask = {"Range": asked, **headers}
        if isinstance(expected, int):
            assert refused(partial(bucket.get_object, "digits", headers=ask)) == (416, "InvalidRange")
            continue
        got = bucket.get_object("digits", headers=ask)
        assert got.read() == (b"0123456789" if expected is None else expected)
        assert got.status == (200 if expected is None else 206)
        assert got.server_crc == bucket.head_object("digits").server_crc, "that of the whole"


def test_an_append_goes_on_where_the_object_ends(bucket: Bucket) -> None:
    first = bucket.append_object("log", 0, b"one", init_crc=0)
    second = bucket.append_object("log", first.next_position, b"two", init_crc=first.crc)
    assert second.next_position == 6
    assert bucket.get_object("log").read() == b"onetwo"
    assert bucket.head_object("log").object_type == "Appendable"
    with pytest.raises(oss2.exceptions.PositionNotEqualToLength) as caught:
        bucket.append_object("log", 3, b"x")
    assert caught.value.next_position == 6
    bucket.put_object("put", b"x")
    assert refused(lambda: bucket.append_object("put", 1, b"x")) == (409, "ObjectNotAppendable")


@pytest.mark.parametrize("key", ["copy", "训练 +%", "source"])
def test_a_copy_keeps_its_headers_or_takes_new_ones(bucket: Bucket, key: str) -> None:
    etag = bucket.put_object("source", b"x", headers={"x-oss-meta-a": "old", "Content-Type": "text/old"}).etag
    assert bucket.copy_object(BUCKET, "source", key).etag == etag
    assert bucket.head_object(key).headers["x-oss-meta-a"] == "old"
    new = {"x-oss-metadata-directive": "REPLACE", "x-oss-meta-a": "new"}
    bucket.copy_object(BUCKET, key, key, headers=new)
    assert bucket.head_object(key).headers["x-oss-meta-a"] == "new"
    assert refused(lambda: bucket.copy_object(BUCKET, "missing", "x")) == (404, "NoSuchKey")
    other = {"x-oss-copy-source-if-match": "other"}
    assert refused(lambda: bucket.copy_object(BUCKET, "source", "x", headers=other)) == (412, "PreconditionFailed")


def test_nothing_is_overwritten_where_that_is_forbidden(bucket: Bucket) -> None:
    once = {"x-oss-forbid-overwrite": "true"}
    bucket.put_object("key", b"first", headers=once)
    bucket.put_object("other", b"x")
    for action in (
        lambda: bucket.put_object("key", b"second", headers=once),
        lambda: bucket.copy_object(BUCKET, "other", "key", headers=once),
        lambda: bucket.init_multipart_upload("key", headers=once),
    ):
        assert refused(action) == (409, "FileAlreadyExists")
    assert bucket.get_object("key").read() == b"first"


def test_what_arrives_otherwise_than_its_digest_says_is_refused(bucket: Bucket) -> None:
    wrong = base64.b64encode(hashlib.md5(b"other").digest()).decode()
    assert refused(lambda: bucket.put_object("key", b"x", headers={"Content-MD5": wrong})) == (400, "InvalidDigest")
    assert not bucket.object_exists("key")


def test_a_body_may_come_in_chunks_of_unknown_number(bucket: Bucket) -> None:
    chunks = [random.Random(n).randbytes(300_000) for n in range(10)]
    bucket.put_object("chunked", iter(chunks))
    assert bucket.get_object("chunked").read() == b"".join(chunks)


@pytest.mark.parametrize(
    ("action", "status", "code"),
    [
        (lambda bucket: bucket.get_object("missing"), 404, "NoSuchKey"),
        (lambda bucket: bucket.head_object("missing"), 404, "NoSuchKey"),
        (lambda bucket: bucket.get_object_meta("missing"), 404, "NoSuchKey"),
        (lambda bucket: bucket.upload_part("key", "none", 1, b"x"), 404, "NoSuchUpload"),
        (lambda bucket: bucket.complete_multipart_upload("key", "none", []), 404, "NoSuchUpload"),
        (lambda bucket: bucket.abort_multipart_upload("key", "none"), 404, "NoSuchUpload"),
        (lambda bucket: bucket.list_objects(max_keys=1001), 400, "InvalidArgument"),
        (lambda bucket: bucket.list_objects_v2(continuation_token="%"), 400, "InvalidArgument"),
        (lambda bucket: bucket.put_object("key", b"", headers={"x-oss-object-acl": "x"}), 400, "InvalidArgument"),
        (lambda bucket: bucket.put_object("/key", b""), 400, "InvalidObjectName"),
        (lambda bucket: bucket.put_object("k" * 1024, b""), 400, "InvalidObjectName"),
        (lambda bucket: bucket.get_object_tagging("no key"), 404, "NoSuchKey"),
        (lambda bucket: bucket.get_bucket_lifecycle(), 501, "NotImplemented"),
        (lambda bucket: bucket.batch_delete_objects(["k"] * 1001), 400, "MalformedXML"),
    ],
)
def test_what_cannot_be_done_has_the_clouds_code(
    bucket: Bucket, action: Callable[[Bucket], object], status: int, code: str
) -> None:
    with pytest.raises(oss2.exceptions.OssError) as caught:
        action(bucket)
    assert (caught.value.status, caught.value.code) == (status, code)
    assert len(caught.value.request_id) == 24


@pytest.mark.parametrize("style", ["path", "host"])
def test_buckets_are_made_told_and_removed(running: Emulator, style: str) -> None:
    made = bucket_of(running, AUTHS["v4"](), name=f"made-{style}", style=style)
    assert refused(lambda: made.get_bucket_info()) == (404, "NoSuchBucket")
    assert refused(lambda: made.put_object("key", b"")) == (404, "NoSuchBucket")
    made.create_bucket(oss2.BUCKET_ACL_PUBLIC_READ)
    info = made.get_bucket_info()
    assert (info.name, info.acl.grant, info.location) == (f"made-{style}", "public-read", "oss-cn-emulator")
    assert made.get_bucket_location().location == "oss-cn-emulator"
    made.put_bucket_acl(oss2.BUCKET_ACL_PRIVATE)
    assert made.get_bucket_acl().acl == "private"
    made.put_object("key", b"12345")
    stat = made.get_bucket_stat()
    assert (stat.object_count, stat.storage_size_in_bytes) == (1, 5)
    assert refused(lambda: made.delete_bucket()) == (409, "BucketNotEmpty")
    made.delete_object("key")
    made.delete_bucket()
    assert refused(lambda: made.get_bucket_info()) == (404, "NoSuchBucket")


@pytest.mark.parametrize("proxies", [False, True])
def test_the_buckets_of_an_account_are_listed(running: Emulator, proxies: bool) -> None:
    for name in ("listed-1", "listed-2"):
        bucket_of(running, AUTHS["v4"](), name=name).create_bucket()
    if proxies:
        endpoint, through = "http://oss-cn-emulator.aliyuncs.com", {"http": running.address}
        service = oss2.Service(AUTHS["v4"](), endpoint, region=REGION, proxies=through)
    else:
        service = oss2.Service(AUTHS["v4"](), running.address, region=REGION)
    assert {it.name for it in oss2.BucketIterator(service, max_keys=1)} >= {BUCKET, "listed-1", "listed-2"}
    assert [it.name for it in oss2.BucketIterator(service, prefix="listed")] == ["listed-1", "listed-2"]


def test_directories_are_one_entry_of_a_listing(bucket: Bucket) -> None:
    for key in ("a.txt", "sub/b", "sub/deep/c", "subway", "训练/x"):
        bucket.put_object(key, b"")
    for page in (1, 2, 100):
        for iterator in (oss2.ObjectIterator, oss2.ObjectIteratorV2):
            told = [it.key for it in iterator(bucket, delimiter="/", max_keys=page)]
            assert told == ["a.txt", "sub/", "subway", "训练/"]
            assert [it.key for it in iterator(bucket, prefix="sub/", delimiter="/", max_keys=page)] == [
                "sub/b",
                "sub/deep/",
            ]


@pytest.mark.parametrize("threads", [1, 4])
def test_a_large_file_goes_there_and_back_in_parts(bucket: Bucket, tmp_path: Path, threads: int) -> None:
    data = random.Random(threads).randbytes(5 * PART + 123)
    (tmp_path / "file").write_bytes(data)
    sizes = {"part_size": PART, "num_threads": threads}
    store = oss2.ResumableStore(root=str(tmp_path))
    oss2.resumable_upload(bucket, "big", str(tmp_path / "file"), multipart_threshold=1, store=store, **sizes)
    down = oss2.ResumableDownloadStore(root=str(tmp_path))
    oss2.resumable_download(bucket, "big", str(tmp_path / "back"), multiget_threshold=1, store=down, **sizes)
    assert (tmp_path / "back").read_bytes() == data
    assert bucket.head_object("big").object_type == "Multipart"


def test_fifty_megabytes_do_not_go_through_memory_as_a_whole(bucket: Bucket, running: Emulator) -> None:
    data = random.Random(1).randbytes(1 << 20) * 50
    bucket.put_object("warm", data[: 3 << 20])
    bucket.get_object("warm").read()
    before = peak_memory(running)
    bucket.put_object("large", data)
    got = bucket.get_object("large")
    assert got.read() == data
    assert got.client_crc == got.server_crc
    assert peak_memory(running) - before < 20 << 20


def peak_memory(running: Emulator) -> int:
    assert running.process is not None
    status = Path(f"/proc/{running.process.pid}/status")
    if not status.exists():
        pytest.skip("this system does not tell the memory of a process")
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024


def test_many_clients_at_once(bucket: Bucket) -> None:
    def there_and_back(n: int) -> bytes:
        bucket.put_object(f"many/{n % 50}", b"%03d" % (n % 50))
        return bytes(bucket.get_object(f"many/{n % 50}").read())

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(there_and_back, range(400))) == [b"%03d" % (n % 50) for n in range(400)]


def test_a_killed_emulator_has_everything_when_it_is_back(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        bucket = bucket_of(running, AUTHS["v4"]())
        bucket.put_object("训练 +%", b"content", headers={"x-oss-meta-a": "b"})
        bucket.append_object("log", 0, b"one")
        upload_id = bucket.init_multipart_upload("big").upload_id
        etag = bucket.upload_part("big", upload_id, 1, bytes(PART)).etag
        before = bucket.head_object("训练 +%")
        running.kill()
        running.start()
        bucket = bucket_of(running, AUTHS["v4"]())
        after = bucket.head_object("训练 +%")
        assert (after.etag, after.last_modified, after.server_crc) == (
            before.etag,
            before.last_modified,
            before.server_crc,
        )
        assert after.headers["x-oss-meta-a"] == "b"
        bucket.append_object("log", 3, b"two")
        assert bucket.get_object("log").read() == b"onetwo"
        bucket.complete_multipart_upload("big", upload_id, [oss2.models.PartInfo(1, etag)])
        assert bucket.get_object("big").read() == bytes(PART)
