"""Whether an address answers as an MLflow server: one small question, without MLflow's client, which takes a second to import."""

import configparser
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 5.0  # seconds
_QUESTION = "/api/2.0/mlflow/experiments/search?max_results=1"
_LOGIN = ("mlflow_tracking_username", "mlflow_tracking_password")


@dataclass(frozen=True, kw_only=True)
class ServerAnswer:
    """`why`: what is wrong, as a sentence without its end; "" if nothing is. `is_other`: something else than MLflow answers there."""

    why: str = ""
    is_other: bool = False


def ask_server(address: str, environ: Mapping[str, str] | None = None) -> ServerAnswer:
    """Ask an MLflow server for an experiment, with the login of MLflow's own variables or file."""
    import httpx  # late: most kernels never ask

    here = os.environ if environ is None else environ
    token, login = here.get("MLFLOW_TRACKING_TOKEN", ""), _login(here)
    headers = {"Authorization": f"Bearer {token}"} if token and login is None else {}
    try:
        answer = httpx.get(
            f"{address}{_QUESTION}", headers=headers, auth=login, timeout=TIMEOUT, verify=_is_verified(here)
        )
    except httpx.TimeoutException:
        return ServerAnswer(why=f"no answer within {TIMEOUT:.0f} s")
    except httpx.ConnectError as exc:
        return ServerAnswer(why="its certificate is not trusted" if "CERTIFICATE" in str(exc) else "cannot connect")
    except (httpx.HTTPError, httpx.InvalidURL, OSError):
        return ServerAnswer(why="the connection broke")
    return _read(answer)


def _read(answer: object) -> ServerAnswer:
    status = int(getattr(answer, "status_code", 0))
    if status in (401, 403):
        return ServerAnswer(why=f"it answers {status}: check MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN")
    if status == 429 or status >= 500:
        return ServerAnswer(why=f"it answers {status}")
    value: object = None
    with suppress(ValueError, RecursionError):
        value = answer.json()  # type: ignore[attr-defined]  # httpx is imported late
    if status == 200 and isinstance(value, dict) and (not value or "experiments" in value):
        return ServerAnswer()
    return ServerAnswer(why=f"it answers {status}, and not as an MLflow server does", is_other=True)


def _login(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return user and password as MLflow's client finds them: in the environment, else in ~/.mlflow/credentials."""
    found = [environ.get(name.upper(), "") for name in _LOGIN]
    if not all(found):
        parser = configparser.ConfigParser(interpolation=None)
        with suppress(configparser.Error, OSError, UnicodeDecodeError, RuntimeError):
            parser.read(Path.home() / ".mlflow" / "credentials", encoding="utf-8")
        given = dict(parser["mlflow"]) if parser.has_section("mlflow") else {}
        found = [text or given.get(name, "") for text, name in zip(found, _LOGIN, strict=True)]
    return (found[0], found[1]) if all(found) else None


def _is_verified(environ: Mapping[str, str]) -> bool:
    return environ.get("MLFLOW_TRACKING_INSECURE_TLS", "").lower() not in ("true", "1")
