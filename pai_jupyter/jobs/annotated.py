"""What the user says about a job: its name, a star, tags, a note. The part of `Job` that changes them; they are kept by `store`.

Rule 1: a job's record, its log and its outputs never change with them, nor does a rerun inherit them: it is another job, about which
    nothing has been said yet.
Rule 2: a known secret is refused, as wherever a text would be kept. One that was written before it was known can be removed.
"""

from contextlib import suppress

from pai_jupyter import callbacks
from pai_jupyter.config import refuse_secret_texts
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import AnnotationChange, Annotations, JobFolder


class AnnotatedJob:
    """A job with what the user says about it; it may be changed while the job runs, and after its end."""

    def __init__(self, folder: JobFolder) -> None:
        self._folder = folder

    @property
    def annotations(self) -> Annotations:
        """Name, star, tags and note as they are now; empty ones if their file cannot be read."""
        with suppress(PaiJupyterError):  # lists of jobs say it
            return self._folder.annotations()
        return Annotations()

    @property
    def tags(self) -> tuple[str, ...]:
        return self.annotations.tags

    @property
    def is_starred(self) -> bool:
        return self.annotations.is_starred

    @property
    def note(self) -> str:
        """The note on the job; `job.note = "..."` replaces it, and "" removes it."""
        return self.annotations.note

    @note.setter
    def note(self, text: str) -> None:
        annotate(self._folder, AnnotationChange(note=text))

    def tag(self, *tags: str) -> None:
        """Give the job these tags besides those that it has: `job.tag("best", "paper")`.

        Raises:
            SpecError: a tag is not allowed or holds a known secret, or there would be too many.
        """
        annotate(self._folder, AnnotationChange(add=tags))

    def untag(self, *tags: str) -> None:
        """Remove these tags, if the job has them."""
        annotate(self._folder, AnnotationChange(remove=tags))

    def star(self, is_starred: bool = True) -> None:
        """Give the job a star, or with False take it away."""
        annotate(self._folder, AnnotationChange(is_starred=is_starred))

    def rename(self, name: str) -> None:
        """Show the job by another name; "" takes it back. It is found by both.

        Raises:
            SpecError: the name is not allowed, or holds a known secret.
        """
        annotate(self._folder, AnnotationChange(name=name))


def annotate(folder: JobFolder, change: AnnotationChange) -> Annotations:
    """Change what the user says about a job, and return all of it.

    Raises:
        SpecError: a text holds a known secret, or there would be too many tags.
        NotFoundError: the job was removed.
        PaiJupyterError: the annotations cannot be read or written.
    """
    refuse_secret_texts(change.texts())
    told = folder.annotate(change)
    if callbacks.job_annotated is not None:
        callbacks.job_annotated(folder)
    return told
