"""A value that the script does not declare: refused with the nearest name, unless something may take it.

Each script is run with `lrr=0.3`. False refusals are worse than slips that pass: in doubt, a value is let through.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.hyperparameters.known_modules import is_known_module
from pai_jupyter.jobs import Script, passes_args, read_script_file
from pai_jupyter.spec import JobSpec

ARGPARSE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
"""
HP = "lr = 0.1  # hp: [1e-5..1] log\n"

NOTHING_READS_IT = {
    "cell with a comment": HP + "print(f'loss={lr}')",
    "cell with annotations": "lr: float = 0.1\nepochs: int = 3\nfor epoch in range(epochs):\n    print(lr)",
    "cell with a dict": "hp = {'lr': 0.1, 'epochs': 3}\nprint(hp['lr'])",
    "argparse": ARGPARSE + "args = parser.parse_args()\nprint(args.lr)",
    "argparse from sys.argv": ARGPARSE + "import sys\nargs = parser.parse_args(sys.argv[1:])",
    "argparse in a function": """
import argparse

def parse(argv=None):
    parser = argparse.ArgumentParser()
    group = parser.add_argument_group("training")
    group.add_argument("--lr", type=float, default=0.1)
    return parser.parse_args(argv)

if __name__ == "__main__":
    print(parse().lr)
""",
    "argparse that a notebook has fixed": ARGPARSE + "args = parser.parse_args([])",
    "own function for options": """
import argparse

def add_model_args(parser):
    parser.add_argument("--lr", type=float)

p = argparse.ArgumentParser()
add_model_args(p)
p.parse_args()
""",
    "sklearn": HP
    + """
import os
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split

data = pd.read_csv(os.environ["PAI_INPUT_TRAIN"])
model = GradientBoostingClassifier(learning_rate=lr).fit(data.drop(columns="y"), data["y"])
os.makedirs(os.environ.get("PAI_OUTPUT_MODEL", "/ml/output/model"), exist_ok=True)
""",
    "torch": HP
    + """
import os, json, math, random, time, logging
from pathlib import Path
from dataclasses import dataclass
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from torchvision import datasets, transforms
from tqdm import tqdm

RANK = int(os.environ.get("RANK", 0))
os.environ["OMP_NUM_THREADS"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.update(MASTER_ADDR="localhost")
IS_JOB = "PAI_WORKING_DIR" in os.environ
out = Path(os.getenv("PAI_OUTPUT_MODEL", "."))

def place(channel):
    return os.environ[f"PAI_INPUT_{channel.upper()}"]

def eval(model, loader):
    model.eval()

model = nn.Linear(2, 1)
model.eval()
eval(model, None)
re = __import__ if False else None
""".replace("re = __import__ if False else None\n", ""),
    "xgboost": HP + "import xgboost as xgb\nxgb.train({'eta': lr}, None)",
    "keras": HP + "import tensorflow as tf\nfrom tensorflow import keras\nkeras.optimizers.Adam(lr)",
    "transformers": HP + "from transformers import AutoModel, Trainer, TrainingArguments\nTrainingArguments(lr=lr)",
    "wandb": HP + "import wandb\nwandb.init(config={'lr': lr})",
    "nothing at all": "print('hello')",
    "typer": "import typer\ndef main(lr: float = 0.1): ...\ntyper.run(main)",
    "click": "import click\n@click.command()\n@click.option('--lr', default=0.1)\ndef main(lr): ...\nmain()",
    "fire": "import fire\ndef train(lr=0.1): ...\nfire.Fire(train)",
    "places of /ml that hold no values": HP
    + "open('/ml/input/data/train/a.csv')\nopen('/ml/output/model/a', 'w')\nx = '/mlx'",
    "argparse in a decorated function": "@cache\ndef parse():\n"
    + "    ".join(ARGPARSE.splitlines(keepends=True))
    + "    return parser.parse_args()",
    "a word in another word": HP + "max_argvs = 1\nclimate = 2\nplatform_flags = 3",
}

SOMETHING_MAY_READ_IT = {
    "json file": HP + "import json\nhp = json.load(open('/ml/input/config/hyperparameters.json'))",
    "json file by PAI_CONFIG_DIR": HP + "import os\nplace = os.environ['PAI_CONFIG_DIR']",
    "json file in pieces": HP
    + "from pathlib import Path\np = Path('/ml') / 'input' / 'config' / 'hyperparameters.json'",
    "all files of /ml": HP + "from pathlib import Path\nfor p in Path('/ml').rglob('*.json'): print(p)",
    "training job": HP + "open('/ml/input/config/training_job.json')",
    "one variable": HP + "import os\nx = float(os.environ['PAI_HPS_LRR'])",
    "all values in a variable": HP + "import os, json\nhp = json.loads(os.environ['PAI_HPS'])",
    "variable made while it runs": HP
    + "import os\nfor name in 'lrr', 'x': print(os.environ[f'PAI_HPS_{name.upper()}'])",
    "beginning of a variable": HP
    + "import os\nP = 'PAI_'\nprint({k: v for k, v in os.environ.items() if k.startswith(P)})",
    "variable by a name": HP + "import os\ndef get(n):\n    return os.getenv(n)",
    "variable by parts": HP + "import os\nprint(os.environ['PAI_' + kind])",
    "environ renamed": HP + "from os import environ as e\nprint(e[name])",
    "whole environment": HP + "import os\nenv = dict(os.environ)",
    "user args": HP + "import os, shlex\nprint(shlex.split(os.environ['PAI_USER_ARGS']))",
    "sys.argv": HP + "import sys\nprint(sys.argv)",
    "sys.argv by a name": HP + "from sys import argv\nprint(argv)",
    "sys.argv handed on": HP + "import sys\ndef main(words): ...\nmain(sys.argv[1:])",
    "sys.argv without the last": ARGPARSE + "import sys\nparser.parse_args(sys.argv[1:-2])",
    "sys.argv renamed": HP + "import sys as s\nprint(getattr(s, 'argv'))",
    "getopt": HP + "import getopt",
    "optparse": HP + "from optparse import OptionParser\nOptionParser().parse_args()",
    "parse_known_args": ARGPARSE + "args, rest = parser.parse_known_args()",
    "argparse with a name in a loop": ARGPARSE
    + "for name in NAMES:\n    parser.add_argument(f'--{name}')\nparser.parse_args()",
    "argparse with a name of a variable": ARGPARSE
    + "parser.add_argument(name, type=float)\nargs = parser.parse_args()",
    "argparse with names of a list": ARGPARSE + "parser.add_argument(*names)\nargs = parser.parse_args()",
    "argparse that others parse": ARGPARSE + "run(parser)",
    "argparse with more of a module": "from options import add_options\n"
    + ARGPARSE
    + "add_options(parser)\nparser.parse_args()",
    "argparse of a library": ARGPARSE
    + "import deepspeed\nparser = deepspeed.add_config_arguments(parser)\nargs = parser.parse_args()",
    "argparse of a known library": ARGPARSE
    + "import pytorch_lightning as pl\nparser = pl.Trainer.add_argparse_args(parser)\nargs = parser.parse_args()",
    "parser of its own": """
import argparse
class Parser(argparse.ArgumentParser):
    def parse_args(self, args=None, namespace=None):
        return self.parse_known_args(args, namespace)[0]
Parser().parse_args()
""",
    "parser that lets all pass": """
from argparse import ArgumentParser
class Lenient(ArgumentParser):
    def error(self, message): pass
p = Lenient()
p.add_argument("--lr", type=float)
p.parse_args()
""",
    "click": """
import click

@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--lr", default=0.1)
@click.argument("rest", nargs=-1)
def main(lr, rest): ...

main()
""",
    "fire": "import fire\n\ndef train(lr=0.1, **kwargs):\n    print(lr, kwargs)\n\nif __name__ == '__main__':\n    fire.Fire(train)",
    "typer with more commands elsewhere": "import typer, other_commands\napp = typer.Typer()\napp.add_typer(other_commands.app)",
    "tyro": """
import dataclasses, tyro

@dataclasses.dataclass
class Config:
    lr: float = 0.1
    lrr: float = 0.1

config = tyro.cli(Config)
""",
    "HfArgumentParser": """
from dataclasses import dataclass, field
from transformers import HfArgumentParser, TrainingArguments

@dataclass
class ModelArguments:
    lrr: float = field(default=0.1)

args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
""",
    "TrlParser": "from trl import TrlParser, SFTConfig\nTrlParser(SFTConfig).parse_args_and_config()",
    "simple-parsing": """
from dataclasses import dataclass
from simple_parsing import ArgumentParser

@dataclass
class Options:
    lrr: float = 0.1

parser = ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_arguments(Options, dest="options")
args = parser.parse_args()
""",
    "tap": "from tap import Tap\nclass Args(Tap):\n    lrr: float = 0.1\nargs = Args().parse_args()",
    "jsonargparse": "from jsonargparse import ArgumentParser\np = ArgumentParser()\np.add_class_arguments(M)\np.parse_args()",
    "configargparse": "import configargparse\np = configargparse.ArgParser()\np.add_argument('--lr')\np.parse_args()",
    "absl": """
from absl import app, flags
flags.DEFINE_float("lrr", 0.1, "rate")
FLAGS = flags.FLAGS
def main(_):
    print(FLAGS.lrr)
app.run(main)
""",
    "flags of TensorFlow": "import tensorflow as tf\ntf.compat.v1.flags.DEFINE_float('lrr', 0.1, '')\ntf.compat.v1.app.run()",
    "hydra": """
import hydra
from omegaconf import DictConfig

@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig): ...

main()
""",
    "OmegaConf": "from omegaconf import OmegaConf\ncfg = OmegaConf.from_cli()",
    "LightningCLI": "from lightning.pytorch.cli import LightningCLI\nLightningCLI(Model, Data)",
    "docopt": 'from docopt import docopt\ndocopt("Usage: train.py [--lrr=<x>]")',
    "a library that nobody knows": HP + "import our_company_ml\nour_company_ml.main()",
    "a library in a function": HP + "def main():\n    from our_company_ml import run\n    run()",
    "a module beside it": HP + "from .model import Net",
    "a module found while it runs": HP + "import importlib\nimportlib.import_module('model').main()",
    "a directory for modules": HP + "import sys\nsys.path.append('lib')\nimport random",
    "another script": HP + "import runpy\nrunpy.run_path('other.py')",
    "text that is run": HP + "exec(open('other.py').read())",
    "another program": HP + "import subprocess\nsubprocess.run(['sh', 'run.sh'], check=True)",
    "another program by os": HP + "import os\nos.system('sh run.sh')",
    "this program by the system": HP + "print(open('/proc/self/cmdline').read())",
    "another program later on": HP + "import asyncio\nasyncio.run(asyncio.create_subprocess_shell('sh run.sh'))",
    "another program by a name of its own": HP + "import os\nrun = os.system\nrun('sh run.sh')",
    "another program by an imported name": HP + "from os import popen\nprint(popen('sh run.sh').read())",
    "another program by a name of another one": HP + "from os import system as s\ns('sh run.sh')",
    "text that is run by its full name": HP + "import builtins\nbuiltins.exec(open('other.py').read())",
    "starter of a known library": HP + "from torch.distributed.run import main\nmain()",
    "flags by another name": "import tensorflow as tf\nf = tf.compat.v1.app.flags\nf.DEFINE_float('lrr', 0.1, '')",
    "words as they came": HP + "import sys\nprint(sys.orig_argv)",
    "environment by its name": HP + "import os\nprint(getattr(os, 'environ')[name])",
    "environment in a decorator": HP + "import os\n@configured(os.environ[name])\ndef main():\n    pass",
    "variables in a text": HP + "import os, yaml\nyaml.safe_load(os.path.expandvars(open('c.yaml').read()))",
    "settings of pydantic": "from pydantic import BaseSettings\nclass S(BaseSettings):\n    lrr: float = 0.1",
    "files of /ml by a pattern": HP + "import glob\nprint(glob.glob('/ml/**/*.json', recursive=True))",
    "files of /ml by parts": HP + "print(open(f'/ml/input/{kind}/{name}.json').read())",
    "argparse by a name of its own": ARGPARSE + "add = parser.add_argument\nadd('--lrr')\nparser.parse_args()",
    "argparse by a partial": """
import argparse
from functools import partial
parser = argparse.ArgumentParser()
number = partial(parser.add_argument, type=float)
number("--lrr", default=0.1)
args = parser.parse_args()
""",
    "argparse of words that the script makes": ARGPARSE + "import os\nparser.parse_args(os.environ['WORDS'].split())",
    "argparse that takes the rest": ARGPARSE
    + "parser.add_argument('rest', nargs=argparse.REMAINDER)\nparser.parse_args()",
    "parser by another name": """
from argparse import ArgumentParser as Base
class Lenient(Base):
    def error(self, message): pass
p = Lenient()
p.add_argument("--lr", type=float)
p.parse_args()
""",
    "parser that may fail": ARGPARSE
    + """
import os
try:
    args = parser.parse_args()
except SystemExit:
    args = parser.parse_args([])
print(os.environ.get("PAI_HPS_LRR"))
""",
    "a cell's magic": HP + "get_ipython().run_line_magic('run', 'other.py')",
}


@pytest.mark.parametrize("script", NOTHING_READS_IT)
def test_value_that_nothing_reads_is_refused(script: str) -> None:
    errors = read_schema(NOTHING_READS_IT[script]).errors({"lrr": "0.3"})
    assert list(errors) == ["lrr"]
    assert "`lrr` is no" in errors["lrr"]
    assert ("Did you mean `lr`?" in errors["lrr"]) is (script != "nothing at all")


@pytest.mark.parametrize("script", SOMETHING_MAY_READ_IT)
def test_value_that_something_may_read_is_let_through(script: str) -> None:
    schema = read_schema(SOMETHING_MAY_READ_IT[script])
    assert schema.errors({"lrr": "0.3"}) == {}
    assert str(schema.validate({"lrr": "0.3"})["lrr"]) == "0.3"  # docopt gives text


@pytest.mark.parametrize("script", NOTHING_READS_IT)
def test_declared_values_are_let_through(script: str) -> None:
    assert read_schema(NOTHING_READS_IT[script]).errors({}) == {}
    if script != "nothing at all":
        assert read_schema(NOTHING_READS_IT[script]).errors({"lr": "0.3"}) == {}


@pytest.mark.parametrize(
    ("source", "values", "words"),
    [
        (HP, {"lrr": 1}, "`lrr` is not declared by the script, and nothing in it reads it. Did you mean `lr`?"),
        (
            HP,
            {"momentum": "1e-3"},
            "It has lr. To use `momentum`, write `momentum: float = 0.001` on a line of its own",
        ),
        ("print(1)", {"a-b": 1}, "It has no hyperparameters. To use `a-b`, write `a_b: int = 1` on a line of its own"),
        ("print(1)", {"x": [1]}, "write `x: list = [1]` on a line of its own at the top level of the script."),
        (HP, {"LR": 1}, "`LR` is spelled `lr` in the script."),
        ("p.add_argument('--learning-rate', '--lr')\np.parse_args([])", {"lrr": 1}, "Did you mean `lr`?"),
    ],
)
def test_refusal_names_the_nearest(source: str, values: Mapping[str, object], words: str) -> None:
    with pytest.raises(SpecError, match="script") as caught:
        read_schema(source).validate(values)
    assert words in str(caught.value)
    assert caught.value.field == next(iter(values))


MAIN = 'if __name__ == "__main__":'
PARSING = "p.add_argument('--lr')\np.parse_args()\n"


@pytest.mark.parametrize("before", ["", PARSING])
@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("x = 3\nx += 1", "`x` is a plain variable on line {}. To give it values, write `x: int = 3` there."),
        ("x: Final = 'a'", "`x` is a plain variable on line {}. To give it values, write `x: str = 'a'` there."),
        (
            f"{MAIN}\n    x: float = 0.1\n    x /= 2",
            f"`x` is set on line {{}} inside `{MAIN}`, where it is not seen. Write `x: float = 0.1`",
        ),
        (
            "def main():\n    for _ in []:\n        x = [1]\n",
            "inside `def main`, where it is not seen. Write `x: list = [1]` at",
        ),
        (
            "class A:\n    x = None",
            "inside `class A`, where it is not seen. Write `x: str = None` at the top level instead",
        ),
    ],
)
def test_variable_that_is_no_hyperparameter_is_told_how_to_become_one(before: str, lines: str, words: str) -> None:
    source = before + lines
    at = next(number for number, line in enumerate(source.split("\n"), 1) if line.strip().startswith("x"))
    with pytest.raises(SpecError) as caught:
        read_schema(source).validate({"x": 1})
    assert words.format(at) in str(caught.value)


def test_comment_makes_a_hyperparameter_of_such_a_variable() -> None:
    assert read_schema(f"{MAIN}\n    x: float = 0.1  # hp:").validate({"x": 1}) == {"x": 1.0}


def test_script_of_many_branches_is_read() -> None:
    branches = "".join(f"elif a == {number}:\n    x = {number}\n" for number in range(1000))
    assert "on line 2 inside `if`" in str(read_schema(f"if a:\n    x = 1\n{branches}").errors({"x": 1}))


# What lies beside the script


@pytest.mark.parametrize(
    ("line", "beside"),
    [
        ("import datasets", ["datasets"]),
        ("from datasets.mnist import load", ["datasets", "train.py"]),
        ("import random", ["random.py"]),
        ("import torch", None),
        ("import math", None),
    ],
)
def test_import_of_what_lies_beside_may_read_it(line: str, beside: list[str] | None) -> None:
    assert read_schema(f"{HP}{line}", beside=beside).errors({"lrr": 1}) == {}


def test_what_lies_beside_and_is_not_imported_reads_nothing() -> None:
    assert list(read_schema(f"{HP}import random", beside=["data.csv", "model.py"]).errors({"lrr": 1})) == ["lrr"]
    assert list(read_schema(HP, beside=None).errors({"lrr": 1})) == ["lrr"]
    assert list(read_schema(f"{HP}import pai_shards", beside=[]).errors({"lrr": 1})) == ["lrr"]


def test_script_below_a_directory_imports_what_lies_in_either(tmp_path: Path) -> None:
    for name, content in {
        "src/train.py": f"{HP}import numpy",
        "src/numpy.py": "",
        "plain.py": f"{HP}import numpy",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    assert read_script_file(tmp_path, "src/train.py").schema.errors({"lrr": 1}) == {}
    assert list(read_script_file(tmp_path, "plain.py").schema.errors({"lrr": 1})) == ["lrr"]
    assert list(read_script_file(tmp_path / "src", "train.py", is_alone=True).schema.errors({"lrr": 1})) == ["lrr"]


@pytest.mark.parametrize("name", ["click", "fire", "test", "subprocess", "getopt", "unittest", "hydra", "src", "utils"])
def test_module_that_may_read_words_is_not_known(name: str) -> None:
    assert not is_known_module(name)


# The command


def apply(command: str, *, source: str = HP, name: str = "train.py") -> dict[str, object]:
    script = Script.read(name, source)
    spec, _ = script.apply(JobSpec(name="x", command=command), {"lrr": "0.3"})
    return dict(spec.hyperparameters)


@pytest.mark.parametrize(
    "command",
    [
        "python train.py $PAI_USER_ARGS",
        'python train.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN" --model "$PAI_OUTPUT_MODEL"',
    ],
)
def test_default_command_runs_nothing_else(command: str) -> None:
    with pytest.raises(SpecError, match="Did you mean `lr`"):
        apply(command)


@pytest.mark.parametrize(
    "command",
    [
        "python train.py",
        "python train.py $PAI_USER_ARGS && python report.py",
        "python report.py $PAI_USER_ARGS",
        "python -m train $PAI_USER_ARGS",
        "sh run.sh",
        "LRR=$PAI_HPS_LRR python train.py $PAI_USER_ARGS",
        "python train.py $PAI_USER_ARGS --config $PAI_CONFIG_DIR",
        "bash train.sh $PAI_USER_ARGS",
    ],
)
def test_other_command_may_read_it(command: str) -> None:
    assert apply(command)["lrr"] == 0.3


def test_shell_script_may_read_it() -> None:
    assert apply("bash train.sh $PAI_USER_ARGS", source="lr=0.1\necho $PAI_HPS_LRR", name="train.sh")["lrr"] == 0.3


STRICT = ARGPARSE + "parser.parse_args()"


@pytest.mark.parametrize(
    "command",
    [
        "python train.py $PAI_USER_ARGS",
        "python -u train.py $PAI_USER_ARGS --seed 1",
        "cd src && python ./train.py $PAI_USER_ARGS && echo done",
        "torchrun --nproc-per-node 2 train.py ${PAI_USER_ARGS}",
    ],
)
def test_script_that_stops_at_it_is_not_started_by_any_command_that_hands_it_over(command: str) -> None:
    with pytest.raises(SpecError, match="whose parse_args"):
        apply(command, source=STRICT)


@pytest.mark.parametrize(
    "command",
    [
        "python prepare.py $PAI_USER_ARGS && python train.py",
        "python prepare.py $PAI_USER_ARGS && python train.py $PAI_USER_ARGS",
        "accelerate launch train.py $PAI_USER_ARGS",
        "echo $PAI_USER_ARGS > words; python train.py",
    ],
)
def test_script_that_may_not_get_it_does_not_refuse_it(command: str) -> None:
    assert not passes_args(command, "train.py")
    assert apply(command, source=STRICT)["lrr"] == 0.3


# What it costs


@pytest.mark.parametrize(
    "source",
    [
        "add_" + "arg" * 60_000,
        "(" * 90 + " " * 100_000,
        "x" * 200_000,
        "add_xarg1(" + "\nadd_xarg2(" * 15_000,
        "import " + " " * 190_000 + "x",
        "os" + " " * 190_000 + "=1",
        "\n".join(f"import m{n}" for n in range(10_000)),
        "os.environ[x]; " * 10_000,
        "x = '" + "sys.argv" * 20_000 + "'",
    ],
)
def test_odd_sources_are_read_quickly(source: str) -> None:
    before = time.thread_time()
    with suppress(SpecError):
        read_schema(source)
    assert time.thread_time() - before < 10  # seconds; a square of the length takes minutes
