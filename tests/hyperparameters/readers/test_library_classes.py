"""Classes of installed libraries: read where they are, offered, sent only where they are given, and never imported."""

import sys
from pathlib import Path

import pytest

from pai_jupyter.contract import user_args
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import JobSpec

TRAINING_ARGUMENTS = """
from dataclasses import dataclass, field
raise ImportError("imported")
@dataclass
class TrainingArguments:
    output_dir: str | None = field(default=None, metadata={"help": "Where to write"})
    learning_rate: float = field(default=5e-5, metadata={"help": "Rate"})
    fp16: bool = field(default=False)
    optim: OptimizerNames | str = field(default=default_optim)
"""
SFT = """
from dataclasses import dataclass, field
from transformers import TrainingArguments
@dataclass
class SFTConfig(TrainingArguments):
    max_length: int | None = field(default=1024)
    learning_rate: float = field(default=2e-5)
"""
TRAINER = """
class Trainer:
    def __init__(self, *, max_epochs: int | None = None, precision: str = "32-true", callbacks: list[Callback] | None = None): ...
"""
FILES = {
    "transformers/__init__.py": "raise ImportError('imported')",
    "transformers/training_args.py": TRAINING_ARGUMENTS,
    "trl/__init__.py": "raise ImportError('imported')",
    "trl/trainer/sft_config.py": SFT,
    "lightning/__init__.py": "raise ImportError('imported')",
    "lightning/pytorch/trainer/trainer.py": TRAINER,
}
OWN = """
from dataclasses import dataclass
from transformers import HfArgumentParser, TrainingArguments
@dataclass
class Own(TrainingArguments):
    depth: int = 3
HfArgumentParser(Own)
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    for name in ("transformers", "trl", "lightning"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)


def offered(schema: Schema) -> dict[str, object]:
    return {it.name: it.default for it in schema.suggestions}


def words(schema: Schema, values: dict[str, object]) -> tuple[str, ...]:
    checked = schema.validate(values)
    return user_args(
        JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=schema.argument_styles(checked))
    )


def test_fields_of_training_arguments_are_offered_and_sent_where_given() -> None:
    schema = read_schema(
        "from transformers import HfArgumentParser, TrainingArguments\nHfArgumentParser((TrainingArguments,))\n"
    )
    assert offered(schema) == {"output_dir": None, "learning_rate": 5e-5, "fp16": False, "optim": None}
    assert words(schema, {}) == ()
    assert words(schema, {"learning_rate": "1e-3", "fp16": "yes"}) == ("--learning_rate", "0.001", "--fp16", "True")


def test_fields_of_a_class_that_derives_from_them_go_before_them() -> None:
    schema = read_schema("from trl import SFTConfig, TrlParser\nTrlParser((SFTConfig,))\n")
    assert offered(schema) == {
        "max_length": 1024,
        "learning_rate": 2e-5,
        "output_dir": None,
        "fp16": False,
        "optim": None,
    }


def test_class_of_the_script_that_derives_from_them_declares_its_own() -> None:
    schema = read_schema(OWN)
    assert [it.name for it in schema.hyperparameters] == ["depth"]
    assert "learning_rate" in offered(schema)


def test_options_of_lightnings_trainer_stand_behind_the_subcommand() -> None:
    source = "class M:\n    def __init__(self, lr: float = 0.1): ...\nLightningCLI(M)\n"
    schema = read_schema(source)
    assert {"trainer.max_epochs", "trainer.precision"} <= set(offered(schema))
    assert words(schema, {"trainer.max_epochs": "3", "model.lr": "1"}) == (
        "fit", "--model.lr", "1.0", "--trainer.max_epochs", "3",
    )  # fmt: skip


def test_no_library_is_imported(tmp_path: Path) -> None:
    read_schema(OWN)
    assert not {"transformers", "trl", "lightning"} & set(sys.modules)


def test_library_that_is_changed_or_gone_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "transformers/training_args.py"
    path.write_text("class TrainingArguments:\n    seed: int = 1\n    much_longer: int = 2\n")
    assert set(offered(read_schema(OWN))) >= {"seed"}
    path.unlink()
    assert "seed" not in offered(read_schema(OWN))
