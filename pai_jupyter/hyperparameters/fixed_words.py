"""Words of a command line that stand in the code, so that the job's arguments, and with them its values, are not read.

    parser.parse_args([])                    "--lr 0.2".split()           ARGS = ["--lr", "5"]; parser.parse_args(ARGS)
    parser.parse_known_args(["--lr", "5"])   fire.Fire(main, "--lr 5")    main(["--lr", "5"]) of click
    tyro.cli(Args, args=[])                  docopt(__doc__, argv=[])     parse_args_into_dataclasses(args=[])
    sys.argv = ["train.py"]                  sys.argv[1:] = []            del sys.argv[1:]

Rule 1: words are fixed if they are literals, or made of literals without asking what the job was given.
Rule 2: `sys.argv` is replaced only by a statement that always runs, before anything has parsed.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cached_property

from pai_jupyter.hyperparameters.expressions import dotted, unparsed
from pai_jupyter.hyperparameters.hyperparameter import Note

# the function, the place of its words among the arguments (None: only by name), their name
_PARSERS: dict[str, tuple[int | None, str]] = {
    "parse_args": (0, "args"),
    "parse_known_args": (0, "args"),
    "parse_intermixed_args": (0, "args"),
    "parse_known_intermixed_args": (0, "args"),
    "parse_args_into_dataclasses": (0, "args"),
    "Fire": (1, "command"),
    "tyro.cli": (None, "args"),
    "simple_parsing.parse": (None, "args"),
    "draccus.parse": (None, "args"),
    "jsonargparse.CLI": (None, "args"),
    "jsonargparse.auto_cli": (None, "args"),
    "CLI": (None, "args"),
    "LightningCLI": (None, "args"),
    "docopt": (1, "argv"),
    "app.run": (None, "argv"),
    "FLAGS": (0, "argv"),
    "OmegaConf.from_cli": (0, "args_list"),
}
_KEYWORDS = re.compile(
    r"\bargv\b|\bparse_(?:known_|intermixed_|known_intermixed_)?args|\bFire\b|\bcli\s*\(|\bCLI\b|\bdocopt\b|\bclick\b|\btyper\b"
    r"|\bapp\.run\b|\bfrom_cli\b|\b(?:simple_parsing|draccus)\b"
)
_COMMANDS = re.compile(r"(?:.*\.)?(?:command|group|callback)")
_NO_MORE = ("append", "extend", "insert")  # methods that add to a list
_SHOWN = 60  # characters of a call in a sentence


class FixedWords:
    """The parsing calls of a script, and the statements that replace `sys.argv`."""

    def __init__(self, module: ast.Module, source: str) -> None:
        self._module = module
        self._source = source

    def is_fixed(self, call: ast.Call) -> bool:
        """Return whether a parsing call is given words that stand in the code."""
        words = self._words(call)
        return words is not None and self._is_made_here(words)

    def are_computed(self, call: ast.Call) -> bool:
        """Return whether the script computes the words: parse_args(os.environ["WORDS"].split())."""
        made = ast.Call | ast.BinOp | ast.ListComp | ast.GeneratorExp | ast.IfExp
        return isinstance(self._words(call), made) and not self.is_fixed(call)

    def notes(self) -> Iterator[Note]:
        """Yield a note for each line for which no value of the job reaches the script."""
        if not _KEYWORDS.search(self._source):
            return
        for call in self._calls:
            if self.is_fixed(call):
                text = (
                    f"`{unparsed(call)[:_SHOWN]}` does not read the job's arguments, so no value reaches it; "
                    f"write {self._without_words(call)[:_SHOWN]}"
                )
                yield Note(line=call.lineno, text=text)
        yield from self._notes_on_argv()

    @cached_property
    def _calls(self) -> list[ast.Call]:
        return [it for it in ast.walk(self._module) if isinstance(it, ast.Call) and self._takes(it) is not None]

    @cached_property
    def _commands(self) -> frozenset[str]:
        """The functions that click or typer makes commands of, and the apps of typer."""
        names = set()
        for node in self._module.body:
            match node:
                case ast.FunctionDef(name=name, decorator_list=decorators):
                    if any(_COMMANDS.fullmatch(dotted(it)) for it in decorators):
                        names.add(name)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)):
                    if dotted(function).rpartition(".")[2] == "Typer":
                        names.add(name)
        return frozenset(names) if re.search(r"\b(?:click|typer|Typer)\b", self._source) else frozenset()

    def _takes(self, call: ast.Call) -> tuple[int | None, str] | None:
        """Return which argument of this call has the words; None if it parses nothing."""
        name = dotted(call.func)
        if name in self._commands or name.removesuffix(".main") in self._commands:
            return 0, "args"
        last = name.rpartition(".")[2]
        return _PARSERS.get(".".join(name.split(".")[-2:])) or (_PARSERS.get(last) if name else None)

    def _words(self, call: ast.Call) -> ast.expr | None:
        place, name = self._takes(call) or (0, "args")
        given = next((it.value for it in call.keywords if it.arg == name), None)
        return given or (call.args[place] if place is not None and place < len(call.args) else None)

    def _without_words(self, call: ast.Call) -> str:
        words = self._words(call)
        rest = ast.Call(
            func=call.func if not isinstance(call.func, ast.Attribute) else ast.Name(id=self._called(call)),
            args=[it for it in call.args if it is not words],
            keywords=[it for it in call.keywords if it.value is not words],
        )
        return unparsed(rest)

    def _called(self, call: ast.Call) -> str:
        name = dotted(call.func)
        return name.rpartition(".")[2] if name.rpartition(".")[2].startswith("parse_") else name

    def _is_made_here(self, words: ast.expr) -> bool:
        match words:
            case ast.Constant(value=value):
                return isinstance(value, str)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return all(self._is_made_here(it.value) for it in parts if isinstance(it, ast.Starred))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._is_made_here(left) and self._is_made_here(right)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="split")):
                return True
            case ast.Call(func=function, args=[ast.Constant(value=str()), *_]):
                return dotted(function) == "shlex.split"
            case ast.Name(id=name):
                return name in self._names
            case _:
                return False

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names that are bound to fixed words wherever they are bound, and to which nothing is added."""
        values: dict[str, list[ast.expr]] = defaultdict(list)
        others: set[str] = set()
        for node in ast.walk(self._module):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    values[name].append(value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    values[name].append(value)
                case ast.AugAssign(target=ast.Name(id=name)) | ast.arg(arg=name) | ast.For(target=ast.Name(id=name)):
                    others.add(name)
                case ast.Assign(targets=targets):
                    others.update(it.id for target in targets for it in ast.walk(target) if isinstance(it, ast.Name))
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _NO_MORE:
                    others.add(name)
        return frozenset(
            name
            for name, given in values.items()
            if name not in others and all(not isinstance(it, ast.Name) and self._is_words(it) for it in given)
        )

    def _is_words(self, value: ast.expr) -> bool:
        """Return whether a value is words in itself, without the names that `_names` is about to find."""
        names = any(isinstance(it, ast.Starred | ast.BinOp) for it in ast.walk(value))
        return not names and self._is_made_here(value)

    def _notes_on_argv(self) -> Iterator[Note]:
        order = _Order(self._module)
        parsing = [order.line(it) for it in self._calls if not self.is_fixed(it)]
        for statement in order.always:
            if not self._replaces_argv(statement):
                continue
            line = order.line(statement)
            if any(it > line for it in parsing) and not any(it < line for it in parsing):
                text = (
                    f"`{unparsed(statement)[:_SHOWN]}` takes the place of the job's arguments, so no value reaches the "
                    "script; delete this line"
                )
                yield Note(line=statement.lineno, text=text)

    def _replaces_argv(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[target], value=value) if _is_argv(target):
                return self._is_made_here(value) or _is_slice(value, None, 1)
            case ast.Assign(targets=[target], value=value):
                return _is_slice(target, 1, None) and self._is_made_here(value)
            case ast.Delete(targets=[target]):
                return _is_slice(target, 1, None)
            case _:
                return False


class _Order:
    """The order in which statements run: those of a function when it is called, as far as names tell."""

    def __init__(self, module: ast.Module) -> None:
        self._functions: dict[int, str] = {}
        self._called: dict[str, list[ast.Call]] = defaultdict(list)
        self._lines: dict[tuple[str, int], float] = {}
        self.always: list[ast.stmt] = []
        self._walk(module.body, "", is_always=True)

    def line(self, node: ast.Call | ast.stmt, depth: int = 3) -> float:
        """Return the line of the top level from which a node runs; infinity if nothing calls its function."""
        function = self._functions.get(id(node), "")
        if not function:
            return node.lineno + 0.0
        if (function, depth) not in self._lines:
            callers = self._called.get(function, []) if depth else []
            self._lines[function, depth] = min((self.line(it, depth - 1) for it in callers), default=float("inf"))
        return self._lines[function, depth] + node.lineno / 1_000_000  # within one call, the order of the lines

    def _walk(self, body: Collection[ast.stmt], function: str, *, is_always: bool) -> None:
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._walk(statement.body, statement.name, is_always=is_always)
                continue
            is_main = isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
            if is_always:
                self.always.append(statement)
            for node in ast.walk(statement):
                if function:
                    self._functions[id(node)] = function
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    self._called[node.func.id].append(node)
            if is_main and isinstance(statement, ast.If):
                self._walk(statement.body, function, is_always=is_always)


def _is_argv(node: ast.expr) -> bool:
    return dotted(node) == "sys.argv" and not isinstance(node, ast.Call)


def _is_slice(node: ast.expr, lower: int | None, upper: int | None) -> bool:
    """Return whether this is `sys.argv[lower:upper]`."""
    match node:
        case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=up, step=None)):
            given = [it.value if isinstance(it, ast.Constant) else it for it in (low, up)]
            return _is_argv(value) and given == [lower, upper]
        case _:
            return False
