"""Which alerts the user wants of a job, as the settings say when it is submitted. Kept in its outbox, without the address."""

from collections.abc import Mapping

from pai_jupyter.config import Settings
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json

DEFAULT = ("failed", "nan", "stalled", "end")
AFTER = 10.0  # minutes
_ALL = ("end", "failed", "nan", "stalled")


def wanted_alerts(settings: Settings, *, is_asked: bool | None = None, language: str = "en") -> dict[str, Json] | None:
    """Return what is wanted, and of which profile the webhook is; None if there is no webhook, or nothing is wanted.

    `is_asked`: by `--notify` (every kind, also of a short job) or `--no-notify`; None: by neither.

    Raises:
        SpecError: a setting is invalid.
    """
    if is_asked is False or (webhook := settings.webhook()) is None:
        return None
    on = settings.get("notify.on")
    kinds = list(DEFAULT) if on is None else [] if on == "off" else on.split(",")
    after = float(settings.get("notify.after") or AFTER) * 60
    if is_asked:
        kinds, after = list(_ALL), 0.0
    if not kinds:
        return None
    profile = None if webhook.origin == "the environment" else settings.profile_in_force()
    kind = settings.get("notify.kind")
    return {"on": [*kinds], "after": after, "profile": profile, "kind": kind, "language": language}


def told_after(settings: Settings) -> float:
    """Return how many seconds a job takes at least whose end is told (`notify.after`); the default if the settings are unreadable."""
    try:
        return float(settings.get("notify.after") or AFTER) * 60
    except PaiJupyterError:  # code that needs the invalid file reports it
        return AFTER * 60


def profile_of(wanted: Mapping[str, Json]) -> str:
    """Return the name of the profile with the webhook; "" if it is in the environment."""
    profile = wanted.get("profile")
    return profile if isinstance(profile, str) else ""
