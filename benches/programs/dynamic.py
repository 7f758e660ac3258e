"""Dynamic programming: tables filled by rows, by diagonals, by elements, and shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, REORDERED, Program, Size

Random = np.random.Generator


def edit_distance(xp: Any, a: Any, b: Any) -> Any:
    """By elements."""
    table = xp.zeros((len(a) + 1, len(b) + 1), dtype=xp.int64)
    table[0], table[:, 0] = xp.arange(len(b) + 1), xp.arange(len(a) + 1)
    for i in range(len(a)):
        for j in range(len(b)):
            table[i + 1, j + 1] = min(table[i, j] + (a[i] != b[j]), table[i, j + 1] + 1, table[i + 1, j] + 1)
    return table


def edit_distance_loops(a: Any, b: Any) -> Any:
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(len(a)):
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            table[i + 1, j + 1] = min(table[i, j] + cost, min(table[i, j + 1] + 1, table[i + 1, j] + 1))
    return table


def letters(size: Size, rng: Random) -> tuple[Any, ...]:
    return rng.integers(0, 4, size[0]), rng.integers(0, 4, size[1])


def alignment_diagonals(xp: Any, a: Any, b: Any) -> Any:
    """The score of the best local alignment, one diagonal of the table at a time."""
    n, m = len(a), len(b)
    last, before = xp.zeros(n + 1, dtype=xp.int64), xp.zeros(n + 1, dtype=xp.int64)
    best = xp.zeros(n + 1, dtype=xp.int64)
    reverse = b[::-1]
    for d in range(2, n + m + 1):
        low, high = max(1, d - m), min(n, d - 1) + 1
        match = xp.where(a[low - 1 : high - 1] == reverse[m - d + low : m - d + high], 3, -2)
        now = xp.zeros(n + 1, dtype=xp.int64)
        gap = xp.maximum(last[low - 1 : high - 1], last[low:high]) - 1
        now[low:high] = xp.maximum(xp.maximum(before[low - 1 : high - 1] + match, gap), 0)
        best = xp.maximum(best, now)
        before, last = last, now
    return best.max()


def knapsack(xp: Any, weights: Any, values: Any, capacity: int) -> Any:
    """The best value for every capacity, one item after the other."""
    best = xp.zeros(capacity + 1, dtype=xp.int64)
    for weight, value in zip(weights.tolist(), values.tolist(), strict=True):
        best[weight:] = xp.maximum(best[weight:], best[:-weight] + value)
    return best


def items(size: Size, rng: Random) -> tuple[Any, ...]:
    count, capacity = size
    return rng.integers(1, max(2, capacity // 4), count), rng.integers(1, 1000, count), capacity


def knapsack_loops(weights: Any, values: Any, capacity: int) -> Any:
    best = np.zeros(capacity + 1, dtype=np.int64)
    for item in range(len(weights)):
        for c in range(capacity, weights[item] - 1, -1):
            best[c] = max(best[c], best[c - weights[item]] + values[item])
    return best


def shortest_paths(xp: Any, distance: Any) -> Any:
    """Between all pairs of nodes, over one more node at a time."""
    distance = distance.copy()
    for k in range(len(distance)):
        distance = xp.minimum(distance, distance[:, k, None] + distance[k])
    return distance


def shortest_paths_loops(distance: Any) -> Any:
    distance = distance.copy()
    n = len(distance)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                distance[i, j] = min(distance[i, j], distance[i, k] + distance[k, j])
    return distance


def viterbi(xp: Any, start: Any, transition: Any, emission: Any) -> Any:
    """The most likely states of a hidden chain; logarithms of probabilities."""
    steps, states = emission.shape
    score = start + emission[0]
    back = xp.zeros((steps, states), dtype=xp.int64)
    for t in range(1, steps):
        candidates = score[:, None] + transition
        back[t] = candidates.argmax(axis=0)
        score = candidates.max(axis=0) + emission[t]
    state = int(score.argmax())
    path = [state]
    for t in range(steps - 1, 0, -1):
        state = int(back[t, state])
        path.append(state)
    return score, xp.array(path[::-1])


def chain(size: Size, rng: Random) -> tuple[Any, ...]:
    steps, states = size
    return np.log(rng.random(states)), np.log(rng.random((states, states))), np.log(rng.random((steps, states)))


def seam(xp: Any, energy: Any) -> Any:
    """The least energy of a path from the top to every pixel, row by row."""
    rows = energy.shape[0]
    total = energy.copy()
    for i in range(1, rows):
        above = total[i - 1]
        least = above.copy()
        least[1:] = xp.minimum(least[1:], above[:-1])
        least[:-1] = xp.minimum(least[:-1], above[1:])
        total[i] += least
    return total


def seam_loops(energy: Any) -> Any:
    rows, columns = energy.shape
    total = energy.copy()
    for i in range(1, rows):
        for j in range(columns):
            least = total[i - 1, j]
            if j > 0:
                least = min(least, total[i - 1, j - 1])
            if j < columns - 1:
                least = min(least, total[i - 1, j + 1])
            total[i, j] += least
    return total


def parenthesise(xp: Any, sizes: Any) -> Any:
    """The cheapest order of a chain of matrix products, over the length of the chain."""
    n = len(sizes) - 1
    cost = xp.zeros((n, n))
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            splits = cost[i, i:j] + cost[i + 1 : j + 1, j] + sizes[i] * sizes[i + 1 : j + 1] * sizes[j + 1]
            cost[i, j] = splits.min()
    return cost


def parenthesise_loops(sizes: Any) -> Any:
    n = len(sizes) - 1
    cost = np.zeros((n, n))
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            best = np.inf
            for k in range(i, j):
                best = min(best, cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1])
            cost[i, j] = best
    return cost


def option_tree(xp: Any, spot: Any, steps: int) -> Any:
    """American puts on binomial trees that shrink by one node a step, one option in each row."""
    up, discount, chance = 1.01, 0.9998, 0.51
    exponents = xp.arange(-steps, steps + 1, 2)
    prices = spot[:, None] * up**exponents
    value = xp.maximum(100 - prices, 0)
    for step in range(steps - 1, -1, -1):
        prices = spot[:, None] * up ** xp.arange(-step, step + 1, 2)
        value = discount * (chance * value[:, 1:] + (1 - chance) * value[:, :-1])
        value = xp.maximum(value, 100 - prices)
    return value


PROGRAMS = (
    Program("edit distance by elements", edit_distance, letters, ((32, 32), (70, 70), (200, 200)), EQUAL,
            edit_distance_loops),
    Program("local alignment by diagonals", alignment_diagonals, letters, ((150, 150), (700, 700), (3000, 3000)),
            EQUAL),
    Program("knapsack by items", knapsack, items, ((100, 2000), (100, 50_000), (60, 1_000_000)), EQUAL, knapsack_loops),
    Program("shortest paths", shortest_paths, lambda s, g: (g.random((s[0], s[0])),), ((50,), (200,), (500,)), EQUAL,
            shortest_paths_loops),
    Program("Viterbi", viterbi, chain, ((100, 20), (300, 100), (300, 500)), EQUAL),
    Program("least seam of a picture", seam, lambda s, g: (g.random(s),), ((60, 60), (300, 320), (1000, 4000)), EQUAL,
            seam_loops),
    Program("order of matrix products", parenthesise, lambda s, g: (g.integers(2, 60, s[0]).astype(np.float64),),
            ((30,), (70,), (160,)), EQUAL, parenthesise_loops),
    Program("option trees", option_tree, lambda s, g: (80 + 40 * g.random(s[0]), s[1]),
            ((20, 60), (200, 200), (2000, 400)), REORDERED),
)
