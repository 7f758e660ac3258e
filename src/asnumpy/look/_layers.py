"""Places for boxes in layers, each below those that it needs, with few crossings and none on another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GAP, BETWEEN = 24.0, 36.0  # beside each other, and from layer to layer
SWEEPS = 6


@dataclass
class Placed:
    """Upper left corners, points that lines between far layers pass, and the size of all."""

    corners: list[tuple[float, float]]
    bends: dict[tuple[int, int], list[tuple[float, float]]]
    width: float
    height: float


def _layers(count: int, edges: Iterable[tuple[int, int]], first: Iterable[int], last: Iterable[int]) -> list[int]:
    """The layer of each: the longest way to it, and what needs nothing stands right above its first reader."""
    layer = [0] * count
    after: list[list[int]] = [[] for _ in range(count)]
    has_source = [False] * count
    for source, target in edges:
        after[source].append(target)
        has_source[target] = True
    waiting = [0] * count
    for targets in after:
        for target in targets:
            waiting[target] += 1
    ready = [one for one in range(count) if not waiting[one]]
    while ready:
        one = ready.pop()
        for target in after[one]:
            layer[target] = max(layer[target], layer[one] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    for one in set(range(count)) - set(first):
        if not has_source[one] and after[one]:
            layer[one] = max(0, min(layer[target] for target in after[one]) - 1)
    lowest = max(layer[one] for one in range(count))
    for one in last:
        layer[one] = lowest
    return layer


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _apart(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Middles as near to the wanted ones as their order and the gaps allow: halfway between both ways of pushing."""
    right: list[float] = []
    for k, middle in enumerate(wanted):
        least = right[-1] + (widths[k - 1] + widths[k]) / 2 + GAP if right else middle
        right.append(max(middle, least))
    left = list(wanted)
    for k in range(len(wanted) - 2, -1, -1):
        left[k] = min(wanted[k], left[k + 1] - (widths[k] + widths[k + 1]) / 2 - GAP)
    return [(a + b) / 2 for a, b in zip(left, right, strict=True)]


def place(
    sizes: Sequence[tuple[float, float]], edges: Iterable[tuple[int, int]], first: Iterable[int] = (),
    last: Iterable[int] = (),
) -> Placed:
    """Places boxes of these sizes; edges form no circle. Of `first` and `last` nothing is above or below."""
    if not sizes:
        return Placed([], {}, 0.0, 0.0)
    pairs = sorted({pair for pair in edges if pair[0] != pair[1]})
    layer = _layers(len(sizes), pairs, first, last)
    widths = [width for width, _ in sizes]
    # A line over several layers has a narrow box in each of those between.
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for one, number in enumerate(layer):
        rows[number].append(one)
    above: list[list[int]] = [[] for _ in sizes]
    below: list[list[int]] = [[] for _ in sizes]
    chains: dict[tuple[int, int], list[int]] = {}
    for source, target in pairs:
        chain, before = [], source
        for number in range(layer[source] + 1, layer[target]):
            widths.append(2.0)
            above.append([])
            below.append([])
            chain.append(len(widths) - 1)
            rows[number].append(chain[-1])
        for one in [*chain, target]:
            below[before].append(one)
            above[one].append(before)
            before = one
        chains[source, target] = chain
    middle = [0.0] * len(widths)
    for row in rows:
        at = 0.0
        for one in row:
            middle[one] = at + widths[one] / 2
            at += widths[one] + GAP
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            beside = above if down else below
            wanted = {one: _mean([middle[other] for other in beside[one]], middle[one]) for one in row}
            row.sort(key=wanted.__getitem__)
            for one, at in zip(row, _apart([wanted[one] for one in row], [widths[one] for one in row]), strict=True):
                middle[one] = at
    left = min(middle[one] - widths[one] / 2 for one in range(len(widths)))
    tops, y = [], 0.0
    for row in rows:
        tops.append(y)
        y += max((sizes[one][1] for one in row if one < len(sizes)), default=0.0) + BETWEEN
    corners = [(middle[one] - widths[one] / 2 - left, tops[layer[one]]) for one in range(len(sizes))]
    heights = [b - a - BETWEEN for a, b in zip(tops, [*tops[1:], y], strict=True)]
    bends = {}
    for pair, chain in chains.items():
        points = []
        for k, one in enumerate(chain):
            number = layer[pair[0]] + 1 + k
            points += [(middle[one] - left, tops[number]), (middle[one] - left, tops[number] + heights[number])]
        bends[pair] = points
    return Placed(corners, bends, max(middle[one] + widths[one] / 2 for one in range(len(widths))) - left, y - BETWEEN)
