"""Draw one metric over several jobs as SVG. Pure.

Rule 1: a job has the same colour and dashes in every chart; a grey print is readable, too.
Rule 2: a value that is nan or infinite is a gap. A chart in which nothing can be drawn is none.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from pai_jupyter.report.contents import Points

WIDTH, HEIGHT = 420, 200  # pixels, with the margins
LEFT, RIGHT, TOP, BOTTOM = 58, 8, 8, 22  # margins
COLORS = ("#1f77b4", "#d95f02", "#2ca02c", "#a83279", "#8c6d31", "#17858c", "#d62728", "#6a51a3")
DASHES = ("", "7 4", "2 3")
_STYLE = 'font-family="sans-serif" font-size="11" fill="currentColor"'


def color(place: int) -> str:
    return COLORS[place % len(COLORS)]


def dashes(place: int) -> str:
    """Return the dashes of the job at `place`: the first 24 differ in colour or dashes."""
    return DASHES[place % len(DASHES)]


def curves_svg(name: str, curves: Mapping[int, Points], labels: Sequence[str]) -> str:
    """Draw the curves by the place of their jobs, whose `labels` are shown where one points; "" if there is nothing to draw."""
    finite = [point for points in curves.values() for point in points if _is_finite(point)]
    if not finite:
        return ""
    xs, ys = _ends([x for x, _ in finite]), _ends([y for _, y in finite])
    lines = "".join(_curve(points, place, labels[place], xs, ys) for place, points in curves.items())
    drawn = "; ".join(labels[place] for place in curves)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{escape(f"{name}: {drawn}")}" {_STYLE}>{_frame(xs, ys)}{lines}</svg>'
    )


def _is_finite(point: tuple[float, float]) -> bool:
    return math.isfinite(point[0]) and math.isfinite(point[1])


def _ends(numbers: Sequence[float]) -> tuple[float, float]:
    low, high = min(numbers), max(numbers)
    return (low, high) if low < high else (low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2)


def _scale(number: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return (number / 2 - low / 2) / (high / 2 - low / 2)  # halves, since `high - low` may overflow


def _place(point: tuple[float, float], xs: tuple[float, float], ys: tuple[float, float]) -> str:
    x = LEFT + _scale(point[0], xs) * (WIDTH - LEFT - RIGHT)
    y = TOP + (1 - _scale(point[1], ys)) * (HEIGHT - TOP - BOTTOM)
    return f"{x:.1f},{y:.1f}"


def _curve(points: Points, place: int, label: str, xs: tuple[float, float], ys: tuple[float, float]) -> str:
    style = f'fill="none" stroke="{color(place)}" stroke-width="1.5" stroke-dasharray="{dashes(place)}"'
    parts = "".join(
        f'<polyline {style} points="{" ".join(part)}"/>' if len(part) > 1 else _dot(part[0], place)
        for part in _parts(points, xs, ys)
    )
    return f"<g><title>{escape(label)}</title>{parts}</g>"


def _parts(points: Points, xs: tuple[float, float], ys: tuple[float, float]) -> Iterator[list[str]]:
    """Yield the places of points between gaps."""
    part: list[str] = []
    for point in points:
        if _is_finite(point):
            part.append(_place(point, xs, ys))
        elif part:
            yield part
            part = []
    if part:
        yield part


def _dot(place: str, job: int) -> str:
    x, _, y = place.partition(",")
    return f'<circle cx="{x}" cy="{y}" r="2.5" fill="{color(job)}"/>'


def _frame(xs: tuple[float, float], ys: tuple[float, float]) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    lines = []
    for share in (0.0, 0.5, 1.0):
        y = TOP + (1 - share) * (bottom - TOP)
        number = ys[0] * (1 - share) + ys[1] * share
        lines.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-opacity=".2"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number:.4g}</text>'
        )
    ends = ((LEFT, "start", xs[0]), (right, "end", xs[1]))
    lines += [
        f'<text x="{x}" y="{HEIGHT - 6}" text-anchor="{anchor}">{number:.6g}</text>' for x, anchor, number in ends
    ]
    return "".join(lines)
