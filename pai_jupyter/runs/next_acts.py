"""What is to be done next, of a fold. Pure; see `acts` for what the driver does with it.

Rule: an act comes as long as its entry has not. Jobs at a time in a place are the driver's to limit, items of a loop at a time are
limited here already.
"""

from pai_jupyter.runs.acts import Act, EndRun, StopJob
from pai_jupyter.runs.fold import RunFold
from pai_jupyter.runs.progress import why_failed
from pai_jupyter.runs.state import RunStatus, StepStatus


def next_acts(run: RunFold) -> list[Act]:
    """Return the acts that can be done now, earlier steps first; none while jobs are awaited, or after the end."""
    if run.ended is not None:
        return []
    progress = run.progress
    acts = progress.acts_in_order()
    if progress.is_halted:
        acts += [
            StopJob(step=node.path, job_id=job_id)
            for job_id, node in progress.live.items()
            if node.live is not None and not node.live.has_ended
        ]
    if progress.problem is not None or not progress.root.unfinished:
        acts.append(_end(run))
    return acts


def _end(run: RunFold) -> EndRun:
    progress = run.progress
    nodes = list(progress.root.nodes.values())
    failed = [node for node in nodes if node.status is StepStatus.FAILED]
    is_stopped = any(node.status is StepStatus.STOPPED for node in nodes)
    outputs = progress.root.outputs()
    status, reason = RunStatus.SUCCEEDED, progress.problem
    if progress.problem is not None:
        status = RunStatus.FAILED
    elif is_stopped and (run.is_stopping or not failed):
        status = RunStatus.STOPPED
    elif failed:
        status, reason = RunStatus.FAILED, why_failed(failed)
    return EndRun(status=status.value, reason=reason, parameters=outputs.parameters, artifacts=outputs.artifacts)
