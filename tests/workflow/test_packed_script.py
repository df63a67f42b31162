"""Values of a packed custom job reach its script as those of `CustomJob.local_run` do."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter import CustomJob, contract
from pai_jupyter.emulator.steps.builder import _Work
from pai_jupyter.errors import SpecError
from pai_jupyter.package import unpack
from pai_jupyter.runs.plan import Given, JobBody, JobRequest
from pai_jupyter.spec import Json
from pai_jupyter.workflow.custom_job_component import from_custom_job
from pai_jupyter.workflow.custom_job_step import AS_ON_PAI, STEP
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import Planned, plan_manifest
from pai_jupyter.workflow.preflight import check_planned

SCRIPT = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--verbose", action="store_true")
parser.add_argument("--no-cache", action="store_true")
parser.add_argument("--layers", type=int, nargs="+", default=[1])
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--rest")
if __name__ == "__main__":
    print(parser.parse_known_args()[0])
"""
VALUES: dict[str, Json] = {"lr": 0.5, "verbose": True, "no-cache": False, "layers": "[1, 2]"}


@pytest.fixture
def job(tmp_path: Path, workplace: Path) -> CustomJob:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(SCRIPT)
    return CustomJob(entry_point="train.py", source_code=tmp_path / "src", parameters=VALUES)


def planned(job: CustomJob, **values: Json) -> Planned:
    component = from_custom_job(job)
    return plan_manifest(component.documents(), name="demo", parameters=values, artifacts={}, place=RunPlace("process"))


def prepared(of: Planned, folder: Path, values: Mapping[str, Json] = VALUES) -> JobRequest:
    (folder / "packages").mkdir(parents=True)
    for name, path in of.packages.items():
        (folder / "packages" / name).write_bytes(path.read_bytes())
    body = of.plan.graph.steps[0].body
    assert isinstance(body, JobBody)
    return STEP.prepare(body, Given(parameters=values, artifacts={}), job_id="j1", run_folder=folder, environment={})


def test_flags_lists_and_defaults_are_those_of_local_run(job: CustomJob, tmp_path: Path) -> None:
    job.local_run()
    found = prepared(planned(job), tmp_path / "run").spec
    assert contract.command(found).arguments == contract.command(job.latest_job.spec).arguments
    assert "--verbose" in contract.command(found).arguments
    assert "True" not in contract.command(found).arguments


def test_what_an_assignment_declares_is_written_into_the_code_of_the_job(job: CustomJob, tmp_path: Path) -> None:
    (tmp_path / "src" / "train.py").write_text("lr: float = 0.01\nprint(lr)\n")
    job.parameters = {"lr": 0.5}
    of = planned(job)
    first = prepared(of, tmp_path / "run", {"lr": 0.75})
    assert first.changed == {"train.py": b"lr: float = 0.75\nprint(lr)\n"}
    assert contract.command(first.spec).arguments == ()
    (kept,) = of.packages.values()
    unpack(kept, tmp_path / "kept")
    assert (tmp_path / "kept" / "train.py").read_text() == "lr: float = 0.01\nprint(lr)\n"


def test_a_value_that_the_script_does_not_take_is_found_before_anything_starts(job: CustomJob) -> None:
    job.parameters = {"layers": "[1, 2]"}
    with pytest.raises(SpecError, match=r"`layers` is '1 2'; it must be a list"):
        check_planned(planned(job, layers="1 2"))


def test_a_parameter_of_which_the_script_says_nothing_is_passed_on(job: CustomJob, tmp_path: Path) -> None:
    (tmp_path / "src" / "train.py").write_text("print('ignores all')")
    assert contract.command(prepared(planned(job), tmp_path / "run").spec).arguments[:2] == ("--lr", "0.5")


def test_a_script_that_the_code_does_not_have_is_found_before_anything_starts(job: CustomJob) -> None:
    documents = from_custom_job(job).documents()
    text = json.dumps(documents).replace('"train.py"', '"gone.py"')
    of = plan_manifest(json.loads(text), name="demo", parameters={}, artifacts={}, place=RunPlace("process"))
    with pytest.raises(SpecError, match=r"its packed code has no script 'gone\.py'"):
        check_planned(of)


def test_the_service_passes_every_value_as_it_is_and_installs_nothing(job: CustomJob, tmp_path: Path) -> None:
    job.requirements = ("numpy",)
    of = planned(job)
    assert prepared(of, tmp_path / "here").spec.requirements == ("numpy",)
    body = of.plan.graph.steps[0].body
    assert isinstance(body, JobBody)
    around = replace(body, builder="", data={"builder": body.builder, "data": {**body.data}})
    inner = replace(body, data=_Work(tmp_path / "home" / "runs" / "r1", "j1").inner(around).data)
    assert inner.data[AS_ON_PAI] is True
    step = replace(of.plan.graph.steps[0], body=inner)
    of = replace(of, plan=replace(of.plan, graph=replace(of.plan.graph, steps=(step,))))
    spec = prepared(of, tmp_path / "run").spec
    assert spec.requirements == ()
    words = contract.command(spec).arguments
    assert words[:4] == ("--lr", "0.5", "--verbose", "True")
