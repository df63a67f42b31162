"""What each library's declarations say: the table is `tests/support/declared_cases.py`."""

import pytest

from pai_jupyter.hyperparameters import Hyperparameter, Schema, read_schema
from tests.support.declared_cases import HYDRA, HYDRA_SCRIPT, OMEGACONF_SCRIPT, WRAPPED

CASES = [
    pytest.param(wrapper.replace("{}", code), expected, id=f"{library}: {code}")
    for library, (wrapper, cases) in WRAPPED.items()
    for code, expected in cases.items()
]


def said(declared: Hyperparameter) -> str:
    name = declared.name.removeprefix("model.")
    choices = "|".join(map(str, declared.choices))
    parts = [name, declared.type, str(declared.default), declared.style or "-", "!" * declared.required, choices]
    return " ".join(part for part in parts if part)


def all_of(schema: Schema) -> list[str]:
    return sorted(said(it) for it in (*schema.hyperparameters, *(channel.option for channel in schema.channels)))


@pytest.mark.parametrize(("script", "expected"), CASES)
def test_declaration_has_the_type_default_and_style_of_its_library(script: str, expected: str) -> None:
    assert all_of(read_schema(script)) == sorted(expected.splitlines())


@pytest.mark.parametrize("config", HYDRA)
def test_configuration_beside_the_script_is_what_hydra_overrides(config: str) -> None:
    schema = read_schema(HYDRA_SCRIPT, file={"conf/config.yaml": config}.get)
    assert all_of(schema) == sorted(HYDRA[config].splitlines())


@pytest.mark.parametrize("config", [each for each in HYDRA if "defaults" not in each and "hydra" not in each])
def test_file_that_omegaconf_loads_is_what_the_command_line_overrides(config: str) -> None:
    schema = read_schema(OMEGACONF_SCRIPT, file={"conf/config.yaml": config}.get)
    assert all_of(schema) == sorted(line.replace(" hydra", " dotlist") for line in HYDRA[config].splitlines())


@pytest.mark.parametrize("library", WRAPPED)
def test_classes_and_functions_that_a_library_reads_are_no_suggestions_too(library: str) -> None:
    wrapper, cases = WRAPPED[library]
    if library == "LightningCLI":
        return  # its Trainer has options of its own
    for code in cases:
        names = {it.name for it in read_schema(wrapper.replace("{}", code)).hyperparameters}
        offered = {it.name.rpartition(".")[2] for it in read_schema(wrapper.replace("{}", code)).suggestions}
        assert not names & offered


@pytest.mark.parametrize(
    ("decorator", "path"),
    [
        ("@hydra.main(config_path='conf', config_name='train.yaml')", "conf"),
        ("@hydra.main('conf', 'train')", "conf"),
        ("@hydra.main(config_path='conf/train.yaml')", "conf"),
        ("@hydra.main(config_path='../conf', config_name='train')", "../conf"),
        ("@hydra.main(config_path=root / 'conf', config_name='train')", "../conf"),
        ("@hydra.main(config_path=str(root / 'conf'), config_name='train')", "conf"),
        ("@hydra.main(config_path=os.path.join(HERE, 'conf'), config_name='train')", "conf"),
        ("@hydra.main(version_base='1.3', config_name='train')", "."),
    ],
)
def test_configuration_is_found_where_hydra_finds_it(decorator: str, path: str) -> None:
    files = {
        f"{path}/train.yaml".removeprefix(
            "./"
        ): "defaults:\n  - _self_\n  - model: small.yaml\n  - hydra: default.yaml\n"
        '  - experiment: null\n  - optional local: default.yaml\n  - override /hydra/launcher: x\ntags: ["dev"]\n',
        f"{path}/model/small.yaml".removeprefix("./"): "_target_: m.Net\noptimizer:\n  lr: 1e-3\n",
    }
    schema = read_schema(f"import hydra\n{decorator}\ndef main(cfg): ...\nmain()\n", file=files.get)
    assert {it.name for it in schema.hyperparameters} == {"model", "experiment", "local", "tags", "model.optimizer.lr"}
    model = schema.find("model")
    assert model is not None
    assert model.default_text == "small"


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        ("", ["optim.lr Float None - !", "optim.n Int 3 -"]),
        (" = Optim(0.5)", ["optim.lr Float 0.5 -", "optim.n Int 3 -"]),
        (" = Optim(0.5, 7)", ["optim.lr Float 0.5 -", "optim.n Int 7 -"]),
        (" = field(default_factory=lambda: Optim(lr=1, n=2))", ["optim.lr Float 1.0 -", "optim.n Int 2 -"]),
        (" = field(default_factory=make)", ["optim.lr Float None -", "optim.n Int 3 -"]),
    ],
)
def test_fields_within_a_field_have_the_defaults_that_it_gives_them(default: str, expected: list[str]) -> None:
    source = f"""
import tyro
@dataclass
class Optim:
    lr: float
    n: int = 3
@dataclass
class Args:
    optim: Optim{default}
tyro.cli(Args)
"""
    assert all_of(read_schema(source)) == expected


HYDRA_GROUP = "import hydra\n@hydra.main(config_path='conf', config_name='train')\ndef main(cfg): ...\nmain()\n"


@pytest.mark.parametrize(
    ("beside", "more", "choices"),
    [
        (("small.yaml", "large.yaml", "notes.md", "_base.yaml"), "", ("large", "small")),
        (("large.yaml", "huge.yaml"), "", ()),  # what is chosen lies elsewhere
        (("small.yaml", "large.yaml"), "from hydra.core.config_store import ConfigStore\n", ()),
        ((), "", ()),
    ],
)
def test_files_of_a_group_are_its_choices(beside: tuple[str, ...], more: str, choices: tuple[str, ...]) -> None:
    files = {"conf/train.yaml": "defaults:\n  - model: small\n"}
    listed = {"conf/model": beside}
    schema = read_schema(f"{more}{HYDRA_GROUP}", file=files.get, names=lambda path: listed.get(path, ()))
    model = schema.find("model")
    assert model is not None
    assert (model.choices, model.default) == (choices, "small" if choices else None)
    assert schema.validate({}) == {}


@pytest.mark.parametrize(("usage", "is_refused"), [("<x>", True), ("[--] <x>", False)])
def test_docopt_takes_a_value_with_a_dash_for_an_option(usage: str, is_refused: bool) -> None:
    schema = read_schema(f'"""Usage: t.py {usage}"""\nfrom docopt import docopt\ndocopt(__doc__)\n')
    refused = {"x": "`x` is '-5'; it must be text that does not begin with -."}
    assert schema.errors({"x": "-5"}) == (refused if is_refused else {})
    assert schema.errors({"x": "5-"}) == {}
