"""The text of a saved component: YAML, read strictly.

Rule 1: reading makes plain values only, whatever the file holds; an alias or a name that is there twice is an error.
Rule 2: an error names the line.
"""

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

if TYPE_CHECKING:
    import yaml

_LARGEST = 20_000_000  # bytes of a file


def yaml_errors() -> "tuple[type[yaml.YAMLError]]":
    import yaml  # imported late: most processes read no component

    return (yaml.YAMLError,)


def reason_of(error: Exception) -> str:
    """Return the first line of an error's text, with the line of the file if the error knows it."""
    said = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None:
        return said
    return f"line {mark.line + 1}: {str(problem).rstrip('.') if problem else said}"


def read_yaml(data: bytes) -> object:
    """Parse YAML."""
    import yaml

    class ComponentLoader(yaml.SafeLoader):
        """Refuses aliases, of which a few lines make a value of any size, and names that are there twice."""

        def compose_node(self, parent: Any, index: Any) -> Any:  # Any: the library's own types
            if self.check_event(yaml.AliasEvent):
                raise yaml.MarkedYAMLError(
                    problem="it has an alias, which `save` never writes",
                    problem_mark=self.peek_event().start_mark,  # type: ignore[no-untyped-call]  # the library's
                )
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # Any: likewise
            names: set[str] = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue  # the parser refuses it
                if key.value in names:
                    raise yaml.MarkedYAMLError(
                        problem=f"`{key.value[:100]}` is there twice", problem_mark=key.start_mark
                    )
                names.add(key.value)
            return super().construct_mapping(node, deep=deep)

    value: object = yaml.load(data.decode(), ComponentLoader)  # noqa: S506  a SafeLoader
    return value


def write_yaml(document: dict[str, Json]) -> str:
    """Write YAML that a person can read."""
    import yaml

    class ComponentDumper(yaml.SafeDumper):
        """Writes texts of several lines as they are read."""

    def text(dumper: Any, value: str) -> Any:  # Any: the library's own types
        is_block = "\n" in value and not any(line != line.rstrip() for line in value.split("\n"))
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if is_block else None)

    ComponentDumper.add_representer(str, text)
    written: str = yaml.dump(document, Dumper=ComponentDumper, sort_keys=False, allow_unicode=True, width=120)
    return written


def file_bytes(place: Path) -> bytes:
    """Read a regular file; a pipe would be waited for, and a device may have no end."""
    fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", 0) as file:
        found = os.fstat(fd)
        if stat.S_ISDIR(found.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(found.st_mode):
            raise SpecError(f"'{place}' is no plain file. Give one that `save` wrote, e.g. iris.yaml", field="file")
        if found.st_size > _LARGEST:
            raise SpecError(f"'{place}' is too large for a saved component.", field="file")
        return file.read(_LARGEST + 1)
