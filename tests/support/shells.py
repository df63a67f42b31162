"""An IPython shell in this process, as a terminal has one: no kernel, no front end."""

import atexit
import contextlib
import io
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from pai_jupyter.config import settings
from pai_jupyter.jobs import close_runtime


@dataclass(frozen=True)
class Result:
    """What a cell gave: its error, and all that it printed and displayed."""

    error: BaseException | None
    text: str


class Shell:
    """`with Shell() as shell: shell.run("%%pai_train ...")`."""

    def __enter__(self) -> Self:
        InteractiveShell.clear_instance()
        self._shell: Any = InteractiveShell.instance()  # Any: IPython is untyped
        self._shell.colors = "nocolor"
        self._shell.run_line_magic("load_ext", "pai_jupyter")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        close_runtime()
        settings.cache_clear()
        self._shell.history_manager.end_session()
        atexit.unregister(self._shell.atexit_operations)  # collects garbage: at the end of a run, once for each shell
        InteractiveShell.clear_instance()

    @property
    def user_ns(self) -> dict[str, Any]:  # Any: variables of the user's
        names: dict[str, Any] = self._shell.user_ns
        return names

    def run(self, cell: str, *, is_remembered: bool = False) -> Result:
        """Run a cell; `is_remembered`: it gets a number and goes into the history, as a front end's cells do."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            result = self._shell.run_cell(cell, store_history=is_remembered)
        return Result(result.error_before_exec or result.error_in_exec, printed.getvalue())

    def magic(self, name: str) -> Any:  # Any: what IPython has in its table
        """The line magic of this name."""
        return self._shell.find_magic(name)

    @property
    def next_input(self) -> str | None:
        """The cell that a magic has put below."""
        text: str | None = self._shell.rl_next_input
        return text

    def complete(self, line: str) -> list[str]:
        """What Tab offers at the end of `line`."""
        with provisionalcompleter():
            return [each.text for each in self._shell.Completer.completions(line, len(line))]
