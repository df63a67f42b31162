"""A cell as a component: completed as a job's, with values that come by arguments and variables alone."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from pai_jupyter.cell import ExecutedCell
from pai_jupyter.component import Component, ComponentInput, ComponentOutput, ComponentRun, load, problems, run, save
from pai_jupyter.component.cell import ReadComponent, of_cell, of_source
from pai_jupyter.config import settings
from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.hyperparameters import Hyperparameter, read_from_variables, read_schema
from pai_jupyter.training import NotebookState, TrainOptions, parse_line, read_training

DECLARED = """\
lr: float = 0.1  # hp: [1e-5..1] log  learning rate
n: int = (
    3
)
name: str = "训练"
quick: bool = False
hp = {"width": 8}
print(lr * 2, n + 1, name, quick, hp["width"])
"""


def made(code: str, line: str = "", *, state: NotebookState | None = None, **more: object) -> ReadComponent:
    options = TrainOptions.read(parse_line(f"made {line}"))
    training = read_training(
        options, f"%%pai_component made\n{code}", settings(), notebook=None, state=state, namespace={}
    )
    return of_cell(Component(name="made", command="", **more), training)  # type: ignore[arg-type]  # fields


def printed(component: Component, capsys: pytest.CaptureFixture[str], **values: object) -> str:
    assert run(component, ComponentRun(values=values)).status is Status.SUCCEEDED
    return capsys.readouterr().out.splitlines()[-1]


def test_declared_values_become_parameters_that_read_their_variables(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    component = made(DECLARED).component
    assert [(it.name, it.type, it.default) for it in component.parameters] == [
        ("lr", "Float", 0.1),
        ("n", "Int", 3),
        ("name", "String", "训练"),
        ("quick", "Bool", False),
        ("width", "Int", 8),
    ]
    lr = component.parameters[0]
    assert (lr.minimum, lr.maximum, lr.help) == (1e-5, 1, "learning rate")
    assert printed(component, capsys) == "0.2 4 训练 False 8"
    assert printed(component, capsys, lr=0.5, n="4", name="a b", quick=True, width=1) == "1.0 5 a b True 1"


def test_lines_stay_where_they_are() -> None:
    changed = read_from_variables(DECLARED, read_schema(DECLARED).hyperparameters)
    assert changed.count("\n") == DECLARED.count("\n")
    assert [line.partition(":")[0] for line in changed.splitlines()][4:6] == ["name", "quick"]


def test_options_of_argparse_are_passed_as_arguments(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--kind", choices=["a", "b"], required=True)
parser.add_argument("--train")
args = parser.parse_args()
print(args.lr, args.kind, open(args.train).read())
"""
    (workplace / "rows").write_text("1 2")
    inputs, outputs = (
        (ComponentInput(name="train"), ComponentInput(name="more", required=False)),
        (ComponentOutput(name="out"),),
    )
    component = made(code, "-i train=rows", inputs=inputs, outputs=outputs).component
    assert component.command == 'python train.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN"'  # the parser knows no other
    assert [(it.name, it.choices, it.required) for it in component.parameters] == [
        ("lr", (), False),
        ("kind", ("a", "b"), True),
    ]
    run(component, ComponentRun(inputs={"train": "rows"}, values={"kind": "b"}))
    assert capsys.readouterr().out.splitlines()[-1] == "0.1 b 1 2"


def test_a_script_without_a_parser_gets_every_channel(workplace: Path) -> None:
    component = made(
        "print(1)", inputs=(ComponentInput(name="a-b"),), outputs=(ComponentOutput(name="model"),)
    ).component
    assert component.command == ('python train.py $PAI_USER_ARGS --a-b "$PAI_INPUT_A_B" --model "$PAI_OUTPUT_MODEL"')


def test_the_cell_takes_along_what_it_uses_of_other_cells(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (workplace / "helpers.py").write_text("def greet(): return 'hello'\n")
    before = ExecutedCell(code="import helpers\ndef twice(x): return x + x\n", number=1, succeeded=True, id="")
    names: dict[str, object] = {"__name__": "__main__", "helpers": ModuleType("helpers")}
    exec("def twice(x): return x + x\n", names)
    state = NotebookState(executed=(before,), namespace=names, modules={})
    component = made("print(twice(helpers.greet()))", state=state).component
    assert {"train.py", "helpers.py"} <= component.files.keys()
    assert printed(component, capsys) == "hellohello"


def test_code_that_divides_data_gets_the_module_for_it(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = "import pai_shards\nfor shard in pai_shards.shards(size=9, shard_size=2):\n    shard.commit()\n"
    (workplace / "src").mkdir()
    (workplace / "src" / "train.py").write_text(loop)
    of_directory = Component(name="made", command="python train.py", source="src")
    for component in (made(loop).component, of_directory):
        saved = load(save(replace(component, job_type="ElasticBatchJob"), workplace / f"{component.source}.yaml"))
        job = run(saved, ComponentRun(instance_count=2))
        assert job.status is Status.SUCCEEDED
        assert len(list((job.fetch("model") / "shards" / "done").iterdir())) == 5
        assert "the data are not divided" not in capsys.readouterr().out


def test_requirements_of_the_cell_join_those_of_the_directory(workplace: Path) -> None:
    (workplace / "src").mkdir()
    (workplace / "src" / "requirements.txt").write_text("numpy\n")
    component = made("%pip install regex\nprint(1)", "--source-dir src").component
    assert component.files["requirements.txt"] == b"numpy\nregex\n"
    assert component.source == "src"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("open(PAI_INPUT_TRAIN", "was never closed"),
        (
            "import os\nos.environ['PAI_INPUT_TRAIN']",
            "the cell uses PAI_INPUT_TRAIN, and the component has no such channel. Declare it: -i train",
        ),
        ("import os\nos.environ['PAI_OUTPUT_MODEL']", "Declare it: -o model"),
        (
            "import argparse\nlr: float = 0.1\np = argparse.ArgumentParser()\np.add_argument('--n')\np.parse_args()",
            "`lr` would be given to the script's parse_args(), which does not know it",
        ),
    ],
)
def test_code_that_cannot_be_a_component_has_its_sentence(workplace: Path, code: str, sentence: str) -> None:
    with pytest.raises(SpecError) as error:
        made(code)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("action='store_true'", "parameter 'fast' is a switch of the script"),
        ("action='store_false'", "parameter 'fast' is a switch of the script"),
        ("action='count', default=0", "parameter 'fast' is a switch of the script"),
        ("type=bool, default=False", "parameter 'fast' has type=bool"),
        ("type=int, nargs='+', default=[1]", "parameter 'fast' takes several values"),
        ("action='append'", "parameter 'fast' takes several values"),
    ],
)
def test_an_option_that_pai_cannot_pass_has_its_sentence(workplace: Path, option: str, sentence: str) -> None:
    code = f"import argparse\np = argparse.ArgumentParser()\np.add_argument('--fast', {option})\np.parse_args()"
    found = problems(made(code).component)
    assert [sentence in each.text for each in found if each.field == "parameters"] == [True]


def test_too_much_code_is_refused(workplace: Path) -> None:
    (workplace / "large.bin").write_bytes(b"x" * 5_000_001)
    with pytest.raises(PackageError, match="the code of the cell has"):
        made("print(1)", "--include large.bin")


def test_a_directory_becomes_a_component_by_its_script(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (workplace / "src").mkdir()
    (workplace / "src" / "main.py").write_text("lr: float = 0.1\nprint(lr)\n")
    component = of_source(Component(name="made", command="", source="src"), "main.py").component
    assert component.parameters == (Hyperparameter(name="lr", type="Float", default=0.1),)
    assert printed(component, capsys, lr=0.25) == "0.25"
    assert (workplace / "src" / "main.py").read_text() == "lr: float = 0.1\nprint(lr)\n"


def test_an_archive_in_oss_is_not_read() -> None:
    read = of_source(Component(name="made", command="", source="oss://bucket/code.tar.gz"), "main.py")
    assert read.component.command == "python main.py $PAI_USER_ARGS"
    assert "its parameters are not known" in read.notes[0]
