"""Wrap the command of a DLC job in shell lines that turn a local job's environment into that of DLC. No I/O.

    links          from mount paths to data sources
    variables      those of the contract are unset, those of `Envs` are set, whatever their names
    a Python       of the replica's own, if the command installs packages and does not run in a container (`own_python`)

A local job already has variables with names of the contract, so `Envs` with such names are passed under other names first.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.emulator.execution import own_python
from pai_jupyter.emulator.execution.own_variables import only_given
from pai_jupyter.spec import env_name

_OWN = ("PAI_JUPYTER_HOME", "PAI_JUPYTER_ML")  # the emulator's own, which its jobs inherit
_ROOT = '"${PAI_WORKING_DIR%usercode/}"'  # the directory that stands for /ml, where a job has no /ml of its own
_CONTRACT, _GIVEN = "PAI_", "EMULATOR_GIVES_"  # prefix of the contract's names; prefix put before it to pass them on


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The shell lines before every command of one job.

    Args:
        links: output channel of the local job -> mount path that the job wants.
        envs: the job's `Envs`.
        work: a directory for packages that the commands install, deleted with the job; None in a container.
    """

    job_id: str
    links: Mapping[str, str]
    envs: Mapping[str, str]
    work: Path | None = None

    @property
    def environments(self) -> dict[str, str]:
        """`envs` for the local job; names of the contract get the prefix `_GIVEN`."""
        return {_GIVEN * name.startswith(_CONTRACT) + name: value for name, value in self.envs.items()}

    def around(self, command: str) -> str:
        """Wrap a DLC `command` for the local job."""
        return "\n".join(
            [
                *(_link(name, wanted) for name, wanted in self.links.items()),
                f"ml={_ROOT}",
                f"unset $(env | sed -n 's/^\\({_CONTRACT}[A-Za-z0-9_]*\\)=.*/\\1/p') {' '.join(_OWN)}",
                *(_variable(name) for name in self.envs if name.startswith(_CONTRACT)),
                "unset ml",
                *only_given(self.envs),
                f"export DLC_JOB_ID={shlex.quote(self.job_id)}",
                *own_python.taking(command, self.work),
                f"exec sh -c {shlex.quote(command)}",
            ]
        )


def _link(name: str, wanted: str) -> str:
    """Link a mount path to its data source; an empty directory there, as below /ml, is replaced."""
    root, below = (_ROOT, wanted.removeprefix("/ml/")) if wanted.startswith("/ml/") else ("", wanted)
    place = root + shlex.quote(below)
    source = f'"${{PAI_OUTPUT_{env_name(name)}%/}}"'
    # Replicas of a job may share a tree: the first creates the link. `ln` would create it inside an existing directory.
    said = f"the emulator cannot mount a data source at {wanted}: the path already exists. Choose another mount path."
    return (
        f'mkdir -p "$(dirname {place})"; rmdir {place} 2>/dev/null; '
        f"[ -d {place} ] && [ ! -L {place} ] || ln -sn {source} {place} 2>/dev/null; "
        f'[ "$(readlink {place})" = {source} ] || {{ printf "%s\\n" {shlex.quote(said)} >&2; exit 1; }}'
    )


def _variable(name: str) -> str:
    """Set a variable of `Envs`; a path below /ml is replaced by its real path."""
    given = _GIVEN + name
    in_tree = f'/ml/*) {name}="$ml${{{given}#/ml/}}" ;;'
    return f'case "${given}" in {in_tree} *) {name}="${given}" ;; esac; export {name}; unset {given}'
