"""`--send` and `--return` in a plain IPython shell, with jobs that are local processes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import JobFailed, JobNotReady, NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Notice
from pai_jupyter.jobs import Job, attach, list_jobs, remove, rerun
from pai_jupyter.training import cell_as_run
from tests.support.shells import Shell

NOTEBOOK = """
import numpy as np, pandas as pd
X = np.arange(6.).reshape(3, 2)
y = pd.Series([1, 2, 3], name="y", index=[7, 8, 9])
double = lambda value: value * 2
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        assert shell.run(NOTEBOOK).error is None
        yield shell


def run(shell: Shell, line: str, body: str) -> Job:
    result = shell.run(f"%%pai_train demo --backend process --as job {line}\n{body}")
    assert result.error is None, result.text
    job: Job = shell.user_ns["job"]
    return job


def test_values_go_and_come_back(shell: Shell) -> None:
    job = run(
        shell,
        "--send X,y --send double --return model,history",
        (
            "print(type(X).__name__, X.shape, y.name, list(y.index))\n"
            "class Net:\n    weights = double(X)\n"
            "model = Net()\n"
            "history = {'loss': [1.0, 0.5]}\n"
        ),
    )
    assert [line.text for line in job.logs()] == ["ndarray (3, 2) y [7, 8, 9]"]
    assert shell.user_ns["history"] == {"loss": [1.0, 0.5]}
    assert shell.user_ns["model"].weights.sum() == 30
    assert job.returned("history") == {"history": {"loss": [1.0, 0.5]}}
    assert list(attach(job.id).returned()) == ["model", "history"]


def test_lines_stay_lines_of_the_cell(shell: Shell) -> None:
    result = shell.run("%%pai_train demo --backend process --send X --return out\n\nout = 1\nX.nope\n")
    assert isinstance(result.error, JobFailed)
    assert "(cell line 4)" in str(result.error)
    with pytest.raises(NotFoundError, match="returned nothing: its cell did not get to the last line"):
        shell.user_ns["_pai"].returned()


def test_a_cell_that_does_not_wait_leaves_the_names_alone(shell: Shell) -> None:
    job = run(shell, "--return X --no-wait", "import time\ntime.sleep(1)\nX = 'new'\n")
    with pytest.raises(JobNotReady, match=r"job.wait\(\)"):
        job.returned()
    job.wait()
    assert shell.user_ns["X"].shape == (3, 2)
    assert job.returned() == {"X": "new"}


def test_what_cannot_be_returned_is_a_notice(shell: Shell) -> None:
    job = run(shell, "--return out,file,gone", "out = 1\nfile = open('/dev/null')\n")
    notices = [event.text for event in job.folder.events()[0] if isinstance(event, Notice)]
    assert notices == [
        "`file` was not returned: it is an open file, which no other process can read from. Open it in the cell instead.",
        "`gone` was not returned: it is not defined at the end of the cell.",
    ]
    assert job.returned() == {"out": 1}
    with pytest.raises(KeyError, match=r"`gone` was not returned: it is not defined"):
        job.returned()["gone"]
    with pytest.raises(KeyError, match="`gone` was not returned"):
        job.returned("gone")


def test_other_ranks_and_imported_copies_return_nothing(shell: Shell) -> None:
    body = "import os, train\nout = [os.environ['RANK'], __name__]\n"
    job = run(shell, "--instance-count 2 --return out", body)
    assert job.returned() == {"out": ["0", "__main__"]}


def test_of_elastic_workers_the_first_returns_values(shell: Shell) -> None:
    """They have no ranks; all writing the same files at once would mix them."""
    body = (
        "import json, os, time\n"
        "out = [json.loads(os.environ['ELASTICBATCH_CONFIG'])['task']['index']]\n"
        "time.sleep(0.5 * out[0])\n"
    )
    job = run(shell, "--job-type ElasticBatchJob --instance-count 2 --return out", body)
    assert job.returned() == {"out": [0]}


def test_nothing_else_is_returned(shell: Shell) -> None:
    job = run(
        shell,
        "--return out",
        (
            "import json, os, pickle\nout = 1\nfolder = os.environ['PAI_OUTPUT_RETURNED']\n"
            "import atexit\n"
            "def more():\n"
            "    path = folder + '/values.json'\n"
            "    read = json.load(open(path))\n"
            "    read['values']['print'] = read['values']['out']\n"
            "    json.dump(read, open(path, 'w'))\n"
            "atexit.register(more)\n"
        ),
    )
    assert "print" not in shell.user_ns
    assert job.returned() == {"out": 1}


def test_a_job_without_return_says_so(shell: Shell) -> None:
    job = run(shell, "", "print(1)\n")
    with pytest.raises(NotFoundError, match=r"returns nothing\. Name variables of its cell"):
        job.returned()


REFUSED = {
    "--send gone": "the notebook has no variable `gone`",
    "--send X,": "is no name of a variable",
    "--return 'a b'": "`--return a b` is no name of a variable",
    "--return my_password": "looks like a secret",
    "--send X -i sent=.": "the input `sent` is that of --send",
    "-o returned=./x": "'returned', a name that every job uses itself",
    "--send secret_file": "looks like a secret",
    "--send opened": "it is an open file",
}


@pytest.mark.parametrize(("line", "words"), REFUSED.items(), ids=REFUSED)
def test_a_wrong_line_starts_nothing(shell: Shell, line: str, words: str) -> None:
    shell.run("opened = open('/dev/null')\nsecret_file = 1")
    result = shell.run(f"%%pai_train demo --backend process {line}\nprint(1)\n")
    assert isinstance(result.error, SpecError | PaiJupyterError)
    assert words in str(result.error)
    assert list_jobs() == []


def test_code_on_disk_gets_no_values(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    for option in ("--send X", "--return out"):
        result = shell.run(f"%pai_train demo --source-dir . --backend process {option}")
        assert f"`{option.split()[0]}` belongs to a cell with %%pai_train" in str(result.error)


def test_a_dry_run_names_values_and_shows_none(shell: Shell) -> None:
    shell.run("marked = ['only-in-the-value'] * 3")
    text = shell.run("%%pai_train demo --backend process --send X,marked --return out --dry-run\nout = X\n").text
    assert "sent: X: numpy.ndarray (3, 2) float64, npy, 176 bytes" in text
    assert "sent: marked: list (3), json, 63 bytes" in text
    assert "returned: out" in text
    assert "only-in-the-value" not in text


def test_no_value_is_in_record_package_or_log(shell: Shell, tmp_path: Path, home: Path) -> None:
    shell.run("marked = {'m': 'only-in-the-value-4711'}")
    job = run(shell, "--send marked --return back", "back = dict(marked, more='returned-' + 'value-4712')\n")
    assert job.returned()["back"]["m"] == "only-in-the-value-4711"
    found = subprocess.run(
        ["grep", "-rlE", "-e", "only-in-the-value-4711|returned-value-4712", str(home)], capture_output=True, text=True
    )
    places = {Path(line).relative_to(home).parts[:2] for line in found.stdout.splitlines()}
    own = [Path(line).relative_to(home) for line in found.stdout.splitlines() if "/jobs/" in line]
    assert places <= {("cache", "values"), ("jobs", job.id)}
    assert [path.parts[2:] for path in own] == [("output", "returned", "back.json")]
    packed = subprocess.run(
        ["sh", "-c", f"zcat {job.folder.path}/package.tar.gz | grep -c 4711"], capture_output=True, text=True
    )
    assert packed.stdout.strip() == "0"
    record = json.loads((job.folder.path / "job.json").read_text())
    assert record["spec"]["returns"] == ["back"]


def test_a_rerun_has_the_same_values(shell: Shell) -> None:
    job = run(shell, "--send X --return total", "total = float(X.sum())\n")
    shell.run("X = None")
    again = rerun(job).wait()
    assert again.returned() == {"total": 15.0}
    place = Path(job.spec.inputs["sent"])
    remove(job.id)
    assert place.is_dir()


def test_another_process_reads_what_came_back(shell: Shell) -> None:
    job = run(shell, "--send X --return out", "class Net:\n    total = X.sum()\nout = {'net': Net}\n")
    code = f"import pai_jupyter; print(pai_jupyter.attach({job.id!r}).returned()['out']['net'].total)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "15.0", done.stderr


def test_the_same_cell_with_other_values_is_another_job(shell: Shell) -> None:
    first = run(shell, "--send X --no-wait", "import time\ntime.sleep(5)\n")
    assert run(shell, "--send X --no-wait", "import time\ntime.sleep(5)\n").id == first.id
    shell.run("X = X + 1")
    other = run(shell, "--send X --no-wait", "import time\ntime.sleep(5)\n")
    assert other.id != first.id
    first.stop()
    other.stop()


def test_a_clone_has_the_names_that_the_form_gave(shell: Shell) -> None:
    job = run(shell, "--send X --send y --return out", "out = [len(X), len(y)]\n")
    assert job.folder.record.cell is not None
    given = dict(job.folder.record.given or {}, send="X,y,double", **{"return": "out,more"})
    line = cell_as_run(replace(job.folder.record, given=given)).splitlines()[0]
    assert "--send X,y,double" in line
    assert "--return out,more" in line
    assert line.count("--send") == 1


CLASSES = """
import enum
class Mode(enum.Enum):
    A = 1
class Net:
    def __init__(self):
        self.weights = [0.0]
class Opt:
    def __init__(self, net):
        self.held = net.weights
    def step(self):
        self.held[0] += 1
net = Net()
opt, mode = Opt(net), Mode.A
"""


def test_what_is_sent_and_returned_is_shared_and_of_the_notebooks_classes(shell: Shell) -> None:
    shell.run(CLASSES)
    body = "opt.step()\nsaid = [mode is Mode.A, isinstance(net, Net), opt.held is net.weights, net.weights]\n"
    run(shell, "--send net,opt,mode --return said,net,opt,mode", body)
    names = shell.user_ns
    assert names["said"] == [True, True, True, [1.0]]
    names["opt"].step()
    assert names["net"].weights == [2.0]
    assert type(names["net"]) is names["Net"]
    assert type(names["opt"]) is names["Opt"]
    assert names["mode"] is names["Mode"].A


def test_a_definition_that_needs_a_value_at_once_comes_after_it(shell: Shell) -> None:
    shell.run("import numpy as np\ndata = np.arange(3).reshape(3)\nclass Kept:\n    pass\nkept = Kept()\n")
    shell.run("def total(of=data):\n    return float(of.sum())\nclass Twice:\n    rows = data\n")
    shell.run("def both(kind=Twice):\n    return kind.rows is data\n")
    body = "\nout = [total(), both(), type(kept) is Kept]\nprint(nope)\n"
    run(shell, "--send data,kept --return out", body.replace("nope", "out"))
    assert shell.user_ns["out"] == [3.0, True, True]
    failed = shell.run(f"%%pai_train --backend process --send data,kept\n{body.replace('nope', 'out[0].nope')}")
    assert "(cell line 4)" in str(failed.error)


HIDDEN = {
    "N": ("--send N -p N=9", "print(N)\n"),
    "N in a function": ("--send N -p N=9", "print(size())\n"),
    "an entry": ("--send CONF -p lr=3", "print(train())\n"),
    "an entry of a name": ("--send CONF -p CONF.lr=3", "print(train())\n"),
}


@pytest.mark.parametrize("mode", ["--run", "--dry-run", "--lint"])
@pytest.mark.parametrize(("line", "body"), HIDDEN.values(), ids=HIDDEN)
def test_a_value_for_what_is_sent_is_an_error(line: str, body: str, mode: str, shell: Shell) -> None:
    shell.run("N = 5\nCONF = {'lr': 0.1}\ndef size():\n    return N\ndef train():\n    return CONF['lr']\n")
    result = shell.run(f"%%pai_train demo --backend process {mode} {line}\n{body}")
    given, name = line.split()[3].partition("=")[0], line.split()[1]
    assert (
        f"cell line 1: `-p {given}` has no effect: `{name}` is sent with the value that it has in the notebook. "
        f"Take `{name}` out of --send, or set it in the notebook and leave out -p {given}."
    ) in (result.text if mode == "--lint" else str(result.error))
    assert list_jobs() == []


def test_a_value_reaches_what_the_cell_parses(shell: Shell) -> None:
    shell.run("rate = 0.5")
    parse = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--rate', type=float)\n"
    body = f"{parse}out = [parser.parse_args().rate, rate]\n"
    run(shell, "--send rate --return out -p rate=3", body)
    assert shell.user_ns["out"] == [3.0, 0.5]


def test_several_missing_values_are_sent_by_one_line(shell: Shell) -> None:
    shell.run("add5, Pt = (lambda n: lambda x: x + n)(5), type('Pt', (), {})")
    body = "print(add5(1))\nprint(Pt, X)\nprint(y)\n"
    for mode in ("--run", "--dry-run", "--lint"):
        result = shell.run(f"%%pai_train demo --backend process {mode}\n{body}")
        said = result.text if mode == "--lint" else str(result.error)
        assert said.strip().splitlines()[-1] == "Send all of them along: --send add5,Pt,X,y"
    assert "Send all" not in str(shell.run("%%pai_train demo --backend process\nprint(y)\n").error)
    run(shell, "--send add5,Pt,X,y", body)


def test_who_does_not_wait_is_told_what_to_type(shell: Shell) -> None:
    named = shell.run("%%pai_train demo --backend process --as job --return X,out --no-wait\nout = 1\n")
    assert "note: To get X, out after the end of the job, type job.returned()\n" in named.text
    plain = shell.run("%%pai_train other --backend process --return out --no-wait\nout = 2\n")
    job = shell.user_ns["_pai"]
    assert (
        "note: To get out after the end of the job, type _pai.returned(); once another job was started, first "
        f"%pai_attach {job.id} --as job, then job.returned()\n"
    ) in plain.text
    job.wait()
    assert job.returned() == {"out": 2}
    waited = shell.run("%%pai_train third --backend process --return out --wait\nout = 3\n")
    assert "To get" not in waited.text


def test_a_failed_job_says_that_the_variables_stay(shell: Shell) -> None:
    failed = shell.run("%%pai_train demo --backend process --return X,y,new\nX = y = new = 1\nX.nope\n")
    assert isinstance(failed.error, JobFailed)
    assert "note: nothing came back: X, y in the notebook are what they were before." in failed.text
    assert shell.user_ns["X"].shape == (3, 2)
    assert "nothing came back" not in shell.run("%%pai_train demo --backend process --return new\n1 / 0\n").text


def test_views_and_devices_are_noted(shell: Shell) -> None:
    shell.run("part, device, other = X[1:], 'cpu', 'cuda'\nleft, right = y.to_numpy()[::2], y.to_numpy()[1::2]")
    result = shell.run(
        "%%pai_train demo --backend process --dry-run --send X,part,device,other,y,left,right\nprint(1)\n"
    )
    notes = [line for line in result.text.splitlines() if line.startswith("note: `")]
    assert notes == [
        "note: `part` and `X` share their memory here; in the job, each is an array of its own.",
        "note: `device` is 'cpu', that of this notebook. Choose it in the cell if the job's machine differs.",
    ]
