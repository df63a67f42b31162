"""What a driver knows of the kernel that has started it."""

import json

import pytest

from pai_jupyter.config import Key, settings
from pai_jupyter.runs.kernel_settings import VARIABLE, kernel_settings, use_kernel_settings, with_key

SECRET = "secret-of-the-kernel"


@pytest.fixture(autouse=True)
def fresh() -> None:
    settings.cache_clear()


def test_settings_and_key_of_the_kernel_become_those_of_its_driver() -> None:
    key = Key(access_key_id="id", access_key_secret=SECRET, origin="this kernel")
    settings().update({"region": "cn-shanghai", "workspace": "42"}, key=key)
    values, environ = kernel_settings(), with_key()
    assert values == {"region": "cn-shanghai", "workspace": "42"}
    settings.cache_clear()
    use_kernel_settings(values, environ)
    assert environ == {}
    assert settings().get("region") == "cn-shanghai"
    assert settings().key(None) == key


def test_without_a_key_there_is_no_variable() -> None:
    assert with_key() == {}


@pytest.mark.parametrize("given", ["", "{", "[]", json.dumps(["one"])])
def test_a_damaged_variable_is_no_key(given: str) -> None:
    environ = {VARIABLE: given}
    use_kernel_settings({"region": "cn-shanghai"}, environ)
    assert (environ, settings().key(None)) == ({}, None)
