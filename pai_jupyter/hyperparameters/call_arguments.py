"""Values that stand as arguments of calls, or as defaults of parameters, in a script that declares no hyperparameter.

    model.fit(x, y, epochs=5)         an argument that is called as hyperparameters are called: `epochs`
    def main(lr=0.1): ...             a parameter of a function that the script calls once, where the call leaves it out,
    main(seed=1)                      and what the call gives
    class Config:                     the same of a class for configuration
        def __init__(self, lr=0.1): ...

Rule 1: what is offered is the literal that is in use: a default only if the call gives nothing else.
Rule 2: of two calls of one function that both have the argument, neither is offered: which is meant is not known.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from pai_jupyter.hyperparameters.module_scope import CalledFunction, bindings
from pai_jupyter.hyperparameters.offered_values import OfferedValue, dotted, offered_value
from pai_jupyter.hyperparameters.syntax import nodes_on_lines

_WORDS = (
    r"lr|(?:\w+_)?learning_rate(?:_init)?|\w+_lr|(?:\w+_)?epochs?|nb_epochs?|(?:\w+_)?batch_size|(?:\w+_)?momentum"
    r"|(?:\w+_)?weight_decay|(?:\w+_)?dropout(?:_rate)?|(?:(?:max|num|n|nb|total|train|training|warmup|eval)_)+(?:steps|iter|iters|iterations)"
    r"|iterations|total_timesteps|steps_per_epoch|validation_split|validation_steps|patience|clip_?norm|clip_?value|max_(?:grad_)?norm"
    r"|gradient_accumulation_steps|accumulate_grad_batches|gradient_clip_val|early_stopping_rounds|num_boost_round|n_estimators"
    r"|max_depth|max_bin|num_leaves|min_samples_(?:leaf|split)|min_child_weight|subsample|colsample_bytree|reg_(?:alpha|lambda)|(?:l1|l2)_ratio"
    r"|n_neighbors|n_clusters|n_components|test_size|n_splits|n_trials|num_samples|buffer_size|learning_starts|gae_lambda|clip_range|ent_coef"
    r"|(?:num|n)_(?:heads?|layers?|hidden|units|filters)|hidden_(?:size|dim|units|layer_sizes)|d_model|embed(?:ding)?_dim|latent_dim"
    r"|seed|random_(?:state|seed)|num_workers|label_smoothing|temperature"
)
_MOST_CLASSES = 20
_NAME = re.compile(_WORDS)
_ARGUMENT = re.compile(rf"\b(?:{_WORDS})\s*=(?!=)")


def read_call_arguments(
    module: ast.Module, source: str, *, called: Collection[CalledFunction], classes: Collection[ast.ClassDef]
) -> Iterator[OfferedValue]:
    """Yield the values of parameters, then those of arguments; `called` and `classes` are what the script calls."""
    calls = [it for it in nodes_on_lines(module, source, _ARGUMENT) if isinstance(it, ast.Call)]
    calls.sort(key=lambda it: (it.lineno, it.col_offset))
    own = {id(it.call) for it in called}
    for it in called:
        again = bindings(it.function, source)
        yield from (held for held in _parameters(it.function, it.call) if held.name not in again)
    for each in islice(classes, _MOST_CLASSES):
        yield from _of_class(module, source, each)
    yield from _arguments([it for it in calls if id(it) not in own])


def _of_class(module: ast.Module, source: str, each: ast.ClassDef) -> Iterator[OfferedValue]:
    """Yield the parameters of a class for configuration that is made at one place."""
    init = next((it for it in each.body if isinstance(it, ast.FunctionDef) and it.name == "__init__"), None)
    named = nodes_on_lines(module, source, re.compile(rf"\b{each.name}\b"))
    uses = [it for it in named if isinstance(it, ast.Name | ast.Call)]
    made = [it for it in uses if isinstance(it, ast.Call) and dotted(it.func) == each.name]
    if (
        init is not None
        and len(made) == 1
        and sum(dotted(it) == each.name for it in uses if isinstance(it, ast.Name)) == 1
    ):
        yield from _parameters(init, made[0], skipped=1)


def _parameters(function: ast.FunctionDef, call: ast.Call, *, skipped: int = 0) -> Iterator[OfferedValue]:
    """Yield what each parameter is in this call; `skipped` parameters come before its first argument: `self`."""
    if any(isinstance(it, ast.Starred) for it in call.args) or any(it.arg is None for it in call.keywords):
        return
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, ast.expr | None] = dict(
        zip((it.arg for it in positional[len(positional) - len(arguments.defaults) :]), arguments.defaults, strict=True)
    )
    defaults |= {it.arg: default for it, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    given = dict(zip((it.arg for it in positional[skipped:]), call.args, strict=False))
    given |= {it.arg: it.value for it in call.keywords if it.arg is not None}
    for parameter in (*positional[skipped:], *arguments.kwonlyargs):
        value = given.get(parameter.arg, defaults.get(parameter.arg))
        if value is not None and not parameter.arg.startswith("_"):
            yield from offered_value(function.name, parameter.arg, value, parameter.annotation)


def _arguments(calls: Sequence[ast.Call]) -> Iterator[OfferedValue]:
    """Yield the numbers that calls get under the name of a hyperparameter."""
    found = [
        (dotted(call.func).rpartition(".")[2], keyword.arg, keyword.value)
        for call in calls
        for keyword in call.keywords
        if keyword.arg is not None and _NAME.fullmatch(keyword.arg)
    ]
    times = Counter((holder, name) for holder, name, _ in found)
    for holder, name, value in found:
        if holder and times[holder, name] == 1:
            for held in offered_value(holder, name, value):
                if not isinstance(held.declared.default, str | bool):
                    yield held
