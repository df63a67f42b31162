"""A script gets `display`, `get_ipython` and figures where its code may use them, on a line that is there already."""

import ast

import pytest

from pai_jupyter.cell import hooked, lint, read_cell, support_files

HOOK = "from _pai_notebook import display, get_ipython"


@pytest.mark.parametrize(
    "code",
    [
        "display(1)",
        "!ls",
        "x = !ls",
        "%cd a",
        "get_ipython().system('ls')",
        "import matplotlib.pyplot as plt",
        "from matplotlib import pyplot as plt",
        "import seaborn as sns",
        "from IPython.display import display, HTML",
        "import IPython",
        "from tqdm.notebook import tqdm",
        "from tqdm import tqdm_notebook as tqdm",
        "import tqdm.notebook",
        "df.plot()",
        "df.hist(bins=3)",
        "xgb.plot_importance(model)",
        "def f():\n    import pylab",
    ],
)
def test_code_of_a_notebook_gets_what_a_notebook_has(code: str) -> None:
    source = read_cell(f"%%pai_train --name x\n{code}\n").source
    script = hooked(source)
    assert script == source.replace("# %%pai_train", f"{HOOK}  # %%pai_train", 1)
    assert hooked(script) == script
    assert sorted(support_files(script)) == [
        "_pai_notebook/__init__.py",
        "_pai_notebook/pai_figures.py",
        "_pai_notebook/pai_pictures.py",
    ]
    assert not [finding for finding in lint(script) if finding.message.startswith("`display`")]


@pytest.mark.parametrize(
    "code",
    [
        "x = 1",
        "import torch\nx = 'display(matplotlib)'",
        "from tqdm.auto import tqdm",
        "import tqdm",
        "plot(1)",
        "def f(:",
    ],
)
def test_other_code_stays_as_it_is(code: str) -> None:
    source = read_cell(f"%%pai_train\n{code}\n").source
    assert (hooked(source), support_files(source)) == (source, {})


def test_a_module_that_draws_is_reason_enough() -> None:
    assert hooked("# %%pai_train\nimport draw", ["import matplotlib"]).startswith(HOOK)
    assert hooked("# %%pai_train\nimport draw", ["import os", "def f(:"]).startswith("#")


@pytest.mark.parametrize(
    ("head", "becomes"),
    [
        ("from __future__ import annotations", f"from __future__ import annotations; {HOOK}"),
        ("from __future__ import annotations  # first", f"from __future__ import annotations; {HOOK}  # first"),
        ("from __future__ import annotations;", f"from __future__ import annotations; {HOOK};"),
        ('"""训练."""', f'"""训练."""; {HOOK}'),
        ('"""Train\n\nit."""\nx = 1', f'"""Train\n\nit."""; {HOOK}\nx = 1'),
        (
            '"""Train."""\nfrom __future__ import (\n    annotations,\n)',
            f'"""Train."""\nfrom __future__ import (\n    annotations,\n); {HOOK}',
        ),
    ],
)
def test_docstring_and_future_stay_first_and_lines_keep_their_number(head: str, becomes: str) -> None:
    source = f"# %%pai_train\n{head}\ndisplay(1)"
    script = hooked(source)
    assert script == f"# %%pai_train\n{becomes}\ndisplay(1)"
    compile(script, "train.py", "exec", dont_inherit=True)
    assert ast.get_docstring(ast.parse(script)) == ast.get_docstring(ast.parse(source))


@pytest.mark.parametrize("source", ["display(1)", "x = 1; display(1)", "if x:\n    display(1)", "\ndisplay(1)"])
def test_a_script_without_a_magics_line_is_valid_too(source: str) -> None:
    compile(hooked(source), "train.py", "exec", dont_inherit=True)
    assert HOOK in hooked(source)


def test_an_encoding_named_by_an_option_stays_a_comment() -> None:
    source = read_cell("%%pai_train -p encoding=gbk\ndisplay('训练')").source
    compile(hooked(source).encode(), "train.py", "exec", dont_inherit=True)


def test_what_runs_in_a_job_is_python_3_8() -> None:
    for name, content in support_files(HOOK).items():
        ast.parse(content, name, feature_version=(3, 8))
