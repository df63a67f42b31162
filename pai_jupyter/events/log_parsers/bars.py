r"""Bars: tqdm's, alone or with a print behind them, and Keras's, which stand below a line `Epoch 3/10`.

    tqdm    `Epoch 3:  50%|█████     | 50/100 [00:01<00:01, 49.5it/s, loss=0.12]`, `12it [00:01, 49.5it/s, loss=0.5]`
    Keras   `100/100 [======] - 1s 2ms/step - loss: 0.1`, `100/100 ━━━━ 1s 2ms/step`, `938/938 - 3s - loss: 0.1` (verbose=2)

Rule 1: a download has no place in the training, and a bar of a validation or of preparing data has one of its own: its
        metrics are counted, and it is no progress of the job.
"""

import re

from pai_jupyter.events.log_parsers.number import INT, ParsedLine, to_float
from pai_jupyter.events.log_parsers.pairs import find_pairs
from pai_jupyter.events.log_parsers.places import find_place
from pai_jupyter.events.log_parsers.scopes import to_metrics

_TQDM = re.compile(
    rf"(.*?)(?<![0-9])[0-9]++%\|[^|]*+\|\s*+({INT})/({INT})\s*+\[[0-9:]++<[0-9:?]++,([^],]++)(?:,([^]]*+))?\]"
)
_ENDLESS = re.compile(rf"(.{{0,200}}?)(?<![\w.])({INT})it\s\[[0-9:]++,([^],]++)(?:,([^]]*+))?\]")
_KERAS = re.compile(rf"({INT})/({INT})\s+(?:\[[=>.]+\]|[━╸╺ ]+)\s+(?:-\s)?(.*)")
_KERAS_QUIET = re.compile(rf"(?:({INT})/({INT})\s)?-\s[0-9]{{1,9}}m?s\s-\s(.*)")
_ASIDE = re.compile(
    r"\b(?:val|test|eval|sanity|predict|infer|download|load|map\b|filter|generating|tokeniz|extract|process|preprocess|cach"
    r"|convert|prepar|read|writ|sav|upload|fetch|resolv|creat|flatten|shuffl|concat|comput|encod|embed|build|pars|scor|running)"
)


def split_bars(text: str) -> tuple[list[re.Match[str]], str]:
    """Split a line into the tqdm bars that it begins with and the rest."""
    bars: list[re.Match[str]] = []
    while "%|" in text and (match := _TQDM.match(text)):
        bars.append(match)
        text = text[match.end() :].strip()
    return bars, text


def read_bar(bar: re.Match[str]) -> ParsedLine | None:
    """Read one of tqdm's bars, None for a download."""
    description, done, total, rate, postfix = bar.groups()
    if rate.endswith("B/s"):
        return None
    low = description.lower()
    metrics = {**_metrics(description), **_metrics(postfix or "")}
    if low.strip(": ") in ("epoch", "epochs"):
        return ParsedLine(metrics=metrics, epoch=float(done), epochs=float(total), is_share=True, is_bar=True)
    place = find_place(low) if low else None
    is_aside = rate.endswith(("examples/s", "files/s")) or (place is None and _ASIDE.search(low) is not None)
    return ParsedLine(
        metrics=metrics,
        epoch=to_float(place and place.epoch),
        epochs=to_float(place and place.epochs),
        step=float(done),
        steps=float(total),
        is_bar=True,
        is_aside=is_aside,
    )


def read_other_bar(text: str) -> ParsedLine | None:
    """Read a bar of Keras, or one of tqdm that knows no end."""
    if "/" in text and (match := _KERAS.fullmatch(text)):
        return _keras(match, is_bar=True)
    if "s - " in text and (match := _KERAS_QUIET.fullmatch(text)):
        return _keras(match, is_bar=False)
    if "it [" in text and (match := _ENDLESS.fullmatch(text)):
        metrics = {**_metrics(match[1]), **_metrics(match[4] or "")}
        return ParsedLine(metrics=metrics, step=float(match[2]), is_bar=True) if metrics else None
    return None


def _keras(match: re.Match[str], *, is_bar: bool) -> ParsedLine:
    done, total, rest = match.groups()
    return ParsedLine(metrics=_metrics(rest), step=to_float(done), steps=to_float(total), is_bar=is_bar)


def _metrics(text: str) -> dict[str, float]:
    return to_metrics(text, find_pairs(text)) if text else {}
