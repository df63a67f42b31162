"""Settings with their origin, and the environment with its secrets.

    names        which settings there are, what their values look like, what is refused as a secret
    files        TOML of ours, JSON of the official SDK: read when asked for, again only when changed
    settings     the layers, nearest first: line > notebook > emulator > project > profile > SDK file > variables
    emulated     what the emulator of this user says of itself
    spoken       what kernels have said, for the panel of their Jupyter server (marker)
    keys         an access key, as a profile or a cell has given it
    writing      what a file holds after a change: the SDK's JSON, a profile in the user's TOML
    environment  what a job inherits of the kernel's environment

Credentials may stand in a profile of the user's own file and nowhere else; no setting shows them.
Nothing here writes: who changes a file asks `writing` for its text.
"""

from functools import cache

from pai_jupyter.config.environment import held_back, inherited_environment
from pai_jupyter.config.keys import Key
from pai_jupyter.config.names import EMULATOR, FOR_CLOUD, ONE_CLOUD, check_value
from pai_jupyter.config.settings import Settings, Value
from pai_jupyter.errors import PaiJupyterError

__all__ = [
    "EMULATOR",
    "FOR_CLOUD",
    "ONE_CLOUD",
    "Key",
    "Settings",
    "Value",
    "check_value",
    "held_back",
    "inherited_environment",
    "loaded_secrets",
    "settings",
    "wanted_metric",
]


@cache
def settings() -> Settings:
    """Return the settings of this process, created on first use."""
    return Settings()


def loaded_secrets() -> frozenset[str]:
    """Return the secrets known to the settings of this process."""
    return settings().loaded_secrets()


def wanted_metric() -> str | None:
    """Return the metric that is to stand for jobs (`metric`); None if there is none or the settings are unreadable."""
    try:
        return settings().get("metric")
    except PaiJupyterError:
        return None
