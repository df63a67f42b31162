"""What is shown of a step in a few words: its condition with the values that decided, its values, the counts of what is in it."""

from collections.abc import Iterator

import pytest

from pai_jupyter.runs.labels import (
    MOST_INPUTS,
    condition_label,
    condition_sources,
    count_jobs,
    count_statuses,
    input_labels,
    value_label,
)
from pai_jupyter.runs.state import ConditionState, StepState, StepStatus
from pai_jupyter.spec import Json
from tests.support.run_plans import output


def condition(text: str, **values: Json) -> ConditionState:
    return ConditionState(
        text=text, values={f"pipelines.{name}.outputs.parameters.out": it for name, it in values.items()}
    )


@pytest.mark.parametrize(
    ("given", "label"),
    [
        (condition(f"{output('a')} <= 0.90"), "out <= 0.90"),
        (condition(f"{output('a')} <= 0.90", a=0.85), "out = 0.85 <= 0.90"),
        (condition(f"{output('a')} <= 0.90", a=" 0.9111\n"), "out = 0.9111 <= 0.90"),
        (condition(f"{output('a')} == x", a=""), "out = '' == x"),
        (condition(f"{output('a')} > 1\n and {output('b')} < 2", a=3), "a.out = 3 > 1 and b.out < 2"),
        (condition("{{item}} == 1 or {{inputs.parameters.n}} > 2"), "item == 1 or n > 2"),
        (condition("{{.Names}} == {{pipelines.}}"), "{{.Names}} == {{pipelines.}}"),
        (condition("x" * 20_000), "x" * 199 + "…"),
    ],
)
def test_a_condition_is_short_and_has_the_values_that_decided(given: ConditionState, label: str) -> None:
    assert condition_label(given) == label


def test_the_steps_of_a_condition_are_those_it_refers_to() -> None:
    assert condition_sources(condition(f"{output('a')} > 1 and {output('b')} < {{{{inputs.parameters.n}}}}")) == {
        "a",
        "b",
    }
    assert condition_sources(condition("a >")) == condition_sources(None) == frozenset()


@pytest.mark.parametrize(
    ("value", "label"),
    [("a\n b", "a b"), (0.9, "0.9"), (None, "null"), ({"k": [1, "训"]}, '{"k": [1, "训"]}'), ("x" * 50, "xxxxxxx…")],
)
def test_a_value_is_one_line(value: Json, label: str) -> None:
    assert value_label(value, 8 if value == "x" * 50 else 200) == label


def test_inputs_in_a_list_are_few_and_short_without_secrets() -> None:
    inputs: dict[str, Json] = {"empty": "", "api_key": "abc", "env": {"DB_PASSWORD": "abc", "lr": 1}, "long": "x" * 99}
    labels = input_labels({**inputs, **dict.fromkeys(map(str, range(20)), 1)})
    assert list(labels)[:3] == ["api_key", "env", "long"]
    assert (labels["api_key"], labels["env"]) == ("***", '{"DB_PASSWORD": "***", "lr": 1}')
    assert (len(labels), len(labels["long"])) == (MOST_INPUTS, 40)


@pytest.mark.parametrize(
    "value",
    [
        f"https://{'u' * 40}:hunter22@host/x",
        ["--url", f"https://{'u' * 99}:hunter22@host/x"],
        "x" * 30 + " " + "AKIA" + "B" * 16,
    ],
)
def test_a_value_that_is_clipped_is_masked_for_what_is_cut_off_too(value: Json) -> None:
    assert input_labels({"source": value}) == {"source": "***"}


def test_jobs_are_counted_in_all_that_is_within() -> None:
    done, waiting = StepStatus.SUCCEEDED, StepStatus.WAITING
    inner = tuple(StepState(path=f"p/{n}", name=str(n), kind="job", title="", status=done) for n in range(3))
    steps = (
        StepState(path="p", name="p", kind="pipeline", title="", status=StepStatus.RUNNING, children=inner),
        StepState(path="q", name="q", kind="pipeline", title=""),
    )
    assert count_jobs(steps) == {waiting: 1, done: 3}
    assert count_statuses(steps) == {waiting: 1, StepStatus.RUNNING: 1}


def test_of_a_large_value_only_the_beginning_is_written() -> None:
    read: list[int] = []

    class Counted(list[int]):
        def __iter__(self) -> Iterator[int]:
            for item in super().__iter__():
                read.append(item)
                yield item

    large: Json = Counted(range(1_000_000))  # type: ignore[assignment]  # a list, which counts
    assert value_label(large, 20) == "[0, 1, 2, 3, 4, 5, …"
    assert len(read) == 8  # each takes three characters at least
