"""What there is for training jobs, and what is wrong with it, each thing with its remedy. Looks only; changes nothing.

    machine   this machine: room for jobs, container engine, GPUs, configuration, packages; asks no network
    cloud     PAI, or the emulator: everything once that a job there would need
    check     `Check`, what both give

`%pai_doctor`, `%pai_config test` and the panel's list of backends show it.

Rule: what is shown holds no key, no token and no password of a proxy; the end of an access key id tells keys apart.
"""

from pai_jupyter.checkup.check import Check
from pai_jupyter.checkup.cloud import preflight, service

__all__ = ["Check", "preflight", "service"]
