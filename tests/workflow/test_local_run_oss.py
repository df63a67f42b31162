"""Steps of this machine whose data are in OSS: inputs are brought, outputs are copied after success. The bucket is the emulator's."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.cloud.session import setup_default_session
from pai_jupyter.config import settings
from pai_jupyter.errors import RunFailed, SpecError
from pai_jupyter.runs import Run
from pai_jupyter.runs.plan_json import plan_to_json
from pai_jupyter.workflow.local_run import local_run, plan_here
from tests.support.cloud_sessions import configure
from tests.support.emulators import BUCKET, Emulator
from tests.support.manifests import Doc, artifact, custom_job, out, packed, parameter, pipeline, step

TRAIN = """
import os, pathlib, sys
data = open(sys.argv[sys.argv.index("--data") + 1]).read()
place = pathlib.Path(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"])
(place / "accuracy").write_text(data.strip())
(pathlib.Path(os.environ["PAI_OUTPUT_MODEL"]) / "model.txt").write_text("a model of " + data)
"""


@pytest.fixture
def job(tmp_path: Path) -> Doc:
    return custom_job(
        source=packed(tmp_path / "code.tar.gz", train_py=TRAIN),
        inputs=(artifact("data"),),
        outputs=(parameter("accuracy", "Double"), artifact("model", path="/ml/output/model/model.txt")),
    )


@pytest.mark.usefixtures("workplace")
def test_inputs_come_from_oss_and_outputs_are_copied_there(
    running: Emulator, home: Path, job: Doc, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(running, home, monkeypatch)
    running.put("in/data.csv", "0.75")
    bucket = f"oss://{BUCKET}.{running.host}"
    entry = pipeline(
        step("one", places={"data": f"{bucket}/in/data.csv"}, given={"output_path": f"{bucket}/out/one/"}),
        step("two", places={"data": out("one", "model", "artifacts")}),
    )
    runs: list[Run] = []
    with pytest.raises(RunFailed):  # the second one reads a model, which is no number
        local_run([job, entry], "demo", backend="process", started=runs.append)
    one, two = runs[0].state.steps
    assert (one.status, one.parameters) == ("succeeded", {"accuracy": 0.75})
    assert one.artifacts == {"model": f"{bucket}/out/one/model/model.txt"}
    assert running.get("out/one/model/model.txt") == b"a model of 0.75"
    assert "output parameter `accuracy` is 'a model of 0.75'" in (two.reason or "")


@pytest.mark.usefixtures("workplace")
def test_without_a_session_an_output_in_oss_is_refused_before_anything_starts(job: Doc, home: Path) -> None:
    entry = pipeline(step("one", given={"output_path": "oss://bucket.oss-cn-hangzhou.aliyuncs.com/out/"}))
    with pytest.raises(SpecError, match=r"step `one`: .*needs a session with OSS"):
        local_run([job, entry], "demo", backend="process")
    assert not (home / "runs").exists()


def test_a_key_that_only_this_kernel_has_goes_to_the_driver_and_into_no_file(job: Doc) -> None:
    setup_default_session("an-id", "a-secret", "cn-hangzhou", oss_bucket_name="my-bucket")
    entry = pipeline(step("one", places={"data": "oss://my-bucket/in/data.csv"}))
    planned = plan_here([job, entry], "demo", backend="process")
    assert set(planned.plan.secrets) == {"ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"}
    assert planned.secrets["ALIBABA_CLOUD_ACCESS_KEY_SECRET"] == "a-secret"
    assert planned.secrets["PAI_JUPYTER_REGION"] == "cn-hangzhou"
    assert "a-secret" not in json.dumps(plan_to_json(planned.plan))
    assert plan_here([job, pipeline(step("one"))], "demo", backend="process").secrets == {}


@pytest.fixture(autouse=True)
def _forgets() -> Iterator[None]:
    """No test knows the session of another one."""
    settings.cache_clear()
    yield
    settings.cache_clear()
