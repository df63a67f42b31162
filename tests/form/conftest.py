"""Fixtures of the tests of the form."""

from collections.abc import Iterator

import pytest
from ipywidgets.widgets.widget import _instances


@pytest.fixture(autouse=True)
def no_widgets_left() -> Iterator[None]:
    yield
    for widget in list(_instances.values()):
        widget.close()
