"""Copy a job's code and inputs from OSS to local directories, and its outputs back.

PAI mounts buckets. Here inputs are copied when the job begins, and outputs every two seconds while it runs and once at its
end. Objects that an output's address already has are copied to its directory at the beginning, as a mount would show them;
so a job can resume from another one's checkpoints.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.package import unpack
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.storage import OssUrl

_ARCHIVES = (".tar.gz", ".tgz")


class UnusableChannelError(PaiJupyterError):
    """A channel names data that the emulator cannot provide."""


@dataclass(frozen=True, kw_only=True)
class ChannelPlaces:
    """The addresses of a job's code and channels: in OSS, or mounted local directories and files (`mounts`)."""

    code: OssUrl | None
    inputs: dict[str, OssUrl | Path]
    outputs: dict[str, OssUrl | Path]

    @property
    def kept(self) -> dict[str, OssUrl]:
        """The outputs that are stored in OSS."""
        return {name: place for name, place in self.outputs.items() if isinstance(place, OssUrl)}


@dataclass(frozen=True, kw_only=True)
class Directories:
    """The local paths of a job's channels; an input is a directory or a file.

    Outputs are directories below `output`, except those in `mounted`.
    """

    inputs: Mapping[str, Path]
    output: Path
    mounted: Mapping[str, Path] = field(default_factory=dict)

    def place_of(self, name: str) -> Path:
        """Return the directory of an output."""
        return self.mounted.get(name, self.output / name)


class Channels:
    """The directories of one job below `folder`: `source/`, `input/<channel>/`, `output/<channel>/`."""

    def __init__(self, world: EmulatorContext, folder: Path, places: ChannelPlaces) -> None:
        self._objects = world.objects
        self._folder = folder
        self._places = places
        self.notes: list[str] = []  # what could not be copied, a sentence each
        self._saving = Lock()  # the thread of a cancelled save may still be running

    @property
    def source(self) -> Path:
        return self._folder / "source"

    def bring(self, files: Mapping[str, bytes]) -> Directories:
        """Create the directories, copy code and inputs from OSS into them, and write `files` next to the code. Blocking.

        Raises:
            PaiJupyterError: code or an input does not exist, or cannot be unpacked.
        """
        shutil.rmtree(self._folder, ignore_errors=True)
        self.source.mkdir(parents=True)
        self._bring_code()
        for name, content in files.items():
            (self.source / name).write_bytes(content)
        inputs = {name: self._bring_input(name, place) for name, place in self._places.inputs.items()}
        for name, url in self._places.kept.items():
            self._check_bucket(url)
            self.notes += self._objects.materialise(url.bucket_name, _prefix(url), self._output(name))
        mounted = {name: place for name, place in self._places.outputs.items() if isinstance(place, Path)}
        for place in mounted.values():
            place.mkdir(parents=True, exist_ok=True)
        return Directories(inputs=inputs, output=self._folder / "output", mounted=mounted)

    def save(self) -> list[str]:
        """Copy changed outputs to OSS; return what was left out, a sentence each. Blocking."""
        left_out = []
        with self._saving:
            for name, url in self._places.kept.items():
                place = JobDirectory(self._folder, ("output", name))
                left_out += self._objects.absorb(place, url.bucket_name, _prefix(url))
        return left_out

    def forget(self) -> None:
        """Delete all directories, after the job has ended and its outputs are in OSS."""
        with self._saving:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _bring_code(self) -> None:
        url = self._places.code
        if url is None:
            return
        self._check_bucket(url)
        if not url.object_key.endswith(_ARCHIVES):
            self.notes += self._objects.materialise(url.bucket_name, url.object_key, self.source)
            return
        packed = self._folder / "packed"
        self._objects.materialise(url.bucket_name, url.object_key, packed)
        unpack(_only_file(packed, url), self.source)

    def _bring_input(self, name: str, url: OssUrl | Path) -> Path:
        if isinstance(url, Path):
            if not url.exists():
                raise UnusableChannelError(
                    f"channel {name!r}: {str(url)[:200]!r}, which is mounted for it, does not exist."
                )
            return url
        self._check_bucket(url)
        directory = self._folder / "input" / name
        directory.mkdir(parents=True)
        self.notes += self._objects.materialise(url.bucket_name, url.object_key, directory)
        if url.object_key.endswith("/") or not url.object_key:
            return directory
        return _only_file(directory, url)

    def _output(self, name: str) -> Path:
        return self._folder / "output" / name

    def _check_bucket(self, url: OssUrl) -> None:
        if not self._objects.exists(url.bucket_name):
            raise UnusableChannelError(f"the bucket {url.bucket_name!r} does not exist.")


def _only_file(directory: Path, url: OssUrl) -> Path:
    file = directory / url.object_key.rpartition("/")[2]
    if not file.is_file():
        raise UnusableChannelError(f"there is no object {str(url)!r}. For a directory, write a / at the end.")
    return file


def _prefix(url: OssUrl) -> str:
    """Return the common prefix of a channel's keys; the address of an output may lack the slash at its end."""
    key = url.object_key
    return key if not key or key.endswith("/") else f"{key}/"
