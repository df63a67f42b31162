"""What no client of ours would send: names that lead out, numbers that are none; and what every answer to them must keep.

A secret lies wherever a request that gets out would find it: above the job folders, beside them, in a file that a link in
an output channel leads to, in the server's own directory.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pai_jupyter.jobs import Job
from tests.support.server import Reply, Server

SECRET = b"hunter2-hunter2"
TRAVERSALS = [
    "../secret",
    "../../secret",
    "../../../../../../etc/passwd",
    "..%2fsecret",
    "..%2f..%2f..%2fsecret",
    "%2e%2e%2fsecret",
    "%2e%2e/secret",
    "%2e%2e%5csecret",
    "..%252f..%252fsecret",
    "%252e%252e%252fsecret",
    "..%c0%afsecret",
    "....//secret",
    "..;/secret",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "//etc/passwd",
    "file:///etc/passwd",
    "link",
    "linked/secret",
    "./secret",
    ".",
    "..",
    "%2e%2e",
    "secret%00.png",
    "%00",
    "%0d%0aSet-Cookie:%20a=b",
    "~",
    "~root",
    "$HOME",
    "*",
    "%ff%fe",
    "%",
    "%zz",
    "%ed%a0%80",
    "model.bin/",
    "model.bin/x",
    "x" * 5_000,
    "x/" * 5_000,
    "pipe",
    "%E2%80%AE",
]
NUMBERS = [
    "-1",
    "0",
    "1e9",
    "9" * 30,
    "9" * 5_000,
    "-" + "9" * 30,
    "1.5",
    "NaN",
    "",
    "null",
    "[]",
    "0x10",
    "१२",
    "1_0",
    "%00",
]


def surround(server: Server, job: Job) -> list[Path]:
    """Lay secrets all around this job, and into its output channel links to them; where they lie."""
    model, secrets = Path(job.output("model")), []
    for place in (server.folder, server.home, server.home / "jobs", server.folder / "elsewhere", job.folder.path):
        place.mkdir(exist_ok=True)
        secrets.append(place / "secret")
        secrets[-1].write_bytes(SECRET)
    for name, target in (("link", server.home / "secret"), ("linked", server.folder / "elsewhere")):
        if not (model / name).is_symlink():
            (model / name).symlink_to(target)
    if not (model / "pipe").exists():
        os.mkfifo(model / "pipe")
    return secrets


@contextmanager
def nested(folder: Path) -> Iterator[Path]:
    """A directory in `folder` with another one in it, and so on, deeper than Python's own functions go."""
    top = folder / "nested"
    top.mkdir()
    handle = os.open(top, os.O_RDONLY)
    try:
        for _ in range(3_000):
            os.mkdir("d", dir_fd=handle)
            below = os.open("d", os.O_RDONLY, dir_fd=handle)
            os.close(handle)
            handle = below
        yield top
    finally:
        os.close(handle)
        subprocess.run(["rm", "-r", top], check=True)


def check(server: Server, path: str, **given: object) -> Reply:
    """The request is refused or answered; nothing secret comes back, and nothing unexpected has happened."""
    reply = server.ask(path, **given)  # type: ignore[arg-type]  # a method, a body
    assert reply.status < 500, (path[:200], reply)
    assert SECRET not in reply.body
    assert b"root:" not in reply.body
    assert "Set-Cookie" not in reply.headers or b"a=b" not in str(reply.headers["Set-Cookie"]).encode()
    return reply


def assert_unharmed(server: Server) -> None:
    """The server lives and has met nothing unexpected."""
    assert server.ask("").status == 200
    assert "Traceback" not in server.log
    assert "Uncaught" not in server.log
