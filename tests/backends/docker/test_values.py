"""`--send` and `--return` with jobs in containers: values are mounted, and a pickle is read only on request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.errors import PaiJupyterError
from tests.support.shells import Shell

pytestmark = pytest.mark.docker


@pytest.fixture
def shell(docker_backend: DockerBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def test_values_go_and_come_back(shell: Shell, test_image: str) -> None:
    shell.run("X = [1, 2, 3]; odd = 'before'")
    result = shell.run(
        f"%%pai_train --backend docker --image {test_image} --as job --send X --return total,odd,gone\n"
        "print(X)\ntotal = sum(X)\nodd = (1, 2)\n"
    )
    assert result.error is None, result.text
    job = shell.user_ns["job"]
    assert shell.user_ns["total"] == 6
    assert shell.user_ns["odd"] == "before"
    assert "odd: came back as a pickle" in result.text
    assert "`gone` was not returned" in result.text
    with pytest.raises(PaiJupyterError, match=r"job\.returned\(pickle=True\)"):
        job.returned()
    assert job.returned("total") == {"total": 6}
    assert job.returned(pickle=True)["odd"] == (1, 2)


def test_an_image_without_the_package_says_which(shell: Shell, test_image: str) -> None:
    shell.run("import numpy; X = numpy.zeros(3)")
    result = shell.run(f"%%pai_train --backend docker --image {test_image} --requirements none --send X\nprint(X)\n")
    assert "`X` cannot be read: it needs the package numpy. Add %pip install numpy to the cell." in result.text
