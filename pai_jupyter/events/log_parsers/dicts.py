"""A printed dict: `{"loss": 0.1, "step": 5}`, `{'loss': 0.5, 'epoch': 1.0}` (HF Trainer), `epoch 0: {'accuracy': 0.86}`.

The place is in the dict or before it. Without one the names must be known, as in words.
"""

import json
import re
from collections.abc import Iterable, Mapping

from pai_jupyter.events.log_parsers.names import NameKind, bare_kind_of, kind_of
from pai_jupyter.events.log_parsers.number import NUMBER, ParsedLine, parse_number, to_float
from pai_jupyter.events.log_parsers.places import find_place

_PAIR = re.compile(rf"'([^'\\]+)': (?:(?:tensor|np\.float(?:16|32|64))\()?(['\"]?)({NUMBER})\2\)?(?=[,}}])")
_EPOCH_KEYS = ("epoch",)
_EPOCHS_KEYS = ("epochs", "num_epochs", "total_epochs")
_STEP_KEYS = ("step", "global_step", "iteration", "iter")


def read_dict(text: str) -> ParsedLine | None:
    """Read a line that ends with a dict."""
    before, _, _ = text.partition("{")
    body = text[len(before) :]
    values = _json_values(body) if body.startswith('{"') else _python_values(body)
    if not values:
        return None
    epoch, step = _first(values, _EPOCH_KEYS), _first(values, _STEP_KEYS)
    epochs, steps = _first(values, _EPOCHS_KEYS), None
    is_share = isinstance(epoch, float)
    if epoch is None and step is None and (place := find_place(before.lower())):
        epoch, epochs, step, steps = (to_float(each) for each in (place.epoch, place.epochs, place.step, place.steps))
    judge = bare_kind_of if epoch is None and step is None else kind_of
    metrics = {name: float(number) for name, number in values.items() if judge(name) is not NameKind.NONE}
    if judge is bare_kind_of and not metrics:
        return None
    return ParsedLine(
        metrics=metrics,
        epoch=to_float(epoch),
        epochs=to_float(epochs),
        is_share=is_share,
        step=to_float(step),
        steps=to_float(steps),
    )


def _json_values(text: str) -> dict[str, float]:
    """Return the numbers of a JSON object, integers as int."""
    try:
        values = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return {}
    told = {name: _of_text(item) if isinstance(item, str) else item for name, item in values.items()}
    return {name: item for name, item in told.items() if isinstance(item, int | float) and not isinstance(item, bool)}


def _of_text(text: str) -> float | None:
    """Return the number in a string: fairseq writes `"loss": "8.206"`."""
    return _whole(text) if len(text) < 32 and parse_number(text) is not None and text == text.strip() else None


def _python_values(text: str) -> dict[str, float]:
    """Return the numbers of a printed flat Python dict (`nan` is not a literal that Python reads back)."""
    if text.count("{") != 1:
        return {}
    return {name: _whole(number) for name, _, number in _PAIR.findall(text)}


def _whole(text: str) -> float:
    return int(text) if text.isdigit() and len(text) < 300 else float(text)


def _first(values: Mapping[str, float], names: Iterable[str]) -> float | None:
    """Return the first of `names` whose value is a finite number."""
    return next((values[name] for name in names if name in values and abs(values[name]) < 1e15), None)
