"""A secret of the session leaves it by no door: what would keep, pack or send it in clear is refused, and nothing is left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.jobs import list_jobs
from pai_jupyter.runs import list_runs
from pai_jupyter.workflow.remote import list_remote_runs
from tests.support.emulators import KEY, SECRET, Emulator
from tests.support.pai_jobs import session_at
from tests.support.shells import Shell

STORE = "kR7qTr0ub4dorWx9f8e7d"  # of a variable of the kernel
REGISTRY = "Wx9-registry-pass-7d1e"  # of a component alone; the session does not know it
REFUSAL = "one of the secrets loaded in this session"
READY = """\
import os
from pathlib import Path
from pai_jupyter import *
from pai_jupyter.component import Component, save
from pai_jupyter.hyperparameters import Hyperparameter
S, IMAGE = os.environ["STORE_PASSWORD"], None
X = {"job_config": JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large")}
def coded(default):
    found = (Hyperparameter(name="v", type="String", default=default),)
    return Component(name="lp", command="true", parameters=found)
def job(**more):
    return CustomJob(entry_point="t.py", source_code="src", image_uri=IMAGE, **more)
def leaky():
    return CustomJob(entry_point="t.py", source_code="leak", image_uri=IMAGE)
def step(**inputs):
    made = job(parameters={"v": "d"}).as_component()
    return Pipeline(steps=[made.as_step("a", inputs=inputs)])
def box(**more):
    return ContainerComponent("python:3", ["true"], **more)
"""
CELL = "%%pai_pipeline x {}\nkey = '" + STORE + "'\nPipeline(steps=[box().as_step('a')])"
LOCAL = {
    "a source": "leaky().local_run()",
    "a component's source": "leaky().as_component()",
    "a parameter": "job(parameters={'v': S}).local_run()",
    "a variable": "job(environments={'MYVAL': S}).local_run()",
    "a job's name": "job().local_run(name=S)",
    "a component's default": "job(parameters={'v': S}).as_component()",
    "a component's variable": "job(environments={'MYVAL': S}).as_component()",
    "a step's value": "step(v=S).local_run('x')",
    "a step's value within a text": "step(v='a ' + S).to_manifest()",
    "a run's value": "job(parameters={'v': 'd'}).as_component().local_run('x', arguments={'v': S})",
    "a run's value of another type": "job(parameters={'v': 1}).as_component().local_run('x', arguments={'v': S})",
    "a run's name": "step().local_run(S)",
    "a container's variable": "box(env={'MYVAL': S}).local_run('x', backend='process')",
    "a container's command": "ContainerComponent('python:3', ['echo', S]).local_run('x', backend='process')",
    "a drawn manifest": "Path('m.yaml').write_text(step(v='W').to_manifest().replace('W', S)) and None\n%pai_pipeline m.yaml",
    "a cell": CELL.format("--run --backend process"),
    "a cell that is drawn": CELL.format("--draw"),
    "the name of a cell": f"%%pai_pipeline {STORE} --run --backend process\nstep()",
    "a value of a cell": f"%%pai_pipeline x --run --backend process -p v={STORE}\njob(parameters={{'v': 1}}).as_component()",
    "a value of a cell's job": f"%%pai_train --backend process -p v={STORE}\nv = 'd'  # hp\nprint(v)",
    "a variable of a cell's job": f"%%pai_train --backend process --env MYVAL={STORE}\nprint(1)",
    "a value of a component": f"%%pai_component lp --run --backend process -p v={STORE}\nv: str = 'd'  # hp\nprint(v)",
    "a variable of a component": f"%%pai_component lp --run --backend process --env MYVAL={STORE}\nprint(1)",
    "a custom component's default": "save(coded(S))",
}
REMOTE = {
    "a source": "leaky().run(job_config=X['job_config'])",
    "a component's source": "leaky().as_component().save('c', 'v1')",
    "a parameter": "job(parameters={'v': S}).run(job_config=X['job_config'])",
    "a variable": "job(environments={'MYVAL': S}).run(job_config=X['job_config'])",
    "a step's value": "step(**X, v=S).run('x')",
    "a run's value": "job(parameters={'v': 'd'}).as_component().run('x', arguments={**X, 'v': S})",
    "a saved component's run": "job(parameters={'v': 'd'}).as_component().save('c', 'v1').run('x', arguments={**X, 'v': S})",
    "a run's name": "step(**X).run(S)",
    "a container's variable": "box(env={'MYVAL': S}).run('x')",
    "a saved variable": "box(env={'MYVAL': S}).save('c', 'v1')",
    "a saved name": "box().save(S, 'v1')",
    "a cell": CELL.format("--run --remote"),
}


@pytest.fixture
def shell(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    monkeypatch.setenv("STORE_PASSWORD", STORE)
    monkeypatch.chdir(tmp_path)
    for name, text in (("src", "print(1)"), ("leak", f"key = '{STORE}'")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.py").write_text(text)
    with Shell() as shell:
        assert shell.run(READY).error is None
        yield shell


@pytest.fixture
def there(shell: Shell, running: Emulator, home: Path) -> Iterator[Shell]:
    """The emulator is this kernel's PAI."""
    shell.user_ns["IMAGE"] = "python:3"
    with session_at(running.address, home, key=(KEY, SECRET), values={}):
        yield shell


def holding(secret: str, *places: Path) -> list[str]:
    """The files that hold it."""
    return [
        str(it) for place in places for it in place.rglob("*") if it.is_file() and secret.encode() in it.read_bytes()
    ]


def check_refused(shell: Shell, cell: str) -> None:
    """Run a cell that is refused with one sentence, which does not repeat the secret."""
    result = shell.run(cell)
    assert isinstance(result.error, SpecError | PackageError), (result.error, result.text)
    assert REFUSAL in str(result.error)
    assert STORE not in str(result.error)
    assert (list_jobs(), list_runs(), list_remote_runs()) == ([], [], [])


@pytest.mark.parametrize("door", LOCAL)
def test_a_known_secret_is_refused_here(shell: Shell, home: Path, door: str) -> None:
    check_refused(shell, LOCAL[door])
    assert holding(STORE, home) == []


@pytest.mark.parametrize("door", REMOTE)
def test_a_known_secret_is_refused_at_pai(there: Shell, running: Emulator, home: Path, door: str) -> None:
    check_refused(there, REMOTE[door])
    assert holding(STORE, home, running.data) == []


def test_no_door_to_run_again_takes_a_known_secret(shell: Shell, home: Path) -> None:
    made = "job(parameters={'v': 'd'}).as_component(outputs=[])"
    ready = f"c = {made}\np = Pipeline(steps=[c.as_step('a', inputs={{'v': PipelineParameter('v', default='d')}})])"
    assert shell.run(f"{ready}\nrun = p.local_run('x', backend='process')").error is None
    run = shell.user_ns["run"]
    for door in (
        "run.rerun(v=S)",
        "from pai_jupyter.wire.run_view.actions import rerun\nrerun(run.id, {'parameters': {'v': S}})",
        f"%pai_runs {run.id} --rerun -p v={STORE}",
    ):
        result = shell.run(door)
        assert isinstance(result.error, SpecError)
        assert REFUSAL in str(result.error)
        assert (len(list_runs()), holding(STORE, home)) == (1, [])


def test_a_variable_with_a_secrets_name_reaches_the_job_and_no_record(shell: Shell, home: Path, tmp_path: Path) -> None:
    (tmp_path / "src/t.py").write_text("import os\nprint('length', len(os.environ['TOKEN']))")
    there = "job(environments={'TOKEN': S})"
    for cell in (f"{there}.local_run()", f"j = {there}.as_component().local_run('x', backend='process').jobs[0]"):
        assert shell.run(cell).error is None
    assert [line.text for line in shell.user_ns["j"].logs()] == [f"length {len(STORE)}"]
    assert holding(STORE, home) == []


def test_the_password_of_a_registry_is_masked_and_said(there: Shell, running: Emulator, home: Path) -> None:
    made = f"c = box(image_registry_config={{'userName': 'me', 'password': '{REGISTRY}'}})"
    assert there.run(made).error is None
    shown = there.run("print(c.to_manifest())").text + there.run("%%pai_pipeline x --yaml\nc").text
    assert "userName: me" in shown
    assert "password: '***'" in shown
    run = there.run("r = c.run('x')")
    assert "note: the `password` of the registry is sent to PAIFlow" in run.text
    saved = there.run("s = c.save('registry', 'v1')")
    assert "note: the `password` of the registry is not saved" in saved.text
    assert REGISTRY not in shown + run.text + saved.text + there.run("print(s.raw_manifest)").text
    assert holding(REGISTRY, home, running.data) == []


def test_a_parameter_named_like_a_secret_is_said_to_be_shown(there: Shell) -> None:
    made = "Pipeline(steps=[job(parameters={'api_token': 'none'}).as_component().as_step('a', inputs={**X, 'api_token': 'abc'})])"
    result = there.run(f"{made}.run('x', wait=False).wait()")
    assert "note: `api_token` looks like a secret, and PAIFlow shows the value" in result.text
    assert "environments={'API_TOKEN': ...}" in result.text


def test_a_component_saved_at_pai_takes_its_secret_from_the_run(
    there: Shell, running: Emulator, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src/t.py").write_text("import os\nprint('length', len(os.environ['TOKEN']))")
    saved = there.run("s = job(environments={'TOKEN': S}).as_component().save('tokened', 'v1')")
    assert "the value of TOKEN looks like a secret, so it is not saved" in saved.text
    missing = there.run("s.run('x', arguments=X)").error
    assert "the secret variable TOKEN has no value here" in str(missing)
    assert "TOKEN has no value" in str(there.run("s.local_run('x', backend='process')").error)
    assert "has no value of TOKEN" in str(there.run("Pipeline(steps=[s.as_step('a', inputs=X)]).run('x')").error)
    monkeypatch.setenv("TOKEN", STORE)
    for way in ("s.run('x', arguments=X)", "s.local_run('x', backend='process')"):
        result = there.run(f"r = {way}\nlog = [it.text for j in r.jobs for it in j.wait().logs()]")
        assert result.error is None, result.text
        assert f"length {len(STORE)}" in there.user_ns["log"]
    assert holding(STORE, home, running.data) == []


def test_the_note_of_a_run_names_what_is_not_passed_on(shell: Shell) -> None:
    result = shell.run("%%pai_pipeline x --run --backend process --wait\njob().as_component()")
    assert "not passed on: STORE_PASSWORD, since they may be secrets. What the job needs" in result.text
