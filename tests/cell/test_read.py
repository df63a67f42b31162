"""A cell becomes train.py line for line: what stays, what goes, what is refused."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.cell import Cell, Finding, read_cell
from pai_jupyter.cell.scan import scan


def read(body: str) -> Cell:
    return read_cell("%%pai_train\n" + body)


def line(cell: Cell, number: int) -> str:
    return cell.source.split("\n")[number - 1]


def errors(cell: Cell) -> list[tuple[int, str]]:
    return [(finding.line, finding.code) for finding in cell.findings if finding.severity == "error"]


def test_python_is_shipped_as_written() -> None:
    body = "# 训练\nimport os\n\nif os.name:\n\tx = 1  # tab\n\x0c\ny = '''\n  %matplotlib\n'''"
    assert read(body).source == "# %%pai_train\n" + body


def test_the_magics_line_stays_as_a_comment() -> None:
    assert line(read_cell("%%pai_train iris -p lr=0.1 --run\nx = 1"), 1) == "# %%pai_train iris -p lr=0.1 --run"


def test_code_without_the_magic_is_read_from_its_first_line() -> None:
    assert read_cell("import os\nx = 1\n") == Cell(source="import os\nx = 1\n")


def test_blank_lines_before_the_magic_count_as_lines() -> None:
    assert read_cell("\n \n  %%pai_train\nx = 1").source == "\n\n# %%pai_train\nx = 1"


@pytest.mark.parametrize(
    ("option", "first_line"),
    [
        ("encoding=gbk", "# coding: utf-8 %%pai_train -p encoding=gbk"),
        ("coding: latin-1", "# coding: utf-8 %%pai_train -p coding: latin-1"),
        ("encoding=utf-8", "# %%pai_train -p encoding=utf-8"),
    ],
)
def test_an_option_never_declares_the_encoding_of_the_script(option: str, first_line: str) -> None:
    cell = read_cell(f"%%pai_train -p {option}\nx = '训练'")
    assert line(cell, 1) == first_line
    namespace: dict[str, str] = {}
    exec(compile(cell.source.encode(), "train.py", "exec"), namespace)
    assert namespace["x"] == "训练"


def test_a_declared_encoding_below_the_magic_is_overruled() -> None:
    cell = read("# -*- coding: gbk -*-\nx = '训练'")
    assert line(cell, 2) == "# -*- coding: gbk -*-"
    namespace: dict[str, str] = {}
    exec(compile(cell.source.encode(), "train.py", "exec"), namespace)
    assert namespace["x"] == "训练"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("%%pai_train\r\nx = 1\r\ny = 2\r\n", "# %%pai_train\nx = 1\ny = 2\n"),
        ("%%pai_train\rx = 1", "# %%pai_train\nx = 1"),
        ("\ufeff%%pai_train\nx = 1", "# %%pai_train\nx = 1"),
        ("%%pai_train\nx = '\u2028\x85\x0b'\ny = 1", "# %%pai_train\nx = '\u2028\x85\x0b'\ny = 1"),
        ("%%pai_train\nx = 1", "# %%pai_train\nx = 1"),
    ],
    ids=["crlf", "cr", "bom", "other separators are no line ends", "no newline at the end"],
)
def test_line_ends(text: str, source: str) -> None:
    assert read_cell(text).source == source


@pytest.mark.parametrize("body", ["", "\n\n", "   \n\t", "# only words\n# x = 1", "%matplotlib inline\n%pip install x"])
def test_a_cell_without_code_is_an_error(body: str) -> None:
    assert (1, "empty-cell") in errors(read(body))


@pytest.mark.parametrize("text", ["", "\n", "%%pai_train"])
def test_an_empty_text_is_an_empty_cell(text: str) -> None:
    assert errors(read_cell(text)) == [(1, "empty-cell")]


# IPython's lines -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("%time model.fit(x)", "model.fit(x)"),
        ("%time x = f('%time')", "x = f('%time')"),
        ("%time %time f()", "f()"),
    ],
)
def test_a_timed_statement_is_kept(written: str, becomes: str) -> None:
    cell = read(f"x = 1\n{written}\ny = 2")
    assert (line(cell, 3), cell.findings) == (becomes, ())


@pytest.mark.parametrize(
    "written",
    [
        "%matplotlib inline",
        "%load_ext autoreload",
        "%reload_ext pai_jupyter",
        "%load_ext tensorboard",
        "%autoreload 2",
        "%config InlineBackend.figure_format = 'retina'",
        "%time",
        "%%time",
        "%%capture",
        "%%capture out --no-stderr",
        "%tensorboard --logdir runs",
        "%pwd",
        "%env",
        "%env HOME",
        "%pip uninstall -y x",
        "!pip uninstall -y x",
        "!python -m pip uninstall -y x",
        "!conda list",
        "!",
    ],
)
def test_what_means_nothing_in_a_job_is_left_out_with_a_note(written: str) -> None:
    cell = read(f"x = 1\n{written}\ny = 2")
    assert (line(cell, 3), errors(cell)) == (f"# {written}", [])
    assert [(note.line, note.severity) for note in cell.findings] == [(3, "warning")]
    assert f"`{written}`" in cell.findings[0].message


def test_a_timed_magic_is_the_magic() -> None:
    assert line(read("x = 1\n%time %matplotlib inline"), 3) == "# %matplotlib inline"


def test_one_note_names_all_lines_that_are_left_out() -> None:
    cell = read("%%time\n%matplotlib inline\nx = 1\n%autoreload 2")
    assert [str(note) for note in cell.findings] == [
        "line 2: left out, since it means nothing in a job: `%%time`, `%matplotlib inline` (3), `%autoreload 2` (5)"
    ]


@pytest.mark.parametrize(
    "written",
    ["%conda install x", "%mamba install -y x", "!conda install -y -c conda-forge x", "! conda env create -f e.yml"],
)
def test_conda_is_named_as_what_means_nothing_in_a_job(written: str) -> None:
    cell = read(f"x = 1\n{written}")
    assert (line(cell, 3), errors(cell)) == (f"# {written}", [])
    assert "%pip install NAME" in cell.findings[0].message
    assert f"`{written}`" in cell.findings[0].message


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("!ls -l", "get_ipython().system('ls -l')"),
        ("! ls", "get_ipython().system('ls')"),
        ("!!ls", "get_ipython().system('ls')"),
        ("!nvidia-smi", "get_ipython().system('nvidia-smi')"),
        ("!mkdir -p {out}/a", "get_ipython().system('mkdir -p {out}/a')"),
        ("!wget -q 'http://h/a b.zip'", "get_ipython().system(\"wget -q 'http://h/a b.zip'\")"),
        ("!apt-get install x", "get_ipython().system('apt-get install x')"),
        ("!git clone u && cd u && pip install -e .", "get_ipython().system('git clone u && cd u && pip install -e .')"),
        ("!X=1 pip install y", "get_ipython().system('X=1 pip install y')"),
        ("!pip list", "get_ipython().system('pip list')"),
        ("%pip list", "get_ipython().run_line_magic('pip', 'list')"),
        ("%pip freeze", "get_ipython().run_line_magic('pip', 'freeze')"),
        ("%sx ls", "get_ipython().system('ls')"),
        ("%mkdir -p out", "get_ipython().system('mkdir -p out')"),
        ("%ls", "get_ipython().system('ls')"),
        ("%cd /tmp", "get_ipython().run_line_magic('cd', '/tmp')"),
        ("%env X=1", "__import__(\"os\").environ['X'] = '1'"),
        ("%env X 1 2", "__import__(\"os\").environ['X'] = '1 2'"),
        ("%set_env X = 1", "__import__(\"os\").environ['X'] = '1'"),
        ("%env X={home}", "get_ipython().run_line_magic('env', 'X={home}')"),
        ("files = !ls", "files = get_ipython().getoutput('ls')"),
        ('d["k"] = !ls', "d[\"k\"] = get_ipython().getoutput('ls')"),
        ("a.b = %env HOME", "a.b = get_ipython().run_line_magic('env', 'HOME')"),
        ("x = %pwd", "x = get_ipython().run_line_magic('pwd', '')"),
        ("x = %sx ls", "x = get_ipython().getoutput('ls')"),
        ("%time !ls", "get_ipython().system('ls')"),
        ("if x: pass\n    !ls", "if x: pass\n    get_ipython().system('ls')"),
        ("!echo 训练", "get_ipython().system('echo 训练')"),
    ],
)
def test_what_has_a_meaning_in_a_job_runs_at_its_place(written: str, becomes: str) -> None:
    cell = read(f"x = 1\n{written}\ny = 2")
    assert (cell.source.split("\n", 2)[2], cell.findings) == (f"{becomes}\ny = 2", ())


def test_a_cell_of_shell_lines_has_code() -> None:
    assert read("!ls").findings == ()


@pytest.mark.parametrize("magic", ["%matplotlib inline", "%load_ext x", "%pip install y", "%config a=1"])
def test_a_block_that_held_only_a_magic_stays_valid(magic: str) -> None:
    cell = read(f"if True:\n    {magic}\nelse:\n\t{magic}\nx = 1")
    assert line(cell, 3) == f"    pass  # {magic}"
    ast.parse(cell.source)


def test_a_timed_statement_keeps_its_indentation_and_may_be_continued() -> None:
    cell = read("for i in [1]:\n    %time x = f(\n        i %\n        2)\n    y = 1")
    assert line(cell, 3) == "    x = f("
    assert cell.findings == ()
    ast.parse(cell.source)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("x = %matplotlib inline", "Delete"),
        ("x = %cd y", "Delete"),
        ("x = %timeit -o f()", "timeit.timeit"),
        ("%run other.py", "runpy"),
        ("%load other.py", "the code itself"),
        ("%timeit f()", "timeit.timeit"),
        ("%%timeit", "timeit.timeit"),
        ("%%bash", "subprocess.run"),
        ("%%sh", "subprocess.run"),
        ("%%writefile x.py", "--include"),
        ("%pylab", "matplotlib.pyplot"),
        ("%debug", "Nobody can answer"),
        ("%%pai_train again", "first line"),
        ("%pai_jobs", "cell of its own"),
        ("%my_own_magic", "only in IPython"),
        ("%", "only in IPython"),
        ("?os.path", "help"),
        ("os.path?", "help"),
        ("os.path??  ", "help"),
        ("f(x)?", "help"),
        ("/f x", "automatic call"),
        (";f a b", "automatic call"),
        (",f a b", "automatic call"),
    ],
)
def test_what_only_ipython_can_do_is_an_error_at_its_line(written: str, says: str) -> None:
    cell = read(f"x = 1\n{written}\ny = 2")
    assert errors(cell) == [(3, "ipython-syntax")]
    assert says in cell.findings[0].message
    ast.parse(cell.source)


def test_every_line_that_a_job_cannot_run_is_a_finding() -> None:
    cell = read("%run a.py\nx = 1\nx?\n%timeit f()\n!ls")
    assert errors(cell) == [(2, "ipython-syntax"), (4, "ipython-syntax"), (5, "ipython-syntax")]


def test_below_a_magic_of_another_language_there_is_no_python() -> None:
    cell = read("%%bash\nfor i in 1 2; do\n  echo $i\ndone")
    assert errors(cell) == [(2, "ipython-syntax")]
    assert cell.source.split("\n")[2:] == ["# for i in 1 2; do", "# echo $i", "# done"]


def test_an_assigned_magic_leaves_its_name_bound() -> None:
    assert line(read("x = 1\n  \nfiles = %ls"), 4) == "files = None  # files = %ls"


def test_the_column_of_a_finding_is_where_the_magic_stands() -> None:
    found = read("if 1:\n    %run x").findings[0]
    assert (found.line, found.column) == (3, 4)


def test_a_continued_magic_is_one_command() -> None:
    cell = read("!ls \\\n   -l \\\n   -a\nx = 1")
    assert cell.source.split("\n")[1:] == ["get_ipython().system('ls -l -a')", "# -l \\", "# -a", "x = 1"]
    cell = read("files = !ls \\\n   -l\nx = 1")
    assert cell.source.split("\n")[1:] == ["files = get_ipython().getoutput('ls -l')", "# -l", "x = 1"]


@pytest.mark.parametrize(
    "code",
    [
        'x = """\n%matplotlib\n!ls\nwhat?\n"""',
        "x = '''it\\'''s\n%time\n'''",
        "x = (7\n % 3)",
        "x = [\n  7\n  % 3\n]",
        "x = 7 \\\n % 3",
        "x = 7 \\\n  \\\n % 3",
        "x = 'a \\\n!ls'",
        "x %= 3",
        "x = y = 'a=%d' % 3",
        "print('a=%s' % x, end='!')",
        "x = 1 != 2",
        "x = 'what?'  # really?",
        "x = 1  # = !ls, %time",
        "f = f'{x!r:>{10}}'",
        "f = f'{x:\"^10}'",
        "f = f'''\n%matplotlib {x!r}\n{(1,\n 2)!s}\n!ls\n'''",
        "f = f'{{%d}}' 'a' f'{x}'",
        "f = f'{x=!s}' + f'{x = !r:>9}' + f'{x=}?'",
        "f = rf'\\d{x}' + r'\\''",
        "f = f'{d[\"a\"]!r}'",
        "f = '\\N{QUESTION MARK}' f'\\N{QUESTION MARK}{x}'",
        "f = lambda a: {a: 1}[a]",
        "if x:pass",
        "print('''a''', '', \"\", '\\\\')",
        "x: int = 7",
        "s = '/ml?'",
    ],
)
def test_percent_and_bang_inside_python_are_python(code: str) -> None:
    body = f"x, y, d = 7, 2, dict(a=1)\n{code}\n%matplotlib inline"
    cell = read(body)
    assert [finding.code for finding in cell.findings] == ["left-out"]
    assert cell.source.endswith(code + "\n# %matplotlib inline")
    ast.parse(cell.source)


@pytest.mark.parametrize("code", ['f = f"{d["a"]!r}"', "f = f'{'%'}'\ng = f'{f'{1}'}'", 'f = f"{\n1}"'])
def test_nested_quotes_of_newer_pythons_are_understood(code: str) -> None:
    assert read(f"{code}\n%matplotlib inline").source.endswith("\n# %matplotlib inline")


@pytest.mark.parametrize("code", ["x = 'open", "x = )", "x = ]}", "print('a", "x = f'{y:>"])
def test_a_mistake_in_one_line_does_not_hide_the_next(code: str) -> None:
    assert errors(read(f"{code}\n%run x")) == [(3, "ipython-syntax")]


def test_the_lexer_blanks_strings_and_comments() -> None:
    assert scan("x = f'{a!r:>3}' + \"b?\"  # c").code == "x = ___________ + ____     "


# Requirements ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "requirements"),
    [
        ("%pip install xgboost", ("xgboost",)),
        ("%pip install x y==1.2", ("x", "y==1.2")),
        ("!pip install x", ("x",)),
        ("!pip3 install x", ("x",)),
        ("! pip install x", ("x",)),
        ("!python -m pip install x", ("x",)),
        ("!python3.11 -m pip install x", ("x",)),
        ("!{sys.executable} -m pip install x", ("x",)),
        ("!$sys.executable -m pip install x", ("x",)),
        ('!"{sys.executable}" -m pip install x', ("x",)),
        ("!sudo pip install x", ("x",)),
        ("!uv pip install --system x", ("x",)),
        ("%uv pip install x", ("x",)),
        ("%pip install -q -U --no-cache-dir x", ("x",)),
        ("%pip -q install x", ("x",)),
        ("%pip install -qU x", ("x",)),
        ("%pip install -Uq x", ("x",)),
        ("!pip install -qqUy x", ("x",)),
        ("!pip install -qr requirements.txt", ("-r requirements.txt",)),
        ("%pip install -r requirements.txt", ("-r requirements.txt",)),
        ("%pip install -rreq.txt", ("-r req.txt",)),
        ("%pip install --requirement=req.txt x", ("-r req.txt", "x")),
        ("!uv pip install -U --no-progress x", ("x",)),
        ("!python -m uv pip install x", ("x",)),
        ("!python3 -m pip install -q x", ("x",)),
        ("!sudo -H pip install x", ("x",)),
        ("%pip install --progress-bar off --timeout=100 x", ("x",)),
        ("%pip install 'pandas[parquet]>=2,<3' \"numpy >= 2\"", ("pandas[parquet]>=2,<3", "numpy >= 2")),
        ("%pip install xgboost>=2.0", ("xgboost>=2.0",)),
        ("%pip install x>1", ("x>1",)),
        ("%pip install 'x; python_version < \"3.12\"'", ('x; python_version < "3.12"',)),
        ("%pip install x  # for y", ("x",)),
        ("!pip install x > /dev/null 2>&1", ("x",)),
        ("!pip install x 2>&1 | tail -1", ("x",)),
        ("!pip install x &> log.txt", ("x",)),
        ("!pip install x && pip install y", ("x", "y")),
        ("!pip install x; pip install y;", ("x", "y")),
        ("!pip install x | tail -1 && pip install y", ("x", "y")),
        ("%pip install x x", ("x",)),
        ("%pip install x --pre", ("x", "--pre")),
        ("%pip install -i https://mirror.example/simple x", ("-i https://mirror.example/simple", "x")),
        ("%pip install --index-url=https://m.example/s x", ("--index-url https://m.example/s", "x")),
        ("%pip install -ihttps://m.example/s x", ("-i https://m.example/s", "x")),
        ("%pip install x --trusted-host m.example", ("x", "--trusted-host m.example")),
        ("%pip install git+https://github.com/a/b.git@v1", ("git+https://github.com/a/b.git@v1",)),
        ("%pip install git+ssh://git@github.com/a/b.git", ("git+ssh://git@github.com/a/b.git",)),
        ("%pip install 'b @ https://example.com/b.zip'", ("b @ https://example.com/b.zip",)),
        (
            "%pip install git+https://${USER}:${TOKEN}@h.example/a.git",
            ("git+https://${USER}:${TOKEN}@h.example/a.git",),
        ),
        ("%pip install x \\\n   y \\\n   z", ("x", "y", "z")),
        ("%time %pip install x", ("x",)),
    ],
)
def test_pip_install_becomes_requirements(written: str, requirements: tuple[str, ...]) -> None:
    cell = read(f"import sys\n{written}\nx = 1")
    assert (cell.requirements, cell.findings) == (requirements, ())
    assert line(cell, 3) == "# " + written.split("\n")[0].removeprefix("%time ")
    assert cell.source.endswith("\nx = 1")


@pytest.mark.parametrize(
    ("written", "rest"),
    [
        ("!apt-get update && pip install x", "apt-get update"),
        ("!pip install x && apt-get install y", "apt-get install y"),
        ("!pip install x | tail -1; mkdir a && touch a/b | cat", "mkdir a && touch a/b | cat"),
    ],
)
def test_what_a_line_does_besides_installing_runs_in_the_job(written: str, rest: str) -> None:
    cell = read(written)
    assert (cell.requirements, cell.findings) == (("x",), ())
    assert line(cell, 2) == f"get_ipython().system({rest!r})"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("%pip install -c limits.txt x", "versions"),
        ("%pip install -e ./pkg", "--include ./pkg"),
        ("%pip install .", "--include"),
        ("%pip install ./a.whl", "--include"),
        ("%pip install a-1.0-py3-none-any.whl", "--include"),
        ("%pip install {name}", "variable of the notebook"),
        ("%pip install $name", "variable of the notebook"),
        ("%pip install x >= 2", "without spaces"),
        ("%pip install --no-deps x", "`--no-deps`"),
        ("%pip install --target /tmp x", "`--target`"),
        ("%pip install x && apt-get install y", "apt-get install y"),
        ("%pip install -qe ./pkg", "--include ./pkg"),
        ("%pip install 训练", "no requirement"),
        ("%pip install 'http://[x'", "no address"),
    ],
)
def test_what_a_requirements_file_cannot_hold_is_an_error_at_its_line(written: str, says: str) -> None:
    cell = read(f"x = 1\n{written}")
    assert errors(cell) == [(3, "ipython-syntax")]
    assert says in cell.findings[0].message


@pytest.mark.parametrize(
    "address",
    [
        "https://user:hunter2secret@pypi.example/simple",
        "https://hunter2secret@pypi.example/simple",
        "https://user:hunter2secret@pypi.example:8080/simple",
    ],
)
@pytest.mark.parametrize("form", ["-i {} x", "--extra-index-url={} x", "git+{}", "'x @ {}'"])
def test_an_address_with_a_password_is_refused_and_not_repeated(address: str, form: str) -> None:
    cell = read("x = 1\n%pip install " + form.format(address))
    assert cell.requirements == ()
    assert "holds a password" in cell.findings[0].message
    assert "hunter2secret" not in cell.findings[0].message


# Title -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("import os\ndef train_iris(x):\n    pass\nclass A: pass", "train_iris"),
        ("class Net(object):\n    def forward(self): pass", "Net"),
        ("async def main(): pass", "main"),
        ("# Iris with XGBoost!\nx = 1", "Iris-with-XGBoost"),
        ("# 训练 模型\nx = 1", "训练-模型"),
        ("# comment\ndef f(): pass", "f"),
        ("#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# real one\nx = 1", "real-one"),
        ("lr = 0.1  # hp: [0..1]\n# hp: x\nx = 1", ""),
        ("x = 1", ""),
        ("x = '''\ndef inside(): pass\n# no\n'''", ""),
        ("# " + "word " * 30 + "\nx = 1", "word-word-word-word-word-word-word-word"),
        ("#!!!\n# ../../etc\nx = 1", "etc"),
        ("def broken(\nx = 1", "broken"),
        ("# !pip install x\n# %matplotlib inline\n# the model\nx = 1", "the-model"),
    ],
)
def test_the_title_is_the_first_definition_or_comment(body: str, title: str) -> None:
    assert read(body).title == title


def test_a_script_that_was_read_before_has_the_same_title() -> None:
    cell = read_cell("%%pai_train -p encoding=gbk\n%pip install x\n# the model\nx = 1")
    assert read_cell(cell.source).title == cell.title == "the-model"


# Any cell ---------------------------------------------------------------------------------------------------------

_pieces = st.sampled_from(
    [
        *(
            "%pip install x",
            "%pip install \\",
            "!ls \\",
            "\t!x",
            "a = !b",
            "%env A=b",
            "%conda install x",
            "x?",
            "%%bash",
            "%",
            "$x",
            "    %matplotlib",
        ),
        *("%time f(", "x = 1 \\", "if 1:", "(", ")", "}", "# c", "\\", "f'{", "'", "x = '''", "'''", '"""'),
        *("训练", "", " ", "\x0c", "\ufeff", "\x00"),
    ]
)


@given(st.lists(st.one_of(_pieces, st.text(max_size=12)), max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
def test_line_n_of_the_file_is_line_n_of_the_cell(pieces: list[str], end: str) -> None:
    text = end.join(["%%pai_train", *pieces])
    cell = read_cell(text)
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    assert cell.source.count("\n") == normal.count("\n")
    for ours, theirs in zip(cell.source.split("\n"), normal.split("\n"), strict=True):
        kept = theirs.strip().removeprefix("%time ").strip()
        is_translated = "get_ipython()." in ours or ".environ[" in ours
        assert kept in ours or theirs == ours or "%time" in theirs or is_translated
    assert all(1 <= finding.line <= normal.count("\n") + 1 for finding in cell.findings)


def test_a_huge_cell_is_read() -> None:
    cell = read(f"x = '{'a' * 5_000_000}'\n" + "y = 1\n" * 20_000 + "%run x")
    assert errors(cell) == [(20_003, "ipython-syntax")]


def test_a_finding_reads_as_a_sentence_with_its_line() -> None:
    assert str(Finding(line=3, code="x", message="it is wrong.")) == "line 3: it is wrong."
