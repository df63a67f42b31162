"""What there is for training jobs, and what is wrong with it, each thing with its remedy. Looks only; changes nothing.

    machine     this machine: room for jobs, GPUs, configuration, packages; asks no network
    preflight   the services of remote backends: everything once that a job there would need

What a backend needs it checks itself (`BackendInfo.health`).

`%pai_doctor`, `%pai_config test` and the panel's list of backends show it.

Rule: what is shown holds no key, no token and no password of a proxy; the end of an access key id tells keys apart.
"""

from pai_jupyter.backends import Check
from pai_jupyter.diagnostics.preflight import preflight

__all__ = ["Check", "preflight"]
