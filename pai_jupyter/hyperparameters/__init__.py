r"""The hyperparameters of a script: what it declares, which values are valid, how a value reaches it. No code is run.

    arguments.py     p.add_argument("--lr", type=float)         \
    readers/         click, typer, fire, dataclasses, Hydra ...  \
    assignments.py   lr: float = 0.01   hp = {"lr": 0.01}         >  read.py -> Schema -> check, errors, validate (schema.py)
    comments.py      # hp: [1e-5..1] log  learning rate          /                     -> write_values (writing.py)
    suggestions.py   LR = 0.01   config = {"lr": 0.01}          /                      -> as_options (options.py)

Rule 1: form, `-p`, `--params`, `Estimator` and rerun all pass `Schema.validate`, and nothing else checks a value.
Rule 2: a default that only running the script would tell is not guessed: it is shown as text and never sent.
Rule 3: a value reaches the script in one way: as arguments for its parser, or written into the literal that declares it.
Rule 4: what is not declared, a constant or a config, is a suggestion: not sent and not written unless it is given a value.
"""

from pai_jupyter.hyperparameters.hyperparameter import Channel, Hyperparameter, HyperparameterType, Note, Span
from pai_jupyter.hyperparameters.options import as_option, as_options, quoted
from pai_jupyter.hyperparameters.read import read_schema
from pai_jupyter.hyperparameters.schema import Schema
from pai_jupyter.hyperparameters.values import allowed, as_text, same
from pai_jupyter.hyperparameters.writing import read_from_variables

__all__ = [
    "Channel",
    "Hyperparameter",
    "HyperparameterType",
    "Note",
    "Schema",
    "Span",
    "allowed",
    "as_option",
    "as_options",
    "as_text",
    "quoted",
    "read_schema",
    "read_from_variables",
    "same",
]
