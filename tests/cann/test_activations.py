"""asnumpy.nn on a device: one operator of CANN's where it has one, recorded in order with everything else."""

from __future__ import annotations

import collections
import io

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.cann import _facts
from asnumpy.runtime import cann_search
from cann.counting import calls

NATIVE = [np.dtype("float16"), np.dtype("float32"), np.dtype(ap.bfloat16)]

# The function, its operators, and the dtypes for which CANN has them.
FUNCTIONS = {
    "leaky_relu": (ap.nn.leaky_relu, {"aclnnLeakyRelu"}),
    "leaky_relu 0.01": (lambda x: ap.nn.leaky_relu(x, 0.01), {"aclnnLeakyRelu"}),
    "elu": (lambda x: ap.nn.elu(x, 1.5), {"aclnnElu"}),
    "sigmoid": (ap.nn.sigmoid, {"aclnnSigmoid"}),
    "log_sigmoid": (ap.nn.log_sigmoid, {"aclnnLogSigmoid"}),
    "silu": (ap.nn.silu, {"aclnnMaximum", "aclnnSilu"}),
    "softplus": (ap.nn.softplus, {"aclnnSoftplus"}),
    "softplus 2 5": (lambda x: ap.nn.softplus(x, 2.0, 5), {"aclnnSoftplus"}),
    "gelu": (ap.nn.gelu, {"aclnnMaximum", "aclnnGeluV2"}),
    "gelu tanh": (lambda x: ap.nn.gelu(x, "tanh"), {"aclnnMaximum", "aclnnGeluV2"}),
    "softmax": (ap.nn.softmax, {"aclnnSoftmax"}),
    "softmax 0": (lambda x: ap.nn.softmax(x, axis=0), {"aclnnSoftmax"}),
    "log_softmax": (lambda x: ap.nn.log_softmax(x, axis=-2), {"aclnnLogSoftmax"}),
    "layer_norm": (lambda x: ap.nn.layer_norm(x, x.shape[-1]), {"aclnnLayerNorm"}),
    "layer_norm two axes": (lambda x: ap.nn.layer_norm(x, x.shape[1:], eps=1e-3), {"aclnnLayerNorm"}),
    "rms_norm": (lambda x: ap.nn.rms_norm(x, x.shape[-1]), {"aclnnInplaceOne", "aclnnRmsNorm"}),
}


def _operators(make) -> collections.Counter[str]:
    ap.synchronize()
    before = calls()
    with ap.config.using(eager=False):
        kept = make()
        ap.synchronize()
    del kept
    return calls() - before


CONVERSIONS = {"aclnnCast", "aclnnInplaceCopy"}


def _lacking(operators, dtype):
    """Those that take the dtype only in a later version than the CANN at hand."""
    facts = _facts._data("operators")
    if cann_search.search().facts.startswith(list(facts["_meta"]["versions"])[-1]):
        return set()
    later = {name: {facts["_meta"]["letters"][one] for one in facts[name][0].get("later", "")} for name in operators}
    return {name for name in operators if dtype.name in later[name]}


def _samples(dtype, shape=(3, 4, 50)):
    return np.random.default_rng(3).normal(0, 3, shape).astype(dtype)


def _agree(got, expected, ulps=16.0):
    """Where terms cancel, the error is that of numbers of about 1; tests/numpy/test_nn.py bounds it more closely."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    with ap.Device("cpu"):
        wide = ap.to_numpy(expected).astype(np.float64)
    eps = float(ap.finfo(expected.dtype).eps)
    scale = np.maximum(np.abs(wide), 1.0)
    assert (np.abs(ap.to_numpy(got).astype(np.float64) - wide) <= ulps * eps * scale).all()


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_operator(name, dtype):
    function, operators = FUNCTIONS[name]
    x = _samples(dtype)
    with ap.Device("cpu"):
        expected = function(ap.from_numpy(x))
    with ap.Device("ascend:0"):
        there = ap.array(x)
        ap.forget_fallbacks()
        called, lacking = _operators(lambda: function(there)), _lacking(operators, dtype)
        if operators <= lacking:  # composed, as for float64
            assert called and not called.keys() & operators
        else:  # around what lacks the dtype, operands are converted
            beside = {one: count for one, count in called.items() if one not in operators}
            assert called - collections.Counter(beside) == dict.fromkeys(operators, 1)
            assert beside.keys() <= CONVERSIONS if lacking else not beside
        assert ap.fallbacks() == []
        _agree(function(there), expected)
        _agree(function(there[::-1, :, ::2].swapaxes(0, 1)), _on_cpu(function, x[::-1, :, ::2].swapaxes(0, 1)))


def _on_cpu(function, x):
    with ap.Device("cpu"):
        return function(ap.array(x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64_and_integers_are_composed_where_cann_has_no_operator(name):
    function, _ = FUNCTIONS[name]
    for x in (_samples(np.float64), np.arange(-12, 12).reshape(2, 3, 4)):
        with ap.Device("ascend:0"):
            got = function(ap.array(x))
        _agree(got, _on_cpu(function, x), 64.0)


def test_several_axes_are_composed():
    x = _samples(np.float32)
    for axis in (None, (0, 2)):
        with ap.Device("ascend:0"):
            _agree(ap.nn.softmax(ap.array(x), axis), _on_cpu(lambda x, axis=axis: ap.nn.softmax(x, axis), x), 64.0)


@pytest.mark.parametrize("dtype", NATIVE, ids=str)
def test_weights(dtype):
    x, weight, bias = _samples(dtype), _samples(np.float32, (50,)), _samples(dtype, (50,))
    for scale, shift in ((weight, bias), (weight, None), (None, bias)):

        def layer(x, w, b, scale=scale, shift=shift):
            return ap.nn.layer_norm(x, 50, None if scale is None else w, None if shift is None else b)

        with ap.Device("cpu"):
            expected = layer(ap.array(x), ap.array(weight), ap.array(bias))
        with ap.Device("ascend:0"):
            given = ap.array(x), ap.array(weight), ap.array(bias)
            called = _operators(lambda given=given, layer=layer: layer(*given))
            assert called["aclnnLayerNorm"] == 1 and called.keys() <= {"aclnnLayerNorm", *CONVERSIONS}
            _agree(layer(*given), expected, 32.0)
    with ap.Device("cpu"):
        expected = ap.nn.rms_norm(ap.array(x), (50,), ap.array(weight))
    with ap.Device("ascend:0"):
        given = ap.array(x), ap.array(weight.astype(dtype))
        assert _operators(lambda: ap.nn.rms_norm(given[0], 50, given[1])) == {"aclnnRmsNorm": 1}
        _agree(ap.nn.rms_norm(given[0], 50, given[1]), ap.nn.rms_norm(given[0], 50, given[1]))
        _agree(ap.nn.rms_norm(given[0], 50, ap.array(weight)), expected, 32.0)


def test_in_order_and_deferred():
    x = _samples(np.float32)
    with ap.Device("ascend:0"), ap.config.using(eager=False):
        there = ap.array(x)
        there += 1
        made = ap.nn.softmax(there)
        there *= 0  # after it was read
        assert made._pending and "softmax -> float32(3, 4, 50)" in str(_explained(made))
        after = made * 2 + there
        _agree(after, _on_cpu(lambda x: ap.nn.softmax(x + 1) * 2, x))
        made = ap.nn.softmax(made, axis=0)
        _agree(made, _on_cpu(lambda x: ap.nn.softmax(ap.nn.softmax(x + 1), axis=0), x))


def _explained(array) -> str:
    return str(ap.explain(array, file=io.StringIO()))


def test_mistakes_are_those_of_the_composition():
    with ap.Device("ascend:0"):
        x = ap.ones((3, 4), ap.float32)
        with pytest.raises(np.exceptions.AxisError):
            ap.nn.softmax(x, axis=2)
        with pytest.raises(TypeError, match=r"nn\.silu: expected real numbers"):
            ap.nn.silu(x.astype(ap.complex64))
        with pytest.raises(ValueError, match=r"nn\.layer_norm: expected weight of shape \(4,\)"):
            ap.nn.layer_norm(x, 4, ap.ones(3, ap.float32))
        assert ap.nn.softmax(ap.ones((0, 3), ap.float32)).shape == (0, 3)
        assert ap.nn.sigmoid(ap.ones((), ap.float32)).shape == ()


def test_limits():
    edges = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    for name in ("sigmoid", "log_sigmoid", "silu", "softplus", "gelu", "elu", "leaky_relu"):
        with ap.Device("ascend:0"):
            got = ap.to_numpy(getattr(ap.nn, name)(ap.array(edges)))
        np.testing.assert_array_equal(got, ap.to_numpy(_on_cpu(getattr(ap.nn, name), edges)), name)


def test_modelled_time_falls():
    if not cann_search.search().simulated:
        pytest.skip("only the simulator has a model")
    with ap.Device("ascend:0"):
        x = ap.ones((256, 512), ap.float32)
        ap.synchronize()
        times = []
        for axis in (-1, (-1,)):  # an axis, and a tuple of axes, which is composed
            before = cannsim.modelled_seconds()
            ap.eval(ap.nn.softmax(x, axis))
            ap.synchronize()
            times.append(cannsim.modelled_seconds() - before)
        assert 0 < times[0] < 0.6 * times[1]
