"""The user of the emulated cluster, and tokens: JSON web tokens of seven days, signed with a secret of the directory's own."""

import base64
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

LASTS = 604_800  # seconds, whatever a login asks for
USER = "emulator"


@dataclass
class Accounts:
    """The one user of a cluster; `revoked` tokens are no longer taken."""

    user: str
    password: str
    key: bytes
    revoked: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, data: Path) -> "Accounts":
        """Read DIR/openpai.json, or make it: user, password and key, for this user alone."""
        path = data / "openpai.json"
        try:
            given = json.loads(path.read_text())
        except (OSError, ValueError):
            given = {"user": USER, "password": secrets.token_urlsafe(12), "key": secrets.token_hex(32)}
            with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                json.dump(given, file)
        return cls(user=given["user"], password=given["password"], key=bytes.fromhex(given["key"]))

    def token(self, user: str, now: float, *, is_endless: bool = False) -> str:
        """Make a token; `is_endless`: an application token."""
        kind: dict[str, object] = {"application": True} if is_endless else {"exp": int(now) + LASTS}
        head = _part({"alg": "HS256", "typ": "JWT"})
        body = _part({"username": user, "jti": secrets.token_hex(4), **kind})
        return f"{head}.{body}.{self._signature(f'{head}.{body}')}"

    def user_of(self, token: str, now: float) -> str | None:
        """Return whose token it is; None if it is no valid one."""
        text, _, signature = token.rpartition(".")
        if token in self.revoked or not hmac.compare_digest(self._signature(text), signature):
            return None
        claims = json.loads(base64.urlsafe_b64decode(text.partition(".")[2] + "=="))
        return str(claims["username"]) if claims.get("exp", now + 1) > now else None

    def _signature(self, text: str) -> str:
        return base64.urlsafe_b64encode(hmac.digest(self.key, text.encode(), hashlib.sha256)).rstrip(b"=").decode()


def _part(claims: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
