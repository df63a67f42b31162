"""What the user says about a job: kept beside its record, merged whoever changes it, and strict about what is there."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.store import AnnotationChange, AnnotationLog, Annotations, JobFolder, JobStore
from pai_jupyter.store.annotation_files import MAX_LOG
from tests.support.lists import record

TAGGING = """
import sys
from pai_jupyter.store import AnnotationChange, JobStore
folder = JobStore().open("j1")
for number in range(12):
    folder.annotate(AnnotationChange(add=(f"{sys.argv[1]}{number}",)))
"""


@pytest.fixture
def job() -> JobFolder:
    return record("j1")


@pytest.fixture
def log() -> AnnotationLog:
    return AnnotationLog(JobStore().home)


def change(folder: JobFolder, **given: object) -> Annotations:
    return folder.annotate(AnnotationChange(**given))  # type: ignore[arg-type]  # fields of a change


def kept(folder: JobFolder) -> Annotations:
    return JobStore().open(folder.id).annotations()


def news(log: AnnotationLog) -> set[str]:
    """The jobs that are said to have changed, which must be known."""
    changed = log.changed()
    assert changed is not None
    return {*changed}


# --- changes ---------------------------------------------------------------------------------------------------------


def test_a_job_has_no_annotations_at_first(job: JobFolder) -> None:
    assert job.annotations() == Annotations()
    assert {path.name for path in JobStore().home.iterdir()} == {"jobs"}


def test_each_field_is_changed_by_itself_and_the_record_never(job: JobFolder) -> None:
    before = (job.path / "job.json").read_bytes()
    change(job, name="best so far", add=("best", "论文"))
    change(job, is_starred=True, note="line 1\nline 2")
    change(job, add=("last",), remove=("论文",))
    assert kept(job) == Annotations(name="best so far", is_starred=True, tags=("best", "last"), note="line 1\nline 2")
    assert job.annotations() == kept(job)
    change(job, name="", is_starred=False, note="", remove=("best", "last"))
    assert kept(job) == Annotations()
    assert (job.path / "job.json").read_bytes() == before


def test_nobody_else_can_read_them(job: JobFolder) -> None:
    change(job, note="mine")
    home = JobStore().home
    files = [job.path / "annotations.json", home / "annotations.log", home / "annotations.lock"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600] * 3


def test_kernels_that_tag_one_job_at_once_lose_no_tag(job: JobFolder) -> None:
    kernels = [subprocess.Popen([sys.executable, "-c", TAGGING, name]) for name in "abc"]
    assert [kernel.wait() for kernel in kernels] == [0, 0, 0]
    assert {*kept(job).tags} == {f"{name}{number}" for name in "abc" for number in range(12)}


def test_tags_that_differ_only_in_case_are_one(job: JobFolder) -> None:
    change(job, add=("Best", "best", "BEST"))
    assert kept(job).tags == ("Best",)
    change(job, remove=("bEST",))
    assert kept(job).tags == ()


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("a b", "has a blank in it"),
        ("a\u00a0b", "has a blank in it"),
        ("a,b", "has , in it"),
        ("a:b", "has : in it"),
        ('a"b', 'has " in it'),
        ("lr<1", "has < in it"),
        ("-x", "begins with -"),
        ("a\u200bb", "cannot be seen"),
        ("a\x1bb", "cannot be seen"),
        ("a\ud800", "cannot be seen"),
        ("x" * 51, "has 51 characters"),
    ],
)
def test_a_tag_that_could_not_be_searched_is_refused(tag: str, why: str) -> None:
    with pytest.raises(SpecError, match="1 to 50 characters, without blanks, commas") as refused:
        AnnotationChange(add=(tag,))
    assert why in str(refused.value)


@pytest.mark.parametrize("tag", ["best", "训练", "v1.2", "lr=0.1", "a/b", "#7", "x" * 50, "🚀"])
def test_other_tags_are_taken(job: JobFolder, tag: str) -> None:
    assert change(job, add=(f" {tag} ",)).tags == (tag,)
    assert kept(job).tags == (tag,)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "x" * 201}, "the name has 201 characters. It is one line of at most 200"),
        ({"name": "a\nb"}, "the name has line breaks or control characters"),
        ({"name": 5}, "the name is int; it must be text."),
        ({"note": "x" * 10_001}, "the note has 10001 characters"),
        ({"note": "a\x00"}, "the note has control characters"),
        ({"note": "a\ud800"}, "the note has control characters"),
        ({"is_starred": "no"}, "a job has a star or none: give True or False."),
        ({"add": (None,)}, "a tag is NoneType; it must be text."),
    ],
)
def test_a_name_or_note_that_is_none_is_refused(given: dict[str, object], why: str) -> None:
    with pytest.raises(SpecError) as refused:
        AnnotationChange(**given)  # type: ignore[arg-type]  # wrong on purpose
    assert why in str(refused.value)


def test_a_job_has_at_most_50_tags(job: JobFolder) -> None:
    change(job, add=tuple(f"t{number}" for number in range(50)))
    with pytest.raises(SpecError, match="would have 51 tags; it may have 50"):
        change(job, add=("one-more",))
    assert len(change(job, add=("one-more",), remove=("t0",)).tags) == 50


def test_a_removed_job_gets_no_files(job: JobFolder) -> None:
    JobStore().remove("j1")
    with pytest.raises(NotFoundError, match="is gone"):
        change(job, is_starred=True)
    assert not job.path.exists()


# --- what is there ---------------------------------------------------------------------------------------------------

DAMAGES = {
    "nothing": b"",
    "half": b'{"schema":1,"na',
    "a list": b"[]",
    "deep": b"[" * 100_000,
    "no schema": b"{}",
    "a star that is none": b'{"schema":1,"is_starred":"yes"}',
    "a tag with a blank": b'{"schema":1,"tags":["a b"]}',
    "51 tags": json.dumps({"schema": 1, "tags": [f"t{number}" for number in range(51)]}).encode(),
    "a name of two lines": b'{"schema":1,"name":"a\\nb"}',
    "a long note": json.dumps({"schema": 1, "note": "x" * 10_001}).encode(),
    "2 MiB": b'{"schema":1}' + b" " * (2 << 20),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_annotations_are_said_and_not_overwritten(job: JobFolder, damage: str) -> None:
    path = job.path / "annotations.json"
    path.write_bytes(DAMAGES[damage])
    with pytest.raises(PaiJupyterError, match=r"annotations\.json"):
        job.annotations()
    with pytest.raises(PaiJupyterError, match=r"annotations\.json"):
        change(job, is_starred=True)
    assert path.read_bytes() == DAMAGES[damage]
    assert JobStore().find("name of j1").id == "j1"


def test_annotations_of_a_newer_version_are_said_to_be(job: JobFolder) -> None:
    (job.path / "annotations.json").write_text('{"schema":2,"tags":["best"]}')
    with pytest.raises(PaiJupyterError, match="%pip install --upgrade pai_jupyter"):
        job.annotations()


@pytest.mark.parametrize("kind", ["pipe", "directory", "link"])
def test_what_is_no_file_in_their_place_is_not_read(job: JobFolder, kind: str, tmp_path: Path) -> None:
    path = job.path / "annotations.json"
    (tmp_path / "elsewhere").write_text('{"schema":1,"note":"of another"}')
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PaiJupyterError):
        job.annotations()


# --- who hears of it -------------------------------------------------------------------------------------------------


def test_the_log_names_the_jobs_that_were_changed_since_it_was_read(job: JobFolder, log: AnnotationLog) -> None:
    other = record("j2")
    assert log.changed() is None  # the first time it may be any
    assert log.changed() == frozenset()
    change(job, is_starred=True)
    change(other, add=("a",))
    change(other, add=("b",))
    assert news(log) == {"j1", "j2"}
    assert log.changed() == frozenset()
    change(other, add=("c",))
    assert news(log) == {"j2"}


def test_a_log_that_is_begun_anew_or_cut_may_hide_any_change(job: JobFolder, log: AnnotationLog) -> None:
    change(job, add=("a",))
    assert log.changed() is None
    path = JobStore().home / "annotations.log"
    with path.open("ab") as file:
        file.write(b"j1\n" * (MAX_LOG // 3 + 1))
    assert news(log) == {"j1"}
    change(job, add=("b",))
    assert path.stat().st_size < 100
    assert log.changed() is None
    path.write_bytes(path.read_bytes()[:18])
    assert log.changed() is None


def test_a_line_that_a_dying_kernel_began_hides_no_later_one(job: JobFolder, log: AnnotationLog) -> None:
    change(job, add=("a",))
    log.changed()
    with (JobStore().home / "annotations.log").open("ab") as file:
        file.write(b"\nj9")
    assert log.changed() == frozenset()
    change(job, add=("b",))
    assert "j1" in news(log)
