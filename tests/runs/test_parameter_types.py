"""Values of parameters: text is read strictly, ranges and choices are kept, and sentences show what was wrong."""

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import MAX_VALUE, check_value, read_range, read_value
from pai_jupyter.runs.plan import DeclaredParameter, ParameterType
from pai_jupyter.spec import Json


@pytest.mark.parametrize(
    ("text", "expected", "value"),
    [
        ("9e-1", "Double", 0.9),
        (" 0.9111\n", "Double", 0.9111),
        ("0.90", "Double", 0.9),
        ("1", "Double", 1),
        ("-.5", "Double", -0.5),
        (" 12\n", "Int", 12),
        ("-3", "Int", -3),
        ("true", "Bool", True),
        ("False\n", "Bool", False),
        ('{"a": [1, null]}', "Map", {"a": [1, None]}),
        ('["a", 1]', "Array", ["a", 1]),
        (" a b \n", "String", "a b"),
        ("", "String", ""),
        ("1 or 1==1", "String", "1 or 1==1"),
    ],
)
def test_text_is_read_without_the_space_around_it(text: str, expected: ParameterType, value: Json) -> None:
    found = read_value(text, expected)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "Double"),
        ("nan", "Double"),
        ("inf", "Double"),
        ("-Infinity", "Double"),
        ("1e999", "Double"),
        ("0x1F", "Double"),
        ("1_000", "Double"),
        ("٣", "Int"),
        ("high", "Double"),
        ("1 or 1==1", "Double"),
        ("$(touch x)", "Int"),
        ("__import__('os')", "Double"),
        ("3.0", "Int"),
        ("9" * 5000, "Int"),
        ("9" * 5000, "Double"),
        ("1", "Bool"),
        ("yes", "Bool"),
        ("[1]", "Map"),
        ('{"a": 1}', "Array"),
        ("['a']", "Array"),
        ("[NaN]", "Array"),
        ("[" * 100_000, "Array"),
        ("[" * 60 + "]" * 60, "Array"),
        ("x" * (MAX_VALUE + 1), "String"),
    ],
)
def test_text_of_another_type_is_refused_with_a_short_sentence(text: str, expected: ParameterType) -> None:
    with pytest.raises(SpecError) as caught:
        read_value(text, expected, what="output `accuracy`")
    assert str(caught.value).startswith("output `accuracy` ")
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 150


def test_a_sentence_has_no_control_characters_of_a_job() -> None:
    with pytest.raises(SpecError, match="'a··b'") as caught:
        read_value("a\x1b\nb", "Int")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("value", "expected", "typed"),
    [
        (3, "String", "3"),
        (True, "String", "true"),
        ([1, "a"], "String", '[1,"a"]'),
        ("3", "Int", 3),
        (1, "Double", 1),
        ("[1]", "Array", [1]),
    ],
)
def test_a_value_becomes_the_declared_type(value: Json, expected: ParameterType, typed: Json) -> None:
    assert check_value(value, DeclaredParameter(name="p", type=expected)) == typed


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("abc", "Int"),
        (1.5, "Int"),
        (True, "Int"),
        (False, "Double"),
        (float("nan"), "Double"),
        (1, "Bool"),
        ([], "Map"),
        ({}, "Array"),
        (None, "Int"),
    ],
)
def test_a_value_of_another_type_is_refused(value: Json, expected: ParameterType) -> None:
    with pytest.raises(SpecError, match="parameter `p`"):
        check_value(value, DeclaredParameter(name="p", type=expected))


@pytest.mark.parametrize(
    ("feasible", "inside", "outside"),
    [
        ("(0, 1]", [0.1, 1], [0, 1.1, -1]),
        ("[0, 1)", [0, 0.5], [1]),
        ("[1,10]", [1, 10], [0, 11]),
        ("(0, INF)", [1e300], [0]),
        ("[-INF, 5]", [-1e9, 5], [6]),
        ("(-inf, +INF)", [0], []),
    ],
)
def test_feasible_ranges(feasible: str, inside: list[Json], outside: list[Json]) -> None:
    declared = DeclaredParameter(name="lr", type="Double", feasible=feasible)
    assert [check_value(value, declared) for value in inside] == inside
    for value in outside:
        with pytest.raises(SpecError, match=r"parameter `lr` is .*; it must be in "):
            check_value(value, declared)


@pytest.mark.parametrize("text", ["0..1", "", "(1, 0)", "{0, 1}", "(a, b)", "(0, 1", "(--1, 2)", "(0 1)"])
def test_a_wrong_range_is_refused(text: str) -> None:
    with pytest.raises(SpecError):
        read_range(text)


def test_choices_are_compared_in_the_declared_type() -> None:
    declared = DeclaredParameter(name="depth", type="Int", choices=(1, "2"))
    assert [check_value(value, declared) for value in (1, "2", 2)] == [1, 2, 2]
    with pytest.raises(SpecError, match=r"parameter `depth` is '3'; it must be one of: '1', '2'\."):
        check_value(3, declared)
