"""How a job ends: the cause of a failure, a stop, and what it leaves to be fetched."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.docker.outcome import ExitFacts, ReplicaExit, explain
from pai_jupyter.backends.local.workdir import note_packed
from pai_jupyter.backends.process.report import in_words
from pai_jupyter.errors import JobFailed, JobNotReady, JobStopped, NotFoundError
from pai_jupyter.events import Status
from tests.support.programs import FORTY
from tests.support.runs import ended, run
from tests.support.started import DEADLINE, begin, open_gate

pytestmark = pytest.mark.usefixtures("backend")  # most jobs are of the backend `fake`

# --- failing ---------------------------------------------------------------------------------------------------------


def test_a_failed_job_raises_its_cause_with_the_line_of_the_script_its_hint_and_its_tail(plain: None) -> None:
    job = run("import os\n\nprint('begun')\nos.environ['PAI_INPUT_TRAIN']\n")
    with pytest.raises(JobFailed) as caught:
        job.wait(DEADLINE)
    failed = caught.value
    assert failed.reason == "KeyError: 'PAI_INPUT_TRAIN' (train.py line 4)"
    assert '`inputs={"NAME": "PATH"}`' in failed.hint
    assert failed.tail[0] == "begun"
    assert str(failed).startswith(f"job {job.id} failed: KeyError")


PLAIN_REASONS = [
    *(in_words(code) for code in (1, 3, 137, 139, 255)),
    *(f"replica worker-1: {in_words(code)}" for code in (1, 139)),
    *(explain(ReplicaExit(code=code), ExitFacts(image="x")) for code in (1, 3, 139, 255)),
    "worker-1: " + explain(ReplicaExit(code=2), ExitFacts(image="x")),
]
TELLING_REASONS = [
    "Time limit reached (3 s)",
    "requirements.txt could not be installed: no such package",
    "its supervisor was killed",
    "somebody has deleted the job.",
    *(
        explain(ReplicaExit(code=code, **state), ExitFacts(image="x", **about))  # type: ignore[arg-type]  # a table
        for code, state, about in [
            (137, {"is_out_of_memory": True}, {"memory": "1g"}),
            (137, {}, {}),
            (127, {}, {}),
            (1, {}, {"full_disk": Path("/x")}),
            (1, {"error": "said the engine"}, {}),
            (None, {}, {}),
        ]
    ),
]
LOG = b'Traceback (most recent call last):\n  File "/ml/usercode/train.py", line 7, in <module>\nKeyError: 3\n'


@pytest.mark.parametrize("reason", PLAIN_REASONS)
def test_the_log_says_more_than_a_plain_exit_code(reason: str) -> None:
    job = ended("plain", Status.FAILED, reason=reason, exit_code=1, log=LOG)
    (job.folder.path / "logs" / "worker-1.log").write_bytes(LOG)
    assert job.failure().cause == "KeyError: 3 (train.py line 7)"


@pytest.mark.parametrize("reason", TELLING_REASONS)
def test_a_reason_of_the_backends_own_says_more_than_the_log(reason: str) -> None:
    job = ended("told", Status.FAILED, reason=reason, exit_code=1, log=LOG, cell="%%pai_train\nx")
    assert job.failure().cause == reason


def test_the_cause_is_looked_for_in_the_log_of_the_replica_that_failed() -> None:
    job = ended("two", Status.FAILED, reason="replica master-0: exit code 1", exit_code=1, log=LOG)
    (job.folder.path / "logs" / "worker-0.log").write_bytes(LOG.replace(b"KeyError: 3", b"ValueError: of another"))
    assert job.failure().cause == "KeyError: 3 (train.py line 7)"


def test_of_several_replicas_the_one_that_failed_is_named(plain: None) -> None:
    script = (
        "import os, time\nif os.environ['RANK'] == '0':\n    print('patient', flush=True)\n    time.sleep(600)\n"
        "print('begun')\nraise ValueError('no luck')\n"
    )
    job = run(script, instance_count=2)
    with pytest.raises(JobFailed) as caught:
        job.wait(DEADLINE)
    failed = caught.value
    assert failed.replica == "worker-0"
    assert str(failed).startswith(f"job {job.id} failed: worker-0: ValueError: no luck (train.py line 6)")
    assert "begun" in failed.tail
    assert "patient" not in failed.tail
    assert pickle.loads(pickle.dumps(failed)).replica == "worker-0"
    assert job.failure().cause == failed.reason


def test_a_replica_that_a_backends_reason_names_is_known() -> None:
    job = ended("told", Status.FAILED, reason="replica worker-0: max_run_time of 3 s was reached", instance_count=2)
    assert job.failure()[::3] == ("worker-0: max_run_time of 3 s was reached", "worker-0")


def test_lines_of_several_replicas_are_told_apart() -> None:
    job = ended("mixed", Status.FAILED, reason="its supervisor was killed", instance_count=2, log=b"from 0\n")
    (job.folder.path / "logs" / "worker-0.log").write_bytes(b"from 1\n")
    with pytest.raises(JobFailed) as caught:
        job.wait(DEADLINE)
    assert sorted(caught.value.tail) == ["master-0: from 0", "worker-0: from 1"]


def test_a_lone_replica_is_not_named_in_the_sentence() -> None:
    job = ended("lone", Status.FAILED, reason="exit code 3", exit_code=3)
    assert job.failure()[::3] == ("the job ended with exit code 3", "master-0")


@pytest.mark.parametrize(
    ("about", "cause", "hint"),
    [
        ({"cell": "%%pai_train", "asked_by": "pai_train"}, "(cell line 7)", "Add `%pip install torch` to the cell"),
        ({"asked_by": "pai_train"}, "(fit.py line 7)", "Add `torch` to requirements.txt in the source directory"),
        ({}, "(fit.py line 7)", "Add `torch` to `requirements`, or to requirements.txt in `source_dir`"),
    ],
)
def test_a_failure_is_told_in_the_words_of_who_wrote_the_job(about: dict[str, Any], cause: str, hint: str) -> None:
    log = LOG.replace(b"train.py", b"fit.py").replace(b"KeyError: 3", b"ModuleNotFoundError: No module named 'torch'")
    why = ended("told", Status.FAILED, exit_code=1, log=log, entry_point="fit.py", **about).failure()
    assert why.cause.endswith(cause)
    assert why.hint.startswith(hint)


def test_a_signal_is_explained_whatever_was_logged_before() -> None:
    job = ended("killed", Status.FAILED, reason=in_words(137), exit_code=137, log=LOG)
    assert "often it ran out of memory, else somebody killed it" in job.failure().cause


# --- stopping and fetching -------------------------------------------------------------------------------------------


def test_a_stopped_job_raises_that_it_was(gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    job.stop()
    with pytest.raises(JobStopped, match=f"job {job.id} was stopped"):
        job.wait(DEADLINE)


def test_stopping_an_ended_job_does_nothing() -> None:
    job = begin(FORTY).wait(DEADLINE)
    job.stop()
    assert job.status is Status.SUCCEEDED


def test_an_output_is_fetched(tmp_path: Path) -> None:
    place = begin(FORTY).wait(DEADLINE).fetch("model", tmp_path / "模型 copy")
    assert (place / "model.bin").read_bytes() == FORTY.model


def test_an_output_that_the_job_has_not_is_refused_with_those_it_has(tmp_path: Path) -> None:
    job = begin(FORTY).wait(DEADLINE)
    for verb in (job.output, job.fetch):
        with pytest.raises(NotFoundError, match="no output 'modle'; it has model, checkpoints"):
            verb("modle")


def test_the_working_directory_is_one_of_the_outputs_that_a_job_has(tmp_path: Path) -> None:
    job = begin(FORTY).wait(DEADLINE)
    (tmp_path / "train.py").write_text("")
    (job.folder.path / "run").mkdir(exist_ok=True)
    (job.folder.path / "run" / "outputs.json").write_text("{}")
    note_packed(job.folder.path, tmp_path)
    with pytest.raises(NotFoundError, match=r"it has model, .*, workdir\."):
        job.fetch("modle")


def test_outputs_lie_where_the_spec_says_and_end_in_a_slash(tmp_path: Path) -> None:
    own = begin(FORTY)
    assert own.model_data() == f"{own.folder.path}/output/model/"
    assert own.output("logs") == own.tensorboard_data() == f"{own.folder.path}/output/tensorboard/"
    given = begin(FORTY, output_path=f"{tmp_path}/out/", outputs={"model": f"{tmp_path}/m", "extra": f"{tmp_path}/e/"})
    assert given.outputs == {
        "model": f"{tmp_path}/m/",
        "checkpoints": f"{tmp_path}/out/checkpoints/",
        "tensorboard": f"{tmp_path}/out/tensorboard/",
        "output_parameters": f"{tmp_path}/out/output_parameters/",
        "extra": f"{tmp_path}/e/",
    }


def test_output_parameters_are_read_by_name(plain: None) -> None:
    script = "import os, pathlib\npathlib.Path(os.environ['PAI_OUTPUT_OUTPUT_PARAMETERS'], 'test-accuracy').write_text('0.97')\n"
    assert run(script).wait(DEADLINE).output_parameters() == {"test-accuracy": "0.97"}


def test_a_result_that_is_asked_for_too_early_names_the_wait(plain: None, gate: Path, tmp_path: Path) -> None:
    job = run(f"import pathlib, time\nwhile not pathlib.Path({str(gate)!r}, 'open').exists():\n    time.sleep(0.05)\n")
    for ask in (job.output_parameters, lambda: job.metrics()["accuracy"], lambda: job.fetch("model", tmp_path / "m")):
        with pytest.raises(JobNotReady, match=r"is still (running|queued|submitting)\. Type job\.wait\(\) first"):
            ask()
    open_gate(gate)
    job.wait(DEADLINE)


def test_a_result_that_there_is_not_names_those_that_there_are(plain: None) -> None:
    job = run("print('epoch 1 loss=0.5')\n").wait(DEADLINE)
    with pytest.raises(KeyError) as raised:
        job.metrics()["accuracy"]
    assert str(raised.value).endswith("has no metric 'accuracy'; it has 'loss'.")
    with pytest.raises(JobNotReady, match="has no output parameter 'test-accuracy'; it has none"):
        job.output_parameters()["test-accuracy"]
    assert pickle.loads(pickle.dumps(job.metrics())) == {"loss": 0.5}
