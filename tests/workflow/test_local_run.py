"""Pipelines that really run on this machine: which of two steps the accuracy chooses, and what fails with which sentence."""

from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import RunFailed, SpecError
from pai_jupyter.runs import Run
from pai_jupyter.runs.state import RunState, StepState
from pai_jupyter.workflow.local_run import local_run
from tests.support.accuracies import CASES, DECIDING, STALE, Accuracy, undecided
from tests.support.manifests import (
    Doc,
    artifact,
    container,
    custom_job,
    out,
    packed,
    parameter,
    pipeline,
    seed_pipeline,
    step,
)
from tests.support.workflows import rows_from_step_to_step

# Writes its accuracy as the script of the seed does, and leaves a mark that it has run.
TRAIN = """
import argparse, os, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--accuracy")
parser.add_argument("--marks")
parser.add_argument("--n_estimators", type=int)
args, _ = parser.parse_known_args()
print(f"Output model accuracy={args.accuracy}")
if args.marks:
    (pathlib.Path(args.marks) / os.environ["PAI_HPS_N_ESTIMATORS"]).touch()
place = pathlib.Path(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"])
if args.accuracy != "none":
    (place / "test-accuracy").write_text(args.accuracy if args.accuracy != "empty" else "")
(pathlib.Path(os.environ["PAI_OUTPUT_MODEL"]) / "model.txt").write_text("a model")
"""


@pytest.fixture
def job(tmp_path: Path) -> Doc:
    return train_job(packed(tmp_path / "code.tar.gz", train_py=TRAIN))


def train_job(source: Path, **more: Any) -> Doc:  # Any: arguments of custom_job
    return custom_job(
        source=source,
        inputs=(
            parameter("accuracy", value="0.5"),
            parameter("n_estimators", "Int", value=500),
            parameter("marks", value=""),
            artifact("train_data"),
        ),
        outputs=(parameter("test-accuracy"), artifact("model")),
        **more,
    )


def by_name(state: RunState) -> dict[str, StepState]:
    return {each.name: each for each in state.steps}


def statuses(run: Run) -> dict[str, str]:
    return {each.name: each.status.value for each in run.state.steps}


def failed(*documents: Doc, **more: Any) -> Run:  # Any: arguments of local_run
    """A run that fails."""
    runs: list[Run] = []
    with pytest.raises(RunFailed):
        local_run(documents, "demo", backend="process", started=runs.append, **more)
    return runs[0]


@pytest.mark.parametrize("accuracy", DECIDING, ids=lambda it: it.name)
@pytest.mark.usefixtures("workplace")
def test_exactly_one_of_two_steps_runs_and_the_other_has_no_job(job: Doc, accuracy: Accuracy) -> None:
    run = local_run(seed_pipeline(job, given={"accuracy": accuracy.text}), "demo", backend="process")
    assert seed_statuses(run) == accuracy.statuses
    assert by_name(run.state)[f"train-step-{5 - (accuracy.chosen or 0)}"].tries == ()
    assert {each.folder.record.spec.name for each in run.jobs} == {
        "demo.train-step-1",
        f"demo.train-step-{accuracy.chosen}",
    }


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("workplace")
def test_nothing_runs_on_an_accuracy_that_is_none(job: Doc, tmp_path: Path, case: int) -> None:
    (tmp_path / "marks").mkdir()
    accuracy = undecided(tmp_path / "marks")[case]
    place = {"output_path": str(tmp_path / "out")}
    if accuracy.is_stale:
        local_run([job, pipeline(step("one", given={"accuracy": STALE, **place}))], "first", backend="process")
        assert (tmp_path / "out" / "output_parameters" / "test-accuracy").read_text() == STALE
    run = failed(*seed_pipeline(job, given={"accuracy": accuracy.text, **place}))
    assert seed_statuses(run) == accuracy.statuses
    assert accuracy.reason in " ".join(it.reason or "" for it in run.state.steps)
    assert list((tmp_path / "marks").iterdir()) == []
    assert len(run.jobs) == 1


def seed_statuses(run: Run) -> dict[str, str]:
    return {name.removeprefix("train-"): status for name, status in statuses(run).items()}


@pytest.mark.usefixtures("workplace")
def test_values_artifacts_and_loops_go_from_step_to_step(job: Doc, tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    given = {"marks": str(tmp_path / "marks"), "n_estimators": "{{item}}"}
    entry = pipeline(
        step(
            "train",
            given={"accuracy": "{{inputs.parameters.accuracy}}"},
            places={"train_data": "{{inputs.artifacts.d}}"},
        ),
        step("again", places={"train_data": out("train", "model", "artifacts")}, given={"accuracy": "1"}),
        step("each", "again", given=given, withSequence={"start": 0, "end": 3}, parallelism=2),
        inputs=(parameter("accuracy"), artifact("d")),
        outputs=(parameter("acc", **{"from": out("train", "test-accuracy")}),),
    )
    (tmp_path / "d.csv").write_text("1,2")
    run = local_run(
        [job, entry], "demo", backend="process", arguments={"accuracy": 0.75, "d": tmp_path / "d.csv"}, parallel=2
    )
    assert run.outputs.parameters == {"acc": "0.75"}
    assert sorted(it.name for it in (tmp_path / "marks").iterdir()) == ["0", "1", "2"]
    model = by_name(run.state)["train"].artifacts["model"]
    assert by_name(run.state)["again"].tries
    assert (Path(str(model)) / "model.txt").read_text() == "a model"


@pytest.mark.usefixtures("workplace")
def test_an_output_artifact_is_a_directory_of_the_job_that_its_variable_names(tmp_path: Path) -> None:
    run = rows_from_step_to_step(tmp_path).local_run("rows", backend="process")
    assert dict(run.outputs.parameters) == {"rows": "1,2"}


@pytest.mark.usefixtures("workplace")
def test_an_output_that_a_component_does_not_declare_is_named_with_what_to_write(tmp_path: Path) -> None:
    source = packed(tmp_path / "code.tar.gz", train_py="import os\nos.environ['PAI_OUTPUT_ROWS']\n")
    (job,) = failed(custom_job(source=source, outputs=(artifact("other"),))).jobs
    hint = 'The job has no such output. Declare it: as_component(outputs=[PipelineArtifact("NAME")]); the name becomes upper case.'
    assert job.failure().hint == hint


@pytest.mark.usefixtures("workplace")
def test_outputs_that_every_job_has_and_those_with_a_path_stay_as_they_are(tmp_path: Path) -> None:
    script = """
import os, pathlib
assert os.environ["PAI_OUTPUT_MODEL"] == os.environ["PAI_OUTPUT_TENSORBOARD"].replace("tensorboard", "model")
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "m").touch()
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "..", "rows.csv").write_text("1,2")
"""
    outputs = (artifact("Model"), artifact("model"), artifact("rows", path="/ml/output/rows.csv", required=True))
    run = local_run(
        [custom_job(source=packed(tmp_path / "code.tar.gz", train_py=script), outputs=outputs), pipeline(step("one"))],
        "demo",
        backend="process",
    )
    assert Path(str(by_name(run.state)["one"].artifacts["rows"])).read_text() == "1,2"


def test_a_plain_container_finds_pai_outputs_where_processes_have_a_root_of_their_own(tmp_path: Path) -> None:
    from pai_jupyter.backends.process.info import INFO

    if not INFO.has_own_root:
        pytest.skip("bubblewrap does not work here")
    words = ["sh", "-c", 'mkdir -p /pai/outputs/parameters && printf \'["a","b"]\' > /pai/outputs/parameters/names']
    box = container(*words, guid="produce", outputs=(parameter("names", "Array"),))
    use = container("sh", "-c", 'echo "$1"', "sh", "{{inputs.parameters.x}}", guid="use", inputs=(parameter("x"),))
    entry = pipeline(
        step("produce", guid="produce"),
        step("use", guid="use", given={"x": "{{item}}"}, withParam=out("produce", "names")),
    )
    run = local_run([box, use, entry], "demo", backend="process")
    assert [it.item for it in by_name(run.state)["use"].children] == ["a", "b"]
    assert not Path("/pai").exists()


def test_an_output_parameter_comes_from_the_path_that_it_declares() -> None:
    from pai_jupyter.backends.process.info import INFO

    if not INFO.has_own_root:
        pytest.skip("bubblewrap does not work here")
    words = ["sh", "-c", "mkdir -p /ml/output/model && echo 0.9 > /ml/output/model/acc.txt"]
    box = container(*words, guid="train", outputs=(parameter("acc", "Double", path="/ml/output/model/acc.txt"),))
    run = local_run([box, pipeline(step("train", guid="train"))], "demo", backend="process")
    assert by_name(run.state)["train"].parameters == {"acc": 0.9}


# --- before anything starts ----------------------------------------------------------------------------------------


def refused(*documents: Doc, home: Path, **more: Any) -> str:  # Any: arguments of local_run
    with pytest.raises(SpecError) as caught:
        local_run(documents, "demo", **more)
    assert not (home / "runs").exists()
    return str(caught.value)


@pytest.mark.usefixtures("workplace")
def test_a_missing_input_file_is_found_before_anything_starts(job: Doc, home: Path) -> None:
    entry = pipeline(step("one"), step("two", "one", places={"train_data": "/gone.csv"}))
    sentence = refused(job, entry, home=home, backend="process")
    assert "step `two`: input 'train_data': there is no /gone.csv" in sentence
    assert '`inputs={"train_data": "PATH"}`' in sentence
    assert "-i train_data" not in sentence


@pytest.mark.usefixtures("workplace")
def test_what_an_earlier_step_will_write_is_no_missing_file(job: Doc, tmp_path: Path) -> None:
    entry = pipeline(
        step("one", given={"output_path": f"{tmp_path}/out/"}),
        step("two", "one", places={"train_data": f"{tmp_path}/out/model/model.txt"}),
    )
    run = local_run([job, entry], "demo", backend="process")
    assert statuses(run) == {"one": "succeeded", "two": "succeeded"}


@pytest.mark.usefixtures("workplace")
def test_a_missing_secret_is_named_before_anything_starts(job: Doc, home: Path) -> None:
    job["spec"]["container"]["envs"]["HF_TOKEN"] = "***"
    sentence = refused(job, pipeline(step("one")), home=home, backend="process")
    assert "the variable HF_TOKEN has no value" in sentence


@pytest.mark.usefixtures("workplace")
def test_a_machine_that_is_not_here_is_refused_with_its_step(job: Doc, home: Path) -> None:
    config = {"JobSpecs": [{"Type": "Worker", "PodCount": 1, "EcsSpec": "local_gpu"}]}
    sentence = refused(job, pipeline(step("one", given={"job_config": config})), home=home, backend="process")
    assert sentence.startswith("step `one`: ")


@pytest.mark.parametrize("pipeline", [3, [], "text", [3]])
def test_what_is_no_pipeline_is_refused(pipeline: Any) -> None:
    with pytest.raises(SpecError, match="is neither a Pipeline nor"):
        local_run(pipeline, "demo")


@pytest.mark.parametrize("parallel", [0, True, "2"])
def test_a_number_of_parallel_jobs_begins_with_one(job: Doc, parallel: Any) -> None:
    with pytest.raises(SpecError, match="`parallel` is"):
        local_run([job], "demo", parallel=parallel)


@pytest.mark.usefixtures("workplace")
def test_two_steps_that_write_to_one_place_get_a_note(job: Doc, tmp_path: Path) -> None:
    given = {"output_path": str(tmp_path / "out")}
    run = local_run(
        [job, pipeline(step("one", given=given), step("two", "one", given=given))], "demo", backend="process"
    )
    assert any("several jobs write to the output_path" in note for note in run.state.notes)


@pytest.mark.usefixtures("workplace")
def test_a_failed_step_says_what_its_job_knows(tmp_path: Path) -> None:
    job = custom_job(source=packed(tmp_path / "code.tar.gz", train_py="lr = 1\nprint({}['nokey'])"))
    run = failed(job, pipeline(step("one")))
    why = run.jobs[0].failure().cause
    assert "KeyError: 'nokey'" in why
    assert by_name(run.state)["one"].reason == why
    assert by_name(run.state)["one"].tries[0].reason == why
    assert run.state.reason == f"step `one` failed: {why}"
    with pytest.raises(RunFailed, match="KeyError: 'nokey'"):
        run.wait()
