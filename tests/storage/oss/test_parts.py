"""Transfers in parts: what a kill, a cancel or a broken network leaves, and how the next one goes on from there."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError, ProtocolError, UnavailableError
from pai_jupyter.storage import TransferCancelled, download, upload
from pai_jupyter.storage.oss.parts import MOST_PARTS, split
from pai_jupyter.storage.record import recorded
from tests.fakes.oss import REGION, Break, FakeOss
from tests.support.paths import ROOT
from tests.support.storages import PART, TestKey, open_oss, oss, read_tree, small_parts

__all__ = ["oss", "small_parts"]
pytestmark = pytest.mark.usefixtures("small_parts")
COUNT = 10
DATA = random.Random(4).randbytes(COUNT * PART - 1234)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    path = tmp_path / "here" / "训练 data"
    path.write_bytes(DATA)
    return path


def send(
    file: Path,
    oss: FakeOss,
    *,
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    upload(file, oss.uri("big"), credentials=TestKey(), region=REGION, cancel=cancel, progress=progress)


def fetch(
    oss: FakeOss, to: Path, *, cancel: threading.Event | None = None, progress: Callable[[int, int], None] | None = None
) -> None:
    download(oss.uri("big"), to, credentials=TestKey(), region=REGION, cancel=cancel, progress=progress)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def parts_sent(oss: FakeOss) -> int:
    return len(oss.asked("PUT", "partNumber"))


def parts_fetched(oss: FakeOss) -> int:
    return sum("range" in request.headers for request in oss.asked("GET"))


@pytest.mark.parametrize(("size", "sizes"), [(1, [1]), (10, [10]), (11, [10, 1]), (25, [10, 10, 5])])
def test_parts_cover_the_file_in_order(size: int, sizes: list[int]) -> None:
    parts = split(size, 10)
    assert [part.size for part in parts] == sizes
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]


def test_a_huge_file_has_no_more_parts_than_there_may_be() -> None:
    parts = split(5 << 40, 10 << 20)
    assert len(parts) <= MOST_PARTS
    assert parts[-1].end == 5 << 40


def test_a_large_file_goes_there_and_back(oss: FakeOss, file: Path, tmp_path: Path) -> None:
    send(file, oss)
    assert parts_sent(oss) == COUNT
    assert oss.objects["big"].data == DATA
    fetch(oss, tmp_path / "back")
    assert parts_fetched(oss) == COUNT
    assert (tmp_path / "back").read_bytes() == DATA
    assert oss.uploads == {}


def test_a_finished_transfer_leaves_no_record_and_no_draft(
    oss: FakeOss, file: Path, tmp_path: Path, home: Path
) -> None:
    send(file, oss)
    fetch(oss, tmp_path / "back" / "")
    assert read_tree(home / "transfers") == {}
    assert set(read_tree(tmp_path)) == {"here/训练 data", "back"}


PROGRAM = """
import sys, threading
sys.path.insert(0, {root!r})
import pytest
from tests.support.storages import TestKey, use_small_parts
from pai_jupyter.storage import upload, download
use_small_parts(pytest.MonkeyPatch())
{call}
"""


def killed(call: str, done: Callable[[], bool]) -> None:
    """Run `call` in another process, and kill that as soon as it is `done`."""
    program = PROGRAM.format(root=str(ROOT), call=call)
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        until(lambda: done() or process.poll() is not None)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def test_an_upload_that_was_killed_goes_on(oss: FakeOss, file: Path) -> None:
    oss.fault("hold", "PUT", query="partNumber", after=3, times=4)
    call = f"upload({str(file)!r}, {oss.uri('big')!r}, credentials=TestKey(), region={REGION!r})"
    killed(call, lambda: parts_sent(oss) >= 7)
    before = parts_sent(oss)
    oss.gate.set()
    send(file, oss)
    assert oss.objects["big"].data == DATA
    assert parts_sent(oss) - before <= COUNT - 3
    assert len(oss.asked("POST", "uploads")) == 1


def test_a_download_that_was_killed_goes_on(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("big", DATA)
    oss.fault("hold", "GET", after=4, times=4)  # the first one asks for the whole, and learns how large it is
    call = f"download({oss.uri('big')!r}, {str(tmp_path / 'back')!r}, credentials=TestKey(), region={REGION!r})"
    killed(call, lambda: parts_fetched(oss) >= 7)
    assert not (tmp_path / "back").exists()
    before = parts_fetched(oss)
    oss.gate.set()
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA
    assert parts_fetched(oss) - before == COUNT - 3
    assert set(read_tree(tmp_path)) == {"back"}


def interrupted_upload(oss: FakeOss, file: Path) -> None:
    oss.fault(OssRefusal(403, "AccessDenied"), "PUT", query="partNumber", after=6, times=1)
    with pytest.raises(BackendError):
        send(file, oss)


def interrupted_download(oss: FakeOss, to: Path) -> None:
    oss.put("big", DATA)
    oss.fault(OssRefusal(403, "AccessDenied"), "GET", after=7, times=1)
    with pytest.raises(BackendError):
        fetch(oss, to)


def test_a_file_that_changed_in_between_is_sent_as_it_is_now(oss: FakeOss, file: Path) -> None:
    interrupted_upload(oss, file)
    times = file.stat()
    new = bytes([DATA[0] ^ 1]) + DATA[1:]
    file.write_bytes(new)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # nothing but the bytes tells
    send(file, oss)
    assert oss.objects["big"].data == new


def test_a_file_that_became_shorter_in_between_is_sent_as_it_is_now(oss: FakeOss, file: Path) -> None:
    interrupted_upload(oss, file)
    file.write_bytes(DATA[: 3 * PART + 5])
    send(file, oss)
    assert oss.objects["big"].data == DATA[: 3 * PART + 5]


def test_an_upload_that_the_service_forgot_begins_anew(oss: FakeOss, file: Path) -> None:
    interrupted_upload(oss, file)
    oss.uploads.clear()
    send(file, oss)
    assert oss.objects["big"].data == DATA


def test_a_part_that_the_service_lost_is_sent_again(oss: FakeOss, file: Path) -> None:
    interrupted_upload(oss, file)
    ((_, parts),) = oss.uploads.values()
    parts.pop(min(parts))
    send(file, oss)
    assert oss.objects["big"].data == DATA


def test_an_object_that_was_replaced_in_between_comes_as_it_is_now(oss: FakeOss, tmp_path: Path) -> None:
    interrupted_download(oss, tmp_path / "back")
    oss.put("big", DATA[::-1])
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA[::-1]


def test_an_object_that_is_replaced_while_it_comes_is_told(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("big", DATA)
    oss.fault(OssRefusal(412, "PreconditionFailed"), "GET", after=5)
    with pytest.raises(BackendError, match="replaced"):
        fetch(oss, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_draft_that_was_damaged_on_the_disk_is_fetched_again(oss: FakeOss, tmp_path: Path) -> None:
    interrupted_download(oss, tmp_path / "back")
    (draft,) = tmp_path.glob(".pai-*.part")
    draft.write_bytes(bytes(draft.stat().st_size))
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA


@pytest.mark.parametrize("record", [b"", b"\xff\x00", b"[]\n", b'{"upload_id": 5}\n', b'{"upload_id": "x', b"{}\n" * 3])
def test_a_damaged_record_costs_only_time(oss: FakeOss, file: Path, tmp_path: Path, home: Path, record: bytes) -> None:
    interrupted_upload(oss, file)
    interrupted_download(oss, tmp_path / "back")
    for path in (home / "transfers").iterdir():
        path.write_bytes(record)
    send(file, oss)
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == oss.objects["big"].data == DATA


def test_a_record_is_held_by_one_transfer_at_a_time(tmp_path: Path) -> None:
    with recorded(tmp_path, "upload", "a") as first, recorded(tmp_path, "upload", "a") as second:
        assert (first.is_kept, second.is_kept) == (True, False)
        assert first.token != second.token
    with recorded(tmp_path, "upload", "a") as third, recorded(tmp_path, "upload", "b") as other:
        assert third.is_kept
        assert other.is_kept
        assert third.token == first.token != other.token


def test_two_downloads_of_one_object_to_one_file_do_not_meet(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("big", DATA)
    oss.fault("hold", "GET", after=4, times=4)
    first = threading.Thread(target=fetch, args=(oss, tmp_path / "back"))
    first.start()
    until(lambda: parts_fetched(oss) >= 7)
    fetch(oss, tmp_path / "back")
    oss.gate.set()
    first.join(30)
    assert read_tree(tmp_path) == {"back": DATA}


def test_without_a_place_for_records_transfers_still_work(
    oss: FakeOss, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-directory").write_bytes(b"")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "no-directory"))
    send(file, oss)
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA
    oss.fault(OssRefusal(403, "AccessDenied"), "GET", after=3)
    with pytest.raises(BackendError):
        fetch(oss, tmp_path / "other")
    assert not list(tmp_path.glob(".pai-*"))


@pytest.mark.parametrize("fault", [OssRefusal(503, "ServiceUnavailable"), "cut", "reset", "lost", "store-corrupted"])
def test_a_part_that_fails_is_sent_again_alone(oss: FakeOss, file: Path, fault: Break | OssRefusal) -> None:
    oss.fault(fault, "PUT", query="partNumber", times=2, after=2)
    send(file, oss)
    assert oss.objects["big"].data == DATA
    assert parts_sent(oss) == COUNT + 2


@pytest.mark.parametrize("fault", [OssRefusal(503, "ServiceUnavailable"), "reset", "truncate"])
def test_a_part_that_fails_is_fetched_again_alone(oss: FakeOss, tmp_path: Path, fault: Break | OssRefusal) -> None:
    oss.put("big", DATA)
    oss.fault(fault, "GET", times=2, after=3)
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA
    assert parts_fetched(oss) == COUNT + 2


def test_a_corrupted_part_is_noticed_and_all_fetched_again(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("big", DATA)
    oss.fault("corrupt", "GET", after=3)
    told: list[int] = []
    fetch(oss, tmp_path / "back", progress=lambda done, total: told.append(done))
    assert (tmp_path / "back").read_bytes() == DATA
    assert told == sorted(told)


def test_a_proxy_that_gives_the_whole_for_a_part_spoils_no_other_part(oss: FakeOss, tmp_path: Path) -> None:
    oss.put("big", DATA)
    oss.fault("no-range", "GET", after=COUNT)  # when the others are there
    fetch(oss, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == DATA
    assert parts_fetched(oss) == COUNT + 1


def test_parts_that_are_corrupted_each_time_leave_nothing(oss: FakeOss, tmp_path: Path, home: Path) -> None:
    oss.put("big", DATA)
    oss.fault("corrupt", "GET", after=1, times=100)
    with pytest.raises(ProtocolError, match="damaged"):
        fetch(oss, tmp_path / "back")
    assert read_tree(tmp_path) == {}
    assert read_tree(home / "transfers") == {}


@pytest.mark.parametrize("query", ["uploads", "uploadId"])
def test_an_answer_that_gets_lost_at_the_beginning_or_the_end_is_no_harm(oss: FakeOss, file: Path, query: str) -> None:
    oss.fault("lost", "POST", query=query)
    send(file, oss)
    assert oss.objects["big"].data == DATA


def test_an_upload_that_somebody_else_ended_is_told(oss: FakeOss, file: Path) -> None:
    oss.put("big", b"theirs")
    oss.fault(OssRefusal(404, "NoSuchUpload"), "POST", query="uploadId")
    with pytest.raises(NotFoundError, match="ended by somebody else"):
        send(file, oss)


def test_a_large_file_that_somebody_put_first_is_not_overwritten_nor_its_parts_kept(oss: FakeOss, file: Path) -> None:
    oss.fault("hold", "POST", query="uploadId")
    there: list[bool] = []
    thread = threading.Thread(target=lambda: there.append(open_oss(oss).put_if_absent("big", file)))
    thread.start()
    until(lambda: bool(oss.asked("POST", "uploadId")))
    oss.put("big", b"theirs")
    oss.gate.set()
    thread.join(30)
    assert there == [True]
    assert oss.objects["big"].data == b"theirs"
    assert oss.uploads == {}


def test_a_file_that_changes_while_it_is_sent_becomes_no_object(oss: FakeOss, file: Path) -> None:
    def touch(done: int, total: int) -> None:
        if done > total // 2:
            os.utime(file, ns=(0, 0))

    with pytest.raises(PaiJupyterError, match="changed while"):
        send(file, oss, progress=touch)
    assert oss.objects == {}


def test_a_file_that_shrinks_while_it_is_sent_is_told_as_such(oss: FakeOss, file: Path) -> None:
    def shrink(done: int, total: int) -> None:
        os.truncate(file, 10)

    with pytest.raises(PaiJupyterError, match=r"shorter|changed") as caught:
        send(file, oss, progress=shrink)
    assert not isinstance(caught.value, UnavailableError), "that would blame the network"
    assert oss.objects == {}


@pytest.mark.parametrize("transfer", [send, lambda file, oss, **how: fetch(oss, file.parent / "back", **how)])
def test_a_cancelled_transfer_ends_and_goes_on_when_called_again(
    oss: FakeOss, file: Path, transfer: Callable[..., None]
) -> None:
    if transfer is not send:
        oss.put("big", DATA)
    cancel, told = threading.Event(), list[int]()

    def half(done: int, total: int) -> None:
        told.append(done)
        if done > total // 2:
            cancel.set()

    with pytest.raises(TransferCancelled, match="goes on from where it was"):
        transfer(file, oss, cancel=cancel, progress=half)
    assert told[-1] < len(DATA)
    moved = parts_sent(oss) + parts_fetched(oss)
    transfer(file, oss)
    assert parts_sent(oss) + parts_fetched(oss) - moved < COUNT
    assert oss.objects["big"].data == DATA


def test_an_interrupt_ends_a_transfer_at_once(oss: FakeOss, file: Path) -> None:
    arrived = threading.Event()

    def interrupted(*_: object) -> None:
        arrived.set()
        raise KeyboardInterrupt

    def interrupt(done: int, total: int) -> None:  # holds up the other threads while it waits
        if not arrived.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            arrived.wait(30)

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            send(file, oss, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    until(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("pai-jupyter-transfer")])
    assert parts_sent(oss) < COUNT


def test_an_error_in_one_thread_ends_the_others(oss: FakeOss, file: Path) -> None:
    oss.fault(OssRefusal(403, "AccessDenied"), "PUT", query="partNumber")
    oss.fault("hold", "PUT", query="partNumber", times=3)
    threading.Timer(0.2, oss.gate.set).start()
    with pytest.raises(BackendError, match="AccessDenied"):
        send(file, oss)
    assert parts_sent(oss) <= 4


def test_a_failing_report_ends_the_transfer_with_its_own_error(oss: FakeOss, file: Path) -> None:
    def fail(done: int, total: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        send(file, oss, progress=fail)
