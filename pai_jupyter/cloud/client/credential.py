"""An access key, and the one question that the client asks of whoever has it: which one is it now?

Rule 1: asked anew for every try, so that temporary keys may be exchanged in the middle of anything.
Rule 2: a secret is in no `repr`, no message and no log; whoever shows a credential shows its id and where it came from.
"""

import re
from dataclasses import dataclass, field
from typing import Protocol

from pai_jupyter.errors import AuthError

_KEY = re.compile(r"[!-~]+")  # what may stand in a header; a line break there would begin another one


@dataclass(frozen=True, kw_only=True)
class Credential:
    """An access key; with `security_token` it is a temporary one. `origin` says in words where it came from."""

    access_key_id: str
    access_key_secret: str = field(repr=False)
    security_token: str | None = field(default=None, repr=False)
    origin: str = "the session"

    def __post_init__(self) -> None:
        for name in ("access_key_id", "access_key_secret", "security_token"):
            value = getattr(self, name)
            if value is not None and not _KEY.fullmatch(value):
                raise AuthError(
                    f"`{name}` from {self.origin} is empty, or has a blank, a line break or another character that no"
                    " key has. Copy it again from the RAM console."
                )

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown."""
        return tuple(filter(None, (self.access_key_secret, self.security_token)))


class CredentialProvider(Protocol):
    """A source of credentials."""

    def get(self) -> Credential:
        """Give the key that is valid now. May block for a moment, so the client calls it in a thread of its own.

        Raises:
            AuthError: there is none.
        """


@dataclass(frozen=True)
class StaticCredentials:
    """The source that always gives the same key."""

    credential: Credential

    def get(self) -> Credential:
        return self.credential
