"""What `pai_shards` in the workers says of the job, in files beside the one that says that nothing is left to do.

    ALL_DONE            nothing is left: the job has succeeded, whatever still runs
    ALL_DONE.left       a worker has begun to take shards: without ALL_DONE, some are left
    ALL_DONE.refused    why the job must fail, in a sentence: another try would not help

The job can write these files. All it can reach by that is its own end.
"""

import os

from .logs import open_plain

LEFT = "its workers have ended, but not all shards are done: the last lines of each worker say how many were left"
_LONGEST = 2000  # bytes of the sentence


def is_all_done(all_done: "str | None") -> bool:
    """Return whether nothing is left to do; None: the job has no shards."""
    return all_done is not None and os.path.lexists(all_done)


def refusal(all_done: "str | None") -> str:
    """Return why the job must fail; "" if nothing speaks for that."""
    if all_done is None or not os.path.lexists(all_done + ".refused"):
        return ""
    try:
        file = open_plain(all_done + ".refused", os.O_RDONLY)
        try:
            said = os.read(file, _LONGEST).decode(errors="replace")
        finally:
            os.close(file)
    except OSError:
        said = ""
    return "pai_shards: " + (" ".join(said.split()) or "the sizes are refused; the logs say why")


def fault(all_done: "str | None") -> str:
    """Return why a job whose workers have all succeeded has failed nevertheless; "" if it has not."""
    if all_done is None:
        return ""
    is_left = os.path.lexists(all_done + ".left") and not is_all_done(all_done)
    return refusal(all_done) or (LEFT if is_left else "")
