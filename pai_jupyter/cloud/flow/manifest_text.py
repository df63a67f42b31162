"""Manifests and arguments as PAIFlow's YAML text. A manifest is one document or several; they are read strictly.

Rule 1: reading makes plain values only; an alias, of which a few lines make a value of any size, is an error.
Rule 2: keys are sorted and nothing is an alias, as the official SDK writes it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

LARGEST = 5_000_000  # characters
_REMEDY = "Give the text that PAIFlow or `to_manifest` wrote."
Document = dict[str, Json]


def to_yaml(documents: Sequence[Mapping[str, Json]]) -> str:
    """Write documents as one text, separated by `---`."""
    import yaml  # imported late: most sessions use no manifest

    class PlainDumper(yaml.SafeDumper):
        """Writes a value that is there twice twice."""

        def ignore_aliases(self, data: Any) -> bool:  # Any: the library's own types
            return True

    written: str = yaml.dump_all(
        [dict(document) for document in documents], Dumper=PlainDumper, sort_keys=True, allow_unicode=True
    )
    return written


def from_yaml(text: str) -> list[Document]:
    """Read the documents of a text; empty ones are left out.

    Raises:
        SpecError: it is no YAML, or no manifest.
    """
    import yaml

    class PlainLoader(yaml.SafeLoader):
        """Refuses aliases."""

        def compose_node(self, parent: Any, index: Any) -> Any:  # Any: the library's own types
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("it has an alias")
            return super().compose_node(parent, index)

    if len(text) > LARGEST:
        raise SpecError(f"the manifest has {len(text)} characters; there may be {LARGEST}.", field="manifest")
    try:
        found = [each for value in yaml.load_all(text, PlainLoader) for each in _flat(value) if each is not None]
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        mark = getattr(exc, "problem_mark", None)
        where = f"in line {mark.line + 1} " if mark is not None else ""
        said = str(getattr(exc, "problem", None) or exc).splitlines()[0][:200].rstrip(".")
        raise SpecError(f"the manifest {where}is invalid: {said}. {_REMEDY}", field="manifest") from exc
    if not found or not all(isinstance(each, dict) for each in found):
        raise SpecError(f"the manifest has no document, or one that is no object. {_REMEDY}", field="manifest")
    return found


def _flat(value: object) -> list[Any]:  # Any: parsed YAML
    """Return a document; PAI's SDK writes a pipeline within another as a list of its documents."""
    return [each for item in value for each in _flat(item)] if isinstance(value, list) else [value]


def arguments_text(parameters: Sequence[Mapping[str, Json]], artifacts: Sequence[Mapping[str, Json]]) -> str:
    """Write the arguments of a run."""
    given: Document = {"parameters": [dict(it) for it in parameters], "artifacts": [dict(it) for it in artifacts]}
    return to_yaml([{"arguments": given, "env": None}])
