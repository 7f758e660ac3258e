"""asnumpy.nn beside SciPy's special functions and plain formulas, with the extremes of each dtype."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import asnumpy as ap

BFLOAT16 = np.dtype(ap.bfloat16)
DTYPES = [np.dtype(kind) for kind in ("float16", "float32", "float64")] + [BFLOAT16]


def _softplus(x, beta=1.0, threshold=20.0):
    return np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta)


ORACLES = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "sigmoid": special.expit,
    "log_sigmoid": special.log_expit,
    "silu": lambda x: np.maximum(x, np.finfo(x.dtype).min) * special.expit(x),
    "softplus": _softplus,
    "gelu": lambda x: np.maximum(x, np.finfo(x.dtype).min) * special.ndtr(x),
    "softmax": lambda x: special.softmax(x, axis=-1),
    "log_softmax": lambda x: special.log_softmax(x, axis=-1),
}


def _close(got, expected, dtype, slack=1.0):
    """Within a few units of the last place of the dtype; what a 64-bit value rounds to, for the narrow ones."""
    assert isinstance(got, ap.ndarray) and got.dtype == dtype
    info = ap.finfo(dtype)
    ulps = 16 if dtype.itemsize > 2 else 1
    with np.errstate(all="ignore"):
        rounded = np.asarray(expected).astype(dtype).astype(np.float64)
    plain = ap.to_numpy(got).astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(plain - rounded) <= ulps * (float(info.eps) * slack * np.abs(rounded) + float(info.tiny))
    same = (plain == rounded) | (np.isnan(plain) & np.isnan(rounded))
    assert (near | same).all(), (plain[~(near | same)], rounded[~(near | same)])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ORACLES)
def test_values(name, dtype):
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(0, 3, 400), rng.uniform(-12, 12, 400)]).reshape(8, 100).astype(dtype)
    wide = x.astype(np.float64)
    # the normal distribution's tail enlarges the rounding of its argument by the argument's square
    slack = 1 + wide**2 / 8 if name == "gelu" else 1.0
    _close(getattr(ap.nn, name)(ap.from_numpy(x)), ORACLES[name](wide), dtype, slack)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", [name for name in ORACLES if "softmax" not in name])
def test_extremes(name, dtype):
    info = ap.finfo(dtype)
    limits = [0.0, -0.0, np.inf, -np.inf, np.nan, float(info.max), float(info.min), float(info.tiny), -float(info.tiny)]
    x = np.array(limits).astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.asarray(ORACLES[name](x.astype(np.float64)))
    _close(getattr(ap.nn, name)(ap.from_numpy(x)), expected, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gelu_by_tanh(dtype):
    x = np.linspace(-5, 5, 501).astype(dtype)
    wide = x.astype(np.float64)
    expected = 0.5 * wide * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
    got = ap.nn.gelu(ap.from_numpy(x), approximate="tanh")
    eps = float(ap.finfo(dtype).eps)
    np.testing.assert_allclose(ap.to_numpy(got).astype(float), expected, rtol=2 * eps, atol=8 * eps)
    assert ap.nn.gelu(ap.asarray(-np.inf), "tanh") == 0
    with pytest.raises(ValueError, match=r"nn\.gelu: expected approximate 'none' or 'tanh', got 'sigmoid'"):
        ap.nn.gelu(ap.from_numpy(x), approximate="sigmoid")


def test_softmax_of_large_numbers_and_axes():
    x = ap.asarray([[1e4, 1e4 + 1, -1e4], [np.finfo(float).max, 0, np.finfo(float).min]])
    np.testing.assert_allclose(np.asarray(ap.nn.softmax(x)), [[1 / (1 + np.e), np.e / (1 + np.e), 0], [1, 0, 0]])
    assert np.asarray(ap.nn.log_softmax(x))[0].tolist() == pytest.approx([-1.3132616875, -0.3132616875, -20001.3132617])
    a = np.random.default_rng(1).normal(size=(3, 4, 5))
    for axis in (0, 1, -1, (0, 2), None):
        for name in ("softmax", "log_softmax"):
            expected = getattr(special, name)(a, axis=axis)
            made = getattr(ap.nn, name)(ap.from_numpy(a), axis=axis)
            np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-13)
    with pytest.raises(np.exceptions.AxisError):
        ap.nn.softmax(ap.from_numpy(a), axis=3)
    assert ap.nn.softmax(ap.zeros((0, 3))).shape == (0, 3)
    assert ap.nn.softmax(ap.zeros((3, 0))).shape == (3, 0)
    assert ap.nn.softmax(ap.asarray(2.0), axis=None) == 1


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_softmax_sums_to_one(values):
    made = ap.nn.softmax(ap.asarray(values))
    assert abs(made.sum().item() - 1) < 1e-12
    assert bool((made >= 0).all())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_normalisation(dtype):
    rng = np.random.default_rng(2)
    x = rng.normal(3, 2, (4, 5, 6)).astype(dtype)
    weight, bias = rng.normal(size=(5, 6)).astype(dtype), rng.normal(size=(5, 6)).astype(dtype)
    wide, w, b = (one.astype(np.float64) for one in (x, weight, bias))
    mean, variance = wide.mean((1, 2), keepdims=True), wide.var((1, 2), keepdims=True)
    expected = (wide - mean) / np.sqrt(variance + 1e-5)
    eps = float(ap.finfo(dtype).eps) * (1 if dtype.itemsize == 2 else 16)

    def check(got, expected):
        assert got.dtype == dtype
        np.testing.assert_allclose(ap.to_numpy(got).astype(float), expected, rtol=eps, atol=4 * eps)

    ours = [ap.from_numpy(one) for one in (x, weight, bias)]
    check(ap.nn.layer_norm(ours[0], (5, 6)), expected)
    check(ap.nn.layer_norm(*ours[:1], (5, 6), *ours[1:]), expected * w + b)
    last = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 0.5)
    check(ap.nn.layer_norm(ours[0], 6, eps=0.5), last)
    check(ap.nn.rms_norm(ours[0], 6, ours[1][0]), wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * w[0])
    for wrong in (5, (4, 5), (), (2, 4, 5, 6)):
        with pytest.raises(ValueError, match=r"nn\.layer_norm: expected x to end with"):
            ap.nn.layer_norm(ours[0], wrong)
    with pytest.raises(ValueError, match=r"nn\.layer_norm: expected bias of shape \(6,\), got \(5, 6\)"):
        ap.nn.layer_norm(ours[0], 6, None, ours[2])


def test_dtypes():
    for name in ORACLES:
        function = getattr(ap.nn, name)
        with pytest.raises(TypeError, match=rf"nn\.{name}: expected real numbers"):
            function(ap.asarray([1j]))
        wanted = np.int32 if name == "relu" else np.float64
        assert function(ap.asarray([1, -2], dtype=np.int32)).dtype == wanted
        assert function([[1.0, 2.0]]).shape == (1, 2)
    assert ap.nn.leaky_relu(ap.asarray([-2.0, 2.0]), 0.5).tolist() == [-1.0, 2.0]
    assert ap.nn.elu(ap.asarray([-np.inf, 2.0]), 3.0).tolist() == [-3.0, 2.0]
    assert ap.nn.relu(ap.asarray([True, False])).tolist() == [True, False]


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "elu", "sigmoid", "log_sigmoid", "silu", "softplus", "gelu"])
def test_activations_are_one_program(name):
    x = ap.from_numpy(np.zeros(100_000, "float16"))
    with ap.config.using(eager=False):
        made = getattr(ap.nn, name)(x)
        assert ap.explain(made, file=io.StringIO()).count("program ") == 1
