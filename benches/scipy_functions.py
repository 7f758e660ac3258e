"""Functions of asnumpy.scipy beside SciPy's on a million elements."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.signal
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


def _function(path: str, *further: Any) -> Callable[..., Any]:
    """The function of SciPy's, or of ours, by the module of arrays that the bench passes; `further` follows these."""
    module, _, name = path.rpartition(".")

    def work(xp: Any, *arrays: Any) -> Any:
        found: Any = ap.scipy if xp is ap else scipy
        for part in (*module.split("."), name):
            found = getattr(found, part)
        return found(*arrays, *further)

    return work


def _numbers(count: int, dtype: Any) -> np.ndarray:
    return np.random.default_rng(count).uniform(0.05, 0.95, COUNT).astype(dtype)


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


def cases() -> Iterator[Case]:
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


if __name__ == "__main__":
    sys.exit(main(cases))
