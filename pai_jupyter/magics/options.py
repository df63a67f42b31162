"""The options of `%%pai_train` and `%pai_train`: their declaration, and the value that they add up to."""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

from IPython.core.magic_arguments import argument, argument_group

from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import pairs, seconds
from pai_jupyter.spec import JobType, Json, MetricDefinition

F = TypeVar("F", bound=Callable[..., Any])  # Any: a magic's method, as IPython decorates it


def _decorated(function: F, *decorators: Callable[[F], F]) -> F:
    """`function` with several decorators, the first one outermost, as if they stood above it."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def run_args(function: F) -> F:
    """What to do: run, show the form, only look."""
    return _decorated(
        function,
        argument("name", nargs="?", help="name of the job; made from the notebook and the cell when left out"),
        argument_group("what to do"),
        argument("--run", action="store_true", help="submit now, without the form"),
        argument("--form", action="store_true", help="show the form first (the default in a notebook)"),
        argument("--dry-run", action="store_true", help="check and pack, show what would be run, start nothing"),
        argument("--lint", action="store_true", help="only check the cell"),
        argument("--wait", action="store_true", help="return at the end of the job (the default without a front end)"),
        argument("--no-wait", action="store_true", help="return at once (the default in a notebook)"),
        argument("--force", action="store_true", help="start a second job although the same one is running"),
        argument("--quiet", action="store_true", help="show nothing but errors"),
        argument(
            "--widget", action="store_true", help="show the job as a widget, over the kernel instead of the server"
        ),
        argument("--as", dest="variable", metavar="VAR", help="store the Job under this name (default: _pai)"),
    )


def place_args(function: F) -> F:
    """Where to run, and on what."""
    return _decorated(
        function,
        argument_group("where"),
        argument("--backend", metavar="NAME", help="process, docker, ...; chosen by itself when left out"),
        argument("--image", metavar="REF", help="the image of the container"),
        argument("--instance-type", metavar="TYPE", help="local, local_gpu, or a type of PAI"),
        argument("--instance-count", metavar="N", help="number of replicas"),
        argument("--job-type", metavar="TYPE", help=", ".join(get_args(JobType))),
        argument("--max-time", metavar="TIME", help="end the job after this time: 90s, 30m, 2h"),
        argument("--option", action="append", metavar="BACKEND.KEY=VALUE", help="e.g. docker.memory=4g"),
    )


def data_args(function: F) -> F:
    """What goes in and out."""
    return _decorated(
        function,
        argument_group("data and values"),
        argument("-i", "--input", action="append", metavar="NAME=URI", help="an input channel, e.g. train=./data"),
        argument("-o", "--output", action="append", metavar="NAME=URI", help="where an output channel goes"),
        argument("-p", "--param", action="append", metavar="NAME=VALUE", help="a hyperparameter"),
        argument("--params", metavar="FILE", help="hyperparameters from a JSON file; -p goes over it"),
        argument(
            "--mount-map", action="append", metavar="NAS=DIR", help="where a nas:// or cpfs:// input is mounted here"
        ),
        argument(
            "--odps-limit", metavar="N", help="for local jobs: also the first N rows of odps:// inputs, as data.csv"
        ),
        argument(
            "--metric", action="append", metavar="NAME:REGEX", help="a metric of the log: 'acc:val_acc=([0-9.]+)'"
        ),
    )


def source_args(function: F) -> F:
    """What is packed and run."""
    return _decorated(
        function,
        argument_group("code"),
        argument("--source-dir", metavar="DIR", help="a directory that is packed too"),
        argument("--entry-point", metavar="FILE", help="the script's name in the package (default: train.py)"),
        argument("--include", action="append", metavar="PATH", help="a file or directory that is packed too"),
        argument("--requirements", metavar="auto|none|FILE", help="auto: %%pip lines and requirements.txt (default)"),
        argument("--env", action="append", metavar="K=V", help="an environment variable of the job"),
        argument("--command", metavar="TEXT", help="the command (default: python train.py $PAI_USER_ARGS)"),
    )


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """A magic's line, read. None means "not given": defaults are decided where they are used."""

    name: str | None
    mode: str | None  # run, form, dry_run, lint; None: the default of the front end
    wait: bool | None
    force: bool
    quiet: bool
    widget: bool
    variable: str
    backend: str | None
    image_uri: str | None
    instance_type: str | None
    instance_count: int | None
    job_type: JobType
    max_run_time: int | None
    options: Mapping[str, Json]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    values: Mapping[str, object]
    metric_definitions: tuple[MetricDefinition, ...]
    source_dir: Path | None
    entry_point: str | None
    include: tuple[Path, ...]
    requirements: str
    environments: Mapping[str, str]
    command: str | None

    @classmethod
    def read(cls, given: argparse.Namespace) -> "TrainOptions":
        """Read what the parser left.

        Raises:
            SpecError: one clear sentence about the option that is wrong.
        """
        return cls(
            name=given.name,
            mode=_only_one(given, "run", "form", "dry_run", "lint"),
            wait={None: None, "wait": True, "no_wait": False}[_only_one(given, "wait", "no_wait")],
            force=given.force,
            quiet=given.quiet,
            widget=given.widget,
            variable=_variable(given.variable),
            backend=given.backend,
            image_uri=given.image,
            instance_type=given.instance_type,
            instance_count=_count("--instance-count", given.instance_count, example=2),
            job_type=given.job_type or "PyTorchJob",
            max_run_time=seconds("--max-time", given.max_time) if given.max_time else None,
            options={
                **{n: _json(value) for n, value in pairs("--option", given.option, example="docker.memory=4g").items()},
                **_local_options(given),
            },
            inputs=pairs("-i", given.input, example="train=./data"),
            outputs=pairs("-o", given.output, example="model=./model"),
            values={**_params_file(given.params), **pairs("-p", given.param, example="lr=0.01")},
            metric_definitions=tuple(_metric(text) for text in given.metric or ()),
            source_dir=_directory(given.source_dir),
            entry_point=given.entry_point,
            include=tuple(_present("--include", path) for path in given.include or ()),
            requirements=given.requirements or "auto",
            environments=pairs("--env", given.env, example="OMP_NUM_THREADS=2"),
            command=given.command,
        )


def _only_one(given: argparse.Namespace, *names: str) -> str | None:
    chosen = [name for name in names if getattr(given, name)]
    if len(chosen) > 1:
        spelled = " and ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise SpecError(f"{spelled} exclude each other. Keep one of them.")
    return chosen[0] if chosen else None


def _variable(name: str | None) -> str:
    if name is not None and not name.isidentifier():
        raise SpecError(
            f"`--as {name}` is no name of a variable. Use letters, digits and _, e.g. --as job", field="--as"
        )
    return name or "_pai"


def _count(option: str, text: str | None, *, example: int) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        field = option.removeprefix("--").replace("-", "_")
        raise SpecError(f"`{option} {text}` must be a whole number from 1, e.g. {option} {example}", field=field)
    return int(text)


def _local_options(given: argparse.Namespace) -> dict[str, Json]:
    """What only jobs of this machine understand, whichever backend runs them."""
    mounts = pairs("--mount-map", given.mount_map, example="nas://ID.REGION/path=/local/path")
    found: dict[str, Json] = {}
    if mounts:
        found["local.mount_map"] = {name: str(Path(path).expanduser().absolute()) for name, path in mounts.items()}
    if (limit := _count("--odps-limit", given.odps_limit, example=1000)) is not None:
        found["local.odps_limit"] = limit
    return found


def _json(text: str) -> Json:
    """A number, true or false as such, anything else as text."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text


def _metric(text: str) -> MetricDefinition:
    name, colon, regex = text.partition(":")
    if not colon or not name.strip() or not regex:
        raise SpecError(
            f"`--metric {text}` is not of the form NAME:REGEX, e.g. --metric 'acc:val_acc=([0-9.]+)'", field="--metric"
        )
    return MetricDefinition(name=name.strip(), regex=regex)


def _params_file(name: str | None) -> dict[str, object]:
    if name is None:
        return {}
    path = _present("--params", name)
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as exc:
        raise SpecError(f"`--params {name}` cannot be read as JSON: {exc}", field="--params") from exc
    if not isinstance(values, dict):
        raise SpecError(f'`--params {name}` holds no JSON object. Write {{"lr": 0.01}}.', field="--params")
    return values


def _present(option: str, name: str) -> Path:
    path = Path(name).expanduser()
    if not path.exists():
        raise SpecError(
            f"`{option} {name}`: there is no such file or directory below {Path.cwd().name}/.", field=option
        )
    return path


def _directory(name: str | None) -> Path | None:
    if name is None:
        return None
    path = _present("--source-dir", name)
    if not path.is_dir():
        raise SpecError(
            f"`--source-dir {name}` is a file. Give its directory, and the file with --entry-point.",
            field="--source-dir",
        )
    return path
