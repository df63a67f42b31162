"""The outputs of a job: where each channel lies, and what is read or copied from there. `Job` is the way in.

Rule: the status is read before the files, for the outputs of an ended job are complete.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends import get_backend
from pai_jupyter.backends.local import packed_files
from pai_jupyter.errors import JobNotReady, NotFoundError
from pai_jupyter.events import Status
from pai_jupyter.jobs import pending
from pai_jupyter.jobs.results import Results, still
from pai_jupyter.jobs.returned import found_in, is_trusted, nothing_returned, pickle_sentence, read_values
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.path_guard import JobDirectory, hold, open_plain, place_in
from pai_jupyter.store import JobFolder
from pai_jupyter.values.returned import ReturnedValues, not_returned

LONGEST_PARAMETER = 1024 * 1024  # bytes that are read of an output parameter, which should be small


def location_of(folder: JobFolder, channel: str) -> str:
    """Return the directory of one output channel: see `Job.output`."""
    channel = "tensorboard" if channel == "logs" else channel  # the channel's second name (contract/README.md)
    spec = folder.record.spec
    known = contract.output_channels(spec)
    base = (spec.output_path or str(folder.path / "output")).rstrip("/")
    if channel in known:
        return f"{spec.outputs.get(channel, f'{base}/{channel}').rstrip('/')}/"
    if channel == contract.BESIDE:
        return f"{base}/"
    if channel == contract.WORKDIR:
        return f"{_workdir(folder).path if '://' not in base else f'{base}/{channel}'}/"
    if "://" in base or packed_files(folder.path) is not None:
        known = (*known, contract.WORKDIR)
    raise NotFoundError(f"job {folder.id} has no output {channel!r}; it has {', '.join(known)}.")


def event_directories(folder: JobFolder) -> dict[str, JobDirectory]:
    """Return the event directories for a local TensorBoard by run name; {} if they are elsewhere."""
    place, name = local_directory(folder, "tensorboard"), f"{folder.record.spec.name} {folder.id}"
    if place is None:
        return {}
    return {name: place, **_events_in_workdir(folder, f"{name} {contract.WORKDIR}")}


def _events_in_workdir(folder: JobFolder, name: str) -> dict[str, JobDirectory]:
    """Return the working directory as a run of TensorBoard; {} if it is not known what was packed there."""
    from pai_jupyter.tensorboard.mirror import NewEvents  # imported late: most sessions open no board

    with suppress(OSError):
        packed = (folder.path / "run" / "packed.json").stat().st_mtime
        workdir = _workdir(folder)
        return {name: NewEvents(workdir.base, workdir.parts, packed)}
    return {}


def _workdir(folder: JobFolder) -> JobDirectory:
    """Return the working directory of a job on this machine."""
    return JobDirectory(folder.path, ("ml", "usercode"))


def local_directory(folder: JobFolder, channel: str) -> JobDirectory | None:
    """Return the local directory of the output channel; None if it is remote."""
    place, output_path = location_of(folder, channel), folder.record.spec.output_path
    bases = [folder.path, *([Path(output_path).absolute()] if output_path else [])]
    return None if "://" in place else place_in(Path(place).absolute(), bases)


@dataclass(frozen=True)
class JobOutputs:
    """What the job in `folder` has written, as complete as its `status` says."""

    folder: JobFolder
    status: Status

    @property
    def _name(self) -> str:
        return self.folder.record.spec.name

    def fetch(self, channel: str, dest: str | Path) -> Path:
        """Copy an output channel into `dest`: see `Job.fetch`."""
        location_of(self.folder, channel)  # raises for an unknown channel
        place = self._fetch(channel, dest)
        if not self.status.is_terminal and not any(place.iterdir()):
            raise JobNotReady(f"output {channel!r} is empty yet: {still(self._name, self.status)}")
        return place

    def _fetch(self, channel: str, dest: str | Path) -> Path:
        ref = self.folder.read().ref
        if ref is None:
            pending.check_known(self.folder, "asked for its outputs")
            raise NotFoundError(f"job {self.folder.id} has no outputs: it was never started. Run its cell again.")
        backend = get_backend(self.folder.record.backend)
        return runtime().run(backend.fetch(ref, channel, Path(dest).expanduser()))

    def parameters(self) -> dict[str, str]:
        """Return the output parameters by name: see `Job.output_parameters`."""
        place = local_directory(self.folder, "output_parameters")
        if place is None:
            place = JobDirectory(self.folder.path, ("output", "output_parameters"))
            with suppress(NotFoundError):  # the script wrote none
                self._fetch("output_parameters", place.path)
        values = _texts_in(place, what=f"output 'output_parameters' of job {self.folder.id}")
        if not values and not self.status.is_terminal:
            raise JobNotReady(still(self._name, self.status))
        return Results(values, noun="output parameter", name=self._name, status=self.status)

    def returned(self, names: Sequence[str], *, pickle: bool) -> dict[str, Any]:  # Any: values are of any type
        """Return the variables that the job returned: see `Job.returned`."""
        place, found, is_trusted = self._returned()
        return self._values(place, found, names, allow_pickle=pickle or is_trusted)

    def take_back(self) -> tuple[dict[str, Any], list[str], list[str]]:  # Any: values are of any type
        """Return the returned variables and sentences: see `Job.take_back`."""
        place, found, is_trusted = self._returned()
        left = [] if is_trusted else found.pickles
        names = [name for name in found.items if name not in left]
        values = self._values(place, found, names, allow_pickle=is_trusted) if names else {}
        return values, [pickle_sentence(left)] if left else [], not_returned(found)

    def _values(
        self, place: JobDirectory, found: ReturnedValues, names: Sequence[str], *, allow_pickle: bool
    ) -> dict[str, Any]:  # Any: values are of any type
        return read_values(found, place, names, name=self._name, status=self.status, allow_pickle=allow_pickle)

    def _returned(self) -> tuple[JobDirectory, ReturnedValues, bool]:
        """Return the local directory of the returned values, its manifest, and whether its pickles may be read."""
        if not self.status.is_terminal:
            raise JobNotReady(still(self._name, self.status))
        spec, backend = self.folder.record.spec, self.folder.record.backend
        own = JobDirectory(self.folder.path, ("output", contract.RETURNED))
        place = local_directory(self.folder, contract.RETURNED) if spec.returns else None
        if place is None:
            place = own
            try:
                self._fetch(contract.RETURNED, own.path)
            except NotFoundError as exc:
                raise nothing_returned(spec, name=self._name, status=self.status) from exc
        found = found_in(place, spec, name=self._name, status=self.status)
        return place, found, is_trusted(spec, backend, place, own)


def _texts_in(place: JobDirectory, *, what: str) -> dict[str, str]:
    """Read the plain files of a directory by name, each to `LONGEST_PARAMETER`; {} if there is no such directory."""
    values = {}
    with suppress(NotFoundError), hold(place, what=what) as handle:
        with os.scandir(handle) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            with suppress(OSError), open_plain(name, handle) as file:
                values[name] = file.read(LONGEST_PARAMETER).decode(errors="replace")
    return values
