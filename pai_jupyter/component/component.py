"""The values that a component consists of. Nothing is checked here but the type: `problems` checks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from pai_jupyter import callbacks, contract
from pai_jupyter.hyperparameters import Hyperparameter, Schema
from pai_jupyter.spec import JobType

DataSource: TypeAlias = Literal["OSS", "NAS", "MaxCompute"]
ANY_SOURCE: tuple[DataSource, ...] = ("OSS", "NAS", "MaxCompute")
OutputStorage: TypeAlias = Literal["OSS", "MaxCompute"]
Machine: TypeAlias = Literal["CPU", "GPU"]

_SHORTEST = 4  # characters of a secret that is looked for
_LOGIN = re.compile(
    r"(?P<scheme>(?!(?i:ssh)://)[A-Za-z][\w+.-]*://)(?P<login>[^/@]*(?:@[^/@]*)*)@(?P<rest>.*)", re.DOTALL
)
_SSH_PASSWORD = re.compile(r"(?P<user>(?i:ssh)://[^/@:]*):(?P<password>[^/]*)@(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ComponentInput:
    """An input channel, and from which storages a user may give it data."""

    name: str
    sources: tuple[str, ...] = ANY_SOURCE
    required: bool = True
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class ComponentOutput:
    """An output channel, and the storage to which it goes."""

    name: str
    storage: str = "OSS"
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class TrainingConstraint:
    """The machines that a component accepts; `several_cards` is for GPU machines only."""

    machine: str
    several_machines: bool = True
    several_cards: bool = False


@dataclass(frozen=True, kw_only=True)
class Component:
    """A custom component.

    Args:
        name: unique in the region, for one account.
        version: `x.y.z`.
        command: run by `sh -c` in the working directory of the code, e.g. "python main.py $PAI_USER_ARGS".
        source: where the code is: a directory, its `oss://` address, or the address of a Git repository. A login in it goes
            to `login`.
        branch, commit: of a Git repository; at most one of them, default: its default branch.
        files: code of its own, by path; with a `source` they are added to it, or replace files there.
        parameters: of the types Int, Float, String and Bool.
        constraint: None: any machine.

    Example:
        >>> component = Component(name="iris", command="python main.py $PAI_USER_ARGS", image_uri="pytorch:latest")
        >>> component.version, component.job_type
        ('1.0.0', 'PyTorchJob')
    """

    name: str
    command: str
    image_uri: str | None = None
    version: str = "1.0.0"
    description: str = ""
    version_description: str = ""
    job_type: JobType = "PyTorchJob"
    source: str | None = None
    branch: str | None = None
    commit: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    inputs: tuple[ComponentInput, ...] = ()
    outputs: tuple[ComponentOutput, ...] = ()
    parameters: tuple[Hyperparameter, ...] = ()
    constraint: TrainingConstraint | None = None
    login: str | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        source, login = without_login(str(self.source)) if self.source is not None else (None, None)
        object.__setattr__(self, "source", source)
        if login is not None:
            object.__setattr__(self, "login", login)

    @property
    def title(self) -> str:
        """Name and version, for sentences."""
        return f"{self.name} {self.version}"

    @property
    def schema(self) -> Schema:
        """What checks the values of a run."""
        return Schema(hyperparameters=self.parameters)

    # Any: the types of `workflow`, which is above this package
    def as_component(self, outputs: Sequence[Any] = ()) -> Any:
        """Return it as a component of pipelines that run on this machine; its code is packed now.

        `outputs` are `PipelineParameter`s that the code writes to /ml/output/output_parameters/<name>.

        Raises:
            SpecError, PackageError: it is wrong, or its code is not there.
        """
        make = callbacks.component_maker
        assert make is not None  # set when the package is imported
        return make(self, (), outputs)

    def as_step(self, *given: Any, **named: Any) -> Any:
        """Return a step that runs it, as `as_component().as_step(...)`."""
        return self.as_component().as_step(*given, **named)

    def as_condition_step(self, *given: Any, **named: Any) -> Any:
        """Return a step that runs it under a condition, as `as_component().as_condition_step(...)`."""
        return self.as_component().as_condition_step(*given, **named)

    def as_loop_step(self, *given: Any, **named: Any) -> Any:
        """Return a step that runs it for each item, as `as_component().as_loop_step(...)`."""
        return self.as_component().as_loop_step(*given, **named)


def without_login(address: str) -> tuple[str, str | None]:
    """Split the login off an address: `https://TOKEN@host/r.git` -> `https://host/r.git`, `TOKEN`.

    The user of an ssh address is no secret and stays.
    """
    if found := _LOGIN.fullmatch(address):
        return found["scheme"] + found["rest"], found["login"] or None
    if found := _SSH_PASSWORD.fullmatch(address):
        return f"{found['user']}@{found['rest']}", None
    return address, None


def secret_parts(login: str | None) -> tuple[str, ...]:
    """Return the parts of a login that are long enough to be looked for in texts: the token, or the password."""
    if login is None:
        return ()
    user, colon, password = login.partition(":")
    found = {password if colon and password else user}
    return tuple(each for text in found for each in {text, unquote(text)} if len(each) >= _SHORTEST)


def default_command(script: str, *, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> str:
    """Return PAI's default command: the script, its parameters, and an option for every channel.

    Example:
        >>> default_command("main.py", inputs=("train",), outputs=("model",))
        'python main.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN" --model "$PAI_OUTPUT_MODEL"'
    """
    return contract.default_command(script, options={*inputs, *outputs}, inputs=inputs, outputs=outputs)
