"""The images that PAI offers for its jobs: listed, chosen by framework and version, found behind a short name.

    image    `Image`: what one is, read from its labels and its address. Pure
    choice   which one is meant by a framework, a version and an accelerator. Pure
    offered  `list_images`, `retrieve`, `resolve_image`: asking the service

Rule 1: labels say more than the tag, and the tag more than nothing: an image that follows no rule is listed all the same.
Rule 2: a version matches by its parts: "1.12" is 1.12 and 1.12.1, and never 1.1 or 1.120. One that is just that comes first.
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
