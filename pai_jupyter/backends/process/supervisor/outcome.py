"""How a stage or the whole job has ended, judged by the ends of its replicas. Pure."""

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .job import RoleRule
    from .member import ReplicaProcess


class Outcome:
    """The end of a stage or of the whole job; `replica` is the failed one, if any."""

    def __init__(self, status: str, exit_code: int | None = None, *, reason: str = "", replica: str = "") -> None:
        self.status = status
        self.exit_code = exit_code
        self.reason = reason
        self.replica = replica


def has_succeeded(members: "Sequence[ReplicaProcess]", completions: "Sequence[RoleRule]" = ()) -> bool:
    """Return whether all replicas that decide have succeeded; where none does, all replicas decide.

    With `completions`: whether a role has its successes, or everything has ended and no role has too many failures.
    """
    if completions:
        codes = {member.name: member.exit_code for member in members}
        if any(each["successes"] and _count(each, codes, 0) >= each["successes"] for each in completions):
            return True
        return None not in codes.values() and failure(members, completions) is None
    return all(member.exit_code == 0 for member in [m for m in members if m.decides] or members)


def failure(members: "Sequence[ReplicaProcess]", completions: "Sequence[RoleRule]" = ()) -> Outcome | None:
    """Return the job's failure by a replica that is not started again; None if there is none.

    Of several that ended since the last look, one that was killed is the cause: the others rather missed it.
    """
    failed = [member for member in members if member.exit_code and not member.may_restart]
    if completions:
        names = {member.name for member in failed}
        over = [each for each in completions if 0 < each["failures"] <= len(names.intersection(each["replicas"]))]
        failed = [member for member in failed if any(member.name in each["replicas"] for each in over)]
    if not failed:
        return None
    cause = next((member for member in failed if (member.exit_code or 0) > 128), failed[0])
    return Outcome("failed", cause.exit_code, replica=cause.name)


def _count(completion: "RoleRule", codes: "dict[str, int | None]", code: int) -> int:
    return sum(codes.get(name) == code for name in completion["replicas"])
