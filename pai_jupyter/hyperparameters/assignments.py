"""Read hyperparameters declared by assigning a literal: annotated, with a `# hp:` comment, or as an entry of a dict.

    lr: float = 0.01                    annotated, at the top level of the script
    depth = 3  # hp: [1..10]            with a comment, anywhere
    hp = {"lr": 0.01, "depth": 3}       a dict called hp, hps, hparams or hyperparameters, at the top level

A plain constant (`SEED = 42`) is not a hyperparameter (see suggestions.py), nor is a value annotated `Final` or `ClassVar`.
"""

import ast
from collections.abc import Iterable, Iterator

from pai_jupyter.hyperparameters.annotations import Annotation, read_annotation
from pai_jupyter.hyperparameters.comments import Comments, Constraint
from pai_jupyter.hyperparameters.declaration import (
    Declaration,
    DeclarationPriority,
    constrain,
    with_choices,
    with_default,
)
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType, Note, Origin, span_of
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal, write_literal
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import Scalar, is_hyperparameter_name

DICT_NAMES = frozenset({"hp", "hps", "hparams", "hyperparameters"})


def read_assignments(module: ast.Module, nodes: Iterable[ast.AST], comments: Comments) -> Iterator[Declaration | Note]:
    """Yield the declarations at the top level of `module`, and those with a comment among `nodes`."""
    top = [node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    seen = {id(node) for node in top}
    deeper = [node for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign) and id(node) not in seen]
    for node in [*top, *deeper]:
        name = _target(node)
        if name is None or node.value is None:
            continue
        if name in DICT_NAMES and isinstance(node.value, ast.Dict) and id(node) in seen:
            yield from _entries(node.value, comments)
        else:
            yield from _assignment(name, node, comments, is_top=id(node) in seen)


def _assignment(
    name: str, node: ast.Assign | ast.AnnAssign, comments: Comments, *, is_top: bool
) -> Iterator[Declaration | Note]:
    value = node.value
    annotation = read_annotation(node.annotation) if isinstance(node, ast.AnnAssign) else None
    try:
        default = read_literal(value) if value is not None else None
    except NotLiteralError:
        return  # a `# hp:` comment on it is left over, and noted
    constraint = comments.take(node.end_lineno, node.end_col_offset)
    is_annotated = is_top and annotation is not None and not annotation.is_constant
    if default is None and annotation is not None and annotation.type is None:
        is_annotated = False  # `model: Net = None` is a variable of the script
    if value is None or (constraint is None and not is_annotated):
        return
    if not is_hyperparameter_name(name):
        if constraint is not None:
            text = f"`{name}` cannot be a hyperparameter: names are letters, digits, _, - and ., with no _ in front"
            yield Note(line=node.lineno, text=text)
        return
    strength = DeclarationPriority.ANNOTATION if constraint is None else DeclarationPriority.COMMENT
    yield _declare(name, value, default, constraint, annotation or Annotation(), strength, "assignment")


def _entries(node: ast.Dict, comments: Comments) -> Iterator[Declaration]:
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str) and is_hyperparameter_name(key.value)):
            continue
        try:
            default = read_literal(value)
        except NotLiteralError:
            continue
        constraint = comments.take(value.end_lineno, value.end_col_offset)
        strength = DeclarationPriority.DICT if constraint is None else DeclarationPriority.COMMENT
        yield _declare(key.value, value, default, constraint, Annotation(), strength, "dict")


def _declare(
    name: str,
    node: ast.expr,
    default: Scalar,
    constraint: Constraint | None,
    annotation: Annotation,
    strength: DeclarationPriority,
    origin: Origin,
) -> Declaration:
    kind = annotation.type or _type_by_value(default, constraint)
    nullable = annotation.nullable and kind != "String"  # for which "None" is text
    declared = Hyperparameter(
        name=name, type=kind, origin=origin, nullable=nullable, line=node.lineno, places=(span_of(node),)
    )
    if annotation.choices:
        declared = with_choices(declared, annotation.choices)
    declared = constrain(declared, constraint, line=node.end_lineno or node.lineno)
    declared = with_default(declared, default, write_literal(default))
    return Declaration(hyperparameter=declared, strength=strength, line=node.lineno)


def _type_by_value(default: Scalar, constraint: Constraint | None) -> HyperparameterType:
    """Infer the type from the default; a comment's bounds and choices can widen an integer or None."""
    if constraint is None:
        return type_of(default)
    bounds = [bound for bound in (constraint.minimum, constraint.maximum, constraint.step) if bound is not None]
    hints = [*bounds, *constraint.choices]
    if default is None and hints:
        default = next((hint for hint in hints if isinstance(hint, float)), hints[0])
    kind = type_of(default)
    return "Float" if kind == "Int" and any(isinstance(hint, float) for hint in hints) else kind


def _target(node: ast.Assign | ast.AnnAssign) -> str | None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None
