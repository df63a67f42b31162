"""`ContainerComponent`: a command in an image.

Its inputs go into command and variables as references. It writes output parameters to /pai/outputs/parameters/<name>, and output
artifacts to their `path`.

    ContainerComponent(image_uri="python:3", command=["python", "-c", CODE, lr], inputs=[lr := PipelineParameter("lr", float)])
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.workflow.unregistered_component import UnRegisteredComponent
from pai_jupyter.workflow.variables import PipelineVariable

Word = str | PipelineVariable


class ContainerComponent(UnRegisteredComponent):
    """A plain container.

    Args:
        command: the program and its arguments; text is split into words as a shell does.
        args: further arguments.
        env: variables.

    Raises:
        SpecError: there is no image or no command, or a name is there twice.

    Example:
        >>> component = ContainerComponent(image_uri="python:3", command=["python", "-c", "print(1)"])
        >>> component.local_run("one", backend="process").state.status.value
        'succeeded'
    """

    def __init__(
        self,
        image_uri: str,
        command: Sequence[Word] | str,
        args: Sequence[Word] | None = None,
        image_registry_config: Mapping[str, Json] | None = None,
        inputs: Iterable[PipelineVariable] | None = None,
        outputs: Iterable[PipelineVariable] | None = None,
        env: Mapping[str, Word | int | float] | None = None,
    ) -> None:
        if not isinstance(image_uri, str) or not image_uri:
            raise SpecError("a container needs an image, e.g. image_uri='python:3'.", field="image_uri")
        words = shlex.split(command) if isinstance(command, str) else list(command or ())
        if not words:
            raise SpecError("a container needs a command, e.g. command=['python', 'train.py'].", field="command")
        super().__init__(inputs, outputs)
        self.image_uri = image_uri
        self.command = _checked(words, "command")
        self.args = _checked(args or (), "args")
        self.image_registry_config = dict(image_registry_config or {})
        self.env = dict(env or {})

    def spec_to_dict(self) -> dict[str, Json]:
        container: dict[str, Json] = {
            "image": self.image_uri,
            "command": [_text(it) for it in self.command],
            "imageRegistryConfig": {**self.image_registry_config},
        }
        if self.env:
            container["envs"] = {str(name): _text(it) for name, it in self.env.items()}
        if self.args:
            container["args"] = [_text(it) for it in self.args]
        return {**self.io_spec_to_dict(), "container": container}


def _checked(words: Iterable[Word], field: str) -> list[Word]:
    found = list(words)
    for it in found:
        if not isinstance(it, str | PipelineVariable | int | float):
            raise SpecError(
                f"`{field}` must be a list of texts and parameters, and {shown(repr(it))} is neither.", field=field
            )
    return found


def _text(word: object) -> str:
    return word.enclosed_fullname if isinstance(word, PipelineVariable) else str(word)
