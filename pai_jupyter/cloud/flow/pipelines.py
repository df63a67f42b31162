"""Components and pipelines that PAIFlow keeps, by identifier, provider (an account, or "pai") and version."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pai_jupyter.cloud.client import Client, sts
from pai_jupyter.cloud.flow.manifest_text import Document, from_yaml, to_yaml
from pai_jupyter.cloud.flow.nodes import Fields, text_of, time_of
from pai_jupyter.cloud.flow.service import FlowService
from pai_jupyter.cloud.session import Session, need_session
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError, SpecError
from pai_jupyter.spec import Json

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SavedPipeline:
    """A saved component or pipeline. `documents` is its manifest: of others' components inputs and outputs alone; () in lists."""

    id: str
    identifier: str
    provider: str
    version: str
    documents: tuple[Document, ...] = ()
    created: float | None = None
    workspace_id: str = ""


def save_pipeline(
    documents: Sequence[Mapping[str, Json]], *, identifier: str, version: str, session: Session | None = None
) -> SavedPipeline:
    """Save a manifest under an identifier and a version, which can be any text.

    Raises:
        SpecError: the manifest is invalid, or has this version already.
        BackendError: the service does not answer or refuses it.
    """
    session = session or need_session()
    if not identifier or not version:
        raise SpecError("a component is saved under an identifier and a version. Give both.", field="identifier")
    provider = provider_of(session)
    named = with_provider(documents, provider)
    named[-1] = _with_metadata(named[-1], identifier=identifier, version=version)
    pipeline = asking(session, lambda service: service.create_pipeline(to_yaml(named)))
    return SavedPipeline(id=pipeline, identifier=identifier, provider=provider, version=version, documents=tuple(named))


def get_pipeline(
    identifier: str, *, provider: str = "", version: str = "v1", session: Session | None = None
) -> SavedPipeline:
    """Find a saved component or pipeline; `provider` "": of this account.

    Raises:
        NotFoundError: there is none of this identifier and version.
    """
    session = session or need_session()
    provider = provider or provider_of(session)

    async def find(service: FlowService) -> SavedPipeline:
        async for fields in service.find_pipelines(identifier=identifier, provider=provider, version=version):
            found = _saved(fields)
            if (found.identifier, found.version) == (identifier, version):
                return _saved(await _with_manifest(service, found.id, fields))
        raise NotFoundError(
            f"PAIFlow has no component {identifier!r} of version {version!r} from provider {provider!r}. Check the identifier "
            "and the version; %pai_pipeline --components lists those that are there."
        )

    return asking(session, find)


def get_pipeline_schema(pipeline_id: str, *, session: Session | None = None) -> Document:
    """Return the document of a saved pipeline that has its inputs and outputs."""
    fields = asking(session or need_session(), lambda service: service.get_schema(pipeline_id))
    documents = _saved(fields).documents
    if not documents:
        raise ProtocolError(f"PAIFlow answered without the manifest of {pipeline_id}. Update pai_jupyter.")
    return documents[-1]


def list_pipelines(*, identifier: str = "", provider: str = "", session: Session | None = None) -> list[SavedPipeline]:
    """List the saved components and pipelines of the workspace, or those of a provider."""

    async def collect(service: FlowService) -> list[SavedPipeline]:
        return [_saved(fields) async for fields in service.find_pipelines(identifier=identifier, provider=provider)]

    return asking(session or need_session(), collect)


def delete_pipeline(pipeline_id: str, *, session: Session | None = None) -> None:
    """Delete a saved component or pipeline; runs of it are not affected."""
    asking(session or need_session(), lambda service: service.delete_pipeline(pipeline_id))


def provider_of(session: Session | None = None) -> str:
    """Return the account that owns the session's key: the provider of what it saves."""
    answer = (session or need_session()).ask(lambda client: client.call(sts.GET_CALLER_IDENTITY))
    return text_of(answer.get("AccountId"))


def asking(session: Session, call: Callable[[FlowService], Awaitable[T]]) -> T:
    """Run `call` with a service of the session's workspace; from any code, also in a running loop."""
    workspace = session.require_workspace()

    async def ask(client: Client) -> T:
        return await call(FlowService(client, workspace, address=address_of(session)))

    return session.ask(ask)


def address_of(session: Session) -> str:
    """Return what tells the PAIFlow of this session from others."""
    return session.endpoints.address or session.region_id


def with_provider(documents: Sequence[Mapping[str, Json]], provider: str) -> list[Document]:
    """Return the documents, each with its provider in its metadata.

    Raises:
        SpecError: there are none.
    """
    if not documents:
        raise SpecError("the manifest has no documents. Give what `to_manifest` returns.", field="manifest")
    return [
        _with_metadata(each, provider=provider) if "provider" not in _metadata(each) else dict(each)
        for each in documents
    ]


def _with_metadata(document: Mapping[str, Json], **metadata: Json) -> Document:
    return {**document, "metadata": {**_metadata(document), **metadata}}


def _metadata(document: Mapping[str, Json]) -> Mapping[str, Json]:
    found = document.get("metadata")
    return found if isinstance(found, dict) else {}


async def _with_manifest(service: FlowService, pipeline: str, fields: Fields) -> Fields:
    """Return all of a saved pipeline; of one that may not be read, what it says of its inputs and outputs."""
    try:
        whole = await service.get_pipeline(pipeline)
    except PaiJupyterError:
        whole = {}
    return {**fields, **(whole if whole.get("Manifest") else await service.get_schema(pipeline))}


def _saved(fields: Fields) -> SavedPipeline:
    manifest = text_of(fields.get("Manifest"))
    try:
        documents = tuple(from_yaml(manifest)) if manifest else ()
    except SpecError as exc:
        raise ProtocolError(f"PAIFlow answered with a manifest that cannot be read: {exc}") from exc
    return SavedPipeline(
        id=text_of(fields.get("PipelineId")),
        identifier=text_of(fields.get("Identifier")),
        provider=text_of(fields.get("Provider")),
        version=text_of(fields.get("Version")),
        documents=documents,
        created=time_of(fields.get("GmtCreateTime")),
        workspace_id=text_of(fields.get("WorkspaceId")),
    )
