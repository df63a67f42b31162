"""A library's names may be imported one by one, or the library under another name."""

import ast

import pytest

from pai_jupyter.hyperparameters.full_names import with_full_names
from tests.support.schemas import read

_CLASS = "from dataclasses import dataclass\n@dataclass\nclass Args:\n    lr: float = 0.1\n"

IMPORTS = {
    "simple_parsing": f"from simple_parsing import parse\n{_CLASS}args = parse(Args)\n",
    "tyro": f"from tyro import cli\n{_CLASS}args = cli(Args)\n",
    "tyro under another name": f"import tyro as t\n{_CLASS}args = t.cli(Args)\n",
    "draccus": f"from draccus import wrap\n{_CLASS}@wrap()\ndef main(cfg: Args): ...\nmain()\n",
    "pyrallis": f"from pyrallis import parse as read\n{_CLASS}args = read(config_class=Args)\n",
    "typer": "from typer import run\ndef main(lr: float = 0.1): ...\nrun(main)\n",
    "typer under another name": "import typer as ty\ndef main(lr: float = 0.1): ...\nty.run(main)\n",
    "fire under another name": "import fire as f\ndef main(lr=0.1): ...\nf.Fire(main)\n",
    "fire's function under another name": "from fire import Fire as F\ndef main(lr=0.1): ...\nF(main)\n",
    "jsonargparse": "import jsonargparse as j\ndef main(lr: float = 0.1): ...\nj.CLI(main)\n",
    "transformers": f"from transformers import HfArgumentParser as Parser\n{_CLASS}a, = Parser(Args).parse_args_into_dataclasses()\n",
}


@pytest.mark.parametrize("case", IMPORTS)
def test_style_is_read_however_its_library_is_imported(case: str) -> None:
    [declared] = read(IMPORTS[case]).hyperparameters
    assert (declared.name, declared.default) == ("lr", 0.1)


def test_name_that_the_script_defines_is_its_own() -> None:
    source = "from typer import run\ndef run(f): ...\ndef main(lr: float = 0.1): ...\nrun(main)\n"
    assert read(source).hyperparameters == ()


def test_places_stay() -> None:
    source = "from typer import run\nrun(\n    main)\n"
    call = next(it for it in ast.walk(with_full_names(ast.parse(source), source)) if isinstance(it, ast.Call))
    assert (ast.unparse(call.func), call.lineno, call.args[0].lineno) == ("typer.run", 2, 3)


def test_script_without_such_imports_keeps_its_tree() -> None:
    module = ast.parse("import typer\nfrom torch import optim\n")
    assert with_full_names(module, ast.unparse(module)) is module
