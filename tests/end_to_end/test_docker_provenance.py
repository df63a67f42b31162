"""What is recorded of a job's image, by a real engine."""

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs import draft, place_of
from pai_jupyter.spec import JobSpec
from tests.support.engine import Engine
from tests.support.started import DEADLINE

pytestmark = pytest.mark.docker


def test_a_job_tells_the_image_that_the_engine_ran(
    home: object, engine: Engine, test_image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    spec = JobSpec(name="a", command="true", image_uri=test_image)
    with draft(spec, place_of(spec, backend="docker")) as ready:
        job = ready.submit()
    assert job.wait(DEADLINE).status is Status.SUCCEEDED
    told = job.provenance
    assert told is not None
    (image,) = told.images
    with engine.client() as client:
        known = client.inspect_image(test_image)
    assert image.uri == test_image
    assert image.digest in {known["Id"], *(each.partition("@")[2] for each in known.get("RepoDigests") or ())}
