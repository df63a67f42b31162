"""A cell is completed from the cells that ran: which statements are taken, which names are values, which are missing."""

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.cell import Completion, complete_cell, complete_script, lint, read_cell
from tests.support.notebooks import Notebook, above, ran


def texts(completion: Completion) -> list[str]:
    return [each.text for each in completion.taken]


def values(completion: Completion) -> dict[str, str]:
    return {each.name: each.type for each in completion.values}


def missing(completion: Completion) -> dict[str, str]:
    return dict(completion.missing or {})


# imports


@pytest.mark.parametrize(
    ("cell", "use", "taken"),
    [
        ("import json", "json.dumps(1)", "import json"),
        ("import os.path as p", "p.join('a')", "import os.path as p"),
        ("import os, json, re", "json.dumps(1)", "import json"),
        ("import json as j, re", "j.dumps(1); re.compile('a')", "import json as j, re"),
        ("from os import path, sep as s", "s", "from os import sep as s"),
        (
            "from os import (\n    path,\n    sep,  # both\n)",
            "sep; path",
            "from os import (\n    path,\n    sep,  # both\n)",
        ),
        ("from os import path, \\\n    sep", "sep; path", "from os import path, \\\n    sep"),
        ("import json  # for reports", "json.dumps(1)", "import json  # for reports"),
        ("x = 1; import json", "json.dumps(1)", "import json"),
        ("%matplotlib inline\nimport json", "json.dumps(1)", "import json"),
        ("%%time\nimport json", "json.dumps(1)", "import json"),
        ("%%capture out\nimport json", "json.dumps(1)", "import json"),
        ("!pip install json5\nimport json", "json.dumps(1)", "import json"),
        ("    import json", "json.dumps(1)", "import json"),
        ("import json\r\nimport re", "json.dumps(1)", "import json"),
    ],
)
def test_an_import_of_another_cell_is_taken(cell: str, use: str, taken: str) -> None:
    assert texts(ran(cell).complete(use)) == [taken]


def test_each_import_of_a_package_counts() -> None:
    notebook = ran("import xml.dom", "import xml.sax", "import xml.etree.ElementTree")
    assert texts(notebook.complete("xml.etree; xml.dom")) == [
        "import xml.dom", "import xml.sax", "import xml.etree.ElementTree"
    ]  # fmt: skip


def test_both_branches_of_a_guarded_import_are_taken() -> None:
    guarded = "try:\n    import nothing_here\nexcept ImportError:\n    nothing_here = None"
    assert texts(ran(guarded).complete("print(nothing_here)")) == [guarded]


def test_a_guarded_import_that_prints_runs_something() -> None:
    guarded = "try:\n    import nothing_here\nexcept ImportError:\n    print('no'); nothing_here = None"
    assert values(ran(guarded).complete("nothing_here")) == {"nothing_here": "NoneType"}


def test_an_import_that_is_only_for_type_checkers_is_taken() -> None:
    block = "if TYPE_CHECKING:\n    import json"
    notebook = ran("from typing import TYPE_CHECKING", block, "import json")
    assert texts(notebook.complete("json.dumps(1)")) == ["import json"]
    assert texts(ran("from typing import TYPE_CHECKING", "X: int = 1", block).complete("X")) == ["X: int = 1"]


def test_a_name_of_a_star_import_is_imported_by_name() -> None:
    assert texts(ran("from math import *").complete("print(sqrt(4), pi)")) == ["from math import pi, sqrt"]


def test_without_a_kernel_a_star_import_above_is_taken_whole() -> None:
    completion = complete_cell("print(sqrt(4))", above("from math import *"))
    assert texts(completion) == ["from math import *"]


def test_a_later_definition_hides_the_star_import() -> None:
    notebook = ran("from math import *", "def sqrt(x):\n    return 0")
    assert texts(notebook.complete("sqrt(4)")) == ["def sqrt(x):\n    return 0"]


# functions


def test_a_function_comes_with_what_it_needs() -> None:
    notebook = ran("import json", "INDENT = 2", "def dump(x):\n    return json.dumps(x, indent=INDENT)")
    assert texts(notebook.complete("dump(1)")) == [
        "import json", "INDENT = 2", "def dump(x):\n    return json.dumps(x, indent=INDENT)"
    ]  # fmt: skip


def test_what_is_needed_is_found_through_several_functions() -> None:
    notebook = ran("import json", "def a():\n    return json", "def b():\n    return a()", "def c():\n    return b()")
    assert notebook.complete("c()").names == ("json", "a", "b", "c")


def test_functions_that_call_each_other_are_taken_once() -> None:
    notebook = ran("def even(n):\n    return n == 0 or odd(n - 1)", "def odd(n):\n    return n != 0 and even(n - 1)")
    assert notebook.complete("even(4)").names == ("even", "odd")
    assert notebook.job("x = even(4)")["x"] is True


def test_recursion_needs_nothing() -> None:
    notebook = ran("def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)")
    assert notebook.job("x = fact(5)")["x"] == 120


def test_the_last_definition_counts() -> None:
    notebook = ran("def f():\n    return 1", "def f():\n    return 2")
    assert notebook.job("x = f()")["x"] == 2


def test_of_a_cell_that_ran_twice_the_last_run_counts() -> None:
    notebook = Notebook()
    notebook.run("def f():\n    return 1", id="a")
    notebook.run("def f():\n    return 2", id="a")
    assert [each.cell for each in notebook.complete("f()").taken] == [2]


def test_local_names_of_a_function_are_not_needed() -> None:
    notebook = ran("helper = 1", "def f(data):\n    helper = data\n    return [helper for helper in helper]")
    assert notebook.complete("f([])").names == ("f",)


def test_a_closure_and_nonlocal_stay_inside() -> None:
    notebook = ran(
        "def counter():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n    return step"
    )
    assert notebook.job("x = counter()()")["x"] == 1


def test_a_lambda_is_a_function() -> None:
    notebook = ran("import math", "area = lambda r: math.pi * r ** 2")
    assert notebook.complete("area(1)").names == ("math", "area")
    assert notebook.complete("area(1)").taken[1].kind == "function"


@pytest.mark.parametrize(
    "decorated",
    [
        "@functools.lru_cache\ndef f():\n    return 1",
        "@functools.lru_cache(maxsize=2)\ndef f():\n    return 1",
        "@functools.wraps(len)\ndef f(*a):\n    return 1",
    ],
)
def test_an_imported_decorator_may_be_called(decorated: str) -> None:
    notebook = ran("import functools", decorated)
    assert texts(notebook.complete("f()")) == ["import functools", decorated]


def test_a_decorator_of_the_notebook_runs_something() -> None:
    notebook = ran("def timed(f):\n    print('timed')\n    return f", "@timed\ndef f():\n    return 1")
    completion = notebook.complete("f()")
    assert (texts(completion), values(completion)) == ([], {"f": "function"})


@pytest.mark.parametrize("default", ["open('x')", "make()", "[make() for _ in range(2)]", "(yield)"])
def test_a_default_that_calls_what_is_not_imported_runs_something(default: str) -> None:
    completion = complete_cell("f()", above("def make():\n    return 1", f"def f(x={default}):\n    return x"))
    assert texts(completion) == []


def test_a_default_may_call_what_is_imported_and_harmless_builtins() -> None:
    source = "def f(x=field(default=1), y=tuple(range(3)), z='a b'.split()):\n    return y"
    notebook = ran("from dataclasses import field", source)
    assert notebook.job("x = f()")["x"] == (0, 1, 2)


def test_a_default_is_defined_before_its_function() -> None:
    notebook = ran("SIZE = 3", "def f(n=SIZE):\n    return n", "SIZE = 3")
    assert [each.names for each in notebook.complete("f()").taken] == [("SIZE",), ("f",)]


def test_an_async_function_is_taken() -> None:
    notebook = ran("async def f():\n    return 1")
    assert notebook.complete("f()").names == ("f",)


# classes


def test_a_class_comes_with_its_base_of_another_cell() -> None:
    notebook = ran("class Base:\n    x = 1", "class Net(Base):\n    pass")
    assert notebook.job("x = Net().x")["x"] == 1


def test_a_base_that_was_redefined_later_still_comes_first() -> None:
    notebook = ran("class Base:\n    x = 1", "class Net(Base):\n    pass", "class Base:\n    x = 2")
    assert [each.names for each in notebook.complete("Net()").taken] == [("Base",), ("Net",)]
    assert notebook.job("x = Net().x")["x"] == 2


def test_super_private_names_and_properties_do_not_look_changed() -> None:
    net = (
        "class Net(Base):\n"
        "    def __init__(self):\n        super().__init__()\n        self.__x = 1\n"
        "    def __hidden(self):\n        return self.__x\n"
        "    @property\n    def x(self):\n        return self.__hidden()\n"
        "    @x.setter\n    def x(self, value):\n        self.__x = value\n"
        "    @staticmethod\n    def s():\n        return __class__\n"
    )
    notebook = ran("class Base:\n    def __init__(self):\n        self.b = 2", net)
    job = notebook.job("n = Net()\nn.x = 5\nx = n.x")
    assert job["x"] == 5


def test_code_that_has_run_often_is_still_the_same() -> None:
    notebook = ran("class A:\n    def f(self, n):\n        return n + 1\n\ndef g(n):\n    return n * 2")
    notebook.run("for i in range(2000): A().f(i); g(i)")
    assert set(notebook.complete("A().f(1); g(2)").names) == {"A", "g"}


def test_a_dataclass_is_taken() -> None:
    code = "@dataclass(frozen=True)\nclass Config:\n    lr: float = 0.1\n    layers: list = field(default_factory=list)"
    notebook = ran("from dataclasses import dataclass, field", code)
    assert notebook.job("x = Config().lr")["x"] == 0.1


def test_an_enum_is_taken() -> None:
    notebook = ran("import enum", "class Mode(enum.Enum):\n    TRAIN = enum.auto()\n    TEST = enum.auto()")
    assert notebook.job("x = Mode.TEST.value")["x"] == 2


def test_a_named_tuple_and_an_abstract_class_are_taken() -> None:
    notebook = ran(
        "from typing import NamedTuple\nimport abc",
        "class P(NamedTuple):\n    x: int = 1",
        "class A(abc.ABC):\n    @abc.abstractmethod\n    def f(self): ...\n",
        "class B(A):\n    def f(self):\n        return P().x",
    )
    assert notebook.job("x = B().f()")["x"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "print('x')",
        "table = make()",
        "for i in range(3):\n        pass",
        "with open('x'):\n        pass",
        "x = open('y')",
    ],
)
def test_a_class_body_that_runs_something_makes_a_value(body: str) -> None:
    completion = complete_cell("Net()", above("def make():\n    return 1", f"class Net:\n    {body}"))
    assert (texts(completion), values(completion)) == ([], {"Net": ""})


def test_a_class_body_may_call_what_is_imported() -> None:
    notebook = ran(
        "import collections", "class Net:\n    counts = collections.Counter('ab')\n    names = sorted(['b', 'a'])"
    )
    assert notebook.job("x = Net.names")["x"] == ["a", "b"]


def test_a_patched_class_is_a_value() -> None:
    notebook = ran("class Net:\n    def f(self):\n        return 1", "def g(self):\n    return 2", "Net.f = g")
    assert values(notebook.complete("Net().f()")) == {"Net": "type"}


def test_a_method_added_from_outside_makes_a_value() -> None:
    notebook = ran("class Net:\n    def f(self):\n        return 1", "def g(self):\n    return 2", "Net.g = g")
    assert values(notebook.complete("Net().g()")) == {"Net": "type"}


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("class Net:\n    def f(self):\n        return 1", "Net.f = lambda self: 2"),
        ("class Net:\n    def f(self):\n        return 1", "def g(self): ...\nsetattr(Net, 'f', g)"),
        ("def Net():\n    return 1", "Net.cache = {}"),
        ("Net = {'lr': 1}", "Net['lr'] = 2"),
        ("Net = {'lr': 1}", "def tune(trial):\n    Net['lr'] = trial"),
        ("Net = {'lr': 1}", "Net.update(lr=2)"),
        ("Net = [1]", "for n in range(3):\n    Net.append(n)"),
        ("Net = {'lr': 1}", "del Net['lr']"),
        ("Net = {'lr': 1}", "Net['lr'] *= 2"),
        ("from functools import singledispatch\n@singledispatch\ndef Net(x): ...", "@Net.register\ndef _(x: int): ..."),
    ],
)
def test_what_a_later_statement_changes_is_a_value_also_without_a_kernel(code: str, change: str) -> None:
    assert values(complete_cell("Net()", above(code, change))) == {"Net": ""}
    assert values(complete_cell("Net()", above(f"{code}\n{change}"))) == {"Net": ""}
    assert values(complete_cell("Net()", above(change, code))) == {}


def test_a_class_attribute_that_is_used_in_the_body_is_no_need() -> None:
    notebook = ran("class Net:\n    a = 1\n    b = a + 1\n    def f(self):\n        return self.b")
    assert notebook.job("x = Net().f()")["x"] == 2


# constants


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("x = 0.1", 0.1),
        ("x: float = 0.1", 0.1),
        ("x = 0.1\nx: float", 0.1),
        ("x = -3", -3),
        ("x = 'text'", "text"),
        ("x = [1, 2, (3, 4)]", [1, 2, (3, 4)]),
        ("x = {'lr': 0.1, 'layers': [64, 64]}", {"lr": 0.1, "layers": [64, 64]}),
        ("x = {1, 2}", {1, 2}),
        ("x = 2 ** 10 * 3 // 2", 1536),
        ("a, x = 1, 2", 2),
        ("x = y = 3", 3),
        ("(\n    a,\n    x,\n) = 1, 2", 2),
        ("[a,\n x\n] = 1, 2", 2),
        ("x: dict[\n    str, int\n] = {'a': 1}", {"a": 1}),
        ("x = None", None),
        ("x = ...", ...),
        ("x = not True", False),
        ("x = 'a' + 'b'", "ab"),
        ("x = [0] * 3", [0, 0, 0]),
        ("x = '''two\n  lines'''", "two\n  lines"),
        ("BATCH = 8\nx = BATCH * 2", 16),
        ("NAME = 'net'\nx = f'{NAME}.pt'", "net.pt"),
        ("TABLE = {'a': 1}\nx = TABLE['a']", 1),
        ("%time x = 5", 5),
    ],
)
def test_a_plain_constant_is_taken(code: str, value: object) -> None:
    notebook = ran(code)
    assert "x" in notebook.complete("print(x)").names
    assert notebook.job("y = x")["y"] == value


def test_an_attribute_of_a_module_is_a_constant() -> None:
    notebook = ran("import math", "x = math.pi\nf = math.sqrt")
    assert notebook.job("y = f(x)")["y"] == pytest.approx(1.7724, abs=1e-3)


def test_a_comment_of_a_hyperparameter_is_taken_with_it() -> None:
    assert texts(ran("lr: float = 0.1  # hp: [0..1]").complete("print(lr)")) == ["lr: float = 0.1  # hp: [0..1]"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("x = list(range(3))", "list"),
        ("x = [i for i in range(3)]", "list"),
        ("x = 1\nx += 1", "int"),
        ("for x in range(3):\n    pass", "int"),
        ("import io\nwith io.StringIO() as x:\n    pass", "StringIO"),
        ("if (x := 5):\n    pass", "int"),
        ("print(x := 5)", "int"),
        ("[x := i for i in range(3)]", "int"),
        ("a, x = divmod(7, 2)", "int"),
        ("x = 1\nx = x + 1", "int"),
        ("y = [1]\nx = y.copy()", "list"),
        ("def f():\n    global x\n    x = 5\nf()", "int"),
        ("class C: pass\nx = C()", "C"),
        ("x = !ls", "list"),
        ("x = %pwd", "str"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    x = str(e)", "str"),
        ("while True:\n    x = 3\n    break", "int"),
        ("match 3:\n    case x: pass", "int"),
        ("exec('x = 1')", "int"),
        ("import os\nx = os.environ['PATH']", "str"),
        ("y = 3\nx = 1 if y > 2 else 2", "int"),
        ("globals()['x'] = 1", "int"),
    ],
)
def test_what_a_running_statement_binds_is_a_value(code: str, kind: str) -> None:
    completion = ran(code).complete("print(x)")
    assert (texts(completion), values(completion)) == ([], {"x": kind})


@pytest.mark.parametrize("change", ["x.append(4)", "x[0] = 9", "x += [1]", "globals()['x'] = [5]", "x.clear()"])
def test_a_constant_that_changed_since_is_a_value(change: str) -> None:
    completion = ran("x = [1, 2]", change).complete("print(x)")
    assert (texts(completion), values(completion)) == ([], {"x": "list"})


@pytest.mark.parametrize("held", [True, 1.0, "1"])
def test_a_constant_of_another_type_is_another_value(held: object) -> None:
    notebook = ran("x = 1")
    notebook.names["x"] = held
    assert texts(notebook.complete("x")) == []


def test_a_constant_made_from_data_is_a_value() -> None:
    completion = ran("data = dict(a=1)", "n = data['a']").complete("print(n)")
    assert (texts(completion), values(completion)) == ([], {"n": "int"})


def test_comparing_never_calls_code_of_the_user() -> None:
    notebook = ran("x = 1")
    notebook.run("class Bad(int):\n    def __eq__(self, other): raise SystemExit\n    __hash__ = None\nx = Bad(1)")
    notebook.cells.pop()
    assert values(notebook.complete("x")) == {"x": "Bad"}


def test_a_huge_power_is_not_computed() -> None:
    notebook = ran("x = 1")
    notebook.cells[0] = above("x = 10 ** 10 ** 10")[0]
    assert notebook.complete("x").names in ((), ("x",))


def test_a_conditional_definition_is_taken_with_all_its_branches() -> None:
    block = "if DEBUG:\n    EPOCHS = 1\nelse:\n    EPOCHS = 10"
    notebook = ran("DEBUG = False", block)
    assert texts(notebook.complete("EPOCHS")) == ["DEBUG = False", block]


def test_a_condition_that_calls_makes_a_value() -> None:
    notebook = ran("import os\nif os.path.exists('x'):\n    device = 'a'\nelse:\n    device = 'b'")
    assert values(notebook.complete("device")) == {"device": "str"}


def test_only_the_wanted_name_of_a_statement_is_bound_where_another_cell_binds_the_rest() -> None:
    notebook = ran("def b():\n    return 1", "a = c = 2", "def c():\n    return b()")
    job = notebook.job("x = a, c()")
    assert job["x"] == (2, 1)


# what is in the kernel, and what is not


def test_nothing_is_needed_by_a_cell_that_defines_all() -> None:
    completion = ran("import os\nx = 1").complete("import os\nx = 2\nprint(os, x, __name__, len)")
    assert completion == Completion(missing={}, refused={})


def test_data_is_a_value_with_its_cell_and_type() -> None:
    completion = ran("import collections", "\n\ndf = collections.Counter('ab')").complete("print(df)")
    [value] = completion.values
    assert (value.name, value.type, value.cell, value.line) == ("df", "Counter", 2, 3)
    assert completion.sentences()["df"] == (
        "`df` is a value of cell [2] (Counter), which the job does not see. Send it along: --send df"
    )


def test_a_name_that_nobody_defines_is_missing() -> None:
    assert missing(ran("x = 1").complete("print(nothing)")) == {"nothing": ""}


def test_a_deleted_name_is_missing_and_says_so() -> None:
    notebook = ran("x = 1", "del x")
    assert missing(notebook.complete("x")) == {"x": "`x` was deleted in cell [2]; define it in the cell."}
    assert missing(complete_cell("x", above("x = 1", "del x"))) == missing(notebook.complete("x"))


def test_a_name_that_a_reset_removed_is_missing_and_says_so() -> None:
    notebook = ran("def f():\n    return 1")
    del notebook.names["f"]
    assert "has it no more" in missing(notebook.complete("f()"))["f"]


def test_a_name_left_out_is_missing() -> None:
    completion = ran("import json\ndef f():\n    return json").complete("f(); json", leave_out=("json",))
    assert (completion.names, missing(completion)) == (("f",), {"json": ""})


def test_a_shadowed_builtin_is_that_of_the_notebook() -> None:
    notebook = ran("def print(*args):\n    return 'mine'")
    assert notebook.job("x = print(1)")["x"] == "mine"
    assert ran("y = 1").complete("print(max(1, 2))").names == ()


@pytest.mark.parametrize("name", ["_", "Out[3]", "In[1]", "display(1)", "get_ipython()"])
def test_names_of_the_notebook_itself_are_left_to_the_linter(name: str) -> None:
    completion = ran("x = 1").complete(f"print({name})")
    assert (texts(completion), values(completion), missing(completion)) == ([], {}, {})


def test_display_that_was_imported_is_taken() -> None:
    cells = above("from IPython.display import display, HTML")
    assert texts(complete_cell("display(1)", cells)) == ["from IPython.display import display"]


def test_names_in_annotations_that_are_strings_are_taken_if_defined() -> None:
    notebook = ran("class Net:\n    pass", "def f(net: 'Net', other: 'Unknown') -> 'list[Net]':\n    return 1")
    completion = notebook.complete("f(1)")
    assert (set(completion.names), missing(completion)) == ({"Net", "f"}, {})


def test_a_name_that_the_cell_asks_for_is_not_missing() -> None:
    completion = ran("x = 1").complete("if 'y' in globals():\n    print(y)\nprint(x)")
    assert (completion.names, missing(completion)) == (("x",), {})


def test_a_cell_that_is_no_python_is_not_completed() -> None:
    assert ran("x = 1").complete("print(x") == Completion()


# cells that failed


@pytest.mark.parametrize("knows_success", [True, False])
def test_of_a_cell_that_failed_before_the_definition_nothing_is_taken(knows_success: bool) -> None:
    notebook = ran("def f():\n    return 1", "1 / 0\ndef f():\n    return 2", knows_success=knows_success)
    assert notebook.job("x = f()")["x"] == 1


def test_a_cell_that_failed_is_named_where_its_definition_does_not_count() -> None:
    notebook = ran("def f():\n    return 1", "1 / 0\ndef f():\n    return 2")
    assert notebook.complete("f()").notes == ("`f` is that of cell [1]; cell [2], which defines it later, failed.",)


@pytest.mark.parametrize("knows_success", [True, False])
def test_what_a_cell_defined_before_it_failed_is_in_the_kernel_and_counts(knows_success: bool) -> None:
    notebook = ran("def f():\n    return 1", "def f():\n    return 2\n1 / 0", knows_success=knows_success)
    assert notebook.job("x = f()")["x"] == 2


def test_an_import_of_a_failed_cell_counts_if_the_kernel_has_it() -> None:
    notebook = ran("import json\nimport nothing_of_this_name")
    assert texts(notebook.complete("json.dumps(1)")) == ["import json"]


def test_a_constant_of_a_failed_cell_counts_if_the_kernel_has_it() -> None:
    notebook = ran("x = 1", "x = 2\n1 / 0")
    assert notebook.job("y = x")["y"] == 2


def test_without_a_kernel_a_failed_cell_counts_for_nothing() -> None:
    notebook = ran("x = 1", "1 / 0\nx = 2")
    assert texts(complete_cell("x", notebook.cells)) == ["x = 1"]


def test_invalid_code_in_the_history_is_passed_over() -> None:
    notebook = ran("x = 1", "x = = 2")
    assert notebook.job("y = x")["y"] == 1


def test_a_cell_that_was_edited_so_that_it_defines_no_more_is_named() -> None:
    notebook = Notebook()
    notebook.run("def f():\n    return 1", id="a")
    notebook.run("def g():\n    return 1", id="a")
    assert notebook.complete("f()").notes == (
        "`f` is what cell [1] ran; that cell ran again as [2], and does not define it any more.",
    )


def test_an_earlier_definition_counts_if_the_kernel_holds_that_one() -> None:
    notebook = ran("def f():\n    return 1", "def f():\n    return 2")
    exec("def f():\n    return 1", notebook.names)
    completion = notebook.complete("f()")
    assert [each.cell for each in completion.taken] == [1]
    assert completion.notes == (
        "`f` is that of cell [1]; cell [2], which defines it later, is not what the kernel holds.",
    )


# cells of other kinds


@pytest.mark.parametrize("magic", ["%%bash", "%%writefile x.py", "%%pai_train", "%%timeit", "%%html", "%%javascript"])
def test_cells_of_other_magics_bind_nothing(magic: str) -> None:
    notebook = Notebook()
    notebook.run(f"{magic}\nx = 1")
    assert missing(notebook.complete("x")) == {"x": ""}


def test_a_function_with_a_line_that_only_ipython_runs_runs_something() -> None:
    completion = complete_cell("f()", above("def f():\n    x = %prun 1\n    return 1"))
    assert (texts(completion), values(completion)) == ([], {"f": ""})


def test_a_function_with_a_shell_command_is_taken_as_the_job_runs_it() -> None:
    completion = complete_cell("f()", above("def f():\n    !ls\n    return 1"))
    assert texts(completion) == ["def f():\n    get_ipython().system('ls')\n    return 1"]


def test_help_lines_do_not_hide_the_rest_of_a_cell() -> None:
    assert texts(complete_cell("f()", above("len?\ndef f():\n    return 1\n?f"))) == ["def f():\n    return 1"]


# secrets


@pytest.mark.parametrize(
    "code",
    [
        "API_KEY = 'abcdefgh1234'",
        "x = 'sk-abcdefghijklmnop1234'",
        "config = {'api_key': 'abcdefgh1234'}",
        "def login(token='abcdefgh1234'):\n    return token",
        "def login():\n    return 'hf_abcdefghijklmnopqrstuvwx'",
        "URL = 'postgres://me:word@host/db'",
    ],
)
def test_what_looks_like_a_secret_is_refused(code: str) -> None:
    notebook = ran(code)
    name = next(name for name in notebook.names if not name.startswith(("__", "get_")))
    completion = notebook.complete(f"print({name})")
    assert (texts(completion), missing(completion)) == ([], {})
    sentence = (completion.refused or {})[name]
    assert sentence.startswith(f"`{name}` of cell [1] holds what looks like a secret")
    assert "abcdefgh" not in sentence


@pytest.mark.parametrize("code", ["pad_token = '<pad>'", "eos_token = '<|endoftext|>'", "key = 'label'", "token = ''"])
def test_marks_and_short_words_are_no_secrets(code: str) -> None:
    assert texts(ran(code).complete(f"print({code.split()[0]})")) == [code]


# train.py


def test_train_py_names_the_cells_and_leads_back_to_them() -> None:
    notebook = ran("import json\n\ndef f():\n    return json", "x = 1", "def g():\n    return f()")
    script = complete_script("print(g(), x)\n", notebook.complete("print(g(), x)\n"))
    lines = script.source.split("\n")
    assert lines == [
        "# What the cell below uses from other cells of its notebook.",
        "# from cell [1]",
        "import json",
        "def f():",
        "    return json",
        "# from cell [2]",
        "x = 1",
        "# from cell [3]",
        "def g():",
        "    return f()",
        "# the cell",
        "print(g(), x)",
        "",
    ]
    assert [script.lines.origin(n) for n in (3, 4, 5, 7, 9, 10, 12)] == [
        (1, 1), (1, 3), (1, 4), (2, 1), (3, 1), (3, 2), (None, 1)
    ]  # fmt: skip


def test_nothing_to_take_leaves_the_cell_as_it_is() -> None:
    assert complete_script("x = 1", Completion()).source == "x = 1"


def test_a_future_import_moves_to_the_top() -> None:
    notebook = ran("x = 1")
    cell = "'''doc'''\nfrom __future__ import annotations\nprint(x)"
    script = complete_script(cell, notebook.complete(cell))
    assert script.source.split("\n")[1] == "from __future__ import annotations"
    assert script.source.endswith("# the cell\n'''doc'''\n# from __future__ import annotations\nprint(x)")
    compile(script.source, "train.py", "exec")


def test_a_future_import_of_an_earlier_cell_holds_for_the_job() -> None:
    notebook = ran("from __future__ import annotations")
    cell = "def f(x: Unknown): ...\n"
    assert "from __future__ import annotations" in complete_script(cell, notebook.complete(cell)).source


def test_a_line_map_survives_its_record() -> None:
    from pai_jupyter.cell import LineMap
    from pai_jupyter.typed_json import Fields

    lines = complete_script("print(x)", ran("x = 1").complete("print(x)")).lines
    assert LineMap.from_json(Fields.of(lines.to_json())) == lines


NAMES = st.sampled_from(["a", "b", "c", "d"])
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, NAMES, st.integers(0, 3)),
    st.builds("{} = {}".format, NAMES, NAMES),
    st.builds("{} = [{}]".format, NAMES, NAMES),
    st.builds("def {}(x=0):\n    return {}".format, NAMES, NAMES),
    st.builds("class {}:\n    x = 1\n    def f(self):\n        return {}".format, NAMES, NAMES),
    st.builds("{} = dict(x={})".format, NAMES, NAMES),
    st.builds("import os as {}".format, NAMES),
    st.builds("del {}".format, NAMES),
    st.builds("{} += 1".format, NAMES),
    st.just("1 / 0"),
)
CELLS = st.lists(st.lists(STATEMENTS, min_size=1, max_size=3).map("\n".join), max_size=8)


def shown(value: Any) -> object:
    """A value without what differs between two processes."""
    return (
        type(value).__name__
        if not isinstance(value, int | list | tuple)
        else repr(value)
        if " at 0x" not in repr(value)
        else "?"
    )


@given(CELLS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_completed_cell_compiles_runs_and_binds_all_that_it_said(cells: list[str], knows_success: bool) -> None:
    notebook = ran(*cells, knows_success=knows_success)
    cell = "print(a, b, c, d)"
    completion = notebook.complete(cell)
    script = complete_script(read_cell(cell).source, completion)
    tree = ast.parse(script.source)
    head = ast.Module(tree.body[:-1], [])
    given_by_send = {each.name: notebook.names[each.name] for each in completion.values}
    names: dict[str, Any] = {
        "__name__": "__main__",
        **given_by_send,
        **dict.fromkeys(completion.missing or {}),
    }
    exec(compile(head, "train.py", "exec"), names)
    for name in completion.names:
        assert shown(names[name]) == shown(notebook.names[name])
    told = {*completion.names, *given_by_send, *(completion.missing or {})}
    assert told == {"a", "b", "c", "d"}


# names that the cell, or a function, reads before it binds them


@pytest.mark.parametrize("cell", ["THR = THR * 2", "THR += 3", "for THR in [THR * 2]:\n    pass"])
def test_a_constant_that_the_cell_reads_before_it_assigns_it_comes_along(cell: str) -> None:
    assert ran("THR = 3").job(cell)["THR"] == 6


@pytest.mark.parametrize("cell", ["df = df[:1]", "for df in [df]:\n    pass", "df += [2]", "if df:\n    df = 1"])
def test_a_value_that_the_cell_reads_before_it_assigns_it_is_to_be_sent(cell: str) -> None:
    completion = ran("df = sorted([2, 1])").complete(cell)
    assert "--send df" in completion.sentences()["df"]
    assert [f.severity for f in lint(cell, explanations=completion.sentences())] == ["error"]


def test_what_the_cell_may_bind_comes_along_or_is_offered() -> None:
    notebook = ran("import os", "n = 1", "df = sorted([2])")
    cell = "if os.name == '?':\n    n = df = 2\nprint(n, df)"
    completion = notebook.complete(cell)
    assert texts(completion) == ["import os", "n = 1"]
    assert values(completion) == {"df": "list"}
    assert [f.severity for f in lint(f"import os\n{cell}", explanations=completion.sentences())] == ["warning"]


def test_what_the_cell_binds_first_is_not_asked_for() -> None:
    notebook = ran("loss = sorted([2])", "best = 1")
    assert notebook.complete("for loss in [1]:\n    best = loss\nprint(loss, best)") == Completion(
        missing={}, refused={}
    )


def test_a_name_that_a_function_counts_up_is_a_value_once_it_has() -> None:
    bump = "def bump():\n    global counter\n    counter += 1\n    return counter"
    assert ran("counter = 0", bump).job("x = bump()")["x"] == 1
    completion = ran("counter = 0", bump, "bump()").complete("print(bump())")
    assert texts(completion) == [bump]
    assert values(completion) == {"counter": "int"}
    script = complete_script("print(bump())", completion)
    assert [f.severity for f in lint(script.source, explanations=completion.sentences())] == ["error"]


def test_a_function_that_only_assigns_a_global_needs_nothing() -> None:
    keep = "def keep(v):\n    global best\n    best = v"
    assert texts(ran("best = 0", keep, "keep(sorted([1]))").complete("keep(2)")) == [keep]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("def g(n=THR):\n    return n", "g"),
        ("def g(*, n=THR + 1):\n    return n", "g"),
        ("class G:\n    n = THR", "G"),
        ("class G:\n    n: int = THR", "G"),
        ("from dataclasses import dataclass\n@dataclass\nclass G:\n    n: int = THR", "G"),
        ("class G:\n    def f(self, n=THR):\n        return n", "G"),
    ],
)
def test_a_definition_that_was_made_with_another_value_is_a_value(code: str, name: str) -> None:
    assert values(ran("THR = 3", code).complete(f"print({name})")) == {}
    completion = ran("THR = 3", code, "THR = 9").complete(f"print({name})")
    assert list(values(completion)) == [name]
    assert f"--send {name}" in completion.sentences()[name]
    assert values(ran("THR = 3", code, "THR = 9", code).complete(f"print({name})")) == {}


@pytest.mark.parametrize(
    ("code", "use"),
    [
        ("def f(x, seen=[]):\n    seen.append(x)", "f(1)"),
        ("class Net:\n    made = 0\n    def __init__(self):\n        Net.made += 1", "Net()"),
        ("class Net:\n    size = 1\n    size = size + 1", "Net()"),
    ],
)
def test_what_a_definition_fills_while_it_is_used_still_comes_along(code: str, use: str) -> None:
    assert texts(ran(code, use).complete(use)) == [code]


def test_an_attribute_that_was_set_after_the_class_is_not_as_defined() -> None:
    completion = ran("class Config:\n    lr = 0.1", "for name in ['lr']:\n    setattr(Config, name, 0.5)").complete(
        "Config"
    )
    assert values(completion) == {"Config": "type"}
