"""~/.pai/config.json both ways with the official SDK: it reads what we have written, and we read what it has."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.cloud.session import need_session, setup_default_session
from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError, SpecError
from tests.support.needs import lacking
from tests.support.paths import ROOT
from tests.support.sessions import GIVEN, SECRET, Surroundings, surroundings

SDK = ROOT / ".venv-alipai/bin/python"
# Its default session looks for keys at the cloud's metadata address, and tries whether hosts answer.
BLOCKED = """
import json, socket, sys
def no(*_, **__): raise OSError("no way out")
socket.socket.connect = socket.getaddrinfo = no
import pai.session
"""
SHOW = "print(json.dumps([getattr(session, name) for name in ('region_id', 'workspace_id', 'oss_bucket_name', 'oss_endpoint')]))"
CHOSEN = {"region_id": "cn-shanghai", "workspace_id": "12345", "oss_bucket_name": "my-bucket"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


def sdk(program: str) -> str:
    if not SDK.exists():
        lacking("alipai", f"{SDK} has no official SDK")
    done = subprocess.run([SDK, "-W", "ignore", "-c", BLOCKED + program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("endpoint", "kept"), [(None, None), ("https://oss-accelerate.aliyuncs.com", "oss-accelerate.aliyuncs.com")]
)
def test_the_sdk_reads_what_we_have_written(place: Surroundings, endpoint: str | None, kept: str | None) -> None:
    setup_default_session(**GIVEN, oss_endpoint=endpoint).persist_config()
    read = json.loads(sdk(f"session = pai.session.get_default_session(); {SHOW}"))
    assert read == [*CHOSEN.values(), kept]


def test_we_read_what_the_sdk_has_written(place: Surroundings) -> None:
    arguments = {**CHOSEN, "oss_endpoint": "oss-cn-shanghai-internal.aliyuncs.com"}
    sdk(f"pai.session.Session(**{arguments}).save_config()")
    session = need_session()
    assert (session.region_id, session.workspace_id) == ("cn-shanghai", "12345")
    assert (session.oss_bucket_name, session.oss_endpoint) == ("my-bucket", "oss-cn-shanghai-internal.aliyuncs.com")


def test_what_the_file_holds_besides_stays(place: Surroundings) -> None:
    place.write(place.sdk, {"oss_endpoint": "old.example.com", "region_id": "cn-old", "theirs": {"x": [1]}})
    setup_default_session(**GIVEN, oss_endpoint="oss-cn-shanghai.aliyuncs.com").persist_config()
    assert json.loads(place.sdk.read_text()) == {**CHOSEN, "theirs": {"x": [1]}}


def test_only_its_owner_may_read_the_file_and_no_key_is_in_it(place: Surroundings) -> None:
    setup_default_session(**GIVEN).persist_config()
    assert place.sdk.stat().st_mode & 0o777 == 0o600
    assert SECRET not in place.sdk.read_text()
    assert list(place.sdk.parent.iterdir()) == [place.sdk]


def test_the_file_may_be_a_link_to_another_place(place: Surroundings) -> None:
    place.write(place.root / "dotfiles/pai.json", "{}")
    place.sdk.parent.mkdir()
    place.sdk.symlink_to(place.root / "dotfiles/pai.json")
    setup_default_session(**GIVEN).persist_config()
    assert place.sdk.is_symlink()
    assert json.loads((place.root / "dotfiles/pai.json").read_text()) == CHOSEN


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ("nothing", "No key is configured for next time: type %pai_config wizard"),
        ("variables", "Next time keys come from environment variables."),
        ("profile", "Next time keys come from profile 'default'."),
        ("tool", "Next time keys come from `"),
    ],
)
def test_it_says_where_keys_come_from_next_time(
    place: Surroundings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    origin: str,
    said: str,
) -> None:
    match origin:
        case "variables":
            monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_ID", "x")
            monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "machine-secret")
        case "profile":
            place.write(place.user, '[profiles.default]\naccess_key_id = "x"\naccess_key_secret = "y"\n')
        case "tool":
            place.write(place.root / ".aliyun/config.json", "{}")
    setup_default_session(**GIVEN).persist_config()
    printed = capsys.readouterr().out
    assert "in ~/.pai/config.json; no key is." in printed
    assert said in printed
    assert place.reached == []


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_file_that_cannot_be_understood_stays_as_it_is(place: Surroundings, content: str) -> None:
    session = setup_default_session(**GIVEN)
    place.write(place.sdk, content)
    with pytest.raises(SpecError, match="Correct the file, or remove it"):
        session.persist_config()
    assert place.sdk.read_text() == content


def test_a_place_that_cannot_be_written_is_said(place: Surroundings) -> None:
    place.write(place.root / ".pai", "a file")
    session = setup_default_session(**GIVEN)
    with pytest.raises(PaiJupyterError, match=r"\.pai"):
        session.persist_config()


def test_the_emulators_values_are_not_kept(place: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    settings().use_emulator("http://127.0.0.1:4711")
    need_session().persist_config()
    assert "these values are the emulator's" in capsys.readouterr().out
    assert not place.sdk.exists()
