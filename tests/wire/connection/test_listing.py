"""A view of all jobs: it is told the whole list in small messages, then what changes; and the courses of metrics."""

import asyncio
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs import JobIndex, JobRow, JobSelection, close_runtime, get_job_index
from pai_jupyter.jobs.job_index import index as keeping
from pai_jupyter.store import JobStore
from pai_jupyter.wire import to_frame
from pai_jupyter.wire.connection.listing import ListStory
from pai_jupyter.wire.job_view.pushes import PER_SECOND
from pai_jupyter.wire.protocol.messages import encode
from tests.fakes.troubled import TroubledBackend
from tests.support.lists import BEGAN, loss, note, record, record_many, running
from tests.support.server import read_frame
from tests.support.wire import Client, RecordedJob

BUDGET = 256 * 1024


@pytest.fixture(autouse=True)
def backend(backend: TroubledBackend) -> Iterator[TroubledBackend]:
    """The backend `fake` of this process."""
    yield backend
    close_runtime()


async def watch(client: Client, view: str = "v") -> list[dict[str, Any]]:
    """Mount a view; the pushes until nothing is missing."""
    await client.ok("watch_jobs", "", view=view)
    await client.until(lambda: any(push["is_whole"] for push in client.pushes(view)))
    return client.pushes(view)


def rows_of(pushes: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows as a client has them that keeps what it is told."""
    known: dict[str, dict[str, Any]] = {}
    for push in pushes:
        known = {} if push["is_first"] else known
        known |= {row["id"]: row for row in push["rows"]}
        known = {job_id: row for job_id, row in known.items() if job_id not in push["gone"]}
    return known


def shown_by(pushes: list[dict[str, Any]]) -> list[str]:
    """The ids of what is shown, as a client has them that keeps what it is told."""
    shown: list[str] = []
    for push in pushes:
        shown = [] if push["is_first"] else shown
        if order := push.get("order"):
            assert order["at"] + order["drop"] <= len(shown)
            shown[order["at"] : order["at"] + order["drop"]] = order["ids"]
    return shown


async def until_told(client: Client, **wanted: Any) -> None:
    """Wait until the client has for each of these jobs this status."""
    await client.until(lambda: {job: rows_of(client.pushes()).get(job, {}).get("status") for job in wanted} == wanted)


# --- all jobs --------------------------------------------------------------------------------------------------------


async def test_a_row_is_told_as_the_protocol_has_it() -> None:
    record("j1", running(), loss(0.5), notebook="a.ipynb", place="docker (asked for)")
    async with Client() as client:
        (push,) = await watch(client)
        assert push["rows"] == [
            {
                "id": "j1",
                "name": "name of j1",
                "backend": "fake",
                "place": "docker (asked for)",
                "status": "succeeded",
                "notebook": "a.ipynb",
                "created": BEGAN,
                "started": BEGAN + 10,
                "ended": BEGAN + 60,
                "progress": None,
                "metric": {"name": "loss", "value": 0.5},
                "is_here": True,
                "url": "",
                "trouble": "",
            }
        ]
        assert (push["kind"], push["seq"], push["is_first"], push["notes"]) == ("jobs", 0, True, [])
        assert push["now"] > BEGAN


async def test_the_answer_says_how_many_there_are_and_comes_before_the_first_push() -> None:
    record_many(7)
    async with Client() as client:
        assert await client.ok("watch_jobs", "", view="v") == {"count": 7}
        assert "ok" in client.messages[0].body


async def test_of_no_jobs_a_view_is_told_too() -> None:
    async with Client() as client:
        (push,) = await watch(client)
        assert (push["rows"], push["is_first"], push["is_whole"]) == ([], True, True)


async def test_the_first_hundred_come_first_and_the_others_follow() -> None:
    ids = record_many(650)
    async with Client() as client:
        pushes = await watch(client)
        assert [row["id"] for row in pushes[0]["rows"]] == ids[:100]
        assert [push["is_first"] for push in pushes] == [True, *(False for _ in pushes[1:])]
        assert [push["is_whole"] for push in pushes] == [*(False for _ in pushes[1:]), True]
        assert sum(len(push["rows"]) for push in pushes) == 650
        assert {*rows_of(pushes)} == {*ids}


async def test_of_a_list_that_is_known_the_first_hundred_come_first_too() -> None:
    ids = record_many(250)
    async with Client() as one, Client() as other:
        await watch(one)
        pushes = await watch(other)
        assert [row["id"] for row in pushes[0]["rows"]] == ids[:100]
        assert {*rows_of(pushes)} == {*ids}


async def test_many_large_rows_come_in_small_pushes_at_a_measured_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "FIRST", 10_000)
    record_many(600, notebook="训" * 300, place="练" * 300)
    async with Client() as client:
        pushes = await watch(client)
        sizes = [len(str(to_frame(message)).encode()) for message in client.messages if "seq" in message.body]
        times = [at for at, message in zip(client.times, client.messages, strict=True) if "seq" in message.body]
        assert len(rows_of(pushes)) == 600
        assert len(sizes) > 4
        assert max(sizes) <= BUDGET
        assert all(later - earlier > 0.95 / PER_SECOND for earlier, later in pairwise(times))
        assert [push["seq"] for push in pushes] == [*range(len(pushes))]


async def test_what_changes_is_told_and_nothing_else() -> None:
    job = RecordedJob("j9")
    record_many(50)
    async with Client() as client:
        first = await watch(client)
        job.status(Status.RUNNING)
        await until_told(client, j9="running")
        later = client.pushes()[len(first) :]
        assert [row["id"] for push in later for row in push["rows"]] == ["j9"]
        assert all(push["is_whole"] and not push["is_first"] for push in later)
    job.release()


async def test_a_list_that_stays_as_it_is_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "PAUSE", 0.01)
    record_many(5)
    async with Client() as client:
        await watch(client)
        record("j9")
        await until_told(client, j9="succeeded")  # many looks later
        assert len(client.pushes()) == 2


async def test_a_job_that_is_removed_is_told_as_gone() -> None:
    record_many(3)
    async with Client() as client:
        await watch(client)
        JobStore().remove("j00001")
        await client.until(lambda: client.pushes()[-1]["gone"] == ["j00001"])
        assert {*rows_of(client.pushes())} == {"j00000", "j00002"}


async def test_a_job_that_is_removed_while_a_view_shows_it_is_refused_when_it_is_asked_for_again() -> None:
    record("j1")
    async with Client() as client:
        await client.ok("hello", "j1", view="v")
        JobStore().remove("j1")
        answer = await client.ask("hello", "j1", view="v")
        error: Any = answer.body["error"]  # Any: JSON
        assert error["type"] == "NotFoundError", answer.body


def test_thousands_that_are_removed_at_once_are_told_in_small_pushes() -> None:
    listed, story = JobIndex(JobStore()), ListStory()
    ids = [f"{'x' * 120}{number:04}" for number in range(5_000)]
    listed.rows = {job_id: JobRow(id=job_id, name="a", backend="fake", place="fake") for job_id in ids}
    listed.is_whole = True
    assert {*rows_of([*iter(lambda: story.news(listed), None)])} == {*ids}
    listed.rows = {}
    pushes: list[Any] = [*iter(lambda: story.news(listed), None)]
    assert sorted(job_id for push in pushes for job_id in push["gone"]) == ids
    assert max(len(encode(push)) for push in pushes) <= BUDGET
    assert [push["is_whole"] for push in pushes] == [*(False for _ in pushes[1:]), True]


# --- which are shown -------------------------------------------------------------------------------------------------


async def test_all_are_shown_newest_first_where_nothing_is_selected() -> None:
    ids = record_many(350)
    async with Client() as client:
        pushes = await watch(client)
        assert pushes[0]["order"] == {"at": 0, "drop": 0, "ids": ids[:100]}
        assert shown_by(pushes) == ids
        assert sum(len(push["order"]["ids"]) for push in pushes if "order" in push) == 350  # each is told once


async def test_what_a_search_finds_is_shown_and_the_rows_are_told_all_the_same() -> None:
    record("j1", values={"lr": 0.3})
    record("j2", values={"lr": 0.35}, status=Status.FAILED)
    async with Client() as client:
        await client.ok("watch_jobs", "", view="v", text="lr=.30")
        await client.until(lambda: shown_by(client.pushes()) == ["j1"])
        assert {*rows_of(client.pushes())} == {"j1", "j2"}
        assert await client.ok("select_jobs", "", view="v", status="failed") == {}
        await client.until(lambda: shown_by(client.pushes()) == ["j2"])
        await client.ok("select_jobs", "", view="v", sort="name", descending=True)
        await client.until(lambda: shown_by(client.pushes()) == ["j2", "j1"])
        assert sum(len(push["rows"]) for push in client.pushes()) == 2  # no row is told again


async def test_a_job_is_shown_when_it_fits_and_no_longer_when_it_does_not() -> None:
    job = RecordedJob("j9")
    record("j1")
    async with Client() as client:
        await client.ok("watch_jobs", "", view="v", text="state:running")
        await client.until(lambda: any(push["is_whole"] for push in client.pushes()))
        assert shown_by(client.pushes()) == []
        job.record(running())
        await client.until(lambda: shown_by(client.pushes()) == ["j9"])
        job.status(Status.FAILED)
        await client.until(lambda: shown_by(client.pushes()) == [])
    job.release()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("lr<abc", "'lr<abc' compares with 'abc', which is no number. Type e.g. lr<0.1"),
        ("NoSuch<1", "there is no value or metric 'nosuch'; there are lr"),
        ("lr<0.1", ""),
        ("nosuchword", ""),
    ],
)
async def test_a_filter_that_matches_nothing_is_told_what_is_wrong_with_it(text: str, problem: str) -> None:
    record("j1", values={"lr": 0.3})
    async with Client() as client:
        await client.ok("watch_jobs", "", view="v", text=text)
        await client.until(lambda: any(push["is_whole"] for push in client.pushes()))
        assert client.pushes()[-1].get("problem", "") == problem
        await client.ok("select_jobs", "", view="v", text="lr=0.3")
        await client.until(lambda: shown_by(client.pushes()) == ["j1"])
        assert "problem" not in client.pushes()[-1]


async def test_a_job_that_is_removed_is_shown_no_more() -> None:
    ids = record_many(3)
    async with Client() as client:
        await watch(client)
        JobStore().remove(ids[1])
        await client.until(lambda: shown_by(client.pushes()) == [ids[0], ids[2]])


def test_an_order_of_thousands_is_told_in_small_pushes() -> None:
    listed, story = JobIndex(JobStore()), ListStory()
    ids = [f"{'x' * 120}{number:04}" for number in range(5_000)]
    listed.rows = {
        job_id: JobRow(id=job_id, name=str(9_999 - at), backend="fake", place="fake", created=float(at))
        for at, job_id in enumerate(ids)
    }
    listed.is_whole = True
    pushes: list[Any] = [*iter(lambda: story.news(listed), None)]
    assert shown_by(pushes) == ids[::-1]
    story.selection = JobSelection(sort="created", is_descending=False)
    pushes += iter(lambda: story.news(listed), None)
    assert shown_by(pushes) == ids
    assert max(len(encode(push)) for push in pushes) <= BUDGET


async def test_a_view_that_lists_no_jobs_selects_none() -> None:
    async with Client() as client:
        error: Any = (await client.ask("select_jobs", "", view="nobody")).body["error"]
        assert error["message"] == "this view does not list jobs. Ask for `watch_jobs` first."


# --- what changes ----------------------------------------------------------------------------------------------------


async def test_while_a_client_takes_nothing_nothing_piles_up() -> None:
    job = RecordedJob("j9")
    async with Client() as client:
        await watch(client)
        client.is_free.clear()
        for number in range(30):
            job.record(loss(float(number)))
            await asyncio.sleep(0.01)
        job.status(Status.FAILED)
        await client.until(lambda: get_job_index().rows["j9"].status is Status.FAILED)
        before = len(client.pushes())
        client.is_free.set()
        await until_told(client, j9="failed")
        assert len(client.pushes()) - before <= 1
        assert rows_of(client.pushes())["j9"]["metric"] == {"name": "loss", "value": 29.0}
    job.release()


async def test_a_view_that_is_mounted_again_is_told_all_anew() -> None:
    record_many(3)
    async with Client() as client:
        await watch(client)
        await client.ok("watch_jobs", "", view="v")
        await client.until(lambda: len(client.pushes()) == 2)
        again = client.pushes()[1]
        assert (again["seq"], again["is_first"], len(again["rows"])) == (0, True, 3)


async def test_two_views_are_told_the_same() -> None:
    record_many(150)
    async with Client() as one, Client() as other:
        pushes = await asyncio.gather(watch(one), watch(other, view="w"))
        assert rows_of(pushes[0]) == rows_of(pushes[1])
        assert len(get_job_index().views) == 2


async def test_a_bye_ends_the_view() -> None:
    async with Client() as client:
        await watch(client)
        await client.ok("bye", "", view="v")
        await client.until(lambda: not get_job_index().views)


async def test_a_client_that_has_gone_is_watching_no_more() -> None:
    async with Client() as client:
        await watch(client)
    assert not get_job_index().views


async def test_a_number_that_json_lacks_and_half_a_character_are_sent_as_they_can_be() -> None:
    record("j1", loss(float("nan")), loss(1.0, name="\ud800"), name="a\ud800", notebook="\udcff.ipynb")
    record("j2", loss(float("-inf")))
    async with Client() as client:
        await watch(client)
        rows = rows_of(client.pushes())
        assert rows["j1"]["name"] == "a\ufffd"
        assert rows["j2"]["metric"] == {"name": "loss", "value": "-inf"}
        assert all(to_frame(message) for message in client.messages)


async def test_what_cannot_be_listed_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    JobStore().home.mkdir(exist_ok=True)
    (JobStore().home / "jobs").symlink_to("jobs")
    async with Client() as client:
        assert await client.ok("watch_jobs", "", view="v") == {"count": 0}
        (push,) = await client.until(client.pushes)
        assert (push["rows"], push["is_whole"]) == ([], True)
        assert "PAI_JUPYTER_HOME" in push["notes"][0]


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("watch_jobs", {}),
        ("watch_jobs", {"view": 7}),
        ("watch_jobs", {"view": "v" * 1_000}),
        ("watch_jobs", {"view": "v", "sort": "colour"}),
        ("select_jobs", {"view": "v", "status": "happy"}),
        ("select_jobs", {"view": "v", "text": "x" * 1_000}),
        ("points", {"view": "v", "group": "metrics"}),
        ("sparks", {}),
        ("sparks", {"jobs": "j1"}),
        ("sparks", {"jobs": ["j1"] * 101}),
        ("sparks", {"jobs": [None]}),
        ("sparks", {"jobs": [["j1"]]}),
        ("sparks", {"jobs": ["j" * 1_000]}),
    ],
)
async def test_what_cannot_be_meant_is_refused_with_a_sentence(kind: str, given: dict[str, Any]) -> None:
    async with Client() as client:
        await watch(client)
        error: Any = (await client.ask(kind, "", **given)).body["error"]
        assert error["type"] in ("SpecError", "NotFoundError")
        assert error["message"]


# --- courses ---------------------------------------------------------------------------------------------------------


async def sparks(*jobs: str) -> dict[str, tuple[str, list[float]]]:
    """The name of the metric and the values of its course, by job."""
    async with Client() as client:
        message = await client.ask("sparks", "", jobs=[*jobs])
        body, parts = read_frame(to_frame(message))
        assert "ok" in body, body
        found = zip(body["ok"]["sparks"], parts, strict=True)
        return {spark["job"]: (spark["name"], [*struct.unpack(f"<{len(part) // 8}d", part)]) for spark, part in found}


async def test_a_course_is_that_of_the_metric_in_the_row(job: RecordedJob) -> None:
    job.record(*(loss(float(number)) for number in range(5)), loss(9.0, name='"val"\\损失'))
    job.record(loss(7.0), loss(8.0, name='"val"\\损失'))
    assert await sparks(job.id) == {job.id: ('"val"\\损失', [9.0, 8.0])}


@pytest.mark.parametrize("count", [1, 39, 40, 41, 500, 5_000])
async def test_a_course_of_any_length_is_short_and_goes_from_the_first_to_the_last(
    job: RecordedJob, count: int
) -> None:
    job.record(*(loss(float(number), step=float(number)) for number in range(count)))
    _, values = (await sparks(job.id))[job.id]
    assert len(values) == min(count, 40)
    assert (values[0], values[-1]) == (0.0, count - 1.0)
    assert values == sorted(values)


async def test_of_a_long_record_pieces_are_read_and_other_metrics_passed_over(job: RecordedJob) -> None:
    for number in range(6_000):
        job.writer.record(loss(float(number)))
        job.writer.record(loss(-1.0, name="other" * 10))
    job.record(loss(6_000.0), loss(1.0, name="accuracy"), loss(2.0, name="accuracy"))
    assert (await sparks(job.id))[job.id][0] == "accuracy"
    job.record(loss(0.0, name="other" * 10))
    assert (job.folder.path / "events.jsonl").stat().st_size > BUDGET


async def test_a_course_is_that_of_the_replica_whose_value_the_row_has(job: RecordedJob) -> None:
    told = [("worker-1", 9.0), ("master-0", 3.0), ("worker-1", 8.0), ("master-0", 2.0), ("worker-1", 7.0)]
    job.record(*(loss(value, replica=replica) for replica, value in told))
    assert await sparks(job.id) == {job.id: ("loss", [3.0, 2.0])}


async def test_a_course_grows_with_its_job(job: RecordedJob) -> None:
    job.record(loss(1.0))
    assert await sparks(job.id) == {job.id: ("loss", [1.0])}
    job.record(loss(2.0), loss(float("inf")))
    assert await sparks(job.id) == {job.id: ("loss", [1.0, 2.0, float("inf")])}


async def test_jobs_without_a_metric_and_those_that_are_not_here_have_none(job: RecordedJob) -> None:
    job.record(loss(1.0))
    record("j2")
    damaged = record("j3", loss(1.0))
    (damaged.path / "state.json").write_bytes(b"[" * 100_000)
    assert {*await sparks("j2", "j3", "../j1", "", "nobody", job.id, job.id)} == {job.id}


DAMAGED = {
    "a list": '[{"name":"loss"}]',
    "a kind that is none": '{"name":"loss","kind":[]}',
    "a value without end": '{"name":"loss","kind":"Metric","time":1,"value":1%s}' % ("0" * 400),
    "half a line": '{"name":"loss","kind"',
    "deep": "[" * 5_000 + '"name":"loss"',
}


@pytest.mark.parametrize("damage", DAMAGED)
async def test_a_record_that_is_damaged_costs_no_other_job_its_course(job: RecordedJob, damage: str) -> None:
    record("j2", loss(2.0))
    job.record(*(loss(float(number)) for number in range(1_000)))
    events = job.folder.path / "events.jsonl"
    events.write_text(f"{DAMAGED[damage]}\n" * 3 + "\n" * (events.stat().st_size - 3 * len(DAMAGED[damage]) - 3))
    assert await sparks(job.id, "j2") == {job.id: ("loss", [999.0]), "j2": ("loss", [2.0])}


async def test_a_metric_that_was_noted_without_events_is_one_point() -> None:
    folder = record("j1", status=Status.RUNNING)
    note(folder, loss(3.0))
    assert await sparks("j1") == {"j1": ("loss", [3.0])}
