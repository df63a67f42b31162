"""Tasks of OpenPAI's roles: their variables, by hand from its documents, and when a role decides."""

import re
from dataclasses import replace

import pytest

from pai_jupyter import contract
from pai_jupyter.contract.task_roles import SHARED, task_variables
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Role

SPEC = JobSpec(
    name="demo_1",
    command="true",
    job_type="TaskRoles",
    roles=(
        Role(name="ps_0", gpus=1, cpus=2, memory=2000, shared_memory=128, ports={"grpc": 2}),
        Role(name="Demo_001", instance_count=2, tolerated_failures=1, sufficient_successes=1),
    ),
)


def told(spec: JobSpec, name: str) -> dict[str, str]:
    replica = next(each for each in contract.replicas(spec) if each.name == name)
    ports = {"ps_0-0": [1, 2, 3, 4], "demo_001-0": [5, 6], "demo_001-1": [7, 8]}
    return contract.environment(spec, replica, host=lambda it: f"h-{it.name}", task_ports=lambda it: ports[it.name])


def test_tasks_stand_in_the_order_of_their_roles() -> None:
    assert [each.name for each in contract.replicas(SPEC)] == ["ps_0-0", "demo_001-0", "demo_001-1"]
    plain = JobSpec(name="a", command="true", job_type="TaskRoles", instance_count=2)
    assert [each.name for each in contract.replicas(plain)] == ["worker-0", "worker-1"]


WANTED = """
PAI_TASK_INDEX=1 PAI_CURRENT_TASK_ROLE_NAME=Demo_001 PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX=1
PAI_CONTAINER_HOST_IP=h-demo_001-1 PAI_CONTAINER_HOST_PORT_LIST=http:7;ssh:8 PAI_CONTAINER_HOST_PORT=7
PAI_CONTAINER_SSH_PORT=8 PAI_CONTAINER_HOST_http_PORT_LIST=7 PAI_RESOURCE=0,1,100,64 PAI_RESOURCE_ps_0=1,2,2000,128
PAI_TASK_ROLE_COUNT=2 PAI_TASK_ROLE_LIST=ps_0,Demo_001 PAI_TASK_ROLE_TASK_COUNT_Demo_001=2
PAI_HOST_IP_ps_0_0=h-ps_0-0 PAI_PORT_LIST_ps_0_0_grpc=3,4 PAI_TASK_ROLE_Demo_001_HOST_LIST=h-demo_001-0:5,h-demo_001-1:7
PAI_MIN_FAILED_TASK_COUNT_Demo_001=2 PAI_MIN_SUCCEEDED_TASK_COUNT_Demo_001=1 PAI_MIN_SUCCEEDED_TASK_COUNT_ps_0=1
PAI_CURRENT_CONTAINER_IP=h-demo_001-1 PAI_CURRENT_CONTAINER_PORT=7 PAI_TASK_ROLE_INDEX=1 PAI_TASK_ROLE_NAME=Demo_001
PAI_TASK_ROLE_NUM=2 PAI_CURRENT_TASK_ROLE_TASK_COUNT=2 PAI_CURRENT_TASK_ROLE_MEM_MB=100 PAI_TASK_GPU_NUM=0
PAI_TASKS_NUM=3 PAI_JOB_TASK_COUNT=3 PAI_TASK_ROLES_NUM=2 PAI_JOB_TASK_ROLE_LIST=ps_0,Demo_001
PAI_JOB_NAME=demo_1 PAI_DEFAULT_FS_URI= PAI_WORK_DIR=/ml/usercode/
"""


@pytest.mark.parametrize("wanted", WANTED.split())
def test_a_task_is_told_of_itself_and_of_the_others(wanted: str) -> None:
    name, _, value = wanted.partition("=")
    assert told(SPEC, "demo_001-1")[name] == value


def test_whoever_submits_the_job_says_its_name_and_its_user() -> None:
    spec = replace(SPEC, environments={"PAI_JOB_NAME": "bob~demo_1", "PAI_USER_NAME": "bob", "PAI_TASK_INDEX": "9"})
    variables = told(spec, "ps_0-0")
    assert [variables[name] for name in ("PAI_JOB_NAME", "FRAMEWORK_NAME", "PAI_USERNAME")] == ["bob~demo_1"] * 2 + [
        "bob"
    ]
    assert variables["PAI_TASK_INDEX"] == "0"
    assert [note for note in contract.not_used(spec) if "PAI_" in note] == [
        "the value given for PAI_TASK_INDEX is not used: every job gets its own, as the training contract says."
    ]


def test_other_types_have_none_of_them() -> None:
    spec = JobSpec(name="a", command="true", job_type="PyTorchJob", instance_count=2)
    variables = contract.environment(spec, contract.replicas(spec)[0])
    assert not [name for name in variables if name.startswith(("PAI_TASK", "PAI_JOB", "PAI_HOST"))]


def test_the_names_of_both_vocabularies_are_the_listed_ones() -> None:
    given = ("PAI_DATA_DIR", "PAI_CODE_DIR", "PAI_OUTPUT_DIR", "PAI_JOB_NAME", "PAI_USER_NAME", "PAI_WORK_DIR")
    theirs = {*task_variables(SPEC, contract.replicas(SPEC)[0], host=str, ports=lambda _: range(9)), *given}
    spec = JobSpec(name="a", command="true", hyperparameters={"a": 1}, inputs={"a": "./a"}, outputs={"dir": "./dir"})
    ours = {*contract.environment(spec, contract.replicas(spec)[0], by_service=True), "PAI_ODPS_CREDENTIAL"}
    patterns = [f"PAI_{kind}_[A-Z0-9_]+" for kind in ("HPS", "INPUT", "OUTPUT", "SHARDS")]
    both = {name for name in theirs if name in ours or any(re.fullmatch(each, name) for each in patterns)}
    assert both == set(SHARED)


@pytest.mark.parametrize("name", ["a-b", ".a", "a b", "训练"])
def test_a_role_of_another_name_is_refused(name: str) -> None:
    spec = replace(SPEC, roles=(Role(name=name),))
    with pytest.raises(SpecError, match="a role of TaskRoles has letters"):
        contract.replicas(spec)


def test_roles_that_differ_in_case_only_are_refused() -> None:
    with pytest.raises(SpecError, match="given twice"):
        contract.replicas(replace(SPEC, roles=(Role(name="a"), Role(name="A"))))


def test_a_host_name_is_valid_and_of_one_role() -> None:
    roles = tuple(Role(name=name) for name in ("demo_001", "demo.001", "demo~001"))
    spec = replace(SPEC, name="demo", roles=roles)
    names = [contract.host_name(spec, each) for each in contract.replicas(spec)]
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"[a-z0-9-]{1,63}", name) for name in names)


def test_a_role_decides_by_its_counts() -> None:
    ps, worker = contract.completions(SPEC)
    assert (ps.replicas, ps.failures, ps.successes) == (("ps_0-0",), 1, 0)
    assert (worker.replicas, worker.failures, worker.successes) == (("demo_001-0", "demo_001-1"), 2, 1)
    never = replace(SPEC, roles=(Role(name="a", instance_count=2, tolerated_failures=2),))
    assert contract.completions(never)[0].failures == 0
    assert contract.completions(replace(SPEC, job_type="TFJob", roles=())) == ()


def test_a_spec_with_task_roles_is_read_as_it_was_written() -> None:
    assert JobSpec.from_json(SPEC.to_json()) == SPEC
