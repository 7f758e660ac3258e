"""Sparse matrices and graphs: products by rows, by gathers and by sums of runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, REORDERED, Program, Size

Random = np.random.Generator


def rows_of(size: Size, rng: Random) -> tuple[Any, ...]:
    """A sparse matrix, rows of different lengths one after the other, and a vector."""
    n, per_row = size
    lengths = rng.integers(1, 2 * per_row, n)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    columns = rng.integers(0, n, starts[-1])
    return starts, columns, rng.normal(size=starts[-1]), rng.normal(size=n)


def product_by_rows(xp: Any, starts: Any, columns: Any, values: Any, x: Any) -> Any:
    y = xp.empty_like(x)
    for i in range(len(x)):
        here = slice(int(starts[i]), int(starts[i + 1]))
        y[i] = values[here] @ x[columns[here]]
    return y


def product_loops(starts: Any, columns: Any, values: Any, x: Any) -> Any:
    y = np.empty_like(x)
    for i in range(len(x)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total
    return y


def product_by_runs(xp: Any, starts: Any, columns: Any, values: Any, x: Any) -> Any:
    for _ in range(5):
        y = xp.add.reduceat(values * x[columns], starts[:-1])
        x = y / xp.abs(y).max()
    return x


def graph(size: Size, rng: Random) -> tuple[Any, ...]:
    n, edges = size
    return rng.integers(0, n, edges), rng.integers(0, n, edges), n


def page_rank(xp: Any, source: Any, target: Any, n: int) -> Any:
    """The share of walkers on each page; edges in any order."""
    degree = xp.maximum(xp.bincount(source, minlength=n), 1)
    rank = xp.full(n, 1 / n)
    for _ in range(10):
        share = (rank / degree)[source]
        rank = 0.15 / n + 0.85 * xp.bincount(target, weights=share, minlength=n)
    return rank


def page_rank_loops(source: Any, target: Any, n: int) -> Any:
    degree = np.zeros(n)
    for e in range(len(source)):
        degree[source[e]] += 1
    rank = np.full(n, 1 / n)
    for _ in range(10):
        after = np.zeros(n)
        for e in range(len(source)):
            after[target[e]] += rank[source[e]] / degree[source[e]]
        for i in range(n):
            rank[i] = 0.15 / n + 0.85 * after[i]
    return rank


def breadth_first(xp: Any, source: Any, target: Any, n: int) -> Any:
    """The distance of every node from the first, by fronts."""
    level = xp.full(n, -1, dtype=xp.int64)
    level[0] = 0
    for depth in range(1, 30):
        front = (level[source] == depth - 1) & (level[target] < 0)
        reached = target[front]
        if reached.size == 0:
            break
        level[reached] = depth
    return level


def banded_product(xp: Any, bands: Any, offsets: list[int], x: Any) -> Any:
    """A matrix kept by its diagonals, applied five times."""
    n = len(x)
    for _ in range(5):
        y = xp.zeros(n)
        for band, offset in zip(bands, offsets, strict=True):
            if offset >= 0:
                y[: n - offset] += band[: n - offset] * x[offset:]
            else:
                y[-offset:] += band[-offset:] * x[: n + offset]
        x = y
    return x


def banded(size: Size, rng: Random) -> tuple[Any, ...]:
    return 0.2 * rng.normal(size=(7, size[0])), [-30, -3, -1, 0, 1, 3, 30], rng.normal(size=size[0])


def scatter_add(xp: Any, faces: Any, flux: Any, n: int) -> Any:
    """What leaves one cell of a mesh enters another: `add.at` at both ends of every face."""
    total = xp.zeros(n)
    xp.add.at(total, faces[:, 0], -flux)
    xp.add.at(total, faces[:, 1], flux)
    return total


def histogram_of_words(xp: Any, words: Any) -> Any:
    """The most frequent of many numbers, and how often each occurs."""
    found, counts = xp.unique(words, return_counts=True)
    order = xp.argsort(-counts, kind="stable")[:20]
    return found[order], counts[order]


PROGRAMS = (
    Program("sparse product by rows", product_by_rows, rows_of, ((150, 10), (1500, 20), (15_000, 40)), REORDERED,
            product_loops),
    Program("sparse product by runs", product_by_runs, rows_of, ((400, 10), (10_000, 10), (200_000, 10)), REORDERED),
    Program("page rank", page_rank, graph, ((500, 4000), (10_000, 100_000), (100_000, 2_000_000)), REORDERED,
            page_rank_loops),
    Program("breadth first by fronts", breadth_first, graph, ((800, 4000), (20_000, 100_000), (300_000, 2_000_000)),
            EQUAL),
    Program("banded product", banded_product, banded, ((3000,), (100_000,), (2_000_000,)), REORDERED),
    Program("fluxes between cells", scatter_add, lambda s, g: (g.integers(0, s[0], (s[1], 2)), g.random(s[1]), s[0]),
            ((500, 3000), (20_000, 100_000), (200_000, 2_000_000)), REORDERED),
    Program("most frequent values", histogram_of_words, lambda s, g: ((g.exponential(60, s[0])).astype(np.int64),),
            ((4000,), (100_000,), (2_000_000,)), EQUAL),
)
