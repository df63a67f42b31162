"""Chromium: only the tests below this directory can have it, which `make test` runs in a process of their own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for a module and no longer: its driver keeps an event loop in this thread, and asyncio can run none then."""
    with chromium() as browser:
        yield browser
