"""Which environment variables a script reads by name, as people write it."""

import pytest

from pai_jupyter.cell import read_by_libraries, variables_read


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["HF_TOKEN"]',
        "login(token=os.environ.get('HF_TOKEN'))",
        'os.environ.get("HF_TOKEN", "")',
        'os.getenv("HF_TOKEN", default=None)',
        'environ["HF_TOKEN"]',
        'getenv("HF_TOKEN")',
        'token = os.environ.pop("HF_TOKEN")',
        'if "HF_TOKEN" in os.environ: pass',
        'parser.add_argument("--token", default=os.environ["HF_TOKEN"])',
        'def f(token=os.getenv("HF_TOKEN")):\n    pass',
    ],
)
def test_a_variable_is_read(line: str) -> None:
    assert variables_read(f"import os\n{line}\n") == {"HF_TOKEN": 2}


@pytest.mark.parametrize(
    "source",
    [
        'os.environ["HF_TOKEN"] = "x"',
        'os.environ["HF_TOKEN"] = "x"\nprint(os.environ["HF_TOKEN"])',
        'os.environ.setdefault("HF_TOKEN", "x")',
        'config["HF_TOKEN"]',
        'config.get("HF_TOKEN")',
        "os.environ[name]",
        '"HF_TOKEN" in config',
        'print("HF_TOKEN")',
        "os.environ[",
        "",
    ],
)
def test_it_is_not(source: str) -> None:
    assert variables_read(source) == {}


def test_they_are_in_the_order_of_the_script() -> None:
    assert [*variables_read('a = os.getenv("B")\nb = os.getenv("A")\nc = os.getenv("B")')] == ["B", "A"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import wandb", ["WANDB_API_KEY"]),
        ("import wandb as w, os", ["WANDB_API_KEY"]),
        ("from huggingface_hub.utils import x", ["HF_TOKEN"]),
        ("def f():\n    import comet_ml", ["COMET_API_KEY"]),
        ("from .wandb import x", []),
        ("import wandbx", []),
        ("import (", []),
    ],
)
def test_known_libraries_read_their_own(source: str, names: list[str]) -> None:
    assert [*read_by_libraries(source)] == names
