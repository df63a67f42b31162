"""Sessions of tests at an emulator: given as values, or as what this kernel is configured for."""

import json
from pathlib import Path

import pytest

from pai_jupyter.cloud.client import Credential, Endpoints, StaticCredentials
from pai_jupyter.cloud.session import Session
from pai_jupyter.config import settings
from tests.support.emulators import BUCKET, KEY, REGION, SECRET, WORKSPACE, Emulator


def session_at(running: Emulator) -> Session:
    """A session there, without any configuration."""
    return Session(
        region_id=REGION,
        workspace_id=WORKSPACE,
        oss_bucket_name=BUCKET,
        oss_endpoint=running.address,
        endpoints=Endpoints(region=REGION, address=running.address),
        credentials=StaticCredentials(Credential(access_key_id=KEY, access_key_secret=SECRET)),
    )


def configure(running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process work there, as after `%pai_config use emulator`."""
    (home / "emulator").mkdir(exist_ok=True)
    key = {"access_key_id": KEY, "access_key_secret": SECRET}
    (home / "emulator" / "credentials.json").write_text(json.dumps(key))
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", running.address)
    settings.cache_clear()
