"""Which names are metrics.

A name is read by its parts: `val_loss`, `Val Loss` and `valLoss` are "val" and "loss".

Rule 1: what counts or measures the run, and not the model, is no metric: places, times, sizes, counts (`NO_METRIC`).
Rule 2: a known name has a part that names a metric (`KNOWN`). A line without a place needs one, for anything may stand
        before a number in a log; and no part that makes it a setting (`SETTING`: `loss_weight: 0.5`).
Rule 3: some known words have other meanings (`VAGUE`: `precision: 16`, `error: 404`). They need a sign and a fraction.
"""

import re
from enum import IntEnum
from functools import lru_cache

MAX_NAME = 64


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRAIN = frozenset(("train", "training", "trn"))
EVALUATION = frozenset(
    ("val", "vali", "valid", "validation", "test", "testing", "eval", "evaluation", "dev", "验证", "测试")
)
SPLITS = TRAIN | EVALUATION | {"训练"}  # parts of the data

KNOWN = word_set(
    """loss losses logloss mlogloss nll bce elbo perplexity ppl bpc bpb crossentropy acc accuracy auc auroc auprc roc f1 fscore
    fbeta recall mse rmse mae mape smape rmsle rmspe mase nmse nrmse r2 rsquared bleu rouge rougel meteor chrf wer cer
    eer psnr ssim lpips fid iou miou giou dice top1 top5 ndcg mrr map50 reward rewards fitness merror mcc kappa tpr
    specificity sensitivity likelihood pearson spearman silhouette gini rmae medae besttest macc oacc mdice fwiou
    exploitability 损失 准确率 精确率 精度 召回率 误差 奖励"""
)
VAGUE = word_set("""precision error err score return returns map ap kl ce success cost objective metric r correlation entropy
    residual regret hit hits logits likelihoods 得分""")
SETTING = word_set("""weight weights scale scaling threshold thresholds thresh thr patience smoothing delta tol tolerance alpha beta gamma
    coef coeff coefficient factor ratio lambda type fn func function name interval every freq frequency limit size num n
    count seed margin decay reduction dim budget clip range window start init initial warmup weighting temperature
    target targets t conf config cfg arg port code mode level bound bins bits version""")
NO_METRIC = word_set("""epoch epochs step steps iter iters iteration iterations it its itr batch batches bs bsz skipped timestep timesteps
    episode episodes round rounds fold trial update updates eta time times timestamp ts date datetime elapsed duration dur
    runtime walltime wall remaining seconds second sec secs minutes ms id pid port line lines rank world seed version num
    number count counter patience memory mem size worker workers node classes params parameters samples images instances
    examples files rows total n data""")
_RATE = re.compile(r"/s(?:ec)?\b|per[_ ]?s")  # samples/sec: what is counted by the second may be a curve
_OTHER = frozenset(("v_num", "world_size", "local_rank"))
_OPTION = frozenset(("iou",))  # as options are written: a metric is `IoU` or `mean_iou`
_LIMIT = re.compile(r"(?:max|min|num|n|total)_", re.IGNORECASE)
_SPLIT = re.compile(r"[\W_]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*|\d+|[\u4e00-\u9fff]+")
_DIGITS = "0123456789"
_CHINESE = tuple(word for word in (*KNOWN, *SPLITS) if not word.isascii())  # written without blanks
_LOOKED_AT = 200  # characters of a name


class NameKind(IntEnum):
    """How sure it is that a number behind the name is a metric."""

    NONE = 0
    ANY = 1  # beside a place in the training
    VAGUE = 2
    KNOWN = 3


@lru_cache(maxsize=4_000)
def kind_of(name: str) -> NameKind:
    """Tell whether the number behind `name` is a metric, in a line with a place."""
    if not 0 < len(name) <= MAX_NAME:
        return NameKind.NONE
    parts = parts_of(name)
    if parts & KNOWN:
        return NameKind.KNOWN
    if name in _OTHER or _counts(name, parts):
        return NameKind.NONE
    return NameKind.VAGUE if parts & VAGUE else NameKind.ANY


@lru_cache(maxsize=4_000)
def bare_kind_of(name: str) -> NameKind:
    """Tell the same for a line without a place: a setting is none."""
    if name in _OPTION or _LIMIT.match(name) or parts_of(name) & SETTING:
        return NameKind.NONE
    kind = kind_of(name)
    return kind if kind > NameKind.ANY else NameKind.NONE


@lru_cache(maxsize=4_000)
def parts_of(name: str) -> frozenset[str]:
    """Return the words of `name` in lower case, with and without digits at their end."""
    text = name[:_LOOKED_AT]
    parts = [part for part in (*_SPLIT.split(text.lower()), *(word.lower() for word in _WORD.findall(text))) if part]
    glued = "".join(_SPLIT.split(text.lower()))
    chinese = (word for word in _CHINESE if word in text) if not text.isascii() else ()
    return frozenset((*parts, *(part.rstrip(_DIGITS) for part in parts), glued, *chinese))


def _counts(name: str, parts: frozenset[str]) -> bool:
    return bool(parts & NO_METRIC) and not _RATE.search(name.lower())
