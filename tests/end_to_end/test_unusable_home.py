"""A home of jobs that cannot be used: one sentence with a remedy, from every address of the server, the socket and the magics."""

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.diagnostics.machine import job_folders
from pai_jupyter.errors import PackageError, PaiJupyterError
from pai_jupyter.jobs import submit
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.support.server import Server, environment
from tests.support.shells import Shell
from tests.support.tabs import open_tab

CELL = {"cell": "%%pai_train a --run\nprint(1)\n"}
ASKED: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "", None),
    ("GET", "jobs", None),
    ("GET", "jobs/j0", None),
    ("DELETE", "jobs/j0", None),
    ("POST", "jobs/j0/adopt", {}),
    *(
        ("GET", f"jobs/j0/{kind}", None)
        for kind in ("lines", "search", "points", "files", "source", "environment", "difference", "cell")
    ),
    ("POST", "jobs/j0/stop", {}),
    ("POST", "jobs/j0/rerun", {}),
    ("GET", "jobs/j0/files/model/x", None),
    ("GET", "jobs/j0/log?replica=master-0", None),
    ("GET", "jobs/j0/package", None),
    ("GET", "tensorboards", None),
    ("POST", "tensorboards", {"jobs": ["j0"]}),
    ("DELETE", "tensorboards/b0", None),
    ("GET", "backends", None),
    ("GET", "images", None),
    ("GET", "instances", None),
    ("GET", "storage?uri=job:", None),
    ("GET", "storage/preview?uri=job:j0/model/x", None),
    ("POST", "storage/folder?uri=job:j0/model/x", {}),
    ("GET", "storage/file?uri=job:j0/model/x", None),
    ("PUT", "storage/file?uri=job:j0/model/x", {}),
    ("POST", "schema", CELL),
    ("POST", "submit", CELL),
]


@pytest.fixture(scope="module", params=["a file", "/proc/nope", "a circle", "nobody's", "too long"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    server = Server(folder=folder, environ=environment(folder) | {"PAI_JUPYTER_HOME": unusable(request.param, folder)})
    server.start()
    yield server
    server.stop()


def unusable(kind: str, folder: Path) -> str:
    match kind:
        case "a file":
            (folder / "afile").touch()
            return str(folder / "afile")
        case "a circle":
            (folder / "circle").symlink_to("circle")
            return str(folder / "circle/home")
        case "nobody's":
            return "~no-such-user/home"
        case "too long":
            return str(folder / ("x" * 300))
        case _:
            return kind


def told(server: Server, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
    reply = server.ask(path, method=method, body=None if body is None else json.dumps(body).encode())
    return reply.status, reply.json()


def test_every_address_answers_with_a_sentence(server: Server) -> None:
    for method, path, body in ASKED:
        status, answer = told(server, method, path, body)
        assert status < 500, (method, path, answer)
        if status >= 400:
            assert set(answer) == {"type", "message", "hint"}, path
            assert answer["message"].rstrip("."), path
            assert "\n" not in answer["message"], path
    assert "Traceback" not in server.log


@pytest.mark.parametrize(("method", "path", "body"), [("POST", "submit", CELL)])
def test_what_needs_the_home_names_it_and_the_remedy(
    server: Server, method: str, path: str, body: dict[str, Any] | None
) -> None:
    status, answer = told(server, method, path, body)
    assert (status, "PAI_JUPYTER_HOME" in answer["message"]) == (409, True), answer


def test_the_list_of_jobs_is_not_said_to_be_empty(server: Server) -> None:
    status, answer = told(server, "GET", "jobs", None)
    if server.environ["PAI_JUPYTER_HOME"] == "/proc/nope":  # not there, and nobody has tried to make it
        assert (status, answer["rows"]) == (200, [])
    else:
        assert (status, "PAI_JUPYTER_HOME" in answer["message"]) == (409, True), answer


async def test_the_socket_answers_with_a_sentence(server: Server) -> None:
    async with open_tab(server) as tab:
        for kind in ("hello", "lines", "files", "stop", "rerun"):
            error = (await tab.ask(kind, job="j0"))["error"]
            assert error["type"] != "InternalError", (kind, error)
    assert "Traceback" not in server.log


@pytest.fixture(params=["a file", "/proc/nope", "a circle", "nobody's", "too long"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The home of jobs, in vain."""
    place = unusable(request.param, tmp_path)
    monkeypatch.setenv("PAI_JUPYTER_HOME", place)
    return place


def test_a_submission_says_that_the_home_cannot_be_used(place: str) -> None:
    with pytest.raises(PaiJupyterError, match=f"{place}.*set PAI_JUPYTER_HOME|PAI_JUPYTER_HOME is '{place}'.* Set it"):
        submit(JobSpec(name="a", command="true"), backend="process")


@pytest.mark.parametrize(
    "line",
    ["pai_jobs", "pai_attach x", "pai_logs x", "pai_stop x -y", "pai_rerun x", "pai_download x", "pai_tensorboard x",
     "pai_tensorboard --list", "pai_doctor", "pai_config show", "pai_config use emulator", "pai_config test",
     "pai_images", "pai_instances", "pai_oss ls oss://b/"],
)  # fmt: skip
def test_every_magic_ends_with_a_sentence(
    place: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        error = shell.run("%" + line).error
    assert error is None or isinstance(error, PaiJupyterError), repr(error)
    assert error is None or "\n" not in str(error).rstrip()


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.EIO])
def test_a_disk_that_becomes_read_only_is_what_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    (tmp_path / "src").mkdir()
    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "rename", refuse)
    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(PackageError, match=f"{os.strerror(error)}. Set PAI_JUPYTER_HOME"):
        build(tmp_path / "src", to=tmp_path / "package.tar.gz", files={"a": b"x"})


def test_a_home_that_may_not_be_entered_is_no_empty_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    store = JobStore(tmp_path / "home")
    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "stat", refuse)
    for look in (store.ids, lambda: store.open("j0"), lambda: store.find("j0")):
        with pytest.raises(PaiJupyterError, match=r"(kept in|be read:) .*: Permission denied\. .*PAI_JUPYTER_HOME"):
            look()


@pytest.mark.usefixtures("place")
def test_the_doctor_goes_on_without_a_home() -> None:
    found = job_folders()
    assert (found.is_good, "PAI_JUPYTER_HOME" in found.remedy) == (False, True)


def test_the_doctor_says_that_a_home_is_read_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = job_folders()
    assert (found.is_good, found.found) == (False, f"{home}: no write permission")
