"""The list of magics and their modules. IPython gets a proxy for each, which imports the magic on first use.

To add a magic, write its method in a `Magics` class of this package and give it a row in `MAGICS`.

Rule 1: `%load_ext` imports only this module and `callbacks` of the package.
Rule 2: for IPython a proxy is its magic: call, help, source and options are the same (tests/magics/test_registry.py).
"""

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, kw_only=True)
class MagicEntry:
    """A magic's module, its class, and its Tab completion.

    `words`: the function of `magics.complete` for positional arguments; "": only options; None: no completion.
    """

    module: str
    cls: str
    words: str | None = ""
    is_cell: bool = False  # a cell magic too, besides the line magic

    @property
    def key(self) -> str:
        """Key of the class's instance in IPython's registry; unique, since IPython has a `ConfigMagics`, too."""
        return f"{__package__}.{self.cls}"


_MATCHER = "pai_jupyter"
RAN: dict[int, tuple[str, bool]] = {}
"""By execution number: the id of the cell that ran, and whether it succeeded; since `%load_ext`."""
UNNUMBERED: deque[tuple[str, str, bool]] = deque(maxlen=1_000)
"""Code, id and success of the cells that ran without a number, as nbval runs them: IPython keeps no list of those."""

MAGICS: Mapping[str, MagicEntry] = {
    "pai_train": MagicEntry(module="train_magics", cls="TrainMagics", is_cell=True),
    "pai_component": MagicEntry(
        module="component_magics", cls="ComponentMagics", words="component_words", is_cell=True
    ),
    "pai_pipeline": MagicEntry(module="pipeline_magics", cls="PipelineMagics", words="manifest_words", is_cell=True),
    "pai_runs": MagicEntry(module="run_magics", cls="RunMagics", words="run_words"),
    "pai_jobs": MagicEntry(module="list_magics", cls="ListMagics", words="search_words"),
    "pai_attach": MagicEntry(module="jobs_magics", cls="JobMagics", words="job_names"),
    "pai_logs": MagicEntry(module="log_magics", cls="LogMagics", words="job_names"),
    "pai_stack": MagicEntry(module="stack_magics", cls="StackMagics", words="job_names"),
    "pai_stop": MagicEntry(module="jobs_magics", cls="JobMagics", words="job_names"),
    "pai_rerun": MagicEntry(module="jobs_magics", cls="JobMagics", words="job_names"),
    "pai_report": MagicEntry(module="report_magics", cls="ReportMagics", words="search_words"),
    "pai_tag": MagicEntry(module="tag_magics", cls="TagMagics", words="tag_words"),
    "pai_download": MagicEntry(module="output_magics", cls="OutputMagics", words="download_words"),
    "pai_tensorboard": MagicEntry(module="board_magics", cls="BoardMagics", words="boards"),
    "pai_images": MagicEntry(module="cloud_magics", cls="CloudMagics", words="frameworks"),
    "pai_instances": MagicEntry(module="cloud_magics", cls="CloudMagics"),
    "pai_oss": MagicEntry(module="oss_magics", cls="OssMagics", words="oss_words"),
    "pai_hdfs": MagicEntry(module="hdfs_magics", cls="HdfsMagics", words="hdfs_words"),
    "pai_openpai": MagicEntry(module="job_file_magics", cls="JobFileMagics", words="job_file_words"),
    "pai_config": MagicEntry(module="config_magics", cls="ConfigMagics", words="config_words"),
    "pai_doctor": MagicEntry(module="config_magics", cls="ConfigMagics", words=None),
}


class LazyMagic:
    """A proxy for a magic in IPython's tables; using anything but its name imports the magic."""

    def __init__(self, shell: Any, name: str, kind: str) -> None:  # Any: IPython is untyped
        self._shell, self._name, self._kind = shell, name, kind

    @property
    def __wrapped__(self) -> Callable[..., object]:
        """The magic itself; `inspect` and IPython's help look for it here."""
        entry, registry = MAGICS[self._name], self._shell.magics_manager.registry
        if entry.key not in registry:
            module = import_module(f"pai_jupyter.magics.{entry.module}")
            registry[entry.key] = getattr(module, entry.cls)(shell=self._shell)
        magic: Callable[..., object] = registry[entry.key].magics[self._kind][self._name]
        return magic

    def __call__(self, *args: Any, **kwargs: Any) -> object:  # Any: whatever IPython gives a magic
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:  # Any: an attribute of the magic, as IPython's decorators leave them
        return getattr(self.__wrapped__, name)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # built when help is requested
        from pai_jupyter.magics.manual import manual

        return manual(self.__wrapped__)


def register(shell: Any) -> None:  # Any: IPython is untyped
    """Register a proxy for every magic, and Tab completion, in `shell`."""
    tables = shell.magics_manager.magics
    for name, entry in MAGICS.items():
        for kind in ("line", "cell") if entry.is_cell else ("line",):
            tables[kind][name] = LazyMagic(shell, name, kind)
    _forget_matcher(shell)
    shell.Completer.custom_matchers.append(_matcher(tables))
    shell.events.register("post_run_cell", _remember)


def unregister(shell: Any) -> None:  # Any: IPython is untyped
    """Remove the magics from `shell`."""
    manager = shell.magics_manager
    with suppress(ValueError):  # it was not registered
        shell.events.unregister("post_run_cell", _remember)
    _forget_matcher(shell)
    for name, entry in MAGICS.items():
        for table in manager.magics.values():
            table.pop(name, None)
        manager.registry.pop(entry.key, None)


def _matcher(tables: Mapping[str, Mapping[str, Any]]) -> Callable[[Any], dict[str, Any]]:  # Any: IPython's own
    """Return a matcher that completes a magic's line and suppresses Python's completions.

    It is not a command hook, since IPython shows a hook's words together with Jedi's.
    """

    def match(context: Any) -> dict[str, Any]:
        line = context.text_until_cursor
        command = (line.split(None, 1) or [""])[0]
        name, kind = command.lstrip("%"), "cell" if command.startswith("%%") else "line"
        entry = MAGICS.get(name)
        if entry is None or entry.words is None or name not in tables[kind]:
            return {"completions": []}
        from IPython.core.completer import SimpleCompletion

        from pai_jupyter.magics import complete

        more: complete.Words | None = getattr(complete, entry.words) if entry.words else None
        found = complete.complete(tables[kind][name].parser, line, context.token, words=more)
        return {"completions": [SimpleCompletion(text=each, type="magic") for each in found], "suppress": True}

    match.matcher_api_version = 2  # type: ignore[attr-defined]  # tells IPython which arguments a matcher takes
    match.matcher_identifier = _MATCHER  # type: ignore[attr-defined]
    return match


def _remember(result: Any) -> None:  # Any: IPython is untyped
    """Remember which cells succeed: IPython before 9 does not, and none knows their ids."""
    info = result.info
    cell_id = getattr(info, "cell_id", None) or ""
    if info.store_history and result.execution_count is not None:
        RAN[result.execution_count] = cell_id, result.success
    elif not info.store_history and not info.silent:  # silent: what a front end asks for itself
        UNNUMBERED.append((info.raw_cell, cell_id, result.success))


def _forget_matcher(shell: Any) -> None:  # Any: IPython is untyped
    matchers = shell.Completer.custom_matchers
    matchers[:] = [each for each in matchers if getattr(each, "matcher_identifier", "") != _MATCHER]
