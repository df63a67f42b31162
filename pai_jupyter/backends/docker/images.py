"""Find images in the engine and pull missing ones. Blocking; callers run it in a thread."""

import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors, error_from_text
from pai_jupyter.errors import BackendError, NotFoundError


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image in the engine; `is_roots`: its containers run as root."""

    name: str
    is_roots: bool


def find_image(client: Client, name: str) -> Image | None:
    """Return the image `name`, or None if the engine does not have it."""
    try:
        with engine_errors(f"looking for image {name!r}"):
            config = client.inspect_image(name).get("Config") or {}
    except NotFoundError:
        return None
    return Image(name=name, is_roots=config.get("User", "").split(":")[0] in ("", "0", "root"))


def need_image(client: Client, name: str, cancelled: threading.Event) -> Image:
    """Return the image `name`, pulling it if the engine does not have it.

    Raises:
        BackendError: it cannot be pulled.
    """
    image = find_image(client, name)
    if image is None:
        _pull(client, name, cancelled)
        image = find_image(client, name)
    if image is None:
        raise NotFoundError(f"image {name!r} is not there, though it was pulled. Try `docker pull {name}`.")
    return image


def _pull(client: Client, name: str, cancelled: threading.Event) -> None:
    action = f"pulling image {name!r}"
    with engine_errors(action):
        repository, tag = _with_tag(name)
        with closing(client.pull(repository, tag=tag, stream=True, decode=True)) as answers:
            for answer in answers:
                if cancelled.is_set():
                    return
                _raise_error(answer, name, action)


def _raise_error(answer: Mapping[str, Any], name: str, action: str) -> None:  # Any: JSON of the engine
    if text := answer.get("error"):
        raise error_from_text(text, action) or BackendError(
            f"image {name!r} is not on this machine and cannot be pulled: {text}"
        )


def _with_tag(name: str) -> tuple[str, str | None]:
    """Split off the tag for the SDK, which would pull all tags without one."""
    from docker.utils import parse_repository_tag

    repository, tag = parse_repository_tag(name)
    return repository, tag or "latest"
