"""Which files of a job's outputs become artifacts of its run, and where the others are.

Rule 1: only files on this machine, small ones, and not too many: a run at MLflow is no store of checkpoints. A tag names the rest.
    What a job leaves beside its channels, and in its working directory, are outputs like theirs, as in its view's Files.
Rule 2: links and devices that a job has left are not followed (path_guard). A file is copied before it is sent, so that what is sent
    is what was looked at; one with a known secret in it stays here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.delivery.tracking.names import accepted_files
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.path_guard import FoundEntry, JobDirectory, hold, open_file, reading, walk
from pai_jupyter.spec import Json
from pai_jupyter.store import JobFolder

MAX_FILE, MAX_ALL = 20 * 1024 * 1024, 100 * 1024 * 1024  # bytes
MOST_FILES = 200
_LISTED = 10_000  # files of a channel that are looked at
_FIRST = ("output_parameters", "model")


def sent_outputs(folder: JobFolder) -> list[dict[str, Json]]:
    """Return channel, path, size and the path at MLflow of each file that is to be an artifact."""
    found: list[dict[str, Json]] = []
    total = 0
    for channel, path, size in _all_files(folder):
        if size <= MAX_FILE and total + size <= MAX_ALL and len(found) < MOST_FILES:
            found.append({"channel": channel, "path": path, "size": size})
            total += size
    names = accepted_files(f"{it['channel']}/{it['path']}" for it in found)
    return [{**it, "name": names[f"{it['channel']}/{it['path']}"]} for it in found]


def kept_elsewhere(folder: JobFolder, sent: Sequence[Mapping[str, Json]]) -> dict[str, str]:
    """Return by channel where the files are that are no artifacts."""
    found = {}
    counts = {channel: 0 for channel, _ in _channels(folder)}
    for channel, _, _ in _all_files(folder):
        counts[channel] += 1
    for channel, place in _channels(folder):
        left = counts[channel] - sum(it["channel"] == channel for it in sent)
        if isinstance(place, str):
            found[channel] = place
        elif left:
            files = "1 file is" if left == 1 else f"{left} files are"
            found[channel] = f"{files} where the job was submitted: %pai_download {folder.id}:{channel}"
    return found


def read_output(folder: JobFolder, channel: str, path: str) -> bytes:
    """Return the content of a file of an output.

    Raises:
        PaiJupyterError: it is gone, is no plain file any more, or has grown.
    """
    place = dict(_channels(folder)).get(channel)
    if not isinstance(place, JobDirectory):
        raise NotFoundError(f"output {channel!r} is not on this machine any more")
    what = f"output {channel!r}"
    with open_file(place, path, what=what) as file, reading(what):
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise SpecError(f"'{path}' has grown since the job ended")
    return data


def has_secret(data: bytes, secrets: Collection[str]) -> bool:
    return any(secret.encode("utf-8", "surrogatepass") in data for secret in secrets)


def write_copy(data: bytes, name: str, directory: Path) -> tuple[Path, str]:
    """Write a copy to be sent; return it, and the directory at MLflow."""
    above, _, last = name.rpartition("/")
    copy = directory / last
    copy.write_bytes(data)
    return copy, above


def _channels(folder: JobFolder) -> Iterator[tuple[str, JobDirectory | str]]:
    """Yield the output channels with their directories on this machine, or their URIs."""
    from pai_jupyter.jobs.job_outputs import local_directory, location_of  # late: needed at the end of a job

    channels = sorted(contract.output_channels(folder.record.spec), key=lambda it: it not in _FIRST)
    for channel in (*channels, *_beside_channels(folder)):
        with suppress(NotFoundError):
            yield channel, local_directory(folder, channel) or location_of(folder, channel)


def _beside_channels(folder: JobFolder) -> list[str]:
    """Return the names under which a job has what it left beside its channels, and in its working directory."""
    from pai_jupyter.backends.local import has_outputs, packed_files  # late: as above

    spec, found = folder.record.spec, []
    if not spec.output_path and has_outputs(folder.path):  # a directory that the user gave may have files of others
        found.append(contract.BESIDE)
    if "://" in (spec.output_path or "") or packed_files(folder.path) is not None:
        found.append(contract.WORKDIR)
    return [name for name in found if name not in spec.outputs]


def _all_files(folder: JobFolder) -> Iterator[tuple[str, str, int]]:
    """Yield channel, path and size of the plain files of the outputs on this machine."""
    for channel, place in _channels(folder):
        if isinstance(place, JobDirectory):
            with suppress(PaiJupyterError), hold(place, what=f"output {channel!r}") as handle:
                for entry in islice(_entries(folder, channel, handle), _LISTED):
                    if entry.is_file and _is_text(entry.path):
                        yield channel, entry.path, entry.status.st_size


def _entries(folder: JobFolder, channel: str, handle: int) -> Iterator[FoundEntry]:
    """Yield what is in a channel's directory, without what belongs to others: packed files and caches, other channels."""
    from pai_jupyter.backends.local import beside_channels, packed_files  # late: as above

    if channel == contract.WORKDIR and (packed := packed_files(folder.path)) is not None:
        found = walk(handle, enter=lambda name: not contract.is_cache(name))
        return (it for it in found if not contract.is_cache(it.name) and packed.is_written(it.path, it.status))
    if channel == contract.BESIDE and contract.BESIDE not in folder.record.spec.outputs:
        with suppress(OSError, ValueError):
            _, others = beside_channels(folder.path)
            return (it for it in walk(handle) if (*it.above, it.name)[0] not in others)
        return iter(())
    return walk(handle)


def _is_text(path: str) -> bool:
    """Return whether the name of a file is text; others stay where they are."""
    return path == path.encode("utf-8", "replace").decode()
