"""Choose the access key, nearest first: given to this kernel, the emulator's own, the profile's, this machine's.

Each source is asked for every request, so an edited profile, a restarted emulator or a renewed token applies at once, even
during an upload.

Rule: a key that was given for the cloud is never used at an emulator, nor the other way round.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pai_jupyter.cloud.client import Credential, CredentialProvider, StaticCredentials, credentials
from pai_jupyter.cloud.client.sources import origins
from pai_jupyter.config import Key, settings
from pai_jupyter.errors import AuthError
from pai_jupyter.store import home


def credentials_at(services: str | None) -> CredentialProvider:
    """Return the credentials for the cloud (None) or for the emulator at `services`, without a request."""
    if (key := settings().key(services)) is not None:
        return StaticCredentials(credential_of(key))
    if services is not None:
        return EmulatorCredentials(emulator_home() / "credentials.json")
    if settings().profile_key() is not None:
        return ProfileCredentials(settings().profile_in_force())
    return _of_this_machine(_user_home())


def origins_at(services: str | None) -> Iterator[str]:
    """Yield descriptions of the sources of keys, nearest first, without asking them."""
    if (key := settings().key(services)) is not None:
        yield key.origin
    if services is not None:
        yield "the emulator's own"
        return
    yield from lasting_origins()


def lasting_origins() -> Iterator[str]:
    """Yield the sources of cloud keys that outlive this kernel, nearest first."""
    if (key := settings().profile_key()) is not None:
        yield key.origin
    yield from origins(os.environ, _user_home())


def emulator_home() -> Path:
    """Return the directory of this user's emulator, with its data, address and key."""
    return home() / "emulator"


@dataclass(frozen=True)
class ProfileCredentials:
    """The current key of a profile in the user's file."""

    profile: str

    def get(self) -> Credential:
        key = settings().profile_key(self.profile)
        if key is None:
            raise AuthError(f"profile {self.profile!r} has no access key any more. Type: %pai_config wizard")
        return credential_of(key)


@dataclass(frozen=True)
class EmulatorCredentials:
    """The key that the emulator generated and accepts."""

    path: Path

    def get(self) -> Credential:
        try:
            said = json.loads(self.path.read_bytes())
            credential = Credential(
                access_key_id=str(said["access_key_id"]),
                access_key_secret=str(said["access_key_secret"]),
                origin="the emulator",
            )
        except (OSError, ValueError, LookupError, TypeError):
            raise AuthError(f"the emulator's key is not in '{self.path}'. Type: %pai_config use emulator") from None
        settings().keep_secret(credential.access_key_secret)
        return credential


def credential_of(key: Key) -> Credential:
    """Convert the key to the client's type.

    Raises:
        AuthError: it has an invalid character.
    """
    return Credential(
        access_key_id=key.access_key_id,
        access_key_secret=key.access_key_secret,
        security_token=key.security_token,
        origin=key.origin,
    )


@lru_cache(maxsize=1)
def _of_this_machine(
    home: Path,
) -> CredentialProvider:  # shared by all sessions, so that a role's token is fetched once
    return credentials(home=home)


def _user_home() -> Path:
    # os.path: without a home directory (some containers) it gives a missing path, while Path.home raises.
    return Path(os.path.expanduser("~"))  # noqa: PTH111
