"""A feed: a view is told of its job completely and in small messages, until the end and past it."""

import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import UnavailableError
from pai_jupyter.events import JobState, Link, Metric, Notice, Progress, Status, StatusChanged, Usage
from pai_jupyter.jobs import close_runtime
from pai_jupyter.store import AnnotationChange, JobStore
from pai_jupyter.wire.job_view import poller
from tests.fakes.troubled import TroubledBackend
from tests.support.programs import Program, lines
from tests.support.started import begin, open_gate
from tests.support.wire import REPLICA, Client, RecordedJob, assert_in_order, assert_polite, lines_of, state_of

# --- what a view is told -------------------------------------------------------------------------------------------


async def test_a_view_gets_a_snapshot_without_asking_and_then_what_is_new(job: RecordedJob) -> None:
    job.status(Status.RUNNING)
    job.print(lines(0, 3))
    async with Client() as client:
        snapshot = await client.hello(job.id)
        assert (snapshot["kind"], snapshot["seq"], snapshot["counts"]) == ("snapshot", 0, {REPLICA: 3})
        job.print(lines(3, 5))
        await client.until(lambda: client.pushes(kind="tail"))
        (tail,) = client.pushes(kind="tail")
        assert (tail["tail"]["start"], tail["tail"]["lines"], tail["counts"]) == (3, ["line 3", "line 4"], {REPLICA: 5})
        assert_in_order(client.pushes())


async def test_the_answer_to_hello_comes_before_the_first_push(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id)
        assert "ok" in client.messages[0].body


async def test_a_client_that_folds_what_it_is_told_has_the_state_of_the_job(job: RecordedJob) -> None:
    steps: list[list[Any]] = [
        [StatusChanged(status=Status.RUNNING, time=2.0)],
        [Metric(name="loss", value=float("nan"), time=3.0, step=1.0), Progress(done=1.0, total=9.0, time=3.0)],
        [Usage(replica=REPLICA, time=4.0, cpu=1.5, memory=10**9), Link(name="console", url="javascript:x")],
        [Notice(text="<b>训练</b>", time=5.0)],
        [StatusChanged(status=Status.SUCCEEDED, time=6.0, exit_code=0)],
    ]
    async with Client() as client:
        await client.hello(job.id)
        for number, events in enumerate(steps):
            job.record(*events)
            await client.until(lambda: len(client.pushes(kind="state")) > number)  # noqa: B023  used before the next
        assert state_of(client.pushes()) == job.job.state.to_json()
        assert any("events" in push for push in client.pushes(kind="state"))
        assert_in_order(client.pushes())


async def test_many_events_are_told_as_the_state_that_they_add_up_to(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id)
        job.record(*(Metric(name="loss", value=float(n), time=float(n), step=float(n)) for n in range(5_000)))
        (push,) = await client.until(lambda: client.pushes(kind="state"))
        assert "events" not in push
        assert push["state"]["metrics"]["loss"] == [4_999.0, 4_999.0, 0.0, 4_999.0, 5_000]


async def test_a_state_that_no_event_has_led_to_is_told_as_it_is(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id)
        state = JobState().apply(StatusChanged(status=Status.QUEUED, time=3.0))
        job.folder.start(job.folder.read().ref, state)  # as a submission notes its outcome
        (push,) = await client.until(lambda: client.pushes(kind="state"))
        assert push["state"]["status"] == "queued"


async def test_a_line_that_grows_is_told_again_until_it_is_finished(job: RecordedJob) -> None:
    job.print("one\n10%")
    async with Client() as client:
        await client.hello(job.id)
        for number, piece in enumerate(["\r20%", "\r30%", "\nnext"]):
            job.print(piece)
            await client.until(lambda: len(client.pushes(kind="tail")) > number)  # noqa: B023  used before the next
        tails = [push["tail"] for push in client.pushes(kind="tail")]
        assert [(tail["start"], tail["lines"]) for tail in tails] == [(1, ["20%"]), (1, ["30%"]), (1, ["30%", "next"])]
        assert [(tail["count"], tail["finished"]) for tail in tails] == [(2, 1), (2, 1), (3, 2)]


async def test_only_the_lines_of_the_watched_replica_are_told_and_how_many_the_others_have(job: RecordedJob) -> None:
    job.print("a\n")
    job.print("b\n", replica="worker-0")
    async with Client() as client:
        await client.hello(job.id, replica="worker-0")
        job.print("c\nd\n")
        (push,) = await client.until(lambda: client.pushes(kind="tail"))
        assert push["counts"] == {REPLICA: 3, "worker-0": 1}
        assert (push["tail"]["replica"], push["tail"]["start"], push["tail"]["lines"]) == ("worker-0", 1, [])


async def test_a_log_that_was_cut_is_told_from_where_it_changed(job: RecordedJob) -> None:
    job.print(lines(0, 10))
    async with Client() as client:
        await client.hello(job.id)
        path = job.folder.path / "logs" / f"{REPLICA}.log"
        path.write_bytes(lines(0, 5) + b"another\n")  # what a follower that resumes does, and goes on
        (push,) = await client.until(lambda: client.pushes(kind="tail"))
        assert (push["counts"], push["tail"]["count"], push["tail"]["start"]) == ({REPLICA: 6}, 6, 6)


async def test_a_log_that_is_replaced_by_a_link_is_told_as_a_sentence_and_the_view_goes_on(
    job: RecordedJob, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("for the reader alone\n" * 9)
    job.print("line 0\n")
    async with Client() as client:
        await client.hello(job.id)
        job.folder.log(REPLICA).path.unlink()
        job.folder.log(REPLICA).path.symlink_to(tmp_path / "secret")
        (push,) = await client.until(lambda: client.pushes(kind="tail"))
        assert "is no plain file any more" in push["tail"]["lines"][0]
        again = await client.hello(job.id, view="again")
        assert again["tail"]["lines"] == push["tail"]["lines"]
        answer = await client.ask("lines", job.id, replica=REPLICA, start=0, stop=5)
        assert "is no plain file any more" in str(answer.body["error"])
        job.record(StatusChanged(status=Status.FAILED, time=5.0))
        assert await client.until(lambda: [p for p in client.pushes(kind="state") if p.get("failure")])
        assert "reader alone" not in str([message.body for message in client.messages])


async def test_a_flood_is_told_in_few_small_pushes_and_the_count_is_exact(job: RecordedJob) -> None:
    total, block = 1_000_000, b"".join(b"a line of a log as a training job prints %03d\n" % n for n in range(1_000))
    log = job.folder.path / "logs" / f"{REPLICA}.log"

    def flood() -> None:
        with log.open("ab") as file:
            for _ in range(total // 1_000):
                file.write(block)
                file.flush()
                time.sleep(0.002)  # so that it lasts for some pushes

    async with Client() as client:
        await client.hello(job.id)
        tracemalloc.start()
        writer = threading.Thread(target=flood)
        writer.start()
        await client.until(
            lambda: client.pushes()[-1]["counts"] == {REPLICA: total} if client.pushes(kind="tail") else 0
        )
        writer.join()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        last = client.pushes()[-1]["tail"]
        assert (last["count"], last["finished"], last["start"] + len(last["lines"])) == (total, total, total)
        assert last["lines"][-1] == block.splitlines()[-1].decode()
        assert len(client.pushes(kind="tail")) > 3
        assert peak < 30e6
        assert_polite(client)
        assert_in_order(client.pushes())


@pytest.mark.parametrize("text", ["x" * 900, "\x1b[31m" * 200, "训练" * 600, "y" * 3_000_000])
async def test_pushes_of_long_lines_keep_their_budget(job: RecordedJob, text: str) -> None:
    async with Client() as client:
        await client.hello(job.id)
        job.print(f"{text}\n" * max(3, 2_000_000 // len(text.encode())) + "the last")
        await client.until(lambda: client.pushes(kind="tail"))
        tail = client.pushes(kind="tail")[-1]["tail"]
        assert tail["lines"][-1] == "the last"
        assert tail["lines"][-2] == text[:1_000]
        assert_polite(client)


async def test_a_snapshot_keeps_its_budget(job: RecordedJob) -> None:
    job.print(f"{'训' * 990}\n" * 300)
    async with Client() as client:
        snapshot = await client.hello(job.id)
        assert 50 < len(snapshot["tail"]["lines"]) < 200
        assert_polite(client)


async def test_a_client_that_takes_nothing_gets_the_newest_when_it_does(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id)
        client.is_free.clear()
        job.print("first\n")
        await client.until(lambda: client.pushes(kind="tail"))
        for number in range(50):
            job.print(f"line {number}\n")
        client.is_free.set()
        await client.until(lambda: client.pushes()[-1]["counts"] == {REPLICA: 51})
        assert len(client.pushes(kind="tail")) == 2
        assert lines_of(client.pushes()) == dict(enumerate(["first", *(f"line {number}" for number in range(50))]))


# --- the end -------------------------------------------------------------------------------------------------------


async def test_what_comes_after_the_terminal_status_is_told_as_well(job: RecordedJob) -> None:
    job.print("one\n")
    async with Client() as client:
        await client.hello(job.id)
        job.status(Status.SUCCEEDED, exit_code=0)
        await client.until(lambda: state_of(client.pushes())["status"] == "succeeded")
        (only,) = poller._watches.values()
        assert not only.look.is_over, "whoever holds the lock may still write"
        job.print("the last line")
        job.release()
        await client.until(lambda: lines_of(client.pushes()) == {0: "one", 1: "the last line"})


async def test_an_ended_job_is_not_looked_at_any_more_but_for_what_the_user_says(
    job: RecordedJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    job.status(Status.SUCCEEDED, exit_code=0)
    job.release()
    async with Client() as client:
        await client.hello(job.id)
        (only,) = poller._watches.values()
        await client.until(lambda: only.look.is_over)
        monkeypatch.setattr(poller, "look_at", None)
        JobStore().open(job.id).annotate(AnnotationChange(is_starred=True))
        await client.until(lambda: client.pushes(kind="state"))
        assert client.pushes(kind="state")[-1]["labels"]["is_starred"]
    assert not poller._watches


async def test_a_failure_is_told_with_its_cause_and_again_when_its_last_lines_say_more(job: RecordedJob) -> None:
    async with Client() as client:
        assert (await client.hello(job.id))["failure"] is None
        job.status(Status.FAILED, exit_code=1, reason="exit code 1")
        first = (await client.until(lambda: client.pushes(kind="state")))[0]
        assert "exit code 1" in first["failure"]["cause"]
        job.print('Traceback (most recent call last):\n  File "train.py", line 2, in <module>\nKeyError: 1\n')
        job.release()
        await client.until(lambda: client.pushes(kind="state")[-1]["failure"]["line"] == 2)
        assert (await client.hello(job.id))["failure"]["cause"] == "KeyError: 1 (train.py line 2)"


async def test_a_job_whose_kernel_is_dead_is_followed_while_it_is_watched(backend: TroubledBackend, gate: Path) -> None:
    job = begin(Program(before=lines(0, 20), after=lines(20, 40)), gate=gate)
    close_runtime()
    open_gate(gate)
    async with Client() as client:
        await client.hello(job.id)
        await client.until(lambda: state_of(client.pushes())["status"] == "succeeded")
        await client.until(lambda: len(lines_of(client.pushes())) == 40)
    assert job.status is Status.SUCCEEDED


async def test_what_cannot_be_reached_is_told_as_unknown_until_it_is(backend: TroubledBackend, gate: Path) -> None:
    job = begin(Program(before=lines(0, 2)), gate=gate)
    close_runtime()
    backend.troubles = [UnavailableError("the service does not answer.")] * 3
    async with Client() as client:
        await client.hello(job.id)
        seen = await client.until(lambda: [push for push in client.pushes() if state_of([push])["status"] == "unknown"])
        assert seen[0]["state"]["reason"] == "the service does not answer."
        open_gate(gate)
        await client.until(lambda: state_of(client.pushes())["status"] == "succeeded")


async def test_a_job_that_is_removed_is_told_as_unknown_with_what_was_known(job: RecordedJob) -> None:
    job.status(Status.RUNNING)
    job.print("one\n")
    async with Client() as client:
        await client.hello(job.id)
        JobStore().remove(job.id)
        (push,) = await client.until(lambda: client.pushes(kind="state"))
        assert (push["state"]["status"], push["state"]["entered"]) == ("unknown", {"running": 5.0})
        assert "was removed" in push["state"]["reason"]
        assert not client.pushes(kind="tail")
        answer = await client.ask("lines", job.id, replica=REPLICA, start=0, stop=1)
        assert answer.body["error"]["type"] == "NotFoundError"  # type: ignore[index]  # JSON
    job.writer = RecordedJob("j2").writer  # nothing of the removed one is left to be closed
