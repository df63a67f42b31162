"""Tables of MaxCompute in jobs of this machine: what the contract promises of them, and a key that is gone at the end."""

import csv
import importlib
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from pai_jupyter.backends.local import remove_credential
from pai_jupyter.backends.local.rows import _BY_CLASS
from pai_jupyter.backends.local.tables import read_table
from pai_jupyter.backends.process import report
from pai_jupyter.cloud.session import setup_default_session
from pai_jupyter.config import settings
from pai_jupyter.errors import AuthError, BackendError, NotFoundError, SpecError, UnavailableError
from pai_jupyter.events import Notice, Status
from pai_jupyter.jobs import Target, close_runtime, draft
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from tests.fakes.pyodps import FakeOdps, install
from tests.support.local_jobs import LocalJobs, until
from tests.support.sessions import GIVEN, KEY, SECRET, TOKEN, Surroundings, surroundings

TABLE = "odps://project/tables/iris"
LOOK = """
import json, os, stat
path = os.environ["PAI_ODPS_CREDENTIAL"]
data = os.environ["PAI_INPUT_TRAIN"]
key = json.load(open(path))
print(json.dumps({
    "meta": json.load(open(data + "meta.json")), "names": sorted(os.listdir(data)), "path": path,
    "mode": oct(stat.S_IMODE(os.stat(path).st_mode)), "id": key["AccessKeyId"],
    "secret": len(key["AccessKeySecret"]), "token": len(key["SecurityToken"]),
}), flush=True)
"""
WAIT = LOOK + "import time\nprint('ready', flush=True)\ntime.sleep(300)\n"


@pytest.fixture
def kernel(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    """A kernel that may ask the cloud, with marked keys."""
    with surroundings(tmp_path_factory.mktemp("surroundings"), monkeypatch) as place:
        monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
        setup_default_session(**GIVEN)
        yield place


@pytest.fixture
async def jobs(kernel: Surroundings, tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture
def odps(monkeypatch: pytest.MonkeyPatch) -> FakeOdps:
    return install(monkeypatch)


def credential_of(jobs: LocalJobs, ref: JobRef) -> Path:
    return jobs.folder_of(ref) / "ml/input/credential/odps.json"


def assert_no_secret(place: Surroundings) -> None:
    found = [path for path, text in place.texts() if SECRET in text or TOKEN in text]
    assert found == []


# --- what a job sees ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["bwrap", "plain"])
@pytest.mark.parametrize("token", [None, TOKEN])
async def test_a_table_is_an_address_and_a_key(
    jobs: LocalJobs, kernel: Surroundings, monkeypatch: pytest.MonkeyPatch, way: str, token: str | None
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    setup_default_session(**GIVEN, security_token=token)
    ended = await jobs.run(LOOK, inputs={"train": TABLE})
    assert ended.end.status is Status.SUCCEEDED, ended.log()
    root = "/ml" if way == "bwrap" else str(ended.folder / "ml")
    assert json.loads(ended.log()) == {
        "meta": {"endpoint": "https://service.cn-shanghai.maxcompute.aliyun.com/api", "path": TABLE},
        "names": ["meta.json"],
        "path": f"{root}/input/credential/odps.json",
        "mode": "0o600",
        "id": KEY,
        "secret": len(SECRET),
        "token": len(token or ""),
    }
    assert_no_secret(kernel)


async def test_inside_a_vpc_the_endpoint_is_the_internal_one(jobs: LocalJobs) -> None:
    settings().set("network", "vpc")
    ended = await jobs.run(LOOK, inputs={"train": f"{TABLE}/ds=20240101/region=cn/"})
    assert json.loads(ended.log())["meta"] == {
        "endpoint": "https://service.cn-shanghai-vpc.maxcompute.aliyun-inc.com/api",
        "path": f"{TABLE}/ds=20240101/region=cn",
    }


# --- the key goes, however the job ends --------------------------------------------------------------------------


@pytest.mark.parametrize("script", [LOOK, LOOK + "raise SystemExit(3)", LOOK + "import os; os.kill(os.getpid(), 9)"])
async def test_the_key_goes_when_nobody_follows(jobs: LocalJobs, kernel: Surroundings, script: str) -> None:
    ref = await jobs.start(script, inputs={"train": TABLE})
    await until(lambda: (jobs.folder_of(ref) / "run/exit.json").exists())
    assert not credential_of(jobs, ref).exists()
    assert_no_secret(kernel)


async def test_the_key_is_there_while_the_job_runs_and_goes_with_a_stop(jobs: LocalJobs) -> None:
    ref = await jobs.start(WAIT, inputs={"train": TABLE})
    await jobs.printed(ref, "ready")
    assert credential_of(jobs, ref).exists()
    await jobs.backend.stop(ref)
    await jobs.finish(ref)
    assert not credential_of(jobs, ref).exists()


async def kill_supervisor(jobs: LocalJobs, ref: JobRef) -> None:
    supervisor = json.loads((jobs.folder_of(ref) / "run/supervisor.json").read_text())
    os.kill(supervisor["pid"], signal.SIGKILL)
    await until(lambda: not report.is_supervised(jobs.folder_of(ref)))


async def test_the_key_goes_when_a_follower_finds_the_supervisor_killed(jobs: LocalJobs) -> None:
    ref = await jobs.start(WAIT, inputs={"train": TABLE})
    await jobs.printed(ref, "ready")
    await kill_supervisor(jobs, ref)
    assert (await jobs.finish(ref)).end.status is Status.FAILED
    assert not credential_of(jobs, ref).exists()


async def test_the_key_goes_when_what_a_killed_supervisor_has_left_is_stopped(jobs: LocalJobs) -> None:
    ref = await jobs.start(WAIT, inputs={"train": TABLE})
    await jobs.printed(ref, "ready")
    await kill_supervisor(jobs, ref)
    jobs.backend.grace = 0.0
    await jobs.backend.stop(ref)
    assert not credential_of(jobs, ref).exists()


async def test_the_key_of_a_submitter_that_died_goes_when_somebody_asks_for_the_job(jobs: LocalJobs) -> None:
    ref = JobRef(backend="process", job_id="never-started")
    credential_of(jobs, ref).parent.mkdir(parents=True)
    credential_of(jobs, ref).write_text(SECRET)
    with pytest.raises(NotFoundError):
        await jobs.backend.status(ref)
    assert not credential_of(jobs, ref).exists()


async def test_a_submission_that_fails_behind_the_key_leaves_none(
    jobs: LocalJobs, kernel: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(UnavailableError):
        await jobs.start(LOOK, inputs={"train": TABLE})
    assert_no_secret(kernel)


def test_removing_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_credential(tmp_path)


def test_no_file_of_a_finished_job_holds_the_key(kernel: Surroundings) -> None:
    wanted = JobSpec(name="a", command="python train.py", inputs={"train": TABLE})
    with draft(wanted, Target(backend="process", reason="asked for"), files={"train.py": LOOK.encode()}) as ready:
        job = ready.submit()
    job.wait()
    close_runtime()
    assert job.folder.record.spec.inputs == {"train": TABLE}
    assert_no_secret(kernel)


# --- rows --------------------------------------------------------------------------------------------------------


async def test_the_first_rows_are_a_file_of_csv(jobs: LocalJobs, odps: FakeOdps) -> None:
    odps.rows = [(1, 'a "b", c'), (2, None), (3, "换\n行"), (4, "not wanted")]
    place = f"{TABLE}/ds=1/region=cn"
    ended = await jobs.run(LOOK, inputs={"train": place}, options={"local.odps_limit": 3})
    assert json.loads(ended.log())["names"] == ["data.csv", "meta.json"]
    with (ended.folder / "run/tables/train/data.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["id", "名字"], ["1", 'a "b", c'], ["2", ""], ["3", "换\n行"]]
    assert odps.asked == {
        "account": (KEY, SECRET),
        "project": "project",
        "endpoint": "https://service.cn-shanghai.maxcompute.aliyun.com/api",
        "table": "iris",
        "partition": "ds=1/region=cn",
    }
    [said] = [event.text for event in ended.events if isinstance(event, Notice)]
    assert said == f"input 'train': the first 3 rows of {place} are in data.csv."


async def test_a_temporary_key_reads_rows_with_its_token(jobs: LocalJobs, odps: FakeOdps) -> None:
    setup_default_session(**GIVEN, security_token=TOKEN)
    await jobs.run(LOOK, inputs={"train": TABLE}, options={"local.odps_limit": 1})
    assert odps.asked["account"] == (KEY, SECRET, TOKEN)


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("NoSuchTable", NotFoundError, "there is no such table"),
        ("NoSuchPartition", NotFoundError, "no such partition"),
        ("NoPermission", AuthError, "may not read it"),
        ("BaseODPSError", BackendError, r"MaxCompute refuses: odd \*\*\* words \(reading odps://project/tables/iris\)"),
    ],
)
async def test_what_the_service_says_is_one_sentence_without_the_key(
    jobs: LocalJobs, kernel: Surroundings, odps: FakeOdps, name: str, error: type[Exception], words: str
) -> None:
    odps.error = getattr(importlib.import_module("odps.errors"), name)(f"odd {SECRET}\nwords")
    with pytest.raises(error, match=words) as caught:
        await jobs.start(LOOK, inputs={"train": TABLE}, options={"local.odps_limit": 1})
    assert SECRET not in repr(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert_no_secret(kernel)


async def test_a_service_that_does_not_answer_is_named(jobs: LocalJobs, odps: FakeOdps) -> None:
    odps.error = requests.exceptions.ConnectionError("no route")
    with pytest.raises(UnavailableError, match="MaxCompute does not answer"):
        await jobs.start(LOOK, inputs={"train": TABLE}, options={"local.odps_limit": 1})


def test_the_errors_are_those_of_the_package() -> None:
    errors = pytest.importorskip("odps.errors", reason="PyODPS is not installed")
    for name in _BY_CLASS:
        assert issubclass(getattr(errors, name), errors.BaseODPSError)


# --- what is checked before --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    ["odps://p", "odps://p/t", "odps://p/tables/", "odps://p/tables/t/x", "odps://p/tables/../x", "ODPS://p/tables/t"],
)
def test_what_is_no_table_is_refused(jobs: LocalJobs, place: str) -> None:
    with pytest.raises(SpecError):
        read_table(place)
    [said] = jobs.backend.check(JobSpec(name="a", command="true", inputs={"train": place}))
    assert said.startswith(
        f"input 'train': '{place}' is no table of MaxCompute. Write it as odps://PROJECT/tables/NAME"
    )


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        (5, "--odps-limit needs the package 'pyodps'. Type: %pip install pyodps"),
        (0, "`--odps-limit 0` must be a whole number from 1, e.g. --odps-limit 1000"),
        ("all", "`--odps-limit all` must be a whole number from 1, e.g. --odps-limit 1000"),
        (True, "`--odps-limit True` must be a whole number from 1, e.g. --odps-limit 1000"),
    ],
)
def test_rows_that_cannot_be_had_are_refused(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, limit: Any, sentence: str
) -> None:
    monkeypatch.setattr("pai_jupyter.backends.local.tables.find_spec", lambda _: None)
    wanted = JobSpec(name="a", command="true", inputs={"t": TABLE}, options={"local.odps_limit": limit})
    assert jobs.backend.check(wanted) == [f"input 't': {sentence}"]


def test_a_table_needs_a_session(jobs: LocalJobs) -> None:
    settings.cache_clear()
    [said] = jobs.backend.check(JobSpec(name="a", command="true", inputs={"train": TABLE}))
    assert said.startswith("input 'train': no region is set")


def test_the_emulator_has_no_tables(jobs: LocalJobs, kernel: Surroundings) -> None:
    kernel.have_emulator("http://127.0.0.1:1", key="k", secret="s" * 20)
    [said] = jobs.backend.check(JobSpec(name="a", command="true", inputs={"train": TABLE}))
    assert said.startswith("input 'train': the emulator has no MaxCompute")


async def test_a_job_without_tables_gets_no_key(jobs: LocalJobs) -> None:
    ended = await jobs.run(
        "import os; print(os.path.exists('../input/credential'), 'PAI_ODPS_CREDENTIAL' in os.environ)"
    )
    assert ended.log() == "False False\n"
    assert not (JobStore().path(ended.ref.job_id) / "run/tables").exists()


def test_the_package_holds_no_key(kernel: Surroundings, tmp_path: Path) -> None:
    package = build(None, to=tmp_path / "p.tar.gz", files={"train.py": LOOK.encode()})
    assert [file.name for file in package.files] == ["train.py"]
