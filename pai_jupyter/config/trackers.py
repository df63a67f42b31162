"""Where jobs are tracked: the setting `tracking`, e.g. `mlflow:http://127.0.0.1:5000`. Pure.

Rule: a login is no part of it, since settings are shown and shared. MLflow's own variables have it (`LOGIN`), and nothing keeps them.
"""

import re

from pai_jupyter.errors import SpecError

NAME, EXPERIMENT = "tracking", "tracking_experiment"
OFF = "off"
LOGIN = ("MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN")
PATTERN = r"off|mlflow:https?://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(/[\w./~-]*)?"
EXAMPLE = "mlflow:http://127.0.0.1:5000"
_PREFIX = "mlflow:"
_LONGEST = 1000  # characters


def check_tracker(text: str, *, where: str = "") -> None:
    """Reject what is no tracking server; the error does not repeat a login.

    Raises:
        SpecError: with what is expected.
    """
    if "@" in text:
        raise SpecError(
            f"{where}the address in `{NAME}` has a login in it, which does not belong there: settings are shown. Leave out what is before "
            "the @, and set the environment variables MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN.",
            field=NAME,
        )
    if not re.fullmatch(PATTERN, text) or len(text) > _LONGEST or not _is_port(text):
        raise SpecError(
            f"{where}`{NAME}` is {text[:60]!r}; it must be mlflow: and the address of an MLflow server, e.g. {NAME}={EXAMPLE}, or {OFF}",
            field=NAME,
        )


def _is_port(text: str) -> bool:
    port = re.search(r":(\d+)(?:/|$)", text.removeprefix(_PREFIX).partition("//")[2])
    return port is None or 0 < int(port[1]) < 65536


def server_of(text: str | None) -> str:
    """Return the address of the MLflow server in a checked value of `tracking`; "" if jobs are not tracked."""
    return "" if not text or text == OFF else text.removeprefix(_PREFIX).rstrip("/")
