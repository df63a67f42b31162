"""One emulated cluster of each generation for the tests of this directory."""

from collections.abc import Iterator

import pytest

from tests.support.openpai_cluster import LabCluster, lab_cluster


@pytest.fixture(scope="session", params=["v0.14", "v1.x"])
def running_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("cluster") / "data", request.param) as cluster:
        cluster.version = request.param
        yield cluster


@pytest.fixture
def lab(running_cluster: LabCluster) -> Iterator[LabCluster]:
    """The cluster, known in this test's home, without faults."""
    running_cluster.know()
    yield running_cluster
    running_cluster.emulator.clear_faults()
