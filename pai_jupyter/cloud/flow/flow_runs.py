"""Runs of PAIFlow from plain code: start one of a manifest or of a saved pipeline, look at it, end it."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pai_jupyter.cloud.flow.artifact_values import artifact_value
from pai_jupyter.cloud.flow.manifest_text import Document, arguments_text, to_yaml
from pai_jupyter.cloud.flow.nodes import Fields, FlowNode, FlowRun, objects, text_of
from pai_jupyter.cloud.flow.pipelines import asking, get_pipeline_schema, provider_of, with_provider
from pai_jupyter.cloud.flow.service import FlowService
from pai_jupyter.cloud.session import Session, need_session
from pai_jupyter.cloud.session.session import oss_hosts
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json


@dataclass(frozen=True, kw_only=True)
class FlowOutput:
    """An output that a node has archived. `value`: JSON text that says where it is, or the value of a parameter."""

    name: str
    value: Json
    kind: str = ""  # DataSet, Model, ...
    node_id: str = ""
    producer: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict)


def create_run(
    name: str,
    *,
    documents: Sequence[Mapping[str, Json]] = (),
    pipeline_id: str = "",
    parameters: Mapping[str, Json] | None = None,
    artifacts: Mapping[str, Json] | None = None,
    session: Session | None = None,
) -> str:
    """Start a run of a manifest (`documents`) or of a saved pipeline; return the service's id.

    `artifacts`: the place of each (`oss://...`), or its value as PAIFlow writes it; a list for a repeated one.

    Raises:
        SpecError: an argument is not among the inputs of the pipeline.
        UncertainError: it may have been started all the same: look at `list_runs` before trying again.
    """
    session = session or need_session()
    if bool(documents) is bool(pipeline_id):
        raise SpecError("a run is of a manifest or of a saved pipeline. Give one of both.", field="pipeline_id")
    if documents:
        sent = _ready_to_run(documents, session)
        manifest, inputs = to_yaml(sent), _inputs(sent[-1])
    else:
        manifest, inputs = "", _inputs(get_pipeline_schema(pipeline_id, session=session))
    arguments = _arguments(inputs, parameters or {}, artifacts or {}, endpoint=_endpoint(session))
    return asking(
        session,
        lambda service: service.create_run(name, arguments=arguments, manifest=manifest, pipeline=pipeline_id),
    )


def get_run(run_id: str, *, session: Session | None = None) -> FlowRun:
    """Return how a run stands. Raise `NotFoundError` if there is none."""
    return asking(session or need_session(), lambda service: service.get_run(run_id))


def list_runs(*, name: str = "", most: int = 50, session: Session | None = None) -> list[FlowRun]:
    """List the newest runs of the workspace, newest first."""
    return asking(session or need_session(), lambda service: service.newest_runs(name=name, most=most))


def start_run(run_id: str, *, session: Session | None = None) -> None:
    """Start a run that waits to be confirmed."""
    asking(session or need_session(), lambda service: service.start_run(run_id))


def terminate_run(run_id: str, *, session: Session | None = None) -> None:
    """End a run; what runs of it is stopped."""
    asking(session or need_session(), lambda service: service.terminate_run(run_id))


def delete_run(run_id: str, *, session: Session | None = None) -> None:
    """Delete the service's record of a run."""
    asking(session or need_session(), lambda service: service.delete_run(run_id))


def node_tree(run_id: str, *, session: Session | None = None) -> FlowNode | None:
    """Return the root of a run's nodes with all that is in it; None before the run has begun."""

    async def tree(service: FlowService) -> FlowNode | None:
        root = (await service.get_run(run_id)).node_id
        return await service.tree(run_id, root) if root else None

    return asking(session or need_session(), tree)


def node_logs(run_id: str, node_id: str, *, offset: int = 0, session: Session | None = None) -> list[str]:
    """Return the lines of a node's log from line `offset` on that are there now."""

    async def logs(service: FlowService) -> list[str]:
        return [line async for page in service.logs(run_id, node_id, offset=offset) for line in page]

    return asking(session or need_session(), logs)


def node_outputs(run_id: str, node_id: str, *, depth: int = 1, session: Session | None = None) -> list[FlowOutput]:
    """Return the outputs that a node has archived; `depth` 2: those of the nodes in it too."""

    async def outputs(service: FlowService) -> list[FlowOutput]:
        return [output_of(fields) for fields in await service.outputs(run_id, node_id, depth=depth)]

    return asking(session or need_session(), outputs)


def output_of(fields: Fields) -> FlowOutput:
    """Read an item of the service's list of outputs."""
    info = fields.get("Info")
    about: Fields = info if isinstance(info, Mapping) else {}
    metadata = about.get("metadata")
    return FlowOutput(
        name=text_of(fields.get("Name")),
        value=about.get("value", fields.get("Value")),
        kind=text_of(fields.get("Type")),
        node_id=text_of(fields.get("NodeId")),
        producer=text_of(fields.get("Producer")),
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def _ready_to_run(documents: Sequence[Mapping[str, Json]], session: Session) -> list[Document]:
    """Return the documents with what the service wants of those that are not saved: a provider, an identifier, a version."""
    sent = with_provider(documents, provider_of(session))
    metadata = sent[-1]["metadata"]
    assert isinstance(metadata, dict), "`with_provider` has written it"
    passing: dict[str, Json] = {"identifier": f"tmp-{secrets.token_hex(8)}", "version": "v0"}
    sent[-1] = {**sent[-1], "metadata": {**passing, **metadata}}
    return sent


def _inputs(document: Mapping[str, Json]) -> Mapping[str, Json]:
    spec = document.get("spec")
    inputs = spec.get("inputs") if isinstance(spec, dict) else None
    return inputs if isinstance(inputs, dict) else {}


def _arguments(
    inputs: Mapping[str, Json], parameters: Mapping[str, Json], artifacts: Mapping[str, Json], *, endpoint: str
) -> str:
    """Write the arguments; the service wants the metadata of each artifact again."""
    declared = {kind: {text_of(it.get("name")): it for it in objects(inputs.get(kind))} for kind in _KINDS}
    for kind, given in zip(_KINDS, (parameters, artifacts), strict=True):
        for name in given:
            if name not in declared[kind]:
                known = ", ".join(declared[kind]) or "none"
                raise SpecError(
                    f"the pipeline has no input {name!r} among its {kind}; it has {known}. Correct the name.",
                    field=name,
                )
    return arguments_text(
        [{"name": name, "value": value} for name, value in parameters.items()],
        [
            {
                "name": name,
                "metadata": declared["artifacts"][name].get("metadata"),
                "value": artifact_value(name, place, endpoint=endpoint),
            }
            for name, place in artifacts.items()
        ],
    )


_KINDS = ("parameters", "artifacts")


def _endpoint(session: Session) -> str:
    endpoint = session.oss_endpoint or oss_hosts(session.region_id)[0]
    return endpoint.partition("://")[2] or endpoint
