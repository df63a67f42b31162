"""Read an image's framework, versions and accelerator from its labels and its address `registry/name-training:TAG`.

TAG = 2.0-gpu-py310-cu118-ubuntu22.04     1.12-py39-cpu-ubuntu20.04 (inference)     anything else
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

# The official spellings; the registry only has lower case.
FRAMEWORKS = (
    "DeepRec",
    "DeepSpeed",
    "Megatron-LM",
    "ModelScope",
    "Nemo",
    "OneFlow",
    "PyTorch",
    "TensorFlow",
    "Transformers",
    "XGBoost",
)
_SPELT = {name.lower(): name for name in FRAMEWORKS}
_PURPOSE = re.compile(r"-(training|inference)$")
_PYTHON = re.compile(r"py(\d)\.?(\d*)")
_CUDA = re.compile(r"cu(\d+)\.?(\d)")
_CHIP = re.compile(r"cpu|gpu|mkl-cpu")
_FRAMEWORK_LABEL = "system.framework."


class ImageScope(StrEnum):
    """The purpose of an image.

    Example:
        >>> ImageScope("training") is ImageScope.TRAINING
        True
    """

    TRAINING = "training"
    INFERENCE = "inference"
    DEVELOP = "develop"


@dataclass(frozen=True, kw_only=True, repr=False)
class ImageInfo:
    """One image. Fields that neither labels nor tag give are None."""

    image_uri: str
    image_name: str
    framework_name: str
    framework_version: str | None = None
    accelerator_type: str | None = None
    python_version: str | None = None
    cuda: str | None = None
    os: str | None = None
    image_scope: ImageScope = ImageScope.TRAINING

    def __repr__(self) -> str:
        parts = [
            " ".join(filter(None, (self.framework_name, self.framework_version, self.accelerator_type))),
            f"Python {self.python_version}" if self.python_version else "",
            f"CUDA {self.cuda}" if self.cuda else "",
            self.os or "",
        ]
        return f"<ImageInfo {', '.join(filter(None, parts))}: {self.image_uri}>"


def read_image(entry: Mapping[str, Any], scope: ImageScope) -> ImageInfo:  # Any: an object of the service
    """Read an image, with its labels, from an entry of the service's list."""
    uri = _text(entry.get("ImageUri"))
    labels = {_text(label.get("Key")): _text(label.get("Value")) for label in entry.get("Labels") or ()}
    repository, _, tag = uri.rpartition("/")[2].partition("@")[0].partition(":")
    framework = _framework(_PURPOSE.sub("", repository), labels)
    read = _read_tag(tag)
    return ImageInfo(
        image_uri=uri,
        image_name=_text(entry.get("Name")),
        framework_name=framework,
        framework_version=read.get("version") or _labelled_version(labels, framework),
        accelerator_type=labels.get("system.chipType") or read.get("chip"),
        python_version=labels.get("system.pythonVersion") or read.get("python"),
        cuda=labels.get("system.dsw.cudaVersion") or read.get("cuda"),
        os=read.get("os"),
        image_scope=scope,
    )


def _framework(name: str, labels: Mapping[str, str]) -> str:
    """Return the framework of a repository in its official spelling."""
    labelled = {key.removeprefix(_FRAMEWORK_LABEL).lower(): key.removeprefix(_FRAMEWORK_LABEL) for key in labels}
    return labelled.get(name.lower()) or _SPELT.get(name.lower()) or name


def _labelled_version(labels: Mapping[str, str], framework: str) -> str | None:
    version = labels.get(f"{_FRAMEWORK_LABEL}{framework}", "")
    return version if version not in ("", "*") else None


def _read_tag(tag: str) -> dict[str, str]:
    """Split a tag into its parts; {} unless it is a version followed by its build platform."""
    parts = tag.replace("mkl-cpu", "cpu").split("-")
    known = next((at for at, part in enumerate(parts) if _CHIP.fullmatch(part) or _PYTHON.fullmatch(part)), None)
    if not known or not tag[:1].isdigit():
        return {}
    read = {"version": "-".join(parts[:known])}
    for at, part in enumerate(parts[known:], known):
        if python := _PYTHON.fullmatch(part):
            read["python"] = ".".join(filter(None, python.groups()))
        elif cuda := _CUDA.fullmatch(part):
            read["cuda"] = f"{cuda[1]}.{cuda[2]}"
        elif _CHIP.fullmatch(part):
            read["chip"] = part.upper()
        else:
            return {**read, "os": "-".join(parts[at:])}
    return read


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
