"""What the lint says of code, and above all what it does not say of sound code."""

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from pai_jupyter.cell import lint
from tests.support.findings import found
from tests.support.paths import DATA

STDLIB = Path(sysconfig.get_paths()["stdlib"])


def undefined(source: str, severity: str = "error") -> set[str]:
    findings = [finding for finding in found(source, "undefined-name") if finding.severity == severity]
    return {finding.message.split("`")[1] for finding in findings}


# Syntax ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("x = 1\ny = = 2\n", 2, "invalid syntax"),
        ("x = (1,\ny = 2\n", 1, "'(' was never closed"),
        ("x = 1\nprint 'a'\n", 2, "Missing parentheses"),
        ("if x\n  y", 1, "expected ':'"),
        ("x = 1\n  y = 2", 2, "unexpected indent"),
        ("def f():\n\tx = 1\n        y = 2", 3, "inconsistent use of tabs"),
        ("return 3", 1, "'return' outside function"),
        ("for i in x:\n  pass\nbreak", 3, "'break' outside loop"),
        ("def f(a, a): pass", 1, "duplicate argument"),
        ("x = 'open", 1, "unterminated string"),
        ("x = 1\x00", 1, "null byte"),
        ("x = '\ud800'", 1, "surrogates"),
        ("(" * 300 + ")" * 300, 1, "nested"),
    ],
)
def test_a_mistake_of_syntax_is_one_error_at_its_line(source: str, line: int, says: str) -> None:
    errors = [finding for finding in lint(source) if finding.code == "syntax"]
    assert [(finding.line, finding.severity) for finding in errors] == [(line, "error")]
    assert says in errors[0].message


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio\nawait asyncio.sleep(1)",
        "import a\nasync with a: pass",
        "import a\nasync for x in a: pass",
        "import a\nx = [y async for y in a]",
    ],
)
def test_a_top_level_await_names_asyncio_run(source: str) -> None:
    findings = lint(source)
    assert [(finding.line, finding.code) for finding in findings] == [(2, "top-level-await")]
    assert "asyncio.run(main())" in findings[0].message


def test_the_other_checks_go_on_where_only_compiling_fails() -> None:
    assert [finding.code for finding in lint("return df")] == ["syntax", "undefined-name"]


def test_doubtful_literals_give_no_warning_of_ours() -> None:
    assert lint("x = '\\d'\nif x is 'a': pass\n") == ()


def test_deep_nesting_is_read() -> None:
    chain = "x = 1\n" + "if x == 0: pass\n" + "".join(f"elif x == {n}: pass\n" for n in range(1, 80))
    assert lint(chain) == ()
    assert lint("x = " + " + ".join(["1"] * 500)) == ()


# Names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("print(df)", {"df"}),
        ("def f():\n    return df", {"df"}),
        ("def f(df):\n    return df\ndef g():\n    return df", {"df"}),
        ("x = [df for a in 'b']", {"df"}),
        ("x = [a for a in rows]", {"rows"}),
        ("[a for a in 'b']\nprint(a)", {"a"}),
        ("f = lambda a: a + b", {"b"}),
        ("f = lambda a: a\nprint(a)", {"a"}),
        ("class A:\n    x = 1\n    def f(self):\n        return x", {"x"}),
        ("class A:\n    rows = [1]\n    y = [rows for _ in 'a']", {"rows"}),
        ("class A(Base): pass", {"Base"}),
        ("@decorate\ndef f(): pass", {"decorate"}),
        ("def f(a=default): pass", {"default"}),
        ("import os.path\nprint(path)", {"path"}),
        ("import a as b\nprint(a)", {"a"}),
        ("x[i] = 1", {"x", "i"}),
        ("model.fit(X, y)", {"model", "X", "y"}),
        ("print(f'{df:>{width}}')", {"df", "width"}),
        ("match df:\n    case A(x): print(x)", {"df", "A"}),
        ("display(1)", {"display"}),
        ("get_ipython().system('ls')", {"get_ipython"}),
        ("print(In, Out, _)", {"In", "Out", "_"}),
        ("try:\n    a\nexcept ValueError:\n    pass", {"a"}),
        ("try:\n    pass\nexcept NameError:\n    b", {"b"}),
        ("if __name__ == '__main__':\n    main()", {"main"}),
        ("def f():\n    def g():\n        nonlocal x\n        x = 1\n    x = 0\nprint(x)", {"x"}),
        ("try:\n    def f():\n        return df\nexcept Exception:\n    pass", {"df"}),
    ],
)
def test_names_that_nobody_defines_are_errors(source: str, names: set[str]) -> None:
    assert undefined(source) == names


@pytest.mark.parametrize(
    "source",
    [
        "import os, numpy as np\nfrom a import b as c\nprint(os, np, c)",
        "import a.b.c\nprint(a)",
        "def f():\n    return later\nlater = 1",
        "def cond(): pass\nif cond():\n    x = 1\nprint(x)",
        "for i, (a, *b) in []: pass\nprint(i, a, b)",
        "with open('x') as (f, g): pass\nprint(f, g)",
        "try: pass\nexcept (OSError, ValueError) as exc: print(exc)",
        "if (n := 3) > 2: print(n)",
        "x = [y := 1, y**2]\nprint(y)",
        "x = [last := i for i in 'ab']\nprint(last)",
        "def f():\n    any((hit := i) for i in 'ab')\n    return hit",
        "x = {k: v for k, v in {}.items() if k for w in v if w}",
        "x = [[b for b in a] for a in []]",
        "class A:\n    x = 1\n    y = x\n    z = [i for i in [x]]\n    print(__module__, __qualname__)",
        "class A:\n    def f(self):\n        return __class__, super().f()",
        "def f():\n    global counter\n    counter = 1\nprint(counter)",
        "def f():\n    x = 0\n    def g():\n        nonlocal x\n        x += 1\n    return g",
        "def f(a, /, b, *args, c, **kw): return a, b, args, c, kw",
        "match []:\n    case [a, *b] | {'k': a, **b}: print(a, b)\n    case str() as s: print(s)\n    case other: print(other)",
        "x = 1\ndel x\nprint(x)",
        "print(__name__, __file__, __doc__, __builtins__, __debug__)",
        "exit(); quit(); help(1)",
        "import a\n@a.b\nasync def f():\n    async with a as b, a: return b\n    async for c in a: print(c)",
        "x: 'DataFrame' = None\ndef f(a: 'Model') -> 'Model': pass",
        "from __future__ import annotations\ndef f(a: Model) -> Model: pass\nx: Model = None",
        "def f():\n    x: Model = 1\n    return x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import B\nx: B = None",
        "import typing as t\nif t.TYPE_CHECKING:\n    x: Undefined",
        "try:\n    unicode\nexcept NameError:\n    unicode = str\nprint(unicode)",
        "try:\n    get_ipython()\nexcept NameError:\n    pass",
        "try:\n    get_ipython()\nexcept (ImportError, NameError):\n    pass",
        "if 'get_ipython' in globals():\n    get_ipython()",
        "x = df if 'df' in dir() else None",
        "import sys\nif sys.version_info < (3,):\n    range = xrange",
        "from os.path import *\nprint(join('a'))",
        "def outer():\n    from math import pi\n    class A:\n        def f(self): return pi\n    return A",
        "try: pass\nexcept* OSError as group: print(group)",
        "df = 1\ndf += 1",
        # bound on the way, or perhaps
        "list = list('ab')",
        "for i in range(3):\n    if i:\n        print(last)\n    last = i",
        "for i in range(3):\n    print(last) if i else None\n    last = i",
        "for i in range(3):\n    if i == 0:\n        last = i\n        continue\n    print(last)",
        "while True:\n    try:\n        x = 1\n        break\n    except ValueError:\n        pass\nprint(x)",
        "try:\n    x = int('1')\nexcept ValueError:\n    raise SystemExit\nprint(x)",
        "try:\n    x\nexcept NameError:\n    x = 1\nprint(x)",
        "if 'x' not in globals():\n    x = 1\nx += 1",
        "x = [y for y in range(3)]\ny = x",
        "if (n := 3) > 2:\n    print(n)",
        "with open('f') as f, open(f.name) as g:\n    print(g)",
        "def f():\n    global best\n    best = 1\nf()\nprint(best)",
        "def f():\n    global best\n    if best is None:\n        best = 1\nbest = None\nf()",
        "def f():\n    global n\n    n = 0\ndef g():\n    global n\n    n += 1\nf()\ng()",
        "match [1]:\n    case [x]:\n        print(x)",
        "import sys\nif len(sys.argv) > 9:\n    sys.exit()\nelse:\n    x = 1\nprint(x)",
        "for x in range(3):\n    pass\nelse:\n    print(x)",
        "a = b = 1\nb += a\n(c, d), *e = (1, 2), 3\nprint(c, d, e)",
        "class A:\n    x = 1\n    y = x\nx = 2",
    ],
)
def test_sound_code_has_no_undefined_names(source: str) -> None:
    assert found(source, "undefined-name") == []


@pytest.mark.parametrize(
    "source",
    [
        "df = df.dropna()",
        "for df in [df]:\n    pass",
        "df += 1",
        "if df is None:\n    df = 1",
        "if True:\n    df = df + 1\nelse:\n    df = 1",
        "for i in range(3):\n    df += i",
        "for i in range(3):\n    print(df)\n    df = i",
        "while df < 3:\n    df += 1",
        "with df as df:\n    pass",
        "try:\n    df = df + 1\nexcept ValueError:\n    pass",
        "print(f'{df}')\ndf = 1",
        "x = [y * df for y in range(3)]\ndf = 1",
        "def f(x=df):\n    return x\ndf = 1",
        "import os, sys\ndf.x = 1\ndf = os",
        "del df",
        "df: int\nprint(df)",
        "def f():\n    global df\n    df += 1\nf()",
        "class A:\n    def f(self):\n        global df\n        if df:\n            df = 1",
    ],
)
def test_what_is_read_before_it_is_bound_is_an_error(source: str) -> None:
    assert undefined(source) == {"df"}
    assert "used before it is assigned" in found(source, "undefined-name")[0].message


def test_a_name_that_some_way_binds_is_told_if_the_notebook_has_it() -> None:
    source = "import os\nif os.name:\n    df = 1\nprint(df)"
    assert found(source, "undefined-name") == []
    assert [(f.severity, f.line) for f in lint(source, explanations={"df": "It is a value."})] == [("warning", 4)]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    df\nexcept Exception:\n    pass",
        "try:\n    df\nexcept:\n    pass",
        "exec('df = 1')\nprint(df)",
        "globals()['df'] = 1\nprint(df)",
        "def f(a: df): pass",
        "x: df = 1",
        "try:\n    df\nexcept NameError:\n    pass\nprint(df)",
    ],
)
def test_what_is_not_certain_is_a_warning(source: str) -> None:
    assert undefined(source) == set()
    assert len(undefined(source, "warning")) == 1


@pytest.mark.skipif("not hasattr(__import__('ast'), 'TypeVar')", reason="syntax of Python 3.12")
def test_type_parameters_are_names() -> None:
    assert (
        undefined("def f[T, *Ts, **P](a: T) -> T: return T\nclass A[T](list[T]):\n    x: T\ntype X[V] = list[V]")
        == set()
    )


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("print(df)", "the job does not see the notebook's variables"),
        ("print(df)", "--include"),
        ("os.getcwd()", "Add: import os"),
        ("np.zeros(3)", "Add: import numpy as np"),
        ("learning_rate = 1\nprint(learnig_rate)", "Is `learning_rate` meant?"),
        ("display(1)", "print(...)"),
        ("get_ipython()", "only in a notebook"),
    ],
)
def test_the_remedy_fits_the_name(source: str, says: str) -> None:
    assert says in found(source, "undefined-name")[0].message


def test_a_name_is_reported_once_where_it_is_used_first() -> None:
    assert [(f.line, f.column) for f in found("x = 1\ny = '训练', df\nprint(df)\n", "undefined-name")] == [(2, 10)]


def test_names_that_ipython_puts_into_builtins_are_not_taken_for_pythons() -> None:
    program = "import builtins; builtins.display = print\nfrom pai_jupyter.cell import lint\nprint(lint('display(1)')[0].code)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "undefined-name\n"


# Of all its modules four put names into themselves unseen: enum's `_convert_` and `global_enum`, a package's `__path__`.
KNOWN_FALSE = {"re/__init__.py", "ssl.py", "logging/__init__.py", "calendar.py"}
SAMPLE = sorted(
    path for folder in ("", "json", "email", "asyncio", "unittest") for path in (STDLIB / folder).glob("*.py")
)


@pytest.mark.parametrize("path", SAMPLE[::2][:150], ids=lambda path: str(path.relative_to(STDLIB)))
def test_no_name_of_the_standard_library_is_called_undefined(path: Path) -> None:
    if str(path.relative_to(STDLIB)) in KNOWN_FALSE:
        pytest.skip("names come from outside")
    assert undefined(path.read_text("utf-8")) == set()


# Habits of a notebook --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source", ["x = input('name?')", "def f():\n    return int(input())", "import getpass\ngetpass.getpass()"]
)
def test_a_question_is_an_error(source: str) -> None:
    assert [finding.severity for finding in found(source, "input")] == ["error"]


@pytest.mark.parametrize(
    "source",
    [
        "def forward(input):\n    return input(1)",
        "def input(): pass\ninput()",
        "from a import input\ninput()",
        "x.input()",
        "f(input=1)",
        "x = 'input()'",
    ],
)
def test_other_inputs_are_fine(source: str) -> None:
    assert found(source, "input") == []


@pytest.mark.parametrize(
    "source",
    ["breakpoint()", "import pdb; pdb.set_trace()", "import ipdb; ipdb.set_trace()", "import IPython; IPython.embed()"],
)
def test_a_debugger_is_a_warning(source: str) -> None:
    assert [finding.severity for finding in found(source, "debugger")] == ["warning"]


@pytest.mark.parametrize(
    ("source", "given", "severity"),
    [
        ("if args.ask:\n    input()", (), "warning"),
        ("if args.ask and tty:\n    x = input('ok?')", (), "warning"),
        ("def talk():\n    return input()\nif args.ask:\n    talk()", (), "warning"),
        ("def talk():\n    return read()\ndef read():\n    return input()\nif args.ask:\n    talk()", (), "warning"),
        ("if FLAGS['ask']:\n    input()", (), "warning"),
        ("if args.ask:\n    input()", ("ask",), "error"),
        ("if not args.ask:\n    input()", (), "error"),
        ("if args.other:\n    input()", (), "error"),
        ("if args.ask:\n    pass\nelse:\n    input()", (), "error"),
        ("def talk():\n    return input()\nif args.ask:\n    talk()\ntalk()", (), "error"),
        ("input()", (), "error"),
    ],
)
def test_question_behind_an_option_that_is_not_given_is_a_warning(
    source: str, given: tuple[str, ...], severity: str
) -> None:
    (finding,) = [it for it in lint(source, hyperparameter_names=["ask"], given=given) if it.code == "input"]
    assert finding.severity == severity


def test_type_bool_of_argparse_is_a_warning() -> None:
    source = "import argparse\np = argparse.ArgumentParser()\np.add_argument('-a', '--amp', type=bool)\np.add_argument('--x', type=int)"
    assert [(f.line, f.severity, "`-a`" in f.message) for f in found(source, "bool-option")] == [(3, "warning", True)]


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (("batch-size", "batch_size"), 2),
        (("a.b", "a-b"), 1),
        (("lr", "LR"), 3),
        (("lr", "epochs"), None),
        (("lr", "lr"), None),
        ((), None),
    ],
)
def test_names_that_share_a_variable_are_a_warning(names: tuple[str, ...], line: int | None) -> None:
    source = "p.add_argument('--batch-size')\np.add_argument('--batch_size')\nLR = 1"
    findings = [finding for finding in lint(source, hyperparameter_names=names) if finding.code == "colliding-names"]
    assert [(finding.line, finding.severity) for finding in findings] == ([(line, "warning")] if line else [])


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\nkey = 'LTAI5tAbCdEfGhIjKlMn'", 2),
        ("access_key_secret = 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1'", 1),
        ("self.AccessKeySecret = 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1'", 1),
        ("import os\nos.environ['ALIBABA_CLOUD_ACCESS_KEY_SECRET'] = 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1'", 2),
        ("Session(\n  access_key_secret='aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1')", 2),
        ("c = {'aws_secret_access_key': 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1'}", 1),
        ("oss_access_key_secret: str = 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1'", 1),
        ("access_key_secret = '<YourAccessKeySecret>'", None),
        ("access_key_secret = 'xxxxxxxxxxxxxxxxxxx'", None),
        ("access_key_secret = ''", None),
        ("import os\naccess_key_secret = os.environ['X']", None),
    ],
)
def test_an_access_key_in_the_code_is_a_warning_that_does_not_repeat_it(source: str, line: int | None) -> None:
    findings = found(source, "credentials")
    assert [(finding.line, finding.severity) for finding in findings] == ([(line, "warning")] if line else [])
    assert all("LTAI5" not in finding.message and "aB3dE5" not in finding.message for finding in findings)


# The documents' own scripts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "findings"),
    [
        ("seed_xgb_train.py", [("literal-ml", 'TRAINING_BASE_DIR = "/ml/"')]),
        ("seed_estimator_train.py", [("undefined-name", "os.environ.get"), ("undefined-name", "json.load(f)")]),
        ("seed_component_main.py", [("bool-option", "--param4")]),
        ("seed_read_hyperparameters.py", [("literal-ml", "hp_path ="), ("undefined-name", "json.load(f)")]),
        ("seed_argparse_train.py", []),
        ("seed_toy_model.py", [("syntax", "def __init__")]),
    ],
)
def test_the_scripts_of_the_documents(script: str, findings: list[tuple[str, str]]) -> None:
    source = (DATA / script).read_text("utf-8")
    told = lint(source, known_files={script}, literal_ml=False)
    assert [finding.code for finding in told] == [code for code, _ in findings]
    for finding, (_, text) in zip(told, findings, strict=True):
        assert text in source.split("\n")[finding.line - 1]


def test_findings_come_by_line_and_columns_count_characters() -> None:
    source = "x = df\nopen('/home/训练.csv'), undefined_too\ninput()"
    findings = lint(source)
    assert [finding.line for finding in findings] == [1, 2, 2, 3]
    assert source.split("\n")[1][findings[2].column or 0 :] == "undefined_too"


def test_the_users_code_is_never_run(tmp_path: Path) -> None:
    trap = f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    ast.parse(trap)
    lint(trap, known_files=set(), literal_ml=False)
    assert not (tmp_path / "ran").exists()
