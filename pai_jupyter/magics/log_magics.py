"""%pai_logs: print the log of a job, whole or in part, once or as it grows, or write it to a file."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments

from pai_jupyter.errors import SpecError
from pai_jupyter.events import for_terminal, strip_ansi
from pai_jupyter.jobs import Job, attach, follow_all, follow_log, print_line
from pai_jupyter.jobs.log_secrets import log_masker
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.store import with_replica
from pai_jupyter.view import is_stable, said


@magics_class
class LogMagics(Magics):
    """`%pai_logs`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("job", help="id, unique prefix of an id, or name")
    @argument(
        "-f",
        "--follow",
        action="store_true",
        help="follow until the job ends; an interrupt stops following, not the job",
    )
    @argument("--tail", type=int, metavar="N", help="only the last N lines")
    @argument("--grep", metavar="REGEX", help="only matching lines")
    @argument("--replica", metavar="NAME", help="one replica, e.g. worker-0")
    @argument("-o", dest="file", metavar="FILE", help="write to a file instead of the output")
    @line_magic
    def pai_logs(self, line: str) -> None:
        """Print the log of a job.

        Secrets in it are masked: those that this session knows, and what has the form of one. `job.logs()` gives it as it is.
        """
        options = parse(self.pai_logs, expand(line, self.shell.user_ns))
        job = attach(options.job)
        wanted = _matcher(options.grep)
        if not options.follow:
            follow_all([job])
        replica = job.check_replica(options.replica) if options.replica else None
        if options.file is None:
            _write_log(job, options, replica, wanted, lambda text: print(for_terminal(text)))  # noqa: T201
            _tell_unreached(job)
            return
        path = Path(options.file).expanduser()
        try:
            with path.open("w", encoding="utf-8") as file:
                _write_log(job, options, replica, wanted, lambda text: file.write(strip_ansi(text) + "\n"))
        except OSError as exc:
            raise SpecError(f"`-o {options.file}` cannot be written: {exc.strerror}", field="-o") from exc
        print(said(f"log of {job.name} written to {options.file}"))  # noqa: T201
        _tell_unreached(job)


def _tell_unreached(job: Job) -> None:
    """Say why there may be more in the log than is known here."""
    if job.unreached is not None:
        print(for_terminal(said(f"note: {job.unreached.reason}")))  # noqa: T201


def _matcher(regex: str | None) -> Callable[[str], bool]:
    if regex is None:
        return lambda text: True
    from pai_jupyter.store.patterns import line_matcher  # late: it imports `regex`, 30 ms

    try:
        return line_matcher(regex)
    except SpecError as exc:
        raise SpecError(f"`--grep`: {exc}", field="--grep") from exc


def _write_log(
    job: Job, options: Namespace, replica: str | None, wanted: Callable[[str], bool], write: Callable[[str], object]
) -> None:
    names = [replica] if replica else job.replicas

    def show(text: str) -> None:
        own = text.partition(" | ")[2] if len(names) > 1 else text  # without the replica's name
        if wanted(strip_ansi(own)):
            write(text)

    if options.tail is not None and options.tail < 0:
        raise SpecError(f"`--tail {options.tail}` must be a whole number from 0.", field="--tail")
    if options.follow:
        tell = None if is_stable() else lambda line: print_line(said(line))
        follow_log(job, show, replica=replica, last=options.tail, tell=tell)
        return
    lines = job.logs(replica=replica)
    if options.tail is not None:
        lines = iter(job.folder.log(replica).tail(options.tail) if replica else job.tail(options.tail))
    mask = log_masker(job.folder)
    for each in lines:
        show(with_replica(each, names, mask))
