"""Short names of PAI's images, `pytorch:latest-gpu`, become addresses when a job is sent: so a dry run asks nobody.

For PAI always; for an engine of this machine where the cloud is configured, since PAI's official images can be pulled from
their registry. An emulator lists names of images that no registry has. Each backend's `BackendInfo` says which it is.
"""

from dataclasses import replace

from pai_jupyter.backends import ImageNames, find_info
from pai_jupyter.spec import JobSpec


def with_images(spec: JobSpec, backend: str) -> JobSpec:
    """`spec` with the addresses of its images. Blocking: asks the service for those that are short names.

    Raises:
        NotFoundError: PAI has no such image; it says what there is.
        SpecError, BackendError: PAI cannot be asked.
    """
    if not any(_images(spec)) or (info := find_info(backend)) is None or info.image_names is ImageNames.NEVER:
        return spec
    from pai_jupyter.cloud.images import is_short_name, resolve_image  # late: most jobs have no image
    from pai_jupyter.cloud.session import get_default_session

    if not any(is_short_name(image) for image in _images(spec)):
        return spec
    session = get_default_session()
    if info.image_names is ImageNames.IN_CLOUD and (session is None or session.is_emulator):
        return spec  # a name that the engine may know
    known = {image: resolve_image(image, session=session) for image in dict.fromkeys(_images(spec))}
    roles = tuple(replace(role, image_uri=known.get(role.image_uri or "")) for role in spec.roles)
    return replace(spec, image_uri=known.get(spec.image_uri or ""), roles=roles)


def _images(spec: JobSpec) -> list[str]:
    return [image for image in (spec.image_uri, *(role.image_uri for role in spec.roles)) if image]
