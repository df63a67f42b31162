"""Read what the modules beside a script declare: parsers that it calls, and definitions that it hands to a parser.

Rule: that a parser of a module is the one that the script uses is likely, not certain. So its options are shown and may be
given, but none is required, no default is sent, and only an input that the job has fills one.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from posixpath import dirname, join

from pai_jupyter.hyperparameters.arguments import read_arguments
from pai_jupyter.hyperparameters.channels import split_channels
from pai_jupyter.hyperparameters.comments import Comments
from pai_jupyter.hyperparameters.declaration import Declaration, merge
from pai_jupyter.hyperparameters.fixed_words import FixedWords
from pai_jupyter.hyperparameters.hyperparameter import Channel, Hyperparameter
from pai_jupyter.hyperparameters.local_modules import Definition, ReachableModule, read_local_modules
from pai_jupyter.hyperparameters.readers import ScriptText, read_styles
from pai_jupyter.hyperparameters.readers.reader import no_file
from pai_jupyter.hyperparameters.subparsers import read_subparsers
from pai_jupyter.hyperparameters.syntax import relevant_nodes
from pai_jupyter.spec import ArgumentStyle, env_name


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What the modules beside a script hold: `definitions` by name, options, and how an undeclared value is passed."""

    definitions: Mapping[str, Definition]
    declared: tuple[Hyperparameter, ...] = ()
    suggestions: tuple[Hyperparameter, ...] = ()
    undeclared: ArgumentStyle | None = None

    def beside(
        self, own: Iterable[Hyperparameter], *, inputs: Collection[str]
    ) -> tuple[list[Hyperparameter], list[Channel]]:
        """Return the options that the script itself does not declare, and those that hold the path of an input."""
        taken = {env_name(name) for it in own for name in (it.name, *it.aliases)}
        free = [it for it in self.declared if env_name(it.name) not in taken]
        _, channels = split_channels(free, inputs=inputs, outputs=())
        filled = [it for it in channels if it.direction == "input" and not it.candidate]
        names = {it.name for it in filled}
        return [it for it in free if it.name not in names], filled


def read_imported(script: ScriptText) -> Imported:
    """Read the modules that a script imports from beside it."""
    modules = () if script.file is no_file else read_local_modules(script.module, script.file)
    found = [it for module in modules for it in _arguments(module)]  # needs the lines of the module
    definitions = dict(_at_their_imports(modules))
    styles = [(style, module) for module in modules for style in read_styles(_text(module, script, definitions))]
    found += [_offered(it, module) for style, module in styles for it in style.declarations]
    suggestions = {it.name: it for style, _ in styles for it in style.suggestions}
    return Imported(
        definitions=definitions,
        declared=tuple(merge(found)),
        suggestions=tuple(suggestions.values()),
        undeclared=next((style.undeclared for style, _ in styles if style.undeclared), None),
    )


def _arguments(module: ReachableModule) -> Iterator[Declaration]:
    nodes = relevant_nodes(module.reached, module.source)
    read = read_arguments(
        nodes,
        Comments(""),
        read_subparsers(module.reached, module.source),
        fixed=FixedWords(module.reached, module.source),
    )
    return (_offered(it, module) for it in read.declarations)


def _offered(declaration: Declaration, module: ReachableModule) -> Declaration:
    declared = declaration.hyperparameter
    offered = replace(declared, line=module.line, required=False, only_if_given=True, places=())
    return replace(declaration, hyperparameter=offered, line=module.line)


def _at_their_imports(modules: Iterable[ReachableModule]) -> Iterator[tuple[str, Definition]]:
    """Yield the definitions, the nearest module's last, on the lines of the script's imports: a form shows these."""
    for module in reversed(tuple(modules)):
        for name, definition in module.definitions():
            for node in ast.walk(definition):
                if isinstance(node, ast.stmt | ast.expr | ast.arg):
                    node.lineno = module.line
            yield name, definition


def _text(module: ReachableModule, script: ScriptText, definitions: Mapping[str, Definition]) -> ScriptText:
    directory = dirname(module.path)

    def file(path: str) -> str | None:
        found = script.file(join(directory, path))
        return script.file(path) if found is None else found

    def names(path: str) -> Collection[str]:
        return script.names(join(directory, path)) or script.names(path)

    return ScriptText(module=module.reached, source=module.source, file=file, names=names, imported=definitions)
