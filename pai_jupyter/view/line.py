"""One changing line below the cell that shows progress."""

from typing import Any


class StatusLine:
    """A line that is replaced on each `show`; the display is created by the first."""

    def __init__(self) -> None:
        self._handle: Any = None  # Any: IPython is untyped

    def show(self, text: str) -> None:
        """Replace the line by `text`."""
        from IPython.display import display

        drawn = {"text/plain": text}
        if self._handle is None:
            self._handle = display(drawn, raw=True, display_id=True)  # type: ignore[no-untyped-call]  # IPython's
        else:
            self._handle.update(drawn, raw=True)
