"""Solvers of linear systems whose products run on the device of the matrix; on the host they are SciPy's.

The steps are those of scipy.sparse.linalg, so that iterations and what is returned are the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse.linalg as _theirs

from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros_like
from asnumpy.creation.convert import asarray
from asnumpy.linalg import norm as _norm
from asnumpy.linalg._products import dot, vdot
from asnumpy.scipy.sparse._arrays import Sparse
from asnumpy.scipy.sparse._door import on_host
from asnumpy.scipy.sparse._products import on_device

_FLOATS = "fdFD"
_OPTIONS = {"M", "callback", "callback_type", "maxiter", "restart"}


class _System(NamedTuple):
    """A x = b on a device, with `inverse` near that of A."""

    times: Callable[[ndarray], ndarray]
    inverse: Callable[[ndarray], ndarray]
    x: ndarray
    b: ndarray
    residual: ndarray  # of the first x
    least: float  # the norm of a residual that is small enough
    dot: Callable[[ndarray, ndarray], Any]


def _length(x: ndarray) -> float:
    return float(_norm(x))


def _there(A: Any, given: Any, size: int) -> bool:
    """Whether it is a vector of this many elements beside A's values."""
    return isinstance(given, ndarray) and given.shape == (size,) and given._device_name == A.data._device_name


def _system(A: Any, b: Any, x0: Any, rtol: float, atol: float, M: Any) -> _System | None:
    """None where SciPy is to see it: on the host, and what it refuses."""
    if not isinstance(A, Sparse) or not on_device(A) or A.shape[0] != A.shape[1] or not _there(A, b, A.shape[0]):
        return None
    if not (x0 is None or _there(A, x0, A.shape[0])):
        return None
    if not (M is None or (isinstance(M, Sparse) and on_device(M) and M.shape == A.shape)):
        return None
    if A.dtype.kind not in "biufc" or atol is None or isinstance(atol, str) or atol < 0:
        return None
    dtype = np.result_type(A.dtype if A.dtype.char in _FLOATS else np.float64,
                           b.dtype if b.dtype.char in _FLOATS else np.float64)
    b = b.astype(dtype)
    x = zeros_like(b) if x0 is None else x0.astype(dtype)
    residual = b.copy() if x0 is None else b - A @ x
    least = max(float(atol), float(rtol) * _length(b))
    return _System(
        A.__matmul__, asarray if M is None else M.__matmul__, x, b, residual, least, vdot if dtype.kind == "c" else dot,
    )


def _public(name: str) -> Callable[[Callable[..., Any]], Any]:
    theirs = getattr(_theirs, name)
    host = on_host(theirs, f"scipy.sparse.linalg.{name}")

    def mark(solve: Callable[..., Any]) -> Any:
        def call(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, **options: Any) -> Any:
            system = None
            if options.get("callback") is None and options.keys() <= _OPTIONS:  # SciPy calls it with NumPy's arrays
                system = _system(A, b, x0, rtol, atol, options.get("M"))
            if system is None:
                return host(A, b, x0, rtol=rtol, atol=atol, **options)
            if not system.b.any():
                return system.b, 0
            options = {key: value for key, value in options.items() if key not in ("M", "callback")}
            return solve(system, **options)

        functools.update_wrapper(call, theirs)
        call.__module__ = "asnumpy.scipy.sparse.linalg"
        return beside(call, theirs)

    return mark


@_public("cg")
def cg(system: _System, maxiter: int | None = None) -> Any:
    times, inverse, x, b, r, least, product = system
    maxiter = b.shape[0] * 10 if maxiter is None else maxiter
    before: Any = None
    p = r
    for _ in range(maxiter):
        if _length(r) < least:
            return x, 0
        z = inverse(r)
        rho = product(r, z)
        p = z if before is None else p * (rho / before) + z
        q = times(p)
        alpha = rho / product(p, q)
        x = x + alpha * p
        r = r - alpha * q
        before = rho
    return x, maxiter


@_public("bicgstab")
def bicgstab(system: _System, maxiter: int | None = None) -> Any:
    times, inverse, x, b, r, least, product = system
    maxiter = b.shape[0] * 10 if maxiter is None else maxiter
    breakdown = float(np.finfo(x.dtype).eps) ** 2
    first, p = r, r
    before: Any = None
    omega: Any = None
    alpha: Any = None
    v = r
    for _ in range(maxiter):
        if _length(r) < least:
            return x, 0
        rho = product(first, r)
        if abs(rho) < breakdown:
            return x, -10
        if before is not None:
            if abs(omega) < breakdown:
                return x, -11
            p = (p - omega * v) * ((rho / before) * (alpha / omega)) + r
        better = inverse(p)
        v = times(better)
        along = product(first, v)
        if along == 0:
            return x, -11
        alpha = rho / along
        s = r - alpha * v
        if _length(s) < least:
            return x + alpha * better, 0
        smooth = inverse(s)
        t = times(smooth)
        omega = product(t, s) / product(t, t)
        x = x + alpha * better + omega * smooth
        r = s - omega * t
        before = rho
    return x, maxiter


def _basis(system: _System, start: ndarray, restart: int, enough: float) -> tuple[list[ndarray], Any, float, bool]:
    """Arnoldi's vectors from `start` on, coefficients of the best sum of them, its residual, whether it is exact."""
    dtype, eps = start.dtype, float(np.finfo(start.dtype).eps)
    length = _length(start)
    vectors = [start * (1 / length)]
    h = np.zeros((restart + 1, restart), dtype)
    wanted = np.zeros(restart + 1, dtype)
    wanted[0] = length
    left, exact, count, best = length, False, 0, wanted[:0]
    for column in range(restart):
        w = system.inverse(system.times(vectors[column]))
        whole = _length(w)
        for row in range(column + 1):
            shared = system.dot(vectors[row], w)
            h[row, column] = complex(shared) if dtype.kind == "c" else float(shared)
            w = w - shared * vectors[row]
        rest = _length(w)
        count, exact = column + 1, rest <= eps * whole
        h[column + 1, column] = 0 if exact else rest
        best = np.linalg.lstsq(h[:count + 1, :count], wanted[:count + 1], rcond=None)[0]
        left = float(np.linalg.norm(wanted[:count + 1] - h[:count + 1, :count] @ best))
        if left <= enough or exact:
            break
        vectors.append(w * (1 / rest))
    return vectors[:count], best, left, exact


@_public("gmres")
def gmres(
    system: _System, restart: int | None = None, maxiter: int | None = None, callback_type: str | None = None,
) -> Any:
    if callback_type not in (None, "x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {callback_type!r}")
    _, inverse, x, b, r, least, _ = system
    maxiter = b.shape[0] * 10 if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, b.shape[0])
    rest = _length(r)
    if rest < least:
        return x, 0
    eps, loose = float(np.finfo(x.dtype).eps), 1.0
    enough = _length(inverse(b)) * min(1.0, least / _length(b))
    for _ in range(maxiter):
        vectors, best, left, exact = _basis(system, inverse(r), restart, enough)
        for coefficient, vector in zip(best, vectors, strict=True):
            x = x + coefficient * vector
        r = b - system.times(x)
        rest = _length(r)
        if rest <= least or exact:
            break
        loose = max(eps, 0.25 * loose) if left <= enough else min(1.0, 1.5 * loose)
        enough = left * min(loose, least / rest)
    return x, 0 if rest <= least else maxiter
