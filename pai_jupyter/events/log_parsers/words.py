"""A line of words: `epoch 3 loss=0.5 acc: 0.9`, `step 2000: train loss 1.76, val loss 1.88`, `Test accuracy: 0.93`.

Beside a place any name is taken, without one only a known name that is no setting: see `names`.
"""

from pai_jupyter.events.log_parsers.number import ParsedLine, to_float
from pai_jupyter.events.log_parsers.pairs import find_pairs
from pai_jupyter.events.log_parsers.places import find_place
from pai_jupyter.events.log_parsers.prose import read_sentence
from pai_jupyter.events.log_parsers.scopes import to_metrics


def read_words(text: str, *, may_be_bare: bool = True) -> ParsedLine | None:
    place = find_place(text.lower())
    if place is None:
        metrics = read_bare(text) if may_be_bare else None
        return ParsedLine(metrics=metrics) if metrics else None
    return ParsedLine(
        metrics=to_metrics(text, find_pairs(text)),
        epoch=to_float(place.epoch),
        epochs=to_float(place.epochs),
        is_share=place.epoch is not None and "." in place.epoch,
        step=to_float(place.step),
        steps=to_float(place.steps),
    )


def read_bare(text: str) -> dict[str, float]:
    """Read the metrics of a line without a place."""
    found = to_metrics(text, find_pairs(text, is_bare=True))
    return found or {pair.name: pair.value for pair in read_sentence(text)}
