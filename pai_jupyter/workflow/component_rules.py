"""What a custom component accepts where it is a step: its machines, and the storages of its inputs. In its manifest as JSON.

The sentences are those of a job of the component (`component.running`).
"""

import json

from pai_jupyter.component import Component, ComponentInput, TrainingConstraint
from pai_jupyter.component.constraint import cards_of, constraint_problems
from pai_jupyter.component.running import storage_problem
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.typed_json import Fields, text_of

RULES = "CUSTOM_JOB_RULES"


def rules_of(component: Component) -> str | None:
    """Return the rules of a component; None if it takes everything."""
    found: dict[str, Json] = {}
    if (constraint := component.constraint) is not None:
        found["constraint"] = {
            "machine": constraint.machine,
            "several_machines": constraint.several_machines,
            "several_cards": constraint.several_cards,
        }
    if sources := {
        it.name: list[Json](it.sources) for it in component.inputs if it.sources != ComponentInput(name="").sources
    }:
        found["sources"] = {**sources}
    return json.dumps(found) if found else None


def check_rules(rules: str, spec: JobSpec) -> None:
    """Check the job of a step against the rules of its component.

    Raises:
        SpecError: it has machines or inputs that the component does not take, or the rules are damaged.
    """
    if not rules:
        return
    try:
        fields = Fields.of(json.loads(rules), RULES)
    except ValueError as exc:
        raise SpecError(f"the manifest is damaged: {RULES} is no JSON. Write it with Pipeline.to_manifest().") from exc
    sources = fields.inside("sources")
    channels = [
        ComponentInput(name=name, sources=tuple(text_of(it, path) for it, path in sources.items(name)))
        for name in sources.values
    ]
    found = [*filter(None, (storage_problem(it, spec.inputs.get(it.name, "")) for it in channels))]
    if fields.has("constraint"):
        found += constraint_problems(
            _constraint(fields.inside("constraint")),
            instance_type=spec.instance_type,
            instance_count=spec.total_instances,
            cards=cards_of(spec.instance_type),
        )
    if found:
        raise SpecError("\n".join(found), field="job_config")


def _constraint(fields: Fields) -> TrainingConstraint:
    return TrainingConstraint(
        machine=fields.line("machine"),
        several_machines=fields.flag("several_machines"),
        several_cards=fields.flag("several_cards"),
    )
