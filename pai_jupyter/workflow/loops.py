"""What a loop runs over: a list, `range(start, stop)`, or a parameter whose value is a JSON list, as what another loop gives.

Outputs of steps and inputs of the pipeline may be among the items of a list.

    op.as_loop_step(name="train", items=[0.1, 0.2], inputs={"lr": LoopItem()})

`ParallelFor` is another name of `LoopItems`.
"""

from collections.abc import Iterable
from typing import TypeAlias

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.arguments import MAX_LOOP
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.workflow.assignment import plain, variables_in, written
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.variables import PipelineVariable

_Items: TypeAlias = range | PipelineParameter | list[object]


class LoopItems:
    """The items of a loop.

    Raises:
        SpecError: it is none of the three, or too many.
    """

    def __init__(self, items: object) -> None:
        self.items: _Items = items.items if isinstance(items, LoopItems) else _read(items)

    @property
    def variables(self) -> list[PipelineVariable]:
        """The variables that it refers to."""
        return list(variables_in(self.items))

    def to_dict(self) -> dict[str, Json]:
        """Return the fields of a step of a manifest. The end of a sequence is not included, as in Python."""
        if isinstance(self.items, PipelineParameter):
            return {"withParam": self.items.enclosed_fullname}
        if isinstance(self.items, range):
            return {"withSequence": {"start": self.items.start, "end": self.items.stop}}
        return {"withItems": written(self.items)}


def _read(items: object) -> _Items:
    if isinstance(items, PipelineParameter):
        if items.typ not in ("Array", "String"):
            raise SpecError(
                f"a loop runs over a list, and parameter `{items.name}` is of type {items.typ}. Make it an Array.",
                field="items",
            )
        return items
    if isinstance(items, range) and items.step == 1:
        _check_count(len(items))
        return items
    if isinstance(items, str | bytes | dict) or not isinstance(items, Iterable):
        raise SpecError(
            f"a loop runs over a list, a range or a parameter, and {shown(repr(items))} is none. Give e.g. items=[1, 2].",
            field="items",
        )
    found = [plain(it) for it in items]
    _check_count(len(found))
    if any(it is None for it in found):
        raise SpecError("an item of the loop is None, which no input can be given. Leave it out.", field="items")
    return found


def _check_count(count: int) -> None:
    if count > MAX_LOOP:
        raise SpecError(
            f"the loop has more than {MAX_LOOP} items. Split it, or give each item more to do.", field="items"
        )


ParallelFor = LoopItems
