"""Run a component as a job: its code on this machine or on PAI, or the registered one by its name and version.

Rule 1: everything is checked before anything is fetched, packed or sent: component, channels, values, machines.
Rule 2: a saved component runs as it was saved. What differs stops it with a sentence, unless the changes are accepted.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pai_jupyter import contract
from pai_jupyter.backends import HoldsOutputs, find_info, get_backend, is_local
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.changes import SavedComponent
from pai_jupyter.component.code import CodeState, opened, origin_of, state_of, state_of_package
from pai_jupyter.component.component import Component, ComponentInput
from pai_jupyter.component.constraint import cards_of, cards_of_share, check_listed, constraint_problems
from pai_jupyter.component.image import as_saved, facts_of
from pai_jupyter.component.problems import check_component
from pai_jupyter.component.registration_notes import is_kept
from pai_jupyter.component.registry import component_service, read
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Draft, Job, Target, detaching, draft, place_for, presenter
from pai_jupyter.jobs.submission import fresh_id
from pai_jupyter.spec import STANDARD_OUTPUTS, JobSpec, Json, Scalar
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.store import JobStore

_STORAGES = {"oss": "OSS", "nas": "NAS", "cpfs": "NAS", "odps": "MaxCompute"}


@dataclass(frozen=True, kw_only=True)
class ComponentRun:
    """What a run of a component is given: places of its channels, values of its parameters, machines.

    `accepts_changes`: run a saved component although its code or image is another one by now.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    name: str | None = None
    backend: str | None = None
    instance_type: str | None = None
    instance_count: int = 1
    output_path: str | None = None
    max_run_time: int | None = None
    environments: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, Json] = field(default_factory=dict)
    accepts_changes: bool = False


def run(component: Component | SavedComponent, given: ComponentRun | None = None, *, wait: bool = True) -> Job:
    """Run a component with its code from here, on any backend, and show the job.

    Raises:
        SpecError, PackageError, BackendError: nothing was started.
        JobFailed, JobStopped: the job failed or was stopped.

    Example:
        >>> hello = Component(name="hello", command="echo hello $PAI_HPS_WHO", parameters=())
        >>> job = run(hello)  # doctest: +ELLIPSIS
        job ... runs on: Local process (no image is given)
        hello
    """
    return _shown(*start(component, given or ComponentRun()), wait=wait)


def run_registered(
    name: str, version: str | None = None, given: ComponentRun | None = None, *, wait: bool = True
) -> Job:
    """Run a registered component on PAI by its name and version, default the newest, and show the job.

    Raises:
        as `run`; NotFoundError: there is no such component.
    """
    return _shown(*start_registered(name, version, given or ComponentRun()), wait=wait)


def start(
    component: Component | SavedComponent, given: ComponentRun, *, tell: Callable[[str], None] | None = None
) -> tuple[Job, list[str]]:
    """Start a component's job; return it with notes for the user. `tell` hears of progress, by default the presenter."""
    saved = component if isinstance(component, SavedComponent) else SavedComponent(component=component)
    with drafted(saved, given, tell=tell) as ready:
        job = ready.submit()
    return job, list(ready.notes)


def start_registered(
    name: str, version: str | None, given: ComponentRun, *, tell: Callable[[str], None] | None = None
) -> tuple[Job, list[str]]:
    """Start a registered component's job on PAI; return it with notes for the user, as `start`."""
    service, backend = component_service()
    if given.backend not in (None, service):
        raise SpecError(
            f"a registered component runs on PAI only, and backend {given.backend!r} is asked for. Leave --backend out, or run a "
            "saved one: its YAML file in place of the name.",
            field="backend",
        )
    registered = read(name, version)
    component = registered.component
    named = backend.component_options(component.name, component.version, registered.provider)
    given = replace(given, backend=service, options={**given.options, **named})
    given, place = _placed(component, given)
    _check_run(component, given, place)
    source = component.source
    notes = [] if source is None or is_kept(source) else [_not_kept(component)]
    spec, job_id = _spec(component, given, place, is_registered=True)
    with draft(
        spec,
        place,
        job_id=job_id,
        asked_by="pai_component",
        has_own_name=given.name is not None,
        progress_callback=tell or presenter().tell,
    ) as ready:
        unread = contract.undivided(ready.spec)  # whether its code, which is not here, divides the data is not known
        return ready.submit(), [*notes, *(each for each in ready.notes if each not in unread)]


def run_problems(component: Component, given: ComponentRun, *, machine: str, cards: int | None) -> list[str]:
    """Return what is wrong with the places, values and machines of a run. Pure."""
    return [
        *_channel_problems(component, given),
        *_value_problems(component, given.values),
        *constraint_problems(
            component.constraint,
            instance_type=machine,
            instance_count=given.instance_count,
            cards=cards,
        ),
    ]


def drafted(saved: SavedComponent, given: ComponentRun, *, tell: Callable[[str], None] | None = None) -> Draft:
    """Check and pack a run; `submit` of what is returned starts it, and its `notes` are for the user.

    Raises:
        as `run`: nothing was started.
    """
    component = saved.component
    image = facts_of(component.image_uri) if saved.image_digest is not None else None
    notes = check_component(component, image=image, for_pai=False)
    given, place = _placed(component, given)
    _check_run(component, given, place)
    if saved.image_digest is not None and image is None:
        component, more = as_saved(saved, find_info(place.backend))
        notes += more
    spec, job_id = _spec(component, given, place)
    with opened(component) as code:
        ready = draft(
            spec,
            place,
            overlay=code.files,
            source=code.directory,
            job_id=job_id,
            asked_by="pai_component",
            has_own_name=given.name is not None,
            origin=origin_of(component, code),
            progress_callback=tell or presenter().tell,
        )
    try:
        state = _state(saved, ready)
        changes = saved.changes(state, image)
        if changes and not given.accepts_changes:
            raise SpecError("\n".join([*changes, "To run it as it is now, add --accept-changes."]), field="source")
    except BaseException:
        ready.__exit__(None, None, None)
        raise
    ready.notes = (*saved.notes, *notes, *changes, *code.notes, *ready.notes)
    return ready


def _not_kept(component: Component) -> str:
    return f"the code of {component.title} was not copied: this run takes what is at {component.source} now."


def _state(saved: SavedComponent, ready: Draft) -> CodeState | None:
    source = saved.component.source
    if saved.code_digest is None:
        return None
    is_in_oss = source is not None and source_kind(source) == "oss"
    return state_of(saved.component) if is_in_oss else state_of_package(ready.package)


def _check_run(component: Component, given: ComponentRun, place: Target) -> None:
    machine, cards = _machine(given, place) if component.constraint is not None else ("", None)
    if found := run_problems(component, given, machine=machine, cards=cards):
        raise SpecError("\n".join(found))
    info = find_info(place.backend)
    if info is not None and info.takes_cloud_keys and given.instance_type is not None:
        check_listed(given.instance_type)


def _machine(given: ComponentRun, place: Target) -> tuple[str, int | None]:
    """Return what says how many GPUs one machine has, and their number: the share of a quota, else the instance type."""
    for name in given.options:
        if name.endswith(".instance_spec"):
            return name, cards_of_share(given.options[name])
    kind = given.instance_type or ("local" if is_local(place.backend) else None)  # elsewhere the backend asks for one
    return (kind, cards_of(kind)) if kind is not None else ("", None)


def _spec(
    component: Component, given: ComponentRun, place: Target, *, is_registered: bool = False
) -> tuple[JobSpec, str]:
    values = component.schema.validate(given.values)
    source = component.source
    spec = JobSpec(
        name=given.name or component.name,
        command=component.command,
        source_dir=source if source is not None and source_kind(source) == "oss" and not is_registered else None,
        image_uri=component.image_uri,
        instance_type=given.instance_type or "local",
        instance_count=given.instance_count,
        job_type=component.job_type,
        hyperparameters=_scalars(values),
        inputs={name: str(place) for name, place in given.inputs.items()},
        output_path=given.output_path,
        environments=given.environments,
        max_run_time=given.max_run_time,
        options=given.options,
    )
    job_id = fresh_id()
    named = [each.name for each in component.outputs if is_registered or each.name not in STANDARD_OUTPUTS]
    base, outputs = _output_places(named, given, place, job_id)
    return replace(spec, outputs=outputs, output_path=base), job_id


def _placed(component: Component, given: ComponentRun) -> tuple[ComponentRun, Target]:
    """Choose the backend; return the run with the instance type of `%pai_config` if it names none.

    Unlike in a spec, no instance type is not `local`.
    """
    kind = given.instance_type or settings().get("instance_type")
    place = place_for(
        backend=given.backend,
        instance_type=kind,
        image_uri=component.image_uri,
        options=given.options,
        settings=settings(),
    )
    return replace(given, instance_type=kind), place


def _output_places(
    named: Collection[str], given: ComponentRun, place: Target, job_id: str
) -> tuple[str | None, dict[str, str]]:
    """Return the `output_path`, and a place for each of the outputs `named`, which have none by themselves."""
    backend, base = get_backend(place.backend), given.output_path
    missing = [name for name in named if name not in given.outputs]
    if base is None and missing:
        here = str(JobStore().path(job_id) / "output")
        base = backend.output_path(job_id) if isinstance(backend, HoldsOutputs) else here
    places = {name: f"{str(base).rstrip('/')}/{name}/" for name in missing}
    return base, {**places, **{name: str(at) for name, at in given.outputs.items()}}


def _channel_problems(component: Component, given: ComponentRun) -> Iterator[str]:
    known = {each.name: each for each in component.inputs}
    for name, place in given.inputs.items():
        if name not in known:
            yield f"component {component.name!r} has no input {name!r}; it has: {_listed(known)}."
        elif problem := storage_problem(known[name], str(place)):
            yield problem
    for name, channel in known.items():
        if channel.required and name not in given.inputs:
            yield f"input {name!r} has no place, and the component needs one. Give it: -i {name}=./data"
    outputs = [each.name for each in component.outputs]
    for name in given.outputs:
        if name not in outputs:
            yield f"component {component.name!r} has no output {name!r}; it has: {_listed(outputs)}."


def storage_problem(channel: ComponentInput, place: str) -> str:
    """Return why an input cannot be read from where it is; "" if it can."""
    kind = _STORAGES.get(scheme_of(place))
    if kind is None or kind in channel.sources:
        return ""
    return f"input {channel.name!r} is in {kind}, and the component reads it from {' or '.join(channel.sources)}."


def _value_problems(component: Component, values: Mapping[str, object]) -> Iterator[str]:
    names = [each.name for each in component.parameters]
    for name in values:
        if name not in names:
            yield f"component {component.name!r} has no parameter {name!r}; it has: {_listed(names)}."
    yield from component.schema.errors({name: value for name, value in values.items() if name in names}).values()


def _scalars(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {name: value for name, value in values.items() if value is not None}


def _listed(names: Collection[str]) -> str:
    return ", ".join(names) or "none"


def _shown(job: Job, notes: list[str], *, wait: bool) -> Job:
    with detaching(job):
        presenter().show(job, notes, wait=wait)
        return job.wait() if wait else job
