"""What is left when a job has ended: nothing in the engine, everything on the disk, owned by the caller."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.events import Notice, Status
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.support.docker_jobs import Jobs, end, ended_by_itself, log, log_has, only
from tests.support.engine import Engine
from tests.support.image import USER

pytestmark = pytest.mark.docker


async def test_nothing_is_left_in_the_engine_after_the_end(
    jobs: Jobs, spec: JobSpec, engine: Engine, home: Path
) -> None:
    ref = await jobs.start(replace(spec, instance_count=2))
    assert len(engine.containers_of(home)) == 2
    await jobs.events(ref)
    assert engine.containers_of(home) == []
    assert ref.data["name"] not in engine.networks()
    assert (await jobs.backend.status(ref)).status is Status.SUCCEEDED  # its end is known without them


async def test_a_container_stays_until_somebody_has_followed_it(
    jobs: Jobs, spec: JobSpec, engine: Engine, home: Path
) -> None:
    ref = await jobs.start(spec)
    assert (await ended_by_itself(jobs.backend, ref)).status is Status.SUCCEEDED
    assert len(engine.containers_of(home)) == 1
    assert log(await jobs.events(ref)) == "trained\n"
    assert engine.containers_of(home) == []


@pytest.mark.parametrize("variant", ["full", "user"])
async def test_outputs_are_writable_and_belong_to_the_caller_afterwards(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], tmp_path: Path, variant: str
) -> None:
    elsewhere = tmp_path / "checkpoints"
    elsewhere.mkdir(mode=0o750)
    command = "id -u; mkdir $PAI_OUTPUT_MODEL/d && touch $PAI_OUTPUT_MODEL/d/f $PAI_OUTPUT_CHECKPOINTS/f new"
    ref = await jobs.start(
        replace(spec, image_uri=image_of(variant), command=command, outputs={"checkpoints": str(elsewhere)})
    )
    assert log(await jobs.events(ref)) == f"{USER if variant == 'user' else 0}\n"
    folder = JobStore().path(ref.job_id)
    written = [folder / "output/model/d/f", folder / "ml/usercode/new", elsewhere / "f"]
    assert [path.stat().st_uid for path in written] == [os.getuid()] * 3
    assert elsewhere.stat().st_mode & 0o777 == 0o750


async def test_an_ordinary_user_gets_back_what_containers_wrote_as_root(
    jobs: Jobs, spec: JobSpec, ordinary_user: Path, engine: Engine
) -> None:
    package = build(None, to=ordinary_user / "package.tar.gz", files={"train.py": b""})
    command = "mkdir -m 700 $PAI_OUTPUT_MODEL/d && touch $PAI_OUTPUT_MODEL/d/f new && chmod 700 $PAI_OUTPUT_MODEL/d"
    ref = await jobs.backend.submit(replace(spec, command=command), package, job_id="mine")
    events = await jobs.events(ref)
    assert (end(events).status, log(events)) == (Status.SUCCEEDED, "")
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == ["1 file beside the channels: new, in Files below workdir."]
    folder = JobStore().path(ref.job_id)
    shutil.rmtree(folder)  # everything in it is the user's own
    assert engine.containers_of(ordinary_user) == []


async def test_an_ordinary_user_gets_back_what_was_written_beside_their_own_files(
    jobs: Jobs, spec: JobSpec, ordinary_user: Path
) -> None:
    place = ordinary_user / "a b'; 训练"
    place.mkdir()
    (place / "old").touch()
    package = build(None, to=ordinary_user / "package.tar.gz", files={"train.py": b""})
    command = "cd /ml/output && mkdir -m 700 -- -d && touch ./-d/f 'new 文件' && chmod 600 new*"
    ref = await jobs.backend.submit(replace(spec, command=command, output_path=str(place)), package, job_id="beside")
    events = await jobs.events(ref)
    assert (end(events).status, log(events), only(events, Notice)) == (Status.SUCCEEDED, "", [])
    assert {path.lstat().st_uid for path in place.rglob("*")} == {USER}
    assert {"old", "-d", "new 文件"} <= {path.name for path in place.iterdir()}


async def test_a_container_that_somebody_removed_fails_its_job(
    jobs: Jobs, spec: JobSpec, engine: Engine, home: Path
) -> None:
    ref = await jobs.start(replace(spec, command="echo begun; sleep 300"))
    await log_has(ref, "begun")
    engine.remove_containers_of(home)
    events = await jobs.events(ref)
    assert "removed by somebody else" in end(events).reason
    assert log(events) == "begun\n"
