"""What is checked before a run starts: each step whose values are known by then is asked of its backend, and nothing is started.

Values that only other steps or a loop give are checked when they are there.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Target, check, for_python
from pai_jupyter.runs.arguments import UnknownValueError, known_values, loop_items, run_inputs
from pai_jupyter.runs.plan import Given, Graph, JobBody, Plan, Step
from pai_jupyter.runs.references import Lookup, Reference, as_text
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.workflow import container_step, custom_job_step
from pai_jupyter.workflow.checks import read_interface
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.planning import Planned, alone, default_places
from pai_jupyter.workflow.planning_bodies import CUSTOM_JOB
from pai_jupyter.workflow.planning_declared import place_of
from pai_jupyter.workflow.step_values import StepData

_MAX_SHOWN = 10  # problems in one message


@dataclass(frozen=True, kw_only=True)
class KnownJob:
    """A step with the values that are known. `path`: of the step. `is_repeated`: a loop runs it several times with these.

    `is_whole`: all of its values are known.
    """

    path: str
    body: JobBody
    given: Given
    is_repeated: bool = False
    is_whole: bool = True

    @property
    def output_path(self) -> str:
        return as_text(self.given.parameters.get("output_path")) if self.body.builder == CUSTOM_JOB else ""


def check_planned(planned: Planned, environment: Mapping[str, str] | None = None) -> list[str]:
    """Check a plan with the backends of its steps; return notes. `environment`: what the driver will have.

    Raises:
        SpecError: a secret, an input or something else of a step is missing or wrong.
    """
    known = {**os.environ, **planned.secrets, **(environment or {})}
    problems = [
        f"the variable {name} has no value. Set it before the run: os.environ[{name!r}] = getpass.getpass()"
        for name in planned.plan.secrets
        if name not in known
    ]
    jobs = list(known_jobs(planned.plan))
    written = [Path(job.output_path) for job in jobs if job.output_path and "://" not in job.output_path]
    for job in jobs:
        try:
            with for_python():
                _check(job, {**known, **dict.fromkeys(planned.plan.secrets, "")}, written, planned.packages)
        except SpecError as exc:
            problems.append(f"step `{job.path}`: {exc}")
    if problems:
        more = [f"and {len(problems) - _MAX_SHOWN} more problems"] if len(problems) > _MAX_SHOWN else []
        raise SpecError("\n".join([*problems[:_MAX_SHOWN], *more]))
    return _shared_outputs(jobs)


def _check(
    job: KnownJob, environment: Mapping[str, str], written: Iterable[Path], packages: Mapping[str, Path]
) -> None:
    data = StepData.of(job.body)
    variables = data.variables(environment)
    if job.body.builder != CUSTOM_JOB:
        spec = container_step.job_spec(job.body, job.given, variables=variables)
    elif problem := custom_job_step.output_problem(job.given):
        raise SpecError(problem, field="output_path")
    elif not job.is_whole:
        spec = custom_job_step.placed_spec(job.body, job.given, variables)
    else:
        spec = custom_job_step.job_spec(job.body, job.given, variables=variables, packages=packages)
    check(_without_outputs(spec, written), Target(backend=data.backend, reason=""))


def _without_outputs(spec: JobSpec, written: Iterable[Path]) -> JobSpec:
    """Leave out inputs that are not there yet and that a step of this run may write."""
    missing = {name: Path(place).absolute() for name, place in spec.inputs.items() if "://" not in place}
    later = {
        name
        for name, place in missing.items()
        if not place.exists() and any(place.is_relative_to(each.absolute()) for each in written)
    }
    return replace(spec, inputs={name: place for name, place in spec.inputs.items() if name not in later})


def check_values(
    documents: Sequence[Document],
    arguments: Mapping[str, Json],
    artifacts: Mapping[str, Json],
    *,
    registered: Sequence[Document] = (),
) -> None:
    """Check the values of a run at PAIFlow, which checks few itself, as far as they are known before it. Asks nobody.

    `registered`: documents of components that the manifest names without having them; steps of others are not checked.

    Raises:
        SpecError: one is missing, of another type, outside its range, or none of its choices.
    """
    body = read_interface(documents, registered=registered)
    graph = body if isinstance(body, Graph) else alone(body, body.title)
    places = {**default_places(documents[-1]), **{name: place_of(it, name) for name, it in artifacts.items()}}
    for _ in known_jobs(Plan(name=graph.title, graph=graph, parameters=arguments, artifacts=places)):
        pass


def known_jobs(plan: Plan) -> Iterator[KnownJob]:
    """Yield the steps with their values as far as they are known; those of a pipeline within, if all of its own are.

    Raises:
        SpecError: a value of the run's own inputs is wrong.
    """
    yield from _known(plan.graph, run_inputs(plan), "", is_repeated=False)


def _known(graph: Graph, inputs: Given, above: str, *, is_repeated: bool) -> Iterator[KnownJob]:
    for step in graph.steps:
        path = f"{above}{step.name}"
        try:
            first, *_ = [known_values(step, lookup) for lookup in _lookups(step, inputs)]
        except SpecError as exc:
            raise SpecError(f"step `{path}`: {exc}", field=exc.field) from exc
        given, is_whole = first
        repeated = is_repeated or step.loop is not None
        if isinstance(step.body, JobBody):
            yield KnownJob(path=path, body=step.body, given=given, is_repeated=repeated, is_whole=is_whole)
        elif is_whole:
            yield from _known(step.body, given, f"{path}/", is_repeated=repeated)


def _lookups(step: Step, inputs: Given) -> Iterator[Lookup]:
    """Yield where the values of a step come from; once for each item of a loop whose items are known."""
    yield _lookup(inputs)
    with suppress(UnknownValueError):
        for item in loop_items(step.loop, _lookup(inputs)) if step.loop else ():
            yield _lookup(inputs, [item])


def _lookup(inputs: Given, items: Sequence[Json] = ()) -> Lookup:
    def lookup(reference: Reference) -> Json:
        if reference.is_item and items:
            return items[0]
        if reference.is_item or reference.step is not None:
            raise UnknownValueError
        return (inputs.parameters if reference.kind == "parameters" else inputs.artifacts).get(reference.name)

    return lookup


def _shared_outputs(jobs: Iterable[KnownJob]) -> list[str]:
    """Return a note for each place that several jobs write."""
    places: dict[str, list[str]] = {}
    for job in jobs:
        if job.output_path:
            places.setdefault(job.output_path.rstrip("/"), []).extend([job.path] * (2 if job.is_repeated else 1))
    return [
        f"several jobs write to the output_path '{place}' ({', '.join(dict.fromkeys(paths))}): a later one replaces what is there, and "
        "side by side they disturb each other. Give each its own."
        for place, paths in places.items()
        if len(paths) > 1
    ]
