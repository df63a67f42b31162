"""Functions that a front end provides for jobs: to show them and to ask the user. Standard library only.

`%load_ext` runs in every notebook and must not import `jobs`. So a front end stores functions here that import what they need
when called. Other code reads them through `jobs.present` and `jobs.trouble`.
"""

from collections.abc import Callable
from typing import Any

# Any: the types are those of `jobs`, which this module must not import.
presenter: Callable[[], Any] | None = None
"""Returns the `jobs.Presenter` of this process; None = plain lines."""
translator: Callable[[str, str], str] | None = None
"""Translates a sentence of this package into "zh" or "en"; set when the package is imported."""
asker: Callable[[Any], bool] | None = None
"""Asks the user for a new key after a `Trouble`; returns whether one was given. None = there is no user to ask."""
