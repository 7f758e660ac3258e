"""Every loop of every row on an NVIDIA GPU: the values of the same text on the host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cuda_launches import ROWS, TABLES, OnGpu, OnHost, needs_compiler, needs_nvrtc, programs_of_rows
from device_marks import needs_gpu

pytestmark = [needs_nvrtc, needs_compiler, needs_gpu]
# Functions whose last bits are those of the platform's mathematics; all else is arithmetic, which is exact.
UNITS = 6
FUNCTIONS = {"exponential", "trigonometric"}
# Of complex numbers libcu++ computes these from formulas that lose digits to cancellation, of large ones all digits.
INACCURATE = {
    "power", "float_power", "log1p", "tan", "tanh", "arctan", "arctanh", "arcsin", "arcsinh", "arccos", "arccosh",
}  # fmt: skip
COUNT = 500


def values(rng: np.random.Generator, dtype: np.dtype[Any], whole: bool) -> np.ndarray:
    """Of all sizes, with those at the edges; whole and small ones where a conversion is defined for no others."""
    if dtype.kind == "b":
        return rng.integers(0, 2, COUNT).astype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        made = rng.integers(limits.min, limits.max, COUNT, dtype=dtype, endpoint=True)
        made[:100] = rng.integers(0, 100, 100).astype(dtype)
        made[100:104] = 0, 1, limits.min, limits.max
        return made
    if whole:
        return rng.integers(0, 100, COUNT).astype(dtype)
    limits = ml_dtypes.finfo(dtype)
    made = (rng.standard_normal(COUNT) * 10.0 ** rng.integers(-4, 4, COUNT)).astype(dtype)
    if dtype.kind == "c":
        made = (made + 1j * rng.standard_normal(COUNT).astype(made.real.dtype)).astype(dtype)
        return made
    made[:9] = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, limits.max, limits.tiny]
    return made


@np.errstate(all="ignore")
def distance(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Between two arrays of one dtype, in units in the last place of the second, 0 where both are NaN or equal."""
    if got.dtype.kind not in "fcV":
        return np.where(got == wanted, 0, np.inf)
    if got.dtype.kind == "c":
        half = f"f{got.dtype.itemsize // 2}"
        size = np.abs(wanted).astype(half)
        parts = np.abs(got - wanted).astype("f8") / np.spacing(np.maximum(size, np.finfo(half).tiny)).astype("f8")
        settled = (got == wanted) | ~np.isfinite(got) & ~np.isfinite(wanted)  # which infinity is the platform's
        return np.where(settled, 0, np.nan_to_num(parts, nan=np.inf))
    a, b = got.astype("f8"), wanted.astype("f8")
    limits = ml_dtypes.finfo(got.dtype)
    unit = np.maximum(np.abs(b), float(limits.tiny)) * float(limits.eps)
    same = (a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0, np.nan_to_num(np.abs(a - b) / unit, nan=np.inf))


@pytest.mark.parametrize("table", TABLES)
def test_every_loop_has_the_values_of_the_host(table: str, tmp_path: Path) -> None:
    programs = programs_of_rows(table, folded=False)
    gpu, host = OnGpu(tmp_path, programs), OnHost(tmp_path, programs)
    rng = np.random.default_rng(5)
    differing = []
    for row in ROWS:
        for loop, (takes, gives) in enumerate(row["loops"]):
            name = f"{row['name']}_{loop}"
            if name not in programs:
                continue
            whole = row["name"] == "cast" and gives[0].kind in "iu"
            operands = [values(rng, np.dtype(dtype), whole) for dtype in takes]
            if row["name"] == "ldexp":
                operands[1] = rng.integers(-30, 30, COUNT).astype(takes[1])
            results = []
            for kernels in (gpu, host):
                outs = [np.zeros(COUNT, dtype) for dtype in gives]
                kernels.run(name, [*operands, *outs], (COUNT,))
                results.append(outs)
            for got, wanted in zip(*results, strict=True):
                far = distance(got, wanted)
                if row["name"] in INACCURATE and got.dtype.kind == "c":
                    continue
                exact = not (table in FUNCTIONS or got.dtype.kind == "c" or "power" in row["name"])
                allowed = 0 if exact else UNITS
                if (far > allowed).any():
                    at = int(far.argmax())
                    given = ", ".join(str(x[at]) for x in operands)
                    here = f"{name} of {operands[0].dtype} at {given}: {got[at]} for {wanted[at]}"
                    differing.append(f"{here}, {far[at]:.1f} units; {np.sum(far > allowed)} differ")
    assert not differing, "\n".join(differing)
