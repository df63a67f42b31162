"""Check a script for problems before anything starts.

Rule 1: an error is certain and stops the job; anything less is a warning. One false error costs more than ten missed ones.
Rule 2: the code is parsed and compiled, never run; compiling finds `return` and `await` outside of a function.
Rule 3: facts outside the code (files sent, the backend's /ml, names of hyperparameters) come as arguments.
"""

import ast
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pai_jupyter.cell.calls import bool_options, colliding_names, literal_credentials, unanswered_questions
from pai_jupyter.cell.finding import Finding
from pai_jupyter.cell.names import read_names, undefined_names
from pai_jupyter.cell.paths import literal_ml_paths, paths_of_this_machine, unsent_files


def lint(
    source: str,
    *,
    known_files: Collection[str] | None = None,
    inputs: Mapping[str, Collection[str]] = MappingProxyType({}),
    literal_ml: bool = True,
    hyperparameter_names: Iterable[str] = (),
    explanations: Mapping[str, str] = MappingProxyType({}),
    given: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Check a script and return its findings in line order.

    Args:
        source: the text of train.py, from `read_cell` or from a file.
        known_files: paths of the package, relative to the script: files, and directories that are sent whole; None = unknown.
        inputs: the channels of the job with the paths that they have here, as the code may write them.
        literal_ml: whether the job sees a real directory /ml.
        hyperparameter_names: those of the schema and those given in addition.
        explanations: sentences for names that are known to be undefined, by name.
        given: those of them that the job gives a value.
    """
    options = list(hyperparameter_names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # syntax warnings about the user's code are not shown
        tree, problem = _parse(source)
    nodes = _nodes(tree) if tree else []
    findings = [] if problem is None else [problem]
    findings += colliding_names(options, nodes)
    if tree:
        lines = source.split("\n")
        left = [name for name in options if name not in given]
        findings += (
            _in_characters(finding, lines)
            for finding in _check(tree, nodes, known_files, inputs, literal_ml, left, explanations)
        )
    return tuple(sorted(findings, key=lambda finding: (finding.line, finding.column or 0, finding.code)))


def _check(
    tree: ast.Module,
    nodes: Sequence[ast.AST],
    known_files: Collection[str] | None,
    inputs: Mapping[str, Collection[str]],
    literal_ml: bool,
    options: Collection[str],
    explanations: Mapping[str, str],
) -> Iterator[Finding]:
    names = read_names(tree)
    yield from undefined_names(names, explanations)
    yield from unanswered_questions(names, nodes, options)
    yield from bool_options(nodes)
    yield from literal_credentials(nodes)
    yield from paths_of_this_machine(nodes, names, inputs)
    if known_files is not None:
        yield from unsent_files(nodes, names, known_files, inputs)
    if not literal_ml:
        yield from literal_ml_paths(nodes)


def _parse(source: str) -> tuple[ast.Module | None, Finding | None]:
    """Parse the source; return its syntax tree and its syntax error, each None if there is none."""
    tree = None
    try:
        tree = ast.parse(source)
        compile(source, "train.py", "exec", dont_inherit=True)
    except SyntaxError as exc:
        return tree, _syntax_finding(exc, source)
    except (
        ValueError,
        RecursionError,
        MemoryError,
    ) as exc:  # a NUL, a lone surrogate, or nesting too deep for the parser
        reason = str(exc) or "it is nested too deeply"
        return None, Finding(line=1, code="syntax", message=f"Python cannot read this code: {reason}.")
    return tree, None


def _syntax_finding(exc: SyntaxError, source: str) -> Finding:
    line = min(max(exc.lineno or 1, 1), source.count("\n") + 1)
    column = max((exc.offset or 1) - 1, 0)
    reason = exc.msg.rstrip(".")
    if "outside" in reason and ("await" in reason or "async" in reason):
        message = (
            f"{reason}: a script has no running event loop. Put it into `async def main():`, then asyncio.run(main())."
        )
        return Finding(line=line, column=column, code="top-level-await", message=message)
    return Finding(line=line, column=column, code="syntax", message=f"Python cannot read this line: {reason}.")


def _nodes(tree: ast.Module) -> list[ast.AST]:
    """List all nodes that carry content, outer ones first; three times as fast as `ast.walk`."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # the list grows while it is read
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:
                nodes.append(value)
    return nodes


def _in_characters(finding: Finding, lines: Sequence[str]) -> Finding:
    """Convert the column from UTF-8 bytes, as `ast` counts, to characters."""
    if not finding.column:
        return finding
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    return replace(finding, column=len(line.encode()[: finding.column].decode(errors="ignore")))
