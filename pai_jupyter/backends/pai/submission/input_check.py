"""Check that a job's inputs in OSS exist, before anything is uploaded or created.

The service finds out late: a missing bucket fails the job after minutes, and for a missing address the job silently gets an
empty directory.

Rule 1: one request per address, in parallel. Nothing is listed completely or read.
Rule 2: only a clear answer is an error: no such bucket, or nothing at the address. Without permission or access from here, the
    job itself may still have both.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from queue import Empty, SimpleQueue

from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError
from pai_jupyter.spec import JobSpec
from pai_jupyter.storage import OssUrl, Storage, open_storage, parse_oss_url
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.opening import scheme_of

LONGEST = 10.0  # seconds; an address without an answer by then is accepted
_NO_BUCKET = "NoSuchBucket"
_INTERNAL = "-internal."  # part of an endpoint that is reachable only inside its region


def need_inputs(session: Session, spec: JobSpec) -> None:
    """Check that the OSS sources of a job exist. Blocking, for at most `LONGEST` seconds.

    Raises:
        NotFoundError: some do not exist; the error names them.
    """
    answers: SimpleQueue[str] = SimpleQueue()
    wanted = [(what, url) for what, url in _sources(spec) if not _is_out_of_sight(url, session)]
    for what, url in wanted:
        # daemon threads: an endpoint that does not answer must not delay the process's exit
        threading.Thread(
            target=lambda what=what, url=url: answers.put(_problem(what, url, session)),
            name="pai-presence",
            daemon=True,
        ).start()
    if problems := sorted(filter(None, _collected(answers, len(wanted)))):
        raise NotFoundError("\n".join(problems))


def _sources(spec: JobSpec) -> Iterator[tuple[str, OssUrl]]:
    places = {f"input {channel!r}": place for channel, place in spec.inputs.items()} | {"`source_dir`": spec.source_dir}
    for what, place in places.items():
        if scheme_of(str(place)) == "oss":
            yield what, parse_oss_url(str(place))


def _is_out_of_sight(url: OssUrl, session: Session) -> bool:
    return _INTERNAL in (url.endpoint or "") and _INTERNAL not in (session.oss_endpoint or "")


def _collected(answers: "SimpleQueue[str]", count: int) -> Iterator[str]:
    """Yield the answers that arrive within `LONGEST` seconds."""
    deadline = time.monotonic() + LONGEST
    for _ in range(count):
        try:
            yield answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            return


def _problem(what: str, url: OssUrl, session: Session) -> str:
    """Return why a job cannot read this address; "" if it can or that is unknown."""
    try:
        return "" if _is_there(url, session) else f"{what}: {_nothing(url)}"
    except BackendError as exc:
        return f"{what}: {exc}" if exc.code == _NO_BUCKET else ""
    except PaiJupyterError:
        return ""


def _is_there(url: OssUrl, session: Session) -> bool:
    bucket = open_storage(
        str(_whole(url)), credentials=session.credentials, endpoint=session.oss_endpoint, region=session.region_id
    )
    key = url.object_key
    if not key or key.endswith("/"):
        return _has_below(bucket, key)
    first = next(iter(bucket.list(key, recursive=True)), None)
    # an entry that only begins with the key is another object
    return first is not None and (first.key == key or _has_below(bucket, f"{key}/"))


def _has_below(bucket: Storage, directory: str) -> bool:
    """Return whether the directory has content or a marker object, or is the bucket itself."""
    found = next(iter(bucket.list(directory, recursive=True)), None)
    return found is not None or not directory or bucket.head(directory) is not None


def _nothing(url: OssUrl) -> str:
    return (
        f"there is nothing at {shown(str(url))}. Check the address, upper and lower case included: "
        f"%pai_oss ls {_whole(url)}"
    )


def _whole(url: OssUrl) -> OssUrl:
    """Return the address of the bucket of `url`."""
    return replace(url, object_key="")
