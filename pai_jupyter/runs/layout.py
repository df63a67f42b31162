"""Where the nodes of a graph are drawn: layers from top to bottom, few crossings, no overlap. Pure, and made once for every view.

    rank       longest path from a start; a start is drawn directly above what needs it first
    chains     an edge over several layers gets a place in each layer that it passes; a very long one a lane beside the graph
    order      in each layer by the mean place of the neighbours, sweeping down and up
    x          the nearest places to the neighbours' mean that keep order and gaps (least squares, pool adjacent violators)

Rule 1: the same graph gives the same layout, whatever the order of a set or a hash.
Rule 2: parts that no edge joins are laid out by themselves and put beside each other, in rows.
Rule 3: edges leave a node at its lower edge, go down only, and cross no node: slanted pieces lie between two layers.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
Edge: TypeAlias = tuple[str, str]
Size: TypeAlias = tuple[float, float]
_Neighbours: TypeAlias = Mapping[int, Sequence[int]]

GAP_X = 24.0
GAP_Y = 44.0
EDGE_WIDTH = 2.0  # that an edge takes in a layer it passes, beside the gap
LANE = 8.0  # between two lanes
LONGEST_CHAIN = 12  # layers; longer edges take a lane, since chains would outnumber the nodes of a deep graph
SWEEPS = 6
SHAPE = 2.0  # width : height to aim at when parts are put in rows


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Upper left corners of nodes, points of edges, and the size of the whole."""

    corners: Mapping[str, Point]
    edges: Mapping[Edge, tuple[Point, ...]]
    w: float
    h: float


def lay_out(sizes: Mapping[str, Size], edges: Iterable[Edge]) -> Layout:
    """Lay out nodes of these sizes (width, height); edges to unknown nodes are left out."""
    known = [edge for edge in dict.fromkeys(edges) if edge[0] in sizes and edge[1] in sizes and edge[0] != edge[1]]
    return _in_rows([_ConnectedPart(sizes, names, own).layout() for names, own in _parts(sizes, known)])


def _parts(sizes: Mapping[str, Size], edges: Sequence[Edge]) -> list[tuple[list[str], list[Edge]]]:
    """Return the nodes and edges of each connected part, in the order of their first nodes."""
    root = {name: name for name in sizes}

    def find(name: str) -> str:
        while root[name] != name:
            root[name] = name = root[root[name]]
        return name

    for source, target in edges:
        root[find(target)] = find(source)
    parts = dict[str, tuple[list[str], list[Edge]]]()
    for name in sizes:
        parts.setdefault(find(name), ([], []))[0].append(name)
    for edge in edges:
        parts[find(edge[0])][1].append(edge)
    return list(parts.values())


def _in_rows(parts: Sequence[Layout]) -> Layout:
    """Put parts beside each other, and below, so that the whole is about `SHAPE` times as wide as high."""
    area = sum((part.w + GAP_X) * (part.h + GAP_X) for part in parts)
    widest = max([(area * SHAPE) ** 0.5, *(part.w for part in parts)])
    corners, edges = dict[str, Point](), dict[Edge, tuple[Point, ...]]()
    x = y = row = w = 0.0
    for part in parts:
        if x and x + part.w > widest:
            x, y, row = 0.0, y + row + GAP_X, 0.0
        corners |= {name: (x + left, y + top) for name, (left, top) in part.corners.items()}
        edges |= {edge: tuple((x + px, y + py) for px, py in points) for edge, points in part.edges.items()}
        x, row, w = x + part.w + GAP_X, max(row, part.h), max(w, x + part.w)
    return Layout(corners=corners, edges=edges, w=w, h=y + row)


class _ConnectedPart:
    """One connected part. Cells are numbers: first the nodes, then the places of edges in layers that they pass."""

    def __init__(self, sizes: Mapping[str, Size], names: Sequence[str], edges: Sequence[Edge]) -> None:
        self.names, self.edges = names, edges
        self.number = {name: number for number, name in enumerate(names)}
        self.w = [sizes[name][0] for name in names]
        self.h = [sizes[name][1] for name in names]
        self.rank = _ranks(len(names), [(self.number[source], self.number[target]) for source, target in edges])
        self.chains = dict[Edge, list[int]]()
        self.lanes = dict[Edge, int]()
        self.above = defaultdict[int, list[int]](list)
        self.below = defaultdict[int, list[int]](list)
        self._join()
        self.layers: list[list[int]] = [[] for _ in range(max(self.rank) + 1)]
        for cell, rank in enumerate(self.rank):
            self.layers[rank].append(cell)

    def layout(self) -> Layout:
        self._order()
        x = self._x()
        heights = [max(self.h[cell] for cell in layer) for layer in self.layers]
        tops = [0.0]
        for height in heights:
            tops.append(tops[-1] + height + GAP_Y)
        bottoms = [top + height for top, height in zip(tops, heights, strict=False)]
        left = min(place - self.w[cell] / 2 for cell, place in enumerate(x))
        x = [place - left for place in x]
        right = max(place + self.w[cell] / 2 for cell, place in enumerate(x))
        corners = {name: (x[cell] - self.w[cell] / 2, tops[self.rank[cell]]) for name, cell in self.number.items()}
        edges = {edge: self._points(edge, x, right, tops, bottoms) for edge in self.edges}
        w = right + (LANE * (max(self.lanes.values()) + 1) + GAP_X if self.lanes else 0.0)
        return Layout(corners=corners, edges=edges, w=w, h=bottoms[-1])

    def _join(self) -> None:
        """Connect the cells of each edge; one that is too long gets a lane, free over the layers that it passes."""
        busy = list[int]()  # by lane: the layer to which it is taken
        for source, target in sorted(self.edges, key=lambda edge: self.rank[self.number[edge[0]]]):
            start, end = self.number[source], self.number[target]
            first, last = self.rank[start] + 1, self.rank[end]
            if last - first > LONGEST_CHAIN:
                lane = next((number for number, until in enumerate(busy) if until < first), len(busy))
                busy[lane : lane + 1] = [last]
                self.lanes[source, target] = lane
                continue
            chain = self.chains[source, target] = list(range(len(self.rank), len(self.rank) + last - first))
            self.rank.extend(range(first, last))
            self.w.extend([EDGE_WIDTH] * len(chain))
            self.h.extend([0.0] * len(chain))
            for upper, lower in pairwise([start, *chain, end]):
                self.below[upper].append(lower)
                self.above[lower].append(upper)

    def _order(self) -> None:
        """Order the cells of each layer by the mean place of their neighbours in the layer before."""
        place = [0.0] * len(self.rank)
        for layer in self.layers:
            _number(layer, place)
        for sweep in range(SWEEPS):
            neighbours, layers = (self.below, self.layers[::-1]) if sweep % 2 else (self.above, self.layers)
            for layer in layers:
                wanted = _means(layer, neighbours, place)
                layer.sort(key=wanted.__getitem__)
                _number(layer, place)

    def _x(self) -> list[float]:
        """Return the middle of each cell."""
        x = [0.0] * len(self.rank)
        for layer in self.layers:
            _spread(layer, dict.fromkeys(layer, 0.0), self.w, x)
        for sweep in range(SWEEPS):
            neighbours, layers = (self.above, self.layers) if sweep % 2 else (self.below, self.layers[::-1])
            for layer in layers:
                _spread(layer, _means(layer, neighbours, x), self.w, x)
        return x

    def _points(
        self, edge: Edge, x: Sequence[float], right: float, tops: Sequence[float], bottoms: Sequence[float]
    ) -> tuple[Point, ...]:
        start, end = self.number[edge[0]], self.number[edge[1]]
        upper, lower = self.rank[start], self.rank[end]
        points = [(x[start], tops[upper] + self.h[start]), (x[start], bottoms[upper])]
        if edge in self.lanes:
            lane = right + GAP_X + LANE * self.lanes[edge]
            points += [(lane, tops[upper + 1]), (lane, bottoms[lower - 1])]
        for cell in self.chains.get(edge, ()):
            points += [(x[cell], tops[self.rank[cell]]), (x[cell], bottoms[self.rank[cell]])]
        return tuple(dict.fromkeys([*points, (x[end], tops[lower])]))


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each node: the longest path to it; a node without predecessors is directly above its successors."""
    after, waits = defaultdict[int, list[int]](list), [0] * count
    for source, target in edges:
        after[source].append(target)
        waits[target] += 1
    starts = ready = [node for node in range(count) if not waits[node]]
    rank = [0] * count
    while ready:
        ready, done = [], ready
        for node in done:
            for other in after[node]:
                rank[other] = max(rank[other], rank[node] + 1)
                waits[other] -= 1
                if not waits[other]:
                    ready.append(other)
    for node in starts:
        rank[node] = min((rank[other] for other in after[node]), default=1) - 1
    return rank


def _number(layer: Sequence[int], place: list[float]) -> None:
    for number, cell in enumerate(layer):
        place[cell] = number - len(layer) / 2  # from the middle, since layers are centred


def _means(layer: Sequence[int], neighbours: _Neighbours, place: Sequence[float]) -> dict[int, float]:
    """Return the mean place of each cell's neighbours; a cell without any stays where it is."""
    wanted = dict[int, float]()
    for cell in layer:
        near = neighbours.get(cell)
        wanted[cell] = sum([place[other] for other in near]) / len(near) if near else place[cell]
    return wanted


def _spread(layer: Sequence[int], wanted: Mapping[int, float], widths: Sequence[float], x: list[float]) -> None:
    """Set `x` of a layer to the places nearest to `wanted` (least squares) that keep its order, its widths and the gaps."""
    offset, offsets = 0.0, list[float]()
    blocks = list[tuple[float, int]]()  # sum of wanted places before the offsets, number of cells
    before = None
    for cell in layer:
        offset += 0.0 if before is None else (widths[before] + widths[cell]) / 2 + GAP_X
        before = cell
        offsets.append(offset)
        total, count = wanted[cell] - offset, 1
        while blocks and blocks[-1][0] * count >= total * blocks[-1][1]:
            total, count = total + blocks[-1][0], count + blocks[-1][1]
            blocks.pop()
        blocks.append((total, count))
    index = 0
    for total, count in blocks:
        for cell in layer[index : index + count]:
            x[cell] = total / count + offsets[index]
            index += 1
