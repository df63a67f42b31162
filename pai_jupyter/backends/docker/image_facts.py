"""What the engine says of an image: its digests, and whether it has the programs that PAI's custom components need. Blocking.

An image that the engine lacks is not pulled for that.
"""

import re
from collections.abc import Mapping
from typing import Any

from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.reports import ImageFacts
from pai_jupyter.errors import BackendError, NotFoundError

PROGRAMS = ("sh", "python", "pip")
_LIMIT = 60  # seconds for the container that looks
_LOOK = (
    "command -v python >/dev/null 2>&1 || echo python; "
    "python -m pip --version >/dev/null 2>&1 || pip --version >/dev/null 2>&1 || echo pip"
)
_NO_PROGRAM = re.compile(r"executable file not found|no such file", re.IGNORECASE)
_NO_SHELL = (126, 127)  # exit codes of an engine that cannot start the command


def image_facts(client: Client, image: str, *, is_looked_into: bool) -> ImageFacts | None:
    """Return what the engine knows of an image; None if it has no such image.

    `is_looked_into`: a container of it is started, without network, to see which programs it lacks.

    Raises:
        BackendError: the engine cannot say.
    """
    try:
        with engine_errors(f"looking for image {image!r}"):
            found: Mapping[str, Any] = client.inspect_image(image)  # Any: JSON of the engine
    except NotFoundError:
        return None
    missing = _missing(client, image) if is_looked_into else ()
    return ImageFacts(digests=digests_in(image, found), missing=missing, python=_python_in(found))


def digests_in(image: str, found: Mapping[str, Any]) -> tuple[str, ...]:  # Any: JSON of the engine
    """Return the digests of an image: that by which its registry knows it, others, and the engine's own id."""
    repository = image.partition("@")[0]
    if ":" in repository.rpartition("/")[2]:
        repository = repository.rpartition(":")[0]
    known = [str(each).partition("@") for each in found.get("RepoDigests") or ()]
    own_first = sorted(known, key=lambda each: each[0] != repository)
    return tuple(dict.fromkeys(filter(None, [*(digest for _, _, digest in own_first), str(found.get("Id") or "")])))


def _python_in(found: Mapping[str, Any]) -> str:  # Any: JSON of the engine
    """Return the version of Python that an image names in its variables, as Python's own images do."""
    variables = (found.get("Config") or {}).get("Env") or ()
    versions = [str(each).partition("=")[2] for each in variables if str(each).startswith("PYTHON_VERSION=")]
    return versions[-1] if versions and re.fullmatch(r"\d[\w.]{0,19}", versions[-1]) else ""


def _missing(client: Client, image: str) -> tuple[str, ...]:
    action = f"looking for image {image!r}"
    with engine_errors(action):
        made = client.create_container(image, ["-c", _LOOK], entrypoint=["sh"], network_disabled=True)["Id"]
    try:
        with engine_errors(action):
            client.start(made)
            code = int(client.wait(made, timeout=_LIMIT)["StatusCode"])
            said = client.logs(made).decode(errors="replace").split()
    except BackendError as exc:
        if not _NO_PROGRAM.search(f"{exc} {exc.__cause__}"):
            raise
        return PROGRAMS[:1]
    finally:
        with engine_errors(action):
            client.remove_container(made, force=True)
    return PROGRAMS[:1] if code in _NO_SHELL else tuple(each for each in PROGRAMS if each in said)
