"""Directories of this machine in the place of file systems and tables of the cloud; refused is what is not mounted."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import Client, aiworkspace, dlc, paistudio
from pai_jupyter.emulator.jobs.mounts import directory_of
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.spec import Json
from tests.emulator.dlc.test_dlc import job, lines, run
from tests.support.emulators import Emulator, emulator, training_job

MOUNTS = {
    "nas://fs.cn-x/data": Path("/srv/data"),
    "nas://fs.cn-x/data/deep/": Path("/srv/deep"),
    "odps://p": Path("/t"),
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of this machine that the emulator gives its jobs."""
    folder = tmp_path_factory.mktemp("mounted")
    (folder / "in").mkdir()
    (folder / "in" / "训练.txt").write_text("data")
    return folder


@pytest.fixture(scope="module")
def mounted(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    mounts = [f"nas://fs.cn-x={shared}", f"odps://p/tables/t={shared}/in"]
    with emulator(tmp_path_factory.mktemp("data") / "emulator", *(f"--mount={each}" for each in mounts)) as running:
        yield running


@pytest.fixture
async def client(mounted: Emulator) -> AsyncIterator[Client]:
    async with mounted.client() as client:
        yield client


async def dataset(client: Client, name: str, uri: str, **more: Json) -> str:
    body: dict[str, Json] = {
        "Name": name, "Uri": uri, "DataSourceType": "NAS", "Property": "DIRECTORY", **more,
    }  # fmt: skip
    return str((await client.call(aiworkspace.CREATE_DATASET, body=body))["DatasetId"])


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("nas://fs.cn-x/data", "/srv/data"),
        ("nas://fs.cn-x/data/a b/", "/srv/data/a b"),
        ("nas://fs.cn-x/data/deep/x", "/srv/deep/x"),
        ("odps://p/tables/t", "/t/tables/t"),
        ("nas://fs.cn-x/database", None),
        ("nas://fs.cn-y/data", None),
    ],
)
def test_an_address_is_below_the_longest_that_is_mounted(uri: str, path: str | None) -> None:
    assert directory_of(uri, MOUNTS) == (path and Path(path))


def test_no_address_leads_out_of_what_is_mounted() -> None:
    with pytest.raises(SpecError, match="Name the directory itself"):
        directory_of("nas://fs.cn-x/data/../secret", MOUNTS)


def test_no_link_leads_out_of_what_is_mounted(tmp_path: Path) -> None:
    """A job of the mount may have laid it; another one, in a container, would be given a directory of this machine."""
    mounted, outside = tmp_path / "mounted", tmp_path / "outside"
    for place in (mounted / "in", outside):
        place.mkdir(parents=True)
    (mounted / "away").symlink_to(outside)
    (mounted / "near").symlink_to(mounted / "in")
    (mounted / "circle").symlink_to("circle")
    (tmp_path / "entry").symlink_to(mounted)
    for top in (mounted, tmp_path / "entry"):
        mounts = {"nas://fs/data": top}
        for uri in ("nas://fs/data/away", "nas://fs/data/away/new"):
            with pytest.raises(SpecError, match="by a link"):
                directory_of(uri, mounts)
        for name in ("near", "near/new", "circle", "in", "x" * 300):
            assert directory_of(f"nas://fs/data/{name}", mounts) == top / name


async def test_an_address_that_is_no_name_of_a_file_is_refused(client: Client) -> None:
    with pytest.raises(PaiJupyterError, match="NUL"):
        await client.call(
            paistudio.CREATE_TRAINING_JOB,
            body=training_job(OutputChannels=[{"Name": "model", "OutputUri": "nas://fs.cn-x/a\0b/"}]),
        )


async def test_a_training_job_reads_and_writes_what_is_mounted(client: Client, mounted: Emulator, shared: Path) -> None:
    by_id = await dataset(client, "by-id", "nas://fs.cn-x/in/")
    done = await mounted.run(
        client,
        "cat /ml/input/data/*/训练.txt; echo model > /ml/output/model/m; echo more > /ml/output/extra/m",
        InputChannels=[
            {"Name": "a", "InputUri": "nas://fs.cn-x/in/"},
            {"Name": "b", "DatasetId": by_id},
            {"Name": "c", "InputUri": "odps://p/tables/t"},
        ],
        OutputChannels=[
            {"Name": "model", "OutputUri": "nas://fs.cn-x/out/model/"},
            {"Name": "extra", "OutputUri": "nas://fs.cn-x/out/extra/"},
        ],
    )
    assert (done["Status"], done["ReasonMessage"]) == ("Succeed", "")
    assert await mounted.lines(client, done["TrainingJobId"]) == ["datadatadata"]
    assert [(shared / "out" / name / "m").read_text() for name in ("model", "extra")] == ["model\n", "more\n"]


async def test_a_job_with_roles_reads_and_writes_what_is_mounted(client: Client, shared: Path) -> None:
    by_id = await dataset(client, "of-dlc", "nas://fs.cn-x/in/", Options='{"mountPath": "/ml/input/data/train"}')
    sources = [{"DataSourceId": by_id}, {"Uri": "nas://fs.cn-x/dlc", "MountPath": "/ml/output/model"}]
    done = await run(client, "cat /ml/input/data/train/训练.txt; echo m > /ml/output/model/m", DataSources=sources)
    assert (done["Status"], done["ReasonMessage"]) == ("Succeeded", "")
    assert await lines(client, done["JobId"], "worker-0") == ["data"]
    assert (shared / "dlc" / "m").read_text() == "m\n"


async def test_a_mounted_input_that_is_not_there_is_named(client: Client, mounted: Emulator) -> None:
    done = await mounted.run(client, InputChannels=[{"Name": "a", "InputUri": "nas://fs.cn-x/nowhere"}])
    assert (done["Status"], "/nowhere" in done["ReasonMessage"]) == ("InitializeFailed", True)


@pytest.mark.parametrize("uri", ["nas://other/x", "cpfs://x/y", "odps://p/tables/u", "nas://fs.cn-x/../secret"])
@pytest.mark.parametrize("is_dataset", [False, True])
async def test_what_is_not_mounted_is_refused_before_there_is_a_job(
    client: Client, mounted: Emulator, uri: str, is_dataset: bool
) -> None:
    name = f"set-{abs(hash((uri, 'training')))}"
    place: Any = {"DatasetId": await dataset(client, name, uri)} if is_dataset else {"InputUri": uri}
    with pytest.raises(SpecError, match=r"--mount|Name the directory itself"):
        await mounted.create(client, InputChannels=[{"Name": "train", **place}])
    source: Any = {"DataSourceId": place["DatasetId"]} if is_dataset else {"Uri": uri}
    with pytest.raises(SpecError, match=r"--mount|Name the directory itself"):
        await client.call(dlc.CREATE_JOB, body=job(DataSources=[{**source, "MountPath": "/ml/x"}]))
    told: Any = await client.call(paistudio.LIST_TRAINING_JOBS, query={"Status": "CreateFailed"})
    assert told["TotalCount"] == 0
