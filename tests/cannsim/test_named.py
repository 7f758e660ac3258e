"""Operators of the single-operator interface, which are started by name: recurrent layers, norms; and its refusals."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, values

P = ctypes.c_void_p
for maker in ("aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr"):
    getattr(acl.rt, maker).restype = P
UNDEFINED, ND = -1, 2
BOUNDS = {"float32": 1e-5, "float16": 4e-3}


def described(array):
    """A description, a buffer and the memory; of None what stands for an input that is not given."""
    if array is None:
        return (
            P(acl.rt.aclCreateTensorDesc(UNDEFINED, 0, None, UNDEFINED)),
            P(acl.rt.aclCreateDataBuffer(None, 0)),
            None,
        )
    memory = acl.Memory(array.nbytes)
    memory.write(array.tobytes())
    dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    made = acl.rt.aclCreateTensorDesc(acl.dtype_number(array.dtype), array.ndim, dims, ND)
    return P(made), P(acl.rt.aclCreateDataBuffer(memory.address, ctypes.c_size_t(array.nbytes))), memory


@contextmanager
def attributes(given):
    made = P(acl.rt.aclopCreateAttr())
    for name, value in given.items():
        one = name.encode()
        if isinstance(value, bool):
            acl.call("aclopSetAttrBool", made, one, ctypes.c_uint8(value))
        elif isinstance(value, int):
            acl.call("aclopSetAttrInt", made, one, ctypes.c_int64(value))
        elif isinstance(value, float):
            acl.call("aclopSetAttrFloat", made, one, ctypes.c_float(value))
        elif isinstance(value, str):
            acl.call("aclopSetAttrString", made, one, value.encode())
        else:
            acl.call("aclopSetAttrListInt", made, one, len(value), (ctypes.c_int64 * len(value))(*value))
    yield made
    acl.rt.aclopDestroyAttr(made)


def run(operator, ins, outs, **given):
    """Starts the operator and gives its outputs, which are shaped like `outs`."""
    sides = [[described(one) for one in side] for side in (ins, outs)]
    arguments = []
    for side in sides:
        columns = list(zip(*side, strict=True))
        arguments += [len(side), *((P * len(side))(*columns[k]) for k in range(2))]
    try:
        with attributes(given) as made:
            acl.call("aclopCompileAndExecute", operator.encode(), *arguments, made, 0, 0, None, None)
        acl.call("aclrtSynchronizeStream", None)
        read = [np.frombuffer(memory.read(), one.dtype) for one, (_, _, memory) in zip(outs, sides[1], strict=True)]
        return [flat.reshape(one.shape) for flat, one in zip(read, outs, strict=True)]
    finally:
        for side in sides:
            for description, buffer, memory in side:
                acl.rt.aclDestroyTensorDesc(description)
                acl.rt.aclDestroyDataBuffer(buffer)
                if memory:
                    memory.free()


def near(got, expected, name, factor=1.0):
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=BOUNDS[name] * factor, atol=BOUNDS[name] * factor)


def logistic(x):
    return 1 / (1 + np.exp(-x))


STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 5, 2
STATE = (1, BATCH, HIDDEN)


def operands(name, gates):
    dtype = dtype_of(name)
    shapes = [
        (STEPS, BATCH, INPUTS),
        (INPUTS, gates * HIDDEN),
        (HIDDEN, gates * HIDDEN),
        (gates * HIDDEN,),
        STATE,
        STATE,
    ]
    return [values(shape, dtype, seed=i, low=-1, high=1) for i, shape in enumerate(shapes)]


def lstm(x, wx, wh, b, h, c, order=(0, 1, 2, 3), mask=None, backwards=False):
    """y, h, c, i, j, f, o, tanh c of each step; `order`: where i, j, f and o stand."""
    x, wx, wh, b, h, c = (one.astype(np.float64) for one in (x, wx, wh, b, h.reshape(BATCH, -1), c.reshape(BATCH, -1)))
    made = np.zeros((8, len(x), *h.shape))
    for t in range(len(x))[:: -1 if backwards else 1]:
        parts = np.split(x[t] @ wx + h @ wh + b, 4, axis=1)
        i, j, f, o = (
            function(parts[k]) for function, k in zip((logistic, np.tanh, logistic, logistic), order, strict=True)
        )
        on = 1 if mask is None else mask[t]
        new_c = c * f + i * j
        new_h = o * np.tanh(new_c)
        c, h = on * new_c + (1 - on) * c, on * new_h + (1 - on) * h
        made[:, t] = on * new_h, h, c, i, j, f, o, np.tanh(new_c)
    return made


def gru(x, wx, wh, bx, bh, h, reset_first=True):
    """y, h, z, r, n and the state's part of n."""
    x, wx, wh, bx, bh, h = (one.astype(np.float64) for one in (x, wx, wh, bx, bh, h.reshape(BATCH, -1)))
    made = np.zeros((6, len(x), *h.shape))
    for t in range(len(x)):
        a, b = np.split(x[t] @ wx + bx, 3, 1), np.split(h @ wh + bh, 3, 1)
        r, z = (logistic(a[k] + b[k]) for k in ((0, 1) if reset_first else (1, 0)))
        n = np.tanh(a[2] + r * b[2])
        h = (1 - z) * n + z * h
        made[:, t] = h, h, z, r, n, b[2]
    return made


def slopes(function, arguments, weights):
    """The gradient of the sum of weights times function(arguments), by central differences."""
    step, result = 1e-6, []
    for k, one in enumerate(arguments):
        made = np.zeros(one.shape)
        for place in np.ndindex(one.shape):
            totals = []
            for sign in (1, -1):
                moved = [x.astype(np.float64) for x in arguments]
                moved[k][place] += sign * step
                totals.append((weights * function(*moved)).sum())
            made[place] = (totals[0] - totals[1]) / (2 * step)
        result.append(made)
    return result


ORDERS = {"ifjo": (0, 2, 1, 3), "ijfo": (0, 1, 2, 3)}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("name", BOUNDS)
def test_long_short_term_memory(name, apart, order):
    x, wx, wh, b, h, c = operands(name, 4)
    weights = [wx, wh] if apart else [np.concatenate([wx, wh])]
    outs = [np.zeros((STEPS, BATCH, HIDDEN), x.dtype)] * 8
    got = run("DynamicRNNV2" if apart else "DynamicRNN", [x, *weights, b, None, h, c], outs, gate_order=order)
    for one, other in zip(got, lstm(x, wx, wh, b, h, c, ORDERS[order]), strict=True):
        near(one, other, name, 2)


def test_sequences_that_end_early():
    x, wx, wh, b, h, c = operands("float32", 4)
    lengths = np.array([4, 1, 2], np.int32)
    mask = (np.arange(STEPS)[:, None, None] < lengths[:, None]) * np.ones(HIDDEN)
    outs = [np.zeros((STEPS, BATCH, HIDDEN), np.float32)] * 8
    for given in (lengths, mask.astype(np.float16)):
        for backwards in (False, True):
            direction = "REDIRECTIONAL" if backwards else "UNIDIRECTIONAL"
            got = run("DynamicRNN", [x, np.concatenate([wx, wh]), b, given, h, c], outs, direction=direction)
            expected = lstm(x, wx, wh, b, h, c, mask=mask, backwards=backwards)
            for one, other in zip(got, expected, strict=True):
                near(one, other, "float32", 2)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_gradients_of_long_short_term_memory(apart, masked):
    given = operands("float32", 4)
    x, wx, wh, b, h, c = given
    mask = (np.arange(STEPS)[:, None, None] < np.array([4, 1, 2])[:, None]) * np.ones(HIDDEN) if masked else None
    y, hs, cs, *inner = (one.astype(np.float32) for one in lstm(*given, mask=mask))
    dy, dh, dc = (
        values((STEPS, BATCH, HIDDEN), np.float32, 7),
        values((BATCH, HIDDEN), np.float32, 8),
        values((BATCH, HIDDEN), np.float32, 9),
    )

    def outcome(*arguments):
        made = lstm(*arguments, mask=mask)
        return np.concatenate([made[0], made[1][-1:], made[2][-1:]])

    expected = slopes(outcome, given, np.concatenate([dy, dh[None], dc[None]]))
    none, going = np.zeros((), np.float32), np.zeros((), np.float32) if mask is None else mask.astype(np.float16)
    weights = [wx, wh] if apart else [np.concatenate([wx, wh]), b]
    ins = [x, *weights, y, h[0], c[0], hs, cs, dy, dh, dc, *inner, going, none, none, none, none]
    outs = [np.zeros_like(one) for one in ([wx, wh] if apart else [weights[0]])] + [
        np.zeros_like(one) for one in (b, x, h[0], c[0])
    ]
    got = run("DynamicRNNV2Grad" if apart else "DynamicRNNGrad", ins, outs)
    dx, dwx, dwh, db, dh0, dc0 = expected
    wanted = [*([dwx, dwh] if apart else [np.concatenate([dwx, dwh])]), db, dx, dh0[0], dc0[0]]
    for one, other in zip(got, wanted, strict=True):
        near(one, other, "float32", 30)


@pytest.mark.parametrize("reset_first", [True, False])
@pytest.mark.parametrize("name", BOUNDS)
def test_gated_units(name, reset_first):
    x, wx, wh, bx, h, _ = operands(name, 3)
    bh = values(bx.shape, bx.dtype, seed=11, low=-1, high=1)
    outs = [np.zeros((STEPS, BATCH, HIDDEN), x.dtype)] * 6
    got = run(
        "DynamicGRUV2", [x, wx, wh, bx, bh, None, h], outs, gate_order="rzh" if reset_first else "zrh", reset_after=True
    )
    for one, other in zip(got, gru(x, wx, wh, bx, bh, h, reset_first), strict=True):
        near(one, other, name, 2)


def test_gradients_of_gated_units():
    x, wx, wh, bx, h, _ = operands("float32", 3)
    given = [x, wx, wh, bx, values(bx.shape, np.float32, seed=11, low=-1, high=1), h]
    y, hs, *inner = (one.astype(np.float32) for one in gru(*given))
    dy, dh = values((STEPS, BATCH, HIDDEN), np.float32, 7), values((BATCH, HIDDEN), np.float32, 8)
    expected = slopes(lambda *a: np.concatenate([gru(*a)[0], gru(*a)[1][-1:]]), given, np.concatenate([dy, dh[None]]))
    none = np.zeros((), np.float32)
    ins = [x, wx, wh, y, h[0], hs, dy, dh, *inner, none, none.astype(np.uint8)]
    outs = [np.zeros_like(given[k]) for k in (1, 2, 3, 4, 0)] + [np.zeros_like(h[0])]
    got = run("DynamicGRUV2Grad", ins, outs, gate_order="rzh")
    dx, dwx, dwh, dbx, dbh, dh0 = expected
    for one, other in zip(got, [dwx, dwh, dbx, dbh, dx, dh0[0]], strict=True):
        near(one, other, "float32", 30)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("order", [0.0, 1.0, 2.5, 2147483648.0, -2147483648.0])
def test_norms(order, keep):
    x = values((3, 4, 5), np.float32)
    p = np.sign(order) * np.inf if abs(order) > 1e9 else order
    for axes in ((1,), (0, -1), ()):
        moved = np.moveaxis(x, axes, range(len(axes))).reshape(
            -1, *(n for i, n in enumerate(x.shape) if i not in {a % 3 for a in axes})
        )
        expected = np.linalg.norm((moved if axes else x.reshape(-1)).astype(np.float64), p, axis=0)
        shape = [1 if not axes or i in {a % 3 for a in axes} else n for i, n in enumerate(x.shape)]
        out = np.zeros(shape if keep else expected.shape, np.float32)
        (reduced,) = run("LpNormReduceV2", [x], [out], p=order, axes=axes, keepdim=keep)
        (got,) = run("LpNormUpdateV2", [reduced], [out], p=order)
        near(got, expected.reshape(out.shape), "float32", 2)


@pytest.mark.parametrize("order", [1.0, 2.0, -1.0])
def test_gradient_of_distances(order):
    x, y, g = values((4, 3), np.float64), values((5, 3), np.float64, 1), values((4, 5), np.float64, 2)
    p = np.inf if order == -1 else order
    distances = np.linalg.norm(x[:, None] - y, p, axis=-1)
    (expected,) = slopes(lambda one: np.linalg.norm(one[:, None] - y, p, axis=-1), [x], g)
    spread = [
        np.ascontiguousarray(np.broadcast_to(one, (4, 5, 3)), np.float32)
        for one in (g[..., None], x[:, None], y, distances[..., None])
    ]
    (got,) = run("CdistGrad", spread, [np.zeros((4, 3), np.float32)], p=order)
    near(got, expected, "float32", 5)


@pytest.mark.parametrize("shape", [(4, 0, 3), (0, 5, 3), (4, 5, 0), (2, 4, 0, 3)])
def test_gradient_of_distances_to_nothing(shape):
    operands, rows = [np.zeros(shape, np.float32)] * 4, (*shape[:-2], shape[-1])
    (got,) = run("CdistGrad", operands, [np.full(rows, 7, np.float32)], p=2.0)
    assert got.shape == rows and not got.any()
    with acl.refused(100000, "CdistGrad", "output 0"):
        run("CdistGrad", operands, [np.zeros((*rows[:-1], 9), np.float32)], p=2.0)


def test_conversions_and_inputs_of_the_host():
    (got,) = run("Cast", [np.array([1.5, -2.5], np.float32)], [np.zeros(2, np.int32)])
    assert got.tolist() == [1, -2]
    data = np.array([3.5, 4.5], np.float32)
    description = P(acl.rt.aclCreateTensorDesc(0, 1, (ctypes.c_int64 * 1)(2), ND))
    acl.call("aclSetTensorPlaceMent", description, 1)
    buffer, out = (
        P(acl.rt.aclCreateDataBuffer(data.ctypes.data_as(P), ctypes.c_size_t(8))),
        described(np.zeros(2, np.float16)),
    )
    sides = [1, (P * 1)(description), (P * 1)(buffer), 1, (P * 1)(out[0]), (P * 1)(out[1])]
    acl.call("aclopCompileAndExecute", b"Cast", *sides, None, 0, 0, None, None)
    acl.call("aclrtSynchronizeStream", None)
    assert np.frombuffer(out[2].read(), np.float16).tolist() == [3.5, 4.5]


def test_refusals():
    x = np.ones((2, 3), np.float32)
    with acl.refused(100024, "Conv2D"):
        run("Conv2D", [x], [x])
    with acl.refused(100000, "Cast", "output 0"):
        run("Cast", [x], [x[0].copy()])
    with acl.refused(100000, "Cast", "input 0"):
        run("Cast", [None], [x])
    x, wx, wh, b, h, c = operands("float32", 4)
    w, outs = np.concatenate([wx, wh]), [np.zeros((STEPS, BATCH, HIDDEN), np.float32)] * 8
    for word, ins, given in (
        ("weights", [x, w[:-1].copy(), b, None, h, c], {}),
        ("seq_length", [x, w, b, np.ones(2, np.int32), h, c], {}),
        ("init_h", [x, w, b, None, h[..., :1].copy(), c], {}),
        ("direction", [x, w, b, None, h, c], {"direction": "BIDIRECTIONAL"}),
        ("gate_order", [x, w, b, None, h, c], {"gate_order": "ofij"}),
    ):
        with acl.refused(100000, "DynamicRNN", word):
            run("DynamicRNN", ins, outs, **given)
