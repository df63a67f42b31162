"""Answers about nodes, in the form in which both dialects have them. No I/O."""

import json
from collections.abc import Iterator

from pai_jupyter.emulator.flow.manifest_steps import output_metadata, step_document
from pai_jupyter.emulator.flow.manifests import API_VERSION
from pai_jupyter.emulator.flow.tree import RunNode, node_id
from pai_jupyter.emulator.protocol.fields import mapping_of
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.protocol.times import written
from pai_jupyter.spec import Json
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.storage.opening import scheme_of


def node_answer(node: RunNode, record: Fields, *, depth: int) -> Fields:
    """Return a node and those below it, `depth` levels in all."""
    children = [node_answer(child, record, depth=depth - 1) for child in node.children] if depth > 1 else []
    return {
        "ApiVersion": API_VERSION,
        "Metadata": _metadata(node, record),
        "Spec": {
            "HasPipelines": bool(node.children),
            "Dependencies": [*(node.step.depends if node.step else ())],
            "When": node.step.condition.text if node.step and node.step.condition else None,
            "Inputs": {"Parameters": [], "Artifacts": []},
            "Outputs": {
                "Parameters": [_parameter(*pair) for pair in node.parameters.items()],
                "Artifacts": [_artifact(node, record, *pair) for pair in node.artifacts.items()],
            },
            "Pipelines": [*children],
        },
        "StatusInfo": {
            "Status": node.status,
            "StartedAt": written(node.started),
            "FinishedAt": written(node.ended) if node.ended else None,
            "Message": node.step.reason if node.step else record.get("Message"),
        },
    }


def status_answer(node: RunNode) -> Fields:
    return {
        "NodeId": node.id,
        "NodeName": node.name,
        "Status": node.status,
        "StartedAt": written(node.started),
        "FinishedAt": written(node.ended) if node.ended else None,
        "RuntimeInfo": json.dumps({"DLC_JOB_ID": node.step.job_id} if node.step and node.step.job_id else {}),
    }


def output_answers(node: RunNode, record: Fields) -> Iterator[Fields]:
    """Yield the output artifacts of a node."""
    for name, place in node.artifacts.items():
        metadata = output_metadata(record, node.path, name)
        value = place_value(place)
        yield {
            "Id": f"artifact-{node_id(str(record['RunId']), f'{node.id}/{name}').removeprefix('node-')}",
            "Name": name,
            "Type": next(iter(mapping_of(metadata, "type")), "Any"),
            "Producer": node.step.name if node.step else str(record["RunId"]),
            "NodeId": node.id,
            "GmtCreateTime": written(node.ended or node.started),
            "Info": {"value": value, "metadata": metadata},
            "Value": value,
        }


def place_value(place: Json) -> str:
    """Return the value of an artifact as PAIFlow writes it: JSON with a location in OSS, or what was given."""
    if not isinstance(place, str) or scheme_of(place) != "oss":
        return place if isinstance(place, str) else json.dumps(place)
    url = parse_oss_url(place)
    location = {"bucket": url.bucket_name, "key": url.object_key, "endpoint": url.endpoint or ""}
    return json.dumps({"location": location})


def _metadata(node: RunNode, record: Fields) -> Fields:
    metadata = mapping_of(step_document(record, node.path) or {}, "metadata")
    return {
        "Name": node.name,
        "DisplayName": node.name,
        "NodeId": node.id,
        "NodeType": node.type,
        "Identifier": metadata.get("identifier") or metadata.get("name") or "",
        "Provider": metadata.get("provider") or "",
        "Version": metadata.get("version") or "",
        "RelatedNodeIds": [],
    }


def _parameter(name: str, value: Json) -> Fields:
    return {"Name": name, "Type": _type(value), "Value": value if isinstance(value, str) else json.dumps(value)}


def _artifact(node: RunNode, record: Fields, name: str, place: Json) -> Fields:
    metadata = output_metadata(record, node.path, name)
    return {"Name": name, "Metadata": metadata, "Value": place_value(place)}


def _type(value: Json) -> str:
    if isinstance(value, bool):
        return "Bool"
    names = {int: "Int", float: "Double", dict: "Map", list: "Array"}
    return names.get(type(value), "String")
