"""Values from a line, a form or Python, checked against what a script declares."""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.contract import environment, files, replicas, user_args
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import as_options, read_schema
from pai_jupyter.spec import JobSpec, Scalar

SCHEMA = read_schema(
    """
import our_library    # may take values that are not declared
lr = 0.01             # hp: [1e-5..1] log
steps = 10            # hp: [1..100]
opt = "adam"          # hp: {"adam", "sgd"}
size = 8              # hp: {8, 16}
name = "ab"           # hp: [1..5]
amp: bool = True
clip: float = float("inf")
layers: list = [64]
floor = 0             # hp: [0..]
"""
)
ARGPARSE = read_schema(
    """
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--batch-size", "--bs", type=int, default=32)
p.add_argument("--layers", nargs="+", type=int, default=[1])
p.add_argument("--train_data")
p.add_argument("--name", required=True)
p.parse_args()
"""
)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(SpecError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("steps", "32", 32),
        ("steps", " 32 ", 32),
        ("steps", 32, 32),
        ("steps", "1e2", 100),
        ("steps", 32.0, 32),
        ("steps", None, None),
        ("steps", np.int64(7), 7),
        ("lr", "1e-3", 0.001),
        ("lr", 1, 1.0),
        ("lr", np.float64(0.5), 0.5),
        ("lr", np.float32(0.5), 0.5),
        ("clip", "inf", math.inf),
        ("floor", 10**30, 10**30),
        ("amp", "TRUE", True),
        ("amp", "no", False),
        ("amp", 0, False),
        ("amp", "1", True),
        ("amp", np.bool_(True), True),
        ("opt", "sgd", "sgd"),
        ("size", "16", 16),
        ("name", "中文 x", "中文 x"),
        ("name", 5, "5"),
        ("name", True, "True"),
        ("layers", "[1, 2]", [1, 2]),
        ("layers", (1, "a"), [1, "a"]),
        ("layers", '{"a": null}', {"a": None}),
        ("other", "0.1", 0.1),
        ("other", "-3", -3),
        ("other", "1e-3", "1e-3"),
        ("other", ".5", ".5"),
        ("other", "1.10", "1.10"),
        ("other", "12e4", "12e4"),
        ("other", "-0", "-0"),
        ("other", "1e-05", 1e-05),
        ("other", "007", "007"),
        ("other", "+1", "+1"),
        ("other", "1_000", "1_000"),
        ("other", "nan", "nan"),
        ("other", "1e999", "1e999"),
        ("other", "9" * 5000, "9" * 5000),
        ("other", "true", "true"),
        ("other", "", ""),
        ("other", True, True),
        ("other", "3 ", "3 "),
        ("other", np.float64(0.1), 0.1),
    ],
)
def test_value_in_its_type(name: str, value: object, expected: Scalar) -> None:
    checked = SCHEMA.check(name, value)
    assert checked == expected
    assert type(checked) is type(expected)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lr", "abc", "`lr` is 'abc'; it must be a number between 1e-05 and 1."),
        ("lr", "", "`lr` is empty; it must be a number between 1e-05 and 1. The default is 0.01."),
        ("lr", "  ", "`lr` is empty;"),
        ("steps", "", "`steps` is empty; it must be a whole number between 1 and 100. The default is 10."),
        ("amp", "", "`amp` is empty; it must be true or false. The default is True."),
        (
            "layers",
            "",
            "`layers` is empty; it must be a list or a dict as JSON, e.g. [1, 2]. The default is [64].",
        ),
        ("opt", "", "`opt` is ''; it must be one of"),
        ("lr", 2, "`lr` is 2; it must be a number between 1e-05 and 1."),
        ("lr", True, "`lr` is True; it must be a number between 1e-05 and 1."),
        ("lr", "nan", "`lr` is 'nan'; it must be a number between 1e-05 and 1."),
        ("lr", 10**400, "it must be a number between"),
        ("steps", "3.5", "`steps` is '3.5'; it must be a whole number between 1 and 100."),
        ("steps", 3.5, "`steps` is 3.5;"),
        ("steps", True, "`steps` is True;"),
        ("steps", "1e400", "`steps` is '1e400';"),
        ("steps", 0, "`steps` is 0;"),
        ("steps", [1], "`steps` is [1];"),
        ("floor", "1e23", "`floor` is '1e23';"),  # as a float it is 8,388,608 short
        ("floor", -1, "it must be a whole number at least 0."),
        ("opt", "adamw", '`opt` is \'adamw\'; it must be one of "adam", "sgd".'),
        ("size", 9, "`size` is 9; it must be one of 8, 16."),
        ("amp", "maybe", "`amp` is 'maybe'; it must be true or false."),
        ("amp", 2, "`amp` is 2;"),
        ("name", "toolong", "it must be text of a length between 1 and 5."),
        ("name", "", "it must be text of a length between 1 and 5."),
        ("layers", "[1", "`layers` is '[1'; it must be a list or a dict as JSON, e.g. [1, 2]."),
        ("layers", "3", "it must be a list or a dict as JSON"),
        ("layers", "[" * 100_000, "it must be a list or a dict as JSON"),
        ("clip", "x", "it must be a number."),
        ("name", "x" * 10_000_000, "xxx ...;"),
        ("lr", object(), "`lr` is a object; it must be a number, text"),
        ("other", Path(), "`other` is a PosixPath;"),
        ("other", {1: 2}, "a dict with text as keys."),
        ("other", np.zeros(3), "`other` is a ndarray;"),
        ("other", [object()], "`other` is a object;"),
    ],
)
def test_wrong_value_is_told_what_is_allowed(name: str, value: object, message: str) -> None:
    text = refusal(lambda: SCHEMA.check(name, value))
    assert message in text
    assert len(text) < 200


@pytest.mark.parametrize(
    ("bounds", "wrong", "right", "words"),
    [
        ("(0..1]", "0", "1", "a number above 0 and at most 1"),
        ("[0..1)", "1", "0", "a number at least 0 and below 1"),
        ("(0..1)", "nan", "1e-9", "a number above 0 and below 1"),
        ("(0..]", "0", "inf", "a number above 0"),
        ("(..1)", "1", "-inf", "a number below 1"),
    ],
)
def test_bound_that_is_open_is_not_allowed_itself(bounds: str, wrong: str, right: str, words: str) -> None:
    schema = read_schema(f"import ours\nlr = 0.5  # hp: {bounds}")
    assert schema.check("lr", right) == float(right)
    assert refusal(lambda: schema.check("lr", wrong)) == f"`lr` is {wrong!r}; it must be {words}."


def test_error_names_its_field() -> None:
    with pytest.raises(SpecError) as caught:
        SCHEMA.validate({"steps": 3, "lr": "abc"})
    assert caught.value.field == "lr"


@pytest.mark.parametrize("text", ["inf", "-inf", "nan", "Infinity", "1e400"])
def test_number_that_is_not_finite_is_a_float(text: str) -> None:
    schema = read_schema("p.add_argument('--a', type=float)\nb: float = 1.0\np.parse_args()")
    for name in ("a", "b"):
        assert repr(schema.check(name, text)) == repr(float(text))


@pytest.mark.parametrize("text", ["None", "null", " None "])
@pytest.mark.parametrize("annotation", ["int | None", "Optional[int]", "Union[int, None]", "'int | None'"])
def test_value_that_may_be_none_is_written_as_none(annotation: str, text: str) -> None:
    source = f"n: {annotation} = 10  # of layers\nm: int | None = None\nk: int | None = 0  # hp: [1..]"
    schema = read_schema(source)
    checked = schema.validate({"n": text})
    assert checked == {}
    assert schema.write_values(source, checked) == source.replace("10", "None")
    assert schema.write_values(source, schema.validate({})) == source
    assert as_options({"n": None}, schema) == "-p n=None"
    assert refusal(lambda: schema.check("n", "no")) == "`n` is 'no'; it must be a whole number or None."


def test_none_is_a_text_where_that_may_be_meant() -> None:
    schema = read_schema("n: str | None = 'a'\nm: int = 3")
    assert schema.check("n", "None") == "None"
    assert "must be a whole number." in refusal(lambda: schema.check("m", "None"))


SHORT = """
p.add_argument("-e", "--epochs", type=int, default=1)
p.add_argument("-lr", type=float, default=0.1)
p.add_argument("-q", action="store_true")
p.add_argument("--momentum", type=float)
p.add_argument("--batch-size", type=int)
p.add_argument("--batch-norm", type=int)
p.add_argument("--height", type=int)
p.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
p.add_argument("--tag", action="append")
p.add_argument("--sizes", nargs="*", type=int)
p.add_argument("-v", "--verbose", action="count", default=0)
"""


@pytest.mark.parametrize(
    "values",
    [
        {"e": "10"},
        {"epoch": "10"},
        {"mom": "0.9"},
        {"batch-s": "8"},
        {"lr": "-0.5"},
        {"q": "true"},
        {"no-amp": "true"},
        {"no-amp": "false"},
        {"no-a": "true"},
        {"tag": "a"},
        {"tag": '["a", "-b"]'},
        {"tag": []},
        {"sizes": "[]"},
        {"verbose": "3"},
        {"v": "2"},
        {"verbose": True},  # as jobs of the version before have it
    ],
)
def test_what_argparse_accepts_is_accepted(values: dict[str, object]) -> None:
    schema = read_schema(f"{SHORT}p.parse_args()")
    checked = schema.validate(values)
    spec = JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=schema.argument_styles(checked))
    expected: dict[str, dict[str, object]] = {
        "e": {"epochs": 10},
        "epoch": {"epochs": 10},
        "mom": {"momentum": 0.9},
        "batch-s": {"batch_size": 8},
        "lr": {"lr": -0.5},
        "q": {"q": True},
        "no-amp": {"amp": values.get("no-amp") == "false"},
        "no-a": {"amp": False},
        "tag": {"tag": {"a": ["a"], '["a", "-b"]': ["a", "-b"]}.get(str(values.get("tag")))},
        "sizes": {"sizes": []},
        "verbose": {"verbose": 3 if values.get("verbose") == "3" else 1},
        "v": {"verbose": 2},
    }
    assert _parse(SHORT, user_args(spec)) == {**_parse(SHORT, ()), **expected[next(iter(values))]}
    assert schema.validate(checked) == checked  # by a rerun
    assert not set(checked) & {"e", "epoch", "mom", "batch-s", "no-amp", "no-a", "v"}


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"batch": 1}, "batch", "no option of the script"),  # stands for two
        ({"he": 1}, "he", "no option of the script"),  # --help, --height
        ({"mom": 1, "momentum": 2}, "mom", "`mom` and `momentum` are the same option. Give one of them."),
        ({"e": 1, "epo": 2}, "epo", "`epo` and `epochs` are the same option."),
        ({"no-amp": "true", "amp": "true"}, "no-amp", "`no-amp` and `amp` are the same option."),
        ({"no-amp": "maybe"}, "no-amp", "`no-amp` is 'maybe'; it must be true or false."),
        ({"mom": "x"}, "momentum", "`momentum` is 'x'; it must be a number."),
        ({"verbose": "101"}, "verbose", "must be a whole number between 0 and 100"),
        ({"tag": "[[1]]"}, "tag", "it must be a list as JSON"),
    ],
)
def test_short_name_that_argparse_does_not_know_either_is_told(
    values: dict[str, object], field: str, words: str
) -> None:
    errors = read_schema(f"{SHORT}p.parse_args()").errors(values)
    assert list(errors) == [field]
    assert words in errors[field]


def test_short_name_is_none_where_something_else_may_read_it() -> None:
    for parse in ("p = argparse.ArgumentParser(allow_abbrev=False)\np.parse_args()", "p.parse_args()\nimport ours"):
        assert read_schema(f"{SHORT}{parse}").full_name("mom") == "mom"
    values = {"mom": "x"}
    assert read_schema(f"{SHORT}p.parse_args()").validate(values, passes_args=False)["mom"] == "x"


def test_several_words_are_checked_one_by_one() -> None:
    assert ARGPARSE.check("layers", "[3, 4]") == [3, 4]
    assert ARGPARSE.check("layers", "3") == [3]


@pytest.mark.parametrize("wrong", ["[]", "3 4", '["a"]', "[[1]]", [None], "[1"])
def test_wrong_words_are_told_what_each_must_be(wrong: object) -> None:
    message = refusal(lambda: ARGPARSE.check("layers", wrong))
    assert message == f"`layers` is {wrong!r}; it must be a list as JSON, e.g. [1, 2], and each item a whole number."


# All values together


def test_validate_overlays_the_defaults() -> None:
    assert SCHEMA.validate({"lr": "0.5", "extra": "3"}) == {
        "lr": 0.5,
        "steps": 10,
        "opt": "adam",
        "size": 8,
        "name": "ab",
        "amp": True,
        "clip": math.inf,
        "layers": [64],
        "floor": 0,
        "extra": 3,
    }


def test_none_takes_a_default_away() -> None:
    assert "lr" not in SCHEMA.validate({"lr": None})


def test_empty_text_is_no_value_where_there_is_no_default() -> None:
    schema = read_schema(
        "import our_library\np.add_argument('--n', type=int)\np.add_argument('--m', type=int, default=cores())"
    )
    assert schema.validate({"n": "", "m": " "}) == {}


def test_false_flag_stays() -> None:
    schema = read_schema('p.add_argument("--amp", action="store_true")')
    assert schema.validate({}) == {"amp": False}


def test_alias_takes_the_place_of_its_option() -> None:
    assert ARGPARSE.validate({"bs": "64", "name": "x"}) == {"lr": 0.1, "bs": 64, "layers": [1], "name": "x"}


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        (
            {"name": "x", "learning": 1},
            "learning",
            "no option of the script, whose parse_args() stops at it. It has lr, batch-size",
        ),
        ({"name": "x", "batch-sice": 1}, "batch-sice", "Did you mean `batch-size`?"),
        ({"name": "x", "batch_size": 1}, "batch_size", "is spelled `batch-size` in the script. Write -p batch-size="),
        ({"name": "x", "bs": 1, "batch-size": 2}, "bs", "are the same option"),
        ({"name": "x", "a b": 1}, "a b", "'a b' cannot be a hyperparameter's name"),
        ({}, "name", "`name` has no value, and the script requires one. Give it: -p name="),
        ({"name": None}, "name", "has no value"),
    ],
)
def test_names_are_checked(values: dict[str, object], field: str, words: str) -> None:
    errors = ARGPARSE.errors(values)
    assert list(errors) == [field]
    assert words in errors[field]


def test_errors_of_all_values_are_collected() -> None:
    assert set(SCHEMA.errors({"lr": "x", "steps": 0, "opt": "sgd"})) == {"lr", "steps"}


def test_command_without_user_args_lets_any_name_pass_and_requires_none() -> None:
    assert ARGPARSE.validate({"other": "1"}, passes_args=False)["other"] == 1


def test_given_input_cannot_have_a_value_as_well() -> None:
    schema = read_schema('p.add_argument("--train_data")', inputs=["train_data"])
    assert "Remove -i or -p" in refusal(lambda: schema.validate({"train_data": "x"}))


def test_required_candidate_needs_a_place_or_a_value() -> None:
    schema = read_schema('p.add_argument("--train_data", required=True)')
    assert "Give it: -i train_data=./data" in refusal(lambda: schema.validate({}))
    assert schema.errors({}, inputs=["train_data"]) == {}
    assert schema.validate({"train_data": "x"}) == {"train_data": "x"}


def test_required_option_with_a_default_gets_it() -> None:
    schema = read_schema('p.add_argument("--n", type=int, default=3, required=True)')
    assert schema.validate({}) == {"n": 3}
    assert list(schema.errors({"n": None})) == ["n"]


def test_argument_styles() -> None:
    schema = read_schema(
        """
lr: float = 0.1
decay: float = 0.1
hp = {"depth": 3}
p.add_argument("--decay", type=float)
p.add_argument("--amp", action="store_true")
p.add_argument("--n", nargs=2)
p.parse_known_args()
"""
    )
    values: dict[str, Scalar] = {"lr": 1, "decay": 1, "depth": 1, "amp": True, "n": ["1", "2"], "extra": 1}
    assert schema.argument_styles(values) == {"lr": "assigned", "depth": "assigned", "amp": "flag", "n": "words"}


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("1.10", 1.1),
        ("12e4", 120_000.0),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("5.", 5.0),
        ("-0", 0),
        ("1E5", 1e5),
        ("0.50", 0.5),
    ],
)
def test_undeclared_number_arrives_as_it_was_typed_and_as_a_number_where_there_are_types(
    typed: str, number: float
) -> None:
    checked = SCHEMA.validate({"tag": typed})
    spec = JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=SCHEMA.argument_styles(checked))
    assert JobSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert f"--tag={typed}" in " ".join(user_args(spec)).replace("--tag ", "--tag=")
    given = environment(spec, replicas(spec)[0])
    assert given["PAI_HPS_TAG"] == typed
    assert json.loads(given["PAI_HPS"])["tag"] == number
    assert json.loads(files(spec)["input/config/hyperparameters.json"])["tag"] == typed
    assert SCHEMA.validate(checked) == checked  # by a rerun
    assert SCHEMA.including({"tag": typed}).hyperparameters[-1].type in ("Int", "Float")


def test_undeclared_text_that_is_no_number_is_text_where_there_are_types() -> None:
    checked = SCHEMA.validate({"tag": "1.10.0"})
    assert "tag" not in SCHEMA.argument_styles(checked)


def test_form_shows_a_row_for_each_undeclared_value() -> None:
    schema = SCHEMA.including({"lr": "0.5", "extra": "3", "note": "x"})
    rows = [(it.name, it.type, it.origin) for it in schema.hyperparameters][-2:]
    assert rows == [("extra", "Int", "given"), ("note", "String", "given")]
    assert schema.check("extra", "now text") == "now text"
    assert schema.validate({"extra": "3"})["extra"] == 3


def test_channel_options_are_those_not_given_a_value() -> None:
    schema = read_schema("p.add_argument('--train_data')\np.add_argument('--model')\np.add_argument('--lr')")
    assert schema.channel_options() == {"train_data", "model"}
    assert schema.channel_options({"model": "resnet"}) == {"train_data"}


def test_undeclared_row_is_refused_by_a_strict_script() -> None:
    assert list(ARGPARSE.including({"other": 1}).errors({"other": 1, "name": "x"})) == ["other"]


# argparse itself is the referee: what we send must come out as what was meant

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))  # a default with NUL is refused, too
_SCRIPT_TYPES: dict[str, tuple[str, st.SearchStrategy[Any]]] = {  # Any: values of the type
    "int": ("int", st.integers(-(10**20), 10**20)),
    "float": ("float", st.floats(allow_nan=False, allow_infinity=False)),
    "text": ("str", _TEXT),
    "json": (
        "json.loads",
        st.lists(st.one_of(st.integers(), st.text(st.characters(exclude_categories=["Cs"]))), max_size=3),
    ),
}


@st.composite
def _options(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A script with options of all kinds, and values for some of them."""
    lines, values = [], {}
    for number in range(draw(st.integers(1, 5))):
        name = f"opt{number}"
        kind = draw(st.sampled_from([*_SCRIPT_TYPES, "flag", "inverse", "switch", "words", "untyped"]))
        value: object
        match kind:
            case "flag" | "inverse" | "switch":
                action = {
                    "flag": "'store_true'",
                    "inverse": "'store_false'",
                    "switch": "argparse.BooleanOptionalAction, default=True",
                }
                rest, value = f"action={action[kind]}", draw(st.booleans())
            case "words":
                items = st.lists(st.integers(-5, 5), min_size=1, max_size=3)
                rest, value = f"nargs='+', type=int, default={draw(items)!r}", draw(items)
            case "untyped":
                rest, value = (
                    f"default={draw(st.one_of(st.integers(), _TEXT))!r}",
                    draw(st.text(max_size=3)),
                )
                value = "x" if "\0" in value or not value.isprintable() else value
            case _:
                type_name, strategy = _SCRIPT_TYPES[kind]
                rest, value = f"type={type_name}, default={draw(strategy)!r}", draw(strategy)
        lines.append(f"p.add_argument('--{name}', {rest})")
        if draw(st.booleans()):
            values[name] = value
    return "\n".join(lines), values


def _parse(script: str, words: tuple[str, ...]) -> dict[str, object]:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    exec(script, {"p": parser, "argparse": argparse, "json": json})
    return vars(parser.parse_args(list(words)))


@settings(max_examples=200)
@given(_options())
def test_argparse_receives_the_values_and_else_its_own_defaults(case: tuple[str, dict[str, object]]) -> None:
    script, values = case
    if "--" in values.values():
        return  # argparse drops this one value before Python 3.13
    schema = read_schema(script)
    checked = schema.validate(values)
    spec = JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=schema.argument_styles(checked))
    assert _parse(script, user_args(spec)) == {**_parse(script, ()), **values}
