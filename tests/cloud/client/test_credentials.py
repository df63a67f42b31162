"""Where keys come from, what is asked over the network for them, and that they are shown nowhere."""

import configparser
import http.server
import json
import logging
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import (
    Client,
    Credential,
    CredentialProvider,
    Endpoints,
    SignatureAuth,
    StaticCredentials,
    credentials,
    dlc,
    paistudio,
)
from pai_jupyter.cloud.client.auth import Clock
from pai_jupyter.errors import AuthError, PaiJupyterError
from tests.fakes.openapi import KEY, Fault, OpenApi, Received, Reply, dropped, lost, says, stalled
from tests.support.loopback import stay_here

SECRET, TOKEN = "MARKED-secret-91c5/+", "MARKED-token-77aa/+=="
METADATA = "100.100.100.200"
VARIABLES = {"ALIBABA_CLOUD_ACCESS_KEY_ID": KEY, "ALIBABA_CLOUD_ACCESS_KEY_SECRET": SECRET}
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:alibabacloud_credentials")


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosts beyond this machine that somebody wanted; none of them is reached."""
    return stay_here(monkeypatch)


class KeyServer:
    """Gives temporary keys over HTTP, a new one at every question; or says `answer` instead."""

    def __init__(self) -> None:
        self.asked = 0
        self.lasts = timedelta(hours=1)
        self.answer: tuple[int, Any] | None = None
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked += 1
                status, said = server.answer or (200, server.key())
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(said).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/keys?ticket={TOKEN}"

    def key(self) -> dict[str, str]:
        return {
            "Code": "Success",
            "AccessKeyId": f"STS.{self.asked}",
            "AccessKeySecret": SECRET,
            "SecurityToken": TOKEN,
            "Expiration": f"{datetime.now(UTC) + self.lasts:%Y-%m-%dT%H:%M:%SZ}",
        }


@pytest.fixture
def key_server() -> Iterator[KeyServer]:
    server = KeyServer()
    thread = threading.Thread(target=server.http.serve_forever, daemon=True)
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


def tool(home: Path, *profiles: dict[str, Any]) -> None:
    (home / ".aliyun").mkdir(exist_ok=True)
    (home / ".aliyun/config.json").write_text(json.dumps({"current": "work", "profiles": profiles}))


KEYS = {"name": "work", "mode": "AK", "access_key_id": KEY, "access_key_secret": SECRET}
STS = {**KEYS, "mode": "StsToken", "sts_token": TOKEN}
ROLE = {"name": "role", "mode": "ChainableRamRoleArn", "ram_role_arn": "acs:ram::1:role/r", "source_profile": "work"}


def test_a_machine_without_any_key_says_what_to_type_and_asks_nobody(tmp_path: Path, tried: list[str]) -> None:
    with pytest.raises(AuthError, match="aliyun configure"):
        credentials(environ={}, home=tmp_path).get()
    assert tried == []


def test_variables_are_first_and_read_anew(tmp_path: Path, tried: list[str]) -> None:
    tool(tmp_path, KEYS)
    environ = {**VARIABLES, "ALIBABA_CLOUD_ECS_METADATA": "role"}
    source = credentials(environ=environ, home=tmp_path)
    assert source.get() == Credential(access_key_id=KEY, access_key_secret=SECRET, origin="environment variables")
    environ["ALIBABA_CLOUD_SECURITY_TOKEN"] = TOKEN
    assert source.get().security_token == TOKEN
    assert tried == []


def test_variables_set_in_a_cell_count_although_the_library_is_loaded(tmp_path: Path) -> None:
    source = credentials(environ=(environ := {}), home=tmp_path)
    with pytest.raises(AuthError):
        source.get()
    environ.update(VARIABLES)
    assert source.get().access_key_id == KEY


@pytest.mark.parametrize(("profile", "token"), [(KEYS, None), (STS, TOKEN)], ids=["keys", "STS"])
def test_the_command_line_tools_profile_gives_its_key(
    tmp_path: Path, tried: list[str], profile: dict[str, Any], token: str | None
) -> None:
    tool(tmp_path, profile)
    found = credentials(environ={}, home=tmp_path).get()
    assert (found.access_key_id, found.access_key_secret, found.security_token) == (KEY, SECRET, token)
    assert str(tmp_path / ".aliyun/config.json") in found.origin
    assert tried == []


@pytest.mark.parametrize("profile", [KEYS, STS], ids=["keys", "STS"])
def test_a_key_that_is_renewed_in_the_tools_profile_counts_at_once(tmp_path: Path, profile: dict[str, Any]) -> None:
    tool(tmp_path, profile)
    source = credentials(environ={}, home=tmp_path)
    assert source.get().access_key_id == KEY
    tool(tmp_path, {**profile, "access_key_id": "LTAI-renewed"})
    assert source.get().access_key_id == "LTAI-renewed"


def test_a_key_that_is_renewed_in_the_sdks_profiles_counts_at_once(tmp_path: Path) -> None:
    path = tmp_path / "keys.ini"
    source = credentials(environ={"ALIBABA_CLOUD_CREDENTIALS_FILE": str(path)}, home=tmp_path)
    for key in (KEY, "LTAI-renewed"):
        ini = configparser.ConfigParser(interpolation=None)
        ini["default"] = {"type": "access_key", "access_key_id": key, "access_key_secret": SECRET}
        with path.open("w") as file:
            ini.write(file)
        assert source.get().access_key_id == key


def test_a_profile_is_chosen_by_its_name(tmp_path: Path) -> None:
    tool(tmp_path, KEYS, {**KEYS, "name": "other", "access_key_id": "LTAI-other"})
    found = credentials(environ={"ALIBABA_CLOUD_PROFILE": "other"}, home=tmp_path).get()
    assert found.access_key_id == "LTAI-other"


def test_the_sdks_profiles_come_after_the_tools(tmp_path: Path, tried: list[str]) -> None:
    tool(tmp_path, {**KEYS, "name": "another"})  # and none is called "work"
    ini = configparser.ConfigParser(interpolation=None)
    ini["default"] = {"type": "access_key", "access_key_id": KEY, "access_key_secret": SECRET}
    (tmp_path / "keys.ini").write_text("")
    with (tmp_path / "keys.ini").open("w") as file:
        ini.write(file)
    source = credentials(environ={"ALIBABA_CLOUD_CREDENTIALS_FILE": str(tmp_path / "keys.ini")}, home=tmp_path)
    assert source.get().access_key_secret == SECRET
    assert tried == []


def test_a_key_of_an_address_is_kept_until_it_is_about_to_expire(tmp_path: Path, key_server: KeyServer) -> None:
    source = credentials(environ={"ALIBABA_CLOUD_CREDENTIALS_URI": key_server.address}, home=tmp_path)
    key_server.lasts = timedelta(minutes=10)  # the library exchanges keys a quarter of an hour before they expire
    assert [source.get().access_key_id for _ in range(2)] == ["STS.1", "STS.2"]
    key_server.lasts = timedelta(hours=1)
    assert [source.get().access_key_id for _ in range(3)] == ["STS.3", "STS.3", "STS.3"]


def test_an_address_that_fails_is_told_without_what_it_said(tmp_path: Path, key_server: KeyServer) -> None:
    key_server.answer = 503, {"AccessKeySecret": SECRET, "SecurityToken": TOKEN}
    source = credentials(environ={"ALIBABA_CLOUD_CREDENTIALS_URI": key_server.address}, home=tmp_path)
    with pytest.raises(AuthError, match="it was answered 503"):
        source.get()


def test_the_metadata_address_is_asked_only_where_a_role_is_named(tmp_path: Path, tried: list[str]) -> None:
    with pytest.raises(AuthError, match="this machine's role 'trainer' gives none"):
        credentials(environ={"ALIBABA_CLOUD_ECS_METADATA": "trainer"}, home=tmp_path).get()
    assert set(tried) == {METADATA}
    tried.clear()
    off = {"ALIBABA_CLOUD_ECS_METADATA": "trainer", "ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true"}
    with pytest.raises(AuthError):
        credentials(environ=off, home=tmp_path).get()
    assert tried == []


def test_oidc_and_roles_ask_sts_alone(tmp_path: Path, tried: list[str]) -> None:
    (tmp_path / "token").write_text(TOKEN)
    oidc = {
        "ALIBABA_CLOUD_ROLE_ARN": "acs:ram::1:role/r",
        "ALIBABA_CLOUD_OIDC_PROVIDER_ARN": "acs:ram::1:oidc-provider/p",
        "ALIBABA_CLOUD_OIDC_TOKEN_FILE": str(tmp_path / "token"),
        "ALIBABA_CLOUD_PROFILE": "role",
    }
    tool(tmp_path, STS, ROLE)
    with pytest.raises(AuthError, match=r"OIDC gives none: .*config.json` gives none"):
        credentials(environ=oidc, home=tmp_path).get()
    assert set(tried) == {"sts.aliyuncs.com"}


def test_a_library_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "alibabacloud_credentials", None)
    tool(tmp_path, KEYS)
    with pytest.raises(AuthError, match=r"%pip install 'pai_jupyter\[pai\]'"):
        credentials(environ={}, home=tmp_path).get()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"profiles": [{}]}', '{"current": "work", "profiles": 7}'])
def test_a_broken_profile_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / ".aliyun").mkdir()
    (tmp_path / ".aliyun/config.json").write_text(text)
    with pytest.raises(AuthError, match=r"config\.json` gives none: ") as caught:
        credentials(environ={}, home=tmp_path).get()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ["", "q w", "key\n", "ключ", "k\x00"])
@pytest.mark.parametrize("name", ["access_key_id", "access_key_secret", "security_token"])
def test_what_can_be_no_key_is_refused_without_being_shown(name: str, value: str) -> None:
    with pytest.raises(AuthError, match=f"`{name}`") as caught:
        Credential(**{"access_key_id": "k", "access_key_secret": "s", name: value})
    assert not value or value not in str(caught.value)


def test_importing_the_client_loads_no_cloud_library() -> None:
    script = "import sys, pai_jupyter.cloud.client; print([m for m in sys.modules if m.startswith(('alibaba', 'oss2', 'Tea'))])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- shown nowhere -----------------------------------------------------------------------------------------------------


async def echoed(_: OpenApi, request: Received) -> Reply:
    """Refuses a request by repeating all that it held, as gateways do with what they could not verify."""
    said = {"Code": "SignatureDoesNotMatch", "Message": f"{request} {dict(request.headers)}", "RequestId": TOKEN}
    return Reply(status=403, body=json.dumps(said).encode())


def garbage(status: int) -> Fault:
    return says(status, f"<html>{SECRET} {TOKEN}</html>")


@pytest.mark.parametrize("operation", [paistudio.GET_TRAINING_JOB, dlc.CREATE_JOB])
@pytest.mark.parametrize("fault", [echoed, garbage(200), garbage(403), garbage(502), dropped, lost, stalled])
async def test_no_failure_of_a_call_shows_a_key(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], fault: Fault, operation: Any
) -> None:
    for logger in (None, "httpx", "httpcore"):
        caplog.set_level(logging.DEBUG, logger)
    async with OpenApi() as service:
        service.plan.extend([fault] * 10)
        shown = await _fail(service, operation)
    out, err = capfd.readouterr()
    _assert_clean(shown, caplog.text, out, err)


async def _fail(service: OpenApi, operation: Any) -> str:
    """Make a call that fails, and give all that there is to see of it, the values of every frame included."""

    async def pause(_: float) -> None:
        pass

    source = StaticCredentials(
        Credential(access_key_id=KEY, access_key_secret=SECRET, security_token=TOKEN, origin="a test")
    )
    endpoints = Endpoints(region="cn-shanghai", address=service.address)
    async with Client(endpoints, source, pause=pause, timeout=0.2) as client:
        try:
            await client.call(operation, path={"training_job_id": "j"}, body={}, deadline=5)
        except PaiJupyterError as exc:
            return "\n".join([repr(client), repr(source), _all_of(exc)])
    raise AssertionError("the call went well")


def test_no_failure_of_a_source_shows_a_key(
    tmp_path: Path,
    key_server: KeyServer,
    tried: list[str],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for logger in (None, "urllib3", "credentials", "alibabacloud-tea"):
        caplog.set_level(logging.DEBUG, logger)
    monkeypatch.setenv("DEBUG", "sdk")  # makes the library print its requests
    tool(tmp_path, STS, ROLE)
    environ = {"ALIBABA_CLOUD_CREDENTIALS_URI": key_server.address, "ALIBABA_CLOUD_PROFILE": "role"}
    key_server.answer = 200, {**key_server.key(), "Code": "Odd"}
    source = credentials(environ=environ, home=tmp_path)
    shown = _ask(source)
    key_server.answer = None
    given = repr(source.get())
    out, err = capfd.readouterr()
    _assert_clean(repr(source), shown, given, caplog.text, out, err)
    assert tried  # AssumeRole, whose address holds the token


def _ask(source: CredentialProvider) -> str:
    try:
        source.get()
    except PaiJupyterError as exc:
        return _all_of(exc)
    raise AssertionError("a key was given")


@pytest.mark.parametrize(
    "make",
    [
        lambda credential: credential,
        StaticCredentials,
        lambda credential: SignatureAuth(credential, clock=Clock()),
        lambda credential: Client(Endpoints(region="cn-shanghai"), StaticCredentials(credential)),
    ],
    ids=["credential", "static", "auth", "client"],
)
def test_nothing_that_has_a_key_shows_it(make: Callable[[Credential], object]) -> None:
    made = make(Credential(access_key_id=KEY, access_key_secret=SECRET, security_token=TOKEN))
    _assert_clean(repr(made), str(made), f"{made}")


def test_an_error_keeps_its_code_when_it_is_pickled() -> None:
    error = pickle.loads(pickle.dumps(AuthError("no", code="NoPermission", request_id="REQ-1")))
    assert (str(error), error.code, error.request_id) == ("no", "NoPermission", "REQ-1")


def _all_of(exc: BaseException) -> str:
    seen: list[str] = []
    found: BaseException | None = exc
    while found is not None:
        shown = traceback.TracebackException.from_exception(found, capture_locals=True)
        seen += [repr(found), str(found), repr(vars(found)), *shown.format()]
        found = found.__cause__ or found.__context__
    return "\n".join(seen)


def _assert_clean(*texts: str) -> None:
    for text in texts:
        assert "MARKED" not in text
