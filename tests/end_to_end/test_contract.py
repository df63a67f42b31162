"""The contract as a script sees it: a probe runs in real jobs, and must find what the table says, wherever it runs."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.process import isolation
from pai_jupyter.jobs import Target, close_runtime, draft
from tests.support.contract_table import CASES, Case, build, expected

ISOLATIONS = ("bwrap", "proot", "plain")


@pytest.fixture(autouse=True)
def _runtime() -> Any:  # Any: a generator fixture
    yield
    close_runtime()


def probed(case: Case, folder: Path, backend: str, image: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the probe prints in a job on `backend`, and what it must print."""
    spec = build(case, folder)
    spec = replace(spec, image_uri=image)
    with draft(spec, Target(backend=backend, reason="asked for")) as ready:
        job = ready.submit().wait(60)
        spec = ready.spec
    found = json.loads(job.tail(1)[0].text)
    master = {name.lower(): found["variables"].get(name, "") for name in ("MASTER_ADDR", "MASTER_PORT")}
    wanted: dict[str, Any] = expected(case, spec, **master)
    if image is not None:
        wanted["files"]["input/config/training_job.json"]["AlgorithmSpec"]["Image"] = image
    if case.job_type == "ElasticBatchJob":
        wanted["variables"]["PAI_SHARDS_DONE"] = "/ml/.shards_done"
    return found, wanted


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("way", ISOLATIONS)
def test_a_process_sees_the_contract(case: Case, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if way != "plain" and shutil.which(way) is None:
        pytest.skip(f"no {way} here; type: make system")
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    isolation.choose(way)
    found, wanted = probed(case, tmp_path, "process")
    assert found == wanted


@pytest.mark.docker
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_container_sees_the_contract(
    case: Case, tmp_path: Path, engine: Any, test_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    found, wanted = probed(case, tmp_path, "docker", test_image)
    assert found == wanted
