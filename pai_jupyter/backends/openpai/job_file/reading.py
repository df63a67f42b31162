"""The text of a job file: JSON with comments (version 1), YAML (version 2). Pure.

Rule 1: reading makes plain values only, of a bounded number, whatever the text holds.
Rule 2: YAML means what it means to the servers (js-yaml 3): `yes` and `on` are words, `010` is 8 and `1:30` is 90.
Rule 3: a name that is there twice is an error: servers take the last one of JSON without a word, and fail over YAML.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pai_jupyter.errors import SpecError

MAX_BYTES = 100_000  # of a request's body that the servers take
_MOST_VALUES = 20_000
_MOST_BITS = 13_000  # of a whole number; Python does not write more than 4300 digits
_DEEPEST = 50
_NO_NUMBER = "the job file has a number that cannot be read."
_HALF = re.compile(r"[\ud800-\udfff]")
_TRUTH = "tag:yaml.org,2002:bool"
_JSON_PARTS = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMAS = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def read_job_file(config: object, version: str) -> Mapping[str, object]:
    """Return the job file as an object.

    Raises:
        SpecError: it cannot be read, is too large, or is no object.
    """
    if isinstance(config, str):
        check_length(config)
        config = _json(config) if version == "v1" else _yaml(config)
    _check_size(config)
    if not isinstance(config, Mapping):
        raise SpecError("the job file is no object. It begins e.g. with " + _BEGINNING[version])
    return config


def check_length(text: str) -> None:
    """Reject the text of a job file that no server takes."""
    _check_whole(text)
    if len(data := text.encode()) > MAX_BYTES:
        raise SpecError(f"the job file has {len(data)} bytes; servers take {MAX_BYTES}. Move data and code out of it.")


def _check_whole(text: str) -> None:
    if _HALF.search(text):
        raise SpecError("the job file has half of a character: a lone surrogate. Write the character anew.")


_BEGINNING = {"v1": '{"jobName": ...', "v2": "protocolVersion: 2"}


def version_of(config: object) -> str:
    """Return "v1" or "v2": what a text or an object looks like."""
    if isinstance(config, Mapping):
        return "v1" if "jobName" in config or "protocolVersion" not in config else "v2"
    if not isinstance(config, str) or not (text := _JSON_PARTS.sub(r"\1", config)).lstrip().startswith("{"):
        return "v2"
    return "v2" if '"protocolVersion"' in text and '"jobName"' not in text else "v1"  # JSON is YAML, too


def read_plain_json(text: str) -> object:
    """Read JSON with comments, as settings of VS Code are; raise ValueError if it is none."""
    try:
        return json.loads(_bare(text))
    except RecursionError as exc:
        raise ValueError from exc


def _bare(text: str) -> str:
    return _LAST_COMMAS.sub(lambda found: found[1] or " ", _JSON_PARTS.sub(_blanked, text))


def _json(text: str) -> object:
    try:
        return json.loads(_bare(text), object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as exc:
        raise SpecError(f"the job file is no JSON: line {exc.lineno}: {exc.msg}.") from exc
    except RecursionError as exc:
        raise SpecError(f"the job file is nested more than {_DEEPEST} deep.") from exc
    except ValueError as exc:  # of a number with thousands of digits
        raise SpecError(_NO_NUMBER) from exc


def _blanked(found: re.Match[str]) -> str:
    """Keep a text; of a comment keep its lines, so that errors name the right one."""
    return found[1] or " " + "\n" * found[0].count("\n")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SpecError(f"the job file has the name {twice[:60]!r} twice in one object. Remove one of them.")
    return dict(pairs)


def _no_constant(word: str) -> None:
    raise SpecError(f"the job file has {word}, which is no JSON.")


def _yaml(text: str) -> object:
    try:
        import yaml  # imported late: only the text of a job file of version 2 needs it
    except ImportError as exc:
        raise SpecError("reading YAML needs the package PyYAML. Type: %pip install pyyaml") from exc

    class JobLoader(yaml.SafeLoader):
        """Knows no other words for true and false than those, joins halves of characters, and refuses names that are there twice."""

        def construct_scalar(self, node: Any) -> Any:  # Any: the library's own types
            value = super().construct_scalar(node)
            if not isinstance(value, str) or _HALF.search(value) is None:
                return value
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # two halves are one

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # Any: the library's own types
            names: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in names:
                    raise yaml.MarkedYAMLError(
                        problem=f"the name {key.value[:60]!r} is there twice", problem_mark=key.start_mark
                    )
                names.add(str(key.value))
            return super().construct_mapping(node, deep=deep)

    JobLoader.yaml_implicit_resolvers = {
        first: [each for each in known if each[0] != _TRUTH]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    JobLoader.add_implicit_resolver(_TRUTH, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
    try:
        value: object = yaml.load(text, JobLoader)  # noqa: S506  a SafeLoader
    except yaml.YAMLError as exc:
        raise SpecError(f"the job file is no YAML: {_reason(exc)}.") from exc
    except (RecursionError, ValueError, TypeError, OverflowError, AttributeError, LookupError) as exc:  # of wrong tags
        raise SpecError(f"the job file is no YAML: {type(exc).__name__}.") from exc
    return value


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = str(getattr(error, "problem", None) or error).splitlines()[0].rstrip(".")
    return f"line {mark.line + 1}: {problem}" if mark is not None else problem


def _check_size(value: object) -> None:
    """Reject what would be walked for ever: aliases make large values of few lines, and objects may hold themselves."""
    level, count = [value], 0
    for _ in range(_DEEPEST):
        inner: list[object] = []
        for each in level:
            inner += _inside(each)
            if (count := count + 1) > _MOST_VALUES or len(inner) > _MOST_VALUES:
                raise SpecError(f"the job file has more than {_MOST_VALUES} values.")
        if not (level := inner):
            return
    raise SpecError(f"the job file is nested more than {_DEEPEST} deep.")


def _inside(value: object) -> list[object]:
    """Return what a value holds, names that are no texts included; reject what nobody can write."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise SpecError(_NO_NUMBER)
    if isinstance(value, str):
        _check_whole(value)
    if isinstance(value, Mapping):
        _check_whole("".join(name for name in value if isinstance(name, str)))
        return [*value.values(), *(name for name in value if not isinstance(name, str))]
    return list(value) if isinstance(value, list | tuple) else []
