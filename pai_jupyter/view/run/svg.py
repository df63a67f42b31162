"""Draw a level of a run as an SVG image, from the same picture that live views draw.

Rule 1: an image knows nothing of the page's theme: nodes have a light ground of their own, lines a grey that is seen on both.
Rule 2: colour is never all: glyphs tell the status, what was skipped is pale and dashed, edges of conditions are dashed.
Rule 3: all text is clean (`data`), escaped, and cut to what a node has room for. No script, no link, no id.
Rule 4: it is saved with the notebook, so shapes of one kind share one path.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from pai_jupyter.runs.labels import condition_label, count_statuses, value_label
from pai_jupyter.runs.picture import LETTER, LINE_HEIGHT, PADDING, SYMBOL, LevelPicture, PlacedNode, letters_in
from pai_jupyter.runs.state import StepState, StepStatus
from pai_jupyter.view.clean import clean
from pai_jupyter.view.run.data import MAX_LINE, RunData, is_item
from pai_jupyter.view.run.words import GLYPHS, counts_text

MARGIN = 4  # pixels around the whole
_COLORS: Mapping[StepStatus, tuple[str, str]] = {  # ground, line
    StepStatus.WAITING: ("#f7f7f7", "#757575"),
    StepStatus.RUNNING: ("#e8f1fc", "#1565c0"),
    StepStatus.SUCCEEDED: ("#e9f5ea", "#2e7d32"),
    StepStatus.FAILED: ("#fdecea", "#c62828"),
    StepStatus.SKIPPED: ("#fafafa", "#bdbdbd"),
    StepStatus.STOPPED: ("#fff4e5", "#a85400"),
}
_DARK, _PALE = "#212121", "#6b6b6b"  # text; both are legible on every ground
_EDGE = "#8a8a8a"


def draw_svg(data: RunData, picture: LevelPicture, steps: Sequence[StepState], *, is_brief: bool = False) -> str:
    """Return the level as SVG; `is_brief`: only the names of its steps."""
    w, h = picture.w + 2 * MARGIN, picture.h + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="{-MARGIN} {-MARGIN} {w} {h}" '
        f'font-family="sans-serif" font-size="12">'
        f"{''.join(_edges(picture, steps))}{''.join(_shapes(picture, steps))}"
        f"{''.join(_texts(data, picture, steps, is_brief=is_brief))}</svg>"
    )


def as_image(svg: str) -> str:
    """Return the SVG as the address of an image: JupyterLab removes <svg> from notebooks that nobody trusts."""
    return "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


def _edges(picture: LevelPicture, steps: Sequence[StepState]) -> Iterator[str]:
    """Yield a path for each kind of edge, then one for all heads."""
    lines, heads = defaultdict[tuple[bool, bool], list[str]](list), list[str]()
    for edge in picture.edges:
        is_pale = StepStatus.SKIPPED in (steps[edge.source].status, steps[edge.target].status)
        first, *others = edge.points
        lines[edge.is_condition, is_pale].append(f"M{_at(first)}L{' '.join(map(_at, others))}")
        heads.append(f"M{_at(edge.points[-1])}l-3-6h6z")
    for (is_condition, is_pale), parts in lines.items():
        look = (' stroke-dasharray="5 3"' if is_condition else "") + (' opacity=".5"' if is_pale else "")
        yield f'<path fill="none" stroke="{_EDGE}"{look} d="{"".join(parts)}"/>'
    if heads:
        yield f'<path fill="{_EDGE}" d="{"".join(heads)}"/>'


def _shapes(picture: LevelPicture, steps: Sequence[StepState]) -> Iterator[str]:
    """Yield a path of rectangles for each status; pipelines and loops have a second line, as of a pile."""
    boxes, piles = defaultdict[StepStatus, list[str]](list), defaultdict[StepStatus, list[str]](list)
    for node, step in zip(picture.nodes, steps, strict=True):
        boxes[step.status].append(f"M{node.x} {node.y}h{node.w}v{node.h}h-{node.w}z")
        if step.kind != "job":
            piles[step.status].append(f"M{node.x + 3} {node.y + node.h + 3}h{node.w}v-{node.h}")
    for status, parts in boxes.items():
        ground, line = _COLORS[status]
        look = ' stroke-dasharray="3 3"' if status is StepStatus.SKIPPED else ""
        if status in piles:
            yield f'<path fill="none" stroke="{line}" d="{"".join(piles[status])}"/>'
        yield f'<path fill="{ground}" stroke="{line}" stroke-linejoin="round"{look} d="{"".join(parts)}"/>'


def _texts(data: RunData, picture: LevelPicture, steps: Sequence[StepState], *, is_brief: bool) -> Iterator[str]:
    """Yield the lines of all nodes: names dark, the others paler; what was skipped is pale as a whole."""
    dark, pale = list[str](), list[str]()
    for node, step in zip(picture.nodes, steps, strict=True):
        glyph = "" if data.is_plan else GLYPHS[step.status] + " "
        name, *others = _lines(data, step)
        first = dark if step.status is not StepStatus.SKIPPED else pale
        first.append(_text(node, 0, glyph + name))
        if not is_brief:
            pale.extend(_text(node, number, line) for number, line in enumerate(others, 1) if line)
    if dark:
        yield f'<g fill="{_DARK}">{"".join(dark)}</g>'
    if pale:
        yield f'<g fill="{_PALE}">{"".join(pale)}</g>'


def _lines(data: RunData, step: StepState) -> Iterator[str]:
    yield step.path.rpartition("/")[2]
    yield value_label(step.item) if is_item(step) else "" if step.title == step.name else step.title
    if step.condition is not None:
        sign = {None: "?", True: "✓", False: "✗"}[step.condition.is_met]
        yield f"{sign} {condition_label(step.condition)}"
    if step.kind != "job" and not data.is_plan:
        yield counts_text(count_statuses(step.children))


def _text(node: PlacedNode, number: int, text: str) -> str:
    room = (node.w - 2 * PADDING) // LETTER + (SYMBOL // LETTER if not number else 0)
    y = node.y + PADDING + LINE_HEIGHT * number + 12
    return f'<text x="{node.x + PADDING}" y="{y}">{escape(_cut(clean(text, home="", limit=MAX_LINE), room))}</text>'


def _cut(text: str, room: int) -> str:
    """Cut a text to so many letters; a wide (Chinese) one counts twice."""
    if letters_in(text) <= room:
        return text
    while text and letters_in(text) > room - 1:
        text = text[:-1]
    return f"{text}…"


def _at(point: tuple[int, int]) -> str:
    return f"{point[0]} {point[1]}"
