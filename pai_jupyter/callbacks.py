"""Functions that upper layers provide for jobs: to show them, to ask the user, to keep what a run needs. Standard library only.

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
run_viewer: Callable[[Any], bool] | None = None
"""Shows a run while somebody waits for it in this process; None = nothing is shown."""
asker: Callable[[Any], bool] | None = None
"""Asks the user for a new key after a `Trouble`; returns whether one was given. None = there is no user to ask."""
run_that_needs: Callable[[str, str], str | None] | None = None
"""Returns the unfinished run that needs a job, by the job's id and its own run's; set when the package is imported."""
job_starts: Callable[[str, Any, bool | None], None] | None = None
"""Is told a job's id, its store's home and whether `--notify` or `--no-notify` was given, right before it is submitted; set as above."""
job_annotated: Callable[[Any], None] | None = None
"""Is told the folder of a job whose name, star, tags or note were changed; set as above."""
keep_delivering: Callable[[bool], None] | None = None
"""Sees to it that what is due of jobs is delivered; may be called often. True: something has just become due. Set as above."""
component_maker: Callable[..., Any] | None = None
"""Makes the component of a workflow out of a `CustomJob`; set when the package is imported."""
