"""Options that modules beside a script declare: shown, reached by `-p`, and never sent or asked for unless they are given."""

from collections.abc import Mapping

import pytest

from pai_jupyter.contract import user_args
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import JobSpec

PARSER = """
import argparse
def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1, help="rate")
    parser.add_argument("--name", required=True)
    parser.add_argument("--model")
    parser.add_argument("--data_dir")
    return parser.parse_args()
def get_test_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--split")
    return parser.parse_args()
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--own")
"""
CLASSES = """
from dataclasses import dataclass, field
from .base import Base
@dataclass
class ModelArguments(Base):
    depth: int = field(default=3, metadata={"help": "layers"})
"""
BASE = "from dataclasses import dataclass\n@dataclass\nclass Base:\n    width: int = 8\n"
HF = "from transformers import HfArgumentParser\n"
HF_PARSED = "HfArgumentParser((ModelArguments,)).parse_args_into_dataclasses()\n"


def read(source: str, files: Mapping[str, str], **more: tuple[str, ...]) -> Schema:
    return read_schema(source, file=files.get, **more)  # type: ignore[arg-type]  # names of channels


def names(schema: Schema) -> list[str]:
    return [it.name for it in schema.hyperparameters]


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("from options import get_args\nargs = get_args()\n", {"options.py": PARSER}),
        ("from options import get_args as read\nargs = read()\n", {"options.py": PARSER}),
        ("import options\nargs = options.get_args()\n", {"options.py": PARSER}),
        ("import src.options as o\nargs = o.get_args()\n", {"src/options.py": PARSER}),
        ("from src import options\nargs = options.get_args()\n", {"src/options.py": PARSER.replace("test", "x_test")}),
        (
            "from src import get_args\nargs = get_args()\n",
            {"src/__init__.py": "from .options import get_args\n", "src/options.py": PARSER},
        ),
        (
            "from trainer import run\nrun()\n",
            {"trainer.py": "from options import get_args\ndef run(): get_args()\n", "options.py": PARSER},
        ),
        (
            "from options import Options\nargs = Options().parse()\n",
            {"options.py": f"{PARSER}\nclass Options:\n    def parse(self): return get_args()\n"},
        ),
        ("from options import get_args\nargs = get_args()\n", {"../options.py": PARSER}),
    ],
)
def test_parser_of_a_module_is_read(source: str, files: Mapping[str, str]) -> None:
    schema = read(source, files)
    found = [name for name in names(schema) if name != "split"]
    assert found == ["lr", "name", "model", "data_dir"]
    lr = schema.find("lr")
    assert lr is not None
    assert (lr.type, lr.default, lr.help, lr.line) == ("Float", 0.1, "rate", 1)


def test_option_of_a_module_is_sent_only_where_it_is_given() -> None:
    schema = read("from options import get_args\nargs = get_args()\n", {"options.py": PARSER})
    assert schema.errors({}) == {}
    assert schema.validate({}) == {}
    assert schema.channels == ()
    values = schema.validate({"lr": "0.5"})
    spec = JobSpec(name="x", command="x", hyperparameters=values, argument_styles=schema.argument_styles(values))
    assert user_args(spec) == ("--lr", "0.5")
    assert schema.errors({"lr": "fast"}) == {"lr": "`lr` is 'fast'; it must be a number."}


def test_input_that_the_job_has_fills_the_option_of_a_module() -> None:
    schema = read("from options import get_args\nget_args()\n", {"options.py": PARSER}, inputs=("data_dir",))
    assert schema.channel_options() == {"data_dir"}
    assert "data_dir" not in names(schema)


@pytest.mark.parametrize(
    "source",
    [
        "from options import seed\nseed(1)\n",
        "from options import get_args\n# a module that is not beside it\n",
        "import torch\n",
    ],
)
def test_what_the_script_does_not_reach_is_not_read(source: str) -> None:
    beside = {"options.py": f"{PARSER}\ndef seed(n): ...\n"} if "not beside" not in source else {}
    assert names(read(source, beside)) == []


def test_option_of_the_script_comes_before_one_of_a_module() -> None:
    source = (
        "import argparse\nfrom options import get_args\np = argparse.ArgumentParser()\n"
        "p.add_argument('--lr', type=int, default=3)\np.parse_args()\nget_args()\n"
    )
    schema = read(source, {"options.py": PARSER})
    lr = schema.find("lr")
    assert lr is not None
    assert (lr.type, lr.default) == ("Int", 3)
    assert schema.validate({}) == {"lr": 3}


@pytest.mark.parametrize("alias", ["", " as Parsed"])
def test_class_of_a_module_is_an_argument_of_the_scripts_parser(alias: str) -> None:
    source = f"{HF}from args.model import ModelArguments{alias}\n{HF_PARSED}"
    if alias:
        source = source.replace("((ModelArguments,", "((Parsed,")
    schema = read(source, {"args/model.py": CLASSES, "args/base.py": BASE})
    assert schema.validate({}) == {"width": 8, "depth": 3}
    assert [it.line for it in schema.hyperparameters] == [2, 2]


@pytest.mark.parametrize(
    ("source", "module", "expected"),
    [
        ("import fire\nfrom m import train\nfire.Fire(train)\n", "def train(lr=0.1): ...\n", ["lr"]),
        ("import typer\nfrom m import train\ntyper.run(train)\n", "def train(lr: float = 0.1): ...\n", ["lr"]),
        (
            "from lightning.pytorch.cli import LightningCLI\nfrom m import Net\nLightningCLI(Net)\n",
            "class Net(LightningModule):\n    def __init__(self, lr: float = 0.1): ...\n",
            ["subcommand", "model.lr"],
        ),
        (
            "from m import main\nmain()\n",
            "import click\n@click.command()\n@click.option('--lr', default=0.1)\ndef main(lr): ...\n",
            ["lr"],
        ),
        (
            "from m import cli\ncli()\n",
            "import click\n@click.group()\ndef cli(): ...\n@cli.command()\n@click.option('--lr')\ndef fit(lr): ...\n"
            "@cli.command()\ndef test(): ...\n",
            ["command", "lr"],
        ),
        (
            "from absl import app\nimport m\napp.run(m.main)\n",
            "from absl import flags\nflags.DEFINE_float('lr', 0.1, 'rate')\ndef main(_): ...\n",
            ["lr"],
        ),
    ],
)
def test_every_style_is_read_in_a_module_too(source: str, module: str, expected: list[str]) -> None:
    assert names(read(source, {"m.py": module})) == expected


@pytest.mark.parametrize(
    "module",
    ["def broken(:\n", "x = 1\0", f"{PARSER}{'#' * 600_000}", "from options import get_args\nfrom m import get_args\n"],
)
def test_module_that_cannot_be_read_or_is_too_large_declares_nothing(module: str) -> None:
    assert names(read("from options import get_args\nget_args()\n", {"options.py": module})) == []


def test_number_of_modules_is_bounded() -> None:
    files = {f"m{n}.py": f"from m{n + 1} import get_args\n" for n in range(100)}
    assert names(read("from m0 import get_args\nget_args()\n", {**files, "m10.py": PARSER})) != []
    assert names(read("from m0 import get_args\nget_args()\n", {**files, "m90.py": PARSER})) == []


@pytest.mark.parametrize("base", ["Args", "Other"])
def test_classes_whose_names_go_in_a_circle_are_read_once(base: str) -> None:
    files = {
        "m.py": f"from dataclasses import dataclass\nfrom n import Args as Own\n@dataclass\nclass Other({base}):\n    n: int = 1\n"
    }
    source = f"{HF}import m\nfrom m import Other\n@dataclass\nclass Args(Other):\n    lr: float = 0.1\nHfArgumentParser(Args)\n"
    assert read(source, files).validate({}) == {"n": 1, "lr": 0.1}
