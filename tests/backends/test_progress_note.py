"""What is done for a job before it begins: told while it lasts, in its folder and to who waits, and gone afterwards."""

import asyncio
import io
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.utils.capture import capture_output

from pai_jupyter.backends.pai.submission import uploads
from pai_jupyter.backends.progress_note import noting_progress, progress_note
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs import PlainLines, Target, close_runtime, draft, runtime
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from pai_jupyter.view import FrontEnd
from pai_jupyter.view.show import NotebookPresenter
from tests.fakes.oss import FakeOss
from tests.support.forms import make
from tests.support.local_inputs import session, until
from tests.support.shells import Shell
from tests.support.storages import oss
from tests.support.storages import session as pai_session

__all__ = ["oss", "pai_session", "session"]

SIZE = 200_000


@pytest.fixture(autouse=True)
def own_runtime() -> Iterator[None]:
    yield
    close_runtime()


def test_a_line_says_how_far_it_is_and_goes(tmp_path: Path) -> None:
    assert progress_note(tmp_path) == ""
    with noting_progress(tmp_path, "bringing 训练") as report:
        assert progress_note(tmp_path) == "bringing 训练"
        report(12_000_000, 200_000_000)
        assert progress_note(tmp_path) == "bringing 训练: 12 MB of 200 MB"
    assert progress_note(tmp_path) == ""
    assert not list((tmp_path / "run").iterdir())


def test_the_line_goes_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(PaiJupyterError), noting_progress(tmp_path, "x"):
        raise PaiJupyterError("x")
    assert progress_note(tmp_path) == ""


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with noting_progress(tmp_path / "job", "x") as report:
        report(1, 2)
    assert not (tmp_path / "job").exists()


def test_a_line_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file where the directory would be")
    with noting_progress(tmp_path, "x") as report:
        report(1, 2)
    assert progress_note(tmp_path) == ""


def held(oss: FakeOss, method: str) -> None:
    """Two objects, of which one comes or goes and the other waits for the gate."""
    oss.fault("hold", method, key="waits")


@pytest.mark.usefixtures("session")
def test_who_waits_for_a_submission_hears_how_far_its_download_is(oss: FakeOss) -> None:
    oss.put("data/here", b"x" * SIZE)
    oss.put("data/waits", b"x" * SIZE)
    held(oss, "GET")
    heard = list[str]()

    def hear(text: str) -> None:
        heard.append(text)
        if re.search(r": \d+ kB of 400 kB", text):
            oss.gate.set()

    spec = JobSpec(name="a", command="true", inputs={"train": oss.uri("data/")})
    with draft(spec, Target(backend="process", reason="asked for")) as ready:
        ready.submit(progress_callback=hear).wait()
    assert heard[0].startswith(f"bringing input 'train' from {oss.uri('data/')!r}")
    assert oss.gate.is_set()
    assert heard[-1] == ""


def test_a_submission_that_has_nothing_to_bring_says_nothing() -> None:
    heard = list[str]()
    with draft(JobSpec(name="a", command="true"), Target(backend="process", reason="asked for")) as ready:
        ready.submit(progress_callback=heard.append).wait()
    assert heard == []


def test_an_upload_to_pai_says_how_far_it_is(oss: FakeOss, pai_session: Session, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("here", "waits"):
        (tmp_path / "data" / name).write_bytes(b"x" * SIZE)
    held(oss, "PUT")
    folder = JobStore().path("j1")
    folder.mkdir(parents=True)
    package = build(None, to=tmp_path / "package.tar.gz")
    spec = JobSpec(name="a", command="true", inputs={"train": str(tmp_path / "data")})
    sending = threading.Thread(
        target=uploads.upload, args=(pai_session, spec, package, threading.Event()), kwargs={"folder": folder}
    )
    sending.start()
    until(lambda: re.fullmatch(r"sending input 'train' from '.*data': \d+ kB of 400 kB", progress_note(folder)))
    oss.gate.set()
    sending.join()
    assert progress_note(folder) == ""


def test_what_is_done_meanwhile_ends_the_wait_when_it_fails() -> None:
    ended = threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def fail() -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        runtime().run(work(), meanwhile=fail)
    assert ended.is_set()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("out", "written"), [(Terminal(), "\rone\x1b[K\r\x1b[K"), (io.StringIO(), "")])
def test_only_a_terminal_has_a_line_that_changes(
    monkeypatch: pytest.MonkeyPatch, out: io.StringIO, written: str
) -> None:
    monkeypatch.setattr(sys, "stdout", out)
    PlainLines().tell("one")
    PlainLines().tell("")
    assert out.getvalue() == written


def test_a_notebook_has_one_line_that_is_empty_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.view.show.front_end", lambda: FrontEnd(is_attended=True))
    shown = NotebookPresenter()
    with Shell(), capture_output() as captured:
        for text in ("12 MB of 200 MB", "99 MB of 200 MB", ""):
            shown.tell(text)
    drawn = [(out.data["text/plain"], out.update) for out in captured.outputs]
    assert drawn == [("12 MB of 200 MB", False), ("99 MB of 200 MB", True), ("", True)]


def test_where_nobody_looks_nothing_is_said() -> None:
    with Shell(), capture_output() as captured:
        NotebookPresenter().tell("12 MB of 200 MB")
    assert captured.outputs == []


def test_a_form_says_it_as_text() -> None:
    form = make("lr: float = 0.1")
    form.say("<b>12 MB</b>")
    assert "&lt;b&gt;12 MB" in form.message.value
    form.say("")
    assert form.message.value == ""
