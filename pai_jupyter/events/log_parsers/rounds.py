r"""Lines that begin with the number of a round or a trial.

XGBoost     `[12]\ttrain-mlogloss:0.21\ttest-mlogloss:0.33`
LightGBM    `[12]\tvalid_0's l2: 0.21\tvalid_0's auc: 0.9`
CatBoost    `120:\tlearn: 0.31\ttest: 0.35\tbest: 0.35 (118)\ttotal: 1m 27s\tremaining: 10m 33s`
Optuna      `[I 2024-04-08 10:42:09,064] Trial 7 finished with value: 0.93 and parameters: {...}. Best is trial 3 ...`
"""

import re

from pai_jupyter.events.log_parsers.names import NameKind, kind_of
from pai_jupyter.events.log_parsers.number import INT, NUMBER, ParsedLine

_EVALUATION = rf"([A-Za-z][^\s:]*(?:'s [^\s:]+)?):\s*({NUMBER})"
_BOOSTING = re.compile(rf"\[({INT})\]((?:\t{_EVALUATION}(?:\s*\+\s*{NUMBER})?)+)")
_EVALUATIONS = re.compile(_EVALUATION)
_CATBOOST = re.compile(rf"({INT}):\s(?=(?:learn|test[0-9]*):\s)")
_CATBOOST_VALUE = re.compile(rf"(?<!\S)(learn|test[0-9]?):\s({NUMBER})(?!\S)")
_TRIAL = re.compile(
    rf"\btrial ({INT}) (?:finished|complete) with values?: (?:\[({NUMBER}[^\]]*)\]|({NUMBER}))", re.IGNORECASE
)


def read_round(text: str) -> ParsedLine | None:
    """Read a line of a boosting library or of Optuna, None for any other."""
    if text.startswith("["):
        if match := _BOOSTING.fullmatch(text):
            found = {name: float(number) for name, number in _EVALUATIONS.findall(match[2])}
            metrics = {name: value for name, value in found.items() if kind_of(name) is not NameKind.NONE}
            return ParsedLine(metrics=metrics, step=float(match[1]))
        if trial := _TRIAL.search(text):
            return ParsedLine(metrics=_values(trial[2] or trial[3]), step=float(trial[1]))
    elif text[:1].isdigit() and (first := _CATBOOST.match(text)):
        values = {name: float(number) for name, number in _CATBOOST_VALUE.findall(text)}
        return ParsedLine(metrics=values, step=float(first[1]))
    return None


def _values(listed: str) -> dict[str, float]:
    """Return the values of a trial: one, or one for each objective."""
    values = re.findall(NUMBER, listed)
    if len(values) == 1:
        return {"value": float(values[0])}
    return {f"value {at}": float(number) for at, number in enumerate(values)}
