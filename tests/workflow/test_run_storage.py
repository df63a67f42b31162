"""What a run stores: the same code once, whatever its steps are, and nothing behind a run that was deleted."""

from pathlib import Path

import pytest

from pai_jupyter.package import unpack
from pai_jupyter.runs import Run, delete_run
from pai_jupyter.runs.driving import is_driven
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.store import JobStore
from pai_jupyter.workflow.local_run import local_run
from tests.support.manifests import custom_job, packed, parameter, pipeline, step
from tests.support.started import until

ITEMS = 3


def looped(source: Path) -> Run:
    """A run of a loop, whose items are given to a script of this code as `lr`."""
    job = custom_job(source=source, inputs=(parameter("lr", "Int", value=9),))
    each = step("each", given={"lr": "{{item}}"}, withSequence={"start": 0, "end": ITEMS})
    return local_run([job, pipeline(each)], "demo", backend="process")


def packages(run: Run) -> list[Path]:
    return list((run.folder / "packages").iterdir())


def inodes(run: Run) -> set[int]:
    return {path.stat().st_ino for path in [*packages(run), *(job.folder.path / "package.tar.gz" for job in run.jobs)]}


@pytest.mark.usefixtures("workplace")
def test_the_same_code_is_stored_once_in_a_run_its_jobs_and_its_rerun(tmp_path: Path) -> None:
    run = looped(packed(tmp_path / "code.tar.gz", train_py="import sys; print(sys.argv)"))
    assert len(run.jobs) == ITEMS
    assert len(inodes(run)) == 1
    again = run.rerun(from_step="each")
    again.wait()
    assert inodes(again) == inodes(run)


@pytest.mark.usefixtures("workplace")
def test_code_that_was_packed_before_is_not_stored_again_but_that_of_others_is_copied(
    tmp_path: Path, home: Path
) -> None:
    (home / "workflow" / "packages").mkdir(parents=True)
    for source, is_shared in ((home / "workflow" / "packages" / "own.tar.gz", True), (tmp_path / "code.tar.gz", False)):
        run = looped(packed(source, train_py="pass"))
        assert (inodes(run) == {source.stat().st_ino}) is is_shared


@pytest.mark.usefixtures("workplace")
def test_values_that_are_written_into_the_script_change_the_code_of_their_job_alone(tmp_path: Path) -> None:
    run = looped(packed(tmp_path / "code.tar.gz", train_py="lr: int = 9\nprint(lr)\n"))
    assert len(packages(run)) == 1
    found = set()
    for number, job in enumerate(run.jobs):
        unpack(job.folder.path / "package.tar.gz", tmp_path / f"found-{number}")
        found.add((tmp_path / f"found-{number}" / "train.py").read_text())
    assert found == {f"lr: int = {item}\nprint(lr)\n" for item in range(ITEMS)}


@pytest.mark.usefixtures("workplace")
def test_deleting_a_run_and_its_jobs_leaves_nothing_of_them(tmp_path: Path, home: Path) -> None:
    run = looped(packed(tmp_path / "code.tar.gz", train_py="lr: int = 9\nprint(lr)\n"))
    until(lambda: not is_driven(open_run_folder(run.id)))
    jobs = [job.id for job in run.jobs]
    delete_run(run.id)
    for job_id in jobs:
        JobStore(home).remove(job_id)
    left = [str(path.relative_to(home)) for path in home.rglob("*")]
    assert [name for name in left if run.id in name or any(job_id in name for job_id in jobs)] == []
    assert [name for name in left if name.endswith(".tar.gz")] == []
