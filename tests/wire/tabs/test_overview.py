"""The `overview` request: what was recorded, what was not and why, and the sizes of outputs."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.store.provenance import FILE, GitState, ImageState, Provenance, PythonState, write_provenance
from pai_jupyter.wire.schema.tabs import ChangesAnswer, OverviewAnswer
from pai_jupyter.wire.tabs import overview as overview_tab
from pai_jupyter.wire.tabs.overview import changes, overview
from tests.support.declared import assert_declared

GIT = GitState(root="/a", commit="1" * 40, branch="main", remote="git@h:a.git", changed=2, untracked=1, masked=1)
KNOWN = Provenance(
    git=GIT,
    diff="+caf\udce9\n",
    python=PythonState(version="3.11.9", executable="/bin/python", packages=("a==1",)),
    images=(ImageState(uri="img:1", digest="sha256:1"),),
)


def job(known: Provenance | None = None, **spec: str) -> Job:
    wanted = JobSpec(name="a job", command="true", requirements=("b",), **spec)  # type: ignore[arg-type]  # texts
    made = Job(JobStore().create(JobRecord(id="j1", spec=wanted, backend="process", created=1.0)))
    if known is not None:
        write_provenance(made.folder.path, known)
    return made


def output(made: Job, channel: str) -> Path:
    path = made.folder.path / "output" / channel
    path.mkdir(parents=True)
    (made.folder.path / "run").mkdir()
    (made.folder.path / "run" / "outputs.json").write_text(json.dumps({channel: str(path)}))
    return path


def test_what_was_recorded_is_told() -> None:
    made = job(KNOWN)
    answer = overview(made)
    assert_declared(OverviewAnswer, answer)
    git, python = answer["git"], answer["python"]
    assert git is not None
    assert python is not None
    assert (answer["is_recorded"], git["commit"], git["diff"]) == (True, "1" * 40, 6)
    assert python["packages"] == ["a==1"]
    assert answer["images"] == [{"uri": "img:1", "digest": "sha256:1", "python": ""}]
    assert answer["requirements"] == ["b"]
    assert made.provenance == KNOWN


def test_the_difference_is_sent_as_its_bytes_are() -> None:
    body, data = changes(job(KNOWN))
    assert_declared(ChangesAnswer, body)
    assert (body, data) == ({"size": 6}, b"+caf\xe9\n")


def test_a_difference_that_was_not_recorded_is_an_error() -> None:
    with pytest.raises(NotFoundError, match="no uncommitted changes were recorded with job j1"):
        changes(job(replace(KNOWN, diff="")))


def test_a_job_of_an_older_version_says_so() -> None:
    answer = overview(job())
    assert_declared(OverviewAnswer, answer)
    assert (answer["is_recorded"], answer["note"], answer["git"], answer["python"]) == (False, "", None, None)


@pytest.mark.parametrize("text", ["{", "[]", '{"git": {"changed": -1}}', '{"python": 3}', '{"images": [{}]}'])
def test_a_damaged_record_is_told_and_the_outputs_are_there(text: str) -> None:
    made = job(KNOWN)
    (made.folder.path / FILE).write_text(text)
    answer = overview(made)
    assert not answer["is_recorded"]
    assert "provenance.json" in answer["note"]
    assert [each["channel"] for each in answer["outputs"]][:1] == ["model"]


def test_a_link_in_the_place_of_the_record_is_not_followed(tmp_path: Path) -> None:
    made = job()
    (tmp_path / "elsewhere").write_text("{}")
    (made.folder.path / FILE).symlink_to(tmp_path / "elsewhere")
    assert not overview(made)["is_recorded"]


def test_files_of_outputs_are_counted() -> None:
    made = job()
    model = output(made, "model")
    (model / "a" / "b").mkdir(parents=True)
    (model / "x").write_bytes(b"123")
    (model / "a" / "b" / "y").write_bytes(b"45")
    (model / "out").symlink_to("/etc/passwd")
    sizes = {each["channel"]: (each["count"], each["size"], each["is_more"]) for each in overview(made)["outputs"]}
    assert sizes["model"] == (3, 5, False)  # a link is an entry of no size


def test_counting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    made = job()
    model = output(made, "model")
    for number in range(30):
        (model / f"d{number}").mkdir()
        (model / f"d{number}" / "f").write_bytes(b"1")
    monkeypatch.setattr(overview_tab, "MOST_COUNTED", 40)
    [found] = [each for each in overview(made)["outputs"] if each["channel"] == "model"]
    assert found["is_more"]
    assert found["count"] < 30
    monkeypatch.setattr(overview_tab, "SECONDS", -1.0)
    begun = time.monotonic()
    assert all(each["is_more"] for each in overview(made)["outputs"] if not each["note"])
    assert time.monotonic() - begun < 5


def test_code_elsewhere_is_told_by_its_address() -> None:
    assert overview(job(Provenance(), source_dir="oss://b/code/"))["source"] == "oss://b/code/"
