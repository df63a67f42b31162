"""`prices.json`: which one holds, and what is wrong with one."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from pai_jupyter.config.prices import price_lists
from pai_jupyter.errors import SpecError
from tests.support.surroundings import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def beside(path: Path) -> Path:
    return path.with_name("prices.json")


def test_without_a_file_there_are_no_prices(place: Place) -> None:
    assert price_lists(place.settings) == []


def test_the_project_goes_before_the_user_and_a_change_is_seen(place: Place) -> None:
    place.write(place.project, "")
    place.write(beside(place.project), '{"currency": "USD", "per_hour": {"ecs.c6.large": 0.10}}')
    place.write(beside(place.user), '{"currency": "CNY", "per_hour": {"ecs.c6.large": 0.8, "local_gpu": 1.5}}')
    assert [(each.currency, each.find("ecs.c6.large")) for each in price_lists(place.settings)] == [
        ("USD", Decimal("0.10")),
        ("CNY", Decimal("0.8")),
    ]
    beside(place.project).unlink()
    assert [each.find("local_gpu") for each in price_lists(place.settings)] == [Decimal("1.5")]


def test_a_price_of_its_own_goes_before_the_longest_pattern(place: Place) -> None:
    prices = {"ecs.*": 1, "ecs.gn6i-*": 11.5, "ecs.gn6i-c4g1.xlarge": 12}
    place.write(beside(place.user), json.dumps({"currency": "CNY", "per_hour": prices}))
    (found,) = price_lists(place.settings)
    kinds = ("ecs.gn6i-c4g1.xlarge", "ecs.gn6i-c8g1.2xlarge", "ecs.c6.large", "local")
    assert [found.find(kind) for kind in kinds] == [Decimal(12), Decimal("11.5"), Decimal(1), None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"currency": "CNY",\n "per_hour": }', "line 2: "),
        ("[]", ": it is a list; it must be an object."),
        ('{"per_hour": {}}', "`currency` is missing"),
        ('{"currency": "yuan", "per_hour": {}}', "`currency` is no currency"),
        ('{"currency": "CNY"}', "`per_hour` must be prices"),
        ('{"currency": "CNY", "per_hour": {"a": "0.8"}}', "`per_hour.a` must be a price"),
        ('{"currency": "CNY", "per_hour": {"a": -1}}', "`per_hour.a` must be a price"),
        ('{"currency": "CNY", "per_hour": {"a": true}}', "`per_hour.a` must be a price"),
        ('{"currency": "CNY", "per_hour": {"a": NaN}}', "`per_hour.a` must be a price"),
        ('{"currency": "CNY", "per_hour": {"a": 1e99}}', "`per_hour.a` must be a price"),
        ('{"currency": "CNY", "per_hour": {"a": 1e999999999}}', "`per_hour.a` must be a price"),
        ('{"currency": "CNY", "per_hour": {"a": 1, "a": 2}}', "`a` is there twice"),
        ('{"currency": "CNY", "per_hours": {}}', "`per_hours` is not known"),
        ("[" * 100_000, "is no price list"),
    ],
)
def test_a_wrong_list_is_one_sentence_with_file_and_field(place: Place, text: str, said: str) -> None:
    path = beside(place.user)
    place.write(path, text)
    with pytest.raises(SpecError) as caught:
        price_lists(place.settings)
    sentence = str(caught.value)
    assert sentence.startswith(repr(str(path)))
    assert said in sentence
    assert 'Write {"currency": "CNY"' in sentence
