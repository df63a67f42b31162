"""A cluster is asked who it is: what it says of itself, and the one sentence about what is wrong."""

import base64
import json

import pytest

from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.clusters import Secret, add_cluster, cluster_of, hold_secret
from pai_jupyter.backends.openpai.info import INFO
from pai_jupyter.backends.reports import ClusterReport
from pai_jupyter.errors import SpecError
from tests.support.openpai_cluster import LabCluster

GENERATIONS = {"v0.14": "OpenPAI before v1.0 (YARN)", "v1.x": "OpenPAI v1.8.0 (Kubernetes)"}
HDFS = {"v0.14": "HDFS, which answers", "v1.x": "no HDFS"}


async def check(name: str | None = None) -> ClusterReport:
    return await OpenPaiBackend().check_cluster(name)


async def test_it_says_generation_user_and_whether_there_is_hdfs(lab: LabCluster) -> None:
    facts = (GENERATIONS[lab.version], f"logged in as {lab.user}", HDFS[lab.version])
    assert await check() == await check("lab") == ClusterReport(facts=facts)


async def test_a_cluster_that_nobody_has_added_is_not_asked(lab: LabCluster) -> None:
    with pytest.raises(SpecError, match="there is no cluster 'other'; there are lab"):
        await check("other")


async def test_a_wrong_password_is_said_and_not_shown(lab: LabCluster) -> None:
    hold_secret(lab.cluster, Secret(kind="password", value="not-the-password"))
    report = await check()
    assert report.facts == (GENERATIONS[lab.version],)
    assert "Password is incorrect. Give the password again" in report.problem
    assert "not-the-password" not in report.problem
    lab.know()
    assert (await check()).problem == ""  # nothing of the failure is remembered


async def test_the_backend_is_ready_where_its_chosen_cluster_is(lab: LabCluster) -> None:
    assert (INFO.health().is_ready, INFO.health().note) == (None, f"{lab.user} at {lab.emulator.address}")
    assert INFO.health(is_asked=True).is_ready is True
    hold_secret(lab.cluster, Secret(kind="password", value="not-the-password"))
    health = INFO.health(is_asked=True)
    assert (health.is_ready, "Password is incorrect" in health.note) == (False, True)


async def test_a_host_that_does_not_answer_is_said() -> None:
    add_cluster(cluster_of("lab", "127.0.0.1:9", "bob"))
    report = await check()
    assert report.facts == ()
    assert report.problem.startswith("the cluster at http://127.0.0.1:9 cannot be reached")


async def test_a_cluster_without_a_password_is_said(lab: LabCluster) -> None:
    add_cluster(cluster_of("lab", lab.emulator.address, "bob"))
    report = await check()
    assert report.facts == (GENERATIONS[lab.version],)
    assert report.problem.startswith("nobody has given the password of bob")


async def test_an_hdfs_that_does_not_answer_is_said(lab: LabCluster) -> None:
    if lab.version == "v1.x":
        return
    lab.fault("server-error", action="HDFS:GETFILESTATUS", times=None)
    report = await check()
    assert report.facts == (GENERATIONS[lab.version], f"logged in as {lab.user}")
    assert report.problem.startswith("HDFS fails. Try again later.")


@pytest.mark.parametrize("is_endless", [False, True])
async def test_a_token_is_told_from_a_password(lab: LabCluster, is_endless: bool) -> None:
    if lab.version == "v0.14" and is_endless:
        return  # it has no application tokens
    hold_secret(lab.cluster, Secret(kind="token", value=lab.token(is_endless=is_endless)))
    said = {
        "v0.14": f"a token of {lab.user}, which is checked when a job is submitted",
        "v1.x": f"logged in as {lab.user}, by a token",
    }
    assert await check() == ClusterReport(facts=(GENERATIONS[lab.version], said[lab.version], HDFS[lab.version]))


async def test_a_token_that_is_not_taken_or_has_ended_or_is_of_somebody_else_is_said(lab: LabCluster) -> None:
    said = {
        token({"username": "bob"}): f"the token is of bob, and the cluster was added for {lab.user}. Add it for bob:",
        token({"username": lab.user, "exp": 1_700_000_000}): f"the token of {lab.user} has ended. Give a new one:",
    }
    if lab.version == "v1.x":
        said[token({"username": lab.user})] = "the cluster refused to list jobs"
    for value, sentence in said.items():
        hold_secret(lab.cluster, Secret(kind="token", value=value))
        report = await check()
        assert report.problem.startswith(sentence)
        assert value not in report.problem


def token(claims: dict[str, object]) -> str:
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b'=').decode()}.x"
