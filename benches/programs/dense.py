"""Dense linear algebra by loops over rows and columns, and iterations with matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import REORDERED, SINGLE, Program, Size

Random = np.random.Generator


def positive_definite(n: int, rng: Random) -> np.ndarray:
    a = rng.normal(size=(n, n))
    return a @ a.T / n + 2 * np.eye(n)


def power_iteration(xp: Any, a: Any, x: Any) -> Any:
    for _ in range(20):
        y = a @ x
        x = y / xp.sqrt((y * y).sum())
    return x, x @ (a @ x)


def conjugate_gradient(xp: Any, a: Any, b: Any) -> Any:
    x = xp.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rho = r @ r
    for _ in range(15):
        q = a @ p
        alpha = rho / (p @ q)
        x += alpha * p
        r -= alpha * q
        rho_next = r @ r
        p = r + (rho_next / rho) * p
        rho = rho_next
    return x


def system(size: Size, rng: Random) -> tuple[Any, ...]:
    return positive_definite(size[0], rng), rng.normal(size=size[0])


def triangular_solve(xp: Any, lower: Any, b: Any) -> Any:
    n = len(b)
    x = xp.zeros_like(b)
    for i in range(n):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def triangular_solve_loops(lower: Any, b: Any) -> Any:
    n = len(b)
    x = np.zeros_like(b)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= lower[i, j] * x[j]
        x[i] = total / lower[i, i]
    return x


def triangle(size: Size, rng: Random) -> tuple[Any, ...]:
    n = size[0]
    return np.tril(rng.normal(size=(n, n))) / n + 2 * np.eye(n), rng.normal(size=n)


def rank_updates(xp: Any, a: Any, u: Any, v: Any, s: Any, t: Any, y: Any) -> Any:
    a = a + xp.outer(u, v) + xp.outer(s, t)
    x = 1.2 * (y @ a) + y
    return x, 1.5 * (a @ x)


def matrix_and_vectors(size: Size, rng: Random) -> tuple[Any, ...]:
    n = size[0]
    return (rng.normal(size=(n, n)), *(rng.normal(size=n) for _ in range(5)))


def rank_k_triangle(xp: Any, a: Any, c: Any) -> Any:
    """The lower triangle of c/2 + a times its transpose, row by row and column by column."""
    c = c.copy()
    rows, columns = a.shape
    for i in range(rows):
        c[i, : i + 1] *= 0.5
        for k in range(columns):
            c[i, : i + 1] += a[i, k] * a[: i + 1, k]
    return c


def rank_k_triangle_loops(a: Any, c: Any) -> Any:
    c = c.copy()
    rows, columns = a.shape
    for i in range(rows):
        for j in range(i + 1):
            total = 0.5 * c[i, j]
            for k in range(columns):
                total += a[i, k] * a[j, k]
            c[i, j] = total
    return c


def tall_and_square(size: Size, rng: Random) -> tuple[Any, ...]:
    rows, columns = size
    return rng.normal(size=(rows, columns)), rng.normal(size=(rows, rows))


def triangular_product(xp: Any, lower: Any, b: Any) -> Any:
    """b times the transpose of a triangle from the left, in its place from the first row on."""
    b = b.copy()
    for i in range(len(b)):
        b[i] *= lower[i, i]
        b[i] += lower[i + 1 :, i] @ b[i + 1 :]
    return b


def triangle_and_block(size: Size, rng: Random) -> tuple[Any, ...]:
    n, columns = size
    return np.tril(rng.normal(size=(n, n))), rng.normal(size=(n, columns))


def covariance(xp: Any, data: Any) -> Any:
    """The covariance of columns, one row of the triangle at a time."""
    rows, columns = data.shape
    centred = data - data.mean(axis=0)
    result = xp.zeros((columns, columns), dtype=data.dtype)
    for i in range(columns):
        result[i, i:] = centred[:, i] @ centred[:, i:] / (rows - 1)
        result[i:, i] = result[i, i:]
    return result


def covariance_loops(data: Any) -> Any:
    rows, columns = data.shape
    centred = np.empty_like(data)
    for j in range(columns):
        mean = 0.0
        for r in range(rows):
            mean += data[r, j]
        mean /= rows
        for r in range(rows):
            centred[r, j] = data[r, j] - mean
    result = np.zeros((columns, columns))
    for i in range(columns):
        for j in range(i, columns):
            total = 0.0
            for r in range(rows):
                total += centred[r, i] * centred[r, j]
            result[i, j] = total / (rows - 1)
            result[j, i] = result[i, j]
    return result


def tensor_times_matrix(xp: Any, tensor: Any, matrix: Any) -> Any:
    """A small matrix applied to the last axis of a tensor, slice after slice."""
    result = xp.empty_like(tensor)
    for r in range(tensor.shape[0]):
        for q in range(tensor.shape[1]):
            result[r, q] = tensor[r, q] @ matrix
    return result


def accumulate_product(xp: Any, x: Any, y: Any, r: Any) -> Any:
    """The same product added with growing weight, as a parameter study has it."""
    r = r.copy()
    for i in range(30):
        r += (x @ y) * i
    return r


def squares(size: Size, rng: Random) -> tuple[Any, ...]:
    n = size[0]
    return tuple(rng.normal(size=(n, n)).astype(np.float32) for _ in range(3))


def least_squares(xp: Any, a: Any, b: Any) -> Any:
    """Gradient descent on the squared residual."""
    x = xp.zeros(a.shape[1])
    step = 1 / a.size
    for _ in range(30):
        residual = a @ x - b
        x = x - step * (residual @ a)
    return x, (residual * residual).mean()


PROGRAMS = (
    Program("power iteration", power_iteration, lambda s, g: (positive_definite(s[0], g), np.ones(s[0])),
            ((60,), (320,), (1800,)), REORDERED),
    Program("conjugate gradient", conjugate_gradient, system, ((60,), (320,), (1800,)), REORDERED),
    Program("triangular solve by rows", triangular_solve, triangle, ((70,), (320,), (1500,)), REORDERED,
            triangular_solve_loops),
    Program("rank-one updates and products", rank_updates, matrix_and_vectors, ((70,), (320,), (2200,)), REORDERED),
    Program("rank-k update of a triangle", rank_k_triangle, tall_and_square, ((40, 30), (120, 100), (420, 120)),
            REORDERED, rank_k_triangle_loops),
    Program("triangular product by rows", triangular_product, triangle_and_block, ((60, 50), (250, 200), (900, 800)),
            REORDERED),
    Program("covariance by columns", covariance, lambda s, g: (g.normal(size=s),), ((80, 50), (400, 250), (1600, 800)),
            REORDERED, covariance_loops),
    Program("tensor times matrix by slices", tensor_times_matrix,
            lambda s, g: (g.normal(size=s), g.normal(size=(s[2], s[2]))), ((10, 12, 20), (40, 45, 60), (90, 90, 160)),
            REORDERED),
    Program("the same product added 30 times", accumulate_product, squares, ((40,), (256,), (1024,)), SINGLE),
    Program("least squares by gradients", least_squares, lambda s, g: (g.normal(size=s), g.normal(size=s[0])),
            ((100, 50), (700, 150), (4000, 600)), REORDERED),
)
