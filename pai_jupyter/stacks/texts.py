"""Stacks and flames as text: the innermost last, as in a traceback; of a flame the hottest paths.

Words in the user's language come from `say`, which gets a sentence of ours and returns it in that language.
"""

from collections.abc import Callable, Iterator, Sequence

from pai_jupyter.events import strip_ansi
from pai_jupyter.stacks.flames import Flame, FlameNode
from pai_jupyter.stacks.frames import OUTERMOST, ProcessStacks, StackFrame, ThreadStack

HOT = 0.02  # part of all samples that a line must have
MOST_LINES = 60
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160), *range(8232, 8239), *range(8294, 8298)), " ")
Say = Callable[[str], str]


def stacks_text(processes: Sequence[ProcessStacks], say: Say = str) -> str:
    """Return all stacks; replicas are named where there are several."""
    has_several = len({process.replica for process in processes}) > 1
    return "\n".join(line for process in processes for line in _process(process, say, has_several=has_several))


def _process(process: ProcessStacks, say: Say, *, has_several: bool) -> Iterator[str]:
    of = f"{process.replica} · " if has_several else ""
    yield of + say(f"process {process.pid}")
    if process.trouble:
        yield f"  {say(process.trouble)}"
    for thread in process.threads:
        yield from _thread(thread, say)
    if process.left_out:
        yield f"  {say(f'{process.left_out} more threads')}"


def _thread(thread: ThreadStack, say: Say) -> Iterator[str]:
    states = ["idle" if thread.is_idle else "active", *(["holds the GIL"] if thread.has_gil else [])]
    named = f" {plain(thread.name)}" if thread.name else ""
    yield f"  {say('thread')}{named} ({', '.join(map(say, states))})"
    for at, frame in enumerate(thread.frames):
        if at == OUTERMOST and thread.left_out:
            yield f"    {say(f'{thread.left_out} frames are left out')}"
        yield f"    {frame_text(frame, say)}"


def frame_text(frame: StackFrame, say: Say = str) -> str:
    place = say(frame.place) if frame.is_own else plain(frame.place)
    return f"{place}, in {plain(frame.function)}" if place else plain(frame.function)


def flame_text(flame: Flame, say: Say = str) -> str:
    """Return the hottest paths, each line with its part of all samples; a call with one hot line in it is not indented."""
    whole = flame.root.samples
    lines = [say(note) for note in flame.notes]
    if not whole:
        return "\n".join([*lines, say("No thread was active: all waited, or slept. Their stacks say where.")])
    lines.append(say(f"{whole} samples in {flame.seconds} seconds"))
    hot = [*_hot(flame.root, 0, whole, say)]
    return "\n".join([*lines, *hot[:MOST_LINES], *(["  …"] if len(hot) > MOST_LINES else [])])


def _hot(root: FlameNode, depth: int, whole: int, say: Say) -> Iterator[str]:
    waiting = [(depth, node) for node in reversed(root.by_size())]
    while waiting:
        depth, node = waiting.pop()
        name = say(f"process {node.pid}") if node.frame is None else frame_text(node.frame, say)
        yield f"{node.samples / whole:>6.1%}  {'  ' * min(depth, 20)}{name}"
        hot = [child for child in node.by_size() if child.samples >= whole * HOT]
        waiting += [(depth + (len(hot) > 1), child) for child in reversed(hot)]


def plain(text: str) -> str:
    """Return a name of the job's without what a terminal would obey."""
    return strip_ansi(text).translate(_CONTROLS)
