"""What a row must give: NumPy's result where arithmetic is exact, a wider dtype's where a function is approximated."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy.check._edges import BFLOAT16, is_float
from asnumpy.dtypes.dtype import is_narrow, wide_dtype

# Functions whose values no library rounds correctly. All others are exact: they must equal NumPy bit for bit.
# A new row is exact until it is named here.
APPROXIMATE = frozenset(
    """exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 power float_power cbrt hypot sin cos tan arcsin arccos
    arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg radians degrees erf erfc""".split()
)
# Exact on real numbers, several roundings on complex ones.
APPROXIMATE_COMPLEX = APPROXIMATE | {"multiply", "divide", "square", "reciprocal", "sqrt", "absolute", "sign"}
# Of two zeros NumPy picks one or the other, by dtype, instruction set and version.
ZERO_OF_EITHER_SIGN = frozenset(["maximum", "minimum", "fmax", "fmin", "nextafter"])
ULPS = 4          # of the correctly rounded value
ULPS_16_BIT = 1

_NOT_UFUNCS: dict[str, Callable[..., Any]] = {
    "where": np.where,
    "real": np.real,
    "imag": np.imag,
    "erf": lambda x: _special(math.erf, x),
    "erfc": lambda x: _special(math.erfc, x),
}
_WIDER = {"e": np.float64, "f": np.float64, "d": np.longdouble, "F": np.complex128, "D": np.clongdouble}


def _special(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    """The C library's function, computed in float64 and rounded once: SciPy's is less exact."""
    return np.asarray(np.frompyfunc(function, 1, 1)(x.astype(np.float64))).astype(x.dtype)


def has_oracle(name: str) -> bool:
    return name == "cast" or name in _NOT_UFUNCS or isinstance(getattr(np, name, None), np.ufunc)


def evaluate(name: str, arrays: list[np.ndarray], outputs: tuple[np.dtype, ...]) -> tuple[np.ndarray, ...]:
    """NumPy's result for the loop whose input dtypes the arrays have."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "cast":
            results: tuple[Any, ...] = (arrays[0].astype(outputs[0]),)
        elif name in _NOT_UFUNCS:
            results = (_NOT_UFUNCS[name](*arrays),)
        else:
            results = getattr(np, name)(*arrays)
            results = results if isinstance(results, tuple) else (results,)
    results = tuple(np.asarray(r) for r in results)
    assert tuple(r.dtype for r in results) == outputs, f"{name}: NumPy has no such loop, it gives {results}"
    return results


def approximate(name: str, outputs: tuple[np.dtype, ...]) -> bool:
    return name in APPROXIMATE_COMPLEX if _complex_part(name, outputs) else name in APPROXIMATE and is_float(outputs[0])


def _complex_part(name: str, outputs: tuple[np.dtype, ...]) -> bool:
    return outputs[0].kind == "c" or (name == "absolute" and outputs[0].kind == "f")


def suitable(name: str, arrays: list[np.ndarray], outputs: tuple[np.dtype, ...]) -> list[np.ndarray]:
    """Without the inputs for which NumPy raises, or C leaves the result open."""
    if name == "power" and arrays[1].dtype.kind == "i":
        return [arrays[0], np.where(arrays[1] < 0, ~arrays[1], arrays[1])]
    source = arrays[0]
    if name == "cast" and outputs[0].kind in "iu" and source.dtype.kind not in "biu":
        info = np.iinfo(outputs[0])
        with np.errstate(all="ignore"):
            real = np.trunc(np.real(source).astype(np.longdouble))
            return [np.where((real >= info.min) & (real <= info.max), source, np.zeros((), source.dtype))]
    return arrays


def _ordinal(x: np.ndarray) -> Any:
    """Neighbouring values are one apart, both zeros are 0."""
    kind = f"i{x.dtype.itemsize}"
    bits = np.ascontiguousarray(x).view(kind)
    negative = np.iinfo(kind).min - bits
    return np.where(bits < 0, negative, bits).astype(np.longdouble)


def ulps_apart(a: np.ndarray, b: np.ndarray) -> Any:
    distance = np.abs(_ordinal(a) - _ordinal(b))
    nan = np.isnan(a) | np.isnan(b)
    return np.where(nan, np.where(np.isnan(a) & np.isnan(b), 0, np.inf), distance)


def _same(a: Any, b: Any) -> Any:
    """Elementwise identity: zeros by their sign, NaNs by their place."""
    if is_narrow(a.dtype):
        return _same(a.astype(wide_dtype(a.dtype)), b.astype(wide_dtype(b.dtype)))
    if a.dtype.kind == "c":
        return _same(a.real, b.real) & _same(a.imag, b.imag)
    with np.errstate(all="ignore"):
        equal = a == b
        if is_float(a.dtype):
            equal &= np.signbit(a) == np.signbit(b)
            equal |= np.isnan(a) & np.isnan(b)
    return equal


def _slack(name: str, inputs: list[np.ndarray], exact: np.ndarray) -> Any:
    """By how much the problem itself enlarges an error of one ulp in its inputs or first step (NumPy's too)."""
    if name in ("logaddexp", "logaddexp2"):  # the terms cancel where the result is near zero
        return np.maximum(np.maximum(np.abs(inputs[0]), np.abs(inputs[1])) / np.abs(exact), 1)
    if exact.dtype.kind == "c":
        if name in ("power", "float_power"):
            return 1 + np.abs(inputs[1] * np.log(inputs[0]))
        if name == "exp2":
            return 1 + np.abs(inputs[0])
        if name == "expm1":  # exp comes first
            return np.maximum(np.abs(np.exp(inputs[0])) / np.abs(exact), 1)
        if name == "log1p":
            return np.maximum(1 / np.abs(exact), 1)
    return 1


def _close_complex(got: Any, same_width: Any, wide: np.ndarray, slack: Any) -> Any:
    """Within 4 ulp of the modulus; what is not finite like NumPy's own loop, part by part."""
    real = got.real.dtype
    info = np.finfo(real)
    allowed = ULPS * slack * float(info.eps) * np.maximum(np.abs(wide), float(info.smallest_normal))
    close = np.abs(got.astype(wide.dtype) - wide) <= allowed
    special = ~np.isfinite(got) | ~np.isfinite(same_width)
    alike = np.ones(got.shape, bool)
    for ours, theirs in ((got.real, same_width.real), (got.imag, same_width.imag)):
        finite = np.isfinite(ours) & np.isfinite(theirs)
        alike &= finite | _same(ours, theirs)
    return np.where(special, alike, close)


def mismatches(
    name: str, arrays: list[np.ndarray], outputs: tuple[np.dtype, ...], got: list[np.ndarray]
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Where `got` is wrong, and what was expected there."""
    expected = evaluate(name, arrays, outputs)
    for want, have in zip(expected, got, strict=True):
        assert have.dtype == want.dtype and have.shape == want.shape, (
            f"{name}: expected {want.dtype}{want.shape}, got {have.dtype}{have.shape}"
        )
    if not approximate(name, outputs):
        right = np.ones(expected[0].shape, bool)
        for want, have in zip(expected, got, strict=True):
            right &= _same(have, want)
            unsigned = name in ZERO_OF_EITHER_SIGN or (name == "sign" and have.dtype == BFLOAT16)  # ml_dtypes keeps -0
            if unsigned and have.dtype.kind != "b":
                right |= (have == 0) & (want == 0)
        return ~right, expected
    wide_inputs = [a.astype(_WIDER["e" if a.dtype == BFLOAT16 else a.dtype.char]) for a in arrays]
    with np.errstate(all="ignore"):
        wide = np.asarray((_NOT_UFUNCS.get(name) or getattr(np, name))(*wide_inputs))
        slack = np.nan_to_num(_slack(name, wide_inputs, wide), nan=1)
        if wide.dtype.kind == "c":
            return ~(_close_complex(got[0], expected[0], wide, slack) | _same(got[0], expected[0])), expected
        rounded = wide.astype(outputs[0])
        limit = (ULPS if outputs[0].itemsize > 2 else ULPS_16_BIT) * slack
        right = ulps_apart(got[0], rounded) <= limit
    right &= (rounded != 0) | (got[0] != 0) | (np.signbit(rounded) == np.signbit(got[0]))
    right |= _same(got[0], expected[0])  # the wider function has its own rare mistakes, as powl(-inf, -2**63)
    return ~right, (rounded,)


def report(
    name: str, arrays: list[np.ndarray], wrong: np.ndarray, expected: tuple[np.ndarray, ...], got: list[np.ndarray]
) -> str:
    """The first few wrong elements, as text."""
    loop = ",".join(a.dtype.name for a in arrays)
    lines = [f"{name}({loop}): {np.count_nonzero(wrong)} of {wrong.size} elements differ"]
    wide = [np.broadcast_to(a, wrong.shape) for a in arrays]
    for place in list(zip(*np.nonzero(np.atleast_1d(wrong)), strict=True))[:6]:
        at = place if wrong.ndim else ()
        inputs = ", ".join(repr(a[at]) for a in wide)
        lines.append(f"  at {at}: {name}({inputs}) = {[g[at] for g in got]}, expected {[e[at] for e in expected]}")
    return "\n".join(lines)
