"""Where in the training a line stands: epoch of epochs, step of steps.

Rule 1: a word of place needs its number behind it: `epoch 3`, `Epoch [3/50]`, `step=100`, `global_step 100`.
Rule 2: a step of steps beside an epoch is a share of that epoch (`Epoch: [0][400/5005]`), wherever the training is spoken of:
        how far a validation is (`Epoch(val) [1][10/10]`) is no place.
"""

import re
from typing import NamedTuple

from pai_jupyter.events.log_parsers.number import INT

_COUNT = (
    rf"(?:\((?:train|val|test|eval)\))?\s*+(?:(?:number\s*+)?[:=#]\s*+)?(?:[\[(]\s*+)?({INT}(?:\.\d++)?)"
    rf"(?:\s*+(?:/|of)\s*+({INT}))?(?![\w/]|[.:-]\w)"
)
# For text in lower case. The look-behind stands behind the word, for then the search is for the word.
_EPOCH = re.compile(rf"epoch(?<![\w./-]epoch)(?![a-z]){_COUNT}", re.ASCII)
_SHORT = re.compile(rf"ep\b{_COUNT}", re.ASCII)
_STEPS = [
    re.compile(rf"{pattern}{_COUNT}", re.ASCII)
    for pattern in (
        r"step(?:(?<![\w./-]step)|(?<=\bglobal_step))\b",
        r"iter(?<![\w./-]iter)(?:s|ation)?\b",
        r"episode(?<![\w./-]episode)\b",
        r"batch(?<![\w./-]batch)(?![a-z_])",
        r"timesteps(?:(?<=\bnum_timesteps)|(?<=\btotal_timesteps))\b",
        r"round(?<![\w./-]round)\b",
    )
]
_BRACKET = re.compile(rf"\[\s*+({INT})\s*+/\s*+({INT})\b", re.ASCII)
# `| epoch 1 | 200/2928 batches |`, `| epoch 001:  450 / 1891 loss=11.5`
_BEHIND = re.compile(rf"\s*+[|:]?\s*+({INT})\s*+/\s*+({INT})(?=\s+(?:batches\b|loss\b))", re.ASCII)
# `Train: 0 [   0/1251 (  0%)]` (timm), `[0/5][0/1583]` (DCGAN)
_LEADING = re.compile(
    rf"(?:.{{0,64}}?\btrain:\s*+({INT})(?:/({INT}))?(?:\s*+\(\s*+\d++%\))?|\[({INT})/({INT})\])"
    rf"\s*+\[\s*+({INT})/({INT})\b",
    re.ASCII,
)
_SHARD = re.compile(
    rf"shard ({INT})/({INT})", re.ASCII
)  # `pai_shards` prints it; in a longer line it is something else
_EVALUATION = re.compile(r"epoch\((?:val|test|eval)\)")


def counts_all_replicas(text: str) -> bool:
    """Return whether the place of this line is that of the whole job, whichever replica prints it: of `pai_shards`."""
    return _SHARD.fullmatch(text.lower()) is not None


class Place(NamedTuple):
    """As printed; a number with a fraction is how many epochs are done."""

    epoch: str | None
    epochs: str | None
    step: str | None
    steps: str | None


def find_place(low: str) -> Place | None:
    """Find the place that a line in lower case speaks of."""
    if low.startswith("shard ") and (shard := _SHARD.fullmatch(low)):
        return Place(None, None, shard[1], shard[2])
    if ("train:" in low or low.startswith("[")) and (leading := _LEADING.match(low)):
        first, total, other, others, step, steps = leading.groups()
        return Place(first or other, total or others, step, steps)
    epoch = _EPOCH.search(low) or (_SHORT.match(low) if low.startswith("ep") else None)
    step = None
    for pattern in _STEPS:
        if step := pattern.search(low):
            break
    if epoch is None and step is None:
        return None
    if epoch and not step:
        step = _BRACKET.search(low, epoch.end()) or _BEHIND.match(low, epoch.end())
    if step and "epoch(" in low and _EVALUATION.search(low):
        step = None
    return Place(epoch and epoch[1], epoch and epoch[2], step and step[1], step and step[2])
