"""The errors that pai_jupyter raises to its users. Each message says what happened, where, and what to type next.

    PaiJupyterError
    ├── SpecError                a value, an option or a line of the cell is invalid
    ├── PackageError             the source directory cannot be packed
    ├── BackendError             the backend refused or failed
    │   ├── AuthError            the credentials are rejected, or permission is missing
    │   ├── NotFoundError        there is no such job, image or channel
    │   ├── LimitExceededError   a quota, disk or memory limit is reached
    │   ├── UnavailableError     the backend does not answer
    │   │   └── UncertainError   no answer to a call that may have been carried out
    │   └── ProtocolError        the answer cannot be understood
    ├── JobNotReady              the result does not exist yet: Submit was not pressed, or the job still runs
    ├── JobFailed                the job failed
    ├── JobStopped               somebody stopped the job
    ├── RunFailed                a step of the run failed
    └── RunStopped               somebody stopped the run
    JobDetached                  a wait was interrupted, the job goes on (a KeyboardInterrupt, so that Run All stops)

Exceptions of other libraries are translated where they arise (`translating`); one that reaches the user is a bug.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_OF_KEYS = re.compile(
    r"|InvalidSecurityToken(\..*)?|SecurityTokenExpired|InvalidAccessKeyId(\..*)?|SignatureDoesNotMatch|MissingSecurityToken"
)  # codes of services; "" is of an error that no service gave
LONGEST_CAUSE = 300  # characters of another package's message that are shown


class PaiJupyterError(Exception):
    """Base of all errors that a user can fix; `str()` is the sentence to show.

    `translate` puts the sentence into the user's language when IPython shows it; the magics set it.

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
    """Rewrites the sentence for callers of the Python API, who typed no magic; in every language."""

    def __str__(self) -> str:
        return self.reword(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """Show one message in IPython instead of a traceback into our code."""
        return [f"{type(self).__name__}: {self.reword(PaiJupyterError.translate(super().__str__()))}"]


class SpecError(PaiJupyterError):
    """A value, an option or a line of the cell is invalid.

    `field` names the part of the spec or the option; `line` is the line of the cell (from 1, the magic's line is 1).
    """

    def __init__(self, message: str, *, field: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.line = line


class PackageError(PaiJupyterError):
    """The source cannot be packed: unreadable, too large, leaving its root, or holding a secret."""


class BackendError(PaiJupyterError):
    """The backend refused or failed; `code` and `request_id` are the service's own, "" if it gave none."""

    def __init__(self, message: str, *, code: str = "", request_id: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


class AuthError(BackendError):
    """The credentials are rejected, or permission is missing."""

    @property
    def is_about_key(self) -> bool:
        """Whether a new access key would help: there is none, or the service rejects this one."""
        return _OF_KEYS.fullmatch(self.code) is not None


class NotFoundError(BackendError):
    """There is no such job, image, channel or folder."""


class IncompleteFetchError(BackendError):
    """An output was copied to `place` except for `left`: the path and reason of each file that cannot be copied."""

    def __init__(self, message: str, *, place: str, left: Sequence[str]) -> None:
        super().__init__(message)
        self.place = place
        self.left = tuple(left)


class LimitExceededError(BackendError):
    """A quota, disk or memory limit is reached."""


class UnavailableError(BackendError):
    """The backend does not answer; a later try may succeed."""


class UncertainError(UnavailableError):
    """The call may or may not have been carried out. Do not repeat it; look for what it would have created."""


class ProtocolError(BackendError):
    """The backend's answer breaks its own protocol."""


class JobNotReady(PaiJupyterError):
    """The result does not exist yet: the form waits for Submit, or the job is still running."""


class JobFailed(PaiJupyterError):
    """The job failed; `reason` is the cause in one line, `hint` what may help, `tail` the end of its log.

    `replica` is the one that failed, "" if unknown. In a job of several replicas, `reason` begins with its name and `tail` is
    from its log.

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

    is_log_shown: bool = False  # the log was printed while the user waited

    def _render_traceback_(self) -> list[str]:
        """Leave out the log if it is printed above already."""
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


class RunFailed(PaiJupyterError):
    """A step of the run failed; `reason` says which, and why."""

    def __init__(self, run: str, reason: str) -> None:
        super().__init__(f"run {run} failed: {reason}")
        self.run = run
        self.reason = reason

    def __reduce__(self) -> tuple[type["RunFailed"], tuple[str, str]]:
        return type(self), (self.run, self.reason)


class RunStopped(PaiJupyterError):
    """Somebody stopped the run before its end."""


class JobDetached(KeyboardInterrupt):
    """Waiting was interrupted; the job goes on. A KeyboardInterrupt, so that Run All stops.

    Example:
        >>> try:
        ...     raise JobDetached("interrupted; the job goes on")
        ... except KeyboardInterrupt as interrupt:
        ...     print(interrupt)
        interrupted; the job goes on
    """

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def cause_of(exc: BaseException) -> str:
    """Describe another package's exception in one line: its type and, shortened, what it says."""
    said = " ".join(str(exc).split())
    shown = f"{said[:LONGEST_CAUSE]}…" if len(said) > LONGEST_CAUSE else said.removesuffix(".")
    return f"{type(exc).__name__}: {shown}" if shown else type(exc).__name__


@contextmanager
def translating(translate: Callable[[Exception, str], PaiJupyterError | None], action: str) -> Iterator[None]:
    """Raise `translate(exc, action)` for an exception of the block. Our own pass through; so does one that it maps to None."""
    try:
        yield
    except PaiJupyterError:
        raise
    except Exception as exc:
        error = translate(exc, action)
        if error is None:
            raise
        raise error from exc


def explaining_keywords(**instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function answer keywords that it does not have, and that people try, with what to write instead."""

    def wrapped(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def checked(*args: P.args, **given: P.kwargs) -> R:
            if wrong := next((name for name in instead if name in given), None):
                what = function.__qualname__.removesuffix(".__init__")
                raise SpecError(f"{what} has no argument `{wrong}`. Write {instead[wrong]}", field=wrong)
            return function(*args, **given)

        return checked

    return wrapped
