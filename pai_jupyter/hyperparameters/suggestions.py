"""Values of a script that nobody declared as hyperparameters and that can be written in place all the same.

    LEARNING_RATE = 0.1                              a constant
    lr, epochs = 0.1, 3                              several
    config = {"lr": 0.1, "model": {"depth": 3}}      entries of a dict that is called so: `lr`, `model.depth`
    config = Namespace(lr=0.1)                       arguments of a call that only holds values
    class Config:                                    attributes of a class that is called so, or of a dataclass
        lr = 0.1
        class Model:                                 those of a class in it: `Model.depth`
            depth = 3
        def __init__(self):
            self.lr = 0.1                            those that its `__init__` sets
    config.lr = 0.1                                  an attribute, or an entry, of such an object

So are those of a function that the script calls once, `main()`, or that sacred calls, `@ex.config`. A script that declares
nothing offers arguments and parameters, too: call_arguments.py.

Rule 1: one is offered only where its literal is what the script uses: the name is bound once, and no line sets it again.
Rule 2: nothing of it is sent or written unless the user gives another value.
Rule 3: an entry is called by its key alone; where two have the same, each by its holder too: `train_config.lr`.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from pai_jupyter.hyperparameters.call_arguments import read_call_arguments
from pai_jupyter.hyperparameters.constructed import as_constructed
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.module_scope import Scope, bindings, calls_of_functions, plain_statements
from pai_jupyter.hyperparameters.offered_names import name_values
from pai_jupyter.hyperparameters.offered_values import OfferedValue, dotted, offered_value
from pai_jupyter.spec import env_name

_HOLDER = re.compile(
    r"(?i)(?:.*_)?(?:\w*(?:config|cfg|conf|param|hyper|setting|option|flag|opt|arg)\w*|hps?|h|c|p|defaults?|consts?|constants?)"
)
_HOLDING_CALL = re.compile(
    r"(?:\w+\.)*(?:dict|SimpleNamespace|Namespace|EasyDict|edict|ConfigDict|AttrDict|Box|Munch|DotMap|create"
    r"|(?!add_|parse|get_|load)\w*(?:Config|Args|Arguments|Params|Parameters|Settings|Options|Hyperparameters))"
)
_CLASS = re.compile(
    r"(?i)\w*(?:config|cfg|conf|param|hyper|setting|option|flag|args?$|arguments|hps?$|opts?$|consts?|defaults?)\w*"
)
_DATACLASS = re.compile(
    r"(?:\w+\.)*(?:\w*dataclass\w*|chz)|attrs?\.(?:s|attrs|define|frozen|mutable)|define|frozen|attrs"
)
_DATA_BASE = re.compile(r"(?:\w+\.)*(?:BaseModel|BaseSettings|NamedTuple|Struct)")
_SET_ENTRY = re.compile(r"""\b(\w+)\s*\[\s*["']([\w.-]+)["']\s*\]\s*(?:[-+*/%]|//|\*\*)?=(?!=)""")
_SET_ATTRIBUTE = re.compile(r"\b(\w+)\s*\.\s*(\w+)\s*(?::\s*\w+\s*)?(?:[-+*/%]|//|\*\*)?=(?!=)")
_DEEPEST = 3  # levels of dicts within dicts


def read_suggestions(
    module: ast.Module,
    source: str,
    *,
    declared: Collection[Hyperparameter],
    read: Collection[str] = (),
    entries: Collection[Hyperparameter] = (),
) -> tuple[Hyperparameter, ...]:
    """Return the values that may be offered, in source order.

    What is `declared` is not among them, nor what the classes `read` hold. `entries` are those of all dicts, under dotted names.
    """
    places = {place for it in declared for place in it.places}
    found: list[OfferedValue] = []
    for held in _all(module, source, has_parser=bool(declared)):
        if not places.intersection(held.declared.places) and held.holder not in read:
            found.append(held)
            places.update(held.declared.places)
    taken = {env_name(name) for it in declared for name in (it.name, *it.aliases)}
    return name_values([*as_constructed(module, found)], taken=taken, entries=entries)


def _all(module: ast.Module, source: str, *, has_parser: bool) -> Iterator[OfferedValue]:
    """Yield the values of the module and of what it calls once; a constant that both have is not known to be in use."""
    called = [it for it in calls_of_functions(module, source) if it.is_plain or not has_parser]
    scopes: list[Scope] = [module, *(it.function for it in called), *_config_functions(module)]
    bound = [bindings(scope, source) for scope in scopes]
    in_scopes = Counter(name for each in bound for name in each)
    set_later = Counter((*_SET_ENTRY.findall(source), *_SET_ATTRIBUTE.findall(source)))
    for scope, each in zip(scopes, bound, strict=True):
        for held in _Finder(scope, each, set_later).find():
            if held.holder or in_scopes[held.name] == 1:
                yield held
    if not has_parser:
        classes = [it for it in module.body if isinstance(it, ast.ClassDef) and _CLASS.fullmatch(it.name)]
        yield from read_call_arguments(module, source, called=called, classes=classes)


def _config_functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the functions whose constants are a configuration: `@ex.config`."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and any(dotted(it).endswith(".config") for it in node.decorator_list):
            yield node


class _Finder:
    """Walks the statements of a scope that always run."""

    def __init__(self, scope: Scope, bound: Mapping[str, int], set_later: Mapping[tuple[str, str], int]) -> None:
        self._module = scope
        self._bound = bound
        self._set = set_later

    def find(self) -> Iterator[OfferedValue]:
        for statement in plain_statements(self._module):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield from self._assigned(name, value)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                    yield from self._assigned(name, value, annotation)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    for target, value in zip(targets, values, strict=False):
                        if isinstance(target, ast.Name) and len(targets) == len(values):
                            yield from self._assigned(target.id, value)
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=holder), attr=key)], value=value):
                    yield from self._set_later(holder, key, value)
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Name(id=holder), slice=ast.Constant(value=str(key)))], value=value
                ):
                    yield from self._set_later(holder, key, value)
                case ast.ClassDef():
                    yield from self._attributes(statement)
                case ast.Expr(value=ast.Call() as call):
                    yield from self._config_argument(call)

    def _assigned(self, name: str, value: ast.expr, annotation: ast.expr | None = None) -> Iterator[OfferedValue]:
        if self._bound.get(name) != 1:
            return
        match value:
            case ast.Dict() if _HOLDER.fullmatch(name):
                yield from self._entries(name, value)
            case ast.Call(func=function) if _HOLDING_CALL.fullmatch(dotted(function)):
                yield from self._arguments(name, value)
            case ast.Call():
                yield from self._config_argument(value)
            case _ if not name.startswith("_"):
                yield from offered_value("", name, value, annotation)

    def _entries(self, holder: str, node: ast.Dict, prefix: str = "") -> Iterator[OfferedValue]:
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and not self._set.get((holder, key.value)):
                name = f"{prefix}{key.value}"
                if isinstance(value, ast.Dict) and value.keys and name.count(".") < _DEEPEST:
                    yield from self._entries(holder, value, f"{name}.")
                else:
                    yield from offered_value(holder, name, value)

    def _arguments(self, holder: str, call: ast.Call) -> Iterator[OfferedValue]:
        for argument in call.args:
            if isinstance(argument, ast.Dict):
                yield from self._entries(holder, argument)
        for keyword in call.keywords:
            if keyword.arg and not self._set.get((holder, keyword.arg)):
                if isinstance(keyword.value, ast.Dict) and keyword.value.keys:
                    yield from self._entries(holder, keyword.value, f"{keyword.arg}.")
                else:
                    yield from offered_value(holder, keyword.arg, keyword.value)

    def _config_argument(self, call: ast.Call) -> Iterator[OfferedValue]:
        """`wandb.init(config={"lr": 0.1})`, `config.update({...})`."""
        for keyword in call.keywords:
            if keyword.arg == "config" and isinstance(keyword.value, ast.Dict):
                yield from self._entries("config", keyword.value)

    def _set_later(self, holder: str, key: str, value: ast.expr) -> Iterator[OfferedValue]:
        if _HOLDER.fullmatch(holder) and self._set.get((holder, key)) == 1:
            yield from offered_value(holder, key, value)

    def _attributes(self, node: ast.ClassDef) -> Iterator[OfferedValue]:
        decorators = [dotted(it.func if isinstance(it, ast.Call) else it) for it in node.decorator_list]
        holds_values = any(_DATACLASS.fullmatch(it) for it in decorators) or any(
            _DATA_BASE.fullmatch(dotted(it)) for it in node.bases
        )
        if (holds_values or _CLASS.fullmatch(node.name)) and self._bound.get(node.name) == 1:
            yield from self._within(node, node.name)

    def _within(self, node: ast.ClassDef, holder: str, prefix: str = "") -> Iterator[OfferedValue]:
        """Yield the attributes of a class, and as `train.lr` those of the classes in it."""
        times = Counter(name for each in node.body for name in _targets(each))
        for statement in node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    attribute = offered_value(holder, f"{prefix}{name}", value)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                    attribute = offered_value(holder, f"{prefix}{name}", _field_default(value), annotation)
                case ast.ClassDef(name=name) if prefix.count(".") < _DEEPEST and times[name] == 1:
                    yield from self._within(statement, holder, f"{prefix}{name}.")
                    continue
                case ast.FunctionDef(name="__init__"):
                    yield from self._set_by_init(statement, holder, prefix)
                    continue
                case _:
                    continue
            if times[name] == 1 and not name.startswith("_") and not self._set.get((node.name, name)):
                yield from attribute

    def _set_by_init(self, init: ast.FunctionDef, holder: str, prefix: str) -> Iterator[OfferedValue]:
        """Yield what `self.lr = 0.1` sets, unless any line sets an attribute of this name again."""
        for statement in init.body:
            match statement:
                case (
                    ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value)
                    | ast.AnnAssign(
                        target=ast.Attribute(value=ast.Name(id="self"), attr=name), value=ast.expr() as value
                    )
                ) if not name.startswith("_"):
                    if sum(count for (_, key), count in self._set.items() if key == name) == 1:
                        yield from offered_value(holder, f"{prefix}{name}", value)


def _field_default(value: ast.expr) -> ast.expr:
    """Return `0.1` of `field(default=0.1)`, of `Field(0.1)` too."""
    match value:
        case ast.Call(func=function, args=args, keywords=keywords) if dotted(function).rpartition(".")[2] in (
            "field",
            "Field",
            "ib",
        ):
            default = next((it.value for it in keywords if it.arg == "default"), args[0] if args else None)
            return value if default is None else default
        case _:
            return value


def _targets(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) | ast.ClassDef(name=name)
        ):
            yield name
