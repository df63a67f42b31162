"""What the options of a script's `argparse` declare, read without running it."""

import pytest

from pai_jupyter.hyperparameters import Hyperparameter, read_schema
from tests.support.schemas import read, types


def option(arguments: str) -> Hyperparameter:
    """The hyperparameter that `p.add_argument(arguments)` declares."""
    (only,) = read_schema(f"p.add_argument({arguments})").hyperparameters
    return only


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('"--n", type=int, default=5', {"type": "Int", "default": 5}),
        ('"--n", type=int, default="5"', {"type": "Int", "default": 5}),
        ('"--n", type=float, default=1', {"type": "Float", "default": 1.0}),
        ('"--n", type=float, default=-1e-3', {"type": "Float", "default": -0.001}),
        ('"--n", default="x"', {"type": "String", "default": "x"}),
        ('"--n", default="a" "b"', {"type": "String", "default": "ab"}),
        ('"-n", "--number", type=int', {"name": "number", "type": "Int"}),
        ('"--batch-size", "--bs", type=int', {"name": "batch-size", "aliases": ("bs",)}),
        ('"--n", dest="other", type=int', {"name": "n", "type": "Int"}),
        ('"--n", required=True', {"required": True}),
        ('"--n", type=int, choices=[1, 2]', {"choices": (1, 2)}),
        ('"--n", choices={"b", "a"}', {"choices": ("b", "a")}),
        ('"--n", type=float, choices=(1, 2)', {"choices": (1.0, 2.0)}),
        ('"--n", type=int, choices=range(1, 10)', {"minimum": 1, "maximum": 9, "choices": ()}),
        ('"--n", type=int, choices=range(10)', {"minimum": 0, "maximum": 9}),
        ('"--n", type=int, choices=range(0, 7, 3)', {"choices": (0, 3, 6)}),
        ('"--n", choices=sorted(NAMES)', {"choices": (), "type": "String"}),
        ('"--n", type=json.loads, default=\'{"a": 1}\'', {"type": "Json", "default": {"a": 1}}),
        ('"--n", help="of %(default)s, 100%% %(type)s", default=3, type=int', {"help": "of 3, 100% Int"}),
        ('"--n", help="""two\n lines"""', {"help": "two lines"}),
        ('"--n", help=argparse.SUPPRESS', {"help": ""}),
        ('"--n", nargs="?", type=int, default=3', {"type": "Int", "default": 3, "style": None}),
        (
            '"--n", nargs="+", type=int, default=[1, 2]',
            {"type": "Json", "default": [1, 2], "style": "words", "item_type": "Int"},
        ),
        ('"--n", nargs=2, type=float', {"type": "Json", "style": "words", "item_type": "Float"}),
        ('"--n", nargs="*", default=[]', {"default": None, "default_text": "[]"}),
        ('"--n", nargs="*", type=int', {"style": "words", "may_be_empty": True}),
        ('"--n", nargs="+", type=int', {"style": "words", "may_be_empty": False}),
        (
            '"--n", action="append", type=int',
            {"type": "Json", "default": None, "style": "repeat", "item_type": "Int", "may_be_empty": True},
        ),
        ('"--n", action="append", default=["a"]', {"default": None, "default_text": "['a']"}),
        ('"--n", "-v", action="count"', {"type": "Int", "style": "count", "default": None, "letters": ("v",)}),
        ('"--n", action="count", default=0', {"type": "Int", "style": "count", "default": 0}),
        ('"--n", action="count", default=2', {"style": "count", "default": None, "default_text": "2"}),
        ('"-lr", type=float, default=0.1', {"name": "lr", "type": "Float", "style": "dash", "default": 0.1}),
        ('"-q", action="store_true"', {"name": "q", "type": "Bool", "style": "dash_flag", "default": False}),
    ],
)
def test_argparse_option(arguments: str, expected: dict[str, object]) -> None:
    declared = option(arguments)
    assert {name: getattr(declared, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("arguments", "style", "default"),
    [
        ('"--amp", action="store_true"', "flag", False),
        ('"--amp", action="store_true", default=None', "flag", None),
        ('"--amp", action="store_false"', "no_flag", True),
        ('"--no-amp", dest="amp", action="store_false"', "flag", False),
        ('"--adam", dest="optimizer", action="store_const", const="adam"', "flag", False),
        ('"--amp", action=argparse.BooleanOptionalAction, default=True', "switch", True),
        ('"--amp", action=BooleanOptionalAction', "switch", None),
        ('"--amp", type=bool, default=True', "truthy", True),
        ('"--amp", type=bool, default="False"', "truthy", None),  # true to bool(), false to a reader
        ('"--amp", type=str2bool, default=True', None, True),
        ('"--amp", type=util.strtobool, default="no"', None, False),
    ],
)
def test_argparse_bool(arguments: str, style: str | None, default: bool | None) -> None:
    declared = option(arguments)
    assert (declared.type, declared.style, declared.default) == ("Bool", style, default)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('"--n", type=int, default=os.cpu_count()', "os.cpu_count()"),
        ('"--n", type=int, default=2 * 16', "2 * 16"),
        ('"--n", type=int, default=0.5', "0.5"),
        ('"--n", default=5', "5"),
        ('"--n", default=True', "True"),
        ('"--n", type=lambda s: s.split(","), default=[1]', "[1]"),
        ('"--n", type=positive, default=3', "3"),
        ('"--n", choices=["a", "b"], default="c"', "'c'"),
        ('"--n", default=argparse.SUPPRESS', "argparse.SUPPRESS"),
    ],
)
def test_default_that_text_cannot_carry_is_shown_and_not_sent(arguments: str, text: str) -> None:
    schema = read_schema(f"p.add_argument({arguments})")
    assert schema.hyperparameters[0].default_text == text
    assert schema.validate({}) == {}


def test_options_are_found_on_any_receiver() -> None:
    schema = read(
        """
        def options(root):
            group = root.add_argument_group("training")
            group.add_argument("--lr", type=float, default=0.1)
            root.add_subparsers().add_parser("fit").add_argument("--steps", type=int)
            return group.add_argument("--seed", type=int)
        """
    )
    assert types(schema) == {"lr": "Float", "seed": "Int", "command": "String", "steps": "Int"}
    assert [it.commands for it in schema.hyperparameters] == [(), (), (), ("fit",)]


@pytest.mark.parametrize("parse", ["p.parse_args()", "main(vars(parser().parse_args()))", "p.parse_args(sys.argv[1:])"])
def test_parse_args_is_strict(parse: str) -> None:
    assert read_schema(f'p.add_argument("--lr")\n{parse}').strict


@pytest.mark.parametrize(
    "parse",
    [
        "p.parse_known_args()",
        "parse_args()",
        "p.parse_args([])",
        "p.parse_args(args='')",
        "p.add_argument(name)\np.parse_args()",
        "",
    ],
)
def test_script_that_may_take_other_options_is_not_strict(parse: str) -> None:
    assert not read_schema(f'p.add_argument("--lr")\n{parse}').strict


def test_options_are_all_long_names() -> None:
    schema = read(
        """
        p.add_argument("-e", "--epochs", "--num-epochs", type=int)
        p.add_argument("--train_data")
        p.add_argument("--amp", action=argparse.BooleanOptionalAction)
        p.add_argument("-x")
        """
    )
    assert schema.options == {"epochs", "num-epochs", "train_data", "amp", "no-amp"}


def test_set_defaults_goes_over_the_default() -> None:
    schema = read('p.add_argument("--learning-rate", type=float, default=0.1)\np.set_defaults(learning_rate=0.5)')
    assert schema.validate({}) == {"learning-rate": 0.5}


def test_set_defaults_with_an_unknown_dict_leaves_no_default_known() -> None:
    schema = read('p.add_argument("--lr", type=float, default=0.1)\np.set_defaults(**config)')
    assert schema.validate({}) == {}
    assert schema.hyperparameters[0].default_text == "0.1"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('p.add_argument("数据")', "cannot be a hyperparameter"),
        ('p.add_argument("-e", type=int, nargs=2)', "no long name"),
        ('p.add_argument("--学习率", type=float)', "cannot be a hyperparameter"),
        ('p.add_argument("--epochs", default=10)', "no type="),
        ("p.parse_args([])", "write parse_args()"),
        ("lr = compute()  # hp: [0..1]", "no effect"),
        ("_lr = 0.1  # hp: [0..1]", "cannot be a hyperparameter"),
    ],
)
def test_what_gets_no_value_is_noted_with_its_line(source: str, words: str) -> None:
    (note,) = read_schema(f"import os\n{source}").notes
    assert note.line == 2
    assert words in note.text
