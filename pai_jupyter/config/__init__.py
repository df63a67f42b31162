"""Settings with their origin, and the kernel's environment with its secrets.

    names        the settings, the form of their values, the rejection of secrets
    files        our TOML, the official SDK's JSON: read on demand, parsed again only if changed
    settings     the layers, nearest first: line > notebook > emulator > project > profile > SDK file > variables
    emulated     what this user's emulator reports about itself
    spoken       settings of the kernels, for the panel of their Jupyter server (marker)
    keys         an access key from a profile or a cell
    webhooks     where alerts are sent to
    trackers     where jobs are tracked
    writing      the text of a file after a change: the SDK's JSON, a profile in the user's TOML
    environment  the variables that a job inherits from the kernel
    prices       the user's price lists, prices.json
    known_secrets  refuses known secrets where they would be kept, packed or sent in clear

Credentials may be in a profile of the user's own file and nowhere else; no setting shows them. Nothing here writes files:
callers that do get the text from `writing`.
"""

from collections.abc import Iterable
from functools import cache

from pai_jupyter.config.environment import held_back, inherited_environment
from pai_jupyter.config.keys import Key
from pai_jupyter.config.known_secrets import (
    place_of_secret,
    plain_variables,
    refuse_in_cell,
    refuse_in_texts,
    refuse_in_values,
)
from pai_jupyter.config.names import EMULATOR, FOR_CLOUD, ONE_CLOUD, check_value
from pai_jupyter.config.settings import SHORTEST_SECRET, Settings, Value
from pai_jupyter.config.webhooks import Webhook
from pai_jupyter.errors import PaiJupyterError

__all__ = [
    "EMULATOR",
    "FOR_CLOUD",
    "ONE_CLOUD",
    "Key",
    "Settings",
    "Value",
    "Webhook",
    "check_value",
    "held_back",
    "inherited_environment",
    "loaded_secrets",
    "plain_variables",
    "refuse_secret_cell",
    "refuse_secret_texts",
    "refuse_secrets",
    "secret_place_in",
    "settings",
    "wanted_metric",
    "wanted_stall_after",
]


@cache
def settings() -> Settings:
    """Return the settings of this process, created on first use."""
    return Settings()


def loaded_secrets() -> frozenset[str]:
    """Return the secrets known to the settings of this process."""
    return settings().loaded_secrets()


def refuse_secrets(given: Iterable[tuple[str, object]], *, is_line: bool = False, more: Iterable[str] = ()) -> None:
    """Refuse named values that hold a known secret, or one of `more`; `is_line`: they are a job's, as on a magic's line.

    Raises:
        SpecError: one does; the sentence names it, and says what to type in its place.
    """
    known = loaded_secrets().union(text for text in more if len(text) >= SHORTEST_SECRET)
    refuse_in_values(given, known, is_line=is_line)


def refuse_secret_texts(given: Iterable[tuple[str, str]]) -> None:
    """Refuse named texts for people that hold a known secret: a note, a title.

    Raises:
        SpecError: one does; the sentence names it.
    """
    refuse_in_texts(given, loaded_secrets())


def secret_place_in(value: object) -> str | None:
    """Return where in an object a known secret is, e.g. `taskRoles[0].command`; None if none is."""
    return place_of_secret(value, loaded_secrets())


def refuse_secret_cell(cell: str) -> None:
    """Refuse the text of a cell that holds a known secret and would be kept.

    Raises:
        SpecError: it does.
    """
    refuse_in_cell(cell, loaded_secrets())


def wanted_metric() -> str | None:
    """Return the metric that is to stand for jobs (`metric`); None if there is none or the settings are unreadable."""
    try:
        return settings().get("metric")
    except PaiJupyterError:
        return None


def wanted_stall_after() -> float:
    """Return the seconds without progress after which a job counts as stalled (`notify.stall_after`); 0 = never."""
    from pai_jupyter.events.alerts import STALL_AFTER  # late: most kernels never ask

    try:
        minutes = settings().get("notify.stall_after")
    except PaiJupyterError:  # code that needs the invalid file reports it
        minutes = None
    return STALL_AFTER if minutes is None else float(minutes) * 60
