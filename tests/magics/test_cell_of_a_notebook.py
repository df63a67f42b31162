"""Cells with lines of IPython, figures and tables, run by the magic as jobs of a process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import JobFailed, SpecError
from tests.support.shells import Shell

LINE = "%%pai_train --as job --backend process"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def log_of(shell: Shell) -> list[str]:
    return [line.text for line in shell.user_ns["job"].tail(100)]


def test_a_cell_as_written_in_a_notebook_runs(shell: Shell) -> None:
    result = shell.run(f"""{LINE}
%%time
from __future__ import annotations
%matplotlib inline
%load_ext autoreload
import pandas as pd
import matplotlib.pyplot as plt
from tqdm.notebook import tqdm
%env GREETING=hello
!mkdir -p data/raw && echo "x\\n1\\n2" > data/raw/a.csv
%cd data
df = pd.read_csv("raw/a.csv")
display(df)
for epoch in tqdm(range(3)):
    print(f"epoch {{epoch}} loss={{1 / (epoch + 1):.3f}}")
plt.plot(df.x)
plt.show()
!echo $GREETING and $$GREETING; exit 4
""")
    assert result.error is None, result.text
    job = shell.user_ns["job"]
    log = log_of(shell)
    assert "[image] pai_images/image-0001.png" in log
    assert any(line.startswith("! echo") and line.endswith("exit code 4") for line in log)
    assert any("100%" in line for line in log)
    assert "loss" in job.metrics()
    assert "left out, since it means nothing in a job: `%%time`, `%matplotlib inline` (4)" in result.text
    pictures = job.folder.path / "output" / "tensorboard" / "pai_images"
    assert [path.name for path in pictures.iterdir()] == ["image-0001.png"]


def test_a_failure_behind_lines_of_ipython_is_at_the_cells_line(shell: Shell) -> None:
    result = shell.run(f"{LINE}\n%matplotlib inline\n!true\nx = !echo 1\n1 / 0\n")
    assert isinstance(result.error, JobFailed)
    assert "ZeroDivisionError: division by zero (cell line 5)" in str(result.error)


def test_all_lines_that_a_job_cannot_run_are_named_at_once(shell: Shell) -> None:
    lines = "\n".join(f"%run part{number}.py" for number in range(8))
    result = shell.run(f"{LINE}\nx = 1\n{lines}\nx?\n")
    assert isinstance(result.error, SpecError)
    assert [text for text in str(result.error).splitlines() if "`%run`" in text] == [
        f"cell line {number}: `%run` exists only in IPython. Import the module (--include sends it along), "
        "or use runpy.run_path(path)."
        for number in range(3, 11)
    ]
    assert "cell line 11: `x?` is IPython's help" in str(result.error)


def test_a_file_of_requirements_is_read_beside_the_notebook(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\n# more\npandas>=2\n")
    result = shell.run(f"{LINE} --dry-run\n!pip install -qUr requirements.txt\nimport numpy\n")
    assert '"numpy",\n' in result.text
    assert '"pandas>=2"' in result.text
    result = shell.run(f"{LINE} --dry-run\n!pip install -r other.txt\nimport numpy\n")
    assert isinstance(result.error, SpecError)
    assert "`pip install -r other.txt`: the file cannot be read: No such file or directory." in str(result.error)


def test_a_secret_of_env_is_found_before_anything_starts(shell: Shell) -> None:
    result = shell.run(f"{LINE} --dry-run\n%env ALIBABA_ACCESS_KEY_SECRET=abcdefghijklmnop\nx = 1\n")
    assert "an access key stands in the code" in result.text


def test_a_file_that_a_shell_line_brings_is_not_missed(shell: Shell) -> None:
    code = 'import pandas as pd\npd.read_csv("data/train.csv")\npd.read_csv("test.csv")\n'
    result = shell.run(f"{LINE} --lint\n!wget -q http://h/data.zip && unzip -q data.zip\n{code}")
    assert "data/train.csv" not in result.text
    assert "`test.csv` is not among the files" in result.text
    assert "not among the files" not in shell.run(f"{LINE} --lint\n%cd repo\n{code}").text


def test_only_a_cell_that_needs_it_gets_what_a_notebook_has(shell: Shell) -> None:
    assert "_pai_notebook" not in shell.run(f"{LINE} --dry-run\nx = 1\n").text
    text = shell.run(f"{LINE} --dry-run\ndisplay(1)\n").text
    assert "_pai_notebook/__init__.py" in text
    assert "_pai_notebook/pai_figures.py" in text


def test_only_a_cell_that_imports_it_gets_the_module_of_shards(shell: Shell) -> None:
    code = "import pai_shards\nfor shard in pai_shards.shards(size=4, shard_size=2):\n    shard.commit()\n"
    assert "pai_shards.py" not in shell.run(f"{LINE} --dry-run\nx = 1\n").text
    assert "pai_shards.py" in shell.run(f"{LINE} --dry-run\n{code}").text
    assert "pai_shards" not in shell.run(f"{LINE} --lint\n{code}").text
    result = shell.run(f"{LINE} --job-type ElasticBatchJob --instance-count 2 --wait\n{code}print('behind the loop')\n")
    assert "100%" in result.text  # its progress is that of the job


def test_modules_beside_the_notebook_go_along(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "__init__.py").write_text("")
    (tmp_path / "src" / "model.py").write_text("import helpers\ndef train():\n    return helpers.VALUE\n")
    (tmp_path / "helpers.py").write_text("VALUE = 42\n")
    cell = f"{LINE} {{}}\nfrom src.model import train\nprint('value', train())\n"
    text = shell.run(cell.format("--dry-run")).text
    assert "note: sent along, since the cell imports it: `src/`, `helpers.py`" in text
    assert "  src/model.py  " in text
    result = shell.run(cell.format(""))
    assert result.error is None
    assert "sent along, since the cell imports it: `src/`, `helpers.py`" in result.text
    assert log_of(shell) == ["value 42"]


def test_a_module_of_ones_own_is_never_to_be_installed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("")
    (tmp_path / "own_thing.py").write_text("")
    (tmp_path / ".paiignore").write_text("src/\nown_thing.py\n")
    sentences = {
        "src.a": "is a module of your own that was not sent; send it along with --include.",
        "own_thing": "`own_thing` was not sent with the job; send it along: --include own_thing.py",
    }
    for module, sentence in sentences.items():
        result = shell.run(f"{LINE}\nimport {module}\n")
        assert ".paiignore leaves out" in result.text
        assert sentence in str(result.error)
        assert "%pip install" not in result.text


def test_figures_of_a_module_are_pictures_too(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "drawing.py").write_text(
        "import matplotlib.pyplot as plt\ndef draw():\n    plt.plot([1]); plt.show()\n"
    )
    assert shell.run(f"{LINE}\nimport drawing\ndrawing.draw()\n").error is None
    assert log_of(shell) == ["[image] pai_images/image-0001.png"]


def test_what_a_notebook_has_takes_no_undeclared_value(shell: Shell) -> None:
    result = shell.run(
        f"{LINE} -p learning=1\nimport matplotlib.pyplot as plt\nlr: float = 0.1  # hp:\n%cd .\n%env A=1\n"
    )
    assert isinstance(result.error, SpecError)
    assert "`learning` is not declared" in str(result.error)
