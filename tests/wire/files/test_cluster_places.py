"""The HDFS of the chosen cluster in the explorer, without any setting: browsed, filled and cleared as the cluster's user."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import httpx
import pytest

from pai_jupyter.backends.openpai.clusters import add_cluster, cluster_of, use_cluster
from pai_jupyter.config import settings
from pai_jupyter.errors import NotFoundError, UnavailableError
from pai_jupyter.jobs import cluster_files
from pai_jupyter.storage import open_storage
from pai_jupyter.storage.hdfs import HdfsAccess
from pai_jupyter.wire.files import explorer
from tests.support.openpai_cluster import LabCluster, lab_cluster

HERE = "hdfs://127.0.0.1/"


@pytest.fixture(scope="module")
def with_hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("yarn") / "data", "v0.14") as lab:
        yield lab


@pytest.fixture(scope="module")
def without_hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("kubernetes") / "data", "v1.x") as lab:
        yield lab


@pytest.fixture(autouse=True)
def no_settings() -> Iterator[None]:
    yield
    settings.cache_clear()


def places() -> dict[str, str]:
    return {entry["name"]: entry["uri"] for entry in explorer.listing()["entries"]}


def names(uri: str) -> list[str]:
    return [entry["name"] for entry in explorer.listing(uri)["entries"]]


def test_without_a_cluster_there_is_none() -> None:
    assert places() == {"jobs": "job:"}
    assert explorer.listing()["notes"] == []


def test_everything_that_is_done_in_it_is_done_as_the_clusters_user(with_hdfs: LabCluster, tmp_path: Path) -> None:
    with_hdfs.know()
    assert places()["lab (127.0.0.1)"] == HERE
    (tmp_path / "file").write_text("a,b\n")
    explorer.check_target(f"{HERE}work/50%.csv")
    assert explorer.make_folder_at(f"{HERE}work")["is_directory"]
    explorer.put_at(f"{HERE}work/训练/50%.csv", tmp_path / "file", Event())
    assert names(f"{HERE}work/") == ["训练"]
    opened, _ = explorer.open_at(f"{HERE}work/训练/50%.csv")
    with opened:
        assert opened.read() == b"a,b\n"
    assert owner(with_hdfs, "work/训练/50%.csv") == with_hdfs.user
    assert explorer.remove_at(f"{HERE}work/训练/") == 1
    assert names(f"{HERE}work/") == []


def owner(lab: LabCluster, path: str) -> str:
    query = {"op": "GETFILESTATUS", "user.name": lab.user}
    answer = httpx.get(f"{lab.emulator.address}/webhdfs/v1/{path.replace('%', '%25')}", params=query)
    return str(answer.raise_for_status().json()["FileStatus"]["owner"])


def test_another_chosen_cluster_is_another_place(with_hdfs: LabCluster) -> None:
    with_hdfs.know()
    port = with_hdfs.emulator.address.rpartition(":")[2]
    add_cluster(cluster_of("other", f"localhost:{port}", "carol"))
    assert places().keys() == {"jobs", "other (localhost)"}
    explorer.make_folder_at("hdfs://localhost/of-carol")
    assert owner(with_hdfs, "of-carol") == "carol"
    explorer.make_folder_at(f"{HERE}of-the-first")  # an address leads to its own cluster, whichever is chosen
    assert owner(with_hdfs, "of-the-first") == with_hdfs.user
    use_cluster("lab")
    assert places().keys() == {"jobs", "lab (127.0.0.1)"}


def test_a_cluster_without_hdfs_says_so_in_one_sentence(without_hdfs: LabCluster) -> None:
    without_hdfs.know()
    sentence = "the cluster lab (v1.x) has no HDFS: its jobs have storages, which are not reached from here."
    answer = explorer.listing()
    assert ([entry["name"] for entry in answer["entries"]], answer["notes"]) == (["jobs"], [sentence])
    with pytest.raises(NotFoundError, match="has no HDFS") as error:
        explorer.listing(HERE)
    assert str(error.value) == sentence


def test_a_cluster_that_is_not_reached_says_so_and_the_other_places_are_there() -> None:
    settings().set("hdfs_url", "http://hdfs.example.org:50070")
    add_cluster(cluster_of("away", "127.0.0.1:9", "bob"))
    answer = explorer.listing()
    assert [entry["name"] for entry in answer["entries"]] == ["jobs", "hdfs.example.org"]
    [note] = answer["notes"]
    assert note.startswith("the cluster at http://127.0.0.1:9 cannot be reached")
    with pytest.raises(UnavailableError, match="cannot be reached"):
        explorer.listing(HERE)


def test_who_lists_places_waits_a_few_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_files, "ANSWERS_WITHIN", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        add_cluster(cluster_of("silent", f"127.0.0.1:{silent.getsockname()[1]}", "bob"))
        [note] = explorer.listing()["notes"]
    assert note == "the cluster at 127.0.0.1 did not answer within 0.2 s. Check the host and the network."


def test_what_the_settings_say_of_the_host_counts_first(with_hdfs: LabCluster) -> None:
    with_hdfs.know()
    settings().set("hdfs_url", f"{with_hdfs.emulator.address}/webhdfs/v1")
    settings().set("hdfs_user", "dave")
    assert places() == {"jobs": "job:", "127.0.0.1": HERE}
    explorer.make_folder_at(f"{HERE}of-dave")
    access = HdfsAccess.of(user="dave", base=f"{with_hdfs.emulator.address}/webhdfs/v1")
    assert open_storage(HERE, hdfs=access).head("of-dave/") is not None
    assert owner(with_hdfs, "of-dave") == "dave"
