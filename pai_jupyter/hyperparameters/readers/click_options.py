"""click: `@click.option("--lr", type=float, default=0.1)`, arguments and groups; and the like of optparse and getopt.

A value goes back as `--name value`, a flag by its name, `--shout/--no-shout` as one of the two. An option belongs to the
command that its function is; one outside of any function (a shared decorator) to all.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.declaration import Declaration, with_choices, with_default
from pai_jupyter.hyperparameters.expressions import constant, is_literal, keywords, last_part, text, unparsed
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType, Note
from pai_jupyter.hyperparameters.readers.commands import commands_of
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.subparsers import subcommand
from pai_jupyter.hyperparameters.syntax import nodes_on_lines
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import Scalar, is_hyperparameter_name

MOST_TIMES = 100  # that a counted option is given
_PARSERS = re.compile(r"\b(?:click|optparse|getopt)\b")
_CALLS = re.compile(r"\b(?:option|argument|add_option|getopt|gnu_getopt)\s*\(")
_LENIENT = re.compile(
    r"ignore_unknown_options|allow_extra_args|UNPROCESSED|parse_known|click_(?!option)\w+|\bcls\s*=|token_normalize"
)
_TYPES: dict[str, HyperparameterType] = {
    "int": "Int",
    "INT": "Int",
    "IntRange": "Int",
    "float": "Float",
    "FLOAT": "Float",
    "FloatRange": "Float",
    "bool": "Bool",
    "BOOL": "Bool",
}
_FLAGS = ("store_true", "store_false", "store_const")
_OF_THE_PARSER = ("help", "version")


def read_click(script: ScriptText) -> Found | None:
    """Read the calls that declare such options."""
    if not _PARSERS.search(script.source):
        return None
    commands = commands_of(script, "click")
    found: list[Declaration | Note] = []
    is_click = False
    for node in nodes_on_lines(script.module, script.source, _CALLS):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Attribute(attr="option" | "add_option" as name) | ast.Name(id="option" as name):
                is_click = is_click or name == "option"
                found += _of(commands.owner(node), _option(node, is_click=name == "option"))
            case ast.Attribute(value=ast.Name(id="click"), attr="argument") | ast.Name(id="argument"):
                is_click = True
                found += _of(commands.owner(node), _argument(node))
            case ast.Attribute(attr="getopt" | "gnu_getopt") | ast.Name(id="getopt" | "gnu_getopt"):
                found += _long_options(node)
    declarations = [it for it in found if isinstance(it, Declaration)]
    if declarations and len(commands.names) > 1:
        declarations.insert(0, declared_by_parser(subcommand("command", commands.names)))
    notes = tuple(it for it in found if isinstance(it, Note))
    is_complete = is_click and not notes and not _LENIENT.search(script.source)
    return Found(
        declarations=tuple(declarations), notes=notes, modules=frozenset({"click"}) if is_complete else frozenset()
    )


def _of(command: str | None, found: Iterator[Declaration | Note]) -> Iterator[Declaration | Note]:
    for it in found:
        if isinstance(it, Declaration) and command is not None:
            yield replace(it, hyperparameter=replace(it.hyperparameter, commands=(command,)))
        else:
            yield it


def _option(call: ast.Call, *, is_click: bool) -> Iterator[Declaration | Note]:
    """`@click.option("--amp", is_flag=True)`, `parser.add_option("--amp", action="store_true")`."""
    words = [word for word in map(constant, call.args) if isinstance(word, str)]
    written = next((word for word in words if word.startswith("--")), "")
    on, _, off = (part.strip() for part in written.partition("/" if is_click else "\0"))
    name = on[2:]
    if not is_hyperparameter_name(name) or name in _OF_THE_PARSER:
        return
    nodes = keywords(call)
    given = {key: constant(node) for key, node in nodes.items()}
    declared = Hyperparameter(
        name=name,
        type="Bool",
        line=call.lineno,
        help=text(nodes.get("help")),
        required=given.get("required") is True,
        aliases=tuple(w[2:] for w in words if w.startswith("--") and w != written and is_hyperparameter_name(w[2:])),
        letters=tuple(word[1:] for word in words if re.match(r"-[^-]", word)),
        spellings=tuple(dict.fromkeys(each for each in (name.replace("-", "_"), *_own_names(words)) if each != name)),
    )
    typed = _several(declared, given, nodes) or _flag(declared, given, off=off)
    if typed is not None:
        yield declared_by_parser(typed)
    elif off or given.get("is_flag") is True:
        flag = off or on
        line = f"the flag `{flag}` cannot be given by -p; write --command 'python train.py $PAI_USER_ARGS {flag}'"
        yield Note(line=call.lineno, text=line)
    elif given.get("action") in (None, "store"):
        yield declared_by_parser(_valued(declared, nodes))


def _own_names(words: list[str]) -> list[str]:
    """Return the parameter's name where the option names one: `"--lr", "learning_rate"`."""
    return [word for word in words if word.isidentifier()]


def _several(
    declared: Hyperparameter, given: Mapping[str, Scalar], nodes: Mapping[str, ast.expr]
) -> Hyperparameter | None:
    """Describe an option that is counted or given once per value; None for any other option."""
    if given.get("count") is True or given.get("action") == "count":
        default = 0 if given.get("default") == 0 else None  # each use adds to it
        return replace(declared, type="Int", style="count", minimum=0, maximum=MOST_TIMES, default=default)
    if given.get("multiple") is True or given.get("action") == "append":
        kind, _ = _type(nodes.get("type"))
        return replace(declared, type="Json", style="repeat", item_type=kind or "String", may_be_empty=True)
    return None


def _flag(declared: Hyperparameter, given: Mapping[str, Scalar], *, off: str) -> Hyperparameter | None:
    """Describe an option without a value; None if it takes one or its meaning is unclear."""
    action, default = given.get("action"), given.get("default")
    if off:
        known = default if isinstance(default, bool) else None
        return replace(declared, style="switch", default=known) if off == f"--no-{declared.name}" else None
    if action == "store_false" and given.get("dest") in (None, declared.name.replace("-", "_")):
        return replace(declared, style="no_flag", default=True)
    if action in _FLAGS or (given.get("is_flag") is True and not default):
        return replace(declared, style="flag", default=False)
    return None


def _valued(declared: Hyperparameter, nodes: Mapping[str, ast.expr]) -> Hyperparameter:
    """Describe an option that takes a value, or a fixed number of them."""
    written, default = nodes.get("type"), nodes.get("default")
    kind, choices = _type(written)
    count = constant(nodes.get("nargs"))
    if isinstance(written, ast.Tuple) or (isinstance(count, int) and count != 1):
        item = kind if not isinstance(written, ast.Tuple) else "String"
        declared = replace(declared, type="Json", style="words", item_type=item or "String")
    else:
        guessed = (
            type_of(constant(default)) if written is None and default is not None and is_literal(default) else None
        )
        declared = replace(declared, type=kind or (guessed if guessed != "Json" else None) or "String")
    declared = _within_bounds(declared, written)
    if choices:
        try:
            declared = with_choices(declared, choices)
        except SpecError:
            declared = replace(declared, choices=())
    if default is None:
        return declared
    declared, value = replace(declared, required=False), constant(default)
    if value is None and is_literal(default):
        return declared
    if not is_literal(default) or (declared.type == "String" and not isinstance(value, str)):
        return replace(declared, default_text=unparsed(default))
    return with_default(declared, value, unparsed(default))


def _within_bounds(declared: Hyperparameter, written: ast.expr | None) -> Hyperparameter:
    """Add the bounds of `click.IntRange(1, 10)`; with `clamp=True` there are none."""
    if not isinstance(written, ast.Call) or last_part(written.func) not in ("IntRange", "FloatRange"):
        return declared
    given = {**dict(zip(("min", "max"), written.args, strict=False)), **keywords(written)}
    low, high = constant(given.get("min")), constant(given.get("max"))
    if constant(given.get("clamp")) or not all(
        bound is None or isinstance(bound, int | float) for bound in (low, high)
    ):
        return declared
    return replace(
        declared,
        minimum=low if isinstance(low, int | float) else None,
        maximum=high if isinstance(high, int | float) else None,
        open_minimum=low is not None and constant(given.get("min_open")) is True,
        open_maximum=high is not None and constant(given.get("max_open")) is True,
    )


def _type(node: ast.expr | None) -> tuple[HyperparameterType | None, tuple[Scalar, ...]]:
    """Return the type that a value has, and its choices; optparse writes the type as a text."""
    name = constant(node) if isinstance(constant(node), str) else last_part(node)
    if isinstance(node, ast.Call) and name == "Choice" and node.args:
        values = constant(node.args[0])
        is_lenient = constant(keywords(node).get("case_sensitive")) is False
        return "String", tuple(values) if isinstance(values, list) and not is_lenient else ()
    return _TYPES.get(str(name)), ()


def _argument(call: ast.Call) -> Iterator[Declaration]:
    """`@click.argument("data")`: a value without a name, before the options."""
    name = constant(call.args[0]) if call.args else None
    if not isinstance(name, str) or not is_hyperparameter_name(name):
        return
    nodes = keywords(call)
    declared = _valued(Hyperparameter(name=name, type="String", line=call.lineno), nodes)
    count = constant(nodes.get("nargs"))
    required = constant(nodes.get("required"))
    is_needed = required is True or (required is None and "default" not in nodes and count != -1)
    declared = replace(declared, required=is_needed, style="positional", may_be_empty=count == -1)
    yield declared_by_parser(declared)


def _long_options(call: ast.Call) -> Iterator[Declaration]:
    """`getopt(sys.argv[1:], "v", ["lr=", "amp"])`: what does not end in `=` is a flag."""
    words = call.args[2] if len(call.args) > 2 else keywords(call).get("longopts")
    names = constant(words)
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and is_hyperparameter_name(name) and name not in _OF_THE_PARSER:
            yield declared_by_parser(
                Hyperparameter(name=name, type="Bool", style="flag", default=False, line=call.lineno)
            )
