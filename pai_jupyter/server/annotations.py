"""Name, star, tags and note of a job over REST. Changes are pushed to all lists.

GET    jobs/<id>/annotations             all of them, the note whole
PATCH  jobs/<id>/annotations {name?, is_starred?, note?, add?, remove?}    change these fields; `name` "" takes a given name back
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError
from pai_jupyter.jobs import annotate, get_job_index, runtime
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.store import AnnotationChange, Annotations, JobFolder
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import AnnotationsChanged

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.listing import AnnotationsAnswer


def annotations_of(job: str) -> "AnnotationsAnswer":
    """Return what the user says about a job."""
    folder = _folder(job)
    return _answer(folder, folder.annotations())


def change(job: str, body: Mapping[str, object]) -> "AnnotationsAnswer":
    """Change what the user says about a job."""
    fields, folder = RequestFields(body, AnnotationsChanged), _folder(job)
    changed = annotate(
        folder,
        AnnotationChange(
            name=fields.text("name") if fields.has("name") else None,
            is_starred=fields.flag("is_starred") if fields.has("is_starred") else None,
            note=fields.text("note") if fields.has("note") else None,
            add=tuple(fields.texts("add")) if fields.has("add") else (),
            remove=tuple(fields.texts("remove")) if fields.has("remove") else (),
        ),
    )
    runtime().run(_stir())
    return _answer(folder, changed)


def _answer(folder: JobFolder, told: Annotations) -> "AnnotationsAnswer":
    return {
        "name": told.name,
        "recorded_name": folder.record.spec.name,
        "is_starred": told.is_starred,
        "tags": [*told.tags],
        "note": told.note,
    }


def _folder(job_id: str) -> JobFolder:
    """Open the folder of a job.

    Raises:
        NotFoundError: there is none, or only its service knows it.
    """
    try:
        return job_store().open(job_id)
    except NotFoundError as exc:
        if not runtime().run(_is_elsewhere(job_id)):
            raise
        raise NotFoundError(
            f"job {job_id} was submitted from another machine, and names and tags are kept beside its record, of which there is none "
            "here yet. Import it first: Import in its menu makes one."
        ) from exc


async def _is_elsewhere(job_id: str) -> bool:
    return get_job_index().elsewhere.find(job_id) is not None


async def _stir() -> None:
    get_job_index().stir()


ANNOTATIONS = {
    "get": ApiRoute(kind="annotations", answer=annotations_of),
    "patch": ApiRoute(kind="annotations", answer=change, has_body=True),
}
