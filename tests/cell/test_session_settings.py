"""Seeds and defaults that other cells set are told, if the cell uses what they set."""

import pytest

from pai_jupyter.cell import complete_cell
from tests.support.notebooks import above, ran

DEF = "def seed_everything(s):\n    random.seed(s)\n    np.random.seed(s)\n    torch.manual_seed(s)"


@pytest.mark.parametrize(
    ("cells", "cell", "note"),
    [
        (
            ["import torch\ntorch.manual_seed(0)"],
            "torch.rand(1)",
            "cell [1] also calls torch.manual_seed, which does not come along: call it in this cell",
        ),
        (
            ["import numpy as np", "np.random.seed(0)"],
            "np.random.rand()",
            "cell [2] also calls np.random.seed, which does not come along: call it in this cell",
        ),
        (
            ["import torch", "torch.manual_seed(0)\ntorch.backends.cudnn.deterministic = True"],
            "torch.rand(1)",
            "cell [2] also calls torch.manual_seed, torch.backends.cudnn.deterministic, which do not come along: "
            "call them in this cell",
        ),
        (
            ["import torch, random", "random.seed(0)", "_ = torch.manual_seed(1);"],
            "torch.rand(random.random())",
            "cells [2], [3] also call random.seed, torch.manual_seed, which do not come along: call them in this cell",
        ),
        (
            ["import random, torch\nimport numpy as np", DEF, "seed_everything(42)"],
            "torch.rand(1)",
            "cell [3] also calls seed_everything, which does not come along: call it in this cell",
        ),
        (
            ["import tensorflow as tf\nfrom tensorflow import keras\nkeras.utils.set_random_seed(1)"],
            "import keras",
            "cell [1] also calls keras.utils.set_random_seed, which does not come along: call it in this cell",
        ),
        (
            ["from lightning import seed_everything\nseed_everything(1)"],
            "import torch",
            "cell [1] also calls seed_everything, which does not come along: call it in this cell",
        ),
        (
            ["import jax\njax.config.update('jax_enable_x64', True)"],
            "jax.numpy",
            "cell [1] also calls jax.config.update, which does not come along: call it in this cell",
        ),
        (
            ["import pandas as pd\npd.set_option('mode.copy_on_write', True)"],
            "pd.Series()",
            "cell [1] also calls pd.set_option, which does not come along: call it in this cell",
        ),
    ],
)
def test_what_other_cells_set_is_told(cells: list[str], cell: str, note: str) -> None:
    assert complete_cell(cell, above(*cells)).notes == (note,)


@pytest.mark.parametrize(
    ("cells", "cell"),
    [
        (["import torch", "torch.manual_seed(0)"], "torch.manual_seed(1)\ntorch.rand(1)"),
        (["import torch, json", "torch.manual_seed(0)"], "json.dumps(1)"),
        (["import torch", "def f():\n    torch.manual_seed(0)", "torch.manual_seed(1)"], "f()"),
        (["import random, torch\nimport numpy as np", DEF, "seed_everything(42)"], "seed_everything(1)\ntorch.rand(1)"),
        (["import torch", "def f():\n    torch.manual_seed(0)"], "torch.rand(1)"),
        (["import pandas as pd\npd.set_option('display.max_rows', 9)"], "pd.Series()"),
        (["import warnings, torch\nwarnings.filterwarnings('ignore')  # seed"], "torch.rand(warnings)"),
        (["import numpy as np\nrng = np.random.default_rng(0)\nseed = 3"], "np.zeros(seed)"),
    ],
)
def test_what_the_cell_does_itself_or_does_not_use_is_not_told(cells: list[str], cell: str) -> None:
    assert complete_cell(cell, above(*cells)).notes == ()


def test_a_cell_that_failed_set_nothing() -> None:
    assert ran("import random", "1 / 0\nrandom.seed(0)").complete("random.random()").notes == ()
    assert ran("import random", "random.seed(0)").complete("random.random()").notes != ()
