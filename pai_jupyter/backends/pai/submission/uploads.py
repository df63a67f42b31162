"""Upload code and data of a job to the session's bucket, under names derived from their content.

    pai-jupyter/code/<digest>.tar.gz       the package; for DLC <digest>/code.tar.gz
    pai-jupyter/data/<digest>/...          a local input: a file, or the content of a directory

So the same content is stored once and not sent again: a package with the same size and checksum, a directory whose files all
have the same sizes. Objects under such names never change.
"""

import hashlib
import threading
from pathlib import Path

from pai_jupyter.backends.local import is_remote_source, resolve_inputs
from pai_jupyter.backends.pai.submission.spec_check import is_remote
from pai_jupyter.backends.pai.submission.training_request import UploadedPlaces
from pai_jupyter.backends.progress_note import noting_progress
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage import OssUrl, Storage, TransferCancelled, open_storage, parse_oss_url
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import disk_errors, walk
from pai_jupyter.storage.progress import Report

_FOLDER = "pai-jupyter"
_BLOCK = 1024 * 1024  # bytes


def output_path(session: Session, job_id: str) -> str:
    """Return the default output directory in OSS of a job whose spec names no `output_path`."""
    return session.uri(f"{_FOLDER}/jobs/{job_id}/")


def code_there(spec: JobSpec) -> OssUrl | None:
    """Return the address of code that is in OSS already; None for other code."""
    return parse_oss_url(str(spec.source_dir)) if is_remote_source(spec.source_dir) else None


def upload(
    session: Session, spec: JobSpec, package: Package, cancel: threading.Event, *, folder: Path
) -> UploadedPlaces:
    """Upload missing code and data and return all addresses. Blocking; the progress note goes to `folder`, the job's.

    Raises:
        TransferCancelled: `cancel` was set; the next try resumes.
        PaiJupyterError: something cannot be read or sent.
    """
    local = {channel: place for channel, place in spec.inputs.items() if not is_remote(place)}
    found = resolve_inputs(JobSpec(name=spec.name, command=spec.command, inputs=local))
    with noting_progress(folder, "sending the code") as progress:
        code = _upload_code(session, spec, package, cancel, progress)
    sent = {}
    for channel, item in found.items():
        with noting_progress(folder, f"sending input {channel!r} from {shown(str(item.source))}") as progress:
            sent[channel] = _upload_input(session, item.source, cancel, progress)
    return UploadedPlaces(
        code=code, inputs={channel: sent.get(channel, place) for channel, place in spec.inputs.items()}
    )


def _upload_code(
    session: Session, spec: JobSpec, package: Package, cancel: threading.Event, progress: Report
) -> OssUrl | None:
    if (there := code_there(spec)) is not None:
        return there
    if not package.files:
        return None
    # DLC mounts directories, so the archive gets its own
    name = f"{package.digest}/code" if spec.roles else package.digest
    uri = session.uri(f"{_FOLDER}/code/{name}.tar.gz")
    session.upload(package.path, uri, progress=progress, cancel=cancel)
    return parse_oss_url(uri)


def _upload_input(session: Session, source: Path, cancel: threading.Event, progress: Report) -> str:
    """Upload an input file or directory under a name derived from its content; return its address."""
    if not source.is_dir():
        place = session.uri(f"{_FOLDER}/data/{_digest_of_file(source, cancel)}/{source.name}")
        session.upload(source, place, progress=progress, cancel=cancel)
        return place
    files = walk(source)
    digests = "".join(f"{found.key}\0{_digest(found.path, cancel)}\n" for found in files)
    place = session.uri(f"{_FOLDER}/data/{hashlib.sha256(digests.encode()).hexdigest()}/")
    storage = _storage(session, place)
    if not files:
        _make_directory(session, place)
    elif {entry.key: entry.size for entry in storage.list(recursive=True)} != {
        found.key: found.size for found in files
    }:
        session.upload(source, place, progress=progress, cancel=cancel)
        if walk(source) != files:  # the sent content does not match the digest in the name
            storage.delete([found.key for found in files])
            raise PaiJupyterError(f"the files in {str(source)!r} changed while they were uploaded. Run it again.")
    return place


def _digest(path: Path, cancel: threading.Event) -> str:
    return "directory" if path.is_dir() else _digest_of_file(path, cancel)


def _digest_of_file(path: Path, cancel: threading.Event) -> str:
    content = hashlib.sha256()
    with disk_errors(path), path.open("rb") as file:
        while block := file.read(_BLOCK):
            if cancel.is_set():
                raise TransferCancelled("the submission was interrupted.")
            content.update(block)
    return content.hexdigest()


def _make_directory(session: Session, place: str) -> None:
    """Create the marker object of an empty directory, without which the service cannot mount it."""
    above, name = place.rstrip("/").rsplit("/", 1)
    _storage(session, f"{above}/").put(f"{name}/", b"")


def _storage(session: Session, place: str) -> Storage:
    return open_storage(place, credentials=session.credentials, endpoint=session.oss_endpoint, region=session.region_id)
