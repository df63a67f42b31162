"""Choose an image. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pai_jupyter.cloud.images.image import FRAMEWORKS, ImageInfo
from pai_jupyter.errors import SpecError

LATEST = "latest"
_SHORT_NAME = re.compile(
    rf"({'|'.join(FRAMEWORKS)})(?::(latest|\d[\w.]*))?(?:-(cpu|gpu))?", re.IGNORECASE
)  # a version has no hyphen, which separates the accelerator


@dataclass(frozen=True, kw_only=True)
class ShortName:
    """A parsed short name: `pytorch`, `pytorch:1.12`, `pytorch-gpu`, `pytorch:latest-gpu`."""

    framework: str
    version: str = LATEST
    accelerator: str = "CPU"


def read_short_name(text: str) -> ShortName | None:
    """Parse a short image name; return None for anything else, such as an address in a registry."""
    found = _SHORT_NAME.fullmatch(text)
    if found is None:
        return None
    return ShortName(framework=found[1], version=(found[2] or LATEST).lower(), accelerator=(found[3] or "CPU").upper())


def short_names(image: ImageInfo) -> list[str]:
    """List the short names of an image: by its version, if it has one, and as the newest of its kind."""
    name, chip = image.framework_name.lower(), (image.accelerator_type or "cpu").lower()
    versions = [version for version in (image.framework_version, LATEST) if version]
    return [short for version in versions if is_short_name(short := f"{name}:{version}-{chip}")]


def is_short_name(text: str) -> bool:
    """Return whether `resolve_image` reads this as the short name of an official image of PAI."""
    return read_short_name(text) is not None


def check_accelerator(accelerator: str | None) -> str:
    """Return `CPU` or `GPU`; `CPU` by default."""
    wanted = (accelerator or "CPU").upper()
    if wanted not in ("CPU", "GPU"):
        raise SpecError(f"`accelerator_type` is {accelerator!r}; it is CPU or GPU.", field="accelerator_type")
    return wanted


def choose(images: Sequence[ImageInfo], version: str) -> ImageInfo | None:
    """Return the image of exactly this version, else the newest that begins with it; ties: the first listed."""
    if version.lower() == LATEST:
        fitting = list(images)
    else:
        wanted = _parts(version)
        just_that = [image for image in images if _parts(image.framework_version or "") == wanted]
        fitting = just_that or [
            image for image in images if _parts(image.framework_version or "")[: len(wanted)] == wanted
        ]
    return max(fitting, key=lambda image: newness(image.framework_version), default=None)


def newness(version: str | None) -> tuple[tuple[int, ...], bool]:
    """Return the sort key of a version: numbers, then whether it is a release; anything else sorts as the oldest."""
    numbers = re.match(r"\d+(?:\.\d+)*", version or "")
    if numbers is None:
        return (), False
    values = [int(number) for number in numbers[0].split(".")]
    while values and values[-1] == 0:  # 2.0 is 2.0.0
        values.pop()
    return tuple(values), numbers.end() == len(version or "")


def versions(images: Sequence[ImageInfo]) -> list[str]:
    """List the versions of these images, newest first."""
    return sorted({image.framework_version for image in images if image.framework_version}, key=newness, reverse=True)


def _parts(version: str) -> list[str]:
    """Split a version: `1.12PAI2304` into 1, 12, pai, 2304."""
    return re.findall(r"\d+|[a-z]+", version.lower())
