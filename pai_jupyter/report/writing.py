"""`write_report`: choose the jobs, and write the file. `report_text`: the text of one, for who writes it elsewhere."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from pai_jupyter.config import refuse_secret_texts
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, JobSearch, attach
from pai_jupyter.jobs.job_index.search import parsed_words, refuse_unknown
from pai_jupyter.jobs.table import read_table
from pai_jupyter.report.contents import report_of
from pai_jupyter.report.notebook import report_notebook
from pai_jupyter.report.page import report_page
from pai_jupyter.view import environment_language
from pai_jupyter.view.words import CATALOGUE, Language, in_language, say

KINDS = (".html", ".ipynb")
MOST = 50  # jobs: more cannot be told apart in one chart
_HTML_LANGUAGE = {"en": "en", "zh": "zh-CN"}


def _unheard(sentence: str) -> None:
    """Leave it at what the report says."""


def write_report(
    file: str | Path,
    jobs: str | Iterable[Job],
    *,
    title: str | None = None,
    on_damage: Callable[[str], object] = _unheard,
) -> Path:
    """Write a report of these jobs: one HTML file that anybody can read, or a notebook, by the ending of `file`.

    `jobs`: a search as of `%pai_runs` ("tag:best lr<0.1"; newest first), or `Job` objects in this order. Without `title` it is that
    of the search. The file is replaced if there is one. `on_damage` is called with a sentence for each job that is left out because
    its record cannot be read; the report has them too. Returns the file's path.

    Raises:
        SpecError: the ending, the search, the title or the number of jobs is wrong, or the file cannot be written.
        PaiJupyterError: none of the jobs can be read.

    Example:
        >>> from pai_jupyter import JobSpec, submit, write_report
        >>> job = submit(JobSpec(name="demo", command="echo loss=0.5"), backend="process").wait()
        >>> write_report("demo.html", [job]).name
        'demo.html'
    """
    path = checked_path(file)
    chosen = found_jobs(jobs) if isinstance(jobs, str) else list(jobs)
    _check_number(len(chosen), jobs if isinstance(jobs, str) else "")
    title = title or (jobs if isinstance(jobs, str) else "")
    text = report_text(path.suffix, chosen, title=title, on_damage=on_damage)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise SpecError(f"the report {str(path)!r} cannot be written: {exc.strerror}", field="file") from exc
    return path


def report_text(
    kind: str,
    jobs: Sequence[Job],
    *,
    title: str = "",
    language: Language | None = None,
    on_damage: Callable[[str], object] = _unheard,
) -> str:
    """Return the text of a report of this kind, one of `KINDS`, in `language`, by default the environment's.

    Raises:
        SpecError: there are no jobs, or too many, or the title holds a known secret.
        PaiJupyterError: none of the jobs can be read.
    """
    _check_number(len(jobs), "")
    refuse_secret_texts([("title", title)])
    language = language or environment_language()
    word = partial(_word, language=language)
    report = report_of(jobs, title or word("Report of jobs"), language)
    for sentence in report.unread:
        on_damage(sentence)
    return report_page(report, word, _HTML_LANGUAGE[language]) if kind == ".html" else report_notebook(report, word)


def _word(text: str, *, language: Language) -> str:
    """Translate a word of the view, or a sentence."""
    return say(text, language) if text in CATALOGUE else in_language(text, language)


def quoted(words: Iterable[str]) -> str:
    """Return words of a magic's line as one search; a word with blanks in it stays one."""
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def checked_path(file: str | Path) -> Path:
    """Return the path to write.

    Raises:
        SpecError: it ends in neither .html nor .ipynb, or its directory does not exist.
    """
    path = Path(file).expanduser()
    if path.suffix not in KINDS:
        raise SpecError(f"the report {str(path)!r} must end in .html or .ipynb.", field="file")
    if not path.parent.is_dir():
        raise SpecError(f"the report {str(path)!r}: there is no directory {str(path.parent)!r}.", field="file")
    return path


def found_jobs(search: str) -> list[Job]:
    """Return the jobs of this machine that the search finds, newest first.

    Raises:
        SpecError: the search is refused.
    """
    table, words = read_table(), parsed_words(search)
    refuse_unknown(words, table.rows)
    rows = [row for row in table.find(table.query(JobSearch.of_words(words))) if row.is_here and row.backend]
    _check_number(len(rows), search)
    return [attach(row.id) for row in rows]


def _check_number(count: int, search: str) -> None:
    if count == 0:
        raise SpecError(
            f"no job fits {search!r}. %pai_runs lists them." if search else "a report needs a job.", field="jobs"
        )
    if count > MOST:
        raise SpecError(
            f"a report takes {MOST} jobs at most, and these are {count}. Choose fewer, e.g. with tag:best", field="jobs"
        )
