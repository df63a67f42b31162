"""The placeholder of a job that was not submitted yet; using it says what to wait for.

Run All does not stop at a form, so the cells below it run before the job is submitted. Waiting for Submit there would block the
kernel from receiving it, so a `WaitingJob` raises at once.
"""

from pai_jupyter.errors import JobNotReady
from pai_jupyter.jobs.job import Job


class WaitingJob(Job):
    """A job whose form waits for Submit; `become` turns this object into the real job.

    Raises:
        JobNotReady: on any use before that, with the given sentence.
    """

    def __init__(self, sentence: str) -> None:
        # not Job.__init__: there is no folder, and access to one ends in `__getattr__`
        self._sentence = sentence

    @property
    def is_waiting(self) -> bool:
        return "_folder" not in vars(self)

    def become(self, job: Job) -> None:
        """Become this job."""
        vars(self).update(vars(job))

    def __repr__(self) -> str:
        return f"<Job: {self._sentence}>" if self.is_waiting else super().__repr__()

    def __getattr__(self, name: str) -> object:
        if name in ("_folder", "_unreached", "max_unknown"):
            raise JobNotReady(self._sentence)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
