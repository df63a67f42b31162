"""All of /ml/output stays, on this machine: what a script writes beside its channels, too."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import CustomJob
from pai_jupyter.backends.local import prepare
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec
from tests.support.local_jobs import LocalJobs

BESIDE = """
import os, pathlib
output = pathlib.Path(os.environ["PAI_OUTPUT_MODEL"]).parent
(output / "result 结果.txt").write_text("42")
(output / "other" / "deep").mkdir(parents=True)
(output / "other" / "deep" / "x").write_text("x")
(output / "model" / "m").write_text("model")
"""


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture(params=["bwrap", "proot", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PAI_JUPYTER_ML", request.param)
    return str(request.param)


def files(place: Path) -> dict[str, str]:
    return {str(path.relative_to(place)): path.read_text() for path in place.rglob("*") if path.is_file()}


WRITTEN = {"result 结果.txt": "42", "other/deep/x": "x", "model/m": "model"}


async def test_all_of_the_output_goes_to_the_output_path(jobs: LocalJobs, way: str, tmp_path: Path) -> None:
    place = tmp_path / "a b'; 训练"
    await jobs.run(BESIDE, output_path=str(place))
    assert files(place) == WRITTEN


async def test_without_an_output_path_it_stays_in_the_job_folder(jobs: LocalJobs, way: str) -> None:
    ended = await jobs.run(BESIDE)
    assert files(ended.folder / "output") == WRITTEN


@pytest.mark.parametrize("is_named", [True, False])
async def test_what_lies_beside_the_channels_is_fetched_by_itself(
    jobs: LocalJobs, way: str, tmp_path: Path, is_named: bool
) -> None:
    outputs: dict[str, Any] = (
        {"output_path": str(tmp_path / "out"), "outputs": {"other": str(tmp_path / "o")}} if is_named else {}
    )
    ref = await jobs.start(BESIDE.replace('"other"', '"more"'), **outputs)
    await jobs.finish(ref)
    found = await jobs.backend.fetch(ref, "beside_channels", tmp_path / "fetched")
    assert files(found) == {"result 结果.txt": "42", "more/deep/x": "x"}


async def test_what_is_at_the_output_path_already_is_there_for_the_job(
    jobs: LocalJobs, way: str, tmp_path: Path
) -> None:
    (tmp_path / "out" / "logs").mkdir(parents=True)  # where the link of the contract would be
    (tmp_path / "out" / "logs" / "old").write_text("mine")
    script = "import os\nprint(open(os.environ['PAI_OUTPUT_MODEL'] + '../logs/old').read())"
    ended = await jobs.run(script, output_path=str(tmp_path / "out"))
    assert ended.log() == "mine\n"


async def test_a_channel_with_a_place_of_its_own_goes_there(jobs: LocalJobs, way: str, tmp_path: Path) -> None:
    await jobs.run(BESIDE, output_path=str(tmp_path / "out"), outputs={"model": str(tmp_path / "mine")})
    assert files(tmp_path / "mine") == {"m": "model"}
    assert (tmp_path / "out" / "result 结果.txt").is_file()


async def test_a_channel_named_where_it_belongs_is_one_place(jobs: LocalJobs, way: str, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    ended = await jobs.run(
        BESIDE, output_path=str(tmp_path / "real"), outputs={"model": str(tmp_path / "link" / "model")}
    )
    assert ended.end.status is Status.SUCCEEDED
    assert files(tmp_path / "real") == WRITTEN


async def test_without_a_literal_ml_the_outputs_of_an_earlier_job_are_not_covered(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    await jobs.run(BESIDE, output_path=str(tmp_path / "out"))
    with pytest.raises(SpecError, match=r"holds files already.*Give another `output_path`"):
        await jobs.start(BESIDE, output_path=str(tmp_path / "out"), outputs={"model": str(tmp_path / "mine")})
    assert files(tmp_path / "out") == WRITTEN


def test_an_output_path_of_a_tree_that_cannot_be_made_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    missing = Package(path=tmp_path / "no.tar.gz", digest="", files=())
    spec = JobSpec(name="x", command="true", output_path=str(tmp_path / "out"), outputs={"model": str(tmp_path / "m")})
    with pytest.raises(Exception, match=r"no\.tar\.gz"):
        prepare(spec, missing, tmp_path / "job")
    assert not list((tmp_path / "out").iterdir())


def test_preparing_twice_is_as_preparing_once(tmp_path: Path) -> None:
    package = build(None, to=tmp_path / "p.tar.gz", files={"train.py": b""})
    spec = JobSpec(name="x", command="true", output_path=str(tmp_path / "out"))
    first, second = (prepare(spec, package, tmp_path / "job") for _ in range(2))
    assert first == second
    assert (second.output / "logs").readlink() == Path("tensorboard")


def test_a_custom_job_run_here_gives_all_of_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text(BESIDE)
    CustomJob(entry_point="main.py", source_code="./src").local_run(output_path="./output/")
    assert files(tmp_path / "output") == WRITTEN
