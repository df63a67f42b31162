"""A user's surroundings for tests of the session: a home of its own, files and keys in it, and no way out of this machine."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.session import default
from pai_jupyter.cloud.session.keys import emulator_home
from pai_jupyter.config import settings
from tests.support.loopback import stay_here

KEY, SECRET, TOKEN = "LTAI5tMARKEDkeyid123", "MARKED-secret-4f1e/+", "MARKED-token-77aa/+=="
GIVEN: dict[str, Any] = {
    "access_key_id": KEY,
    "access_key_secret": SECRET,
    "region_id": "cn-shanghai",
    "workspace_id": "12345",
    "oss_bucket_name": "my-bucket",
}


class Surroundings:
    """`reached` are the hosts beyond this machine that somebody wanted; none of them answers."""

    def __init__(self, root: Path, reached: list[str]) -> None:
        self.root = root
        self.reached = reached
        self.sdk = root / ".pai/config.json"
        self.user = root / ".config/pai_jupyter/config.toml"
        self.project = root / "work/pai_jupyter.toml"

    def write(self, path: Path, content: str | dict[str, Any]) -> None:  # Any: JSON values
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))

    def have_emulator(self, address: str, *, key: str, secret: str) -> None:
        """Put an emulator in force that is at `address` and has this key."""
        credentials = {"access_key_id": key, "access_key_secret": secret}
        self.write(emulator_home() / "credentials.json", credentials)
        settings().use_emulator(address)

    def texts(self) -> Iterator[tuple[Path, str]]:
        """Every file below this home, and what is in it."""
        for path in self.root.rglob("*"):
            if path.is_file():
                yield path, path.read_text(errors="replace")


@contextmanager
def surroundings(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    """A home in which nothing is configured, and a kernel that has just begun."""
    (root / "work").mkdir()
    for name, value in (
        ("HOME", root),
        ("XDG_CONFIG_HOME", root / ".config"),
        ("XDG_STATE_HOME", root / ".local/state"),
        ("PAI_JUPYTER_HOME", root / "pai_jupyter"),
    ):
        monkeypatch.setenv(name, str(value))
    for name in ("REGION", "dsw_region", "DSW_INSTANCE_ID", "DLC_JOB_ID", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(root / "work")
    _begin()
    logging.getLogger("pai_jupyter").setLevel(logging.DEBUG)
    yield Surroundings(root, stay_here(monkeypatch))
    logging.getLogger("pai_jupyter").setLevel(logging.NOTSET)
    _begin()


def _begin() -> None:
    settings.cache_clear()
    default._last = None
