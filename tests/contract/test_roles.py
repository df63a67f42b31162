"""The roles of a job: what is read and refused, and how they are said."""

import json
import re
from typing import Any, get_args

import pytest

from pai_jupyter.contract import (
    check_asked,
    machines_text,
    offered_roles,
    read_role,
    role_notes,
    role_text,
    roles_text,
)
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, JobType, Role
from pai_jupyter.training import TrainOptions, parse_line
from pai_jupyter.view.chinese import in_chinese
from tests.support.paths import DATA

CASES = json.loads(
    (DATA / "role_cases.json").read_text(encoding="utf-8")
)  # labextension/test/cell/roles.test.ts reads them too


def roles_of(*texts: str) -> tuple[Role, ...]:
    return tuple(read_role(text) for text in texts)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("worker=2", Role(name="worker", instance_count=2)),
        ("chief=1:ecs.c6.large", Role(name="chief", instance_type="ecs.c6.large")),
        ("Worker=03:local_gpu", Role(name="Worker", instance_count=3, instance_type="local_gpu")),
        (" ps = 1 : local ", Role(name="ps", instance_type="local")),
    ],
)
def test_a_text_is_a_role(text: str, role: Role) -> None:
    assert read_role(text) == role
    assert read_role(role_text(role)) == role


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(
            (text, f"`--role {text}` is not of the form NAME=COUNT")
            for text in ("worker", "", "=2", "worker=2:", "a:b")
        ),
        *(
            (
                f"worker={count}",
                f"`--role worker={count}`: the count must be a whole number from 1, e.g. --role worker=2",
            )
            for count in ("0", "-1", "two", "", "1.5", "9" * 5_000)
        ),
    ],
)
def test_another_text_is_refused_with_what_to_type(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=re.escape(said)) as caught:
        read_role(text)
    assert caught.value.field == "roles"


REFUSED: list[tuple[list[str], JobType | None, int | None, str]] = [
    (["boss=1"], "TFJob", None, "`--role boss=1`: TFJob has no role 'boss'; it has chief, ps, worker, evaluator. Type"),
    (["chief=1", "ps=2:x"], "XGBoostJob", None, "`--role chief=1`: XGBoostJob has no role 'chief'; it has master, worker."),
    (["worker=2", "chief=1", "Worker=3"], "TFJob", None, "the role 'worker' is given twice. Type it once: --role worker=5"),
    (["worker=2"], "PyTorchJob", None, "PyTorchJob needs exactly one master, and 0 are asked for. Type --role master=1"),
    (["master=2"], "XGBoostJob", None, "XGBoostJob needs exactly one master, and 2 are asked for. Type --role master=1"),
    (["aimaster=1"], "ElasticBatchJob", None, "ElasticBatchJob needs workers"),
    (["chief=1", "worker=2"], "TFJob", 4, "`--instance-count 4` disagrees with the roles, which are 3 instances: 1 chief, 2 worker."),
    (["chief=1", "worker=2"], "TFJob", 1, "`--instance-count 1` disagrees"),
    (["chief=1"], None, None, "`--role chief=1` needs a job type, one of TFJob. Type e.g. --job-type TFJob"),
    (["master=1", "worker=2"], None, 3, "`--role master=1` needs a job type, one of PyTorchJob, XGBoostJob. Type"),
    (["worker=2"], None, None, "`--role worker=2` needs a job type, one of TFJob, ElasticBatchJob. Type"),
    (["boss=2"], None, None, "one of TFJob, PyTorchJob, XGBoostJob, ElasticBatchJob. Type"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "job_type", "count", "said"), REFUSED)
def test_roles_that_cannot_be_meant_are_refused_in_both_languages(
    texts: list[str], job_type: JobType | None, count: int | None, said: str
) -> None:
    with pytest.raises(SpecError, match=re.escape(said)) as caught:
        check_asked(roles_of(*texts), job_type, count)
    chinese = in_chinese(str(caught.value))
    assert re.search("[\u4e00-\u9fff]", chinese)
    assert not re.search(r"\b(needs|has|with|Type)\b", chinese)


@pytest.mark.parametrize(
    ("texts", "job_type", "count"),
    [
        ([], None, 3),
        (["Chief=1", "worker=2"], "TFJob", 3),
        (["master=1"], "TFJob", None),
        (["master=1", "worker=3"], "PyTorchJob", None),
        (["AIMaster=1", "worker=3"], "ElasticBatchJob", 3),
        (["worker=1"], "MPIJob", None),  # the spec says what types there are
    ],
)
def test_roles_of_the_type_are_taken(texts: list[str], job_type: JobType | None, count: int | None) -> None:
    check_asked(roles_of(*texts), job_type, count)


@pytest.mark.parametrize("case", CASES["lines"], ids=lambda case: case["line"])
def test_a_line_is_right_or_wrong_as_the_panel_finds_it(case: dict[str, Any]) -> None:
    if case["isRight"]:
        TrainOptions.read(parse_line(case["line"]))
        return
    with pytest.raises(SpecError):
        TrainOptions.read(parse_line(case["line"]))


def test_the_panel_offers_the_roles_of_each_type() -> None:
    assert {name: list(offered_roles(name)) for name in get_args(JobType)} == CASES["roles"]


def test_roles_are_offered_without_an_older_name_and_without_the_services_own() -> None:
    assert offered_roles("TFJob") == ("chief", "ps", "worker", "evaluator")
    assert offered_roles("PyTorchJob") == offered_roles("XGBoostJob") == ("master", "worker")
    assert offered_roles("ElasticBatchJob") == ("worker",)


@pytest.mark.parametrize(
    ("texts", "roles", "machines"),
    [
        ([], "", "ecs.c6.large ×3"),
        (["Chief=1", "worker=2"], "1 chief, 2 worker", "ecs.c6.large · 1 chief, 2 worker"),
        (["chief=1:ecs.gn6", "worker=2:ecs.gn6"], "1 chief, 2 worker", "ecs.gn6 · 1 chief, 2 worker"),
        (["AIMaster=1:x", "worker=2"], "2 worker", "ecs.c6.large · 2 worker"),  # the service's own
        (["chief=1", "worker=2:ecs.gn6"], *["1 chief (ecs.c6.large), 2 worker (ecs.gn6)"] * 2),
    ],
)
def test_the_machines_of_a_job_are_said_by_role(texts: list[str], roles: str, machines: str) -> None:
    spec = JobSpec(name="a", command="true", instance_type="ecs.c6.large", instance_count=3, roles=roles_of(*texts))
    assert (roles_text(spec), machines_text(spec)) == (roles, machines)


def test_an_aimaster_is_not_counted() -> None:
    spec = JobSpec(name="a", command="true", job_type="ElasticBatchJob", roles=roles_of("AIMaster=1", "worker=2"))
    assert spec.total_instances == 2


@pytest.mark.parametrize(
    ("texts", "job_type", "said"),
    [
        (["chief=1", "ps=2", "worker=2", "evaluator=1"], "TFJob", []),
        (["master=1", "worker=2"], "PyTorchJob", []),
        (["Chief=2"], "TFJob", ["TensorFlow takes one chief at most, and the roles have 2"]),
        (["evaluator=3", "chief=1"], "TFJob", ["TensorFlow takes one evaluator at most, and the roles have 3"]),
        (["chief=1", "Master=1"], "TFJob", ["TensorFlow takes one chief (master is its older name) at most, and the roles have 2"]),
        (["chief=2", "evaluator=2"], "TFJob", ["TensorFlow takes one chief at", "TensorFlow takes one evaluator at"]),
        (["AIMaster=1", "worker=2"], "ElasticBatchJob", ["the role AIMaster is left out"]),
    ],
)  # fmt: skip
def test_roles_that_the_framework_will_not_have_are_spoken_of(
    texts: list[str], job_type: JobType, said: list[str]
) -> None:
    notes = role_notes(JobSpec(name="a", command="true", job_type=job_type, roles=roles_of(*texts)))
    assert len(notes) == len(said)
    for note, start in zip(notes, said, strict=True):
        assert note.startswith(start)
        assert re.search("[\u4e00-\u9fff]", in_chinese(note))
        assert "older name" not in in_chinese(note)
