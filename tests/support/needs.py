"""What tests need of the machine. A lack skips the test, and fails it where `PAI_REQUIRE` names it (.ci/run does)."""

import os
import shutil
from typing import NoReturn

import pytest

REQUIRED = frozenset(os.environ.get("PAI_REQUIRE", "").split())  # read at import: tests run without PAI_ variables


def lacking(what: str, why: str, *, remedy: str = "`make system` installs what tests use") -> NoReturn:
    """Skip the test because the machine has no `what`, or fail it where that is required."""
    if what in REQUIRED:
        pytest.fail(f"{what} is required here, but {why}")
    pytest.skip(f"{why}; {remedy}")


def need_program(name: str) -> str:
    """The path of a program that the test cannot do without."""
    return shutil.which(name) or lacking(name, f"{name} is not installed")
