"""Read the `Schema` of a script from its source."""

from collections.abc import Collection

from pai_jupyter.hyperparameters.arguments import read_arguments
from pai_jupyter.hyperparameters.assignments import read_assignments
from pai_jupyter.hyperparameters.channels import split_channels
from pai_jupyter.hyperparameters.comments import Comments
from pai_jupyter.hyperparameters.declaration import Declaration, merge, notes_on_defaults
from pai_jupyter.hyperparameters.hyperparameter import Note
from pai_jupyter.hyperparameters.other_parsers import read_other_parsers
from pai_jupyter.hyperparameters.overwritten import notes_on_overwritten
from pai_jupyter.hyperparameters.schema import Schema
from pai_jupyter.hyperparameters.syntax import parse, relevant_nodes
from pai_jupyter.hyperparameters.undeclared import find_takers

_LEFT_OVER = (
    "this `# hp:` comment stands behind no `name = literal`, dict entry or add_argument(...), so it has no effect"
)


def read_schema(
    source: str,
    *,
    inputs: Collection[str] = (),
    outputs: Collection[str] = (),
    beside: Collection[str] | None = (),
) -> Schema:
    """Read what `source` declares, without running it; `inputs` and `outputs` are the channels of the job.

    `beside` are the files and directories that it may import; None = unknown.

    Raises:
        SpecError: with `line`, if `source` is not valid Python, or a `# hp:` comment contradicts itself.
    """
    module = parse(source)
    comments = Comments(source)
    nodes = list(relevant_nodes(module, source))
    arguments = read_arguments(nodes, comments)
    found = [*read_other_parsers(module, source), *read_assignments(module, nodes, comments)]
    declarations = [*arguments.declarations, *(it for it in found if isinstance(it, Declaration))]
    notes = [*arguments.notes, *(it for it in found if isinstance(it, Note))]
    notes += [Note(line=line, text=_LEFT_OVER) for line in comments.left_over()]
    merged = merge(declarations)
    notes += notes_on_defaults(merged)
    notes += notes_on_overwritten(module, merged)
    hyperparameters, channels = split_channels(merged, inputs=inputs, outputs=outputs)
    takers = find_takers(module, source, arguments, beside=beside)
    return Schema(
        hyperparameters=tuple(hyperparameters),
        channels=tuple(channels),
        options=arguments.options,
        abbreviates="allow_abbrev" not in source,
        strict=arguments.strict and not takers.words and not takers.forgives,
        is_closed=not takers.any,
        source=source,
        notes=tuple(sorted(notes, key=lambda note: note.line)),
    )
