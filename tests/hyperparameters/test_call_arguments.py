"""Arguments of calls and defaults of parameters, in a script that declares nothing: offered, and written in place."""

import time

import pytest

from tests.support.schemas import read

OFFERED = {
    "keras": ("model.fit(x, y, epochs=5, batch_size=32, verbose=2)\n", {"epochs": 5, "batch_size": 32}),
    "torch": (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)\n",
        {"lr": 0.01, "momentum": 0.9},
    ),
    "scikit-learn": (
        "m = RandomForestClassifier(n_estimators=100, max_depth=5, criterion='gini').fit(x, y)\n",
        {"n_estimators": 100, "max_depth": 5},
    ),
    "lightning": ("trainer = pl.Trainer(max_epochs=10, accelerator='gpu')\n", {"max_epochs": 10}),
    "in a method": (
        "class M(LightningModule):\n    def configure_optimizers(self):\n        return Adam(self.parameters(), lr=1e-3)\n",
        {"lr": 1e-3},
    ),
    "stable-baselines": (
        "PPO('MlpPolicy', env, n_steps=128).learn(total_timesteps=25_000)\n",
        {"n_steps": 128, "total_timesteps": 25000},
    ),
    "two libraries": ("a = Adam(p, lr=1e-3)\nb = SGD(p, lr=0.1)\n", {"Adam.lr": 1e-3, "SGD.lr": 0.1}),
    "beside a constant": ("lr = 0.1\nmodel.fit(x, epochs=3)\n", {"lr": 0.1, "epochs": 3}),
    "over two lines": (
        "dde.compile('adam',\n    lr=0.001,\n)\nmodel.train(iterations=20000)\n",
        {"lr": 0.001, "iterations": 20000},
    ),
    "defaults of main": (
        "def main(lr=0.1, env='Ant-v2', cuda=True, path=None):\n    ...\nif __name__ == '__main__':\n    main()\n",
        {"lr": 0.1, "env": "Ant-v2", "cuda": True},
    ),
    "annotated and keyword-only": ("def main(*, lr: float = 1): ...\nmain()\n", {"lr": 1.0}),
    "what the call gives": ("def train(steps, lr=0.1): ...\ntrain(100, lr=0.5)\n", {"steps": 100, "lr": 0.5}),
    "a call that gives what is made while it runs": ("def train(steps, lr=0.1): ...\ntrain(n(), lr=rate())\n", {}),
    "called below with": ("def run(lr=0.1): ...\nwith Session() as s:\n    result = run()\n", {"lr": 0.1}),
    "called by main": ("def train(lr=0.1): ...\ndef main():\n    train()\nmain()\n", {"lr": 0.1}),
    "handed to a library": ("def main(lr: float = 0.1): ...\ndefopt.run(main)\n", {"lr": 0.1}),
    "class for configuration": (
        "class TrainConfig:\n    def __init__(self, lr=0.1, n=3):\n        self.lr = lr\n        self.n = n\ncfg = TrainConfig(n=5)\n",
        {"lr": 0.1, "n": 5},
    ),
}

NOT_OFFERED = {
    "name of something else": "plt.plot(x, alpha=0.5, linewidth=2)\nprint(x, flush=True)\n",
    "no number": "fit(x, epochs=n)\nTrainer(max_epochs='3', seed=True, lr=None)\n",
    "two calls of one function": "a = DataLoader(x, batch_size=32)\nb = DataLoader(y, batch_size=128)\n",
    "script with a parser": "p.add_argument('--lr', type=float)\nmodel.fit(x, epochs=5)\ndef main(n=3): ...\nmain()\n",
    "declared": "lr: float = 0.1\nmodel.fit(x, epochs=5)\n",
    "function that is called twice": "def train(lr=0.1): ...\ntrain()\ntrain()\n",
    "function that is not called": "def train(lr=0.1): ...\n",
    "function that another may call too": "def train(lr=0.1): ...\ntrain()\nstart(target=train)\n",
    "function that is wrapped by its own command line": "@app.command()\ndef train(lr=0.1): ...\ntrain()\n",
    "parameter that is set again": "def main(lr=0.1):\n    lr = load()\nmain()\n",
    "call with others' arguments": "def train(lr=0.1): ...\ntrain(*args)\n",
    "call with others' keywords": "def train(lr=0.1): ...\ntrain(**config)\n",
    "class that is made twice": "class Config:\n    def __init__(self, lr=0.1): ...\na = Config()\nb = Config()\n",
    "secret": "def main(api_key='x'): ...\nmain()\n",
}


@pytest.mark.parametrize("case", OFFERED)
def test_argument_is_offered_and_not_sent(case: str) -> None:
    source, expected = OFFERED[case]
    schema = read(source)
    assert {it.name: it.default for it in schema.suggestions} == expected
    assert schema.hyperparameters == ()
    assert schema.validate({}) == {}
    assert schema.write_values(source, {}) == source


@pytest.mark.parametrize("case", NOT_OFFERED)
def test_argument_that_may_not_be_meant_is_not_offered(case: str) -> None:
    assert read(NOT_OFFERED[case]).suggestions == ()


@pytest.mark.parametrize(
    ("source", "values", "written"),
    [
        ("m.fit(x, epochs=5, lr=1e-3)\n", {"epochs": "7"}, "m.fit(x, epochs=7, lr=1e-3)\n"),
        ("a = Adam(p, lr=1e-3)\nb = SGD(p, lr=0.1)\n", {"SGD.lr": "1"}, "a = Adam(p, lr=1e-3)\nb = SGD(p, lr=1.0)\n"),
        ("def main(lr=0.1): ...\nmain()\n", {"lr": "0.5"}, "def main(lr=0.5): ...\nmain()\n"),
        ("def main(lr=0.1): ...\nmain(lr=0.2)\n", {"lr": "0.5"}, "def main(lr=0.1): ...\nmain(lr=0.5)\n"),
        ("def main(n): ...\nmain(3)\n", {"n": "4"}, "def main(n): ...\nmain(4)\n"),
        ("def main(*, on=True): ...\nmain()\n", {"on": "no"}, "def main(*, on=False): ...\nmain()\n"),
    ],
)
def test_given_value_is_written_into_the_argument(source: str, values: dict[str, object], written: str) -> None:
    schema = read(source)
    checked = schema.validate(values)
    assert schema.write_values(source, checked) == written
    assert set(schema.argument_styles(checked).values()) == {"assigned"}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("def main(lr=0.1, n=3):\n    return lr\nresult = main()\n", 0.5),
        ("def train(lr):\n    return lr\nresult = train(0.1)\n", 0.5),
        ("class Config:\n    def __init__(self, lr=0.1):\n        self.lr = lr\nresult = Config().lr\n", 0.5),
        ("class Config:\n    def __init__(self):\n        self.lr = 0.1\nresult = Config().lr\n", 0.5),
        (
            "def fit(x, epochs): return epochs\nclass M:\n    def go(self): return fit(self, epochs=3)\nresult = M().go()\n",
            9,
        ),
    ],
)
def test_value_that_was_written_is_the_one_in_use(source: str, value: float) -> None:
    schema = read(source)
    [it] = [it for it in schema.suggestions if it.name in ("lr", "epochs")]
    scope: dict[str, object] = {}
    exec(schema.write_values(source, schema.validate({it.name: str(value)})), scope)
    assert scope["result"] == value


def test_a_script_is_read_in_time_that_grows_with_its_length_alone() -> None:
    few, many = (min(seconds_to_read(count) for _ in range(3)) for count in (200, 1_600))
    assert many < 20 * few  # 8 times, where it is linear; 64 times, where each is looked at by itself


def seconds_to_read(count: int) -> float:
    """The time on the processor, of this thread alone, that a script of so many functions and classes takes."""
    source = "".join(f"def f{i}(lr=0.1): ...\nf{i}()\n" for i in range(count))
    source += "".join(
        f"class C{i}Config:\n    def __init__(self, lr=0.1): ...\nc{i} = C{i}Config()\n" for i in range(count)
    )
    started = time.thread_time()
    assert read(source).suggestions
    return time.thread_time() - started
