"""A cluster that refuses, limits, drops and ends what it is asked for: what comes of login, submission and following."""

import base64
import json
import logging
import os
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from pai_jupyter.backends import StatusReport
from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.clusters import Secret, add_cluster, cluster_of, hold_secret, remove_cluster
from pai_jupyter.backends.openpai.files import cluster_job
from pai_jupyter.backends.openpai.following import follow
from pai_jupyter.backends.openpai.rest.answers import pause_of
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection, token_end
from pai_jupyter.backends.openpai.rest.jobs import STATUSES, ClusterJobs, _tasks, report_of
from pai_jupyter.backends.openpai.submission import secrets_of
from pai_jupyter.errors import (
    AuthError,
    BackendError,
    LimitExceededError,
    NotFoundError,
    ProtocolError,
    UnavailableError,
)
from pai_jupyter.events import Link, LogChunk, Notice, Status, StatusChanged
from pai_jupyter.jobs.submission import draft
from pai_jupyter.jobs.target import Target
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore, home
from tests.support.openpai_cluster import LabCluster
from tests.support.openpai_files import V1, V2, changed


@pytest.fixture
async def connection(lab: LabCluster) -> AsyncIterator[ClusterConnection]:
    connection = ClusterConnection(lab.cluster)
    yield connection
    await connection.aclose()


@pytest.fixture
async def backend(lab: LabCluster) -> AsyncIterator[OpenPaiBackend]:
    backend = OpenPaiBackend()
    yield backend
    await backend.aclose()


async def submitted(backend: OpenPaiBackend, folder: Path, command: str, job_id: str) -> JobRef:
    spec = JobSpec(name="a", command=command, image_uri="python:3.11")
    job_id = f"{job_id}-{time.monotonic_ns()}"
    JobStore().create(JobRecord(id=job_id, spec=spec, backend="openpai", created=0.0))
    return await backend.submit(spec, build(None, to=folder / f"{job_id}.tar.gz", files={}), job_id=job_id)


# --- who answers -------------------------------------------------------------------------------------------------


async def test_the_generation_is_found_by_asking(lab: LabCluster, connection: ClusterConnection) -> None:
    assert await connection.generation() == {"v0.14": "yarn", "v1.x": "kubernetes"}[lab.version]


async def test_what_is_no_openpai_is_said() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="hello"))
    connection = ClusterConnection(cluster_of("a", "example.invalid", "bob"), transport=transport)
    with pytest.raises(ProtocolError, match=r"what answers at http://example.invalid is no OpenPAI\. Check the host"):
        await connection.generation()


async def test_a_cluster_that_nobody_reaches_is_named() -> None:
    connection = ClusterConnection(cluster_of("a", "127.0.0.1:9", "bob"))
    with pytest.raises(UnavailableError, match=r"the cluster at http://127.0.0.1:9 cannot be reached"):
        await connection.generation()


# --- login -------------------------------------------------------------------------------------------------------


async def test_a_wrong_password_is_refused_without_being_shown(lab: LabCluster, connection: ClusterConnection) -> None:
    hold_secret(lab.cluster, Secret(kind="password", value="not-the-password"))
    with pytest.raises(AuthError, match="Password is incorrect") as error:
        await ClusterJobs(connection).get("a")
    assert "not-the-password" not in str(error.value)


async def test_a_token_that_is_no_longer_taken_is_replaced_once(lab: LabCluster, connection: ClusterConnection) -> None:
    jobs = ClusterJobs(connection)
    await jobs.newest()
    lab.fault("expired-token", times=1)
    assert isinstance(await jobs.newest(), list)
    lab.fault("expired-token", times=2)
    with pytest.raises(AuthError):
        await jobs.newest()


async def test_a_token_that_was_given_is_used_and_not_replaced(lab: LabCluster, connection: ClusterConnection) -> None:
    hold_secret(lab.cluster, Secret(kind="token", value="eyJ.eyJ.not"))
    with pytest.raises(AuthError) as error:
        await connection.ask("PUT", "/api/v2/jobs/a~b/executionType", "to stop", body={"value": "STOP"}) if (
            lab.version == "v1.x"
        ) else await connection.ask("POST", "/api/v2/jobs", "a job", text="a: b", kind="text/yaml")
    assert "eyJ" not in str(error.value)


def test_the_end_of_a_token_is_read_from_it() -> None:
    assert token_end("e30.eyJleHAiOiAxNzAwMDAwMDAwfQ.x") == 1_700_000_000
    assert token_end("e30.eyJleHAiOjEwMDAwMDAwMDB9.x") == 1e9
    huge = base64.urlsafe_b64encode(b'{"exp":1' + b"0" * 400 + b"}").decode()
    assert token_end(f"e30.{huge}.x") == 0
    assert token_end("e30.e30.x") == token_end("secret") == token_end("a.b.c") == 0


# --- refusals ----------------------------------------------------------------------------------------------------


async def test_limits_are_waited_for_where_the_server_says_how_long(lab: LabCluster) -> None:
    answers = iter([httpx.Response(429, headers={"Retry-After": "0"}, text="Too many"), httpx.Response(200, json=[])])

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/authn/info"):
            return httpx.Response(200, json={"authn_type": "basic"})
        if request.url.path.endswith("/login"):
            return httpx.Response(200, json={"token": "t"})
        return (
            next(answers) if request.url.path.endswith("/v1/jobs") else httpx.Response(404, json={"code": "NoApiError"})
        )

    connection = ClusterConnection(lab.cluster, transport=httpx.MockTransport(answer))
    assert await ClusterJobs(connection).newest() == []


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        ("no-permission", AuthError, "not allowed to do this operation. Ask the cluster's administrator"),
        ("throttling", LimitExceededError, "Wait, and try again"),
        ("server-error", UnavailableError, "Service Unavailable"),
        ("html", UnavailableError, "the cluster refused to list jobs"),
    ],
)
async def test_a_refusal_says_what_and_what_to_do(
    lab: LabCluster, connection: ClusterConnection, fault: str, error: type[BackendError], said: str
) -> None:
    jobs = ClusterJobs(connection)
    await jobs.newest()
    lab.fault(fault)
    with pytest.raises(error, match=said.replace(".", r"\.")):
        await jobs.newest()


async def test_what_the_servers_schema_refuses_is_told_by_its_fields(connection: ClusterConnection) -> None:
    with pytest.raises(BackendError, match=r"`taskRoles` is missing"):
        await connection.ask(
            "POST",
            "/api/v2/jobs",
            "the job",
            text='{"protocolVersion": 2, "name": "a", "type": "job"}',
            kind="text/yaml",
        )


async def test_a_job_file_of_version_1_is_for_old_clusters(lab: LabCluster, connection: ClusterConnection) -> None:
    jobs, name = ClusterJobs(connection), f"demo.{time.monotonic_ns()}"
    text = json.dumps(changed(V1, {"jobName": name, "taskRoles/0/command": "true"}))
    if lab.version == "v1.x":
        with pytest.raises(ProtocolError, match="takes job files of version 2 only"):
            await jobs.submit(name, text, "v1")
        return
    await jobs.submit(name, text, "v1")
    await jobs.submit(name, text, "v1")
    assert (await jobs.get(name)).report.status is not Status.UNKNOWN


async def test_a_submission_without_an_answer_is_looked_for(lab: LabCluster, connection: ClusterConnection) -> None:
    jobs, name = ClusterJobs(connection), f"demo_{time.monotonic_ns()}"
    text = json.dumps(changed(V2, {"name": name, "taskRoles/worker/commands": ["true"]}))
    lost = [True]

    async def losing(request: httpx.Request) -> None:
        if request.method == "POST" and request.url.path.endswith("/jobs") and lost:
            lost.clear()
            raise httpx.ReadTimeout("lost", request=request)

    await connection.generation()
    connection._http.event_hooks["request"].append(losing)
    await jobs.submit(name, text, "v2")
    assert (await jobs.get(name)).report.status is not Status.UNKNOWN


async def test_a_refusal_that_repeats_the_job_file_shows_no_secret(lab: LabCluster) -> None:
    hush = 'kR7q"Tr0ub4dor'
    said = f"cannot read: {json.dumps({'secrets': hush})} or {hush}"

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(("/authn/info", "/login")):
            return httpx.Response(200, json={"authn_type": "basic", "token": "t"})
        is_post = request.method == "POST"
        return httpx.Response(500, json={"code": "UnknownError", "message": said}) if is_post else httpx.Response(404)

    jobs = ClusterJobs(ClusterConnection(lab.cluster, transport=httpx.MockTransport(answer)))
    spec = JobSpec(name="a", command="true", environments={"OPENPAI_SECRET_a": hush, "B": "cannot"})
    with pytest.raises(BackendError, match=r"cannot read: \{\"secrets\": \"\*\*\*\"\} or \*\*\*\.$"):
        await jobs.submit("a", "{}", "v2", secrets=secrets_of(spec))


async def test_a_job_that_the_launcher_does_not_know_yet_is_waited_for(lab: LabCluster) -> None:
    known = iter([404, 404, 200])

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(("/authn/info", "/login")):
            return httpx.Response(200, json={"authn_type": "basic", "token": "t"})
        if request.method == "POST":
            return httpx.Response(202, json={"message": "update job successfully"})
        is_job = request.url.path.endswith("/jobs/a")
        return httpx.Response(next(known) if is_job else 404, json={"code": "NoJobError", "jobStatus": {}})

    await ClusterJobs(ClusterConnection(lab.cluster, transport=httpx.MockTransport(answer))).submit("a", "{}", "v2")
    assert list(known) == []


# --- following ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["truncated", "server-error", "throttling", "html"])
async def test_a_fault_while_following_loses_nothing(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path, fault: str
) -> None:
    ref = await submitted(backend, tmp_path, "seq 1 20000", fault)
    lab.fault(fault, action="OpenPAI:GET", times=3)
    events = [event async for event in backend.follow(ref, {})]
    log = b"".join(event.data for event in events if isinstance(event, LogChunk))
    assert log == b"".join(b"%d\n" % number for number in range(1, 20001))
    assert sum(isinstance(event, Notice) for event in events) <= 1
    assert isinstance(events[-1], StatusChanged)
    assert events[-1].status is Status.SUCCEEDED


async def test_a_job_that_is_started_again_is_told_with_the_logs_of_all_attempts(
    lab: LabCluster, connection: ClusterConnection, tmp_path: Path
) -> None:
    jobs, name = ClusterJobs(connection), f"again_{time.monotonic_ns()}"
    command = f"if mkdir {tmp_path}/tried 2>/dev/null; then echo first; exit 3; fi; echo second"
    changes: dict[str, Any] = {"name": name, "jobRetryCount": 1, "taskRoles/worker/instances": 1}  # Any: JSON
    changes["taskRoles/worker/commands"] = [command]
    await jobs.submit(name, json.dumps(changed(V2, changes)), "v2")
    events = [event async for event in follow(connection, name, tmp_path, {})]
    chunks = [event for event in events if isinstance(event, LogChunk)]
    # a page of v0.14 is gone from the cluster's answers with its attempt
    assert b"".join(chunk.data for chunk in chunks).endswith(b"second\n")
    assert [event.text for event in events if isinstance(event, Notice)] == [
        "the cluster has started the job again: attempt 2. Attempts are not listed here; the job's page at the portal has them."
    ]
    assert isinstance(events[-1], StatusChanged)
    assert events[-1].status is Status.SUCCEEDED
    if lab.version == "v1.x":
        assert b"".join(chunk.data for chunk in chunks) == b"first\nsecond\n"
        rest = follow(connection, name, tmp_path, {chunks[0].replica: chunks[0].cursor})
        again = [event async for event in rest]
        assert [event.data for event in again if isinstance(event, LogChunk)] == [b"second\n"]


@pytest.mark.parametrize("is_file", [True, False])
async def test_what_a_task_says_on_stderr_is_in_its_log(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path, is_file: bool
) -> None:
    command = "echo out; echo err >&2"
    if not is_file:
        ref = await submitted(backend, tmp_path, command, "stderr")
    else:
        changes = {"taskRoles/worker/commands": [command], "taskRoles/worker/instances": 1}
        spec = cluster_job(json.dumps(changed(V2, changes)), cluster=None, user=lab.user)
        package = build(None, to=tmp_path / "none.tar.gz", files={})
        ref = await backend.submit(spec, package, job_id=f"stderr-{time.monotonic_ns()}")
    events = [event async for event in backend.follow(ref, {})]
    log = b"".join(event.data for event in events if isinstance(event, LogChunk))
    assert log.splitlines() == [b"out", b"err"]


async def test_a_job_has_a_link_to_its_page(lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path) -> None:
    ref = await submitted(backend, tmp_path, "true", "linked")
    links = [event async for event in backend.follow(ref, {}) if isinstance(event, Link)]
    assert [(link.name, link.url) for link in links] == [
        ("page", f"{lab.emulator.address}/job-detail.html?username={lab.user}&jobName={ref.data['name']}")
    ]


@pytest.mark.parametrize(
    ("fault", "action"),
    [("expired-token", "OpenPAI:GET"), ("no-permission", "OpenPAI:LOG"), ("truncated", "OpenPAI:LOG")],
)
async def test_what_is_refused_once_is_asked_for_again_without_a_word(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path, fault: str, action: str
) -> None:
    ref = await submitted(backend, tmp_path, "seq 1 20000", fault)
    lab.fault(fault, action=action, times=1)
    events = [event async for event in backend.follow(ref, {})]
    log = b"".join(event.data for event in events if isinstance(event, LogChunk))
    assert log == b"".join(b"%d\n" % number for number in range(1, 20001))
    assert isinstance(events[-1], StatusChanged)
    assert events[-1].status is Status.SUCCEEDED
    assert fault == "truncated" or not [event for event in events if isinstance(event, Notice)]


async def test_a_job_whose_tasks_have_not_begun_has_no_log_yet(lab: LabCluster, connection: ClusterConnection) -> None:
    jobs, name = ClusterJobs(connection), f"waits_{time.monotonic_ns()}"
    changes = {"name": name, "taskRoles/worker/commands": ["echo begun"], "taskRoles/worker/instances": 1}
    await jobs.submit(name, json.dumps(changed(V2, changes)), "v2")
    events = [event async for event in follow(connection, name, Path("nowhere"), {})]
    assert [event.data for event in events if isinstance(event, LogChunk)] == [b"begun\n"]
    assert not [event for event in events if isinstance(event, Notice)]


async def test_a_cluster_that_forbids_a_job_ends_its_following(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path
) -> None:
    ref = await submitted(backend, tmp_path, "true", "forbidden")
    lab.fault("no-permission", action="OpenPAI:GET")
    with pytest.raises(AuthError, match="not allowed to do this operation"):
        [event async for event in backend.follow(ref, {})]


async def test_a_failed_job_says_why(backend: OpenPaiBackend, tmp_path: Path) -> None:
    ref = await submitted(backend, tmp_path, "exit 3", "fails")
    *_, end = [event async for event in backend.follow(ref, {})]
    assert isinstance(end, StatusChanged)
    assert (end.status, end.exit_code) == (Status.FAILED, 3)
    assert "exit code 3" in end.reason


async def test_the_jobs_of_the_cluster_are_listed_once_in_a_while(backend: OpenPaiBackend, tmp_path: Path) -> None:
    ref = await submitted(backend, tmp_path, "true", "listed")
    names = [job.ref.data["name"] for job in await backend.recorded()]
    assert ref.data["name"] in names
    await submitted(backend, tmp_path, "true", "later")
    assert [job.ref.data["name"] for job in await backend.recorded()] == names


async def test_every_cluster_is_listed_and_one_that_does_not_answer_keeps_its_rows(
    backend: OpenPaiBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: set[str] = set()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host in gone:
            raise httpx.ConnectError("gone", request=request)
        if request.url.path.endswith("/jobs"):
            return httpx.Response(200, json=[{"name": f"on-{request.url.host}"}])
        return httpx.Response(200, json={"authn_type": "basic", "token": "t"})

    transport = httpx.MockTransport(answer)
    monkeypatch.setattr(
        "pai_jupyter.backends.openpai.backend.ClusterConnection", partial(ClusterConnection, transport=transport)
    )
    remove_cluster("lab")
    for name in ("a", "b", "b2", "silent"):
        add_cluster(cluster := cluster_of(name, f"{name[0]}.invalid", "bob"))
        if name != "silent":
            hold_secret(cluster, Secret(kind="password", value="hush-hush"))

    async def names() -> list[str]:
        return sorted(str(job.ref.data["name"]) for job in await backend.recorded())

    assert await names() == ["on-a.invalid", "on-b.invalid"]
    monkeypatch.setattr("pai_jupyter.backends.openpai.backend.LISTED_EVERY", 0.0)
    gone.add("a.invalid")
    assert await names() == ["on-a.invalid", "on-b.invalid"]
    gone.add("b.invalid")
    with pytest.raises(UnavailableError, match=r"cannot be reached"):
        await names()


def test_a_job_stays_with_its_cluster_when_another_one_is_chosen(lab: LabCluster) -> None:
    spec = JobSpec(name="a", command="true", image_uri="python:3.11")
    with draft(spec, Target(backend="openpai", reason="asked for")) as ready:
        assert ready.spec.options["openpai.cluster"] == "lab"
        first = ready.fingerprint
    add_cluster(cluster_of("other", "other.invalid", "bob"))
    with draft(spec, Target(backend="openpai", reason="asked for")) as ready:
        assert ready.spec.options["openpai.cluster"] == "other"
        assert ready.fingerprint != first


async def test_a_job_of_another_cluster_is_not_found(backend: OpenPaiBackend) -> None:
    with pytest.raises(NotFoundError):
        await backend.find("nobody")


# --- words and secrets -------------------------------------------------------------------------------------------


def test_every_documented_word_has_a_status() -> None:
    assert set(STATUSES) == {"WAITING", "RUNNING", "STOPPING", "SUCCEEDED", "STOPPED", "FAILED", "UNKNOWN"}
    assert report_of({"state": "NEW_WORD"}).status is Status.UNKNOWN


def test_a_reason_is_what_the_cluster_says_for_people() -> None:
    spec = {"phrase": "PAIRuntimeOOM", "reason": "out of memory", "solution": "ask for more"}
    assert report_of({"state": "FAILED", "appExitSpec": spec}).reason == "PAIRuntimeOOM; out of memory; ask for more"
    assert report_of({"state": "FAILED", "appExitCode": 7}).reason == "exit code 7"


HUGE = 10**400


def test_numbers_and_names_that_nobody_means_are_left_out() -> None:
    job = {"state": "FAILED", "appExitCode": HUGE, "completedTime": HUGE, "launchedTime": float("inf"), "retries": True}
    assert report_of(job) == StatusReport(status=Status.FAILED)
    assert report_of({"state": "FAILED", "appExitSpec": {"phrase": {"a": 1}}, "appExitCode": 3}).reason == "exit code 3"
    tasks = [{"taskIndex": index, "taskState": "RUNNING"} for index in (HUGE, -1, "0", 2)]
    roles = {"worker": {"taskStatuses": tasks}, "../../x": {"taskStatuses": tasks}, "a\nb": {"taskStatuses": tasks}}
    assert [task.replica for task in _tasks(roles, 0)] == ["worker-2"]


@pytest.mark.parametrize(("seconds", "pause"), [("nan", 0), ("inf", 60), ("-1", 0), ("7", 7), ("soon", None)])
def test_a_pause_is_a_number_of_seconds(seconds: str, pause: float | None) -> None:
    assert pause_of(httpx.Response(429, headers={"retry-after": seconds}), 0.0) == pause


async def test_a_login_through_azure_is_not_supported_and_a_token_is() -> None:
    cluster = cluster_of("aad", "aad.invalid", "bob")

    def answer(request: httpx.Request) -> httpx.Response:
        assert not request.url.path.endswith("/login")
        is_list = request.url.path.endswith("/jobs")
        return httpx.Response(
            200, json=[] if is_list else {"authn_type": "OIDC", "loginURI": "/api/v1/authn/oidc/login"}
        )

    connection = ClusterConnection(cluster, transport=httpx.MockTransport(answer))
    hold_secret(cluster, Secret(kind="password", value="hush-hush"))
    said = r"\(AAD\), which is not supported.*: %pai_openpai cluster add aad http://aad.invalid bob --token$"
    with pytest.raises(AuthError, match=said):
        await ClusterJobs(connection).newest()
    hold_secret(cluster, Secret(kind="token", value="abc"))
    assert await ClusterJobs(connection).newest() == []


@pytest.mark.parametrize("token", ["秘密", "a\r\nX: y", ""])
async def test_what_is_no_token_is_not_sent(token: str) -> None:
    cluster = cluster_of("t", "tokens.invalid", "bob")

    def answer(request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        return httpx.Response(200, json={"authn_type": "basic", "token": token})

    connection = ClusterConnection(cluster, transport=httpx.MockTransport(answer))
    hold_secret(cluster, Secret(kind="token", value=token))
    with pytest.raises(AuthError, match=r"the token of bob at http://tokens.invalid is none") as error:
        await ClusterJobs(connection).newest()
    assert not token or token not in str(error.value)
    hold_secret(cluster, Secret(kind="password", value="hush-hush"))
    with pytest.raises(ProtocolError, match="has no token"):
        await ClusterJobs(connection).newest()


@pytest.mark.parametrize("query", ["token=hush", "sv=2020&sig=hush"])
def test_an_address_with_a_token_is_in_no_log(caplog: pytest.LogCaptureFixture, query: str) -> None:
    caplog.set_level(logging.INFO, logger="httpx")
    with httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200))) as client:
        client.get("http://logs.invalid/plain")
        client.get(f"http://logs.invalid/all?{query}")
    assert "plain" in caplog.text
    assert "hush" not in caplog.text


async def test_no_secret_is_in_any_file_but_the_one_that_was_asked_for(
    lab: LabCluster, backend: OpenPaiBackend, tmp_path: Path
) -> None:
    ref = await submitted(backend, tmp_path, "true", "secret")
    tokens = [known.token for known in backend._known.values()]
    secrets = [lab.password, *filter(None, tokens)]
    kept = home() / "openpai" / "secrets.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    found = [path for path in home().rglob("*") if path.is_file() and path != kept]
    assert found
    assert not [path for path in found if any(secret.encode() in path.read_bytes() for secret in secrets)]
    assert not any(secret in f"{ref} {backend._known} {os.environ}" for secret in secrets)
