"""Code of a Git repository: a commit of it, and nothing of a login anywhere."""

import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.component import Component, check_component, load, run, save
from pai_jupyter.component.cell import of_source
from pai_jupyter.component.code import state_of
from pai_jupyter.component.git_clone import fetch
from pai_jupyter.component.saved import store
from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.store import JobStore

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
TOKEN = "token-0123456789"


def git(directory: Path, *words: str) -> str:
    environ = {**os.environ, "HOME": str(directory), "GIT_CONFIG_NOSYSTEM": "1"}
    own = ["-c", "user.name=me", "-c", "user.email=me@host", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", *own, *words], cwd=directory, env=environ, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(workplace: Path) -> Path:
    """Two commits on main, another branch, and a hook that must not run."""
    place = workplace / "repository"
    place.mkdir()
    git(place, "init", "-q")
    (place / "main.py").write_text("print('first')\n")
    git(place, "add", ".")
    git(place, "commit", "-qm", "one")
    git(place, "branch", "old")
    (place / "main.py").write_text("print('second')\n")
    git(place, "commit", "-qam", "two")
    return place


def component(source: str, **more: str) -> Component:
    return Component(name="cloned", command="python main.py", source=source, **more)  # type: ignore[arg-type]  # texts


@pytest.mark.parametrize(
    ("more", "text"), [({}, "second"), ({"branch": "old"}, "first"), ({"commit": "{old}"}, "first")]
)
def test_a_branch_or_a_commit_is_fetched_without_history(
    repository: Path, tmp_path: Path, more: dict[str, str], text: str
) -> None:
    more = {name: value.format(old=git(repository, "rev-parse", "old")) for name, value in more.items()}
    commit = fetch(component(f"file://{repository}", **more), tmp_path / "code").commit
    assert (tmp_path / "code" / "main.py").read_text() == f"print('{text}')\n"
    assert commit == git(repository, "rev-parse", more.get("commit") or more.get("branch") or "main")
    assert sorted(path.name for path in (tmp_path / "code").iterdir()) == ["main.py"]


def test_a_short_commit_is_found(repository: Path, tmp_path: Path) -> None:
    old = git(repository, "rev-parse", "old")
    assert fetch(component(f"file://{repository}", commit=old[:8]), tmp_path / "code").commit == old


def test_a_file_of_the_commit_is_packed_though_a_gitignore_names_it(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.bin\n")
    (repository / "model.bin").write_bytes(b"\xff")
    git(repository, "add", "-f", ".")
    git(repository, "commit", "-qm", "three")
    cloned = component(f"file://{repository}")
    assert sorted(state_of(cloned).files) == [".gitignore", "main.py", "model.bin"]
    (repository / ".paiignore").write_text("*.bin\n")  # which is about packing
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "four")
    assert sorted(state_of(cloned).files) == [".gitignore", ".paiignore", "main.py"]


def test_what_the_commit_names_and_is_not_fetched_is_said(
    repository: Path, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "lib")
    (repository / ".gitattributes").write_text("*.dat filter=lfs\n")
    (repository / "large.dat").write_text("version https://git-lfs.github.com/spec/v1\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "three")
    wanted = [
        "the repository has submodules, which are not fetched: lib. Copy what the code needs into it.",
        "the repository has files in Git LFS, of which only the pointers are fetched: large.dat. Give them as an input.",
    ]
    cloned = component(f"file://{repository}")
    commit = git(repository, "rev-parse", "main")
    about, *notes = store(cloned, workplace / "cloned.yaml").notes
    assert about.startswith(f"the code in file://{repository} @ {commit[:12]} is 4 files of")
    assert notes == wanted
    run(cloned)
    out = capsys.readouterr().out
    assert all(f"note: {each}" in out for each in wanted)


def test_a_saved_component_keeps_its_commit_while_the_branch_goes_on(
    repository: Path, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(component(f"file://{repository}", branch="main"), workplace / "cloned.yaml")
    before = git(repository, "rev-parse", "main")
    (repository / "main.py").write_text("print('third')\n")
    git(repository, "commit", "-qam", "three")
    saved = load(path)
    assert (saved.component.commit, saved.component.branch) == (before, None)
    run(saved)
    assert capsys.readouterr().out.splitlines()[-1] == "second"
    assert list((JobStore().home / "packing").iterdir()) == []


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"branch": "nobody"}, "couldn't find remote ref nobody. Check the address, the branch and the commit."),
        ({"commit": "0123456"}, "the code cannot be fetched with git:"),
    ],
)
def test_what_is_not_there_has_its_sentence(repository: Path, more: dict[str, str], sentence: str) -> None:
    with pytest.raises(PackageError) as error:
        state_of(component(f"file://{repository}", **more))
    assert sentence in str(error.value)


class _Closed(http.server.BaseHTTPRequestHandler):
    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization", ""))
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def closed() -> Iterator[tuple[str, list[str]]]:
    """A server that wants a login, and none will do; the logins that it saw."""
    seen: list[str] = []
    handler = type("Handler", (_Closed,), {"seen": seen})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_login_reaches_the_server_and_no_message(closed: tuple[str, list[str]], tmp_path: Path) -> None:
    address, seen = closed
    wanted = component(f"http://me:{TOKEN}@{address}/r.git")
    with pytest.raises(PackageError) as error:
        fetch(wanted, tmp_path / "code")
    assert any(seen)
    assert TOKEN not in str(error.value)
    assert "the code cannot be fetched with git" in str(error.value)
    assert all(TOKEN not in path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())


def test_git_asks_nobody(closed: tuple[str, list[str]], tmp_path: Path) -> None:
    with pytest.raises(
        PackageError, match=r"with git without a login: .* Give one in the address, --source-dir https://TOKEN@HOST/"
    ):
        fetch(component(f"http://{closed[0]}/r.git"), tmp_path / "code")


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/r.git?private_token=glpat-SECRETSECRETSECRET",
        "http://127.0.0.1:9/r.git?access_token=SECRET",
        "http://127.0.0.1:9/r.git;ghp_SECRETSECRETSECRETSECRET",
        "http://127.0.0.1:9/glpat-SECRETSECRETSECRET/r.git",
        "http://user:p@ss/SECRETword@127.0.0.1:9/r.git",
        "http://user:p/SECRETword@127.0.0.1:9/r.git",
        "ssh://git:p/SECRETword@127.0.0.1/r.git",
    ],
)
def test_a_secret_at_another_place_of_the_address_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(SpecError, match=r"`source` has a query, or an @ or a secret in its path") as error:
        check_component(component(address), for_pai=False)
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    "address",
    ["https://host:8443/@scope/r.git", "ssh://git@host:22/~me/r.git", "git@host:me/r.git", "https://[::1]:3/r"],
)
def test_a_plain_address_is_fine(address: str) -> None:
    check_component(component(address), for_pai=False)


def test_a_login_in_a_text_of_the_component_is_refused() -> None:
    made = component(f"https://me:{TOKEN}@host/r.git", description=f"with {TOKEN}")
    with pytest.raises(SpecError, match="`description` holds a login") as error:
        check_component(made, for_pai=False)
    assert TOKEN not in str(error.value)


def test_the_parameters_of_a_repository_are_read(repository: Path, workplace: Path) -> None:
    (repository / "main.py").write_text(
        "import argparse\nrate: float = 0.5\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.1)\n"
        "print(p.parse_known_args()[0].lr, rate)\n"
    )
    git(repository, "commit", "-qam", "three")
    read = of_source(Component(name="cloned", command="", source=f"file://{repository}", branch="main"), "main.py")
    made = read.component
    assert {each.name: each.default for each in made.parameters} == {"lr": 0.1, "rate": 0.5}
    assert (made.commit, made.branch) == (git(repository, "rev-parse", "main"), None)
    with pytest.raises(SpecError, match=r"there is no 'no\.py'"):
        of_source(Component(name="cloned", command="", source=f"file://{repository}"), "no.py")
