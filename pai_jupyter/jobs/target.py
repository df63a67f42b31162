"""Choose the backend of a job and the reason, which every output's header shows.

explicit > an instance type or an option that only one backend has (an `ecs.*` type, a quota) > `%pai_config` > Docker if an
image is given and an engine answers > a local process. `local` and `local_gpu` always mean this machine; together with a
backend that has its own machines, or with its quota, they are an error. `BackendInfo` says what each backend has.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller

from pai_jupyter.backends import LOCAL_TYPES, BackendInfo, find_info, infos, is_local
from pai_jupyter.config import Settings, settings
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Role


@dataclass(frozen=True, kw_only=True)
class Target:
    """A backend's name and the reason for it, as the header shows it; a job at the emulator is never called PAI.

    `is_configured`: it was chosen by `%pai_config`, not by the job's options.
    """

    backend: str
    reason: str
    is_emulated: bool = False
    is_configured: bool = False

    def __str__(self) -> str:
        info = find_info(self.backend) if self.is_emulated else None
        return f"{info.emulator if info else self.backend} ({self.reason})"


def choose_place(
    *,
    backend: str | None,
    instance_type: str | None,
    image_uri: str | None,
    options: Iterable[str] = (),
    configured: tuple[str, str] | None = None,
    answers: Callable[[BackendInfo], bool] = methodcaller("answers"),
) -> Target:
    """Choose a backend; `backend` and `instance_type` are those requested, None if not given.

    `options` are the full names of those given. `configured` is the backend of `%pai_config` and where it was set.
    `answers` tells whether a local backend can start jobs now; it is called only if needed.

    Raises:
        SpecError: the arguments contradict each other.
    """
    is_here = instance_type in LOCAL_TYPES
    names = list(options)
    if is_here:
        _check_is_here(str(instance_type), backend, names)
    if backend is not None:
        return Target(backend=backend, reason="asked for")
    for info in infos():
        if option := info.chooser(names):
            return Target(backend=info.name, reason=option.chosen_because)
    for info in infos():
        if instance_type and info.has_instance(instance_type):
            return Target(backend=info.name, reason=f"{instance_type} is a type of {info.title}")
    if configured is not None and not (is_here and not is_local(configured[0])):
        return Target(backend=configured[0], reason=f"set in {configured[1]}", is_configured=True)
    return _on_this_machine(image_uri, answers)


def _check_is_here(instance_type: str, backend: str | None, options: list[str]) -> None:
    """Reject a type of this machine together with a backend that has its own machines, or with its option.

    Raises:
        SpecError: they contradict each other.
    """
    for info in infos() if backend is None else filter(None, [find_info(backend)]):
        option = info.chooser(options) if backend is None else None
        if option is None and (backend is None or info.is_local or not info.instance_types):
            continue
        wrong = f"--option {info.full_name(option)}" if option else f"--backend {info.name}"
        raise SpecError(
            f"`--instance-type {instance_type}` is this machine, not {info.title}. Leave out {wrong}, "
            f"or give a type of {info.title}, e.g. --instance-type {info.instance_example or info.instance_types[0]}.",
            field="instance_type",
        )


def _on_this_machine(image_uri: str | None, answers: Callable[[BackendInfo], bool]) -> Target:
    """Choose a local backend: a container engine for images if it answers, else processes."""
    here = [info for info in infos() if info.is_automatic]
    plain = next(info for info in here if not info.takes_images)
    engines = [info for info in here if info.takes_images]
    if image_uri is None:
        return Target(backend=plain.name, reason="no image is given")
    for info in engines:
        if answers(info):
            return Target(backend=info.name, reason="an image is given and an engine answers")
    missing = " or ".join(info.title for info in engines) or "container"
    return Target(backend=plain.name, reason=f"an image is given, but no {missing} engine answers")


def place_for(
    *, backend: str | None, instance_type: str | None, image_uri: str | None, options: Iterable[str], settings: Settings
) -> Target:
    """Choose a backend with this user's settings and this machine's engine; arguments as in `choose_place`."""
    value = settings.resolve("backend")
    place = choose_place(
        backend=backend,
        instance_type=instance_type,
        image_uri=image_uri,
        options=options,
        configured=(value.value, value.origin) if value.value else None,
    )
    return replace(place, is_emulated=is_emulated(place.backend, settings))


def type_of_roles(roles: Sequence[Role]) -> str | None:
    """Return the instance type that chooses the backend of a job with these roles: the first that is not of this machine."""
    return next((role.instance_type for role in roles if role.instance_type not in (None, *LOCAL_TYPES)), None)


def is_emulated(backend: str, settings: Settings) -> bool:
    """Return whether jobs on `backend` go to the emulator."""
    info = find_info(backend)
    return info is not None and info.is_emulated(settings)


def place_of(spec: JobSpec, *, backend: str | None = None) -> Target:
    """Choose a backend for a spec of `Estimator` or `submit`; its instance type counts as requested.

    Except `local` with a quota or with roles that have types: there it is just the spec's default.
    """
    has_quota = bool(spec.options) and any(info.chooser(spec.options) for info in infos())
    instance_type = next((role.instance_type for role in spec.roles if role.instance_type), spec.instance_type)
    return place_for(
        backend=backend,
        instance_type=None if has_quota and instance_type == "local" else instance_type,
        image_uri=spec.image_uri,
        options=spec.options,
        settings=settings(),
    )


def about_given_type(sentences: list[str], spec: JobSpec, backend: str) -> list[str]:
    """Return what `backend` says of `spec`; of 'local', the type of a job that was given none, it says what to give.

    Given by its user, that type has been rejected before (see `choose_place`).
    """
    info = find_info(backend)
    if info is None or info.is_local or spec.instance_type != "local" or not info.named_instances:
        return sentences
    wanted = f"backend {backend!r} needs an instance type of {info.title}: --instance-type {info.named_instances[0]}"
    about = [it for it in sentences if "'local'" in it and "--role" not in it and not it.startswith("note: ")]
    return [*([wanted] if about else []), *(sentence for sentence in sentences if sentence not in about)]


def gives_literal_ml(backend: str) -> bool:
    """Return whether scripts find a real directory /ml; only a local process may lack one."""
    info = find_info(backend)
    return info is None or info.literal_ml
