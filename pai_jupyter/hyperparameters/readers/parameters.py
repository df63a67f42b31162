"""Parameters of functions and fields of dataclasses, from which libraries make options: name, type, default, help.

A field of a class that is a dataclass itself has fields of its own, `optim.lr`, or flat, `lr`, as the library has it.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.annotations import Annotation, read_annotation
from pai_jupyter.hyperparameters.declaration import with_choices, with_default
from pai_jupyter.hyperparameters.expressions import (
    constant,
    dotted,
    is_literal,
    keywords,
    last_part,
    text,
    unparsed,
)
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import Scalar, is_hyperparameter_name

_FIELDS = ("field", "Field", "mutable_field", "choice", "list_field", "ib")
_TEXTS = ("Path", "PathLike", "PosixPath", "PurePath")
_DEEPEST = 6


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter; `default` None: it has none. `is_positional`: it comes before any `*`."""

    name: str
    line: int
    annotation: ast.expr | None
    default: ast.expr | None
    help: str = ""
    is_positional: bool = True
    choices: tuple[Scalar, ...] = ()

    @property
    def annotated(self) -> Annotation:
        return Annotation() if self.annotation is None else read_annotation(self.annotation)


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Parameter]:
    """Yield the named parameters of a function; `self` and `cls` are none."""
    described = documented(ast.get_docstring(function) or "")
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(places) - len(arguments.defaults)), *arguments.defaults]
    pairs = [*zip(places, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    for place, (argument, default) in enumerate(pairs):
        if place or argument.arg not in ("self", "cls"):
            yield Parameter(
                name=argument.arg,
                line=argument.lineno,
                annotation=argument.annotation,
                default=default,
                help=described.get(argument.arg, ""),
                is_positional=place < len(places),
            )


def documented(docstring: str) -> dict[str, str]:
    """Return the help of parameters that a docstring describes: `lr: ...`, `lr (float): ...`, `:param lr: ...`."""
    found: dict[str, str] = {}
    for line in docstring.splitlines():
        head, colon, rest = line.strip().removeprefix(":param ").removeprefix("--").partition(":")
        name = head.partition("(")[0].strip()
        if colon and name.isidentifier() and rest.strip():
            found.setdefault(name, " ".join(rest.split()))
    return found


def fields_of(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef], below: tuple[ast.ClassDef, ...] = ()
) -> list[Parameter]:
    """Return the fields of a dataclass, those of its bases first; `below` are the classes that derive from it."""
    found: dict[str, Parameter] = {}
    described = documented(ast.get_docstring(node) or "")
    for base in node.bases:
        known = classes.get(last_part(base))
        if known is not None and known not in (node, *below):  # names of several modules may go in a circle
            found.update({it.name: it for it in fields_of(known, classes, (node, *below))})
    for place, statement in enumerate(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        field = _field(statement, statement.target.id)
        if field is not None:
            behind = node.body[place + 1] if place + 1 < len(node.body) else None
            help_text = field.help or (text(behind.value) if isinstance(behind, ast.Expr) else "")
            found[field.name] = replace(field, help=help_text or described.get(field.name, ""))
    return list(found.values())


def _field(statement: ast.AnnAssign, name: str) -> Parameter | None:
    """Read `name: type = default`; None where it is no field."""
    if read_annotation(statement.annotation).class_name == "ClassVar":
        return None
    default, help_text = statement.value, ""
    choices: list[Scalar] = []
    if isinstance(default, ast.Call) and last_part(default.func) in _FIELDS:
        given = keywords(default)
        if constant(given.get("init")) is False:
            return None
        metadata = given.get("metadata")
        help_text = text(given.get("help")) or text(given.get("description")) or _entry(metadata, "help")
        choices = [constant(it) for it in default.args] if last_part(default.func) == "choice" else []
        default = _default_of(default, given)
    return Parameter(
        name=name,
        line=statement.lineno,
        annotation=statement.annotation,
        default=default,
        help=help_text,
        choices=() if None in choices else tuple(choices),
    )


def _default_of(call: ast.Call, given: Mapping[str, ast.expr]) -> ast.expr | None:
    """Return what `field(...)` gives for a default: `default=`, or what a `default_factory=` returns."""
    if "default" in given:
        return given["default"]
    match given.get("default_factory"):
        case ast.Lambda(body=body):
            return body
        case ast.Name(id="list" | "List"):
            return ast.copy_location(ast.List(elts=[], ctx=ast.Load()), call)
        case ast.Name(id="dict" | "Dict"):
            return ast.copy_location(ast.Dict(keys=[], values=[]), call)
        case ast.Name() | ast.Attribute() as factory:
            return ast.copy_location(ast.Call(func=factory, args=[], keywords=[]), call)
    return call.args[0] if call.args and last_part(call.func) != "choice" else None


def _entry(node: ast.expr | None, name: str) -> str:
    if not isinstance(node, ast.Dict):
        return ""
    return next((text(value) for key, value in zip(node.keys, node.values, strict=True) if constant(key) == name), "")


def is_dataclass(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef] | None = None) -> bool:
    """Return whether a class has fields for parameters: by its decorator, or by a base that does."""
    if any(last_part(it) in ("dataclass", "define", "attrs", "s") for it in node.decorator_list):
        return True
    bases = [last_part(base) for base in node.bases]
    known = (
        [] if classes is None else [classes[base] for base in bases if base in classes and classes[base] is not node]
    )
    return any(base in ("BaseModel", "Serializable") for base in bases) or any(is_dataclass(it) for it in known)


def all_fields(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef], *, prefix: str = "", is_flat: bool = False, depth: int = 0
) -> Iterator[Parameter]:
    """Yield the fields of a dataclass and of those in it, under the names of their options."""
    for field in fields_of(node, classes):
        inner = classes.get(field.annotated.class_name)
        is_choice = isinstance(field.default, ast.Call) and last_part(field.default.func) == "subgroups"
        if inner is None or is_choice or not is_dataclass(inner, classes) or depth >= _DEEPEST:
            yield replace(field, name=f"{prefix}{field.name}")
            continue
        below = "" if is_flat else f"{prefix}{field.name}."
        given = _given_fields(field.default, inner, classes)
        for each in all_fields(inner, classes, prefix=below, is_flat=is_flat, depth=depth + 1):
            default = given.get(each.name.removeprefix(below), each.default)
            is_known = default is not None or field.default is None
            yield replace(each, default=default if is_known else ast.Constant(value=...))


def _given_fields(
    default: ast.expr | None, inner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> Mapping[str, ast.expr]:
    """Return what `Optim(0.1, nesterov=True)` gives to the fields of a dataclass."""
    if not isinstance(default, ast.Call):
        return {}
    names = [it.name for it in fields_of(inner, classes)]
    return {**dict(zip(names, default.args, strict=False)), **keywords(default)}


def hyperparameter_of(parameter: Parameter, classes: Mapping[str, ast.ClassDef], *, enum: str) -> Hyperparameter | None:
    """Describe the option of a parameter; None where it is nothing that a line can give.

    `enum`: what the library takes for a member of an enum, its "name" or its "value".
    """
    said, default = parameter.annotated, parameter.default
    if not is_hyperparameter_name(parameter.name):
        return None
    members = _members(classes.get(said.class_name), enum)
    kind = _kind(said, default, is_enum=bool(members))
    if kind is None:
        return None
    declared = Hyperparameter(
        name=parameter.name,
        type=kind,
        required=default is None,
        line=parameter.line,
        help=parameter.help,
        item_type=said.item_type if said.is_sequence else None,
        nullable=said.nullable and kind != "String",
    )
    try:
        declared = with_choices(declared, parameter.choices or said.choices or members.values())
    except SpecError:  # of several types
        declared = replace(declared, choices=())
    return declared if default is None else _with_default(declared, default, members)


def _kind(said: Annotation, default: ast.expr | None, *, is_enum: bool) -> HyperparameterType | None:
    if said.type is not None:
        return said.type
    if is_enum or said.class_name in _TEXTS:
        return "String"
    if default is not None and is_literal(default):
        value = constant(default)
        return type_of(value) if value is not None or not said.class_name else None
    return None if said.class_name else "String"


def _with_default(declared: Hyperparameter, node: ast.expr, members: Mapping[str, str]) -> Hyperparameter:
    if members and isinstance(node, ast.Attribute):
        return replace(declared, default=members.get(node.attr), default_text=unparsed(node))
    if not is_literal(node):
        is_text = declared.type == "String" and isinstance(node, ast.Call) and last_part(node.func) in _TEXTS
        if is_text and isinstance(node, ast.Call) and len(node.args) == 1 and text(node.args[0]):
            return with_default(declared, text(node.args[0]), unparsed(node))
        return replace(declared, default_text=unparsed(node))
    return with_default(declared, constant(node), unparsed(node))


def _members(node: ast.ClassDef | None, enum: str) -> dict[str, str]:
    """Return the members of an enum, each with the word for it; none where the class is no enum."""
    if node is None or not any(dotted(base).endswith(("Enum", "Flag")) for base in node.bases):
        return {}
    found = {}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                word = name if enum == "name" else constant(value)
                found.update({name: word} if isinstance(word, str) else {})
    return found
