"""The webhook of alerts: where it comes from, that it is a secret, and that its address is one."""

from pathlib import Path

import pytest

from pai_jupyter.config import inherited_environment
from pai_jupyter.config.webhooks import check_address, webhook_of
from pai_jupyter.errors import SpecError
from tests.support.surroundings import Place

DING = "https://oapi.dingtalk.com/robot/send?access_token=0815-abcdef"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def use(place: Place, content: str) -> None:
    place.user.parent.mkdir(parents=True, exist_ok=True)
    place.user.write_text(content)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        (DING, "dingtalk"),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/x", "feishu"),
        ("https://open.larksuite.com/open-apis/bot/v2/hook/x", "feishu"),
        ("https://hooks.slack.com/services/T/B/x", "slack"),
        ("https://example.org/hook", "json"),
    ],
)
def test_the_host_tells_the_kind(address: str, kind: str) -> None:
    found = webhook_of({"notify.webhook": address}, {}, where="here")
    assert found is not None
    assert found.kind == kind
    assert found.as_kind("slack").kind == "slack"
    assert address not in repr(found)


def test_the_profile_goes_before_the_environment(place: Place) -> None:
    assert place.settings.webhook() is None
    place.environ["PAI_JUPYTER_WEBHOOK"] = DING
    place.environ["PAI_JUPYTER_WEBHOOK_SECRET"] = "SEC-of-the-environment"
    found = place.settings.webhook()
    assert found is not None
    assert (found.origin, found.signing_secret) == ("the environment", "SEC-of-the-environment")
    use(place, '[profiles.default]\nnotify.webhook = "https://hooks.slack.com/services/T/B/x"\n')
    found = place.settings.webhook()
    assert found is not None
    assert (found.origin, found.kind, found.signing_secret) == ("profile 'default'", "slack", "")


def test_the_kind_can_be_said(place: Place) -> None:
    use(place, f'[profiles.default]\nnotify.webhook = "{DING}"\nnotify.kind = "json"\n')
    found = place.settings.webhook()
    assert found is not None
    assert found.kind == "json"


def test_it_is_a_secret_everywhere(place: Place) -> None:
    place.environ["PAI_JUPYTER_WEBHOOK"] = DING
    use(
        place,
        '[profiles.default]\nnotify.webhook = "https://hooks.slack.com/services/T/B/x"\nnotify.secret = "SEC-profile"\n',
    )
    secrets = place.settings.loaded_secrets()
    assert {DING, "https://hooks.slack.com/services/T/B/x", "SEC-profile"} <= secrets
    assert "PAI_JUPYTER_WEBHOOK" not in inherited_environment(place.environ)
    assert not any("webhook" in value.name for value in place.settings.all())


@pytest.mark.parametrize("name", ["notify.webhook", "notify.secret"])
def test_it_is_refused_on_the_line_and_in_a_project(place: Place, name: str) -> None:
    with pytest.raises(SpecError, match=rf"type %pai_config set {name}, without a value") as caught:
        place.settings.set(name, DING)
    assert DING not in str(caught.value)
    place.project.write_text(f'{name} = "{DING}"\n')
    with pytest.raises(SpecError, match=rf"type %pai_config set {name}, without a value") as caught:
        place.settings.get("region")
    assert DING not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["", "oapi.dingtalk.com", "ftp://a/b", "https://", "https://a b/", "https://a:99999/", "http://a\n"]
)
def test_what_is_no_address_is_said_without_it(address: str) -> None:
    with pytest.raises(SpecError, match="address of the webhook is not valid"):
        check_address(address)


@pytest.mark.parametrize(
    ("name", "value"),
    [("notify.on", "failing"), ("notify.after", "soon"), ("notify.stall_after", "-1"), ("notify.kind", "teams")],
)
def test_settings_of_alerts_are_checked(place: Place, name: str, value: str) -> None:
    with pytest.raises(SpecError, match=name):
        place.settings.set(name, value)
