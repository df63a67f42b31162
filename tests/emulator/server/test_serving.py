"""The emulator as a process: its first line, its directory, its envelope, its end."""

import json
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from pai_jupyter.cloud.client import aiworkspace, paistudio, sts
from pai_jupyter.errors import AuthError, NotFoundError
from pai_jupyter.storage.oss.connection import load
from tests.support.emulators import DEADLINE, KEY, SECRET, STS_KEY, STS_SECRET, STS_TOKEN, Emulator, emulator, json_of
from tests.support.patience import SOON

SIGNED_BY_NOBODY = {"x-acs-version": "2022-01-12", "x-acs-action": "ListTrainingJobs"}


def get(address: str, path: str = "/api/v1/trainingjobs", **headers: str) -> httpx.Response:
    with httpx.Client(trust_env=False) as http:
        return http.get(address + path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_it_says_where_it_is_to_who_may_know(running: Emulator) -> None:
    assert running.process is not None
    assert json_of(running.data / "address.json") == {
        "address": running.address, "pid": running.process.pid,
        "region": "cn-emulator", "workspace": "10001", "bucket": "emulator", "mounts": [], "runner": "process",
    }  # fmt: skip
    pair = {"access_key_id": KEY, "access_key_secret": SECRET}
    assert json_of(running.data / "credentials.json") == pair
    for name in ("credentials.json", "control.token"):
        assert stat.S_IMODE((running.data / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(running.data.stat().st_mode) == 0o700


def test_it_listens_on_loopback_alone(running: Emulator) -> None:
    port = int(running.address.rpartition(":")[2])
    addresses = {line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if " 0A " in line}
    assert [each for each in addresses if each.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]
    with socket.socket(socket.AF_INET6) as other, pytest.raises(OSError, match=r"refused|unreachable|assign"):
        other.connect(("::1", port))


def test_a_second_one_on_the_same_directory_is_told_of_the_first(running: Emulator) -> None:
    words = [sys.executable, "-m", "pai_jupyter.emulator", "--data", str(running.data)]
    second = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert second.returncode == 1
    assert running.address in second.stderr
    assert "Traceback" not in second.stderr


def test_a_pair_of_keys_is_made_up_once(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pai_jupyter.emulator", "--data", str(tmp_path / "data")]
    pairs = []
    for _ in range(2):
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("listening on http://127.0.0.1:")
            pairs.append(json_of(tmp_path / "data/credentials.json"))
            process.terminate()
            assert process.wait(DEADLINE) == 0
    assert pairs[0] == pairs[1]
    assert len(pairs[0]["access_key_secret"]) >= 30


def test_it_starts_quickly_and_ends_cleanly_when_told_to(tmp_path: Path) -> None:
    began = time.monotonic()
    with emulator(tmp_path / "data") as running:
        assert time.monotonic() - began < SOON  # it takes half a second on an idle machine
        assert running.end() == 0
        assert running.log == ""


def test_a_taken_port_is_a_sentence(running: Emulator, tmp_path: Path) -> None:
    port = running.address.rpartition(":")[2]
    words = [sys.executable, "-m", "pai_jupyter.emulator", "--data", str(tmp_path), "--port", port]
    second = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert (second.returncode, second.stderr.count("\n")) == (1, 1)
    assert port in second.stderr


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("--access-key", "no-secret"),
        ("--sts", "a:b"),
        ("--image-map", "x"),
        ("--backend", "pai"),
        ("--region", "Hangzhou"),
        ("--workspace", "a b"),
        ("--bucket", "B_"),
        ("--mount", "nas://x"),
        ("--mount", "=/tmp"),
        ("--mount", "nas://x=/no/such"),
        ("--mount", "oss://b/x=/tmp"),
        ("--mount", "nas://=/tmp"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(argument: str, value: str) -> None:
    words = [sys.executable, "-m", "pai_jupyter.emulator", argument, value]
    done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 2
    assert argument in done.stderr


async def test_it_stands_for_the_place_that_it_is_told_and_so_does_the_next_one(tmp_path: Path) -> None:
    place = ["--region", "cn-hangzhou", "--workspace", "4711", "--bucket", "my-bucket"]
    for arguments in (place, []):
        with emulator(tmp_path / "data", *arguments) as running:
            told = json_of(tmp_path / "data" / "address.json")
            assert (told["region"], told["workspace"], told["bucket"]) == ("cn-hangzhou", "4711", "my-bucket")
            async with running.client() as client:
                workspace: Any = await client.call(aiworkspace.GET_DEFAULT_WORKSPACE)
                assert workspace["WorkspaceId"] == "4711"
                path = {"workspace_id": "4711"}
                configs: Any = await client.call(aiworkspace.LIST_CONFIGS, path=path)
                assert configs["Configs"][0]["ConfigValue"] == f"oss://my-bucket.{running.host}/"
                with pytest.raises(NotFoundError):
                    await client.call(aiworkspace.LIST_CONFIGS, path={"workspace_id": "10001"})
            oss2 = load()
            bucket = oss2.Bucket(oss2.AuthV4(KEY, SECRET), running.address, "my-bucket", region="cn-hangzhou")
            bucket.put_object("x", b"data")
            assert bucket.get_bucket_info().location == "oss-cn-hangzhou"
            with pytest.raises(oss2.exceptions.OssError):
                running.put("x", b"signed for another region", bucket="my-bucket")


def test_a_bucket_may_stand_in_the_name_of_the_host(running: Emulator) -> None:
    running.put("by host/训练.txt", b"data")
    signed = running.bucket().sign_url("GET", "by host/训练.txt", 60)
    below_localhost = f"emulator.localhost:{running.host.partition(':')[2]}"
    with httpx.Client(trust_env=False) as http:
        path = signed.partition(running.host)[2].removeprefix("/emulator")
        answer = http.get(running.address + path, headers={"host": below_localhost})
    assert (answer.status_code, answer.content) == (200, b"data")


def test_its_help_says_where_its_keys_lie() -> None:
    words = [sys.executable, "-m", "pai_jupyter.emulator", "--help"]
    told = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=True).stdout
    for word in ("--region", "--workspace", "--bucket", "--mount", "credentials.json", "BUCKET.localhost"):
        assert word in told


@pytest.mark.parametrize("way", ["file", "environment"])
def test_keys_need_not_stand_in_the_command_line(tmp_path: Path, way: str) -> None:
    words = [sys.executable, "-m", "pai_jupyter.emulator", "--data", str(tmp_path / "data")]
    environment = {**os.environ}
    if way == "file":
        (tmp_path / "keys").write_text("# ours\nmy-id:s3cr3t-value\nsts-id:other:token\n")
        words += ["--access-key-file", str(tmp_path / "keys")]
    else:
        environment["PAI_EMULATOR_ACCESS_KEY"] = "my-id:s3cr3t-value sts-id:other:token"
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as emulator:
        assert emulator.stdout is not None
        assert emulator.stdout.readline().startswith("listening on ")
        assert b"s3cr3t" not in Path(f"/proc/{emulator.pid}/cmdline").read_bytes()
        emulator.terminate()
    pair = json.loads((tmp_path / "data" / "credentials.json").read_text())
    assert pair == {"access_key_id": "my-id", "access_key_secret": "s3cr3t-value"}


@pytest.mark.parametrize("text", ["no-secret", None])
def test_a_file_of_keys_that_has_none_is_refused_without_repeating_it(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "keys").write_text(text)
    words = [sys.executable, "-m", "pai_jupyter.emulator", "--access-key-file", str(tmp_path / "keys")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 2
    assert "no-secret" not in done.stderr


def test_errors_come_as_the_cloud_writes_them(running: Emulator) -> None:
    answer = get(running.address, **SIGNED_BY_NOBODY)
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("application/json")
    assert {"Code", "Message", "RequestId", "HostId"} == answer.json().keys()
    assert answer.json()["Code"] == "MissingParameter"
    assert answer.json()["RequestId"] == answer.headers["x-acs-request-id"]
    assert answer.headers["date"].endswith("GMT")


def test_a_version_that_no_service_has_is_refused(running: Emulator) -> None:
    answer = get(running.address, x_acs_version="2019-01-01")
    assert (answer.status_code, answer.json()["Code"]) == (400, "InvalidVersion")


async def test_a_call_that_no_service_has_is_refused(running: Emulator) -> None:
    unknown = paistudio.SERVICE.operation("MakeCoffee", "GET /coffee")
    async with running.client() as client:
        with pytest.raises(Exception, match=r"does not have MakeCoffee.*InvalidAction\.NotFound"):
            await client.call(unknown)


@pytest.mark.parametrize(
    ("headers", "status", "code", "sentence"),
    [
        ({"x_acs_version": "2021-02-03", "x_acs_action": "CreateRun2"}, 404, "InvalidAction.NotFound", "CreateRun2"),
        ({"x_acs_version": "2022-01-01", "x_acs_action": "GetInstance"}, 404, "InvalidAction.NotFound", "2022-01-01"),
        ({"x_acs_version": "2019-01-01", "x_acs_action": "GetTrainingJob"}, 400, "InvalidVersion", "2022-01-12"),
    ],
)
def test_an_action_that_is_not_there_says_so(
    running: Emulator, headers: dict[str, str], status: int, code: str, sentence: str
) -> None:
    answer = get(running.address, **headers)
    assert (answer.status_code, answer.json()["Code"]) == (status, code)
    assert sentence in answer.json()["Message"]


async def test_another_action_of_sts_is_not_answered_with_an_identity(running: Emulator) -> None:
    unknown = sts.SERVICE.operation("AssumeRole", "POST /")
    async with running.client() as client:
        with pytest.raises(Exception, match=r"does not have AssumeRole.*InvalidAction\.NotFound"):
            await client.call(unknown)
        assert (await client.call(sts.GET_CALLER_IDENTITY))["IdentityType"] == "Account"


def test_a_bearer_token_of_the_command_line_or_the_environment_lets_the_official_client_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alibabacloud_aiworkspace20210204.client import Client as Official
    from alibabacloud_aiworkspace20210204.models import ListFeaturesRequest, ListImageLabelsRequest
    from alibabacloud_tea_openapi.models import Config

    monkeypatch.setenv("PAI_EMULATOR_BEARER_TOKEN", "from-environment-0123")
    with emulator(tmp_path / "data", "--bearer-token", "from-line-0123456") as running:
        for token in ("from-environment-0123", "from-line-0123456"):
            config = Config(bearer_token=token, endpoint=running.host, protocol="http", region_id="cn-emulator")
            official = Official(config)
            assert official.list_features(ListFeaturesRequest()).body.total_count == 1
            labels = official.list_image_labels(ListImageLabelsRequest(label_keys="system.chipType")).body.labels
            assert [label.value for label in labels] == ["CPU", "GPU"]
        with pytest.raises(Exception, match="InvalidBearerToken"):
            Official(
                Config(bearer_token="wrong", endpoint=running.host, protocol="http", region_id="cn-emulator")
            ).list_features(ListFeaturesRequest())


async def test_services_are_told_apart_by_version_where_paths_are_the_same(running: Emulator) -> None:
    async with running.client() as client:
        workspace = await client.call(aiworkspace.GET_DEFAULT_WORKSPACE)
        assert workspace["WorkspaceId"] == "10001"
        assert (await client.call(paistudio.LIST_TRAINING_JOBS))["TrainingJobs"] == []


@pytest.mark.parametrize("odd", ["a/b", "..%2F", "训练", "a b", "%", "x?y=1#z"])
async def test_ids_are_taken_as_they_are(running: Emulator, odd: str) -> None:
    async with running.client() as client:
        with pytest.raises(NotFoundError, match="TrainingJobNotFound"):
            await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": odd})


async def test_a_temporary_key_may_call_with_its_token_and_not_without(running: Emulator) -> None:
    async with running.client(key=STS_KEY, secret=STS_SECRET, token=STS_TOKEN) as client:
        assert "TotalCount" in await client.call(paistudio.LIST_TRAINING_JOBS)
    async with running.client(key=STS_KEY, secret=STS_SECRET) as client:
        with pytest.raises(AuthError, match="MissingSecurityToken"):
            await client.call(paistudio.LIST_TRAINING_JOBS)


@pytest.mark.parametrize("body", [b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
async def test_a_body_that_is_no_object_is_refused(running: Emulator, body: bytes) -> None:
    from pai_jupyter.cloud.client.auth import Clock, SignatureAuth

    client = running.client()
    credential = client._credentials.get()
    headers = {**SIGNED_BY_NOBODY, "content-type": "application/json"}
    async with httpx.AsyncClient(trust_env=False, auth=SignatureAuth(credential, clock=Clock())) as http:
        answer = await http.post(f"{running.address}/api/v1/trainingjobs", content=body, headers=headers)
    await client.aclose()
    assert (answer.status_code, answer.json()["Code"]) == (400, "InvalidParameter")


async def test_its_jobs_inherit_nothing_of_the_cloud_from_who_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PAI_WORKSPACE_ID", "PAI_HPS_LR", "OSS_ENDPOINT", "ALIBABA_CLOUD_PROFILE"):
        monkeypatch.setenv(name, "of the notebook")
    with emulator(tmp_path / "data") as running:
        async with running.client() as client:
            job = await running.run(client, "env | grep 'of the notebook'; true")
            assert await running.lines(client, job["TrainingJobId"]) == []


async def test_its_log_has_no_secret(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        async with running.client(secret="wrong-secret-0123456789") as client:
            with pytest.raises(AuthError):
                await client.call(paistudio.LIST_TRAINING_JOBS)
        async with running.client() as client:
            await client.call(paistudio.LIST_TRAINING_JOBS)
        assert running.end() == 0
        for secret in (SECRET, STS_SECRET, STS_TOKEN, "wrong-secret"):
            assert secret not in running.log
            state = [path for path in (tmp_path / "data/state").rglob("*") if path.is_file()]
            assert not any(secret in path.read_text() for path in state)
