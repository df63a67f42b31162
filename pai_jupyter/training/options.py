"""The parsed options of a magic's line. The form and the panel set the same fields."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, cast, get_args

from pai_jupyter import contract
from pai_jupyter.backends import option_example
from pai_jupyter.config import refuse_secret_texts
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Compat, JobType, Json, MetricDefinition, Role
from pai_jupyter.storage.opening import scheme_of
from pai_jupyter.store import AnnotationChange, Annotations
from pai_jupyter.training.values import amount, count, expanded, names, pairs, present, seconds, variable

DEFAULT_VARIABLE = "_pai"  # of the kernel, for a job without --as


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """The options of a magic's line. None = not given; defaults are decided where they are used.

    Relative paths start at `base`; the empty path is the working directory.
    """

    name: str | None
    mode: str | None  # run, form, dry_run, lint; None: the default of the front end
    wait: bool | None
    max_unknown: int | None  # seconds
    force: bool
    quiet: bool
    widget: bool
    variable: str
    backend: str | None
    image_uri: str | None
    instance_type: str | None
    instance_count: int | None
    job_type: JobType | None
    max_run_time: int | None
    compat: Compat | None
    options: Mapping[str, Json]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    values: Mapping[str, object]
    metric_definitions: tuple[MetricDefinition, ...]
    source_dir: Path | str | None  # a local directory or an address
    entry_point: str | None
    include: tuple[Path, ...]
    requirements: str
    environments: Mapping[str, str]
    command: str | None
    only_cell: bool = False
    leave_out: tuple[str, ...] = ()  # names that are not taken from other cells
    base: Path = Path()
    sends: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    notify: bool | None = None  # whether alerts are sent; None: as the settings say
    max_cost: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def directory(self) -> Path | None:
        """`source_dir` if it is a local directory."""
        return self.source_dir if isinstance(self.source_dir, Path) else None

    def given(self) -> dict[str, Json]:
        """Return the requested backend, image, instances, inputs and variables, which are recorded for clones."""
        asked = {
            "backend": self.backend,
            "image": self.image_uri,
            "instance_type": self.instance_type,
            "instance_count": self.instance_count,
            "send": ",".join(self.sends) or None,
            "return": ",".join(self.returns) or None,
        }
        return {**{name: value for name, value in asked.items() if value is not None}, "inputs": {**self.inputs}}

    def passing(self, names: Sequence[str]) -> Self:
        """Return these options with `--pass-env` for more `names`."""
        given = self.options.get("local.pass_env")
        every: list[Json] = [*(given if isinstance(given, list) else []), *names]
        return (
            replace(self, options={**self.options, "local.pass_env": list(dict.fromkeys(map(str, every)))})
            if every
            else self
        )

    @classmethod
    def read(cls, given: argparse.Namespace, *, base: Path = Path()) -> "TrainOptions":
        """Convert the parser's result.

        Raises:
            SpecError: an option is invalid.
        """
        instance_count = count("--instance-count", given.instance_count, example=2)
        roles = tuple(contract.read_role(text) for text in given.role or ())
        contract.check_asked(roles, given.job_type, instance_count)
        return cls(
            name=given.name,
            mode=_only_one(given, "run", "form", "dry_run", "lint"),
            wait={None: None, "wait": True, "no_wait": False}[_only_one(given, "wait", "no_wait")],
            max_unknown=seconds("--max-unknown", given.max_unknown) if given.max_unknown else None,
            force=given.force,
            notify={None: None, "notify": True, "no_notify": False}[_only_one(given, "notify", "no_notify")],
            quiet=given.quiet,
            widget=given.widget,
            variable=variable(given.variable or DEFAULT_VARIABLE),
            backend=given.backend,
            image_uri=given.image,
            instance_type=given.instance_type,
            instance_count=None if roles else instance_count,
            job_type=given.job_type,
            max_run_time=seconds("--max-time", given.max_time) if given.max_time else None,
            compat=_compat(given.compat),
            options={
                **{n: _json(value) for n, value in pairs("--option", given.option, example=option_example()).items()},
                **_local_options(given, base),
            },
            inputs=pairs("-i", given.input, example="train=./data"),
            outputs=pairs("-o", given.output, example="model=./model"),
            values={**_params_file(given.params, base), **pairs("-p", given.param, example="lr=0.01")},
            metric_definitions=tuple(_metric(text) for text in given.metric or ()),
            source_dir=_directory(given.source_dir, base),
            entry_point=given.entry_point,
            include=tuple(present("--include", path, base) for path in given.include or ()),
            requirements=given.requirements or "auto",
            environments=pairs("--env", given.env, example="OMP_NUM_THREADS=2"),
            command=given.command,
            only_cell=given.only_cell,
            leave_out=tuple(dict.fromkeys(name for text in given.leave_out or () for name in _names(text))),
            base=base,
            sends=names("--send", given.send),
            returns=names("--return", given.returns),
            roles=roles,
            max_cost=amount("--max-cost", given.max_cost),
            tags=_tags(given.tag or ()),
        )


def _only_one(given: argparse.Namespace, *names: str) -> str | None:
    chosen = [name for name in names if getattr(given, name)]
    if len(chosen) > 1:
        spelled = " and ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise SpecError(f"{spelled} exclude each other. Keep one of them.")
    return chosen[0] if chosen else None


def _compat(name: str | None) -> Compat | None:
    if name is not None and name not in get_args(Compat):
        raise SpecError(
            f"`--compat {name}` is not a service that is known here. Use {', '.join(get_args(Compat))}.",
            field="--compat",
        )
    return cast(Compat | None, name)


def _local_options(given: argparse.Namespace, base: Path) -> dict[str, Json]:
    """Return the options that only local jobs understand, for every local backend."""
    mounts = pairs("--mount-map", given.mount_map, example="nas://ID.REGION/path=/local/path")
    found: dict[str, Json] = {}
    if mounts:
        places = {name: expanded("--mount-map", path, base).absolute() for name, path in mounts.items()}
        found["local.mount_map"] = {name: str(path) for name, path in places.items()}
    if given.pass_env:
        found["local.pass_env"] = list(dict.fromkeys(given.pass_env))
    if (limit := count("--odps-limit", given.odps_limit, example=1000)) is not None:
        found["local.odps_limit"] = limit
    return found


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if not name.isidentifier():
            raise SpecError(
                f"`--leave-out {text}`: {name!r} is no name of a variable. Write e.g. --leave-out Net,train",
                field="--leave-out",
            )
    return names


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Check tags before anything is started."""
    change = AnnotationChange(add=tuple(tags))
    refuse_secret_texts(change.texts())
    return Annotations().changed(change).tags


def _json(text: str) -> Json:
    """Parse a number, true or false; return any other text as it is."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | int | float) else text


def _metric(text: str) -> MetricDefinition:
    name, colon, regex = text.partition(":")
    if not colon or not name.strip() or not regex:
        raise SpecError(
            f"`--metric {text}` is not of the form NAME:REGEX, e.g. --metric 'acc:val_acc=([0-9.]+)'", field="--metric"
        )
    return MetricDefinition(name=name.strip(), regex=regex)


def _params_file(name: str | None, base: Path) -> dict[str, object]:
    if name is None:
        return {}
    path = present("--params", name, base)
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as exc:
        raise SpecError(f"`--params {name}` cannot be read as JSON: {exc}", field="--params") from exc
    if not isinstance(values, dict):
        raise SpecError(f'`--params {name}` holds no JSON object. Write {{"lr": 0.01}}.', field="--params")
    return values


def _directory(name: str | None, base: Path) -> Path | str | None:
    if name is None or scheme_of(name):
        return name  # the backend decides which addresses it accepts
    path = present("--source-dir", name, base)
    if not path.is_dir():
        raise SpecError(
            f"`--source-dir {name}` is a file. Give its directory, and the file with --entry-point.",
            field="--source-dir",
        )
    return path
