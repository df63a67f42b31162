"""Read the options that a script declares with argparse: `add_argument` on any receiver, parser, group or subparser.

A positional argument is a value without a name, which comes before the options. Subcommands: subparsers.py.

The value of an option without an argument is that of the script's variable if both have the same name; else it says whether the
option is given. `--no-amp` with `dest="amp", action="store_false"` is true to pass `--no-amp`.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pai_jupyter.hyperparameters.argument_values import flag_of, help_of, with_choices_of, with_default_of
from pai_jupyter.hyperparameters.comments import Comments
from pai_jupyter.hyperparameters.declaration import Declaration, DeclarationPriority, constrain, with_default
from pai_jupyter.hyperparameters.expressions import constant, unparsed
from pai_jupyter.hyperparameters.fixed_words import FixedWords
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType, Note
from pai_jupyter.hyperparameters.subparsers import Subparsers
from pai_jupyter.spec import ArgumentStyle, is_hyperparameter_name

_TYPES: dict[str, HyperparameterType] = {
    "str": "String",
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "json.loads": "Json",
}
_BOOL_FUNCTION = re.compile(
    r"(?i)_*(str(ing)?_?(to|2)_?bool(ean)?|(parse|as|to)_?bool(ean)?|bool(ean)?_?(arg|type|flag|string)|boolean)"
)
_FLAGS = ("store_true", "store_false", "store_const", "append_const")
_DASHED: dict[ArgumentStyle | None, ArgumentStyle] = {None: "dash", "flag": "dash_flag"}
_NONE = ast.Constant(value=None)
_LETTERS = re.compile(r"-[^-]")
_MOST_TIMES = 100  # of action="count"
_NO_VALUE = ("help", "version")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """All options that a script declares with argparse. `strict`: an undeclared option ends the script.

    `may_be_more`: it has options that cannot be read here, or other code parses the arguments.
    """

    declarations: tuple[Declaration, ...]
    options: frozenset[str]
    strict: bool
    may_be_more: bool
    notes: tuple[Note, ...]


def read_arguments(
    nodes: Iterable[ast.AST], comments: Comments, subparsers: Subparsers | None = None, *, fixed: FixedWords
) -> Arguments:
    """Read the calls among `nodes`; `fixed` tells which of them parse words that stand in the code."""
    calls: dict[str, list[ast.Call]] = {}
    named: dict[str, set[int]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            calls.setdefault(node.func.attr, []).append(node)
        elif isinstance(node, ast.Attribute):
            named.setdefault(node.attr, set()).add(id(node))
    reader = _OptionReader(comments, subparsers or Subparsers())
    for call in sorted(calls.get("add_argument", ()), key=lambda it: it.lineno):
        reader.read(call)
    for call in calls.get("set_defaults", ()):
        reader.set_defaults(call)
    parsing = calls.get("parse_args", [])
    reader.notes.extend(fixed.notes())
    reads_line = any(not fixed.is_fixed(call) for call in parsing)
    # `add = parser.add_argument`: called under another name
    reader.has_unknown |= not named.get("add_argument", set()) <= {id(it.func) for it in calls.get("add_argument", ())}
    reader.has_unknown |= any(fixed.are_computed(call) for call in parsing)
    declarations = [option.declaration for option in reader.options]
    choice = reader.subparsers.choice
    if choice is not None:
        declarations.append(
            Declaration(hyperparameter=choice, strength=DeclarationPriority.ARGPARSE, line=choice.line or 1)
        )
    return Arguments(
        declarations=tuple(declarations),
        options=frozenset(reader.names),
        strict=reads_line and not calls.get("parse_known_args") and not reader.has_unknown,
        may_be_more=reader.has_unknown or bool(calls.get("add_argument") and not parsing),
        notes=tuple(reader.notes),
    )


@dataclass(frozen=True, kw_only=True)
class _Option:
    declaration: Declaration
    dest: str | None


class _OptionReader:
    """Collects options; a computed name (`add_argument(name)`) only sets `has_unknown`."""

    def __init__(self, comments: Comments, subparsers: Subparsers) -> None:
        self._comments = comments
        self.subparsers = subparsers
        self.options: list[_Option] = []
        self.names: set[str] = set()
        self.notes: list[Note] = []
        self.has_unknown = False

    def read(self, call: ast.Call) -> None:
        names = [word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
        if len(names) < len(call.args) or not names:
            self.has_unknown = True
            return
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        long = [name[2:] for name in names if name.startswith("--")]
        letters = [name[1:] for name in names if _LETTERS.match(name)]
        self.names.update(long)
        if not names[0].startswith("-") and is_hyperparameter_name(names[0]):
            self._add_place(call, names[0], given)
            return
        problem = _why_not(names, long or letters)
        if problem:
            self.notes.append(Note(line=call.lineno, text=problem))
        elif _text(given.get("action")) not in _NO_VALUE:
            self._add(call, long, letters, given)

    def _add_place(self, call: ast.Call, name: str, given: dict[str, ast.expr]) -> None:
        """Add a positional argument; argparse has it optional with `nargs="?"` and `"*"` only."""
        count = constant(given.get("nargs"))
        if "nargs" in given and count in (None, "...", "A..."):  # argparse.REMAINDER: words for somebody else
            return
        declared = Hyperparameter(
            name=name, type="String", required=count not in ("?", "*"), line=call.lineno, style="positional"
        )
        valued = self._valued(declared, {**given, **({"default": _NONE} if count not in ("?", "*") else {})})
        if valued.item_type is None and count == "?":
            valued = self._valued(declared, {key: node for key, node in given.items() if key != "nargs"})
        declared = replace(valued, style="positional")
        self.options.append(_Option(declaration=self._finish(declared, call, given), dest=_dest(name)))

    def _add(self, call: ast.Call, long: list[str], letters: list[str], given: dict[str, ast.expr]) -> None:
        dest = _text(given.get("dest"))
        names = long or letters
        declared = Hyperparameter(
            name=names[0],
            type="String",
            required=isinstance(given.get("required"), ast.Constant) and constant(given["required"]) is True,
            line=call.lineno,
            aliases=tuple(name for name in names[1:] if is_hyperparameter_name(name)),
            letters=tuple(letters) if long else (),
        )
        declared = self._typed(declared, given, same_dest=dest in (None, _dest(names[0])))
        if declared.style == "switch":
            self.names.update(f"no-{name}" for name in names)
        if not long:
            if declared.style not in _DASHED:
                self.notes.append(Note(line=call.lineno, text=_no_long_name(f"-{names[0]}")))
                return
            declared = replace(declared, style=_DASHED[declared.style])
        declaration = self._finish(declared, call, given)
        self.options.append(_Option(declaration=declaration, dest=dest or _dest(names[0])))

    def _typed(self, declared: Hyperparameter, given: dict[str, ast.expr], *, same_dest: bool) -> Hyperparameter:
        """Read the option by its action: a switch, a flag, a count, or an option with an argument."""
        action = _text(given.get("action"))
        if _is_switch(given.get("action")):
            return with_default_of(replace(declared, type="Bool", style="switch"), given.get("default"))
        if action in _FLAGS:
            return flag_of(declared, given, same_dest=same_dest)
        if action == "count":
            counted = replace(declared, type="Int", style="count", minimum=0, maximum=_MOST_TIMES)
            return with_default_of(counted, given.get("default"))
        return self._valued(declared, given)

    def _valued(self, declared: Hyperparameter, given: dict[str, ast.expr]) -> Hyperparameter:
        """Read an option that takes an argument: its type, choices, nargs and default."""
        name = unparsed(given["type"]) if "type" in given else "str"
        kind = _TYPES.get(name) or ("Bool" if _BOOL_FUNCTION.fullmatch(name.rpartition(".")[2]) else "String")
        declared = replace(declared, type=kind, style="truthy" if name == "bool" else None)
        if name in _TYPES and name != "bool":  # what the script's own function accepts is unknown
            declared = with_choices_of(declared, given.get("choices"))
        words = constant(given["nargs"]) if "nargs" in given else None
        if words in ("+", "*") or (isinstance(words, int) and not isinstance(words, bool)):
            declared = replace(declared, type="Json", item_type=kind, style="words", may_be_empty=words == "*")
        elif words is None and _text(given.get("action")) == "append":
            declared = replace(declared, type="Json", item_type=kind, style="repeat", may_be_empty=True)
        if "default" in given and "type" not in given and words is None and _is_number(given["default"]):
            line = given["default"].lineno
            text = f"`--{declared.name}` has no type=, so a value given to it arrives as text; write type=int or type=float"
            self.notes.append(Note(line=line, text=text))
        return with_default_of(declared, given.get("default"))

    def _finish(self, declared: Hyperparameter, call: ast.Call, given: dict[str, ast.expr]) -> Declaration:
        parts: list[ast.AST] = [call, *call.args, *given.values()]
        taken = (
            self._comments.take(getattr(part, "end_lineno", None), getattr(part, "end_col_offset", None))
            for part in parts
        )
        constraint = next((it for it in taken if it), None)
        default, text = declared.default, declared.default_text
        commands = self.subparsers.commands_of(call)
        declared = replace(declared, help=help_of(declared, given), commands=commands)
        declared = constrain(declared, constraint, line=call.lineno)
        if constraint is not None:
            declared = with_default(declared, default, repr(default))
            declared = replace(declared, default_text=declared.default_text or text)
        strength = DeclarationPriority.ARGPARSE if constraint is None else DeclarationPriority.COMMENT
        return Declaration(hyperparameter=declared, strength=strength, line=call.lineno)

    def set_defaults(self, call: ast.Call) -> None:
        """Apply `parser.set_defaults(lr=0.5)`; after `set_defaults(**config)` no default is known."""
        new = {keyword.arg: keyword.value for keyword in call.keywords}
        for place, option in enumerate(self.options):
            declared = option.declaration.hyperparameter
            if option.dest in new and declared.style not in ("flag", "no_flag"):
                declared = with_default_of(replace(declared, default=None, default_text=""), new[option.dest])
            elif option.dest in new or None in new:
                text = declared.default_text or ("" if declared.default is None else repr(declared.default))
                declared = replace(declared, default=None, default_text=text)
            self.options[place] = replace(option, declaration=replace(option.declaration, hyperparameter=declared))


def _why_not(names: list[str], long: list[str]) -> str:
    """Return why an argument cannot be a hyperparameter; "" if it can."""
    if not long and names[0].startswith("-"):
        return _no_long_name(names[0])
    name = f"--{long[0]}" if long else names[0]
    if not long or not is_hyperparameter_name(long[0]):
        return f"`{name}` cannot be a hyperparameter: names are letters, digits, _, - and ., with no _ in front"
    return ""


def _no_long_name(name: str) -> str:
    return f"the option `{name}` has no long name, so no value can be given to it; add one like --{name.strip('-') or 'name'}"


def _is_switch(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and unparsed(node).rpartition(".")[2] == "BooleanOptionalAction"


def _is_number(node: ast.expr) -> bool:
    value = constant(node)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(node: ast.expr | None) -> str | None:
    value = constant(node)
    return value if isinstance(value, str) else None


def _dest(name: str) -> str:
    return name.replace("-", "_")
