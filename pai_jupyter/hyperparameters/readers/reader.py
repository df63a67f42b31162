"""What a reader of a style is given, and what it gives."""

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pai_jupyter.hyperparameters.declaration import Declaration, DeclarationPriority
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, Note
from pai_jupyter.hyperparameters.local_modules import Definition, Function
from pai_jupyter.spec import ArgumentStyle


def no_file(path: str) -> str | None:
    """Return None: no file beside the script is known."""
    return None


def no_names(directory: str) -> Collection[str]:
    """Return nothing: no directory beside the script is known."""
    return ()


@dataclass(frozen=True, kw_only=True)
class ScriptText:
    """A script, or a module that it imports, with its syntax tree.

    `file` returns the text of a file beside it, None if there is none; `names` what lies in a directory beside it.
    `imported` are definitions in local modules.
    """

    module: ast.Module
    source: str
    file: Callable[[str], str | None] = field(default=no_file, repr=False)
    names: Callable[[str], Collection[str]] = field(default=no_names, repr=False)
    imported: Mapping[str, Definition] = field(default_factory=dict, repr=False)

    @cached_property
    def own_functions(self) -> Mapping[str, Function]:
        """The functions at the top level by name; of several of one name the last."""
        return {it.name: it for it in self.module.body if isinstance(it, Function)}

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The functions at the top level, and those that are imported from modules beside the script."""
        return {**{name: it for name, it in self.imported.items() if isinstance(it, Function)}, **self.own_functions}

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """The classes by name: at the top level, within these, and imported from modules beside the script."""
        own = [it for it in self.module.body if isinstance(it, ast.ClassDef)]
        inner = [it for outer in own for it in outer.body if isinstance(it, ast.ClassDef)]
        imported = {name: it for name, it in self.imported.items() if isinstance(it, ast.ClassDef)}
        return {**{it.name: it for it in inner}, **imported, **{it.name: it for it in own}}


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a script declares in one style.

    `suggestions` are options of a library that nobody declared and that may be given. `modules` are the libraries whose part
    of the command line is all read, so that no other value can go to them.
    `holders` are the classes that were read, so that their attributes are no suggestions.
    `undeclared` is how a value goes to the script that it does not declare.
    """

    declarations: tuple[Declaration, ...] = ()
    suggestions: tuple[Hyperparameter, ...] = ()
    notes: tuple[Note, ...] = ()
    modules: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    undeclared: ArgumentStyle | None = None


class Reader(Protocol):
    """Reads one style; None where the script has nothing of it."""

    def __call__(self, script: ScriptText, /) -> Found | None: ...


def declared_by_parser(hyperparameter: Hyperparameter) -> Declaration:
    """Make the declaration of an option."""
    return Declaration(
        hyperparameter=hyperparameter, strength=DeclarationPriority.ARGPARSE, line=hyperparameter.line or 1
    )
