"""Fixtures of the tests on a real container engine."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec
from tests.fakes.socket_proxy import SocketProxy
from tests.support.docker_jobs import Jobs
from tests.support.engine import Engine
from tests.support.image import USER


@pytest.fixture
def pack(tmp_path: Path) -> Callable[..., Package]:
    """Packs files given as name -> text."""

    def pack(files: dict[str, str] | None = None) -> Package:
        content = {name: text.encode() for name, text in (files or {"train.py": "print('trained')\n"}).items()}
        return build(None, to=tmp_path / f"{len(list(tmp_path.iterdir()))}.tar.gz", files=content)

    return pack


@pytest.fixture
def spec(test_image: str) -> JobSpec:
    return JobSpec(name="iris", command="python train.py $PAI_USER_ARGS", image_uri=test_image)


@pytest.fixture
def jobs(docker_backend: DockerBackend, pack: Callable[..., Package]) -> Jobs:
    return Jobs(docker_backend, pack)


@pytest.fixture
def proxy(engine: Engine, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocketProxy]:
    """The engine of `jobs`, behind a socket that can be cut."""
    with SocketProxy(engine.address) as proxy:
        monkeypatch.setenv("DOCKER_HOST", proxy.address)
        yield proxy


@pytest.fixture
def ordinary_user(jobs: Jobs, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The rest of the test runs as an ordinary user in the group of the engine; gives a directory of theirs."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, USER, USER)
        monkeypatch.setenv("PAI_JUPYTER_HOME", folder)
        os.setegid(Path(engine.address.removeprefix("unix://")).stat().st_gid)
        os.seteuid(USER)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)
            os.setegid(0)
            engine.remove_containers_of(Path(folder))
