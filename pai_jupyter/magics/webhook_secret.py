"""Ask for the address of a webhook, or its signing secret, and keep it in a profile of the user's own file (mode 0600).

It is asked for, and never on the magic's line, since notebooks are shared. It is in a file, since the process that sends alerts is
another one.
"""

from collections.abc import Callable, Sequence

from pai_jupyter.cloud.session.persist import change, read, shown
from pai_jupyter.config import settings
from pai_jupyter.config.files import parse_user
from pai_jupyter.config.names import WEBHOOK
from pai_jupyter.config.webhooks import check_address
from pai_jupyter.config.writing import profile_text
from pai_jupyter.errors import SpecError

_LONGEST = 500  # characters of a signing secret
_QUESTIONS = {
    "notify.webhook": "address of the webhook (empty: none any more): ",
    "notify.secret": "signing secret of the webhook (empty: none any more): ",
}


def asked_for(words: Sequence[str]) -> list[str]:
    """Return those of the `words` of `%pai_config set` that name a secret without a value."""
    return [word for word in words if word in WEBHOOK]


def ask_and_keep(name: str, *, ask_secret: Callable[[str], str], tell: Callable[[str], object]) -> None:
    """Ask for the secret `name`, and write it into the active profile; an empty answer removes it there.

    Raises:
        SpecError: the answer is not valid, or the file cannot be changed; nothing was written.
    """
    parse_user(settings().user_path(), read(settings().user_path()))  # nobody is asked for what cannot be kept
    answer = ask_secret(_QUESTIONS[name]).strip()
    if name == "notify.webhook" and answer:
        check_address(answer)
    if len(answer) > _LONGEST and name != "notify.webhook":
        raise SpecError("this is too long for a signing secret. Nothing was written.", field=name)
    path, profile = settings().user_path(), settings().profile_in_force()
    text = read(path)
    values = dict(parse_user(path, text).profiles.get(profile, {}))
    values.pop(name, None)
    change(path, profile_text(path, text, profile, {**values, **({name: answer} if answer else {})}))
    where = f"profile {profile!r} in {shown(path)}, which only you can read"
    tell(f"kept in {where}. Now: %pai_config test" if answer else f"removed from {where}")
