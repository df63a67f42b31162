"""Check what training jobs need and name the remedy for each problem. Reads only; changes nothing.

    machine     this machine: disk space, GPUs, configuration, packages; no network
    alerts      where alerts are sent to; tracking: where jobs are tracked
    preflight   the services of remote backends: each one that a job there needs, once

Each backend checks its own needs (`BackendInfo.health`).

`%pai_doctor`, `%pai_config test` and the panel's list of backends show it.

Rule: no key, token or proxy password is shown; of an access key id only the end, to tell keys apart.
"""

from pai_jupyter.backends import Check
from pai_jupyter.diagnostics.preflight import preflight

__all__ = ["Check", "preflight"]
