"""What a configuration file holds after a change: what was meant, and all that others have written there."""

import json
import tomllib
from pathlib import Path

import pytest

from pai_jupyter.config.writing import profile_text, sdk_text
from pai_jupyter.errors import SpecError

FILE = Path("/home/u/config")
WORK = {"region": "cn-w", "access_key_id": "id", "access_key_secret": 'a"b\\c'}
OTHERS = """# mine
profile = "work"  # for now

[profiles.default]  # the usual one
region = "cn-d"

# the other one
[profiles.work]
region = "cn-old"
bucket = "old-bucket"

[profiles.zoo]
region = "cn-z"
"""


def test_the_sdk_file_keeps_what_is_not_ours() -> None:
    before = {"region_id": "cn-a", "new": [1, {"x": None}], "oss_endpoint": "e.com", "名": "值"}
    after = json.loads(sdk_text(FILE, json.dumps(before), {"region_id": "cn-b", "oss_endpoint": None, "none": None}))
    assert after == {"region_id": "cn-b", "new": [1, {"x": None}], "名": "值"}


@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_an_sdk_file_begins_with_nothing(text: str) -> None:
    assert json.loads(sdk_text(FILE, text, {"region_id": "cn-b"})) == {"region_id": "cn-b"}


@pytest.mark.parametrize("text", ["{", "[1]", "[" * 100_000])
def test_an_sdk_file_that_cannot_be_understood_is_not_replaced(text: str) -> None:
    with pytest.raises(SpecError, match="/home/u/config"):
        sdk_text(FILE, text, {"region_id": "cn-b"})


def test_a_profile_is_replaced_and_nothing_else_is() -> None:
    after = profile_text(FILE, OTHERS, "work", WORK)
    assert tomllib.loads(after) == {
        **tomllib.loads(OTHERS),
        "profiles": {**tomllib.loads(OTHERS)["profiles"], "work": WORK},
    }
    for line in OTHERS.split("\n"):
        assert "old" in line or line in after.split("\n")


@pytest.mark.parametrize("name", ["default", "work", "zoo", "a.b", "new"])
@pytest.mark.parametrize("text", ["", OTHERS, OTHERS.rstrip(), OTHERS.replace("\n", "\r\n")])
def test_a_profile_is_read_as_it_was_written(name: str, text: str) -> None:
    once = profile_text(FILE, text, name, WORK)
    assert tomllib.loads(once)["profiles"][name] == WORK
    assert profile_text(FILE, once, name, WORK) == once


@pytest.mark.parametrize("header", ["[profiles.'work']", '[ profiles . "work" ]', "  [profiles.work]# x"])
def test_a_profile_is_found_however_its_header_is_spelt(header: str) -> None:
    after = profile_text(FILE, f"{header}\nregion = 'cn-a'\n", "work", WORK)
    assert tomllib.loads(after)["profiles"] == {"work": WORK}


@pytest.mark.parametrize("text", ["profiles.work.region = 'cn-a'\n", "profiles = {work = {region = 'cn-a'}}\n"])
def test_a_file_in_another_style_is_left_alone(text: str) -> None:
    with pytest.raises(SpecError, match=r"config'.* (by hand|Correct the line)"):
        profile_text(FILE, text, "work", WORK)


def test_a_refusal_does_not_repeat_the_secret() -> None:
    with pytest.raises(SpecError) as caught:
        profile_text(FILE, "profiles.work.region = 'cn-a'\n", "work", WORK)
    assert 'a"b' not in repr(caught.value)
