"""Hostile requests to the server: none is a 500, none reads a file outside the job folders, none harms the server."""

import socket
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from pai_jupyter.store import JobStore
from tests.support.hostile import NUMBERS, TRAVERSALS, assert_unharmed, check, surround
from tests.support.programs import Program, lines
from tests.support.server import AUTHORIZED, PREFIX, TOKEN, Server, running_server
from tests.support.started import ended_in

MB = 1024 * 1024
QUERIES = [
    "?" * 100,
    "&" * 10_000,
    "=" * 100,
    "?a=b",
    "?replica",
    "?replica=&start=&stop=",
    "?replica=master-0&start=0&stop=9007199254740991",
    "?replica=master-0&start=-1&stop=-5",
    "?replica=master-0&start=5&stop=1",
    "?" + "&".join(f"a{number}=1" for number in range(3_000)),
    "?replica=%ff",
    "?replica=..%2f..%2f..%2fsecret&start=0&stop=9",
    "?replica=%00&start=0&stop=1",
    "?token=%ff",
    "?no_track_activity=1&_=1&_xsrf=%ff",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def job(server: Server) -> str:
    """The id of a job that has ended, with secrets all around it."""
    job = ended_in(server.home, Program(before=lines(0, 40)))
    surround(server, job)
    return job.id


@pytest.fixture(autouse=True)
def unharmed(server: Server) -> Iterator[None]:
    yield
    assert_unharmed(server)


@pytest.mark.parametrize("hostile", TRAVERSALS, ids=lambda value: value[:30])
def test_no_id_leads_out_of_the_job_folders(server: Server, job: str, hostile: str) -> None:
    for rest in ("", "/lines?replica=master-0&start=0&stop=9", "/log", "/package", "/files/model/model.bin", "/source"):
        check(server, f"jobs/{hostile}{rest}")
    for kind in ("stop", "rerun"):
        check(server, f"jobs/{hostile}/{kind}", method="POST")


@pytest.mark.parametrize("hostile", TRAVERSALS, ids=lambda value: value[:30])
def test_no_path_leads_out_of_a_channel(server: Server, job: str, hostile: str) -> None:
    for path in (hostile, f"deep/{hostile}", quote(hostile, safe=""), hostile.replace("/", "%2f")):
        check(server, f"jobs/{job}/files/model/{path}")
        check(server, f"jobs/{job}/files?channel=model&path={path}")
        check(server, f"jobs/{job}/files?channel=model&preview=true&path={path}")


@pytest.mark.parametrize("hostile", TRAVERSALS, ids=lambda value: value[:30])
def test_no_channel_or_replica_leads_out_of_the_job(server: Server, job: str, hostile: str) -> None:
    name = quote(hostile, safe="%")
    check(server, f"jobs/{job}/files/{name}/secret")
    check(server, f"jobs/{job}/files?channel={name}&path=secret")
    check(server, f"jobs/{job}/log?replica={name}")
    check(server, f"jobs/{job}/lines?replica={name}&start=0&stop=9")
    check(server, f"jobs/{job}/search?replica={name}&pattern=.&regex=true")
    check(server, f"jobs/{job}/points?group={name}")


@pytest.mark.parametrize("number", NUMBERS, ids=lambda value: value[:30])
def test_any_number_is_answered(server: Server, job: str, number: str) -> None:
    value = quote(number, safe="%")
    check(server, f"jobs/{job}/lines?replica=master-0&start={value}&stop={value}")
    check(server, f"jobs/{job}/lines?replica=master-0&start=0&stop={value}")
    check(server, f"jobs/{job}/search?replica=master-0&pattern=line&limit={value}&after={value}")


@pytest.mark.parametrize("query", QUERIES, ids=lambda value: value[:30])
@pytest.mark.parametrize("kind", ["", "/lines", "/search", "/points", "/files", "/source", "/environment", "/log"])
def test_any_query_is_answered(server: Server, job: str, kind: str, query: str) -> None:
    check(server, f"jobs/{job}{kind}{query}")


@pytest.mark.parametrize(
    "pattern", ["(" * 5_000, "(a+)+$", "\\", "[", "(?P<a>", "a{1,99999999999}", "(?i)" * 900, "\0", "\ud800"]
)
@pytest.mark.parametrize("regex", ["true", "false"])
def test_any_pattern_is_answered(server: Server, job: str, pattern: str, regex: str) -> None:
    text = quote(pattern, errors="surrogatepass")
    check(server, f"jobs/{job}/search?replica=master-0&regex={regex}&pattern={text}")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "BREW"])
@pytest.mark.parametrize(
    "path", ["", "jobs/{job}", "jobs/{job}/lines", "jobs/{job}/files/model/model.bin", "x", "socket"]
)
def test_any_method_is_answered(server: Server, job: str, method: str, path: str) -> None:
    check(server, path.format(job=job), method=method)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("kind", ["stop", "rerun"])
def test_nothing_is_done_by_other_methods_than_post(server: Server, job: str, kind: str, method: str) -> None:
    jobs = len(list(JobStore(server.home).folders()))
    assert server.ask(f"jobs/{job}/{kind}", method=method).status == 405
    assert len(list(JobStore(server.home).folders())) == jobs


@pytest.mark.parametrize(
    "body",
    [b"{", b"[" * MB, b"\xff" * 100, b'{"values": {"lr": 1}}', b"x" * (10 * MB)],
    ids=lambda body: repr(body[:9]),
)
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_body_that_nobody_asked_for_is_no_trouble(server: Server, job: str, body: bytes, kind: str) -> None:
    reply = server.ask(f"jobs/{job}/stop", method="POST", body=body, headers={**AUTHORIZED, "Content-Type": kind})
    assert reply.status < 500


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": ""},
        {"Origin": "\xff"},
        {"Range": "bytes=-1"},
        {"Range": "bytes=0-99999999999999999999"},
        {"If-None-Match": '"' * 1000},
        {"Accept-Encoding": "gzip;q=x"},
        {"Cookie": "a=\x80; " * 1000},
        {"Content-Length": "-1"},
        {"Transfer-Encoding": "chunked, chunked"},
        {"X-Forwarded-For": "' OR 1=1"},
        {"Upgrade": "websocket", "Connection": "Upgrade"},
    ],
    ids=lambda value: str(value)[:40],
)
def test_any_header_is_answered(server: Server, job: str, headers: dict[str, str]) -> None:
    for path in (f"jobs/{job}/files/model/model.bin", f"jobs/{job}", "socket"):
        assert answered(server, path, headers).startswith(b"HTTP/1.1 ")
        assert not answered(server, path, headers).startswith(b"HTTP/1.1 5")


def answered(server: Server, path: str, headers: dict[str, str]) -> bytes:
    """The beginning of the answer to a request that no client library would send."""
    given = {"Host": f"127.0.0.1:{server.port}", "Connection": "close", **AUTHORIZED, **headers}
    head = [f"GET {PREFIX}pai-jupyter/api/{path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode("latin-1"))
        return connection.recv(64)


def test_the_token_is_in_no_answer(server: Server, job: str) -> None:
    for path in ("", f"jobs/{job}", f"jobs/{job}/environment", f"jobs/{job}/source", "nothing"):
        assert TOKEN.encode() not in server.ask(path).body
