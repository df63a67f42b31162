"""The environment of this kernel: which of it a job on this machine may have, and which of it is secret. No I/O but `exists`.

Rule 1: a job inherits no credential, known by its name or by the shape of its value; what it needs, it is given by name
    (`--pass-env NAME`, or `--env NAME=VALUE`).
Rule 2: nor does it inherit what belongs to somebody else: the kernel, or the job that this kernel itself runs in.
"""

import os
import re
from collections.abc import Mapping

from pai_jupyter.contract import is_secret

# A script that looks for RANK or PAI_INPUT_TRAIN must find its own job's, or none.
_OUTER_JOB = re.compile(
    r"PAI_(HPS|INPUT|OUTPUT)(_.*)?|PAI_(USER_ARGS|WORKING_DIR|CONFIG_DIR|ODPS_CREDENTIAL)"
    r"|RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT|WORKER_ADDRS|WORKER_PORT|TF_CONFIG|ELASTICBATCH_CONFIG|NVIDIA_VISIBLE_DEVICES"
)
_KERNEL = re.compile(r"JPY_.*|PYDEVD_.*")
_CLOUD = "ALIBABA_CLOUD_"


def inherited_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What a job on this machine has of the kernel's environment."""
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
    """The names of the variables that a job on this machine does not inherit because they may be secrets, sorted."""
    return sorted(
        name
        for name, value in environ.items()
        if value and is_secret(name, value) and not (_OUTER_JOB.fullmatch(name) or _KERNEL.fullmatch(name))
    )


def secret_values(environ: Mapping[str, str]) -> set[str]:
    """The values of variables that look like credentials; a path to a key is none, nor is a region or an id."""
    return {
        value
        for name, value in environ.items()
        if is_secret(name.upper().removeprefix(_CLOUD)) and not os.path.exists(value)  # noqa: PTH110  any text may come
    }


def _draws_inline(name: str, value: str) -> bool:
    """Whether the kernel set this so that matplotlib draws into cells, which a job does not have."""
    return name == "MPLBACKEND" and "inline" in value
