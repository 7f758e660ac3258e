"""Filters that feed back (asnumpy.scipy.signal) beside SciPy's, where they are composed of sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.signal as theirs

import asnumpy as ap
import asnumpy.scipy.signal as own
from asnumpy.scipy.signal import _feedback, _filters, _recursive

DTYPES = [np.float64, np.float32, np.complex128, np.complex64, np.int64, np.int16]
ON_HOST = ap.ones(1)._host_visible
B, A = theirs.butter(3, 0.2)
SECTIONS = theirs.butter(5, 0.2, output="sos")


@pytest.fixture(autouse=True)
def composed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Composed on the host too, and nowhere by SciPy."""
    for module in (_recursive, _filters):
        monkeypatch.setattr(module, "there", lambda a: True)
    ap.forget_fallbacks()
    yield
    assert ap.fallbacks() == []


def signal(dtype: Any, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    values = rng.normal(3, 3, shape) * 4
    return (values + 1j * values[::-1] if np.dtype(dtype).kind == "c" else values).astype(dtype)


def single(*values: np.ndarray) -> list[np.ndarray]:
    return [one.astype(np.float32) for one in values]


def compared(name: str, *args: Any, bound: float = 1e-12, **options: Any) -> None:
    """Within `bound` of the largest result, and 1e-5 in single precision."""
    wanted: Any = getattr(theirs, name)(*args, **options)
    ours = [ap.array(one) if isinstance(one, np.ndarray) else one for one in args]
    got: Any = getattr(own, name)(
        *ours, **{key: ap.array(one) if isinstance(one, np.ndarray) else one for key, one in options.items()}
    )
    assert isinstance(got, tuple) is isinstance(wanted, tuple)
    pairs = zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]
    for one, other in pairs:
        assert isinstance(one, ap.ndarray) and one.shape == other.shape and one.dtype == other.dtype
        size = float(np.abs(other).max(initial=0.0))
        few = max(bound, 1e-5) if other.dtype.char in "fF" else bound
        np.testing.assert_allclose(ap.to_numpy(one), other, rtol=0, atol=few * max(size, 1.0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_lfilter(dtype: Any) -> None:
    x = signal(dtype, 4, 50, 3)
    for axis in (0, 1, -1):
        shape = [3 if place == axis % 3 else length for place, length in enumerate(x.shape)]
        compared("lfilter", B, A, x, axis=axis)
        compared("lfilter", B, A, x, axis=axis, zi=signal(np.float64, *shape))
    compared("lfilter", B, A, x[0, :, 0])
    compared("lfilter", B, A, x[:, ::-2].T, axis=1)
    compared("lfilter", B, A, x, axis=1, zi=np.ones((1, 3, 1)))  # for all lines
    compared("lfilter", *single(B, A), x, axis=1)
    compared("lfilter", [1.0, 2, 3, 4, 0.5], [2.0, 1], x, axis=1, zi=np.ones((4, 4, 3)))
    compared("lfilter", [1.0], [2.0, 1, 0.3, 0.1], x, axis=1)
    compared("lfilter", B * (1 - 2j), A, x, axis=1)
    compared("lfilter", [1.0], [1, -0.95 * np.exp(0.7j), 0.3j], x, axis=1)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 17])
def test_short_lines(count: int) -> None:
    """The state reaches beyond the line."""
    x = signal(np.float64, 2, count)
    compared("lfilter", B, A, x)
    compared("lfilter", B, A, x, zi=signal(np.float64, 2, 3))
    compared("sosfilt", SECTIONS, x, zi=signal(np.float64, 3, 2, 2))


def test_states_go_on() -> None:
    x = signal(np.float64, 2, 300)
    state: Any = ap.zeros((2, 3))
    parts = []
    for part in np.array_split(x, [1, 3, 120], axis=1):
        made, state = own.lfilter(B, A, ap.array(part), zi=state)
        parts.append(ap.to_numpy(made))
    np.testing.assert_allclose(np.concatenate(parts, axis=1), theirs.lfilter(B, A, x), rtol=0, atol=1e-12)


FILTERS: dict[str, tuple[Any, Any]] = {
    "first": theirs.butter(1, 0.01), "low": theirs.butter(4, 0.01), "lower": theirs.butter(8, 0.03),
    "high": theirs.butter(4, 0.1, "high"), "steep": theirs.ellip(6, 1, 60, 0.2), "notch": theirs.iirnotch(0.1, 30),
    "peak": theirs.iirpeak(0.9, 100), "band": theirs.butter(4, [0.2, 0.3], "band"),
    "stop": theirs.cheby1(4, 1, [0.2, 0.3], "stop"), "sum": ([1.0], [1.0, -1]), "sums": ([1.0], [1.0, -2, 1]),
    "alternating": ([1.0], [1.0, 0.9999]), "resonant": ([1.0], [1, 0, 0.999]), "comb": ([1.0], [1.0, *[0] * 7, -1]),
    "both ends": ([1.0], [1.0, -0.9, -1, 0.9]), "growing": ([1.0], [1.0, -1.001]),
    "twelve": ([1.0, 2, 1], np.poly(0.9 * np.exp(1j * np.linspace(-3, 3, 12))).real),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_of_all_kinds(name: str) -> None:
    """As near as SciPy's own rounding lets it be, which is more than ours, and computed from the coefficients."""
    x = signal(np.float64, 2, 3000) / 10
    for dtype in (np.float64, np.float32):
        b, a = (np.asarray(one, dtype) for one in FILTERS[name])
        f = _feedback.designed(b, a, np.dtype(dtype), x.shape[1])
        if f is None:
            assert dtype == np.float32 and name in ("low", "lower", "band", "stop", "sums", "both ends"), name
            continue
        eps = float(np.finfo(dtype).eps)
        wide = f.a.astype(np.float64)
        rounding = _feedback.growth(wide, _feedback.polynomials(wide, x.shape[1], eps), x.shape[1])
        compared("lfilter", b, a, x.astype(dtype), bound=sum(rounding) * eps)


def test_filters_that_are_left_to_scipy() -> None:
    """What would depend on the order of additions."""
    x = ap.array(signal(np.float64, 400))
    for b, a in (theirs.butter(8, 0.001), ([1.0], [1.0, -4.0]), ([1.0], [1, *np.zeros(80), 0.5])):
        near = theirs.lfilter(b, a, ap.to_numpy(x))
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(ap.to_numpy(own.lfilter(b, a, x)), near)
    assert [one["count"] for one in ap.fallbacks()] == [3]
    ap.forget_fallbacks()
    assert _feedback.designed(np.ones(1), np.array([1.0, -1.001]), np.dtype(np.float64), 10**7) is None


@pytest.mark.parametrize("dtype", DTYPES)
def test_sections(dtype: Any) -> None:
    x = signal(dtype, 4, 60, 3)
    for axis in (0, 1, -1):
        shape = [2 if place == axis % 3 else length for place, length in enumerate(x.shape)]
        compared("sosfilt", SECTIONS, x, axis=axis)
        compared("sosfilt", SECTIONS, x, axis=axis, zi=signal(np.float64, 3, *shape))
    compared("sosfilt", SECTIONS[:1].astype(np.float32), x, axis=1)
    compared("sosfilt", SECTIONS[0], x, axis=1)
    compared("sosfilt", theirs.butter(10, 0.01, output="sos"), x, axis=1)


@pytest.mark.parametrize("dtype", [*DTYPES, np.uint8])
def test_forward_and_backward(dtype: Any) -> None:
    x = np.abs(signal(dtype, 4, 60, 3)) if dtype is np.uint8 else signal(dtype, 4, 60, 3)
    for padtype in ("odd", "even", "constant", None):
        compared("filtfilt", B, A, x, axis=1, padtype=padtype)
        compared("sosfiltfilt", SECTIONS, x, axis=1, padtype=padtype)
    compared("filtfilt", B, A, x[0, :, 0])
    compared("filtfilt", B, A, x, 1, "odd", 7)
    compared("filtfilt", B, A, x, axis=0, padlen=0)
    compared("filtfilt", np.ones(4) / 4, 1.0, x, axis=1)
    compared("filtfilt", *single(B, A), x, axis=1)
    compared("sosfiltfilt", SECTIONS.astype(np.float32), x, axis=1, padlen=3)
    compared("decimate", x, 2, 4, axis=1)
    compared("decimate", x, 3, axis=1, zero_phase=False)


def test_states_of_what_was_and_quotients() -> None:
    y, x = signal(np.float64, 5), signal(np.float64, 9)
    compared("lfiltic", B, A, y)
    compared("lfiltic", B, A, y, x)
    compared("lfiltic", 2 * B, 2 * A, y[:1], x[:2])
    compared("lfiltic", [1.0], A, y.astype(np.float32))
    for dtype in (np.float64, np.float32, np.int64, np.complex128):
        compared("deconvolve", signal(dtype, 70), np.array([2.0, 1, 0.5]))
        compared("deconvolve", signal(dtype, 7), np.array([4, 1, 1]))
    compared("deconvolve", x, np.array([2.0]))


@pytest.mark.parametrize(("name", "args", "options"), [
    ("lfilter", (B, A, np.ones((3, 9))), {"axis": 2}), ("lfilter", (B, A, np.ones((3, 9))), {"zi": np.ones((3, 4))}),
    ("lfilter", (B, A, np.ones(9)), {"zi": np.ones((1, 3))}), ("lfilter", ([1], [1, 2], np.arange(5)), {}),
    ("lfilter", (B, np.array([0.0, 1]), np.ones(9)), {}), ("sosfilt", (SECTIONS[:, :5], np.ones(9)), {}),
    ("sosfilt", (SECTIONS * 2, np.ones(9)), {}), ("sosfilt", (SECTIONS, np.ones(9)), {"zi": np.ones((2, 2))}),
    ("filtfilt", (B, A, np.ones(9)), {}), ("filtfilt", (B, A, np.ones(90)), {"padtype": "none"}),
    ("filtfilt", ([1.0], [1.0, -1], np.ones(90)), {}), ("sosfiltfilt", (SECTIONS, np.ones(9)), {}),
    ("deconvolve", (np.ones((2, 3)), [1.0, 2]), {}),
])
def test_errors(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    with pytest.raises(Exception) as wanted:
        getattr(theirs, name)(*args, **options)
    with pytest.raises(wanted.type) as got:
        getattr(own, name)(*[ap.array(one) if isinstance(one, np.ndarray) else one for one in args], **options)
    assert str(got.value) == str(wanted.value)
    ap.forget_fallbacks()


def test_under_jit() -> None:
    """Coefficients are known; those that are arrays of the program's make SciPy's call, as everywhere."""
    smooth = ap.jit(lambda x: own.filtfilt(B, A, x) + own.sosfilt(SECTIONS, x))
    for seed in (1, 2):
        x = np.random.default_rng(seed).normal(size=200)
        wanted = theirs.filtfilt(B, A, x) + theirs.sosfilt(SECTIONS, x)
        np.testing.assert_allclose(ap.to_numpy(smooth(ap.array(x))), wanted, rtol=0, atol=1e-12)


def test_how_many_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many sums as a line has doublings, or a response until it has died away."""
    for count in (1000, 100_000):
        f = _feedback.designed(np.ones(1), np.array([1.0, -0.9]), np.dtype(np.float64), count)
        assert f is not None and len(f.sums) == 9
        f = _feedback.designed(np.ones(1), np.array([1.0, -1]), np.dtype(np.float64), count)
        assert f is not None and len(f.sums) == (count - 1).bit_length()
    monkeypatch.undo()
    own.lfilter(B, A, ap.array(signal(np.float64, 50)))
    assert bool(ap.fallbacks()) is ON_HOST  # where SciPy's loop is quicker
    ap.forget_fallbacks()
