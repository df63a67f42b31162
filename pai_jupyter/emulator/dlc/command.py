"""The command of DLC's job behind what makes a local job one of DLC: run by `sh`, before the command itself. Pure.

    links          to data sources in their places
    variables      those of the contract go; `Envs` come, under whatever name, as DLC gives what it is told
    a Python       of the replica's own, where the command installs something and is no container's (`own_python`)

A local job has values of its own under names of the contract, so what `Envs` say under such a name travels under another.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.emulator import own_python
from pai_jupyter.spec import env_name

_OWN = ("PAI_JUPYTER_HOME", "PAI_JUPYTER_ML")  # the emulator's own, which its jobs inherit
_ROOT = '"${PAI_WORKING_DIR%usercode/}"'  # what /ml is, where a job has none of its own
_CONTRACT, _GIVEN = "PAI_", "EMULATOR_GIVES_"  # what names of the contract begin with, and what others for them do


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What comes before every command of one job.

    Args:
        links: data sources of the local job, by their names there, and where the job wants them.
        envs: the variables that the job is told.
        work: a directory that goes with the job, for what its commands install; None in a container.
    """

    job_id: str
    links: Mapping[str, str]
    envs: Mapping[str, str]
    work: Path | None = None

    @property
    def environments(self) -> dict[str, str]:
        """`envs` for the local job, those under names of the contract under others."""
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
                f"export DLC_JOB_ID={shlex.quote(self.job_id)}",
                *own_python.taking(command, self.work),
                f"exec sh -c {shlex.quote(command)}",
            ]
        )


def _link(name: str, wanted: str) -> str:
    """Lay a link to a data source at the place where the job wants it; below /ml there may be an empty directory."""
    root, below = (_ROOT, wanted.removeprefix("/ml/")) if wanted.startswith("/ml/") else ("", wanted)
    place = root + shlex.quote(below)
    source = f'"${{PAI_OUTPUT_{env_name(name)}%/}}"'
    # The replicas of a job may share a tree: whichever comes first lays the link. In a directory it would go inside of it.
    said = f"the emulator cannot mount a data source at {wanted}: there is something there already. Choose another mount path."
    return (
        f'mkdir -p "$(dirname {place})"; rmdir {place} 2>/dev/null; '
        f"[ -d {place} ] && [ ! -L {place} ] || ln -sn {source} {place} 2>/dev/null; "
        f'[ "$(readlink {place})" = {source} ] || {{ printf "%s\\n" {shlex.quote(said)} >&2; exit 1; }}'
    )


def _variable(name: str) -> str:
    """Set what `Envs` say; a place in the tree is named where that really lies."""
    given = _GIVEN + name
    in_tree = f'/ml/*) {name}="$ml${{{given}#/ml/}}" ;;'
    return f'case "${given}" in {in_tree} *) {name}="${given}" ;; esac; export {name}; unset {given}'
