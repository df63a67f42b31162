"""The statuses of runs and nodes, in PAIFlow's words. No I/O."""

from collections.abc import Mapping

from pai_jupyter.runs.state import RunState, RunStatus, StepStatus

INITIALIZED = "Initialized"  # created without NoConfirmRequired: it waits for StartRun
OF_RUNS: Mapping[RunStatus, str] = {
    RunStatus.RUNNING: "Running",
    RunStatus.BLOCKED: "Suspended",
    RunStatus.SUCCEEDED: "Succeeded",
    RunStatus.FAILED: "Failed",
    RunStatus.STOPPED: "Terminated",
}
OF_STEPS: Mapping[StepStatus, str] = {
    StepStatus.WAITING: "ReadyToSchedule",
    StepStatus.RUNNING: "Running",
    StepStatus.SUCCEEDED: "Succeeded",
    StepStatus.FAILED: "Failed",
    StepStatus.SKIPPED: "Skipped",
    StepStatus.STOPPED: "Terminated",
}
KNOWN = frozenset(
    {INITIALIZED, *OF_RUNS.values(), *OF_STEPS.values(), "Starting", "WorkflowServiceStarting", "Unknown"}
)
TERMINAL = frozenset(OF_RUNS[status] for status in RunStatus if status.is_terminal)


def of_run(state: RunState) -> str:
    return OF_RUNS[state.status]
