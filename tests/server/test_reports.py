"""Reports over REST: written below the server's directory, and nowhere else; nothing is replaced unless that is asked for."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import nbformat
import pytest

from tests.support.lists import loss, record, running
from tests.support.server import AUTHORIZED, Reply, Server, running_server

SECRET = "https://hooks.invalid/s3nd-h1ther"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two jobs that have ended, directories in its own, and a secret in its environment."""
    folder = tmp_path_factory.mktemp("server")
    with ExitStack() as opened, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAI_JUPYTER_WEBHOOK", SECRET)
        server = opened.enter_context(running_server(folder))
        for name in ("fast", "slow"):
            record(name, running(), loss(0.5), store=server.store, name=f"{name}-job")
        for name in ("work", ".hidden"):
            (folder / name).mkdir()
        (folder / "out").symlink_to(folder.parent)
        (folder / "shy").symlink_to(folder / ".hidden")
        yield server


def write(server: Server, path: str, language: str = "en", /, **more: object) -> Reply:
    headers = {**AUTHORIZED, "Accept-Language": language}
    body = json.dumps({"jobs": ["fast", "slow"], "path": path, **more}).encode()
    return server.ask("report", method="POST", headers=headers, body=body)


def test_a_page_and_a_notebook_are_written_in_the_language_of_who_asks(server: Server) -> None:
    reply = write(server, "work/best.html", title="Best <b>")
    assert (reply.status, reply.json()) == (200, {"path": "work/best.html", "is_written": True, "notes": []})
    page = (server.folder / "work" / "best.html").read_text(encoding="utf-8")
    told = ("fast-job", "slow-job", "Best &lt;b&gt;", "Final metrics")
    assert [text for text in told if text not in page] == []
    assert write(server, "训练.ipynb", "zh-CN").json() == {"path": "训练.ipynb", "is_written": True, "notes": []}
    text = (server.folder / "训练.ipynb").read_text(encoding="utf-8")
    nbformat.validate(json.loads(text))
    assert "最终指标" in json.dumps(json.loads(text), ensure_ascii=False)


def test_a_file_that_is_there_is_replaced_only_if_that_is_asked_for(server: Server) -> None:
    place = server.folder / "work" / "mine.html"
    place.write_text("mine")
    assert write(server, "work/mine.html").json() == {"path": "work/mine.html", "is_written": False, "notes": []}
    assert place.read_text() == "mine"
    assert write(server, "work/mine.html", replace=True).json()["is_written"] is True
    assert "fast-job" in place.read_text(encoding="utf-8")

    target = server.folder / "target"
    target.write_text("mine")
    (server.folder / "work" / "link.html").symlink_to(target)
    assert write(server, "work/link.html").json()["is_written"] is False
    assert write(server, "work/link.html", replace=True).json()["is_written"] is True
    assert target.read_text() == "mine"  # the link was replaced, not what it leads to
    (server.folder / "work" / "folder.html").mkdir()
    refused = write(server, "work/folder.html", replace=True)
    assert (refused.status, "cannot be written" in refused.json()["message"]) == (400, True)
    assert not [*(server.folder / "work").glob(".*")]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/tmp/x.html", "must be a path below the server's directory"),
        ("../x.html", "must be a path below the server's directory"),
        ("out/x.html", "there is no directory 'out' below the server's directory"),
        ("nowhere/x.html", "there is no directory 'nowhere'"),
        (".hidden/x.html", "would be hidden"),
        ("shy/x.html", "there is no directory 'shy'"),
        (".html", "must end in .html or .ipynb"),
        (".x.html", "would be hidden"),
        ("work/x.txt", "must end in .html or .ipynb"),
        ("", "must end in .html or .ipynb"),
        ("work/x\0.html", "must be a path"),
        (f"work/{'x' * 300}.html", "cannot be written"),
    ],
)
def test_a_path_that_is_none_for_a_report_is_refused(server: Server, path: str, sentence: str) -> None:
    before = {*Path(server.folder).rglob("*.html")}
    reply = write(server, path)
    assert (reply.status, reply.json()["type"]) == (400, "SpecError")
    assert sentence in reply.json()["message"]
    assert {*Path(server.folder).rglob("*.html")} == before


def test_jobs_that_are_not_there_are_named_and_nothing_is_written(server: Server) -> None:
    reply = write(server, "none.html", jobs=["fast", "gone"])
    assert (reply.status, "gone" in reply.json()["message"]) == (404, True)
    assert write(server, "none.html", jobs=[]).status == 400
    assert write(server, "none.html", jobs=["fast"] * 51).status == 400
    assert not (server.folder / "none.html").exists()


def test_a_damaged_job_is_named_in_the_answer(server: Server) -> None:
    place = record("broken", running(), store=server.store, name="broken-job")
    (place.path / "job.json").write_text("{")
    reply = write(server, "two.html", jobs=["fast", "broken"])
    assert reply.json()["is_written"] is True
    assert "job broken is not in this report: " in reply.json()["notes"][0]
    assert "fast-job" in (server.folder / "two.html").read_text(encoding="utf-8")
    alone = write(server, "one.html", jobs=["broken"])
    assert alone.status >= 400
    assert "is damaged" in alone.json()["message"]
    assert not (server.folder / "one.html").exists()


def test_a_title_with_a_secret_of_the_server_is_refused(server: Server) -> None:
    reply = write(server, "titled.html", title=f"to {SECRET}")
    assert (reply.status, reply.json()["type"]) == (400, "SpecError")
    assert "s3nd" not in reply.json()["message"]
    assert not (server.folder / "titled.html").exists()
