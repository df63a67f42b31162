"""Why a job has failed, in the sentence that its view has."""

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState
from pai_jupyter.store import JobFolder


def cause_of(folder: JobFolder, state: JobState) -> str:
    """Return why a job has failed; as its backend says it if its log cannot be read."""
    from pai_jupyter.jobs.failure import why_it_failed  # late: it imports much, and few jobs fail

    try:
        return why_it_failed(folder, state).cause
    except PaiJupyterError:
        return state.reason
