"""Everything that pai_jupyter raises at its users. Each message says what happened, where, and what to type next.

    PaiJupyterError
    ├── SpecError                what was asked for is wrong: a value, an option, a line of the cell
    ├── PackageError             the source directory cannot be packed
    ├── BackendError             the place where jobs run refused or failed
    │   ├── AuthError            ... does not know who asks, or forbids it
    │   ├── NotFoundError        ... has no such job, image, channel
    │   ├── LimitExceededError   ... has no room: quota, disk, memory
    │   ├── UnavailableError     ... does not answer
    │   │   └── UncertainError   ... did not answer a call that may have been carried out
    │   └── ProtocolError        ... answered what nobody understands
    ├── JobNotReady              what is asked for comes later: with Submit in the form, or at the end of the job
    ├── JobFailed                the job ended badly
    └── JobStopped               somebody stopped the job
    JobDetached                  a wait was interrupted, the job goes on (a KeyboardInterrupt, so that Run All stops)

Foreign exceptions are translated at the rim that meets them (`translating`); one that reaches the user is a bug of ours.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar


class PaiJupyterError(Exception):
    """Base of all errors that a user can act upon; `str()` is the sentence to show.

    `translate` gives it in the user's language where IPython shows it; whoever speaks several sets it.

    Example:
        >>> from pai_jupyter import JobSpec
        >>> try:
        ...     JobSpec(name="", command="true")
        ... except PaiJupyterError as error:
        ...     print(type(error).__name__)
        SpecError
    """

    translate: ClassVar[Callable[[str], str]] = staticmethod(str)

    reword: Callable[[str], str] = staticmethod(str)
    """Where Python was used, not a magic: puts it into the words of Python, in whatever language it is."""

    def __str__(self) -> str:
        return self.reword(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """Show one message in IPython in the place of a traceback: the user did nothing wrong inside our code."""
        return [f"{type(self).__name__}: {self.reword(PaiJupyterError.translate(super().__str__()))}"]


class SpecError(PaiJupyterError):
    """What was asked for cannot be run.

    `field` names the part of the spec or the option; `line` is the line of the cell (from 1, the magic's line is 1).
    """

    def __init__(self, message: str, *, field: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.line = line


class PackageError(PaiJupyterError):
    """The source cannot be packed: unreadable, too large, leaving its root, or holding a secret."""


class BackendError(PaiJupyterError):
    """The place where jobs run refused or failed; `code` and `request_id` are its own words, "" where it has none."""

    def __init__(self, message: str, *, code: str = "", request_id: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


class AuthError(BackendError):
    """The backend does not know who asks, or forbids it."""


class NotFoundError(BackendError):
    """There is no such job, image, channel or folder."""


class IncompleteFetchError(BackendError):
    """An output was copied to `place`, but for what nobody can copy: `left`, the path and the reason of each."""

    def __init__(self, message: str, *, place: str, left: Sequence[str]) -> None:
        super().__init__(message)
        self.place = place
        self.left = tuple(left)


class LimitExceededError(BackendError):
    """A quota, a disk or a memory limit stands in the way."""


class UnavailableError(BackendError):
    """The backend does not answer; trying again later may help."""


class UncertainError(UnavailableError):
    """Nobody knows whether the call was carried out, and it must not be made twice: look for what it would have made."""


class ProtocolError(BackendError):
    """The backend answered something that does not fit its own rules."""


class JobNotReady(PaiJupyterError):
    """What is asked for comes later: the form waits for Submit, or the job is still running."""


class JobFailed(PaiJupyterError):
    """The job ended badly; `reason` is the cause in one line, `hint` what may help, `tail` the end of its log.

    `replica` is the one that failed, "" where nobody knows; of several, `reason` begins with it, and `tail` is its own.

    Example:
        >>> from pai_jupyter import JobSpec, submit
        >>> job = submit(JobSpec(name="demo", command="exit 3"), backend="process")
        >>> try:
        ...     job.wait()
        ... except JobFailed as error:
        ...     print("exit code 3" in error.reason)
        True
    """

    def __init__(self, job: str, reason: str, tail: Sequence[str] = (), hint: str = "", replica: str = "") -> None:
        super().__init__(
            "\n".join([f"job {job} failed: {reason}", *filter(None, [hint]), *(f"  {line}" for line in tail)])
        )
        self.job = job
        self.reason = reason
        self.tail = tuple(tail)
        self.hint = hint
        self.replica = replica

    is_log_shown: bool = False  # whoever waited has read the log as it came

    def _render_traceback_(self) -> list[str]:
        """Leave out the log where it stands above already."""
        lines = super()._render_traceback_()[0].split("\n")
        return ["\n".join(lines[: -len(self.tail)] if self.is_log_shown and self.tail else lines)]

    def __reduce__(self) -> tuple[type["JobFailed"], tuple[str, str, tuple[str, ...], str, str]]:
        return type(self), (self.job, self.reason, self.tail, self.hint, self.replica)


class JobStopped(PaiJupyterError):
    """Somebody stopped the job before its end.

    Example:
        >>> from pai_jupyter import JobSpec, submit
        >>> job = submit(JobSpec(name="demo", command="sleep 600"), backend="process")
        >>> job.stop()
        >>> try:
        ...     job.wait()
        ... except JobStopped:
        ...     print("stopped")
        stopped
    """


class JobDetached(KeyboardInterrupt):
    """Waiting was interrupted; the job itself goes on. An interrupt, no error: the cells after it must not run.

    Example:
        >>> try:
        ...     raise JobDetached("interrupted; the job goes on")
        ... except KeyboardInterrupt as interrupt:
        ...     print(interrupt)
        interrupted; the job goes on
    """

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@contextmanager
def translating(translate: Callable[[Exception, str], PaiJupyterError | None], doing: str) -> Iterator[None]:
    """Raise `translate(exc, doing)` for an exception from inside; ours pass, and so does what it makes None of: a bug."""
    try:
        yield
    except PaiJupyterError:
        raise
    except Exception as exc:
        error = translate(exc, doing)
        if error is None:
            raise
        raise error from exc
