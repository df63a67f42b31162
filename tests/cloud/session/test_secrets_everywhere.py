"""Every key and every secret variable is marked, everything is run, and then the marks are looked for, everywhere.

What is run: a notebook without a front end (nbclient, saved, and as HTML) through the keys of a profile, of an emulator,
temporary and wrong ones, with jobs of cells and of estimators, uploads, reruns, services that fail in every way, all logs at
level DEBUG and every traceback printed; and a form in a kernel with a front end. What is searched: the user's home, the
store, the notebook, what kernels write to their terminal, all messages to the front end, the emulator's log and folder.
"""

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.emulators import emulator
from tests.support.kernels import kernel
from tests.support.marks import contents, found_below, found_in, spellings

pytestmark = [pytest.mark.kernel, pytest.mark.timeout(300)]

MARKS = {
    "access key": "MARKak/7Qd+secret=Zx01",
    "wrong key": "MARKwrong/7Qd+secret=Zx02",
    "temporary key": "MARKtemporary/7Qd+secret=Zx03",
    "token": "MARKtoken/7Qd+secret==Zx04~!$,&",
    "profile": "MARKprofile/7Qd+secret=Zx05",
    "proxy": "MARKproxy7Qdsecret-Zx06",
    "variable of a cell": "MARKcell/7Qd+secret= 'Zx07' 密",
    "variable of an estimator": 'MARKestimator/7Qd+secret="Zx08"',
    "variable of a role": "MARKrole/7Qd+secret=Zx09",
    "variable on a line": "MARKline/7Qd+secret=Zx10",
    "variable with a quote": "MARKquote/7Qd'+secret=Zx11",
    "variable without a name": "MARKnameless/7Qd+secretZx12",
}
KEY_ID, STS_ID, WRONG_ID, PROFILE_ID = "markedkeyid00001", "markedstsid00002", "markedwrongid003", "markedprofile004"
KEPT = {
    # The user's own file, in which the key of a profile stands: by the user's hand, or the wizard's.
    "user/.config/pai_jupyter/config.toml": {"profile"},
    # The emulator's own key, for whoever may read there.
    "home/emulator/credentials.json": {"access key"},
    # What the user himself has written into a cell.
    "work/executed.*": {"variable on a line"},
}
"""The files that hold marks, and must: a pattern for their paths, and the marks."""
SEARCHED = (
    *(
        "home/jobs/*/job.json",
        "home/jobs/*/package.tar.gz",
        "home/jobs/*/logs/master-0.log",
        "home/jobs/*/events.jsonl",
    ),
    *(
        "home/emulator.log",
        "home/emulator/oss/*",
        "home/emulator/state/trainingjobs/*.json",
        "home/emulator/state/dlcjobs/*.json",
        "home/emulator/home/jobs/*/job.json",
        "home/emulator/home/jobs/*/run/*",
    ),
    *("debug.log", "kernel.stdout", "kernel.stderr", "messages.json", "pushes.json", "nbconvert.log"),
    *("work/executed.ipynb", "work/executed.html"),
)
"""What must be there to be searched."""


def digest(name: str) -> str:
    """What jobs print of a secret, to show that they have it."""
    return hashlib.sha256(MARKS[name].encode()).hexdigest()


BEGIN = """
import logging, os, traceback
logging.basicConfig(level=logging.DEBUG, filename=os.environ["DEBUG_LOG"])
logging.captureWarnings(True)
import oss2, httpx
from pai_jupyter.cloud.client import retry, paistudio
from pai_jupyter.storage.oss import retry as oss_retry
for name in list(logging.root.manager.loggerDict):
    logging.getLogger(name).setLevel(logging.DEBUG)
retry._FIRST = retry._LONGEST = oss_retry.FIRST_PAUSE = 0.01
%load_ext pai_jupyter
"""
BY_PROFILE = """
import threading
%pai_config use cloud
%pai_config show
%pai_config test
%pai_doctor
"""
TABLES = """
%%pai_train tables --backend process -i t=odps://project/tables/name
import hashlib, json, os, pathlib
key = json.loads((pathlib.Path(os.environ["PAI_ODPS_CREDENTIAL"])).read_text())
print("key", hashlib.sha256(key["AccessKeySecret"].encode()).hexdigest())
print({name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")})
"""
AT_EMULATOR = """
from pai_jupyter import get_default_session, setup_default_session
%pai_config use emulator
%pai_config test
"""
BY_KEY = """
setup_default_session(os.environ["MY_KEY_ID"], os.environ["MY_KEY_SECRET"])
session = get_default_session()
session.persist_config()
print(session, repr(session), vars(session), session.credentials, session.credentials.get())
%pai_config test
%pai_doctor
"""
DATA = """
import pathlib
pathlib.Path("data").mkdir(exist_ok=True)
for number in range(3):
    pathlib.Path(f"data/{number}").write_text("x" * 1000 * number)
session.upload("data", session.uri("data/"))
session.download(session.uri("data/"), "back")
%pai_oss ls oss://emulator/data/
%pai_oss cat oss://emulator/data/1
%pai_images
%pai_instances
"""
CELL = """
%%pai_train cell {more} --backend pai --image img:1 --instance-type ecs.c6.large -i train=data --env CELL_TOKEN={{value}}
import hashlib, os
lr: float = 0.1
print("cell", lr, hashlib.sha256(os.environ["CELL_TOKEN"].encode()).hexdigest(), "loss=0.5")
open(os.path.join(os.environ["PAI_OUTPUT_MODEL"], "m"), "w").write("m")
"""
LOOK = """
%pai_jobs
%pai_jobs --json
%pai_logs cell
%pai_download cell got
%pai_attach cell --as job
print(job, repr(job.spec), job.spec.environments, job.state, job.to_json(), job.outputs, job.folder.record)
"""
RERUN = """
os.environ["CELL_TOKEN"] = value.strip('"')
%pai_rerun cell -p lr=0.2
"""
ESTIMATOR = """
from pai_jupyter import Estimator
SCRIPT = '''
import hashlib, os, time
print("estimator", hashlib.sha256(os.environ["MY_PASSWORD"].encode()).hexdigest(), flush=True)
while "GATE" in os.environ and not os.path.exists(os.environ["GATE"]): time.sleep(0.01)
'''
pathlib.Path("src").mkdir(exist_ok=True)
pathlib.Path("src/train.py").write_text(SCRIPT)
def estimator(**more):
    variables = {"MY_PASSWORD": os.environ["MY_PASSWORD"], **more.pop("environments", {})}
    return Estimator(entry_point="train.py", source_dir="src", image_uri="img:1", instance_type="ecs.c6.large",
                     environments=variables, backend="pai", **more)
fitted = estimator()
print(fitted.fit(), fitted)
estimator(job_type="TFJob", instance_count=2).fit()
local = Estimator(entry_point="train.py", source_dir="src", environments={"MY_PASSWORD": os.environ["MY_PASSWORD"]}).fit()
"""
SEEN = """
gate = pathlib.Path("gate").absolute()
held = estimator(environments={"GATE": str(gate)}).fit(wait=False)
here = Estimator(entry_point="train.py", source_dir="src", environments={
    "MY_PASSWORD": os.environ["MY_PASSWORD"], "GATE": str(gate)}).fit(wait=False)
for job in (held, here):
    while not sum(1 for _ in job.logs()): threading.Event().wait(0.05)
secrets = [os.environ[name].encode() for name in ("MY_PASSWORD", "MY_KEY_SECRET", "WRONG_SECRET")]
seen = []
for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
    try:
        words = path.read_bytes()
    except OSError:
        continue
    if b"--access-key" not in words:  # the test's own way to start its emulator
        seen += [path for secret in secrets if secret in words]
print("commands with secrets:", seen)
gate.touch()
held.wait(), here.wait()
"""
ROLES = """
from pai_jupyter import CustomJob, JobConfig
pathlib.Path("src/role.py").write_text(SCRIPT.replace("estimator", "role").replace("MY_PASSWORD", "ROLE_SECRET"))
custom = CustomJob(entry_point="role.py", source_code="src", image_uri="img:1",
                   environments={"ROLE_SECRET": os.environ["ROLE_SECRET"]})
config = JobConfig.create(master_count=1, master_instance_type="ecs.c6.large",
                          worker_count=1, worker_instance_type="ecs.c6.large")
print(custom.run(job_config=config), custom, config)
"""
ON_LINE = CELL.format(more="").replace("{value}", MARKS["variable on a line"]).replace('"cell"', '"line"')
TEMPORARY = """
setup_default_session(os.environ["STS_KEY_ID"], os.environ["STS_SECRET"], security_token=os.environ["STS_TOKEN"])
session = get_default_session()
print(session, session.credentials)
session.upload("data", session.uri("temporary/"))
print(session.oss_bucket.object_exists("temporary/1"))
%pai_config test
"""
FAILING = """
import json, urllib.request
from pai_jupyter import PaiJupyterError, attach
def failing(do):
    try:
        do()
    except PaiJupyterError as exc:
        logging.exception("it failed")
        traceback.print_exc()
        print(type(exc).__name__, repr(exc), str(exc), vars(exc), exc.__cause__, exc.__context__)
    else:
        print("NOTHING FAILED")
def fault(name=None):
    address = json.loads(pathlib.Path(os.environ["PAI_JUPYTER_HOME"], "emulator/address.json").read_text())["address"]
    token = pathlib.Path(os.environ["PAI_JUPYTER_HOME"], "emulator/control.token").read_text()
    body = json.dumps({"name": name, "times": None}).encode() if name else None
    urllib.request.urlopen(urllib.request.Request(
        address + "/emulator/faults", data=body, method="POST" if name else "DELETE",
        headers={"x-emulator-token": token})).close()
async def listing(client):
    return await client.call(paistudio.LIST_TRAINING_JOBS, query={"WorkspaceId": "10001"})
def everything():
    session = get_default_session()
    job = attach("cell")
    yield lambda: session.ask(listing)
    yield lambda: session.upload("data", session.uri("failing/"))
    yield lambda: session.download(session.uri("data/"), "failed")
    yield lambda: job.fetch("model", "failed")
    # one whose answer was lost may have been started, and is waited for
    yield lambda: estimator().fit(wait=False).wait(max_unknown=1)
"""
WRONG = """
setup_default_session(os.environ["WRONG_KEY_ID"], os.environ["WRONG_SECRET"])
for do in everything(): failing(do)
setup_default_session(os.environ["MY_KEY_ID"], os.environ["WRONG_SECRET"])
for do in everything(): failing(do)
setup_default_session(os.environ["STS_KEY_ID"], os.environ["STS_SECRET"], security_token="no-such-token")
for do in everything(): failing(do)
failing(lambda: setup_default_session(os.environ["MY_KEY_ID"], os.environ["WRONG_SECRET"] + " "))
failing(lambda: setup_default_session(None, os.environ["WRONG_SECRET"]))
"""
FAULTS = ("server-error", "html", "expired-token", "truncated", "dropped", "throttling")
FAULTY = """
setup_default_session(os.environ["STS_KEY_ID"], os.environ["STS_SECRET"], security_token=os.environ["STS_TOKEN"])
for name in {faults}:
    fault(name)
    for do in everything(): failing(do)
    fault()
"""
UNCAUGHT = """
setup_default_session(os.environ["MY_KEY_ID"], os.environ["WRONG_SECRET"])
%xmode Context
get_default_session().upload("data", get_default_session().uri("failing/"))
"""
REFUSED = CELL.format(more="--run")


def notebook() -> list[tuple[str, str]]:
    """The cells, each with what must be in its output, so that it is certain that it did what it is for."""
    dry = CELL.format(more="--dry-run")
    return [
        (BEGIN, ""),
        (BY_PROFILE, "profile 'cloud'"),
        (TABLES, f"key {digest('profile')}"),
        (AT_EMULATOR, "✓  account"),
        (BY_KEY, "a key whose id ends in 0001, from setup_default_session"),
        (DATA, "pytorch"),
        ("value, odd, bare = (os.environ[f'{name}_PASSWORD'] for name in ('CELL', 'ODD', 'BARE'))", ""),
        (dry, '"CELL_TOKEN": "***"'),
        (CELL.format(more=""), f"cell 0.1 {digest('variable of a cell')}"),
        (LOOK, "'CELL_TOKEN': '***'"),
        (RERUN, f"cell 0.2 {digest('variable of a cell')}"),
        (ESTIMATOR, f"estimator {digest('variable of an estimator')}"),
        (SEEN, "commands with secrets: []"),
        (ROLES, f"role {digest('variable of a role')}"),
        (ON_LINE, f"line 0.1 {digest('variable on a line')}"),
        (CELL.format(more="--as odd").replace("{value}", "{odd}"), "a quote is not closed"),
        (CELL.format(more="--as odd").replace("CELL_TOKEN={value}", "{bare}"), "is not of the form NAME=VALUE"),
        (TEMPORARY, "a temporary key whose id ends in 0002"),
        (FAILING, ""),
        (WRONG, "SignatureDoesNotMatch"),
        (FAULTY.format(faults=FAULTS), "ServiceUnavailable"),
        (UNCAUGHT, "AuthError"),
        (REFUSED, "AuthError"),
        ("%pai_config test\n%pai_doctor", "✗  account"),
    ]


@dataclass(frozen=True, kw_only=True)
class Left:
    """What was left behind: the folder of everything, and the text of each cell beside what was to be in it."""

    root: Path
    cells: list[tuple[str, str, str]]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    root = tmp_path_factory.mktemp("whole")
    (root / "user/.config/pai_jupyter").mkdir(parents=True)
    (root / "work").mkdir()
    (root / "home").mkdir()
    profile = {"region": "cn-shanghai", "workspace": "12345", "bucket": "my-bucket", "access_key_id": PROFILE_ID}
    lines = [
        f"{name} = {json.dumps(value)}" for name, value in {**profile, "access_key_secret": MARKS["profile"]}.items()
    ]
    (root / "user/.config/pai_jupyter/config.toml").write_text("\n".join(["[profiles.cloud]", *lines]))
    keys = ["--access-key", f"{KEY_ID}:{MARKS['access key']}"]
    keys += ["--sts", f"{STS_ID}:{MARKS['temporary key']}:{MARKS['token']}"]
    with emulator(root / "home/emulator", *keys):
        cells = run_notebook(root)
        run_form(root)
        convert(root)
    return Left(root=root, cells=cells)


def environment(root: Path) -> dict[str, str]:
    foreign = re.compile(r"(ALIBABA_CLOUD|PAI|OSS)_.*|CI|.*_proxy", re.IGNORECASE)
    inherited = {name: value for name, value in os.environ.items() if not foreign.fullmatch(name)}
    return inherited | {
        "HOME": str(root / "user"),
        "XDG_CONFIG_HOME": str(root / "user/.config"),
        "XDG_STATE_HOME": str(root / "user/.local/state"),
        "PAI_JUPYTER_HOME": str(root / "home"),
        "IPYTHONDIR": str(root / "user/.ipython"),
        "DEBUG_LOG": str(root / "debug.log"),
        "HTTPS_PROXY": f"http://somebody:{MARKS['proxy']}@127.0.0.1:9",  # nobody gets out through it
        "NO_PROXY": "127.0.0.1",
        "MY_KEY_ID": KEY_ID,
        "MY_KEY_SECRET": MARKS["access key"],
        "STS_KEY_ID": STS_ID,
        "STS_SECRET": MARKS["temporary key"],
        "STS_TOKEN": MARKS["token"],
        "WRONG_KEY_ID": WRONG_ID,
        "WRONG_SECRET": MARKS["wrong key"],
        "ROLE_SECRET": MARKS["variable of a role"],
        "ODD_PASSWORD": MARKS["variable with a quote"],
        "PYTHONASYNCIODEBUG": "1",
        "BARE_PASSWORD": MARKS["variable without a name"],
        "CELL_PASSWORD": f'"{MARKS["variable of a cell"]}"',
        "MY_PASSWORD": MARKS["variable of an estimator"],
    }


def run_notebook(root: Path) -> list[tuple[str, str, str]]:
    cells = notebook()
    v4: Any = nbformat.v4  # untyped
    written = v4.new_notebook(cells=[v4.new_code_cell(code.strip("\n")) for code, _ in cells])
    client = NotebookClient(
        written,
        timeout=120,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(root / "work")}},
    )
    with (root / "kernel.stdout").open("wb") as out, (root / "kernel.stderr").open("wb") as errors:
        client.execute(env=environment(root), stdout=out, stderr=errors)
    (root / "work/executed.ipynb").write_text(v4.writes(written))
    return [(code, text_of(cell), wanted) for (code, wanted), cell in zip(cells, written.cells, strict=True)]


def text_of(cell: Any) -> str:  # Any: nbformat is untyped
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts.append(output.get("data", {}).get("text/plain", ""))
        parts += output.get("traceback", [])
    return "\n".join(parts)


def run_form(root: Path) -> None:
    """A form with a secret variable on its line, in a kernel with a front end; all messages go into a file."""
    cell = "%%pai_train form --backend process --env CELL_TOKEN={value}\nlr: float = 0.01\nprint('lr', lr)\n"
    with kernel(**environment(root), home=root / "home", cwd=root / "work", PAI_JUPYTER_RENDER="widget") as one:
        one.ok("%load_ext pai_jupyter\nimport os\nvalue = os.environ['CELL_PASSWORD']")
        form = one.run(cell)
        for button in ("Dry run", "Submit"):
            one.press(form, button)
        one.wait_for(lambda: "Succeeded" in one.run("%pai_jobs", attended=False).texts())
        one.ok("_pai.wait()")
        (root / "messages.json").write_text(json.dumps([each.outputs for each in one.cells.values()], default=str))
        (root / "pushes.json").write_text(json.dumps(one.said, default=str))


def convert(root: Path) -> None:
    words = [sys.executable, "-m", "nbconvert", "--to", "html", str(root / "work/executed.ipynb")]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(root), check=False)
    assert done.returncode == 0, done.stderr
    (root / "nbconvert.log").write_text(done.stdout + done.stderr)


def is_kept(path: str, mark: str) -> bool:
    return any(fnmatch(path, pattern) and mark in marks for pattern, marks in KEPT.items())


def test_every_cell_did_what_it_is_for(left: Left) -> None:
    for code, said, wanted in left.cells:
        assert wanted in said, f"{code}\n---\n{said}"
        assert "NOTHING FAILED" not in said, said


@pytest.mark.parametrize("mark", MARKS)
def test_a_secret_is_where_it_must_be_and_nowhere_else(left: Left, mark: str) -> None:
    found = found_below(left.root, {mark: MARKS[mark]})
    assert [path for path in found if not is_kept(path, mark)] == []
    for pattern, marks in KEPT.items():
        assert mark not in marks or any(fnmatch(path, pattern) for path in found), pattern


def test_nothing_was_overlooked(left: Left) -> None:
    files = [path.relative_to(left.root).as_posix() for path in left.root.rglob("*") if path.is_file()]
    for pattern in SEARCHED:
        assert any(fnmatch(name, pattern) for name in files), pattern
    log = (left.root / "debug.log").read_text()
    for logger in ("oss2.", "httpcore.", "urllib3.", "asyncio", "root:it failed"):
        assert f":{logger}" in log, logger


def test_what_the_emulator_keeps_is_for_its_user_alone(left: Left) -> None:
    state = list((left.root / "home/emulator/state").rglob("*.json"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in state} == {0o600}


@pytest.mark.parametrize("mark", MARKS)
def test_the_search_finds_a_secret_however_it_is_written(mark: str) -> None:
    secret = MARKS[mark]
    assert all(len(text) > 8 for text in spellings(secret))
    for text in (json.dumps({"a": secret}), f"?token={secret}", repr({"a": secret})):
        assert found_in(f"x{text}y", {mark: secret}) == {mark}
    assert not found_in("MARK", {mark: secret})
    assert [name for name, _ in contents(b"plain")] == [""]
