"""What the seed's first step may leave as its accuracy, and what follows: the same here and at the emulator's PAIFlow."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NOTHING, EMPTY = "none", "empty"  # arguments of a step that writes no accuracy, or an empty file
STALE = "0.95"  # what an earlier run has left in the same place


@dataclass(frozen=True)
class Accuracy:
    """`text`: the argument of the step, which writes it. `chosen`: the step that runs behind it.

    None: nothing does, and a step says `reason`.
    """

    text: str
    chosen: int | None = None
    reason: str = ""
    is_stale: bool = False

    @property
    def name(self) -> str:
        return "stale" if self.is_stale else repr(self.text)

    @property
    def statuses(self) -> Mapping[str, str]:
        """How the three steps end."""
        if self.text == NOTHING:
            return {"step-1": "failed", "step-2": "skipped", "step-3": "skipped"}
        if self.chosen is None:
            return {"step-1": "succeeded", "step-2": "failed", "step-3": "failed"}
        return {"step-1": "succeeded", f"step-{self.chosen}": "succeeded", f"step-{5 - self.chosen}": "skipped"}


DECIDING = (
    *(Accuracy(text, 2) for text in ("0.85", "0.9", "0.90", " 9e-1\n")),
    *(Accuracy(text, 3) for text in (" 0.9111\n", "1", "10")),
)
MISSING = "`test-accuracy` is missing"
NO_NUMBER = "is no number"


def undecided(marks: Path) -> tuple[Accuracy, ...]:
    """Return those on which nothing runs; a hostile one would leave a file in `marks`."""
    hostile = ("1 or 1==1", f"$(touch {marks}/x)", f"__import__('os').mkdir('{marks}/x')")
    return (
        Accuracy(NOTHING, reason=MISSING),
        Accuracy(NOTHING, reason=MISSING, is_stale=True),
        *(Accuracy(text, reason=NO_NUMBER) for text in (EMPTY, "high", *hostile)),
    )


CASES = tuple(range(len(undecided(Path()))))
