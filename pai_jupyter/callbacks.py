"""What a front end does for jobs: it shows them, and asks the person who waits for them. Standard library only.

`%load_ext` runs at the top of every notebook and must not import `jobs`, so a front end leaves functions here, which import
what they need when they are called. `jobs.present` and `jobs.trouble` read these for all others.
"""

from collections.abc import Callable
from typing import Any

# Any: the types are those of `jobs`, which this module must not import.
presenter: Callable[[], Any] | None = None
"""Returns the `jobs.Presenter` of this process; None: plain lines."""
translator: Callable[[str, str], str] | None = None
"""Gives a sentence of ours in a language, "zh" or "en"; the package itself sets it when it is imported."""
asker: Callable[[Any], bool] | None = None
"""Given the `Trouble`, asks for a new key and returns whether there is one now; None: nobody can be asked."""
