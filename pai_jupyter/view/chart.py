"""Draw metrics as one small SVG image, a panel for each, as a `data:` URI for an <img>.

JupyterLab removes <svg> from untrusted notebooks, but shows it inside an image.
"""

import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, TITLE = 160, 48, 14  # pixels of a panel, and of the title above it
POINTS = 60  # per panel
PANELS = 4
LETTERS = 20  # characters of a metric's name
_FRAME = f'<rect width="{WIDTH}" height="{HEIGHT}" y="{TITLE}" fill="none" stroke="#888" stroke-opacity=".4"/>'

Point = tuple[float, float]


def chart(series: Mapping[str, Sequence[Point]]) -> str:
    """Return the chart as a data URI; "" if no metric has two points that can be drawn."""
    drawable = {name: points for name, given in series.items() if len(points := _finite(given)) > 1}
    panels = [_panel(name, thin(points)) for name, points in list(drawable.items())[:PANELS]]
    if not panels:
        return ""
    width = len(panels) * (WIDTH + 8)
    moved = (f'<g transform="translate({at * (WIDTH + 8)})">{panel}</g>' for at, panel in enumerate(panels))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + TITLE + 1}" '
        f'font-family="sans-serif" font-size="10" fill="#888">{"".join(moved)}</svg>'
    )
    return "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def thin(points: Sequence[Point], limit: int = POINTS) -> list[Point]:
    """Return at most `limit` of the points, evenly spaced, with the first and the last."""
    if len(points) <= limit:
        return list(points)
    return [points[at * (len(points) - 1) // (limit - 1)] for at in range(limit)]


def _finite(points: Sequence[Point]) -> list[Point]:
    return [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]


def _panel(name: str, points: Sequence[Point]) -> str:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    drawn = " ".join(
        f"{_scale(x, xs) * (WIDTH - 4) + 2:.0f},{(1 - _scale(y, ys)) * (HEIGHT - 4) + 2 + TITLE:.0f}" for x, y in points
    )
    title = escape(f"{name if len(name) <= LETTERS else name[: LETTERS - 1] + '…'} {ys[-1]:.4g}")
    return (
        f'<text y="10">{title}</text>{_FRAME}<polyline fill="none" stroke="#36c" stroke-width="1.5" points="{drawn}"/>'
    )


def _scale(value: float, values: Sequence[float]) -> float:
    """Scale `value` to 0..1 between the minimum and the maximum of `values`; 0.5 if they are equal."""
    low, high = min(values), max(values)
    spread = high / 2 - low / 2  # halves, since `high - low` may overflow
    return 0.5 if spread == 0 else (value / 2 - low / 2) / spread
