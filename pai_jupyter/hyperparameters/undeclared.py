r"""Decide whether a script may take a value that it does not declare (contract/README.md, Command).

A job passes its values in three ways: as arguments (`$PAI_USER_ARGS`), as variables, as files. So a script may take an
undeclared value if it

    reads arguments      sys.argv, parse_known_args(), an option whose name is made while it runs, a library for command lines
    reads variables      PAI_HPS..., os.environ by a name that is made while it runs
    reads files          hyperparameters.json, training_job.json
    runs other code      an import that may be the user's own, exec(), another program

Rule 1: a value is rejected only if nothing can take it. In doubt it is accepted: an unknown library, a keyword in a comment.
Rule 2: only lines with one of our keywords are read, as in syntax.py.
"""

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pai_jupyter.hyperparameters.arguments import Arguments
from pai_jupyter.hyperparameters.known_modules import is_known_module
from pai_jupyter.hyperparameters.syntax import nodes_on_lines

_VARIABLE = "PAI_HPS"
_FILES_AND_VARIABLES = re.compile(
    r"hyperparameters\.json|training_job\.json|input/config|PAI_HPS|pai_hps|PAI_USER_ARGS|PAI_CONFIG_DIR|/proc\b"
    r"""|/ml(?![\w-])(?!/(?:output|input/data|usercode)\b)|["'](?:\.\.|\.\./input)/?["']"""
    r"|\bexpandvars\b|\bBaseSettings\b"
)
_OTHER_PROGRAMS = re.compile(
    r"subprocess|\bos\s*\.\s*system\b|(?<!platform\.)\bsystem\s*\(|\b(?:popen|posix_spawnp?|exec[lv]p?e?|spawn[lv]p?e?)\b"
    r"|import[^\n]{0,200}\bsystem\b"
)
_OTHER_CODE = re.compile(
    r"\b(?:importlib|runpy|__import__|get_ipython|builtins)\b|\bsys\s*\.\s*path\b|\bimport_module\b"
    r"|\btorch\.distributed\.(?:run|launch)\b|\baccelerate\.commands\b"
)
_OTHER_PARSERS = re.compile(
    r"parse_known|(?<=\w)ArgumentParser\b|\bclass\s+\w+\s*\([^)\n]{0,200}\bArgumentParser\b|\bArgumentParser\s+as\b"
    r"|\bTrlParser\b|(?<=\w)CLI\b|\bflags\.|\.flags\b|import\s+flags|\babsl\b|\bFLAGS\b|\bapp\.run\b|\bcall_parse\b"
    r"|\bfrom_cli\b|cmdline|\bparse_args_into_|\bparse_intermixed_args\b|\bREMAINDER\b"
)
_FORGIVING = re.compile(  # methods of parsers other than argparse's
    r"\bexcept\b[^\n]{0,200}\b(?:SystemExit|BaseException|ArgumentError)\b|\bexcept\s*:|\bsuppress\s*\([^\n]{0,200}SystemExit"
    r"|\bexit_on_error\b|\.\s*(?:error|exit)\s*=(?!=)"
)
# what a cell gets from us (cell/notebook_names.py) reads no arguments
_OURS = re.compile(
    r"from _pai_notebook import display, get_ipython|get_ipython\(\)\.run_line_magic\('(?:cd|env|pip|pwd)'|__import__\(\"os\"\)\.environ\["
)
_ADDING = re.compile(r"\b(add_\w+)\s*\(")  # parser.add_dataclass_arguments(Options), add_config_args(parser)
_PLAIN_ADDING = frozenset({"add_argument", "add_argument_group"})
_RUN_BY_TEXT = re.compile(r"(?<![\w.])(exec|eval)\s*\(")
_FUNCTION = re.compile(r"\bdef\s+(\w+)")
_LOOKED_AT = re.compile(r"\b(?:import|environb?|getenvb?|(?:orig_)?argv)\b")
_READING = ("get", "pop", "setdefault")


@dataclass(frozen=True, kw_only=True)
class ValueReaders:
    """What may take an undeclared value: another parser of the arguments, or anything at all.

    `forgives`: the script may ignore options that argparse does not know.
    """

    words: bool
    any: bool
    forgives: bool


def find_takers(
    module: ast.Module, source: str, arguments: Arguments, *, beside: Collection[str] | None, read: Collection[str] = ()
) -> ValueReaders:
    """Find what may take undeclared values; `beside` are the files and directories to import from, None = unknown.

    `read` are the libraries for command lines whose every option is declared.
    """
    nodes = list(nodes_on_lines(module, source, _LOOKED_AT))
    source = _OURS.sub("", source)
    words = (
        arguments.may_be_more
        or _OTHER_PARSERS.search(source) is not None
        or _OTHER_CODE.search(source) is not None
        or _calls_others(source)
        or not all(_is_harmless(node, beside, read) for node in nodes)
        or _names_words(nodes)
    )
    others = (
        _FILES_AND_VARIABLES.search(source) is not None
        or _OTHER_PROGRAMS.search(source) is not None
        or not _reads_known_variables(nodes)
    )
    return ValueReaders(words=words, any=words or others, forgives=_FORGIVING.search(source) is not None)


def _calls_others(source: str) -> bool:
    """Return whether the script calls functions from elsewhere that may add options or run code."""
    adding = {name for name in _ADDING.findall(source) if "arg" in name} - _PLAIN_ADDING
    return bool((adding | set(_RUN_BY_TEXT.findall(source))).difference(_FUNCTION.findall(source)))


def _is_harmless(node: ast.AST, beside: Collection[str] | None, read: Collection[str]) -> bool:
    """Return whether the node is not an import, or imports only modules that ignore the command line."""
    match node:
        case ast.Import(names=names):
            modules = [alias.name for alias in names]
        case ast.ImportFrom(module=str() as module, level=0):
            modules = [module]
        case ast.ImportFrom():
            return False  # a module beside the script
        case _:
            return True
    ours = ("_pai_notebook", "pai_shards")
    return beside is not None and all(
        it in ours or is_known_module(it, beside=beside) or it.partition(".")[0] in read for it in modules
    )


def _names_words(nodes: Iterable[ast.AST]) -> bool:
    """Return whether `argv` is used other than in `parse_args(sys.argv[1:])`."""
    named: set[int] = set()
    handed: set[int] = set()
    for node in nodes:
        match node:
            case ast.Attribute(attr="argv" | "orig_argv") | ast.Constant(value="argv" | "orig_argv"):
                named.add(id(node))
            case ast.ImportFrom(module="sys", names=names) if any(alias.name in ("argv", "*") for alias in names):
                return True
            case ast.Call(func=ast.Attribute(attr="parse_args")):
                words = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "args")]
                handed.update(id(it.value) for it in words if isinstance(it, ast.Subscript) and _is_all(it))
    return not named <= handed


def _is_all(words: ast.Subscript) -> bool:
    """Return whether the subscript is `[1:]`."""
    match words.slice:
        case ast.Slice(lower=ast.Constant(value=1), upper=None, step=None):
            return True
        case _:
            return False


def _reads_known_variables(nodes: Iterable[ast.AST]) -> bool:
    """Return whether no environment variable that is read can be a hyperparameter's; `os.environ["PAI_OUTPUT_MODEL"]` cannot."""
    named, safe = [], set()
    for node in nodes:
        match node:
            case ast.Attribute(attr="environ" | "environb") | ast.Name(id="environ" | "environb"):
                named.append(node)
            case ast.Attribute(attr="getenv" | "getenvb") | ast.Name(id="getenv" | "getenvb"):
                named.append(node)
            case ast.Constant(value="environ" | "environb" | "getenv" | "getenvb"):
                return False  # getattr(os, "environ")
            case ast.Subscript(value=place, slice=key) if _is_other_name(key):
                safe.add(id(place))
            case ast.Call(func=ast.Attribute(value=place, attr=verb), args=[key, *_]) if verb in _READING:
                if _is_other_name(key):
                    safe.add(id(place))
            case ast.Call(func=ast.Attribute(value=place, attr="update")):
                safe.add(id(place))
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[place]) if _is_other_name(key):
                safe.add(id(place))
            case ast.ImportFrom(names=names) if any(_is_renamed(alias) for alias in names):
                return False
        if isinstance(node, ast.Call) and node.args and _is_other_name(node.args[0]):
            safe.add(id(node.func))  # getenv("X")
    return all(id(node) in safe for node in named)


def _is_renamed(alias: ast.alias) -> bool:
    return alias.name.startswith(("environ", "getenv")) and alias.asname is not None


def _is_other_name(key: ast.expr) -> bool:
    """Return whether the literal beginning of a variable's name rules out a hyperparameter."""
    match key:
        case ast.Constant(value=str() as text):
            return not text.startswith(_VARIABLE)
        case (
            ast.JoinedStr(values=[ast.Constant(value=str() as text), *_])
            | ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Add())
        ):
            return not (text.startswith(_VARIABLE) or _VARIABLE.startswith(text))
        case _:
            return False
