"""A cell with lines of IPython, a module of its own and a figure, as a job of PAI on the emulator."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from pai_jupyter.magics import emulator
from pai_jupyter.wire.files.output_files import files
from tests.support.sessions import surroundings
from tests.support.shells import Shell

CELL = """%%pai_train drawn --as job --backend pai --image img:1 --instance-type ecs.c6.large --wait
%matplotlib inline
import matplotlib.pyplot as plt
import helpers
!mkdir -p made && echo from the shell
%cd made
plt.plot(helpers.POINTS)
plt.show()
display({"a": 1})
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    with surroundings(tmp_path, monkeypatch), Shell() as shell:
        monkeypatch.chdir(tmp_path)
        settings().use_emulator(emulator.start("process"))
        try:
            yield shell
        finally:
            emulator.stop()


def test_a_cell_as_written_in_a_notebook_runs_on_pai(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("POINTS = [1, 2]\n")
    result = shell.run(CELL)
    assert result.error is None, result.text
    job = shell.user_ns["job"]
    log = [line.text for line in job.tail(50)]
    assert "from the shell" in log
    assert "[image] pai_images/image-0001.png" in log
    assert "{'a': 1}" in log
    answer, _ = files(job, {"channel": "tensorboard", "path": "pai_images"})
    assert [entry["name"] for entry in answer["entries"]] == ["image-0001.png"]
    shown, buffers = files(job, {"channel": "tensorboard", "path": "pai_images/image-0001.png", "preview": True})
    assert (shown["type"], shown["mime"], buffers[0][:4]) == ("image", "image/png", b"\x89PNG")
