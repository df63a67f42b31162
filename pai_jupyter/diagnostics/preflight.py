"""Check the services that jobs need, and the proxies on the way to them."""

import os
from urllib.parse import urlsplit

from pai_jupyter.backends import Check, health_of, infos
from pai_jupyter.diagnostics.alerts import alerts_test
from pai_jupyter.diagnostics.tracking import tracking

_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")


def preflight() -> list[Check]:
    """Check the service of every remote backend, then the proxies and this machine's engines."""
    services = [check for info in infos() if not info.is_local for check in health_of(info, is_asked=True).checks]
    engines = [check for info in infos() if info.is_local and info.takes_images for check in health_of(info).checks]
    return [*services, *alerts_test(), *tracking(), _proxies(), *engines]


def _proxies() -> Check:
    given = {name: os.environ.get(name) or os.environ.get(name.lower()) for name in _PROXIES}
    found = ", ".join(f"{name}={_without_password(value)}" for name, value in given.items() if value)
    if not found:
        return Check(what="proxies", found="none")
    return Check(what="proxies", found=found, remedy="If the services do not answer, name *.aliyuncs.com in NO_PROXY.")


def _without_password(value: str) -> str:
    try:
        parts = urlsplit(value)
    except ValueError:
        return "(no address)"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if parts.netloc else value.rpartition("@")[2]
