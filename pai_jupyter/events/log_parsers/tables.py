r"""Tables of several lines. A table remembers its head, as small JSON; everything else in this package is of one line.

    columns     a head that has a place and a metric in it, then rows: skorch, fastai, spaCy, scikit-learn, YOLO, rich:
                    `  epoch    train_loss    valid_acc     dur`
                    `      1        0.6868       0.6000  0.0461`
    box         names and values, one a row, under sections (Stable-Baselines 3); the place is one of the rows:
                    `| rollout/           |          |`
                    `|    ep_rew_mean     | 22.7     |`
    pairs       of the same, without a place: `│ test_acc │ 0.9321 │` (Lightning)

Rule 1: a table is open from its head to the first line that is no row of it. Lines of dashes belong to it.
Rule 2: where a row has fewer cells than there are columns, a cell belongs to the column that it stands below.
Rule 3: a box tells its rows together at its end, for its place is not known before. It is bounded (`MAX_ROWS`, `MAX_COLUMNS`).
"""

import re
from collections.abc import Sequence
from typing import Any

from pai_jupyter.events.log_parsers.bars import split_bars
from pai_jupyter.events.log_parsers.names import KNOWN, NameKind, bare_kind_of, kind_of, parts_of
from pai_jupyter.events.log_parsers.number import INT, NUMBER, ParsedLine

MAX_ROWS = 64
MAX_COLUMNS = 32

_RULE = re.compile(r"[\s\-+=|:─━═┄┏┓┗┛┡┩┣┫┠┨╇╈┳┻╋┼├┤┌┐└┘┬┴╞╡╪╔╗╚╝╠╣╦╩╬]*")
_BAR = re.compile(r"[|┃│║]")
_CELL = re.compile(r"\S++(?:\x20\S++)*+")  # cells stand two blanks apart
_PLACES = {"epoch": "epoch", "epochs": "epoch", "e": "epoch", "step": "step", "steps": "step", "iter": "step"}
_PLACES |= {"iteration": "step", "#": "step", "round": "step", "batch": "step"}
_NUMBER = re.compile(NUMBER)
_COUNT = re.compile(rf"({INT})(?:/({INT}))?")
_TIMESTEPS = ("time/total_timesteps", "total_timesteps")

State = dict[str, Any]  # Any: JSON values


def read_head(text: str) -> State | None:
    """Return the table that the line is the head of, None where it is none."""
    if text[:1] == "|" and (section := _section(_box_cells(text))):
        return {"section": section, "rows": {}}
    bars = _BAR.search(text) is not None
    if (not bars and "  " not in text) or _PLACES.keys().isdisjoint(text.lower().split()):
        return None
    cells = _cells(text, is_boxed=bars)
    names = [name for name, _, _ in cells]
    if not 1 < len(cells) <= MAX_COLUMNS or any(map(_NUMBER.fullmatch, names)):
        return None
    has_place = any(name.lower() in _PLACES for name in names)
    if has_place and any(parts_of(name) & KNOWN for name in names):
        return {"columns": [list(cell) for cell in cells], "boxed": bars}
    return None


def read_row(table: State, text: str) -> tuple[ParsedLine | None, bool]:
    """Read one line below a head; return what it says, and whether the table goes on."""
    if "rows" in table:
        return _box_row(table, text)
    if _RULE.fullmatch(text):
        return None, True
    reading = _column_row(table, text)
    return reading, reading is not None


def read_pair(text: str) -> ParsedLine | None:
    """Read a row that has a name and a number in it, and needs no head: `│ test_acc │ 0.9321 │` (Lightning)."""
    cells = _cells(text, is_boxed=True) if _BAR.match(text) else []
    if len(cells) != 2 or not _NUMBER.fullmatch(cells[1][0]) or not bare_kind_of(cells[0][0]):
        return None
    return ParsedLine(metrics={cells[0][0]: float(cells[1][0])})


def is_table(value: object) -> bool:
    """Return whether `value` is a table as this module keeps it."""
    if not isinstance(value, dict):
        return False
    columns, rows = value.get("columns"), value.get("rows")
    if isinstance(rows, dict):
        return isinstance(value.get("section"), str) and all(
            isinstance(each, str) and _NUMBER.fullmatch(each) for each in rows.values()
        )
    return isinstance(columns, list) and all(
        isinstance(each, list) and [type(item) for item in each] == [str, int, int] for each in columns
    )


def _box_row(table: State, text: str) -> tuple[ParsedLine | None, bool]:
    cells = _box_cells(text)
    if not cells:
        return _box(table["rows"]), False
    if section := _section(cells):
        table["section"] = section
    elif len(cells) == 2 and _NUMBER.fullmatch(cells[1]) and len(table["rows"]) < MAX_ROWS:
        table["rows"][f"{table['section']}/{cells[0][:64]}"] = cells[1]  # as text, for JSON has no nan
    return None, True


def _box_cells(text: str) -> list[str]:
    line = text.strip()
    return [cell.strip() for cell in line[1:-1].split("|", MAX_COLUMNS)] if line[:1] == line[-1:] == "|" else []


def _section(cells: Sequence[str]) -> str:
    """Return the name of the section that a row of a box begins, "" where it begins none."""
    is_section = len(cells) == 2 and cells[0].endswith("/") and not cells[1] and len(cells[0]) < 32
    return cells[0][:-1] if is_section else ""


def _box(rows: dict[str, str]) -> ParsedLine | None:
    step = next((float(rows[name]) for name in _TIMESTEPS if name in rows), None)
    metrics = {name: float(value) for name, value in rows.items() if kind_of(name) is not NameKind.NONE}
    return ParsedLine(metrics=metrics, step=step) if metrics else None


def _cells(text: str, *, is_boxed: bool) -> list[tuple[str, int, int]]:
    """Return the cells of a line, with where they begin and end; those of a box have their number instead."""
    if is_boxed:
        parts = _BAR.split(text.strip().strip("|┃│║"))
        return [(part.strip()[:64], at, at + 1) for at, part in enumerate(parts[: MAX_COLUMNS + 1])]
    return [
        (match[0][:64], match.start(), match.end())
        for match, _ in zip(_CELL.finditer(text), range(MAX_COLUMNS + 1), strict=False)
    ]


def _column_row(table: State, text: str) -> ParsedLine | None:
    bars, _ = split_bars(text)
    body = bars[0][1].rpartition(":")[0] if bars else text
    cells = _cells(body, is_boxed=table["boxed"])
    if not 1 < len(cells) <= MAX_COLUMNS:
        return None
    place: dict[str, tuple[float, float | None]] = {}
    metrics: dict[str, float] = {}
    for (cell, _, _), name in zip(cells, _below(table["columns"], cells), strict=True):
        kind, unit = kind_of(name), _PLACES.get(name.lower())
        if unit and (count := _COUNT.fullmatch(cell)):
            place[unit] = float(count[1]), float(count[2]) if count[2] else None
        elif kind is not NameKind.NONE and (number := _NUMBER.fullmatch(cell)):
            metrics.setdefault(name, float(number[0]))
    if not place:
        return None
    (epoch, epochs), (step, steps) = place.get("epoch", (None, None)), place.get("step", (None, None))
    if bars:
        step, steps = float(bars[0][2]), float(bars[0][3])
    return ParsedLine(metrics=metrics, epoch=epoch, epochs=epochs, step=step, steps=steps, is_bar=bool(bars))


def _below(columns: Sequence[Sequence[Any]], cells: Sequence[tuple[str, int, int]]) -> list[str]:
    """Return the name of the column that each cell stands below, "" where there is none."""
    if len(columns) == len(cells):
        return [name for name, _, _ in columns]
    shared = [[(min(end, right) - max(start, left), name) for name, left, right in columns] for _, start, end in cells]
    return [name if width > 0 else "" for width, name in map(max, shared)]
