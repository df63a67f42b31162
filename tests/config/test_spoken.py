"""What `%pai_config` says in a kernel counts for the panel of its Jupyter server, until something else is said there."""

import json
import os
import stat
from pathlib import Path

import pytest

from pai_jupyter.config import Settings
from pai_jupyter.config.marker import Marker, leave, remove, settings_path
from pai_jupyter.config.spoken import speak
from pai_jupyter.store import home
from tests.support.kernels import kernel
from tests.support.shells import Shell

SERVICES = "http://127.0.0.1:4321"


@pytest.fixture(autouse=True)
def runtime_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(place))
    return place


@pytest.fixture
def server() -> Settings:
    """The settings of a server that this process stands for, as its extension makes them."""
    marker = Marker(pid=os.getpid(), api=1, version="0", base_url="/", home=str(home()), has_proxy=False)
    leave(marker)
    settings = Settings(environ={}, user_file=Path("nowhere"), home=Path("nowhere"), cwd=Path("/"))
    settings.hear(settings_path(marker.pid))
    return settings


@pytest.fixture
def shell(server: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """A kernel of that server."""
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    monkeypatch.chdir(tmp_path)
    return Shell()


def test_what_is_set_in_a_notebook_applies_in_its_server(server: Settings, shell: Shell) -> None:
    with shell:
        assert shell.run("%pai_config set region=cn-beijing process.max_parallel=3").error is None
    assert server.get("region") == "cn-beijing"
    assert server.resolve("process.max_parallel").origin == "%pai_config in a notebook"


def test_what_is_taken_back_applies_no_longer(server: Settings, shell: Shell) -> None:
    with shell:
        shell.run("%pai_config set backend=docker image=python:3.11")
        shell.run("%pai_config set backend=")
    assert (server.get("backend"), server.get("image")) == (None, "python:3.11")


def test_the_emulator_applies_with_all_that_comes_with_it_until_it_is_left(server: Settings, shell: Shell) -> None:
    speak(os.getpid(), {"region": "cn-beijing", "services": None})
    speak(os.getpid(), {"region": None, "services": SERVICES})
    assert [server.get(name) for name in ("region", "bucket", "endpoint", "backend")] == [
        "cn-emulator",
        "emulator",
        SERVICES,
        "pai",
    ]
    with shell:
        shell.run("%pai_config use emulator --stop")
    assert (server.get("services"), server.get("region")) == (None, None)


def test_another_notebook_changes_only_what_it_names(server: Settings) -> None:
    speak(os.getpid(), {"services": SERVICES})
    speak(os.getpid(), {"backend": "docker"})
    assert (server.get("services"), server.get("backend")) == (SERVICES, "docker")


def test_of_two_notebooks_the_newest_set_of_cloud_settings_applies_whole(server: Settings, tmp_path: Path) -> None:
    names = ("services", "region", "workspace", "bucket", "endpoint")
    cloud, emulator = ["cn-beijing", "12345", "mine"], ["cn-emulator", "10001", "emulator"]
    with kernel(home=home(), cwd=tmp_path) as first, kernel(home=home(), cwd=tmp_path) as second:
        for each in (first, second):
            assert each.run("%load_ext pai_jupyter").status == "ok"
        assert first.run(f"%pai_config set services={SERVICES}").status == "ok"
        assert [server.get(name) for name in names] == [SERVICES, *emulator, SERVICES]
        assert second.run("%pai_config set region=cn-beijing workspace=12345 bucket=mine backend=docker").status == "ok"
        assert [server.get(name) for name in names] == [None, *cloud, None]
        assert first.run("%pai_config set endpoint=http://127.0.0.1:4321").status == "ok"
        assert [server.get(name) for name in names] == [SERVICES, *emulator, SERVICES]
        assert server.get("backend") == "docker"  # it belongs to no cloud
        assert second.run("%pai_config set bucket=other").status == "ok"
        assert [server.get(name) for name in names] == [None, "cn-beijing", "12345", "other", None]


def test_a_part_of_the_cloud_settings_leaves_nothing_of_another_set(server: Settings) -> None:
    speak(os.getpid(), {"services": SERVICES, "bucket": "theirs"})
    speak(os.getpid(), {"region": "cn-beijing"})
    assert [server.get(name) for name in ("services", "bucket", "region")] == [None, None, "cn-beijing"]


def test_a_server_of_another_home_hears_nothing(
    server: Settings, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "other"))
    with shell:
        shell.run("%pai_config set backend=docker")
    assert server.get("backend") is None


def test_the_file_is_private_and_goes_with_the_server(server: Settings) -> None:
    speak(os.getpid(), {"backend": "docker"})
    path = settings_path(os.getpid())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    remove(os.getpid())
    assert not path.exists()


def test_a_server_that_takes_the_number_of_another_begins_anew() -> None:
    marker = Marker(pid=os.getpid(), api=1, version="0", base_url="/", home="/", has_proxy=False)
    leave(marker)
    speak(os.getpid(), {"backend": "docker"})
    leave(marker)
    assert not settings_path(os.getpid()).exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"bakend": "docker"}', '{"backend": 3}', '{"region": "Not One"}', "[" * 100_000]
)
def test_what_cannot_be_understood_says_nothing(server: Settings, text: str) -> None:
    settings_path(os.getpid()).write_text(text)
    assert {value.value for value in server.all()} == {None}
    speak(os.getpid(), {"backend": "docker"})
    assert json.loads(settings_path(os.getpid()).read_text()) == {"backend": "docker"}


@pytest.mark.parametrize("kind", ["bytes", "directory", "circle", "pipe"])
def test_what_cannot_be_read_says_nothing_and_holds_nobody(server: Settings, kind: str) -> None:
    path = settings_path(os.getpid())
    match kind:
        case "bytes":
            path.write_bytes(b"\xff\xfe")
        case "directory":
            path.mkdir()
        case "circle":
            path.symlink_to(path.name)
        case _:
            os.mkfifo(path)
    assert server.get("region") is None
    if kind != "directory":
        speak(os.getpid(), {"bucket": "mine"})
        assert server.get("bucket") == "mine"
