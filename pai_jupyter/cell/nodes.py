"""Small questions to nodes of a syntax tree, which several checks ask."""

import ast


def text(node: ast.AST | None) -> str | None:
    """The value of a string literal."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def called(call: ast.Call) -> str:
    """The last name of what is called: `read_csv` of `pd.read_csv(...)`; "" for anything stranger."""
    return last_name(call.func)


def last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """The argument at `position` or, where it is not given so, by one of these names."""
    if len(call.args) > position:
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg in names), None)
