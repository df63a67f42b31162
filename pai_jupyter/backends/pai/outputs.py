"""Find an output channel in the service's job description and download it.

Transfers block: they run on a thread, and are cancelled when the waiting task is cancelled.
"""

from collections.abc import Collection
from pathlib import Path

from pai_jupyter.backends.pai.services.status_map import Fields, objects
from pai_jupyter.backends.threads import in_thread
from pai_jupyter.cloud.session import Session
from pai_jupyter.contract import BESIDE, RETURNED
from pai_jupyter.errors import BackendError, NotFoundError
from pai_jupyter.storage import open_storage
from pai_jupyter.values.pai_values import MANIFEST
from pai_jupyter.values.returned import LONGEST, not_returned, read_manifest


def place_of(fields: Fields, channel: str, *, job_id: str) -> str:
    """Return the OSS address of output `channel`, with a trailing slash; `fields` describe the job.

    Raises:
        NotFoundError: the job has no such channel.
        BackendError: only jobs of PAI can reach its location.
    """
    places = {str(each.get("Name")): each for each in objects(fields, "OutputChannels")}
    name = (
        "tensorboard" if channel == "logs" and channel not in places else channel
    )  # the channel's second name in the contract
    if name not in places:
        raise NotFoundError(f"job {job_id} has no output {channel!r}; it has {', '.join(places)}.")
    place = str(places[name].get("OutputUri") or places[name].get("DatasetId") or "")
    if not place.startswith("oss://"):
        raise BackendError(
            f"output {channel!r} of job {job_id} lies at {place!r}, which only jobs of PAI reach. Mount it there, or let the "
            f"next job write to OSS: -o {channel}=oss://BUCKET/DIRECTORY/"
        )
    return place if place.endswith("/") else f"{place}/"


def channels_in(fields: Fields, channel: str) -> list[str]:
    """List the other channels at the address of output `channel`; [] unless it is `beside_channels`."""
    if channel != BESIDE:
        return []
    return [name for each in objects(fields, "OutputChannels") if (name := str(each.get("Name"))) != BESIDE] + ["logs"]


async def bring(session: Session, place: str, to: Path, *, without: Collection[str] = ()) -> Path:
    """Download `place` into the directory `to`, except the names `without`; files appear once complete."""
    return await in_thread(
        lambda cancel: session.download(place, to.expanduser().absolute(), without=without, cancel=cancel)
    )


def unreturned(session: Session, place: str) -> list[str]:
    """Return a sentence for each variable that a job could not write into its channel at `place`. Blocking."""
    bucket = open_storage(
        place, credentials=session.credentials, endpoint=session.oss_endpoint, region=session.region_id
    )
    return not_returned(read_manifest(bucket.read(MANIFEST, size=LONGEST + 1), what=f"output {RETURNED!r}"))
