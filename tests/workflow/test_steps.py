"""Bodies as jobs: what a job is asked to do, and what is read of what it has written."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.runs.acts import DecideCondition
from pai_jupyter.runs.fold import RunFold
from pai_jupyter.runs.job_standing import TryFacts
from pai_jupyter.runs.journal import OutputsRead, TryBegun
from pai_jupyter.runs.next_acts import next_acts
from pai_jupyter.runs.plan import Given, JobBody, JobRequest, Plan
from pai_jupyter.spec import Json
from pai_jupyter.workflow import container_step, custom_job_step
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import plan_manifest
from pai_jupyter.workflow.planning_bodies import PlanParts, read_body
from pai_jupyter.workflow.preflight import check_planned
from pai_jupyter.workflow.step_outputs import artifact_places, read_parameters
from tests.support.manifests import Doc, artifact, container, custom_job, packed, parameter, seed_pipeline
from tests.support.runs import ended

HOSTILE = ["1 or 1==1", "$(touch x)", "__import__('os')", "'; touch x; '", "0.9 && true", "{{item}}"]


def body_of(document: Doc, backend: str = "process") -> JobBody:
    return read_body(document, "train v1", PlanParts(RunPlace(backend)))


def prepared(
    document: Doc, *, backend: str = "process", artifacts: dict[str, Json] | None = None, **values: Any
) -> JobRequest:  # Any: values of parameters
    body = body_of(document, backend)
    step = custom_job_step.STEP if "custom_job" in body.builder else container_step.STEP
    defaults = {it.name: it.default for it in body.parameters if it.default is not None}
    return step.prepare(
        body,
        Given(parameters={**defaults, **values}, artifacts=artifacts or {}),
        job_id="job-1",
        run_folder=Path("/runs/r-1"),
        environment={"HF_TOKEN": "hf_secret"},
    )


# --- custom jobs ---------------------------------------------------------------------------------------------------


def test_a_custom_job_runs_its_script_with_parameters_and_inputs_as_words(tmp_path: Path) -> None:
    code = packed(tmp_path / "code.tar.gz", train_py="print()")
    job = custom_job(inputs=(parameter("n_estimators", "Int", value=500), artifact("train_data")), source=code)
    request = prepared(job, artifacts={"train_data": str(tmp_path / "train.csv")}, output_path=str(tmp_path / "out"))
    assert request.package is not None
    assert request.package.parent == Path("/runs/r-1/packages")
    assert request.spec.command == 'python train.py $PAI_USER_ARGS --train_data "$PAI_INPUT_TRAIN_DATA"'
    assert contract.command(request.spec).arguments == ("--n_estimators", "500")
    assert request.spec.output_path == str(tmp_path / "out")
    assert (request.backend, request.spec.job_type) == ("process", "TFJob")


@pytest.mark.parametrize("value", [*HOSTILE, "a b", "", "-x", "训练"])
def test_a_value_of_a_custom_job_is_one_word_that_no_shell_reads(value: str) -> None:
    request = prepared(custom_job(inputs=(parameter("x"),)), x=value)
    assert value not in request.spec.command or value in ("", "-x")
    words = contract.command(request.spec).arguments
    assert words == ((f"--x={value}",) if value.startswith("-") else ("--x", value))


def test_a_command_in_place_of_a_script_is_run_as_it_is() -> None:
    request = prepared(custom_job(command="bash -c 'echo 0.99 > /ml/output/output_parameters/t'", entry_point="None"))
    assert request.spec.command == "bash -c 'echo 0.99 > /ml/output/output_parameters/t'"


def test_of_a_job_config_the_roles_run_here_and_the_rest_is_noted() -> None:
    config = {
        "JobSpecs": [
            {"Type": "Worker", "PodCount": 2, "EcsSpec": "ecs.c6.large", "ImageUri": None},
            {"Type": "PS", "PodCount": 1, "EcsSpec": "ecs.c6.large"},
        ],
        "ResourceId": "quota1",
        "JobMaxRunningTimeMinutes": 2,
    }
    request = prepared(custom_job(), job_config=config)
    assert [(role.name, role.instance_count) for role in request.spec.roles] == [("worker", 2), ("ps", 1)]
    assert (request.spec.instance_type, request.spec.max_run_time) == ("local", 120)
    assert request.notes == ("all roles run on this machine; of `job_config` not used here: ecs.c6.large, resource_id",)


def test_a_lone_worker_needs_no_roles() -> None:
    request = prepared(
        custom_job(), job_config={"JobSpecs": [{"Type": "Worker", "PodCount": 1, "EcsSpec": "ecs.c6.x"}]}
    )
    assert (request.spec.roles, request.spec.instance_count) == ((), 1)


@pytest.mark.parametrize("config", [{"JobSpecs": "x"}, {"JobSpecs": [{"PodCount": 0}]}, {"JobSpecs": [1]}])
def test_a_damaged_job_config_gives_a_sentence(config: Doc) -> None:
    with pytest.raises(SpecError, match=r"JobConfig\.create"):
        prepared(custom_job(), job_config=config)


def test_a_type_that_only_pai_has_runs_alone_and_not_with_others() -> None:
    assert prepared(custom_job(type="MPIJob")).spec.job_type is None
    with pytest.raises(SpecError, match="'MPIJob', of which several replicas"):
        prepared(custom_job(type="MPIJob"), job_config={"JobSpecs": [{"Type": "Worker", "PodCount": 2}]})


def test_an_output_path_in_oss_is_written_in_the_job_folder_first() -> None:
    request = prepared(custom_job(outputs=(artifact("model"),)), output_path="oss://b.e.com/out/")
    assert request.spec.output_path is None
    assert request.artifacts == {"model": "oss://b.e.com/out/model"}


def test_an_output_path_of_another_kind_is_refused() -> None:
    with pytest.raises(SpecError, match="outputs of a job on this machine can be copied to oss:// only"):
        check_planned(plan_manifest([custom_job()], name="run", parameters={"output_path": "nas://x/y"}))


def test_secrets_come_out_of_the_environment_of_the_driver(tmp_path: Path) -> None:
    job = custom_job(requirements="scipy\nnumpy")
    job["spec"]["container"]["envs"] |= {"HF_TOKEN": "***", "MODE": "fast"}
    request = prepared(job)
    assert dict(request.spec.environments) == {"MODE": "fast", "HF_TOKEN": "hf_secret"}
    assert request.spec.requirements == ("scipy", "numpy")


def test_ids_of_run_and_job_are_put_in_the_place_of_those_of_pai() -> None:
    path = "/out/${pai_system_run_id}/${pai_system_node_id_underscore}"
    assert prepared(custom_job(), output_path=path).spec.output_path == "/out/r-1/job_1"


# --- plain containers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_stays_within_its_word_of_a_command(value: str) -> None:
    box = container("echo", "x={{inputs.parameters.x}}", args=("{{inputs.parameters.x}}",), inputs=(parameter("x"),))
    words = shlex.split(prepared(box, x=value).spec.command)
    assert words == ["exec", "echo", f"x={value}", value]


def test_values_and_paths_are_put_into_variables_and_arguments() -> None:
    box = container(
        "run",
        args=("{{inputs.artifacts.data}}", "{{inputs.artifacts.none}}"),
        envs={"N": "n={{inputs.parameters.n}}", "TITLE": "{{ title }}"},
        inputs=(parameter("n", "Int", value=3), artifact("data"), artifact("none")),
    )
    spec = prepared(box, artifacts={"data": "oss://b/k/train.csv"}).spec
    assert shlex.split(spec.command) == ["exec", "run", "/ml/input/data/data/train.csv", ""]
    assert dict(spec.environments) == {"N": "n=3", "TITLE": "{{ title }}"}
    assert dict(spec.hyperparameters) == {"n": 3}


def test_a_component_with_outputs_finds_the_directory_of_pai() -> None:
    box = container("run", outputs=(parameter("names"),))
    command = prepared(box, backend="docker").spec.command
    assert "ln -s /ml/output/pai_outputs /pai/outputs" in command
    assert command.endswith("exec run")


def test_without_a_root_of_its_own_such_a_component_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    with pytest.raises(SpecError, match="uses /pai/outputs, which jobs of the backend 'process' do not have here"):
        prepared(container("run", outputs=(parameter("names"),)))
    assert prepared(container("run")).spec.command == "exec run"


# --- what a job has written ----------------------------------------------------------------------------------------


def accuracy_job(kind: str = "String") -> Doc:
    return custom_job(outputs=(parameter("test-accuracy", kind),))


@pytest.fixture
def ended_job() -> Job:
    """A job that has succeeded, with empty outputs."""
    job = ended("step", Status.SUCCEEDED)
    place = job.folder.path / "output" / "output_parameters"
    place.mkdir(parents=True)
    (job.folder.path / "run").mkdir()
    (job.folder.path / "run" / "outputs.json").write_text(json.dumps({"output_parameters": str(place)}))
    return job


def place_of(job: Job) -> Path:
    """The file of the accuracy."""
    return job.folder.path / "output" / "output_parameters" / "test-accuracy"


def read(job: Job, content: bytes | None = None, kind: str = "String") -> Json:
    if content is not None:
        place_of(job).write_bytes(content)
    return read_parameters(body_of(accuracy_job(kind)), job.id, "output_parameters")["test-accuracy"]


def decisions(value: Json, plan: Plan | None = None) -> dict[str, DecideCondition]:
    """What is decided about the last two steps of the seed when the first gives this value."""
    plan = plan or plan_manifest(seed_pipeline(accuracy_job()), name="run", place=RunPlace("process")).plan
    run = RunFold(plan)
    given: dict[str, Any] = {"step": "train-step-1", "job_id": "j", "artifacts": {}, "time": 0.0}
    run.apply(TryBegun(parameters={}, **given))
    run.update_job("j", TryFacts(status="succeeded"))
    run.apply(OutputsRead(parameters={"test-accuracy": value}, **given))
    return {act.step: act for act in next_acts(run) if isinstance(act, DecideCondition)}


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("0.85", 2),
        ("0.9", 2),
        ("0.90", 2),
        ("9e-1", 2),
        (" 0.9111\n", 3),
        ("1", 3),
        ("10", 3),
        ("0.9000000001", 3),
        ("-1", 2),
    ],
)
def test_a_forced_accuracy_decides_which_of_two_steps_runs(ended_job: Job, text: str, chosen: int) -> None:
    found = decisions(read(ended_job, text.encode()))
    assert [name for name, act in found.items() if act.is_met] == [f"train-step-{chosen}"]
    assert all(act.reason is None for act in found.values())


def test_ten_is_more_than_nine(ended_job: Job) -> None:
    documents = seed_pipeline(accuracy_job())
    for step in documents[-1]["spec"]["pipelines"][1:]:
        step["spec"]["when"] = step["spec"]["when"].replace("0.9", "9")
    plan = plan_manifest(documents, name="run", place=RunPlace("process")).plan
    found = decisions(read(ended_job, b"10"), plan)
    assert [name for name, act in found.items() if act.is_met] == ["train-step-3"]


@pytest.mark.parametrize("text", [*HOSTILE, "high", "nan", "inf", "0x1", "1_0", "True"])
def test_a_text_that_is_no_number_decides_nothing_and_is_not_run(
    ended_job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = decisions(read(ended_job, text.encode()))
    assert [act.is_met for act in found.values()] == [False, False]
    assert all("is no number" in (act.reason or "") for act in found.values())
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("content", "kind", "sentence"),
    [
        (None, "String", "is missing: the job has not written /ml/output/output_parameters/test-accuracy"),
        (b" \n", "Double", "is empty"),
        (b"nan", "Double", "is 'nan', and NaN and infinity are no values"),
        (b"-inf", "Double", "NaN and infinity are no values"),
        (b"high", "Double", "is 'high'; it must be a number"),
        (b"0.9", "Int", "it must be a whole number"),
        (b"1 or 1==1", "Double", "it must be a number"),
        (b"\xff\xfe", "String", "is not UTF-8"),
        (b"9" * 100_000, "String", "more than 64 KiB"),
        (b"[1", "Array", "it must be a JSON list"),
    ],
)
def test_a_wrong_output_fails_the_try_with_a_sentence(
    ended_job: Job, content: bytes | None, kind: str, sentence: str
) -> None:
    with pytest.raises(SpecError, match="output parameter `test-accuracy`") as caught:
        read(ended_job, content, kind)
    assert sentence in str(caught.value)


def test_an_empty_text_is_a_string(ended_job: Job) -> None:
    assert read(ended_job, b"\n", "String") == ""


@pytest.mark.parametrize("make", ["link", "pipe", "directory", "linked folder"])
def test_only_a_plain_file_is_an_output_parameter(ended_job: Job, tmp_path: Path, make: str) -> None:
    (tmp_path / "test-accuracy").write_text("0.99")
    place = place_of(ended_job)
    if make == "link":
        place.symlink_to(tmp_path / "test-accuracy")
    elif make == "pipe":
        os.mkfifo(place)
    elif make == "directory":
        place.mkdir()
    else:
        place.parent.rmdir()
        place.parent.symlink_to(tmp_path)
    with pytest.raises(SpecError, match="output parameter `test-accuracy`: "):
        read(ended_job)


def test_what_an_earlier_run_has_left_is_deleted_before_a_try(tmp_path: Path) -> None:
    (tmp_path / "out" / "output_parameters").mkdir(parents=True)
    (tmp_path / "out" / "output_parameters" / "test-accuracy").write_text("0.99")
    (tmp_path / "out" / "model").mkdir()
    (tmp_path / "out" / "model" / "mine").touch()
    prepared(accuracy_job(), output_path=str(tmp_path / "out"))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine"]


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/ml/output/model/acc.txt", "model/acc.txt"),
        ("/ml/output/acc", "acc"),
        ("/pai/outputs/parameters/acc", "pai_outputs/parameters/acc"),
        ("/pai/outputs/a/b/c", "pai_outputs/a/b/c"),
    ],
)
def test_an_output_parameter_is_read_where_it_says_that_it_is_written(ended_job: Job, path: str, below: str) -> None:
    box = body_of(container("run", outputs=(parameter("acc", "Double", path=path),)))
    with pytest.raises(SpecError, match=f"the job has not written {path}"):
        read_parameters(box, ended_job.id, "pai_outputs/parameters")
    file = ended_job.folder.path / "output" / below
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("0.9\n")
    assert read_parameters(box, ended_job.id, "pai_outputs/parameters") == {"acc": 0.9}


def test_of_the_directory_of_a_path_only_the_value_of_an_earlier_run_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "out" / "model").mkdir(parents=True)
    for name in ("acc", "mine"):
        (tmp_path / "out" / "model" / name).touch()
    prepared(custom_job(outputs=(parameter("acc", path="/ml/output/model/acc"),)), output_path=str(tmp_path / "out"))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine"]


def test_artifacts_are_given_by_place_if_they_were_written(tmp_path: Path) -> None:
    job = custom_job(
        outputs=(artifact("model"), artifact("log", path="/ml/output/logs/l.txt"), artifact("none"), artifact("empty"))
    )
    for name in ("model", "logs", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "model" / "w").write_text("1")
    (tmp_path / "logs" / "l.txt").write_text("1")
    root, body = JobDirectory(tmp_path), body_of(job)
    assert artifact_places(body, root) == {"model": str(tmp_path / "model"), "log": str(tmp_path / "logs/l.txt")}
    assert artifact_places(body, root, "oss://b/out/") == {
        "model": "oss://b/out/model/",
        "log": "oss://b/out/logs/l.txt",
    }


def test_a_required_artifact_that_is_not_written_fails_the_try(tmp_path: Path) -> None:
    body = body_of(custom_job(outputs=(artifact("model", required=True),)))
    with pytest.raises(SpecError, match="output artifact `model` is missing"):
        artifact_places(body, JobDirectory(tmp_path))
