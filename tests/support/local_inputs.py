"""What tests of inputs from elsewhere share: a kernel with a session, whose bucket is the fake one on loopback."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pai_jupyter.backends.local.cache import CachedData, DataCache
from pai_jupyter.backends.local.remote import remote_data
from pai_jupyter.cloud.session import setup_default_session
from pai_jupyter.emulator.oss_protocol.request import OssRequest
from pai_jupyter.store import JobStore
from tests.fakes.oss import BUCKET, KEY_ID, REGION, SECRET, FakeOss
from tests.support.patience import DEADLINE as DEADLINE
from tests.support.sessions import surroundings


@pytest.fixture
def session(oss: FakeOss, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with a session that has the fake bucket's key; gives the home of jobs."""
    root = tmp_path_factory.mktemp("surroundings")
    with surroundings(root, monkeypatch):
        monkeypatch.setenv("PAI_JUPYTER_ML", "plain")  # which starts faster
        setup_default_session(KEY_ID, SECRET, REGION, oss_bucket_name=BUCKET)
        yield JobStore().home


def bring(
    oss: FakeOss, key: str = "data/", *, user: str | None = None, cancel: threading.Event | None = None
) -> CachedData:
    """Bring what is below `key`, or the object that it is."""
    return DataCache(JobStore().home).bring(remote_data(oss.uri(key)), user=user, cancel=cancel or threading.Event())


def objects_asked(oss: FakeOss) -> list[str]:
    """The keys whose content was asked for, once for each part."""
    return sorted(one.key for one in oss.requests if is_get(one))


def is_get(request: OssRequest) -> bool:
    return request.method == "GET" and bool(request.key)


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)
