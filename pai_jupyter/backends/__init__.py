"""The protocol of backends, which run jobs, and their discovery.

    protocol       `Backend`, what every backend does; its contract is below       installed  the backends that there are, by name
    info           `BackendInfo`: a backend's properties, known without loading it  health   its checks
    capabilities   optional abilities, one small protocol each                     reports  job reports
    guard          makes a `BackendError` of whatever a third party's backend raises
    shared_connections   a connection for all that use it at the same time

No code decides by a backend's name: add a field or a capability here instead (tests/repository/test_backend_names.py). A third party's
backend, installed by an entry point, has all features of ours.

A backend keeps no state of jobs. It finds a job by its `JobRef` alone, in any process, after any restart.

The contract of `follow`, which tests/backends/test_contract.py checks for every backend:
- **suffix**: everything after the position, in order per replica, without gaps; repetitions are allowed.
- **finite**: ends by itself after the terminal status and the last log byte, by draining with a deadline.
  The terminal `StatusChanged` is the last event.
- **deterministic cursors**: a position always means the same place in the log.
- **robust**: transport errors are retried inside, with growing pauses, announced once by a `Notice`; only `AuthError`,
  `NotFoundError` and `ProtocolError` escape. After a failed try yield `StatusChanged(unknown, reason)`; after the next
  success yield the real status.
- **cancellable** at any await; the caller closes the generator (`aclose`). Neither touches the job.
- **replicas** in events and positions are named as `contract.replicas` does: `master-0` if there is only one.
- **polite**: the request rate does not grow with the number of followed jobs.
"""

from pai_jupyter.backends.capabilities import (
    HasTensorBoard,
    HoldsOutputs,
    Inherits,
    Listable,
    LooksIntoImages,
    LosesJobs,
    Previewable,
    RecordsVariables,
    Recoverable,
    RunsAsGiven,
    RunsComponents,
    ShowsNodes,
    StopsRemoved,
    TakesSource,
    TellsProcesses,
)
from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import LOCAL_TYPES, BackendInfo, BackendOption, ImageNames
from pai_jupyter.backends.installed import (
    backend_names,
    find_backend,
    find_info,
    forget_backends,
    get_backend,
    get_info,
    health_of,
    infos,
    is_local,
    known_instances,
    option_example,
    plugin_titles,
    read_only_infos,
    request_option,
    request_options,
)
from pai_jupyter.backends.protocol import Backend, LogHome
from pai_jupyter.backends.reports import ClusterReport, ImageFacts, KnownCluster, RemoteJob, StatusReport

__all__ = [
    "Backend",
    "BackendInfo",
    "BackendOption",
    "Check",
    "ClusterReport",
    "HasTensorBoard",
    "Health",
    "HoldsOutputs",
    "ImageFacts",
    "ImageNames",
    "Inherits",
    "LOCAL_TYPES",
    "Listable",
    "KnownCluster",
    "LogHome",
    "LooksIntoImages",
    "LosesJobs",
    "Previewable",
    "RecordsVariables",
    "RunsAsGiven",
    "Recoverable",
    "RemoteJob",
    "RunsComponents",
    "ShowsNodes",
    "StatusReport",
    "StopsRemoved",
    "TakesSource",
    "TellsProcesses",
    "backend_names",
    "find_backend",
    "find_info",
    "forget_backends",
    "get_backend",
    "get_info",
    "health_of",
    "infos",
    "is_local",
    "known_instances",
    "option_example",
    "plugin_titles",
    "read_only_infos",
    "request_option",
    "request_options",
]
