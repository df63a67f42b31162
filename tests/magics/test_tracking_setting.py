"""`%pai_config set tracking mlflow:URI`: checked at once, shown, completed, taken back; how it stands in `%pai_doctor`."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.delivery.outbox import Outbox, create_outbox, open_jobs
from pai_jupyter.delivery.recipient import DueMessage
from pai_jupyter.delivery.tracking import wanted
from pai_jupyter.delivery.tracking.left import drop_left
from pai_jupyter.delivery.tracking.wanted import NAME
from pai_jupyter.diagnostics.tracking import tracking
from pai_jupyter.events import JobState
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.support.sessions import Surroundings, surroundings
from tests.support.shells import Shell

PASSWORD = "s3cr3t-passw0rd"
AWAY = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


@pytest.fixture
def shell() -> Iterator[Shell]:
    with Shell() as shell:
        yield shell


class Server:
    """Answers every question in the same way; `asked`: the login of each."""

    def __init__(self) -> None:
        self.answer: tuple[int, str] = (200, json.dumps({"experiments": []}))
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.headers.get("Authorization", ""))
                status, text = server.answer
                self.send_response(status)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *words: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}"

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.mark.parametrize("form", ["set tracking mlflow:{}", "set tracking=mlflow:{}", "set tracking mlflow:{}/"])
def test_a_server_that_answers_is_set_and_shown(shell: Shell, server: Server, form: str) -> None:
    found = shell.run(f"%pai_config {form.format(server.address)}")
    assert found.error is None
    assert f"mlflow:{server.address}" in found.text
    assert "note:" not in found.text
    assert "tracking" not in shell.run("%pai_config set tracking=").text
    assert settings().get("tracking") is None


def test_the_line_says_how_long_it_holds_and_the_line_that_keeps_it_works(
    shell: Shell, server: Server, place: Surroundings
) -> None:
    found = shell.run(f"%pai_config set tracking mlflow:{server.address}")
    kept = f'tracking = "mlflow:{server.address}"'
    assert (
        "jobs of this notebook are tracked there until its kernel ends. To keep that, add this line to pai_jupyter.toml in its "
        f"directory: {kept}"
    ) in found.text
    shell.run("%pai_config set tracking=")
    place.write(place.project, f"{kept}\n")
    assert settings().get("tracking") == f"mlflow:{server.address}"
    assert "project file" in shell.run("%pai_config").text
    assert "until its kernel ends" not in shell.run("%pai_config set tracking=off").text


@pytest.mark.parametrize(
    "value",
    ["http://h:5000", "mlflow:", "mlflow:databricks", "mlflow:http://h:99999", "mlflow:http://h/?token=1", "wandb:x"],
)
def test_what_is_no_address_gives_one_sentence(shell: Shell, value: str) -> None:
    found = shell.run(f"%pai_config set tracking {value}")
    assert "it must be mlflow: and the address of an MLflow server" in found.text
    assert settings().get("tracking") is None


def test_a_login_in_the_address_is_refused_and_not_repeated(shell: Shell) -> None:
    found = shell.run(f"%pai_config set tracking mlflow:http://me:{PASSWORD}@h:5000")
    assert "MLFLOW_TRACKING_USERNAME" in found.text
    assert PASSWORD not in found.text


@pytest.mark.parametrize("answer", [(404, "<html>"), (200, "<html>"), (200, "[]"), (302, "")])
def test_something_else_than_mlflow_is_refused(shell: Shell, server: Server, answer: tuple[int, str]) -> None:
    server.answer = answer
    found = shell.run(f"%pai_config set tracking mlflow:{server.address}")
    assert f"there is no MLflow server at {server.address}: it answers {answer[0]}" in found.text
    assert settings().get("tracking") is None


@pytest.mark.parametrize("answer", [(500, "oops"), (401, ""), "away"])
def test_a_server_that_is_away_is_set_with_a_note(shell: Shell, server: Server, answer: object) -> None:
    if isinstance(answer, tuple):
        server.answer = answer
    else:
        server.stop()
        server.stop = lambda: None  # type: ignore[method-assign]  # it is stopped
    found = shell.run(f"%pai_config set tracking mlflow:{server.address}")
    assert "What jobs tell waits until it can." in found.text
    assert settings().get("tracking") == f"mlflow:{server.address}"


def test_without_the_client_the_sentence_says_how_to_install_it(
    shell: Shell, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wanted, "find_spec", lambda name: None)
    found = shell.run(f"%pai_config set tracking mlflow:{server.address}")
    assert "%pip install 'mlflow-skinny>=3'" in found.text
    assert settings().get("tracking") is None
    settings().set("tracking", f"mlflow:{server.address}")
    noted = shell.run("%%pai_train a --dry-run --backend process\nprint(1)")
    assert "is not tracked at" in noted.text


def test_the_login_of_mlflow_s_own_variables_is_used(
    shell: Shell, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", PASSWORD)
    text = shell.run(f"%pai_config set tracking mlflow:{server.address}").text
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "me")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", PASSWORD)
    text += shell.run(f"%pai_config set tracking mlflow:{server.address}").text
    assert server.asked[0] == f"Bearer {PASSWORD}"
    assert server.asked[1].startswith("Basic ")
    assert PASSWORD not in text


def test_the_setting_completes(shell: Shell) -> None:
    assert "tracking=" in shell.complete("%pai_config set track")
    assert "mlflow" in " ".join(shell.complete("%pai_config set tracking ml"))


def test_the_doctor_says_how_it_stands(shell: Shell, server: Server) -> None:
    assert list(tracking()) == []
    shell.run(f"%pai_config set tracking mlflow:{server.address}")
    (good,) = tracking()
    assert (good.is_good, good.found) == (True, f"{server.address} answers; nothing is left to send")
    left(server.address, "j1", "cannot connect")
    server.answer = (500, "")
    (bad,) = tracking()
    assert not bad.is_good
    assert bad.found == f"{server.address}: it answers 500; 2 messages are left to send: cannot connect"
    assert bad.remedy.startswith("Check the address: %pai_config set tracking")
    assert "tracking" in shell.run("%pai_doctor").text


def left(address: str, job_id: str, why: str, *, count: int = 2, needs: tuple[str, ...] = ()) -> None:
    """Leave messages of a job for an address, the first of which was tried if there is a `why`."""
    home = JobStore().home
    create_outbox(home, NAME, job_id, {"address": address, "needs": [*needs]}, 1.0)
    outbox = Outbox(home, NAME, job_id)
    outbox.open()
    outbox.add([DueMessage(id=f"{job_id}-metrics-{it}", time=1.0) for it in range(count)], 0)
    if why:
        outbox.end(f"{job_id}-metrics-0", "later", 2.0, why)
    outbox.close()


def test_each_address_has_its_own_words_about_what_is_left(shell: Shell, server: Server) -> None:
    shell.run(f"%pai_config set tracking mlflow:{server.address}")
    left(server.address, "j1", "", count=1)
    left(AWAY, "j2", "it answers 501", count=1)
    left(AWAY, "j3", "", count=2)
    left("http://h:1", "j4", "", needs=("MLFLOW_TRACKING_TOKEN",))
    here, away, locked = tracking()
    assert (here.is_good, here.found) == (
        True,
        f"{server.address} answers; 1 message is left to send: not tried yet",
    )
    assert (away.is_good, away.found) == (
        False,
        f"{AWAY} (not set any more); 3 messages are left to send: it answers 501",
    )
    assert away.remedy == f"Each is tried for 30 days. To give them up now: %pai_config drop {AWAY}"
    assert locked.found == (
        "http://h:1 (not set any more); 2 messages are left to send: MLFLOW_TRACKING_TOKEN, which their jobs had, is not set here"
    )
    assert not locked.is_good


def test_a_server_that_answers_again_is_told_by_itself(shell: Shell, server: Server) -> None:
    shell.run(f"%pai_config set tracking mlflow:{server.address}")
    left(server.address, "j1", "cannot connect")
    (found,) = tracking()
    assert found.found == f"{server.address} answers; 2 messages are left to send: cannot connect"
    assert found.remedy == (
        "The next try is within 10 minutes; each message is tried for 30 days. To give them up now: "
        f"%pai_config drop {server.address}"
    )


def test_what_is_left_for_one_address_can_be_dropped(shell: Shell, server: Server) -> None:
    for job_id, address in (("j1", AWAY), ("j2", AWAY), ("j3", server.address)):
        left(address, job_id, "it answers 501")
    assert AWAY in shell.complete("%pai_config drop ")
    found = shell.run(f"%pai_config drop {AWAY}/")
    assert f"dropped: 4 messages of 2 jobs for MLflow at {AWAY}" in found.text
    assert open_jobs(JobStore().home, NAME) == ["j3"]
    shell.run(f"%pai_config set tracking mlflow:{server.address}")
    found = shell.run(f"%pai_config drop mlflow:{server.address}")
    assert f"dropped: 2 messages of 1 job for MLflow at {server.address}" in found.text
    assert "Jobs to come are tracked there still. To end that: %pai_config set tracking=" in found.text
    assert open_jobs(JobStore().home, NAME) == []


def test_a_job_that_was_told_to_wait_is_told_that_its_messages_were_dropped() -> None:
    store = JobStore()
    folder = store.create(JobRecord(id="j1", spec=JobSpec(name="a", command="true"), backend="process", created=1.0))
    folder.start(JobRef(backend="process", job_id="j1"), JobState())
    left(AWAY, "j1", "cannot connect")
    outbox = Outbox(store.home, NAME, "j1")
    outbox.open()
    outbox.note("j1-metrics-0")
    outbox.close()
    drop_left(store.home, AWAY)
    (notice,) = folder.read().state.notices
    assert (
        notice.text == f"MLflow at {AWAY} does not get what was left of this job: it was dropped by %pai_config drop."
    )


def test_where_nothing_is_left_nothing_is_dropped(shell: Shell) -> None:
    assert "nothing is left to send to an MLflow server" in shell.run(f"%pai_config drop {AWAY}").text
    left("http://h:1", "j1", "cannot connect")
    found = shell.run(f"%pai_config drop http://me:{PASSWORD}@h:5000")
    assert "nothing is left to send to this address; there is something for http://h:1" in found.text
    assert PASSWORD not in found.text
    assert open_jobs(JobStore().home, NAME) == ["j1"]
    assert "%pai_config drop ADDRESS" in shell.run("%pai_config drop").text
