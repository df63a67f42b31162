"""Choose a job's headline metric: the one shown in a list, as its sparkline, and first in a table.

Rule 1: a metric that the user names comes first.
Rule 2: then the kinds of `KINDS`, in that order; within a kind validation, test, unprefixed, training. Ties: the first to
    appear.
Rule 3: a schedule or a count (`NEVER`: lr, epoch, time) is never the headline.
Rule 4: of unknown metrics, the last to appear for the first time. That choice is stable, unlike the last printed.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

KINDS = (
    ("accuracy", "acc", "top1", "precision", "recall"),
    ("loss", "logloss", "nll", "crossentropy", "mlogloss"),
    ("auc", "auroc", "roc", "auprc"),
    ("f1", "fscore", "dice", "iou", "miou", "map", "ndcg", "mrr", "bleu", "rouge", "wer", "cer", "psnr", "ssim", "fid"),
    ("rmse", "mse", "mae", "mape", "r2", "rmsle", "error", "merror", "err"),
    ("perplexity", "ppl", "reward", "return", "score"),
)
NEVER = {
    *("lr", "learningrate", "epoch", "epochs", "step", "steps", "iter", "iters", "iteration", "iterations", "batch"),
    *("time", "seconds", "elapsed", "duration", "eta", "speed", "throughput", "fps", "memory", "mem", "gpu", "cpu"),
    *("gradnorm", "norm", "momentum", "decay", "wd", "temperature", "progress", "percent", "samples", "tokens"),
}
_PARTS = (
    ("val", "valid", "validation", "dev", "eval"),
    ("test",),
    (),
    ("train", "training", "tr", "batch", "step"),
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*|\d+")
_CHINESE = {
    "准确率": "accuracy",
    "精度": "accuracy",
    "损失": "loss",
    "学习率": "lr",
    "验证": "val",
    "测试": "test",
    "训练": "train",
}
_LONGEST = 200  # characters of a name that count


def headline_metric(names: Iterable[str], wanted: str | None = None) -> str | None:
    """Choose the metric that stands for the job from names in order of appearance; prefer `wanted` if present."""
    known = list(names)
    if wanted in known:
        return wanted
    ranked = [(rank, name) for name in known if (rank := _rank(name)) is not None]
    if not ranked:
        return None
    best = min(rank for rank, _ in ranked)
    equal = [name for rank, name in ranked if rank == best]
    return equal[-1] if best[0] == len(KINDS) else equal[0]


def in_order(names: Iterable[str], wanted: str | None = None) -> list[str]:
    """Order all the names, the headline metric first."""
    known = list(names)
    first = headline_metric(known, wanted)
    return known if first is None else [first, *(name for name in known if name != first)]


@lru_cache(maxsize=2_000)
def _rank(name: str) -> tuple[int, int] | None:
    """Return (kind, data split) to sort by, best first; None = never the headline."""
    text = name[:_LONGEST]
    for chinese, english in _CHINESE.items():
        text = text.replace(chinese, f" {english} ")
    words = [word.lower() for word in _WORD.findall(text)]
    glued = {first + second for first, second in pairwise(words)}
    every = {*words, *glued}
    part = next((at for at, parts in enumerate(_PARTS) if every & {*parts}), 2)
    for kind, known in enumerate(KINDS):
        if every & {*known}:
            return kind, part
    return None if every & NEVER else (len(KINDS), 0)
