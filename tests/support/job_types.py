"""The job types as a table: jobs, and by hand what each replica must be told, from PAI's documents and KubeDL's contract.

Nothing here calls the package `contract`. The replicas run tests/data/meeting.py with `environment()`; `check` compares what
they print, whatever the backend. A backend's own hosts and ports fill the places `<worker-0>` (host) and `<worker-0:>` (port).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pai_jupyter.spec import JobType, Role
from tests.support.paths import DATA

MEETING = DATA / "meeting.py"
COMMAND = "python train.py"
PORTS: Mapping[JobType, int] = {"TFJob": 2222, "PyTorchJob": 23456, "XGBoostJob": 9999}
"""Where replicas have host names of their own."""

# All that any type sets; the last ones nobody may set: KubeDL's misspelling, and what torchrun reads as its defaults.
WANTED = (
    *("TF_CONFIG", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "WORKER_ADDRS", "WORKER_PORT"),
    *("ELASTICBATCH_CONFIG", "PYTHONUNBUFFERED"),
    *("ElASTICBATCH_CONFIG", "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_MASTER_ADDR", "PET_MASTER_PORT"),
)


@dataclass(frozen=True, kw_only=True)
class JobTypeCase:
    """One job: `every` is what all replicas are told, `each` what one is told besides; words NAME=VALUE.

    `<cluster>` stands for `cluster`. The replicas `at` have addresses that the others know.
    """

    job_type: JobType | None
    given: int | Mapping[str, int]  # the number of machines, or of each role
    every: str = ""
    each: Mapping[str, str]
    cluster: str = ""
    at: tuple[str, ...] = ()

    def __str__(self) -> str:
        given = str(self.given) if isinstance(self.given, int) else "-".join(f"{n}{c}" for n, c in self.given.items())
        return f"{self.job_type or 'default'}-{given}"

    @property
    def fields(self) -> dict[str, Any]:  # Any: fields of a JobSpec
        """What makes the job's spec this case."""
        count: dict[str, Any] = {"instance_count": self.given}
        if not isinstance(self.given, int):
            count = {"roles": tuple(Role(name=name, instance_count=n) for name, n in self.given.items())}
        return {"command": COMMAND, "job_type": self.job_type, "environments": {"WANTED": json.dumps(WANTED)}, **count}


_MASTER = "MASTER_ADDR=<master-0> MASTER_PORT=<master-0:> PYTHONUNBUFFERED=1"
_TASK = 'TF_CONFIG={"cluster":<cluster>,"task":{"type":"%s","index":%d}} PYTHONUNBUFFERED=1'
_BATCH = 'ELASTICBATCH_CONFIG={"task":{"type":"worker","index":%d},"environment":"cloud"} PYTHONUNBUFFERED=1'
CASES = (
    JobTypeCase(
        job_type="PyTorchJob", given=1, every=f"WORLD_SIZE=1 {_MASTER}", each={"master-0": "RANK=0"}, at=("master-0",)
    ),
    JobTypeCase(
        job_type="PyTorchJob",
        given=2,
        every=f"WORLD_SIZE=2 {_MASTER}",
        each={"master-0": "RANK=0", "worker-0": "RANK=1"},
        at=("master-0",),
    ),
    JobTypeCase(
        job_type="PyTorchJob",
        given=4,
        every=f"WORLD_SIZE=4 {_MASTER}",
        each={"master-0": "RANK=0", "worker-0": "RANK=1", "worker-1": "RANK=2", "worker-2": "RANK=3"},
        at=("master-0",),
    ),
    JobTypeCase(
        job_type="PyTorchJob",
        given={"Worker": 2, "Master": 1},
        every=f"WORLD_SIZE=3 {_MASTER}",
        each={"master-0": "RANK=0", "worker-0": "RANK=1", "worker-1": "RANK=2"},
        at=("master-0",),
    ),
    JobTypeCase(
        job_type=None,  # several machines without a type: PyTorchJob
        given=2,
        every=f"WORLD_SIZE=2 {_MASTER}",
        each={"master-0": "RANK=0", "worker-0": "RANK=1"},
        at=("master-0",),
    ),
    JobTypeCase(
        job_type="XGBoostJob", given=1, every=f"WORLD_SIZE=1 {_MASTER}", each={"master-0": "RANK=0"}, at=("master-0",)
    ),
    JobTypeCase(
        job_type="XGBoostJob",
        given=2,
        every=f"WORLD_SIZE=2 {_MASTER} WORKER_ADDRS=<worker-0> WORKER_PORT=<worker-0:>",
        each={"master-0": "RANK=0", "worker-0": "RANK=1"},
        at=("master-0", "worker-0"),
    ),
    JobTypeCase(
        job_type="XGBoostJob",
        given=4,
        every=f"WORLD_SIZE=4 {_MASTER} WORKER_ADDRS=<worker-0>,<worker-1>,<worker-2> WORKER_PORT=<worker-0:>",
        each={"master-0": "RANK=0", "worker-0": "RANK=1", "worker-1": "RANK=2", "worker-2": "RANK=3"},
        at=("master-0", "worker-0", "worker-1", "worker-2"),
    ),
    JobTypeCase(
        job_type="XGBoostJob",
        given={"worker": 2, "master": 1},
        every=f"WORLD_SIZE=3 {_MASTER} WORKER_ADDRS=<worker-0>,<worker-1> WORKER_PORT=<worker-1:>",
        each={"master-0": "RANK=0", "worker-0": "RANK=1", "worker-1": "RANK=2"},
        at=("master-0", "worker-0", "worker-1"),
    ),
    JobTypeCase(job_type="TFJob", given=1, each={"worker-0": "PYTHONUNBUFFERED=1"}),
    JobTypeCase(
        job_type="TFJob",
        given=2,
        cluster='{"worker":["<worker-0>:<worker-0:>","<worker-1>:<worker-1:>"]}',
        each={"worker-0": _TASK % ("worker", 0), "worker-1": _TASK % ("worker", 1)},
        at=("worker-0", "worker-1"),
    ),
    JobTypeCase(
        job_type="TFJob",
        given=4,
        cluster=(
            '{"worker":["<worker-0>:<worker-0:>","<worker-1>:<worker-1:>",'
            '"<worker-2>:<worker-2:>","<worker-3>:<worker-3:>"]}'
        ),
        each={
            "worker-0": _TASK % ("worker", 0),
            "worker-1": _TASK % ("worker", 1),
            "worker-2": _TASK % ("worker", 2),
            "worker-3": _TASK % ("worker", 3),
        },
        at=("worker-0", "worker-1", "worker-2", "worker-3"),
    ),
    JobTypeCase(
        job_type="TFJob",
        given={"Chief": 1, "PS": 2, "Worker": 2, "Evaluator": 1},
        cluster=(
            '{"chief":["<chief-0>:<chief-0:>"],"evaluator":["<evaluator-0>:<evaluator-0:>"],'
            '"ps":["<ps-0>:<ps-0:>","<ps-1>:<ps-1:>"],"worker":["<worker-0>:<worker-0:>","<worker-1>:<worker-1:>"]}'
        ),
        each={
            "chief-0": _TASK % ("chief", 0),
            "ps-0": _TASK % ("ps", 0),
            "ps-1": _TASK % ("ps", 1),
            "worker-0": _TASK % ("worker", 0),
            "worker-1": _TASK % ("worker", 1),
            "evaluator-0": _TASK % ("evaluator", 0),
        },
        at=("chief-0", "ps-0", "ps-1", "worker-0", "worker-1", "evaluator-0"),
    ),
    JobTypeCase(
        job_type="TFJob",
        given={"master": 1, "worker": 1},  # the older name of chief
        cluster='{"master":["<master-0>:<master-0:>"],"worker":["<worker-0>:<worker-0:>"]}',
        each={"master-0": _TASK % ("master", 0), "worker-0": _TASK % ("worker", 0)},
        at=("master-0", "worker-0"),
    ),
    JobTypeCase(
        job_type="TFJob",
        given={"ps": 1, "worker": 2},
        cluster='{"ps":["<ps-0>:<ps-0:>"],"worker":["<worker-0>:<worker-0:>","<worker-1>:<worker-1:>"]}',
        each={"ps-0": _TASK % ("ps", 0), "worker-0": _TASK % ("worker", 0), "worker-1": _TASK % ("worker", 1)},
        at=("ps-0", "worker-0", "worker-1"),
    ),
    JobTypeCase(job_type="TFJob", given={"chief": 1}, each={"chief-0": "PYTHONUNBUFFERED=1"}),
    JobTypeCase(job_type="ElasticBatchJob", given=1, each={"worker-0": _BATCH % 0}),
    JobTypeCase(
        job_type="ElasticBatchJob",
        given=3,
        each={"worker-0": _BATCH % 0, "worker-1": _BATCH % 1, "worker-2": _BATCH % 2},
    ),
    JobTypeCase(
        job_type="ElasticBatchJob",
        given={"AIMaster": 1, "Worker": 2},  # the service runs the AIMaster
        each={"worker-0": _BATCH % 0, "worker-1": _BATCH % 1},
    ),
)


def told_places(case: JobTypeCase, logs: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Hosts and ports of the replicas `at`, from the log of the first: where a backend chooses them by itself."""
    told = json.loads(logs[next(iter(case.each))].splitlines()[0])
    if "TF_CONFIG" in told:
        cluster = json.loads(told["TF_CONFIG"])["cluster"]
        found = {f"{role}-{i}": place for role, places in cluster.items() for i, place in enumerate(places)}
        hosts = {name: place.rpartition(":")[0] for name, place in found.items()}
        return hosts, {name: int(place.rpartition(":")[2]) for name, place in found.items()}
    workers = told["WORKER_ADDRS"].split(",") if "WORKER_ADDRS" in told else []
    hosts = dict(zip(case.at, [told.get("MASTER_ADDR"), *workers], strict=False))
    return hosts, {name: int(told["MASTER_PORT" if name == "master-0" else "WORKER_PORT"]) for name in case.at}


def check(
    case: JobTypeCase, logs: Mapping[str, str], *, hosts: Mapping[str, str], ports: Mapping[str, int] | None = None
) -> None:
    """Hold what the replicas have printed against the table; without `ports` they are those of the type."""
    ports = ports or dict.fromkeys(case.at, PORTS.get(case.job_type or "PyTorchJob", 0))
    assert set(logs) == set(case.each)
    for replica, log in logs.items():
        # A shell whose program was ended (a ps, after the workers) may say so behind it: "Terminated".
        told, answers = (json.loads(line) for line in log.splitlines()[:2])
        assert _read(told) == _expected(case, replica, hosts, ports), replica
        assert answers == {name: name for name in case.at}, replica


def _expected(
    case: JobTypeCase, replica: str, hosts: Mapping[str, str], ports: Mapping[str, int]
) -> dict[str, Any]:  # Any: JSON values
    def place(match: re.Match[str]) -> str:
        return str(ports[match[1]] if match[2] else hosts[match[1]])

    words = f"{case.every} {case.each[replica]}".replace("<cluster>", case.cluster)
    filled = re.sub(r"<([\w-]+)(:?)>", place, words)
    return _read(dict(word.split("=", 1) for word in filled.split()))


def _read(variables: Mapping[str, str]) -> dict[str, Any]:  # Any: JSON values
    """Variables with those of JSON read; they are compact, as KubeDL writes them."""
    read: dict[str, Any] = {}
    for name, value in variables.items():
        read[name] = json.loads(value) if name.endswith("CONFIG") else value
        assert " " not in value
    return read
