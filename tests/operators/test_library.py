"""The library's operators beside NumPy and SciPy: on the CPU their composed form, on an NPU their kernel.

Where no compiler is (CANN 8 has none at run time), an NPU runs the composed form, too.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.ndimage
import scipy.special
from host_compiler import compiler

import asnumpy as ap
from asnumpy import operators
from asnumpy.operators import library

from .library_cases import CASES, ROUNDING, Case, largest, wide

ON_CPU = str(ap.zeros(1).device) == "cpu"
COMPILED = not os.environ.get("CANNSIM_CANN", "9.0").startswith("8")
pytestmark = pytest.mark.skipif(
    not ON_CPU and COMPILED and compiler() is None,
    reason="kernels are compiled here, and there is no C++ compiler",
)


def compare(made: Any, expected: Any, case: Case, what: str) -> None:
    made_all, expected_all = ([one] if not isinstance(one, tuple) else one for one in (made, expected))
    for one, other in zip(made_all, expected_all, strict=True):
        got = ap.asnumpy(one)
        other = np.asarray(other)
        assert got.shape == other.shape, what
        if case.close is None:
            np.testing.assert_array_equal(got, other, err_msg=what)
            continue
        bound = case.close * ROUNDING.get(got.dtype, 2e-6)
        # What overflows the dtype is an infinity of it.
        with np.errstate(over="ignore"):
            other = other.astype(got.dtype)
        np.testing.assert_allclose(got, other, rtol=bound, atol=bound, err_msg=what)


def test_each_operator_has_a_case() -> None:
    named = {name for name in library.__all__ if isinstance(getattr(library, name), operators.Operator)}
    assert named == CASES.keys() and len(named) >= 30


@pytest.mark.parametrize("name", CASES)
def test_against_the_oracle(name: str) -> None:
    case, operator = CASES[name], getattr(library, name)
    rng = np.random.default_rng(len(name))
    operators.forget_runs()
    for dtype in case.dtypes:
        for size in case.sizes:
            given = case.make(rng, size, dtype)
            for attributes in case.attributes:
                what = f"{name} {dtype} {size} {attributes}"
                if any(axis >= given[0].ndim or axis < -given[0].ndim for axis in attributes.get("axes", ())):
                    continue
                with np.errstate(all="ignore"):
                    expected = case.oracle(*map(wide, given), **attributes)
                made = operator(*map(ap.array, given), **attributes)
                for one in made if isinstance(made, tuple) else (made,):
                    assert str(one.device).split(":")[0] == ("cpu" if ON_CPU else "ascend")
                compare(made, expected, case, what)
    ran = {one["implementation"] for one in operators.runs() if one["operator"] == operator.name}
    assert ("composed" if ON_CPU or not COMPILED else "ascend") in ran


def test_special_values() -> None:
    """Infinities, NaN, ends of the range and poles as SciPy has them; zeros, and large and small parts."""
    nan, inf = np.nan, np.inf
    for name, values in {
        "erfinv": [1, -1, 0, 1.5, -2, nan, inf], "gamma": [0, -1, -2, 36, -40.5, inf, nan, 0.5],
        "lgamma": [0, -1, inf, nan, 1, 2], "digamma": [0, nan, inf, 1],
    }.items():
        x = np.array(values, np.float32)
        with np.errstate(all="ignore"):
            oracle = {"lgamma": scipy.special.gammaln}.get(name) or getattr(scipy.special, name)
            expected = oracle(x.astype(np.float64)).astype(np.float32)
        made = ap.asnumpy(getattr(library, name)(ap.array(x)))
        np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-6, err_msg=name)
    x = np.array([0, 1e30 + 1e30j, 1e-30 + 1e-30j, inf, complex(0, -inf), complex(inf, nan)], np.complex64)
    np.testing.assert_allclose(ap.asnumpy(library.complex_absolute(ap.array(x))), np.absolute(x), rtol=1e-6)
    x, y = np.array([1 + 2j, -1, 0, 1e30 + 1e30j], np.complex64), np.array([0, 0, 0, 1e30 - 1e30j], np.complex64)
    with np.errstate(all="ignore"), ap.errstate(all="ignore"):
        np.testing.assert_allclose(ap.asnumpy(library.complex_divide(ap.array(x), ap.array(y))), x / y, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize(("shape", "k"), [((2, 9001), 1000), ((1, 50_001), 2048), ((2, 9001), 2500), ((1, 8191), 8191)])
def test_many_of_the_largest(shape: tuple[int, int], k: int, dtype: str) -> None:
    """Rows in parts, and more than a core holds; equal ones are everywhere, the smallest there is among them."""
    x = np.random.default_rng(k).integers(-5000, 5000, shape).astype(dtype)
    x[:, ::7] = np.iinfo(dtype).min
    compare(library.top_k(ap.array(x), k=k), largest(x, k), CASES["top_k"], f"{shape} {k} {dtype}")


def test_views_and_outputs() -> None:
    """Inputs in another order of memory and of other devices' ways to write; results where out= says."""
    x = np.random.default_rng(0).standard_normal((40, 30)).astype(np.float32)
    given, out = ap.array(x), ap.zeros((30, 20), np.float32)
    made = library.softmax(given[::2].T, out=out)
    assert made is out
    np.testing.assert_allclose(ap.asnumpy(out), scipy.special.softmax(x[::2].T, -1), rtol=1e-5)
    broadcast = library.swiglu(given[:, :1], given[0])
    expected = x[:, :1] * scipy.special.expit(x[:, :1]) * x[0]
    np.testing.assert_allclose(ap.asnumpy(broadcast), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda x: library.erfinv(x.astype(np.int64)), TypeError, "erfinv"),
        (lambda x: library.pack_bits(x.astype(np.uint8), bitorder="middle"), ValueError, "'big' or 'little'"),
        (lambda x: library.separable_filter(x[None], x[:2]), ValueError, "odd"),
        (lambda x: library.resize_bilinear(x[None], height=-1, width=2), ValueError, "height"),
        (lambda x: library.rotary_embedding(x[None], x[None], x[None]), ValueError, "twice"),
        (lambda x: library.sobel(x), ValueError, "sobel"),
        (lambda x: library.softmax(x, axes=(3,)), ValueError, "axis 3"),
        (lambda x: library.basic_matmul(x[None], x[:, None], activation="swish"), ValueError, "'relu'"),
        (lambda x: library.gaussian_weights(0), ValueError, "sigma"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ap.asnumpy(call(ap.ones(6, np.float32)))


def test_gaussian_weights() -> None:
    weights = ap.asnumpy(library.gaussian_weights(1.5))
    impulse = np.zeros(13)
    impulse[6] = 1
    np.testing.assert_allclose(weights, scipy.ndimage.gaussian_filter1d(impulse, 1.5, radius=6), rtol=1e-5)


# What the declaration does not say of an operator's arguments.
DRAWN: dict[str, dict[str, Any]] = {
    "basic_matmul": {"attributes": {"activation": ["", "relu", "silu", "gelu"], "scale": [1.0, 0.5]}},
    "bin_count": {"attributes": {"bins": [0, 1, 7]}},
    "double_threshold": {"attributes": {"low": [0.1], "high": [0.5]}},
    "fft_rows": {"sizes": {"n": [1, 2, 8, 64, 600]}},
    "histogram": {"attributes": {"bins": [1, 7], "low": [-1.0], "high": [1.5]}},
    "one_hot": {"attributes": {"depth": [0, 1, 7]}},
    "resize_bilinear": {"attributes": {"height": [0, 3], "width": [1, 8]}, "sizes": {"h": [1, 5], "w": [1, 9]}},
    "rotary_embedding": {"sizes": {"d": [8], "h": [4]}},
    "search_int64": {"values": {"table": lambda rng, shape, dtype: np.sort(rng.integers(-9, 9, shape))}},
    "segment_sum": {"attributes": {"segments": [0, 1, 7]}},
    "separable_filter": {"sizes": {"k": [1, 3, 7]}},
    "softmax": {"attributes": {"axes": [(-1,), (0,)]}},
    "top_k": {"attributes": {"k": [1, 2]}, "sizes": {"n": [2, 3, 100]}},
}


@pytest.mark.parametrize("name", CASES)
def test_implementations_agree(name: str) -> None:
    """On shapes, dtypes and orders of memory that are drawn, and other arguments are refused."""
    found = operators.check(getattr(library, name), cases=12, seed=1, **DRAWN.get(name, {}))
    assert found.passed, str(found)


def test_the_page_lists_them() -> None:
    """docs/operator-library.md has every operator as it is declared; benches/library.py writes it."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "operator-library.md").read_text()
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `library.")]
    listed = [each for each, _ in itertools.groupby(listed)]  # those with long sizes have a line for each size
    assert listed == [str(getattr(library, name).declaration) for name in sorted(CASES)]
