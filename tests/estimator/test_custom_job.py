"""`CustomJob` and `JobConfig`, as PAI's "Custom training jobs" shows them, for the places of this machine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.errors import JobFailed, SpecError
from pai_jupyter.estimator import CustomJob, JobConfig
from pai_jupyter.jobs import attach, close_runtime
from pai_jupyter.spec import JobSpec, JobType, Role
from tests.support.pai_jobs import rehearsal, rehearsed

__all__ = ["rehearsal", "rehearsed"]  # fixtures

SCRIPT = """\
import argparse, json, os, sys
parser = argparse.ArgumentParser()
parser.add_argument("--max_depth", type=int, default=3)
parser.add_argument("--objective", default="none")
parser.add_argument("--train_data")
args, rest = parser.parse_known_args()
print(json.dumps([sys.argv[1:], rest]))
if args.train_data:
    print(open(args.train_data).read())
with open(os.environ["PAI_OUTPUT_MODEL"] + "xgb_model", "w") as file:
    file.write(str(args.max_depth))
if args.max_depth > 100:
    sys.exit("too deep")
"""


@pytest.fixture(autouse=True)
def source(workplace: Path) -> Path:
    """The working directory of a user: `src/xgb_train.py`, `train 数据.csv`."""
    (workplace / "src").mkdir()
    (workplace / "src" / "xgb_train.py").write_text(SCRIPT)
    (workplace / "train 数据.csv").write_text("a,b")
    return workplace


def custom_job(**given: Any) -> CustomJob:  # Any: arguments as a user gives them
    return CustomJob(**{"entry_point": "xgb_train.py", "source_code": "src", **given})


def log(job_id: str) -> list[str]:
    return [line.text for line in attach(job_id).logs()]


# --- local_run ---------------------------------------------------------------------------------------------------


def test_parameters_and_inputs_are_options_of_the_script(source: Path) -> None:
    job = custom_job(parameters={"max_depth": 5, "objective": "multi: softmax"})
    words, _ = json.loads(log(job.local_run(inputs={"train_data": "train 数据.csv"}))[0])
    assert words[:5] == ["--max_depth", "5", "--objective", "multi: softmax", "--train_data"]
    assert words[5].endswith("/input/data/train_data/train 数据.csv")


def test_an_input_that_the_script_does_not_declare_is_an_option_too() -> None:
    _, rest = json.loads(log(custom_job().local_run(inputs={"extra": "src"}))[0])
    assert rest[0] == "--extra"


def test_outputs_lie_below_the_output_path_itself(source: Path) -> None:
    custom_job(parameters={"max_depth": 7}).local_run(output_path="./output/")
    assert (source / "output" / "model" / "xgb_model").read_text() == "7"


def test_a_script_that_fails_fails_the_run() -> None:
    job = custom_job(parameters={"max_depth": 101})
    with pytest.raises(JobFailed, match="exit code 1"):
        job.local_run()
    assert "too deep" in log(job.latest_job.id)


def test_a_script_without_a_directory_is_sent_alone(source: Path) -> None:
    job = CustomJob(entry_point="src/xgb_train.py")
    job.local_run()
    assert sorted(path.name for path in (job.latest_job.folder.path / "ml" / "usercode").iterdir()) == ["xgb_train.py"]


def test_a_shell_script_is_run_with_bash(source: Path) -> None:
    (source / "src" / "go.sh").write_text('echo "$BASH_VERSION" "$@"\n')
    job_id = CustomJob(entry_point="go.sh", source_code="src", parameters={"n": 1}).local_run()
    assert log(job_id)[0].endswith("--n 1")
    assert log(job_id)[0][0].isdigit()


def test_a_job_is_named_after_its_script() -> None:
    job = custom_job()
    job.local_run()
    assert job.latest_job.name.startswith("xgb_train_")


def test_before_the_first_run_there_is_no_job() -> None:
    with pytest.raises(SpecError, match="has not run yet"):
        _ = custom_job().latest_job


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"entry_point": "nothing.py"}, "there is no 'nothing.py'"),
        ({"source_code": "nowhere"}, "nowhere"),
        ({"parameters": {"max_depth": "deep"}}, "max_depth"),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_starts(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        custom_job(**given).local_run()


def test_the_roles_of_a_config_run_on_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    config = JobConfig.create(
        chief_count=1,
        chief_instance_type="local",
        worker_count=2,
        worker_instance_type="ecs.c6.large",
        max_run_time=600,
        resource_id="quota1",
        priority=3,
    )
    job = custom_job(job_type="TFJob")
    job.local_run(job_config=config)
    spec = job.latest_job.spec
    assert [each.name for each in contract.replicas(spec)] == ["chief-0", "worker-0", "worker-1"]
    assert contract.machines_text(spec) == "local · 1 chief, 2 worker"
    assert (spec.max_run_time, spec.options) == (600, {})
    assert job.latest_job.folder.replicas() == ["chief-0", "worker-0", "worker-1"]
    said = capsys.readouterr().out
    assert "of `job_config` not used here: ecs.c6.large, resource_id, priority" in said


def test_a_config_that_this_machine_can_follow_is_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    job = custom_job(job_type="PyTorchJob")
    job.local_run(job_config=JobConfig.create(worker_count=2, worker_instance_type="local"))
    assert [each.name for each in contract.replicas(job.latest_job.spec)] == ["master-0", "worker-0"]
    said = capsys.readouterr().out
    assert "not used" not in said
    assert (
        "a PyTorchJob has a master: the 2 workers of `job_config` run as 1 master and 1 worker. With master_count=1 and "
        "worker_count=2 there are 3 replicas."
    ) in said


@pytest.mark.parametrize(
    ("given", "job_type", "said"),
    [
        ({"worker_count": 2}, "TFJob", False),
        ({"worker_count": 1}, "PyTorchJob", False),
        ({"master_count": 1}, "PyTorchJob", False),
        ({"master_count": 1, "worker_count": 2}, "PyTorchJob", False),
        ({"worker_count": 3}, "XGBoostJob", True),
    ],
)
def test_a_note_says_when_a_worker_is_to_be_the_master(given: dict[str, int], job_type: JobType, said: bool) -> None:
    config = JobConfig.create(**given, resource_id="quota1")  # type: ignore[arg-type]  # counts alone
    assert bool(config.notes(job_type)) == said


LOCAL, REMOTE, GPU = "local", "ecs.c6.large", "local_gpu"


@pytest.mark.parametrize(
    ("chief", "worker", "machine", "said"),
    [
        (LOCAL, REMOTE, GPU, []),
        (REMOTE, REMOTE, GPU, []),
        (LOCAL, LOCAL, GPU, ["`instance_type` 'local_gpu' is not used: the roles of `job_config` have instance types"]),
        (LOCAL, LOCAL, LOCAL, []),
        (GPU, GPU, LOCAL, []),
        (LOCAL, GPU, GPU, []),
    ],
)
def test_the_instance_type_of_a_local_run_is_that_of_all_roles_without_one_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, chief: str, worker: str, machine: str, said: list[str]
) -> None:
    config = JobConfig.create(chief_count=1, chief_instance_type=chief, worker_count=2, worker_instance_type=worker)
    job = custom_job(job_type="TFJob")
    asked: list[tuple[JobSpec, Sequence[str]]] = []
    monkeypatch.setattr(job, "_run", lambda spec, *, notes, **_: asked.append((spec, notes)))
    job.local_run(instance_type=machine, job_config=config)
    [(spec, notes)] = asked
    kinds = [role.instance_type or spec.instance_type for role in spec.roles]
    assert kinds == [machine if kind == REMOTE else kind for kind in (chief, worker)]
    told = [note for note in notes if "of `job_config` not used here" not in note]
    assert len(told) == len(said)
    assert all(note.startswith(start) for note, start in zip(told, said, strict=True))


@pytest.mark.parametrize("given", [{"worker_count": 2}, ["worker=2"], None, "worker=2"])
def test_a_config_that_is_none_is_refused_in_one_sentence(given: Any) -> None:  # Any: what a user may give
    with pytest.raises(SpecError, match=r"`job_config` must be a JobConfig, and is .*Type: JobConfig.create\("):
        custom_job().run(job_config=given)
    if given is not None:
        with pytest.raises(SpecError, match=r"`job_config` must be a JobConfig"):
            custom_job().local_run(job_config=given)


# --- run ---------------------------------------------------------------------------------------------------------

PS = {"ps_count": 2, "ps_instance_type": "ecs.r6.large"}
CHIEF = {"chief_count": 1, "chief_instance_type": "ecs.c6.large"}
WORKERS = {"worker_count": 2, "worker_instance_type": "ecs.c6.large"}


@pytest.mark.parametrize(
    ("machines", "job_type", "names"),
    [
        (PS, "TFJob", ["ps-0", "ps-1"]),
        (CHIEF, "TFJob", ["chief-0"]),
        (WORKERS, "TFJob", ["worker-0", "worker-1"]),
        (WORKERS, "PyTorchJob", ["master-0", "worker-0"]),
    ],
)
def test_a_config_of_one_role_keeps_it(
    rehearsed: PaiBackend, machines: dict[str, Any], job_type: JobType, names: list[str]
) -> None:
    job = custom_job(image_uri="img:1", job_type=job_type)
    job.run(job_config=JobConfig.create(**machines), wait=False)
    close_runtime()
    assert [each.name for each in contract.replicas(job.latest_job.spec)] == names
    assert (job.latest_job.spec.roles == ()) == (machines is WORKERS)  # which the training service takes as they are


def test_two_masters_are_no_master_and_a_worker(rehearsed: PaiBackend) -> None:
    config = JobConfig.create(master_count=2, master_instance_type="ecs.c6.large")
    with pytest.raises(SpecError, match="exactly one master"):
        custom_job(image_uri="img:1", job_type="PyTorchJob").run(job_config=config)


# --- JobConfig ---------------------------------------------------------------------------------------------------


def test_the_config_of_the_seed_has_the_form_of_dlc() -> None:
    config = JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large")
    assert config.to_dict() == {
        "JobSpecs": [{"Type": "Worker", "EcsSpec": "ecs.c6.large", "PodCount": 1, "ImageUri": None}]
    }


def test_a_quota_stands_for_the_instance_types() -> None:
    config = JobConfig.create(worker_count=2, resource_id="quota1", priority=3, max_run_time=90)
    assert config.to_dict() == {
        "JobSpecs": [{"Type": "Worker", "EcsSpec": None, "PodCount": 2, "ImageUri": None}],
        "ResourceId": "quota1",
        "Priority": 3,
        "JobMaxRunningTimeMinutes": 2,
    }
    assert config.options == {"pai.resource_id": "quota1", "pai.priority": 3}


def test_a_network_and_a_workspace_are_part_of_the_config() -> None:
    vpc = {"VpcId": "vpc-1", "SwitchId": "vsw-1"}
    config = JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large", user_vpc=vpc, workspace_id="7")
    assert {name: config.to_dict()[name] for name in ("UserVPC", "WorkspaceId")} == {"UserVPC": vpc, "WorkspaceId": "7"}
    assert config.options == {"pai.workspace_id": "7", "pai.user_vpc_config": vpc}
    with pytest.raises(SpecError, match="`user_vpc` must be a dict"):
        JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large", user_vpc="vpc-1")  # type: ignore[arg-type]


def test_roles_may_be_given_as_they_are() -> None:
    config = JobConfig(roles=("Worker=2:ecs.c6.large", Role(name="AIMaster")))  # type: ignore[arg-type]  # texts are taken
    assert [role.name for role in config.roles] == ["Worker", "AIMaster"]
    jobs = config.to_dict()["JobSpecs"]
    assert isinstance(jobs, list)
    assert [each["Type"] for each in jobs if isinstance(each, dict)] == ["Worker", "AIMaster"]
    with pytest.raises(SpecError, match="no role of this JobConfig has a machine"):
        JobConfig(roles=())


@pytest.mark.parametrize("make", [JobConfig, JobConfig.create, JobConfig.from_instance_type])
def test_one_instance_type_for_all_is_answered_with_those_by_role(make: Any) -> None:  # Any: called wrongly
    sentence = r"has no argument `instance_type`\. Write JobConfig\.create\(worker_count=1, worker_instance_type='ecs\.c6\.large'\)$"
    with pytest.raises(SpecError, match=sentence):
        make(instance_type="ecs.c6.large")


def test_every_role_has_its_machines() -> None:
    config = JobConfig.create(
        chief_count=1,
        chief_instance_type="ecs.c6.large",
        ps_count=2,
        ps_instance_type="ecs.r6.large",
        worker_count=3,
        worker_instance_type="ecs.gn6i-c4g1.xlarge",
    )
    assert [(role.name, role.instance_count, role.instance_type) for role in config.roles] == [
        ("chief", 1, "ecs.c6.large"),
        ("ps", 2, "ecs.r6.large"),
        ("worker", 3, "ecs.gn6i-c4g1.xlarge"),
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no role"),
        ({"worker_count": 1}, "worker_instance_type"),
        ({"ps_count": 2}, "the role ps has no machine"),
        ({"worker_count": -1, "worker_instance_type": "ecs.c6.large"}, "number of machines"),
        ({"worker_count": "1", "worker_instance_type": "ecs.c6.large"}, "number of machines"),
    ],
)
def test_a_config_that_cannot_be_meant_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        JobConfig.create(**given)


def test_the_places_of_a_job_are_those_that_pais_sdk_has_by_default() -> None:
    CustomJob(entry_point="xgb_train.py", source_code="src", base_dir="/ml/", work_dir="/ml/code")
    with pytest.raises(
        SpecError, match=r"`work_dir` is '/x', and jobs always have it at /ml/code\. Leave `work_dir` out"
    ):
        CustomJob(entry_point="xgb_train.py", work_dir="/x")
    with pytest.raises(SpecError, match="`code_path` is 'a/', and code goes to the session's bucket"):
        CustomJob(entry_point="xgb_train.py", code_path="a/")


def test_a_config_has_its_later_name_too() -> None:
    config = JobConfig.from_instance_type(worker_count=1, worker_instance_type="ecs.c6.large")
    assert config == JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large")
