"""Replicas and what they are told of each other, by the tables of PAI and KubeDL."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from pai_jupyter.contract import Replica, command, environment, host_name, policy, replicas
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, JobType, Role

VARIABLES = (
    *("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "WORKER_ADDRS", "WORKER_PORT"),
    *("TF_CONFIG", "ELASTICBATCH_CONFIG", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
)


def spec_of(job_type: JobType | None, count: int = 1, **fields: Any) -> JobSpec:  # Any: fields of a spec
    given = {"name": "train1", "command": "python train.py", "job_type": job_type, "instance_count": count, **fields}
    return JobSpec(**given)


def with_roles(job_type: JobType, **counts: int) -> JobSpec:
    roles = tuple(Role(name=name, instance_count=count) for name, count in counts.items())
    return spec_of(job_type, roles=roles)


def names(spec: JobSpec) -> list[str]:
    return [replica.name for replica in replicas(spec)]


def told(spec: JobSpec, name: str, **where: Any) -> dict[str, str]:  # Any: host, port
    replica = next(it for it in replicas(spec) if it.name == name)
    variables = environment(spec, replica, **where)
    return {name: variables[name] for name in VARIABLES if name in variables}


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (spec_of("TFJob"), ["worker-0"]),
        (spec_of("TFJob", 3), ["worker-0", "worker-1", "worker-2"]),
        (spec_of("PyTorchJob"), ["master-0"]),
        (spec_of("PyTorchJob", 3), ["master-0", "worker-0", "worker-1"]),
        (spec_of("XGBoostJob"), ["master-0"]),
        (spec_of("XGBoostJob", 2), ["master-0", "worker-0"]),
        (spec_of("ElasticBatchJob", 2), ["worker-0", "worker-1"]),
        (
            with_roles("TFJob", Worker=2, evaluator=1, PS=1, Chief=1),
            ["chief-0", "ps-0", "worker-0", "worker-1", "evaluator-0"],
        ),
        (with_roles("PyTorchJob", worker=1, Master=1), ["master-0", "worker-0"]),
        (with_roles("ElasticBatchJob", Worker=1, AIMaster=1), ["worker-0"]),  # the service runs AIMaster
    ],
)
def test_replicas_stand_in_the_order_of_the_table(spec: JobSpec, wanted: list[str]) -> None:
    assert names(spec) == wanted


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            with_roles("PyTorchJob", master=1, ps=1),
            "`--role ps=1`: PyTorchJob has no role 'ps'; it has master, worker.",
        ),
        (with_roles("TFJob", worker=1, Worker=1), "the role 'worker' is given twice. Type it once: --role worker=2"),
        (with_roles("PyTorchJob", worker=2), "needs exactly one master, and 0 are asked for"),
        (with_roles("XGBoostJob", master=2), "needs exactly one master, and 2 are asked for"),
        (
            with_roles("ElasticBatchJob", AIMaster=1),
            "ElasticBatchJob needs workers: nothing of yours runs in an AIMaster",
        ),
    ],
)
def test_roles_that_the_type_does_not_have_are_refused(spec: JobSpec, message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        replicas(spec)


@pytest.mark.parametrize(
    ("spec", "deciding"),
    [
        (with_roles("TFJob", chief=1, ps=1, worker=2, evaluator=1), ["chief-0"]),
        (with_roles("TFJob", master=1, worker=1), ["master-0"]),
        (with_roles("TFJob", ps=1, worker=2, evaluator=1), ["worker-0"]),
        (spec_of("TFJob", 2), ["worker-0"]),
        (spec_of("PyTorchJob", 3), ["master-0", "worker-0", "worker-1"]),
        (spec_of("XGBoostJob", 3), ["master-0"]),
        (spec_of("ElasticBatchJob", 2), ["worker-0", "worker-1"]),
        (with_roles("ElasticBatchJob", AIMaster=1, worker=1), ["worker-0"]),
        (with_roles("TFJob", ps=2), ["ps-0", "ps-1"]),
        (with_roles("TFJob", evaluator=1), ["evaluator-0"]),
    ],
)
def test_the_job_ends_with_the_replicas_that_decide(spec: JobSpec, deciding: list[str]) -> None:
    assert [it.name for it in replicas(spec) if policy(spec, it).decides] == deciding


# --- TFJob


def test_tensorflow_is_told_the_whole_cluster() -> None:
    spec = with_roles("TFJob", chief=1, ps=1, worker=4, evaluator=1)
    assert json.loads(told(spec, "worker-2")["TF_CONFIG"]) == {  # PAI: Create custom components, appendix 1
        "cluster": {
            "chief": ["train1-chief-0:2222"],
            "evaluator": ["train1-evaluator-0:2222"],
            "ps": ["train1-ps-0:2222"],
            "worker": [f"train1-worker-{index}:2222" for index in range(4)],
        },
        "task": {"type": "worker", "index": 2},
    }


def test_tf_config_is_compact_with_sorted_keys() -> None:
    assert told(spec_of("TFJob", 2), "worker-1") == {
        "TF_CONFIG": '{"cluster":{"worker":["train1-worker-0:2222","train1-worker-1:2222"]},"task":{"index":1,"type":"worker"}}'
    }


@pytest.mark.parametrize("spec", [spec_of("TFJob"), with_roles("TFJob", chief=1)])
def test_a_lone_replica_has_no_tf_config(spec: JobSpec) -> None:
    assert told(spec, names(spec)[0]) == {}


# --- PyTorchJob, XGBoostJob


@pytest.mark.parametrize(("name", "rank"), [("master-0", "0"), ("worker-0", "1"), ("worker-1", "2")])
def test_pytorch_ranks_are_machines_and_the_master_has_its_own_address(name: str, rank: str) -> None:
    assert told(spec_of("PyTorchJob", 3), name) == {
        "RANK": rank,
        "WORLD_SIZE": "3",
        "MASTER_ADDR": "train1-master-0",
        "MASTER_PORT": "23456",
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "1",
    }


def test_one_pytorch_machine_is_rank_0_of_1() -> None:
    assert told(spec_of("PyTorchJob"), "master-0") == {
        "RANK": "0",
        "WORLD_SIZE": "1",
        "MASTER_ADDR": "train1-master-0",
        "MASTER_PORT": "23456",
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "1",
    }


def test_a_machine_for_which_no_type_was_asked_knows_of_no_others() -> None:
    assert told(spec_of(None), "master-0") == {}


@pytest.mark.parametrize("spec", [spec_of(None, 2), spec_of(None, roles=(Role(name="master"),))])
def test_several_machines_and_roles_are_a_pytorch_job_without_being_asked_for(spec: JobSpec) -> None:
    assert told(spec, "master-0") == told(replace(spec, job_type="PyTorchJob"), "master-0")
    assert told(spec, "master-0")["LOCAL_RANK"] == "0"


@pytest.mark.parametrize("job_type", [None, "PyTorchJob"])
def test_a_service_sets_its_own_variables_whether_or_not_a_type_was_asked_for(job_type: JobType | None) -> None:
    spec = spec_of(job_type)
    variables = environment(spec, replicas(spec)[0], by_service=True)
    assert [name for name in VARIABLES if name in variables] == ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"]


def test_whether_a_type_was_asked_for_is_recorded_and_older_records_mean_that_it_was() -> None:
    plain, asked = spec_of(None), spec_of("PyTorchJob")
    assert "job_type" not in plain.to_json()
    assert JobSpec.from_json(plain.to_json()) == plain
    assert JobSpec.from_json(asked.to_json()) == asked


@pytest.mark.parametrize(("name", "rank"), [("master-0", "0"), ("worker-0", "1"), ("worker-4", "5")])
def test_xgboost_knows_its_workers_in_rank_order(name: str, rank: str) -> None:
    assert told(spec_of("XGBoostJob", 6), name) == {  # the sample of 6 nodes in PAI: Create custom components
        "WORLD_SIZE": "6",
        "WORKER_ADDRS": "train1-worker-0,train1-worker-1,train1-worker-2,train1-worker-3,train1-worker-4",
        "MASTER_PORT": "9999",
        "MASTER_ADDR": "train1-master-0",
        "RANK": rank,
        "WORKER_PORT": "9999",
    }


def test_a_single_xgboost_node_has_no_workers() -> None:
    assert told(spec_of("XGBoostJob"), "master-0") == {
        "WORLD_SIZE": "1",
        "MASTER_PORT": "9999",
        "MASTER_ADDR": "train1-master-0",
        "RANK": "0",
    }


# --- ElasticBatchJob


def test_an_elastic_batch_worker_knows_its_index_alone() -> None:
    config = told(spec_of("ElasticBatchJob", 2), "worker-1")
    assert [*config] == ["ELASTICBATCH_CONFIG"]
    assert json.loads(config["ELASTICBATCH_CONFIG"]) == {"task": {"type": "worker", "index": 1}, "environment": "cloud"}


# --- hosts, ports, commands


def test_a_backend_says_where_the_replicas_are() -> None:
    spec = spec_of("XGBoostJob", 3)
    ports = {"master-0": 7000, "worker-0": 7001, "worker-1": 7002}
    config = told(spec, "worker-1", host=lambda it: f"127.0.0.{it.index + 1}", port=lambda it: ports[it.name])
    assert config["WORKER_ADDRS"] == "127.0.0.1,127.0.0.2"
    assert (config["MASTER_ADDR"], config["MASTER_PORT"], config["WORKER_PORT"]) == ("127.0.0.1", "7000", "7001")


JOBS = (
    "iris",
    "iris-2",
    "Iris",
    "iris_",
    "训练",
    "模型",
    "a b",
    "-",
    "9",
    "x" * 100,
    "x" * 99 + "y",
    "a.b",
    "a" * 54 + "_b",
)


@pytest.mark.parametrize("job", JOBS)
def test_a_host_name_is_a_valid_label(job: str) -> None:
    name = host_name(spec_of("TFJob", name=job), Replica(role="evaluator", index=12))
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name)
    assert name.endswith("-evaluator-12")


def test_a_plain_job_name_is_kept() -> None:
    assert host_name(spec_of("TFJob", name="iris-2"), Replica(role="worker", index=0)) == "iris-2-worker-0"


def test_different_jobs_have_different_host_names() -> None:
    replica = Replica(role="worker", index=0)
    assert len({host_name(spec_of("TFJob", name=job), replica) for job in JOBS}) == len(JOBS)


def test_a_host_name_stays_the_same() -> None:
    assert host_name(spec_of("TFJob", name="训练 1"), Replica(role="worker", index=0)) == "1-bcd76ea8-worker-0"


def test_a_role_may_have_a_command_of_its_own() -> None:
    roles = (Role(name="Chief", command="python lead.py"), Role(name="worker"))
    spec = spec_of("TFJob", roles=roles)
    assert [command(spec, it).text for it in replicas(spec)] == ["python lead.py", "python train.py"]
