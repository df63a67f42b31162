"""Where tests of the cloud run: at the emulator; with `pytest --pai-live`, in the account that is configured here.

That account is the user's own default session, as `%pai_config show` tells it.

Rule 1: only a test marked `live` leaves this machine, and only with that option; all others are held back (conftest.py).
Rule 2: every job of a live run has a label of that run, one machine, and an end; every object lies below a folder of that
    run. Jobs are stopped and deleted, and objects removed, when the run ends, however it does, but for a SIGKILL.
"""

import asyncio
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # a session costs a second to import, and most tests have none
    from pai_jupyter.cloud.client import Client
    from pai_jupyter.cloud.session import Session

OPTION = "--pai-live"
LABEL = "pai_jupyter_tests"
NO_ACCOUNT = (
    "no account is configured here: type %pai_config wizard in a notebook, or set ALIBABA_CLOUD_ACCESS_KEY_ID, "
    "ALIBABA_CLOUD_ACCESS_KEY_SECRET, PAI_REGION_ID, PAI_WORKSPACE_ID and PAI_OSS_BUCKET."
)
MOST_SECONDS = 900  # that a job may run
DEADLINE = 3600.0  # seconds that anything in a live test may take at most: a job may have to wait for its machine
ENDS_WITHIN = 600.0  # seconds, when it is stopped
PAUSE = 1.0  # seconds between two looks at jobs that are to go
TERMINAL = ("Succeed", "Failed", "Terminated", "CreateFailed", "InitializeFailed")
HELP = (
    "run the tests that have an account to run in, and no others, in the one that is configured on this machine "
    "(%%pai_config show), and not at the emulator. This costs money: about 35 training jobs of one machine each, most of "
    f"them for seconds, eight for --pai-live-hold seconds, none for more than {MOST_SECONDS // 60} minutes; a TensorBoard "
    "app for a minute; thousands of requests; some MB of objects below oss://BUCKET/pai-jupyter-tests/. At the end, jobs are "
    "stopped and deleted, and the app and the objects removed. It takes hours, for each job waits for its machine; -k chooses "
    "among the tests."
)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("pai", "a real account of PAI")
    group.addoption(OPTION, action="store_true", help=HELP)
    group.addoption("--pai-live-machine", default="ecs.c6.large", metavar="TYPE", help="of each job (ecs.c6.large)")
    group.addoption("--pai-live-image", default="pytorch", metavar="IMAGE", help="of each job, with Python (pytorch)")
    group.addoption(
        "--pai-live-hold",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="that a job goes on which is watched (120)",
    )


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """What a test of the cloud has; `hold` is how long a job goes on that is watched, None where a gate tells it.

    `emulator_home` is where an emulator is that stands in the place of the account: so these tests are tested.
    """

    session: "Session"
    image_uri: str
    instance_type: str
    hold: float | None = None
    emulator_home: Path | None = None
    run: str = field(default_factory=lambda: secrets.token_hex(4))

    @property
    def folder(self) -> str:
        """Below which everything lies in the bucket."""
        return f"pai-jupyter-tests/{self.run}"

    @property
    def is_live(self) -> bool:
        return self.hold is not None

    @property
    def deadline(self) -> float:
        """Seconds that anything in a test may take at most."""
        return DEADLINE if self.is_live else 60.0

    @property
    def spec(self) -> Mapping[str, Any]:  # Any: fields of a JobSpec
        """What a job of a test is given, whatever it does."""
        return {
            "image_uri": self.image_uri,
            "instance_type": self.instance_type,
            "max_run_time": MOST_SECONDS,
            "options": {"pai.labels": {LABEL: self.run}},
        }


def is_live(item: pytest.Item) -> bool:
    """Whether this test runs in the account."""
    return bool(item.config.getoption(OPTION)) and item.get_closest_marker("live") is not None


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that can run in an account, each with time to wait for its machines."""
    chosen = [item for item in items if is_live(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen
    for item in chosen:
        item.add_marker(pytest.mark.timeout(DEADLINE))


def configured(config: pytest.Config) -> Cloud:
    """The account, which may be asked already for what is not configured.

    Raises:
        UsageError: there is none, or it cannot be used.
    """
    from pai_jupyter.cloud.images import resolve_image
    from pai_jupyter.cloud.session import get_default_session
    from pai_jupyter.cloud.session.keys import emulator_home
    from pai_jupyter.errors import PaiJupyterError

    try:
        session = get_default_session()
        if session is None:
            raise pytest.UsageError(f"{OPTION}: {NO_ACCOUNT}")
        session.credentials.get()
        session.require_workspace()
        session.require_bucket()
        return Cloud(
            session=session,
            image_uri=resolve_image(config.getoption("--pai-live-image"), session=session),
            instance_type=config.getoption("--pai-live-machine"),
            hold=config.getoption("--pai-live-hold"),
            emulator_home=emulator_home() if session.is_emulator else None,
        )
    except PaiJupyterError as exc:
        raise pytest.UsageError(f"{OPTION}: {exc}") from exc


def told(cloud: Cloud) -> str:
    """Where a live run goes, for its first lines."""
    session = cloud.session
    where = f"the emulator at {session.endpoints.address}" if session.is_emulator else session.region_id
    place = f"workspace {session.require_workspace()}, {session.uri(cloud.folder)}/"
    return f"{OPTION}: {where}, {place}; jobs on {cloud.instance_type} with {cloud.image_uri}"


@contextmanager
def cleaned(cloud: Cloud) -> Iterator[Cloud]:
    """Around a live run: what it leaves is removed behind it."""
    try:
        yield cloud
    finally:
        try:
            cloud.session.ask(lambda client: _remove_jobs(client, cloud))
        finally:
            storage = cloud.session.open_storage(f"{cloud.session.uri(cloud.folder)}/")
            storage.delete([entry.key for entry in storage.list(recursive=True)])


@pytest.fixture
def cloud(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    """Where a test of the cloud runs; this kernel's session is there."""
    from pai_jupyter.backends.pai.submission import uploads
    from pai_jupyter.cloud.session import need_session

    if is_live(request.node):
        cloud: Cloud = request.getfixturevalue("account")
        _enter(cloud, home)
    else:
        request.getfixturevalue("rehearsed")  # of tests/support/pai_jobs.py
        cloud = Cloud(session=need_session(), image_uri="img:1", instance_type="ecs.c6.large")
    monkeypatch.setattr(uploads, "_FOLDER", cloud.folder)
    return cloud


def _enter(cloud: Cloud, home: Path) -> None:
    """Let the user's own session be that of this kernel; an emulator in the place of the account has its key in a home."""
    from tests.support.pai_jobs import forget

    if cloud.emulator_home is not None:
        (home / "emulator").symlink_to(cloud.emulator_home)
    forget()


async def _remove_jobs(client: "Client", cloud: Cloud) -> None:
    """Stop what runs and delete what has ended, until nothing is left."""
    from pai_jupyter.cloud.client import paistudio
    from pai_jupyter.errors import PaiJupyterError

    async with asyncio.timeout(ENDS_WITHIN):
        while jobs := [job async for job in _jobs(client, cloud)]:
            for job in jobs:
                is_over = job["Status"] in TERMINAL
                operation = paistudio.DELETE_TRAINING_JOB if is_over else paistudio.STOP_TRAINING_JOB
                with suppress(PaiJupyterError):  # it has just ended, or does not let itself be stopped yet
                    await client.call(operation, path={"training_job_id": str(job["TrainingJobId"])})
            await asyncio.sleep(PAUSE)


async def _jobs(client: "Client", cloud: Cloud) -> Any:  # Any: an iterator over JSON
    """The jobs of this run, and of nobody else: each shows its label, whatever the service makes of the filter."""
    from pai_jupyter.cloud.client import Query, paistudio

    query: Query = {"Labels": {LABEL: cloud.run}, "WorkspaceId": cloud.session.require_workspace()}
    async for page in client.pages(paistudio.LIST_TRAINING_JOBS, query=query):
        for job in page:
            if {"Key": LABEL, "Value": cloud.run} in (job.get("Labels") or []):
                yield job
