"""How a job ends: the cause of a failure, a stop, and what it leaves to be fetched."""

from pathlib import Path

import pytest

from pai_jupyter.backends.docker.outcome import Circumstances, ReplicaExit, explain
from pai_jupyter.backends.process.report import in_words
from pai_jupyter.errors import JobFailed, JobStopped, NotFoundError
from pai_jupyter.events import Status
from tests.jobs.runs import ended, run
from tests.programs import FORTY
from tests.started import DEADLINE, begin

# --- failing ---------------------------------------------------------------------------------------------------------


def test_a_failed_job_raises_its_cause_with_the_line_of_the_script_its_hint_and_its_tail(plain: None) -> None:
    job = run("import os\n\nprint('begun')\nos.environ['PAI_INPUT_TRAIN']\n")
    with pytest.raises(JobFailed) as caught:
        job.wait(DEADLINE)
    failed = caught.value
    assert failed.reason == "KeyError: 'PAI_INPUT_TRAIN' (cell line 4)"
    assert "-i NAME=PATH" in failed.hint
    assert failed.tail[0] == "begun"
    assert str(failed).startswith(f"job {job.id} failed: KeyError")


PLAIN_REASONS = [
    *(in_words(code) for code in (1, 3, 137, 139, 255)),
    *(f"replica worker-1: {in_words(code)}" for code in (1, 139)),
    *(explain(ReplicaExit(code=code), Circumstances(image="x")) for code in (1, 3, 139, 255)),
    "worker-1: " + explain(ReplicaExit(code=2), Circumstances(image="x")),
]
TELLING_REASONS = [
    "Time limit reached (3 s)",
    "requirements.txt could not be installed: no such package",
    "its supervisor was killed",
    "somebody has deleted the job.",
    *(
        explain(ReplicaExit(code=code, **state), Circumstances(image="x", **about))  # type: ignore[arg-type]  # a table
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
    assert job.failure().cause == "KeyError: 3 (cell line 7)"


@pytest.mark.parametrize("reason", TELLING_REASONS)
def test_a_reason_of_the_backends_own_says_more_than_the_log(reason: str) -> None:
    assert ended("told", Status.FAILED, reason=reason, exit_code=1, log=LOG).failure().cause == reason


def test_the_cause_is_looked_for_in_the_log_of_the_replica_that_failed() -> None:
    job = ended("two", Status.FAILED, reason="replica master-0: exit code 1", exit_code=1, log=LOG)
    (job.folder.path / "logs" / "worker-0.log").write_bytes(LOG.replace(b"KeyError: 3", b"ValueError: of another"))
    assert job.failure().cause == "KeyError: 3 (cell line 7)"


def test_a_signal_is_explained_whatever_was_logged_before() -> None:
    job = ended("killed", Status.FAILED, reason=in_words(137), exit_code=137, log=LOG)
    assert "most likely because it ran out of memory" in job.failure().cause


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
