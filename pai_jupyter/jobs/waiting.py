"""What a name stands for before its job has begun, and results that are not there yet: each says what to wait for.

Run All does not stop at a form, so the cells below it run with a job that nobody has submitted. Waiting for Submit there
would stop the kernel from hearing of it: a `WaitingJob` refuses at once instead.
"""

from pai_jupyter.errors import JobNotReady
from pai_jupyter.jobs.job import Job


class WaitingJob(Job):
    """The name of a job whose form waits for Submit; with `become` it is that job, for all who hold it.

    Raises:
        JobNotReady: whatever it is asked for before, with the sentence it was made with.
    """

    def __init__(self, sentence: str) -> None:
        # not Job's: there is no folder, and whatever looks for one ends in `__getattr__`
        self._sentence = sentence

    @property
    def is_waiting(self) -> bool:
        return "_folder" not in vars(self)

    def become(self, job: Job) -> None:
        """Be this job from now on."""
        vars(self).update(vars(job))

    def __repr__(self) -> str:
        return f"<Job: {self._sentence}>" if self.is_waiting else super().__repr__()

    def __getattr__(self, name: str) -> object:
        if name in ("_folder", "_unreached", "max_unknown"):
            raise JobNotReady(self._sentence)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
