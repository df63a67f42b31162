"""A real HDFS of Hadoop 2.7.3: what all storages promise (tests/storage/test_storage.py)."""

import inspect
from collections.abc import Callable, Iterator

import pytest

from tests.storage import test_storage
from tests.storage.test_storage import asked_as, here, storage
from tests.support.hadoop import RealHdfs
from tests.support.hdfs import access, place, uri

__all__ = ["here", "storage"]
_OF_OTHERS = ("test_anybody_can_read_from_a_signed_address", "test_local_listings_show_no_way_out")


def _is_ours(name: str, test: Callable[..., None]) -> bool:
    return name.startswith("test_") and name not in _OF_OTHERS and "oss" not in inspect.signature(test).parameters


globals().update({name: test for name, test in vars(test_storage).items() if callable(test) and _is_ours(name, test)})


@pytest.fixture
def root(real: RealHdfs) -> Iterator[str]:
    with place(real, "place") as path, asked_as(access(real)):
        yield uri(f"{path}/there")
