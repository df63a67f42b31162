"""`PipelineArtifact`: data that a component takes or gives, by place. `artifact[0]` is a place of a repeated one."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.workflow.artifact_metadata import ArtifactMetadataUtils, LocationArtifactMetadata
from pai_jupyter.workflow.variables import PipelineVariable, refuse_text

_MAXCOMPUTE = re.compile(
    r"odps://(?P<project>[^/]+)/(?P<kind>tables|volumes|offlinemodels)/(?P<name>[^/?]+)/?(?P<rest>[^?]*)"
)
MAX_PLACES = 1000  # of a repeated artifact


class PipelineArtifact(PipelineVariable):
    """An artifact.

    Args:
        metadata: what it is, e.g. ArtifactMetadataUtils.oss_dataset().
        path: where a plain container finds or writes it; of an output of a `CustomJob`, where in /ml/output it is.
        repeated: it is several places.

    Raises:
        SpecError: the name or the metadata is none.

    Example:
        >>> PipelineArtifact("train_data").to_dict()["metadata"]
        {'type': {'DataSet': {'locationType': 'OSS'}}}
    """

    variable_category: ClassVar[str] = "artifacts"
    _what: ClassVar[str] = "artifact"

    def __init__(
        self,
        name: str,
        metadata: LocationArtifactMetadata | Mapping[str, Any] | None = None,  # Any: as manifests have it
        path: str | None = None,
        desc: str | None = None,
        io_type: str = "inputs",
        value: object = None,
        from_: "PipelineVariable | PipelineArtifactElement | str | None" = None,
        required: bool = False,
        repeated: bool = False,
        parent: Any = None,  # Any: see PipelineVariable
    ) -> None:
        super().__init__(name, desc=desc, io_type=io_type, required=required, parent=parent)
        self.from_ = from_  # type: ignore[assignment]  # a place of a repeated artifact, too
        if metadata is None:
            metadata = ArtifactMetadataUtils.oss_dataset()
        if not isinstance(metadata, LocationArtifactMetadata):
            metadata = LocationArtifactMetadata.from_dict(metadata)
        self.metadata = metadata
        self.path = path
        self.repeated = repeated
        self._count: int | None = None
        self.value = None if value is None else self.checked(value)

    @property
    def count(self) -> int | None:
        """How many places a repeated output has."""
        return self._count

    @count.setter
    def count(self, value: int) -> None:
        if not self.repeated:
            raise SpecError(f"artifact `{self.name}` is one place, so it has no count.", field=self.name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_PLACES:
            raise SpecError(
                f"the count of artifact `{self.name}` must be 1 to {MAX_PLACES}, not {value!r:.50}.", field=self.name
            )
        self._count = value

    def gather(self) -> None:
        """Make it the list of what the items of a loop give."""
        self.is_gathered = self.repeated = True

    def __getitem__(self, key: int | slice) -> Any:  # Any: an element, or a list of them for a slice
        if not self.repeated:
            raise SpecError(f"artifact `{self.name}` is one place: give it without [{key!r:.20}].", field=self.name)
        if isinstance(key, slice):
            if key.stop is None:
                raise SpecError(f"how many places of artifact `{self.name}`? Write e.g. [0:2].", field=self.name)
            return [PipelineArtifactElement(self, index) for index in range(*key.indices(key.stop))]
        if isinstance(key, bool) or not isinstance(key, int) or not 0 <= key < MAX_PLACES:
            raise SpecError(
                f"artifact `{self.name}` has places 0 to {MAX_PLACES - 1}, not {key!r:.20}.", field=self.name
            )
        return PipelineArtifactElement(self, key)

    def checked(self, value: object) -> Json:
        """Return a place as it is written in manifests.

        Raises:
            SpecError: it is none.
        """
        if not self.repeated:
            if isinstance(value, list | tuple):
                raise SpecError(
                    f"artifact `{self.name}` is one place, but a list is given. Give it a path.", field=self.name
                )
            return artifact_text(value, self.name)
        places = list(value) if isinstance(value, list | tuple) else [value]
        return [
            {"name": f"{self.name}_{index}", "value": artifact_text(it, self.name)} for index, it in enumerate(places)
        ]

    def to_dict(self) -> dict[str, Json]:
        declared = super().to_dict()
        declared["metadata"] = self.metadata.to_dict()
        if self.value is not None:
            declared["value"] = self.value
        if self.path is not None:
            declared["path"] = self.path
        declared["required"] = self.required
        if self.repeated:
            declared["repeated"] = True
        return declared


class PipelineArtifactElement:
    """A place of a repeated artifact."""

    def __init__(self, artifact: PipelineArtifact, index: int) -> None:
        self.artifact = artifact
        self.index = index

    @property
    def name(self) -> str:
        return f"{self.artifact.name}_{self.index}"

    @property
    def fullname(self) -> str:
        return f"{self.artifact.fullname}_{self.index}"

    @property
    def enclosed_fullname(self) -> str:
        return f"{{{{{self.fullname}}}}}"

    @property
    def parent(self) -> Any:  # Any: see PipelineVariable
        return self.artifact.parent

    def __format__(self, spec: str) -> str:
        refuse_text(self.name)


def artifact_text(value: object, name: str) -> str:
    """Return a place as PAI writes it: JSON for oss:// and odps:// addresses; a path of this machine stays as it is.

    Raises:
        SpecError: it is no place.
    """
    if isinstance(value, Path):
        return str(value.expanduser().absolute())
    if isinstance(value, Mapping) and "location" in value:
        return json.dumps(dict(value), sort_keys=True)
    if not isinstance(value, str) or not value.strip():
        raise SpecError(
            f"artifact `{name}` is {shown(str(value))}; it must be a path, or an oss:// or odps:// address.", field=name
        )
    if value.startswith("oss://"):
        return json.dumps(_oss(value), sort_keys=True)
    if value.startswith("odps://"):
        return json.dumps(_maxcompute(value, name), sort_keys=True)
    if "://" in value and not value.lstrip().startswith("{"):
        raise SpecError(
            f"artifact `{name}` is {shown(value)}; it must be a path, or an oss:// or odps:// address.", field=name
        )
    return value


def _oss(address: str) -> dict[str, Json]:
    url = parse_oss_url(address.partition("?role_arn=")[0])
    location: dict[str, Json] = {"bucket": url.bucket_name, "endpoint": url.endpoint, "key": url.object_key}
    if role := address.partition("?role_arn=")[2]:
        location["rolearn"] = role
    return {"location": location}


def _maxcompute(address: str, name: str) -> dict[str, Json]:
    found = _MAXCOMPUTE.fullmatch(address)
    if found is None:
        raise SpecError(
            f"artifact `{name}` is {shown(address)}. Write odps://PROJECT/tables/TABLE, with /PARTITION at the end if it has one.",
            field=name,
        )
    project, rest = found["project"], found["rest"].strip("/")
    if found["kind"] == "tables":
        table: dict[str, Json] = {"project": project, "table": found["name"]}
        return {"location": {**table, **({"partition": rest} if rest else {})}}
    if found["kind"] == "volumes":
        partition, _, file = rest.partition("/")
        return {"location": {"project": project, "volume": found["name"], "volumePartition": partition, "file": file}}
    return {"location": {"project": project, "name": found["name"]}, "name": found["name"]}
