"""Read the options that a script declares with argparse: `add_argument` on any receiver, parser, group or subparser.

A default is sent to the script only if argparse parses its text back to the same value: a text with any `type`, a number with
`int` or `float`. Any other default (an expression, a number without `type`) is left to the script.

The value of an option without an argument is that of the script's variable if both have the same name; else it says whether the
option is given. `--no-amp` with `dest="amp", action="store_false"` is true to pass `--no-amp`.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.comments import Comments
from pai_jupyter.hyperparameters.declaration import Declaration, Strength, constrain, with_choices, with_default
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType, Note
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.spec import ArgumentStyle, Scalar, is_hyperparameter_name

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
_LETTERS = re.compile(r"-[^-]")
_MOST_TIMES = 100  # of action="count"
_NO_VALUE = ("help", "version")
_MAX_CHOICES = 1_000


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


def read_arguments(nodes: Iterable[ast.AST], comments: Comments) -> Arguments:
    """Read the calls among `nodes`."""
    calls: dict[str, list[ast.Call]] = {}
    named: dict[str, set[int]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            calls.setdefault(node.func.attr, []).append(node)
        elif isinstance(node, ast.Attribute):
            named.setdefault(node.attr, set()).add(id(node))
    reader = _OptionReader(comments)
    for call in sorted(calls.get("add_argument", ()), key=lambda it: it.lineno):
        reader.read(call)
    for call in calls.get("set_defaults", ()):
        reader.set_defaults(call)
    parsing = calls.get("parse_args", [])
    reader.notes.extend(_notes_on_parsing(parsing))
    reads_line = any(not _is_fixed(call) for call in parsing)
    # `add = parser.add_argument`: called under another name
    reader.has_unknown |= not named.get("add_argument", set()) <= {id(it.func) for it in calls.get("add_argument", ())}
    reader.has_unknown |= any(_has_made_words(call) for call in parsing)
    return Arguments(
        declarations=tuple(option.declaration for option in reader.options),
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

    def __init__(self, comments: Comments) -> None:
        self._comments = comments
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
        problem = _why_not(names, long or letters)
        if problem:
            self.notes.append(Note(line=call.lineno, text=problem))
        elif _text(given.get("action")) not in _NO_VALUE:
            self._add(call, long, letters, given)

    def _add(self, call: ast.Call, long: list[str], letters: list[str], given: dict[str, ast.expr]) -> None:
        dest = _text(given.get("dest"))
        names = long or letters
        declared = Hyperparameter(
            name=names[0],
            type="String",
            required=isinstance(given.get("required"), ast.Constant) and _constant(given["required"]) is True,
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
            return _with_default_of(replace(declared, type="Bool", style="switch"), given.get("default"))
        if action in _FLAGS:
            return _flag(declared, given, same_dest=same_dest)
        if action == "count":
            counted = replace(declared, type="Int", style="count", minimum=0, maximum=_MOST_TIMES)
            return _with_default_of(counted, given.get("default"))
        return self._valued(declared, given)

    def _valued(self, declared: Hyperparameter, given: dict[str, ast.expr]) -> Hyperparameter:
        """Read an option that takes an argument: its type, choices, nargs and default."""
        name = _written(given["type"]) if "type" in given else "str"
        kind = _TYPES.get(name) or ("Bool" if _BOOL_FUNCTION.fullmatch(name.rpartition(".")[2]) else "String")
        declared = replace(declared, type=kind, style="truthy" if name == "bool" else None)
        if name in _TYPES and name != "bool":  # what the script's own function accepts is unknown
            declared = _with_choices_of(declared, given.get("choices"))
        words = _constant(given["nargs"]) if "nargs" in given else None
        if words in ("+", "*") or (isinstance(words, int) and not isinstance(words, bool)):
            declared = replace(declared, type="Json", item_type=kind, style="words", may_be_empty=words == "*")
        elif words is None and _text(given.get("action")) == "append":
            declared = replace(declared, type="Json", item_type=kind, style="repeat", may_be_empty=True)
        if "default" in given and "type" not in given and words is None and _is_number(given["default"]):
            line = given["default"].lineno
            text = f"`--{declared.name}` has no type=, so a value given to it arrives as text; write type=int or type=float"
            self.notes.append(Note(line=line, text=text))
        return _with_default_of(declared, given.get("default"))

    def _finish(self, declared: Hyperparameter, call: ast.Call, given: dict[str, ast.expr]) -> Declaration:
        parts: list[ast.AST] = [call, *call.args, *given.values()]
        taken = (
            self._comments.take(getattr(part, "end_lineno", None), getattr(part, "end_col_offset", None))
            for part in parts
        )
        constraint = next((it for it in taken if it), None)
        default, text = declared.default, declared.default_text
        declared = constrain(replace(declared, help=_help(declared, given)), constraint, line=call.lineno)
        if constraint is not None:
            declared = with_default(declared, default, repr(default))
            declared = replace(declared, default_text=declared.default_text or text)
        strength = Strength.ARGPARSE if constraint is None else Strength.COMMENT
        return Declaration(hyperparameter=declared, strength=strength, line=call.lineno)

    def set_defaults(self, call: ast.Call) -> None:
        """Apply `parser.set_defaults(lr=0.5)`; after `set_defaults(**config)` no default is known."""
        new = {keyword.arg: keyword.value for keyword in call.keywords}
        for place, option in enumerate(self.options):
            declared = option.declaration.hyperparameter
            if option.dest in new and declared.style not in ("flag", "no_flag"):
                declared = _with_default_of(replace(declared, default=None, default_text=""), new[option.dest])
            elif option.dest in new or None in new:
                text = declared.default_text or ("" if declared.default is None else repr(declared.default))
                declared = replace(declared, default=None, default_text=text)
            self.options[place] = replace(option, declaration=replace(option.declaration, hyperparameter=declared))


def _why_not(names: list[str], long: list[str]) -> str:
    """Return why an argument cannot be a hyperparameter; "" if it can."""
    if not names[0].startswith("-"):
        return f"the positional argument `{names[0]}` gets no value from a form or -p; give it in --command, or make it an option"
    if not long:
        return _no_long_name(names[0])
    if not is_hyperparameter_name(long[0]):
        return f"`--{long[0]}` cannot be a hyperparameter: names are letters, digits, _, - and ., with no _ in front"
    return ""


def _no_long_name(name: str) -> str:
    return f"the option `{name}` has no long name, so no value can be given to it; add one like --{name.strip('-') or 'name'}"


def _flag(declared: Hyperparameter, given: dict[str, ast.expr], *, same_dest: bool) -> Hyperparameter:
    is_inverse = _text(given["action"]) == "store_false" and same_dest
    default: Scalar = is_inverse
    if same_dest and "default" in given:
        value = _constant(given["default"])
        default = value if isinstance(value, bool) or value is None else default
    return replace(declared, type="Bool", style="no_flag" if is_inverse else "flag", default=default)


def _with_choices_of(declared: Hyperparameter, node: ast.expr | None) -> Hyperparameter:
    if node is None:
        return declared
    try:
        if isinstance(node, ast.Call):
            return _with_range(declared, node)
        values = read_literal(ast.List(elts=node.elts)) if isinstance(node, ast.Set) else read_literal(node)
        return with_choices(declared, values if isinstance(values, list | dict) else ())
    except (NotLiteralError, SpecError):
        return declared  # only the running script knows them


def _with_range(declared: Hyperparameter, call: ast.Call) -> Hyperparameter:
    """Read `choices=range(1, 10)` as bounds; a range with a step as choices."""
    bounds = [read_literal(word) for word in call.args]
    if not (
        isinstance(call.func, ast.Name) and call.func.id == "range" and declared.type == "Int" and 1 <= len(bounds) <= 3
    ):
        raise NotLiteralError
    numbers = range(*(bound for bound in bounds if isinstance(bound, int)))
    if not numbers:
        return declared
    if numbers.step == 1:
        return replace(declared, minimum=numbers[0], maximum=numbers[-1])
    return with_choices(declared, numbers) if len(numbers) <= _MAX_CHOICES else declared


def _with_default_of(declared: Hyperparameter, node: ast.expr | None) -> Hyperparameter:
    if node is None:
        return declared
    text = _written(node)
    try:
        default = read_literal(node)
    except NotLiteralError:
        return replace(declared, default_text=text)
    if not _survives(declared, default):
        return replace(declared, default_text=text)
    return with_default(declared, default, text)


def _survives(declared: Hyperparameter, default: Scalar) -> bool:
    """Return whether passing `default` as text gives argparse the same value as passing nothing."""
    if declared.style == "words":
        return default is None or (isinstance(default, list) and bool(default))
    if declared.style in ("repeat", "count"):  # each use adds to the default
        return default is None or (default == 0 and declared.style == "count")
    match default:
        case None:
            return True
        case str():
            return declared.type != "Bool" or declared.style is None
        case bool():
            return declared.type == "Bool"
        case int() | float():
            return declared.type in ("Int", "Float")
        case _:
            return declared.type == "Json"


def _help(declared: Hyperparameter, given: dict[str, ast.expr]) -> str:
    text = _text(given.get("help")) or ""
    default = declared.default_text or str(declared.default)
    known = {
        "default": default,
        "prog": "train.py",
        "type": declared.type,
        "dest": declared.name,
        "choices": str(list(declared.choices)),
    }
    text = re.sub(r"%\((\w+)\)[sdrfg]", lambda found: known.get(found[1], found[0]), text)
    return " ".join(text.replace("%%", "%").split())


def _notes_on_parsing(calls: list[ast.Call]) -> Iterator[Note]:
    for call in calls:
        if _is_fixed(call):
            text = (
                f"`{_written(call)[:60]}` does not read the job's arguments, so no value reaches it; write parse_args()"
            )
            yield Note(line=call.lineno, text=text)


def _is_fixed(call: ast.Call) -> bool:
    """Return whether the parsed arguments are fixed in the code: parse_args([]), parse_args(args="")."""
    words = _words(call)
    return (isinstance(words, ast.List | ast.Tuple)) or isinstance(_constant(words), str)


def _has_made_words(call: ast.Call) -> bool:
    """Return whether the script computes the arguments: parse_args(os.environ["WORDS"].split())."""
    return isinstance(_words(call), ast.Call | ast.BinOp | ast.ListComp | ast.GeneratorExp | ast.IfExp)


def _words(call: ast.Call) -> ast.expr | None:
    return next((it.value for it in call.keywords if it.arg == "args"), call.args[0] if call.args else None)


def _is_switch(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and _written(node).rpartition(".")[2] == "BooleanOptionalAction"


def _is_number(node: ast.expr) -> bool:
    value = _constant(node)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _constant(node: ast.expr | None) -> Scalar:
    try:
        return None if node is None else read_literal(node)
    except NotLiteralError:
        return None


def _text(node: ast.expr | None) -> str | None:
    value = _constant(node)
    return value if isinstance(value, str) else None


def _dest(name: str) -> str:
    return name.replace("-", "_")


def _written(node: ast.expr) -> str:
    """Unparse the expression; "..." if Python cannot, e.g. an integer of more than 4,300 digits."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return "..."
