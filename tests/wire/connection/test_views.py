"""The views of a feed are told apart and ended one by one, and nothing that a client sends ends the feed."""

import asyncio
import logging
import threading
import time
from typing import Any

import pytest

from pai_jupyter.events import Metric, Status
from pai_jupyter.jobs import Job
from pai_jupyter.store import AnnotationChange, JobStore
from pai_jupyter.wire import to_frame
from pai_jupyter.wire.job_view import points, poller
from pai_jupyter.wire.job_view.pushes import View
from tests.support.patience import DEADLINE, SOON
from tests.support.wire import REPLICA, Client, RecordedJob, assert_in_order, assert_polite, lines_of

# --- views ---------------------------------------------------------------------------------------------------------


async def test_two_views_of_two_jobs_are_told_apart(job: RecordedJob) -> None:
    other = RecordedJob("j2")
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


async def test_all_views_of_a_job_share_one_watch(job: RecordedJob) -> None:
    async with Client() as one, Client() as other:
        await one.hello(job.id, view="a")
        await one.hello(job.id, view="b")
        await other.hello(job.id, view="a")
        assert len(poller._watches) == 1
        job.print("x\n")
        await one.until(lambda: all(map(lines_of, (one.pushes("a"), one.pushes("b"), other.pushes("a")))))
        await one.ok("bye", job.id, view="a")
        assert len(poller._watches) == 1
    assert not poller._watches


async def test_a_second_hello_begins_the_view_anew(job: RecordedJob) -> None:
    job.print("one\n", replica="worker-0")
    async with Client() as client:
        await client.hello(job.id)
        again = await client.hello(job.id, replica="worker-0")
        assert (again["kind"], again["seq"], again["tail"]["lines"]) == ("snapshot", 0, ["one"])
        job.print("two\n", replica="worker-0")
        await client.until(lambda: client.pushes(kind="tail"))
        assert [push["seq"] for push in client.pushes()] == [0, 0, 1]


def labels(client: Client) -> list[Any]:  # Any: JSON
    return [push["labels"] for push in client.pushes(kind="state") if "labels" in push]


async def test_name_star_tags_and_note_are_pushed_when_they_change_also_after_the_end(job: RecordedJob) -> None:
    folder = JobStore().open(job.id)
    folder.annotate(AnnotationChange(add=("first",), note="a line\nanother"))
    async with Client() as client:
        await client.hello(job.id)
        name = client.pushes(kind="snapshot")[0]["job"]["name"]
        assert client.pushes(kind="snapshot")[0]["job"]["tags"] == ["first"]
        assert client.pushes(kind="snapshot")[0]["job"]["note"] == "a line\nanother"
        folder.annotate(AnnotationChange(name="baseline", is_starred=True))
        await client.until(lambda: labels(client))
        assert labels(client) == [
            {"name": "baseline", "is_starred": True, "tags": ["first"], "note": "a line\nanother"}
        ]
        job.status(Status.SUCCEEDED)
        job.release()
        await client.until(lambda: client.pushes(kind="state")[-1].get("events"))
        folder.annotate(AnnotationChange(name="", is_starred=False, remove=("first",), note=""))
        await client.until(lambda: len(labels(client)) == 2)
        assert labels(client)[1] == {"name": name, "is_starred": False, "tags": [], "note": ""}


async def test_after_bye_nothing_comes(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id, view="a")
        await client.hello(job.id, view="b")
        assert await client.ok("bye", job.id, view="a") == {}
        assert await client.ok("bye", job.id, view="never seen") == {}
        job.print("x\n")
        await client.until(lambda: client.pushes("b", "tail"))
        assert len(client.pushes("a")) == 1


async def test_a_bye_that_overtakes_its_hello_leaves_no_view(job: RecordedJob) -> None:
    async with Client() as client:
        hello = {"id": 1, "kind": "hello", "job": job.id, "view": "v"}
        await asyncio.gather(
            client.feed.receive(hello), client.feed.receive({"id": 2, "kind": "bye", "job": job.id, "view": "v"})
        )
        assert {message.body["id"] for message in client.messages} == {1, 2}
        assert not client.feed._places


async def test_a_closed_feed_sends_nothing_more(job: RecordedJob) -> None:
    client = Client()
    await client.hello(job.id)
    await client.feed.aclose()
    count = len(client.messages)
    job.print("x\n")
    await client.feed.receive({"id": 9, "kind": "stop", "job": job.id})
    assert (len(client.messages), poller._watches) == (count, {})


async def test_series_are_pushed_while_they_are_wanted(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id)
        answer = await client.ask("points", job.id, view="v", group="metrics", live=True)
        assert (answer.body["ok"], answer.buffers) == ({"series": [], "notes": []}, ())
        job.print("step 1/9 loss=0.5\n")
        (push,) = await client.until(lambda: client.pushes(kind="points"))
        assert (push["group"], [series["name"] for series in push["series"]]) == ("metrics", ["loss"])
        assert await client.ok("points", job.id, view="v", group="metrics", live=False) == {"series": [], "notes": []}
        view = client.feed._places["v"].view
        assert isinstance(view, View)
        assert view._points.pause(is_over=False) is None
        job.print("step 2/9 loss=0.4\nthe end\n")
        job.status(Status.SUCCEEDED)
        job.release()
        await client.until(lambda: lines_of(client.pushes()).get(2))
        assert len(client.pushes(kind="points")) == 1
        assert_in_order(client.pushes())


async def test_the_last_values_of_a_job_are_pushed_after_its_end(job: RecordedJob) -> None:
    async with Client() as client:
        await client.hello(job.id)
        await client.ok("points", job.id, view="v", group="metrics", live=True)
        job.print("step 1/9 loss=0.5\nstep 2/9 loss=0.25\n")
        job.status(Status.SUCCEEDED)
        job.release()
        await client.until(
            lambda: client.pushes(kind="points") and client.pushes(kind="points")[-1]["series"][0]["count"] == 2
        )


async def test_a_note_is_pushed_by_itself_and_said_on_from_then(
    job: RecordedJob, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        note = "This job has more than 1 series; only the first are shown."
        assert said == [(["a"], []), ([], [note]), (["a"], [note])]
        assert (await client.ok("points", job.id, view="v", group="usage"))["notes"] == []


async def test_many_series_come_in_pushes_that_keep_their_budget(job: RecordedJob) -> None:
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
    job: RecordedJob, request_: object, caplog: pytest.LogCaptureFixture
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
    job: RecordedJob, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Job) -> None:
        raise ZeroDivisionError("insides")

    monkeypatch.setattr("pai_jupyter.wire.connection.answers.source", broken)
    async with Client() as client:
        error: Any = (await client.ask("source", job.id)).body["error"]
    assert error["type"] == "InternalError"
    assert "insides" not in error["message"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.records[0].exc_info


async def test_a_slow_search_holds_up_nothing(job: RecordedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    monkeypatch.setattr("pai_jupyter.store.LogFile.find", lambda *_: held.wait(DEADLINE))
    async with Client() as client:
        await client.hello(job.id)
        asked = {"kind": "search", "job": job.id, "replica": REPLICA, "pattern": "x"}
        searches = [asyncio.create_task(client.feed.receive({"id": n, **asked})) for n in range(20)]
        job.print("one\n")
        await client.until(lambda: client.pushes(kind="tail"))
        start = time.monotonic()
        await client.ok("lines", job.id, replica=REPLICA, start=0, stop=1)
        assert time.monotonic() - start < SOON
        held.set()
        await asyncio.gather(*searches)


async def test_requests_beyond_the_limit_are_refused_and_not_kept(
    job: RecordedJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    monkeypatch.setattr("pai_jupyter.store.LogFile.find", lambda *_: held.wait(DEADLINE))
    async with Client() as client:
        asked = {"kind": "search", "job": job.id, "replica": REPLICA, "pattern": "x"}
        searches = [asyncio.create_task(client.feed.receive({"id": f"s{n}", **asked})) for n in range(32)]
        await asyncio.sleep(0)
        error: Any = (await client.ask("source", job.id)).body["error"]
        assert error["type"] == "LimitExceededError"
        held.set()
        await asyncio.gather(*searches)
        await client.ok("source", job.id)


async def test_more_views_than_anybody_needs_are_refused(job: RecordedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.wire.connection.feed.MOST_VIEWS", 2)
    async with Client() as client:
        await client.hello(job.id, view="a")
        await client.hello(job.id, view="b")
        await client.hello(job.id, view="b")
        error: Any = (await client.ask("hello", job.id, view="c")).body["error"]
        assert error["type"] == "LimitExceededError"
