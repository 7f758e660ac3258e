"""Particles: gravity, forces at short range, scattering sums, grids that particles meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, FUNCTIONS, REORDERED, Agreement, Program, Size, prange

Random = np.random.Generator

FLOWING = Agreement(1e-7, "close encounters amplify last bits of the forces")


def n_body(xp: Any, position: Any, velocity: Any, mass: Any, steps: int) -> Any:
    """All pairs at once, by broadcasting."""
    for _ in range(steps):
        apart = position[None, :, :] - position[:, None, :]
        square = (apart * apart).sum(axis=2) + 0.01
        force = (mass / (square * xp.sqrt(square)))[:, :, None] * apart
        velocity = velocity + 0.01 * force.sum(axis=1)
        position = position + 0.01 * velocity
    return position, velocity


def n_body_loops(position: Any, velocity: Any, mass: Any, steps: int) -> Any:
    position, velocity = position.copy(), velocity.copy()
    n = len(mass)
    for _ in range(steps):
        for i in prange(n):
            fx = fy = fz = 0.0
            for j in range(n):
                dx, dy = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                square = dx * dx + dy * dy + dz * dz + 0.01
                weight = mass[j] / (square * np.sqrt(square))
                fx, fy, fz = fx + weight * dx, fy + weight * dy, fz + weight * dz
            velocity[i, 0] += 0.01 * fx
            velocity[i, 1] += 0.01 * fy
            velocity[i, 2] += 0.01 * fz
        for i in range(n):
            for axis in range(3):
                position[i, axis] += 0.01 * velocity[i, axis]
    return position, velocity


def bodies(size: Size, rng: Random) -> tuple[Any, ...]:
    count, steps = size
    return rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), rng.random(count) / count, steps


def n_body_rows(xp: Any, position: Any, mass: Any) -> Any:
    """Energy and forces, one body after the other against those behind it."""
    force = xp.zeros_like(position)
    energy = 0.0
    for i in range(len(mass) - 1):
        apart = position[i + 1 :] - position[i]
        square = (apart**2).sum(axis=1) + 0.01
        pull = (mass[i] * mass[i + 1 :] / square**1.5)[:, None] * apart
        force[i] += pull.sum(axis=0)
        force[i + 1 :] -= pull
        energy -= (mass[i] * mass[i + 1 :] / xp.sqrt(square)).sum()
    return force, energy


def short_range(xp: Any, position: Any, box: float) -> Any:
    """Forces that end at a distance, in a periodic box."""
    apart = position[:, None, :] - position[None, :, :]
    apart = apart - box * xp.round(apart / box)
    square = xp.sum(apart * apart, axis=-1)
    near = (square < 6.25) & (square > 0)
    inverse = xp.where(near, 1 / xp.where(near, xp.maximum(square, 0.5), 1), 0)
    sixth = inverse**3
    strength = 24 * inverse * (2 * sixth * sixth - sixth)
    return (strength[:, :, None] * apart).sum(axis=1), 4 * (sixth * sixth - sixth).sum() / 2


def structure_factor(xp: Any, position: Any, vectors: Any) -> Any:
    """How strongly atoms scatter along some directions."""
    phase = vectors @ position.T
    return (xp.cos(phase).sum(axis=1) ** 2 + xp.sin(phase).sum(axis=1) ** 2) / len(position)


def structure_factor_loops(position: Any, vectors: Any) -> Any:
    out = np.empty(len(vectors))
    for q in prange(len(vectors)):
        real = imaginary = 0.0
        for a in range(len(position)):
            phase = 0.0
            for axis in range(3):
                phase += vectors[q, axis] * position[a, axis]
            real += np.cos(phase)
            imaginary += np.sin(phase)
        out[q] = (real * real + imaginary * imaginary) / len(position)
    return out


def debye(xp: Any, position: Any, lengths: Any) -> Any:
    """The scattered intensity of a powder, one wave length after the other."""
    apart = position[:, None, :] - position[None, :, :]
    distance = xp.sqrt((apart**2).sum(axis=2))
    result = xp.empty(len(lengths))
    for k in range(len(lengths)):
        result[k] = xp.sinc(lengths[k] * distance / xp.pi).sum()
    return result / len(position)


def self_energies(xp: Any, green: Any, phonon: Any, coupling: Any, neighbours: Any) -> Any:
    """Scattering of electrons by lattice waves: products of small matrices, gathered atom by atom."""
    moments, energies, atoms = green.shape[:3]
    waves = phonon.shape[1]
    result = xp.zeros_like(green)
    for k in range(moments):
        for e in range(energies):
            for w in range(waves):
                if e - w < 0:
                    continue
                for a in range(atoms):
                    for b in range(neighbours.shape[1]):
                        other = neighbours[a, b]
                        inner = green[k, e - w, other] @ coupling[a, b]
                        result[k, e, a] += (inner * phonon[k, w, a, b]) @ coupling[a, b]
    return result


def lattice(size: Size, rng: Random) -> tuple[Any, ...]:
    moments, energies, waves, atoms, around, orbitals = size

    def values(*shape: int) -> np.ndarray:
        return rng.normal(size=shape) + 1j * rng.normal(size=shape)

    return (
        values(moments, energies, atoms, orbitals, orbitals), values(moments, waves, atoms, around),
        values(atoms, around, orbitals, orbitals), rng.integers(0, atoms, (atoms, around)),
    )


def deposit(xp: Any, position: Any, charge: Any, cells: int) -> Any:
    """Charge shared between the two nearest points of a grid, and the field back at the particles."""
    cell = xp.floor(position).astype(xp.int64)
    right = position - cell
    after = (cell + 1) % cells
    grid = xp.bincount(cell, weights=charge * (1 - right), minlength=cells)
    grid = grid + xp.bincount(after, weights=charge * right, minlength=cells)
    potential = xp.cumsum(xp.cumsum(grid - grid.mean()))
    field = (xp.roll(potential, 1) - xp.roll(potential, -1)) / 2
    return grid, field[cell] * (1 - right) + field[after] * right


def deposit_loops(position: Any, charge: Any, cells: int) -> Any:
    grid = np.zeros(cells)
    for p in range(len(position)):
        cell = int(position[p])
        right = position[p] - cell
        grid[cell] += charge[p] * (1 - right)
        grid[(cell + 1) % cells] += charge[p] * right
    mean = grid.mean()
    potential, slope, height = np.empty(cells), 0.0, 0.0
    for i in range(cells):
        slope += grid[i] - mean
        height += slope
        potential[i] = height
    force = np.empty_like(position)
    for p in range(len(position)):
        cell = int(position[p])
        right, after = position[p] - cell, (cell + 1) % cells
        here = (potential[cell - 1] - potential[after]) / 2
        there = (potential[cell] - potential[(after + 1) % cells]) / 2
        force[p] = here * (1 - right) + there * right
    return grid, force


def ising(xp: Any, spins: Any, chances: Any) -> Any:
    """Spins on a torus turn, in two colours; the random numbers are given."""
    spins = spins.copy()
    rows, columns = spins.shape
    black = (xp.arange(rows)[:, None] + xp.arange(columns)) % 2 == 0
    for step in range(len(chances)):
        around = xp.roll(spins, 1, 0) + xp.roll(spins, -1, 0) + xp.roll(spins, 1, 1) + xp.roll(spins, -1, 1)
        turn = chances[step] < xp.exp(-0.8 * (spins * around))
        spins[turn & (black if step % 2 else ~black)] *= -1
    return spins


def spin_inputs(size: Size, rng: Random) -> tuple[Any, ...]:
    rows, columns, steps = size
    return rng.choice(np.array([-1, 1]), (rows, columns)), rng.random((steps, rows, columns))


PROGRAMS = (
    Program("N-body by broadcasting", n_body, bodies, ((40, 10), (200, 5), (1000, 2)), FLOWING, n_body_loops, True),
    Program("N-body by rows", n_body_rows, lambda s, g: (g.normal(size=(s[0], 3)), g.random(s[0])),
            ((60,), (400,), (1500,)), REORDERED),
    Program("forces at short range", short_range, lambda s, g: (6 * g.random((s[0], 3)), 6.0),
            ((50,), (250,), (1000,)), REORDERED),
    Program("structure factor", structure_factor, lambda s, g: (10 * g.random((s[0], 3)), g.normal(size=(s[1], 3))),
            ((100, 40), (500, 200), (2000, 1000)), FUNCTIONS, structure_factor_loops, True),
    Program("Debye scattering", debye, lambda s, g: (10 * g.random((s[0], 3)), np.linspace(0.5, 8, s[1])),
            ((50, 20), (200, 30), (800, 20)), FUNCTIONS),
    Program("scattering self-energies", self_energies, lattice,
            ((2, 3, 2, 4, 3, 4), (3, 6, 4, 10, 4, 8), (3, 6, 4, 12, 4, 32)), REORDERED),
    Program("charge on a grid", deposit, lambda s, g: (s[1] * g.random(s[0]), g.random(s[0]), s[1]),
            ((4000, 64), (100_000, 512), (2_000_000, 4096)), REORDERED, deposit_loops),
    Program("Ising model in two colours", ising, spin_inputs, ((40, 40, 20), (256, 256, 12), (1000, 1000, 6)), EQUAL),
)
