"""`%pai_config wizard`: ask for a key, region, workspace and bucket, and store them as a profile in the user's file.

Functions for input, hidden input and output are passed in, so the wizard needs no front end. It lists what the key's account
has; if a list cannot be read it says why, and asks anyway.

Rule: nothing is written before the last answer, and the key only with the user's consent; otherwise it stays in this kernel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pai_jupyter.cloud.client import StaticCredentials
from pai_jupyter.cloud.session.account import Account, Choice
from pai_jupyter.cloud.session.keys import credential_of, credentials_at, lasting_origins
from pai_jupyter.cloud.session.persist import change, read, shown
from pai_jupyter.config import Key, settings
from pai_jupyter.config.names import check_value
from pai_jupyter.config.settings import DEFAULT_PROFILE
from pai_jupyter.config.writing import profile_text
from pai_jupyter.errors import PaiJupyterError, SpecError

TRIES = 5  # per question; more wrong answers come from a program
_PLACES = ("region", "workspace", "bucket")
_SHOWN = 50  # choices listed
T = TypeVar("T")


@dataclass(kw_only=True)
class Wizard:
    """The questions of the wizard; `account` builds the client that lists what a key's account has."""

    ask: Callable[[str], str]
    ask_secret: Callable[[str], str]
    tell: Callable[[str], None]
    account: Callable[..., Account] = Account

    def run(self) -> None:
        """Ask all questions, write the profile and use it in this kernel.

        Raises:
            SpecError: a question got too many invalid answers, or the user's file cannot be changed.
        """
        profile = self._answer("profile", f"name of the profile [{DEFAULT_PROFILE}]: ", default=DEFAULT_PROFILE)
        known = settings().profile_key(profile)
        key = self._key(known)
        given = key or known
        account = self.account(credentials=StaticCredentials(credential_of(given)) if given else credentials_at(None))
        values = self._places(account)
        kept = known if key is None else key if self._keeps_key() else None
        path = settings().user_path()
        change(path, profile_text(path, read(path), profile, {**values, **_fields(kept)}))
        origin = f"profile {profile!r}" if kept is not None else "%pai_config wizard"
        self._apply(profile, key and replace(key, origin=origin))
        self.tell(
            f"saved as profile {profile!r} in {shown(path)}, {'with' if kept else 'without'} a key. Now: %pai_config test"
        )

    def _key(self, known: Key | None) -> Key | None:
        """Ask for an access key; None if no id is entered."""
        origin = known.origin if known else next(lasting_origins(), "none yet")
        key_id = self.ask(f"access key id [keys from {origin}]: ").strip()
        if not key_id:
            return None
        for _ in range(TRIES):
            values = {"access_key_id": key_id, "access_key_secret": self.ask_secret("access key secret: ").strip()}
            if key_id.startswith("STS."):  # a temporary key is invalid without its token
                values["security_token"] = self.ask_secret("security token: ").strip()
            try:
                key = Key.of(values, origin="%pai_config wizard")
                if key is not None:
                    credential_of(key)
                    return key
            except PaiJupyterError as exc:
                self.tell(str(exc))
        raise SpecError("no access key was given. Nothing was written. To start again, type: %pai_config wizard")

    def _places(self, account: Account) -> dict[str, str]:
        region = self._choose("region", self._offer(account.regions))
        workspace = self._choose("workspace", self._offer(lambda: account.workspaces(region)), may_be_none=True)
        usual = self._offer(lambda: [account.default_bucket(region, workspace)]) if workspace else []
        buckets = self._offer(lambda: account.buckets(region))
        bucket = self._choose("bucket", buckets, default=next(filter(None, usual), ""), may_be_none=True)
        return {name: value for name, value in zip(_PLACES, (region, workspace, bucket), strict=True) if value}

    def _offer(self, look: Callable[[], list[T]]) -> list[T]:
        """Return what the account offers; on an error, print the reason and return []."""
        try:
            return look()
        except PaiJupyterError as exc:
            self.tell(f"(no list: {exc})")
            return []

    def _choose(self, name: str, choices: Sequence[Choice], *, default: str = "", may_be_none: bool = False) -> str:
        for number, choice in enumerate(choices[:_SHOWN], 1):
            self.tell(f"  {number:>2}  {choice.value}  {choice.label}".rstrip())
        if len(choices) > _SHOWN:
            self.tell(f"      ... and {len(choices) - _SHOWN} more")
        how = "number or name" if choices else "name"
        usual = f" [{default or 'none'}]" if default or may_be_none else ""
        offered = [choice.value for choice in choices]
        return self._answer(
            name, f"{name}, by {how}{usual}: ", offered=offered, default=default, may_be_none=may_be_none
        )

    def _answer(
        self, name: str, question: str, *, offered: Sequence[str] = (), default: str = "", may_be_none: bool = False
    ) -> str:
        for _ in range(TRIES):
            answer = self.ask(question).strip() or default
            if answer.isdecimal() and 0 < int(answer) <= len(offered):
                answer = offered[int(answer) - 1]
            try:
                return "" if may_be_none and not answer else check_value(name, answer)
            except SpecError as exc:
                self.tell(str(exc))
        raise SpecError(
            f"no {name} was given. Nothing was written. To start again, type: %pai_config wizard", field=name
        )

    def _keeps_key(self) -> bool:
        where = shown(settings().user_path())
        answer = self.ask(
            f"write the key into {where}, which only you can read? Otherwise only this kernel keeps it [y/N]: "
        )
        return answer.strip().lower() in ("y", "yes")

    def _apply(self, profile: str, key: Key | None) -> None:
        for name in _PLACES:
            settings().set(name, "")  # remove earlier values of this kernel, which would override the profile
        settings().use(profile)
        if key is not None:
            settings().update({}, key=key)


def _fields(key: Key | None) -> dict[str, str]:
    if key is None:
        return {}
    token = {"security_token": key.security_token} if key.security_token else {}
    return {"access_key_id": key.access_key_id, "access_key_secret": key.access_key_secret, **token}
