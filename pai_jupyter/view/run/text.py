"""Draw a run as plain text: a tree table. For terminals, for front ends without HTML, for tests of notebooks."""

from dataclasses import replace

from pai_jupyter.runs.picture import letters_in
from pai_jupyter.runs.state import RunState
from pai_jupyter.view.clean import steady, steady_name, steady_value
from pai_jupyter.view.run.data import RunData, RunFacts, TreeRow, run_facts
from pai_jupyter.view.run.words import run_text
from pai_jupyter.view.words import Language, environment_language

ROWS = 200


def render_run_text(
    run: RunState | RunData, *, stable: bool = False, language: Language | None = None, rows: int = ROWS
) -> str:
    """Draw a run as text.

    `stable` leaves out everything that differs between runs (ids, times, paths), so that outputs can be compared.
    """
    data = run if isinstance(run, RunData) else RunData(state=run, language=language or environment_language())
    known = run_facts(data, most=rows)
    return "\n".join(_stable(data, known) if stable else _whole(data, known))


def _whole(data: RunData, known: RunFacts) -> list[str]:
    note, inputs = run_text("note", data.language), run_text("inputs", data.language)
    outputs = run_text("outputs", data.language)
    return [
        _joined(known.word, known.name, known.counts, known.elapsed, known.cost),
        *([known.reason] if known.reason else []),
        *(f"{note}: {text}" for text in known.notes),
        *([f"{inputs}: {', '.join(known.inputs)}"] if known.inputs else []),
        *tree_lines(data, known),
        *([f"{outputs}: {', '.join(known.outputs)}"] if known.outputs else []),
    ]


def row_text(row: TreeRow, path: str) -> str:
    """Return one step as a line, with its path."""
    return _joined(row.word, path, *_cells(row)[2:])


def _stable(data: RunData, known: RunFacts) -> list[str]:
    rows = tuple(
        replace(
            row,
            time="",
            about=steady(row.about),
            details=tuple(map(steady, row.details)),
            values=tuple(map(steady_value, row.values)),
        )
        for row in known.rows
    )
    return [
        _joined(known.word, steady_name(known.name), known.counts),
        *([steady(known.reason)] if known.reason else []),
        *tree_lines(data, replace(known, rows=rows)),
    ]


def _joined(*parts: str) -> str:
    return "  ".join(part for part in parts if part)


def tree_lines(data: RunData, known: RunFacts, *, has_values: bool = True) -> list[str]:
    """Return the steps as an aligned table, those of a pipeline or a loop indented below it."""
    rows = [_cells(row, has_values=has_values) for row in known.rows]
    widths = [
        max((letters_in(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)
    ]
    kept = [column for column, width in enumerate(widths) if width]
    lines = ["  ".join(_padded(row[column], widths[column]) for column in kept).rstrip() for row in rows]
    more = [f"  … {run_text('{count} more', data.language).format(count=known.more)}"] if known.more else []
    return [*lines, *more]


def _cells(row: TreeRow, *, has_values: bool = True) -> tuple[str, ...]:
    said = (*row.details, *(row.values if has_values else ())) or ((row.about,) if row.about else ())
    return f"{'  ' * (row.depth + 1)}{row.name}", row.word, row.time, " · ".join(said)


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - letters_in(cell))
