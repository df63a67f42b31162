"""Our own storage against the emulator, with what it can be asked to do wrong: no damaged file, no half upload, no endless wait."""

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from pai_jupyter.errors import AuthError, BackendError, NotFoundError, UnavailableError
from pai_jupyter.storage import AccessKey, download, open_storage, upload
from tests.support.emulators import (
    BUCKET,
    DEADLINE,
    KEY,
    REGION,
    SECRET,
    STS_KEY,
    STS_SECRET,
    STS_TOKEN,
    Emulator,
    emulator,
)
from tests.support.storages import ODD_NAMES, PART, read_tree, use_small_parts, write_tree

DATA = random.Random(4).randbytes(10 * PART - 1234)
TREE = {
    "a.txt": b"alpha",
    "empty/": b"",
    "sub/b.bin": bytes(300_000),
    "sub/zero": b"",
    **dict.fromkeys(ODD_NAMES, b"x"),
}


class Key:
    """An access key of the emulator."""

    def __init__(self, *key: str) -> None:
        self.access_key_id, self.access_key_secret, *token = key
        self.security_token = token[0] if token else None

    def get(self) -> AccessKey:
        return self


@pytest.fixture(autouse=True)
def fine(running: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small parts, no pauses, and no fault that the last test has left."""
    use_small_parts(monkeypatch)
    monkeypatch.setattr("pai_jupyter.storage.retry.FIRST_PAUSE", 0.001)
    yield
    running.clear_faults()


@pytest.fixture(params=[(KEY, SECRET), (STS_KEY, STS_SECRET, STS_TOKEN)], ids=["key", "token"])
def key(request: pytest.FixtureRequest) -> Key:
    return Key(*request.param)


def uri(running: Emulator, name: str) -> str:
    return f"oss://{BUCKET}.{running.host}/{name}"


def send(running: Emulator, path: Path, name: str) -> None:
    upload(path, uri(running, name), credentials=Key(KEY, SECRET), region=REGION)


def fetch(running: Emulator, name: str, path: Path) -> None:
    download(uri(running, name), path, credentials=Key(KEY, SECRET), region=REGION)


@pytest.mark.parametrize("region", [REGION, None])
def test_a_directory_comes_back_as_it_was(running: Emulator, key: Key, tmp_path: Path, region: str | None) -> None:
    tree = uri(running, f"tree-{region}")
    upload(write_tree(tmp_path / "here", TREE), tree, credentials=key, region=region)
    download(tree, tmp_path / "back", credentials=key, region=region)
    assert read_tree(tmp_path / "back") == TREE


@pytest.mark.parametrize(
    ("fault", "action"),
    [
        *(
            (fault, f"OSS:{method}")
            for fault in ("server-error", "dropped", "lost-answer")
            for method in ("PUT", "POST")
        ),
        ("no-checksum", "OSS:PUT"),
        ("slow", "OSS:PUT"),
    ],
)
def test_a_large_file_arrives_whole_whatever_goes_wrong(
    running: Emulator, tmp_path: Path, fault: str, action: str
) -> None:
    (tmp_path / "file").write_bytes(DATA)
    running.fault(fault, action=action, times=2, seconds=0.1)
    name = f"up/{fault}-{action}"
    send(running, tmp_path / "file", name)
    assert running.get(name) == DATA


@pytest.mark.parametrize(
    "fault", ["server-error", "throttling", "dropped", "lost-answer", "truncated", "corrupted", "slow", "no-checksum"]
)
def test_a_large_object_comes_whole_whatever_goes_wrong(running: Emulator, tmp_path: Path, fault: str) -> None:
    running.put("big", DATA)
    running.fault(fault, action="OSS:GET", times=2, seconds=0.1)
    fetch(running, "big", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("corrupted", BackendError),
        ("truncated", UnavailableError),
        ("dropped", UnavailableError),
        ("replaced", BackendError),
        ("lower-etag", BackendError),
        ("expired-token", AuthError),
    ],
)
def test_what_goes_wrong_each_time_is_told_and_leaves_the_file_as_it_was(
    running: Emulator, tmp_path: Path, fault: str, kind: type[Exception]
) -> None:
    running.put("big", DATA)
    (tmp_path / "back").write_bytes(b"old")
    running.fault(fault, action="OSS:GET", times=None)
    with pytest.raises(kind):
        fetch(running, "big", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == b"old"


def test_a_key_may_ask_for_its_fault_itself(running: Emulator, tmp_path: Path) -> None:
    running.put("data/fault-truncated.bin", DATA[:1000])
    fetch(running, "data/fault-truncated.bin", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA[:1000]


def test_the_clock_is_told(running: Emulator) -> None:
    running.fault("skewed-clock", seconds=3600)
    with pytest.raises(AuthError, match="clock"):
        open_storage(uri(running, ""), credentials=Key(KEY, SECRET), region=REGION).head("key")


@pytest.mark.parametrize("header", ["etag", "x-oss-hash-crc64ecma"])
def test_a_fault_takes_the_header_that_it_is_about(running: Emulator, header: str) -> None:
    running.put("public", b"x")
    running.bucket().put_object_acl("public", "public-read")
    address = f"{running.address}/{BUCKET}/public"
    assert header in httpx.get(address, trust_env=False).headers
    running.fault("no-etag" if header == "etag" else "no-checksum", action="OSS:GET")
    assert header not in httpx.get(address, trust_env=False).headers
    assert header in httpx.get(address, trust_env=False).headers, "once is once"


def test_an_upload_goes_on_when_the_emulator_was_killed_in_the_middle(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(DATA)
    with emulator(tmp_path / "data", "--port", str(free_port())) as running:
        running.fault("slow", action="OSS:PUT", times=None, seconds=0.3)
        failed: list[BaseException] = []

        def run() -> None:
            try:
                send(running, tmp_path / "file", "big")
            except (UnavailableError, NotFoundError) as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        until(lambda: parts_there(running) >= 3)
        running.kill()
        thread.join(DEADLINE)
        assert failed
        running.start()
        before = parts_there(running)
        assert before >= 3
        send(running, tmp_path / "file", "big")
        assert running.get("big") == DATA
        assert parts_there(running) == 0


def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def parts_there(running: Emulator) -> int:
    import oss2

    bucket = running.bucket()
    uploads = list(oss2.MultipartUploadIterator(bucket))
    return sum(len(list(oss2.PartIterator(bucket, each.key, each.upload_id))) for each in uploads)


def until(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
