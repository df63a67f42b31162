"""The state of a repository: what is recorded of it, that nothing of it is run, and that it never takes long."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.jobs.provenance import git as calls_of_git
from pai_jupyter.jobs.provenance.code import RecordedCode, read_code
from pai_jupyter.jobs.provenance.git import GitCalls, find_repository
from pai_jupyter.store.provenance import MAX_DIFF
from tests.support.repositories import Repository, needs_git

pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.make(tmp_path / "code")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine git may take its time; which tests hold it to seconds say so."""
    monkeypatch.setattr(calls_of_git, "SECONDS", 60.0)
    monkeypatch.setattr(calls_of_git, "_slow", {})


def read(path: Path, *secrets: str) -> RecordedCode:
    directory = path.resolve()
    root = find_repository(directory)
    assert root is not None
    return read_code(GitCalls(root=root, directory=directory), secrets)


def test_commit_branch_and_address_of_a_clean_repository(repository: Repository) -> None:
    repository.git("remote", "add", "origin", "https://me:hush-hush@example.invalid/a/b.git?token=1234")
    code = read(repository.path)
    assert code.git is not None
    assert (code.git.commit, code.git.branch) == (repository.head, "main")
    assert code.git.remote == "https://example.invalid/a/b.git"
    assert (code.git.is_dirty, code.git.is_tracked, code.diff) == (False, True, "")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("git@example.invalid:a/b.git", "git@example.invalid:a/b.git"),
        ("ssh://git:hush-hush@example.invalid/b", "ssh://git@example.invalid/b"),
        ("https://hush-token@example.invalid/b", "https://example.invalid/b"),
        ("/srv/b.git", "/srv/b.git"),
    ],
)
def test_an_address_has_no_login(repository: Repository, address: str, shown: str) -> None:
    repository.git("remote", "add", "other", address)
    code = read(repository.path)
    assert code.git is not None
    assert code.git.remote == shown


def test_uncommitted_changes_are_counted_and_kept(repository: Repository) -> None:
    repository.write("train.py", "lr = 0.2\nprint('loss=0.5')\n")
    repository.write("new.py", "")
    repository.write("data/a", "")
    repository.write("data/b", "")
    code = read(repository.path)
    assert code.git is not None
    assert (code.git.changed, code.git.untracked, code.git.is_dirty) == (1, 2, True)
    assert "\n-lr = 0.1\n+lr = 0.2\n" in code.diff
    repository.git("checkout", "-q", "train.py")
    (repository.path / "d.diff").write_text(code.diff)
    repository.git("apply", "d.diff")
    assert (repository.path / "train.py").read_text().startswith("lr = 0.2")


def test_staged_changes_are_changes(repository: Repository) -> None:
    repository.write("train.py", "")
    repository.git("add", "-A")
    code = read(repository.path)
    assert code.git is not None
    assert (code.git.changed, "+++ b/train.py" in code.diff) == (1, True)


def test_notebooks_come_last(repository: Repository) -> None:
    repository.write("a.ipynb", "1")
    repository.write("b.py", "1")
    repository.commit()
    repository.write("a.ipynb", "2")
    repository.write("b.py", "2")
    diff = read(repository.path).diff
    assert -1 < diff.index("b/b.py") < diff.index("b/a.ipynb")


def test_a_large_difference_is_cut_at_a_line(repository: Repository) -> None:
    repository.write("train.py", "".join(f"line {number}\n" for number in range(200_000)))
    code = read(repository.path)
    assert code.git is not None
    assert code.git.is_diff_cut
    assert MAX_DIFF - 100 < len(code.diff) <= MAX_DIFF
    assert code.diff.endswith("\n")


def test_secrets_in_a_difference_are_masked_and_counted(repository: Repository) -> None:
    repository.write("train.py", 'a = "open-sesame-1"\nAPI_KEY = "0123456789ab"\nurl = "https://u:pass@h/x"\nlr = 1\n')
    code = read(repository.path, "open-sesame-1")
    assert code.git is not None
    assert '+a = "***"\n+API_KEY = "***"\n+url = "https://***@h/x"\n+lr = 1\n' in code.diff
    assert code.git.masked == 3


def test_a_name_that_is_no_text_is_kept_as_bytes(repository: Repository) -> None:
    (repository.path / "train.py").write_bytes(b"caf\xe9\n")
    assert "+caf\udce9\n" in read(repository.path).diff


def test_before_the_first_commit(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("init", "-q")
    made.write("a.py", "1")
    made.git("add", "-A")
    code = read(tmp_path)
    assert code.git is not None
    assert (code.git.commit, code.git.branch, code.git.changed) == ("", "main", 1)
    assert code.git.diff_note == "there is no commit yet"


def test_a_directory_that_the_repository_has_nothing_of_is_told(repository: Repository) -> None:
    repository.write(".gitignore", "scratch/\n")
    repository.commit()
    repository.write("scratch/train.py", "1")
    repository.write("src/train.py", "1")
    for name, is_tracked in (("scratch", False), ("src", False), (".", True)):
        code = read(repository.path / name)
        assert code.git is not None
        assert code.git.is_tracked is is_tracked


def test_a_worktree_and_a_directory_behind_a_link(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "link").symlink_to(tmp_path / "side")
    code = read(tmp_path / "link")
    assert code.git is not None
    assert (code.git.branch, code.git.root) == ("side", str((tmp_path / "side").resolve()))


# --- nothing of it is run, nothing is written ------------------------------------------------------------------------


def hostile(repository: Repository, mark: Path) -> None:
    """Have all that git may run for a repository make `mark`."""
    program = repository.path / ".git" / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    for setting in ("core.fsmonitor", "core.pager", "diff.external", "pager.diff", "pager.status", "core.sshCommand"):
        repository.git("config", setting, str(program))
    for setting in ("textconv", "command"):
        repository.git("config", f"diff.own.{setting}", str(program))
    for setting in ("clean", "smudge"):
        repository.git("config", f"filter.own.{setting}", str(program))
    repository.git("config", "filter.own.required", "true")
    (repository.path / ".git" / "info" / "attributes").write_text("*.py diff=own filter=own\n")
    hooks = repository.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "query-watchman"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)


def test_nothing_that_the_repository_names_is_run(repository: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "was-run"
    hostile(repository, mark)
    repository.write("train.py", "lr = 0.3\n")
    code = read(repository.path)
    assert "+lr = 0.3\n" in code.diff
    assert not mark.exists()


def test_the_index_is_not_written(repository: Repository) -> None:
    index = repository.path / ".git" / "index"
    os.utime(repository.path / "train.py", (1, 1))  # what a `git status` would note
    before = index.read_bytes(), index.stat().st_mtime_ns
    assert read(repository.path).git is not None
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before


def test_variables_of_git_do_not_lead_elsewhere(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository.make(tmp_path / "other")
    other.write("more.py", "")
    other.commit()
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    code = read(repository.path)
    monkeypatch.undo()
    assert code.git is not None
    assert code.git.commit == repository.head


# --- what cannot be found out ----------------------------------------------------------------------------------------


def without_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")


def broken(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.path / ".git" / "HEAD").write_text("nonsense")


def damaged_index(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.path / ".git" / "index").write_bytes(b"nonsense" * 10)


def no_repository(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    os.rename(repository.path / ".git", repository.path / "git")  # noqa: PTH104
    (repository.path / ".git").mkdir()


@pytest.mark.parametrize(
    ("spoil", "note"),
    [
        (without_git, "git is not installed here"),
        (broken, "git: not a git repository"),
        (damaged_index, "git: bad signature"),
        (no_repository, "git: not a git repository"),
    ],
)
def test_a_repository_that_cannot_be_read_is_a_note(
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Repository, pytest.MonkeyPatch], None],
    note: str,
) -> None:
    spoil(repository, monkeypatch)
    code = read(repository.path)
    assert code.git is None
    assert code.note.startswith(note)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_repository_of_another_user_is_a_note(repository: Repository) -> None:
    for path in (repository.path, *repository.path.rglob("*")):
        os.chown(path, 12345, 12345)
    assert read(repository.path).note == f"{repository.path} belongs to another user, and git does not read it"


def test_a_git_that_hangs_is_ended_and_not_asked_again_soon(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho x >> '{tmp_path}/calls'\nsleep 300 & sleep 300\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(calls_of_git, "SECONDS", 0.3)
    begun = time.monotonic()
    assert [read(repository.path).note for _ in range(2)] == ["git took longer than 0.3 s"] * 2
    assert time.monotonic() - begun < 30
    assert (tmp_path / "calls").read_text().count("x") == 1


def test_questions_that_are_cancelled_end_at_once(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 300\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    calls = GitCalls(root=repository.path, directory=repository.path)
    calls.cancel()
    assert read_code(calls, ()).git is None


def test_without_a_repository_nothing_is_started(tmp_path: Path) -> None:
    assert find_repository(tmp_path.resolve()) is None
