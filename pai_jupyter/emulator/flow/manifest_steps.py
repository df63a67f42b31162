"""Find in the manifest of a run what its nodes are made of. No I/O."""

import re

from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import Fields

_ITEM = re.compile(r"\[\d+\]")


def step_document(record: Fields, path: str) -> Fields | None:
    """Return the document that a step executes, of the run as a whole for ""; None if the manifest has none."""
    documents = items_of(record, "Documents")
    by_guid = {str(mapping_of(each, "metadata").get("guid")): each for each in documents[:-1]}
    document = documents[-1]
    for name in _ITEM.sub("", path).split("/") if path else []:
        steps = {str(mapping_of(it, "metadata").get("name")): it for it in _steps(document)}
        found = by_guid.get(str(mapping_of(steps.get(name, {}), "metadata").get("guid")))
        if found is None:
            return None
        document = found
    return document


def output_metadata(record: Fields, path: str, name: str) -> Fields:
    """Return the metadata of an output artifact; {} if the manifest has none."""
    document = step_document(record, path) or {}
    outputs = mapping_of(mapping_of(document, "spec"), "outputs")
    declared = {str(item.get("name")): item for item in items_of(outputs, "artifacts")}
    return mapping_of(declared.get(name, {}), "metadata")


def _steps(document: Fields) -> list[Fields]:
    return items_of(mapping_of(document, "spec"), "pipelines")
