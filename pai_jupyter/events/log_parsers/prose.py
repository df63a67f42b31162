"""Sentences that tell a metric: `Accuracy of the network on the 10000 test images: 54 %` (PyTorch's tutorials).

The name is the known word and what is particular in the rest: `test Accuracy`, `Accuracy plane`.
"""

import re
from collections.abc import Iterator

from pai_jupyter.events.log_parsers.names import SPLITS, NameKind, word_set
from pai_jupyter.events.log_parsers.number import END, NUMBER
from pai_jupyter.events.log_parsers.pairs import Pair

_SUBJECT = re.compile(
    r"(?<![\w./-])((?:(?:test|val|validation|train|training|top-?[15]|average|mean|overall|total|final|best)\x20){0,2}"
    r"(?:accuracy|loss|auc|f1|recall|precision|error|perplexity|m?iou|map|rmse|mse|mae|bleu|wer))\x20(?:of|for|on|over|from)\x20",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"\s*(?:\x20is|:|=)\s*({NUMBER}){END}")
_LONGEST = 80
_GENERAL = word_set("""the a an our this network model net classifier images image set data dataset samples examples class all on of and
    in for with restored neural trained final is from""")


def read_sentence(text: str) -> Iterator[Pair]:
    """Yield the metric of a sentence, if there is one."""
    subject = _SUBJECT.search(text)
    value = _VALUE.search(text, subject.end(), subject.end() + _LONGEST) if subject else None
    if subject and value:
        name = _named(subject[1], re.findall(r"[A-Za-z][\w-]*", text[subject.end() : value.start()]))
        if name:
            yield Pair(name, float(value[1]), NameKind.KNOWN, subject.start(), value.end())


def _named(known: str, rest: list[str]) -> str:
    particular = [word for word in rest if word.lower() not in _GENERAL]
    split = [word for word in particular if word.lower() in SPLITS][:1]
    others = [word for word in particular if word.lower() not in SPLITS]
    return "" if len(others) > 2 else " ".join([*split, known, *others])
