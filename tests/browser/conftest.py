"""Chromium: only the tests below this directory can have it, which `make test` runs in a process of their own."""

from collections.abc import Generator, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.support.browser import Screen, chromium, standing
from tests.support.lone_network import leave_networks


@pytest.fixture(scope="session", autouse=True)
def _undisturbed(request: pytest.FixtureRequest) -> None:
    """What containers of other tests do to the network is none of these tests' business, where no other test runs here."""
    if all(item.get_closest_marker("browser") for item in request.session.items):
        leave_networks()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of a test that fails, tell what has the focus in its pages, and what dialogs say: what is told of a locator is not enough."""
    report = yield
    if report.when == "call" and report.failed:
        given = getattr(item, "funcargs", {}).values()
        pages = {
            each if isinstance(each, Page) else each.page for each in given if isinstance(each, Page | Screen | Locator)
        }
        report.sections += [("the page", standing(page)) for page in pages]
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for a module and no longer: its driver keeps an event loop in this thread, and asyncio can run none then."""
    with chromium() as browser:
        yield browser
