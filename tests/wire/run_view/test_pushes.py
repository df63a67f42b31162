"""A view of a run over a feed: whole, then changes; trouble and hostile requests end neither view nor feed."""

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import UnavailableError
from pai_jupyter.runs import start_run
from pai_jupyter.runs.state import RunStatus
from pai_jupyter.wire.run_view import polling
from tests.runs.conftest import marks
from tests.support.drivers import drivers_of
from tests.support.run_jobs import counts, marked
from tests.support.run_plans import Simulation, of_seed, plan_of, step
from tests.support.watched_runs import HeldRuns, shown
from tests.support.wire import Client, assert_polite

__all__ = ["marks"]  # a fixture


def driven(run: Simulation) -> HeldRuns:
    return HeldRuns(replace(run.run.state(), id="r1"))


@pytest.fixture
def run() -> Simulation:
    return Simulation(of_seed(), values={"train-step-1": 1})


@pytest.fixture
def held(run: Simulation) -> Iterator[HeldRuns]:
    held = driven(run)
    with shown(held):
        yield held


async def test_a_run_is_sent_whole_and_then_its_changes(run: Simulation, held: HeldRuns) -> None:
    async with Client() as client:
        assert await client.ok("watch_run", "r1", view="v") == {}
        (first,) = await client.until(lambda: client.pushes(kind="run"))
        assert (first["seq"], first["run"]["is_here"], first["run"]["url"]) == (0, False, "https://console/r1")
        run.finish()
        held.states["r1"] = replace(run.run.state(), id="r1")
        (change,) = await client.until(lambda: client.pushes(kind="run_changes"))
        assert [step["status"] for step in change["steps"]] == ["succeeded", "skipped", "succeeded"]
        assert change["run"]["status"] == "succeeded"
        assert [push["seq"] for push in client.pushes()] == [0, 1]
    assert not polling._pollers


async def test_a_run_that_has_ended_is_polled_once_for_all_views(run: Simulation, held: HeldRuns) -> None:
    run.finish()
    held.states["r1"] = replace(run.run.state(), id="r1")
    async with Client() as client:
        await client.ok("watch_run", "r1", view="a")
        await client.until(lambda: client.pushes("a"))
        await client.ok("watch_run", "r1", view="b")
        await client.until(lambda: client.pushes("b"))
        assert held.polls == 1


async def test_pushes_are_few_whatever_changes_and_none_waits_in_a_queue(held: HeldRuns) -> None:
    state = held.states["r1"]
    async with Client() as client:
        await client.ok("watch_run", "r1", view="v")
        await client.until(lambda: client.pushes())
        client.is_free.clear()  # it takes one more, and nothing else
        for number in range(50):
            held.states["r1"] = replace(state, notes=(f"note {number}",))
            await asyncio.sleep(0.01)
        await client.until(lambda: len(client.pushes()) == 2)
        held.states["r1"] = replace(state, notes=("the last",))
        client.is_free.set()
        await client.until(lambda: client.pushes()[-1]["run"]["notes"] == ["the last"])
        assert len(client.pushes()) <= 4
        assert_polite(client)


async def test_trouble_is_told_and_goes_again(held: HeldRuns) -> None:
    held.trouble = UnavailableError("the service does not answer.")
    async with Client() as client:
        await client.ok("watch_run", "r1", view="v")
        (first,) = await client.until(lambda: client.pushes())
        assert (first["run"]["trouble"], first["steps"]) == ("the service does not answer.", [])
        held.trouble = None
        await client.until(lambda: not client.pushes()[-1]["run"]["trouble"])
        assert len(client.pushes()[-1]["steps"]) == 3
        held.states["r1"] = replace(held.states["r1"], status=RunStatus.STOPPED)
        await client.until(lambda: client.pushes()[-1]["run"]["status"] == "stopped")


async def test_levels_can_be_opened_in_a_view_of_the_run_alone(held: HeldRuns) -> None:
    async with Client() as client:
        answer = await client.ask("open_run", "r1", view="v", open=["loop"])
        assert "Ask for `watch_run` first" in str(answer.body["error"])
        await client.ok("watch_run", "r1", view="v", open=["loop"])
        assert await client.ok("open_run", "r1", view="v", open=[]) == {}
        assert "error" in (await client.ask("open_run", "r2", view="v")).body
        assert "error" in (await client.ask("select_jobs", "r1", view="v")).body


async def test_whoever_watches_a_run_of_this_machine_has_it_driven_to_its_end(marks: Path, home: Path) -> None:
    gate = marks / "gate"
    plan = plan_of(step("one", job=marked(marks, "one", wait=str(gate))), step("two", "one", job=marked(marks, "two")))
    run = await asyncio.to_thread(start_run, plan)
    for pid in drivers_of(home):
        os.kill(pid, signal.SIGKILL)
    async with Client() as client:
        await client.ok("watch_run", run.id, view="v")
        (first,) = await client.until(lambda: client.pushes(kind="run"))
        assert (first["run"]["id"], first["run"]["is_here"]) == (run.id, True)
        gate.touch()
        await client.until(lambda: client.pushes()[-1]["run"]["status"] == "succeeded")
        last = {step["path"]: step["status"] for push in client.pushes() for step in push["steps"]}
        assert last == {"one": "succeeded", "two": "succeeded"}
    assert counts(marks) == {"one": 1, "two": 1}


async def test_a_run_that_is_deleted_meanwhile_says_so(marks: Path) -> None:
    plan = plan_of(step("one", job=marked(marks, "one", wait=str(marks / "never"))))
    run = await asyncio.to_thread(start_run, plan)
    async with Client() as client:
        await client.ok("watch_run", run.id, view="v")
        await client.until(lambda: client.pushes())
        (run.folder / "run.json").unlink()
        await client.until(lambda: "was removed" in client.pushes()[-1]["run"]["trouble"])


@pytest.mark.parametrize("run_id", ["", "r2", "../..", "r1/../r1", "\x00", "r" * 200])
async def test_there_is_no_such_run(held: HeldRuns, run_id: str) -> None:
    async with Client() as client:
        answer = await client.ask("watch_run", run_id, view="v")
        assert answer.body["error"]["type"] in ("NotFoundError", "SpecError")  # type: ignore[index]  # an object
        assert not client.feed._places


@pytest.mark.parametrize("given", ["a", [1], ["a"] * 101, {"a": 1}])
async def test_levels_are_a_short_list_of_paths(held: HeldRuns, given: object) -> None:
    async with Client() as client:
        answer = await client.ask("watch_run", "r1", view="v", open=given)
        assert "`open`" in str(answer.body["error"])


async def test_sentences_are_in_the_language_of_the_client(held: HeldRuns) -> None:
    held.trouble = UnavailableError("a name with no translation")
    async with Client(language="zh") as client:
        await client.ok("watch_run", "r1", view="v")
        (first,) = await client.until(lambda: client.pushes())
        assert first["run"]["trouble"] == "a name with no translation"
