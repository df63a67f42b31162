"""Fixtures of the tests at a real HDFS."""

from collections.abc import Iterator

import pytest

from tests.support.hadoop import RealHdfs, real_hdfs
from tests.support.hdfs import Hdfs


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealHdfs]:
    with real_hdfs(tmp_path_factory.mktemp("hadoop")) as hdfs:
        yield hdfs


@pytest.fixture(scope="session")
def hdfs(real: RealHdfs) -> Hdfs:
    return real
