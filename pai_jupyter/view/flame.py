"""Draw a recording as a flame graph: an SVG image without script, the widths by samples, callers above what they call.

Rule 1: colours say whose code it is: the job's own script, other files, processes. The text says it, too.
Rule 2: all text is the job's: cleaned, escaped, and cut to what has room.
"""

from collections.abc import Callable, Iterator
from html import escape

from pai_jupyter.stacks import Flame, FlameNode
from pai_jupyter.stacks.texts import frame_text
from pai_jupyter.view.clean import clean
from pai_jupyter.view.run.svg import as_image

WIDTH, ROW = 960, 18  # pixels
NARROWEST = 0.8  # pixels: a thinner node is not drawn
LETTER = 6.2  # pixels of a letter
DEEPEST = 60  # rows
LONGEST = 300  # characters of a name
_OWN, _OTHER, _PROCESS = "#f6a04d", "#f5d76e", "#b8c4d6"
Say = Callable[[str], str]


def flame_svg(flame: Flame, say: Say = str) -> str:
    """Return the flame graph as SVG."""
    drawn = [*_boxes(flame)]
    height = ROW * (1 + max((depth for depth, *_ in drawn), default=0))
    parts = "".join(_box(*each, flame.root.samples, say) for each in drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11" fill="#212121">{parts}</svg>\n'
    )


def flame_image(flame: Flame, text: str, say: Say = str) -> str:
    """Return HTML with the flame graph as an image, and its text twin folded below."""
    described = clean(text.partition("\n")[0], home="", limit=LONGEST)
    return (
        f'<img src="{as_image(flame_svg(flame, say))}" alt="{escape(described)}" style="max-width:100%">'
        f"<details><summary>{escape(described)}</summary><pre>{escape(text)}</pre></details>"
    )


def _boxes(flame: Flame) -> Iterator[tuple[int, float, float, FlameNode]]:
    """Yield depth, left edge and width (pixels) of each node that is wide enough."""
    waiting = [(0, left, node) for left, node in _beside(flame.root, 0.0, flame.root.samples)]
    while waiting:
        depth, left, node = waiting.pop()
        width = WIDTH * node.samples / flame.root.samples
        if width >= NARROWEST and depth < DEEPEST:
            yield depth, left, width, node
            waiting += [(depth + 1, at, child) for at, child in _beside(node, left, flame.root.samples)]


def _beside(node: FlameNode, left: float, whole: int) -> Iterator[tuple[float, FlameNode]]:
    for child in node.by_size():
        yield left, child
        left += WIDTH * child.samples / whole


def _box(depth: int, left: float, width: float, node: FlameNode, whole: int, say: Say) -> str:
    name = say(f"process {node.pid}") if node.frame is None else frame_text(node.frame, say)
    name = clean(name, home="", limit=LONGEST)
    color = _PROCESS if node.frame is None else _OWN if node.frame.is_own else _OTHER
    room = int((width - 6) / LETTER)
    shown = name if len(name) <= room else name[: room - 1] + "…" if room > 2 else ""
    text = f'<text x="{left + 3:.1f}" y="{depth * ROW + 13}">{escape(shown)}</text>' if shown else ""
    return (
        f'<g><title>{escape(name)} · {node.samples / whole:.1%}</title><rect x="{left:.1f}" y="{depth * ROW}" '
        f'width="{max(width - 0.5, 0.5):.1f}" height="{ROW - 1}" fill="{color}"/>{text}</g>'
    )
