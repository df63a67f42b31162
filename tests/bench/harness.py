"""Measuring: interleaved runs of ours and the peer's, medians, and the table that `make bench` prints."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One comparison. `ratio` is ours over the peer's; `goal` says what it should be, and `met` whether it is."""

    what: str
    ours: str
    peer: str
    ratio: float
    goal: str
    met: bool

    def __str__(self) -> str:
        mark = "ok  " if self.met else "MISS"
        return (
            f"{mark} {self.what:<50} ours {self.ours:>18}  peer {self.peer:>18}  x{self.ratio:<6.2f} goal {self.goal}"
        )


def seconds(action: Callable[[], object]) -> float:
    """How long `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interleaved(ours: Callable[[], float], peer: Callable[[], float], *, runs: int) -> tuple[float, float]:
    """Medians of both, measured in turn so that a slow moment of the machine meets both."""
    pairs = [(ours(), peer()) for _ in range(runs)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def at_most(what: str, ours: float, peer: float, goal: float, unit: str = "s") -> Row:
    """Less is better: ours should be at most `goal` times the peer's."""
    ratio = ours / peer
    return Row(what, _shown(ours, unit), _shown(peer, unit), ratio, f"<= {goal:g}", ratio <= goal)


def at_least(what: str, ours: float, peer: float, goal: float, unit: str = "/s") -> Row:
    """More is better: ours should be at least `goal` times the peer's."""
    ratio = ours / peer
    return Row(what, f"{ours:,.0f} {unit}", f"{peer:,.0f} {unit}", ratio, f">= {goal}", ratio >= goal)


def within(what: str, ours: float, peer: float, extra: float) -> Row:
    """Ours may take `extra` seconds more than the peer."""
    goal = f"+{extra * 1000:.0f} ms (is +{(ours - peer) * 1000:.0f})"
    return Row(what, f"{ours:.3f} s", f"{peer:.3f} s", ours / peer, goal, ours - peer <= extra)


def below(what: str, ours: float, peer: float, most: float, unit: str = "") -> Row:
    """Ours should be at most `most`, whatever the peer's is."""
    ratio = ours / peer if peer else float(ours > 0)
    return Row(what, _shown(ours, unit), _shown(peer, unit), ratio, f"<= {most:g} {unit}".rstrip(), ours <= most)


def _shown(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}".rstrip() if value >= 1000 or not unit else f"{value:.3f} {unit}"
