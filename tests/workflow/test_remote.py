"""Runs at the emulator's PAIFlow: uploaded, started, watched, adopted as jobs, found again. Its jobs really run."""

import json
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
from pai_jupyter.workflow import remote_watch
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


def held(gate: Path, name: str = "held") -> list[Document]:
    """A pipeline of a step that waits for a file."""
    wait = component(f"echo begun; until [ -e '{gate}' ]; do sleep 0.05; done; echo end", guid="w")
    return [wait, pipeline(step(name, "w"))]


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


def test_a_saved_pipeline_runs_with_other_values(emulated: Emulator) -> None:
    say = component("echo $HUSH_TOKEN; echo said {{inputs.parameters.what}}", guid="s", inputs=("what",))
    say["spec"]["container"]["envs"] = {"HUSH_TOKEN": "hunter2-hunter2"}  # type: ignore[index, call-overload]  # JSON
    notes: list[str] = []
    sent = documents_to_save([say], notes=notes)
    assert "HUSH_TOKEN" not in json.dumps(sent[0]["spec"]["container"]["envs"])  # type: ignore[index, call-overload]  # JSON
    assert any("HUSH_TOKEN" in note for note in notes)
    saved = flow.save_pipeline(sent, identifier=f"say-{time.time_ns()}", version="v 1")
    run = run_saved(flow.get_pipeline(saved.identifier, version="v 1"), name="a", parameters={"what": "好"})
    run.wait(DEADLINE)
    [job] = run.jobs
    job.wait(DEADLINE)
    assert "said 好" in [line.text for line in job.logs()]


def test_secrets_are_sent_with_a_note_and_are_in_no_file(
    emulated: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "hunter2-hunter2"
    say = component('[ "$MY_TOKEN" = hunter2-hunter2 ]', guid="s", envs={"MY_TOKEN": "***"})
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
