"""A feed: views are told of their jobs completely and in small messages, and nothing that a client sends ends it."""

import asyncio
import logging
import threading
import time
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import UnavailableError
from pai_jupyter.events import (
    JobState,
    Link,
    Metric,
    Notice,
    Progress,
    Status,
    StatusChanged,
    Usage,
    event_from_json,
)
from pai_jupyter.jobs import Job, close_runtime
from pai_jupyter.store import JobStore
from pai_jupyter.wire import points, to_frame, watch
from tests.fakes.troubled import TroubledBackend, installed
from tests.programs import Program, lines
from tests.started import begin, open_gate
from tests.wire import REPLICA, Client, Written

BUDGET = 256 * 1024


@pytest.fixture
def backend() -> Iterator[TroubledBackend]:
    backend = TroubledBackend()
    with installed(backend):
        yield backend


@pytest.fixture
def job() -> Iterator[Written]:
    job = Written()
    yield job
    job.release()
    close_runtime()


def state_of(pushes: list[dict[str, Any]]) -> dict[str, Any]:
    """The job's state as a client has it that folds what it is told."""
    state = JobState()
    for push in pushes:
        if "state" in push:
            state = JobState.from_json(push["state"])
        for item in push.get("events", ()):
            event = event_from_json(item)
            assert event is not None
            state = state.apply(event)
    return state.to_json()


def lines_of(pushes: list[dict[str, Any]]) -> dict[int, str]:
    """The lines as a client has them that keeps what it is told, by number."""
    tails = [push["tail"] for push in pushes if "tail" in push]
    return {tail["start"] + at: line for tail in tails for at, line in enumerate(tail["lines"])}


def assert_in_order(pushes: list[dict[str, Any]]) -> None:
    assert [push["seq"] for push in pushes] == list(range(len(pushes)))
    assert pushes[0]["kind"] == "snapshot"


def assert_polite(client: Client) -> None:
    """At most 5 pushes a second and 256 KB each."""
    came = [
        (at, to_frame(message))
        for at, message in zip(client.times, client.messages, strict=True)
        if "seq" in message.body
    ]
    assert max(len(frame if isinstance(frame, bytes) else frame.encode()) for _, frame in came) <= BUDGET
    assert all(later - earlier > 0.19 for (earlier, _), (later, _) in pairwise(came))


# --- what a view is told -------------------------------------------------------------------------------------------


async def test_a_view_gets_a_snapshot_without_asking_and_then_what_is_new(job: Written) -> None:
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


async def test_the_answer_to_hello_comes_before_the_first_push(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id)
        assert "ok" in client.messages[0].body


async def test_a_client_that_folds_what_it_is_told_has_the_state_of_the_job(job: Written) -> None:
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


async def test_many_events_are_told_as_the_state_that_they_add_up_to(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id)
        job.record(*(Metric(name="loss", value=float(n), time=float(n), step=float(n)) for n in range(5_000)))
        (push,) = await client.until(lambda: client.pushes(kind="state"))
        assert "events" not in push
        assert push["state"]["metrics"]["loss"] == [4_999.0, 4_999.0, 0.0, 4_999.0, 5_000]


async def test_a_state_that_no_event_has_led_to_is_told_as_it_is(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id)
        state = JobState().apply(StatusChanged(status=Status.QUEUED, time=3.0))
        job.folder.start(job.folder.read().ref, state)  # as a submission notes its outcome
        (push,) = await client.until(lambda: client.pushes(kind="state"))
        assert push["state"]["status"] == "queued"


async def test_a_line_that_grows_is_told_again_until_it_is_finished(job: Written) -> None:
    job.print("one\n10%")
    async with Client() as client:
        await client.hello(job.id)
        for number, piece in enumerate(["\r20%", "\r30%", "\nnext"]):
            job.print(piece)
            await client.until(lambda: len(client.pushes(kind="tail")) > number)  # noqa: B023  used before the next
        tails = [push["tail"] for push in client.pushes(kind="tail")]
        assert [(tail["start"], tail["lines"]) for tail in tails] == [(1, ["20%"]), (1, ["30%"]), (1, ["30%", "next"])]
        assert [(tail["count"], tail["finished"]) for tail in tails] == [(2, 1), (2, 1), (3, 2)]


async def test_only_the_lines_of_the_watched_replica_are_told_and_how_many_the_others_have(job: Written) -> None:
    job.print("a\n")
    job.print("b\n", replica="worker-0")
    async with Client() as client:
        await client.hello(job.id, replica="worker-0")
        job.print("c\nd\n")
        (push,) = await client.until(lambda: client.pushes(kind="tail"))
        assert push["counts"] == {REPLICA: 3, "worker-0": 1}
        assert (push["tail"]["replica"], push["tail"]["start"], push["tail"]["lines"]) == ("worker-0", 1, [])


async def test_a_log_that_was_cut_is_told_from_where_it_changed(job: Written) -> None:
    job.print(lines(0, 10))
    async with Client() as client:
        await client.hello(job.id)
        path = job.folder.path / "logs" / f"{REPLICA}.log"
        path.write_bytes(lines(0, 5) + b"another\n")  # what a follower that resumes does, and goes on
        (push,) = await client.until(lambda: client.pushes(kind="tail"))
        assert (push["counts"], push["tail"]["count"], push["tail"]["start"]) == ({REPLICA: 6}, 6, 6)


async def test_a_log_that_is_replaced_by_a_link_is_told_as_a_sentence_and_the_view_goes_on(
    job: Written, tmp_path: Path
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


async def test_a_flood_is_told_in_few_small_pushes_and_the_count_is_exact(job: Written) -> None:
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
async def test_pushes_of_long_lines_keep_their_budget(job: Written, text: str) -> None:
    async with Client() as client:
        await client.hello(job.id)
        job.print(f"{text}\n" * max(3, 2_000_000 // len(text.encode())) + "the last")
        await client.until(lambda: client.pushes(kind="tail"))
        tail = client.pushes(kind="tail")[-1]["tail"]
        assert tail["lines"][-1] == "the last"
        assert tail["lines"][-2] == text[:1_000]
        assert_polite(client)


async def test_a_snapshot_keeps_its_budget(job: Written) -> None:
    job.print(f"{'训' * 990}\n" * 300)
    async with Client() as client:
        snapshot = await client.hello(job.id)
        assert 50 < len(snapshot["tail"]["lines"]) < 200
        assert_polite(client)


async def test_a_client_that_takes_nothing_gets_the_newest_when_it_does(job: Written) -> None:
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


async def test_what_comes_after_the_terminal_status_is_told_as_well(job: Written) -> None:
    job.print("one\n")
    async with Client() as client:
        await client.hello(job.id)
        job.status(Status.SUCCEEDED, exit_code=0)
        await client.until(lambda: state_of(client.pushes())["status"] == "succeeded")
        (only,) = watch._watches.values()
        assert not only.look.is_over, "whoever holds the lock may still write"
        job.print("the last line")
        job.release()
        await client.until(lambda: lines_of(client.pushes()) == {0: "one", 1: "the last line"})


async def test_an_ended_job_is_not_looked_at_any_more(job: Written) -> None:
    job.status(Status.SUCCEEDED, exit_code=0)
    job.release()
    async with Client() as client:
        await client.hello(job.id)
        (only,) = watch._watches.values()
        await client.until(only._task.done)
        assert only.look.is_over
    assert not watch._watches


async def test_a_failure_is_told_with_its_cause_and_again_when_its_last_lines_say_more(job: Written) -> None:
    async with Client() as client:
        assert (await client.hello(job.id))["failure"] is None
        job.status(Status.FAILED, exit_code=1, reason="exit code 1")
        first = (await client.until(lambda: client.pushes(kind="state")))[0]
        assert "exit code 1" in first["failure"]["cause"]
        job.print('Traceback (most recent call last):\n  File "train.py", line 2, in <module>\nKeyError: 1\n')
        job.release()
        await client.until(lambda: client.pushes(kind="state")[-1]["failure"]["line"] == 2)
        assert (await client.hello(job.id))["failure"]["cause"] == "KeyError: 1 (cell line 2)"


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


async def test_a_job_that_is_removed_is_told_as_unknown_with_what_was_known(job: Written) -> None:
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
        assert answer.body["error"]["type"] == "NotFoundError"  # type: ignore[index, call-overload]  # JSON
    job.writer = Written("j2").writer  # nothing of the removed one is left to be closed


# --- views ---------------------------------------------------------------------------------------------------------


async def test_two_views_of_two_jobs_are_told_apart(job: Written) -> None:
    other = Written("j2")
    async with Client() as client:
        await client.hello(job.id, view="a")
        await client.hello(other.id, view="b")
        job.print("of one\n")
        other.print("of the other\n")
        await client.until(lambda: client.pushes("a", "tail") and client.pushes("b", "tail"))
        assert lines_of(client.pushes("a")) == {0: "of one"}
        assert lines_of(client.pushes("b")) == {0: "of the other"}
        assert_in_order(client.pushes("a"))
        assert_in_order(client.pushes("b"))
    other.release()


async def test_all_views_of_a_job_share_one_watch(job: Written) -> None:
    async with Client() as one, Client() as other:
        await one.hello(job.id, view="a")
        await one.hello(job.id, view="b")
        await other.hello(job.id, view="a")
        assert len(watch._watches) == 1
        job.print("x\n")
        await one.until(lambda: all(map(lines_of, (one.pushes("a"), one.pushes("b"), other.pushes("a")))))
        await one.ok("bye", job.id, view="a")
        assert len(watch._watches) == 1
    assert not watch._watches


async def test_a_second_hello_begins_the_view_anew(job: Written) -> None:
    job.print("one\n", replica="worker-0")
    async with Client() as client:
        await client.hello(job.id)
        again = await client.hello(job.id, replica="worker-0")
        assert (again["kind"], again["seq"], again["tail"]["lines"]) == ("snapshot", 0, ["one"])
        job.print("two\n", replica="worker-0")
        await client.until(lambda: client.pushes(kind="tail"))
        assert [push["seq"] for push in client.pushes()] == [0, 0, 1]


async def test_after_bye_nothing_comes(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id, view="a")
        await client.hello(job.id, view="b")
        assert await client.ok("bye", job.id, view="a") == {}
        assert await client.ok("bye", job.id, view="never seen") == {}
        job.print("x\n")
        await client.until(lambda: client.pushes("b", "tail"))
        assert len(client.pushes("a")) == 1


async def test_a_bye_that_overtakes_its_hello_leaves_no_view(job: Written) -> None:
    async with Client() as client:
        hello = {"id": 1, "kind": "hello", "job": job.id, "view": "v"}
        await asyncio.gather(
            client.feed.receive(hello), client.feed.receive({"id": 2, "kind": "bye", "job": job.id, "view": "v"})
        )
        assert {message.body["id"] for message in client.messages} == {1, 2}
        assert not client.feed._places


async def test_a_closed_feed_sends_nothing_more(job: Written) -> None:
    client = Client()
    await client.hello(job.id)
    await client.feed.aclose()
    count = len(client.messages)
    job.print("x\n")
    await client.feed.receive({"id": 9, "kind": "stop", "job": job.id})
    assert (len(client.messages), watch._watches) == (count, {})


async def test_series_are_pushed_while_they_are_wanted(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id)
        answer = await client.ask("points", job.id, view="v", group="metrics", live=True)
        assert (answer.body["ok"], answer.buffers) == ({"series": [], "notes": []}, ())
        job.print("step 1/9 loss=0.5\n")
        (push,) = await client.until(lambda: client.pushes(kind="points"))
        assert (push["group"], [series["name"] for series in push["series"]]) == ("metrics", ["loss"])
        assert await client.ok("points", job.id, view="v", group="metrics", live=False) == {"series": [], "notes": []}
        view = client.feed._places["v"].view
        assert view is not None
        assert view._points.pause(is_over=False) is None
        job.print("step 2/9 loss=0.4\nthe end\n")
        job.status(Status.SUCCEEDED)
        job.release()
        await client.until(lambda: lines_of(client.pushes()).get(2))
        assert len(client.pushes(kind="points")) == 1
        assert_in_order(client.pushes())


async def test_the_last_values_of_a_job_are_pushed_after_its_end(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id)
        await client.ok("points", job.id, view="v", group="metrics", live=True)
        job.print("step 1/9 loss=0.5\nstep 2/9 loss=0.25\n")
        job.status(Status.SUCCEEDED)
        job.release()
        await client.until(
            lambda: client.pushes(kind="points") and client.pushes(kind="points")[-1]["series"][0]["count"] == 2
        )


async def test_a_note_is_pushed_by_itself_and_said_on_from_then(job: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "MAX_SERIES", 1)
    async with Client() as client:
        await client.hello(job.id)
        await client.ok("points", job.id, view="v", group="metrics", live=True)
        job.record(Metric(name="a", value=1, time=1.0))
        await client.until(lambda: client.pushes(kind="points"))
        job.record(Metric(name="b", value=1, time=1.0))
        await client.until(lambda: len(client.pushes(kind="points")) == 2)
        job.record(Metric(name="a", value=2, time=2.0))
        await client.until(lambda: len(client.pushes(kind="points")) == 3)
        said = [([series["name"] for series in push["series"]], push["notes"]) for push in client.pushes(kind="points")]
        note = "This job has more than 1 series; the first of them are shown."
        assert said == [(["a"], []), ([], [note]), (["a"], [note])]
        assert (await client.ok("points", job.id, view="v", group="usage"))["notes"] == []


async def test_many_series_come_in_pushes_that_keep_their_budget(job: Written) -> None:
    async with Client() as client:
        await client.hello(job.id)
        await client.ok("points", job.id, view="v", group="metrics", live=True)
        for name in range(12):
            job.record(*(Metric(name=f"m{name}", value=n * n % 7, time=float(n), step=float(n)) for n in range(2_000)))
        await client.until(
            lambda: (
                {s["name"] for p in client.pushes(kind="points") for s in p["series"] if s["count"] == 2_000}
                == {f"m{name}" for name in range(12)}
            )
        )
        assert len(client.pushes(kind="points")) > 1
        assert_polite(client)


# --- whatever is sent ----------------------------------------------------------------------------------------------

HOSTILE: list[object] = [
    None,
    5,
    "hello",
    [],
    [{"id": 1}],
    {},
    {"id": {}, "kind": [], "job": None},
    {"id": 1, "kind": "hello", "job": "j1"},
    {"id": 1, "kind": "hello", "job": "j1", "view": ""},
    {"id": 1, "kind": "hello", "job": "../j1", "view": "v"},
    {"id": 1, "kind": "hello", "job": "j1", "view": "v", "replica": "../../x"},
    {"id": 1, "kind": "points", "job": "j1", "view": "v", "group": "metrics", "live": True},
    {"id": 1, "kind": "constructor", "job": "j1"},
    {"id": 1, "kind": "lines", "job": "j1", "replica": REPLICA, "start": -1, "stop": 10**400},
    {"id": 1, "kind": "files", "job": "j1", "channel": "../..", "path": "\0"},
    {"id": 1, "kind": "search", "job": "j1", "replica": REPLICA, "pattern": "\ud800"},
    {"\ud800": "\ud800", "kind": "\ud800", "job": "\ud800", "id": "\ud800"},
]


@pytest.mark.parametrize("request_", HOSTILE, ids=range(len(HOSTILE)))
async def test_whatever_is_sent_is_answered_with_a_sentence(
    job: Written, request_: object, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client() as client:
        await client.feed.receive(request_)
        (message,) = client.messages
        error: Any = message.body["error"]
        assert error["type"] in ("SpecError", "NotFoundError")
        assert error["message"]
        assert set(message.body) == {"id", "error"}
        to_frame(message)
        assert (await client.hello(job.id))["seq"] == 0, "the feed goes on"
    assert not caplog.records


async def test_a_bug_of_ours_is_logged_and_answered_without_its_insides(
    job: Written, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Job) -> None:
        raise ZeroDivisionError("insides")

    monkeypatch.setattr("pai_jupyter.wire.answers.source", broken)
    async with Client() as client:
        error: Any = (await client.ask("source", job.id)).body["error"]
    assert error["type"] == "InternalError"
    assert "insides" not in error["message"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.records[0].exc_info


async def test_a_slow_search_holds_up_nothing(job: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    monkeypatch.setattr("pai_jupyter.store.LogFile.find", lambda *_: held.wait(30))
    async with Client() as client:
        await client.hello(job.id)
        asked = {"kind": "search", "job": job.id, "replica": REPLICA, "pattern": "x"}
        searches = [asyncio.create_task(client.feed.receive({"id": n, **asked})) for n in range(20)]
        job.print("one\n")
        await client.until(lambda: client.pushes(kind="tail"))
        start = time.monotonic()
        await client.ok("lines", job.id, replica=REPLICA, start=0, stop=1)
        assert time.monotonic() - start < 5
        held.set()
        await asyncio.gather(*searches)


async def test_requests_beyond_the_limit_are_refused_and_not_kept(
    job: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    monkeypatch.setattr("pai_jupyter.store.LogFile.find", lambda *_: held.wait(30))
    async with Client() as client:
        asked = {"kind": "search", "job": job.id, "replica": REPLICA, "pattern": "x"}
        searches = [asyncio.create_task(client.feed.receive({"id": f"s{n}", **asked})) for n in range(32)]
        await asyncio.sleep(0)
        error: Any = (await client.ask("source", job.id)).body["error"]
        assert error["type"] == "LimitExceededError"
        held.set()
        await asyncio.gather(*searches)
        await client.ok("source", job.id)


async def test_more_views_than_anybody_needs_are_refused(job: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.wire.feed.MOST_VIEWS", 2)
    async with Client() as client:
        await client.hello(job.id, view="a")
        await client.hello(job.id, view="b")
        await client.hello(job.id, view="b")
        error: Any = (await client.ask("hello", job.id, view="c")).body["error"]
        assert error["type"] == "LimitExceededError"
