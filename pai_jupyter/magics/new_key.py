"""Ask for a new key while a cell or terminal waits for a job whose service no longer accepts the old key.

The key stays in this kernel only, as with `setup_default_session`; `%pai_config wizard` can store one.
"""

import getpass
from collections.abc import Callable
from typing import Any

from pai_jupyter.config import Key, settings
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import Trouble

ORIGIN = "entered in this kernel"


def asker_of(shell: Any) -> Callable[[Trouble], bool]:  # Any: IPython is untyped
    """Return a function that asks the user of this shell for a key; it returns False if nobody can answer."""
    from pai_jupyter.magics.config_magics import is_attended

    def ask_person(trouble: Trouble) -> bool:
        if not is_attended(shell):
            return False
        try:  # looked up now: a kernel replaces `input` and `getpass` while a cell runs
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
    """Ask for a key and use it in this kernel; return whether one was given."""
    tell(trouble.reason)
    key_id = ask("new access key id (leave empty to cancel): ").strip()
    if not key_id:
        return False
    values = {"access_key_id": key_id, "access_key_secret": ask_secret("access key secret: ").strip()}
    values["security_token"] = ask_secret("security token (empty if none): ").strip()
    try:
        key = Key.of({name: value for name, value in values.items() if value}, origin=ORIGIN)
        if key is None:
            return False
        from pai_jupyter.cloud.session.keys import credential_of  # late: it loads cloud libraries

        credential_of(key)
    except PaiJupyterError as exc:
        tell(str(exc))
        return False
    settings().update({}, key=key)
    tell("The job is now followed with this key.")
    return True
