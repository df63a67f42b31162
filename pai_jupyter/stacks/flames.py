"""Recorded samples as one tree: how many samples each line was in, with all that it called.

    process 1204 ── <module> (cell line 12) ── train (cell line 5) ── forward (torch/nn/modules/linear.py line 125)

Rule: a tree has at most `MOST_NODES` nodes: the smallest ones become part of those that called them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pai_jupyter.stacks.frames import ScriptLines, StackFrame

MOST_NODES = 2_000
DEEPEST = 120  # frames; deeper ones count as part of the last one
_FRAME = re.compile(r"(?P<function>.*?) \((?P<file>.*):(?P<line>\d+)\)")


@dataclass(kw_only=True)
class FlameNode:
    """A line in one place of the tree; `frame` is None for a process, `samples` are with those of its children."""

    frame: StackFrame | None
    samples: int = 0
    pid: int = 0
    children: "dict[StackFrame | int, FlameNode]" = field(default_factory=dict)

    @property
    def own(self) -> int:
        """Samples in which the line itself was the innermost."""
        return self.samples - sum(child.samples for child in self.children.values())

    def by_size(self) -> "list[FlameNode]":
        return sorted(self.children.values(), key=lambda node: -node.samples)


@dataclass(frozen=True, kw_only=True)
class Flame:
    """What was recorded within `seconds`: the tree, whose root has all samples, and sentences about what is missing."""

    root: FlameNode
    seconds: int
    notes: tuple[str, ...] = ()

    def walk(self) -> Iterator[tuple[int, FlameNode]]:
        """Yield depth and node of all but the root: a node before its children, large ones first."""
        waiting = [(0, node) for node in reversed(self.root.by_size())]
        while waiting:
            depth, node = waiting.pop()
            yield depth, node
            waiting += [(depth + 1, child) for child in reversed(node.by_size())]


def flame_of(recorded: Mapping[int, str], seconds: int, lines: ScriptLines, *, notes: tuple[str, ...] = ()) -> Flame:
    """Make one tree of what was recorded of each process."""
    root = FlameNode(frame=None)
    named: dict[str, StackFrame] = {}
    for pid, text in recorded.items():
        process = FlameNode(frame=None, pid=pid)
        for line in text.splitlines():
            _add(process, line, lines, named)
        if process.samples:
            root.children[pid] = process
            root.samples += process.samples
    _prune(root)
    return Flame(root=root, seconds=seconds, notes=notes)


def _add(process: FlameNode, line: str, lines: ScriptLines, named: dict[str, StackFrame]) -> None:
    """Add a line of `py-spy`: frames with semicolons between them, and how often they were seen."""
    stack, _, count = line.rpartition(" ")
    if not stack or not count.isdecimal() or len(count) > 9:
        return
    node = process
    node.samples += int(count)
    for text in stack.split(";")[:DEEPEST]:
        frame = named.get(text)
        if frame is None:
            frame = named[text] = _frame(text, lines)
        node = node.children.setdefault(frame, FlameNode(frame=frame))
        node.samples += int(count)


def _frame(text: str, lines: ScriptLines) -> StackFrame:
    found = _FRAME.fullmatch(text)
    if found is None:
        return lines.frame(text, "", 0)
    return lines.frame(found["function"], found["file"], int(found["line"][-9:]))


def _prune(root: FlameNode) -> None:
    """Keep the largest nodes; a child is never larger than its parent, so what is kept is a tree."""
    sizes = sorted((node.samples for node in _all(root)), reverse=True)
    if len(sizes) <= MOST_NODES:
        return
    least = sizes[MOST_NODES] + 1
    for node in _all(root):
        node.children = {key: child for key, child in node.children.items() if child.samples >= least}


def _all(root: FlameNode) -> Iterator[FlameNode]:
    waiting = list(root.children.values())
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children.values()
