"""Resolve short names of PAI's images (`pytorch:latest-gpu`) on submission, so that a dry run makes no request.

Always for PAI; for a local engine only if the cloud is configured, since PAI's official images can be pulled from their
registry, while no registry has the images that an emulator lists. `BackendInfo` says which applies to a backend.
"""

from dataclasses import replace

from pai_jupyter.backends import ImageNames, find_info
from pai_jupyter.spec import JobSpec


def with_images(spec: JobSpec, backend: str) -> JobSpec:
    """Return `spec` with the addresses of its images. Blocking: asks the service about short names.

    Raises:
        NotFoundError: PAI has no such image; the error lists existing ones.
        SpecError, BackendError: PAI cannot be asked.
    """
    if not any(_images(spec)) or (info := find_info(backend)) is None or info.image_names is ImageNames.NEVER:
        return spec
    from pai_jupyter.cloud.images import is_short_name, resolve_image  # imported late: most jobs have no image
    from pai_jupyter.cloud.session import get_default_session

    if not any(is_short_name(image) for image in _images(spec)):
        return spec
    session = get_default_session()
    if info.image_names is ImageNames.IN_CLOUD and (session is None or session.is_emulator):
        return spec  # the engine may have an image of that name
    known = {image: resolve_image(image, session=session) for image in dict.fromkeys(_images(spec))}
    roles = tuple(replace(role, image_uri=known.get(role.image_uri or "")) for role in spec.roles)
    return replace(spec, image_uri=known.get(spec.image_uri or ""), roles=roles)


def _images(spec: JobSpec) -> list[str]:
    return [image for image in (spec.image_uri, *(role.image_uri for role in spec.roles)) if image]
