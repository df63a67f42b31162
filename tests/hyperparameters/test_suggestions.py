"""Constants, config dicts and config classes: offered, reached by `-p`, written in place, and never sent unless changed."""

import pytest

from pai_jupyter.contract import user_args
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import as_options
from pai_jupyter.jobs import Script
from pai_jupyter.spec import JobSpec
from tests.support.schemas import read

OFFERED = {
    "constant": ("lr = 0.1\nBATCH_SIZE = 64\nname = 'resnet18'\n", {"lr": 0.1, "BATCH_SIZE": 64, "name": "resnet18"}),
    "constants of one line": ("lr, epochs = 1e-3, 10\n", {"lr": 1e-3, "epochs": 10}),
    "two statements of one line": ("lr = 0.1; epochs = 3\n", {"lr": 0.1, "epochs": 3}),
    "below the main guard": ("if __name__ == '__main__':\n    lr = 0.1\n    train(lr)\n", {"lr": 0.1}),
    "main that is called once": (
        "def main():\n    lr = 0.1\n    train(lr)\nif __name__ == '__main__':\n    main()\n",
        {"lr": 0.1},
    ),
    "function with parameters that is called once": ("def main(x):\n    lr = 0.1\nmain(y)\n", {"lr": 0.1}),
    "function that is called by one that is called": (
        "def train(x):\n    lr = 0.1\ndef main():\n    train(y)\nif __name__ == '__main__':\n    main()\n",
        {"lr": 0.1},
    ),
    "function that a library calls": ("def main():\n    lr = 0.1\nplac.call(main)\n", {"lr": 0.1}),
    "function that a library wraps and no parser does": (
        "@wrap_experiment(mode='x')\ndef run(ctxt=None):\n    lr = 0.1\nrun()\n",
        {"lr": 0.1},
    ),
    "config of sacred": ("@ex.config\ndef cfg():\n    lr = 0.1\n", {"lr": 0.1}),
    "below with": ("with Session() as s:\n    lr = 0.1\n    train(lr)\n", {"lr": 0.1}),
    "config of main": ("def main():\n    cfg = {'lr': 0.1}\n    train(**cfg)\nmain()\n", {"lr": 0.1}),
    "list": ("layers = [64, 32]\nbetas = (0.9, 0.999)\n", {"layers": [64, 32], "betas": [0.9, 0.999]}),
    "dict": ("config = {'lr': 0.1, 'epochs': 3}\n", {"lr": 0.1, "epochs": 3}),
    "dict in a dict": ("CFG = {'model': {'depth': 3}, 'lr': 0.1}\n", {"model.depth": 3, "lr": 0.1}),
    "call of dict": ("params = dict(max_depth=3, eta=0.1)\n", {"max_depth": 3, "eta": 0.1}),
    "namespace": ("args = argparse.Namespace(lr=0.1, amp=False)\n", {"lr": 0.1, "amp": False}),
    "namespace of a dict": ("args = EasyDict({'lr': 0.1, 'gpu': 0})\n", {"lr": 0.1, "gpu": 0}),
    "class": ("class Config:\n    lr = 0.1\n    epochs: int = 3\n    def f(self): ...\n", {"lr": 0.1, "epochs": 3}),
    "class in a class": (
        "class Config:\n    seed = 1\n    class model:\n        lr = 0.1\n        class head: dim = 4\n",
        {"seed": 1, "model.lr": 0.1, "model.head.dim": 4},
    ),
    "class in capitals": ("class CFG:\n    seed=42\n    model_name='b0'\n", {"seed": 42, "model_name": "b0"}),
    "dataclass": (
        "@dataclass\nclass Training:\n    lr: float = 1\n    n: int = field(default=2)\n",
        {"lr": 1.0, "n": 2},
    ),
    "set by __init__": (
        "class Config(object):\n    def __init__(self):\n        self.lr = 0.1\n        self.n: int = 3\n        self._x = 1\n",
        {"lr": 0.1, "n": 3},
    ),
    "attrs": ("@attrs.define\nclass Run:\n    lr: float = 0.1\n", {"lr": 0.1}),
    "pydantic": ("class Run(BaseModel):\n    lr: float = 0.1\n    n: int = Field(3)\n", {"lr": 0.1, "n": 3}),
    "named tuple": ("class Run(NamedTuple):\n    lr: float = 0.1\n", {"lr": 0.1}),
    "training arguments": (
        "args = TrainingArguments(output_dir='x', learning_rate=2e-5)",
        {"output_dir": "x", "learning_rate": 2e-5},
    ),
    "wandb": ("run = wandb.init(project='p', config={'lr': 0.1})", {"lr": 0.1}),
    "wandb without a name": ("wandb.init(config={'lr': 0.1})", {"lr": 0.1}),
    "attributes": ("config = ConfigDict()\nconfig.lr = 0.1\nconfig.seed = 1\n", {"lr": 0.1, "seed": 1}),
    "entries set one by one": ("params = {}\nparams['eta'] = 0.1\n", {"eta": 0.1}),
    "same key in two dicts": (
        "train_config = {'lr': 0.1}\ntest_config = {'lr': 0.2}\n",
        {"train_config.lr": 0.1, "test_config.lr": 0.2},
    ),
    "key that is a constant too": ("lr = 0.5\nconfig = {'lr': 0.1}\n", {"lr": 0.5, "config.lr": 0.1}),
}

NOT_OFFERED = {
    "counter": "step = 0\nstep += 1\n",
    "best so far": "best = 0.0\ndef f():\n    global best\n    best = 1\n",
    "loop": "i = 0\nfor i in range(3): pass\n",
    "set again": "lr = 0.1\nlr = lr / 2\n",
    "set under a condition": "device = 'cpu'\nif cuda:\n    device = 'cuda'\n",
    "in another block": "if fast:\n    lr = 0.1\n",
    "in a function": "def main():\n    lr = 0.1\n",
    "in a function that a library wraps": "@hydra.main()\ndef main(cfg):\n    lr = 0.1\nmain()\n",
    "in a function with parameters of a script that has a parser": "def main(x):\n    lr = 0.1\nmain(1)\nn: int = 1\n",
    "attribute of an object that is set again": "class Config:\n    def __init__(self):\n        self.lr = 0.1\nc = Config()\nc.lr = x\n",
    "attribute of an object that is no config": "class Net:\n    def __init__(self):\n        self.depth = 3\n",
    "in a function that is called again": "def main():\n    lr = 0.1\nmain()\nmain()\n",
    "in main and above": "lr = 0.1\ndef main():\n    lr = 0.2\nmain()\n",
    "walrus": "n = 1\nwhile (n := read()): ...\n",
    "private": "_lr = 0.1\n__version__ = '1'\n",
    "made while it runs": "lr = float(x)\n",
    "nothing": "model = None\n",
    "secret": "HF_TOKEN = 'hf_abc'\napi_key = 'x'\n",
    "document": "HELP = '''a\nb'''\n",
    "dict that is no config": "label2id = {'cat': 0, 'dog': 1}\n",
    "dict that is set again": "config = {'lr': 0.1}\nconfig = load(config)\n",
    "entry that is set again": "config = {'lr': 0.1}\nconfig['lr'] = 0.2 * x\n",
    "class of a model": "class Net(nn.Module):\n    depth = 3\n",
    "attribute that is set again": "class Config:\n    lr = 0.1\nConfig.lr = x\n",
    "attribute of a class in a class that is set again": "class Config:\n    class m:\n        lr = 0.1\nConfig.m.lr = x\n",
    "final": "LR: Final = 0.1\n",
    "declared": "lr: float = 0.1\nhp = {'n': 1}\n",
}


@pytest.mark.parametrize("case", OFFERED)
def test_value_of_the_script_is_offered_and_not_sent(case: str) -> None:
    source, expected = OFFERED[case]
    schema = read(source)
    assert {it.name: it.default for it in schema.suggestions} == expected
    assert schema.hyperparameters == ()
    assert schema.validate({}) == {}
    assert schema.write_values(source, {}) == source


@pytest.mark.parametrize("case", NOT_OFFERED)
def test_value_that_may_not_be_the_one_in_use_is_not_offered(case: str) -> None:
    assert read(NOT_OFFERED[case]).suggestions == ()


@pytest.mark.parametrize(
    ("source", "values", "written"),
    [
        (
            "learning_rate = 0.1\nf(learning_rate)\n",
            {"learning_rate": "0.9"},
            "learning_rate = 0.9\nf(learning_rate)\n",
        ),
        (
            "class Config:\n    class m:\n        d = 3\n",
            {"m.d": "5"},
            "class Config:\n    class m:\n        d = 5\n",
        ),
        ("lr, n = 0.1, 3\n", {"n": "4"}, "lr, n = 0.1, 4\n"),
        ("config = {'lr': 1e-3, 'm': {'d': 3}}\n", {"m.d": "5"}, "config = {'lr': 1e-3, 'm': {'d': 5}}\n"),
        ("class CFG:\n    amp = True\n", {"amp": "no"}, "class CFG:\n    amp = False\n"),
        (
            "@dataclass\nclass T:\n    n: int = field(default=2)\n",
            {"n": "7"},
            "@dataclass\nclass T:\n    n: int = field(default=7)\n",
        ),
        ("args = Namespace(opt='adam')\n", {"opt": "sgd"}, "args = Namespace(opt='sgd')\n"),
        ("betas = (0.9, 0.999)\n", {"betas": "[0.8, 0.9]"}, "betas = (0.8, 0.9)\n"),
        ("lr = 1e-3\n", {"lr": "0.001"}, "lr = 1e-3\n"),
        ("a = {'lr': 1}\nb = 2\n", {"b": "3"}, "a = {'lr': 1}\nb = 3\n"),
    ],
)
def test_given_value_is_written_into_its_literal(source: str, values: dict[str, object], written: str) -> None:
    schema = read(source)
    checked = schema.validate(values)
    assert schema.write_values(source, checked) == written
    assert set(schema.argument_styles(checked).values()) == {"assigned"}


def test_value_of_a_wrong_type_is_refused() -> None:
    with pytest.raises(SpecError, match="must be a whole number"):
        read("epochs = 3\n").validate({"epochs": "many"})


def test_other_spelling_and_slip_are_told_with_the_name() -> None:
    schema = read("BATCH_SIZE = 64\n")
    with pytest.raises(SpecError, match=r"is spelled `BATCH_SIZE` in the script"):
        schema.validate({"batch_size": "1"})
    with pytest.raises(SpecError, match=r"Did you mean `BATCH_SIZE`\?"):
        schema.validate({"BATCH_SISE": "1"})


def test_chosen_suggestion_is_a_row_of_the_form_and_keeps_its_default() -> None:
    schema = read("lr = 0.1\nseed = 1\n").including({"lr": "0.5"})
    assert [it.name for it in schema.hyperparameters] == ["lr"]
    assert [it.name for it in schema.suggestions] == ["seed"]
    assert schema.validate({}) == {"lr": 0.1}


def test_line_says_only_what_differs_from_the_literal() -> None:
    schema = read("lr = 0.1\nseed = 1\n")
    assert as_options({"lr": 0.1, "seed": 2}, schema) == "-p seed=2"


def test_script_with_argparse_offers_its_constants_and_sends_no_word_for_them() -> None:
    source = (
        "SEED = 1\nimport argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
    )
    schema = read(source)
    checked = schema.validate({"SEED": "2", "lr": "0.5"})
    assert schema.argument_styles(checked) == {"SEED": "assigned"}
    assert schema.write_values(source, checked).startswith("SEED = 2\n")


def test_job_of_a_constant_gets_the_value_in_its_script_and_in_its_record() -> None:
    script = Script.read("train.py", "learning_rate = 0.1\nepochs = 3\nprint(learning_rate)\n")
    spec = JobSpec(name="x", command=script.default_command(inputs=(), outputs=()))
    spec, files = script.apply(spec, {"learning_rate": "0.9"})
    assert dict(spec.hyperparameters) == {"learning_rate": 0.9}
    assert files == {"train.py": b"learning_rate = 0.9\nepochs = 3\nprint(learning_rate)\n"}
    assert user_args(spec) == ()


@pytest.mark.parametrize(
    ("source", "name", "written"),
    [
        ("CONF = {'lr': 1, 'n': 2}\n", "CONF.lr", "CONF = {'lr': 3, 'n': 2}\n"),
        ("LR = 1\nCONF = {'lr': 1}\n", "CONF.lr", "LR = 1\nCONF = {'lr': 3}\n"),
        ("config = {'n': 1}\nother = {'n': 2}\n", "config.n", "config = {'n': 3}\nother = {'n': 2}\n"),
        ("config = {'n': 1}\nother = {'n': 2}\n", "other.n", "config = {'n': 1}\nother = {'n': 3}\n"),
        ("sizes = {'a': {'b': 1}}\n", "sizes.a.b", "sizes = {'a': {'b': 3}}\n"),
    ],
)
def test_dotted_name_reaches_the_key_of_a_dict(source: str, name: str, written: str) -> None:
    schema = read(source)
    checked = schema.validate({name: "3"})
    assert schema.write_values(source, checked) == written
    assert schema.argument_styles(checked) == {name: "assigned"}


def test_key_of_two_dicts_is_refused_with_both_names() -> None:
    schema = read("config = {'layers': 1}\nother = {'layers': 2}\n")
    assert schema.errors({"layers": "9"}) == {
        "layers": "`layers` is a key of several dicts: `config.layers`, `other.layers`. "
        "Write the one that you mean: -p config.layers=..."
    }
    assert schema.errors({"layers": "9"}, recorded=["layers"]) == {}


@pytest.mark.parametrize("change", ["other['n'] = 3", "other.update(n=3)", "other = f()", "other['n'] += 1"])
def test_entry_of_a_dict_that_is_changed_is_not_reached(change: str) -> None:
    schema = read(f"other = {{'n': 2}}\n{change}\n")
    assert schema.find("other.n") is None


CLASS = "@dataclass\nclass C:\n    lr: float = 0.1\n    n: int = 2\n"


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("c = C(lr=0.7)\n", "c = C(lr=3.0)\n"),
        ("c = C(0.7, n=4)\n", "c = C(3.0, n=4)\n"),
        ("config = C(lr=0.7)\n", "config = C(lr=3.0)\n"),
        ("def main():\n    return C(lr=1)\n", "def main():\n    return C(lr=3.0)\n"),
    ],
)
def test_value_goes_into_the_call_that_makes_the_object(made: str, written: str) -> None:
    schema = read(CLASS + made)
    checked = schema.validate({"lr": "3"})
    assert schema.write_values(CLASS + made, checked) == CLASS + written


@pytest.mark.parametrize("made", ["c = C(lr=0.7)\nd = C()\n", "c = C(lr=g())\n", "c = C(g())\n"])
def test_default_that_no_object_is_known_to_have_is_not_offered(made: str) -> None:
    schema = read(CLASS + made)
    assert [it.name for it in schema.suggestions] == ["n"]
    assert "lr" in schema.errors({"lr": "3"})
