"""Find what other cells set for a whole session, seeds and defaults of libraries, which does not come along with a cell.

    torch.manual_seed(0); torch.backends.cudnn.deterministic = True; seed_everything(42)

Rule 1: only calls at the top level of executed cells that change what a job computes, of libraries that the cell uses.
Rule 2: what the completed cell calls itself is not told.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pai_jupyter.cell.notebook import Binder, ExecutedCell, binders, dotted, full_name, parsed, statements_of

_WORDS = ("seed", "determinis", "set_", "backends", "config.update", "options.")  # in all that is looked for
_NUMPY = ("numpy", "sklearn", "scipy")
_TORCH = ("torch", "torchvision", "transformers", "lightning", "pytorch_lightning", "accelerate")
_KERAS = ("keras", "tensorflow", "tf_keras")
_ALL = ("random", *_NUMPY, *_TORCH, *_KERAS)
# The calls, and the packages of which a cell must use one.
_CALLS: Mapping[str, tuple[str, ...]] = {
    "random.seed": ("random",),
    "numpy.random.seed": _NUMPY,
    **dict.fromkeys(
        (
            *("torch.manual_seed", "torch.seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all"),
            *("torch.set_default_dtype", "torch.set_default_device", "torch.set_default_tensor_type"),
            *("torch.use_deterministic_algorithms", "torch.set_float32_matmul_precision", "torch.set_num_threads"),
            *("torch.set_grad_enabled", "torch.autograd.set_detect_anomaly"),
        ),
        _TORCH,
    ),
    **dict.fromkeys(
        (
            *("tensorflow.random.set_seed", "tensorflow.config.experimental.enable_op_determinism"),
            *(f"{keras}.utils.set_random_seed" for keras in ("keras", "tensorflow.keras")),
            *(f"{keras}.backend.set_floatx" for keras in ("keras", "tensorflow.keras")),
            *(f"{keras}.mixed_precision.set_global_policy" for keras in ("keras", "tensorflow.keras")),
        ),
        _KERAS,
    ),
    **dict.fromkeys(
        (
            *(f"{package}.seed_everything" for package in ("lightning", "lightning.pytorch", "pytorch_lightning")),
            *("transformers.set_seed", "transformers.enable_full_determinism", "accelerate.utils.set_seed"),
        ),
        _ALL,
    ),
    "jax.config.update": ("jax", "flax", "optax"),
    "pandas.set_option": ("pandas",),
}
_ASSIGNED: Mapping[str, tuple[str, ...]] = {
    "torch.backends.": _TORCH,
    "pandas.options.mode.": ("pandas",),
}


def settings_note(tree: ast.Module, taken: Iterable[str], cells: Sequence[ExecutedCell]) -> str | None:
    """Return the sentence that names what other cells set; None if there is nothing.

    `taken` are the statements of other cells that come before the cell, as text.
    """
    suspects = [cell for cell in cells if cell.succeeded is not False and _may_set(cell.code)]
    if not suspects:
        return None
    nodes = [node for root in (tree, *map(parsed, taken)) if root for node in ast.walk(root)]
    used = set(_packages(nodes))
    names = _Names(cells)
    own = {name for node in nodes for name in names.settings(node)}
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    found: dict[str, int] = {}
    for cell in suspects:
        for statement in statements_of(cell.code):
            for written, settings in names.of_statement(statement.node):
                left = [name for name, packages in settings.items() if name not in own and used & set(packages)]
                if left and written not in called:
                    found[written] = cell.number
    return _sentence(found) if found else None


def _sentence(found: Mapping[str, int]) -> str:
    names, numbers = list(found), sorted(set(found.values()))
    cells = ", ".join(f"[{number}]" for number in numbers)
    if len(names) == 1:
        return f"cell {cells} also calls {names[0]}, which does not come along: call it in this cell"
    if len(numbers) == 1:
        return f"cell {cells} also calls {', '.join(names)}, which do not come along: call them in this cell"
    return f"cells {cells} also call {', '.join(names)}, which do not come along: call them in this cell"


class _Names:
    """What names of the notebook stand for: `np.random.seed` is `numpy.random.seed`."""

    def __init__(self, cells: Sequence[ExecutedCell]) -> None:
        self._cells = cells
        self._known: dict[str, Binder | None] = {}

    def of_statement(self, node: ast.stmt) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
        """Yield what a top-level statement sets, as written, with the full names and the packages they matter to."""
        value = node.value if isinstance(node, ast.Expr | ast.Assign) else None
        if isinstance(value, ast.Call):
            settings = self.settings(value) or self._of_function(value.func)
            if settings:
                yield ast.unparse(value.func), settings
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if settings := self.settings(target):
                    yield ast.unparse(target), settings

    def settings(self, node: ast.AST) -> dict[str, tuple[str, ...]]:
        """Return the setting that a call or the target of an assignment is; {} if it is none."""
        if isinstance(node, ast.Call) and (name := self._full(node.func)) in _CALLS:
            shown = node.args[0] if node.args else None
            is_display = isinstance(shown, ast.Constant) and str(shown.value).startswith(("display", "plotting"))
            return {} if is_display else {name: _CALLS[name]}
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = self._full(node)
            packages = next((each for prefix, each in _ASSIGNED.items() if name.startswith(prefix)), None)
            return {name: packages} if packages else {}
        return {}

    def _of_function(self, function: ast.expr) -> dict[str, tuple[str, ...]]:
        """Return what a function of the notebook sets: `seed_everything(42)`."""
        binder = self._binder(function.id) if isinstance(function, ast.Name) else None
        if binder is None or not isinstance(binder.statement.node, ast.FunctionDef):
            return {}
        if not _may_set(binder.statement.text):
            return {}
        settings: dict[str, tuple[str, ...]] = {}
        for node in ast.walk(binder.statement.node):
            settings |= self.settings(node)
        return settings

    def _full(self, node: ast.expr) -> str:
        parts = dotted(node)
        if not parts or not _may_set(f"{'.'.join(parts)}."):
            return ""
        return ".".join([self._module(parts[0]), *parts[1:]])

    def _module(self, root: str) -> str:
        """Return the full name of what an import binds to `root`; else `root` itself."""
        binder = self._binder(root)
        return (full_name(binder.statement.node, root) if binder else None) or root

    def _binder(self, name: str) -> Binder | None:
        if name not in self._known:
            self._known[name] = next(binders(name, self._cells), None)
        return self._known[name]


def _may_set(code: str) -> bool:
    return any(word in code for word in _WORDS)


def _packages(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]
