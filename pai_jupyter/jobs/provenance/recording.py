"""Find out what a job is started from, on threads beside its packing, and write it into the job's folder before it starts."""

import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pai_jupyter.backends import LooksIntoImages, find_backend, find_info
from pai_jupyter.config import loaded_secrets
from pai_jupyter.contract import is_secret
from pai_jupyter.contract.masking import masked
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.provenance.code import CodeOrigin, RecordedCode, read_code
from pai_jupyter.jobs.provenance.git import GitCalls, find_repository
from pai_jupyter.jobs.provenance.packages import are_known, installed_packages, this_python
from pai_jupyter.spec import JobSpec
from pai_jupyter.store.provenance import ImageState, Provenance, PythonState

T = TypeVar("T")
_log = logging.getLogger(__name__)


class CodeRecording:
    """The state of the repository that some code is in; asked for from now on, beside other work."""

    def __init__(self, origin: CodeOrigin, secrets: Collection[str]) -> None:
        self._calls: GitCalls | None = None
        self._code = _done(origin.known or RecordedCode())
        directory = _without_links(origin.directory) if origin.known is None and origin.directory is not None else None
        if directory is not None and (root := find_repository(directory)) is not None:
            calls = self._calls = GitCalls(root=root, directory=directory)
            self._code = _beside(
                lambda: read_code(calls, secrets), otherwise=RecordedCode(note="git could not be asked")
            )

    def result(self) -> RecordedCode:
        """Wait for it, for seconds at most."""
        return self._code.result()

    def cancel(self) -> None:
        """End what still asks."""
        if self._calls is not None and not self._code.done():
            self._calls.cancel()


class Recording:
    """What a job of `spec` on a backend will have been started from; asked for from now on, beside other work."""

    def __init__(self, spec: JobSpec, backend: str, origin: CodeOrigin) -> None:
        self._backend, self._of_job = backend, origin.of_job
        own = [value for name, value in spec.environments.items() if is_secret(name, value)]
        self._secrets = loaded_secrets().union(own)
        self._code = CodeRecording(origin, self._secrets)
        info = find_info(backend)
        self._packages: Future[tuple[str, ...]] | None = None
        if info is not None and info.shares_kernel:
            self._packages = _done(installed_packages()) if are_known() else _beside(installed_packages, otherwise=())

    def result(self, images: tuple[ImageState, ...] = ()) -> Provenance:
        """Wait for it, for seconds at most. Blocking."""
        code = self._code.result()
        return Provenance(
            code_of=self._of_job,
            git=code.git,
            git_note=code.note,
            diff=code.diff,
            python=self._python(),
            images=images,
        )

    def cancel(self) -> None:
        """End what still asks: the job is not submitted."""
        self._code.cancel()

    def _python(self) -> PythonState | None:
        if self._packages is None:
            return None
        version, program = this_python()
        lines = self._packages.result()
        return PythonState(
            version=version,
            executable=program,
            packages=tuple(masked(line, self._secrets)[0] if " " in line else line for line in lines),
        )


def image_states(spec: JobSpec, backend: str) -> tuple[ImageState, ...]:
    """Return the images of a job, with what an engine of this machine says of them. Blocking."""
    info = find_info(backend)
    if info is None or not info.takes_images:
        return ()
    uris = dict.fromkeys(filter(None, [spec.image_uri, *(role.image_uri for role in spec.roles)]))
    return tuple(_looked_up(ImageState(uri=uri, digest=uri.partition("@")[2]), backend) for uri in uris)


def looked_up_again(images: tuple[ImageState, ...], backend: str) -> tuple[ImageState, ...]:
    """Return the images with what is known now: an image that the engine lacked was pulled for the job. Blocking."""
    return tuple(image if image.digest else _looked_up(image, backend) for image in images)


def _looked_up(image: ImageState, backend: str) -> ImageState:
    found = find_backend(backend)
    if not isinstance(found, LooksIntoImages):
        return image
    try:
        facts = found.image_facts(image.uri, is_looked_into=False)
    except PaiJupyterError:  # the submission says what is wrong with the engine
        return image
    if facts is None:
        return image
    return replace(image, digest=image.digest or next(iter(facts.digests), ""), python=facts.python)


def local_directory(source_dir: object) -> Path | None:
    """Return `source_dir` if it is a directory of this machine."""
    return Path(str(source_dir)) if source_dir is not None and "://" not in str(source_dir) else None


def _without_links(directory: Path) -> Path | None:
    try:
        return directory.expanduser().resolve()
    except (OSError, RuntimeError):  # "~nobody", links in a circle: packing says so
        return None


def _beside(work: Callable[[], T], *, otherwise: T) -> "Future[T]":
    """Do the work on a thread that no exit waits for."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception:  # noqa: BLE001  a bug of ours, and no failure of the job
            _log.exception("what a job is started from is not recorded")
            future.set_result(otherwise)

    threading.Thread(target=run, name="pai-jupyter-provenance", daemon=True).start()
    return future


def _done(value: T) -> "Future[T]":
    future: Future[T] = Future()
    future.set_result(value)
    return future
