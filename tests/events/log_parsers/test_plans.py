"""A plan reads a line as the parsers do, whatever its numbers are."""

import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.events.log_parsers import ParsedLine, parse, plans
from pai_jupyter.events.log_parsers.plans import Plans
from tests.events.log_parsers.test_formats import CASES, NOTHING

LINES = [line.strip() for line in (*(line for line, _ in CASES), *NOTHING)]
DIGITS = st.text("0123456789", min_size=1, max_size=12)


def digits_like(text: str, digits: str) -> str:
    """Replace the digits of `text`, one by one; a number keeps its length."""
    at = count()
    return re.sub(r"[0-9]", lambda _: digits[next(at) % len(digits)], text)


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(LINES), st.lists(DIGITS, min_size=4, max_size=4))
def test_lines_of_one_shape_are_read_as_the_parsers_read_them(line: str, fills: list[str]) -> None:
    planned = Plans(parse)
    for text in (line, line, line, *(digits_like(line, digits) for digits in fills), line):
        assert str(planned.read(text)) == str(parse(text))  # as text: nan is not equal to itself


@pytest.mark.parametrize(
    "line", ["step 5 loss=0.5 lr=1e-05", "Train Loss: 0.5 | Train Acc: 91.5%", "Epoch [3/50], Step [1/6], Loss: 0.2"]
)
def test_the_parsers_read_no_more_than_two_lines_of_a_shape_and_two_of_our_own(line: str) -> None:
    read: list[str] = []

    def parser(text: str) -> ParsedLine | None:
        read.append(text)
        return parse(text)

    planned = Plans(parser)
    for at in range(10):
        assert str(planned.read(digits_like(line, str(at)))) == str(parse(digits_like(line, str(at))))
    assert len(read) == 4


@pytest.mark.parametrize("line", ["Accuracy: 45/50 (90%)", "val loss: nan", "loss=1e999 acc: 0.5"])
def test_a_value_that_is_no_number_of_the_line_has_no_plan(line: str) -> None:
    planned = Plans(parse)
    assert {str(planned.read(line)) for _ in range(5)} == {str(parse(line))}


def test_the_digits_of_names_are_no_numbers() -> None:
    planned = Plans(parse)
    for _ in range(4):
        for name in ("f1", "f2", "top1_acc", "top5_acc"):
            assert str(planned.read(f"{name}: 0.5")) == str(parse(f"{name}: 0.5"))


def test_lines_without_end_of_ever_new_shapes_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MAX_SHAPES", 10)
    planned = Plans(parse)
    for at in range(100):
        for _ in range(3):
            assert planned.read(f"{'x' * at} loss: 0.5") == parse(f"{'x' * at} loss: 0.5")
    assert len(planned._words) <= 10
    assert len(planned._readers) <= 10
    planned.read("x" * plans.LONGEST + " loss: 0.5")
    assert max(map(len, planned._words)) <= plans.LONGEST
