"""A script that parses words of its own gets none of the job's values, and a note says so."""

import pytest

from pai_jupyter.hyperparameters import read_schema

PARSER = "import argparse, shlex, sys\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.1)\n"

CLICK = "import click\n@click.command()\n@click.option('--lr', default=0.1)\ndef main(lr): pass\n"


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("p.parse_args('--lr 0.2'.split())", 4, "write parse_args()"),
        ("p.parse_args(shlex.split('--lr 0.2'))", 4, "write parse_args()"),
        ("p.parse_args(args=('--lr', str(0.2)))", 4, "write parse_args()"),
        ("p.parse_known_args(['--lr', '5'])", 4, "write parse_known_args()"),
        ("ARGS = ['--lr', '5']\np.parse_args(args=ARGS)", 5, "`p.parse_args(args=ARGS)` does not read"),
        ("ARGS = '--lr 5'.split()\ndef main():\n    p.parse_args(ARGS + [])\nmain()", 6, "write parse_args()"),
        ("sys.argv = ['train.py', '--lr', '5']\np.parse_args()", 4, "`sys.argv = ['train.py', '--lr', '5']` takes"),
        ("sys.argv[1:] = []\np.parse_args()", 4, "delete this line"),
        ("sys.argv = sys.argv[:1]\np.parse_args()", 4, "delete this line"),
        ("def main():\n    return p.parse_args()\ndel sys.argv[1:]\nmain()", 6, "`del sys.argv[1:]` takes"),
        ("if __name__ == '__main__':\n    sys.argv = ['x']\n    p.parse_args()", 5, "delete this line"),
    ],
)
def test_words_in_the_code_are_noted(source: str, line: int, said: str) -> None:
    (note,) = read_schema(PARSER + source).notes
    assert note.line == line
    assert said in note.text


@pytest.mark.parametrize(
    "source",
    [
        "p.parse_args()",
        "p.parse_args(sys.argv[1:])",
        "p.parse_args([*sys.argv[1:], '--lr', '5'])",
        "p.parse_args(['--lr', '5'] + sys.argv[1:])",
        "def main(argv=None):\n    p.parse_args(argv)\nargv = []",
        "ARGS = []\nARGS += sys.argv[1:]\np.parse_args(ARGS)",
        "ARGS = []\nARGS.extend(sys.argv[1:])\np.parse_args(ARGS)",
        "ARGS = []\nfor word in sys.argv:\n    ARGS = [*ARGS, word]\np.parse_args(ARGS)",
        "if 'ipykernel' in sys.modules:\n    sys.argv = ['x']\np.parse_args()",
        "args, rest = p.parse_known_args()\nsys.argv = ['x']\nother(p.parse_args())",
        "def get():\n    return p.parse_args()\nargs = get()\nsys.argv = sys.argv[:1]\nrun(args)",
        "sys.argv = [sys.argv[0], *words]\np.parse_args()",
        "sys.argv = sys.argv[1:]\np.parse_args()",
        "sys.argv = ['x']",
    ],
)
def test_what_may_read_the_arguments_has_no_note(source: str) -> None:
    assert read_schema(PARSER + source).notes == ()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            CLICK + "main(['--lr', '5'], standalone_mode=False)",
            "write main(standalone_mode=False)",
        ),
        (
            CLICK + "main.main(args=[])",
            "write main.main()",
        ),
        (
            "import typer\napp = typer.Typer()\n@app.command()\ndef f(lr: float = 0.1): pass\napp(['--lr', '5'])",
            "app()",
        ),
        ("import fire\ndef f(lr=0.1): pass\nfire.Fire(f, command='--lr 5')", "write fire.Fire(f)"),
        ("import fire\ndef f(lr=0.1): pass\nfire.Fire(f, ['--lr', '5'])", "write fire.Fire(f)"),
        (
            "from dataclasses import dataclass\nfrom transformers import HfArgumentParser\n@dataclass\nclass A:\n    lr: float = 0.1\n"
            "(a,) = HfArgumentParser(A).parse_args_into_dataclasses(args=['--lr', '5'])",
            "write parse_args_into_dataclasses()",
        ),
        (
            "import tyro\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    lr: float = 0.1\ntyro.cli(A, args=[])",
            "write tyro.cli(A)",
        ),
        ('"""Usage: t.py [--lr=N]"""\nfrom docopt import docopt\ndocopt(__doc__, argv=[])', "write docopt(__doc__)"),
        (
            "import fire, sys\ndef f(lr=0.1): pass\nsys.argv = ['t', '--lr', '5']\nfire.Fire(f)",
            "takes the place of the job's arguments",
        ),
    ],
)
def test_other_libraries_are_noted_too(source: str, said: str) -> None:
    (note,) = read_schema(source).notes
    assert said in note.text


def test_a_web_server_that_runs_at_an_address_is_not_noted() -> None:
    assert read_schema("app = Flask(__name__)\napp.run('0.0.0.0', '8080')").notes == ()
