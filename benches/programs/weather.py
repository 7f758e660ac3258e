"""Weather and climate: limited diffusion, implicit columns, shallow water, phase changes, sums over levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, FUNCTIONS, REORDERED, Program, Size, prange

Random = np.random.Generator


def limited_diffusion(xp: Any, field: Any, coefficient: Any) -> Any:
    """Fourth-order diffusion on horizontal planes; a flux that goes up the slope is cut off."""
    laplacian = 4 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    flux_x = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    flux_x = xp.where(flux_x * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flux_x)
    flux_y = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    flux_y = xp.where(flux_y * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, flux_y)
    return field[2:-2, 2:-2] - coefficient * (
        flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1]
    )


def limited_diffusion_loops(field: Any, coefficient: Any) -> Any:
    n, m, levels = field.shape
    laplacian = np.empty((n - 2, m - 2, levels))
    for i in prange(n - 2):
        for j in range(m - 2):
            for k in range(levels):
                laplacian[i, j, k] = 4 * field[i + 1, j + 1, k] - (
                    field[i + 2, j + 1, k] + field[i, j + 1, k] + field[i + 1, j + 2, k] + field[i + 1, j, k]
                )
    out = np.empty((n - 4, m - 4, levels))
    for i in prange(n - 4):
        for j in range(m - 4):
            for k in range(levels):
                here = field[i + 2, j + 2, k]
                east = laplacian[i + 2, j + 1, k] - laplacian[i + 1, j + 1, k]
                east = 0.0 if east * (field[i + 3, j + 2, k] - here) > 0 else east
                west = laplacian[i + 1, j + 1, k] - laplacian[i, j + 1, k]
                west = 0.0 if west * (here - field[i + 1, j + 2, k]) > 0 else west
                north = laplacian[i + 1, j + 2, k] - laplacian[i + 1, j + 1, k]
                north = 0.0 if north * (field[i + 2, j + 3, k] - here) > 0 else north
                south = laplacian[i + 1, j + 1, k] - laplacian[i + 1, j, k]
                south = 0.0 if south * (here - field[i + 2, j + 1, k]) > 0 else south
                out[i, j, k] = here - coefficient[i, j, k] * (east - west + north - south)
    return out


def diffusion_inputs(size: Size, rng: Random) -> tuple[Any, ...]:
    n, m, levels = size
    return rng.random((n + 4, m + 4, levels)), 0.02 * rng.random(size)


def vertical_advection(xp: Any, wind: Any, speed: Any, before: Any) -> Any:
    """Implicit transport along the last axis: elimination level by level, many columns at a time."""
    levels = wind.shape[2]
    c, d = xp.zeros_like(wind), xp.zeros_like(wind)
    for k in range(levels):
        lower = -0.25 * (speed[:-1, :, k] + speed[1:, :, k]) if k > 0 else xp.zeros_like(wind[:, :, 0])
        upper = 0.25 * (speed[:-1, :, k + 1] + speed[1:, :, k + 1]) if k < levels - 1 else xp.zeros_like(wind[:, :, 0])
        diagonal = 3 - lower - upper
        right = 3 * before[:, :, k]
        if k > 0:
            right = right - lower * (wind[:, :, k - 1] - wind[:, :, k])
            diagonal = diagonal - lower * c[:, :, k - 1]
            right = right - lower * d[:, :, k - 1]
        c[:, :, k] = upper / diagonal
        d[:, :, k] = right / diagonal
    out = xp.empty_like(wind)
    out[:, :, -1] = d[:, :, -1]
    for k in range(levels - 2, -1, -1):
        out[:, :, k] = d[:, :, k] - c[:, :, k] * out[:, :, k + 1]
    return out


def advection_inputs(size: Size, rng: Random) -> tuple[Any, ...]:
    n, m, levels = size
    return rng.random(size), rng.random((n + 1, m, levels)), rng.random(size)


def shallow_water(xp: Any, h: Any, u: Any, v: Any, steps: int) -> Any:
    """Height and two velocities on a rotating plane, by centred differences with walls."""
    h, u, v = h.copy(), u.copy(), v.copy()
    for _ in range(steps):
        inner = (slice(1, -1), slice(1, -1))
        slope_x = h[2:, 1:-1] - h[:-2, 1:-1]
        slope_y = h[1:-1, 2:] - h[1:-1, :-2]
        turned_u = u[inner] + 0.01 * (0.1 * v[inner] - 4.9 * slope_x)
        turned_v = v[inner] - 0.01 * (0.1 * u[inner] + 4.9 * slope_y)
        u[inner], v[inner] = turned_u, turned_v
        h[inner] -= 0.01 * (
            h[2:, 1:-1] * u[2:, 1:-1] - h[:-2, 1:-1] * u[:-2, 1:-1]
            + h[1:-1, 2:] * v[1:-1, 2:] - h[1:-1, :-2] * v[1:-1, :-2]
        )
        u[0] = u[-1] = 0
        v[:, 0] = v[:, -1] = 0
    return h, u, v


def shallow_inputs(size: Size, rng: Random) -> tuple[Any, ...]:
    return 1 + 0.1 * rng.random(size[:2]), np.zeros(size[:2]), np.zeros(size[:2]), size[2]


def saturation(xp: Any, temperature: Any, vapour: Any, liquid: Any, pressure: Any) -> Any:
    """Vapour above saturation condenses, liquid below it evaporates, and the heat goes with it; four iterations."""
    for _ in range(4):
        pressure_s = 611.2 * xp.exp(17.67 * (temperature - 273.15) / (temperature - 29.65))
        limit = 0.622 * pressure_s / (pressure - 0.378 * pressure_s)
        slope = limit * 17.67 * 243.5 / (temperature - 29.65) ** 2
        change = (vapour - limit) / (1 + 2489.0 * slope)
        change = xp.where(change > 0, change, xp.maximum(change, -liquid))
        vapour = vapour - change
        liquid = xp.maximum(liquid + change, 0)
        temperature = temperature + 2489.0 * change
    return temperature, vapour, liquid


def air(size: Size, rng: Random) -> tuple[Any, ...]:
    count = size[0]
    return (
        260 + 40 * rng.random(count), 0.02 * rng.random(count),
        0.001 * rng.random(count), 6e4 + 4e4 * rng.random(count),
    )


def hydrostatic(xp: Any, temperature: Any, thickness: Any, ground: Any) -> Any:
    """Pressure and height from the ground up, level after level."""
    pressure, height = xp.empty_like(temperature), xp.empty_like(temperature)
    pressure[0], height[0] = ground, 0.5 * thickness[0]
    for k in range(1, len(temperature)):
        mean = 0.5 * (temperature[k] + temperature[k - 1])
        depth = 0.5 * (thickness[k] + thickness[k - 1])
        height[k] = height[k - 1] + depth
        pressure[k] = pressure[k - 1] * xp.exp(-9.81 * depth / (287.0 * mean))
    return pressure, height


def layers(size: Size, rng: Random) -> tuple[Any, ...]:
    return 220 + 80 * rng.random(size), 100 + 50 * rng.random(size), 1e5 + 1e3 * rng.random(size[1:])


def upwind(xp: Any, q: Any, u: Any, v: Any, steps: int) -> Any:
    """Transport by a wind that changes sign from cell to cell."""
    for _ in range(steps):
        west, east = q - xp.roll(q, 1, 0), xp.roll(q, -1, 0) - q
        south, north = q - xp.roll(q, 1, 1), xp.roll(q, -1, 1) - q
        q = q - 0.2 * (xp.where(u > 0, u * west, u * east) + xp.where(v > 0, v * south, v * north))
    return q


PROGRAMS = (
    Program("horizontal diffusion with a limiter", limited_diffusion, diffusion_inputs,
            ((16, 16, 20), (64, 64, 40), (256, 256, 80)), EQUAL, limited_diffusion_loops, True),
    Program("vertical advection", vertical_advection, advection_inputs, ((12, 12, 20), (50, 50, 60), (128, 128, 100)),
            REORDERED),
    Program("shallow water", shallow_water, shallow_inputs, ((50, 50, 40), (320, 320, 20), (1500, 1500, 4)), EQUAL),
    Program("condensation and evaporation", saturation, air, ((4000,), (100_000,), (2_000_000,)), FUNCTIONS),
    Program("hydrostatic pressure by levels", hydrostatic, layers, ((30, 12, 12), (60, 48, 48), (80, 200, 200)),
            FUNCTIONS),
    Program("upwind transport", upwind,
            lambda s, g: (g.random(s[:2]), g.normal(size=s[:2]), g.normal(size=s[:2]), s[2]),
            ((50, 50, 40), (320, 320, 15), (1500, 1500, 3)), EQUAL),
)
