"""Simulated losses, their gradients and optimizer steps against formulas in double precision."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from scipy import special

from cannsim import acl
from cannsim.comparing import FLOATS, agree, layouts, refuses, values, wide


def softplus(x):
    return np.logaddexp(0, x)


# name, each element's loss, its derivative by x, the gradient's name, further arguments behind the reduction, low, high
LOSSES = [
    ("MseLoss", lambda x, t: (x - t) ** 2, lambda x, t: 2 * (x - t), []),
    ("L1Loss", lambda x, t: np.abs(x - t), lambda x, t: np.sign(x - t), []),
    (
        "SmoothL1Loss",
        lambda x, t: np.where(np.abs(x - t) < 0.5, (x - t) ** 2, np.abs(x - t) - 0.25),
        lambda x, t: np.clip((x - t) / 0.5, -1, 1),
        [ctypes.c_float(0.5)],
    ),
    ("SoftMarginLoss", lambda x, t: softplus(-t * x), lambda x, t: -t * special.expit(-t * x), []),
    ("KlDiv", lambda x, t: special.xlogy(t, t) - t * x, lambda x, t: -t + 0 * x, [False]),
]


def reduced(each, reduction):
    return [each, each.mean(), each.sum()][reduction] if reduction < 3 else each.sum() / each.shape[0]


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name, f, slope, given", LOSSES, ids=[row[0] for row in LOSSES])
def test_losses(name, f, slope, given, dtype, reduction):
    for x in layouts(values((3, 5), dtype)):
        t = values((3, 5), dtype, 1, low=0.1 if name == "KlDiv" else -3)
        expected = np.asarray(reduced(f(wide(x), wide(t)), reduction))
        agree(
            acl.result("aclnn" + name, x, t, reduction, *given, ..., out=np.empty(expected.shape, dtype)), expected, 2
        )
        g = values(expected.shape, dtype, 2)
        got = acl.result(f"aclnn{name}Backward", g, x, t, reduction, *given, ..., out=np.empty(x.shape, dtype))
        agree(got, wide(g) * slope(wide(x), wide(t)) / (x.size if reduction == 1 else 1), 2)
    named = {0: "self", 1: "target", 3 + len(given): "result" if name == "SmoothL1Loss" else "out"}
    refuses(
        "aclnn" + name,
        [x, t, reduction, *given, np.empty(expected.shape, dtype)],
        named,
        expected.astype(dtype),
        3 + len(given),
    )
    with acl.refused(161002, name, "reduction"):
        acl.result("aclnn" + name, x, t, 9, *given, ..., out=np.empty((), dtype))


def test_divergence_forms():
    x, t = values((3, 5), np.float32), values((3, 5), np.float32, 1)
    each = np.exp(wide(t)) * (wide(t) - wide(x))
    agree(acl.result("aclnnKlDiv", x, t, 3, True, ..., out=np.empty((), np.float32)), each.sum() / 3, 5)
    agree(acl.result("aclnnMseLossOut", x, t, 1, ..., out=np.empty((), np.float32)), ((wide(x) - wide(t)) ** 2).mean())


@pytest.mark.parametrize("logarithms", [False, True])
@pytest.mark.parametrize("reduction", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_divergence_by_its_target(dtype, reduction, logarithms):
    for x in layouts(values((3, 5), dtype)):
        t, g = values((3, 5), dtype, 1, low=0.1), values((3, 5) if reduction == 0 else (), dtype, 2)
        slope = np.exp(wide(t)) * (wide(t) - wide(x) + 1) if logarithms else np.log(wide(t)) + 1 - wide(x)
        expected = wide(g) * slope / (1, 15, 1, 3)[reduction]
        got = acl.result("aclnnKlDivTargetBackward", g, x, t, reduction, logarithms, ..., out=np.empty((3, 5), dtype))
        agree(got, expected, 2)


@pytest.mark.parametrize("weighted", [0, 1, 2])
@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_cross_entropy_of_two(dtype, reduction, weighted):
    for x in layouts(values((3, 5), dtype)):
        t = values((3, 5), dtype, 1, 0, 1)
        w = values((3, 5), dtype, 2, 0.5, 2) if weighted else None
        p = values((5,), dtype, 3, 0.5, 2) if weighted == 2 else None
        ww, pp = (1 if one is None else wide(one) for one in (w, p))
        xx, tt = wide(x), wide(t)
        each = ww * ((1 - tt) * softplus(xx) + pp * tt * softplus(-xx))
        expected = np.asarray(reduced(each, reduction))
        name, n = "aclnnBinaryCrossEntropyWithLogits", x.size if reduction == 1 else 1
        out = np.empty(expected.shape, dtype)
        if reduction == 0:  # the facts document no other shape of this output than self's
            agree(acl.result(name, x, t, w, p, reduction, ..., out=out), expected, 2)
        else:
            agree(acl.result(name, x, t, w, p, reduction, ..., out=out), expected, 2)
        g = values(expected.shape, dtype, 4)
        slope = ww * ((1 - tt) * special.expit(xx) - pp * tt * special.expit(-xx))
        agree(
            acl.result(name + "Backward", g, x, t, w, p, reduction, ..., out=np.empty(x.shape, dtype)),
            wide(g) * slope / n,
            2,
        )
        slope = ww * (pp * softplus(-xx) - softplus(xx))
        agree(
            acl.result(name + "TargetBackward", g, x, t, w, p, reduction, ..., out=np.empty(x.shape, dtype)),
            wide(g) * slope / n,
            3,
        )
        if weighted == 2:
            continue
        y = values((3, 5), dtype, 5, 0.05, 0.95)
        yy = wide(y)
        expected = np.asarray(reduced(-ww * (tt * np.log(yy) + (1 - tt) * np.log(1 - yy)), reduction))
        agree(acl.result("aclnnBinaryCrossEntropy", y, t, w, reduction, ..., out=out), expected, 2)
        slope = ww * (yy - tt) / (yy * (1 - yy))
        agree(
            acl.result("aclnnBinaryCrossEntropyBackward", g, y, t, w, reduction, ..., out=np.empty(x.shape, dtype)),
            wide(g) * slope / n,
            3,
        )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("shape", [(6, 4), (4,), (2, 4, 3, 2)])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_likelihood(dtype, shape, reduction, weighted):
    name = "aclnnNLLLoss2d" if len(shape) == 4 else "aclnnNLLLoss"
    for x in layouts(values(shape, dtype)):
        rest = (shape[0], *shape[2:]) if len(shape) > 1 else ()
        t = np.asarray(np.abs(values(rest, np.int64, 1)) % 4)
        w = values(4, dtype, 2, 0.5, 2) if weighted else None
        ww = wide(w) if weighted else np.ones(4)
        ignored = 2
        kept = t != ignored
        picked = np.moveaxis(wide(x), 1, -1) if len(shape) > 1 else wide(x)
        own = np.where(kept, ww[t], 0)
        each = -own * np.take_along_axis(picked, t[..., None], -1)[..., 0]
        with np.errstate(invalid="ignore"):
            expected = np.asarray([each, each.sum() / own.sum(), each.sum()][reduction])
        out, total = acl.Tensor(np.empty(expected.shape, dtype)), acl.Tensor(np.empty((), dtype))
        acl.run(name, x, t, w, reduction, ignored, out, total)
        agree(out.numpy(), expected, 2)
        agree(total.numpy(), own.sum())
        g = values(expected.shape, dtype, 3)
        weight = np.asarray(own.sum(), dtype)
        got = acl.result(name + "Backward", g, x, t, w, reduction, ignored, weight, ..., out=np.empty(shape, dtype))
        slope = np.zeros(picked.shape)
        np.put_along_axis(
            slope, t[..., None], (-own * wide(g) / (wide(weight) if reduction == 1 and own.sum() else 1))[..., None], -1
        )
        agree(got, np.moveaxis(slope, -1, 1) if len(shape) > 1 else slope, 2)
    with acl.refused(161002, name, "target"):
        acl.plan(name, acl.Tensor(x), acl.Tensor(np.zeros((9, 9), np.int64)), None, reduction, 0, out, total)
    with acl.refused(161001, name, "target"):
        acl.plan(name, acl.Tensor(x), None, None, reduction, 0, out, total)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_cross_entropy(dtype, reduction, smoothing):
    x, t, w = values((6, 4), dtype), np.array([0, 1, 2, 3, 1, 0]), values(4, np.float32, 1, 0.5, 2)
    logs, ww = special.log_softmax(wide(x), axis=1), wide(w)
    kept = t != 2
    own = np.where(kept, ww[t], 0)

    def total(logs):
        each = -(1 - smoothing) * own * logs[np.arange(6), t] - smoothing / 4 * (logs * ww).sum(axis=1) * kept
        return {"none": each, "sum": each.sum(), "mean": each.sum() / own.sum()}[reduction]

    expected = np.asarray(total(logs))
    out, probabilities = acl.Tensor(np.empty(expected.shape, dtype)), acl.Tensor(np.empty((6, 4), dtype))
    acl.run("aclnnCrossEntropyLoss", x, t, w, reduction, 2, smoothing, 0.0, False, out, probabilities, None, None)
    agree(out.numpy(), expected, 2)
    agree(probabilities.numpy(), logs, 2)
    g, logs = values(expected.shape, dtype, 2), logs.astype(dtype)
    got = acl.result(
        "aclnnCrossEntropyLossGrad",
        g,
        logs,
        t,
        w,
        None,
        None,
        reduction,
        2,
        smoothing,
        0.0,
        ...,
        out=np.empty((6, 4), dtype),
    )
    slope = np.empty((6, 4))
    start = wide(logs)
    for i in np.ndindex(6, 4):  # by a central difference of the scores
        moved = np.zeros((6, 4))
        moved[i] = 1e-6
        ahead, behind = (total(special.log_softmax(start + sign * moved, axis=1)) for sign in (1, -1))
        slope[i] = (wide(g) * (ahead - behind)).sum() / 2e-6
    agree(got, slope, 5)


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_adam_with_decay(dtype, maximize, amsgrad):
    x, m, v, g = (
        values((3, 4), dtype),
        values((3, 4), dtype, 1),
        np.abs(values((3, 4), dtype, 2)),
        values((3, 4), dtype, 3),
    )
    most = np.abs(values((3, 4), dtype, 4))
    tensors = [acl.Tensor(one.copy()) for one in (x, m, v, most)]
    numbers = [ctypes.c_float(one) for one in (0.1, 0.875, 0.75, 0.25, 1e-3)]
    acl.run(
        "aclnnApplyAdamWV2",
        *tensors[:3],
        tensors[3] if amsgrad else None,
        acl.Tensor(g),
        acl.Tensor(np.array([2], np.float32)),
        *numbers,
        amsgrad,
        maximize,
    )
    slope = -wide(g) if maximize else wide(g)
    m1, v1 = 0.875 * wide(m) + 0.125 * slope, 0.75 * wide(v) + 0.25 * slope**2
    largest = np.maximum(v1, wide(most)) if amsgrad else v1
    update = m1 / (1 - 0.875**3) / (np.sqrt(largest / (1 - 0.75**3)) + 1e-3)
    agree(tensors[0].numpy(), wide(x) * (1 - 0.1 * 0.25) - 0.1 * update, 2)
    agree(tensors[1].numpy(), m1)
    agree(tensors[2].numpy(), v1)
    if amsgrad:
        agree(tensors[3].numpy(), largest)


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_adam_with_average(dtype, mode):
    g, x, m, s = (values((3, 4), dtype, k) for k in range(4))
    v = np.abs(values((3, 4), dtype, 5))
    tensors = [acl.Tensor(one.copy()) for one in (x, m, v, s)]
    acl.run(
        "aclnnApplyFusedEmaAdam",
        acl.Tensor(g),
        *tensors,
        acl.Tensor(np.array([3], np.int64)),
        0.1,
        0.5,
        0.875,
        0.75,
        1e-3,
        mode,
        True,
        0.25,
    )
    slope = wide(g) + (0.25 * wide(x) if mode == 0 else 0)
    m1, v1 = 0.875 * wide(m) + 0.125 * slope, 0.75 * wide(v) + 0.25 * slope**2
    update = m1 / (1 - 0.875**3) / (np.sqrt(v1 / (1 - 0.75**3)) + 1e-3) + (0.25 * wide(x) if mode == 1 else 0)
    agree(tensors[0].numpy(), wide(x) - 0.1 * update, 2)
    agree(tensors[3].numpy(), 0.5 * wide(s) + 0.5 * (wide(x) - 0.1 * update), 2)


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_margins_to_named_classes(dtype, reduction):
    target = np.array([[1, 3, -1, 0], [-1, 2, 2, 2], [3, 2, 1, 0]])
    marks = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])
    for x in layouts(values((3, 4), dtype)):
        each = []
        for row, named, mark in zip(wide(x), ([1, 3], [], [3, 2, 1, 0]), marks, strict=True):
            each.append(sum(max(0, 1 - row[k] + row[j]) for k in named for j in range(4) if not mark[j]) / 4)
        expected = np.asarray(reduced(np.array(each), reduction))
        out, is_target = acl.Tensor(np.empty(expected.shape, dtype)), acl.Tensor(np.empty((3, 4), dtype))
        acl.run("aclnnMultilabelMarginLoss", x, target, reduction, out, is_target)
        agree(np.array(out.numpy()), expected, 2)
        np.testing.assert_array_equal(wide(np.array(is_target.numpy())), marks)
    with acl.refused(161002, "aclnnMultilabelMarginLoss", "target"):
        acl.run("aclnnMultilabelMarginLoss", x, target[:2], reduction, out, is_target)
