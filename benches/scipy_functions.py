"""Functions of asnumpy.scipy beside SciPy's on a million elements."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse
import scipy.special
import scipy.stats

import asnumpy as ap
from asnumpy.demo.measure import close
from measure import Case, main

COUNT = 1_000_000
LEAST = 1 / 1.2  # none is slower than that

SPECIAL = {
    "erf": 1, "erfc": 1, "erfinv": 1, "expit": 1, "log_expit": 1, "logit": 1, "entr": 1, "rel_entr": 2, "xlogy": 2,
    "exprel": 1, "ndtr": 1, "ndtri": 1, "i0e": 1, "boxcox": 2, "pseudo_huber": 2, "exp10": 1, "logsumexp": 1,
    "softmax": 1,
}


def _function(path: str) -> Callable[..., Any]:
    """The function of SciPy's, or of ours, by the module of arrays that the bench passes."""
    module, _, name = path.rpartition(".")

    def work(xp: Any, *arrays: Any) -> Any:
        found: Any = ap.scipy if xp is ap else scipy
        for part in (*module.split("."), name):
            found = getattr(found, part)
        return found(*arrays)

    return work


def _numbers(count: int, dtype: Any) -> np.ndarray:
    return np.random.default_rng(count).uniform(0.05, 0.95, COUNT).astype(dtype)


SPARSE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "A @ x": lambda a, x, wide: a @ x,
    "A @ X, 8 columns": lambda a, x, wide: a @ wide,
    "x @ A": lambda a, x, wide: x @ a,
    "A * 2": lambda a, x, wide: (a * 2.0).data,
    "sqrt(abs(A))": lambda a, x, wide: abs(a).sqrt().data,
    "A + A": lambda a, x, wide: (a + a).data,
    "sums of rows": lambda a, x, wide: a.sum(axis=1),
    "A @ A.T of 20,000 rows": lambda a, x, wide: (a[:20_000] @ a[:20_000].T).data,
}
LOWER = {"A @ X, 8 columns": 0.7}  # SciPy's loop too: it reads lines of X in no order, which NumPy lays on large pages
ROWS = 100_000


def _matrix() -> list[np.ndarray]:
    """A million values in 100,000 rows, a vector, and eight beside each other."""
    rng = np.random.default_rng(7)
    places = rng.integers(0, ROWS, (2, COUNT))
    a = scipy.sparse.csr_array((rng.uniform(0.05, 0.95, COUNT), tuple(places)), shape=(ROWS, ROWS))
    vector, wide = rng.uniform(0.05, 0.95, ROWS), rng.uniform(0.05, 0.95, (ROWS, 8))
    return [a.data, a.indices, a.indptr, vector, wide]


def _of_sparse(operation: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """The operation on a matrix that is made once from its arrays."""
    made: dict[Any, Any] = {}

    def work(xp: Any, *arrays: Any) -> Any:
        if xp not in made:
            module: Any = ap.scipy.sparse if xp is ap else scipy.sparse
            made[xp] = module.csr_array(arrays[:3], shape=(ROWS, ROWS))
        return operation(made[xp], *arrays[3:])

    return work


def cases() -> Iterator[Case]:
    for dtype in (np.float64, np.float32):
        for name, count in SPECIAL.items():
            yield Case(f"special.{name}, {np.dtype(dtype).name}", f"{COUNT:,}", LEAST, _function(f"special.{name}"),
                       lambda count=count, dtype=dtype: [_numbers(place, dtype) for place in range(count)], close(1e-5))
    for method in ("norm.pdf", "norm.cdf", "norm.ppf", "expon.cdf", "logistic.ppf"):
        yield Case(f"stats.{method}", f"{COUNT:,}", LEAST, _function(f"stats.{method}"),
                   lambda: [_numbers(1, np.float64)], close(1e-9))
    for name in ("zscore", "skew", "kurtosis", "gmean"):
        yield Case(f"stats.{name}", f"{COUNT:,}", LEAST, _function(f"stats.{name}"), lambda: [_numbers(1, np.float64)],
                   close(1e-9))
    for name, operation in SPARSE.items():
        least = LOWER.get(name, LEAST)
        yield Case(f"sparse, {name}", f"{COUNT:,}", least, _of_sparse(operation), _matrix, close(1e-12))


if __name__ == "__main__":
    sys.exit(main(cases))
