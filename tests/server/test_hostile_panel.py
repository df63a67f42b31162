"""Hostile requests to the panel's addresses: none is a 500, none reads, writes or deletes anything outside of a place."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from pai_jupyter.jobs import Job
from pai_jupyter.store import JobStore
from tests.server.conftest import at, give_output
from tests.support.emulators import Emulator
from tests.support.hostile import NUMBERS, SECRET, TRAVERSALS, assert_unharmed, check, nested, surround
from tests.support.lists import record
from tests.support.server import AUTHORIZED, Server

MB = 1024 * 1024
each_hostile = pytest.mark.parametrize("hostile", TRAVERSALS, ids=lambda value: value[:30])
CELL = "%%pai_train --backend nowhere\nprint(1)\n"


@pytest.fixture
def job(server: Server) -> Iterator[Job]:
    """A job that has ended, with secrets all around it, and in its output links to them."""
    folder = record("hostile", store=JobStore(server.home), cell=CELL)
    (give_output(folder) / "model.bin").write_bytes(b"model")
    yield Job(folder)
    server.store.remove("hostile")


@pytest.fixture
def secrets(server: Server, job: Job) -> list[Path]:
    return surround(server, job)


@pytest.fixture(autouse=True)
def unharmed(server: Server, cloud: Emulator, secrets: list[Path]) -> Iterator[None]:
    """Behind every test all secrets are there, nothing has been made, and the server has met nothing unexpected."""
    before = outside(server)
    yield
    assert [path.read_bytes() for path in secrets] == [SECRET] * len(secrets)
    assert outside(server) == before
    assert cloud.keys() == []
    assert_unharmed(server)


def outside(server: Server) -> list[Path]:
    """All that the server has on the disk but for what is in the output of our job, and files of its own."""
    return [path for path in sorted(server.folder.rglob("*")) if "hostile" not in path.parts and path.suffix != ".log"]


def written(text: str) -> list[str]:
    """`text` in the query of a request: as it stands, and encoded once and twice."""
    plain = quote(text, safe="%/:;*$~.")
    return list(dict.fromkeys([plain, quote(text, safe=""), quote(quote(text, safe=""), safe="")]))


@each_hostile
def test_no_id_leads_anywhere(server: Server, hostile: str) -> None:
    for name in dict.fromkeys((hostile, quote(hostile, safe=""), quote(hostile, safe="%"))):
        for path in (
            f"jobs/{name}/cell",
            f"jobs/{name}/difference?to=hostile",
            f"jobs/hostile/difference?to={quote(name)}",
        ):
            assert check(server, path).status in (400, 404)
        assert check(server, f"jobs/{name}/adopt", method="POST").status in (400, 404, 405, 409)
        assert check(server, f"jobs/{name}", method="DELETE").status in (400, 404, 405)
        assert check(server, f"tensorboards/{name}", method="DELETE").status in (400, 404, 405)


@each_hostile
@pytest.mark.parametrize("start", ["job:", "job:hostile/", "job:hostile/model/", ""])
def test_no_address_leads_out(server: Server, start: str, hostile: str) -> None:
    first, *others = written(start + hostile)
    for uri in (first, *others):
        check(server, f"storage?uri={uri}")
        check(server, f"storage/file?uri={uri}")
    check(server, f"storage/preview?uri={first}")
    check(server, f"storage/folder?uri={first}", method="POST")
    check(server, f"storage/file?uri={first}", method="PUT", body=b"x")
    check(server, f"storage?uri={first}", method="DELETE")


@each_hostile
@pytest.mark.parametrize("start", ["oss:", "oss://", "oss://emulator."])
def test_no_address_leads_to_another_service(server: Server, start: str, hostile: str) -> None:
    for kind, method in (("storage", "GET"), ("storage/file", "GET"), ("storage", "DELETE")):
        assert check(server, f"{kind}{at(start + hostile)}", method=method).status in (400, 404)


@each_hostile
@pytest.mark.parametrize("uri", ["job:", "job:hostile/", "job:hostile/model/", "oss://emulator/"])
def test_a_listing_goes_on_anywhere_and_nowhere_else(server: Server, uri: str, hostile: str) -> None:
    check(server, f"storage{at(uri)}&after={quote(hostile, safe='%')}")


@pytest.mark.parametrize("number", NUMBERS, ids=lambda value: value[:30])
def test_any_number_is_answered(server: Server, number: str) -> None:
    value = quote(number, safe="%")
    for name in ("start", "limit", "descending", "sort", "status"):
        check(server, f"jobs?{name}={value}")
    check(server, f"images?gpu={value}")
    check(server, f"instances?gpu={value}")


@pytest.mark.parametrize(
    "name", ["images", "instances", "backends", "tensorboards", "storage", "storage/preview", "storage/file"]
)
def test_any_query_is_answered(server: Server, name: str) -> None:
    for query in (
        "&" * 10_000,
        "=" * 100,
        "uri",
        "uri=&uri=",
        "uri=%ff",
        "check=%00",
        "gpu=%ed%a0%80",
        "a=" + "b" * 30_000,
    ):
        check(server, f"{name}?{query}")


BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"1",
    b'"cell"',
    b"\xff" * 100,
    b"\xef\xbb\xbf{}",
    b'{"cell": "\\ud800"}',
    b'{"cell": NaN}',
    b'{"cell": 1e999, "jobs": [1e999]}',
    b'{"cell": ' + b"9" * 5_000 + b"}",
    b'{"cell": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"cell": "x", "values": ' + b'{"a": ' * 900 + b"1" + b"}" * 900 + b"}",
    b'{"cell": null, "jobs": null, "uri": null}',
    b'{"cell": ["x"], "jobs": "x", "uri": ["x"]}',
    b'{"cell": "%%pai_train\\u0000", "jobs": ["\\u0000"]}',
    b'{"cell": "%%pai_train --params /etc/passwd --backend nowhere\\nprint(1)"}',
    b'{"cell": "%%pai_train --backend nowhere\\n' + b"(" * 150_000 + b'"}',
    b'{"cell": "%%pai_train --backend nowhere\\nx = ' + b"-" * 100_000 + b'1"}',
    b'{"cell": "%%pai_train ' + b"-" * 150_000 + b'"}',
    b'{"cell": "%%pai_train ' + b"-p a=1 " * 25_000 + b'"}',
    b'{"cell": "%%pai_train --backend nowhere\n' + b"[\n" * 60_000 + b'"}',
    b'{"cell": "%%pai_train --backend nowhere\n' + b"print(a)\n" * 15_000 + b'"}',
    b'{"cell": "%%pai_train --backend nowhere\n' + b"a=1\n" * 40_000 + b'"}',
    b'{"jobs": ["../hostile", "hostile/../hostile"]}',
    b'{"uri": "oss://emulator.evil.example/x"}',
    b'{"uri": "oss://no-such-bucket/x/"}',
    b'{"cell": "' + b"x" * MB + b'"}',
    b"{" + b'"a": 1, ' * 100_000 + b'"b": 1}',
    b"x" * (10 * MB),
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:60]))
@pytest.mark.parametrize("name", ["submit", "tensorboards", "schema"])
def test_any_body_is_answered(server: Server, name: str, body: bytes) -> None:
    reply = check(server, name, method="POST", body=body)
    assert name == "schema" or reply.status >= 400
    if reply.status != 200:
        assert set(reply.json()) == {"type", "message", "hint"}
        assert len(reply.body) < 10_000


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "\xff"]
)
def test_the_type_that_a_body_says_to_be_counts_for_nothing(server: Server, kind: str) -> None:
    headers = {**AUTHORIZED, "Content-Type": kind}
    body = json.dumps({"cell": CELL}).encode()
    assert check(server, "schema", method="POST", body=body, headers=headers).status == (
        400 if "multipart" in kind else 200
    )
    assert check(server, "submit", method="POST", body=b"cell=1&--a--" * 1000, headers=headers).status == 400


def test_a_job_with_directories_nested_without_end_is_kept_with_a_sentence(server: Server, job: Job) -> None:
    with nested(Path(job.output("model"))):
        refused = check(server, "jobs/hostile", method="DELETE")
    assert refused.status == 409
    assert "rm -r" in refused.json()["message"]
    assert server.ask("jobs/hostile").status == 200
