"""Code that runs only with an option of the script that the job does not give: `if args.interactive: ask()`."""

import ast
from collections.abc import Collection, Sequence


def behind_options(nodes: Sequence[ast.AST], options: Collection[str]) -> set[int]:
    """Return the ids of the nodes that only run where one of `options`, of which none is given, is true.

    A function is among them where every use of its name is.
    """
    names = {name.replace("-", "_") for name in options}
    tests = [node for node in nodes if isinstance(node, ast.If) and _asks_for(node.test, names)]
    found = {id(each) for test in tests for statement in test.body for each in ast.walk(statement)}
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)] if found else []
    for _ in range(3):  # a function that another one calls
        for function in functions:
            uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == function.name]
            if uses and all(id(use) in found for use in uses):
                found.update(id(each) for each in ast.walk(function))
    return found


def _asks_for(test: ast.expr, names: Collection[str]) -> bool:
    """Return whether a condition is an option, or one beside others: `args.ask`, `args.ask and x`, `FLAGS.ask`."""
    match test:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name in names
        case ast.BoolOp(op=ast.And(), values=values):
            return any(_asks_for(value, names) for value in values)
        case _:
            return False
