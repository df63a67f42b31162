"""The values with which a body starts: arguments resolved, defaults put in, types and ranges checked. Pure.

Rule 1: an input without an argument has its default; without a default it is left out, unless it is required.
Rule 2: a list belongs to a repeated artifact alone, and holds at least one place.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import check_value, read_value, shown
from pai_jupyter.runs.plan import Argument, DeclaredArtifact, DeclaredParameter, Given, Loop, Plan, Step
from pai_jupyter.runs.references import Lookup, Reference, as_text, resolve
from pai_jupyter.spec import Json

MAX_LOOP = 10_000  # items


def given_values(step: Step, lookup: Lookup) -> Given:
    """Return the values of a step's inputs.

    Raises:
        SpecError: one is missing, or of another type, or refers to what has no value.
    """
    return _checked(
        step.body.parameters, step.body.artifacts, _resolved(step.parameters, lookup), _resolved(step.artifacts, lookup)
    )


def run_inputs(plan: Plan) -> Given:
    """Return the values of the inputs of the whole run.

    Raises:
        SpecError: as `given_values`.
    """
    for it in plan.graph.parameters:
        _run_parameter(it, plan)
    return _checked(plan.graph.parameters, plan.graph.artifacts, plan.parameters, plan.artifacts)


def input_problems(plan: Plan) -> dict[str, str]:
    """Return what is wrong with the values of the run's inputs, by input."""
    declared: list[DeclaredParameter | DeclaredArtifact] = [*plan.graph.parameters, *plan.graph.artifacts]
    found = {}
    for it in declared:
        try:
            if isinstance(it, DeclaredParameter):
                _run_parameter(it, plan)
            else:
                _artifact(it, plan.artifacts.get(it.name))
        except SpecError as exc:
            found[it.name] = str(exc)
    return found


def loop_items(loop: Loop, lookup: Lookup) -> list[Json]:
    """Return the items of a loop; a text that is a JSON list is one.

    Raises:
        SpecError: they are no list, or too many, or refer to what has no value.
    """
    if loop.items is not None:
        items = _value_of(loop.items, lookup)
        items = read_value(items, "Array", what="the loop's list of items") if isinstance(items, str) else items
        if not isinstance(items, list | tuple):
            raise SpecError(f"the loop's list of items is {shown(as_text(items))}; it must be a list.")
        found = list(items)
    else:
        start, end = (_whole(it, lookup, what) for it, what in ((loop.start, "start"), (loop.end, "end")))
        found = list(range(start, min(end, start + MAX_LOOP + 1)))
    if len(found) > MAX_LOOP:
        raise SpecError(f"the loop has more than {MAX_LOOP} items. Split it, or give each item more to do.")
    return found


def _whole(argument: Argument | None, lookup: Lookup, what: str) -> int:
    value = 0 if argument is None else _value_of(argument, lookup)
    number = check_value(value, DeclaredParameter(name=what, type="Int"), what=f"the loop's {what}")
    return number if isinstance(number, int) else 0  # an Int is one


def check_inputs(plan: Plan) -> None:
    """Check the values of the run's inputs, and that there are no others.

    Raises:
        SpecError: one is wrong.
    """
    run_inputs(plan)
    known = {it.name for it in plan.graph.parameters} | {it.name for it in plan.graph.artifacts}
    for name in (*plan.parameters, *plan.artifacts):
        if name not in known:
            offered = ", ".join(f"`{each}`" for each in sorted(known)) or "none"
            raise SpecError(f"the pipeline has no input `{name}`. Its inputs: {offered}.", field=name)


class UnknownValueError(Exception):
    """A value is known only when other steps have run; raised by a `Lookup`."""


def check_literals(step: Step) -> None:
    """Check what is known before the run: literal values and missing inputs.

    Raises:
        SpecError: one is wrong.
    """
    known_values(step, _unknown)


def _unknown(reference: Reference) -> Json:
    raise UnknownValueError


def known_values(step: Step, lookup: Lookup) -> tuple[Given, bool]:
    """Return the values of those inputs that are known, where `lookup` does not raise UnknownValueError; and whether all are.

    Raises:
        SpecError: one is wrong.
    """
    parameters, artifacts = dict[str, Json](), dict[str, Json]()
    for declared in step.body.parameters:
        with suppress(UnknownValueError):
            parameters[declared.name] = _parameter(declared, _given(step.parameters, declared.name, lookup))
    for artifact in step.body.artifacts:
        with suppress(UnknownValueError):
            artifacts[artifact.name] = _artifact(artifact, _given(step.artifacts, artifact.name, lookup))
    is_whole = len(parameters) + len(artifacts) == len(step.body.parameters) + len(step.body.artifacts)
    return Given(parameters=_present(parameters), artifacts=_present(artifacts)), is_whole


def _given(arguments: Mapping[str, Argument], name: str, lookup: Lookup) -> Json:
    return _value_of(arguments[name], lookup) if name in arguments else None


def _resolved(arguments: Mapping[str, Argument], lookup: Lookup) -> dict[str, Json]:
    return {name: _value_of(argument, lookup) for name, argument in arguments.items()}


def _value_of(argument: Argument, lookup: Lookup) -> Json:
    return resolve(argument.value, lookup) if argument.is_template else argument.value


def _checked(
    parameters: Iterable[DeclaredParameter],
    artifacts: Iterable[DeclaredArtifact],
    values: Mapping[str, Json],
    places: Mapping[str, Json],
) -> Given:
    return Given(
        parameters=_present({it.name: _parameter(it, values.get(it.name)) for it in parameters}),
        artifacts=_present({it.name: _artifact(it, places.get(it.name)) for it in artifacts}),
    )


def _present(values: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in values.items() if value is not None}


def _run_parameter(declared: DeclaredParameter, plan: Plan) -> None:
    name, value = declared.name, plan.parameters.get(declared.name)
    if value is None and declared.default is None and declared.required:
        raise SpecError(
            f"parameter `{name}` has no value. Give it one: arguments={{'{name}': VALUE}}, or in a magic's line -p {name}=VALUE",
            field=name,
        )
    _parameter(declared, value)


def _parameter(declared: DeclaredParameter, value: Json) -> Json:
    value = declared.default if value is None else value
    if value is not None:
        return check_value(value, declared)
    if declared.required:
        raise SpecError(f"parameter `{declared.name}` has no value. Give it one.", field=declared.name)
    return None


def _artifact(declared: DeclaredArtifact, value: Json) -> Json:
    name = declared.name
    if value is None:
        if declared.required:
            raise SpecError(f"artifact `{name}` has no value. Give it a path or an oss:// address.", field=name)
        return None
    if isinstance(value, list | tuple):
        if not declared.repeated:
            raise SpecError(f"artifact `{name}` is one place, but a list is given. Give it a path.", field=name)
        whole = [place for each in value for place in (each if isinstance(each, list) else [each])]
        places: list[Json] = [place for place in whole if place is not None]
        if value and not places:  # items of a loop that were skipped have given none
            return _artifact(declared, None)
    else:
        places = [value]
    if not places or not all(isinstance(place, str) and place for place in places):
        raise SpecError(f"artifact `{name}` must be a path or an oss:// address.", field=name)
    return places if declared.repeated else places[0]
