"""A job of several replicas as a person sees it in JupyterLab: how each stands, and what it printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from pai_jupyter.events import Metric, ReplicaChanged, Status, StatusChanged
from tests.support.browser import Screen, Server, jupyter, opened, show, wait_for
from tests.support.wire import RecordedJob

NAMES = ["master-0", "worker-0", "worker-1"]


@pytest.fixture(params=["JupyterLab Light", "JupyterLab Dark"])
def server(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    theme: dict[str, dict[str, object]] = {"apputils-extension/themes": {"theme": request.param}}
    with jupyter(tmp_path / "server", settings=theme) as server:
        monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))  # of the job that the test records
        yield server


@pytest.fixture
def job(server: Server) -> Iterator[RecordedJob]:
    job = RecordedJob(record={"backend": "process"}, name="three", instance_count=3)
    job.status(Status.RUNNING)
    for name in NAMES:
        job.print(f"{name} has begun\n", name)
    yield job
    job.status(Status.SUCCEEDED)  # or the server's end would stop it
    job.release()


def row(view: Locator) -> Locator:
    return view.get_by_role("list", name="Replicas").get_by_role("button")


def lines(view: Locator) -> Locator:
    return view.locator(".pj-JobView-log .pj-JobView-row")


def expect_cause_first(screen: Screen) -> None:
    """The row begins with the replica that failed, and a click on it shows what it printed."""
    view = screen.view
    expect(row(view)).to_have_text(["✗ worker-1 exit code 3", "■ master-0 exit code 143", "■ worker-0 exit code 143"])
    row(view).first.click()
    expect(lines(view)).to_have_text(["worker-1 has begun", "ValueError: no data"])


def test_a_row_tells_how_replicas_stand_and_opens_their_logs(
    browser: Browser, server: Server, job: RecordedJob
) -> None:
    server.write("three.ipynb", "%load_ext pai_jupyter", f"%pai_attach {job.id}")
    with opened(browser, server, "three.ipynb") as screen:
        screen.run_all()
        view, log = screen.view, screen.view.locator(".pj-JobView-log")
        expect(log).to_contain_text("master-0 has begun")
        expect(row(view)).to_have_count(0)
        job.record(*(ReplicaChanged(replica=name, status=Status.RUNNING, time=6.0) for name in NAMES))
        expect(row(view)).to_have_text([f"● {name}" for name in NAMES])
        expect(view.locator(".pj-JobView-place")).to_contain_text("×3")
        job.print("ValueError: no data\n", "worker-1")
        job.record(
            ReplicaChanged(replica="worker-1", status=Status.FAILED, time=8.0, exit_code=3, attempt=2),
            ReplicaChanged(replica="master-0", status=Status.STOPPED, time=9.0, exit_code=143),
            ReplicaChanged(replica="worker-0", status=Status.STOPPED, time=9.0, exit_code=143),
            StatusChanged(status=Status.FAILED, time=10.0, reason="exit code 3", exit_code=3),
        )
        expect(row(view)).to_have_text(
            [
                "✗ worker-1 exit code 3, started again 2 times",
                "■ master-0 exit code 143",
                "■ worker-0 exit code 143",
            ]
        )
        expect(view.locator(".pj-JobView-cause")).to_contain_text("worker-1: the job ended with exit code 3")
        expect(view.locator(".pj-JobView-tail")).to_contain_text("worker-1 has begun")
        row(view).first.click()
        expect(log).to_contain_text("ValueError: no data")
        expect(log).not_to_contain_text("master-0 has begun")
        row(view).nth(2).focus()
        screen.page.keyboard.press("Enter")
        expect(log).to_contain_text("worker-0 has begun")
        expect(row(view).nth(2)).to_be_focused()
        screen.shoot(f"replicas-{server.home.parent.parent.name}")


def test_all_replicas_are_one_log_that_grows(browser: Browser, server: Server, job: RecordedJob) -> None:
    server.write("three.ipynb", "%load_ext pai_jupyter", f"%pai_attach {job.id}")
    with opened(browser, server, "three.ipynb") as screen:
        screen.run_all()
        log = screen.view.locator(".pj-JobView-log")
        expect(log).to_contain_text("master-0 has begun")
        screen.view.get_by_label("Replica", exact=True).select_option("All replicas")
        begun = ["master-0 | master-0 has begun", "worker-0 | worker-0 has begun", "worker-1 | worker-1 has begun"]
        expect(lines(screen.view)).to_have_text(begun)
        expect(log).to_have_accessible_name("Log of all replicas")
        for name in reversed(NAMES):
            job.print("epoch 1\n", name)
        more = [f"{name} | epoch 1" for name in sorted(NAMES)]
        expect(lines(screen.view)).to_have_count(6)
        assert sorted(lines(screen.view).all_inner_texts()[3:]) == more
        screen.shoot(f"replicas-all-{server.home.parent.parent.name}")
        job.print("".join(f"step {number}\n" for number in range(7_000)), "master-0")
        expect(screen.view.locator(".pj-JobView-logCount")).to_contain_text("last 5,000 of 7,006 lines")
        search = screen.view.get_by_label("Search the log")
        search.fill("epoch 1")
        search.press("Enter")
        expect(screen.view.locator(".pj-JobView-hits")).to_have_text("no matches")
        note = "Only the last 5,000 lines of all replicas are searched. Choose one replica for its whole log."
        expect(screen.view.locator(".pj-JobView-logNote")).to_have_text(note)
        screen.shoot(f"replicas-cut-{server.home.parent.parent.name}")
        assert screen.errors == []


def test_what_became_of_replicas_outlives_the_page_and_the_kernel(
    browser: Browser, server: Server, job: RecordedJob
) -> None:
    job.record(*(ReplicaChanged(replica=name, status=Status.RUNNING, time=6.0) for name in NAMES))
    job.print("ValueError: no data\n", "worker-1")
    job.record(
        ReplicaChanged(replica="worker-1", status=Status.FAILED, time=8.0, exit_code=3),
        *(ReplicaChanged(replica=name, status=Status.STOPPED, time=9.0, exit_code=143) for name in NAMES[:2]),
        StatusChanged(status=Status.FAILED, time=10.0, reason="exit code 3", exit_code=3),
    )
    server.write("three.ipynb", "%load_ext pai_jupyter", f"%pai_attach {job.id}")
    with opened(browser, server, "three.ipynb") as screen:
        screen.run_all()
        expect_cause_first(screen)
        screen.save()
        show(screen)
        expect_cause_first(screen)
        server.restart_kernel("three.ipynb")
        expect_cause_first(screen)
        wait_for(lambda: server.kernel_of("three.ipynb"))
        screen.run_all()
        expect(lines(screen.view)).to_have_text(["master-0 has begun"])  # of the new view
        expect_cause_first(screen)
        assert screen.errors == []


def test_the_metrics_of_all_replicas_are_in_one_chart(browser: Browser, server: Server, job: RecordedJob) -> None:
    def report(*steps: int) -> None:
        for step in steps:
            for place, name in enumerate(NAMES):
                job.record(Metric(name="loss", value=1 / step + place, time=5.0 + step, step=step, replica=name))

    report(1, 2, 3)
    server.write("three.ipynb", "%load_ext pai_jupyter", f"%pai_attach {job.id}")
    with opened(browser, server, "three.ipynb") as screen:
        screen.run_all()
        screen.view.get_by_role("tab", name="Metrics", exact=True).click()
        cards = screen.view.locator(".pj-JobView-card:visible")
        expect(cards).to_have_count(1)
        expect(cards.locator("canvas")).to_be_visible()
        expect(cards.locator(".pj-JobView-legendLabel")).to_have_text(NAMES)
        expect(cards.locator(".pj-JobView-legendValue")).to_have_text(["0.3333", "1.333", "2.333"])
        report(4)
        expect(cards.locator(".pj-JobView-legendValue")).to_have_text(["0.25", "1.25", "2.25"])
        screen.shoot(f"replicas-chart-{server.home.parent.parent.name}")
        assert screen.errors == []
