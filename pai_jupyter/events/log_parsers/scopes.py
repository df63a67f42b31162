"""Which part of the data a name is of, where only the line around it says so.

Rule 1: a known name without a part of the data (train, val, test) takes the word of the last that the line spoke of:
        `Val: loss 0.5 acc 0.9`, `Test: [0/48] Loss 0.8`, `val Loss: 0.5 Acc: 0.9`. Otherwise the losses of two parts, printed
        alternately, would be one curve.
Rule 2: the words of the training are left out where they only begin a line (`Train Epoch: 1 ... Loss`), or end a name
        (`Train Loss: 0.5, Accuracy: 0.9`: of what, who knows).
Rule 3: of names that are equal all the same, those get a word that a name before them has in it
        (`train_loss 0.4 acc 0.9 | val_loss 0.5 acc 0.8`). Where that does not help, the first counts.
"""

import re
from collections import Counter
from collections.abc import Sequence

from pai_jupyter.events.log_parsers.names import SPLITS, TRAIN, NameKind, parts_of
from pai_jupyter.events.log_parsers.pairs import Pair

_SPLIT = re.compile(
    r"(?<![\w./-])(train|training|val|vali|valid|validation|test|testing|eval|evaluation|dev)(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
_NO_SCOPE = re.compile(r"\s*(?:epoch|step|iter|batch|loop|\))", re.IGNORECASE)  # Train Epoch: 1, Epoch(train)
_SEPARATOR = re.compile(r"[,;|]")


def to_metrics(text: str, pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the metrics of one line, each under a name of its own."""
    metrics = {pair.name: pair.value for pair in pairs}
    scopes = _scopes(text) if pairs else []
    if not scopes and len(metrics) == len(pairs):
        return metrics
    names = [_named(text, pair, pairs[:at], scopes) for at, pair in enumerate(pairs)]
    if len(set(names)) < len(names):
        names = _told_apart(names, pairs)
    apart: dict[str, float] = {}
    for name, pair in zip(names, pairs, strict=True):
        apart.setdefault(name, pair.value)
    return apart


def _scopes(text: str) -> list[tuple[int, str]]:
    """Return where the line speaks of which part of the data."""
    low = text.lower()
    if not ("train" in low or "val" in low or "test" in low or "dev" in low):  # faster than the pattern
        return []
    return [
        (match.start(), match[1])
        for match in _SPLIT.finditer(text)
        if match[1].lower() not in TRAIN or not _NO_SCOPE.match(text, match.end())
    ]


def _named(text: str, pair: Pair, before: Sequence[Pair], scopes: Sequence[tuple[int, str]]) -> str:
    if pair.kind < NameKind.VAGUE or parts_of(pair.name) & SPLITS:
        return pair.name
    last = next((scope for scope in reversed(scopes) if scope[0] < pair.start), None)
    if last is None:
        return pair.name
    at, word = last
    if word.lower() in TRAIN:
        owner = next((one for one in before if one.start <= at < one.end), None)
        if owner and _SEPARATOR.search(text, owner.end, pair.start):
            return pair.name
    return f"{word} {pair.name}"


def _told_apart(names: Sequence[str], pairs: Sequence[Pair]) -> list[str]:
    counts, split, apart = Counter(names), "", []
    for name, pair in zip(names, pairs, strict=True):
        own = [part for part in parts_of(pair.name) if part in SPLITS]
        split = own[0] if own else split
        apart.append(f"{split} {name}" if counts[name] > 1 and split and not own else name)
    return apart
