"""Whatever tests/openapi.json allows, and whatever it does not, asked of a real server: nothing is answered that it lacks.

Requests are made by schemathesis, the same ones in every run: valid ones, about what is there and what is not, and as many
that are not. Jobs are of every kind that a list may have. Nothing is started: jobs are recorded, not run, and the backend that
the server's settings name is none.
"""

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, assume, settings
from schemathesis.config import (
    ChecksConfig,
    GenerationConfig,
    NotAServerErrorConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from schemathesis.config._checks import NegativeDataRejectionConfig

from pai_jupyter.component import Component, ComponentInput, ComponentOutput, TrainingConstraint
from pai_jupyter.component.forms import to_json
from pai_jupyter.events import Status
from pai_jupyter.hyperparameters import Hyperparameter
from pai_jupyter.package import build
from pai_jupyter.store import JobStore
from tests.server.conftest import give_output, served_beside
from tests.support import buckets
from tests.support.described import DESCRIBED
from tests.support.emulators import Emulator
from tests.support.lists import loss, record
from tests.support.server import AUTHORIZED, PREFIX, Server, read_frame

EXAMPLES = 12  # of each kind of data for each method of each address
# What valid data is made of: what is there, what could be, and what is not.
THERE = {
    "job": ["ended", "failed", "open", "damaged", "new", "nothing"],
    "to": ["failed", "ended", "nothing"],
    "replica": ["master-0", "worker-9"],
    "channel": ["model", "tensorboard"],
    "path": ["plot.png", "notes.txt", "deep"],
    "check": ["process", "docker", "pai"],
    "name": ["saved", "registered", "nothing"],
    "uri": [
        "job:",
        "job:ended/",
        "job:ended/model/",
        "job:ended/model/deep/",
        "job:ended/model/notes.txt",
        "job:failed/model/plot.png",
        "oss://emulator/",
        "oss://emulator/a/",
        "oss://emulator/a/b.txt",
        "oss://emulator/new",
        "oss://not-there/",
    ],
}
CELL = "%%pai_train --backend nowhere\nlr: float = 0.1  # hp: [1e-5..1] log\nprint(lr)\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
# What a description cannot say of valid data: which addresses there are, expressions, two numbers in their order.
NOT_ALL_VALID = {
    "GET /jobs/{job}/lines",
    "PATCH /jobs/{job}/annotations",
    "GET /jobs/{job}/search",
    "GET /jobs/{job}/files",
    "GET /jobs/{job}/files/{channel}/{path}",
    "GET /storage",
    "DELETE /storage",
    "GET /storage/preview",
    "GET /storage/file",
    "PUT /storage/file",
    "POST /storage/folder",
    "POST /report",
    "POST /tensorboards",
    "POST /metric",
    "POST /submit",
    "GET /component",
    "DELETE /component",
    "POST /component/problems",
    "POST /components",
    "POST /component/register",
    "POST /component/run",
    "GET /jobfile",
    "POST /jobfile/submit",
    "POST /jobfile/simulate",
    "POST /clusters",
    "DELETE /clusters",
    "GET /clusters/check",
    "POST /clusters/use",
    "POST /clusters/login",
}
COMPONENT = Component(
    name="saved",
    command="true",
    inputs=(ComponentInput(name="train", sources=("OSS",), required=False, description="rows"),),
    outputs=(ComponentOutput(name="table", storage="MaxCompute"),),
    parameters=(
        Hyperparameter(name="lr", type="Float", default=0.5, minimum=0, open_minimum=True),
        Hyperparameter(name="kind", type="String", choices=("a", "训练"), required=True),
    ),
    constraint=TrainingConstraint(machine="GPU", several_cards=True),
)


def seeded() -> dict[str, Any]:  # Any: JSON values
    """The description, with what is there in it. The socket is no REST."""
    described: dict[str, Any] = deepcopy(DESCRIBED)
    del described["paths"]["/socket"]
    items = described["paths"].values()
    given = [each for item in items for each in (item, *item.values()) if isinstance(each, dict)]
    every = [
        *described["components"]["parameters"].values(),
        *(p for each in given for p in each.get("parameters", ())),
    ]
    for parameter in every:
        if (parameter.get("name"), parameter.get("in")) == ("path", "query"):  # any will do where no channel is named
            parameter["schema"] = {"anyOf": [{"enum": THERE["path"]}, parameter["schema"]]}
        elif parameter.get("name") in THERE:
            parameter["schema"] = {"enum": THERE[parameter["name"]]}
        elif parameter.get("name") == "pattern":
            del parameter["schema"]["maxLength"]  # an address beyond 64 KiB ends the connection: Jupyter's own limit
    for name in ("CellAsked", "SubmitAsked"):
        cell = described["components"]["schemas"][name]["properties"]
        cell["cell"] = {"anyOf": [{"const": CELL}, cell["cell"]]}
    return described


def configured() -> SchemathesisConfig:
    generation = GenerationConfig(max_examples=EXAMPLES, deterministic=True, no_shrink=True, database="none")
    phases = PhasesConfig()
    phases.fuzzing.generation = generation
    for phase in (phases.coverage, phases.fuzzing):
        phase.extra_data_sources.responses = False  # nothing follows from what was answered, or runs would differ
    phases.fuzzing.error_feedback.is_enabled = False
    checks = ChecksConfig(
        # A job that is being submitted cannot be stopped: 502 and 503 are described, and are the place's fault.
        not_a_server_error=NotAServerErrorConfig(expected_statuses=["2xx", "4xx", "502", "503"]),
        # A cell that is too long is refused with 413 where its escapes take more than a request may have.
        negative_data_rejection=NegativeDataRejectionConfig(expected_statuses=["4xx", "5xx"]),
    )
    project = ProjectConfig(generation=generation, phases=phases, checks=checks)
    return SchemathesisConfig(seed=1, projects=ProjectsConfig(default=project))


schema = schemathesis.openapi.from_dict(seeded(), config=configured())


@pytest.fixture(scope="module")
def server(cloud: Emulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served_beside(cloud, tmp_path_factory.mktemp("fuzzed"), PAI_JUPYTER_BACKEND="nowhere") as server:
        yield server


@pytest.fixture(autouse=True)
def jobs(server: Server, cloud: Emulator) -> Iterator[None]:
    """Jobs of every kind and a bucket, as they were before; and the server has met nothing unexpected."""
    store = JobStore(server.home)
    for job_id in store.ids():
        store.remove(job_id)
    ended = record(
        "ended", loss(0.5), store=store, name="训练 a", notebook="a b.ipynb", cell=CELL, entry_point="train.py"
    )
    failed = record("failed", status=Status.FAILED, store=store, entry_point="train.py")
    for folder, script in ((ended, b"a\n"), (failed, b"b\n")):
        build(None, to=folder.path / "package.tar.gz", files={"train.py": script})
        (folder.path / "logs" / "master-0.log").write_bytes(b"a line\nerror: \xff\n")
        model = give_output(folder)
        (model / "deep").mkdir()
        (model / "plot.png").write_bytes(PNG)
        (model / "notes.txt").write_text('{"a": "训练"}')
    record("open", store=store, status=Status.RUNNING)
    record("new", store=store, status=Status.CREATED)
    shutil.rmtree(server.home / "components", ignore_errors=True)
    (server.home / "components" / "saved").mkdir(parents=True)
    for version in ("1.0.0", "v2"):
        (server.home / "components" / "saved" / f"{version}.yaml").write_text(json.dumps(to_json(COMPONENT)))
    (record("damaged", store=store).path / "job.json").write_text("{")
    before = len(server.log)
    with buckets.emptied(cloud.bucket()):
        cloud.put("a/b.txt", "b")
        yield
    assert "Traceback" not in server.log[before:]
    assert "Uncaught" not in server.log[before:]


@schemathesis.check
def header_of_a_frame(ctx: Any, response: Any, case: Any) -> None:  # Any: schemathesis's own
    """What stands at the beginning of a frame is what the description says."""
    described = DESCRIBED["paths"][case.operation.path].get(case.method.lower(), {}).get("responses", {})
    content = described.get(str(response.status_code), {}).get("content", {}).get("application/octet-stream", {})
    if "x-header" in content and response.headers["content-type"] == ["application/octet-stream"]:
        header, _ = read_frame(response.content)
        jsonschema_rs.validate({**content["x-header"], "components": DESCRIBED["components"]}, header)


def is_not_sent(value: object) -> bool:
    """Whether a query has nothing of this value: one that is made to be refused would arrive as a valid request."""
    items = list(value) if isinstance(value, list | tuple | dict) else [value]
    return all(item is None for item in items)


@schema.parametrize()
@settings(suppress_health_check=list(HealthCheck))
def test_nothing_is_answered_that_is_not_described(case: Any, server: Server) -> None:  # Any: schemathesis's own
    assume(not any(is_not_sent(value) for value in (case.query or {}).values()))
    checks = schemathesis.checks
    left_out = [checks.missing_required_header]  # it wants 401 where Jupyter says 403
    if case.operation.label in NOT_ALL_VALID:
        left_out.append(checks.positive_data_acceptance)
    case.call_and_validate(
        base_url=f"http://127.0.0.1:{server.port}{PREFIX}pai-jupyter/api", headers=AUTHORIZED, excluded_checks=left_out
    )
