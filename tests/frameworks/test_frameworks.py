"""Real frameworks in distributed jobs: the result is that of one process, in local processes, in containers, at the emulator."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter import Estimator, Job
from pai_jupyter.backends.pai import PaiBackend
from tests.support.frameworks import PYTHON, QUIET, libraries, need, packages, result
from tests.support.pai_jobs import rehearsal, rehearsed

__all__ = ["rehearsal", "rehearsed"]  # fixtures

PLAIN = "python train.py"
TORCHRUN = (
    "python -m torch.distributed.run --nnodes=$WORLD_SIZE --node_rank=$RANK --nproc_per_node=2 "
    "--master_addr=$MASTER_ADDR --master_port=$MASTER_PORT train.py"
)
DDP, BOOST, SUM = "ddp_training.py", "xgboost_training.py", "tensorflow_sum.py"

Code = Callable[[str], Path]
Alone = Callable[[str], list[float]]


def in_processes(command: str) -> str:
    return command.replace("python", str(PYTHON), 1)


def is_that_of_one_process(job: Job, alone: list[float], folder: Path) -> bool:
    found = result(job.fetch("model", folder / "fetched"))
    return found == pytest.approx(alone, rel=0, abs=1e-6)


def ranks_said(job: Job) -> list[str]:
    """The last words of all processes: two of one replica print into the same line now and then."""
    text = "\n".join(line.text for line in job.logs())
    return sorted(re.findall(r"rank \d of \d (?:is done|has trained on \d+ rows)", text))


# --- local processes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "count", "size"),
    [
        pytest.param(PLAIN, 2, 2, id="2"),
        pytest.param(PLAIN, 3, 3, id="3"),
        pytest.param(TORCHRUN, 2, 4, id="2-by-torchrun"),
        pytest.param(TORCHRUN, 3, 6, id="3-by-torchrun"),
    ],
)
def test_pytorch_trains_in_processes_as_it_does_alone(
    code: Code, alone: Alone, tmp_path: Path, command: str, count: int, size: int
) -> None:
    need("torch")
    job = Estimator(
        command=in_processes(command),
        source_dir=code(DDP),
        instance_count=count,
        environments=QUIET,
        backend="process",
    ).fit()
    assert ranks_said(job) == [f"rank {rank} of {size} is done" for rank in range(size)]
    assert is_that_of_one_process(job, alone(DDP), tmp_path)


def test_xgboost_trains_in_processes_as_it_does_alone(code: Code, alone: Alone, tmp_path: Path) -> None:
    need("xgboost")
    job = Estimator(
        command=in_processes(PLAIN),
        source_dir=code(BOOST),
        job_type="XGBoostJob",
        instance_count=3,
        environments=QUIET,
        backend="process",
    ).fit()
    assert ranks_said(job) == [f"rank {rank} of 3 has trained on 200 rows" for rank in range(3)]
    assert is_that_of_one_process(job, alone(BOOST), tmp_path)


def test_tensorflow_adds_up_over_processes(code: Code) -> None:
    need("tensorflow")
    job = Estimator(
        command=in_processes(PLAIN),
        source_dir=code(SUM),
        job_type="TFJob",
        instance_count=2,
        environments=QUIET,
        backend="process",
    ).fit()
    said = [[line.text for line in job.logs(replica=name)][-1] for name in ("worker-0", "worker-1")]
    assert said == ["worker 0 of 2: sum 3.0", "worker 1 of 2: sum 3.0"]


# --- containers: the packages are an input -----------------------------------------------------------------------


@pytest.fixture(scope="session")
def installed() -> None:
    """Looked for before an engine is started."""
    need("torch")
    need("xgboost")


@pytest.mark.docker
@pytest.mark.usefixtures("installed", "docker_backend")
@pytest.mark.parametrize(
    ("command", "script", "kind", "count", "size"),
    [
        pytest.param(PLAIN, DDP, "PyTorchJob", 3, 3, id="torch"),
        pytest.param(TORCHRUN, DDP, "PyTorchJob", 2, 4, id="torchrun"),
        pytest.param(PLAIN, BOOST, "XGBoostJob", 3, 3, id="xgboost"),
    ],
)
def test_frameworks_train_in_containers_as_they_do_alone(
    code: Code,
    alone: Alone,
    tmp_path: Path,
    test_image: str,
    command: str,
    script: str,
    kind: str,
    count: int,
    size: int,
) -> None:
    paths = {"PYTHONPATH": "/ml/input/data/packages", "LD_LIBRARY_PATH": "/ml/input/data/libraries"}
    job = Estimator(
        command=command,
        source_dir=code(script),
        image_uri=test_image,
        job_type=kind,  # type: ignore[arg-type]  # one of them
        instance_count=count,
        environments={**QUIET, **paths},
        backend="docker",
    ).fit({"packages": packages(), "libraries": libraries(tmp_path / "libraries")})
    assert len(ranks_said(job)) == size
    assert is_that_of_one_process(job, alone(script), tmp_path)


# --- the emulator ------------------------------------------------------------------------------------------------


def test_pytorch_trains_through_pai_at_the_emulator_as_it_does_alone(
    rehearsed: PaiBackend, code: Code, alone: Alone, tmp_path: Path
) -> None:
    need("torch")
    job = Estimator(
        command=in_processes(PLAIN),
        source_dir=code(DDP),
        image_uri="pytorch:1",
        instance_type="ecs.c6.large",
        instance_count=2,
        environments=QUIET,
        backend="pai",
    ).fit()
    assert ranks_said(job) == ["rank 0 of 2 is done", "rank 1 of 2 is done"]
    assert is_that_of_one_process(job, alone(DDP), tmp_path)
