"""A local TensorBoard through the Jupyter server: for who is logged in, without the secret and without Jupyter's cookies."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.tensorboard import list_apps
from pai_jupyter.jobs import Job
from tests.support.cloud_sessions import session_at
from tests.support.emulators import Emulator
from tests.support.server import PREFIX, TOKEN, Reply, Server
from tests.support.started import until

pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'pai_jupyter[lab]'")

# A board that tells what it was asked, as `python -c _ECHO RUNS`.
_ECHO = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Echo(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps([self.command, self.path, dict(self.headers)]).encode()
        body += self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        for name, value in {"Content-Length": str(len(body)), "Set-Cookie": "a=b", "Server": "echo"}.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", "default-src 'self'")
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
    def log_message(self, *_): pass
server = HTTPServer(("127.0.0.1", 0), Echo)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def board(server: Server, job: Job) -> Iterator[str]:
    """A real one over a job; its id."""
    reply = server.ask("tensorboards", method="POST", body=json.dumps({"jobs": [job.id]}).encode()).json()
    board = str(reply["id"])
    until(lambda: row(server, board)["state"] == "running")
    yield board
    server.ask(f"tensorboards/{board}", method="DELETE")


@pytest.fixture
def echo(server: Server) -> Iterator[str]:
    """What counts as a board: a process of ours that names the board's folder. Its secret is "secret"."""
    folder = server.home / "tensorboards" / "beeeeeeee"
    (folder / "runs").mkdir(parents=True)
    command = [sys.executable, "-c", _ECHO, str(folder / "runs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        record = {"id": folder.name, "folders": {}, "pid": process.pid, "port": port, "created": time.time()}
        (folder / "board.json").write_text(json.dumps(record))
        (folder / "secret").write_text("secret")
        yield folder.name
        server.ask(f"tensorboards/{folder.name}", method="DELETE")


def row(server: Server, board: str) -> dict[str, Any]:  # Any: JSON values
    return next(each for each in server.ask("tensorboards").json()["boards"] if each["id"] == board)


def look(server: Server, board: str, path: str = "", **given: Any) -> Reply:  # Any: of `ask`
    return server.ask(f"/pai-jupyter/boards/{board}/{path}", **given)


def test_who_is_logged_in_sees_the_board_and_never_its_secret(server: Server, board: str) -> None:
    secret = (server.home / "tensorboards" / board / "secret").read_text()
    page = look(server, board, headers=server.log_in().headers())
    assert page.status == 200
    assert b"TensorFlow Authors" in page.body
    assert page.headers["Content-Security-Policy"].startswith("frame-ancestors 'self'")
    runs = look(server, board, "data/runs", headers=server.log_in().headers())
    assert json.loads(runs.body) == []
    listed = server.ask("tensorboards").body
    assert secret.encode() not in page.body + runs.body + listed + str([*page.headers.items()]).encode()
    assert secret not in server.log


def test_who_is_not_logged_in_is_sent_to_the_login(server: Server, board: str) -> None:
    reply = look(server, board, "data/runs", headers={})
    assert (reply.status, f"{PREFIX}login" in reply.headers["Location"]) == (302, True)
    assert look(server, board, "data/runs", method="POST", headers={}).status == 403


@pytest.mark.parametrize("board", ["b00000000", "..", "%2e%2e", "x", "b0000000%2f", "*", "%ff"])
def test_what_is_no_board_of_ours_is_not_asked(server: Server, board: str) -> None:
    assert look(server, board).status == 404


def test_a_board_whose_process_has_ended_is_not_asked(server: Server, echo: str, tmp_path: Path) -> None:
    record = server.home / "tensorboards" / echo / "board.json"
    value = json.loads(record.read_text())
    with subprocess.Popen(["sleep", "60"]) as other:  # somebody else's, that got its number
        record.write_text(json.dumps({**value, "pid": other.pid}))
        try:
            assert look(server, echo).status == 404
        finally:
            record.write_text(json.dumps(value))
            other.kill()


def test_the_board_gets_the_address_as_it_is_and_nothing_of_jupyter(server: Server, echo: str) -> None:
    headers = server.log_in().headers(
        Accept="text/html", **{"X-XSRFToken": "x", "Referer": "http://localhost/?token=x"}
    )
    reply = look(server, echo, "data/a%2Fb%20c?tag=%E8%AE%AD&x=1", headers=headers)
    method, path, told = json.loads(reply.body)
    assert (method, path) == ("GET", "/secret/data/a%2Fb%20c?tag=%E8%AE%AD&x=1")
    assert set(told) <= {"Host", "Accept", "Accept-Encoding"}
    assert TOKEN not in str(told)
    assert reply.headers.get_all("Content-Security-Policy", [])[-1] == "default-src 'self'"
    assert "a=b" not in str(reply.headers.get_all("Set-Cookie"))


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://127.0.0.1:{port}", 200), ("http://evil.example", 403), ("null", 403), (None, 403)],
)
def test_a_post_must_come_from_a_page_of_this_server(
    server: Server, echo: str, origin: str | None, status: int
) -> None:
    given = {} if origin is None else {"Origin": origin.format(port=server.port)}
    headers = server.log_in().headers(Host=f"127.0.0.1:{server.port}", **given)
    reply = look(server, echo, "data", method="POST", body=b"what was sent", headers=headers)
    assert reply.status == status
    assert reply.body.endswith(b"what was sent") is (status == 200)


def test_an_app_of_the_emulator_is_passed_on_as_well(server: Server, cloud: Emulator) -> None:
    body = json.dumps({"uri": "oss://emulator/view/"}).encode()
    app = server.ask("tensorboards", method="POST", body=body).json()["id"]
    try:
        until(lambda: row(server, app)["state"] == "running")
        assert row(server, app)["url"] == f"{PREFIX}pai-jupyter/boards/{app}/"
        assert b"TensorFlow Authors" in look(server, app).body
    finally:
        for each in list_apps(session=session_at(cloud)):
            each.delete()
