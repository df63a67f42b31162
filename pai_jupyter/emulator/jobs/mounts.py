"""Directories of this machine in the place of what only the cloud has: file systems, tables. `--mount URI=DIRECTORY`.

    --mount nas://fs.cn-hangzhou/data=/srv/data     nas://fs.cn-hangzhou/data/a is /srv/data/a
    --mount odps://project/tables/iris=/srv/iris    for a job that reads files

A mount stands for its address and for everything below; of several that fit, the longest. The directory itself is given to
the job, and nothing of it is copied. Data in OSS need no mount, for OSS is here.

Rule: what is not mounted is refused when a job is created, before there is a job: whoever asked for it learns what to type.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pai_jupyter.emulator.calls.context import World
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.errors import SpecError
from pai_jupyter.storage.opening import scheme_of

_SHOWN = 200  # characters of an address in a sentence


def directory_of(uri: str, mounts: Mapping[str, Path]) -> Path | None:
    """Return the directory mounted for this address, None where there is none.

    Raises:
        SpecError: it leads out of what is mounted.
    """
    wanted = uri.rstrip("/")
    fitting = [address for address in mounts if f"{wanted}/".startswith(f"{address.rstrip('/')}/")]
    if not fitting:
        return None
    nearest = max(fitting, key=len)
    below = wanted[len(nearest.rstrip("/")) :].strip("/")
    if ".." in below.split("/"):
        raise SpecError(f"{uri[:_SHOWN]!r} has a `..` in it. Name the directory itself.")
    if "\0" in below:
        raise SpecError(f"{uri[:_SHOWN]!r} is no address: no name has a NUL in it.")
    if not _is_below(mounts[nearest], below):
        raise SpecError(f"{uri[:_SHOWN]!r} leads out of what is mounted, by a link. Mount what it points to.")
    return mounts[nearest] / below


def _is_below(top: Path, below: str) -> bool:
    """Return whether no link on the way leads out: a job may have laid one to be given what lies there."""
    try:
        return (top / below).resolve().is_relative_to(top.resolve())
    except (OSError, RuntimeError):  # links that go in a circle, a name that is too long: there is nothing
        return True


def check_mounted(world: World, body: Fields) -> None:
    """Refuse a job whose data are neither in OSS nor mounted.

    Raises:
        Refusal: InvalidParameter, with what to type.
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
    """Return the sentence about an address that is not mounted."""
    shown = uri[:_SHOWN]
    if not scheme_of(uri):
        return f"{shown!r} is no address, e.g. oss://BUCKET/DIRECTORY/"
    return (
        f"the emulator has no {scheme_of(uri)}://. Start it with a directory of this machine for {shown!r}: "
        f"python -m pai_jupyter.emulator --mount {shown.rstrip('/')}=DIRECTORY"
    )


def _named(world: World, body: Fields) -> Iterator[tuple[str, str]]:
    """Yield the names in the body with their addresses; look a dataset's up where there is one of that id."""
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
