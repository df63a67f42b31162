"""What kind of data an artifact is, as manifests have it: `{"type": {"DataSet": {"locationType": "OSS"}}}`. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json


class DataType:
    """The kinds of data."""

    DataSet = "DataSet"
    Model = "Model"
    Any = "Any"
    ModelEvaluation = "ModelEvaluation"


class LocationType:
    """Where data are."""

    MaxComputeTable = "MaxComputeTable"
    MaxComputeVolume = "MaxComputeVolume"
    MaxComputeOfflineModel = "MaxComputeOfflineModel"
    OSS = "OSS"


@dataclass(frozen=True)
class LocationArtifactMetadata:
    """A kind of data and where it is; build it with `ArtifactMetadataUtils`."""

    data_type: str
    location_type: str | None = None
    type_attributes: Mapping[str, Json] = field(default_factory=dict, hash=False)

    @property
    def title(self) -> str:
        """The kind for sentences, e.g. "DataSet OSS"."""
        return " ".join(filter(None, (self.data_type, self.location_type)))

    def is_raw(self) -> bool:
        return self.data_type == DataType.Any and self.location_type is None

    def accepts(self, other: "LocationArtifactMetadata") -> bool:
        """Return whether an artifact of this kind can be given one of the other."""
        return DataType.Any in (self.data_type, other.data_type) or self == other

    def to_dict(self) -> dict[str, Json]:
        return {"type": {self.data_type: {"locationType": self.location_type, **self.type_attributes}}}

    @property
    def value(self) -> dict[str, Json]:
        return self.to_dict()

    @classmethod
    def from_dict(cls, given: object) -> Self:
        """Read the metadata of a manifest.

        Raises:
            SpecError: it is none.
        """
        kinds = given.get("type") if isinstance(given, Mapping) else None
        if not isinstance(kinds, Mapping) or len(kinds) != 1:
            raise SpecError(
                f"the metadata of an artifact is {shown(str(given))}. Write ArtifactMetadataUtils.oss_dataset().",
                field="metadata",
            )
        kind, inside = next(iter(kinds.items()))
        attributes = dict(inside) if isinstance(inside, Mapping) else {}
        location = attributes.pop("locationType", None)
        return cls(str(kind), location if isinstance(location, str) else None, attributes)


class ArtifactMetadataUtils:
    """Makes the metadata of artifacts.

    Example:
        >>> ArtifactMetadataUtils.oss_dataset().to_dict()
        {'type': {'DataSet': {'locationType': 'OSS'}}}
    """

    @staticmethod
    def oss_dataset() -> LocationArtifactMetadata:
        """Return the metadata of a file or a directory in OSS, or of this machine where the pipeline runs here."""
        return LocationArtifactMetadata(DataType.DataSet, LocationType.OSS)

    @staticmethod
    def maxc_table() -> LocationArtifactMetadata:
        """Return the metadata of a table of MaxCompute."""
        return LocationArtifactMetadata(DataType.DataSet, LocationType.MaxComputeTable)

    @staticmethod
    def maxc_volume() -> LocationArtifactMetadata:
        """Return the metadata of a volume of MaxCompute."""
        return LocationArtifactMetadata(DataType.DataSet, LocationType.MaxComputeVolume)

    @staticmethod
    def maxc_offlinemodel() -> LocationArtifactMetadata:
        """Return the metadata of a model of MaxCompute."""
        return LocationArtifactMetadata(DataType.Model, LocationType.MaxComputeOfflineModel)

    @staticmethod
    def oss_model() -> LocationArtifactMetadata:
        """Return the metadata of a model in OSS."""
        return LocationArtifactMetadata(DataType.Model, LocationType.OSS)

    @staticmethod
    def raw() -> LocationArtifactMetadata:
        """Return the metadata of anything."""
        return LocationArtifactMetadata(DataType.Any)
