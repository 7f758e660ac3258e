"""Factorisations by columns and rows: what a text book writes down, with slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dense import positive_definite, system
from .program import REORDERED, Agreement, Program, Size

Random = np.random.Generator

ROTATED = Agreement(1e-7, "rotations and reflections amplify last bits, since each depends on all before it")


def cholesky(xp: Any, a: Any) -> Any:
    n = len(a)
    lower = xp.zeros_like(a)
    for j in range(n):
        column = a[j:, j] - lower[j:, :j] @ lower[j, :j]
        lower[j:, j] = column / xp.sqrt(column[0])
    return lower


def cholesky_loops(a: Any) -> Any:
    n = len(a)
    lower = np.zeros_like(a)
    for j in range(n):
        for i in range(j, n):
            total = a[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(total) if i == j else total / lower[j, j]
    return lower


def lu(xp: Any, a: Any) -> Any:
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return a


def lu_loops(a: Any) -> Any:
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def lu_pivoted(xp: Any, a: Any) -> Any:
    """With the largest element of a column as pivot; returns the order of rows, too."""
    a = a.copy()
    n = len(a)
    order = xp.arange(n)
    for k in range(n - 1):
        p = k + int(xp.argmax(xp.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
            order[[k, p]] = order[[p, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= xp.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, order


def gram_schmidt(xp: Any, a: Any) -> Any:
    q = a.copy()
    n = a.shape[1]
    r = xp.zeros((n, n))
    for k in range(n):
        r[k, k] = xp.sqrt(xp.sum(q[:, k] ** 2))
        q[:, k] /= r[k, k]
        r[k, k + 1 :] = q[:, k] @ q[:, k + 1 :]
        q[:, k + 1 :] -= xp.outer(q[:, k], r[k, k + 1 :])
    return q, r


def householder(xp: Any, a: Any) -> Any:
    """The triangle that reflections leave of a matrix."""
    a = a.copy()
    rows, columns = a.shape
    for k in range(min(columns, rows - 1)):
        v = a[k:, k].copy()
        v[0] += xp.copysign(xp.linalg.norm(v), v[0])
        v /= xp.linalg.norm(v)
        a[k:, k:] -= 2 * xp.outer(v, v @ a[k:, k:])
    return xp.triu(a)


def ldl(xp: Any, a: Any) -> Any:
    n = len(a)
    lower, d = xp.eye(n), xp.zeros(n)
    for j in range(n):
        scaled = lower[j, :j] * d[:j]
        d[j] = a[j, j] - lower[j, :j] @ scaled
        lower[j + 1 :, j] = (a[j + 1 :, j] - lower[j + 1 :, :j] @ scaled) / d[j]
    return lower, d


def jacobi_rotations(xp: Any, a: Any) -> Any:
    """Two sweeps of rotations over all pairs of rows: the diagonal goes towards the eigenvalues."""
    a = a.copy()
    n = len(a)
    for _ in range(2):
        for p in range(n - 1):
            for q in range(p + 1, n):
                theta = 0.5 * xp.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, s = xp.cos(theta), xp.sin(theta)
                row_p, row_q = a[p].copy(), a[q].copy()
                a[p], a[q] = c * row_p - s * row_q, s * row_p + c * row_q
                column_p, column_q = a[:, p].copy(), a[:, q].copy()
                a[:, p], a[:, q] = c * column_p - s * column_q, s * column_p + c * column_q
    return a


def jacobi_rotations_loops(a: Any) -> Any:
    a = a.copy()
    n = len(a)
    for _ in range(2):
        for p in range(n - 1):
            for q in range(p + 1, n):
                theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, s = np.cos(theta), np.sin(theta)
                for k in range(n):
                    one, two = a[p, k], a[q, k]
                    a[p, k], a[q, k] = c * one - s * two, s * one + c * two
                for k in range(n):
                    one, two = a[k, p], a[k, q]
                    a[k, p], a[k, q] = c * one - s * two, s * one + c * two
    return a


def thomas(xp: Any, below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    """Many tridiagonal systems at once, eliminated along the first axis."""
    n = len(right)
    c, d = xp.empty_like(right), xp.empty_like(right)
    c[0], d[0] = above[0] / diagonal[0], right[0] / diagonal[0]
    for i in range(1, n):
        scale = 1 / (diagonal[i] - below[i] * c[i - 1])
        c[i] = above[i] * scale
        d[i] = (right[i] - below[i] * d[i - 1]) * scale
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def thomas_loops(below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    n, m = right.shape
    c, d = np.empty_like(right), np.empty_like(right)
    for j in range(m):
        c[0, j], d[0, j] = above[0, j] / diagonal[0, j], right[0, j] / diagonal[0, j]
    for i in range(1, n):
        for j in range(m):
            scale = 1 / (diagonal[i, j] - below[i, j] * c[i - 1, j])
            c[i, j] = above[i, j] * scale
            d[i, j] = (right[i, j] - below[i, j] * d[i - 1, j]) * scale
    for i in range(n - 2, -1, -1):
        for j in range(m):
            d[i, j] -= c[i, j] * d[i + 1, j]
    return d


def bands(size: Size, rng: Random) -> tuple[Any, ...]:
    below, above, right = (rng.normal(size=size) for _ in range(3))
    return below, np.abs(below) + np.abs(above) + 1, above, right


def levinson(xp: Any, r: Any) -> Any:
    """The Yule-Walker equations of a Toeplitz matrix, one order after the other."""
    n = len(r)
    y = xp.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = beta * (1 - alpha * alpha)
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] = y[:k] + alpha * y[:k][::-1]
        y[k] = alpha
    return y


def levinson_loops(r: Any) -> Any:
    n = len(r)
    y, z = np.zeros_like(r), np.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = beta * (1 - alpha * alpha)
        total = r[k]
        for i in range(k):
            total += r[k - 1 - i] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - 1 - i]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return y


PROGRAMS = (
    Program("Cholesky by columns", cholesky, lambda s, g: (positive_definite(s[0], g),), ((50,), (250,), (900,)),
            REORDERED, cholesky_loops),
    Program("LU by columns", lu, lambda s, g: system(s, g)[:1], ((60,), (250,), (800,)), REORDERED, lu_loops),
    Program("LU with pivots", lu_pivoted, lambda s, g: (g.normal(size=(s[0], s[0])),), ((50,), (200,), (700,)),
            ROTATED),
    Program("Gram-Schmidt by columns", gram_schmidt, lambda s, g: (g.normal(size=s),),
            ((60, 40), (300, 200), (1000, 600)), ROTATED),
    Program("Householder reflections", householder, lambda s, g: (g.normal(size=s),),
            ((60, 40), (300, 200), (1000, 600)), ROTATED),
    Program("LDL by rows", ldl, lambda s, g: (positive_definite(s[0], g),), ((50,), (250,), (900,)), REORDERED),
    Program("Jacobi rotations", jacobi_rotations, lambda s, g: (positive_definite(s[0], g),), ((14,), (40,), (120,)),
            ROTATED, jacobi_rotations_loops),
    Program("tridiagonal systems", thomas, bands, ((40, 60), (200, 500), (300, 10000)), REORDERED, thomas_loops),
    Program("Levinson recursion", levinson, lambda s, g: (g.normal(size=s[0]) / (4 * s[0] ** 0.5),),
            ((100,), (600,), (3000,)), ROTATED, levinson_loops),
)
