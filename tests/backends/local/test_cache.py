"""Data of a bucket on this machine: brought once, whole, never changed under a reader, gone when nobody reads it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from pai_jupyter.backends.local.cache import DataCache
from pai_jupyter.backends.local.remote import RemoteData, remote_data
from pai_jupyter.errors import (
    LimitExceededError,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
    UnavailableError,
)
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.storage import Entry, TransferCancelled
from pai_jupyter.storage.progress import in_words
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.fakes.oss import FakeOss
from tests.support.local_inputs import DEADLINE, bring, objects_asked, session, until
from tests.support.paths import ROOT
from tests.support.storages import LEADING_OUT, ODD_NAMES, PART, oss, read_tree, small_parts

__all__ = ["oss", "session", "small_parts"]
pytestmark = pytest.mark.usefixtures("session")


def in_background(action: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """`action` on a thread of its own, and what came of it."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(action())
        except PaiJupyterError as exc:
            outcome.append(exc)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


# --- bringing ----------------------------------------------------------------------------------------------------


def test_a_directory_is_brought_with_all_that_is_below_it(oss: FakeOss) -> None:
    content = {name: name.encode() for name in ODD_NAMES} | {"deep/er/x": b"deep", "empty/": b"", "nothing": b""}
    for name, data in content.items():
        oss.put(f"data/{name}", data)
    oss.put("database", b"beside it")
    brought = bring(oss)
    assert read_tree(brought.tree) == content
    assert (brought.count, brought.is_new) == (len(content) - 1, True)


def test_an_object_is_brought_alone(oss: FakeOss) -> None:
    oss.put("data/训练 a.csv", b"1,2")
    oss.put("data/other", b"x")
    assert read_tree(bring(oss, "data/训练 a.csv").tree) == {"训练 a.csv": b"1,2"}


def test_nobody_may_write_what_was_brought(oss: FakeOss) -> None:
    oss.put("data/deep/x", b"1")
    tree = bring(oss).tree
    assert (tree / "deep/x").stat().st_mode & 0o777 == 0o444


def test_who_else_is_on_this_machine_does_not_see_it(oss: FakeOss, session: Path) -> None:
    oss.put("data/x", b"1")
    bring(oss)
    assert (session / "cache" / "data").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        ("data", SpecError, "is a directory, and an address of one ends with a slash: .*/data/'"),
        ("marked", SpecError, "ends with a slash: .*/marked/'"),
        ("dat", NotFoundError, "there is nothing at .*/dat'"),
        ("dat/", NotFoundError, "there is nothing at .*/dat/'"),
        ("data/x/", NotFoundError, "there is nothing at"),
    ],
)
def test_what_is_not_there_is_named(oss: FakeOss, key: str, error: type[Exception], words: str) -> None:
    oss.put("data/x", b"1")
    oss.put("marked/", b"")
    with pytest.raises(error, match=words):
        bring(oss, key)


def test_an_empty_directory_that_was_made_as_such_is_one(oss: FakeOss) -> None:
    oss.put("marked/", b"")
    assert read_tree(bring(oss, "marked/").tree) == {}


def test_a_whole_bucket_must_be_meant(oss: FakeOss) -> None:
    oss.put("x", b"1")
    with pytest.raises(SpecError, match=r"is a whole bucket\. If that is meant"):
        remote_data(oss.uri().removesuffix("/"))
    assert read_tree(bring(oss, "").tree) == {"x": b"1"}


@pytest.mark.parametrize("key", [key for key in LEADING_OUT if key])
def test_a_key_that_leads_out_stops_everything(oss: FakeOss, session: Path, key: str) -> None:
    oss.put("data/x", b"1")
    oss.put(f"data/{key}", b"hostile")
    with pytest.raises(SpecError, match="is refused"):
        bring(oss)
    assert b"hostile" not in read_tree(session.parent).values()


def test_damaged_data_are_no_data(oss: FakeOss, session: Path) -> None:
    oss.put("data/x", b"precious")
    oss.fault("corrupt", "GET", key="data/x", times=3)
    with pytest.raises(ProtocolError, match="damaged"):
        bring(oss)
    assert not list((session / "cache/data").glob("*/*/x"))
    assert read_tree(bring(oss).tree) == {"x": b"precious"}


def test_a_disk_that_is_too_small_is_said_before_the_download(oss: FakeOss, monkeypatch: pytest.MonkeyPatch) -> None:
    oss.put("data/x", b"1" * 5000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=10_000, used=9_000, free=1_000))
    with pytest.raises(LimitExceededError, match=r"holds 5.0 kB, .* has only 1.0 kB left. Make room"):
        bring(oss)
    assert objects_asked(oss) == []


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1234, "1.2 kB"), (56_789_000, "57 MB"), (3e15, "3000 TB")]
)
def test_sizes_in_words(size: float, words: str) -> None:
    assert in_words(size) == words


# --- the second time ---------------------------------------------------------------------------------------------


def test_what_is_unchanged_is_not_asked_for_again(oss: FakeOss) -> None:
    for number in range(20):
        oss.put(f"data/{number}", b"x" * number)
    first = bring(oss)
    oss.requests.clear()
    again = bring(oss)
    assert (again.tree, again.is_new) == (first.tree, False)
    assert [one.method for one in oss.requests] == ["GET"]  # one listing


def test_only_what_has_changed_is_downloaded(oss: FakeOss) -> None:
    for name in "abc":
        oss.put(f"data/{name}", name.encode())
    old = bring(oss).tree
    oss.put("data/b", b"B")
    del oss.objects["data/c"]
    oss.requests.clear()
    new = bring(oss).tree
    assert read_tree(new) == {"a": b"a", "b": b"B"}
    assert objects_asked(oss) == ["data/b"]
    assert not old.exists()


def test_a_change_of_the_same_size_and_second_is_one(oss: FakeOss) -> None:
    oss.put("data/x", b"1")
    before = oss.objects["data/x"].modified
    bring(oss)
    oss.put("data/x", b"2")
    object.__setattr__(oss.objects["data/x"], "modified", before)
    assert read_tree(bring(oss).tree) == {"x": b"2"}


def overwrite(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"HARM")


@pytest.mark.parametrize(
    "harm",
    [
        overwrite,
        lambda path: path.unlink(),
        lambda path: (path.parent / "more").touch(),
        lambda path: (path.unlink(), path.symlink_to("/etc/passwd")),
    ],
    ids=["other bytes", "gone", "one more", "a link"],
)
def test_what_a_job_has_done_to_the_data_is_undone_for_the_next(oss: FakeOss, harm: Callable[[Path], object]) -> None:
    oss.put("data/x", b"good")
    oss.put("data/y", b"good")
    harm(bring(oss).tree / "x")
    brought = bring(oss)
    assert read_tree(brought.tree) == {"x": b"good", "y": b"good"}


def test_a_damaged_record_costs_a_comparison_and_nothing_else(oss: FakeOss, session: Path) -> None:
    oss.put("data/x", b"1")
    bring(oss)
    [record] = (session / "cache/data").glob("*/current.json")
    record.write_text('{"tree": "../../..", "version": 1')
    assert read_tree(bring(oss).tree) == {"x": b"1"}


def job(name: str, status: Status = Status.RUNNING) -> JobFolder:
    """A job of the store that stands so."""
    folder = JobStore().create(JobRecord(id=name, spec=JobSpec(name=name, command="true"), backend="fake", created=1.0))
    folder.start(JobRef(backend="fake", job_id=name), JobState().apply(StatusChanged(status=status, time=2.0)))
    return folder


def test_data_do_not_change_under_a_job_and_go_when_it_has_ended(oss: FakeOss) -> None:
    oss.put("data/x", b"old")
    folder = job("reader")
    old = bring(oss, user="reader").tree
    oss.put("data/x", b"new")
    new = bring(oss).tree
    assert (read_tree(old), read_tree(new)) == ({"x": b"old"}, {"x": b"new"})
    JobStore().remove(folder.id)
    job("reader", Status.FAILED)
    bring(oss)
    assert not old.exists()
    assert new.exists()


# --- interrupted, several at once, restless -----------------------------------------------------------------------

BIG = os.urandom(10 * PART - 1234)
BRING = """
import sys, threading
import pytest
from pai_jupyter.backends.local.cache import DataCache
from pai_jupyter.backends.local.remote import remote_data
from pai_jupyter.cloud.session import setup_default_session
from pai_jupyter.store import JobStore
from tests.fakes.oss import KEY_ID, REGION, SECRET
from tests.support.storages import use_small_parts
use_small_parts(pytest.MonkeyPatch())
setup_default_session(KEY_ID, SECRET, REGION)
DataCache(JobStore().home).bring(remote_data(sys.argv[1]), user=None, cancel=threading.Event())
"""


def big_parts_asked(oss: FakeOss) -> int:
    return objects_asked(oss).count("data/big")


@pytest.mark.usefixtures("small_parts")
def test_a_killed_download_goes_on_where_it_was(oss: FakeOss) -> None:
    oss.put("data/big", BIG)
    oss.put("data/a", b"small")
    oss.fault("hold", "GET", key="data/big", times=100, after=6)
    process = subprocess.Popen(
        [sys.executable, "-c", BRING, oss.uri("data/")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    until(lambda: big_parts_asked(oss) >= 9 or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    oss.gate.set()
    oss.requests.clear()
    assert read_tree(bring(oss).tree) == {"a": b"small", "big": BIG}
    assert (
        big_parts_asked(oss) <= 8
    )  # the object as a whole, which tells what there is, and the parts that were missing
    assert "data/a" not in objects_asked(oss)


@pytest.mark.usefixtures("small_parts")
def test_a_cancelled_download_ends_soon_and_goes_on_later(oss: FakeOss, session: Path) -> None:
    oss.put("data/big", BIG)
    oss.fault("hold", "GET", key="data/big", times=100, after=6)
    cancel = threading.Event()
    thread, outcome = in_background(lambda: bring(oss, cancel=cancel))
    until(lambda: big_parts_asked(oss) >= 9)
    cancel.set()
    oss.gate.set()
    thread.join(DEADLINE)
    assert isinstance(outcome[0], TransferCancelled)
    assert not list((session / "cache/data").glob("*/current.json"))
    oss.requests.clear()
    assert read_tree(bring(oss).tree) == {"big": BIG}
    assert big_parts_asked(oss) <= 8


@pytest.mark.usefixtures("small_parts")
def test_a_directory_that_was_interrupted_may_be_a_file_by_the_next_time(oss: FakeOss) -> None:
    oss.put("data/a/big", BIG)
    oss.put("data/a/small", b"1")
    oss.fault("reset", "GET", key="data/a/big", times=100, after=5)
    with pytest.raises(UnavailableError):
        bring(oss)
    oss.objects.clear()
    oss.put("data/a", b"a file now")
    assert read_tree(bring(oss).tree) == {"a": b"a file now"}


def test_two_that_want_the_same_download_it_once(oss: FakeOss) -> None:
    oss.put("data/x", b"1")
    oss.fault("hold", "GET", key="data/x")
    first, one = in_background(lambda: bring(oss).tree)
    until(lambda: objects_asked(oss))
    second, other = in_background(lambda: bring(oss).tree)
    oss.gate.set()
    first.join(DEADLINE)
    second.join(DEADLINE)
    assert one == other
    assert objects_asked(oss) == ["data/x"]


def test_who_waits_for_the_download_of_another_can_give_up(oss: FakeOss) -> None:
    oss.put("data/x", b"1")
    oss.fault("hold", "GET", key="data/x")
    first, _ = in_background(lambda: bring(oss))
    until(lambda: objects_asked(oss))
    cancel = threading.Event()
    second, outcome = in_background(lambda: bring(oss, cancel=cancel))
    cancel.set()
    second.join(DEADLINE)
    assert isinstance(outcome[0], TransferCancelled)
    oss.gate.set()
    first.join(DEADLINE)


@dataclass(frozen=True, kw_only=True)
class Restless(RemoteData):
    """Data that are other ones after each of the first `changes` looks."""

    changes: list[Callable[[], None]]

    def look(self) -> dict[str, Entry]:
        found = super().look()
        if self.changes:
            self.changes.pop()()
        return found


def restless(oss: FakeOss, changes: int) -> RemoteData:
    def change(number: int) -> Callable[[], None]:
        return lambda: oss.put("data/x", b"version %d" % number)

    plain = remote_data(oss.uri("data/"))
    return Restless(above=plain.above, name=None, access=plain.access, changes=[change(n) for n in range(changes)])


def test_data_that_change_meanwhile_are_brought_as_they_were_last(oss: FakeOss, session: Path) -> None:
    oss.put("data/x", b"first")
    brought = DataCache(session).bring(restless(oss, 2), user=None, cancel=threading.Event())
    assert read_tree(brought.tree) == {"x": b"version 0"}


def test_data_that_never_rest_are_given_up(oss: FakeOss, session: Path) -> None:
    oss.put("data/x", b"first")
    with pytest.raises(UnavailableError, match="changes while it is downloaded"):
        DataCache(session).bring(restless(oss, 10), user=None, cancel=threading.Event())
