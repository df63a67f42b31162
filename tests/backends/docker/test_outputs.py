"""All of /ml/output stays: what a container writes beside its channels, too; and the user's own files are left alone."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import IncompleteFetchError
from pai_jupyter.events import Notice
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.support.docker_jobs import Jobs

pytestmark = pytest.mark.docker

BESIDE = "cd /ml/output && echo 42 >'result 结果.txt' && mkdir -p other && echo x >other/x && echo m >model/m"
WRITTEN = {"result 结果.txt": "42\n", "other/x": "x\n", "model/m": "m\n"}


def files(place: Path) -> dict[str, str]:
    return {str(path.relative_to(place)): path.read_text() for path in place.rglob("*") if path.is_file()}


async def test_without_an_output_path_it_stays_in_the_job_folder(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(replace(spec, command=BESIDE))
    await jobs.events(ref)
    assert files(JobStore().path(ref.job_id) / "output") == WRITTEN


@pytest.mark.parametrize("variant", ["full", "user"])
async def test_an_output_path_takes_all_of_it_and_what_was_there_keeps_owner_and_mode(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], tmp_path: Path, variant: str
) -> None:
    place = tmp_path / "a b'; 训练"
    (place / "mine" / "deep").mkdir(parents=True, mode=0o750)
    place.chmod(0o750)
    if os.geteuid() == 0:
        os.chown(place / "mine", 4711, 4711)
    before = [path.stat() for path in (place / "mine", place / "mine" / "deep")]
    await jobs.run(replace(spec, image_uri=image_of(variant), command=BESIDE, output_path=str(place)))
    assert files(place) == WRITTEN
    assert {path.lstat().st_uid for path in place.rglob("*") if "mine" not in path.parts} == {os.getuid()}
    after = [path.stat() for path in (place / "mine", place / "mine" / "deep")]
    assert [(it.st_uid, it.st_mode) for it in after] == [(it.st_uid, it.st_mode) for it in before]
    assert place.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("variant", ["full", "user"])
async def test_what_it_leaves_in_its_working_directory_is_a_channel_and_the_users(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], tmp_path: Path, variant: str
) -> None:
    command = (
        "echo p >plot.png && mkdir -p runs/1 .cache && echo m >runs/1/m && echo x >.cache/x && ln -s /etc/hostname host"
    )
    ref = await jobs.start(replace(spec, image_uri=image_of(variant), command=f"{command} && mkfifo pipe"))
    events = await jobs.events(ref)
    said = [event.text for event in events if isinstance(event, Notice) and "beside the channels" in event.text]
    assert said == ["4 files beside the channels: host, pipe, plot.png, runs/1/m, in Files below workdir."]
    with pytest.raises(IncompleteFetchError, match="pipe"):
        await jobs.backend.fetch(ref, "workdir", tmp_path / "fetched")
    assert (tmp_path / "fetched" / "host").is_symlink()
    (tmp_path / "fetched" / "host").unlink()
    assert files(tmp_path / "fetched") == {"plot.png": "p\n", "runs/1/m": "m\n"}
    left = JobStore().path(ref.job_id) / "ml" / "usercode"
    assert {path.lstat().st_uid for path in left.rglob("*")} == {os.getuid()}


async def test_a_channel_with_a_place_of_its_own_goes_there(jobs: Jobs, spec: JobSpec, tmp_path: Path) -> None:
    outputs = {"model": str(tmp_path / "mine")}
    await jobs.run(replace(spec, command=BESIDE, output_path=str(tmp_path / "out"), outputs=outputs))
    assert files(tmp_path / "mine") == {"m": "m\n"}
    assert files(tmp_path / "out") == {name: text for name, text in WRITTEN.items() if name != "model/m"}
