"""What the repository says stands on its own: it names no document that a reader does not have."""

import re
import subprocess

import pytest

from tests.support.paths import ROOT

ELSEWHERE = re.compile(
    r"\bseed[ _]?00\d\b|\b(design|interaction|conventions|wording|recipe|kubedl|openpai)\.md\b|(?<![\w/])contract\.md\b"
)
WRITTEN = (".py", ".ts", ".md", ".toml", ".css", ".ipynb", "Makefile", "run")


def files() -> list[str]:
    """Return the paths of all files that somebody has written, as git knows them."""
    try:
        told = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git, or no repository: this is an unpacked sdist")
    return [path for path in told.split() if path.endswith(WRITTEN) and path != "tests/repository/test_documents.py"]


def test_no_document_outside_the_repository_is_named() -> None:
    named = [
        f"{path}:{number}: {found[0]}"
        for path in files()
        for number, line in enumerate((ROOT / path).read_text().splitlines(), start=1)
        if (found := ELSEWHERE.search(line))
    ]
    assert named == []


def test_the_contract_is_linked_for_those_who_write_scripts() -> None:
    assert "pai_jupyter/contract/README.md" in (ROOT / "README.md").read_text()
