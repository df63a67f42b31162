"""What tests of storages share: a bucket of the fake service, credentials for it, odd names, small parts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pai_jupyter.cloud.client import Endpoints
from pai_jupyter.cloud.session import Session
from pai_jupyter.storage import Storage, open_storage
from tests.fakes.oss import BUCKET, KEY_ID, REGION, SECRET, SMALLEST_PART, FakeOss

ODD_NAMES = [
    "a b",
    "a'; echo x",
    "训练",
    "x+y",
    "100%25",
    "a#b?c=d&e",
    "line\nbreak",
    "tab\tand\x01",
    "-rf",
    "é",
    "~",
    "a\\b",
    '"',
]
"""Good names for a file, each of which has broken something somewhere."""
LEADING_OUT = ["..", "../x", "a/../../x", "/etc/x", "a//b", "./x", "a/.", "nul\0x", "", "/"]
"""Keys that are no path below a directory."""
PART = SMALLEST_PART


@dataclass(frozen=True, kw_only=True)
class TestKey:
    """An access key of the fake service."""

    __test__ = False

    access_key_id: str = KEY_ID
    access_key_secret: str = SECRET
    security_token: str | None = None

    def get(self) -> "TestKey":
        return self


def open_oss(oss: FakeOss, key: str = "", *, region: str | None = REGION) -> Storage:
    return open_storage(oss.uri(key), credentials=TestKey(), region=region)


@pytest.fixture
def oss(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOss]:
    """A service with one bucket; whoever tries again does so at once."""
    monkeypatch.setattr("pai_jupyter.storage.retry.FIRST_PAUSE", 0.001)
    with FakeOss() as oss:
        yield oss


@pytest.fixture
def session(oss: FakeOss) -> Session:
    """A session whose bucket is the fake one."""
    return Session(
        region_id=REGION,
        oss_bucket_name=BUCKET,
        oss_endpoint=oss.endpoint,
        endpoints=Endpoints(region=REGION),
        credentials=TestKey(),  # type: ignore[arg-type]  # a key of the same form
    )


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> int:
    """Files go in parts of 100 KB, the smallest that there are; how large a part is."""
    use_small_parts(monkeypatch)
    return PART


def use_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("uploading.PART_SIZE", "downloading.PART_SIZE", "storage.LARGE"):
        monkeypatch.setattr(f"pai_jupyter.storage.oss.{name}", PART)
    monkeypatch.setattr("pai_jupyter.storage.transfer.LARGE", PART)


def write_tree(root: Path, files: dict[str, bytes]) -> Path:
    """Files below `root` by their paths; one that ends with a slash is an empty directory."""
    for name, data in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return root


def read_tree(root: Path) -> dict[str, bytes]:
    """What `write_tree` has written, and everything else that is there."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name + "/"] = b""
    return found
