"""What an engine of this machine says of an image. Without one, or where it has no such image, nothing is known: none is pulled."""

from contextlib import suppress
from dataclasses import replace

from pai_jupyter.backends import BackendInfo, ImageFacts, LooksIntoImages, find_backend, infos
from pai_jupyter.component.changes import SavedComponent
from pai_jupyter.component.component import Component
from pai_jupyter.errors import BackendError


def facts_of(image: str | None, *, is_looked_into: bool = False) -> ImageFacts | None:
    """Return what is known of an image; `is_looked_into`: also which programs it lacks, for which it is started once."""
    for info in infos():
        if image is None or not (info.is_local and info.takes_images and info.answers()):
            continue
        backend = find_backend(info.name)
        if isinstance(backend, LooksIntoImages):
            with suppress(BackendError):  # an engine that cannot say is like none
                return backend.image_facts(image, is_looked_into=is_looked_into)
    return None


def as_saved(saved: SavedComponent, info: BackendInfo | None) -> tuple[Component, list[str]]:
    """Return a component whose image is not here any more, to be run by the digest with which it was saved; and notes.

    A service takes the tag for what it is now, which is said.
    """
    component, image = saved.component, saved.component.image_uri
    if image is None or info is None or not info.takes_images or "@" in image:
        return component, []
    if not info.is_local:
        return component, [
            f"it is not known whether the tag of image {image!r} was moved since {component.title} was saved: no container engine "
            "here has the image. To be sure, give it as NAME@sha256:... in a new version."
        ]
    fixed = f"{_without_tag(image)}@{saved.image_digest}"
    return replace(component, image_uri=fixed), [
        f"the image {image!r} is not here any more: the one with which {component.title} was saved is fetched, {fixed}"
    ]


def _without_tag(image: str) -> str:
    above, slash, last = image.rpartition("/")
    return f"{above}{slash}{last.partition(':')[0]}"
