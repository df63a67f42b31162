"""The seed's way through OpenPAI, with its own files: data up, the job submitted or simulated, results down."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.jobs import list_jobs
from tests.support.engine import Engine
from tests.support.hdfs_image import make_hdfs_image
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.openpai_seed import PAIRS, couplets, write_data, write_seed
from tests.support.shells import Shell

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def image(engine: Engine, test_image: str) -> str:
    return make_hdfs_image(engine.address)


@pytest.fixture(scope="module")
def cluster(engine: Engine, image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    data = tmp_path_factory.mktemp("cluster") / "data"
    arguments = ("--backend", "docker", "--image-map", f"vzich/*={image}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", engine.address)
        with lab_cluster(data, "v0.14", *arguments) as lab:
            yield lab
    engine.remove_containers_of(data / "home")


@pytest.fixture
def shell(
    cluster: LabCluster, engine: Engine, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Shell]:
    """A session in the folder that the seed works in, with its data in HDFS already."""
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    monkeypatch.chdir(tmp_path)
    cluster.know()
    with Shell() as shell:
        write_seed(tmp_path / "job", url=cluster.emulator.address, user=cluster.user)
        write_data(tmp_path / "data")
        done = shell.run("%pai_hdfs put data /demo/data")
        assert done.error is None, done
        yield shell
    engine.remove_containers_of(home)


def test_the_seeds_job_is_submitted_and_its_results_are_downloaded(
    shell: Shell, cluster: LabCluster, tmp_path: Path
) -> None:
    done = shell.run("%pai_openpai submit job/new_job.pai.json")
    assert done.error is None, done.text
    [job] = list_jobs()
    assert "start training..." in done.text
    assert "step 200 loss=" in done.text
    ref = job.folder.read().ref
    assert ref is not None
    name = ref.data["name"]
    listed = shell.run(f"%pai_hdfs ls -r /{cluster.user}/{name}").text
    assert [word for word in listed.split() if word.endswith((".py", ".sh", ".md"))] == [
        f"{cluster.user}/{name}/{file}" for file in ("run_samples.py", "train.sh", "trainer.py")
    ]
    assert shell.run(f"%pai_hdfs get /demo/output/{cluster.user}~{name} results").error is None
    assert couplets(tmp_path / "results") == PAIRS["down"]
    assert "step 200" in next((tmp_path / "results").rglob("train_default.log")).read_text()


def test_the_seeds_job_is_simulated_and_its_results_are_downloaded(
    shell: Shell, cluster: LabCluster, image: str, tmp_path: Path
) -> None:
    done = shell.run(f"%pai_openpai simulate job/new_job.pai.json --image-map vzich/*={image}")
    assert done.error is None, done.text
    assert "step 200 loss=" in done.text
    assert shell.run(f"%pai_hdfs get /demo/output/{cluster.user}~train_couplet_demo results").error is None
    assert couplets(tmp_path / "results") == PAIRS["down"]
