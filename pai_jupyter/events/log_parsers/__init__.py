r"""What one line of text says about training: metrics, and how far it is. Pure functions of the line.

A module for each way of printing, the most telling first:
    bars        ` 50%|█████     | 50/100 [00:01<00:01, 49.5it/s, loss=0.12]` (tqdm), and Keras below a line `Epoch 3/10`
    dicts       `{"loss": 0.1, "step": 5}`, and Python's `{'loss': 0.5, 'epoch': 1.0}` (HF Trainer)
    rounds      `[12]\ttrain-mlogloss:0.21` (XGBoost, LightGBM), CatBoost, Optuna
    words       `epoch 3 loss=0.5 acc: 0.9`, `Test accuracy: 0.93`, `loss 3.2`
    tables      of several lines (skorch, fastai, rich, Stable-Baselines 3): the only one with a memory, see there

    number      what is a number, and what a line says: `ParsedLine`
    names       which names are metrics
    places      where in the training a line stands: `Epoch [3/50], Step [100/600]`
    pairs       names and numbers in a line, each name whole and each under its part of the data

Rule 1: invent nothing. Beside a place in the training (a step, an epoch) any name before a number is a metric, but for
        places, times, counts and sizes. Without a place the name must be a known one (`loss`, `accuracy`), and no setting.
Rule 2: nan and the infinities are values: they are what a user looks for first.
Rule 3: a name is kept as it is printed, whole, up to three words. Two series never share one: what stands under `Val:` or
        `Test set:` carries that word.
Rule 4: the time is linear in the length of the line, whatever it holds: what may repeat never meets a neighbour that could
        take the same letters, or keeps what it has taken (`*+`). A job would stop its reader with one line otherwise.
"""

from functools import partial

from pai_jupyter.events.log_parsers.bars import read_bar, read_other_bar, split_bars
from pai_jupyter.events.log_parsers.dicts import read_dict
from pai_jupyter.events.log_parsers.number import ParsedLine, parse_number
from pai_jupyter.events.log_parsers.plans import Plans
from pai_jupyter.events.log_parsers.rounds import read_round
from pai_jupyter.events.log_parsers.tables import read_pair
from pai_jupyter.events.log_parsers.words import read_words

__all__ = ["ParsedLine", "parse", "parse_number", "read_line"]


def read_line(text: str, *, may_be_bare: bool = True) -> ParsedLine | None:
    """Read the metrics and progress of one line; None if it has none. `text` has no ANSI codes, backspaces or outer blanks.

    `may_be_bare`: a line of words that has no place is read, too.
    """
    if "{" in text or "%|" in text:  # JSON knows numbers of its own; the shapes of a bar are many
        return parse(text, may_be_bare=may_be_bare)
    return (_ANY if may_be_bare else _PLACED).read(text)


def parse(text: str, *, may_be_bare: bool = True) -> ParsedLine | None:
    """Read one line without a plan."""
    bars, rest = split_bars(text)
    reading = _no_bar(rest, may_be_bare=may_be_bare) if rest else None  # printed output follows the bar on its line
    return reading or next(filter(None, map(read_bar, reversed(bars))), None)


def _no_bar(text: str, *, may_be_bare: bool) -> ParsedLine | None:
    if "{" in text and text.endswith("}"):
        return read_dict(text)
    return read_round(text) or read_other_bar(text) or read_pair(text) or read_words(text, may_be_bare=may_be_bare)


_ANY = Plans(parse)
_PLACED = Plans(partial(parse, may_be_bare=False))
