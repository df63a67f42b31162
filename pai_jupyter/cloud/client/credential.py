"""An access key and the protocol of its providers.

Rule 1: the provider is asked for every try, so that temporary keys can change at any time.
Rule 2: a secret is in no `repr`, message or log; a shown credential has only its id and origin.
"""

import re
from dataclasses import dataclass, field
from typing import Protocol

from pai_jupyter.errors import AuthError

_KEY = re.compile(r"[!-~]+")  # valid in a header; a line break would begin another header


@dataclass(frozen=True, kw_only=True)
class Credential:
    """An access key, temporary with a `security_token`. `origin` says in words where it came from."""

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
        """The values that must never be shown."""
        return tuple(filter(None, (self.access_key_secret, self.security_token)))


class CredentialProvider(Protocol):
    """A source of credentials."""

    def get(self) -> Credential:
        """Return the current key. May block briefly, so the client calls it in a thread.

        Raises:
            AuthError: there is no key.
        """


@dataclass(frozen=True)
class StaticCredentials:
    """A provider that always returns the same key."""

    credential: Credential

    def get(self) -> Credential:
        return self.credential
