"""Hold a component's training constraint against the machines of a run."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from pai_jupyter.backends.local import count_gpus
from pai_jupyter.cloud.session import get_default_session
from pai_jupyter.component.component import TrainingConstraint
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.spec import Json

if TYPE_CHECKING:
    from pai_jupyter.cloud.instances import InstanceType

_ONE_CARD = "ecs.gn6v-c8g1.2xlarge"
_CPU_FAMILY = re.compile(r"ecs\.(c|g|r|u|e|s|t|hfc|hfg|hfr)\d\w*\.\w+")


def constraint_problems(
    constraint: TrainingConstraint | None, *, instance_type: str, instance_count: int, cards: int | None
) -> list[str]:
    """Return a sentence for each way in which the machines do not fit; `cards` of one machine, None if not known.

    Example:
        >>> constraint = TrainingConstraint(machine="CPU", several_machines=False)
        >>> constraint_problems(constraint, instance_type="local", instance_count=2, cards=0)
        ['the component runs on one machine, and 2 are asked for. Type --instance-count 1, or leave it out.']
    """
    if constraint is None:
        return []
    found = []
    if instance_count > 1 and not constraint.several_machines:
        found.append(
            f"the component runs on one machine, and {instance_count} are asked for. Type --instance-count 1, or leave it out."
        )
    if constraint.machine == "GPU" and cards == 0:
        found.append(
            f"the component needs a GPU, and {instance_type!r} has none. Give a type with one, e.g. --instance-type "
            f"{'local_gpu' if instance_type == 'local' else _ONE_CARD}"
        )
    if constraint.machine == "CPU" and cards is not None and cards > 0:
        found.append(
            f"the component runs on CPU machines, and {instance_type!r} has GPUs. Give a type without, e.g. --instance-type "
            f"{'local' if instance_type == 'local_gpu' else 'ecs.c6.large'}"
        )
    if constraint.machine == "GPU" and not constraint.several_cards and cards is not None and cards > 1:
        found.append(
            f"the component uses one GPU, and {instance_type!r} has {cards}. Give a type with one, e.g. --instance-type {_ONE_CARD}"
        )
    return found


def cards_of(instance_type: str) -> int | None:
    """Count the GPUs of one machine: of this one, else as PAI lists them; a type's name only tells that there are none.

    Blocking; may ask the service.
    """
    if instance_type == "local":
        return 0
    if instance_type == "local_gpu":
        return count_gpus()
    for each in _listed():
        if each.name == instance_type:
            return each.gpu
    return 0 if _CPU_FAMILY.fullmatch(instance_type) else None


def cards_of_share(share: Json) -> int | None:
    """Return the GPUs that one replica gets of a quota's machines, `{"CPU": "4", "GPU": "1"}`; None if that is no number."""
    cards = str(share.get("GPU") or "0") if isinstance(share, Mapping) else ""
    return int(cards) if cards.isdecimal() else None


def check_listed(instance_type: str) -> None:
    """Check that PAI has an instance type, before anything is sent, or a version is used up by a run that it would refuse.

    Raises:
        SpecError: PAI lists others.
    """
    names = [each.name for each in _listed()]
    if names and instance_type not in names:
        raise SpecError(
            f"PAI has no instance type {instance_type!r} in this region. Type %pai_instances to see them, and give one, e.g. "
            "--instance-type ecs.c6.large",
            field="instance_type",
        )


def _listed() -> "list[InstanceType]":
    """List the instance types of PAI; [] where it cannot be asked."""
    from pai_jupyter.cloud.instances import list_instances  # imported late: it needs the HTTP client

    with suppress(PaiJupyterError):  # a key may lack this permission
        if get_default_session() is not None:
            return list(list_instances())
    return []
