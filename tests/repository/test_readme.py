"""The cells of the README, as somebody copies them one below the other into a new notebook."""

import re
from pathlib import Path

import pytest

from pai_jupyter.store import JobStore
from tests.support.kernels import Kernel
from tests.support.paths import ROOT

pytestmark = pytest.mark.kernel
README = ROOT / "README.md"


def cells() -> list[str]:
    """All cells but the last, which speaks of the reader's own `./src`."""
    found = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert "./src" in found[-1]
    return found[:-1]


def test_the_cells_of_the_readme_run_as_they_are_in_a_new_kernel(tmp_path: Path) -> None:
    home = tmp_path / "home"
    kernel = Kernel(home=home, cwd=tmp_path, DOCKER_HOST=f"unix://{tmp_path}/none.sock", HOME=str(tmp_path))
    try:
        for cell in cells():
            kernel.ok(cell, attended=False, timeout=300)
        states = [folder.read().state.status for folder in JobStore(home).folders()]
        assert [str(state) for state in states] == ["succeeded"] * 7
    finally:
        kernel.run("%pai_config use emulator --stop", attended=False)
        kernel.close()
