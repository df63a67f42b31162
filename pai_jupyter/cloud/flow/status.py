"""Every documented status of runs and nodes, and which of them are an end."""

INITIALIZED = "Initialized"  # created, and waiting until somebody starts it
READY = "ReadyToSchedule"
STARTING = "Starting"
SERVICE_STARTING = "WorkflowServiceStarting"
RUNNING = "Running"
SUSPENDED = "Suspended"  # by a person; it can be resumed in the console
UNKNOWN = "Unknown"
SUCCEEDED = "Succeeded"
FAILED = "Failed"
TERMINATED = "Terminated"
SKIPPED = "Skipped"

ENDS = frozenset((SUCCEEDED, FAILED, TERMINATED, SKIPPED))
STATUSES = ENDS | {INITIALIZED, READY, STARTING, SERVICE_STARTING, RUNNING, SUSPENDED, UNKNOWN}
