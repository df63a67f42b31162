"""What is said of a cell that was read: errors and notes name the cell and the line that the user sees."""

from pathlib import Path

import pytest

from pai_jupyter.cell import ExecutedCell
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.training import Training, TrainOptions, parse_line, read_training
from pai_jupyter.training.notebook_state import NotebookState

CONF = ExecutedCell(code="CONF = {'lr': 0.5, 'name': 'x'}", number=7)


def training(code: str, line: str = "", *, executed: tuple[ExecutedCell, ...] = (), base: Path = Path()) -> Training:
    line = f"--backend process {line}"
    options = TrainOptions.read(parse_line(line), base=base)
    state = NotebookState(executed=executed) if executed else None
    return read_training(options, f"%%pai_train {line}\n{code}", settings(), notebook=None, state=state)


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        ("print(CONF)", "CONF", "`CONF` is a plain variable in cell [7], line 1. To give it values"),
        ("CONF = {'a': 1}\nprint(CONF)", "CONF", "`CONF` is a plain variable on cell line 2. To give it values"),
        ("def f():\n    x = 1\nprint(CONF)", "x", "`x` is set on cell line 3 inside `def f`, where it is not seen."),
    ],
)
def test_error_of_a_name_says_the_line_of_the_cell(code: str, name: str, said: str) -> None:
    read = training(code, executed=(CONF,))
    with pytest.raises(SpecError) as caught:
        read.script.schema.validate({name: "3"})
    assert said in str(caught.value)


def test_dotted_name_reaches_a_dict_of_another_cell() -> None:
    lr = ExecutedCell(code="LR = 0.1", number=6)
    schema = training("print(CONF, LR)", executed=(lr, CONF)).script.schema
    assert schema.validate({"CONF.lr": "0.3"}) == {"CONF.lr": 0.3}
    assert schema.errors({"CONF.lrr": "0.3"})["CONF.lrr"].count("`CONF.lr`") == 1


def missing(code: str, line: str, base: Path) -> list[str]:
    return [it.message for it in training(code, line, base=base).findings if it.code in ("missing-file", "local-path")]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("a\n1\n")
    (tmp_path / "data.csv").write_text("a\n1\n")
    return tmp_path


def test_file_in_a_directory_that_is_included_is_sent(data: Path) -> None:
    code = "print(open('data/t.csv').read())\n"
    assert missing(code, "--include data", data) == []
    assert len(missing(code, "", data)) == 1
    assert len(missing(code, "--include data.csv", data)) == 1


@pytest.mark.parametrize(
    ("line", "path", "said"),
    [
        (
            "-i data=data.csv",
            "data.csv",
            '`data.csv` is the input `data` of the job, which lies elsewhere there. Read os.environ["PAI_INPUT_DATA"].',
        ),
        ("-i my-set=./data.csv", "./data.csv", 'Read os.environ["PAI_INPUT_MY_SET"].'),
        (
            "-i data=data",
            "data/t.csv",
            "`data/t.csv` is in the input `data` of the job, which lies elsewhere there. Read "
            'os.environ["PAI_INPUT_DATA"] + "/t.csv".',
        ),
        ("-i data={base}/data", "data/t.csv", 'Read os.environ["PAI_INPUT_DATA"] + "/t.csv".'),
        ("-i data=/home/me/data", "/home/me/data/t.csv", 'Read os.environ["PAI_INPUT_DATA"] + "/t.csv".'),
    ],
)
def test_file_of_an_input_is_told_its_variable(line: str, path: str, said: str, data: Path) -> None:
    code = f"import pandas as pd\npd.read_csv({path.format(base=data)!r})\n"
    (message,) = missing(code, line.format(base=data), data)
    assert message.endswith(said)
    assert "--include" not in message


def test_other_inputs_say_nothing_of_a_file(data: Path) -> None:
    (message,) = missing("open('data.csv')\n", "-i data=data -i far=oss://bucket/data.csv", data)
    assert "--include data.csv" in message
