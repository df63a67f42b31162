"""Scripts of cells in processes of their own: shell lines, `display`, figures and bars, without pai_jupyter."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from pai_jupyter.cell import hooked, read_cell, support_files

PNG = b"\x89PNG\r\n\x1a\n"


class Script:
    """A cell as a script in a directory, run as a job runs it."""

    def __init__(self, directory: Path) -> None:
        self.code, self.output = directory / "code", directory / "tensorboard"
        self.code.mkdir()
        self.output.mkdir()

    def run(
        self, cell: str, variables: Mapping[str, str] = {}, *, files: Mapping[str, str] = {}, code: int = 0
    ) -> list[str]:
        """Run the cell; return the lines of its log."""
        read = read_cell("%%pai_train\n" + textwrap.dedent(cell))
        assert not [finding for finding in read.findings if finding.severity == "error"], read.findings
        script = hooked(read.source)
        for name, content in {"train.py": script.encode(), **support_files(script)}.items():
            path = self.code / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        for name, text in files.items():
            (self.code / name).write_text(text)
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        done = subprocess.run(
            [sys.executable, "train.py"],
            cwd=self.code,
            env={**kept, "PYTHONUNBUFFERED": "1", "PAI_OUTPUT_TENSORBOARD": f"{self.output}/", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        log = done.stdout.decode().replace("\r", "\n").splitlines()
        assert done.returncode == code, log
        return log

    @property
    def images(self) -> list[str]:
        return sorted(path.relative_to(self.output).as_posix() for path in self.output.rglob("*") if path.is_file())


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


# shell lines ------------------------------------------------------------------------------------------------------


def test_a_shell_line_runs_at_its_place(script: Script) -> None:
    log = script.run("""
        out = "a b"
        print("before")
        !mkdir -p "{out}" && echo made $out $HOME_OF_NOBODY {1 + 1} $$HOME
        print("behind")
        files = !ls -d */ | grep a
        print(files, files.n, files.s)
    """)
    assert log[0] == "before"
    assert log[1].startswith("made a b  2 /") or log[1].startswith("made a b 2 /")
    assert log[2:] == ["behind", "['_pai_notebook/', 'a b/'] _pai_notebook/", "a b/ _pai_notebook/ a b/"]


def test_a_failed_shell_line_is_named_with_its_code_and_the_script_goes_on(script: Script) -> None:
    log = script.run("""
        !exit 3
        print(_exit_code)
        x = !echo out; false
        print(x, _exit_code)
        !no-such-program-here
        print("end")
    """)
    assert log[0] == "! exit 3: exit code 3"
    assert log[1:4] == ["3", "! echo out; false: exit code 1", "['out'] 1"]
    assert log[-2:] == ["! no-such-program-here: exit code 127", "end"]


def test_braces_of_the_shell_stay(script: Script) -> None:
    assert script.run("""
        name = "x"
        !echo 'a b' | awk '{print $2}'
        !echo {name}
        !echo ${HOME:+home} $HOME_OF_NOBODY
        def f(inner):
            !echo {inner} $inner
        f("local")
    """) == ["b", "x", "home", "local local"]


def test_cd_and_env_last(script: Script) -> None:
    log = script.run("""
        import os
        !mkdir -p repo && echo 'value = 7' > repo/found_there.py
        %cd repo
        import found_there
        %env A=1
        b = 2
        %env B={b} c
        here = %pwd
        print(found_there.value, os.environ["A"], os.environ["B"], os.path.basename(here))
        !echo $$A
        %cd -
        print(os.path.basename(os.getcwd()))
    """)
    assert [Path(log[0]).name, *log[1:3], Path(log[3]).name, log[4]] == ["repo", "7 1 2 c repo", "1", "code", "code"]


def test_a_directory_that_is_not_there_ends_the_job_at_its_line(script: Script) -> None:
    log = script.run("x = 1\n%cd /no/such/place", code=1)
    assert '  File "' in log[1]
    assert "line 3, in <module>" in log[1]
    assert log[-1].startswith("FileNotFoundError")


def test_a_traceback_has_the_lines_of_the_cell(script: Script) -> None:
    log = script.run("%matplotlib inline\n!true\nfiles = !ls\n\nraise ValueError(len(files))", code=1)
    assert "line 6, in <module>" in log[1]


# objects ----------------------------------------------------------------------------------------------------------


def test_tables_are_text(script: Script) -> None:
    log = script.run("""
        import pandas as pd
        display(pd.DataFrame({f"column_{i}": [i] * 3 for i in range(15)}))
        display(pd.DataFrame({"x": range(1000)}), "text", {"a": 1})
        display(pd.Series([1.5], name="s"))
    """)
    assert "column_14" in log[0]
    assert len(log) < 30
    assert "[1000 rows x 1 columns]" in log or ".." in "".join(log)
    assert "'text'" in log
    assert "{'a': 1}" in log


@pytest.mark.parametrize("has_ipython", [True, False])
def test_objects_of_ipython_are_text(script: Script, has_ipython: bool) -> None:
    files = {} if has_ipython else {"sitecustomize.py": HIDING}
    log = script.run(
        """
        from IPython.display import HTML, Markdown, clear_output, display
        import IPython
        clear_output(wait=True)
        display(HTML("<b>x</b> &lt; 1"), Markdown("# Title"))
        display(3)
        IPython.display.display("s")
        """,
        files=files,
        variables={"PYTHONPATH": str(script.code)},
    )
    assert log == (["x  < 1"] if has_ipython else ["<b>x</b> &lt; 1"]) + ["# Title", "3", "'s'"]


HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "IPython":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
"""


def test_bars_of_a_notebook_are_bars_of_the_console(script: Script) -> None:
    log = script.run("""
        from tqdm.notebook import tqdm, trange
        from tqdm.auto import tqdm as auto
        from tqdm import tqdm_notebook
        import tqdm.notebook as whole
        for bar in (tqdm, auto, tqdm_notebook, whole.tqdm):
            for i in bar(range(3), desc=bar.__module__):
                pass
        for i in trange(2):
            pass
    """)
    assert len([text for text in log if text.rstrip().endswith("it/s]") and "100%" in text]) >= 5
    assert not [text for text in log if "HBox" in text or "IProgress" in text]


# figures ----------------------------------------------------------------------------------------------------------

PLOT = """
import matplotlib.pyplot as plt
plt.plot([1, 2])
print("before")
plt.show()
print("behind")
"""


def test_a_shown_figure_is_a_picture_that_the_log_names(script: Script) -> None:
    assert script.run(PLOT) == ["before", "[image] pai_images/image-0001.png", "behind"]
    assert script.images == ["pai_images/image-0001.png"]
    assert (script.output / script.images[0]).read_bytes().startswith(PNG)


def test_figures_are_shown_as_in_a_notebook(script: Script) -> None:
    log = script.run("""
        %matplotlib inline
        import matplotlib.pyplot as plt
        one, two = plt.figure(), plt.figure()
        one.show()
        display(two)
        three, axes = plt.subplots()
        axes.plot([1])
        print("end")
    """)
    assert log == [
        "[image] pai_images/image-0001.png",
        "[image] pai_images/image-0002.png",
        "end",
        "[image] pai_images/image-0003.png",
    ]


def test_programs_that_a_cell_starts_show_figures_too(script: Script) -> None:
    (script.code / "tools").mkdir()
    log = script.run("!python tools/draw.py\ndisplay('x')", files={"tools/draw.py": PLOT}, variables={"PATH": _path()})
    assert log[1] == "[image] pai_images/image-0001.png"


def _path() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("head", "variables"),
    [
        ("", {"MPLBACKEND": "Agg"}),
        ("import matplotlib; matplotlib.use('Agg')", {}),
        ("import os; os.environ['MPLBACKEND'] = 'Agg'", {}),
    ],
)
def test_the_users_own_backend_wins(script: Script, head: str, variables: dict[str, str]) -> None:
    log = script.run(f"{head}\nimport warnings; warnings.simplefilter('ignore'){PLOT}", variables)
    assert (log, script.images) == (["before", "behind"], [])


def test_the_backend_of_a_kernel_is_not_the_users_own(script: Script) -> None:
    script.run(PLOT, {"MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    assert script.images == ["pai_images/image-0001.png"]


def test_outside_of_a_job_nothing_is_changed(script: Script) -> None:
    log = script.run(PLOT, {"PAI_OUTPUT_TENSORBOARD": ""})
    assert (log[0], log[-1], script.images) == ("before", "behind", [])


def test_replicas_write_under_their_own_names(script: Script) -> None:
    script.run(PLOT, {"RANK": "0"})
    script.run(PLOT, {"RANK": "1"})
    script.run(PLOT, {"RANK": "0"})
    assert script.images == [
        "pai_images/image-0001.png",
        "pai_images/image-0002.png",
        "pai_images/rank1-image-0001.png",
    ]


def test_a_full_disk_does_not_end_the_training(script: Script) -> None:
    (script.output / "pai_images").write_text("in the way")
    log = script.run(PLOT)
    assert log == ["before", "[image] not saved: File exists", "behind"]


def test_pictures_of_other_libraries_are_pictures(script: Script) -> None:
    log = script.run("""
        from IPython.display import Image as Shown, display
        from PIL import Image
        display(Image.new("RGB", (2, 2)))
        display(Shown(data=open("a.png", "rb").read()) if False else 1)
    """)
    assert log == ["[image] pai_images/image-0001.png", "1"]


def test_a_line_of_ours_does_not_stick_to_a_bar(script: Script) -> None:
    log = script.run("""
        from tqdm.notebook import tqdm
        import matplotlib.pyplot as plt
        for i in tqdm(range(2)):
            plt.plot([i]); plt.show()
            display(i)
    """)
    assert [text for text in log if "image" in text or text in ("0", "1")] == [
        "[image] pai_images/image-0001.png",
        "0",
        "[image] pai_images/image-0002.png",
        "1",
    ]
