"""One line below the cell that changes: how far something is, for who looks at a notebook."""

from typing import Any


class StatusLine:
    """A display that is replaced; made when it first has something to say."""

    def __init__(self) -> None:
        self._handle: Any = None  # Any: IPython is untyped

    def show(self, text: str) -> None:
        """Let it say this."""
        from IPython.display import display

        drawn = {"text/plain": text}
        if self._handle is None:
            self._handle = display(drawn, raw=True, display_id=True)  # type: ignore[no-untyped-call]  # IPython's
        else:
            self._handle.update(drawn, raw=True)
