"""The metric that the user has named to stand for jobs: the setting `metric`."""

from pai_jupyter.config import settings
from pai_jupyter.errors import PaiJupyterError


def wanted_metric() -> str | None:
    """Its name; None where none is named, or the settings cannot be read: a list of jobs is one still."""
    try:
        return settings().get("metric")
    except PaiJupyterError:
        return None
