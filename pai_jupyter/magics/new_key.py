"""The question for a new key, while a cell or a terminal waits for a job whose service takes the old one no more.

The key stays in this kernel, as one of `setup_default_session` does; `%pai_config wizard` keeps one for next time.
"""

import getpass
from collections.abc import Callable
from typing import Any

from pai_jupyter.config import Key, settings
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import Trouble

ORIGIN = "this kernel, where it was asked for"


def asker_of(shell: Any) -> Callable[[Trouble], bool]:  # Any: IPython is untyped
    """Ask whoever looks at this shell."""
    from pai_jupyter.magics.config_magics import is_attended

    def ask_person(trouble: Trouble) -> bool:
        if not is_attended(shell):
            return False
        try:  # looked up now: a kernel puts its own in the place of `input` and `getpass` while a cell runs
            from pai_jupyter.view.words import in_own_language

            return ask_for_key(
                trouble,
                ask=in_own_language(input),
                ask_secret=in_own_language(getpass.getpass),
                tell=in_own_language(print),
            )
        except (EOFError, NotImplementedError):
            return False

    return ask_person


def ask_for_key(
    trouble: Trouble, *, ask: Callable[[str], str], ask_secret: Callable[[str], str], tell: Callable[[str], object]
) -> bool:
    """Ask for a key and have it count in this kernel; whether one was given."""
    tell(trouble.reason)
    key_id = ask("access key id, to go on with (empty: none): ").strip()
    if not key_id:
        return False
    values = {"access_key_id": key_id, "access_key_secret": ask_secret("access key secret: ").strip()}
    values["security_token"] = ask_secret("security token (empty: none): ").strip()
    try:
        key = Key.of({name: value for name, value in values.items() if value}, origin=ORIGIN)
        if key is None:
            return False
        from pai_jupyter.cloud.session.keys import credential_of  # it loads what the cloud takes

        credential_of(key)
    except PaiJupyterError as exc:
        tell(str(exc))
        return False
    settings().update({}, key=key)
    tell("The job is followed with this key from now on.")
    return True
