"""Read the `Schema` of a script from its source."""

from collections.abc import Callable, Collection
from dataclasses import replace

from pai_jupyter.hyperparameters.alternatives import place_of
from pai_jupyter.hyperparameters.arguments import read_arguments
from pai_jupyter.hyperparameters.assignments import read_assignments
from pai_jupyter.hyperparameters.channels import split_channels
from pai_jupyter.hyperparameters.comments import Comments
from pai_jupyter.hyperparameters.declaration import Declaration, merge, notes_on_defaults
from pai_jupyter.hyperparameters.fixed_words import FixedWords
from pai_jupyter.hyperparameters.full_names import with_full_names
from pai_jupyter.hyperparameters.hyperparameter import Note
from pai_jupyter.hyperparameters.imported import read_imported
from pai_jupyter.hyperparameters.offered_names import read_dict_entries, without_places
from pai_jupyter.hyperparameters.overwritten import notes_on_overwritten
from pai_jupyter.hyperparameters.readers import ScriptText, read_styles
from pai_jupyter.hyperparameters.readers.reader import no_file, no_names
from pai_jupyter.hyperparameters.schema import Schema
from pai_jupyter.hyperparameters.subparsers import read_subparsers
from pai_jupyter.hyperparameters.suggestions import read_suggestions
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
    file: Callable[[str], str | None] = no_file,
    names: Callable[[str], Collection[str]] = no_names,
) -> Schema:
    """Read what `source` declares, without running it; `inputs` and `outputs` are the channels of the job.

    `beside` are the files and directories that it may import; None = unknown. `file` returns the text of a file by its path
    from the script, None if there is none; `names` what lies in a directory.

    Raises:
        SpecError: with `line`, if `source` is not valid Python, or a `# hp:` comment contradicts itself.
    """
    module = parse(source)
    comments = Comments(source)
    nodes = list(relevant_nodes(module, source))
    arguments = read_arguments(nodes, comments, read_subparsers(module, source), fixed=FixedWords(module, source))
    text = ScriptText(module=with_full_names(module, source), source=source, file=file, names=names)
    imported = read_imported(text)
    styles = list(read_styles(replace(text, imported=imported.definitions)))
    assigned = list(read_assignments(module, nodes, comments))
    declarations = [*arguments.declarations, *(it for style in styles for it in style.declarations)]
    declarations += [it for it in assigned if isinstance(it, Declaration)]
    notes = [*arguments.notes, *(it for style in styles for it in style.notes)]
    notes += [it for it in assigned if isinstance(it, Note)]
    notes += [Note(line=line, text=_LEFT_OVER) for line in comments.left_over()]
    merged = merge(declarations)
    notes += notes_on_defaults(merged)
    notes += notes_on_overwritten(module, merged)
    hyperparameters, channels = split_channels(merged, inputs=inputs, outputs=outputs)
    others, other_channels = imported.beside(merged, inputs=inputs)
    holders = frozenset(name for style in styles for name in style.holders)
    read = frozenset(name for style in styles for name in style.modules)
    declared = [*merged, *imported.declared]
    entries = read_dict_entries(module, source, declared=declared)
    written = read_suggestions(module, source, declared=declared, read=holders, entries=entries)
    taken = {it.name for it in (*declared, *written)}
    offered = [*(it for style in styles for it in style.suggestions), *imported.suggestions]
    takers = find_takers(module, source, arguments, beside=beside, read=read)
    return Schema(
        hyperparameters=tuple(sorted([*hyperparameters, *others], key=place_of)),
        channels=(*channels, *other_channels),
        suggestions=(*written, *(it for it in offered if it.name not in taken)),
        entries=without_places(entries, written),
        undeclared=next((style.undeclared for style in styles if style.undeclared), imported.undeclared),
        options=arguments.options,
        abbreviates="allow_abbrev" not in source,
        strict=arguments.strict and not takers.words and not takers.forgives,
        is_closed=not takers.any,
        source=source,
        notes=tuple(sorted(notes, key=lambda note: note.line)),
    )
