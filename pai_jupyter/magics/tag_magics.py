"""%pai_tag: tags, star, name and note of jobs."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import for_terminal
from pai_jupyter.jobs import Job, JobRow, all_rows, annotate, runtime
from pai_jupyter.jobs.job_index.columns import STAR
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.store import AnnotationChange, Annotations
from pai_jupyter.view import said

SHORTEST = 6  # characters of the beginning of an id, where a tag could stand as well
NOTE_SHOWN = 60  # characters


@magics_class
class TagMagics(Magics):
    """`%pai_tag`, for jobs of this user that have a record here, whether they run or have ended."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument(
        "words", nargs="*", metavar="JOB", help="jobs: ids, unique prefixes, or names; then tags that all of them get"
    )
    @argument("--add", action="append", metavar="TAG", help="a tag, where a job has that name too; may be repeated")
    @argument("--remove", action="append", metavar="TAG", help="take this tag away; may be repeated")
    @argument("--star", action="store_true", help="give them a star")
    @argument("--no-star", action="store_true", help="take their star away")
    @argument("--name", help='show the job by this name, by which it is found as well; --name "" takes it back')
    @argument("--note", metavar="TEXT", help='a note, in the place of the one that is there; --note "" removes it')
    @line_magic
    def pai_tag(self, line: str) -> None:
        """Give jobs tags, a star, another name or a note; without any of these, show what they have.

        Lists show and search them: `%pai_jobs tag:best star:yes note:overfits`. They are kept beside the job's record, which
        never changes.

        Examples::

            %pai_tag iris-3 best paper
            %pai_tag iris-3 iris-4 --remove best --star
            %pai_tag iris-3 --name baseline --note "overfits after epoch 20"
        """
        options = parse(self.pai_tag, expand(line, self.shell.user_ns), is_mixed=True)
        jobs, tags = jobs_and_tags(options.words)
        change = _change(options, tags, len(jobs))
        problems = []
        for job in jobs:
            try:
                told = job.folder.annotations() if change == AnnotationChange() else annotate(job.folder, change)
                print(for_terminal(f"{job.id} {job.name}: {said(description(told))}"))  # noqa: T201
            except PaiJupyterError as exc:  # the others are changed all the same
                problems.append(exc)
        if problems:
            raise problems[0]


def _change(options: Namespace, tags: Sequence[str], count: int) -> AnnotationChange:
    if options.star and options.no_star:
        raise SpecError("--star and --no-star exclude each other. Keep one of them.", field="--star")
    if options.name and count > 1:
        raise SpecError(f"--name is of one job, and these are {count}. Give one.", field="--name")
    return AnnotationChange(
        name=options.name,
        is_starred=True if options.star else False if options.no_star else None,
        note=options.note,
        add=(*tags, *(options.add or ())),
        remove=tuple(options.remove or ()),
    )


def jobs_and_tags(words: Sequence[str]) -> tuple[list[Job], list[str]]:
    """Tell jobs from tags: the first word is a job, and so are the next, up to one that is none.

    Raises:
        SpecError: there is no word, or one is both a job and a tag.
        NotFoundError: the first word is no job.
    """
    if not words:
        raise SpecError("which job? Type e.g. %pai_tag iris-3 best, or %pai_jobs to see them.", field="job")
    rows = runtime().run(all_rows()) if len(words) > 1 else []
    known = {tag.casefold() for row in rows for tag in row.tags}
    count = 1
    while count < len(words) and _is_job(words[count], rows):
        if words[count].casefold() in known:
            raise SpecError(
                f"{words[count]!r} is a tag and the name of a job. For the tag type --add {words[count]}, for the job its id.",
                field="job",
            )
        count += 1
    jobs = {job.id: job for word in words[:count] for job in [Job(job_store().find(word))]}
    return list(jobs.values()), list(words[count:])


def _is_job(word: str, rows: Sequence[JobRow]) -> bool:
    """Return whether a word is a job's id, the beginning of one, or a name."""
    if word and any(word in (row.id, row.name, row.recorded_name) for row in rows):
        return True
    return len(word) >= SHORTEST and sum(row.id.startswith(word) for row in rows) == 1


def description(told: Annotations) -> str:
    """Return star, tags and the beginning of the note in one line."""
    note = " ".join(told.note.split())
    cut = note if len(note) <= NOTE_SHOWN else f"{note[: NOTE_SHOWN - 1]}…"
    first = " ".join(filter(None, (STAR if told.is_starred else "", *told.tags)))
    return " · ".join(filter(None, (first, cut))) or "no star, tags or note"
