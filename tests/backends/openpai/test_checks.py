"""What is said about a cell before it goes to a cluster, and about the clusters by %pai_doctor."""

import pytest

from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.clusters import Secret, add_cluster, cluster_of, hold_secret
from pai_jupyter.config import settings
from pai_jupyter.magics.doctor import checkup
from pai_jupyter.spec import JobSpec, Role


@pytest.fixture
def backend() -> OpenPaiBackend:
    add_cluster(cluster_of("lab", "a.example.org", "bob"))
    return OpenPaiBackend()


def cell(**fields: object) -> JobSpec:
    return JobSpec(**{"name": "a", "command": "true", "image_uri": "python:3.11", **fields})  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"inputs": {"sent": "/home/cache/values/sets/1"}}, "`--send` does not work on OpenPAI"),
        ({"inputs": {"data": "/data"}}, "input 'data' is '/data', and `-i` does not work on OpenPAI."),
        ({"max_run_time": 60}, "note: OpenPAI ends no job at a time limit"),
        ({"returns": ("model",)}, "note: variables of `--return` come back from clusters with HDFS only"),
        (
            {"job_type": "TaskRoles", "roles": (Role(name="a"), Role(name="b"))},
            "note: OpenPAI ends the job when all tasks",
        ),
    ],
)
def test_what_a_cluster_does_not_do_with_a_cell_is_one_sentence(
    backend: OpenPaiBackend, fields: dict[str, object], said: str
) -> None:
    [sentence] = backend.check(cell(**fields))
    assert sentence.startswith(said)
    assert "cache/values" not in sentence


@pytest.mark.parametrize("roles", [(Role(name="a"),), (Role(name="a", sufficient_successes=1), Role(name="b"))])
def test_nothing_is_noted_about_one_role_or_counts_of_its_own(backend: OpenPaiBackend, roles: tuple[Role, ...]) -> None:
    assert backend.check(cell(job_type="TaskRoles", roles=roles)) == []


def test_the_doctor_has_a_line_for_each_cluster_and_for_hdfs(backend: OpenPaiBackend) -> None:
    add_cluster(kept := cluster_of("kept", "b.example.org", "eve"))
    hold_secret(kept, Secret(kind="password", value="a-good-password"), is_kept=True)
    settings().set("hdfs_url", "http://c.example.org:50070")
    try:
        found = {check.what: check for check in checkup()}
    finally:
        settings.cache_clear()
    assert found["OpenPAI lab"].found == "bob at http://a.example.org, without a password"
    assert found["OpenPAI lab"].remedy == "Type: %pai_openpai cluster add lab http://a.example.org bob"
    assert found["OpenPAI kept"].found == "eve at http://b.example.org, with a password that is kept"
    assert found["HDFS"].found == "hdfs://c.example.org; look into it with %pai_hdfs ls"
    assert "a-good-password" not in repr(found)


def test_the_doctor_says_nothing_of_clusters_where_there_are_none() -> None:
    assert not [check for check in checkup() if check.what.startswith(("OpenPAI", "HDFS"))]
