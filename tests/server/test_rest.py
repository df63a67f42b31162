"""REST as a browser uses it: answers, downloads, who may ask, and a sentence with the right status where it goes wrong."""

import http.client
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message as Headers
from pathlib import Path
from urllib.parse import quote, unquote

import psutil
import pytest

from pai_jupyter.errors import (
    AuthError,
    BackendError,
    JobStopped,
    LimitExceededError,
    NotFoundError,
    PackageError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
    UnavailableError,
)
from pai_jupyter.jobs import Job
from pai_jupyter.server.downloads import PIECE, attachment
from pai_jupyter.server.http import status_of
from pai_jupyter.store import JobStore
from tests.support.described import DESCRIBED, every_request
from tests.support.programs import Program, lines
from tests.support.server import AUTHORIZED, PREFIX, Browser, Reply, Server, job, model, running_server
from tests.support.started import begin, ended_in, until

__all__ = ["job", "model"]  # fixtures

FORTY = Program(before=lines(0, 40))
ODD_NAMES = [
    "a b",
    "a'; echo x",
    "训练 数据.pt",
    'q"uote',
    "new\nline",
    "~",
    "back\\slash",
    "<img onerror=x>",
    "%2e%2e",
    "a+b",
]
MB = 1024 * 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def job_id(server: Server) -> str:
    """A job that has ended, in the server's home."""
    return ended_in(server.home, FORTY).id


def header_length(reply: Reply) -> int:
    return int(reply.headers["Content-Length"])


def test_the_root_says_which_version_answers(server: Server) -> None:
    assert server.ask("").json() == {"api": 1, "version": "0.1.0", "language": "", "notify_after": 600}


def test_a_job_is_told_as_a_snapshot_tells_it(server: Server, job: Job) -> None:
    told = server.ask(f"jobs/{job.id}").json()
    assert told["job"]["id"] == job.id
    assert told["state"]["status"] == "succeeded"
    assert told["counts"] == {"master-0": 40}


def test_lines_are_asked_for_by_window(server: Server, job: Job) -> None:
    window = server.ask(f"jobs/{job.id}/lines?replica=master-0&start=10&stop=12").json()
    assert (window["start"], window["lines"], window["count"]) == (10, ["line 10", "line 11"], 40)


def test_what_a_search_finds_comes_as_a_frame(server: Server, job: Job) -> None:
    reply = server.ask(f"jobs/{job.id}/search?replica=master-0&pattern=LINE%203.$&regex=true&ignore_case=true")
    header, (numbers,) = reply.frame()
    assert header["count"] == 10
    assert memoryview(numbers).cast("d").tolist() == [float(number) for number in range(30, 40)]
    assert reply.headers["Content-Type"] == "application/octet-stream"


@pytest.mark.parametrize("kind", ["points?group=usage", "points?group=metrics"])
def test_points_are_answered(server: Server, job: Job, kind: str) -> None:
    reply = server.ask(f"jobs/{job.id}/{kind}")
    assert reply.status == 200
    header, parts = reply.frame() if reply.headers["Content-Type"] == "application/octet-stream" else (reply.json(), [])
    assert len(header["series"]) == len(parts)


@pytest.mark.parametrize(
    ("kind", "field"),
    [("source", "script"), ("environment", "replicas"), ("files", "channels"), ("files?channel=model", "entries")],
)
def test_every_kind_of_question_is_answered(server: Server, job: Job, kind: str, field: str) -> None:
    assert field in server.ask(f"jobs/{job.id}/{kind}").json()


def test_a_preview_is_asked_for_by_query(server: Server, job: Job, model: Path) -> None:
    (model / "结果 1.json").write_text('{"a": 1}')
    told = server.ask(f"jobs/{job.id}/files?channel=model&path={quote('结果 1.json')}&preview=true").json()
    assert (told["type"], told["text"]) == ("json", '{"a": 1}')


def test_stopping_an_ended_job_is_accepted_and_changes_nothing(server: Server, job: Job) -> None:
    assert server.ask(f"jobs/{job.id}/stop", method="POST").status == 202
    assert str(job.status) == "succeeded"


def test_a_running_job_is_stopped(server: Server, monkeypatch: pytest.MonkeyPatch, gate: Path) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    job = begin(FORTY, backend="process", gate=gate)
    until(lambda: str(job.status) == "running")
    assert server.ask(f"jobs/{job.id}/stop", method="POST").status == 202
    with pytest.raises(JobStopped):
        job.wait()


def test_a_rerun_is_a_new_job_that_the_server_follows_to_its_end(server: Server, job: Job) -> None:
    reply = server.ask(f"jobs/{job.id}/rerun", method="POST")
    assert reply.status == 202
    again = Job(JobStore(server.home).open(reply.json()["job"]))
    assert again.id != job.id
    until(lambda: str(again.status) == "succeeded")


def test_a_rerun_without_its_package_is_refused_with_the_sentence(server: Server, job: Job) -> None:
    again = server.ask(f"jobs/{job.id}/rerun", method="POST").json()["job"]
    (JobStore(server.home).path(again) / "package.tar.gz").unlink()
    refused = server.ask(f"jobs/{again}/rerun", method="POST")
    assert refused.status == 404
    assert "package" in refused.json()["message"]


def test_a_rerun_that_lacks_a_secret_is_a_conflict(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    job = begin(FORTY, backend="process", environments={"MY_TOKEN": "hunter2-hunter2"}).wait()
    refused = server.ask(f"jobs/{job.id}/rerun", method="POST")
    assert refused.status == 409
    assert "MY_TOKEN" in refused.json()["message"]


# --- downloads


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_of_any_name_is_downloaded_as_an_attachment_of_bytes(
    server: Server, job: Job, model: Path, name: str
) -> None:
    (model / "deep er").mkdir(exist_ok=True)
    (model / "deep er" / name).write_bytes(name.encode())
    reply = server.ask(f"jobs/{job.id}/files/model/{quote(f'deep er/{name}')}")
    assert reply.body == name.encode()
    assert reply.headers["Content-Type"] == "application/octet-stream"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Content-Disposition"] == attachment(name)


def test_a_file_whose_name_is_no_text_is_downloaded_too(server: Server, job: Job, model: Path) -> None:
    Path(os.fsdecode(os.fsencode(model) + b"/caf\xe9")).write_bytes(b"latin")
    assert server.ask(f"jobs/{job.id}/files/model/caf%E9").body == b"latin"


def test_an_empty_file_is_downloaded(server: Server, job: Job, model: Path) -> None:
    (model / "empty").touch()
    reply = server.ask(f"jobs/{job.id}/files/model/empty")
    assert (reply.status, reply.body, header_length(reply)) == (200, b"", 0)


@pytest.mark.parametrize("query", ["", "?replica=master-0"])
def test_a_whole_log_is_downloaded(server: Server, job: Job, query: str) -> None:
    reply = server.ask(f"jobs/{job.id}/log{query}")
    assert reply.body == FORTY.log
    assert reply.headers["Content-Disposition"] == attachment("训练 a master-0.log")


def test_a_log_that_is_a_link_to_elsewhere_is_not_followed(server: Server, job: Job) -> None:
    again = server.ask(f"jobs/{job.id}/rerun", method="POST").json()["job"]
    linked = Job(JobStore(server.home).open(again))
    until(lambda: linked.status.is_terminal)
    log = linked.folder.path / "logs" / "master-0.log"
    log.unlink()
    log.symlink_to("/etc/passwd")
    assert server.ask(f"jobs/{again}/log").status == 400


def test_the_package_is_downloaded_as_it_was_sent(server: Server, job: Job) -> None:
    assert server.ask(f"jobs/{job.id}/package").body == (job.folder.path / "package.tar.gz").read_bytes()


@contextmanager
def downloading(server: Server, job: Job, name: str) -> Iterator[http.client.HTTPResponse]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("GET", f"{PREFIX}pai-jupyter/api/jobs/{job.id}/files/model/{name}", headers=AUTHORIZED)
        yield connection.getresponse()


def make_sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_a_large_file_passes_through_the_server_in_little_memory(server: Server, job: Job, model: Path) -> None:
    make_sparse(model / "large", 400 * MB)
    process, received = psutil.Process(server.process.pid), 0
    before = highest = process.memory_info().rss
    with downloading(server, job, "large") as response:
        while piece := response.read(MB):
            received += len(piece)
            highest = max(highest, process.memory_info().rss)
    assert received == 400 * MB
    assert highest - before < 30 * MB


def test_a_file_that_grows_meanwhile_is_sent_as_long_as_it_was(server: Server, job: Job, model: Path) -> None:
    path = make_sparse(model / "growing", 64 * MB)
    with downloading(server, job, "growing") as response:
        with path.open("ab") as file:
            file.write(b"more")
        assert len(response.read()) == 64 * MB


def test_a_file_that_shrinks_meanwhile_is_a_broken_download_and_no_short_file(
    server: Server, job: Job, model: Path
) -> None:
    path = make_sparse(model / "shrinking", 64 * MB)
    with downloading(server, job, "shrinking") as response:
        path.write_bytes(b"")
        with pytest.raises(http.client.IncompleteRead):
            response.read()
    assert server.ask("").status == 200
    assert "Traceback" not in server.log


def test_a_browser_that_has_had_enough_leaves_no_trace(server: Server, job: Job, model: Path) -> None:
    make_sparse(model / "long", 400 * MB)
    process = psutil.Process(server.process.pid)
    for _ in range(3):
        with downloading(server, job, "long") as response:
            response.read(PIECE)
    until(lambda: not [file for file in process.open_files() if file.path.endswith("/long")])
    assert "Traceback" not in server.log


@pytest.mark.parametrize(
    ("name", "plain", "exact"),
    [
        ("model.pt", "model.pt", "model.pt"),
        ("a b+c.pt", "a b_c.pt", "a b+c.pt"),
        ("训练.pt", "__.pt", "训练.pt"),
        ('"; filename="x.exe', "__ filename__x.exe", '"; filename="x.exe'),
        ("a\r\nSet-Cookie: b", "a__Set-Cookie_ b", "a__Set-Cookie: b"),
        ("gpj.\u202eexe", "gpj._exe", "gpj._exe"),
        ("a/..\\b\0\x1b[31m", "a_.._b___31m", "a_.._b__[31m"),
        ("\udcff", "_", "_"),
        ("", "_", "_"),
    ],
)
def test_the_name_of_a_download_is_safe_in_every_browser(name: str, plain: str, exact: str) -> None:
    header = attachment(name)
    parsed = Headers()
    parsed["Content-Disposition"] = header
    assert f'filename="{plain}";' in header
    assert unquote(header.partition("filename*=UTF-8''")[2]) == exact
    assert header.isascii()
    assert header.isprintable()


# --- who may ask

EVERYTHING = [*every_request(), ("GET", "nothing"), ("POST", "nothing"), ("DELETE", "nothing")]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "token another"}, {"Authorization": "Basic YTpi"}])
@pytest.mark.parametrize(("method", "path"), EVERYTHING)
def test_nobody_asks_without_the_token(
    server: Server, job: Job, method: str, path: str, headers: dict[str, str]
) -> None:
    reply = server.ask(path.format(job=job.id), method=method, headers=headers)
    assert reply.status == 403
    assert job.name.encode() not in reply.body


@pytest.fixture(scope="module")
def browser(server: Server) -> Browser:
    return server.log_in()


def test_a_browser_that_is_logged_in_reads(server: Server, job: Job, browser: Browser) -> None:
    assert server.ask(f"jobs/{job.id}/files", headers=browser.headers()).status == 200


@pytest.mark.parametrize(("method", "path"), [each for each in EVERYTHING if each[0] != "GET"])
def test_a_browser_changes_nothing_without_its_xsrf_token(
    server: Server, job: Job, browser: Browser, method: str, path: str
) -> None:
    before = server.store.ids()
    assert server.ask(path.format(job=job.id), method=method, headers=browser.headers()).status == 403
    assert server.store.ids() == before


def test_a_browser_changes_things_with_its_xsrf_token(server: Server, job: Job, browser: Browser) -> None:
    assert server.ask(f"jobs/{job.id}/stop", method="POST", headers=browser.changing()).status == 202


@pytest.mark.parametrize(("method", "path"), [each for each in EVERYTHING if each[1] != "socket"])
def test_a_page_from_elsewhere_reads_and_changes_nothing(
    server: Server, job: Job, browser: Browser, method: str, path: str
) -> None:
    headers = browser.changing(Origin="http://evil.example")
    reply = server.ask(path.format(job=job.id), method=method, headers=headers)
    assert reply.status in (403, 404)
    assert job.name.encode() not in reply.body


# --- whose fault it is


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SpecError, 400),
        (PackageError, 400),
        (NotFoundError, 404),
        (LimitExceededError, 409),
        (PaiJupyterError, 409),
        (JobStopped, 409),
        (AuthError, 502),
        (BackendError, 502),
        (ProtocolError, 502),
        (UnavailableError, 503),
    ],
)
def test_the_status_tells_whose_fault_it_is(error: type[PaiJupyterError], status: int) -> None:
    assert status_of(error("a sentence")) == status


@pytest.mark.parametrize(
    ("path", "status", "word"),
    [
        ("jobs/j0", 404, "j0"),
        ("jobs/{job}/lines?start=x", 400, "start"),
        ("jobs/{job}/lines?replica=master-0&start=%E0%A5%A7&stop=2", 400, "start"),
        ("jobs/{job}/lines?strat=1", 400, "strat"),
        ("jobs/{job}/lines?start=1&start=2", 400, "start"),
        ("jobs/{job}/search?replica=master-0&pattern=(&regex=true", 400, "regular expression"),
        ("jobs/{job}/search?replica=master-0&pattern=a&regex=perhaps", 400, "regex"),
        ("jobs/{job}/files/model/none", 404, "none"),
        ("jobs/{job}/files/none/none", 404, "none"),
        ("jobs/{job}/log?replica=worker-7", 404, "worker-7"),
        ("nothing", 404, "nothing"),
    ],
)
def test_a_mistake_is_answered_with_a_sentence(server: Server, job: Job, path: str, status: int, word: str) -> None:
    reply = server.ask(path.format(job=job.id))
    assert reply.status == status
    assert set(reply.json()) == {"type", "message", "hint"}
    assert word in reply.json()["message"]
    assert reply.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("address", DESCRIBED["paths"])
def test_a_method_that_there_is_not_is_refused_with_those_that_there_are(
    server: Server, job: Job, address: str
) -> None:
    path = address[1:].format(job=job.id, channel="model", path="model.bin", board="b1", run="r12345678")
    method = next(each for each in ("patch", "put") if each not in DESCRIBED["paths"][address])
    reply = server.ask(path, method=method.upper())
    assert reply.status == 405
    assert {*reply.headers["Allow"].lower().split(", ")} - {"options"} == {*DESCRIBED["paths"][address]} - {
        "parameters"
    }


def test_a_damaged_job_is_a_conflict_with_a_sentence(server: Server, job: Job) -> None:
    again = server.ask(f"jobs/{job.id}/rerun", method="POST").json()["job"]
    folder = JobStore(server.home).open(again)
    until(lambda: folder.read().state.status.is_terminal)
    (folder.path / "job.json").write_text("{")
    reply = server.ask(f"jobs/{again}")
    assert reply.status == 409
    assert "damaged" in reply.json()["message"]
