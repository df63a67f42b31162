"""An access key that the user gave in a profile or to this kernel. Never shown. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from pai_jupyter.errors import SpecError


@dataclass(frozen=True, kw_only=True)
class Key:
    """An access key, temporary with a `security_token`. `origin` says in words where it was given."""

    access_key_id: str
    access_key_secret: str = field(repr=False)
    security_token: str | None = field(default=None, repr=False)
    origin: str

    @classmethod
    def of(cls, values: Mapping[str, str], *, origin: str) -> Self | None:
        """Build the access key from `values`; None if they have no part of one.

        Raises:
            SpecError: one half of the key is missing.
        """
        key_id, secret = values.get("access_key_id"), values.get("access_key_secret")
        token = values.get("security_token") or None
        if key_id and secret:
            return cls(access_key_id=key_id, access_key_secret=secret, security_token=token, origin=origin)
        if key_id or secret or token:
            lacking = "access_key_secret" if key_id else "access_key_id"
            raise SpecError(f"{origin} has half an access key: `{lacking}` is missing. Give both.", field=lacking)
        return None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the values that no package, output or message may contain."""
        return tuple(filter(None, (self.access_key_secret, self.security_token)))
