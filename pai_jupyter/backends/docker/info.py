"""The properties of the Docker backend; light to import, without the `docker` package."""

import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import HOST_NETWORK, IMAGE_WORKDIR, NETWORK, BackendInfo, BackendOption, ImageNames
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import JobSpec


@dataclass(frozen=True, kw_only=True)
class DockerInfo(BackendInfo):
    """The Docker backend's properties; asks the local engine whether it answers."""

    def answers(self) -> bool:
        from pai_jupyter.backends.docker.engine import engine_answers  # imported late: most jobs have no image

        try:
            return engine_answers()
        except PaiJupyterError:
            return False

    def measures(self, spec: JobSpec) -> bool:
        return True

    def health(self, *, is_asked: bool = False) -> Health:
        return Health.of([self._engine()])

    def _engine(self) -> Check:
        what = "Docker engine"
        if self.answers():
            return Check(what=what, found=f"running at {os.environ.get('DOCKER_HOST', 'the default socket')}")
        try:
            version("docker")
        except PackageNotFoundError:
            found = "the Python package `docker` is missing"
            return Check(what=what, found=found, remedy="%pip install 'pai_jupyter[docker]'", is_good=False)
        return Check(
            what=what,
            found="not running",
            remedy="Start Docker, and add your user to the group `docker` (to install it on Debian: apt-get install docker.io).",
            is_good=False,
        )


INFO = DockerInfo(
    name="docker",
    title="Docker",
    is_local=True,
    is_automatic=True,
    has_slots=True,
    time_limit=1,
    takes_images=True,
    image_names=ImageNames.IN_CLOUD,
    inherits="The job also has the variables that its image sets, such as PATH and HOME.",
    options=(
        BackendOption(name="memory", help="memory of each container; the job fails beyond it", example="4g"),
        BackendOption(name="cpus", help="cores of each container, e.g. 1.5", example="1.5"),
        BackendOption(name="shm_size", help="size of /dev/shm, which data loaders share", example="2g"),
        BackendOption(
            name=IMAGE_WORKDIR,
            help="true: start in the working directory of the image, not in that of the code",
            kind="flag",
            example="true",
        ),
        BackendOption(
            name=NETWORK,
            help="host: the containers have the network of this machine, and reach what listens at 127.0.0.1",
            example=HOST_NETWORK,
        ),
    ),
)
