"""Functions of asnumpy.scipy beside SciPy's on a million elements, filters on images of as many."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.ndimage
import scipy.signal
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

# Of an image of 1,000 by 1,000: the function, and its further arguments.
IMAGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gaussian_filter", {"sigma": 1.0}), ("gaussian_filter", {"sigma": 4.0}), ("uniform_filter", {"size": 5}),
    ("uniform_filter", {"size": 31}), ("sobel", {}), ("laplace", {}), ("gaussian_gradient_magnitude", {"sigma": 1.0}),
    ("correlate", {"weights": np.arange(9.0).reshape(3, 3)}), ("median_filter", {"size": 3}),
    ("maximum_filter", {"size": 3}), ("maximum_filter", {"size": 25}), ("grey_opening", {"size": 5}),
    ("binary_dilation", {"iterations": 3}), ("shift", {"shift": (2.5, -3.25), "order": 1}),
    ("zoom", {"zoom": 1.5, "order": 1}), ("rotate", {"angle": 30.0, "order": 1}), ("shift", {"shift": (2.5, -3.25)}),
    ("zoom", {"zoom": 1.5}), ("rotate", {"angle": 30.0, "mode": "nearest"}),
)
LABELS = 100


def _function(path: str, *further: Any, **options: Any) -> Callable[..., Any]:
    """The function of SciPy's, or of ours, by the module of arrays that the bench passes; the others follow these."""
    module, _, name = path.rpartition(".")

    def work(xp: Any, *arrays: Any) -> Any:
        found: Any = ap.scipy if xp is ap else scipy
        for part in (*module.split("."), name):
            found = getattr(found, part)
        return found(*arrays, *further, **options)

    return work


def _numbers(count: int, dtype: Any) -> np.ndarray:
    return np.random.default_rng(count).uniform(0.05, 0.95, COUNT).astype(dtype)


def _image(dtype: Any, binary: bool) -> np.ndarray:
    image = np.random.default_rng(1).uniform(0, 200, (1000, 1000))
    return image > 100 if binary else image.astype(dtype)


def _labelled() -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [rng.normal(size=(1000, 1000)), rng.integers(0, LABELS, (1000, 1000), dtype=np.int32)]


def _images() -> Iterator[Case]:
    for name, options in IMAGES:
        binary = name.startswith("binary")
        text = ", ".join(f"{key} {value}" for key, value in options.items() if key != "weights")
        work = f"{name}, {text}" if text else name
        for dtype in (bool,) if binary else (np.float64, np.float32, np.uint8):
            yield Case(f"ndimage.{work}, {np.dtype(dtype).name}", "1,000 x 1,000", LEAST,
                       _function(f"ndimage.{name}", **options),
                       lambda dtype=dtype, binary=binary: [_image(dtype, binary)], close(1e-5))
    for name in ("sum_labels", "standard_deviation", "maximum"):
        yield Case(f"ndimage.{name} of {LABELS} labels", "1,000 x 1,000", LEAST,
                   _function(f"ndimage.{name}", index=np.arange(LABELS)), _labelled, close(1e-9))


def _signals() -> Iterator[Case]:
    rng = np.random.default_rng(5)
    line, plane = rng.normal(size=COUNT), rng.normal(size=(1000, 1000))
    taps, kernel = rng.normal(size=51), rng.normal(size=(5, 5))
    bins = scipy.signal.stft(line)[2]
    works: list[tuple[str, tuple[np.ndarray, ...], tuple[Any, ...]]] = [
        ("fftconvolve", (line, taps), ()), ("oaconvolve", (line, taps), ()), ("convolve", (line, taps), ()),
        ("convolve", (plane, kernel), ()), ("convolve2d", (plane, kernel), ("same",)),
        ("correlate2d", (plane, kernel), ("same", "symm")),
        ("savgol_filter", (line,), (11, 3)), ("detrend", (line,), ()), ("hilbert", (line,), ()),
        ("resample", (line,), (COUNT // 2,)), ("resample_poly", (line,), (3, 2)), ("upfirdn", (taps, line), (2, 3)),
        ("decimate", (line,), (4, None, "fir")), ("welch", (line,), (1.0, "hann", 1024)),
        ("csd", (line, line[::-1]), (1.0, "hann", 1024)), ("coherence", (line, line[::-1]), (1.0, "hann", 1024)),
        ("periodogram", (line,), ()), ("spectrogram", (line,), ()), ("stft", (line,), ()), ("istft", (bins,), ()),
        ("chirp", (line,), (1, 2, 3)), ("sawtooth", (line,), ()), ("square", (line,), ()),
        ("gausspulse", (line,), (3,)),
    ]
    for name, arrays, further in works:
        size = " and ".join("x".join(map(str, one.shape)) for one in arrays if one.size > 1)
        yield Case(f"signal.{name}", size, LEAST, _function(f"signal.{name}", *further), lambda arrays=arrays: arrays,
                   close(1e-9))


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
    yield from _images()
    for dtype in (np.float64, np.float32):
        for name, count in SPECIAL.items():
            yield Case(f"special.{name}, {np.dtype(dtype).name}", f"{COUNT:,}", LEAST, _function(f"special.{name}"),
                       lambda count=count, dtype=dtype: [_numbers(place, dtype) for place in range(count)], close(1e-5))
    for method in ("norm.pdf", "norm.cdf", "norm.ppf", "expon.cdf", "logistic.ppf"):
        yield Case(f"stats.{method}", f"{COUNT:,}", LEAST, _function(f"stats.{method}"),
                   lambda: [_numbers(1, np.float64)], close(1e-9))
    yield from _signals()
    for name in ("zscore", "skew", "kurtosis", "gmean"):
        yield Case(f"stats.{name}", f"{COUNT:,}", LEAST, _function(f"stats.{name}"), lambda: [_numbers(1, np.float64)],
                   close(1e-9))
    for name, operation in SPARSE.items():
        yield Case(f"sparse, {name}", f"{COUNT:,}", LEAST, _of_sparse(operation), _matrix, close(1e-12))


if __name__ == "__main__":
    sys.exit(main(cases))
