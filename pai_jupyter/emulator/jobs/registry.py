"""Check the images of jobs: in PAI's registry of the emulated region, only images of the catalogue exist.

Images of other registries, also of PAI's in other regions, are not checked.
"""

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import invalid
from pai_jupyter.emulator.workspace.catalogue import official_images

_OWN = re.compile(r"(?:registry|registry-vpc)\.(?P<region>[a-z0-9-]+)\.aliyuncs\.com/pai-dlc/(?P<name>.+)")


def check_image(world: EmulatorContext, field: str, image: str) -> None:
    """Check that an image of PAI's registry exists or is mapped to a local one.

    Raises:
        ApiRefusal: InvalidParameter.
    """
    found = _OWN.fullmatch(image)
    if found is None or found["region"] != world.region or found["name"] in _names(world.region):
        return
    if not any(fnmatchcase(image, pattern) for pattern in world.images):
        raise invalid(field, image, f"an image of PAI in region {world.region}; ListImages lists them")


@lru_cache(maxsize=4)
def _names(region: str) -> frozenset[str]:
    return frozenset(str(image["Name"]) for image in official_images(region, ""))
