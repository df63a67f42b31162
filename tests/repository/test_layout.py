"""Tests lie as the package does, and what is told of where they lie is true."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import groups
from tests.support.paths import ROOT

TESTS = ROOT / "tests"
NO_PACKAGE = {"browser", "end_to_end", "frameworks", "hdfs", "repository"}  # CONTRIBUTING.md says what is there
NO_TESTS = {"bench", "data", "fakes", "support"}
NAMED = r"(?<![\w/.-])tests/[\w/]+\.(py|json)\b"


def files_of_tests() -> Iterator[Path]:
    return (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py") if ".work" not in path.parts)


def test_a_directory_of_tests_is_named_as_a_package() -> None:
    directories = {path.parent for path in files_of_tests() if path.parts[0] not in NO_PACKAGE}
    assert Path() not in directories
    assert [path for path in sorted(directories) if not (ROOT / "pai_jupyter" / path / "__init__.py").exists()] == []


def test_what_is_no_test_lies_with_the_helpers() -> None:
    others = {path.relative_to(TESTS) for path in TESTS.rglob("*.py")} - {*files_of_tests()}
    named = {"__init__.py", "conftest.py"}
    assert [path for path in others if path.parts[0] not in {*NO_TESTS, ".work"} and path.name not in named] == []


def test_the_directories_of_groups_are_there() -> None:
    assert [name for names in groups.DIRECTORIES.values() for name in names if not (TESTS / name).is_dir()] == []


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("cloud/client/test_new.py", "cloud"),
        ("browser/test_new.py", "browser"),
        ("frameworks/test_new.py", "frameworks"),
        ("hdfs/test_new.py", "hdfs"),
        ("cell/test_new.py", "others"),
        ("backends/test_new.py", "others"),
        ("new/test_new.py", "others"),
    ],
)
def test_a_new_file_is_in_a_group_by_its_directory(path: str, group: str) -> None:
    assert groups.group_of(TESTS / path) == group


def test_every_file_of_tests_that_is_named_is_there() -> None:
    try:
        words = ["git", "grep", "-IhoP", NAMED]
        told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git, or no repository: this is an unpacked sdist")
    assert sorted({path for path in told.split() if not (ROOT / path).exists()}) == []
