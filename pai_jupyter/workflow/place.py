"""Where the jobs of a run start: on one backend that is asked for, else each on this machine as its image says."""

from dataclasses import dataclass, field

from pai_jupyter.backends import BackendInfo, find_info
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Target, place_for


@dataclass(frozen=True)
class RunPlace:
    """`backend`: of all jobs; None: a container of the step's image where an engine answers, else a process.

    Raises:
        SpecError: there is no such backend, or its jobs do not run on this machine.
    """

    backend: str | None = None
    _chosen: dict[str | None, Target] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.backend is None:
            return
        info = find_info(self.backend)
        if info is None or not info.is_local:
            what = "there is no such backend" if info is None else f"{info.title} is not on this machine"
            raise SpecError(
                f"`backend` is {self.backend!r}, but {what}. Give backend='process' or backend='docker'; "
                ".run(NAME) goes to PAI.",
                field="backend",
            )

    def choose(self, image: str | None) -> Target:
        """Return the backend of a job with this image; an engine is asked once for each image."""
        if image not in self._chosen:
            self._chosen[image] = place_for(
                backend=self.backend, instance_type="local", image_uri=image, options=(), settings=settings()
            )
        return self._chosen[image]

    def info(self, image: str | None) -> BackendInfo:
        found = find_info(self.choose(image).backend)
        assert found is not None, "it was chosen"
        return found
