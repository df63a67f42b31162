"""PAI's executor of custom jobs, an image of its own in each region, put into manifests when they are sent there. Pure."""

from collections.abc import Sequence

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.workflow.documents import Document, inside

ANY_REGION = "cn-hangzhou"  # until a region is known
SUBMIT = ("python", "-um", "pai_running.cmd.custom_job_submit")


def executor_image(region: str) -> str:
    """Return the image of PAI that starts custom jobs."""
    return f"registry.{region}.aliyuncs.com/paiflow-core/dlc-executor:v2.0.0"


def in_region(documents: Sequence[Document], region: str) -> list[Document]:
    """Return a manifest with the executor of a region.

    Raises:
        SpecError: the job of a component has no image.
    """
    return [_in_region(it, region) for it in documents]


def _in_region(document: Document, region: str) -> Document:
    container = inside(inside(document, "spec"), "container")
    envs = inside(container, "envs")
    if envs.get("CUSTOM_JOB_MODE") != "1":
        return document
    if not envs.get("CUSTOM_JOB_IMAGE_URI"):
        metadata = inside(document, "metadata")
        raise SpecError(
            f"component `{metadata.get('identifier') or metadata.get('name')}` has no image, and jobs on PAI need one. "
            "Give CustomJob(image_uri=...), or run it here: .local_run(NAME)",
            field="image_uri",
        )
    image: Json = (
        executor_image(region) if container.get("image") == executor_image(ANY_REGION) else container.get("image")
    )
    return {**document, "spec": {**inside(document, "spec"), "container": {**container, "image": image}}}
