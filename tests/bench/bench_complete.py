"""Completing a cell from 300 executed cells, against parsing those cells."""

import ast
import time
from collections.abc import Callable, Iterator

from pai_jupyter.cell import ExecutedCell, complete_cell
from pai_jupyter.cell.notebook import statements_of
from tests.bench.harness import Row, below, interleaved

CELLS, GOAL = 300, 0.050  # seconds


def rows() -> Iterator[Row]:
    codes = [
        "import os, json\nimport math as m\nfrom dataclasses import dataclass, field",
        *map(_code, range(1, CELLS)),
    ]
    names: dict[str, object] = {"__name__": "__main__"}
    for code in codes:
        exec(compile(code, "cell", "exec"), names)
    executed = [ExecutedCell(code=code, number=number) for number, code in enumerate(codes, 1)]
    cell = "\n".join(
        ["data = json.loads('[]')", *(f"model_{n} = train_{n}(Net_{n}(SIZE_{n}), data)" for n in range(1, 300, 15))]
    )

    def first() -> float:
        statements_of.cache_clear()
        return seconds(lambda: complete_cell(cell, executed, namespace=names))

    def again() -> float:
        return seconds(lambda: complete_cell(cell, executed, namespace=names))

    def peer() -> float:
        return seconds(lambda: [ast.parse(code) for code in codes])

    ours, theirs = interleaved(first, peer, runs=5)
    yield below(f"complete a cell from {CELLS} cells / ast.parse of them", ours, theirs, GOAL, "s")
    ours, theirs = interleaved(again, peer, runs=5)
    yield below("the same again", ours, theirs, GOAL, "s")


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time that `action` takes: there is nothing to wait for."""
    start = time.process_time()
    action()
    return time.process_time() - start


def _code(number: int) -> str:
    """A cell as notebooks have them: a class, a function that trains, a constant, and lines that run."""
    return f"""
SIZE_{number} = {number}
@dataclass
class Net_{number}:
    size: int
    layers: list = field(default_factory=list)

    def forward(self, batch):
        scaled = [m.sqrt(abs(value)) * self.size for value in batch]
        return sum(scaled) / max(len(scaled), 1)

def train_{number}(model, data, epochs=3, lr=0.1):
    losses = []
    for epoch in range(epochs):
        loss = model.forward(data) * lr ** epoch
        losses.append({{"epoch": epoch, "loss": loss, "size": SIZE_{number}}})
        if os.environ.get("VERBOSE"):
            print(f"epoch {{epoch}} loss={{loss:.3f}}", json.dumps(losses[-1]))
    return losses

data = list(range({number}))
history_{number} = train_{number}(Net_{number}(SIZE_{number}), data[:10])
"""
