"""The components of the workspace: registered as algorithms of PaiStudio, which jobs run by name and version.

Designer's own API of components (`/api/v1/components`, JSON; seen in the code of PAI's client, in no public SDK) could not be
checked: what fields it takes, and whether the console's list of custom components shows an algorithm that was registered here. So this
uses CreateAlgorithm and CreateAlgorithmVersion, which are public, and by which jobs and other programs find a component. In the
AlgorithmSpec, `SupportedChannelTypes` and the requirement `GPU` say what the component says; that PAI's form reads them so was not
checked either.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from pai_jupyter.backends import RunsComponents, find_backend, infos
from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.cloud.session import Session, get_default_session, need_session
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.algorithm import from_algorithm, to_algorithm
from pai_jupyter.component.code import about_code, opened, packed, state_of, state_of_package
from pai_jupyter.component.component import Component
from pai_jupyter.component.image import facts_of
from pai_jupyter.component.names import in_order, newest_of, next_of, visible
from pai_jupyter.component.problems import check_component
from pai_jupyter.component.registration_notes import FOLDER, is_kept, lost_shards, may_change, not_sent
from pai_jupyter.errors import BackendError, NotFoundError, ProtocolError, SpecError
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError

T = TypeVar("T")
_NAME_TAKEN, _VERSION_TAKEN = "AlgorithmNameExists", "AlgorithmVersionExists"


@dataclass(frozen=True, kw_only=True)
class RegisteredComponent:
    """A component of the workspace with its versions, oldest first; `component` is the one that was read, else None."""

    name: str
    algorithm_id: str
    versions: tuple[str, ...]
    provider: str = ""
    description: str = ""
    read_component: Component | None = None
    notes: tuple[str, ...] = ()

    @property
    def component(self) -> Component:
        assert self.read_component is not None
        return self.read_component


def register(component: Component) -> RegisteredComponent:
    """Register a version of a component in the workspace; its code goes to the session's bucket.

    Raises:
        SpecError: the component is invalid, or has this version already.
        PackageError: its code is not there. BackendError: the service refuses it.
    """
    session = need_session()
    image = facts_of(component.image_uri, is_looked_into=True)
    notes = check_component(component, region=region_of_registry(), image=image, for_pai=True)
    known = _find(session, component.name)
    if known is not None and component.version in known.versions:
        raise SpecError(
            f"{component.title} is registered already, and a version stays as it is. Register the next: --version "
            f"{next_of(known.versions)}",
            field="version",
        )
    code, about = _code(session, component)
    spec = to_algorithm(component, image=_address(session, component), code=code)

    async def send(client: Client) -> str:
        algorithm = known.algorithm_id if known is not None else await _create(client, session, component)
        path = {"algorithm_id": algorithm, "algorithm_version": component.version}
        await client.call(paistudio.CREATE_ALGORITHM_VERSION, path=path, body={"AlgorithmSpec": spec})
        if known is not None and component.description not in ("", known.description):
            described: dict[str, Json] = {"AlgorithmDescription": component.description}
            await client.call(paistudio.UPDATE_ALGORITHM, path={"algorithm_id": algorithm}, body=described)
        return algorithm

    try:
        algorithm_id = session.ask(send)
    except BackendError as exc:
        raise _taken(component, exc) from exc
    return RegisteredComponent(
        name=component.name,
        algorithm_id=algorithm_id,
        versions=(*(known.versions if known else ()), component.version),
        provider=known.provider if known else "",
        description=component.description,
        read_component=component,
        notes=(*notes, *about, *not_sent(component)),
    )


def _taken(component: Component, refusal: BackendError) -> BackendError | SpecError:
    """Return the error for a name or a version that somebody else has; another refusal as it is."""
    if refusal.code == _NAME_TAKEN:
        return SpecError(
            f"the name {component.name!r} is taken: a name is there once in a region for all workspaces of an account. Choose "
            "another; or if it was registered here a moment ago, do it again, and it becomes the next version.",
            field="name",
        )
    if refusal.code == _VERSION_TAKEN:
        return SpecError(
            f"{component.title} was registered by somebody else in the meantime. Do it again: then the next version is proposed.",
            field="version",
        )
    return refusal


def region_of_registry() -> str | None:
    """Return the region in which components would be registered; None without a session, and at an emulator, whose is made up."""
    session = get_default_session()
    return None if session is None or session.is_emulator else session.region_id


def list_registered() -> list[RegisteredComponent]:
    """List the components of the workspace, each with its versions.

    Raises:
        SpecError: no session is configured. BackendError: the service does not answer.
    """
    session = need_session()

    async def ask(client: Client) -> list[RegisteredComponent]:
        query = {"WorkspaceId": session.require_workspace()}
        pages = client.pages(paistudio.LIST_ALGORITHMS, query=query)
        return [await _with_versions(client, _fields(each)) async for page in pages for each in page]

    return sorted(session.ask(ask), key=lambda each: each.name)


def list_newest() -> list[RegisteredComponent]:
    """List the components of the workspace, each with its newest version read; `notes` say why one cannot be.

    Raises:
        as `list_registered`.
    """
    session = need_session()

    async def ask(client: Client) -> list[RegisteredComponent]:
        query = {"WorkspaceId": session.require_workspace()}
        pages = client.pages(paistudio.LIST_ALGORITHMS, query=query)
        found = [await _with_versions(client, _fields(each)) async for page in pages for each in page]
        return [await _with_newest(client, each) for each in found]

    return sorted(session.ask(ask), key=lambda each: each.name)


def next_version(name: str) -> str:
    """Propose the next version of a component: that after the highest registered one, `1.0.0` for a new one."""
    return next_of(registered_versions(name))


def registered_versions(name: str) -> tuple[str, ...]:
    """Return the registered versions of a component; () if there is none.

    Raises:
        SpecError: no session is configured. BackendError: the service does not answer.
    """
    known = _find(need_session(), name)
    return known.versions if known is not None else ()


def read(name: str, version: str | None = None) -> RegisteredComponent:
    """Read a registered component, without its code; default: its newest version.

    Raises:
        NotFoundError: there is no such component or version; the sentence lists those that there are.
    """
    session = need_session()
    known = _find(session, name)
    if known is None:
        raise NotFoundError(f"no component {name!r} is registered. Type %pai_component to see those that are.")
    wanted = version or newest_of(known.versions)
    if wanted is None or wanted not in known.versions:
        listed = visible(", ".join(known.versions)) or "none"
        raise NotFoundError(f"component {name!r} has no version {wanted or ''}; it has: {listed}.")
    return session.ask(_calling(lambda client: _read_version(client, known, wanted)))


def delete(name: str, version: str | None = None) -> None:
    """Delete a version of a registered component, or without one the component with all of them.

    Jobs of it go on, and its code stays in the bucket.

    Raises:
        NotFoundError: there is no such component or version.
    """
    session = need_session()
    known = read(name, version) if version is not None else _find(session, name)
    if known is None:
        raise NotFoundError(f"no component {name!r} is registered. Type %pai_component to see those that are.")
    path = {"algorithm_id": known.algorithm_id}
    if version is None:
        session.ask(_calling(lambda client: client.call(paistudio.DELETE_ALGORITHM, path=path)))
    else:
        path["algorithm_version"] = version
        session.ask(_calling(lambda client: client.call(paistudio.DELETE_ALGORITHM_VERSION, path=path)))


def component_service() -> tuple[str, RunsComponents]:
    """Return the name and the backend of the service that keeps components.

    Raises:
        SpecError: no installed backend has one.
    """
    for info in infos():
        backend = find_backend(info.name) if info.takes_cloud_keys else None
        if isinstance(backend, RunsComponents):
            return info.name, backend
    raise SpecError("no installed backend keeps components.", field="backend")


def _calling(call: Callable[[Client], Awaitable[T]]) -> Callable[[Client], Awaitable[T]]:
    return call


def _find(session: Session, name: str) -> RegisteredComponent | None:
    """Return the component of exactly this name with its versions."""

    async def ask(client: Client) -> RegisteredComponent | None:
        query = {"WorkspaceId": session.require_workspace(), "AlgorithmName": name}
        async for page in client.pages(paistudio.LIST_ALGORITHMS, query=query):
            for each in page:
                if _fields(each).get("AlgorithmName") == name:  # the service may also list names that contain it
                    return await _with_versions(client, _fields(each))
        return None

    return session.ask(ask)


async def _with_versions(client: Client, fields: dict[str, Json]) -> RegisteredComponent:
    algorithm_id = str(fields.get("AlgorithmId") or "")
    pages = client.pages(paistudio.LIST_ALGORITHM_VERSIONS, path={"algorithm_id": algorithm_id})
    versions = [str(_fields(each).get("AlgorithmVersion") or "") async for page in pages for each in page]
    return RegisteredComponent(
        name=str(fields.get("AlgorithmName") or ""),
        algorithm_id=algorithm_id,
        versions=tuple(in_order(filter(None, versions))),
        provider=str(fields.get("AlgorithmProvider") or ""),
        description=str(fields.get("AlgorithmDescription") or ""),
    )


async def _with_newest(client: Client, known: RegisteredComponent) -> RegisteredComponent:
    newest = newest_of(known.versions)
    if newest is None:
        return known
    try:
        return await _read_version(client, known, newest)
    except ProtocolError as exc:
        return replace(known, notes=(str(exc),))


async def _read_version(client: Client, known: RegisteredComponent, version: str) -> RegisteredComponent:
    path = {"algorithm_id": known.algorithm_id, "algorithm_version": version}
    answer = await client.call(paistudio.GET_ALGORITHM_VERSION, path=path)
    spec = answer.get("AlgorithmSpec")
    try:
        if not isinstance(spec, dict):
            raise FieldError("AlgorithmSpec", "is missing")
        found = from_algorithm(spec, name=known.name, version=version, description=known.description)
    except (FieldError, SpecError) as exc:
        raise ProtocolError(f"component {known.name!r} cannot be read: {exc}") from exc
    return replace(known, read_component=found)


async def _create(client: Client, session: Session, component: Component) -> str:
    body: dict[str, Json] = {
        "AlgorithmName": component.name,
        "AlgorithmDescription": component.description,
        "WorkspaceId": session.require_workspace(),
    }
    answer = await client.call(paistudio.CREATE_ALGORITHM, body={name: value for name, value in body.items() if value})
    algorithm_id = answer.get("AlgorithmId")
    if not isinstance(algorithm_id, str) or not algorithm_id:
        raise ProtocolError("the service made an algorithm without returning its id. Look for it in the console.")
    return algorithm_id


def _code(session: Session, component: Component) -> tuple[Json, list[str]]:
    """Send the code to the bucket; return its CodeDir, None without code, and notes on it."""
    if component.source is not None and source_kind(component.source) == "oss":
        state = state_of(component)
        return component_service()[1].code_location(component.source), [
            *about_code(component, state),
            *([] if is_kept(component.source) else [may_change(component)]),
        ]
    with opened(component) as code, packed(component, code) as package:
        if not package.files:
            return None, []
        state = replace(state_of_package(package), commit=code.commit, notes=code.notes)
        uri = session.uri(f"{FOLDER}/{package.digest}.tar.gz")
        session.upload(package.path, uri)
        return component_service()[1].code_location(uri), [
            *about_code(component, state),
            *lost_shards(component, package),
            *package.warnings,
        ]


def _address(session: Session, component: Component) -> str:
    from pai_jupyter.cloud.images import is_short_name, resolve_image

    image = str(component.image_uri)
    return str(resolve_image(image, session=session)) if is_short_name(image) else image


def _fields(item: object) -> dict[str, Json]:
    return item if isinstance(item, dict) else {}
