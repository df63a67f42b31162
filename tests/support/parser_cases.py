"""Scripts in the manner of each library for command lines, values for them, the words to send, and what comes out.

What comes out was verified with the libraries themselves: click 8.5.1, typer 0.29.2, fire 0.7.1, tyro 1.0.17,
simple-parsing 0.1.9, draccus 0.11.6, absl-py 2.5.1, hydra-core 1.3.8, omegaconf 2.3.1, jsonargparse 4.53.0, docopt 0.6.2,
transformers 5.23.0.
`tests/hyperparameters/readers/test_libraries.py` asks those that are installed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pai_jupyter.spec import Json


@dataclass(frozen=True, kw_only=True)
class ParserCase:
    """One script with values; `result` is what it prints, as JSON. `files` lie beside it."""

    library: str
    name: str
    script: str
    values: Mapping[str, Json]
    words: tuple[str, ...]
    result: Json
    files: Mapping[str, str] = field(default_factory=dict)


def _cases(
    library: str,
    script: str,
    *cases: tuple[str, Mapping[str, Json], str, Json],
    files: Mapping[str, str] = MappingProxyType({}),
) -> list[ParserCase]:
    return [
        ParserCase(
            library=library,
            name=name,
            script=script,
            values=values,
            words=tuple(words.split()),
            result=result,
            files=files,
        )
        for name, values, words, result in cases
    ]


CLICK = """
import click, json
@click.command()
@click.argument("data")
@click.option("--batch-size", "-b", default=64)
@click.option("--lr", type=click.FloatRange(0, 1), default=0.1, help="rate")
@click.option("--opt", type=click.Choice(["adam", "sgd"]), default="adam")
@click.option("--amp", is_flag=True)
@click.option("--aug/--no-aug", default=True)
@click.option("--fast", type=bool, default=False)
@click.option("--size", nargs=2, type=int, default=(1, 2))
@click.option("--tag", multiple=True)
def main(**given):
    print(json.dumps(given))
main()
"""
_CLICK: dict[str, Json] = {
    "data": "d",
    "batch_size": 64,
    "lr": 0.1,
    "opt": "adam",
    "amp": False,
    "aug": True,
    "fast": False,
    "size": [1, 2],
    "tag": [],
}

CLICK_GROUP = """
import click, json
@click.group()
@click.option("--seed", type=int, default=1)
def cli(seed):
    print(seed, end=" ")
@cli.command()
@click.option("--lr", type=float, default=0.1)
def train(lr):
    print(json.dumps(lr))
@cli.command("eval")
@click.option("--split", default="test")
def evaluate(split):
    print(json.dumps(split))
cli()
"""

TYPER = """
import typer, json, enum
from typing import Annotated, Optional
from pathlib import Path
app = typer.Typer()
class Opt(str, enum.Enum):
    ADAM = "adam"
    SGD = "sgd"
@app.command()
def main(
    data: Path,
    learning_rate: float = 0.1,
    batch_size: int = typer.Option(64, "--bs", help="of a step"),
    opt: Opt = Opt.ADAM,
    amp: bool = False,
    quiet: bool = typer.Option(False, "--quiet"),
    layers: Annotated[list[int], typer.Option()] = [64],
    name: Annotated[Optional[str], typer.Option(min=1)] = None,
    size: tuple[int, int] = (1, 2),
):
    given = dict(locals(), data=str(data), opt=opt.value)
    print(json.dumps(given))
app()
"""
_TYPER: dict[str, Json] = {
    "data": "d", "learning_rate": 0.1, "batch_size": 64, "opt": "adam", "amp": False, "quiet": False, "layers": [64],
    "name": None, "size": [1, 2],
}  # fmt: skip
_TYPER_WORDS = "--learning-rate {} --bs {} --opt adam --no-amp --layers 64 --size 1 2"

TYPER_COMMANDS = """
import typer, json
app = typer.Typer()
@app.command()
def fit_model(lr: float = 0.1):
    print(json.dumps(["fit", lr]))
@app.command()
def predict(lr: float = 0.5, top_k: int = 3):
    print(json.dumps(["predict", lr, top_k]))
app()
"""

FIRE = """
import fire, json
def train(lr=0.1, amp=False, name="a", layers=(1, 2), *, batch_size: int = 3, resume=None):
    print(json.dumps([lr, amp, name, layers, batch_size, resume]))
if __name__ == "__main__":
    fire.Fire(train)
"""
_FIRE = "--lr={} --amp={} --name={} --layers=[1,2] --batch_size=3"

FIRE_CLASS = """
import fire, json
class Trainer:
    def __init__(self, lr: float = 0.1, seed=1):
        self.lr = lr
        self.seed = seed
    def fit(self, epochs=3):
        print(json.dumps(["fit", self.lr, self.seed, epochs]))
    def test(self, split: str = "val"):
        print(json.dumps(["test", self.lr, split]))
fire.Fire(Trainer)
"""

FIRE_DICT = """
import fire, json
def train(lr=0.1): print(json.dumps(["train", lr]))
def evaluate(path): print(json.dumps(["eval", path]))
fire.Fire({"train": train, "eval": evaluate})
"""

ABSL = """
import json
from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_float("lr", 0.1, "rate")
flags.DEFINE_integer("batch_size", 64, "size", lower_bound=1)
flags.DEFINE_bool("amp", True, "half precision")
flags.DEFINE_boolean("debug", False, "more")
flags.DEFINE_string("name", None, "of the run", short_name="n")
flags.DEFINE_enum("opt", "adam", ["adam", "sgd"], "which")
flags.DEFINE_list("layers", ["64", "32"], "widths")
flags.DEFINE_multi_integer("steps", [1], "when")
def main(_):
    print(json.dumps({k: FLAGS[k].value for k in ("lr", "batch_size", "amp", "debug", "name", "opt", "layers", "steps")}))
app.run(main)
"""
_ABSL: dict[str, Json] = {
    "lr": 0.1, "batch_size": 64, "amp": True, "debug": False, "name": None, "opt": "adam", "layers": ["64", "32"],
    "steps": [1],
}  # fmt: skip
_ABSL_WORDS = "--lr {} --batch_size 64 {} {} --opt adam --layers={}"

TYRO = """
import tyro, json, enum
from dataclasses import dataclass, field, asdict
from typing import Literal, Optional
class Opt(enum.Enum):
    ADAM = "adam"
    SGD = "sgd"
@dataclass
class Optim:
    lr: float = 0.1
    nesterov: bool = True
@dataclass
class Args:
    data: str
    optim: Optim = field(default_factory=lambda: Optim(lr=0.5))
    amp: bool = False
    batch_size: int = 64
    \"\"\"of a step\"\"\"
    kind: Literal["a", "b"] = "a"
    opt: Opt = Opt.ADAM
    layers: tuple[int, ...] = (64, 32)
    name: Optional[str] = None
    fast: bool | None = None
args = asdict(tyro.cli(Args))
print(json.dumps({**args, "opt": args["opt"].value}))
"""
_TYRO: dict[str, Json] = {
    "data": "d", "optim": {"lr": 0.5, "nesterov": True}, "amp": False, "batch_size": 64, "kind": "a", "opt": "adam",
    "layers": [64, 32], "name": None, "fast": None,
}  # fmt: skip
_TYRO_WORDS = "--optim.lr 0.5 {} {} --batch_size {} --kind a --opt {} --layers 64 32{} --data d"

TYRO_FUNCTION = """
import tyro, json
def main(lr: float, epochs: int = 3, amp: bool = True) -> None:
    print(json.dumps([lr, epochs, amp]))
tyro.cli(main)
"""

TYRO_COMMANDS = """
import tyro, json
from dataclasses import dataclass, asdict
@dataclass
class TrainArgs:
    lr: float = 0.1
@dataclass
class Evaluate:
    split: str = "test"
print(json.dumps(asdict(tyro.cli(TrainArgs | Evaluate))))
"""

SIMPLE = """
import json
from dataclasses import dataclass, asdict, field
from typing import Optional
from simple_parsing import ArgumentParser, choice
@dataclass
class Model:
    depth: int = 3
@dataclass
class Options:
    lr: float = 0.1  # learning rate
    amp: bool = False
    aug: bool = True
    opt: str = choice("adam", "sgd", default="adam")
    layers: list[int] = field(default_factory=lambda: [64, 32])
    model: Model = field(default_factory=Model)
    name: Optional[str] = None
parser = ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_arguments(Options, dest="options")
args = parser.parse_args()
print(json.dumps({"seed": args.seed, **asdict(args.options)}))
"""
_SIMPLE: dict[str, Json] = {
    "seed": 1, "lr": 0.1, "amp": False, "aug": True, "opt": "adam", "layers": [64, 32], "model": {"depth": 3}, "name": None,
}  # fmt: skip
_SIMPLE_WORDS = "--depth {} --lr {} --amp {} --aug {} --opt {} --layers {} --seed 1"

DRACCUS = """
import draccus, json
from dataclasses import dataclass, asdict, field
from typing import Optional
@dataclass
class Optim:
    lr: float = 0.1
@dataclass
class Config:
    optim: Optim = field(default_factory=Optim)
    amp: bool = True
    layers: list[int] = field(default_factory=lambda: [1])
    name: Optional[str] = None
    tag: str = "x"
@draccus.wrap()
def main(cfg: Config):
    print(json.dumps(asdict(cfg)))
main()
"""
_DRACCUS: dict[str, Json] = {"optim": {"lr": 0.1}, "amp": True, "layers": [1], "name": None, "tag": "x"}

HYDRA = """
import hydra, json
from omegaconf import OmegaConf
@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    print(json.dumps(OmegaConf.to_container(cfg)))
main()
"""
_HYDRA_FILES = {
    "conf/config.yaml": """
# what to train
defaults:
  - model: small
  - _self_

lr: 1e-3   # rate
amp: true
name: null
layers: [64, 32]
optim:
  kind: adam
  steps:
    - 1
    - 2
""",
    "conf/model/small.yaml": "depth: 3\nname: 'small'\n",
    "conf/model/large.yaml": "depth: 9\nname: large\n",
}
_HYDRA: dict[str, Json] = {
    "model": {"depth": 3, "name": "small"}, "lr": 0.001, "amp": True, "name": None, "layers": [64, 32],
    "optim": {"kind": "adam", "steps": [1, 2]},
}  # fmt: skip

HYDRA_CLASS = """
import hydra, json
from dataclasses import dataclass, field
from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, OmegaConf
@dataclass
class Optim:
    lr: float = 0.1
@dataclass
class Config:
    optim: Optim = field(default_factory=Optim)
    epochs: int = 3
    name: str = "x"
ConfigStore.instance().store(name="config", node=Config)
@hydra.main(version_base=None, config_name="config")
def main(cfg: Config) -> None:
    print(json.dumps(OmegaConf.to_container(cfg)))
main()
"""

OMEGACONF = """
import json
from omegaconf import OmegaConf
cfg = OmegaConf.merge(OmegaConf.load("config.yaml"), OmegaConf.create({"seed": 1}), OmegaConf.from_cli())
print(json.dumps(OmegaConf.to_container(cfg, resolve=True)))
"""

NANOGPT = """
import json
out_dir = "out"
learning_rate = 6e-4
batch_size = 12
compile = True
gradient_accumulation_steps = 5 * 8
config_keys = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, (int, float, bool, str))]
exec(open("configurator.py").read())
print(json.dumps({k: globals()[k] for k in config_keys}))
"""
_CONFIGURATOR = """
import sys
from ast import literal_eval
for word in sys.argv[1:]:
    assert word.startswith("--")
    key, value = word.split("=")
    key = key[2:]
    if key not in globals():
        raise ValueError(key)
    try:
        attempt = literal_eval(value)
    except (SyntaxError, ValueError):
        attempt = value
    assert type(attempt) == type(globals()[key])
    globals()[key] = attempt
"""
_NANOGPT: dict[str, Json] = {
    "out_dir": "out", "learning_rate": 6e-4, "batch_size": 12, "compile": True, "gradient_accumulation_steps": 40,
}  # fmt: skip

JSONARGPARSE = """
import json
from dataclasses import dataclass, asdict
from typing import Optional
from jsonargparse import CLI
@dataclass
class Optim:
    lr: float = 0.1
def main(optim: Optim, amp: bool = True, layers: list[int] = [1], name: Optional[str] = None, tag: str = "x"):
    print(json.dumps([asdict(optim), amp, layers, name, tag]))
CLI(main)
"""

JSONARGPARSE_COMMANDS = """
import json
from jsonargparse import CLI
def train(lr: float = 0.1): print(json.dumps(["train", lr]))
def test(split: str = "val"): print(json.dumps(["test", split]))
CLI([train, test])
"""

DOCOPT = """
\"\"\"Train.

Usage:
  train.py <data> [options]

Options:
  -h --help            Show this.
  -l --lr=<rate>       Learning rate [default: 0.1].
  --batch-size=<n>     Size [default: 64].
  --name NAME          Of the run.
  --amp                Half precision.
\"\"\"
import json
from docopt import docopt
print(json.dumps(docopt(__doc__)))
"""
_DOCOPT: dict[str, Json] = {
    "<data>": "d", "--help": False, "--lr": "0.1", "--batch-size": "64", "--name": None, "--amp": False,
}  # fmt: skip

TRANSFORMERS = """
import enum, json
from dataclasses import dataclass, field, asdict
from typing import List, Literal, Optional
from transformers import HfArgumentParser
class Schedule(str, enum.Enum):
    LINEAR = "linear"
    COSINE = "cosine"
@dataclass
class ModelArguments:
    model: str = field(metadata={"help": "which model"})
    use_fast: bool = field(default=True)
    amp: bool = False
    lr: Optional[float] = None
    layers: List[int] = field(default_factory=lambda: [1, 2])
    kind: Literal["a", "b"] = "a"
    schedule: Schedule = Schedule.LINEAR
@dataclass
class DataArguments:
    max_length: int = 128
model, data = HfArgumentParser((ModelArguments, DataArguments)).parse_args_into_dataclasses()
print(json.dumps({**asdict(model), **asdict(data)}))
"""
_TRANSFORMERS: dict[str, Json] = {
    "model": "x", "use_fast": True, "amp": False, "lr": None, "layers": [1, 2], "kind": "a", "schedule": "linear",
    "max_length": 128,
}  # fmt: skip

ARGPARSE = """
import argparse, json
p = argparse.ArgumentParser()
p.add_argument("data")
p.add_argument("epochs", type=int, nargs="?", default=3)
p.add_argument("--layers", type=int, nargs="+", default=[1])
p.add_argument("--amp", action="store_true")
print(json.dumps(vars(p.parse_args())))
"""
ARGPARSE_LIST = """
import argparse, json
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("sizes", type=int, nargs="*")
print(json.dumps(vars(p.parse_args())))
"""
ARGPARSE_COMMANDS = """
import argparse, json
def add_data(parser, default):
    parser.add_argument("--data", default=default)
common = argparse.ArgumentParser(add_help=False)
common.add_argument("--batch-size", type=int, default=8)
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
commands = parser.add_subparsers(dest="mode", required=True)
train = commands.add_parser("train", parents=[common])
group = train.add_argument_group("optimizer")
group.add_argument("--lr", type=float, default=0.1)
test = commands.add_parser("test", parents=[common])
test.add_argument("checkpoint")
test.add_argument("--lr", type=float, default=0.5)
add_data(train, "a")
add_data(test, "a")
export = commands.add_parser("export")
export.add_argument("--half", action="store_true")
print(json.dumps(vars(parser.parse_args())))
"""

PARSER_CASES: list[ParserCase] = [
    *_cases(
        "click",
        CLICK,
        ("defaults", {"data": "d"}, "d --batch-size 64 --lr 0.1 --opt adam --aug --fast False --size 1 2", _CLICK),
        (
            "by the parameter's name",
            {"data": "d", "batch_size": "32"},
            "d --batch-size 32 --lr 0.1 --opt adam --aug --fast False --size 1 2",
            {**_CLICK, "batch_size": 32},
        ),
        (
            "flags and truth values",
            {"data": "d", "amp": "yes", "aug": "no", "fast": "true"},
            "d --batch-size 64 --lr 0.1 --opt adam --amp --no-aug --fast True --size 1 2",
            {**_CLICK, "amp": True, "aug": False, "fast": True},
        ),
        (
            "several words",
            {"data": "-d", "size": "[3, 4]", "tag": '["a", "-b"]'},
            "--batch-size 64 --lr 0.1 --opt adam --aug --fast False --size 3 4 --tag a --tag=-b -- -d",
            {**_CLICK, "data": "-d", "size": [3, 4], "tag": ["a", "-b"]},
        ),
    ),
    *_cases(
        "click",
        CLICK_GROUP,
        ("subcommand", {"command": "train", "lr": "0.5"}, "--seed 1 train --lr 0.5", 0.5),
        ("another subcommand", {"command": "eval", "seed": 3}, "--seed 3 eval --split test", "test"),
    ),
    *_cases(
        "typer",
        TYPER,
        ("defaults", {"data": "d"}, f"d {_TYPER_WORDS.format(0.1, 64)}", _TYPER),
        (
            "by the parameter's name",
            {"data": "d", "learning_rate": "1", "batch_size": "8"},
            f"d {_TYPER_WORDS.format(1.0, 8)}",
            {**_TYPER, "learning_rate": 1.0, "batch_size": 8},
        ),
        (
            "flags, choices and lists",
            {"data": "d", "amp": "1", "quiet": "1", "opt": "sgd", "layers": "[1, 2]", "size": "[5, 6]", "name": "x"},
            "d --learning-rate 0.1 --bs 64 --opt sgd --amp --quiet --layers 1 --layers 2 --name x --size 5 6",
            {**_TYPER, "opt": "sgd", "amp": True, "quiet": True, "layers": [1, 2], "name": "x", "size": [5, 6]},
        ),
    ),
    *_cases(
        "typer",
        TYPER_COMMANDS,
        ("subcommand", {"command": "fit-model", "lr": "0.5"}, "fit-model --lr 0.5", ["fit", 0.5]),
        (
            "other subcommand",
            {"command": "predict", "lr": "0.25", "top_k": "5"},
            "predict --lr 0.25 --top-k 5",
            ["predict", 0.25, 5],
        ),
    ),
    *_cases(
        "fire",
        FIRE,
        ("defaults", {}, _FIRE.format(0.1, False, "a"), [0.1, False, "a", [1, 2], 3, None]),
        (
            "false is false",
            {"amp": "false", "lr": "1"},
            _FIRE.format(1.0, False, "a"),
            [1.0, False, "a", [1, 2], 3, None],
        ),
        ("true", {"amp": "true"}, _FIRE.format(0.1, True, "a"), [0.1, True, "a", [1, 2], 3, None]),
        (
            "text that looks like a number",
            {"name": "1e3"},
            _FIRE.format(0.1, False, "'1e3'"),
            [0.1, False, "1e3", [1, 2], 3, None],
        ),
        (
            "no known type",
            {"resume": "a=b"},
            _FIRE.format(0.1, False, "a") + r" --resume='a\x3db'",
            [0.1, False, "a", [1, 2], 3, "a=b"],
        ),
    ),
    *_cases(
        "fire",
        FIRE_CLASS,
        ("method", {"command": "fit", "epochs": "5"}, "--lr=0.1 --seed=1 fit --epochs=5", ["fit", 0.1, 1, 5]),
        ("other method", {"command": "test", "lr": "2"}, "--lr=2.0 --seed=1 test --split=val", ["test", 2.0, "val"]),
    ),
    *_cases(
        "fire",
        FIRE_DICT,
        ("entry", {"command": "train", "lr": "2"}, "train --lr=2.0", ["train", 2.0]),
        ("parameter without a default", {"command": "eval", "path": "-x"}, "eval --path='-x'", ["eval", "-x"]),
    ),
    *_cases(
        "absl",
        ABSL,
        ("defaults", {}, _ABSL_WORDS.format(0.1, "--amp", "--nodebug", "64,32"), _ABSL),
        (
            "false is false",
            {"amp": "false"},
            _ABSL_WORDS.format(0.1, "--noamp", "--nodebug", "64,32"),
            {**_ABSL, "amp": False},
        ),
        (
            "true, list with a comma, several",
            {"debug": True, "layers": ["a,b", "c"], "steps": [2, 3], "name": "-x"},
            _ABSL_WORDS.format(0.1, "--amp", "--debug", '"a,b",c').replace("--opt", "--name=-x --opt")
            + " --steps 2 --steps 3",
            {**_ABSL, "debug": True, "layers": ["a,b", "c"], "steps": [2, 3], "name": "-x"},
        ),
    ),
    *_cases(
        "tyro",
        TYRO,
        ("defaults", {"data": "d"}, _TYRO_WORDS.format("--optim.nesterov", "--no-amp", 64, "ADAM", ""), _TYRO),
        (
            "truth values, within too",
            {"data": "d", "amp": True, "optim.nesterov": "false", "fast": "false"},
            _TYRO_WORDS.format("--optim.no-nesterov", "--amp", 64, "ADAM", " --fast False"),
            {**_TYRO, "amp": True, "optim": {"lr": 0.5, "nesterov": False}, "fast": False},
        ),
        (
            "choices",
            {"data": "d", "batch_size": 8, "opt": "SGD"},
            _TYRO_WORDS.format("--optim.nesterov", "--no-amp", 8, "SGD", ""),
            {**_TYRO, "batch_size": 8, "opt": "sgd"},
        ),
    ),
    *_cases(
        "tyro",
        TYRO_FUNCTION,
        ("function", {"lr": "1", "amp": "no"}, "--lr 1.0 --epochs 3 --no-amp", [1.0, 3, False]),
    ),
    *_cases(
        "tyro",
        TYRO_COMMANDS,
        ("subcommand", {"command": "train-args", "lr": "1"}, "train-args --lr 1.0", {"lr": 1.0}),
        ("other subcommand", {"command": "evaluate"}, "evaluate --split test", {"split": "test"}),
    ),
    *_cases(
        "simple-parsing",
        SIMPLE,
        ("defaults", {}, _SIMPLE_WORDS.format(3, 0.1, False, True, "adam", "64 32"), _SIMPLE),
        (
            "truth values, choices and lists",
            {"amp": "true", "aug": "false", "opt": "sgd", "layers": "[1]", "depth": "5"},
            _SIMPLE_WORDS.format(5, 0.1, True, False, "sgd", "1"),
            {**_SIMPLE, "amp": True, "aug": False, "opt": "sgd", "layers": [1], "model": {"depth": 5}},
        ),
    ),
    *_cases(
        "draccus",
        DRACCUS,
        ("defaults are its own", {}, "", _DRACCUS),
        (
            "changed",
            {"optim.lr": "1", "amp": "false", "layers": "[2, 3]"},
            "--optim.lr=1.0 --amp=false --layers=[2,3]",
            {**_DRACCUS, "optim": {"lr": 1.0}, "amp": False, "layers": [2, 3]},
        ),
        (
            "texts",
            {"name": "010", "tag": "1e-3"},
            '--name="010" --tag="1e-3"',
            {**_DRACCUS, "name": "010", "tag": "1e-3"},
        ),
    ),
    *_cases(
        "hydra",
        HYDRA,
        ("defaults are its own", {}, "", _HYDRA),
        (
            "changed",
            {"lr": "1", "amp": "false", "layers": "[1]", "optim.kind": "sgd", "optim.steps": "[3]", "name": "run"},
            "lr=1.0 amp=false name=run layers=[1] optim.kind=sgd optim.steps=[3]",
            {**_HYDRA, "lr": 1.0, "amp": False, "layers": [1], "optim": {"kind": "sgd", "steps": [3]}, "name": "run"},
        ),
        (
            "another file of a group",
            {"model": "large", "model.depth": "4"},
            "model=large model.depth=4",
            {**_HYDRA, "model": {"depth": 4, "name": "large"}},
        ),
        (
            "text that is no number",
            {"optim.kind": "1e3"},
            'optim.kind="1e3"',
            {**_HYDRA, "optim": {"kind": "1e3", "steps": [1, 2]}},
        ),
        files=_HYDRA_FILES,
    ),
    *_cases(
        "hydra",
        HYDRA_CLASS,
        (
            "dataclass",
            {"optim.lr": 1, "name": "true"},
            'optim.lr=1.0 name="true"',
            {"optim": {"lr": 1.0}, "epochs": 3, "name": "true"},
        ),
    ),
    *_cases(
        "omegaconf",
        OMEGACONF,
        ("defaults are its own", {}, "", {"lr": 0.1, "model": {"name": "a"}, "seed": 1}),
        (
            "changed",
            {"lr": "0.5", "model.name": "010", "seed": "2", "new": "x"},
            'lr=0.5 model.name="010" seed=2 new=x',
            {"lr": 0.5, "model": {"name": "010"}, "seed": 2, "new": "x"},
        ),
        files={"config.yaml": "lr: 0.1\nmodel:\n  name: a\n"},
    ),
    *_cases(
        "nanogpt",
        NANOGPT,
        ("defaults are its own", {}, "", _NANOGPT),
        (
            "changed",
            {"learning_rate": "1", "compile": "no", "out_dir": "a=1", "gradient_accumulation_steps": "4"},
            r"--out_dir='a\x3d1' --learning_rate=1.0 --compile=False --gradient_accumulation_steps=4",
            {**_NANOGPT, "learning_rate": 1.0, "compile": False, "out_dir": "a=1", "gradient_accumulation_steps": 4},
        ),
        files={"configurator.py": _CONFIGURATOR},
    ),
    *_cases(
        "jsonargparse",
        JSONARGPARSE,
        ("defaults are its own", {}, "", [{"lr": 0.1}, True, [1], None, "x"]),
        (
            "changed",
            {"optim.lr": "1", "amp": "no", "layers": "[2]", "name": "1e3", "tag": "010"},
            "--optim.lr 1.0 --amp False --layers [2] --name 1e3 --tag 010",
            [{"lr": 1.0}, False, [2], "1e3", "010"],
        ),
    ),
    *_cases(
        "jsonargparse",
        JSONARGPARSE_COMMANDS,
        ("subcommand", {"command": "train", "lr": "2"}, "train --lr 2.0", ["train", 2.0]),
        ("other subcommand", {"command": "test", "split": "a"}, "test --split a", ["test", "a"]),
    ),
    *_cases(
        "docopt",
        DOCOPT,
        ("defaults", {"data": "d"}, "d --lr 0.1 --batch-size 64", _DOCOPT),
        (
            "changed",
            {"data": "d", "lr": "1e-3", "amp": "true", "name": "-x"},
            "d --lr 1e-3 --batch-size 64 --name=-x --amp",
            {**_DOCOPT, "--lr": "1e-3", "--amp": True, "--name": "-x"},
        ),
    ),
    *_cases(
        "transformers",
        TRANSFORMERS,
        (
            "defaults",
            {"model": "x"},
            "--use_fast True --amp False --layers 1 2 --kind a --schedule linear --max_length 128 --model x",
            _TRANSFORMERS,
        ),
        (
            "truth values, lists and choices",
            {"model": "x", "use_fast": "no", "amp": "yes", "lr": "1e-3", "layers": "[3]", "schedule": "cosine"},
            "--use_fast False --amp True --lr 0.001 --layers 3 --kind a --schedule cosine --max_length 128 --model x",
            {**_TRANSFORMERS, "use_fast": False, "amp": True, "lr": 0.001, "layers": [3], "schedule": "cosine"},
        ),
    ),
    *_cases(
        "argparse",
        ARGPARSE,
        ("positional", {"data": "d"}, "d 3 --layers 1", {"data": "d", "epochs": 3, "layers": [1], "amp": False}),
        (
            "positional before several words",
            {"data": "d", "epochs": "5", "layers": "[1, 2]", "amp": "1"},
            "d 5 --layers 1 2 --amp",
            {"data": "d", "epochs": 5, "layers": [1, 2], "amp": True},
        ),
        (
            "positional that looks like an option",
            {"data": "--d"},
            "--layers 1 -- --d 3",
            {"data": "--d", "epochs": 3, "layers": [1], "amp": False},
        ),
    ),
    *_cases(
        "argparse",
        ARGPARSE_LIST,
        ("no word", {}, "--lr 0.1", {"lr": 0.1, "sizes": []}),
        ("several words", {"sizes": "[3, 4]"}, "3 4 --lr 0.1", {"lr": 0.1, "sizes": [3, 4]}),
    ),
    *_cases(
        "argparse",
        ARGPARSE_COMMANDS,
        (
            "subcommand with its parent's options",
            {"mode": "train", "lr": "1", "data": "x"},
            "--seed 1 train --data x --batch-size 8 --lr 1.0",
            {"seed": 1, "mode": "train", "batch_size": 8, "lr": 1.0, "data": "x"},
        ),
        (
            "subcommand with a positional argument",
            {"mode": "test", "checkpoint": "c", "seed": 2},
            "--seed 2 test c --batch-size 8",
            {"seed": 2, "mode": "test", "batch_size": 8, "checkpoint": "c", "lr": 0.5, "data": "a"},
        ),
        (
            "subcommand with nothing of the others",
            {"mode": "export", "half": "yes"},
            "--seed 1 export --half",
            {"seed": 1, "mode": "export", "half": True},
        ),
    ),
]
