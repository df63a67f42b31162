"""Map cloud file systems to their local mounts, as given by the user.

The option `local.mount_map` maps addresses to directories, `nas://<id>.<region>/path` -> `/local/path`. An entry applies to its
address and everything below; the longest match counts. Pure.
"""

from collections.abc import Mapping

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec

SCHEMES = ("nas", "cpfs", "bmcpfs")
OPTION = "mount_map"
_EXAMPLE = "--mount-map nas://ID.REGION/path=/local/path"


def mount_map(spec: JobSpec) -> dict[str, str]:
    """Return the mounted directories of `spec`, keyed by the cloud addresses they stand for.

    Raises:
        SpecError: the option is malformed.
    """
    given = spec.backend_options.get("local", {}).get(OPTION, {})
    if not isinstance(given, dict):
        raise SpecError(
            f"option local.{OPTION} is {given!r}; it maps addresses to directories: {_EXAMPLE}", field="options"
        )
    for address, path in given.items():
        if address.partition("://")[0].lower() not in SCHEMES or "://" not in address:
            raise SpecError(
                f"`--mount-map {address}=...`: only {', '.join(f'{name}://' for name in SCHEMES)} can be mapped, e.g. "
                f"{_EXAMPLE}",
                field="options",
            )
        if not isinstance(path, str) or not path.strip():
            raise SpecError(f"`--mount-map {address}=` has no directory behind it, e.g. {_EXAMPLE}", field="options")
    return {address: str(path) for address, path in given.items()}


def mounted(channel: str, place: str, mounts: Mapping[str, str]) -> str:
    """Return the local path of `place`, an address in a file system of the cloud.

    Raises:
        SpecError: it is not mapped, or has `..`.
    """
    wanted = place.rstrip("/")
    fitting = [address for address in mounts if f"{wanted}/".startswith(f"{address.rstrip('/')}/")]
    if not fitting:
        raise SpecError(
            f"input {channel!r} is {place!r}, which PAI mounts and this machine does not. Mount it here, and say where: "
            f"--mount-map {place}=/local/path",
            field="inputs",
        )
    nearest = max(fitting, key=len)
    below = wanted[len(nearest.rstrip("/")) :]
    if ".." in below.split("/"):
        raise SpecError(
            f"input {channel!r} is {place!r}; an address has no `..`. Name the directory itself.", field="inputs"
        )
    return mounts[nearest].rstrip("/") + below
