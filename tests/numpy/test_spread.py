"""var and std: as accurate as in NumPy's two passes, in one pass over memory where the elements have no gaps."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from agreement import agree

import asnumpy as ap

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
on_cpu = pytest.mark.skipif(ap.Device() != "cpu", reason="another device computes it in two passes of its own")


def exact(x: np.ndarray) -> Fraction:
    values = [Fraction(float(one)) for one in x.reshape(-1)]
    mean = sum(values) / len(values)
    return sum((one - mean) ** 2 for one in values) / len(values)


@on_cpu
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("offset", [0, 1, -1e3, 1e5, 1e7, 1e12, 1e15])
def test_no_less_accurate_than_numpy(dtype: str, offset: float) -> None:
    for n in (1, 2, 3, 17, 64, 65, 1023, 2048, 4097, 12345):
        x = (np.random.default_rng(n).standard_normal(n) + offset).astype(dtype)
        right = exact(x)
        mine, numpys = Fraction(float(ap.from_numpy(x).var())), Fraction(float(x.var()))
        assert abs(mine - right) <= abs(numpys - right) + right * Fraction(2 * float(np.finfo(dtype).eps)), n


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_drift_does_not_hide_the_spread(dtype: str) -> None:
    """Every tile has another mean: the spread is between them."""
    steps = np.repeat(np.arange(64), 1000).astype(dtype)
    for x in (steps + 4096, steps * 1024, np.concatenate((steps, -steps)), steps[::-1] * 0.25):
        assert math.isclose(float(ap.from_numpy(x).var()), exact(x), rel_tol=4 * float(np.finfo(dtype).eps))


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "axes exchanged": lambda x: x.transpose(1, 0, 2),
    "all reversed": lambda x: x[::-1, ::-1, ::-1],
    "one axis reversed": lambda x: x[:, ::-1],
    "every other": lambda x: x[::2, :, ::2],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "inner part": lambda x: x[1:, 3:-3],
    "axis of one": lambda x: x[None, :, None],
    "one element": lambda x: x[:1, :1, :1],
    "no element": lambda x: x[:0],
    "no axes": lambda x: x[0, 0, 0, ...],
    "not aligned": lambda x: np.frombuffer(b"x" + x.tobytes(), dtype=np.uint8)[1:].view(x.dtype),
}


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_options(name: str, dtype: str, layout: str) -> None:
    values = np.random.default_rng(1).integers(-9, 10, (12, 40, 30)) + 3
    x = LAYOUTS[layout](values.astype(dtype))
    ulp = 64 if layout == "repeated" else 16  # NumPy's own error: it adds what repeats one after the other
    agree(name, x, ulp=ulp)
    for options in (
        {"keepdims": True}, {"ddof": 1}, {"correction": 2}, {"axis": tuple(range(x.ndim))}, {"axis": -1}, {"axis": 0},
        {"axis": (), "keepdims": True}, {"mean": x.mean()}, {"where": x != 3},
    ):
        agree(name, x, ulp=ulp, **options)
    if np.dtype(dtype).kind == "f":
        agree(name, x, ulp=ulp, dtype="float64")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_not_finite(dtype: str) -> None:
    largest = float(np.finfo(dtype).max)
    for where, value in ((0, np.nan), (4999, np.inf), (20000, -np.inf), (29999, np.nan)):
        x = np.linspace(-1, 1, 30000).astype(dtype)
        x[where] = value
        agree("var", x)
        agree("std", x, keepdims=True)
    for x in (
        np.full(30000, np.inf), np.array([np.inf, -np.inf]), np.array([largest, -largest]),
        np.array([largest, largest]), np.full(5000, largest), np.r_[np.ones(20000), np.full(20000, largest)],
    ):
        agree("var", x.astype(dtype))
    if ap.Device() == "cpu":
        assert float(ap.full((30000,), 0.1, dtype=dtype).var()) == 0


def test_threads_and_recording_have_no_influence() -> None:
    x = np.random.default_rng(4).standard_normal((700, 900), dtype=np.float32)
    found = set()
    for threads in (1, 2):
        for eager in (True, False):
            with ap.config.using(num_threads=threads, eager=eager, eager_size=0):
                found.add(float((ap.from_numpy(x) * 2).var()))
    assert len(found) == 1


@on_cpu
def test_one_pass() -> None:
    with ap.config.using(eager=False, eager_size=0):
        x = ap.from_numpy(np.ones((300, 300)))
        assert "deviations" in ap.explain(x.var(), file=io.StringIO())
        assert "deviations" in ap.explain(x.T[::-1].std(ddof=1, keepdims=True), file=io.StringIO())
        assert "deviations" not in ap.explain(x[:, ::2].var(), file=io.StringIO())
        ap.synchronize()


def test_errors_are_reported_as_asked() -> None:
    x = np.array([1.0, np.inf, 2.0])
    for library, a in ((np, x), (ap, ap.from_numpy(x))):
        with library.errstate(invalid="raise"), pytest.raises(FloatingPointError):
            float(library.var(a))
