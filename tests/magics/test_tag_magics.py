"""%pai_tag: tags, star, name and note of jobs, and how jobs are told from tags."""

from collections.abc import Iterator

import pytest

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import close_runtime
from pai_jupyter.store import Annotations, JobStore
from tests.support.lists import BEGAN, record
from tests.support.shells import Shell


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell beside two jobs that have ended."""
    monkeypatch.setenv("PAI_JUPYTER_LANG", "en")
    record("j1aaaaaaaa", name="iris-1")
    record("j2bbbbbbbb", name="iris-2", status=Status.FAILED, created=BEGAN + 5)
    with Shell() as shell:
        yield shell
    close_runtime()


def kept(job_id: str) -> Annotations:
    return JobStore().open(job_id).annotations()


def ran(shell: Shell, line: str) -> str:
    result = shell.run(f"%pai_tag {line}")
    assert result.error is None, result.text
    return result.text.strip()


def test_tags_are_given_to_all_jobs_in_front_of_them(shell: Shell) -> None:
    told = ran(shell, "iris-1 j2bbbb best 论文 --star")
    assert told.splitlines() == ["j1aaaaaaaa iris-1: ★ best 论文", "j2bbbbbbbb iris-2: ★ best 论文"]
    assert kept("j1aaaaaaaa") == kept("j2bbbbbbbb") == Annotations(is_starred=True, tags=("best", "论文"))
    assert ran(shell, "iris-2 --remove best --no-star") == "j2bbbbbbbb iris-2: 论文"
    assert kept("j2bbbbbbbb") == Annotations(tags=("论文",))


def test_a_name_and_a_note_are_given_and_taken_back(shell: Shell) -> None:
    assert ran(shell, 'iris-1 --name "base line" --note "overfits after epoch 20"') == (
        "j1aaaaaaaa base line: overfits after epoch 20"
    )
    assert ran(shell, '"base line" --name "" --note ""') == "j1aaaaaaaa iris-1: no star, tags or note"
    assert kept("j1aaaaaaaa") == Annotations()


def test_without_anything_it_shows_what_there_is(shell: Shell) -> None:
    ran(shell, "iris-1 best")
    assert ran(shell, "iris-1 iris-2").splitlines() == [
        "j1aaaaaaaa iris-1: best",
        "j2bbbbbbbb iris-2: no star, tags or note",
    ]


def test_a_word_that_is_a_job_and_a_tag_is_asked_about(shell: Shell) -> None:
    ran(shell, "iris-2 --add iris-1")
    result = shell.run("%pai_tag iris-2 iris-1")
    assert isinstance(result.error, SpecError)
    assert "type --add iris-1" in str(result.error)
    assert kept("j2bbbbbbbb").tags == ("iris-1",)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "which job?"),
        ("iris-1 --star --no-star", "exclude each other"),
        ("iris-1 iris-2 --name best", "--name is of one job, and these are 2"),
        ("iris-1 a:b", "has : in it"),
        ("iris-1 --note", "--note"),
    ],
)
def test_a_line_that_says_nothing_sensible_changes_nothing(shell: Shell, line: str, told: str) -> None:
    result = shell.run(f"%pai_tag {line}")
    assert isinstance(result.error, SpecError)
    assert told in str(result.error)
    assert kept("j1aaaaaaaa") == Annotations()


def test_a_note_with_a_known_secret_is_to_be_left_out(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_WEBHOOK", "https://hooks.invalid/s3nd-h1ther")
    told = str(shell.run("%pai_tag iris-1 --note https://hooks.invalid/s3nd-h1ther").error)
    assert told.endswith("Leave it out.")
    assert "environments" not in told
    assert kept("j1aaaaaaaa") == Annotations()


def test_a_job_that_is_not_there_is_said_to_be(shell: Shell) -> None:
    assert isinstance(shell.run("%pai_tag nothing best").error, NotFoundError)


def test_the_others_are_changed_though_one_cannot_be(shell: Shell) -> None:
    (JobStore().path("j1aaaaaaaa") / "annotations.json").write_text("{")
    assert "annotations.json" in str(shell.run("%pai_tag iris-1 iris-2 best").error)
    assert kept("j2bbbbbbbb").tags == ("best",)


def test_tab_offers_jobs_tags_and_options(shell: Shell) -> None:
    ran(shell, "iris-1 best")
    assert "iris-2" in shell.complete("%pai_tag iri")
    assert "best" not in shell.complete("%pai_tag be")
    assert "best" in shell.complete("%pai_tag iris-2 be")
    assert "best" in shell.complete("%pai_tag iris-2 --remove be")
    assert any(each.endswith("best") for each in shell.complete("%pai_jobs tag:be"))
    assert any(each.endswith("no-star") for each in shell.complete("%pai_tag iris-2 --no"))


def test_in_chinese(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")
    assert "没有星标、标签和备注" in ran(shell, "iris-1")
    assert "标签 'a:b' 含有 :。" in shell.run("%pai_tag iris-1 a:b").text
