"""The list of jobs at a server: asked for by page, pushed to tabs, and what can be done to a job out of it."""

import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from pai_jupyter.events import Status
from pai_jupyter.package import build
from pai_jupyter.store import JobFolder, JobStore
from tests.support.lists import BEGAN, loss, note, record, running
from tests.support.server import AUTHORIZED, Server, running_server
from tests.support.started import open_gate
from tests.support.tabs import open_tab

KERNEL = """
import sys, time
from pathlib import Path
from tests.support.programs import FORTY
from tests.support.started import begin
print(begin(FORTY, backend="process", gate=Path(sys.argv[1])).id, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(autouse=True)
def store(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[JobStore]:
    """The server's store, which is that of the test; it has the jobs `j1` and `j2`, and is empty again behind it."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    store = JobStore()
    first = record("j1", loss(0.5), name="iris", notebook="a b.ipynb", cell="%%pai_train\npass", entry_point="train.py")
    second = record("j2", name="训练", status=Status.FAILED, created=BEGAN + 60, entry_point="train.py")
    for folder, script in ((first, b"a\n"), (second, b"b\n")):
        build(None, to=folder.path / "package.tar.gz", files={"train.py": script})
    yield store
    for job_id in store.ids():
        store.remove(job_id)


# --- a page of them --------------------------------------------------------------------------------------------------


def test_jobs_are_listed_with_what_can_be_asked_for(server: Server) -> None:
    told = server.ask("jobs").json()
    assert [row["id"] for row in told["rows"]] == ["j2", "j1"]
    assert told["count"] == 2
    assert told["states"] == {"failed": 1, "succeeded": 1}
    assert (told["backends"], told["notebooks"]) == (["fake"], ["a b.ipynb"])
    assert told["rows"][1]["metric"] == {"name": "loss", "value": 0.5}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (f"text={quote('训')}", ["j2"]),
        ("status=succeeded,running", ["j1"]),
        ("notebook=a%20b.ipynb", ["j1"]),
        ("sort=name&descending=false&start=1&limit=1", ["j2"]),
        ("backend=docker", []),
    ],
)
def test_jobs_are_chosen_by_the_query(server: Server, query: str, found: list[str]) -> None:
    assert [row["id"] for row in server.ask(f"jobs?{query}").json()["rows"]] == found


@pytest.mark.parametrize(
    "query", ["status=happy", "sort=id", "limit=0", "limit=9999999", "start=-1", "start=x", "descending=2", "more=1"]
)
def test_a_query_that_cannot_be_meant_is_refused_with_a_sentence(server: Server, query: str) -> None:
    reply = server.ask(f"jobs?{query}")
    assert (reply.status, reply.json()["type"]) == (400, "SpecError")
    assert query.partition("=")[0] in reply.json()["message"]


# --- one of them -----------------------------------------------------------------------------------------------------


def test_a_job_is_deleted(server: Server, store: JobStore) -> None:
    assert server.ask("jobs/j1", method="DELETE").status == 200
    assert store.ids() == ["j2"]
    assert server.ask("jobs/j1").status == 404
    assert server.ask("jobs/j1", method="DELETE").status == 404


def test_a_job_that_runs_is_not_deleted(server: Server, store: JobStore) -> None:
    record("j3", running(), status=Status.RUNNING)
    reply = server.ask("jobs/j3", method="DELETE")
    assert reply.status == 409
    assert "Stop it first" in reply.json()["message"]
    note(store.open("j3"), running())
    assert "j3" in store.ids()


def test_a_job_whose_record_is_gone_can_be_stopped(server: Server) -> None:
    job_id = f"j{secrets.token_hex(6)}"
    with subprocess.Popen(["sleep", "600"], env={"PATH": "/usr/bin:/bin", "PAI_JUPYTER_JOB_ID": job_id}) as left:
        reply = server.ask(f"jobs/{job_id}/stop", method="POST")
        assert (reply.status, left.wait(30)) == (202, -signal.SIGTERM)
    assert reply.json() == {"note": f"job {job_id} was removed; its processes were stopped."}
    assert server.ask(f"jobs/{job_id}/stop", method="POST").status == 404


@pytest.mark.parametrize("job", ["nobody", "..", "%2e%2e", "..%2fhome", ".", "%00", "x" * 5_000, "%ff", "j1%2f..%2fj2"])
@pytest.mark.parametrize(
    ("method", "address"),
    [("DELETE", "jobs/{}"), ("POST", "jobs/{}/adopt"), ("GET", "jobs/{}/cell"), ("GET", "jobs/{}/difference?to=j2")],
)
def test_what_is_no_job_is_nowhere_and_harms_nobody(
    server: Server, store: JobStore, method: str, address: str, job: str
) -> None:
    reply = server.ask(address.format(job), method=method)
    assert reply.status in (400, 404, 405)
    assert reply.json()["message"]
    assert store.ids() == ["j2", "j1"]


@pytest.mark.parametrize("to", ["", "?to=", "?to=..", "?to=nobody", "?to=j2&to=j2", "?to=%ff", "?from=j2"])
def test_a_difference_to_no_job_is_refused(server: Server, to: str) -> None:
    assert server.ask(f"jobs/j1/difference{to}").status in (400, 404)


def test_two_scripts_are_compared(server: Server) -> None:
    told = server.ask("jobs/j1/difference?to=j2").json()
    assert told == {"lines": [{"kind": "gone", "text": "a"}, {"kind": "new", "text": "b"}], "is_cut": False}


def test_a_cell_is_told_for_its_clone(server: Server) -> None:
    assert server.ask("jobs/j1/cell").json() == {"cell": "%%pai_train\npass", "as_run": "%%pai_train\npass"}
    assert server.ask("jobs/j2/cell").status == 404


def test_a_job_that_is_here_is_taken_up_as_it_is(server: Server) -> None:
    assert server.ask("jobs/j1/adopt", method="POST").json() == {"job": "j1", "name": "iris"}


ALL = [
    ("GET", "jobs"),
    ("DELETE", "jobs/j1"),
    ("POST", "jobs/j1/adopt"),
    ("GET", "jobs/j1/cell"),
    ("GET", "jobs/j1/difference?to=j2"),
]


@pytest.mark.parametrize(("method", "address"), ALL)
@pytest.mark.parametrize("headers", [{}, {"Authorization": "token another"}])
def test_nobody_asks_without_the_token(
    server: Server, store: JobStore, method: str, address: str, headers: dict[str, str]
) -> None:
    assert server.ask(address, method=method, headers=headers).status == 403
    assert store.ids() == ["j2", "j1"]


@pytest.mark.parametrize(("method", "address"), [each for each in ALL if each[0] != "GET"])
def test_a_browser_changes_nothing_without_its_xsrf_token(server: Server, method: str, address: str) -> None:
    browser = server.log_in()
    assert server.ask(address, method=method, headers=browser.headers()).status == 403
    assert server.ask(address, method=method, headers=browser.changing()).status == 200


@pytest.mark.parametrize(("method", "address"), [("PUT", "jobs/j1"), ("POST", "jobs"), ("GET", "jobs/j1/adopt")])
def test_other_methods_are_not_allowed(server: Server, method: str, address: str) -> None:
    assert server.ask(address, method=method, headers=AUTHORIZED).status == 405


# --- over the socket -------------------------------------------------------------------------------------------------


async def test_two_tabs_are_told_of_a_job_that_is_deleted_in_one(server: Server) -> None:
    async with open_tab(server) as one, open_tab(server) as other:
        for tab in (one, other):
            assert (await tab.ask("watch_jobs"))["ok"] == {"count": 2}
            await tab.see(lambda push: push["is_whole"] and len(push["rows"]) == 2)
        server.ask("jobs/j1", method="DELETE")
        for tab in (one, other):
            await tab.see(lambda push: push["gone"] == ["j1"])


@pytest.fixture
def kernel(gate: Path) -> Iterator["subprocess.Popen[str]"]:
    """A program that submits a job, says its id and follows it."""
    words = [sys.executable, "-c", KERNEL, str(gate)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as kernel:
        yield kernel
        kernel.kill()


async def test_a_job_whose_kernel_is_killed_is_seen_to_end(
    server: Server, kernel: "subprocess.Popen[str]", gate: Path
) -> None:
    assert kernel.stdout is not None
    job_id = kernel.stdout.readline().strip()
    async with open_tab(server) as tab:
        await tab.ask("watch_jobs")
        await tab.see(lambda push: (job_id, "running") in statuses(push))
        kernel.send_signal(signal.SIGKILL)
        open_gate(gate)
        await tab.see(lambda push: (job_id, "succeeded") in statuses(push))
    assert JobFolder(JobStore().path(job_id)).log("master-0").count() == 40


def statuses(push: dict[str, object]) -> list[tuple[str, str]]:
    rows = push["rows"]
    assert isinstance(rows, list)
    return [(row["id"], row["status"]) for row in rows]
