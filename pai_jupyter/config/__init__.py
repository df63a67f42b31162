"""Settings with their origin, and the kernel's environment with its secrets.

    names        the settings, the form of their values, the rejection of secrets
    files        our TOML, the official SDK's JSON: read on demand, parsed again only if changed
    settings     the layers, nearest first: line > notebook > emulator > project > profile > SDK file > variables
    emulated     what this user's emulator reports about itself
    spoken       settings of the kernels, for the panel of their Jupyter server (marker)
    keys         an access key from a profile or a cell
    writing      the text of a file after a change: the SDK's JSON, a profile in the user's TOML
    environment  the variables that a job inherits from the kernel

Credentials may be in a profile of the user's own file and nowhere else; no setting shows them. Nothing here writes files:
callers that do get the text from `writing`.
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
