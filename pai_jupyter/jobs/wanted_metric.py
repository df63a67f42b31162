"""The headline metric that the user chose: the setting `metric`."""

from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError


def wanted_metric() -> str | None:
    """Return the metric that the user chose; None if there is none or the settings are unreadable."""
    try:
        return settings().get("metric")
    except PaiJupyterError:
        return None
