"""Names that nobody gave: each once in a home, whoever submits at the same time, and whatever lies in the book."""

import subprocess
import sys

import pytest

from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobNames, JobRecord, JobStore

TAKING = """
from pai_jupyter.store import JobNames, JobStore
for number in range(25):
    print(JobNames(JobStore()).take("a b", f"j{number}"))
"""


@pytest.fixture
def names() -> JobNames:
    return JobNames(JobStore())


def recorded(job_id: str, name: str) -> None:
    JobStore().create(JobRecord(id=job_id, spec=JobSpec(name=name, command="c"), backend="process", created=1.0))


def test_each_kernel_gets_names_of_its_own_though_all_submit_at_once() -> None:
    kernels = [subprocess.Popen([sys.executable, "-c", TAKING], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    taken = [name for kernel in kernels for name in kernel.communicate()[0].split("\n") if name]
    assert sorted(taken) == sorted(f"a b-{number}" for number in range(1, 76))


def test_a_stem_goes_on_behind_the_jobs_that_are_there(names: JobNames) -> None:
    recorded("j1", "iris-4")
    recorded("j2", "iris-x-9")
    recorded("j3", "iris")
    assert names.take("iris", "j9") == "iris-5"
    assert names.take("训练", "j9") == "训练-1"


def test_a_number_is_free_again_only_where_no_later_one_was_given(names: JobNames) -> None:
    first, second = names.take("iris", "j1"), names.take("iris", "j2")
    names.give_back("iris", first)
    assert names.take("iris", "j3") == "iris-3"
    names.give_back("iris", "iris-3")
    names.give_back("iris", second)
    assert names.take("iris", "j4") == "iris-2"


def test_a_name_with_a_time_is_one_by_itself(names: JobNames) -> None:
    assert names.take("fit_20261122-090000", "j1") == "fit_20261122-090000"
    recorded("j1", "fit_20261122-090000")
    assert names.take("fit_20261122-090000", "j2") == "fit_20261122-090000-2"


@pytest.mark.parametrize("book", ["", "[]", "{", '{"iris": "x"}', '{"iris": -3}', '{"iris": 1e400}', '{"iris": true}'])
def test_a_damaged_book_takes_no_name_twice(names: JobNames, book: str) -> None:
    recorded("j1", "iris-4")
    (JobStore().home / "names.json").write_text(book)
    assert names.take("iris", "j9") == "iris-5"


def test_a_book_that_is_held_for_too_long_costs_no_job(names: JobNames, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    monkeypatch.setattr("pai_jupyter.store.job_names.PATIENCE", 0.05)
    names.take("iris", "j1")
    with FileLock(JobStore().home / "names.lock"):
        assert names.take("iris", "j1ng5") == "iris-j1ng5"
