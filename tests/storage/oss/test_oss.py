"""What only a bucket does: signatures, faults of the network, renewed tokens, logs without secrets, the SDK's own Bucket."""

import logging
import re
import subprocess
import sys
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.errors import AuthError, BackendError, ProtocolError, SpecError, UnavailableError
from pai_jupyter.storage import open_storage, upload
from pai_jupyter.storage.oss import OssStorage, bucket, connection
from tests.fakes.oss import BUCKET, KEY_ID, REGION, SECRET, Break, FakeOss, Key
from tests.support.storages import TestKey, open_oss, oss, read_tree, write_tree

__all__ = ["oss"]
TOKEN = "STS.a+b/c=="


@pytest.mark.parametrize(("region", "version"), [(REGION, "v4"), (None, "v1")])
def test_version_4_signatures_where_the_region_is_known(oss: FakeOss, region: str | None, version: str) -> None:
    storage = open_oss(oss, "训练 +%", region=region)
    storage.put("a b#?", b"x")
    list(storage.list())
    assert storage.read("a b#?") == b"x"
    storage.delete(["a b#?"])
    assert oss.versions == {version}
    assert oss.objects == {}


@pytest.mark.parametrize(
    "fault", [OssRefusal(503, "ServiceUnavailable"), OssRefusal(429, "TooManyRequests"), "reset", "lost"]
)
@pytest.mark.parametrize(
    ("method", "action"),
    [
        ("PUT", lambda storage: storage.put("new", b"x" * 100_000)),
        ("GET", lambda storage: storage.read("key")),
        ("HEAD", lambda storage: storage.head("key")),
        ("GET", lambda storage: list(storage.list())),
        ("POST", lambda storage: storage.delete(["key"])),
        ("DELETE", lambda storage: storage.delete(["key\n"])),
    ],
)
def test_what_fails_twice_is_tried_a_third_time(
    oss: FakeOss, method: str, action: Callable[[OssStorage], object], fault: Break | OssRefusal
) -> None:
    oss.put("key", b"content")
    oss.put("key\n", b"content")
    oss.fault(fault, method, times=2)
    action(OssStorage(bucket(BUCKET, credentials=TestKey(), endpoint=oss.endpoint, region=REGION)))
    assert len(oss.asked(method)) == 3


def test_what_fails_three_times_is_told(oss: FakeOss) -> None:
    oss.fault("reset", "PUT", times=3)
    with pytest.raises(UnavailableError, match="does not answer"):
        open_oss(oss).put("key", b"x")
    assert len(oss.requests) == 3


def test_a_file_is_sent_whole_again_when_the_connection_breaks_in_the_middle(oss: FakeOss, tmp_path: Path) -> None:
    data = bytes(range(256)) * 4000
    told: list[int] = []
    oss.fault("cut", "PUT", times=2)
    upload(
        write_tree(tmp_path, {"file": data}) / "file",
        oss.uri("file"),
        credentials=TestKey(),
        region=REGION,
        progress=lambda done, total: told.append(done),
    )
    assert oss.objects["file"].data == data
    assert told == sorted(told)
    assert told[-1] == len(data)


@pytest.mark.parametrize("fault", ["corrupt", "truncate"])
def test_a_damaged_answer_is_asked_for_again(oss: FakeOss, tmp_path: Path, fault: Break) -> None:
    oss.put("key", b"content" * 1000)
    oss.fault(fault, "GET", times=2)
    open_oss(oss).get("key", tmp_path / "file")
    assert read_tree(tmp_path) == {"file": b"content" * 1000}


@pytest.mark.parametrize(("fault", "kind"), [("corrupt", ProtocolError), ("truncate", UnavailableError)])
def test_an_object_that_comes_damaged_each_time_leaves_nothing(
    oss: FakeOss, tmp_path: Path, fault: Break, kind: type[Exception]
) -> None:
    oss.put("key", b"content" * 1000)
    oss.fault(fault, "GET", times=6)
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(kind):
        open_oss(oss).get("key", tmp_path / "file")
    with pytest.raises(kind):
        open_oss(oss).read("key")
    assert read_tree(tmp_path) == {"file": b"old"}


def test_an_object_that_is_stored_damaged_is_sent_again(oss: FakeOss) -> None:
    oss.fault("store-corrupted", "PUT", times=2)
    open_oss(oss).put("key", b"content")
    assert oss.objects["key"].data == b"content"


def test_what_is_marked_as_compressed_comes_as_it_is_stored(oss: FakeOss, tmp_path: Path) -> None:
    import gzip

    data = gzip.compress(b"text" * 100)
    oss.put("log.gz", data, **{"Content-Encoding": "gzip"})
    open_oss(oss).get("log.gz", tmp_path / "log.gz")
    assert (tmp_path / "log.gz").read_bytes() == data
    assert open_oss(oss).read("log.gz") == data


def test_a_service_that_tells_no_checksum_is_believed(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("key", b"content")
    oss.fault("no-crc", "GET")
    open_oss(oss).get("key", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"content"


def test_a_slow_service_does_not_hold_us_for_ever(oss: FakeOss, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "TIMEOUT", (1, 0.1))
    oss.fault("hold", "GET", times=3)
    with pytest.raises(UnavailableError, match="takes too long"):
        open_oss(oss).read("key")


def test_unchanged_files_are_not_sent_again(oss: FakeOss, tmp_path: Path) -> None:
    write_tree(tmp_path, {"same": b"1", "sub/other": b"2", "longer": b"3"})
    upload(tmp_path, oss.uri("d"), credentials=TestKey(), region=REGION)
    write_tree(tmp_path, {"sub/other": b"x", "longer": b"33"})
    oss.requests.clear()
    upload(tmp_path, oss.uri("d"), credentials=TestKey(), region=REGION)
    assert {request.key for request in oss.asked("PUT")} == {"d/sub/other", "d/longer"}
    assert oss.objects["d/sub/other"].data == b"x"


def test_a_package_that_is_there_costs_one_small_request(oss: FakeOss) -> None:
    oss.put("src/digest.tar.gz", b"package")
    assert open_oss(oss).put_if_absent("src/digest.tar.gz", bytes(1_000_000)) is True
    assert [request.method for request in oss.requests] == ["HEAD"]


def test_somebody_quicker_is_not_overwritten(oss: FakeOss) -> None:
    oss.put("key", b"theirs")
    oss.fault(OssRefusal(404, "NoSuchKey"), "HEAD")  # it was not there a moment ago
    assert open_oss(oss).put_if_absent("key", b"ours") is True
    assert oss.objects["key"].data == b"theirs"


def test_a_long_listing_comes_in_pages(oss: FakeOss) -> None:
    oss.page = 3
    for n in range(10):
        oss.put(f"d/{n}/x", b"")
        oss.put(f"d/{n}.txt", b"")
    keys = [entry.key for entry in open_oss(oss, "d").list()]
    assert keys == sorted(f"{n}{end}" for n in range(10) for end in ("/", ".txt"))
    assert len(list(open_oss(oss, "d").list(recursive=True))) == 20


def test_a_listing_that_nobody_reads_to_its_end_asks_no_further(oss: FakeOss) -> None:
    oss.page = 2
    for n in range(10):
        oss.put(str(n), b"")
    assert next(open_oss(oss).list()).key == "0"
    assert len(oss.requests) == 1


def test_a_directory_that_the_console_has_made_is_no_file_in_itself(oss: FakeOss) -> None:
    for key in ("d/", "d/sub/", "d/sub/file"):
        oss.put(key, b"")
    assert [entry.key for entry in open_oss(oss, "d").list()] == ["sub/"]
    assert [entry.key for entry in open_oss(oss, "d").list("sub/")] == ["sub/file"]


def test_many_keys_are_deleted_in_few_requests(oss: FakeOss) -> None:
    for n in range(1500):
        oss.put(f"d/{n}", b"")
    oss.put("d/line\r\nbreak", b"")
    storage = open_oss(oss, "d")
    storage.delete(entry.key for entry in list(storage.list(recursive=True)))
    assert oss.objects == {}
    assert (len(oss.asked("POST")), len(oss.asked("DELETE"))) == (2, 1)


@pytest.mark.parametrize("key", ["../../etc/cron.d/x", "/etc/passwd", "a/../../x", "nul\0", "a//b"])
def test_a_hostile_key_stops_a_download_before_anything_is_written(oss: FakeOss, tmp_path: Path, key: str) -> None:
    from pai_jupyter.storage import download

    oss.put("d/good", b"x")
    oss.put(f"d/{key}", b"x")
    with pytest.raises(SpecError, match="refused"):
        download(oss.uri("d/"), tmp_path / "in", credentials=TestKey(), region=REGION)
    assert read_tree(tmp_path) == {}


class Rotating:
    """Gives a new temporary key at each request, and has the service forget the one before."""

    def __init__(self, oss: FakeOss) -> None:
        self.oss = oss
        self.given = 0

    def get(self) -> TestKey:
        self.oss.keys[KEY_ID, f"STS.{self.given}"] = Key(secret=SECRET, is_expired=True)
        self.given += 1
        self.oss.keys[KEY_ID, f"STS.{self.given}"] = Key(secret=SECRET)
        return TestKey(security_token=f"STS.{self.given}")


def test_tokens_are_renewed_in_the_middle_of_an_upload(
    oss: FakeOss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pai_jupyter.storage.transfer.THREADS", 1)  # no request is on its way while a token expires
    oss.keys.clear()
    credentials = Rotating(oss)
    files = {f"f{n}": b"x" for n in range(40)}
    upload(write_tree(tmp_path, files), oss.uri("d"), credentials=credentials, region=REGION)
    assert len(oss.objects) == 40
    assert credentials.given > 40


@pytest.mark.parametrize("region", [REGION, None])
def test_the_log_of_the_sdk_holds_no_secret(oss: FakeOss, caplog: pytest.LogCaptureFixture, region: str | None) -> None:
    oss.keys[KEY_ID, TOKEN] = Key(secret=SECRET)
    storage = open_storage(oss.uri(), credentials=TestKey(security_token=TOKEN), region=region)
    wrong = open_storage(
        oss.uri(), credentials=TestKey(access_key_secret="wrong-secret", security_token=TOKEN), region=region
    )
    with caplog.at_level(logging.DEBUG, logger="oss2"):
        storage.put("key", b"x")
        address = storage.presign("key", seconds=60)
        with pytest.raises(AuthError):
            wrong.put("key", b"x")
    text = caplog.text
    assert "/key" in text, "the log is still of use"
    for secret in (TOKEN, SECRET, "wrong-secret", address.partition("ignature=")[2], *signatures(oss)):
        assert secret not in text


def signatures(oss: FakeOss) -> list[str]:
    """What the requests were signed with."""
    return [re.split(r"Signature=|OSS [^:]+:", request.headers["authorization"])[1] for request in oss.requests]


def test_the_sdk_prints_nothing_where_nobody_asked_for_its_log(oss: FakeOss, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BackendError):
        open_oss(oss).read("missing")
    assert capfd.readouterr().err == ""
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("oss2").handlers)


def test_the_bucket_of_a_session_is_the_sdks_own(oss: FakeOss, tmp_path: Path) -> None:
    opened = bucket(BUCKET, credentials=TestKey(), endpoint=oss.endpoint, region=REGION)
    assert type(opened) is connection.load().Bucket
    assert (opened.bucket_name, opened.endpoint) == (BUCKET, f"http://{oss.endpoint}")
    opened.put_object_from_file("train.csv", str(write_tree(tmp_path, {"train.csv": b"1,2"}) / "train.csv"))
    opened.get_object_to_file("train.csv", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == b"1,2"


def test_all_buckets_share_one_pool_of_connections(oss: FakeOss) -> None:
    first, second = (bucket(name, credentials=TestKey(), endpoint=oss.endpoint) for name in (BUCKET, "other-bucket"))
    assert first.session is second.session


@pytest.mark.parametrize(
    ("uri", "endpoint", "region", "expected"),
    [
        ("oss://my-bucket/x", None, "cn-shanghai", ("https://oss-cn-shanghai.aliyuncs.com", "cn-shanghai")),
        (
            "oss://my-bucket/x",
            "oss-cn-beijing.aliyuncs.com",
            None,
            ("https://oss-cn-beijing.aliyuncs.com", "cn-beijing"),
        ),
        (
            "oss://my-bucket.oss-cn-beijing.aliyuncs.com/x",
            "oss-cn-shanghai.aliyuncs.com",
            "cn-shanghai",
            ("https://oss-cn-beijing.aliyuncs.com", "cn-beijing"),
        ),
        ("oss://my-bucket.host:80/x", "http://host:80", "cn-shanghai", ("http://host:80", "cn-shanghai")),
        ("oss://my-bucket.127.0.0.1:80/x", None, None, ("http://127.0.0.1:80", None)),
    ],
)
def test_what_the_address_names_counts_more_than_the_session(
    uri: str, endpoint: str | None, region: str | None, expected: tuple[str, str | None]
) -> None:
    storage = open_storage(uri, credentials=TestKey(), endpoint=endpoint, region=region)
    assert isinstance(storage, OssStorage)
    assert (storage._bucket.endpoint, storage._bucket.region) == expected


def test_nobody_knows_where_the_bucket_is() -> None:
    with pytest.raises(SpecError, match="region"):
        open_storage("oss://my-bucket/x", credentials=TestKey())


def test_a_signed_address_ends_and_holds_for_its_key_alone(oss: FakeOss) -> None:
    oss.put("key", b"x")
    oss.put("other", b"x")
    address = open_oss(oss).presign("key", seconds=60)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(address.replace("/key?", "/other?"))
    oss.clock = timedelta(seconds=61)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(address)


def test_a_netrc_does_not_take_the_place_of_our_signature(
    oss: FakeOss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    open_oss(oss).put("key", b"x")
    assert oss.versions == {"v4"}


def test_the_sdk_is_imported_when_a_bucket_is_opened_and_not_before() -> None:
    program = "import sys, pai_jupyter.storage; print(sorted({'oss2', 'requests', 'crcmod'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout.strip() == b"[]"


def test_a_missing_sdk_is_told_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oss2", None)
    connection.load.cache_clear()
    with pytest.raises(BackendError, match=r"%pip install 'pai_jupyter\[oss\]'"):
        open_storage("oss://my-bucket/x", region="cn-shanghai")
    connection.load.cache_clear()


def test_slow_checksums_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crcmod._crcfunext", None)
    connection.load.cache_clear()
    with pytest.warns(RuntimeWarning, match="crcmod-plus"):
        connection.load()
    connection.load.cache_clear()
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        connection.load()
