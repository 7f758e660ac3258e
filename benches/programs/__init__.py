"""Classical programs as one writes them with NumPy, unchanged on any array module: `python -m benches.programs`."""

from __future__ import annotations

from . import (
    arithmetic,
    dense,
    dynamic,
    factorisations,
    filters,
    fractals,
    networks,
    particles,
    sparse,
    spectral,
    stencils,
    weather,
)
from .program import SIZES, Agreement, Program

__all__ = ["FAMILIES", "SIZES", "Agreement", "Program", "inputs"]

FAMILIES: dict[str, tuple[Program, ...]] = {
    module.__name__.rpartition(".")[2]: module.PROGRAMS
    for module in (
        dense, factorisations, stencils, weather, filters, dynamic, particles, fractals, spectral, sparse, networks,
        arithmetic,
    )
}


def inputs(program: Program, size: str) -> tuple[object, ...]:
    """NumPy's arrays and the numbers that a program takes at a size of SIZES; the same at each call."""
    import numpy as np

    return program.initialise(program.sizes[SIZES.index(size)], np.random.default_rng(20))
