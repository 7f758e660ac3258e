"""The distributions of vectors: multinomial, multivariate hypergeometric, Dirichlet, multivariate normal."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray, to_numpy
from asnumpy.host.door import numpy_view
from asnumpy.indexing.selection import where
from asnumpy.manipulation.joining import concatenate
from asnumpy.random._source import FLOAT64, INT64, Parameter, Source, non_negative, probability, size_shape
from asnumpy.reduction.reductions import cumprod


def draw_multinomial(source: Source, n: Any, pvals: Any, size: Any, one_vector: bool) -> ndarray:
    """Counts of `n` trials that fall to the categories along the last axis of `pvals`."""
    given = np.asarray(numpy_view(pvals))
    p = given.astype(FLOAT64, casting="same_kind", copy=False)
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError("multinomial: pvals must have at least 1 dimension and the last dimension of pvals must be "
                         "greater than 0.")
    if one_vector and p.ndim > 1:
        raise ValueError("multinomial: pvals must be 1-dimensional")
    try:
        probability("pvals", p)
    except ValueError as error:
        raise ValueError(f"multinomial: {error}") from None
    if np.any(p[..., :-1].sum(-1) > 1 + 1e-12):
        hint = "" if given.dtype == FLOAT64 else (
            f" The pvals array is cast to 64-bit floating point prior to checking the sum; it came as {given.dtype}.")
        raise ValueError(f"multinomial: sum(pvals[:-1]{'.astype(np.float64)' if hint else ''}) > 1.0.{hint}")
    trials = Parameter(n, INT64)
    try:
        non_negative("n", trials.value)
    except ValueError as error:
        raise ValueError(f"multinomial: {error}") from None
    batch = np.broadcast_shapes(trials.shape, p.shape[:-1])
    shape = batch if size is None else size_shape(size)
    if np.broadcast_shapes(shape, batch) != shape:
        raise ValueError(f"multinomial: Output size {shape} is not compatible with broadcast dimensions of inputs "
                         f"{batch}.")
    counts = trials.array if trials.is_scalar else trials.array.reshape((*trials.shape, 1))
    return source.fill("multinomial", _core.empty((*shape, p.shape[-1]), INT64), (counts, asarray(p)))


def draw_kinds(source: Source, colors: Any, nsample: Any, size: Any, method: str) -> ndarray:
    """How many of each kind `nsample` items hold that are taken from `colors` of each, without replacement."""
    if method not in ("count", "marginals"):
        raise ValueError('multivariate_hypergeometric: method must be "count" or "marginals".')
    if not isinstance(nsample, numbers.Integral) or isinstance(nsample, bool):
        raise ValueError("multivariate_hypergeometric: nsample must be an integer")
    nsample = int(nsample)
    if nsample < 0:
        raise ValueError("multivariate_hypergeometric: nsample must be nonnegative.")
    plain = np.asarray(numpy_view(colors))
    whole = plain.size == 0 or plain.dtype.kind in "iu"
    if plain.ndim != 1 or not whole or (plain.size and (plain.min() < 0 or int(plain.max()) > np.iinfo(np.int64).max)):
        raise ValueError("multivariate_hypergeometric: colors must be a one-dimensional sequence of nonnegative "
                         f"integers not exceeding {np.iinfo(np.int64).max}.")
    total = sum(plain.tolist())
    if method == "marginals" and total >= 10**9:
        raise ValueError('multivariate_hypergeometric: When method is "marginals", sum(colors) must be less than '
                         "1000000000.")
    if method == "count" and total > np.iinfo(np.int64).max // 8:
        raise ValueError('multivariate_hypergeometric: When method is "count", sum(colors) must not exceed '
                         f"{np.iinfo(np.int64).max // 8}.")
    if nsample > total:
        raise ValueError("multivariate_hypergeometric: nsample > sum(colors)")
    shape = () if size is None else size_shape(size)
    made = _core.empty((*shape, plain.size), INT64)
    return source.fill("multivariate_hypergeometric", made, (asarray(plain.astype(np.int64)),), int(nsample))


def draw_dirichlet(source: Source, alpha: Any, size: Any) -> ndarray:
    """Shares that sum to 1: gamma variates over their sum, or broken sticks where all of those may underflow."""
    count = len(alpha)
    given = np.asarray(to_numpy(alpha) if isinstance(alpha, ndarray) else alpha)
    plain = given.astype(FLOAT64, casting="safe", copy=False)
    if plain.ndim != 1:
        raise ValueError(f"dirichlet: alpha must be one-dimensional, got shape {plain.shape}")
    shape = (*(() if size is None else size_shape(size)), count)
    if count == 0 or not plain.max() > 0:
        made = _core.empty(shape, FLOAT64)
        _core.assign(made, float("nan") if np.isnan(plain).any() else 0.0)
        return made
    if not plain.max() < 0.1:
        drawn: ndarray = source.draw_checked("dirichlet", shape, [Parameter(plain), Parameter(1.0)], row="gamma")
        return drawn / drawn.sum(-1, keepdims=True)
    rest = np.append(plain[::-1].cumsum()[::-1][1:], 0.0)  # of the categories that follow
    first, second = np.where(plain > 0, plain, 1.0), np.where(rest > 0, rest, 1.0)
    broken: ndarray = source.draw_checked("dirichlet", shape, [Parameter(first), Parameter(second)], row="beta")
    broken = where(asarray(plain > 0), where(asarray(rest > 0), broken, 1.0), 0.0)
    left = cumprod(1 - broken[..., :-1], -1)
    return broken * concatenate([1 + 0 * broken[..., :1], left], -1)


def draw_multivariate_normal(
    source: Source, mean: Any, cov: Any, size: Any, check_valid: str, tol: float, method: str,
) -> ndarray:
    """Standard normal vectors through a factor of `cov`, which LAPACK finds on the host."""
    if method not in ("eigh", "svd", "cholesky"):
        raise ValueError("multivariate_normal: method must be one of {'eigh', 'svd', 'cholesky'}")
    centre = np.array(to_numpy(mean) if isinstance(mean, ndarray) else mean)
    spread = np.array(to_numpy(cov) if isinstance(cov, ndarray) else cov)
    if np.issubdtype(centre.dtype, np.complexfloating) or np.issubdtype(spread.dtype, np.complexfloating):
        raise TypeError("multivariate_normal: mean and cov must not be complex")
    if centre.ndim != 1:
        raise ValueError("multivariate_normal: mean must be 1 dimensional")
    if spread.ndim != 2 or spread.shape[0] != spread.shape[1]:
        raise ValueError("multivariate_normal: cov must be 2 dimensional and square")
    if centre.shape[0] != spread.shape[0]:
        raise ValueError("multivariate_normal: mean and cov must have same length")
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("multivariate_normal: check_valid must equal 'warn', 'raise', or 'ignore'")
    spread = spread.astype(np.float64)
    shape = (*(() if size is None else size_shape(size)), centre.shape[0])
    if method == "cholesky":
        factor = np.linalg.cholesky(spread)
    else:
        if method == "svd":
            _, values, vectors = np.linalg.svd(spread)
            columns = vectors.T
            rebuilt = (vectors.T * values) @ vectors
        else:
            values, columns = np.linalg.eigh(spread)
            rebuilt = (columns * values) @ columns.T
        if check_valid != "ignore":
            valid = np.allclose(rebuilt, spread, rtol=tol, atol=tol) if method == "svd" else not (values < -tol).any()
            if not valid:
                text = "covariance is not symmetric positive-semidefinite."
                if check_valid == "raise":
                    raise ValueError(f"multivariate_normal: {text}")
                warnings.warn(text, RuntimeWarning, stacklevel=4)
        factor = columns * np.sqrt(np.abs(values) if method == "eigh" else values)
    unit = [Parameter(0.0), Parameter(1.0)]
    standard: ndarray = source.draw_checked("multivariate_normal", shape, unit, row="normal")
    return asarray(centre.astype(np.float64)) + (standard.reshape(-1, shape[-1]) @ asarray(factor.T)).reshape(shape)
