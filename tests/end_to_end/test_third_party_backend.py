"""A third party's backend, installed beside ours, has every feature that ours have, without a line of ours that knows it.

It is tests/fakes/farm_backend; tests/backends/test_contract.py holds it to the contract of `follow` too.
"""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pai_jupyter import Estimator
from pai_jupyter.backends import find_info, get_backend, get_info, infos
from pai_jupyter.config import settings
from pai_jupyter.diagnostics import preflight
from pai_jupyter.errors import BackendError, NotFoundError, SpecError, UnavailableError, UncertainError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, Target, attach, check, close_runtime, draft, list_jobs, place_of, runtime, submit
from pai_jupyter.jobs.listing import list_rows
from pai_jupyter.jobs.where import where_of
from pai_jupyter.magics import doctor
from pai_jupyter.server.backends import backends
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from pai_jupyter.wire.connection.listing import row_body
from pai_jupyter.wire.files.output_files import files, open_file
from pai_jupyter.wire.job_view.facts import job_facts
from pai_jupyter.wire.tabs.environment import environment
from tests.support.farm import installed_farm, replace_module
from tests.support.lists import watched
from tests.support.patience import DEADLINE
from tests.support.server import Server, running_server
from tests.support.shells import Shell
from tests.support.started import until

TRAIN = """\
import os, pathlib
print("loss=0.5")
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.bin").write_text("weights")
"""
SPEC = JobSpec(name="a", command="python train.py", instance_type="farm.small")
KILLED = JobRef(backend="farm", job_id="killed")


@pytest.fixture(autouse=True)
def farm(tmp_path: Path) -> Iterator[Path]:
    with installed_farm(tmp_path) as home:
        yield home
        close_runtime()
        settings.cache_clear()


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(TRAIN)
    return tmp_path / "src"


def ended(source: Path, **more: Any) -> Job:  # Any: of a JobSpec
    """A job of the farm, at its end."""
    spec = JobSpec(**{"name": "a", "command": "python train.py", "instance_type": "farm.small", **more})
    return submit(JobSpec.from_json({**spec.to_json(), "source_dir": str(source)})).wait(DEADLINE)


# --- where a job runs ------------------------------------------------------------------------------------------------


def test_a_machine_of_its_own_chooses_it_and_the_header_has_its_title() -> None:
    place = place_of(SPEC)
    assert str(place) == "farm (farm.small is a type of Render farm)"
    assert str(where_of(str(place))) == "Render farm (farm.small is a type of Render farm)"


def test_an_option_that_means_it_chooses_it() -> None:
    spec = JobSpec(name="a", command="true", options={"farm.queue": "night"})
    assert str(place_of(spec)) == "farm (a queue of the farm is given)"


def test_it_can_be_configured(shell: Shell) -> None:
    shell.run("%pai_config set backend=farm")
    assert settings().get("backend") == "farm"
    assert place_of(JobSpec(name="a", command="true", instance_type="farm.large")).backend == "farm"
    assert place_of(JobSpec(name="a", command="true")).backend == "process"  # `local` is this machine


def test_this_machine_and_its_machines_together_are_a_contradiction() -> None:
    with pytest.raises(SpecError, match=r"not Render farm\. Leave out --backend farm.*--instance-type farm\.small"):
        place_of(JobSpec(name="a", command="true", instance_type="local"), backend="farm")


def test_what_it_cannot_honour_it_says_before_anything_starts(source: Path) -> None:
    with pytest.raises(SpecError, match=r"no option 'farm\.nic'; it has farm\.nice, farm\.queue"):
        ended(source, options={"farm.nic": 3})
    with pytest.raises(SpecError, match=r"the option farm\.nice is 'a'; it must be a whole number"):
        ended(source, options={"farm.nice": "a"})
    assert list_jobs() == []


def test_a_machine_that_it_lacks_or_none_at_all_is_answered_with_those_that_it_has() -> None:
    spec = JobSpec(name="a", command="true", instance_type="farm.huge")
    with pytest.raises(SpecError, match=r"Render farm has no 'farm.huge'; it has farm.small, farm.large\. Give one"):
        submit(spec)
    with pytest.raises(SpecError, match='Use `backend="farm"`, or `instance_type="local"`'):
        submit(SPEC, backend="process")
    plain, farm = JobSpec(name="a", command="true"), Target(backend="farm", reason="asked for")
    with pytest.raises(
        SpecError, match=r"^backend 'farm' needs an instance type of Render farm: --instance-type farm\.small$"
    ):
        check(plain, farm)


# --- magics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("%%pai_train --backend fa", "farm"),
        ("%%pai_train --option farm.q", "farm.queue="),
        ("%%pai_train --instance-type farm.l", "farm.large"),
    ],
)
def test_tab_offers_what_it_has(shell: Shell, line: str, offered: str) -> None:
    assert offered in shell.complete(line)


def test_help_lists_its_options() -> None:
    """In a process of its own: IPython makes the text when the module of the magic is imported."""
    program = (
        "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance()\n"
        "s.run_line_magic('load_ext', 'pai_jupyter'); s.run_cell('%%pai_train?')"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "farm.queue=" in told
    assert "priority, 0 to 19 (number)" in told


def test_a_cell_runs_there_and_is_shown(shell: Shell) -> None:
    result = shell.run(f"%%pai_train --instance-type farm.small --run --wait --metric loss:loss=(.+) --as job\n{TRAIN}")
    job = shell.user_ns["job"]
    assert (job.backend, job.status) == ("farm", Status.SUCCEEDED), result.text
    assert "Render farm" in result.text
    assert [line.text for line in job.logs()] == ["loss=0.5"]
    assert job.metrics()["loss"] == 0.5
    assert "Render farm" in shell._shell.display_formatter.format(job)[0]["text/html"]


def test_a_dry_run_shows_its_request(shell: Shell) -> None:
    shown = shell.run("%%pai_train --option farm.queue=night --instance-type farm.small --dry-run\nprint(1)\n").text
    assert "would run on: Render farm" in shown
    assert '"queue": "night"' in shown
    assert '"farm_job"' in shown


def test_the_linter_knows_that_it_has_no_literal_ml(shell: Shell) -> None:
    shown = shell.run("%%pai_train --instance-type farm.small --lint\nopen('/ml/output/model/m', 'w')\n").text
    assert "/ml/output/model/m" in shown


def test_the_form_offers_it_and_its_machines() -> None:
    from pai_jupyter.form.place import PlaceFields

    fields = PlaceFields(
        backend=None,
        backends=["docker", "farm"],
        image_uri=None,
        configured_image=None,
        instance_type=None,
        instance_count=None,
        translate=str,
    )
    assert ("farm", "farm") in fields.backend.options
    assert {"local", "local_gpu", "farm.small", "farm.large"} <= set(fields.instance_type.options)


def test_doctor_and_config_test_show_what_it_checks() -> None:
    assert [check.found for check in doctor.checkup() if check.what == "farm"] == ["configured"]
    assert [check.found for check in preflight() if check.what == "farm"] == ["4 machines"]


def test_doctor_shows_what_it_lacks_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FARM_HOME")
    assert [check.remedy for check in doctor.checkup() if check.what == "farm"] == ["Set FARM_HOME."]


# --- the life of a job -----------------------------------------------------------------------------------------------


def test_an_estimator_fits_there_and_fetches(source: Path, tmp_path: Path) -> None:
    estimator = Estimator(command="python train.py", source_dir=str(source), instance_type="farm.small", image_uri="i")
    job = estimator.fit()
    assert (job.backend, job.status) == ("farm", Status.SUCCEEDED)
    assert job.output("model").startswith("farm://jobs/")
    assert Path(job.fetch("model", tmp_path / "got"), "model.bin").read_text() == "weights"


def test_code_at_an_address_that_it_takes_is_passed_on(farm: Path) -> None:
    (farm / "shared" / "code").mkdir()
    (farm / "shared" / "code" / "train.py").write_text("print('from elsewhere')\n")
    job = submit(JobSpec(**{**vars(SPEC), "source_dir": "farm://shared/code/"})).wait(DEADLINE)
    assert [line.text for line in job.logs()] == ["from elsewhere"]


def test_a_job_is_stopped(source: Path) -> None:
    (source / "train.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    job = submit(JobSpec(**{**vars(SPEC), "source_dir": str(source)}))
    until(lambda: [line.text for line in job.logs()])
    job.stop()
    until(lambda: job.status is Status.STOPPED)


def test_a_job_whose_submitter_died_is_found_again(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = get_backend("farm")
    whole = backend.submit

    async def lost(*args: Any, **kwargs: Any) -> Any:  # Any: as the backend has it
        await whole(*args, **kwargs)
        raise UncertainError("the answer is lost")

    monkeypatch.setattr(backend, "submit", lost)
    with draft(JobSpec(**{**vars(SPEC), "source_dir": str(source)}), place_of(SPEC)) as ready:
        job = ready.submit()
    assert job.wait(DEADLINE).status is Status.SUCCEEDED
    assert len(list_jobs()) == 1


SUBMITTER = """
import asyncio, os, pathlib, signal, sys
import farm_backend
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

folder, step = pathlib.Path(sys.argv[1]), sys.argv[2]
if step:
    setattr(farm_backend, step, die)
spec = JobSpec(name="a", command="sleep 0.2; echo done", instance_type="farm.small")
package = build(None, to=folder / f"package-{os.getpid()}.tar.gz")
asyncio.run(farm_backend.FarmBackend().submit(spec, package, job_id="killed"))
die()
"""


def killed_submitter(folder: Path, step: str = "") -> None:
    """Submit the job `killed` in a process that is killed at this function of the farm; "": when it has submitted."""
    done = subprocess.run([sys.executable, "-c", SUBMITTER, str(folder), step], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("step", ["_lay_out", "_run"])
def test_a_submitter_that_is_killed_leaves_no_job_that_runs_for_ever(farm: Path, tmp_path: Path, step: str) -> None:
    killed_submitter(tmp_path, step)
    backend = get_backend("farm")
    if step == "_lay_out":
        with pytest.raises(NotFoundError):
            asyncio.run(backend.status(KILLED))
    else:
        report = asyncio.run(backend.status(KILLED))
        assert (report.status, report.reason) == (
            Status.FAILED,
            "nobody runs it: its submitter or its machine was killed",
        )


@pytest.mark.parametrize("step", ["", "_lay_out"])
def test_the_same_job_again_runs_once_after_a_submitter_was_killed(farm: Path, tmp_path: Path, step: str) -> None:
    killed_submitter(tmp_path, step)
    killed_submitter(tmp_path)
    backend = get_backend("farm")
    until(lambda: asyncio.run(backend.status(KILLED)).status.is_terminal)
    assert asyncio.run(backend.status(KILLED)).status is Status.SUCCEEDED
    assert (farm / "jobs" / "killed" / "log").read_text() == "done\n"


def test_its_pyproject_declares_what_pip_would_install() -> None:
    [point] = entry_points(group="pai_jupyter.backends", name="farm")
    assert (point.value, point.dist.name if point.dist else "") == ("farm_backend:FarmBackend", "farm-backend")


# --- its faults ------------------------------------------------------------------------------------------------------

FAULT = "the backend 'farm' failed in {}: KeyError: 'GATE'. This is a fault of the package 'farm-backend'"


@pytest.fixture
def running(source: Path) -> Iterator[Job]:
    (source / "train.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    job = submit(JobSpec(**{**vars(SPEC), "source_dir": str(source)}))
    until(lambda: [line.text for line in job.logs()])
    yield job
    job.stop()


def fails(patch: pytest.MonkeyPatch, call: str) -> None:
    """From now on this function of the farm's code has a fault."""

    def fault(*_: object, **__: object) -> None:
        raise KeyError("GATE")

    patch.setattr(sys.modules["farm_backend"], call, fault)


def test_a_job_of_a_faulty_backend_is_listed_as_unknown_beside_the_others(running: Job) -> None:
    other = submit(JobSpec(name="other", command="true"), backend="process").wait(DEADLINE)
    close_runtime()
    with pytest.MonkeyPatch.context() as patch:
        fails(patch, "_report")
        rows = {row.id: row for row in list_rows()}
        assert (rows[other.id].status, rows[running.id].status) == (Status.SUCCEEDED, Status.UNKNOWN)
        assert FAULT.format("status") in rows[running.id].trouble
        attach(running.id)
        until(lambda: running.status is Status.UNKNOWN)  # following fails as well, and is tried again
        assert FAULT.format("follow") in running.state.reason
    until(lambda: running.status is Status.RUNNING)


def test_a_faulty_backend_fails_with_one_sentence(
    running: Job, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fails(patch, "_folder")
        for call, ask in (("stop", running.stop), ("fetch", lambda: running.fetch("model", tmp_path / "got"))):
            with pytest.raises(BackendError, match=re.escape(FAULT.format(call))):
                ask()
    fails(monkeypatch, "_lay_out")
    with pytest.raises(BackendError, match=re.escape(FAULT.format("submit"))):
        ended(source)
    monkeypatch.setattr(type(get_info("farm")), "option_problems", lambda *_: 1 / 0)
    with pytest.raises(BackendError, match="failed in check: ZeroDivisionError: division by zero"):
        ended(source)


def test_a_farm_without_its_home_says_so_itself(running: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delenv("FARM_HOME")
        with pytest.raises(UnavailableError, match="FARM_HOME is not set"):
            running.stop()


# --- the panel -------------------------------------------------------------------------------------------------------


def test_its_outputs_are_browsed_where_they_lie(source: Path) -> None:
    job = ended(source)
    told, _ = files(job, {"channel": "model"})
    assert [entry["name"] for entry in told["entries"]] == ["model.bin"]
    file, size = open_file(job, "model", "model.bin")
    with file:
        assert (file.read(), size) == (b"weights", 7)


def test_the_environment_of_a_job_says_what_it_inherits(source: Path) -> None:
    told = environment(ended(source))
    assert told["note"] == "The job also has the PATH of the farm's machines."


def test_the_list_of_backends_has_it_with_its_title_and_asks_it_on_request() -> None:
    def row(check: str | None = None) -> Any:  # Any: JSON
        rows: Any = backends(check)["backends"]
        return next(each for each in rows if each["name"] == "farm")

    known = {
        "name": "farm",
        "title": "Render farm",
        "is_emulator": False,
        "takes_job_files": False,
        "instances": ["farm.small", "farm.large"],
    }
    assert row() == {**known, "is_ready": None, "note": "configured"}
    assert row("farm") == {**known, "is_ready": True, "note": "4 machines"}


def test_a_view_of_a_job_has_its_title(source: Path) -> None:
    assert job_facts(ended(source))["title"] == "Render farm"


async def test_jobs_that_were_submitted_elsewhere_are_listed_and_taken_up(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from asyncio import to_thread

    from pai_jupyter.jobs import adopt

    away = (await to_thread(ended, source)).id
    close_runtime()
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "here"))
    async with watched() as watcher:
        row = await watcher.row(away)
        assert (row.backend, row.is_here, row.status) == ("farm", False, Status.SUCCEEDED)
        assert (where_of(row.place).backend, row_body(row)["title"]) == ("Render farm", "Render farm")
        job = await to_thread(lambda: runtime().call(adopt(away)).result(DEADLINE))
        await watcher.row(away, lambda row: row.is_here)
    assert (job.spec.command, JobStore().ids()) == ("python train.py", [away])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "server").mkdir()
    with running_server(tmp_path / "server") as server:
        yield server


def test_a_server_lists_it_and_submits_there(server: Server) -> None:
    rows = server.ask("backends").json()["backends"]
    assert [each["title"] for each in rows] == ["Docker", "Render farm", "OpenPAI", "PAI", "Local process"]


# --- what it costs ---------------------------------------------------------------------------------------------------


def test_asking_every_backend_what_it_is_imports_nothing_heavy() -> None:
    program = (
        "import json, sys\nfrom pai_jupyter.backends import infos\n"
        "told = [[i.name, i.title, len(i.options)] for i in infos()]\nprint(json.dumps([told, sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    told, modules = json.loads(done.stdout)
    assert [name for name, *_ in told] == ["process", "docker", "farm", "openpai", "pai"]
    assert not {"docker", "oss2", "httpx"} & set(modules)
    assert not [name for name in modules if name.startswith("pai_jupyter.") and name.endswith(".backend")]


def test_a_backend_that_says_nothing_is_a_plain_remote_service(farm: Path) -> None:
    replace_module(farm, "class FarmBackend:\n    name = 'farm'\n")
    info = get_info("farm")
    assert (info.title, info.is_local, info.options, info.literal_ml) == ("farm", False, (), True)


def test_a_backend_that_cannot_be_imported_names_the_package_to_install(farm: Path) -> None:
    replace_module(farm, "import a_package_of_nobody\n")
    assert find_info("farm") is None
    assert "farm" not in [info.name for info in infos()]
    (row,) = (each for each in backends()["backends"] if each["name"] == "farm")
    assert "Type: %pip install a_package_of_nobody" in row["note"]


@pytest.mark.parametrize("fault", ["1 / 0", "class FarmBackend:\n    def __init__(self): 1 / 0"])
def test_a_broken_backend_hides_no_other(farm: Path, fault: str) -> None:
    replace_module(farm, fault)
    assert [info.name for info in infos()] == ["process", "docker", "openpai", "pai"]
    (row,) = (each for each in backends()["backends"] if each["name"] == "farm")
    assert "cannot be loaded: ZeroDivisionError: division by zero" in row["note"]
    assert place_of(JobSpec(name="a", command="true")).backend == "process"


def test_a_backend_whose_check_fails_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no disk")

    monkeypatch.setattr(type(get_info("farm")), "health", fail)
    assert [check.found for check in doctor.checkup() if check.what == "Render farm"] == [
        "its check failed: RuntimeError: no disk"
    ]
    assert {each["name"] for each in backends()["backends"]} == {"docker", "farm", "openpai", "pai", "process"}


def test_entry_points_of_the_backport_are_read_as_those_of_the_standard_library(
    farm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_module(farm, "from pai_jupyter.backends import BackendInfo\nINFO = BackendInfo(name='else', title='A')\n")
    point = SimpleNamespace(name="farm", module="farm_backend", dist=None)  # importlib_metadata has a class of its own
    monkeypatch.setattr("pai_jupyter.backends.installed.entry_points", lambda **_: [point])
    assert get_info("farm").title == "A"


def test_a_backend_of_others_is_no_default_of_this_machine(farm: Path) -> None:
    replace_module(
        farm,
        "from pai_jupyter.backends import BackendInfo\n"
        "INFO = BackendInfo(name='else', title='A', is_local=True, is_automatic=True)\n",
    )
    assert get_info("farm").is_automatic
    assert [info.name for info in infos()] == ["process", "farm", "docker", "openpai", "pai"]
    assert place_of(JobSpec(name="a", command="true")).backend == "process"


def test_options_of_every_backend_have_a_help_text() -> None:
    assert [info.full_name(each) for info in infos() for each in info.options if not each.help.strip()] == []
