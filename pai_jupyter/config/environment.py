"""Select the kernel's variables that a local job inherits and those that are secret. No I/O but `exists`.

Rule 1: a job inherits no credentials, which are recognized by name or form of value; the user passes what it needs by name
    (`--pass-env NAME`, or `--env NAME=VALUE`).
Rule 2: a job does not inherit variables of the kernel itself or of the job in which this kernel runs.
"""

import os
import re
from collections.abc import Mapping

from pai_jupyter.contract import is_secret

# A script must find RANK or PAI_INPUT_TRAIN of its own job, or none.
_OUTER_JOB = re.compile(
    r"PAI_(HPS|INPUT|OUTPUT)(_.*)?|PAI_(USER_ARGS|WORKING_DIR|CONFIG_DIR|ODPS_CREDENTIAL)"
    r"|(LOCAL_)?(RANK|WORLD_SIZE)|MASTER_ADDR|MASTER_PORT|WORKER_ADDRS|WORKER_PORT|TF_CONFIG|ELASTICBATCH_CONFIG|NVIDIA_VISIBLE_DEVICES"
)
_KERNEL = re.compile(r"JPY_.*|PYDEVD_.*")
_CLOUD = "ALIBABA_CLOUD_"


def inherited_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a local job inherits: no secrets, none of the kernel or an outer job."""
    return {
        name: value
        for name, value in environ.items()
        if not (
            is_secret(name, value)
            or _OUTER_JOB.fullmatch(name)
            or _KERNEL.fullmatch(name)
            or _draws_inline(name, value)
        )
    }


def held_back(environ: Mapping[str, str]) -> list[str]:
    """Return the sorted names of variables that a local job does not inherit as possible secrets; our own it never needs."""
    return sorted(
        name
        for name, value in environ.items()
        if value
        and not name.startswith("PAI_JUPYTER_")
        and is_secret(name, value)
        and not (_OUTER_JOB.fullmatch(name) or _KERNEL.fullmatch(name))
    )


def secret_values(environ: Mapping[str, str]) -> set[str]:
    """Return the values of variables named like credentials, except paths that exist."""
    return {
        value
        for name, value in environ.items()
        if is_secret(name.upper().removeprefix(_CLOUD)) and not os.path.exists(value)  # noqa: PTH110  the value may be any text
    }


def _draws_inline(name: str, value: str) -> bool:
    """Return whether the variable selects matplotlib's inline backend, which a job does not have."""
    return name == "MPLBACKEND" and "inline" in value
