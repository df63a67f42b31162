"""Chromium: only the tests below this directory can have it, which `make test` runs in a process of their own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser import chromium
from tests.support.lone_network import leave_networks


@pytest.fixture(scope="session", autouse=True)
def _undisturbed(request: pytest.FixtureRequest) -> None:
    """What containers of other tests do to the network is none of these tests' business, where no other test runs here."""
    if all(item.get_closest_marker("browser") for item in request.session.items):
        leave_networks()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for a module and no longer: its driver keeps an event loop in this thread, and asyncio can run none then."""
    with chromium() as browser:
        yield browser
