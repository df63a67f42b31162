"""The way of a user through the cloud, at the emulator or in an account (tests/support/live.py); and the option that chooses."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.images import is_short_name, list_images, resolve_image
from pai_jupyter.cloud.instances import list_instances
from pai_jupyter.cloud.tensorboard import open_app
from pai_jupyter.diagnostics import preflight
from pai_jupyter.jobs import close_runtime, submit
from pai_jupyter.spec import JobSpec, MetricDefinition
from tests.support.emulators import Emulator, emulator, json_of
from tests.support.live import Cloud, cloud
from tests.support.pai_jobs import rehearsal, rehearsed
from tests.support.paths import ROOT
from tests.support.storages import ODD_NAMES, read_tree, write_tree

__all__ = ["cloud", "rehearsal", "rehearsed"]  # fixtures

DEADLINE = 60.0  # seconds that a run of pytest may take at most
SCRIPT = b"""
import json, os, pathlib
config = json.loads(pathlib.Path(os.environ["PAI_CONFIG_DIR"], "hyperparameters.json").read_text())
data = pathlib.Path(os.environ["PAI_INPUT_TRAIN"])
for step in range(1, 4):
    print(f"step {step}/3 loss={1 / step:.3f}", flush=True)
(pathlib.Path(os.environ["PAI_OUTPUT_MODEL"]) / "model.txt").write_text(config["lr"] + (data / "a.txt").read_text())
"""


# --- the cloud -----------------------------------------------------------------------------------------------------------


@pytest.mark.live
def test_the_account_passes_its_own_preflight(cloud: Cloud) -> None:
    checks = {check.what: check.is_good for check in preflight()}
    asked = ("session", "credentials", "clock", "account", "workspace", "bucket")
    assert [what for what in asked if not checks[what]] == []


@pytest.mark.live
def test_the_catalogues_have_what_jobs_need(cloud: Cloud) -> None:
    assert {"PyTorch", "TensorFlow"} <= {image.framework_name for image in list_images()}
    assert not is_short_name(resolve_image("pytorch:latest-gpu"))
    machines = {machine.name: machine for machine in list_instances()}
    assert machines[cloud.instance_type].cpu > 0


@pytest.mark.live
def test_what_is_uploaded_comes_down_the_same(cloud: Cloud, tmp_path: Path) -> None:
    tree = {name: name.encode() for name in ODD_NAMES if "\n" not in name and "\x01" not in name}
    tree |= {"deep/er": b"", "large": bytes(range(256)) * 40_000}
    place = f"{cloud.session.uri(cloud.folder)}/tree/"
    cloud.session.upload(write_tree(tmp_path / "up", tree), place)
    assert read_tree(cloud.session.download(place, tmp_path / "down")) == tree


@pytest.mark.live
def test_a_job_runs_with_data_from_here_and_its_model_comes_back(cloud: Cloud, tmp_path: Path) -> None:
    spec = replace(
        JobSpec(name="a live job", command="python train.py", **cloud.spec),
        source_dir=write_tree(tmp_path / "source", {"train.py": SCRIPT}),
        inputs={"train": str(write_tree(tmp_path / "data", {"a.txt": b" of here"}))},
        hyperparameters={"lr": 0.1},
        metric_definitions=(MetricDefinition(name="loss", regex=r"loss=([0-9.]+)"),),
    )
    job = submit(spec, backend="pai")
    job.wait(cloud.deadline)
    assert [line.text for line in job.logs()] == [f"step {step}/3 loss={1 / step:.3f}" for step in (1, 2, 3)]
    assert job.metrics() == {"loss": 0.333}
    assert read_tree(job.fetch("model", tmp_path / "model")) == {"model.txt": b"0.1 of here"}
    assert (job.url is None) == cloud.session.is_emulator
    close_runtime()


@pytest.mark.live
def test_a_tensorboard_app_shows_a_folder_and_goes(cloud: Cloud, tmp_path: Path) -> None:
    tensorboard_x = pytest.importorskip("tensorboardX")
    with tensorboard_x.SummaryWriter(str(tmp_path / "logs")) as writer:
        writer.add_scalar("loss", 0.5, 1)
    place = f"{cloud.session.uri(cloud.folder)}/logs/"
    cloud.session.upload(tmp_path / "logs", place)
    app = open_app(place)
    try:
        assert (app.status, app.answers) == ("running", True)
    finally:
        app.delete()
    assert app.status == "deleted"


# --- the option ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """What stands in the place of an account: an emulator of a user's own."""
    with emulator(tmp_path_factory.mktemp("own") / "emulator") as running:
        yield running


def pytest_of(user: Path, *words: str, **environ: str) -> "subprocess.Popen[str]":
    """A run of the tests by a user with this home, and nothing else configured than what is given."""
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(user), "PAI_JUPYTER_HOME": str(user)}
    command = [sys.executable, "-m", "pytest", "--pai-live", *words]
    out = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=ROOT, env=surroundings | environ, stdout=out, stderr=subprocess.STDOUT, text=True
    )


def pytest_in(stand_in: Emulator, *words: str) -> "subprocess.Popen[str]":
    return pytest_of(stand_in.data.parent, *words, PAI_JUPYTER_SERVICES=stand_in.address)


def said_by(run: "subprocess.Popen[str]") -> str:
    """All that a run of the tests says; it takes seconds, and minutes on a busy machine."""
    try:
        return run.communicate(timeout=5 * DEADLINE)[0]
    finally:
        run.kill()
        run.communicate()


def jobs(stand_in: Emulator) -> list[Any]:  # Any: JSON values
    return [json_of(path)["fields"] for path in (stand_in.data / "state" / "trainingjobs").glob("*.json")]


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        (
            {},
            "no account is configured here: type %pai_config wizard in a notebook, or set ALIBABA_CLOUD_ACCESS_KEY_ID",
        ),
        ({"PAI_REGION_ID": "cn-test"}, "access key"),
        (
            {
                "PAI_REGION_ID": "cn-test",
                "ALIBABA_CLOUD_ACCESS_KEY_ID": "id",
                "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "a-secret-of-nobody",
            },
            "no workspace is set",
        ),
    ],
    ids=["nothing", "no key", "no workspace"],
)
def test_without_an_account_one_sentence_says_so(tmp_path: Path, environ: dict[str, str], sentence: str) -> None:
    said = said_by(pytest_of(tmp_path, str(ROOT / "tests"), **environ))
    (line,) = said.strip().splitlines()
    assert line.startswith("ERROR: --pai-live: ")
    assert sentence in line


def test_a_live_run_has_live_tests_only_and_leaves_nothing(stand_in: Emulator) -> None:
    words = [
        "-v",
        "--pai-live-hold=15",  # the job is asked for while it runs, also on a busy machine
        "tests/backends/pai/test_live.py",
        "tests/backends/test_contract.py",
        "tests/contract/test_topology.py",
    ]
    chosen = "comes_back or comes_down or option or nobody or runs_says_so or test_an_output_is_fetched"
    run = pytest_in(stand_in, *words, "-k", chosen)
    said = said_by(run)
    assert run.returncode == 0, said
    assert f"--pai-live: the emulator at {stand_in.address}, workspace 10001, oss://emulator/pai-jupyter-tests/" in said
    passed = {line.split()[0].partition("::")[2] for line in said.splitlines() if " PASSED" in line}
    assert passed == {
        "test_what_is_uploaded_comes_down_the_same",
        "test_a_job_runs_with_data_from_here_and_its_model_comes_back",
        "test_a_job_that_runs_says_so[pai]",
        "test_an_output_is_fetched_byte_for_byte[pai]",
    }
    assert (jobs(stand_in), stand_in.keys()) == ([], [])


def test_an_interrupted_live_run_stops_its_job_and_leaves_nothing(stand_in: Emulator) -> None:
    stand_in.put("pai-jupyter-tests/of-another-run/model", "x")
    run = pytest_in(stand_in, "--pai-live-hold=600", "tests/backends/test_contract.py", "-k", "resumes_without_loss")
    until(lambda: any(job["Status"] == "Running" for job in jobs(stand_in)))
    run.send_signal(signal.SIGINT)
    said = said_by(run)
    assert "KeyboardInterrupt" in said
    assert (jobs(stand_in), stand_in.keys()) == ([], ["pai-jupyter-tests/of-another-run/model"])


def test_the_option_says_what_costs_money() -> None:
    said = subprocess.check_output([sys.executable, "-m", "pytest", "--help"], cwd=ROOT, text=True)
    described = " ".join(said.partition("--pai-live ")[2].partition("--pai-live-machine")[0].split())
    for word in ("costs money", "training jobs", "TensorBoard app", "oss://BUCKET/pai-jupyter-tests/", "deleted"):
        assert word in described


@pytest.mark.parametrize("host", ["192.0.2.1", "pai.aliyuncs.com"])
def test_without_it_no_test_leaves_this_machine(host: str) -> None:
    with pytest.raises(OSError, match="tests stay on this machine"):
        socket.create_connection((host, 443), timeout=1)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
