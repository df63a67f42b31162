"""Code, inputs and outputs of a training job: from OSS into directories of its own, and from there back.

PAI mounts a bucket. Here inputs are copied when the job begins, and outputs every other second while it runs and once
more at its end. What lies below an output's address already is in its directory when the job begins, as under a mount:
so a job goes on with another one's checkpoints.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.studio.order import TRAINING_JOB, Directories, training_job_json
from pai_jupyter.emulator.studio.wanted import items_of
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.package import unpack
from pai_jupyter.storage import OssUrl, parse_oss_url

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World

_ARCHIVES = (".tar.gz", ".tgz")


class UnusableChannelError(PaiJupyterError):
    """A channel names what the emulator cannot give a job."""


@dataclass(frozen=True, kw_only=True)
class Places:
    """What a job's code and channels name in OSS."""

    code: OssUrl | None
    inputs: dict[str, OssUrl]
    outputs: dict[str, OssUrl]


def resolve(world: "World", body: Fields, algorithm: Fields) -> Places:
    """Look up what the channels name, dataset ids too.

    Raises:
        UnusableChannelError: one names no dataset, or something that is not in OSS.
    """
    return Places(
        code=_code(body) or _code(algorithm),
        inputs={str(item["Name"]): _place(world, item, "InputUri") for item in items_of(body, "InputChannels")},
        outputs={str(item["Name"]): _place(world, item, "OutputUri") for item in items_of(body, "OutputChannels")},
    )


class Channels:
    """The directories of one job below `folder`: `source/`, `input/<channel>/`, `output/<channel>/`."""

    def __init__(self, world: "World", folder: Path, places: Places) -> None:
        self._objects = world.objects
        self._folder = folder
        self._places = places
        self.notes: list[str] = []  # what could not be brought, a sentence each
        self._saving = Lock()  # a save that was given up for lost may still be under way

    @property
    def source(self) -> Path:
        return self._folder / "source"

    def bring(self, body: Fields) -> Directories:
        """Make the directories anew and bring what lies in OSS into them. Blocks.

        Raises:
            PaiJupyterError: something that is named is not there, or cannot be unpacked.
        """
        shutil.rmtree(self._folder, ignore_errors=True)
        self.source.mkdir(parents=True)
        self._bring_code()
        (self.source / TRAINING_JOB).write_bytes(training_job_json(body))
        inputs = {name: self._bring_input(name, url) for name, url in self._places.inputs.items()}
        for name, url in self._places.outputs.items():
            self._check_bucket(url)
            self.notes += self._objects.materialise(url.bucket_name, _prefix(url), self._output(name))
        return Directories(inputs=inputs, output=self._folder / "output")

    def save(self) -> None:
        """Bring what has changed in the outputs back to OSS. Blocks."""
        with self._saving:
            for name, url in self._places.outputs.items():
                if self._output(name).is_dir():
                    self._objects.absorb(self._output(name), url.bucket_name, _prefix(url))

    def forget(self) -> None:
        """Remove all directories: the job has ended, and what is worth keeping is in OSS."""
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

    def _bring_input(self, name: str, url: OssUrl) -> Path:
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
        raise UnusableChannelError(f"there is no object {str(url)!r}; a directory is written with a / at its end.")
    return file


def _prefix(url: OssUrl) -> str:
    """What all keys of a channel's directory begin with; an output is a directory with or without a slash."""
    key = url.object_key
    return key if not key or key.endswith("/") else f"{key}/"


def _code(body: Fields) -> OssUrl | None:
    code = body.get("CodeDir")
    value = code.get("LocationValue") if isinstance(code, dict) else None
    if not isinstance(value, dict):
        return None
    return OssUrl(bucket_name=str(value["Bucket"]), object_key=str(value["Key"]))


def _place(world: "World", item: Fields, kind: str) -> OssUrl:
    name, uri = item["Name"], item.get(kind)
    if not uri:
        dataset = world.records("datasets").get(str(item["DatasetId"]))
        if dataset is None:
            raise UnusableChannelError(f"channel {name!r}: there is no dataset {item['DatasetId']!r}.")
        uri = dataset["Uri"]
    if not str(uri).startswith("oss://"):
        scheme = str(uri).partition("://")[0]
        raise UnusableChannelError(f"channel {name!r}: the emulator has no {scheme}://, only oss://.")
    try:
        return parse_oss_url(str(uri))
    except SpecError as exc:
        raise UnusableChannelError(f"channel {name!r}: {exc}") from exc
