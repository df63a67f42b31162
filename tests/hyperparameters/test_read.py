"""What a script declares besides its options, read without running it: assignments, comments, dicts, channels."""

import time

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import STANDARD_OUTPUTS
from tests.support.paths import DATA
from tests.support.schemas import read, types


def channels(schema: Schema) -> dict[str, tuple[str, bool]]:
    return {it.name: (it.direction, it.candidate) for it in schema.channels}


# The scripts of the documents, unchanged


def test_xgboost_script_of_the_documents() -> None:
    schema = read_schema((DATA / "seed_xgb_train.py").read_text())
    assert types(schema) == {"n_estimators": "Int", "objective": "String", "max_depth": "Int", "eta": "Float"}
    assert schema.validate({}) == {"n_estimators": 500, "objective": "multi:softmax", "max_depth": 3, "eta": 0.2}
    objective = schema.find("objective")
    assert objective is not None
    assert objective.choices == ("multi:softmax", "multi:softprob")
    assert channels(schema) == {"train_data": ("input", True)}
    assert not schema.strict


def test_component_script_of_the_documents() -> None:
    schema = read_schema((DATA / "seed_component_main.py").read_text())
    assert types(schema) == {"param1": "Int", "param2": "Float", "param3": "String", "param4": "Bool", "param5": "Int"}
    assert schema.validate({}) == {}
    assert schema.argument_styles({"param4": False}) == {"param4": "truthy"}
    places = {
        "train": ("input", True),
        "test": ("input", True),
        "model": ("output", False),
        "checkpoints": ("output", False),
    }
    assert channels(schema) == places
    assert not schema.strict


def test_prepare_code_script_of_the_documents() -> None:
    schema = read_schema((DATA / "seed_argparse_train.py").read_text())
    assert schema.validate({}) == {"batch_size": 32, "learning_rate": 0.01, "training_method": "lora"}
    assert schema.strict


# Assignments, comments, dicts


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x: float = 0.01", {"type": "Float", "default": 0.01}),
        ("x: float = 1", {"type": "Float", "default": 1.0}),
        ("x: bool = True", {"type": "Bool", "default": True}),
        ("x: str = 'a'", {"type": "String", "default": "a"}),
        ("x: int | None = None", {"type": "Int", "default": None}),
        ("x: Optional[float] = None", {"type": "Float", "default": None}),
        ("x: typing.Union[int, float] = 3", {"type": "Float", "default": 3.0}),
        ("x: 'int' = 3", {"type": "Int"}),
        ("x: Annotated[int, 'rows'] = 3", {"type": "Int"}),
        ("x: Literal['a', 'b'] = 'a'", {"type": "String", "choices": ("a", "b")}),
        ("x: list[int] = [1, 2]", {"type": "Json", "default": [1, 2]}),
        ("x: dict = {'a': 1}", {"type": "Json", "default": {"a": 1}}),
        ("x: np.float32 = 0.5", {"type": "Float"}),
        ("x: float = float('inf')", {"default": float("inf")}),
        (
            "x = 0.01  # hp: [1e-5..1] log  学习率",
            {"type": "Float", "minimum": 1e-5, "maximum": 1, "log": True, "help": "学习率"},
        ),
        ("x: int = 10     # hp: [1..100] step 1 — passes", {"minimum": 1, "maximum": 100, "step": 1, "help": "passes"}),
        ('x = "adam"  # hp: {"adam","sgd"}', {"choices": ("adam", "sgd"), "type": "String"}),
        ("x = 'a'  # hp: {'a', '}'} which", {"choices": ("a", "}"), "help": "which"}),
        ("x = 1  # hp: [1e-5..1] log", {"type": "Float", "default": 1.0}),
        ("x = 5  # hp: [1..]", {"minimum": 1, "maximum": None}),
        ("x = 5  # hp: [ .. 10 ]", {"minimum": None, "maximum": 10}),
        (
            "x = 0.5  # hp: (0..1] drop",
            {"minimum": 0, "maximum": 1, "open_minimum": True, "open_maximum": False, "help": "drop"},
        ),
        ("x = 0.5  # hp: [0..1)", {"minimum": 0, "maximum": 1, "open_minimum": False, "open_maximum": True}),
        ("x = 0.5  # hp: ]0..1[", {"open_minimum": True, "open_maximum": True}),
        ("x = 0.5  # hp: (..1)", {"minimum": None, "open_minimum": False, "open_maximum": True}),
        ("x = 0.5  # hp: (0..1]", {"default": 0.5, "help": ""}),
        ("x = 0.5  # hp: (see [0..1])", {"minimum": None, "help": "(see [0..1])"}),
        ("x = (1, 2)  # hp: (0.9, 0.95) works", {"help": "(0.9, 0.95) works"}),
        ("x = 'a'  # hp: [1..20]", {"type": "String", "maximum": 20}),
        ("x = None  # hp: [0.5..1]", {"type": "Float", "default": None}),
        ("x = 3  #hp: logistic steps", {"help": "logistic steps", "log": False, "step": None}),
        ("x = 3  # hp:", {"type": "Int", "help": ""}),
        ("x = (3)  # hp: deep", {"help": "deep"}),
        ("x = 3;  # hp: deep", {"help": "deep"}),
    ],
)
def test_assignment(line: str, expected: dict[str, object]) -> None:
    (declared,) = read_schema(line).hyperparameters
    assert {name: getattr(declared, name) for name in expected} == expected
    assert declared.origin == "assignment"


@pytest.mark.parametrize(
    "source",
    [
        "SEED = 42",
        "x: int",
        "x: Final = 3",
        "x: Final[int] = 3",
        "x: Path = Path('.')",
        "x: Net = None",
        "x: float = 2 * 0.1",
        "_x: int = 3",
        "class A:\n    x: int = 3",
        "def f():\n    x: int = 3",
        "text = '''\nx = 1  # hp: [0..1]\n'''",
        "x = y = 3",
        "x.lr = 0.1",
        "config = {'lr': 0.1}",
        "hp = {1: 2, **other, 'a': f()}",
        "hp = dict(lr=0.1)",
    ],
)
def test_plain_code_declares_nothing(source: str) -> None:
    schema = read_schema(source)
    assert schema.hyperparameters == ()
    assert schema.notes == ()


@pytest.mark.parametrize("name", ["hp", "hps", "hparams", "hyperparameters"])
def test_dict_literal(name: str) -> None:
    schema = read(
        f"""
        {name} = {{
            "lr": 0.1,  # hp: [0..1] step of descent
            "layers": [64, 64],
            "name": "a",
            "data": load(),
        }}
        """
    )
    assert types(schema) == {"lr": "Float", "layers": "Json", "name": "String"}
    lr = schema.hyperparameters[0]
    assert (lr.maximum, lr.help, lr.line, lr.origin) == (1, "step of descent", 3, "dict")


def test_comment_makes_an_assignment_in_a_function_a_hyperparameter() -> None:
    assert types(read("def main():\n    lr = 0.1  # hp: [0..1]\n")) == {"lr": "Float"}


def test_comment_on_an_option_adds_a_range() -> None:
    schema = read(
        """
        p.add_argument("--n_estimators", type=int, default=500, help="trees")  # hp: [10..2000] step 10
        p.add_argument(
            "--eta",
            type=float,
            default=0.2,  # hp: [0..1] shrinkage
        )
        """
    )
    trees, eta = schema.hyperparameters
    assert (trees.minimum, trees.maximum, trees.step, trees.help, trees.default) == (10, 2000, 10, "trees", 500)
    assert (eta.minimum, eta.maximum, eta.help, eta.default) == (0, 1, "shrinkage", 0.2)


@pytest.mark.parametrize(
    "script",
    [
        "x: int = 0x{}",
        "x = [0x{}]",
        "p.add_argument('--x', type=int, default=-0x{})",
        "p.add_argument('--x', type=0x{})",
    ],
)
def test_a_whole_number_that_cannot_be_written_is_none_of_the_form(script: str) -> None:
    read = read_schema(f"import argparse\np = argparse.ArgumentParser()\n{script.format('f' * 5000)}\n")
    assert all((each.default is None) for each in read.hyperparameters)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("x = 1  # hp: [1-5]", "has no range"),
        ("x = 1  # hp: [5..1]", "begins above its end"),
        ("x = 1  # hp: (0, 1]", "has no range that can be read"),
        ("x = 1  # hp: (1..1]", "begins above its end"),
        ("x = 1  # hp: [0..1] log", "begins above 0"),
        ("x = 1  # hp: (0..1] log", "begins above 0"),
        ("x = 1  # hp: [0..1] step 0", "above 0"),
        ("x = 1  # hp: {adam, sgd}", "no choices"),
        ("x = 1  # hp: {}", "no choices"),
        ("x = True  # hp: [0..1]", "has no range"),
        ("x = 1  # hp: {'a', 'b'}", "does not go with the type"),
        ("p.add_argument('--x', action='store_true')  # hp: [0..1]", "has no range"),
        pytest.param(f"x = 1  # hp: [0..{'9' * 5000}]", "more than 400 digits", id="a long number"),
        pytest.param("x = 'a'  # hp: {" + "'}'," * 50_000, "no choices", id="many braces"),
    ],
)
def test_comment_that_contradicts_itself_is_an_error_with_its_line(line: str, words: str) -> None:
    with pytest.raises(SpecError, match=words) as caught:
        read_schema(f"import os\n{line}")
    assert caught.value.line == 2
    assert str(caught.value).startswith("line 2: ")


@pytest.mark.parametrize(
    ("source", "default"),
    [
        ("hp = {'lr': 0.1}\np.add_argument('--lr', type=float, default=0.2)", 0.2),
        ("lr: float = 0.3\np.add_argument('--lr', type=float, default=0.2)", 0.3),
        ("lr = 0.4  # hp:\nlr: float = 0.3", 0.4),
        ("lr: float = 0.3\nlr: float = 0.5", 0.5),
        ("p.add_argument('--lr', type=float, default=0.2)\np.add_argument('--lr', type=float, default=0.6)", 0.6),
    ],
)
def test_stronger_declaration_wins_and_among_equals_the_last(source: str, default: float) -> None:
    assert read_schema(source).validate({}) == {"lr": default}


def test_order_is_that_of_the_source() -> None:
    source = "b: int = 1\np.add_argument('--c', type=int, default=2)\nhp = {'a': 3}"
    assert list(read_schema(source).validate({})) == ["b", "c", "a"]


# Channels


@pytest.mark.parametrize(
    "arguments",
    [
        '"--data"',
        '"--data-dir", type=str',
        '"--train_file", required=True',
        '"--validationData"',
        '"--input-path", default=None',
        '"--csv", help="path of the data file"',
        '"--source", help="训练数据的路径"',
    ],
)
def test_option_that_looks_like_data_is_a_candidate(arguments: str) -> None:
    schema = read_schema(f"p.add_argument({arguments})")
    assert [(it.direction, it.candidate) for it in schema.channels] == [("input", True)]


@pytest.mark.parametrize(
    "arguments",
    [
        '"--test-size", type=float',
        '"--train", action="store_true"',
        '"--data", default="./data"',
        '"--dataset"',
        '"--input_shape"',
        '"--train_mode"',
        '"--split", choices=["train", "test"]',
        '"--output_dir", help="directory for output data"',
        '"--model_path", help="path of the data file"',
        '"--name", help="name of the run"',
    ],
)
def test_option_that_is_not_surely_data_stays_a_value(arguments: str) -> None:
    assert read_schema(f"p.add_argument({arguments})").channels == ()


@pytest.mark.parametrize(
    ("arguments", "is_place"),
    [
        ('"--model"', True),
        ('"--model", default="/ml/output/model/"', True),
        ('"--model", default="./model"', True),
        ('"--model", default=os.environ.get("PAI_OUTPUT_MODEL")', True),
        ('"--model", default="resnet50"', False),
        ('"--model", default=MODEL', False),
        ('"--model", choices=["a", "b"]', False),
        ('"--tensorboard", action="store_true"', False),
        ('"--checkpoints", type=int', False),
    ],
)
def test_standard_output_is_a_channel_where_its_option_takes_a_place(arguments: str, is_place: bool) -> None:
    schema = read_schema(f"p.add_argument({arguments})", outputs=STANDARD_OUTPUTS)
    assert [it.direction for it in schema.channels] == (["output"] if is_place else [])


def test_given_channels_are_channels_whatever_their_default() -> None:
    schema = read(
        "p.add_argument('--rows', default='a.csv')\np.add_argument('--plots', default='x')",
        inputs=("rows",),
        outputs=("plots",),
    )
    assert channels(schema) == {"rows": ("input", False), "plots": ("output", False)}
    assert schema.hyperparameters == ()


def test_candidate_given_a_value_is_a_plain_hyperparameter_again() -> None:
    schema = read("p.add_argument('--train_data')")
    assert schema.validate({"train_data": "s3://x"}) == {"train_data": "s3://x"}
    assert types(schema.including({"train_data": "s3://x"})) == {"train_data": "String"}
    assert schema.including({"train_data": "s3://x"}).channels == ()


# Odd sources


@pytest.mark.parametrize(
    ("source", "line"),
    [("a = 1\nb = = 2", 2), ("x = (", 1), ("x = 'a\0b'", None), ("(" * 100_000, None), ("x = '\ud800'", None)],
)
def test_source_that_is_no_python_is_an_error(source: str, line: int | None) -> None:
    with pytest.raises(SpecError, match=r"Invalid Python: |Correct it") as caught:
        read_schema(source)
    assert line is None or caught.value.line == line


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_python_counts_them(newline: str) -> None:
    source = newline.join(
        ["a = '\x0c\x0b\u2028'", "# 中文", "lr = 0.1  # hp: [0..1]", "p.add_argument('--n', type=int)", ""]
    )
    assert {it.name: it.line for it in read_schema(source).hyperparameters} == {"lr": 3, "n": 4}


def test_odd_escape_in_the_source_does_not_warn() -> None:
    assert read_schema("pattern: str = '\\d'").validate({}) == {"pattern": "\\d"}


def test_empty_source_declares_nothing() -> None:
    assert read_schema("") == Schema(is_closed=True)


def test_a_script_is_read_in_time_that_grows_with_its_length_alone() -> None:
    filler = (
        '\ndef f(a):\n    x = [a * i for i in range(3)]\n    return {"x": x, "n": len(x), **{str(k): k for k in x}}\n'
    )
    short, long = ((DATA / "seed_xgb_train.py").read_text() + filler * count for count in (60, 480))
    assert long.count("\n") > 1_900
    assert _seconds(long) < 20 * _seconds(short)  # 8 times, where it is linear; 64 times, where it is quadratic


def _seconds(source: str) -> float:
    """The time on the processor that a reading takes, which a busy machine does not change: the best of five."""

    def once() -> float:
        start = time.thread_time()
        read_schema(source)
        return time.thread_time() - start

    return min(once() for _ in range(5))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("lr = 5.0  # hp: [0..1]", "the default of `lr` is 5.0, but only a number between 0 and 1 is allowed"),
        ("lr = 0.0  # hp: (0..1]", "the default of `lr` is 0.0, but only a number above 0 and at most 1 is allowed"),
        ("n: int = 0  # hp: [1..]", "the default of `n` is 0, but only a whole number at least 1 is allowed"),
        ("opt = 'lion'  # hp: {'adam', 'sgd'}", "the default of `opt` is 'lion', but only one of"),
        ("p.add_argument('--n', type=int, default=9, choices=range(1, 5))", "the default of `n` is 9"),
        ("p.add_argument('--n', type=int, default=0)  # hp: [1..10]", "the default of `n` is 0"),
    ],
)
def test_default_that_its_own_declaration_does_not_allow_is_noted(source: str, words: str) -> None:
    (note,) = read_schema(source).notes
    assert words in note.text
    assert note.line == 1


@pytest.mark.parametrize(
    "source",
    [
        "lr = 0.5  # hp: [0..1]",
        "n: int = None  # hp: [1..3]",
        "p.add_argument('--opt', default='', choices=['a', 'b'])",
        "p.add_argument('--n', type=int, default=cores())  # hp: [1..10]",
        "p.add_argument('--n', nargs='*', default=[], choices=['a'])",
    ],
)
def test_default_that_may_be_is_not_noted(source: str) -> None:
    assert read_schema(source).notes == ()


@pytest.mark.parametrize(
    "source",
    [
        "lr: float = 0.1\nlr = 0.2",
        "lr = 0.1  # hp: [0..1]\nlr = f(2)\nprint(lr)",
        "x = 1\nlr: float = 0.1; y = 2\nlr = y",
    ],
)
def test_value_that_the_script_replaces_before_reading_it_is_noted(source: str) -> None:
    (note,) = read_schema(source).notes
    assert "`lr` is assigned again before anything reads it" in note.text
    assert source.splitlines()[note.line - 1].startswith("lr = ")


@pytest.mark.parametrize(
    "source",
    [
        "lr: float = 0.1\nlr = lr * 2",
        "lr: float = 0.1\nlr += 1",
        "lr: float = 0.1\nprint(lr)\nlr = 0.2",
        "def show():\n    print(lr)\nlr: float = 0.1\nshow()\nlr = 0.2",
        "lr: float = 0.1\nif QUICK:\n    lr = 0.2",
        "lr = 0.2\nlr: float = 0.1",
        "lr = 0.4  # hp:\nlr: float = 0.3",
        "lr = 0.4  # hp:\nlr = 0.3  # hp:",
        "lr: float = 0.1\nprint(vars())\nlr = 0.2",
    ],
)
def test_value_that_may_be_read_first_is_not_noted(source: str) -> None:
    assert read_schema(source).notes == ()
