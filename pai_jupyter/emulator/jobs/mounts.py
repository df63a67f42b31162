"""Local directories that stand for cloud file systems and tables: `--mount URI=DIRECTORY`.

    --mount nas://fs.cn-hangzhou/data=/srv/data     nas://fs.cn-hangzhou/data/a is /srv/data/a
    --mount odps://project/tables/iris=/srv/iris    for a job that reads files

A mount applies to its address and all addresses below it; of several, the longest applies. The job uses the directory
itself, not a copy. Data in OSS need no mount, since the emulator has OSS.

Rule: a job with an address that is not mounted is refused on creation, with what to type.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.errors import SpecError
from pai_jupyter.storage.opening import scheme_of

_SHOWN = 200  # characters of an address in a sentence


def directory_of(uri: str, mounts: Mapping[str, Path]) -> Path | None:
    """Return the local path mounted for this address; None if none is.

    Raises:
        SpecError: the address is invalid, or leads out of the mounted directory.
    """
    wanted = uri.rstrip("/")
    fitting = [address for address in mounts if f"{wanted}/".startswith(f"{address.rstrip('/')}/")]
    if not fitting:
        return None
    nearest = max(fitting, key=len)
    below = wanted[len(nearest.rstrip("/")) :].strip("/")
    if ".." in below.split("/"):
        raise SpecError(f"{uri[:_SHOWN]!r} contains `..`. Name the directory itself.")
    if "\0" in below:
        raise SpecError(f"{uri[:_SHOWN]!r} is not an address: it contains a NUL character.")
    if not _is_below(mounts[nearest], below):
        raise SpecError(f"{uri[:_SHOWN]!r} leads out of the mounted directory by a link. Mount the target of the link.")
    return mounts[nearest] / below


def _is_below(top: Path, below: str) -> bool:
    """Return whether the path stays below `top` when links are resolved; a job may have created links to other files."""
    try:
        return (top / below).resolve().is_relative_to(top.resolve())
    except (OSError, RuntimeError):  # circular links, a name that is too long: the path does not exist
        return True


def check_mounted(world: EmulatorContext, body: Fields) -> None:
    """Check that all data of a job are in OSS or mounted.

    Raises:
        ApiRefusal: InvalidParameter; the message says what to type.
    """
    for what, uri in _named(world, body):
        if scheme_of(uri) == "oss":
            continue
        try:
            directory = directory_of(uri, world.mounts)
        except SpecError as exc:
            raise ApiRefusal(400, "InvalidParameter", f"{what}: {exc}") from exc
        if directory is None:
            raise ApiRefusal(400, "InvalidParameter", f"{what}: {not_mounted(uri)}")


def not_mounted(uri: str) -> str:
    """Return the error message for an address that is not mounted."""
    shown = uri[:_SHOWN]
    if not scheme_of(uri):
        return f"{shown!r} is not an address such as oss://BUCKET/DIRECTORY/"
    return (
        f"the emulator has no {scheme_of(uri)}://. Start it with a local directory for {shown!r}: "
        f"python -m pai_jupyter.emulator --mount {shown.rstrip('/')}=DIRECTORY"
    )


def _named(world: EmulatorContext, body: Fields) -> Iterator[tuple[str, str]]:
    """Yield name and address of each data source in the body; addresses of known datasets are looked up."""
    places: Iterable[tuple[str, str, str]] = (
        ("InputChannels", "InputUri", "DatasetId"),
        ("OutputChannels", "OutputUri", "DatasetId"),
        ("DataSources", "Uri", "DataSourceId"),
    )
    for kind, uri, dataset in places:
        for number, item in enumerate(items_of(body, kind)):
            what = f"{kind}.{item.get('Name', number)}"
            if item.get(uri):
                yield what, str(item[uri])
            elif record := world.records("datasets").get(str(item.get(dataset))):
                yield f"{what}, dataset {record['Name']!r}", str(record["Uri"])
