r"""Parse metrics and progress from one log line. Pure functions of the line.

One parser per format, the most specific first:
    tqdm        ` 50%|█████     | 50/100 [00:01<00:01, 49.5it/s, loss=0.12]`
    Keras       `100/100 [======] - 1s 2ms/step - loss: 0.1 - accuracy: 0.9`, below a line `Epoch 3/10`
    dicts       `{"loss": 0.1, "step": 5}`, and Python's `{'loss': 0.5, 'epoch': 1.0}` (HF Trainer)
    boosting    `[12]\ttrain-mlogloss:0.21` (XGBoost), `[12]\tvalid_0's l2: 0.21` (LightGBM)
    words       `epoch 3 loss=0.5 acc: 0.9`, `Epoch [3/50], Step [100/600], Loss: 0.23`

Rule 1: invent nothing. A metric needs a step or an epoch on its line, and a plain number after `=` or `:`, not part of a time
    of day, address, version, path, unit or hex.
Rule 2: nan and the infinities are values: users look for them first.
Rule 3: a name is kept as it is printed.
Rule 4: time is linear in the length of any line: neighbouring repeats never match the same letters, or are possessive (`*+`).
    Otherwise one line of a job could block its reader.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_NUMBER = r"[-+]?(?:\d++(?:\.\d*+)?(?:e[-+]?\d++)?|\.\d++(?:e[-+]?\d++)?|nan\b|inf(?:inity)?\b)"
_WHOLE_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_END = r"(?![\w/\\]|[.:-]\w|,\d)"  # after a number: no unit, time, date, version, path, thousands separator
_WORD = r"[A-Za-z_][\w./@-]*+"
_PAIR = re.compile(
    rf"(?<![\w./@&?%-])((?:(?:train|training|val|valid|validation|test|eval|dev) )?{_WORD})(\s*+[=:]\s*+)({_NUMBER}){_END}",
    re.IGNORECASE,
)
# "saved: 5 files", but not "hits: 5 val loss: 0.1".
_PROSE = re.compile(rf"\s++(?!(?:{_WORD}\s++)?{_WORD}\s*+[=:])[A-Za-z]")
_INT = r"\d{1,15}"  # more digits are an id
_COUNT = rf"\s*+(?:[:=#]\s*+)?(?:[\[(]\s*+)?({_INT}(?:\.\d++)?)(?:\s*+/\s*+({_INT}))?(?![\w/]|[.:-]\w)"
# For lower-case text. The look-behind follows the word, so that the search engine looks for the word.
_EPOCH = re.compile(rf"epoch(?<![\w./-]epoch)\b{_COUNT}")
_STEP = re.compile(rf"step(?:(?<![\w./-]step)|(?<=\bglobal_step))\b{_COUNT}")
_ITERATION = re.compile(rf"iter(?<![\w./-]iter)(?:ation)?\b{_COUNT}")
_BRACKET = re.compile(rf"\[\s*({_INT})\s*/\s*({_INT})\b")

_TQDM = re.compile(rf"(.*?)(?<!\d)\d++%\|[^|]*+\|\s*+({_INT})/({_INT})\s*+\[[\d:]++<[\d:?]++,([^],]++)(?:,([^]]*+))?\]")
_KERAS = re.compile(rf"({_INT})/({_INT})\s+(?:\[[=>.]+\]|[━╸╺ ]+)\s+(?:-\s)?(.*)")
_EVALUATION = rf"([A-Za-z][^\s:]*(?:'s [^\s:]+)?):\s*({_NUMBER})"
_BOOSTING = re.compile(rf"\[({_INT})\]((?:\t{_EVALUATION}(?:\s*\+\s*{_NUMBER})?)+)", re.IGNORECASE)
_EVALUATIONS = re.compile(_EVALUATION, re.IGNORECASE)
_DICT_PAIR = re.compile(rf"'([^'\\]+)': (['\"]?)({_NUMBER})\2(?=[,}}])", re.IGNORECASE)

_EPOCH_KEYS = ("epoch",)
_EPOCHS_KEYS = ("epochs", "num_epochs", "total_epochs")
_STEP_KEYS = ("step", "global_step", "iteration", "iter")
_NO_METRIC = re.compile(  # counters, times, ranks and settings: no metrics
    r"(?:.* )?(?:(?:num_|total_)?epochs?|(?:global_|max_|total_)?steps?|iter(?:ations?)?|it|eta|time|timestamp|ts|date"
    r"|id|pid|port|line|(?:local_)?rank|world_size|seed|version|v_num)",
    re.IGNORECASE | re.DOTALL,
)
_MAX_NAME = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedLine:
    """What a line says: `epoch` of `epochs`, `step` of `steps`, as printed (from 0 or from 1)."""

    metrics: Mapping[str, float] = field(default_factory=dict)
    epoch: float | None = None
    epochs: float | None = None
    is_share: bool = False  # `epoch` counts finished epochs (1.27); it is not the number of the current one
    step: float | None = None
    steps: float | None = None  # of one epoch, where there are epochs
    is_bar: bool = False  # one of many states of a bar

    @property
    def share(self) -> float | None:
        """Share of the steps done, 0 to 1."""
        return self.step / self.steps if self.step is not None and self.steps else None


def read_line(text: str) -> ParsedLine | None:
    """Read the metrics and progress of one line; None if it has none. `text` has no ANSI codes, backspaces or outer blanks."""
    bars, rest = _bars(text)
    reading = _no_bar(rest) if rest else None  # printed output follows the bar on its line
    return reading or next(filter(None, map(_tqdm, reversed(bars))), None)


def _bars(text: str) -> tuple[list[re.Match[str]], str]:
    """Split a line into the tqdm bars that it begins with and the rest."""
    bars: list[re.Match[str]] = []
    while "%|" in text and (match := _TQDM.match(text)):
        bars.append(match)
        text = text[match.end() :].strip()
    return bars, text


def _no_bar(text: str) -> ParsedLine | None:
    if "{" in text and text.endswith("}"):
        return _dict(text[text.index("{") :])
    if text.startswith("[") and (match := _BOOSTING.fullmatch(text)):
        return ParsedLine(metrics=_metrics(_EVALUATIONS.findall(match[2])), step=float(match[1]))
    if "/" in text and (match := _KERAS.fullmatch(text)):
        return ParsedLine(metrics=_metrics(_pairs(match[3])), step=float(match[1]), steps=float(match[2]), is_bar=True)
    return _words(text)


def parse_number(text: str) -> float | None:
    """Parse `text` as a number, nan and infinities included; None if it is not one."""
    text = text.strip()
    return float(text) if _WHOLE_NUMBER.fullmatch(text) else None


def _tqdm(bar: re.Match[str]) -> ParsedLine | None:
    description, done, total, rate, postfix = bar.groups()
    if rate.endswith("B/s"):
        return None  # a download
    metrics = _metrics(_pairs(postfix or ""))
    if description.strip(": ").lower() in ("epoch", "epochs"):
        return ParsedLine(metrics=metrics, epoch=float(done), epochs=float(total), is_share=True, is_bar=True)
    epoch = _EPOCH.search(description.lower())
    return ParsedLine(
        metrics=metrics,
        epoch=_float(epoch and epoch[1]),
        epochs=_float(epoch and epoch[2]),
        step=float(done),
        steps=float(total),
        is_bar=True,
    )


def _dict(text: str) -> ParsedLine | None:
    values = _json_values(text) if text.startswith('{"') else _python_values(text)
    epoch, step = _first(values, _EPOCH_KEYS), _first(values, _STEP_KEYS)
    if epoch is None and step is None:
        return None
    return ParsedLine(
        metrics=_metrics(values.items()),
        epoch=_float(epoch),
        epochs=_float(_first(values, _EPOCHS_KEYS)),
        is_share=isinstance(epoch, float),
        step=_float(step),
    )


def _json_values(text: str) -> dict[str, float]:
    """Return the numbers of a JSON object, integers as int."""
    try:
        values = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return {}
    return {name: item for name, item in values.items() if type(item) in (int, float)}


def _python_values(text: str) -> dict[str, float]:
    """Return the numbers of a printed flat Python dict; `nan` in it rules out `ast.literal_eval`."""
    if text.count("{") != 1:
        return {}
    return {name: _whole(number) for name, _, number in _DICT_PAIR.findall(text)}


def _whole(text: str) -> float:
    return int(text) if text.isdigit() and len(text) < 300 else float(text)


def _first(values: Mapping[str, float], names: Iterable[str]) -> float | None:
    """Return the first of `names` whose value is a finite number."""
    return next((values[name] for name in names if name in values and abs(values[name]) < 1e15), None)


def _float(number: str | float | None) -> float | None:
    return None if number is None else float(number)


def _words(text: str) -> ParsedLine | None:
    low = text.lower()
    epoch, step = _EPOCH.search(low), _STEP.search(low) or _ITERATION.search(low)
    if epoch is None and step is None:
        return None
    count = step or (_BRACKET.search(low, epoch.end()) if epoch else None)
    return ParsedLine(
        metrics=_metrics(_pairs(text)),
        epoch=_float(epoch and epoch[1]),
        epochs=_float(epoch and epoch[2]),
        is_share=epoch is not None and "." in epoch[1],
        step=_float(count and count[1]),
        steps=_float(count and count[2]),
    )


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and number around `=` or `:`, unless the number is part of a sentence."""
    for match in _PAIR.finditer(text):
        name, sign, number = match.groups()
        if ":" in sign and number.isdigit() and (sign[-1] == ":" or _PROSE.match(text, match.end())):
            continue  # localhost:8080, saved: 5 files
        yield name, number


def _metrics(pairs: Iterable[tuple[str, str | float]]) -> dict[str, float]:
    return {name: float(number) for name, number in pairs if _is_metric(name)}


def _is_metric(name: str) -> bool:
    return 0 < len(name) <= _MAX_NAME and not _NO_METRIC.fullmatch(name)
