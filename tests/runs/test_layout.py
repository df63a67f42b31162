import random
import time
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import pytest

from pai_jupyter.runs.layout import GAP_X, Edge, Layout, Point, Size, lay_out

BOX: Size = (168.0, 44.0)


def sized(count: int) -> dict[str, Size]:
    return {f"s{number}": BOX for number in range(count)}


def a_random_graph(seed: int, count: int, edges: int) -> tuple[dict[str, Size], list[Edge]]:
    dice = random.Random(seed)
    sizes = {f"s{number}": (dice.uniform(40, 200), dice.uniform(20, 90)) for number in range(count)}
    pairs = [sorted(dice.sample(range(count), 2)) for _ in range(edges)]
    return sizes, [(f"s{source}", f"s{target}") for source, target in pairs]


def a_diamond() -> tuple[dict[str, Size], list[Edge]]:
    return sized(4), [("s0", "s1"), ("s0", "s2"), ("s1", "s3"), ("s2", "s3"), ("s0", "s3")]


def a_ladder() -> tuple[dict[str, Size], list[Edge]]:
    """A chain of 30 with edges over most of it, which take lanes."""
    steps = [(f"s{number}", f"s{number + 1}") for number in range(29)]
    return sized(30), [*steps, ("s0", "s29"), ("s1", "s20"), ("s2", "s16"), ("s21", "s29")]


GRAPHS = {
    "one node": (sized(1), []),
    "diamond": a_diamond(),
    "ladder": a_ladder(),
    "no edges": (sized(30), []),
    "two parts": (sized(6), [("s0", "s1"), ("s1", "s2"), ("s3", "s4"), ("s4", "s5")]),
    **{f"random {seed}": a_random_graph(seed, 40, 60) for seed in range(5)},
    "dense": a_random_graph(7, 25, 120),
}

all_graphs = pytest.mark.parametrize(("sizes", "edges"), GRAPHS.values(), ids=GRAPHS)


@all_graphs
def test_no_node_overlaps_another(sizes: Mapping[str, Size], edges: list[Edge]) -> None:
    corners = lay_out(sizes, edges).corners
    assert corners.keys() == sizes.keys()
    for one, other in combinations(sizes, 2):
        assert not _overlap(_box(corners[one], sizes[one]), _box(corners[other], sizes[other])), (one, other)


@all_graphs
def test_every_edge_goes_down_from_its_source_to_its_target(sizes: Mapping[str, Size], edges: list[Edge]) -> None:
    layout = lay_out(sizes, edges)
    assert layout.edges.keys() == set(edges)
    for (source, target), points in layout.edges.items():
        assert points[0] == _middle(layout, sizes, source, lower=True)
        assert points[-1] == _middle(layout, sizes, target, lower=False)
        assert all(above[1] <= below[1] for above, below in pairwise(points)), (source, target)


@all_graphs
def test_no_edge_crosses_a_node(sizes: Mapping[str, Size], edges: list[Edge]) -> None:
    layout = lay_out(sizes, edges)
    for (source, target), points in layout.edges.items():
        for name in sizes.keys() - {source, target}:
            box = _box(layout.corners[name], sizes[name])
            assert not any(_enters(piece, box) for piece in pairwise(points)), (source, target, name)


@all_graphs
def test_everything_is_inside_the_size_of_the_whole(sizes: Mapping[str, Size], edges: list[Edge]) -> None:
    layout = lay_out(sizes, edges)
    boxes = [_box(corner, sizes[name]) for name, corner in layout.corners.items()]
    points = [point for points in layout.edges.values() for point in points]
    for x, y in [*(box[:2] for box in boxes), *(box[2:] for box in boxes), *points]:
        assert -1e-6 <= x <= layout.w + 1e-6
        assert -1e-6 <= y <= layout.h + 1e-6


@all_graphs
def test_the_same_graph_gives_the_same_layout(sizes: Mapping[str, Size], edges: list[Edge]) -> None:
    assert lay_out(sizes, edges) == lay_out(dict(sizes), [*edges, *edges])


def test_a_graph_without_nodes_has_no_size() -> None:
    layout = lay_out({}, [])
    assert (layout.w, layout.h, layout.corners) == (0, 0, {})


def test_edges_to_unknown_nodes_are_left_out() -> None:
    assert lay_out(sized(1), [("s0", "gone"), ("gone", "s0"), ("s0", "s0")]).edges == {}


def test_a_straight_chain_is_straight() -> None:
    corners = lay_out(sized(3), [("s0", "s1"), ("s1", "s2")]).corners
    assert len({x for x, _ in corners.values()}) == 1


def test_two_edges_that_would_cross_do_not() -> None:
    """The order in which steps were given crosses; the drawn order does not."""
    edges = [("s0", "s4"), ("s1", "s3"), ("s2", "s0"), ("s2", "s1")]
    corners = lay_out(sized(5), edges).corners
    assert (corners["s0"][0] < corners["s1"][0]) == (corners["s4"][0] < corners["s3"][0])


def test_independent_steps_are_put_in_rows() -> None:
    layout = lay_out(sized(100), [])
    assert 1 < layout.w / layout.h < 4
    assert layout.w < 100 * (BOX[0] + GAP_X) / 4


def test_a_start_is_directly_above_what_needs_it_first() -> None:
    corners = lay_out(sized(5), [("s0", "s1"), ("s1", "s2"), ("s2", "s3"), ("s4", "s3")]).corners
    assert corners["s4"][1] == corners["s2"][1]


@pytest.mark.parametrize(("name", "graph"), [("random", a_random_graph(1, 500, 725)), ("ladder", a_ladder())])
def test_how_long_a_layout_takes_is_printed(name: str, graph: tuple[dict[str, Size], list[Edge]]) -> None:
    started = time.process_time()
    layout = lay_out(*graph)
    print(f"{name}: {1000 * (time.process_time() - started):.0f} ms for {len(layout.corners)} nodes")  # noqa: T201
    assert len(layout.corners) == len(graph[0])


def _box(corner: Point, size: Size) -> tuple[float, float, float, float]:
    return (*corner, corner[0] + size[0], corner[1] + size[1])


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _middle(layout: Layout, sizes: Mapping[str, Size], name: str, *, lower: bool) -> object:
    (x, y), (w, h) = layout.corners[name], sizes[name]
    return pytest.approx((x + w / 2, y + h if lower else y))


def _enters(piece: tuple[Point, Point], box: tuple[float, float, float, float]) -> bool:
    """Return whether a straight piece of an edge comes inside a box, by points on it."""
    (x1, y1), (x2, y2) = piece
    left, top, right, bottom = box
    return any(
        left + 0.5 < x1 + part * (x2 - x1) < right - 0.5 and top + 0.5 < y1 + part * (y2 - y1) < bottom - 0.5
        for part in _parts()
    )


def _parts() -> Iterator[float]:
    return (number / 50 for number in range(51))
