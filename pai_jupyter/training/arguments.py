"""The options of `%%pai_train` and `%pai_train` as a table of groups with headings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from pai_jupyter.spec import Compat, JobType


@dataclass(frozen=True, kw_only=True)
class LineArgument:
    """One argument: its names and argparse keywords."""

    names: tuple[str, ...]
    how: Mapping[str, Any] = field(default_factory=dict)  # Any: argparse's own keywords


@dataclass(frozen=True, kw_only=True)
class Group:
    title: str
    arguments: tuple[LineArgument, ...]


def _flag(name: str, text: str) -> LineArgument:
    return LineArgument(names=(name,), how={"action": "store_true", "help": text})


def _value(*names: str, metavar: str, text: str, dest: str | None = None) -> LineArgument:
    return LineArgument(names=names, how={"metavar": metavar, "help": text, **({"dest": dest} if dest else {})})


def _values(*names: str, metavar: str, text: str, dest: str | None = None) -> LineArgument:
    how = {"action": "append", "metavar": metavar, "help": text, **({"dest": dest} if dest else {})}
    return LineArgument(names=names, how=how)


NAME = LineArgument(names=("name",), how={"nargs": "?", "help": "name of the job; leave it out to generate one"})
RUN = Group(
    title="what to do",
    arguments=(
        _flag("--run", "submit now, without the form"),
        _flag("--form", "show the form first (the default in a notebook)"),
        _flag("--dry-run", "check and pack, show what would be run, start nothing"),
        _flag("--lint", "only check the cell"),
        _flag("--wait", "return at the end of the job (the default without a front end)"),
        _value(
            "--max-unknown",
            metavar="TIME",
            text="end the wait when the job cannot be reached for so long (default: 10m)",
        ),
        _flag("--no-wait", "return at once (the default in a notebook)"),
        _flag("--force", "start a second job although the same one is running"),
        _flag("--notify", "send alerts of this job to the webhook, also of the end of a short one"),
        _flag("--no-notify", "send no alerts of this job"),
        _flag("--quiet", "show nothing but errors"),
        _flag("--widget", "show the job as a widget, over the kernel instead of the server"),
        _values("--tag", metavar="TAG", text="a tag of the job, by which lists find it"),
        _value("--as", dest="variable", metavar="VAR", text="store the Job under this name (default: _pai)"),
    ),
)
PLACE = Group(
    title="where",
    arguments=(
        _value("--backend", metavar="NAME", text="process, docker, ...; automatic when left out"),
        _value("--image", metavar="REF", text="the image of the container"),
        _value("--instance-type", metavar="TYPE", text="local, local_gpu, or a type of PAI"),
        _value("--instance-count", metavar="N", text="number of replicas"),
        _value("--job-type", metavar="TYPE", text=", ".join(get_args(JobType))),
        _values(
            "--role",
            metavar="NAME=COUNT[:TYPE]",
            text="replicas of a role of the job type: chief=1, worker=2:ecs.c6.large",
        ),
        _value("--max-time", metavar="TIME", text="end the job after this time: 90s, 30m, 2h"),
        _value(
            "--max-cost", metavar="AMOUNT", text="end the job before it costs more, by your prices.json: 30 or 30CNY"
        ),
        _values("--option", metavar="BACKEND.KEY=VALUE", text="e.g. docker.memory=4g"),
    ),
)
DATA = Group(
    title="data and values",
    arguments=(
        _values("-i", "--input", metavar="NAME=URI", text="an input channel, e.g. train=./data"),
        _values("-o", "--output", metavar="NAME=URI", text="where an output channel goes"),
        _values("-p", "--param", metavar="NAME=VALUE", text="a hyperparameter"),
        _value("--params", metavar="FILE", text="hyperparameters from a JSON file; -p goes over it"),
        _values("--mount-map", metavar="NAS=DIR", text="where a nas:// or cpfs:// input is mounted here"),
        _value(
            "--odps-limit", metavar="N", text="for local jobs: also the first N rows of odps:// inputs, as data.csv"
        ),
        _values("--send", metavar="NAMES", text="variables of the notebook that the cell gets: X_train,y_train"),
        _values(
            "--return", metavar="NAMES", text="variables of the cell for job.returned(): model,history", dest="returns"
        ),
        _values("--metric", metavar="NAME:REGEX", text="a metric of the log: 'acc:val_acc=([0-9.]+)'"),
    ),
)
CODE = Group(
    title="code",
    arguments=(
        _value(
            "--source-dir",
            metavar="DIR",
            text="a directory that is packed too, or oss://BUCKET/DIR/, or a .tar.gz there",
        ),
        _value("--entry-point", metavar="FILE", text="the script's name in the package (default: train.py)"),
        _flag("--only-cell", "take nothing along from other cells of the notebook"),
        _values("--leave-out", metavar="NAME", text="a name that is not taken from other cells: Net, or Net,train"),
        _values("--include", metavar="PATH", text="a file or directory that is packed too"),
        _value("--requirements", metavar="auto|none|FILE", text="auto: %%pip lines and requirements.txt (default)"),
        _values("--env", metavar="K=V", text="an environment variable of the job"),
        _values("--pass-env", metavar="NAME", text="a variable of the kernel that a local job gets; never recorded"),
        _value(
            "--compat",
            metavar="|".join(get_args(Compat)),
            text="code written for this service finds its variables, e.g. SM_MODEL_DIR",
        ),
        _value("--command", metavar="TEXT", text="the command (default: python train.py $PAI_USER_ARGS)"),
    ),
)
GROUPS = (RUN, PLACE, DATA, CODE)
