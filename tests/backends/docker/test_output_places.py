"""Where containers may not put their outputs: below a directory that somebody writes who could put a link there. No engine."""

import json
from pathlib import Path

import pytest

from pai_jupyter.backends.docker.deployment import check_outputs
from pai_jupyter.events import Status
from pai_jupyter.spec import JobSpec
from tests.support.lists import record

SPEC = JobSpec(name="next", command="true", image_uri="img:1")


def writes(place: Path, *, status: Status) -> None:
    """Have a job with this status whose outputs are in `place`."""
    folder = record(f"j{status}", status=status)
    (folder.path / "run").mkdir()
    outputs = {"model": str(place / "model"), "output_parameters": str(place / "output_parameters")}
    (folder.path / "run" / "outputs.json").write_text(json.dumps(outputs))


@pytest.mark.parametrize("given", ["whole", "channel"])
def test_an_output_below_what_a_running_job_writes_is_refused(tmp_path: Path, given: str) -> None:
    writes(tmp_path / "out", status=Status.RUNNING)
    place = str(tmp_path / "out" / "deep" / "b")
    fields = {"output_path": place} if given == "whole" else {"outputs": {"model": place}}
    [said] = check_outputs(JobSpec.from_json({**SPEC.to_json(), **fields}))
    assert said.startswith(f"an output is to go to {place}, which is in {tmp_path / 'out'}, where another job writes")


def test_an_output_below_what_an_ended_job_wrote_or_beside_a_running_one_is_taken(tmp_path: Path) -> None:
    writes(tmp_path / "ended", status=Status.SUCCEEDED)
    writes(tmp_path / "runs", status=Status.RUNNING)
    for place in ("ended/b", "runs", "beside"):
        assert check_outputs(JobSpec.from_json({**SPEC.to_json(), "output_path": str(tmp_path / place)})) == []
