"""Manifests and arguments as calls give them: YAML, several documents of which the last one is meant. No I/O."""

import json
from collections.abc import Mapping

from pai_jupyter import typed_json
from pai_jupyter.cloud.flow import from_yaml
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.workflow.checks import check_documents

API_VERSION = "core/v1"


def read_manifest(text: str, field: str) -> list[Fields]:
    """Read the documents of a manifest.

    Raises:
        ApiRefusal: it is not YAML, or a document lacks what each needs.
    """
    if not text.strip():
        raise missing(field)
    read = [_document(each, f"{field}[{number}]") for number, each in enumerate(_documents(text, field))]
    for each in read[:-1]:
        if not mapping_of(each, "metadata").get("guid"):
            raise missing(f"{field}: metadata.guid of all documents but the last")
    try:
        check_documents(read)
    except SpecError as exc:
        raise ApiRefusal(400, "InvalidParameter", f"{field}: {exc}") from exc
    return read


def _document(value: Fields, field: str) -> Fields:
    if value.get("apiVersion") != API_VERSION:
        raise invalid(field, value, f"an object with `apiVersion: {API_VERSION}`")
    for name in ("metadata", "spec"):
        if not isinstance(value.get(name), dict):
            raise missing(f"{field}.{name}")
    spec = mapping_of(value, "spec")
    if bool(spec.get("container")) == bool(spec.get("pipelines")):
        raise invalid(f"{field}.spec", [*spec], "an object with either `container` or `pipelines`")
    return value


def read_arguments(text: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """Read `Arguments` of CreateRun; return parameters and artifacts by name.

    Raises:
        ApiRefusal: it is not what the service takes.
    """
    given = mapping_of(_documents(text, "Arguments")[0], "arguments") if text.strip() else {}
    return _by_name(given, "parameters"), _by_name(given, "artifacts")


def _by_name(given: Fields, kind: str) -> dict[str, Json]:
    items = items_of(given, kind, ("name",), prefix="Arguments.")
    return {str(item["name"]): item.get("value") for item in items}


def named(document: Fields) -> Mapping[str, str]:
    """Return identifier and version of a document that is to be saved.

    Raises:
        ApiRefusal: one is missing.
    """
    metadata = mapping_of(document, "metadata")
    for name in ("identifier", "version"):
        if not metadata.get(name):
            raise missing(f"Manifest.metadata.{name}")
    return {name: str(metadata[name]) for name in ("identifier", "version")}


def _documents(text: str, field: str) -> list[Fields]:
    try:
        read = from_yaml(text)
        typed_json.check_depth(read, field)
        json.dumps(read, allow_nan=False)  # YAML has values that JSON has not
    except (SpecError, TypeError, ValueError, RecursionError) as exc:
        raise ApiRefusal(400, "InvalidParameter", f"{field} is not valid YAML: {str(exc)[:300]}") from exc
    return read
