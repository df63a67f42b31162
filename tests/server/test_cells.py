"""A cell over REST: the form that it has, what is wrong with it, and itself as a job, without any kernel."""

import json
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.jobs import Job
from tests.support.server import AUTHORIZED, Reply, Server
from tests.support.started import until

CELL = """%%pai_train {line}
import os, pathlib
lr: float = 0.1  # hp: [1e-5..1] log  学习率
epochs = 3  # hp: [1..10] step 1
opt = "adam"  # hp: {{"adam", "sgd"}}
amp: bool = True
print("lr", lr, "epochs", epochs)
"""
SLOW = """%%pai_train {line}
import os, time
while not os.path.exists(os.path.join(os.environ["PAI_INPUT_GATE"], "open")):
    time.sleep(0.01)
"""


def ask(server: Server, path: str, **body: object) -> Reply:
    return server.ask(path, method="POST", body=json.dumps(body).encode())


def schema(server: Server, cell: str, **more: object) -> dict[str, Any]:  # Any: JSON values
    reply = ask(server, "schema", cell=cell, **more)
    assert reply.status == 200, reply.body
    told: dict[str, Any] = reply.json()
    return told


def submitted(server: Server, cell: str, **more: object) -> Job:
    reply = ask(server, "submit", cell=cell, **more)
    assert reply.status == 200, reply.body
    return Job(server.store.open(reply.json()["job"]))


def refused(server: Server, cell: str, **more: object) -> str:
    before = server.store.ids()
    reply = ask(server, "submit", cell=cell, **more)
    assert reply.status == 400, reply.body
    assert server.store.ids() == before
    message: str = reply.json()["message"]
    return message


@pytest.fixture
def project(server: Server) -> Path:
    """A directory of the server with a notebook in it."""
    project = server.folder / "my project"
    (project / "data").mkdir(parents=True, exist_ok=True)
    (project / "data" / "a.txt").write_text("from the data")
    (project / "helper.py").write_text("NAME = 'from the helper'\n")
    (project / "训练.ipynb").touch()
    return project


# The form


def test_the_form_is_the_one_that_the_magic_shows(server: Server) -> None:
    rows = {row["name"]: row for row in schema(server, CELL.format(line="iris"))["hyperparameters"]}
    assert rows["lr"] == {
        "name": "lr",
        "kind": "float",
        "default": 0.1,
        "minimum": 1e-05,
        "maximum": 1,
        "open_minimum": False,
        "open_maximum": False,
        "nullable": False,
        "step": None,
        "is_log": True,
        "choices": [],
        "help": "学习率",
        "line": 3,
        "is_offered": False,
        "commands": [],
        "chosen_by": "",
        "required": False,
        "is_given": False,
        "range": "1e-05 – 1",
        "default_text": "0.1",
        "rule": "lr must be a number between 1e-05 and 1",
    }
    assert (rows["epochs"]["kind"], rows["epochs"]["step"]) == ("int", 1)
    assert rows["opt"]["choices"] == ["adam", "sgd"]
    assert (rows["amp"]["kind"], rows["amp"]["default"]) == ("bool", True)


@pytest.mark.parametrize("line", ["", "%%pai_train\n", "\n\n%%pai_train x -p lr=1\n"])
def test_lines_count_as_the_user_sees_them_with_or_without_the_magic(server: Server, line: str) -> None:
    rows = schema(server, f"{line}lr: float = 0.1\nprint(lr)\n")["hyperparameters"]
    assert [row["line"] for row in rows] == [line.count("\n") + 1]


def test_values_in_the_code_are_offered(server: Server) -> None:
    rows = schema(server, "%%pai_train\nBATCH = 64\nlr: float = 0.1\nprint(lr, BATCH)\n")["hyperparameters"]
    assert [(row["name"], row["default"], row["is_offered"]) for row in rows] == [
        *[("lr", 0.1, False), ("BATCH", 64, True)]
    ]


def test_an_option_says_with_which_subcommand_it_is_there(server: Server) -> None:
    code = (
        "import argparse\np = argparse.ArgumentParser()\ns = p.add_subparsers(dest='do')\n"
        "s.add_parser('fit').add_argument('--lr')\ns.add_parser('test')\np.parse_args()\n"
    )
    rows = {row["name"]: row for row in schema(server, code)["hyperparameters"]}
    assert (rows["do"]["choices"], rows["do"]["commands"]) == (["fit", "test"], [])
    assert (rows["lr"]["chosen_by"], rows["lr"]["commands"]) == ("do", ["fit"])


PARSER = (
    "import argparse\ndef get_args():\n    p = argparse.ArgumentParser()\n    p.add_argument('--depth', type=int)\n"
)
HYDRA = "import hydra\n@hydra.main(config_path='conf', config_name='c')\ndef main(cfg): ...\nmain()\n"


def test_files_beside_the_notebook_are_read_as_the_magic_reads_them(server: Server, project: Path) -> None:
    (project / "options.py").write_text(f"{PARSER}    return p.parse_args()\nopen('ran', 'w')\n")
    (project / "conf" / "model").mkdir(parents=True, exist_ok=True)
    (project / "conf" / "c.yaml").write_text("defaults:\n  - model: a\nlr: 0.1\n")
    for name in "ab":
        (project / "conf" / "model" / f"{name}.yaml").write_text("width: 3\n")
    notebook = "my project/训练.ipynb"
    cell = "%%pai_train\nfrom options import get_args\nget_args()\n"
    assert [row["name"] for row in schema(server, cell, notebook=notebook)["hyperparameters"]] == ["depth"]
    assert schema(server, cell)["hyperparameters"] == []
    rows = schema(server, f"%%pai_train --include conf\n{HYDRA}", notebook=notebook)["hyperparameters"]
    assert {row["name"]: row["default"] for row in rows} == {"model": "a", "model.width": 3, "lr": 0.1}
    assert next(row for row in rows if row["name"] == "model")["choices"] == ["a", "b"]
    assert schema(server, f"%%pai_train\n{HYDRA}", notebook=notebook)["hyperparameters"] == []  # nobody packs it
    assert not list(server.folder.rglob("ran"))


@pytest.mark.parametrize("notebook", ["../x.ipynb", "/etc/x.ipynb", "no such/x.ipynb"])
def test_a_notebook_elsewhere_shows_the_form_of_the_cell_alone(server: Server, notebook: str) -> None:
    (server.folder.parent / "options.py").write_text(f"{PARSER}    return p.parse_args()\n")
    cell = "lr: float = 0.1\nprint(lr)\nfrom options import get_args\nget_args()\n"
    assert [row["name"] for row in schema(server, cell, notebook=notebook)["hyperparameters"]] == ["lr"]


def test_an_option_that_is_a_channel_of_the_line_is_no_hyperparameter(server: Server) -> None:
    code = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--train')\np.parse_args()\n"
    assert not read_schema(code, inputs=("train",)).hyperparameters
    assert not schema(server, f"%%pai_train -i train=./data\n{code}")["hyperparameters"]


@pytest.mark.parametrize(
    ("cell", "level", "line", "word"),
    [
        ("%%pai_train\nlr = = 1\n", "error", 2, "cannot read"),
        ("%%pai_train\nprint(x)\n", "error", 2, "`x`"),
        ("%%pai_train --no-such\nprint(1)\n", "error", 1, "--no-such"),
        ("\n%%pai_train 'open\nprint(1)\n", "error", 2, "quote"),
        ("%%pai_train\nlr: float = 0.1  # hp: [0..1] log\nprint(lr)\n", "error", 2, "above 0"),
        ("%%pai_train\n", "error", 1, "no code"),
        ("", "error", 1, "no code"),
        ("print(1)\n# hp: [1..2]\n", "warning", 2, "no effect"),
        ("lr = 5.0  # hp: [0..1]\nprint(lr)\n", "warning", 1, "default of `lr` is 5.0"),
        ("\n%%pai_train -p lrr=1\nlr: float = 0.1\nprint(lr)\n", "error", 2, "Did you mean `lr`?"),
        ("%%pai_train --epohcs 1\nprint(1)\n", "error", 1, "`--epohcs` is no option"),
        ("print(1)\nprint('\0')\n", "error", 1, "cannot read"),
        ("%%pai_train\nimport os\nprint(os.environ['SM_HPS'])\n", "warning", 3, "--compat sagemaker gives it"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_once(
    server: Server, cell: str, level: str, line: int, word: str
) -> None:
    findings = schema(server, cell)["findings"]
    assert [(each["level"], each["line"], word in each["message"]) for each in findings] == [(level, line, True)]


@pytest.mark.parametrize(
    "cell",
    [
        "%%pai_train -p lrr=1\nimport sys\nlr: float = 0.1\nprint(sys.argv)\n",
        "%%pai_train -p lrr=1 --include helper.py\nlr: float = 0.1\nprint(lr)\n",
        "%%pai_train -p lrr=1 --command 'sh run.sh'\nlr: float = 0.1\nprint(lr)\n",
        "%%pai_train -p lr=5\nlr: float = 0.1  # hp: [0..1]\nprint(lr)\n",  # said beside its field
        "%%pai_train --compat sagemaker\nimport os\nprint(os.environ['SM_HPS'])\n",
    ],
)
def test_a_value_that_something_may_read_is_no_finding(server: Server, cell: str) -> None:
    assert schema(server, cell)["findings"] == []


ABOVE = {
    "above": ["import math", "SIZE = 3\ndef area(r):\n    return math.pi * r", "rows = open('x')"],
    "numbers": [5, 0, 7],
}


def test_the_form_lists_what_is_taken_from_the_cells_above(server: Server) -> None:
    told = schema(server, "%%pai_train\nprint(area(SIZE))\n", **ABOVE)
    assert [(row["name"], row["cell"]) for row in told["taken"]] == [("math", 5), ("SIZE", 2), ("area", 2)]
    assert told["findings"] == []


def test_data_of_the_cells_above_is_named_with_what_to_type(server: Server) -> None:
    [finding] = schema(server, "%%pai_train\nprint(rows)\n", **ABOVE)["findings"]
    assert (finding["line"], finding["level"]) == (2, "error")
    assert finding["message"] == (
        "`rows` is a value of cell [7], which the job does not see. Send it along: --send rows"
    )


def test_a_line_may_say_that_nothing_is_taken(server: Server) -> None:
    told = schema(server, "%%pai_train --only-cell\nprint(area(1))\n", **ABOVE)
    assert told["taken"] == []
    assert "`area` is not defined in this cell" in told["findings"][0]["message"]


@pytest.mark.parametrize("line", ["", " --send rows", " --only-cell --send rows", " --send rows,other"])
def test_data_of_the_cells_above_is_offered_whether_it_is_sent_or_not(server: Server, line: str) -> None:
    told = schema(server, f"%%pai_train{line}\nprint(rows, SIZE)\n", **ABOVE)
    assert told["values"] == [{"name": "rows", "cell": 7}]
    assert [each["name"] for each in told["findings"] if "rows" in each["message"]] == ["rows"]


def test_data_that_a_taken_function_uses_is_offered_and_its_finding_names_it(server: Server) -> None:
    above = ["rows = open('x')", "def total():\n    return sum(rows)"]
    told = schema(server, "%%pai_train\nprint(total())\n", above=above)
    assert told["values"] == [{"name": "rows", "cell": 1}]
    assert [(each["line"], each["name"]) for each in told["findings"]] == [(None, "rows")]


def test_what_looks_like_a_secret_or_is_no_value_is_not_offered(server: Server) -> None:
    above = ["api_key = input()\nrows = open('x')", "SIZE = 3", "def f(): ..."]
    told = schema(server, "%%pai_train\nprint(rows, api_key, SIZE, f(), nowhere)\n", above=above)
    assert [row["name"] for row in told["values"]] == ["rows"]


def test_the_form_lists_what_the_cell_assigns_but_no_hyperparameter(server: Server) -> None:
    cell = (
        "lr: float = 0.1\nEPOCHS = 3\nmodel, history = fit(lr, EPOCHS)\n_x = token = model\nfor i in []:\n    y = i\n"
    )
    assert schema(server, f"%%pai_train\n{cell}")["assigned"] == ["model", "history"]
    assert schema(server, f"{'x' * 300} = open('x')\nz = open('x')\n")["assigned"] == ["z"]


@pytest.mark.parametrize("line", ["-i train", "-i =x", "-i a=x -i a=y"])
def test_what_the_form_says_beside_its_inputs_is_no_finding(server: Server, line: str) -> None:
    assert schema(server, f"%%pai_train {line} -p lr=1\nlr: float = 0.1\nprint(lr)\n")["findings"] == []


def test_a_submitted_cell_runs_with_what_the_cells_above_define(server: Server) -> None:
    cell = "%%pai_train --backend process --run\nprint(round(area(SIZE)))\n"
    job = submitted(server, cell, **ABOVE)
    until(lambda: job.status.is_terminal)
    assert [line.text for line in job.tail(9)] == ["9"]
    assert job.folder.record.cell == cell


def test_a_misspelt_value_is_refused(server: Server) -> None:
    assert "Did you mean `lr`?" in refused(server, "%%pai_train x\nlr: float = 0.1\nprint(lr)\n", values={"lrr": 1})
    assert "is empty" in refused(server, "%%pai_train x\nlr: float = 0.1\nprint(lr)\n", values={"lr": ""})


def test_of_very_many_findings_the_errors_are_told(server: Server) -> None:
    findings = schema(server, "# hp: [1..2]\n" * 1_000 + "print(x)\n")["findings"]
    assert len(findings) == 200
    assert (findings[-1]["level"], findings[-1]["line"]) == ("error", 1_001)


@pytest.mark.parametrize(
    "cell",
    ["[\n" * 60_000, "(" * 150_000, "(" * 50_000, "x = " + "[" * 5_000, "\\\n" * 10_000, "f'{" * 2_000, "é" * 100_000],
)
def test_any_cell_has_an_answer(server: Server, cell: str) -> None:
    assert schema(server, cell)["hyperparameters"] == []


# As a job


def test_a_clone_has_the_values_of_the_form(server: Server, project: Path) -> None:
    cell = CELL.format(line="iris --backend process --run -p epochs=5")
    job = submitted(server, cell, notebook="my project/训练.ipynb", values={"lr": 0.5, "opt": "sgd"})
    told = server.ask(f"jobs/{job.id}/cell").json()
    assert told["cell"] == cell
    assert told["as_run"].startswith("%%pai_train iris --backend process --run -p epochs=5 -p lr=0.5 -p opt=sgd\n")
    assert told["as_run"].partition("\n")[2] == cell.partition("\n")[2]


def test_a_cell_runs_with_the_values_of_the_form_and_is_recorded_as_written(server: Server, project: Path) -> None:
    cell = CELL.format(line="iris --backend process --run -p epochs=5")
    job = submitted(server, cell, notebook="my project/训练.ipynb", values={"lr": 0.5, "opt": "sgd"})
    until(lambda: job.status.is_terminal)
    assert [line.text for line in job.tail(9)] == ["lr 0.5 epochs 5"]
    assert job.hyperparameters == {"lr": 0.5, "epochs": 5, "opt": "sgd", "amp": True}
    assert (job.name, job.folder.record.cell, job.folder.record.notebook) == ("iris", cell, "训练.ipynb")


def test_relative_paths_begin_at_the_notebook(server: Server, project: Path) -> None:
    (project / "req.txt").write_text("")
    cell = (
        "%%pai_train --backend process -i data=data -o model=out --source-dir . --include data --requirements req.txt\n"
        "import os, pathlib, helper\n"
        "print(helper.NAME, pathlib.Path(os.environ['PAI_INPUT_DATA'], 'a.txt').read_text())\n"
        "pathlib.Path(os.environ['PAI_OUTPUT_MODEL'], 'm').touch()\n"
    )
    job = submitted(server, cell, notebook="my project/训练.ipynb")
    until(lambda: job.status.is_terminal)
    assert [line.text for line in job.tail(9)] == ["from the helper from the data"]
    assert (project / "out" / "m").exists()


def test_values_in_a_file_beside_the_notebook_are_found(server: Server, project: Path) -> None:
    (project / "p.json").write_text('{"lr": 0.25}')
    cell = CELL.format(line="--backend process --params p.json")
    assert submitted(server, cell, notebook="my project/训练.ipynb").hyperparameters["lr"] == 0.25


def test_the_same_job_that_runs_is_found_unless_another_is_forced(server: Server, project: Path) -> None:
    (project / "gate").mkdir()
    cell = SLOW.format(line="--backend process -i gate=gate")
    first = submitted(server, cell, notebook="my project/训练.ipynb")
    again = ask(server, "submit", cell=cell, notebook="my project/训练.ipynb").json()
    assert again["job"] == first.id
    assert "already" in again["notes"][0]
    forced = submitted(server, cell.replace("-i", "--force -i"), notebook="my project/训练.ipynb")
    assert forced.id != first.id
    (project / "gate" / "open").touch()
    until(lambda: first.status.is_terminal and forced.status.is_terminal)


def test_notes_of_the_linter_come_with_the_job(server: Server) -> None:
    cell = "%%pai_train --backend process\nprint(1)\n# hp: [1..2]\n"
    notes = ask(server, "submit", cell=cell).json()["notes"]
    assert any(note.startswith("cell line 3: ") for note in notes)


def test_a_job_that_was_submitted_here_is_followed_to_its_end(server: Server) -> None:
    job = submitted(server, "%%pai_train --backend process\nraise SystemExit(3)\n")
    until(lambda: str(job.status) == "failed")


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("--as job", "--as"),
        ("--wait", "--wait"),
        ("--form", "--form"),
        ("--dry-run", "--dry-run"),
        ("--lint", "--lint"),
        ("--widget", "--widget"),
        ("-p lr={lr}", "{lr}"),
        ("-i train={folder}/x", "{folder}"),
    ],
)
def test_what_needs_a_kernel_is_refused_by_name(server: Server, line: str, option: str) -> None:
    assert f"`{option}`" in refused(server, f"%%pai_train {line}\nprint(1)\n")


def test_a_variable_of_the_shell_is_none_of_a_kernel(server: Server) -> None:
    cell = "%%pai_train --backend process --command 'echo ${HOME}; python train.py ${PAI_USER_ARGS}'\nprint(1)\n"
    assert submitted(server, cell).spec.command.startswith("echo ${HOME}")


@pytest.mark.parametrize(
    "notebook",
    ["../x.ipynb", "/etc/x.ipynb", "a/../../x.ipynb", "..", "nowhere/x.ipynb", "\0", "x" * 3_000 + "/x", "out/x.ipynb"],
)
def test_a_notebook_outside_of_what_the_server_shows_is_refused(server: Server, tmp_path: Path, notebook: str) -> None:
    link = server.folder / "out"
    if not link.is_symlink():
        link.symlink_to(tmp_path)
    assert "notebook" in refused(server, "%%pai_train --backend process\nprint(1)\n", notebook=notebook)


@pytest.mark.parametrize(
    ("cell", "word"),
    [
        ("print(1)\n", "%%pai_train"),
        ("", "%%pai_train"),
        ("# first\n%%pai_train\nprint(1)\n", "%%pai_train"),
        ("%pai_train\nprint(1)\n", "%%pai_train"),
        ("%%pai_trainer\nprint(1)\n", "%%pai_train"),
        ("%%pai_train --no-such\nprint(1)\n", "--no-such"),
        ("%%pai_train 'x\nprint(1)\n", "quote"),
        ("%%pai_train\nprint(x)\n", "`x`"),
        ("%%pai_train\nlr = = 1\n", "line 2"),
        ("%%pai_train\n", "no code"),
        ("%%pai_train --run --form\nprint(1)\n", "--form"),
        ("%%pai_train --instance-count 0\nprint(1)\n", "--instance-count"),
        ("%%pai_train --instance-count " + "9" * 5_000 + "\nprint(1)\n", "--instance-count"),
        ("%%pai_train --max-time " + "9" * 5_000 + "\nprint(1)\n", "--max-time"),
        ("%%pai_train --option a.b=" + "[" * 10_000 + "\nprint(1)\n", "option"),
        ("%%pai_train --source-dir " + "x" * 5_000 + "\nprint(1)\n", "--source-dir"),
        ("%%pai_train --source-dir ~nobody-here/x\nprint(1)\n", "--source-dir"),
        ("%%pai_train --source-dir /nowhere\nprint(1)\n", "--source-dir"),
        ("%%pai_train --include x\0y\nprint(1)\n", "--include"),
        ("%%pai_train --requirements " + "x" * 5_000 + "\nprint(1)\n", "--requirements"),
        ("%%pai_train --params /etc/passwd\nprint(1)\n", "--params"),
        ("%%pai_train --entry-point ../x.py\nprint(1)\n", "--entry-point"),
        ("%%pai_train --source-dir . --entry-point " + "x" * 300 + ".py\nprint(1)\n", "--entry-point"),
        ("%%pai_train --backend process -o a=" + "x" * 300 + "\nprint(1)\n", "output 'a'"),
        ("%%pai_train " + "-p a=1 " * 3_000 + "\nprint(1)\n", "--params"),
        ("%%pai_train\n" + "print(1)\n" * 30_000, "200,000"),
        ("%%pai_train --backend slurm\nprint(1)\n", "slurm"),
        ("%%pai_train --backend process -i a=" + "x" * 5_000 + "\nprint(1)\n", "a"),
        ("%%pai_train --backend process -p lr=x\nlr: float = 0.1\nprint(lr)\n", "lr"),
        ("%%pai_train a/b --backend process\nprint(1)\n", "name"),
    ],
    ids=lambda value: value[:40],
)
def test_a_cell_that_cannot_run_is_refused_in_a_sentence(server: Server, cell: str, word: str) -> None:
    assert word in refused(server, cell)


@pytest.mark.parametrize("values", [1, "lr=1", [], [1], {"lr": "x"}, {"lr": 7}, {"no such": 1}, {"lr": {}}])
def test_values_that_do_not_fit_are_refused(server: Server, values: object) -> None:
    assert refused(server, CELL.format(line="--backend process"), values=values)


def test_a_secret_on_the_line_is_in_no_file_of_the_job(server: Server) -> None:
    secret = "hunter2-hunter2-0123"
    job = submitted(server, f"%%pai_train --backend process --env MY_TOKEN={secret}\nprint(1)\n")
    until(lambda: job.status.is_terminal)
    files = [path for path in job.folder.path.rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_what_is_wrong_with_a_cell_is_said_in_the_language_of_the_page(server: Server) -> None:
    body = json.dumps({"cell": "%%pai_train -p lrr=1\nlr: float = 0.1\nprint(lr)\n"}).encode()
    reply = server.ask("schema", method="POST", body=body, headers={**AUTHORIZED, "Accept-Language": "zh"})
    (finding,) = reply.json()["findings"]
    assert finding["message"].startswith("脚本没有声明 `lrr`")
    reply = server.ask("jobs/none", headers={**AUTHORIZED, "Accept-Language": "zh-CN"})
    assert (reply.status, reply.json()["message"]) == (404, "没有作业 'none'。用 %pai_jobs 查看全部。")
