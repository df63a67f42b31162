"""Training cells that use what other cells define, in real kernels: the job runs, and its lines lead to those cells."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kernels import IPYKERNEL_6, Kernel, kernel

pytestmark = pytest.mark.kernel
TRAIN = "%%pai_train net --backend process --run --wait --as job {options}\n"
USE = "model = Net(SIZE)\nprint('epoch 1 loss=%s' % train(model))"


@pytest.fixture(params=["6", "7"])
def one(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kernel]:
    if request.param == "6" and not IPYKERNEL_6.is_dir():
        pytest.skip("ipykernel 6 is not installed beside 7; type: make setup")
    given = {"PAI_JUPYTER_RENDER": "server"}
    with kernel(home=tmp_path / "home", cwd=tmp_path, ipykernel=request.param, **given) as started:
        yield started


def notebook(one: Kernel) -> None:
    """Run the cells of a notebook; the extension is loaded after the first ones."""
    one.ok("%matplotlib --list\nimport math, json\nfrom dataclasses import dataclass")
    one.ok("@dataclass\nclass Config:\n    lr: float = 0.5\n\nSIZE = 3")
    one.run("class Net:\n    broken = True\n1 / 0")
    one.ok("class Net:\n    def __init__(self, n):\n        self.n = n")
    one.ok("%load_ext pai_jupyter")
    one.ok("def step(model):\n    return math.sqrt(model.n + 1) * Config().lr")
    one.run("1 / 0\ndef train(model):\n    return None")
    one.ok("def train(model):\n    return step(model)")


def test_a_cell_runs_with_a_class_and_helpers_of_other_cells(one: Kernel) -> None:
    notebook(one)
    one.ok(TRAIN.format(options="") + USE)
    assert one.ok("print(job.status, job.metrics())").strip() == "succeeded {'loss': 1.0}"


def test_the_same_cell_alone_says_what_is_missing(one: Kernel) -> None:
    notebook(one)
    cell = one.run(TRAIN.format(options="--only-cell") + USE)
    assert cell.status == "error"
    assert "cell line 2: `Net` is not defined in this cell" in cell.texts()
    cell = one.run(TRAIN.format(options="--leave-out Net") + USE)
    assert "cell line 2: `Net` is not defined in this cell" in cell.texts()
    assert "SIZE" not in cell.texts()


def test_an_edited_cell_counts_as_it_ran_last(one: Kernel) -> None:
    notebook(one)
    one.ok("SIZE = 8")
    one.ok("def step(model):\n    return model.n * 1.0")
    one.ok(TRAIN.format(options="") + USE)
    assert one.ok("print(job.metrics())").strip() == "{'loss': 8.0}"


def test_an_exception_leads_to_the_cell_that_its_line_is_from(one: Kernel) -> None:
    notebook(one)
    one.ok("def step(model):\n\n    return 1 / 0")
    cell = one.run(TRAIN.format(options="") + "\n" + USE)
    assert "ZeroDivisionError: division by zero (cell [9], line 3)" in cell.texts()
    cell = one.run(TRAIN.format(options="") + "\ntrain(Net(3))\n" + USE.replace("SIZE", "SIZE, 1"))
    assert "(cell [9], line 3)" in cell.texts()
    cell = one.run(TRAIN.format(options="") + "\nNet()")
    assert "(cell line 3)" in cell.texts()


def test_data_is_named_with_what_to_type(one: Kernel) -> None:
    notebook(one)
    one.ok("data = [n for n in range(3)]")
    cell = one.run(TRAIN.format(options="") + "print(data, SIZE)")
    assert (
        "cell line 2: `data` is a value of cell [9] (list), which the job does not see. Send it along: --send data"
        in cell.texts()
    )


def test_a_dry_run_shows_what_is_taken(one: Kernel) -> None:
    notebook(one)
    text = one.ok(TRAIN.format(options="").replace("--run --wait", "--dry-run") + USE)
    assert "from cell [1]: math, dataclass\nfrom cell [2]: Config, SIZE\nfrom cell [4]: Net\n" in text
    assert "from cell [6]: step\nfrom cell [8]: train\n" in text


def test_a_secret_of_another_cell_is_refused(one: Kernel) -> None:
    one.ok("%load_ext pai_jupyter")
    one.ok("API_KEY = 'abcdefgh1234'")
    cell = one.run(TRAIN.format(options="") + "print(API_KEY)")
    assert "`API_KEY` of cell [2] holds what looks like a secret" in cell.texts()
    assert "abcdefgh" not in cell.texts()


def test_the_record_and_a_clone_have_the_cell_as_written(one: Kernel) -> None:
    notebook(one)
    written = TRAIN.format(options="") + USE
    one.ok(written)
    assert (
        json.loads(one.ok("import json; print(json.dumps(job.folder.record.cell))"))
        == written.replace("job \n", "job\n").rstrip() + "\n"
    )
    before = one.ok("print(job.folder.record.lines.before)")
    assert int(before) > 5
    one.ok("from pai_jupyter.jobs.rerun import rerun\nagain = rerun(job)\nagain.wait()")
    assert (
        one.ok("print(again.status, again.folder.record.lines == job.folder.record.lines)").strip() == "succeeded True"
    )


def test_a_form_offers_what_is_taken(one: Kernel) -> None:
    notebook(one)
    form = one.run(TRAIN.format(options="").replace("--run --wait ", "") + USE)
    checks = [m["content"] for m in form.outputs if m["msg_type"] == "comm_open"]
    states = {content["comm_id"]: content["data"].get("state", {}) for content in checks}
    told = [state["description"] for state in states.values() if state.get("_model_name") == "CheckboxModel"]
    assert told == [
        "math · cell [1]", "dataclass · cell [1]", "Config · cell [2]", "SIZE · cell [2]", "Net · cell [4]",
        "step · cell [6]", "train · cell [8]", "model",
    ]  # fmt: skip
    one.press(form, "Submit")
    one.ok(
        "import time\nwhile type(job).__name__ == 'WaitingJob': time.sleep(0.05); get_ipython().kernel.do_one_iteration()"
    )
