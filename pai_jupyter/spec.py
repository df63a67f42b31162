"""Define a training job for any backend. Pure values: validated on construction, JSON in and out, no secrets.

Rule 1: names are those of PAI's own Estimator (`command`, `source_dir`, `image_uri`, `instance_type`, ...).
Rule 2: a spec is the request; `JobRef` says where the job is, `events.JobState` its state.
Rule 3: an option of a single backend is named "<backend>.<key>"; that backend rejects unknown keys.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, cast, get_args

from pai_jupyter.errors import SpecError
from pai_jupyter.typed_json import FieldError, Fields, check_depth, line_of, text_of

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Scalar: TypeAlias = Json  # a hyperparameter; lists and dicts travel as JSON text, None means "no value"

JobType = Literal["TFJob", "PyTorchJob", "XGBoostJob", "ElasticBatchJob"]

# How a value becomes command-line arguments of `python train.py`; a name that is not listed becomes `--name value`.
#   flag: the bare `--name` when true, nothing when false (argparse's store_true)
#   no_flag: the bare `--name` when false, nothing when true (store_false)
#   truthy: `--name True`, or `--name ""` when false (to argparse's type=bool any non-empty text is true)
#   switch: `--name` when true, `--no-name` when false (argparse.BooleanOptionalAction)
#   words: `--name` and each item of the list as its own argument (nargs)
#   repeat: `--name ITEM` for each item of the list (action="append")
#   count: `--name` repeated that many times (action="count")
#   dash: `-name value`, for an option without a long name; dash_flag: the bare `-name` when true
#   number: `--name value`; the value is the number as it was typed, and a JSON number in PAI_HPS
#   assigned: no argument; the value was written into the job's copy of the script
ArgumentStyle = Literal[
    "flag", "no_flag", "truthy", "switch", "words", "repeat", "count", "dash", "dash_flag", "number", "assigned"
]

STANDARD_OUTPUTS = ("model", "checkpoints", "tensorboard", "output_parameters")  # of every job
RESERVED_CHANNELS = frozenset({"logs", "output_parameters"})
MAX_INSTANCES = 10_000  # replicas of a job; lists name each of them
MAX_RUN_TIME = 10 * 366 * 24 * 3600  # seconds
MAX_PATTERN = 4_096  # characters of a metric's regex
MAX_SETS = 50  # character sets in a regex: ignoring case, `re` takes 7 ms to compile each
_NAME = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_-]*")
_HYPERPARAMETER = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_.-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def env_name(name: str) -> str:
    """Spell `name` as the tail of an environment variable: `train.lr` -> `TRAIN_LR` (PAI_HPS_*)."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name).upper()


def is_hyperparameter_name(name: str) -> bool:
    """Return whether a job may have a hyperparameter of this name."""
    return _HYPERPARAMETER.fullmatch(name) is not None


@dataclass(frozen=True, kw_only=True)
class Role:
    """One kind of replica of a distributed job, where kinds differ (chief, worker, ps, master, evaluator, AIMaster)."""

    name: str
    instance_count: int = 1
    instance_type: str | None = None
    command: str | None = None
    image_uri: str | None = None


@dataclass(frozen=True, kw_only=True)
class MetricDefinition:
    """A metric read out of log lines: the first group of `regex` is the value (CreateTrainingJob, MetricDefinitions).

    Example:
        >>> MetricDefinition(name="accuracy", regex=r"acc=([0-9.]+)").name
        'accuracy'
    """

    name: str
    regex: str
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class JobRef:
    """All that a backend needs to find a job again, in any process, after any restart."""

    backend: str
    job_id: str
    data: Mapping[str, Json] = field(default_factory=dict)  # the service's own ids; never a secret, never a signed URL

    def to_json(self) -> dict[str, Json]:
        return {"backend": self.backend, "job_id": self.job_id, "data": dict(self.data)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote.

        Raises:
            FieldError: a field is missing or invalid.
        """
        fields = Fields.of(value, "ref")
        data = fields.inside("data")
        check_depth(data.values, data.path)
        return cls(
            backend=fields.line("backend"), job_id=fields.line("job_id"), data=cast(Mapping[str, Json], data.values)
        )


@dataclass(frozen=True, kw_only=True)
class JobSpec:
    """One training job. Channels map names to URIs or local paths; `max_run_time` is in seconds.

    Raises:
        SpecError: with `field` set, if a value is invalid.

    Example:
        >>> spec = JobSpec(name="demo", command="python train.py $PAI_USER_ARGS", hyperparameters={"lr": 0.1})
        >>> spec.instance_type, dict(spec.hyperparameters)
        ('local', {'lr': 0.1})
    """

    name: str
    command: str
    source_dir: Path | str | None = None
    image_uri: str | None = None
    output_path: str | None = None
    instance_type: str = "local"
    instance_count: int = 1
    job_type: JobType = "PyTorchJob"
    roles: tuple[Role, ...] = ()
    hyperparameters: Mapping[str, Scalar] = field(default_factory=dict)
    argument_styles: Mapping[str, ArgumentStyle] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    environments: Mapping[str, str] = field(default_factory=dict, repr=False)  # some are secrets; a repr is printed
    requirements: tuple[str, ...] = ()
    metric_definitions: tuple[MetricDefinition, ...] = ()
    max_run_time: int | None = None
    options: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_text(self)
        _check_counts(self)
        for kind in ("hyperparameters", "inputs", "outputs"):
            _check_names(kind, getattr(self, kind))
        # an output `Model` would get the variable of `model`, which every job has
        _check_names("outputs", dict.fromkeys((*STANDARD_OUTPUTS, "logs", *self.outputs)))
        _check_channels(self)
        _check_environments(self.environments)
        _check_metrics(self.metric_definitions)
        _check_options(self.options)

    @property
    def backend_options(self) -> dict[str, dict[str, Json]]:
        """Return the options by backend: `{"docker": {"memory": "4g"}}`."""
        grouped: dict[str, dict[str, Json]] = {}
        for name, value in self.options.items():
            backend, _, key = name.partition(".")
            grouped.setdefault(backend, {})[key] = value
        return grouped

    def to_json(self) -> dict[str, Json]:
        """Return the fields that differ from the defaults as JSON values; `from_json` gives an equal spec."""
        out: dict[str, Json] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value not in (None, (), {}):
                out[item.name] = _plain(value)
        return out

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote; names of a newer version are ignored.

        Raises:
            FieldError: a field is missing or has the wrong type.
            SpecError: a value is invalid.
        """
        given = Fields.of(value, "spec")
        for kind in ("hyperparameters", "options"):
            check_depth(given.inside(kind).values, f"spec.{kind}")
        lines = {name: given.line(name) for name in ("source_dir", "image_uri", "output_path") if given.has(name)}
        maps = {name: given.texts(name) for name in ("argument_styles", "inputs", "outputs", "environments")}
        for name, style in maps["argument_styles"].items():
            if style not in get_args(ArgumentStyle):
                raise FieldError(f"spec.argument_styles.{name}", f"is none of {', '.join(get_args(ArgumentStyle))}")
        return cls(
            name=given.text("name"),
            command=given.text("command"),
            instance_type=given.line("instance_type", "local"),
            instance_count=given.whole("instance_count", 1, least=1, most=MAX_INSTANCES),
            job_type=cast(JobType, given.line("job_type", "PyTorchJob")),
            roles=tuple(_role(Fields.of(item, path)) for item, path in given.items("roles")),
            hyperparameters=dict(cast(Mapping[str, Scalar], given.inside("hyperparameters").values)),
            requirements=tuple(text_of(item, path) for item, path in given.items("requirements")),
            metric_definitions=tuple(
                _definition(Fields.of(item, path)) for item, path in given.items("metric_definitions")
            ),
            max_run_time=given.whole("max_run_time", least=1) if given.has("max_run_time") else None,
            options=dict(cast(Mapping[str, Json], given.inside("options").values)),
            **cast(dict[str, Any], {**lines, **maps}),  # Any: fields of different types
        )


def _role(given: Fields) -> Role:
    return Role(
        name=given.line("name"),
        instance_count=given.whole("instance_count", 1, least=1, most=MAX_INSTANCES),
        instance_type=given.optional_line("instance_type"),
        command=given.text("command") if given.has("command") else None,
        image_uri=given.optional_line("image_uri"),
    )


def _definition(given: Fields) -> MetricDefinition:
    return MetricDefinition(
        name=line_of(given.text("name"), f"{given.path}.name"),
        regex=given.text("regex"),
        description=given.text("description", ""),
    )


def _plain(value: Any) -> Json:  # Any: a field of a spec
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Role | MetricDefinition):
        return {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) not in (None, "")}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return cast(Json, value)


def _check_text(spec: JobSpec) -> None:
    if not spec.name.strip():
        raise SpecError("the job has no name. Type one after the magic: %%pai_train iris", field="name")
    if re.search(r"[\x00-\x1f/\\]", spec.name) or len(spec.name) > 100:
        raise SpecError(
            f"the name {spec.name[:40]!r} has a slash, a control character or more than 100 characters. "
            "Use letters, digits, - and _.",
            field="name",
        )
    if not spec.command.strip():
        raise SpecError(
            "`command` is empty. Give one, e.g. --command 'python train.py $PAI_USER_ARGS'.", field="command"
        )
    if spec.job_type not in get_args(JobType):
        raise SpecError(
            f"`job_type` is {spec.job_type!r}; it is one of {', '.join(get_args(JobType))}.", field="job_type"
        )


def _check_counts(spec: JobSpec) -> None:
    counts = {
        "instance_count": spec.instance_count,
        **{f"instance_count of role {r.name!r}": r.instance_count for r in spec.roles},
    }
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise SpecError(f"`{name}` is {count!r}; it must be a whole number from 1.", field="instance_count")
    if (total := max(spec.instance_count, sum(role.instance_count for role in spec.roles))) > MAX_INSTANCES:
        raise SpecError(
            f"`instance_count` is {total}; a job has at most {MAX_INSTANCES} instances.", field="instance_count"
        )
    limit = spec.max_run_time
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise SpecError(f"`max_run_time` is {limit!r}; it is in seconds, a whole number from 1.", field="max_run_time")
    if limit is not None and limit > MAX_RUN_TIME:
        raise SpecError(
            f"`max_run_time` is {limit} seconds; it may be {MAX_RUN_TIME}, ten years.", field="max_run_time"
        )


def _check_names(kind: str, values: Mapping[str, object]) -> None:
    """Check names by the rules of PAI's "Create custom components"; no two may become the same environment variable."""
    pattern = _HYPERPARAMETER if kind == "hyperparameters" else _NAME
    allowed = "letters, digits, _ and -" + (" and ." if kind == "hyperparameters" else "")
    seen: dict[str, str] = {}
    for name in values:
        if not isinstance(name, str) or not pattern.fullmatch(name):
            raise SpecError(f"`{kind}` has the name {name!r}; use {allowed}, with no _ in front.", field=kind)
        other = seen.setdefault(env_name(name), name)
        if other != name:
            raise SpecError(
                f"`{kind}` has {other!r} and {name!r}, which become the same variable {env_name(name)}. Rename one of them.",
                field=kind,
            )


def _check_channels(spec: JobSpec) -> None:
    for kind, channels in (("inputs", spec.inputs), ("outputs", spec.outputs)):
        for name, place in channels.items():
            if name in RESERVED_CHANNELS:
                raise SpecError(
                    f"`{kind}` has {name!r}, a name that every job uses itself. Choose another.", field=kind
                )
            if not isinstance(place, str) or not place.strip():
                raise SpecError(f"`{kind}` has no place for {name!r}. Give a path or a URI: {name}=./data", field=kind)


def _check_environments(environments: Mapping[str, str]) -> None:
    for name, value in environments.items():
        if not _VARIABLE.fullmatch(name):
            raise SpecError(f"`environments` has the name {name!r}; use letters, digits and _.", field="environments")
        if not isinstance(value, str) or "\0" in value:
            what = "text with a NUL" if isinstance(value, str) else type(value).__name__  # the value may be a secret
            raise SpecError(f"`environments` gives {name} {what}; the value must be text.", field="environments")


def _check_metrics(definitions: tuple[MetricDefinition, ...]) -> None:
    for metric in definitions:
        if len(metric.regex) > MAX_PATTERN or ("(?" in metric.regex and metric.regex.count("[") > MAX_SETS):
            raise SpecError(
                f"the regex of metric {metric.name[:64]!r} is too long. Use a shorter one, of at most {MAX_PATTERN} characters.",
                field="metric_definitions",
            )
        try:
            groups = re.compile(metric.regex).groups
        except (re.error, ArithmeticError, RecursionError) as exc:
            raise SpecError(
                f"the regex of metric {metric.name!r} is wrong: {exc}. E.g. --metric 'acc:val_acc=([0-9.]+)'",
                field="metric_definitions",
            ) from exc
        if groups < 1:
            raise SpecError(
                f"the regex of metric {metric.name!r} has no group for the value. E.g. --metric 'acc:val_acc=([0-9.]+)'",
                field="metric_definitions",
            )


def _check_options(options: Mapping[str, Json]) -> None:
    for name in options:
        if not re.fullmatch(r"[a-z]\w*\.\w[\w.]*", name):
            raise SpecError(f"option {name!r} is not of the form BACKEND.KEY, e.g. docker.memory=4g", field="options")
