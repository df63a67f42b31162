"""What local backends share: places of inputs and outputs, fetching, and following files that grow."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from pai_jupyter.backends.local import fetch, follow_logs, input_files, prepare, resolve_inputs, resolve_outputs
from pai_jupyter.errors import BackendError, NotFoundError, SpecError, UnavailableError
from pai_jupyter.events import Event, LogChunk, Notice, Phase, PhaseChanged, Status, StatusChanged
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec
from tests.support.local_jobs import until
from tests.support.patience import SOON


def spec(**given: object) -> JobSpec:
    return JobSpec(**{"name": "a", "command": "true", **given})  # type: ignore[arg-type]  # fields of a JobSpec


# --- places ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["{dir}", "{dir}/", "file://{dir}/"])
def test_a_directory_is_one_however_it_is_written(tmp_path: Path, place: str) -> None:
    inputs = resolve_inputs(spec(inputs={"train": place.format(dir=tmp_path)}))
    assert (inputs["train"].source, inputs["train"].file) == (tmp_path, None)


@pytest.mark.parametrize("place", ["data.csv", "./data.csv", "{dir}/data.csv", "~/data.csv", "link.csv"])
def test_a_file_is_shown_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    (tmp_path / "data.csv").touch()
    (tmp_path / "link.csv").symlink_to("data.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    inputs = resolve_inputs(spec(inputs={"train": place.format(dir=tmp_path)}))
    assert inputs["train"].source.samefile(tmp_path / "data.csv")
    assert input_files(inputs) == {"train": Path(place).name}


@pytest.mark.parametrize("place", ["s3://b/k", "hdfs://h/x", "http://h/x", "git@host:a/b"])
def test_a_remote_input_is_refused(place: str) -> None:
    with pytest.raises(SpecError, match="cannot reach yet") as caught:
        resolve_inputs(spec(inputs={"train": place}))
    assert caught.value.field == "inputs"


@pytest.mark.parametrize("place", ["oss://b/k/", "odps://p/tables/t", "OSS://b/k/"])
def test_what_must_be_brought_is_nowhere_here(place: str) -> None:
    assert resolve_inputs(spec(inputs={"train": place})) == {}


def test_outputs_lie_in_the_job_folder_unless_the_spec_says_otherwise(tmp_path: Path) -> None:
    outputs = resolve_outputs(
        spec(outputs={"model": str(tmp_path / "mine"), "extra": str(tmp_path / "x")}), tmp_path / "job"
    )
    assert {channel: str(path.relative_to(tmp_path)) for channel, path in outputs.items()} == {
        "model": "mine",
        "checkpoints": "job/output/checkpoints",
        "tensorboard": "job/output/tensorboard",
        "output_parameters": "job/output/output_parameters",
        "extra": "x",
    }


def test_output_path_takes_every_channel_that_has_no_place_of_its_own(tmp_path: Path) -> None:
    outputs = resolve_outputs(spec(output_path=str(tmp_path), outputs={"model": "/elsewhere"}), Path("/job"))
    assert (outputs["model"], outputs["checkpoints"]) == (Path("/elsewhere"), tmp_path / "checkpoints")


# --- the tree ----------------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return build(None, to=tmp_path / "package.tar.gz", files={"train.py": b"print()", "lib/x.py": b""})


def test_preparing_again_begins_anew(tmp_path: Path, package: Package) -> None:
    torn = tmp_path / "job" / "ml" / "usercode" / "torn.py"
    torn.parent.mkdir(parents=True)
    torn.touch()
    tree = prepare(spec(), package, tmp_path / "job")
    assert sorted(path.name for path in (tree.root / "usercode").iterdir()) == ["lib", "train.py"]


def test_the_links_of_the_contract_are_right_wherever_the_tree_is_seen(tmp_path: Path, package: Package) -> None:
    tree = prepare(spec(), package, tmp_path / "job")
    links = {p: str(p.readlink()) for top in (tree.root, tree.output) for p in top.rglob("*") if p.is_symlink()}
    assert links == {tree.root / "code": "usercode", tree.output / "logs": "tensorboard"}


def test_every_channel_has_an_empty_place(tmp_path: Path, package: Package) -> None:
    (tmp_path / "a b.csv").write_text("data")
    tree = prepare(spec(inputs={"one": str(tmp_path / "a b.csv"), "all": str(tmp_path)}), package, tmp_path / "job")
    found = {str(p.relative_to(tree.root / "input/data")) for p in (tree.root / "input/data").rglob("*")}
    assert found == {"one", "one/a b.csv", "all"}
    assert (tree.root / "input/data/one/a b.csv").read_text() == ""


def test_a_tree_that_cannot_be_made_is_gone_again(tmp_path: Path) -> None:
    missing = Package(path=tmp_path / "no.tar.gz", digest="", files=())
    with pytest.raises(Exception, match=r"no\.tar\.gz"):
        prepare(spec(output_path=str(tmp_path / "out" / "deep")), missing, tmp_path / "job")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "job" / "ml").exists()


# --- fetching ----------------------------------------------------------------------------------------------------


@pytest.fixture
def job(tmp_path: Path, package: Package) -> Path:
    """The folder of a job with a model: a file, and a link to it."""
    tree = prepare(spec(), package, tmp_path / "job")
    (tree.outputs["model"] / "deep").mkdir()
    (tree.outputs["model"] / "deep" / "m.bin").write_bytes(b"new")
    (tree.outputs["model"] / "latest").symlink_to("deep/m.bin")
    return tmp_path / "job"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_fetched_output_is_whole(job: Path, tmp_path: Path) -> None:
    place = await fetch(job, "model", tmp_path / "copy")
    assert place == tmp_path / "copy"
    assert (place / "latest").read_bytes() == b"new"
    assert names_in(tmp_path) == ["copy", "job", "package.tar.gz"]


async def test_fetching_over_something_keeps_what_is_beside_it(job: Path, tmp_path: Path) -> None:
    (tmp_path / "copy" / "deep").mkdir(parents=True)
    (tmp_path / "copy" / "deep" / "m.bin").write_bytes(b"old")
    (tmp_path / "copy" / "mine.txt").write_text("mine")
    await fetch(job, "model", tmp_path / "copy")
    assert (tmp_path / "copy" / "deep" / "m.bin").read_bytes() == b"new"
    assert (tmp_path / "copy" / "mine.txt").read_text() == "mine"


async def test_fetching_to_where_it_lies_copies_nothing(job: Path) -> None:
    assert await fetch(job, "model", job / "output" / "model") == job / "output" / "model"


async def test_both_names_of_the_tensorboard_channel_are_one(job: Path, tmp_path: Path) -> None:
    (job / "output" / "tensorboard" / "e").touch()
    assert (await fetch(job, "logs", tmp_path / "copy") / "e").exists()


async def test_fetching_over_a_file_is_an_error_of_ours(job: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").touch()
    with pytest.raises(BackendError, match=r"cannot write to '.*/copy': Not a directory\. Name another directory\."):
        await fetch(job, "model", tmp_path / "copy")


async def test_an_output_that_is_gone_is_not_found(job: Path, tmp_path: Path) -> None:
    (job / "run" / "outputs.json").write_text(json.dumps({"model": str(tmp_path / "gone")}))
    with pytest.raises(NotFoundError, match="is gone"):
        await fetch(job, "model", tmp_path / "copy")


# --- following ---------------------------------------------------------------------------------------------------

END = StatusChanged(status=Status.SUCCEEDED, time=2.0)


class BackendFacts:
    """What a backend says of a job besides its log: whatever the test puts in; None is the end of it."""

    def __init__(self) -> None:
        self.facts: asyncio.Queue[Event | Exception | None] = asyncio.Queue()
        self.is_closed = False

    async def events(self) -> AsyncIterator[Event]:
        try:
            while (fact := await self.facts.get()) is not None:
                if isinstance(fact, Exception):
                    raise fact
                yield fact
        finally:
            self.is_closed = True


@pytest.fixture
def life() -> BackendFacts:
    return BackendFacts()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("logs", "run"):
        (tmp_path / name).mkdir()
    return tmp_path


def follow(folder: Path, life: BackendFacts, **after: int) -> AsyncGenerator[Event, None]:
    return follow_logs(folder, ["w-0", "w-1"], {name.replace("_", "-"): n for name, n in after.items()}, life.events())


async def test_what_was_written_before_the_end_comes_before_the_end(folder: Path, life: BackendFacts) -> None:
    life.facts.put_nowait(END)
    life.facts.put_nowait(None)
    (folder / "logs" / "w-0.log").write_bytes(b"x" * 1_000_000)
    events = [event async for event in follow(folder, life)]
    assert sum(len(event.data) for event in events if isinstance(event, LogChunk)) == 1_000_000
    assert events[-1] == END


async def test_a_log_that_is_not_there_yet_is_waited_for(folder: Path, life: BackendFacts) -> None:
    async with aclosing(follow(folder, life)) as stream:
        first = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        (folder / "logs" / "w-1.log").write_bytes(b"late")
        event = await asyncio.wait_for(first, SOON)
    assert isinstance(event, LogChunk)
    assert (event.replica, event.data, event.cursor) == ("w-1", b"late", 4)


async def test_facts_go_out_while_the_log_is_silent(folder: Path, life: BackendFacts) -> None:
    notice = Notice(text="the connection was lost", time=1.0)
    async with aclosing(follow(folder, life)) as stream:
        first = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        life.facts.put_nowait(notice)
        assert await asyncio.wait_for(first, SOON) == notice


async def test_phases_come_with_their_place_and_half_a_line_waits(folder: Path, life: BackendFacts) -> None:
    (folder / "run" / "w-0.phases").write_text("preparing 0 5.5\nnew-word 3\nrunning 12\nsav")
    life.facts.put_nowait(None)
    events = [event async for event in follow(folder, life)]
    phases = [(e.phase, e.offset) for e in events if isinstance(e, PhaseChanged)]
    assert phases == [(Phase.PREPARING, 0), (Phase.RUNNING, 12)]


async def test_each_replica_resumes_at_its_own_cursor(folder: Path, life: BackendFacts) -> None:
    for name in ("w-0", "w-1"):
        (folder / "logs" / f"{name}.log").write_bytes(b"0123456789")
    life.facts.put_nowait(None)
    events = [event async for event in follow(folder, life, w_0=4, w_1=99)]
    assert [(e.replica, e.data) for e in events if isinstance(e, LogChunk)] == [("w-0", b"456789")]


async def test_what_a_job_puts_in_the_place_of_its_log_is_not_read_and_holds_up_nothing(
    folder: Path, life: BackendFacts
) -> None:
    (folder / "secret").write_bytes(b"epoch 1 loss=0.5\n")
    (folder / "logs" / "w-0.log").symlink_to(folder / "secret")
    os.mkfifo(folder / "logs" / "w-1.log")
    life.facts.put_nowait(END)
    life.facts.put_nowait(None)
    async with asyncio.timeout(SOON):
        assert [event async for event in follow(folder, life)] == [END]


async def test_an_error_of_the_backend_escapes(folder: Path, life: BackendFacts) -> None:
    life.facts.put_nowait(UnavailableError("gone"))
    with pytest.raises(UnavailableError):
        async for _ in follow(folder, life):
            pass


async def test_closing_the_stream_closes_what_feeds_it(folder: Path, life: BackendFacts) -> None:
    (folder / "logs" / "w-0.log").write_bytes(b"x")
    stream = follow(folder, life)
    await anext(stream)
    await asyncio.sleep(0)  # now it is being fed
    await stream.aclose()
    await until(lambda: life.is_closed)
