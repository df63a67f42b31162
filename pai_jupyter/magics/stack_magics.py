"""%pai_stack: what the Python processes of a running job do, right now or for some seconds."""

import errno
import json
import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import SpecError
from pai_jupyter.events import for_terminal
from pai_jupyter.jobs import Job, attach, follow_all
from pai_jupyter.jobs.stacks import read_stacks, record
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.stacks import LONGEST, Flame, ProcessStacks, flame_text, stacks_text
from pai_jupyter.view import StatusLine, front_end, said
from pai_jupyter.view.flame import flame_image, flame_svg

KINDS = (".svg", ".json")


@magics_class
class StackMagics(Magics):
    """`%pai_stack`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument("--replica", metavar="NAME", help="one replica, e.g. worker-0")
    @argument("--seconds", type=int, metavar="N", help="record so many seconds, and draw them as a flame graph")
    @argument("-o", dest="file", metavar="FILE", help="write to a file instead: .json, or with --seconds also .svg")
    @line_magic
    def pai_stack(self, line: str) -> None:
        """Print what the Python processes of a running job do right now, the innermost call last.

        Lines of the job's script are told as lines of the cell. The job must run on this machine. Its processes are looked at
        with py-spy from outside, and are not changed.
        """
        options = parse(self.pai_stack, expand(line, self.shell.user_ns))
        file = _file_of(options)
        job = attach(options.job)
        follow_all([job])
        if options.seconds is None:
            stacks = read_stacks(job, options.replica)
            _put(file, _stacks_json(stacks)) if file else print(stacks_text(stacks, said))  # noqa: T201
            return
        flame = self._record(job, options)
        if file is not None:
            _put(file, flame_svg(flame, said) if file.suffix == ".svg" else _flame_json(flame))
            return
        self._show(flame)

    def _record(self, job: Job, options: Namespace) -> Flame:
        status = StatusLine() if front_end().is_attended else None
        told = ""

        def tell(elapsed: float) -> None:
            nonlocal told
            text = said(f"recording {job.name}: {elapsed:.0f} of {options.seconds} s")
            if status is not None and text != told:
                status.show(for_terminal(text))
                told = text

        flame = record(job, options.seconds, options.replica, tell=tell)
        tell(options.seconds)
        return flame

    def _show(self, flame: Flame) -> None:
        text = flame_text(flame, said)
        if not flame.root.samples or getattr(self.shell, "kernel", None) is None:
            print(text)  # noqa: T201
            return
        display({"text/plain": text, "text/html": flame_image(flame, text, said)}, raw=True)


def _file_of(options: Namespace) -> Path | None:
    """Return the file to write; refuse a wrong one before anything is asked."""
    if options.seconds is not None and not 1 <= options.seconds <= LONGEST:
        raise SpecError(f"`--seconds {options.seconds}` must be a whole number from 1 to {LONGEST}.", field="--seconds")
    if options.file is None:
        return None
    path = Path(options.file).expanduser()
    if path.suffix not in KINDS:
        raise SpecError(f"`-o {options.file}` must end in .svg or .json.", field="-o")
    if path.suffix == ".svg" and options.seconds is None:
        raise SpecError(f"`-o {options.file}` draws a recording. Add --seconds 10, or write a .json file.", field="-o")
    _check_writable(path)
    return path


def _check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before somebody waits for a recording."""
    if not path.parent.is_dir():
        why = errno.ENOENT
    elif path.is_dir():
        why = errno.EISDIR
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        why = errno.EACCES
    else:
        return
    raise SpecError(f"`-o {path}` cannot be written: {os.strerror(why)}", field="-o")


def _put(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise SpecError(f"`-o {path}` cannot be written: {exc.strerror}", field="-o") from exc
    print(said(f"stacks written to {path}"))  # noqa: T201


def _stacks_json(stacks: list[ProcessStacks]) -> str:
    from pai_jupyter.wire.tabs.stacks import process_json  # late: most sessions write none

    return _text([process_json(each) for each in stacks])


def _flame_json(flame: Flame) -> str:
    from pai_jupyter.wire.tabs.stacks import flame_json

    return _text(flame_json(flame))


def _text(value: Mapping[str, object] | list[Any]) -> str:  # Any: JSON objects
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"
