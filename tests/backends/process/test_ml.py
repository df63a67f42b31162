"""What a job in a local process sees: its /ml tree, its environment, its own Python packages."""

import asyncio
import importlib.util
import json
import secrets
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pai_jupyter.backends.process import INFO, isolation
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Phase, PhaseChanged, Status
from pai_jupyter.spec import JobSpec
from tests.support.local_jobs import LocalJobs, naps
from tests.support.wheels import WHEEL, wheel

WAYS = ["bwrap", "proot", "plain"]
ODD = 'a b\'; 训练\n"$HOME" *'


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PAI_JUPYTER_ML", request.param)
    return str(request.param)


# --- the tree ----------------------------------------------------------------------------------------------------

TOUR = """
import json, os
env = os.environ
def listing(name): return sorted(os.listdir(env[name]))
open(env["PAI_OUTPUT_MODEL"] + "m.bin", "w").write("model")
open(env["PAI_OUTPUT_LOGS"] + "e.txt", "w").write("event")
root = os.path.dirname(os.getcwd())
print(json.dumps({
    "cwd": os.getcwd(), "root": sorted(os.listdir(root)), "code": os.path.samefile(root + "/code", os.getcwd()),
    "files": listing("PAI_WORKING_DIR"), "config": listing("PAI_CONFIG_DIR"),
    "directory": listing("PAI_INPUT_DIRECTORY"), "file": open(env["PAI_INPUT_FILE"]).read(),
    "beside": os.listdir(os.path.dirname(env["PAI_INPUT_FILE"])), "logs": os.listdir(root + "/output/logs"),
}))
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A directory with an odd name, holding what is one input, and a neighbour that is none of the job's business."""
    data = tmp_path / ODD
    data.mkdir()
    (data / "iris 数据.csv").write_text("1,2")
    (data / "private").touch()
    return data


def has_ml() -> bool:
    return Path("/ml").exists()


async def test_a_job_finds_its_tree(jobs: LocalJobs, data: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(data.parent / f"home {ODD}"))
    before = has_ml()
    ended = await jobs.run(TOUR, inputs={"directory": str(data), "file": str(data / "iris 数据.csv")})
    root = str(ended.folder / "ml") if way == "plain" else "/ml"
    assert json.loads(ended.log()) == {
        "cwd": f"{root}/usercode",
        "root": ["code", "input", "output", "usercode"],
        "code": True,
        "files": ["train.py"],
        "config": ["hyperparameters.json", "training_job.json"],
        "directory": ["iris 数据.csv", "private"],
        "file": "1,2",
        "beside": ["iris 数据.csv"],
        "logs": ["e.txt"],
    }
    assert (ended.folder / "output" / "model" / "m.bin").read_text() == "model"
    assert has_ml() == before


async def test_outputs_go_where_the_spec_says(jobs: LocalJobs, way: str, tmp_path: Path) -> None:
    script = "import os\nfor n in ('MODEL', 'EXTRA'): open(os.environ['PAI_OUTPUT_' + n] + 'x', 'w').write(n)\n"
    await jobs.run(script, output_path=str(tmp_path / "all"), outputs={"extra": str(tmp_path / "own")})
    assert (tmp_path / "all" / "model" / "x").read_text() == "MODEL"
    assert (tmp_path / "own" / "x").read_text() == "EXTRA"


async def test_inputs_are_read_only_where_the_system_allows_it(
    jobs: LocalJobs, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "bwrap")
    ended = await jobs.run(
        "import os\nopen(os.environ['PAI_INPUT_D'] + 'private', 'w').write('x')", inputs={"d": str(data)}
    )
    assert "Read-only file system" in ended.log()
    assert (data / "private").read_text() == ""


async def test_a_path_that_proot_cannot_be_told_still_works(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "proot")
    (tmp_path / "a:b").write_text("data")
    script = "import os\nprint(open(os.environ['PAI_INPUT_D']).read())"
    ended = await jobs.run(script, inputs={"d": str(tmp_path / "a:b")})
    assert ended.log() == "data\n"


@pytest.mark.parametrize(("wanted", "literal"), [("bwrap", True), ("proot", True), ("plain", False)])
def test_a_backend_knows_whether_ml_is_literal(monkeypatch: pytest.MonkeyPatch, wanted: str, literal: bool) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", wanted)
    assert INFO.literal_ml is literal


@contextmanager
def other_bwrap(script: str, folder: Path) -> Iterator[None]:
    """Within this block, the program bwrap is `script`."""
    (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bwrap").chmod(0o755)
    probes = (isolation._program, isolation._refusal, isolation.has_own_processes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(folder), prepend=":")
        for probe in probes:
            probe.cache_clear()
        yield
    for probe in probes:
        probe.cache_clear()


def test_a_way_that_is_installed_but_refused_is_not_taken(tmp_path: Path) -> None:
    with other_bwrap("echo 'bwrap: No permissions to create namespace' >&2; exit 1", tmp_path):
        assert isolation.choose() is isolation.Isolation.PROOT
        with pytest.raises(SpecError, match=r"does not work here .*No permissions"):
            isolation.choose("bwrap")


async def test_where_there_can_be_no_pid_namespace_nothing_outlives_a_job_either(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "bwrap")
    refusing = f'case " $* " in *" --unshare-pid "*) exit 1;; esac; exec {shutil.which("bwrap")} "$@"'
    word = f"600.{secrets.randbelow(10**9)}"
    with other_bwrap(refusing, tmp_path):
        ended = await jobs.run(command=f"pwd; setsid env -i sleep {word} >/dev/null 2>&1 &\nsleep 0.2; exit 3")
    assert (ended.end.exit_code, ended.log()) == (3, "/ml/usercode\n")
    assert naps(word) == []


REAL_BWRAP = shutil.which("bwrap")
GONE = """bwrap: Can't bind mount /oldroot/var on /newroot/var: Unable to apply mount flags: Invalid argument"""


def bwrap_that_meets_changes(count: int, tmp_path: Path) -> str:
    """A bwrap that fails `count` times as the real one does when a container's mount goes while it sets up its own."""
    (tmp_path / "counter").touch()
    fails = f'[ "$(wc -c < {tmp_path}/counter)" -lt {count} ]'
    return f'if {fails}; then printf x >> {tmp_path}/counter; echo "{GONE}" >&2; exit 1; fi\nexec {REAL_BWRAP} "$@"'


@pytest.mark.parametrize("refused", ["--unshare-pid", "nothing"])
async def test_a_mount_that_goes_while_a_job_starts_does_not_fail_it(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "bwrap")
    refusing = f'case " $* " in *" {refused} "*) exit 1;; esac\n'
    with other_bwrap(refusing + bwrap_that_meets_changes(0, tmp_path), tmp_path):
        assert isolation.choose("bwrap") is isolation.Isolation.BWRAP
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{refusing}{bwrap_that_meets_changes(3, tmp_path)}\n")
        ended = await jobs.run(command="pwd; echo error >&2; exit 1")
    assert (ended.end.exit_code, ended.log()) == (1, "/ml/usercode\nerror\n")
    assert (tmp_path / "counter").read_text() == "xxx"


async def test_a_job_that_prints_the_same_runs_once(jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "bwrap")
    ended = await jobs.run(command=f'echo "{GONE}" >&2; exit 1')
    assert (ended.end.exit_code, ended.log()) == (1, f"{GONE}\n")


async def test_mounts_that_always_go_are_the_jobs_error(
    jobs: LocalJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "bwrap")
    with other_bwrap(bwrap_that_meets_changes(0, tmp_path), tmp_path):
        assert isolation.choose("bwrap") is isolation.Isolation.BWRAP
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{bwrap_that_meets_changes(99, tmp_path)}\n")
        ended = await jobs.run(command="echo never")
    assert (ended.end.exit_code, ended.log()) == (1, f"{GONE}\n")


def test_a_mount_that_goes_while_a_way_is_tried_does_not_rule_it_out(tmp_path: Path) -> None:
    with other_bwrap(bwrap_that_meets_changes(2, tmp_path), tmp_path):
        assert isolation.choose() is isolation.Isolation.BWRAP
        assert isolation.has_own_processes(isolation.Isolation.BWRAP)


# --- the environment ---------------------------------------------------------------------------------------------

SHOW = "import json, os, sys\nprint(json.dumps([dict(os.environ), sys.argv[1:], sys.executable]))\n"


async def test_the_kernels_secrets_and_leftovers_are_not_inherited(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["MY_API_KEY", "DB_SECRET", "HF_TOKEN", "ALIBABA_CLOUD_X", "PAI_HPS_OLD", "TF_CONFIG", "PWD"]
    names += ["NVIDIA_VISIBLE_DEVICES", "WORKER_ADDRS", "PAI_INPUT_OLD"]
    for name in [*names, "KEPT"]:
        monkeypatch.setenv(name, "inherited")
    variables, _, _ = json.loads((await jobs.run(SHOW)).log())
    assert [name for name in names if variables.get(name) == "inherited"] == []
    assert variables["KEPT"] == "inherited"
    assert variables["PYTHONUNBUFFERED"] == "1"


async def test_a_variable_given_by_name_reaches_the_job_and_no_file(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "s3cr3t-value")
    monkeypatch.setenv("DATABASE_URL", "postgres://app:s3cr3t-value@db/x")
    ended = await jobs.run(SHOW, options={"local.pass_env": ["HF_TOKEN"]})
    variables, _, _ = json.loads(ended.log())
    assert variables["HF_TOKEN"] == "s3cr3t-value"
    assert "DATABASE_URL" not in variables
    files = [path for path in ended.folder.rglob("*") if path.is_file() and path.name != "master-0.log"]
    assert [path.name for path in files if b"s3cr3t" in path.read_bytes()] == []


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["NOT_SET_HERE"], "`--pass-env NOT_SET_HERE`: there is no such variable here. Set it first: "),
        (["A=B"], "`local.pass_env` is ['A=B']; it is a list of names"),
        ("HOME", "`local.pass_env` is 'HOME'; it is a list of names"),
    ],
)
def test_what_cannot_be_passed_is_said(jobs: LocalJobs, names: object, sentence: str) -> None:
    spec = JobSpec(name="a", command="true", options={"local.pass_env": names})  # type: ignore[dict-item]  # some is none
    [said] = jobs.backend.check(spec)
    assert said.startswith(sentence)


async def test_python_is_the_kernels(jobs: LocalJobs) -> None:
    variables, _, executable = json.loads((await jobs.run(SHOW)).log())
    assert executable == sys.executable
    assert variables["PATH"].split(":")[0] == str(Path(sys.executable).parent)


async def test_the_users_variables_reach_the_job_and_no_file(jobs: LocalJobs) -> None:
    ended = await jobs.run(SHOW, environments={"API_TOKEN": "s3cr3t-value", "RANK": "7"}, job_type="PyTorchJob")
    variables, _, _ = json.loads(ended.log())
    assert variables["API_TOKEN"] == "s3cr3t-value"
    assert variables["RANK"] == "0"
    files = [path for path in ended.folder.rglob("*") if path.is_file() and path.name != "master-0.log"]
    assert [path.name for path in files if b"s3cr3t" in path.read_bytes()] == []


@pytest.mark.parametrize("value", ["a b", "a'; echo x", '"$HOME" *', "训练", "", "--x", "back\\slash", "two\nlines"])
async def test_argparse_receives_a_value_unchanged(jobs: LocalJobs, way: str, value: str) -> None:
    script = "import argparse, json\np = argparse.ArgumentParser()\np.add_argument('--v')\nprint(json.dumps(p.parse_args().v))\n"
    assert json.loads((await jobs.run(script, hyperparameters={"v": value})).log()) == value


# --- requirements ------------------------------------------------------------------------------------------------


DEMO = {WHEEL: wheel("pai_jupyter_demo"), "requirements.txt": f"./{WHEEL}\n".encode()}
USE = "import pai_jupyter_demo, filelock\nprint('used', pai_jupyter_demo.VERSION)\n"
NO_NETWORK = {"PIP_NO_INDEX": "1"}


async def test_requirements_are_installed_on_top_of_the_kernels_packages(jobs: LocalJobs) -> None:
    ended = await jobs.run(USE, files=DEMO, environments=NO_NETWORK)
    phases = [event for event in ended.events if isinstance(event, PhaseChanged)]
    assert [phase.phase for phase in phases] == [Phase.PREPARING, Phase.RUNNING]
    assert phases[1].offset is not None
    assert "Successfully installed pai-jupyter-demo-1.0" in ended.log()[: phases[1].offset]
    assert ended.log()[phases[1].offset :] == "used 1.0\n"
    assert importlib.util.find_spec("pai_jupyter_demo") is None


async def test_the_same_requirements_are_installed_once(jobs: LocalJobs) -> None:
    first = await jobs.run(USE, files=DEMO, environments=NO_NETWORK)
    assert first.end.status is Status.SUCCEEDED
    assert (await jobs.run(USE, files=DEMO, environments=NO_NETWORK)).log() == "used 1.0\n"


async def test_two_jobs_that_need_the_same_environment_wait_for_each_other(jobs: LocalJobs) -> None:
    refs = [await jobs.start(USE, files=DEMO, environments=NO_NETWORK) for _ in range(2)]
    logs = [ended.log() for ended in await asyncio.gather(*map(jobs.finish, refs))]
    assert [log.splitlines()[-1] for log in logs] == ["used 1.0"] * 2
    assert sum("Successfully installed" in log for log in logs) == 1


async def test_an_interrupted_installation_is_done_again(jobs: LocalJobs, home: Path) -> None:
    await jobs.run(USE, files=DEMO, environments=NO_NETWORK)
    [environment] = [path for path in (home / "cache" / "environments").iterdir() if path.is_dir()]
    (environment / "complete").unlink()
    next(environment.rglob("pai_jupyter_demo.py")).write_text("torn")
    ended = await jobs.run(USE, files=DEMO, environments=NO_NETWORK)
    assert ended.log().endswith("used 1.0\n")


async def test_requirements_that_cannot_be_had_fail_the_job_loudly(jobs: LocalJobs, home: Path) -> None:
    ended = await jobs.run("print('never')", requirements=("no-such-package-of-ours",), environments=NO_NETWORK)
    assert (ended.end.status, ended.end.exit_code) == (Status.FAILED, 1)
    assert ended.end.reason == (
        "requirements.txt could not be installed: No matching distribution found for no-such-package-of-ours"
    )
    assert "never" not in ended.log()
    assert [path for path in (home / "cache" / "environments").iterdir() if path.is_dir()] == []


async def test_stop_ends_an_installation(jobs: LocalJobs) -> None:
    slow = {
        "pyproject.toml": b'[build-system]\nrequires = []\nbuild-backend = "slow"\nbackend-path = ["."]\n',
        "slow.py": b"import time\ntime.sleep(600)\n",
        "requirements.txt": b".\n",
    }
    ref = await jobs.start("print('never')", files=slow, environments=NO_NETWORK)
    await jobs.printed(ref, "Processing")
    await jobs.backend.stop(ref)
    ended = await jobs.finish(ref)
    assert ended.end.status is Status.STOPPED
    assert "never" not in ended.log()
