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

Compat = Literal["sagemaker", "azureml", "vertex"]  # services whose variables a job gets, for code written for them
JobType = Literal["TFJob", "PyTorchJob", "XGBoostJob", "ElasticBatchJob", "TaskRoles"]
SERVICE_TYPES: tuple[JobType, ...] = ("TFJob", "PyTorchJob", "XGBoostJob", "ElasticBatchJob")  # that PAI runs

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
#   inner_switch: `--optim.amp`, or `--optim.no-amp` when false (tyro)
#   no_prefix: `--amp`, or `--noamp` when false (absl, tf.flags)
#   glued: `--name=value`, for an option that accepts no other form
#   commas: `--name=a,b` for a list (absl)
#   literal: `--name=VALUE` as a Python literal (fire, nanoGPT); yaml: as YAML (draccus)
#   dotlist: `name=VALUE` as OmegaConf reads it; hydra: as Hydra does; override: the text as it was typed
#   positional: the value alone, before the options, for an argument without a name
#   command: the value alone; what follows in the spec is passed to that subcommand
#   assigned: no argument; the value was written into the job's copy of the script
ArgumentStyle = Literal[
    "flag",
    "no_flag",
    "truthy",
    "switch",
    "inner_switch",
    "no_prefix",
    "words",
    "repeat",
    "glued",
    "commas",
    "count",
    "dash",
    "dash_flag",
    "number",
    "literal",
    "yaml",
    "dotlist",
    "hydra",
    "override",
    "positional",
    "command",
    "assigned",
]

STANDARD_OUTPUTS = ("model", "checkpoints", "tensorboard", "output_parameters")  # of every job
_OF_EVERY_JOB = frozenset({"logs", "output_parameters"})
RESERVED_CHANNELS = _OF_EVERY_JOB | {"workdir", "returned"}  # a service's job may name these, a user's may not
OF_THE_SERVICE = "aimaster"  # the role that a service runs itself
MAX_INSTANCES = 10_000  # replicas of a job; lists name each of them
MAX_RUN_TIME = 10 * 366 * 24 * 3600  # seconds
_MOST_PORTS = 65_535
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
    """One kind of replica of a distributed job, where kinds differ (chief, worker, ps, master, evaluator, AIMaster).

    Only a job of the type TaskRoles has what stands below `image_uri`. Memory is in megabytes; `ports` are numbers of ports by
    label. With more than `tolerated_failures` the job fails, with `sufficient_successes` (0: no number is) it succeeds.

    Example:
        >>> from pai_jupyter import JobSpec
        >>> roles = (Role(name="chief"), Role(name="worker", instance_count=2, instance_type="local"))
        >>> JobSpec(name="demo", command="true", job_type="TFJob", roles=roles).total_instances
        3
    """

    name: str
    instance_count: int = 1
    instance_type: str | None = None
    command: str | None = None
    image_uri: str | None = None
    cpus: int | None = None
    memory: int | None = None
    shared_memory: int | None = None
    gpus: int | None = None
    ports: Mapping[str, int] = field(default_factory=dict, hash=False)
    tolerated_failures: int = 0
    sufficient_successes: int = 0


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

    `max_cost`: the most that the job may cost, "30" or "30CNY"; it needs a price, and becomes a time limit.

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
    job_type: JobType | None = None  # None: nobody asked for one (`effective_job_type`)
    roles: tuple[Role, ...] = ()
    hyperparameters: Mapping[str, Scalar] = field(default_factory=dict)
    argument_styles: Mapping[str, ArgumentStyle] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    environments: Mapping[str, str] = field(default_factory=dict, repr=False)  # some are secrets; a repr is printed
    requirements: tuple[str, ...] = ()
    metric_definitions: tuple[MetricDefinition, ...] = ()
    max_run_time: int | None = None
    max_cost: str | None = None
    compat: Compat | None = None
    options: Mapping[str, Json] = field(default_factory=dict)
    returns: tuple[str, ...] = ()  # variables of the script that its end writes into the channel `returned`

    def __post_init__(self) -> None:
        if self.max_cost is not None:
            object.__setattr__(self, "max_cost", str(self.max_cost))  # 30 means "30"
        _check_text(self)
        _check_compat(self.compat)
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
    def effective_job_type(self) -> JobType:
        """The type by which replicas are arranged and a service is asked: PyTorchJob where none was asked for."""
        return self.job_type or "PyTorchJob"

    @property
    def total_instances(self) -> int:
        """The number of machines, of all roles together; an AIMaster is the service's own."""
        own = (role.instance_count for role in self.roles if role.name.lower() != OF_THE_SERVICE)
        return sum(own) or self.instance_count

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
        names = ("source_dir", "image_uri", "output_path", "max_cost")
        lines = {name: given.line(name) for name in names if given.has(name)}
        maps = {name: given.texts(name) for name in ("argument_styles", "inputs", "outputs", "environments")}
        for name, style in maps["argument_styles"].items():
            if style not in get_args(ArgumentStyle):
                raise FieldError(f"spec.argument_styles.{name}", f"is none of {', '.join(get_args(ArgumentStyle))}")
        return cls(
            name=given.text("name"),
            command=given.text("command"),
            instance_type=given.line("instance_type", "local"),
            instance_count=given.whole("instance_count", 1, least=1, most=MAX_INSTANCES),
            job_type=cast(JobType, given.line("job_type")) if given.has("job_type") else None,
            roles=tuple(_role(Fields.of(item, path)) for item, path in given.items("roles")),
            hyperparameters=dict(cast(Mapping[str, Scalar], given.inside("hyperparameters").values)),
            requirements=tuple(text_of(item, path) for item, path in given.items("requirements")),
            metric_definitions=tuple(
                _definition(Fields.of(item, path)) for item, path in given.items("metric_definitions")
            ),
            max_run_time=given.whole("max_run_time", least=1) if given.has("max_run_time") else None,
            compat=_compat(given),
            options=dict(cast(Mapping[str, Json], given.inside("options").values)),
            returns=tuple(line_of(text_of(item, path), path) for item, path in given.items("returns")),
            **cast(dict[str, Any], {**lines, **maps}),  # Any: fields of different types
        )


def _compat(given: Fields) -> Compat | None:
    name = given.line("compat") if given.has("compat") else None
    return cast(Compat, name) if name in get_args(Compat) else None  # one of a newer version is not known here


def _role(given: Fields) -> Role:
    return Role(
        name=given.line("name"),
        instance_count=given.whole("instance_count", 1, least=1, most=MAX_INSTANCES),
        instance_type=given.optional_line("instance_type"),
        command=given.text("command") if given.has("command") else None,
        image_uri=given.optional_line("image_uri"),
        cpus=given.whole("cpus") if given.has("cpus") else None,
        memory=given.whole("memory") if given.has("memory") else None,
        shared_memory=given.whole("shared_memory") if given.has("shared_memory") else None,
        gpus=given.whole("gpus") if given.has("gpus") else None,
        ports={label: given.inside("ports").whole(label, most=_MOST_PORTS) for label in given.inside("ports").values},
        tolerated_failures=given.whole("tolerated_failures", 0, most=MAX_INSTANCES),
        sufficient_successes=given.whole("sufficient_successes", 0, most=MAX_INSTANCES),
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
        given = {f.name: getattr(value, f.name) for f in fields(value)}
        return {name: dict(each) if isinstance(each, Mapping) else each for name, each in given.items() if each}
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
    if spec.job_type is not None and spec.job_type not in get_args(JobType):
        raise SpecError(
            f"`job_type` is {spec.job_type!r}; it is one of {', '.join(get_args(JobType))}.", field="job_type"
        )


def _check_compat(name: str | None) -> None:
    """Reject an unknown service.

    Raises:
        SpecError: it is none of those known.
    """
    if name is not None and name not in get_args(Compat):
        raise SpecError(f"`compat` is {name!r}; it is one of {', '.join(get_args(Compat))}.", field="compat")


def check_role(role: Role) -> None:
    """Check the fields of a role that count replicas; its type of job checks what roles there are.

    Raises:
        SpecError: it is no `Role`, has no name, or its count is no whole number from 1.
    """
    if not isinstance(role, Role):
        raise SpecError(
            f"`roles` has {role!r:.100}, which is no `Role`. Give e.g. Role(name='worker', instance_count=2)",
            field="roles",
        )
    if not isinstance(role.name, str) or not role.name.strip():
        raise SpecError(
            f"a role has the name {role.name!r:.100}. Give e.g. Role(name='worker', instance_count=2)", field="roles"
        )
    _check_count(f"instance_count of role {role.name!r}", role.instance_count)


def _check_count(name: str, count: object) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise SpecError(f"`{name}` is {count!r}; it must be a whole number from 1.", field="instance_count")


def _check_counts(spec: JobSpec) -> None:
    _check_count("instance_count", spec.instance_count)
    for role in spec.roles:
        check_role(role)
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
    if spec.max_cost is not None:
        from pai_jupyter.money import read_amount  # late, with `decimal`: few jobs have one

        read_amount(spec.max_cost)


def _check_names(kind: str, values: Mapping[str, object]) -> None:
    """Check names by the rules of PAI's "Create custom components"; no two channels may become the same variable.

    Two hyperparameters may: a parser can have `--save-model` beside `--save_model`, and their arguments differ.
    """
    pattern = _HYPERPARAMETER if kind == "hyperparameters" else _NAME
    allowed = "letters, digits, _ and -" + (" and ." if kind == "hyperparameters" else "")
    seen: dict[str, str] = {}
    for name in values:
        if not isinstance(name, str) or not pattern.fullmatch(name):
            raise SpecError(f"`{kind}` has the name {name!r}; use {allowed}, with no _ in front.", field=kind)
        other = seen.setdefault(env_name(name), name)
        if other != name and kind != "hyperparameters":
            raise SpecError(
                f"`{kind}` has {other!r} and {name!r}, which become the same variable {env_name(name)}. Rename one of them.",
                field=kind,
            )


def _check_channels(spec: JobSpec) -> None:
    for kind, channels in (("inputs", spec.inputs), ("outputs", spec.outputs)):
        for name, place in channels.items():
            if name in _OF_EVERY_JOB:
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
