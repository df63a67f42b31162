"""How a stage or the whole job has ended, judged by the ends of its replicas. Pure."""

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .member import ReplicaProcess


class Outcome:
    """The end of a stage or of the whole job; `replica` is the failed one, if any."""

    def __init__(self, status: str, exit_code: int | None = None, *, reason: str = "", replica: str = "") -> None:
        self.status = status
        self.exit_code = exit_code
        self.reason = reason
        self.replica = replica


def has_succeeded(members: "Sequence[ReplicaProcess]") -> bool:
    """Return whether all replicas that decide have succeeded; where none does, all replicas decide."""
    return all(member.exit_code == 0 for member in [m for m in members if m.decides] or members)


def failure(members: "Sequence[ReplicaProcess]") -> Outcome | None:
    """Return the job's failure by a replica that is not started again; None if there is none.

    Of several that ended since the last look, one that was killed is the cause: the others rather missed it.
    """
    failed = [member for member in members if member.exit_code and not member.may_restart]
    if not failed:
        return None
    cause = next((member for member in failed if (member.exit_code or 0) > 128), failed[0])
    return Outcome("failed", cause.exit_code, replica=cause.name)
