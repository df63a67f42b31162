"""What the acts of a run cost, where hundreds wait, and what comes of one that breaks."""

import queue
from pathlib import Path

import pytest

from pai_jupyter.runs.acting import ActRunner
from pai_jupyter.runs.acts import StartTry
from pai_jupyter.runs.outcomes import Considered, Postponed, Said
from pai_jupyter.runs.places import UNKNOWN, PlaceLimits
from pai_jupyter.runs.plan import JobBody
from pai_jupyter.runs.reuse import Reuse
from pai_jupyter.runs.run_folder import create_run_folder
from pai_jupyter.runs.run_log import RunLog
from pai_jupyter.runs.try_facts import TryReader
from tests.support.patience import DEADLINE
from tests.support.run_jobs import marked
from tests.support.run_plans import plan_of, step


def test_steps_that_wait_for_the_same_room_ask_for_it_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    has_room = PlaceLimits.has_room

    def counted(self: PlaceLimits, body: JobBody) -> bool:
        asked.append(body.title)
        return has_room(self, body)

    monkeypatch.setattr(PlaceLimits, "has_room", counted)
    body = marked(tmp_path, "one", refuse="not here.")
    plan = plan_of(*(step(f"s{number}", job=body) for number in range(50)))
    folder = create_run_folder(plan, home=home, now=1.0, random=1, packages={})
    with RunLog(folder) as log:
        acts = ActRunner(folder, log, TryReader(home), queue.SimpleQueue())
        acts.do_next()
        acts.close()
        assert len(log.fold.progress.tries) == UNKNOWN
    assert len(asked) == UNKNOWN + 1


def test_an_act_that_breaks_is_done_again_and_its_step_is_not_at_work_for_ever(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Reuse, act: StartTry) -> Considered:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Reuse, "find", broken)
    plan = plan_of(step("only", job=marked(tmp_path, "one")))
    folder = create_run_folder(plan, home=home, now=1.0, random=1, packages={}, earlier="r0000")
    said: queue.SimpleQueue[Said] = queue.SimpleQueue()
    with RunLog(folder) as log:
        acts = ActRunner(folder, log, TryReader(home), said)
        acts.do_next()
        outcome = said.get(timeout=DEADLINE)
        assert isinstance(outcome, Postponed)
        acts.take(outcome)
        acts.close()
        assert acts.is_idle
        assert log.fold.state().notes == (
            "step `only` waits: OSError: [Errno 5] Input/output error. It is tried again.",
        )


def test_as_many_jobs_begin_as_the_queue_of_this_machine_lets_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL", "70")
    body = marked(tmp_path, "one", backend="process")
    plan = plan_of(*(step(f"s{number}", job=body) for number in range(90)))
    folder = create_run_folder(plan, home=home, now=1.0, random=1, packages={})
    with RunLog(folder) as log:
        acts = ActRunner(folder, log, TryReader(home), queue.SimpleQueue())
        acts._places.begin("known", body)
        acts._places.learn("known", body, is_remote=False)
        acts._places.end("known")
        monkeypatch.setattr(acts, "_begin", lambda step, action: None)
        acts.do_next()
        acts.close()
        assert len(log.fold.progress.tries) == 70
