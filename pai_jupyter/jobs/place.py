"""Which backend runs a job, and why: the header of every output says both.

explicit > an `ecs.*` type or a quota means PAI > `%pai_config` > Docker when an image is given and an engine answers >
a local process. `local` and `local_gpu` mean this machine, whatever is configured; they never go to PAI, and with PAI or
its quota asked for beside them nobody can say what was meant: an error.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pai_jupyter.backends import get_backend
from pai_jupyter.config import Settings, settings
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.spec import JobSpec

LOCAL_TYPES = ("local", "local_gpu")
LOCAL_BACKENDS = ("process", "docker")


@dataclass(frozen=True, kw_only=True)
class Place:
    """A backend's name and the reason for it, as the header shows it: a rehearsal is never called PAI.

    `is_configured`: nothing in what was asked for chose it, but `%pai_config` did.
    """

    backend: str
    reason: str
    is_emulated: bool = False
    is_configured: bool = False

    def __str__(self) -> str:
        return f"{'emulator' if self.is_emulated else self.backend} ({self.reason})"


def choose_place(
    *,
    backend: str | None,
    instance_type: str | None,
    image_uri: str | None,
    has_quota: bool = False,
    configured: tuple[str, str] | None = None,
    engine_answers: Callable[[], bool],
) -> Place:
    """Choose a backend; `backend` and `instance_type` are what was asked for, None where nothing was.

    `configured` is the backend of `%pai_config` and where it was set. `engine_answers` is asked only when it matters.

    Raises:
        SpecError: what was asked for contradicts itself.
    """
    is_local = instance_type in LOCAL_TYPES
    if is_local and (backend == "pai" or (backend is None and has_quota)):
        wrong = "--backend pai" if backend else "--option pai.resource_id"
        raise SpecError(
            f"`--instance-type {instance_type}` is this machine, not PAI. Leave out {wrong}, "
            "or give an ECS type, e.g. --instance-type ecs.c6.large.",
            field="instance_type",
        )
    if backend is not None:
        return Place(backend=backend, reason="asked for")
    if has_quota or (instance_type or "").startswith("ecs."):
        return Place(backend="pai", reason="a quota is given" if has_quota else f"{instance_type} is a type of PAI")
    if configured is not None and not (is_local and configured[0] not in LOCAL_BACKENDS):
        return Place(backend=configured[0], reason=f"set in {configured[1]}", is_configured=True)
    return _on_this_machine(image_uri, engine_answers)


def _on_this_machine(image_uri: str | None, engine_answers: Callable[[], bool]) -> Place:
    if image_uri is None:
        return Place(backend="process", reason="no image is given")
    if engine_answers():
        return Place(backend="docker", reason="an image is given and an engine answers")
    return Place(backend="process", reason="an image is given, but no Docker engine answers")


def place_for(
    *, backend: str | None, instance_type: str | None, image_uri: str | None, has_quota: bool, settings: Settings
) -> Place:
    """Choose a backend with this user's settings and this machine's engine."""
    value = settings.resolve("backend")
    place = choose_place(
        backend=backend,
        instance_type=instance_type,
        image_uri=image_uri,
        has_quota=has_quota,
        configured=(value.value, value.origin) if value.value else None,
        engine_answers=engine_answers,
    )
    return replace(place, is_emulated=is_emulated(place.backend, settings))


def is_emulated(backend: str, settings: Settings) -> bool:
    """Whether a job on `backend` goes to an emulator of it."""
    return backend == "pai" and settings.get("services") is not None


def place_of(spec: JobSpec, *, backend: str | None = None) -> Place:
    """Choose a backend for a finished spec, as `Estimator` and `submit` have it: its instance type counts as asked for.

    But for `local` beside a quota, or beside roles with types of their own: that is what a spec has by itself.
    """
    has_quota = "pai.resource_id" in spec.options
    instance_type = next((role.instance_type for role in spec.roles if role.instance_type), spec.instance_type)
    return place_for(
        backend=backend,
        instance_type=None if has_quota and instance_type == "local" else instance_type,
        image_uri=spec.image_uri,
        has_quota=has_quota,
        settings=settings(),
    )


def gives_literal_ml(backend: str) -> bool:
    """Whether scripts see a real directory /ml there; only a local process may lack one."""
    if backend != "process":
        return True
    from pai_jupyter.backends.process import ProcessBackend

    process = get_backend(backend)
    return not isinstance(process, ProcessBackend) or process.literal_ml


def engine_answers() -> bool:
    """Whether a Docker engine answers here, and the package to talk to it is installed."""
    try:
        from pai_jupyter.backends.docker import engine_answers

        return engine_answers()
    except (ImportError, PaiJupyterError):
        return False
