"""Stencils in one to three dimensions: diffusion, waves, fields, cells, in slices and by rolls."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, REORDERED, Agreement, Program, Size, prange

Random = np.random.Generator

STEPPED = Agreement(1e-9, "last bits of sums over directions grow with the number of steps")


def heat_1d(xp: Any, u: Any, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def heat_1d_loops(u: Any, steps: int) -> Any:
    u, v = u.copy(), u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.25 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u, v = v, u
    return u


def line(size: Size, rng: Random) -> tuple[Any, ...]:
    return rng.random(size[0]), size[1]


def average_1d(xp: Any, a: Any, b: Any, steps: int) -> Any:
    """Averages of three neighbours from one array to the other and back."""
    a, b = a.copy(), b.copy()
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return a


def jacobi_2d(xp: Any, u: Any, f: Any, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])
    return u


def jacobi_2d_loops(u: Any, f: Any, steps: int) -> Any:
    u, v = u.copy(), u.copy()
    for _ in range(steps):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - f[i, j])
        u, v = v, u
    return u


def planes(count: int) -> Any:
    """Inputs: so many random planes of the first two numbers of a size, and how many steps the third says."""

    def initialise(size: Size, rng: Random) -> tuple[Any, ...]:
        return (*(rng.random(size[:2]) for _ in range(count)), size[2])

    return initialise


def heat_3d(xp: Any, u: Any, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        inner = u[1:-1, 1:-1, 1:-1]
        change = (
            u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6 * inner
        )
        u[1:-1, 1:-1, 1:-1] = inner + 0.1 * change
    return u


def heat_3d_loops(u: Any, steps: int) -> Any:
    u, v = u.copy(), u.copy()
    for _ in range(steps):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                for k in range(1, u.shape[2] - 1):
                    change = (u[i + 1, j, k] + u[i - 1, j, k] + u[i, j + 1, k] + u[i, j - 1, k]
                              + u[i, j, k + 1] + u[i, j, k - 1] - 6 * u[i, j, k])
                    v[i, j, k] = u[i, j, k] + 0.1 * change
        u, v = v, u
    return u


def wave_2d(xp: Any, u: Any, steps: int) -> Any:
    """A membrane: the next state from the present and the last."""
    last, now = u.copy(), u.copy()
    for _ in range(steps):
        after = 2 * now - last
        after[1:-1, 1:-1] += 0.2 * (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
        )
        last, now = now, after
    return now


def red_black(xp: Any, u: Any, f: Any, steps: int) -> Any:
    """Gauss-Seidel in two colours, each in two sets of strided slices."""
    u = u.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for colour in (0, 1):
            for i in (1, 2):
                j = 1 + (i + colour) % 2
                u[i:-1:2, j:-1:2] = 0.25 * (
                    u[i - 1 : rows - 2 : 2, j:-1:2] + u[i + 1 :: 2, j:-1:2]
                    + u[i:-1:2, j - 1 : columns - 2 : 2] + u[i:-1:2, j + 1 :: 2] - f[i:-1:2, j:-1:2]
                )
    return u


def gauss_seidel(xp: Any, u: Any, steps: int) -> Any:
    """In the order of the elements, each from the newest values of its neighbours."""
    u = u.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def gauss_seidel_loops(u: Any, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def life(xp: Any, cells: Any, steps: int) -> Any:
    cells = cells.copy()
    for _ in range(steps):
        count = xp.zeros_like(cells)
        count[1:-1, 1:-1] = (
            cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2]
            + cells[1:-1, 2:] + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        )
        cells = ((count == 3) | ((cells == 1) & (count == 2))).astype(cells.dtype)
    return cells


def gray_scott(xp: Any, u: Any, v: Any, steps: int) -> Any:
    """Two substances that react and spread on a torus."""

    def laplacian(x: Any) -> Any:
        return xp.roll(x, 1, 0) + xp.roll(x, -1, 0) + xp.roll(x, 1, 1) + xp.roll(x, -1, 1) - 4 * x

    for _ in range(steps):
        reaction = u * v * v
        u, v = u + 0.16 * laplacian(u) - reaction + 0.035 * (1 - u), v + 0.08 * laplacian(v) + reaction - 0.095 * v
    return u, v


def gray_scott_loops(u: Any, v: Any, steps: int) -> Any:
    rows, columns = u.shape
    u, v, a, b = u.copy(), v.copy(), u.copy(), v.copy()
    for _ in range(steps):
        for i in prange(rows):
            up, down = (i - 1) % rows, (i + 1) % rows
            for j in range(columns):
                left, right = (j - 1) % columns, (j + 1) % columns
                x, y = u[i, j], v[i, j]
                around = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4 * x
                beside = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4 * y
                reaction = x * y * y
                a[i, j] = x + 0.16 * around - reaction + 0.035 * (1 - x)
                b[i, j] = y + 0.08 * beside + reaction - 0.095 * y
        u, v, a, b = a, b, u, v
    return u, v


def electromagnetic(xp: Any, ex: Any, ey: Any, hz: Any, steps: int) -> Any:
    """Maxwell's equations in a plane, the fields on grids half a cell apart."""
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for step in range(steps):
        ey[0, :] = step
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def alternating_directions(xp: Any, u: Any, steps: int) -> Any:
    """Implicit diffusion: tridiagonal elimination along columns, then along rows, one line at a time."""
    n = len(u)
    u = u.copy()
    for _ in range(steps):
        for _ in range(2):
            factor, v = xp.zeros_like(u), xp.zeros_like(u)
            for j in range(1, n - 1):
                scale = 1 / (3 - factor[:, j - 1])
                factor[:, j] = scale
                v[:, j] = (u[:, j] + v[:, j - 1]) * scale
            for j in range(n - 2, 0, -1):
                v[:, j] += factor[:, j] * v[:, j + 1]
            u = v.T.copy()
    return u


def lattice_boltzmann(xp: Any, density: Any, steps: int) -> Any:
    """A fluid of nine directions on a torus: collision, then one cell along each direction."""
    directions = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
    flows = [w * density for w in weights]
    for _ in range(steps):
        rho = sum(flows)
        vx = sum(f * d[0] for f, d in zip(flows, directions, strict=True)) / rho
        vy = sum(f * d[1] for f, d in zip(flows, directions, strict=True)) / rho
        square = 1.5 * (vx * vx + vy * vy)
        for k, ((x, y), w) in enumerate(zip(directions, weights, strict=True)):
            along = 3 * (x * vx + y * vy)
            balance = w * rho * (1 + along + 0.5 * along * along - square)
            flows[k] = xp.roll(flows[k] + 0.6 * (balance - flows[k]), (x, y), (0, 1))
    return sum(flows)


def poisson_pressure(xp: Any, p: Any, b: Any, steps: int) -> Any:
    """The pressure of a driven cavity: sweeps, and the values of the walls after each."""
    p = p.copy()
    for _ in range(steps):
        old = p.copy()
        p[1:-1, 1:-1] = (
            (old[1:-1, 2:] + old[1:-1, :-2]) * 0.3 + (old[2:, 1:-1] + old[:-2, 1:-1]) * 0.2 - 0.05 * b[1:-1, 1:-1]
        )
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


def field_planes(size: Size, rng: Random) -> tuple[Any, ...]:
    return (*(rng.random(size[:2]) for _ in range(3)), size[2])


def cells(size: Size, rng: Random) -> tuple[Any, ...]:
    grid = (rng.random(size[:2]) < 0.35).astype(np.int32)
    grid[0] = grid[-1] = grid[:, 0] = grid[:, -1] = 0
    return grid, size[2]


PROGRAMS = (
    Program("heat in 1-D", heat_1d, line, ((3200, 300), (100_000, 50), (4_000_000, 10)), EQUAL, heat_1d_loops),
    Program("averages in 1-D, to and fro", average_1d, lambda s, g: (g.random(s[0]), g.random(s[0]), s[1]),
            ((3200, 400), (100_000, 50), (4_000_000, 6)), EQUAL),
    Program("Jacobi in 2-D", jacobi_2d, planes(2), ((60, 60, 100), (320, 320, 50), (2000, 2000, 6)), EQUAL,
            jacobi_2d_loops, True),
    Program("heat in 3-D", heat_3d, lambda s, g: (g.random(s[:3]), s[3]),
            ((16, 16, 16, 60), (48, 48, 48, 30), (160, 160, 160, 5)), EQUAL, heat_3d_loops, True),
    Program("waves in 2-D", wave_2d, planes(1), ((60, 60, 100), (320, 320, 40), (2000, 2000, 5)), EQUAL),
    Program("Gauss-Seidel in two colours", red_black, planes(2), ((62, 62, 40), (322, 322, 20), (2002, 2002, 3)),
            EQUAL),
    Program("Gauss-Seidel by elements", gauss_seidel, lambda s, g: (g.random(s[:2]), s[2]),
            ((30, 30, 3), (60, 60, 8), (150, 150, 10)), EQUAL, gauss_seidel_loops),
    Program("game of life", life, cells, ((60, 60, 60), (320, 320, 30), (2000, 2000, 4)), EQUAL),
    Program("Gray-Scott reaction", gray_scott, planes(2), ((50, 50, 40), (320, 320, 15), (1500, 1500, 3)), EQUAL,
            gray_scott_loops, True),
    Program("electromagnetic fields in 2-D", electromagnetic, field_planes,
            ((60, 60, 80), (320, 320, 40), (2000, 2000, 5)), EQUAL),
    Program("alternating directions", alternating_directions, lambda s, g: (g.random((s[0], s[0])), s[1]),
            ((50, 4), (300, 3), (1200, 1)), EQUAL),
    Program("lattice Boltzmann", lattice_boltzmann, lambda s, g: (1 + 0.1 * g.random(s[:2]), s[2]),
            ((40, 40, 10), (220, 220, 6), (900, 900, 2)), STEPPED),
    Program("pressure in a cavity", poisson_pressure, planes(2), ((50, 50, 80), (320, 320, 40), (1800, 1800, 5)),
            REORDERED),
)
