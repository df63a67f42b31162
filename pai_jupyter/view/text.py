"""Draw a job as plain text: for terminals, for front ends without HTML, for tests of notebooks."""

from unicodedata import east_asian_width

from pai_jupyter.events import Status, strip_ansi
from pai_jupyter.jobs.where import where_of
from pai_jupyter.view.clean import steady, steady_name, steady_value
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.facts import Facts, facts
from pai_jupyter.view.words import Language, backend_title, say

LOG_LINES = 10
ROWS = 20  # metrics, values
BAR = 20  # characters of the progress bar


def render_text(data: ViewData, *, stable: bool = False) -> str:
    """Draw the job as text.

    `stable` leaves out everything that differs between runs (ids, times, paths, log lines), so that outputs can be compared.
    """
    known = facts(data)
    lines = _stable(data, known) if stable else _whole(data, known)
    return "\n".join(lines)


def _whole(data: ViewData, known: Facts) -> list[str]:
    header = [known.state, known.name, _place(data, known), known.elapsed, known.cost]
    return [
        "  ".join(part for part in header if part),
        *([known.cause] if known.cause else []),
        *([f"{say('hint', data.language)}: {known.hint}"] if known.hint else []),
        *([" ▸ ".join(known.phases)] if known.phases else []),
        *_replicas(known, data.language),
        *_bar(known),
        *(f"{say('note', data.language)}: {note}" for note in known.notes),
        *([f"{say('note on the job', data.language)}: {known.remark}"] if known.remark else []),
        *_values(known, data.language),
        *([f"{say('code', data.language)}: {known.code}"] if known.code else []),
        *_metrics(known, data.language),
        *([f"{say('used', data.language)}: {known.usage}"] if known.usage else []),
        *(f"│ {strip_ansi(line)}" for line in known.tail[-LOG_LINES:]),
    ]


def _place(data: ViewData, known: Facts) -> str:
    if not known.reason:
        return known.place
    return f"{known.place}（{known.reason}）" if data.language == "zh" else f"{known.place} ({known.reason})"


def _stable(data: ViewData, known: Facts) -> list[str]:
    where = where_of(data.place)
    place = where.backend.partition(" ")[0] if where.backend == data.place else backend_title(where, data.language)
    header = [known.state, steady_name(known.name), steady(place)]
    is_over = data.state.status is Status.SUCCEEDED
    return [
        "  ".join(part for part in header if part),
        *([steady(known.cause)] if known.cause else []),
        *(steady_value(line) for line in _values(known, data.language)),
        *(f"{row.name} {row.last}" for row in known.metrics[:ROWS] if is_over),
    ]


def _replicas(known: Facts, language: Language) -> list[str]:
    more = ["…"] if len(known.replicas) > ROWS else []
    return [f"{say('replicas', language)}: " + ", ".join([*known.replicas[:ROWS], *more])] if known.replicas else []


def _bar(known: Facts) -> list[str]:
    if known.fraction is None:
        return []
    filled = int(BAR * known.fraction)
    return ["▓" * filled + "░" * (BAR - filled) + " " + known.progress]


def _values(known: Facts, language: Language) -> list[str]:
    shown = [f"{name}={value}" for name, value in known.values[:ROWS]]
    more = ["…"] if len(known.values) > ROWS else []
    return [f"{say('values', language)}: " + ", ".join(shown + more)] if shown else []


def _metrics(known: Facts, language: Language) -> list[str]:
    """Format the metrics as an aligned table with a header; [] if there are none."""
    if not known.metrics:
        return []
    titles = [say(word, language) for word in ("metric", "last", "min", "max")]
    rows = [titles, *([row.name, row.last, row.minimum, row.maximum] for row in known.metrics[:ROWS])]
    widths = [max(_width(row[column]) for row in rows) for column in range(4)]
    return ["  ".join(map(_padded, row, widths)).rstrip() for row in rows]


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))


def _width(text: str) -> int:
    """Return the number of terminal columns of `text`; a wide (Chinese) character takes two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
