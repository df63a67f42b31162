"""Fixtures of all packages: a clean environment, a home of the test's own, an emulator, an engine with its image.

A fixture stands here when several files want just that; a file that wants another one makes its own under the same name.
"""

import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as examples

from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.config import settings
from pai_jupyter.jobs import PlainLines, close_runtime, use_presenter
from tests.fakes.troubled import TroubledBackend, installed
from tests.support import groups, live
from tests.support.emulators import Emulator, emulator
from tests.support.engine import Engine, NoEngine, running_engine
from tests.support.image import NoImage, make_image
from tests.support.loopback import stay_here
from tests.support.needs import lacking
from tests.support.wire import RecordedJob

_FOREIGN = ("ALIBABA_CLOUD_", "PAI_", "OSS_", "MLFLOW_")
# A shell lets its background jobs ignore Ctrl+C, and whoever they start with them: tests that interrupt would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Neither examples nor their making are measured: on a busy machine any of them may take its time.
examples.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
examples.load_profile("busy")


_ACCOUNT = pytest.StashKey[live.Cloud]()


def pytest_addoption(parser: pytest.Parser) -> None:
    live.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"live: has an account to run in, with {live.OPTION}")
    if config.getoption(live.OPTION):
        config.stash[_ACCOUNT] = live.configured(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [live.told(config.stash[_ACCOUNT])] if _ACCOUNT in config.stash else []


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return groups.is_left_out(collection_path, config) or None


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    groups.mark(items)
    if config.getoption(live.OPTION):
        live.choose(config, items)


@pytest.fixture(scope="session")
def account(pytestconfig: pytest.Config) -> Iterator[live.Cloud]:
    """The account of a live run; what the run leaves there is removed behind it."""
    with live.cleaned(pytestconfig.stash[_ACCOUNT]) as account:
        yield account


@pytest.fixture(autouse=True, scope="module")
def fresh_settings() -> Iterator[None]:
    """The settings of this process are nobody's when a module begins, and when it ends; its servers queue no job."""
    settings.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        _let_all_run(patch)
        yield
    settings.cache_clear()


def _let_all_run(patch: pytest.MonkeyPatch) -> None:
    """Let as many jobs run as a test starts: it waits for what they do, not for a core."""
    for backend in ("PROCESS", "DOCKER"):
        patch.setenv(f"PAI_JUPYTER_{backend}_MAX_PARALLEL", "64")


@pytest.fixture(autouse=True)
def home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A store of the test's own; nothing of the user's environment decides a test, and no test leaves this machine.

    But for a live one, which runs as its user would.
    """
    home = tmp_path_factory.mktemp("home")
    if not live.is_live(request.node):
        for name in os.environ:
            if name.startswith(_FOREIGN) or name in ("CI", "DOCKER_HOST"):
                monkeypatch.delenv(name)
        stay_here(monkeypatch)
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(home))
    _let_all_run(monkeypatch)
    return home


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The input of a held job, which goes on when the gate is opened (tests/support/started.py)."""
    (tmp_path / "gate").mkdir()
    return tmp_path / "gate"


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory of a user whose jobs print plain lines and begin fast, without a /ml of their own."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    monkeypatch.chdir(tmp_path)
    use_presenter(PlainLines())
    yield tmp_path
    close_runtime()


@pytest.fixture
def backend() -> Iterator[TroubledBackend]:
    """The backend `fake` of this process, whose jobs a test holds and whose troubles it makes."""
    backend = TroubledBackend()
    with installed(backend):
        yield backend


@pytest.fixture
def job() -> Iterator[RecordedJob]:
    """A job whose events, log and outputs the test writes."""
    job = RecordedJob()
    yield job
    job.release()
    close_runtime()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """An emulator with nothing special, for all tests of the module."""
    with emulator(tmp_path_factory.mktemp("emulator") / "data") as running:
        yield running


@pytest.fixture
def fine(running: Emulator) -> Iterator[None]:
    """Behind the test, the emulator of its module is without faults again."""
    yield
    running.clear_faults()


@pytest.fixture(scope="session")
def engine(pytestconfig: pytest.Config) -> Iterator[Engine]:
    """The container engine of this machine, or one that lives as long as the session."""
    if groups.chosen(pytestconfig) not in (None, *groups.WITH_ENGINE):
        pytest.fail("two runs at once would have two engines: a test that uses one lies in a directory of `others`")
    with ExitStack() as stack:
        try:
            engine = stack.enter_context(running_engine())
        except NoEngine as exc:
            lacking("docker", str(exc))
        yield engine


@pytest.fixture(scope="session")
def image_of(engine: Engine) -> Callable[[str], str]:
    """Gives the name of a variant of the test image (tests/support/image.py has the list)."""

    def image_of(variant: str) -> str:
        try:
            return make_image(engine.address, variant)
        except NoImage as exc:
            lacking("docker", str(exc))

    return image_of


@pytest.fixture(scope="session")
def test_image(engine: Engine, image_of: Callable[[str], str]) -> str:
    """The test image; from here on the notebooks, which `make test` runs behind the tests, find engine and image too."""
    image = image_of("full")
    os.environ |= {"DOCKER_HOST": engine.address, "PAI_QUICKSTART_IMAGE": image}
    return image


@pytest.fixture
async def docker_backend(engine: Engine, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DockerBackend]:
    """The Docker backend on the engine of the tests; what a test leaves running is removed behind it."""
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    backend = DockerBackend()
    yield backend
    await backend.aclose()
    engine.remove_containers_of(home)
