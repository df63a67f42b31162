"""Jobs that put links in the place of their own outputs: nothing of this machine changes its owner or its mode, nor is read."""

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.events import Notice, Status
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.support.docker_jobs import Jobs, end, log, only
from tests.support.engine import Engine
from tests.support.image import USER

pytestmark = pytest.mark.docker

REPLACED = {
    "a channel": "cd /ml/output && rm -rf model && ln -s {victim} model",
    "a channel, from below": "cd /ml/output && rm -rf model && mkdir model && ln -s {victim} model/d",
    "every channel": "cd /ml/output && for c in *; do rm -rf $c; ln -s {victim} $c; done",
    "the code": "cd /ml && rm -rf usercode && ln -s {victim} usercode",
    "beside the channels": "cd /ml/output && ln -s {victim} -- '-R' && ln -s {victim} 'a b'",
    "a loop": "cd /ml/output && rm -rf model && ln -s model model && ln -s / checkpoints/root",
}


@pytest.fixture
def victim() -> Iterator[Path]:
    """A closed directory of root's, with a file in it."""
    if os.geteuid() != 0:
        pytest.skip("only root can have something that others have not")
    with tempfile.TemporaryDirectory(prefix="victim ") as place:
        folder = Path(place) / "closed"
        folder.mkdir(mode=0o700)
        (folder / "secret").write_text("hunter2")
        yield folder


def looks(victim: Path) -> list[tuple[int, int, int]]:
    every = [path.lstat() for path in (victim.parent, victim, victim / "secret")]
    return [(it.st_uid, it.st_gid, it.st_mode) for it in every]


@pytest.mark.parametrize("way", REPLACED)
@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_an_ordinary_users_job_gets_nothing_of_the_machine_by_a_link(
    victim: Path, jobs: Jobs, spec: JobSpec, ordinary_user: Path, way: str, is_elsewhere: bool
) -> None:
    before = looks_as_root(victim)
    package = build(None, to=ordinary_user / "package.tar.gz", files={"train.py": b""})
    place = ordinary_user / "out"
    wanted = replace(
        spec,
        command=REPLACED[way].format(victim=shlex.quote(str(victim))),
        output_path=str(place) if is_elsewhere else None,
    )
    ref = await jobs.backend.submit(wanted, package, job_id="mine")
    events = await jobs.events(ref)
    assert end(events).status is Status.SUCCEEDED
    assert looks_as_root(victim) == before
    folder = JobStore().path(ref.job_id)
    written = [path for top in (folder, place) for path in top.rglob("*")]
    assert {path.lstat().st_uid for path in written} <= {USER}
    if way in ("a channel", "every channel"):
        assert any("output 'model'" in str(event) and "is a link to" in str(event) for event in only(events, Notice))


def looks_as_root(victim: Path) -> list[tuple[int, int, int]]:
    user = os.geteuid()
    os.seteuid(0)
    try:
        return looks(victim)
    finally:
        os.seteuid(user)


async def test_the_next_job_in_the_same_place_opens_nothing_by_the_link_of_the_first(
    victim: Path, jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], tmp_path: Path
) -> None:
    before = looks(victim)
    place = tmp_path / "out"
    first = replace(spec, command=REPLACED["a channel"].format(victim=shlex.quote(str(victim))), output_path=str(place))
    await jobs.run(first)
    with pytest.raises(SpecError, match=r"output 'model' is a link to .* which is not followed"):
        await jobs.run(replace(first, image_uri=image_of("user"), command="true"))
    assert looks(victim) == before


async def test_a_mode_is_given_back_to_the_directory_and_not_to_what_took_its_place(
    victim: Path, jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], tmp_path: Path
) -> None:
    before = looks(victim)
    place = tmp_path / "out"
    place.mkdir(mode=0o750)
    command = REPLACED["a channel"].format(victim=shlex.quote(str(victim)))
    events = await jobs.run(replace(spec, image_uri=image_of("user"), command=command, output_path=str(place)))
    assert end(events).status is Status.SUCCEEDED
    assert looks(victim) == before
    assert place.stat().st_mode & 0o777 == 0o750


def test_a_channel_in_a_directory_that_the_job_writes_is_refused_before_it_starts(
    jobs: Jobs, spec: JobSpec, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("out")
    for inner in ("out/deep/model", "link/model-2"):
        wanted = replace(spec, output_path=str(tmp_path / "out"), outputs={"model": str(tmp_path / inner)})
        problems = [each for each in jobs.backend.check(wanted) if not each.startswith("note:")]
        assert len(problems) == 1
        assert "which is in the directory of all outputs" in problems[0]
    named_as_it_is = replace(spec, output_path=str(tmp_path / "out"), outputs={"model": str(tmp_path / "out/model")})
    assert [each for each in jobs.backend.check(named_as_it_is) if not each.startswith("note:")] == []


@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_what_an_earlier_job_wrote_is_an_input_by_a_mount_that_no_job_can_turn_elsewhere(
    jobs: Jobs, spec: JobSpec, engine: Engine, tmp_path: Path, is_elsewhere: bool
) -> None:
    place = str(tmp_path / "out") if is_elsewhere else None
    command = "mkdir -p /ml/output/checkpoints/step-1; echo 42 >/ml/output/checkpoints/step-1/w"
    first = await jobs.start(replace(spec, command=command, output_path=place))
    await jobs.events(first)
    written = Path(place) if place else JobStore().path(first.job_id) / "output"
    given = {"start": f"{written}/checkpoints", "one": f"{written}/checkpoints/step-1/w"}
    command = "cat $PAI_INPUT_START/step-1/w $PAI_INPUT_ONE; touch $PAI_INPUT_START/new; rm -f $PAI_INPUT_ONE; exit 0"
    second = await jobs.start(replace(spec, command=command, inputs=given, output_path=place))
    (container,) = engine.containers_of(JobStore().home)
    with engine.client() as client:
        sources = {mount["Source"] for mount in client.inspect_container(container)["Mounts"]}
    events = await jobs.events(second)
    assert log(events).startswith("42\n42\n")
    assert (written / "checkpoints" / "step-1" / "w").read_text() == "42\n"
    assert not (written / "checkpoints" / "new").exists()
    assert {str(written)} <= sources
    assert not any(source.startswith(f"{written}/") for source in sources)
