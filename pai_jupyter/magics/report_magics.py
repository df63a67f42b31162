"""%pai_report: several jobs as one file that others can read."""

from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from pai_jupyter.events import for_terminal
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.report import write_report
from pai_jupyter.report.writing import quoted
from pai_jupyter.view import said


@magics_class
class ReportMagics(Magics):
    """`%pai_report`."""

    shell: Any  # IPython sets it

    @no_var_expand
    @magic_arguments()
    @argument("words", nargs="*", help="words that all must fit, as in the runs table: tag:best lr<0.1; none: all jobs")
    @argument(
        "-o",
        dest="file",
        default="report.html",
        metavar="FILE",
        help="the file: .html for one page that anybody can read, .ipynb for a notebook (default: report.html)",
    )
    @argument("--title", metavar="TITLE", help="the title of the report")
    @line_magic
    def pai_report(self, line: str) -> None:
        """Write a report of jobs: their values, metrics, curves, and how they went, in one file without scripts.

        Examples::

            %pai_report tag:best -o best.html
            %pai_report lr<0.1 accuracy>0.9 -o sweep.ipynb --title "Learning rates"
        """
        given = parse(self.pai_report, expand(line, self.shell.user_ns))
        notes: list[str] = []
        path = write_report(given.file, quoted(given.words), title=given.title, on_damage=notes.append)
        for note in notes:
            print(for_terminal(said(f"note: {note}")))  # noqa: T201  for the user, as the next
        print(said(f"report written to {path}"))  # noqa: T201  for the user
