"""Ask the service for its images."""

from pai_jupyter.cloud.client import Client, aiworkspace
from pai_jupyter.cloud.images.choice import LATEST, check_accelerator, choose, newness, read_short_name, versions
from pai_jupyter.cloud.images.image import ImageInfo, ImageScope, read_image
from pai_jupyter.cloud.session import Session, need_session
from pai_jupyter.errors import NotFoundError, SpecError

_SCOPE_LABELS = {ImageScope.TRAINING: "dlc", ImageScope.INFERENCE: "eas", ImageScope.DEVELOP: "dsw"}


def list_images(
    framework_name: str | None = None,
    scope: ImageScope | str = ImageScope.TRAINING,
    *,
    accelerator_type: str | None = None,
    session: Session | None = None,
) -> list[ImageInfo]:
    """List the official images for `scope`, of one framework or of all; by framework, newest first.

    Raises:
        SpecError: no region is configured, or there is no such scope or accelerator.
        BackendError: the service rejects the request or does not answer.

    Example:
        >>> [image.framework_name for image in list_images("PyTorch", accelerator_type="CPU")][:1]
        ['PyTorch']
    """
    accelerator = check_accelerator(accelerator_type) if accelerator_type else None
    found = _ask(session or need_session(), framework_name, _scope(scope), accelerator)
    found.sort(key=lambda image: newness(image.framework_version), reverse=True)
    return sorted(found, key=lambda image: image.framework_name.lower())


def retrieve(
    framework_name: str,
    framework_version: str = LATEST,
    accelerator_type: str | None = None,
    scope: ImageScope | str = ImageScope.TRAINING,
    *,
    session: Session | None = None,
) -> ImageInfo:
    """Return the official image of a framework: its newest version or the one given; for CPUs unless `GPU` is given.

    Raises:
        NotFoundError: there is none; the error lists those that exist.
        SpecError, BackendError: as `list_images`.

    Example:
        >>> retrieve("PyTorch", "latest").accelerator_type
        'CPU'
    """
    session, accelerator = session or need_session(), check_accelerator(accelerator_type)
    images = _ask(session, framework_name, _scope(scope), accelerator)
    chosen = choose(images, framework_version)
    if chosen is None:
        raise _nothing(session, framework_name, framework_version, accelerator, images, _scope(scope))
    return chosen


def resolve_image(image: str, *, session: Session | None = None) -> str:
    """Look up a short name such as `pytorch:latest-gpu`; return any other image address unchanged.

    Raises:
        NotFoundError, SpecError, BackendError: as `retrieve`.
    """
    short = read_short_name(image)
    if short is None:
        return image
    return retrieve(short.framework, short.version, short.accelerator, session=session).image_uri


def _ask(session: Session, framework: str | None, scope: ImageScope, accelerator: str | None = None) -> list[ImageInfo]:
    wanted = (framework or "").strip().lower()
    labels = ["system.official=true", f"system.supported.{_SCOPE_LABELS[scope]}=true"]
    if accelerator:
        labels.append(f"system.chipType={accelerator}")

    async def ask(client: Client) -> list[ImageInfo]:
        # Official images belong to no workspace, so none is given. Only a verbose list has labels.
        query = {"Labels": labels, "Name": wanted or None, "Verbose": True, "SortBy": "GmtCreateTime", "Order": "DESC"}
        return [
            read_image(entry, scope)
            async for page in client.pages(aiworkspace.LIST_IMAGES, query=query)
            for entry in page
        ]

    # The service matches parts of names: "torch" is in "pytorch-training".
    return [image for image in session.ask(ask) if wanted in ("", image.framework_name.lower())]


def _nothing(
    session: Session, framework: str, version: str, accelerator: str, images: list[ImageInfo], scope: ImageScope
) -> NotFoundError:
    """Create the error that names the nearest existing images."""
    place = "the emulator" if session.is_emulator else f"PAI in {session.region_id}"
    if images:
        known = ", ".join(versions(images)) or images[0].image_uri
        return NotFoundError(f"{place} has no {framework} {version} for {accelerator}; there are {known}.")
    every = _ask(session, None, scope)
    others = {image.accelerator_type for image in every if image.framework_name.lower() == framework.strip().lower()}
    if others:
        return NotFoundError(f"{place} has no {framework} image for {accelerator}, but for {_words(others)}.")
    frameworks = _words({image.framework_name for image in every}) or "none at all"
    return NotFoundError(f"{place} has no image of {framework!r} for {scope}; there are {frameworks}.")


def _words(names: set[str] | set[str | None]) -> str:
    return ", ".join(sorted(name for name in names if name))


def _scope(scope: ImageScope | str) -> ImageScope:
    try:
        return ImageScope(scope.lower())
    except ValueError as exc:
        raise SpecError(f"`scope` is {scope!r}; it is one of {', '.join(ImageScope)}.", field="scope") from exc
