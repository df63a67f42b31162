"""Keys that a cell gives are used, and are afterwards in no file, output, log, package, record or exception."""

import logging
import traceback
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.cloud.session import need_session, setup_default_session
from pai_jupyter.config import settings
from pai_jupyter.errors import AuthError, PackageError, PaiJupyterError
from tests.support.emulators import KEY, SECRET, STS_KEY, STS_SECRET, STS_TOKEN, Emulator
from tests.support.sessions import Surroundings, surroundings
from tests.support.shells import Shell

JOB = "%%pai_train job --backend process\nimport os\nprint(dict(os.environ))"
KEPT_BY = ("keys.json", "credentials.json")  # files of the emulator's, for its own keys


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    (tmp_path / "user").mkdir()
    with surroundings(tmp_path / "user", monkeypatch) as place:
        yield place


@pytest.fixture
def emulator(tmp_path: Path, place: Surroundings) -> Iterator[Emulator]:
    emulator = Emulator(tmp_path / "emulator").start()
    settings().use_emulator(emulator.address)
    yield emulator
    emulator.end()


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    caplog.set_level(logging.DEBUG)
    return lambda: caplog.text


def use(keys: str) -> None:
    if keys == "temporary":
        setup_default_session(STS_KEY, STS_SECRET, security_token=STS_TOKEN)
    else:
        setup_default_session(KEY, SECRET)


def assert_nowhere(*texts: str) -> None:
    for secret in (SECRET, STS_SECRET, STS_TOKEN):
        assert not [text[max(0, text.find(secret) - 200) :][:400] for text in texts if secret in text]


@pytest.mark.parametrize("keys", ["lasting", "temporary"])
def test_a_whole_session_leaves_no_key_behind(
    place: Surroundings, emulator: Emulator, logged: Callable[[], str], keys: str
) -> None:
    with Shell() as shell:
        settings().use_emulator(emulator.address)
        use(keys)
        session = need_session()
        Path("data").mkdir()
        Path("data/训练.txt").write_text("x" * 1000)
        session.upload("data", session.uri("data/"))
        session.download(session.uri("data/"), "back")
        session.oss_bucket.object_exists("data/no")
        cells = ["%pai_config", "%pai_config test", "%pai_config set workspace=10001", "%pai_doctor", JOB]
        outputs = [shell.run(cell).text for cell in cells]
    assert "✓  account" in outputs[1]
    assert "PAI_USER_ARGS" in outputs[-1]
    files = [text for path, text in place.texts() if path.name not in KEPT_BY]
    assert_nowhere(logged(), repr(session), emulator.log, *outputs, *files)


def test_a_package_that_holds_the_key_of_the_session_is_refused(place: Surroundings, emulator: Emulator) -> None:
    with Shell() as shell:
        settings().use_emulator(emulator.address)
        use("lasting")
        Path("settings.py").write_text(f"key = {SECRET!r}")
        result = shell.run("%%pai_train job --backend process --include settings.py\nprint(1)")
    assert isinstance(result.error, PackageError)
    assert "'settings.py' line 1 holds one of the secrets loaded in this session" in str(result.error)
    assert_nowhere(result.text)


@pytest.mark.parametrize(
    "do",
    [
        lambda: need_session().upload("data", need_session().uri("x")),
        lambda: need_session().download(need_session().uri("x"), "x"),
        lambda: need_session().ask(_list_jobs),
        lambda: setup_default_session(KEY, SECRET, "Shang hai"),
        lambda: setup_default_session(KEY, SECRET + "\n"),
        lambda: setup_default_session(None, SECRET),
        lambda: settings().set("region", SECRET),
    ],
)
def test_no_error_shows_the_key(
    place: Surroundings, emulator: Emulator, logged: Callable[[], str], do: Callable[[], object]
) -> None:
    Path("data").write_text("x")
    setup_default_session("wrong-key-id-123", SECRET)
    with pytest.raises(PaiJupyterError) as caught:
        do()
    chain = "".join(traceback.format_exception(caught.value, limit=0))
    assert_nowhere(chain, repr(caught.value), repr(vars(caught.value)), logged())


def test_a_wrong_key_is_refused_with_where_it_came_from(emulator: Emulator) -> None:
    setup_default_session(KEY, "a-wrong-secret")
    with pytest.raises(AuthError, match=r"The key came from setup_default_session\."):
        need_session().ask(_list_jobs)


def _list_jobs(client: Client) -> Awaitable[object]:
    return client.call(paistudio.LIST_TRAINING_JOBS, query={"WorkspaceId": "10001"})
