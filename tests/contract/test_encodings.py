"""Values as the parsers behind a script write them; what they read was asked of fire 0.7.1, OmegaConf 2.3.1, Hydra 1.3.8."""

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.contract.encodings import as_dotlist, as_hydra, as_python, as_yaml
from pai_jupyter.contract.words import user_args
from pai_jupyter.spec import ArgumentStyle, JobSpec, Json

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
PLAIN = st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
VALUES = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(TEXT, PLAIN, max_size=3)


@pytest.mark.parametrize(
    ("value", "python", "yaml", "hydra"),
    [
        ("adam", "adam", "adam", "adam"),
        ("data/train", "data/train", "data/train", "data/train"),
        ("1e3", "'1e3'", '"1e3"', '"1e3"'),
        ("true", "'true'", '"true"', '"true"'),
        ("None", "'None'", '"None"', '"None"'),
        ("a=b", r"'a\x3db'", '"a=b"', '"a=b"'),
        ('a"b', "'a\"b'", r'"a\"b"', r'"a\"b"'),
        ("a\\", r"'a\\'", r'"a\\"', r'"a\\"'),
        ("训练", "'训练'", '"训练"', '"训练"'),
        (True, "True", "true", "true"),
        (1e-05, "1e-05", "1.0e-05", "1.0e-05"),
        (1e20, "1e+20", "1.0e+20", "1.0e+20"),
        (math.inf, "1e999", ".inf", "inf"),
        (-math.inf, "-1e999", "-.inf", "-inf"),
        ([1, "a"], "[1,'a']", "[1,a]", "[1,a]"),
        ({"a": 1}, "{'a': 1}", "{a: 1}", "{a: 1}"),
    ],
)
def test_value_is_written_as_its_parser_reads_it(value: Json, python: str, yaml: str, hydra: str) -> None:
    assert (as_python(value), as_yaml(value), as_hydra(value)) == (python, yaml, hydra)


def test_text_that_looks_like_another_key_is_escaped_for_omegaconf_and_hydra() -> None:
    assert as_dotlist("${x}") == r'"\\${x}"'
    assert as_hydra("${x}") == r'"\${x}"'
    assert as_yaml("${x}") == '"${x}"'


@given(VALUES)
def test_python_reads_its_literal_back(value: Json) -> None:
    written = as_python(value)
    assert "=" not in written.replace(r"\x3d", "")
    try:
        read = ast.literal_eval(written)
    except (SyntaxError, ValueError):
        read = written
    assert repr(read) == repr(value)


@given(VALUES)
def test_yaml_reads_its_value_back(value: Json) -> None:
    yaml = pytest.importorskip("yaml")
    assert repr(yaml.safe_load(as_yaml(value))) == repr(value)


@pytest.mark.parametrize(
    ("styles", "words"),
    [
        ({"a": "positional", "b": "flag"}, ("x", "--b")),
        ({"b": "flag", "a": "positional"}, ("x", "--b")),
        ({"a": "command", "b": "flag"}, ("x", "--b")),
        ({"b": "no_prefix", "a": "glued"}, ("--b", "--a=x")),
        ({"b": "inner_switch", "a": "override"}, ("--b", "a=x")),
    ],
)
def test_words_stand_in_the_order_that_parsers_need(styles: dict[str, ArgumentStyle], words: tuple[str, ...]) -> None:
    values: dict[str, Json] = {"a": "x", "b": True}
    spec = JobSpec(
        name="x", command="x", hyperparameters={name: values[name] for name in styles}, argument_styles=styles
    )
    assert user_args(spec) == words


@pytest.mark.parametrize(
    ("style", "name", "word"),
    [
        ("inner_switch", "optim.amp", "--optim.no-amp"),
        ("inner_switch", "amp", "--no-amp"),
        ("switch", "amp", "--no-amp"),
        ("no_prefix", "amp", "--noamp"),
        ("literal", "amp", "--amp=False"),
        ("yaml", "amp", "--amp=false"),
        ("dotlist", "optim.amp", "optim.amp=false"),
        ("hydra", "optim.amp", "optim.amp=false"),
    ],
)
def test_false_reaches_each_library_as_false(style: ArgumentStyle, name: str, word: str) -> None:
    spec = JobSpec(name="x", command="x", hyperparameters={name: False}, argument_styles={name: style})
    assert user_args(spec) == (word,)
