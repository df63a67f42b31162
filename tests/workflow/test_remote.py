"""Runs at the emulator's PAIFlow: uploaded, started, watched, adopted as jobs, found again. Its jobs really run."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud import flow
from pai_jupyter.errors import NotFoundError, PaiJupyterError, RunFailed, RunStopped, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import all_rows, close_runtime, runtime
from pai_jupyter.runs.sources import source_of
from pai_jupyter.runs.state import RunStatus, StepState
from pai_jupyter.spec import Json
from pai_jupyter.workflow import ContainerComponent, Pipeline, PipelineArtifact, PipelineParameter, remote_watch
from pai_jupyter.workflow.remote import (
    RemoteRun,
    attach_remote_run,
    delete_remote_run,
    documents_to_save,
    list_remote_runs,
    run_remote,
    run_saved,
)
from pai_jupyter.workflow.remote_source import RemoteRuns, show_remote_runs
from tests.support.emulators import KEY, SECRET, Emulator
from tests.support.flows import Document, component, custom_job, job_config, packed, pipeline, step
from tests.support.pai_jobs import session_at
from tests.support.patience import DEADLINE
from tests.support.workflows import rows_from_step_to_step

SCRIPT = """
import argparse, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int)
parser.add_argument("--train_data")
args = parser.parse_args()
print("trained with", args.n, pathlib.Path(args.train_data).read_text())
(pathlib.Path("/ml/output/output_parameters") / "acc").write_text("0.95")
(pathlib.Path("/ml/output/model") / "model.txt").write_text("a model")
"""
ACC = "{{pipelines.train.outputs.parameters.acc}}"


@pytest.fixture
def emulated(running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """The emulator is this kernel's PAI; who looks again does so at once."""
    monkeypatch.setattr(remote_watch, "SHORTEST", 0.05)
    monkeypatch.setattr(remote_watch, "LONGEST", 0.05)
    with session_at(running.address, home, key=(KEY, SECRET), values={}):
        yield running
        close_runtime()


def said(run: RemoteRun) -> dict[str, str]:
    return {step.path: step.status.value for step in steps_of(run)}


def steps_of(run: RemoteRun) -> list[StepState]:
    def below(steps: tuple[StepState, ...]) -> list[StepState]:
        return [each for step in steps for each in (step, *below(step.children))]

    return below(run.state.steps)


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def machine(output: str) -> dict[str, object]:
    return {"job_config": job_config(), "output_path": f"oss://emulator/{output}/"}


def held(gate: Path, name: str = "held") -> list[Document]:
    """A pipeline of a step that waits for a file."""
    wait = component(f"echo begun; until [ -e '{gate}' ]; do sleep 0.05; done; echo end", guid="w")
    return [wait, pipeline(step(name, "w"))]


def test_a_script_that_writes_an_output_artifact_runs_there_as_it_runs_here(emulated: Emulator, tmp_path: Path) -> None:
    made = rows_from_step_to_step(tmp_path, image="python:3", write=machine("write"), read=machine("read"))
    run = run_remote(made.documents(), name="rows")
    run.wait(DEADLINE)
    assert {step.path: dict(step.parameters) for step in steps_of(run)}["read"] == {"rows": "1,2"}
    assert emulated.get("write/clean-rows/rows.csv") == b"1,2"


def test_a_custom_jobs_code_and_data_are_uploaded_and_its_steps_are_jobs(emulated: Emulator, tmp_path: Path) -> None:
    source, data = tmp_path / "source.tar.gz", tmp_path / "train.csv"
    source.write_bytes(packed("train.py", SCRIPT))
    data.write_text("1,2,3")
    documents = [
        custom_job(str(source), "train.py", guid="c", outputs=("acc",), n=100),
        component("echo good", guid="g"),
        component("echo bad", guid="b"),
        pipeline(
            step(
                "train",
                "c",
                parameters={
                    "job_config": job_config(),
                    "n": 500,
                    "output_path": "oss://emulator/remote/out/",
                },
                artifacts={"train_data": str(data)},
                retries=3,
            ),
            step("good", "g", when=f"{ACC} > 0.9", dependencies=["train"]),
            step("bad", "b", when=f"{ACC} <= 0.9 and {ACC} > 0", dependencies=["train"]),
        ),
    ]
    run = run_remote(documents, name="训练 a")
    state = run.wait(DEADLINE)
    assert state.status is RunStatus.SUCCEEDED
    assert said(run) == {"train": "succeeded", "good": "succeeded", "bad": "skipped"}
    assert any("no `retries`" in note for note in run.notes)
    assert any("`and`, `or`" in note for note in run.notes)
    train, good = run.jobs
    assert (train.name, good.name) == ("train", "good")
    assert [step.job_id for step in state.steps] == [train.id, good.id, None]
    assert train.spec.hyperparameters == {"n": 500}
    assert train.spec.instance_type == "ecs.c6.large"
    train.wait(DEADLINE)
    assert [line.text for line in train.logs()] == ["trained with 500 1,2,3"]
    assert train.output_parameters() == {"acc": "0.95"}
    assert (train.fetch("model", tmp_path / "copy") / "model.txt").read_text() == "a model"
    record = train.folder.record
    assert (record.run, record.step, train.where) == (run.id, "train", "flow-emulator")


def test_the_jobs_of_a_run_that_has_ended_say_so_without_being_waited_for(emulated: Emulator) -> None:
    run = run_remote([component("echo said", guid="s"), pipeline(step("a", "s"))], name="a")
    run.wait(DEADLINE)
    until(lambda: [(job.status, [line.text for line in job.logs()]) for job in run.jobs] == [("succeeded", ["said"])])


def test_a_run_is_found_again_by_a_process_that_knows_nothing(emulated: Emulator, tmp_path: Path) -> None:
    run = run_remote(held(tmp_path / "gate"), name="held")
    until(lambda: said(run) == {"held": "running"})
    [job] = run.jobs
    until(lambda: "begun" in [line.text for line in attach(job.id)])
    again = attach_remote_run(run.id[:8])
    assert [each.id for each in list_remote_runs()] == [again.id] == [run.id]
    with pytest.raises(TimeoutError):
        again.wait(0)
    with pytest.raises(PaiJupyterError, match="has not ended"):
        delete_remote_run(run.id)
    (tmp_path / "gate").touch()
    again.wait(DEADLINE)
    assert said(run) == {"held": "succeeded"}
    delete_remote_run(run.id)
    assert list_remote_runs() == []
    with pytest.raises(NotFoundError):
        attach_remote_run(run.id)


def attach(job_id: str) -> list[Any]:
    from pai_jupyter.jobs import attach as attach_job

    return list(attach_job(job_id).logs())


def test_a_run_that_has_ended_is_known_without_the_service(emulated: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_remote([component("exit 3", guid="f"), pipeline(step("fails", "f"))], name="a")
    with pytest.raises(RunFailed, match="fails"):
        run.wait(DEADLINE)

    def ask(*_: object, **__: object) -> None:
        raise AssertionError("nobody is to be asked")

    monkeypatch.setattr(remote_watch, "asking", ask)
    [known] = list_remote_runs()
    assert known.state.status is RunStatus.FAILED
    assert known.state == run.state
    [summary] = RemoteRuns().summaries()
    assert (summary.id, summary.status, summary.trouble) == (run.id, RunStatus.FAILED, "")


def test_a_run_is_stopped_at_the_service_and_its_jobs_with_it(emulated: Emulator, tmp_path: Path) -> None:
    run = run_remote(held(tmp_path / "gate"), name="held")
    until(lambda: said(run) == {"held": "running"})
    [job] = run.jobs
    with pytest.raises(SpecError, match="with its whole run"):
        job.stop()
    run.stop()
    run.stop()
    with pytest.raises(RunStopped):
        run.wait(DEADLINE)
    until(lambda: attach_status(job.id) is Status.STOPPED)
    assert flow.get_run(run.flow_id).status == "Terminated"


def attach_status(job_id: str) -> Status:
    from pai_jupyter.jobs import attach as attach_job

    return attach_job(job_id).status


def test_loops_and_nested_pipelines_are_shown_as_such(emulated: Emulator) -> None:
    say = component("echo said {{inputs.parameters.what}}", guid="s", inputs=("what",))
    inner = pipeline(step("part", "s", parameters={"what": "inner"}), guid="i", name="inner")
    whole = pipeline(
        step("nested", "i"),
        step("loop", "s", parameters={"what": "{{item}}"}, withItems=["x", "y"], dependencies=["nested"]),
        step("range", "s", parameters={"what": "{{item}}"}, withSequence={"start": 0, "end": 2}),
    )
    run = run_remote([say, inner, whole], name="a")
    run.wait(DEADLINE)
    assert said(run) == dict.fromkeys(
        ("nested", "nested/part", "loop", "loop[0]", "loop[1]", "range", "range[0]", "range[1]"), "succeeded"
    )
    assert any("end of a range" in note for note in run.notes)
    rows = {row.step: row for row in runtime().run(all_rows()) if row.run == run.id}
    assert set(rows) == {"nested/part", "loop[0]", "loop[1]", "range[0]", "range[1]"}


def test_a_saved_pipeline_runs_with_other_values(emulated: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    say = component("echo $HUSH_TOKEN; echo said {{inputs.parameters.what}}", guid="s", inputs=("what",))
    say["spec"]["container"]["envs"] = {"HUSH_TOKEN": "hunter2-hunter2"}  # type: ignore[index, call-overload]  # JSON
    notes: list[str] = []
    sent = documents_to_save([say], notes=notes)
    assert "hunter2" not in json.dumps(sent)
    assert any("HUSH_TOKEN" in note for note in notes)
    saved = flow.save_pipeline(sent, identifier=f"say-{time.time_ns()}", version="v 1")
    monkeypatch.setenv("HUSH_TOKEN", "hunter2-hunter2")
    run = run_saved(flow.get_pipeline(saved.identifier, version="v 1"), name="a", parameters={"what": "好"})
    run.wait(DEADLINE)
    [job] = run.jobs
    job.wait(DEADLINE)
    assert "said 好" in [line.text for line in job.logs()]


def test_secrets_are_sent_with_a_note_and_are_in_no_file(
    emulated: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "hunter2-hunter2"
    say = component('[ "$MY_TOKEN" = hunter2-"hunter2" ]', guid="s", envs={"MY_TOKEN": "***"})
    with pytest.raises(SpecError, match="MY_TOKEN has no value"):
        run_remote([say, pipeline(step("say", "s"))], name="a")
    monkeypatch.setenv("MY_TOKEN", secret)
    run = run_remote([say, pipeline(step("say", "s"))], name="a")
    run.wait(DEADLINE)
    assert any("MY_TOKEN" in note for note in run.notes)
    assert not [path for path in home.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_the_source_of_runs_lists_watches_and_stops(emulated: Emulator, tmp_path: Path) -> None:
    run = run_remote(held(tmp_path / "gate"), name="held")
    show_remote_runs()
    source = source_of(run.id)
    assert source is not None
    assert source_of("r12345678") is None
    watcher = source.watcher(run.id)

    def running() -> bool:
        state = watcher.poll()
        return state is not None and [step.status.value for step in state.steps] == ["running"]

    until(running)
    [summary] = [each for each in source.summaries() if each.id == run.id]
    assert (summary.name, summary.status, summary.url) == ("held", RunStatus.RUNNING, "")
    source.stop(run.id)
    until(lambda: (state := watcher.poll()) is not None and state.status is RunStatus.STOPPED)
    assert watcher.poll() is None


@pytest.mark.parametrize("documents", [[], [component(guid="s"), pipeline(step("a", "s", artifacts={"x": "./gone"}))]])
def test_what_cannot_be_sent_is_said_before_anything_starts(
    emulated: Emulator, documents: list[dict[str, Json]]
) -> None:
    before = len(flow.list_runs())
    with pytest.raises(SpecError):
        run_remote(documents, name="a")
    assert len(flow.list_runs()) == before
    assert list_remote_runs() == []


def test_a_value_that_does_not_fit_is_refused_before_anything_is_uploaded(emulated: Emulator, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("1,2 of nobody else")
    rate = PipelineParameter("lr", typ=float, feasible={"range": "(0, 1]"})
    train = ContainerComponent("python:3", ["true"], inputs=[rate, PipelineArtifact("data")])
    given = {"lr": PipelineParameter("rate", typ=float), "data": tmp_path / "train.csv"}
    pipeline = Pipeline(steps=[train.as_step("train", given)])
    before, before_objects = len(flow.list_runs()), emulated.keys("pai-jupyter/")
    with pytest.raises(SpecError, match=r"step `train`: parameter `lr` is 5\.0; it must be in \(0, 1\]"):
        pipeline.run("a", arguments={"rate": 5.0})
    with pytest.raises(SpecError, match="parameter `rate` has no value"):
        pipeline.run("a")
    assert len(flow.list_runs()) == before
    assert emulated.keys("pai-jupyter/") == before_objects


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_run_is_run_again_with_other_values(emulated: Emulator, is_saved: bool) -> None:
    number, word = PipelineParameter("n", typ=int, feasible={"range": "[1, 9]"}), PipelineParameter("word")
    say = ContainerComponent("python:3", ["echo", "said", word, number], inputs=[number, word])
    given = {"n": PipelineParameter("n", typ=int), "word": PipelineParameter("what")}
    pipeline: Any = Pipeline(steps=[say.as_step("say", given)])
    if is_saved:
        pipeline = pipeline.save(f"again-{time.time_ns()}", "v1")
    run = pipeline.run("a", wait=False, arguments={"n": 3, "what": "好"})
    run.wait(DEADLINE)
    again = attach_remote_run(run.id).rerun(n="4")
    again.wait(DEADLINE)
    assert (again.name, again.flow_id != run.flow_id, said(again)) == ("a", True, {"say": "succeeded"})
    [job] = again.jobs
    job.wait(DEADLINE)
    assert [line.text for line in job.logs()] == ["said 好 4"]
    before = len(flow.list_runs())
    for values, sentence in (
        ({"n": 10}, "must be in"),
        ({"n": "x"}, "whole number"),
        ({"q": 1}, "There is: `n`, `what`."),
        ({"from_step": "say"}, "Leave it out, and all steps run again."),
    ):
        with pytest.raises(SpecError, match=re.escape(sentence)):
            run.rerun(**values)
    assert len(flow.list_runs()) == before
