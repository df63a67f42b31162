"""A run for live views: `RunWatcher`."""

from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.driving import DriverKeeper
from pai_jupyter.runs.reading import RunReader
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.runs.state import RunState


class RunWatcher:
    """A run as a live view sees it: what has changed since the last time. It sees to it that the run is driven."""

    def __init__(self, run_id: str, *, home: Path | None = None) -> None:
        """Find the run.

        Raises:
            NotFoundError: there is no such run.
        """
        self.folder = open_run_folder(run_id, home)
        self._reader = RunReader(self.folder)
        self._keeper = DriverKeeper(self.folder)
        self._is_new = True
        self.trouble = ""  # why the run is not driven, if that was tried and failed

    def poll(self) -> RunState | None:
        """Return how the run stands if that has changed, else None; costs a few `stat`s.

        Raises:
            PaiJupyterError: its files are damaged; NotFoundError: it was deleted.
        """
        has_changed = self._reader.refresh() or self._is_new
        self._is_new = False
        if not self._reader.has_ended:
            self._keep()
        return self._reader.state() if has_changed else None

    def _keep(self) -> None:
        try:
            self._keeper.keep(is_blocked=self._reader.is_blocked, is_refused=self._reader.is_refused)
            self.trouble = ""
        except PaiJupyterError as exc:
            self.trouble = str(exc)
