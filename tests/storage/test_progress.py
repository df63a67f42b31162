"""What is told of a transfer, and how its work is spread, without anything being moved."""

import threading
from contextlib import suppress

import pytest

from pai_jupyter.storage import TransferCancelled
from pai_jupyter.storage.progress import TransferProgress, each


def fail(_: object) -> None:
    raise ZeroDivisionError


def test_bytes_of_a_failed_try_count_no_more_and_are_not_told_twice() -> None:
    told: list[tuple[int, int]] = []
    progress = TransferProgress(lambda done, total: told.append((done, total)))
    progress.expect(10)
    with suppress(ZeroDivisionError), progress.attempt() as add:
        add(6)
        raise ZeroDivisionError
    with progress.attempt() as add:
        add(5)
        assert told == [(6, 10)]
        add(5)
    assert told == [(6, 10), (10, 10)]


def test_a_file_that_grew_counts_no_more_than_was_expected() -> None:
    told: list[int] = []
    progress = TransferProgress(lambda done, total: told.append(done))
    progress.expect(10)
    progress.add(15)
    assert told == [10]


def test_every_item_is_worked_on_once_by_several_threads() -> None:
    done: list[int] = []
    meeting = threading.Barrier(4, timeout=30)

    def work(item: int) -> None:
        if item < 4:
            meeting.wait()  # only four threads at once get past this
        done.append(item)

    each(work, range(100), workers=4, progress=TransferProgress())
    assert sorted(done) == list(range(100))


def test_the_first_error_is_raised_and_no_new_item_is_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == 3:
            raise ZeroDivisionError(item)

    with pytest.raises(ZeroDivisionError, match="3"):
        each(work, range(1000), workers=1, progress=TransferProgress())
    assert begun == [0, 1, 2, 3]


def test_a_pause_ends_when_the_transfer_does() -> None:
    progress = TransferProgress()
    threading.Timer(0.01, progress.stop).start()
    with pytest.raises(TransferCancelled):
        progress.pause(60)


def test_whoever_set_cancel_before_gets_nothing_moved() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(TransferCancelled):
        each(pytest.fail, ["nothing"], workers=2, progress=TransferProgress(cancel=cancel))
