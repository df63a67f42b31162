"""Data from elsewhere in containers: where the contract says, read-only, and with a key that is gone at the end."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.cloud.session import setup_default_session
from pai_jupyter.config import settings
from pai_jupyter.errors import BackendError, NotFoundError
from pai_jupyter.events import Notice, Status
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from tests.fakes.oss import KEY_ID, REGION, SECRET, FakeOss
from tests.support.docker_jobs import Jobs, end, log, log_has
from tests.support.engine import Engine
from tests.support.storages import oss

__all__ = ["oss"]
pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("session")]

TABLE = "odps://project/tables/iris"
LOOK = """
import json, os
env = os.environ
try:
    open(env["PAI_INPUT_ALL"] + "new", "w")
    written = True
except OSError:
    written = False
print(json.dumps([sorted(os.listdir(env["PAI_INPUT_ALL"])), env["PAI_INPUT_ONE"], open(env["PAI_INPUT_ONE"]).read(), written]))
"""
READ_KEY = """
import json, os, time
print(json.load(open(os.environ["PAI_INPUT_TRAIN"] + "meta.json"))["path"])
print(json.load(open("/ml/input/credential/odps.json"))["AccessKeyId"], os.environ["PAI_ODPS_CREDENTIAL"], flush=True)
"""


@pytest.fixture
def session() -> Iterator[None]:
    settings.cache_clear()
    setup_default_session(KEY_ID, SECRET, REGION)
    yield
    settings.cache_clear()


def credential_of(ref: JobRef) -> Path:
    return JobStore().path(ref.job_id) / "ml/input/credential/odps.json"


@pytest.mark.parametrize("variant", ["full", "user"])
async def test_data_of_a_bucket_are_where_the_contract_says_and_read_only(
    jobs: Jobs, spec: JobSpec, oss: FakeOss, image_of: Callable[[str], str], variant: str
) -> None:
    oss.put("data/训练 a", b"1,2")
    oss.put("data/b", b"other")
    inputs = {"all": oss.uri("data/"), "one": oss.uri("data/训练 a")}
    events = await jobs.run(replace(spec, image_uri=image_of(variant), inputs=inputs), {"train.py": LOOK})
    assert end(events).status is Status.SUCCEEDED, log(events)
    assert json.loads(log(events)) == [["b", "训练 a"], "/ml/input/data/one/训练 a", "1,2", False]
    assert [event.text[:20] for event in events if isinstance(event, Notice)] == [
        "input 'all': 2 files",
        "input 'one': 1 file,",
    ]


@pytest.mark.parametrize("variant", ["full", "user"])
async def test_a_table_comes_with_a_key_that_goes_at_the_end(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], variant: str
) -> None:
    ref = await jobs.start(replace(spec, image_uri=image_of(variant), inputs={"train": TABLE}), {"train.py": READ_KEY})
    assert log(await jobs.events(ref)) == f"{TABLE}\n{KEY_ID} /ml/input/credential/odps.json\n"
    assert not credential_of(ref).exists()


async def test_the_key_goes_with_a_stop(jobs: Jobs, spec: JobSpec) -> None:
    script = READ_KEY + "time.sleep(300)\n"
    ref = await jobs.start(replace(spec, inputs={"train": TABLE}), {"train.py": script})
    await log_has(ref, KEY_ID)
    assert credential_of(ref).exists()
    await jobs.backend.stop(ref)
    assert not credential_of(ref).exists()


async def test_data_that_cannot_be_had_leave_no_container(
    jobs: Jobs, spec: JobSpec, oss: FakeOss, engine: Engine, home: Path
) -> None:
    with pytest.raises(NotFoundError, match="there is nothing at"):
        await jobs.start(replace(spec, inputs={"train": oss.uri("none/")}))
    assert engine.containers_of(home) == []


async def test_a_container_that_cannot_be_made_leaves_no_key(jobs: Jobs, spec: JobSpec) -> None:
    wanted = replace(spec, inputs={"train": TABLE}, options={"docker.memory": "1k"})  # the engine asks for more
    with pytest.raises(BackendError):
        await jobs.start(wanted)
    assert not credential_of(JobRef(backend="docker", job_id="job-1")).exists()
