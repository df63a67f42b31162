"""What a run does: a graph of steps as plain values, JSON in and out (`plan` in run.json, written once).

Texts may hold references, spelled as in PAIFlow manifests:

    {{inputs.parameters.NAME}}                    {{inputs.artifacts.NAME}}                     of the graph the step is in
    {{pipelines.STEP.outputs.parameters.NAME}}    {{pipelines.STEP.outputs.artifacts.NAME}}     of a step beside it
    {{item}}                                                                                    of the step's own loop

Rule 1: a value is either literal or a template (`Argument`). Only templates have references, so that text which looks like one
    stays text. A template that is one reference and nothing else has the value itself, with its type; others are text.
Rule 2: a body is built into a job only when its step starts, from values that are known by then (`JobBuilder`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from pai_jupyter.spec import JobSpec, Json

ParameterType: TypeAlias = Literal["Int", "Double", "String", "Bool", "Map", "Array"]


@dataclass(frozen=True, kw_only=True)
class Argument:
    """A value given to an input of a step: literal, or a template with references."""

    value: Json
    is_template: bool = False


@dataclass(frozen=True, kw_only=True)
class DeclaredParameter:
    """A parameter that a graph or a job body has. `feasible`: PAI's range, e.g. "(0, 1]"; `choices`: nothing else is accepted."""

    name: str
    type: ParameterType = "String"
    default: Json = None
    required: bool = False
    feasible: str | None = None
    choices: tuple[Json, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DeclaredArtifact:
    """An artifact that a graph or a job body has. Its value is a place: `oss://...` or a local path; a list if `repeated`.

    `kind`: what it is, e.g. "DataSet OSS"; "" for anything.
    """

    name: str
    required: bool = False
    repeated: bool = False
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class JobBody:
    """What becomes a job. `builder`: "module:name" of a `JobBuilder`; `data` is its own; `digest`: equal for equal code."""

    builder: str
    data: Mapping[str, Json]
    title: str
    digest: str
    parameters: tuple[DeclaredParameter, ...] = ()
    artifacts: tuple[DeclaredArtifact, ...] = ()
    output_parameters: tuple[DeclaredParameter, ...] = ()
    output_artifacts: tuple[DeclaredArtifact, ...] = ()

    @cached_property
    def code(self) -> tuple[str, str]:
        """What two bodies with the same code have in common."""
        return self.builder, self.digest


@dataclass(frozen=True, kw_only=True)
class Loop:
    """One execution of the body for each item: `items` (literal list, or a template whose value is a list), or start to end."""

    items: Argument | None = None
    start: Argument | None = None
    end: Argument | None = None  # not included
    parallelism: int = 5


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step. `depends` names steps of the same graph, those of its references and its condition included."""

    name: str
    body: "JobBody | Graph"
    parameters: Mapping[str, Argument] = field(default_factory=dict)  # by name of the body's input
    artifacts: Mapping[str, Argument] = field(default_factory=dict)
    depends: tuple[str, ...] = ()
    condition: str | None = None  # as text, see `condition.py`
    loop: Loop | None = None
    retries: int = 0
    cache: bool = False


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A pipeline: steps with unique names, in any order. `outputs` are templates."""

    steps: tuple[Step, ...]
    title: str = ""
    parameters: tuple[DeclaredParameter, ...] = ()
    artifacts: tuple[DeclaredArtifact, ...] = ()
    output_parameters: Mapping[str, Argument] = field(default_factory=dict)
    output_artifacts: Mapping[str, Argument] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The whole of a run: the graph, the values of its inputs, and how it is driven.

    `parallel`: jobs at the same time by place ("local", "remote"). `secrets`: names of environment variables that steps need
    and that are in the driver's environment only.
    """

    name: str
    graph: Graph
    parameters: Mapping[str, Json] = field(default_factory=dict)
    artifacts: Mapping[str, Json] = field(default_factory=dict)
    fail_fast: bool = False
    parallel: Mapping[str, int] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Given:
    """The values with which a body becomes a job: checked and typed, references resolved."""

    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]

    @property
    def values(self) -> dict[str, Json]:
        """All by name: no two inputs of a body have the same."""
        return {**self.parameters, **self.artifacts}


@dataclass(frozen=True, kw_only=True)
class JobRequest:
    """A job to start: its spec, its backend, and its packed code (`package`: a tar.gz of the run's folder; None: no code).

    `changed`: files in the place of those of the same name in the package, in this job alone. `artifacts`: where its output
    artifacts will be. `is_remote`: counts against the limit of remote jobs.
    """

    spec: JobSpec
    backend: str
    place: str  # backend with the reason of its choice, as JobRecord.place
    package: Path | None = None
    changed: Mapping[str, bytes] = field(default_factory=dict)
    artifacts: Mapping[str, Json] = field(default_factory=dict)
    is_remote: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What a step gives to others: typed parameters, and the places of its artifacts."""

    parameters: Mapping[str, Json] = field(default_factory=dict)
    artifacts: Mapping[str, Json] = field(default_factory=dict)


class JobBuilder(Protocol):
    """Turn a body into a job and read what the job gave. Both run in the driver, in a thread, and may block.

    Raises (both):
        PaiJupyterError: with the sentence that the step fails with.
    """

    def prepare(
        self, body: JobBody, given: Given, *, job_id: str, run_folder: Path, environment: Mapping[str, str]
    ) -> JobRequest: ...

    def collect(self, body: JobBody, given: Given, *, job_id: str, run_folder: Path) -> Outputs: ...
