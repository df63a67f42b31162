"""Conditions are parsed first and get their values afterwards: numbers as numbers, no value is ever syntax."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import MAX_LENGTH, MAX_NESTING, parse_condition
from pai_jupyter.spec import Json

A = "pipelines.train.outputs.parameters.accuracy"
HOSTILE = ["1 or 1==1", "$(touch x)", "__import__('os')", "' or '1'=='1", "{{item}}", ") or (1 == 1", "0.9 <= 0.9"]


def decide(text: str, **values: Json) -> bool:
    """Decide with values by short names: `a` is an output, others are inputs."""
    names = {"a": A} | {name: f"inputs.parameters.{name}" for name in values if name != "a"}
    for short, name in names.items():
        text = text.replace(f"[{short}]", f"{{{{{name}}}}}")
    is_met, used = parse_condition(text).decide({names[short]: value for short, value in values.items()})
    assert used == {names[short]: value for short, value in values.items()}
    return is_met


@pytest.mark.parametrize(
    ("value", "is_low"),
    [
        ("0.85", True),
        ("0.9", True),
        ("0.90", True),
        ("9e-1", True),
        (" 0.9111\n", False),
        ("1", False),
        ("10", False),
        (0.9, True),
        (1, False),
    ],
)
def test_the_accuracies_of_the_seed(value: Json, is_low: bool) -> None:
    assert decide("[a] <= 0.9", a=value) is is_low
    assert decide("[a] > 0.9", a=value) is not is_low
    assert decide("0.9 >= [a]", a=value) is is_low


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("10 > 9", True),  # as text, "10" is before "9"
        ("-1e3 < .5", True),
        ("1 == 1.0", True),
        ("'1' == 1.00", True),
        ("9007199254740993 > 9007199254740992.0", True),
        ("yes == yes", True),
        ("  yes   ==  'yes ' ", True),
        ("Yes == yes", False),
        ("hello world != hello", True),
        ("\"a and b\" == 'a and b'", True),
        (r"'it\'s' == " + '"it\'s"', True),
        ("1 < 2 and 2 < 1 or 3 == 3", True),
        ("1 < 2 and (2 < 1 or 3 == 4)", False),
        ("not 1 == 2", True),
        ("not (1 == 1 and 2 == 2) or not not 1 == 1", True),
        ("a==b", False),
        ("a!=b", True),
        ("1<=1", True),
        ("and1 == 'and1'", True),
    ],
)
def test_literals(text: str, is_met: bool) -> None:
    assert parse_condition(text).decide({})[0] is is_met


@pytest.mark.parametrize(
    ("text", "value", "is_met"),
    [
        ("[a] == true", True, True),
        ("[a] == True", True, True),
        ("[a] != true", False, True),
        ("[a] == best", " best\n", True),
        ("[a] == '[\"x\",1]'", ["x", 1], True),
        ("[a] == ''", "", True),
    ],
)
def test_values_of_other_types_are_compared_as_text(text: str, value: Json, is_met: bool) -> None:
    assert decide(text, a=value) is is_met


@pytest.mark.parametrize(
    ("text", "value", "as_text", "as_number"),
    [
        ("[a] == 1.1", "1.10", False, True),
        ("[a] != 1.1", "1.10", True, False),
        ("'1.1' == [a]", "1.10", False, True),
        ("[a] == 7", "007", False, True),
        ("[a] == 1000", "1e3", False, True),
        ("[a] == 1.1", " 1.1\n", True, True),
        ("not ([a] == 1.1 or [a] == 2)", "1.10", True, False),
        ("[a] <= 0.9", "9e-1", True, True),
        ("[a] > 9", "10", True, True),
    ],
)
def test_what_is_declared_as_text_is_equal_only_to_the_same_text(
    text: str, value: str, as_text: bool, as_number: bool
) -> None:
    condition = parse_condition(text.replace("[a]", f"{{{{{A}}}}}"))
    assert condition.decide({A: value})[0] is as_number
    assert condition.with_texts(lambda reference: True).decide({A: value})[0] is as_text


def test_a_text_is_compared_with_a_number_as_a_number() -> None:
    condition = parse_condition(f"{{{{{A}}}}} == {{{{inputs.parameters.b}}}}")
    values: dict[str, Json] = {A: "0.90", "inputs.parameters.b": 0.9}
    assert condition.with_texts(lambda reference: reference.text == A).decide(values)[0]
    assert not condition.with_texts(lambda reference: True).decide({**values, "inputs.parameters.b": "0.9"})[0]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_is_a_value(value: str) -> None:
    assert decide("[a] == [b]", a=value, b=value) is True
    assert decide("[a] == safe", a=value) is False
    assert decide("[a] != safe and 1 == 2", a=value) is False
    for sign in ("<", "<=", ">", ">="):
        with pytest.raises(SpecError, match="is no number"):
            decide(f"[a] {sign} 0.9", a=value)


@pytest.mark.parametrize(
    "value", ["", "nan", "inf", "-inf", "1e999", "0x10", "1_000", "٣", "True", True, [1], {"a": 1}]
)
def test_what_is_no_number_has_no_order(value: Json) -> None:
    with pytest.raises(
        SpecError, match=r"the condition cannot be decided: .* is no number, and `<` compares numbers only\."
    ):
        decide("[a] < 1", a=value)


def test_a_reference_without_a_value_is_an_error_even_where_it_would_not_matter() -> None:
    condition = parse_condition(f"1 == 1 or {{{{{A}}}}} == 2")
    for values in ({}, {A: None}):
        with pytest.raises(SpecError, match="has no value"):
            condition.decide(values)


@pytest.mark.parametrize(
    ("text", "sign", "ours"),
    [
        ("[a] > 1 && [a] < 2", "&&", "and"),
        ("[a] > 1&&[a] < 2", "&&", "and"),
        ("[a] > 1 || [a] < 2", "||", "or"),
        ("!([a] == 1)", "!", "not"),
    ],
)
def test_an_operator_of_another_language_is_named_with_ours(text: str, sign: str, ours: str) -> None:
    with pytest.raises(SpecError, match=rf"is wrong at '{re.escape(sign)}': expected `{ours}`\."):
        parse_condition(text.replace("[a]", f"{{{{{A}}}}}"))
    assert parse_condition("a == 'b&&c'").decide({})[0] is False


def test_references_are_listed_once_and_logic_is_known() -> None:
    condition = parse_condition(f"{{{{{A}}}}} > 1 and {{{{ {A} }}}} < {{{{inputs.parameters.b}}}}")
    assert [reference.text for reference in condition.references] == [A, "inputs.parameters.b"]
    assert condition.has_logic
    assert parse_condition("not 1 == 1").has_logic
    assert not parse_condition("(1 == 1)").has_logic


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "1",
        "{{item}}",
        "1 ==",
        "== 1",
        "1 = 1",
        "1 == 1 2 == 2",
        "1 == 1 == 1",
        "1 < 2 < 3",
        "(1 == 1",
        "1 == 1)",
        "1 == 1 and",
        "or 1 == 1",
        "not",
        "1 == 'open",
        "{{inputs.x}} == 1",
        "{{pipelines.a}} == 1",
        "{{a}} == 1",
        "{{item == 1",
        "1 == 1 && 2 == 2",
        "__import__('os').system('x') == 0",
        "f(x) == 1",
        "{1} == 1",
    ],
)
def test_what_is_no_condition_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_condition(text)
    assert str(caught.value).endswith(".")


def test_length_and_nesting_have_limits() -> None:
    deep = "(" * MAX_NESTING + "1 == 1" + ")" * MAX_NESTING
    assert parse_condition(deep).decide({})[0]
    for text in (f"({deep})", "not " * (MAX_NESTING + 1) + "1 == 1", "1 == " + "9" * MAX_LENGTH):
        with pytest.raises(SpecError):
            parse_condition(text)


@given(st.text(alphabet="ab01 ()'\"{}.=!<>andortinputsparmep\\", max_size=40))
def test_any_text_is_a_condition_or_gets_a_sentence(text: str) -> None:
    with suppress(SpecError):
        condition = parse_condition(text)
        assert condition.decide({reference.text: "1" for reference in condition.references})[0] in (True, False)


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_value_changes_what_is_compared(left: str, right: str) -> None:
    assert decide("[a] == [b] and 1 == 2", a=left, b=right) is False
    assert decide("[a] != [b]", a=left, b=right) is not decide("[a] == [b]", a=left, b=right)
