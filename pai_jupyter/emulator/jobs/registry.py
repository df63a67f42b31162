"""Which images a job may name: any, but in PAI's own registry of the emulator's region only those that are there.

The catalogue is the whole of that registry. What other registries hold, PAI's in other regions too, nobody here knows.
"""

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from pai_jupyter.emulator.calls.context import World
from pai_jupyter.emulator.protocol.refusal import invalid
from pai_jupyter.emulator.workspace.catalogue import official_images

_OWN = re.compile(r"(?:registry|registry-vpc)\.(?P<region>[a-z0-9-]+)\.aliyuncs\.com/pai-dlc/(?P<name>.+)")


def check_image(world: World, field: str, image: str) -> None:
    """Refuse an image of PAI's own registry that is not in it, unless the emulator has one to run in its place.

    Raises:
        Refusal: InvalidParameter.
    """
    found = _OWN.fullmatch(image)
    if found is None or found["region"] != world.region or found["name"] in _names(world.region):
        return
    if not any(fnmatchcase(image, pattern) for pattern in world.images):
        raise invalid(field, image, f"an image of PAI in region {world.region}; ListImages lists them")


@lru_cache(maxsize=4)
def _names(region: str) -> frozenset[str]:
    return frozenset(str(image["Name"]) for image in official_images(region, ""))
