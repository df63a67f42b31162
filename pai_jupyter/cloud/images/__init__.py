"""PAI's official images: list them, choose by framework and version, resolve short names.

    image    `ImageInfo`: an image's properties, read from its labels and address. Pure
    choice   choose by framework, version and accelerator. Pure
    offered  `list_images`, `retrieve`, `resolve_image`: ask the service

Rule 1: labels override the tag; an image that has neither in a known form is listed, too.
Rule 2: a version matches by its parts: "1.12" matches 1.12 and 1.12.1, not 1.1 or 1.120. An exact match comes first.
"""

from pai_jupyter.cloud.images.choice import is_short_name, short_names
from pai_jupyter.cloud.images.image import FRAMEWORKS, ImageInfo, ImageScope
from pai_jupyter.cloud.images.offered import list_images, resolve_image, retrieve

__all__ = [
    "FRAMEWORKS",
    "ImageInfo",
    "ImageScope",
    "is_short_name",
    "list_images",
    "resolve_image",
    "retrieve",
    "short_names",
]
