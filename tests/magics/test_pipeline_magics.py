"""`%%pai_pipeline`, `%pai_pipeline` and `%pai_runs`: a pipeline from a cell or a manifest is drawn, printed, run, and run again."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.cloud import flow
from pai_jupyter.config import settings
from pai_jupyter.errors import NotFoundError, PaiJupyterError, RunFailed, SpecError, UnavailableError
from pai_jupyter.jobs import list_jobs
from pai_jupyter.magics import emulator
from pai_jupyter.package import build
from pai_jupyter.runs import Run, list_runs
from pai_jupyter.runs.sources import RunSummary
from pai_jupyter.runs.state import RunStatus
from pai_jupyter.view.chinese import in_chinese
from pai_jupyter.workflow.component_store import HomeStore
from pai_jupyter.workflow.custom_job_component import CustomJobComponent
from pai_jupyter.workflow.parameter import PipelineParameter
from tests.support.patience import DEADLINE
from tests.support.sessions import surroundings
from tests.support.shells import Shell
from tests.support.watched_runs import HeldRuns, shown

IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
SCRIPT = b"""\
import os, sys
accuracy = os.environ["PAI_HPS_ACCURACY"]
open(os.path.join(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"], "accuracy"), "w").write(accuracy)
print("accuracy", accuracy)
sys.exit(accuracy == "0")
"""
CELL = """\
first = iris_train.as_step("first", inputs={"accuracy": 0.5})
low = iris_train.as_condition_step("low", first.outputs["accuracy"] <= 0.9, inputs={"accuracy": 0.7})
high = iris_train.as_condition_step("high", first.outputs["accuracy"] > 0.9)
[low, high]
"""
WITH_INPUT = """\
start = PipelineParameter("start", typ=float, default=0.5)
first = iris_train.as_step("first", inputs={"accuracy": start})
low = iris_train.as_condition_step("low", first.outputs["accuracy"] <= 0.9)
chosen = Pipeline(steps=[low])
print("made")
"""

NARROW = WITH_INPUT.replace("default=0.5)", "default=0.5, feasible={'range': '[0, 1]'})")
NEEDING = """\
data = PipelineArtifact("data", required=True)
op = ContainerComponent("python:3", ["true"], inputs=[PipelineArtifact("data", required=True)])
Pipeline(steps=[op.as_step("one", inputs={"data": data})])
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    with surroundings(tmp_path, monkeypatch), Shell() as shell:
        monkeypatch.chdir(tmp_path)
        shell.run("from pai_jupyter.workflow.pipeline import Pipeline")
        shell.run("from pai_jupyter.workflow.parameter import PipelineParameter")
        yield shell


@pytest.fixture
def component(shell: Shell, tmp_path: Path) -> CustomJobComponent:
    """A component that is saved on this machine as iris-train; it gives the accuracy that it was given."""
    packed = build(None, to=tmp_path / "code.tar.gz", files={"train.py": SCRIPT})
    made = CustomJobComponent(
        entry_point="train.py",
        source=str(packed.path),
        parameters={"accuracy": 0.8},
        outputs=[PipelineParameter("accuracy", typ=float)],
    )
    HomeStore().save(made.documents(), identifier="iris-train", version="v1")
    return made


def said(shell: Shell, cell: str) -> str:
    result = shell.run(cell)
    assert result.error is None, (result.error, result.text)
    return result.text


def refused(shell: Shell, cell: str) -> str:
    error = shell.run(cell).error
    assert isinstance(error, PaiJupyterError), error
    return str(error)


pytestmark = pytest.mark.usefixtures("component")


def test_a_cell_is_drawn_and_nothing_runs(shell: Shell) -> None:
    text = said(shell, f"%%pai_pipeline iris\n{CELL}")
    assert [line.split()[0] for line in text.splitlines()[-3:]] == ["first", "low", "high"]
    assert "first.accuracy <= 0.9" in text or "accuracy <= 0.9" in text
    assert (list_jobs(), list_runs()) == ([], [])
    assert "iris_train" not in shell.user_ns


def test_a_cell_runs_and_exactly_one_branch_does(shell: Shell) -> None:
    text = said(shell, f"%%pai_pipeline iris --run --backend process --as run\n{CELL}")
    run = shell.user_ns["run"]
    assert isinstance(run, Run)
    assert run.state.status == "succeeded"
    assert {step.name: step.status.value for step in run.state.steps} == {
        "first": "succeeded",
        "low": "succeeded",
        "high": "skipped",
    }
    assert "Succeeded" in text
    assert "Skipped" in text
    assert {job.folder.record.step for job in run.jobs} == {"first", "low"}


def test_the_only_pipeline_of_a_cell_is_meant_and_values_are_typed(shell: Shell) -> None:
    said(shell, f"%%pai_pipeline iris --run --backend process -p start=0.95 --as run\n{WITH_INPUT}")
    run = shell.user_ns["run"]
    assert {step.name: step.status.value for step in run.state.steps} == {"first": "succeeded", "low": "skipped"}
    assert shell.user_ns["chosen"].steps


def test_a_manifest_is_printed_and_run_from_its_file(shell: Shell, tmp_path: Path) -> None:
    text = said(shell, f"%%pai_pipeline iris --yaml\n{WITH_INPUT}")
    (tmp_path / "iris.yaml").write_text(text.removeprefix("made\n"))
    assert "low" in said(shell, "%pai_pipeline iris.yaml")
    said(shell, "%pai_pipeline iris.yaml --run --backend process -p start=0.6 --as run")
    assert shell.user_ns["run"].name == "iris"
    assert shell.user_ns["run"].state.status == "succeeded"


def test_a_failed_run_is_shown_and_raises(shell: Shell) -> None:
    result = shell.run(f"%%pai_pipeline iris --run --backend process -p start=0\n{WITH_INPUT}")
    assert isinstance(result.error, RunFailed)
    assert "Failed" in result.text


@pytest.mark.parametrize(
    ("line", "cell", "sentence"),
    [
        ("iris", "x = 1", "the cell makes no pipeline"),
        ("iris", "x = 1\ny = (", "the cell cannot be read as Python, line 3: '(' was never closed."),
        ("iris", "1 + 1", "type int, which is no pipeline"),
        ("iris", f"{WITH_INPUT}other = Pipeline(steps=[iris_train.as_step('a')])", "several pipelines: chosen, other"),
        ("iris -p start=high", WITH_INPUT, "start"),
        ("iris -p stat=1 --run", WITH_INPUT, "has no input `stat`"),
        ("iris --run --backend pai", WITH_INPUT, "Type --backend process, or --backend docker; --remote"),
        ("iris --run --backend process --remote", WITH_INPUT, "Leave one out"),
        ("iris --run --backend local", WITH_INPUT, "`--backend local`: there is no such backend on this machine."),
        ("iris --run --parallel 0", WITH_INPUT, "`--parallel 0` must be a whole number from 1."),
        (
            "iris --run --parallel x",
            WITH_INPUT,
            "`--parallel x` must be a number. Type %pai_pipeline? for the options.",
        ),
        ("iris --run --backend", WITH_INPUT, "`--backend` has no value. Type %pai_pipeline? for the options."),
        ("iris extra", WITH_INPUT, "`extra` is too much on this line. Type %pai_pipeline? for the options."),
        ("''", WITH_INPUT, "a pipeline needs a name"),
        (
            "iris --bogus",
            WITH_INPUT,
            "`--bogus` is no option of %pai_pipeline. A value for an input of the pipeline is given with -p bogus=...",
        ),
        ("iris -p stat=1", WITH_INPUT, "the pipeline has no input `stat`. Its inputs: `start`."),
        ("iris -p start=5", NARROW, "the pipeline: parameter `start` is 5; it must be in [0, 1]."),
        ("iris --run", NEEDING, "the pipeline needs the artifact `data`. Add it: "),
        ("iris --as 1x", WITH_INPUT, "1x"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_runs(shell: Shell, line: str, cell: str, sentence: str) -> None:
    shell.run("from pai_jupyter.workflow import ContainerComponent, PipelineArtifact")
    found = refused(shell, f"%%pai_pipeline {line}\n{cell}")
    assert sentence in found
    words = in_chinese(found).replace("was never closed", "")  # Python's own
    assert not re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,}", words)
    assert list_runs() == []


def test_a_manifest_of_something_else_is_refused(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("kind: Pod\nspec: {}\n")
    assert "the manifest describes neither a container nor steps." in refused(shell, "%pai_pipeline pod.yaml")


@pytest.mark.parametrize(
    "text", ["%pai_pipeline none.yaml", "%pai_pipeline code.tar.gz", "%pai_pipeline /", "%pai_pipeline /dev/zero"]
)
def test_what_is_no_manifest_is_told(shell: Shell, text: str) -> None:
    assert "Give the YAML file of a manifest, or write a cell: %%pai_pipeline NAME" in refused(shell, text)


def test_an_error_of_the_cell_is_the_users(shell: Shell) -> None:
    result = shell.run("%%pai_pipeline iris\nfirst = iris_train.as_step('first')\nfirst.outputs['nothing']\n1 / 0")
    assert result.error is not None
    assert "iris_train" not in shell.user_ns


def test_invalid_python_is_one_sentence_with_its_line(shell: Shell) -> None:
    error = shell.run("%%pai_pipeline iris\nfirst = iris_train.as_step(").error
    assert isinstance(error, SpecError)
    assert error.line == 2


def test_a_variable_is_never_replaced_by_a_saved_component(shell: Shell) -> None:
    shell.user_ns["iris_train"] = "mine"
    assert isinstance(shell.run(f"%%pai_pipeline iris\n{CELL}").error, AttributeError)
    assert shell.user_ns["iris_train"] == "mine"


def test_the_newest_version_is_at_hand(shell: Shell, component: CustomJobComponent) -> None:
    HomeStore().save(component.documents(), identifier="iris-train", version="a")
    said(shell, "%%pai_pipeline iris\nstep = iris_train.as_step('first')\nstep")
    assert shell.user_ns["step"].component.version == "a"


def test_a_pipeline_that_is_a_step_of_another_is_not_meant(shell: Shell) -> None:
    cell = f"{WITH_INPUT}whole = Pipeline(steps=[chosen.as_step('inner')])"
    assert "inner" in said(shell, f"%%pai_pipeline iris\n{cell}")


# --- %pai_runs -----------------------------------------------------------------------------------------------------------


def test_runs_are_listed_shown_run_again_and_deleted(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(shell, "%pai_runs").strip() == (
        "no jobs and no runs yet. Start a job with %%pai_train NAME, a pipeline with %%pai_pipeline NAME --run"
    )
    said(shell, f"%%pai_pipeline iris --run --backend process --as run\n{WITH_INPUT}")
    run = shell.user_ns["run"]
    table = said(shell, "%pai_runs").splitlines()
    assert table[0].split() == ["state", "name", "jobs", "inputs", "started", "time", "notebook", "id"]
    assert "start = 0.5" in table[1]
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", table[1])
    assert "Succeeded" in table[1]
    assert table[1].endswith(run.id)
    assert "first" in said(shell, f"%pai_runs {run.id[:8]} --as again")
    assert shell.user_ns["again"].id == run.id
    with monkeypatch.context() as stable:
        stable.setenv("PAI_JUPYTER_STABLE", "1")
        assert said(shell, "%pai_runs").splitlines() == ["state        name  jobs", "✓ Succeeded  iris  2/2 ✓"]
    assert said(shell, f"%pai_runs {run.id} --stop").strip() == f"run {run.id} has ended already."
    assert run.id in shell.complete("%pai_runs r")
    assert {"first", "low"} <= {*shell.complete(f"%pai_runs {run.id} --rerun --from-step ")}
    _runs_again(shell, run.id)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert said(shell, f"%pai_runs {run.id} --delete").strip() == "Nothing was deleted."
    assert f"the record of run {run.id} is deleted. Its jobs stay." in said(shell, f"%pai_runs {run.id} --delete -y")
    assert run.id not in said(shell, "%pai_runs")
    assert len(list_jobs()) >= 2
    assert isinstance(shell.run(f"%pai_runs {run.id}").error, NotFoundError)


def test_a_damaged_run_is_listed_and_can_be_deleted(shell: Shell) -> None:
    said(shell, f"%%pai_pipeline iris --run --backend process --as run\n{CELL}")
    run = shell.user_ns["run"]
    (run.folder / "end.json").unlink()
    (run.folder / "run.json").write_text("{}")
    row = said(shell, "%pai_runs").splitlines()[1].split()
    assert row[-2:] == [run.id, run.id]  # its name and its id; of its time nothing is known
    assert "is deleted" in said(shell, f"%pai_runs {run.id} --delete -y")
    assert list_runs() == []


def _runs_again(shell: Shell, run_id: str) -> None:
    said(shell, f"%pai_runs {run_id} --rerun --from-step low -p start=0.95 --as again")
    again = {step.name: step for step in shell.user_ns["again"].state.steps}
    assert (again["first"].taken_from, again["low"].status) == (None, "skipped")  # its value has changed
    said(shell, f"%pai_runs {run_id} --rerun --from-step low --as other")
    other = {step.name: step for step in shell.user_ns["other"].state.steps}
    assert (other["first"].taken_from, other["low"].taken_from) == (run_id, None)
    assert "start" in refused(shell, f"%pai_runs {run_id} --rerun -p start=high")
    assert "nothing" in refused(shell, f"%pai_runs {run_id} --rerun --from-step nothing")


def test_a_run_is_stopped(shell: Shell, gate: Path) -> None:
    cell = "CustomJobComponent(command='sleep 600').as_step('long')"
    shell.run("from pai_jupyter.workflow.custom_job_component import CustomJobComponent")
    said(shell, f"%%pai_pipeline long --run --no-wait --backend process --as run\n{cell}")
    run = shell.user_ns["run"]
    assert "must be" not in said(shell, f"%pai_runs --stop {run.id}")
    with pytest.raises(PaiJupyterError, match="stopped"):
        run.wait(DEADLINE)


def test_a_service_that_does_not_answer_hides_no_run_of_this_machine(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldRuns()
    held.trouble = UnavailableError("the service does not answer.")
    said(shell, f"%%pai_pipeline iris --run --backend process\n{CELL}")
    with shown(held):
        text = said(shell, "%pai_runs --remote")
    assert "the service does not answer." in text
    assert "iris" in text
    far = RunSummary(id="far", name="far", status=RunStatus.RUNNING, created=1.0, trouble="its site does not answer.")
    monkeypatch.setattr(held, "summaries", lambda: [far, far])
    with shown(held):
        assert said(shell, "%pai_runs --remote").count("its site does not answer.") == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("%pai_runs --stop", "`--stop` needs the id or the name of a run"),
        ("%pai_runs r1 --stop --delete", "`--stop` and `--delete` do not go together"),
        ("%pai_runs r1 -p lr=1", "`-p` is for running again. Add --rerun"),
        ("%pai_runs -n 0", "must be a whole number from 1"),
    ],
)
def test_options_that_do_not_fit_are_told(shell: Shell, line: str, sentence: str) -> None:
    assert sentence in refused(shell, line)


def test_tab_offers_manifests_and_options(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "iris.yaml").touch()
    assert any(text.endswith("yaml") for text in shell.complete("%pai_pipeline iris.y"))
    assert "--fail-fast" in shell.complete("%%pai_pipeline iris --fa")


# --- at PAI --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def at_emulator(shell: Shell) -> Iterator[Shell]:
    settings().use_emulator(emulator.start("process"))
    try:
        yield shell
    finally:
        emulator.stop()


THERE = """\
where = {"job_config": JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large").to_dict()}
first = iris_train.as_step("first", inputs={**where, "output_path": "oss://emulator/one/", "accuracy": 0.5})
low = iris_train.as_condition_step("low", first.outputs["accuracy"] <= 0.4, inputs=where)
Pipeline(steps=[low])
"""


def test_machines_of_pai_send_a_pipeline_there(at_emulator: Shell, component: CustomJobComponent) -> None:
    shell = at_emulator
    shell.run("from pai_jupyter import JobConfig")
    component.image_uri = IMAGE
    HomeStore().save(component.documents(), identifier="iris-train", version="with-image")
    said(shell, f"%%pai_pipeline iris --run --as run\n{THERE}")
    run = shell.user_ns["run"]
    assert not isinstance(run, Run)
    assert any("this is a rehearsal: the steps run at the emulator" in note for note in run.notes)
    assert "their images are neither checked nor used" in run.notes[0]
    assert {step.name: step.status.value for step in run.state.steps} == {"first": "succeeded", "low": "skipped"}
    assert run.id not in said(shell, "%pai_runs")
    other = flow.create_run("elsewhere", documents=component.documents())
    text = said(shell, "%pai_runs --remote")
    assert re.search(rf"iris +PAI  .* {run.id}", text)
    assert re.search(rf"elsewhere +PAI, started elsewhere  .* {other}", text)
    assert run.flow_id not in text
    assert "first" in said(shell, f"%pai_runs {run.id}")
    assert "`from_step` is for runs of this machine" in refused(shell, f"%pai_runs {run.id} --rerun --from-step first")
    assert "There are no inputs." in refused(shell, f"%pai_runs {run.id} --rerun -p x=1")
    assert "first" in said(shell, f"%pai_runs {run.id} --rerun --as again --wait")
    again = shell.user_ns["again"]
    assert (again.flow_id != run.flow_id, again.state.status) == (True, "succeeded")
    assert "is for runs on this machine" in refused(shell, f"%%pai_pipeline iris --run --parallel 2\n{THERE}")


def test_machines_of_pai_within_a_nested_pipeline_send_it_there(at_emulator: Shell) -> None:
    at_emulator.run("from pai_jupyter import JobConfig")
    cell = THERE.replace("Pipeline(steps=[low])", "Pipeline(steps=[Pipeline(steps=[low]).as_step('nested')])")
    assert "is for runs on this machine" in refused(at_emulator, f"%%pai_pipeline iris --run --parallel 2\n{cell}")


def test_a_log_that_a_stopped_emulator_cannot_give_is_no_empty_log(
    at_emulator: Shell, component: CustomJobComponent
) -> None:
    shell = at_emulator
    shell.run("from pai_jupyter import JobConfig")
    component.image_uri = IMAGE
    HomeStore().save(component.documents(), identifier="iris-train", version="with-image")
    said(shell, f"%%pai_pipeline iris --run --as run\n{THERE}")
    job = shell.user_ns["run"].state.steps[0].job_id
    emulator.stop()
    assert "is not running. Start it again" in said(shell, f"%pai_logs {job}")


def test_machines_of_this_one_are_not_sent_to_pai(shell: Shell) -> None:
    shell.run("from pai_jupyter import JobConfig")
    cell = THERE.replace("ecs.c6.large", "local")
    assert "Give them an ecs.* type, or leave --remote out" in refused(
        shell, f"%%pai_pipeline iris --run --remote\n{cell}"
    )


def test_saved_components_are_listed_with_what_a_cell_calls_them(shell: Shell) -> None:
    text = said(shell, "%pai_pipeline --components")
    assert text.splitlines()[0].split() == ["component", "version", "where", "in", "a", "cell"]
    assert text.splitlines()[1].split() == ["iris-train", "v1", "on", "this", "machine", "iris_train"]
    assert "`--components` stands alone" in refused(shell, "%pai_pipeline --components x")
    HomeStore().delete(HomeStore().get("iris-train", version="v1"))
    assert "no components are saved for pipelines. Save one" in said(shell, "%pai_pipeline --components")


def test_a_saved_custom_component_is_at_hand(shell: Shell) -> None:
    shell.run("%%pai_component my-echo --save\nlr: float = 0.5\nprint('rate', lr)")
    assert "my_echo" in said(shell, "%pai_pipeline --components")
    said(shell, "%%pai_pipeline echo --run --backend process --as run\n[my_echo.as_step('only', inputs={'lr': 0.75})]")
    (job,) = shell.user_ns["run"].jobs
    assert "rate 0.75" in "\n".join(map(str, job.logs()))
    assert "my_echo" not in shell.user_ns


def test_a_pipeline_without_a_name_is_refused(shell: Shell) -> None:
    assert "a pipeline needs a name" in refused(shell, "%pai_pipeline --run")
