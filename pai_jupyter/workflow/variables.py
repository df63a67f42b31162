"""`PipelineVariable`: what parameters and artifacts have in common: a name, and whose input or output they are.

A variable belongs to nobody (an input of a pipeline that is still to be made), to a component or pipeline, or to a step.
Its reference follows from that: `{{inputs.parameters.x}}`, `{{pipelines.STEP.outputs.parameters.x}}`.
"""

from typing import Any, ClassVar, NoReturn

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.workflow.names import check_variable_name


class PipelineVariable:
    """Base of `PipelineParameter` and `PipelineArtifact`."""

    variable_category: ClassVar[str] = ""
    _what: ClassVar[str] = "parameter"

    def __init__(
        self,
        name: str,
        *,
        desc: str | None = None,
        io_type: str = "inputs",
        value: Json = None,
        from_: "PipelineVariable | str | None" = None,
        required: bool = False,
        parent: Any = None,  # Any: a step or a component, whose modules import this one
    ) -> None:
        self.name = check_variable_name(name, self._what)
        self.desc = desc
        self.io_type = io_type
        self.value = value
        self.from_ = from_
        self.required = required
        self.parent = parent
        self.is_gathered = False  # of a loop: a list with what each item gives

    def __hash__(self) -> int:
        return id(self)

    def bind(self, parent: object, io_type: str) -> None:
        """Make it an input or output of a component.

        Raises:
            SpecError: it is one of another already.
        """
        if self.parent is not None and self.parent is not parent:
            raise SpecError(
                f"the {self._what} `{self.name}` belongs to another component. Create one for each: "
                f"{type(self).__name__}({self.name!r}).",
                field=self.name,
            )
        self.parent = parent
        self.io_type = io_type

    def gather(self) -> None:
        """Make it the list of what the items of a loop give."""
        raise NotImplementedError

    @property
    def step(self) -> Any:  # Any: a PipelineStep, whose module imports this one
        """The step that it is an output of, or None."""
        return self.parent if hasattr(self.parent, "ref_name") else None

    @property
    def fullname(self) -> str:
        """The reference, without braces."""
        own = f"{self.io_type}.{self.variable_category}.{self.name}"
        return f"{self.step.ref_name}.{own}" if self.step is not None else own

    @property
    def enclosed_fullname(self) -> str:
        """The reference as it is in manifests."""
        return f"{{{{{self.fullname}}}}}"

    def to_dict(self) -> dict[str, Json]:
        """Return what the manifest of its component declares."""
        declared: dict[str, Json] = {"name": self.name}
        if self.desc:
            declared["desc"] = self.desc
        if self.from_ is not None:
            declared["from"] = self.from_ if isinstance(self.from_, str) else self.from_.enclosed_fullname
        return declared

    def __format__(self, spec: str) -> str:
        refuse_text(self.name)

    def __repr__(self) -> str:
        told = {
            "Name": self.name,
            "Kind": self.io_type,
            "Required": self.required,
            "Value": self.value,
            "Desc": self.desc,
        }
        return f"{type(self).__name__}:{{{', '.join(f'{name}:{value}' for name, value in told.items())}}}"


def refuse_text(name: str) -> NoReturn:
    """Raise for a use of a variable in an f-string, which would hold its description for ever."""
    raise SpecError(
        f"`{name}` is known only when the pipeline runs, so it cannot be put into text now. Give it to an input by itself, and put "
        "the text together in the step.",
        field=name,
    )
