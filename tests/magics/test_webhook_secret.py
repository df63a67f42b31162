"""`%pai_config set notify.webhook`: asked for, kept in a file that only its user can read, shown as its host."""

import getpass
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.config import settings
from tests.support.sessions import Surroundings, surroundings
from tests.support.shells import Shell
from tests.support.webhooks import Webhook, webhook


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        yield place


@pytest.fixture
def hook() -> Iterator[Webhook]:
    with webhook() as hook:
        yield hook


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    with Shell() as shell:
        yield shell


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(getpass, "getpass", lambda question: text)


def test_the_address_is_asked_for_and_only_its_host_is_shown(
    shell: Shell, hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings().user_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('# mine\n[profiles.default]\nregion = "cn-shanghai"\n')
    answer(monkeypatch, f" {hook.address} ")
    found = shell.run("%pai_config set notify.webhook notify.on=failed,nan")
    assert found.error is None
    assert hook.address not in found.text
    assert "127.0.0.1 (a secret)" in found.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == (
        f'# mine\n\n[profiles.default]\nregion = "cn-shanghai"\nnotify.webhook = "{hook.address}"\n'
    )
    answer(monkeypatch, "")
    shell.run("%pai_config set notify.webhook")
    assert settings().webhook() is None
    assert settings().get("region") == "cn-shanghai"


@pytest.mark.parametrize("kind", ["json", "dingtalk"])
def test_a_test_message_says_how_the_service_answered(
    shell: Shell, hook: Webhook, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    hook.usual = (200, '{"errcode":310000,"errmsg":"sign not match"}')
    answer(monkeypatch, hook.address)
    shell.run(f"%pai_config set notify.webhook notify.kind={kind}")
    text = shell.run("%pai_config test").text
    assert hook.asked == 1
    if kind == "json":
        assert "the test message was taken" in text
    else:
        assert "it answers 310000: sign not match" in text
        assert "%pai_config set notify.secret" in text


@pytest.mark.parametrize("text", ["not an address", "http://"])
def test_a_wrong_answer_writes_nothing(shell: Shell, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    answer(monkeypatch, text)
    found = shell.run("%pai_config set notify.webhook")
    assert "the address of the webhook is not valid" in found.text
    assert not settings().user_path().exists()


def test_nobody_is_asked_for_what_cannot_be_kept(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(getpass, "getpass", asked.append)
    path = settings().user_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[profiles.default\n")
    assert "config.toml' line 1" in str(shell.run("%pai_config set notify.webhook").error)
    assert asked == []


@pytest.mark.parametrize("words", ["language zh", "language=zh", "lang"])
def test_the_language_is_no_setting_and_the_variable_is_named(shell: Shell, words: str) -> None:
    told = str(shell.run(f"%pai_config set {words}").error)
    assert "there is no setting 'lang" in told
    assert "PAI_JUPYTER_LANG" in told


def test_the_address_on_the_line_is_refused(shell: Shell, hook: Webhook) -> None:
    found = shell.run(f"%pai_config set notify.webhook={hook.address}")
    assert "type %pai_config set notify.webhook, without a value" in found.text
    assert hook.address not in found.text


def test_where_nobody_can_be_asked_the_variable_is_named(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    assert "PAI_JUPYTER_WEBHOOK_SECRET" in shell.run("%pai_config set notify.secret").text


def test_notify_without_a_webhook_says_what_to_type(shell: Shell) -> None:
    found = shell.run("%%pai_train a --run --notify --backend process\nprint(1)")
    assert "Type first: %pai_config set notify.webhook" in found.text
    assert "exclude" in shell.run("%%pai_train a --run --notify --no-notify\nprint(1)").text


def test_what_is_typed_completes(shell: Shell) -> None:
    assert "notify.webhook" in shell.complete("%pai_config set notify.we")
    assert "--notify" in shell.complete("%%pai_train a --noti")
