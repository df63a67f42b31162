"""Helpers for syntax tree nodes, shared by the checks."""

import ast


def text(node: ast.AST | None) -> str | None:
    """Return the value of a string literal; None for any other node."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def called(call: ast.Call) -> str:
    """Return the last name of the callee: `read_csv` for `pd.read_csv(...)`; "" for other expressions."""
    return last_name(call.func)


def last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """Return the argument at `position`, else the keyword argument with one of `names`, else None."""
    if len(call.args) > position:
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg in names), None)
