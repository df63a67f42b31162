"""A file that lies beside the code and that the script did not find: the failure names the rule that kept it out."""

from pathlib import Path

import pytest

from pai_jupyter.cell import ExceptionFound
from pai_jupyter.errors import JobFailed
from pai_jupyter.jobs import submit
from pai_jupyter.jobs.missing_file import why_missing
from pai_jupyter.package.kept_out import kept_out
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord
from tests.support.storages import write_tree

TREE = {
    ".gitignore": b"# data\n\ndata/\n*.csv\n!kept.csv\n",
    "data/train.csv": b"1",
    "train.csv": b"1",
    "kept.csv": b"1",
    "src/.gitignore": b"*.bin\n",
    "src/deep/a.bin": b"1",
    "__pycache__/x.csv": b"1",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "a b", TREE)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("data/train.csv", (".gitignore", 3, "data/")),
        ("train.csv", (".gitignore", 4, "*.csv")),
        ("src/deep/a.bin", ("src/.gitignore", 1, "*.bin")),
        ("kept.csv", None),
        ("gone.csv", None),
        ("data", None),
        ("../a b/train.csv", None),
        ("src//a", None),
        ("a\0b", None),
    ],
)
def test_the_line_is_found(root: Path, name: str, rule: tuple[str, int, str] | None) -> None:
    found = kept_out(root, name)
    assert (found and (found.file, found.line, found.rule)) == rule


def test_a_paiignore_decides_alone(root: Path) -> None:
    (root / ".paiignore").write_text("\n*.csv")
    found = kept_out(root, "train.csv")
    assert found is not None
    assert (found.file, found.line) == (".paiignore", 2)
    (root / ".paiignore").write_text("")
    assert kept_out(root, "data/train.csv") is None


def record(root: Path | str | None) -> JobRecord:
    return JobRecord(id="j1", spec=JobSpec(name="a", command="true", source_dir=root), backend="process", created=1.0)


def missing(path: str, type_: str = "FileNotFoundError") -> ExceptionFound:
    return ExceptionFound(type=type_, message=f"[Errno 2] No such file or directory: '{path}'")


@pytest.mark.parametrize(
    "path",
    ["data/train.csv", "./data/train.csv", "/ml/usercode/data/train.csv", "/home/u/jobs/j1/ml/usercode/data/train.csv"],
)
def test_the_sentence_names_file_rule_and_remedy(root: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.parent)
    assert why_missing(missing(path), record(root), "cell") == (
        "'data/train.csv' is beside the code, but .gitignore line 3 `data/` keeps it out of the package: --include a b/data"
    )


def test_what_a_nested_file_keeps_out_is_not_included_either(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert why_missing(missing("src/deep/a.bin"), record(root), "line").endswith(
        "Change that line, or give the file as an input: -i NAME=src/deep/a.bin"
    )
    assert "--" not in why_missing(missing("data/train.csv"), record(root), "python")


@pytest.mark.parametrize("path", ["kept.csv", "/etc/data/train.csv", "../data/train.csv", "", "gone", "x" * 900])
def test_other_files_have_no_such_sentence(root: Path, path: str) -> None:
    assert why_missing(missing(path), record(root), "cell") == ""


def test_without_a_directory_of_this_machine_nothing_is_said(root: Path) -> None:
    for place in (None, "oss://bucket/code/", "relative"):
        assert why_missing(missing("train.csv"), record(place), "cell") == ""
    assert why_missing(None, record(root), "cell") == ""
    assert why_missing(missing("train.csv", "KeyError"), record(root), "cell") == ""


def test_a_failed_job_says_it_and_the_remedy_helps(root: Path) -> None:
    (root / "train.py").write_text("print(open('data/train.csv').read())")
    spec = JobSpec(name="a", command="python train.py", source_dir=root)
    job = submit(spec, backend="process")
    with pytest.raises(JobFailed):
        job.wait(60)
    assert ".gitignore line 3 `data/` keeps it out of the package" in job.failure().hint
