"""What the acts of a run cost, where hundreds wait."""

import queue
from pathlib import Path

import pytest

from pai_jupyter.runs.acting import ActRunner
from pai_jupyter.runs.places import UNKNOWN, PlaceLimits
from pai_jupyter.runs.plan import JobBody
from pai_jupyter.runs.run_folder import create_run_folder
from pai_jupyter.runs.run_log import RunLog
from pai_jupyter.runs.try_facts import TryReader
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
