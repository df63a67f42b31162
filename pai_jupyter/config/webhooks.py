"""Where alerts are sent to: the address of a webhook, a secret that may post into somebody's chat. Pure.

It is in a profile of the user's own file (`notify.webhook`), else in the variable PAI_JUPYTER_WEBHOOK; with it the key that DingTalk
and Feishu sign with (`notify.secret`, PAI_JUPYTER_WEBHOOK_SECRET). Only its host is ever shown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast, get_args
from urllib.parse import urlsplit

from pai_jupyter.errors import SpecError

VARIABLES = ("PAI_JUPYTER_WEBHOOK", "PAI_JUPYTER_WEBHOOK_SECRET")
Kind: TypeAlias = Literal["dingtalk", "feishu", "slack", "json"]
_HOSTS: Mapping[str, Kind] = {
    "oapi.dingtalk.com": "dingtalk",
    "api.dingtalk.com": "dingtalk",
    "open.feishu.cn": "feishu",
    "open.larksuite.com": "feishu",
    "hooks.slack.com": "slack",
    "hooks.slack-gov.com": "slack",
}
_LONGEST = 2000  # characters


@dataclass(frozen=True, kw_only=True)
class Webhook:
    """A webhook. `origin`: "profile 'work'" or "the environment"."""

    address: str = field(repr=False)
    kind: Kind
    signing_secret: str = field(default="", repr=False)
    origin: str

    @property
    def host(self) -> str:
        return urlsplit(self.address).hostname or ""

    def as_kind(self, kind: str) -> "Webhook":
        """Return the same address, taken for one of this kind."""
        return replace(self, kind=cast(Kind, kind)) if kind in get_args(Kind) else self


def webhook_of(values: Mapping[str, str], environ: Mapping[str, str], *, where: str) -> Webhook | None:
    """Return the webhook of a profile's `values`, else of the environment; `where` names which.

    Raises:
        SpecError: its address is none.
    """
    address, secret = values.get("notify.webhook"), values.get("notify.secret", "")
    if not address:
        address, secret = (environ.get(name, "") for name in VARIABLES)
    if not address:
        return None
    check_address(address, where=f"{where}: ")
    kind = cast(Kind, values.get("notify.kind") or _HOSTS.get(urlsplit(address).hostname or "", "json"))
    return Webhook(address=address, kind=kind, signing_secret=secret, origin=where)


def check_address(address: str, *, where: str = "") -> None:
    """Reject what is no address of a webhook; the error does not repeat it.

    Raises:
        SpecError: with what is expected.
    """
    try:
        parts = urlsplit(address)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or len(address) > _LONGEST or re.search(r"[\s\x00-\x1f]", address):
        raise SpecError(
            f"{where}the address of the webhook is not valid. It begins with https:// and is as its service shows it, e.g. "
            "https://hooks.slack.com/services/... To give it again, type %pai_config set notify.webhook",
            field="notify.webhook",
        )
