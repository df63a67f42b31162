"""Custom components as steps: their commands find what they find in a job of their own, and PAIFlow is not asked to run them."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from pai_jupyter import JobConfig
from pai_jupyter.cloud.session import Session
from pai_jupyter.component import Component, ComponentInput, ComponentOutput, TrainingConstraint
from pai_jupyter.component.running import ComponentRun, run_problems
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Hyperparameter
from pai_jupyter.workflow.local_run import plan_here
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.pipeline import Pipeline
from pai_jupyter.workflow.remote_upload import Upload

SCRIPT = """\
import os, pathlib, sys
train = pathlib.Path(os.environ["PAI_INPUT_TRAIN"])
rows = len((train / "report.txt" if train.is_dir() else train).read_text().split())
pathlib.Path(os.environ["PAI_OUTPUT_REPORT"], "report.txt").write_text(f"{rows} {os.environ['PAI_HPS_LR']} {sys.argv[1:]}")
pathlib.Path(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"], "rows").write_text(str(rows))
"""
COUNTED = Component(
    name="counted",
    command='python main.py $PAI_USER_ARGS --report "$PAI_OUTPUT_REPORT"',
    files={"main.py": SCRIPT.encode()},
    inputs=(ComponentInput(name="train"),),
    outputs=(ComponentOutput(name="model"), ComponentOutput(name="report")),
    parameters=(
        Hyperparameter(name="lr", type="Float", default=0.1, minimum=0, maximum=1),
        Hyperparameter(name="kind", type="String", required=True, choices=("a", "b")),
    ),
)


@pytest.fixture(autouse=True)
def _rows(workplace: Path) -> None:
    (workplace / "rows.txt").write_text("1 2 3")


def test_a_custom_component_is_a_step_and_its_outputs_go_to_the_next(workplace: Path) -> None:
    op = COUNTED.as_component(outputs=[PipelineParameter("rows", typ=int)])
    first = op.as_step("first", inputs={"train": workplace / "rows.txt", "kind": "b", "lr": 0.5})
    second = COUNTED.as_condition_step(
        "second", first.outputs["rows"] == 3, inputs={"train": first.outputs["report"], "kind": "a"}
    )
    run = Pipeline([second]).local_run("counts", backend="process")
    found = {step.name: step for step in run.state.steps}
    report = Path(str(found["second"].artifacts["report"])) / "report.txt"
    assert found["first"].parameters == {"rows": 3}
    assert report.read_text().startswith("8 0.1 ['--lr', '0.1', '--kind', 'a', '--report', ")


def test_values_are_those_that_the_component_accepts() -> None:
    with pytest.raises(SpecError, match="lr"):
        COUNTED.as_step("a", inputs={"kind": "a", "lr": 2})
    with pytest.raises(SpecError, match="kind"):
        COUNTED.as_step("a", inputs={"kind": "c"})


def test_paiflow_is_not_asked_to_run_one() -> None:
    documents, session = COUNTED.as_component().documents(), cast(Session, None)  # nothing is sent
    with pytest.raises(SpecError, match=r"the custom component counted 1\.0\.0 is no step on PAIFlow"):
        Upload(session=session).documents(documents)


LIMITED = replace(
    COUNTED,
    inputs=(ComponentInput(name="train", sources=("NAS",)),),
    constraint=TrainingConstraint(machine="CPU", several_machines=False),
)
TWO = {"job_config": JobConfig.create(worker_count=2, worker_instance_type="local")}


@pytest.mark.parametrize(
    ("component", "given", "sentences"),
    [
        (LIMITED, TWO, ["the component runs on one machine, and 2 are asked for."]),
        (
            LIMITED,
            {"train": "oss://examplebucket.oss-cn-hangzhou.aliyuncs.com/rows/"},
            ["input 'train' is in OSS, and the component reads it from NAS."],
        ),
        (
            replace(COUNTED, constraint=TrainingConstraint(machine="GPU")),
            {},
            ["the component needs a GPU, and 'local' has none."],
        ),
    ],
)
def test_machines_and_inputs_that_the_component_does_not_take_are_those_of_its_jobs_and_stop_a_run_before_it(
    workplace: Path, component: Component, given: dict[str, Any], sentences: list[str]
) -> None:
    count = sum(role.instance_count for role in given["job_config"].roles) if "job_config" in given else 1
    run = ComponentRun(inputs={"train": given.get("train", "rows.txt")}, values={"kind": "a"}, instance_count=count)
    assert [text.partition(" Type")[0].partition(" Give")[0] for text in problems(component, run)] == sentences
    given = {"train": workplace / "rows.txt", "kind": "a", **given}
    first = COUNTED.as_component(outputs=[PipelineParameter("kind")]).as_step(
        "first", inputs={"train": workplace / "rows.txt", "kind": "a"}
    )
    op = component.as_component()
    for inputs in (given, {**given, "kind": first.outputs["kind"]}):
        with pytest.raises(SpecError) as caught:
            plan_here(Pipeline([op.as_step("second", inputs=inputs)]), "demo", backend="process")
        assert "step `second`: " in str(caught.value)
        for sentence in sentences:
            assert sentence in str(caught.value)


def test_what_the_component_takes_is_taken(workplace: Path) -> None:
    nothing = plan_here(LIMITED.as_component(), "demo", backend="process", arguments={"kind": "a", "train": "rows.txt"})
    assert nothing.notes == ()


def problems(component: Component, run: ComponentRun) -> list[str]:
    return run_problems(component, run, machine="local", cards=0)
