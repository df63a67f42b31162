"""A job in a browser tab of its own: the same live view, without JupyterLab, light or dark as the system is."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from pai_jupyter.events import Metric, Status
from pai_jupyter.store.provenance import write_provenance
from tests.support.browser import Server, jupyter, watched
from tests.support.job_pages import PROVENANCE
from tests.support.wire import RecordedJob


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with jupyter(tmp_path_factory.mktemp("pages")) as server:
        yield server


def running(name: str) -> RecordedJob:
    job = RecordedJob(name, name="digits", hyperparameters={"lr": 0.1})
    job.status(Status.RUNNING)
    job.print("first line\n")
    write_provenance(job.folder.path, PROVENANCE)
    return job


@pytest.mark.parametrize(("scheme", "back"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(30, 30, 30)")])
def test_it_is_live_and_goes_with_the_system_s_colours(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch, scheme: str, back: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    job = running(f"page-{scheme}")
    with watched(browser, server, f"page-{scheme}", color_scheme=scheme) as screen:
        page = screen.page
        page.goto(f"{server.url}/pai-jupyter/jobs/{job.folder.id}?token={server.token}")
        view = page.locator("section.pj-JobView")
        expect(view.locator(".pj-JobView-row").filter(has_text="first line")).to_be_visible()
        expect(page).to_have_title("digits")
        assert "token" not in page.url
        job.print("second line\n")
        job.record(Metric(name="loss", value=0.25, step=1, time=1.0))
        expect(view.locator(".pj-JobView-row").filter(has_text="second line")).to_be_visible()
        for name in ("Metrics", "Files", "Source", "Environment", "Overview"):
            view.get_by_role("tab", name=name, exact=True).click()
            expect(view.get_by_role("tabpanel", name=name, exact=True)).to_be_visible()
        expect(view.get_by_role("table", name="Metrics").get_by_role("cell", name="0.25").first).to_be_visible()
        expect(view).to_contain_text("Uncommitted changes: 1 changed, 2 untracked")
        assert view.evaluate("it => getComputedStyle(it).backgroundColor") == back
        screen.shoot(f"page-{scheme}")
        job.status(Status.SUCCEEDED)
        expect(view.locator(".pj-JobView-state")).to_contain_text("Succeeded")
        assert screen.errors == []


def test_the_stacks_of_its_processes_can_be_asked_for(
    browser: Browser, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    job = running("page-stacks")
    with watched(browser, server, "page-stacks") as screen:
        page = screen.page
        page.goto(f"{server.url}/pai-jupyter/jobs/{job.folder.id}?token={server.token}")
        view = page.locator("section.pj-JobView")
        view.get_by_role("tab", name="Resources", exact=True).click()
        view.get_by_role("button", name="Stacks", exact=True).click()
        # the job is only recorded: the code of stacks is there, and shows the server's sentence
        expect(view.locator(".pj-JobView-stacks")).to_contain_text("there is no backend 'fake'")
        expect(view.get_by_role("button", name="Record 10 s", exact=True)).to_be_visible()
        screen.shoot("page-stacks")
        job.status(Status.SUCCEEDED)
        expect(view.get_by_role("button", name="Stacks", exact=True)).to_be_hidden()


def test_a_job_that_is_gone_is_one_sentence(browser: Browser, server: Server) -> None:
    with watched(browser, server, "page-gone") as screen:
        screen.page.goto(f"{server.url}/pai-jupyter/jobs/nobody?token={server.token}")
        expect(screen.page.get_by_role("alert")).to_contain_text("there is no job 'nobody'")
