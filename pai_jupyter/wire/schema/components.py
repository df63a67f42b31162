"""Answers about custom components: their list, one with its form, what is wrong with a form, what was saved.

A form has what `pai_jupyter/component/forms.py` writes: only what differs from the defaults.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from pai_jupyter.wire.schema.limits import MAX_SENTENCE, Text
from pai_jupyter.wire.schema.panel import HyperparameterRow
from pai_jupyter.wire.schema.values import Count, JsonNumber, Scalar


class ComponentFormInput(TypedDict):
    """An input channel."""

    name: str
    sources: NotRequired[list[str]]  # OSS, NAS, MaxCompute; by default all
    required: NotRequired[bool]  # by default true
    description: NotRequired[str]


class ComponentFormOutput(TypedDict):
    """An output channel."""

    name: str
    storage: NotRequired[str]  # OSS or MaxCompute; by default OSS
    description: NotRequired[str]


class ComponentFormParameter(TypedDict):
    """A parameter; the range of a String is that of its length."""

    name: str
    type: str  # Int, Float, String or Bool
    default: NotRequired[Scalar]
    minimum: NotRequired[JsonNumber]
    maximum: NotRequired[JsonNumber]
    open_minimum: NotRequired[bool]
    open_maximum: NotRequired[bool]
    choices: NotRequired[list[Scalar]]
    required: NotRequired[bool]
    description: NotRequired[str]


class ComponentFormConstraint(TypedDict):
    """The machines that a component accepts."""

    machine: str  # CPU or GPU
    several_machines: bool
    several_cards: bool


class ComponentForm(TypedDict):
    """A component without the content of its own files."""

    name: str
    version: str
    job_type: str
    description: NotRequired[str]
    version_description: NotRequired[str]
    image: NotRequired[str]
    command: NotRequired[str]
    source: NotRequired[str]  # a directory, oss://, or the address of a Git repository
    branch: NotRequired[str]
    commit: NotRequired[str]
    inputs: NotRequired[list[ComponentFormInput]]
    outputs: NotRequired[list[ComponentFormOutput]]
    parameters: NotRequired[list[ComponentFormParameter]]
    constraint: NotRequired[ComponentFormConstraint]


class ComponentRow(TypedDict):
    """A component: saved on this server, or registered in the workspace."""

    name: str
    version: str  # the newest; '' without one
    versions: list[str]
    next_version: str  # after all that are saved or registered under this name
    is_registered: bool
    description: str
    job_type: str
    image: str
    source: str  # where its code is; '' where none is recorded
    problem: str  # why it cannot be read


class StepComponentRow(TypedDict):
    """A component of pipelines that is saved on this server; what it is tells its newest version."""

    name: str
    versions: list[str]  # the newest first
    kind: Literal["job", "container", "pipeline"]
    about: str  # image and script, or the names of steps
    inputs: list[str]
    outputs: list[str]


class JobComponentsAnswer(TypedDict):
    """Components that are run as jobs; `problem` says why some are missing."""

    components: list[ComponentRow]
    problem: str


class ComponentsAnswer(JobComponentsAnswer):
    """All components, those of pipelines too."""

    steps: list[StepComponentRow]


class ComponentAnswer(TypedDict):
    """A version of a component."""

    name: str
    version: str
    versions: list[str]
    next_version: str
    is_registered: bool
    form: ComponentForm
    files: list[str]  # its own files, by path
    values: list[HyperparameterRow]  # its parameters, as a form of a run shows them


class ComponentProblemRow(TypedDict):
    """A sentence about a field of the form."""

    field: str
    index: Count | None  # of which input, output or parameter
    text: Annotated[str, Text(least=1, most=MAX_SENTENCE)]
    severity: Literal["error", "warning"]
    on_pai: bool  # it keeps a component from being registered, not from being saved or run here


class ComponentProblems(TypedDict):
    """What is wrong with a form, and what is proposed for it."""

    problems: list[ComponentProblemRow]
    next_version: str
    command: str  # the default one


class ComponentSaved(TypedDict):
    """The version that was saved; `path` is '' if it was only registered."""

    name: str
    version: str
    path: str
    notes: list[str]


class ComponentsDeleted(TypedDict):
    """The versions that were deleted; without any, all of a registered component."""

    deleted: list[str]
