"""What one view knows of a run, and what is new for it: `RunNews` of `schema.run`. No I/O.

Rule 1: a run of at most `MOST_WHOLE` steps is sent whole; of a larger one the first level and those that are open.
Rule 2: a push has at most `PUSH_BYTES`. What does not fit follows in the next, as it is then: no queue grows.
Rule 3: a step is sent when its row has changed, a picture when it has.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from pai_jupyter.runs.picture import LevelPicture, draw_level, is_drawn_alike, levels_of
from pai_jupyter.runs.state import RunState, StepState
from pai_jupyter.wire.job_view.job_events import PUSH_BYTES
from pai_jupyter.wire.protocol.messages import encode, sendable
from pai_jupyter.wire.run_view.rows import RunOrigin, run_head, step_row

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunHead, RunNews, RunPicture, RunStep

MOST_WHOLE = 500  # steps
MAX_PICTURE = 160 * 1024  # bytes; a larger one is not sent
_FRAME = 1_000  # bytes of a push that are not counted one by one


class RunDelta:
    """What was sent to one view. `open_levels`: paths of the levels that it shows of a large run."""

    def __init__(self, open_levels: Sequence[str] = ()) -> None:
        self.open_levels = frozenset(open_levels)
        self._head: RunHead | None = None
        self._steps: dict[str, tuple[StepState, RunStep]] = {}
        self._drawn: dict[str, Sequence[StepState]] = {}  # of which steps the picture of each level is
        self._was_whole = False

    def news(self, state: RunState, origin: RunOrigin) -> "RunNews | None":
        """Return the next push, without its view's fields; None if nothing is new."""
        shown = self._shown(state)
        head = run_head(state, origin)
        room = _Room(PUSH_BYTES - _FRAME - len(encode(sendable(head))))
        gone = self._forget(shown, room)
        steps = list(self._take_steps(shown, room))
        pictures = list(self._take_pictures(shown, room)) if not room.is_full else []
        is_whole = not room.is_full
        if head == self._head and not (gone or steps or pictures) and is_whole == self._was_whole:
            return None
        self._head, self._was_whole = head, is_whole
        return {
            "now": time.time(),
            "run": head,
            "steps": steps,
            "pictures": pictures,
            "gone": gone,
            "is_whole": is_whole,
        }

    def _shown(self, state: RunState) -> Mapping[str, Sequence[StepState]]:
        levels = levels_of(state)
        if sum(map(len, levels.values())) <= MOST_WHOLE:
            return levels
        return {path: steps for path, steps in levels.items() if not path or path in self.open_levels}

    def _forget(self, shown: Mapping[str, Sequence[StepState]], room: "_Room") -> list[str]:
        """Forget what is shown no longer; return the paths of these steps."""
        for path in [each for each in self._drawn if each not in shown]:
            del self._drawn[path]
        paths = {step.path for steps in shown.values() for step in steps}
        gone = []
        for path in [each for each in self._steps if each not in paths]:
            if not room.take(path):
                break
            del self._steps[path]
            gone.append(path)
        return gone

    def _take_steps(self, shown: Mapping[str, Sequence[StepState]], room: "_Room") -> "Iterator[RunStep]":
        """Yield new and changed steps as far as they fit, and note them as sent."""
        for parent, steps in shown.items():
            for step in steps:
                seen, before = self._steps.get(step.path, (None, None))
                if step is seen:
                    continue
                row = step_row(step, parent)
                if row != before:
                    if not room.take(row):
                        return
                    yield row
                self._steps[step.path] = step, row

    def _take_pictures(self, shown: Mapping[str, Sequence[StepState]], room: "_Room") -> "Iterator[RunPicture]":
        """Yield new and changed pictures as far as they fit, and note them as sent."""
        for path, steps in shown.items():
            drawn = self._drawn.get(path)
            if drawn is None or not is_drawn_alike(drawn, steps):
                picture = draw_level(path, steps)
                body = picture_body(picture) if picture else None
                size = len(encode(sendable(body)))
                if body is not None and size <= MAX_PICTURE:
                    if not room.take_bytes(size):
                        return
                    yield body
            self._drawn[path] = steps


class _Room:
    """The bytes that are left in a push."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.is_full = False

    def take(self, value: object) -> bool:
        return self.take_bytes(len(encode(sendable(value))))

    def take_bytes(self, size: int) -> bool:
        """Return whether so many bytes fit; once something did not, nothing does."""
        self.is_full = self.is_full or size + 1 > self.left
        self.left -= 0 if self.is_full else size + 1
        return not self.is_full


def picture_body(picture: LevelPicture) -> "RunPicture":
    """Return a picture for the wire."""
    return {
        "path": picture.path,
        "w": picture.w,
        "h": picture.h,
        "nodes": [{"path": it.path, "x": it.x, "y": it.y, "w": it.w, "h": it.h} for it in picture.nodes],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "points": [*edge.points],
                "is_condition": edge.is_condition,
            }
            for edge in picture.edges
        ],
    }


def whole(state: RunState, origin: RunOrigin) -> "RunNews":
    """Return a run in one answer, as far as it fits into a push."""
    return cast("RunNews", RunDelta().news(state, origin))
