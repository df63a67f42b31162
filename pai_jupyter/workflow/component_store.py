"""Where components are kept: in PAIFlow, where there is a session; else on this machine, one YAML file for each version.

    $PAI_JUPYTER_HOME/workflow/components/<identifier>/<version>.yaml

Rule 1: a version stays as it is. Identifiers and versions are free text, so file names have them escaped.
Rule 2: no file has the value of a secret.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from pai_jupyter.cloud import flow
from pai_jupyter.cloud.session import Session, get_default_session
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import print_line
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import create_file, make_folder, translated
from pai_jupyter.workflow.document_secrets import masked
from pai_jupyter.workflow.documents import Document, inside, with_metadata
from pai_jupyter.workflow.executor import in_region
from pai_jupyter.workflow.manifest_text import from_yaml, to_yaml
from pai_jupyter.workflow.remote import documents_to_save

HERE = "local"  # the provider of what is kept on this machine
LARGEST = 5_000_000  # bytes of a file


@dataclass(frozen=True, kw_only=True)
class ComponentVersion:
    """A version of a component as it is kept; `documents` () in lists of PAIFlow.

    `is_here`: on this machine, where `saved` is the time at which it was saved.
    """

    id: str
    identifier: str
    version: str
    provider: str
    documents: tuple[Document, ...] = ()
    is_here: bool = False
    saved: float = 0.0


class ComponentStore(Protocol):
    """Keeps components.

    Raises (all):
        NotFoundError: there is no such version. BackendError: the service does not answer.
    """

    def save(self, documents: Sequence[Document], *, identifier: str, version: str) -> ComponentVersion: ...
    def get(self, identifier: str, *, version: str, provider: str = "") -> ComponentVersion: ...
    def list(self, *, identifier: str = "", provider: str = "") -> list[ComponentVersion]: ...
    def delete(self, stored: ComponentVersion) -> None: ...


class FlowStore:
    """PAIFlow; sources that are packed here go to the bucket first."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def save(self, documents: Sequence[Document], *, identifier: str, version: str) -> ComponentVersion:
        notes: list[str] = []
        sent = documents_to_save(in_region(documents, self._session.region_id), session=self._session, notes=notes)
        for note in notes:
            print_line(f"note: {note}")
        return _of_flow(flow.save_pipeline(sent, identifier=identifier, version=version, session=self._session))

    def get(self, identifier: str, *, version: str, provider: str = "") -> ComponentVersion:
        return _of_flow(flow.get_pipeline(identifier, provider=provider, version=version, session=self._session))

    def list(self, *, identifier: str = "", provider: str = "") -> list[ComponentVersion]:
        found = flow.list_pipelines(identifier=identifier, provider=provider, session=self._session)
        return [_of_flow(it) for it in found]

    def delete(self, stored: ComponentVersion) -> None:
        flow.delete_pipeline(stored.id, session=self._session)


def _of_flow(saved: flow.SavedPipeline) -> ComponentVersion:
    return ComponentVersion(
        id=saved.id,
        identifier=saved.identifier,
        version=saved.version,
        provider=saved.provider,
        documents=saved.documents,
    )


class HomeStore:
    """The files of this machine."""

    @property
    def folder(self) -> Path:
        return JobStore().home / "workflow" / "components"

    def save(self, documents: Sequence[Document], *, identifier: str, version: str) -> ComponentVersion:
        kept = masked(with_metadata(documents, identifier=identifier, version=version))
        last = kept[-1]
        kept[-1] = {**last, "metadata": {**inside(last, "metadata"), "provider": HERE}}
        path = self._path(identifier, version)
        with translated(path.parent):
            make_folder(path.parent)
            is_new = _is_created(path, to_yaml(kept).encode())
        if not is_new:
            raise SpecError(
                f"component {shown(identifier)} has a version {shown(version)} already, and a version stays as it is. Give "
                "another, e.g. version='v-%s' % int(time.time()).",
                field="version",
            )
        return _of_file(path, kept)

    def get(self, identifier: str, *, version: str, provider: str = "") -> ComponentVersion:
        if provider not in ("", HERE):
            raise NotFoundError(
                f"components of provider {shown(provider)} are in PAIFlow, and there is no session. Type setup_default_session(...)."
            )
        path = self._path(identifier, version)
        if not path.is_file():
            versions = ", ".join(shown(it.version) for it in self.list(identifier=identifier)) or "none"
            raise NotFoundError(
                f"component {shown(identifier)} has no saved version {shown(version)} on this machine; it has: {versions}."
            )
        return _of_file(path, _read(path))

    def list(self, *, identifier: str = "", provider: str = "") -> list[ComponentVersion]:
        if provider not in ("", HERE) or not self.folder.is_dir():
            return []
        found = [_of_file(path, _read(path)) for path in sorted(self.folder.glob("*/*.yaml"))]
        return [it for it in found if identifier in ("", it.identifier)]

    def delete(self, stored: ComponentVersion) -> None:
        self._path(stored.identifier, stored.version).unlink(missing_ok=True)

    def _path(self, identifier: str, version: str) -> Path:
        return self.folder / _file_name(identifier) / f"{_file_name(version)}.yaml"


def _is_created(path: Path, data: bytes) -> bool:
    """Create the file; return False if it is there."""
    try:
        create_file(path, data)
    except FileExistsError:
        return False
    return True


def stores() -> list[ComponentStore]:
    """Return where components are kept, where new ones are saved first."""
    session = get_default_session()
    return [HomeStore()] if session is None else [FlowStore(session), HomeStore()]


def find(identifier: str, *, version: str, provider: str = "") -> ComponentVersion:
    """Find a version of a component.

    Raises:
        NotFoundError: there is none. BackendError: PAIFlow does not answer.
    """
    *others, last = stores()
    for store in others:
        try:
            return store.get(identifier, version=version, provider=provider)
        except NotFoundError:
            if provider not in ("", HERE):
                raise
    try:
        return last.get(identifier, version=version, provider=provider)
    except NotFoundError as exc:
        if not others or provider == HERE:
            raise
        raise NotFoundError(
            f"{exc} PAIFlow has none of it either: %pai_pipeline --components lists those saved."
        ) from exc


def lookup(identifier: str, provider: str, version: str) -> Sequence[Document]:
    """Return the manifest of a registered component, for plans; see `planning_graph.Lookup`."""
    return find(identifier, provider=provider, version=version or "v1").documents


def _of_file(path: Path, documents: Sequence[Document]) -> ComponentVersion:
    metadata = inside(documents[-1], "metadata")
    return ComponentVersion(
        id=f"{path.parent.name}/{path.stem}",
        identifier=str(metadata.get("identifier", "")),
        version=str(metadata.get("version", "")),
        provider=HERE,
        documents=tuple(documents),
        is_here=True,
        saved=path.stat().st_mtime,
    )


def _read(path: Path) -> list[Document]:
    with translated(path):
        data = path.read_bytes() if path.stat().st_size <= LARGEST else b""
    try:
        return from_yaml(data.decode())
    except (SpecError, UnicodeDecodeError) as exc:
        raise SpecError(
            f"'{path}' holds no component: {exc} Remove it, or save the component again.", field="file"
        ) from exc


def _file_name(text: str) -> str:
    """Return a name for a file: escaped, and shortened with a digest where it would be too long."""
    name = quote(text, safe=" ").replace(".", "%2E") if text.startswith(".") else quote(text, safe=" ")
    if len(name) <= 200:
        return name
    return f"{name[:160]}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
