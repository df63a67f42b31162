"""Values across kernels: a kernel that is killed while its job runs, another that reads what came back; and 500 MB of them."""

import json
import os
import tarfile
from pathlib import Path

import pytest

from tests.support.kernels import kernel

pytestmark = pytest.mark.kernel
HEAVY = bool(os.environ.get("PAI_HEAVY"))  # read at import: tests run without PAI_ variables
CELL = """%%pai_train demo --backend process --run --no-wait --send X --return total,Net
import os, time
while not os.path.exists({flag!r}):
    time.sleep(0.05)
class Net:
    weights = X * 2
total = float(X.sum())
"""


def test_another_kernel_reads_what_a_killed_one_asked_for(tmp_path: Path) -> None:
    home, flag = tmp_path / "home", tmp_path / "go"
    with kernel(home=home, cwd=tmp_path) as first:
        first.ok("%load_ext pai_jupyter")
        first.ok("import numpy as np\nX = np.arange(6.)")
        first.ok(CELL.format(flag=str(flag)))
        first.kill()
    flag.touch()
    with kernel(home=home, cwd=tmp_path) as other:
        read = "import pai_jupyter\njob = pai_jupyter.attach('demo').wait()\nback = job.returned()\n"
        assert other.ok(f"{read}print(back['total'], back['Net'].weights.tolist())").strip() == (
            "15.0 [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]"
        )
    record = json.loads(next((home / "jobs").glob("*/job.json")).read_text())
    assert record["spec"]["returns"] == ["total", "Net"]


@pytest.mark.skipif(not HEAVY, reason="half a minute and 2 GB of disk; PAI_HEAVY=1 runs it")
def test_half_a_gigabyte_goes_and_comes_back(tmp_path: Path) -> None:
    with kernel(home=tmp_path / "home", cwd=tmp_path) as one:
        one.ok("%load_ext pai_jupyter")
        one.ok("import numpy as np\nX = np.random.default_rng(7).random(62_500_000)")
        cell = "%%pai_train --backend process --run --wait --send X --return Y\nY = X[::-1].copy()\n"
        one.ok(cell, attended=False, timeout=240)
        assert one.ok("print(Y.nbytes, bool((Y == X[::-1]).all()))").strip() == "500000000 True"


VALUE, SECRET = "value-7fdc01", "sk-9d3b27c1e5f84a60b7"
KEEPS = """%%pai_train demo --backend process --run --wait --send people,note --return people --pass-env DEMO_TOKEN
import os
import tarfile
assert note and os.environ["DEMO_TOKEN"]
"""


def test_values_and_secrets_are_in_no_notebook_record_package_or_log(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with kernel(home=home, cwd=tmp_path, DEMO_TOKEN=SECRET, PAI_TEST_VALUE=VALUE) as one:
        one.ok("%load_ext pai_jupyter")
        one.ok(
            "import os, pandas as pd\nnote = os.environ['PAI_TEST_VALUE']\npeople = pd.DataFrame({'name': [note] * 9})"
        )
        cells = [one.run(KEEPS, attended=False), one.run("job"), one.run("%pai_jobs"), one.run("%pai_logs demo")]
    assert cells[0].status == "ok", cells[0].texts()
    shown = json.dumps([cell.outputs for cell in cells], default=str)
    assert VALUE not in shown
    assert SECRET not in shown
    folder = next((home / "jobs").glob("*/job.json")).parent
    values = [path for path in home.rglob("*") if path.is_file() and VALUE.encode() in path.read_bytes()]
    returned = folder / "output" / "returned"
    elsewhere = [path for path in values if not path.is_relative_to(home / "cache" / "values")]
    assert [path.parent for path in elsewhere] == [returned]  # what was sent, once; and what came back
    with tarfile.open(folder / "package.tar.gz") as package:
        packed = b"".join(package.extractfile(each).read() for each in package if each.isfile())  # type: ignore[union-attr]
    assert VALUE.encode() not in packed
    assert SECRET.encode() not in packed
    assert [path for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()] == []
