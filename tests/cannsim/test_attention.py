"""Simulated attention and its gradients, against NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, layouts, values

BOUNDS = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 4e-2}
LAYOUTS = ("BNSD", "BSND", "BSH", "SBH")
FAR = 2**31 - 1


def given_as(x, layout):
    """(batch, heads, positions, width) in another layout."""
    b, n, s, d = x.shape
    if layout == "BNSD":
        return np.ascontiguousarray(x)
    if layout == "BSND":
        return np.ascontiguousarray(x.transpose(0, 2, 1, 3))
    if layout == "BSH":
        return np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(b, s, n * d)
    return np.ascontiguousarray(x.transpose(2, 0, 1, 3)).reshape(s, b, n * d)


def seen(x, layout, heads):
    """The inverse."""
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return x.transpose(0, 2, 1, 3)
    a, b, h = x.shape
    split = x.reshape(a, b, heads, h // heads)
    return split.transpose(0, 2, 1, 3) if layout == "BSH" else split.transpose(1, 2, 0, 3)


def reference(q, k, v, scale, hidden=None, shift=None, kept=None, shift_first=True):
    """Output, the scores' maxima and sums, and the probabilities; `kept` multiplies the probabilities."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.swapaxes(-1, -2)
    more = 0 if shift is None else shift.astype(np.float64)
    scores = (scores + more) * scale if shift_first else scores * scale + more
    if hidden is not None:
        scores = np.where(hidden, -np.inf, scores)
    highest = np.maximum(scores.max(-1, keepdims=True), np.finfo(np.float32).min)
    p = np.exp(scores - highest)
    sums = p.sum(-1, keepdims=True)
    p = np.divide(p, sums, out=np.zeros_like(p), where=sums != 0)
    return (p if kept is None else p * kept) @ v, highest, sums, p


def gradients(q, k, v, dy, p, scale, kept=None):
    q, k, v, dy = (x.astype(np.float64) for x in (q, k, v, dy))
    group = q.shape[1] // k.shape[1]
    wide_k, wide_v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    used = p if kept is None else p * kept
    dp = dy @ wide_v.swapaxes(-1, -2) * (1 if kept is None else kept)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True))

    def joined(x):
        b, _, s, d = x.shape
        return x.reshape(b, k.shape[1], group, s, d).sum(2)

    dk, dv = ds.swapaxes(-1, -2) @ q * scale, used.swapaxes(-1, -2) @ dy
    return ds @ wide_k * scale, joined(dk), joined(dv), ds


@dataclass(frozen=True)
class Options:
    """What attention and its gradients take beside operands, layout and scale, unless a test says otherwise."""

    mask: np.ndarray | None = None
    shift: np.ndarray | None = None
    drop: np.ndarray | None = None
    keep: float = 1.0
    mode: int = 0
    before: int = FAR
    after: int = FAR

    def tensors(self):
        return self.shift, self.drop, None, self.mask

    def numbers(self, scale, heads, layout):
        return scale, self.keep, self.before, self.after, heads, layout, 0, self.mode


def forward(q, k, v, layout, scale, prefix=None, kind=None, **changed):
    options = Options(**changed)
    b, n, s, _ = q.shape
    out = acl.Tensor(np.zeros_like(given_as(np.zeros((b, n, s, v.shape[3]), q.dtype), layout)))
    maxima, sums = (acl.Tensor(np.zeros((b, n, s, 8), np.float32)) for _ in range(2))
    starts = [] if kind is None else [None, None]
    acl.run(
        "aclnnFlashAttentionScore" if kind is None else "aclnnFlashAttentionScoreV2",
        *(given_as(x, layout) for x in (q, k, v)), *options.tensors(), prefix, *starts,
        *options.numbers(scale, n, layout), *([] if kind is None else [kind]), maxima, sums, None, out,
    )  # fmt: skip
    return tuple(np.array(one.numpy()) for one in (out, maxima, sums))


def backward(q, k, v, dy, y, maxima, sums, layout, scale, **changed):
    options = Options(**changed)
    made = [acl.Tensor(np.zeros_like(given_as(x, layout))) for x in (q, k, v)]
    of_shift = None if options.shift is None else acl.Tensor(np.zeros_like(options.shift))
    acl.run(
        "aclnnFlashAttentionScoreGrad", *(given_as(x, layout) for x in (q, k, v, dy)), *options.tensors(), maxima,
        sums, None, y, None, *options.numbers(scale, q.shape[1], layout), *made, of_shift,
    )  # fmt: skip
    heads = (q.shape[1], k.shape[1], k.shape[1])
    got = [seen(np.array(one.numpy()), layout, n) for one, n in zip(made, heads, strict=True)]
    return got, None if of_shift is None else np.array(of_shift.numpy())


def near(got, expected, name, factor=1):
    bound = BOUNDS[name] * factor
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=bound, atol=bound)


def operands(name, heads=(4, 4), positions=(5, 7), width=8, value_width=8):
    dtype = dtype_of(name)
    shapes = [
        (2, heads[0], positions[0], width),
        (2, heads[1], positions[1], width),
        (2, heads[1], positions[1], value_width),
    ]
    return [values(shape, dtype, seed=i, low=-1.5, high=1.5) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("heads", [(4, 4), (4, 2), (4, 1)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", BOUNDS)
def test_every_layout_and_its_gradients(name, layout, heads):
    q, k, v = operands(name, heads)
    y, maxima, sums = forward(q, k, v, layout, 0.3)
    expected, highest, totals, p = reference(q, k, v, 0.3)
    near(seen(y, layout, 4), expected, name)
    np.testing.assert_allclose(maxima, np.broadcast_to(highest, maxima.shape), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(sums, np.broadcast_to(totals, sums.shape), rtol=1e-5)
    dy = values(expected.shape, q.dtype, seed=9, low=-1, high=1)
    got, _ = backward(q, k, v, dy, y, maxima, sums, layout, 0.3)
    for one, other in zip(got, gradients(q, k, v, dy, p, 0.3), strict=False):
        near(one, other, name, 4)


def test_values_of_another_width():
    q, k, v = operands("float32", value_width=3)
    y, _, _ = forward(q, k, v, "BNSD", 0.5)
    near(y, reference(q, k, v, 0.5)[0], "float32")


@pytest.mark.parametrize("shape", [(5, 7), (1, 1, 5, 7), (2, 1, 5, 7), (2, 4, 5, 7)])
@pytest.mark.parametrize("kind", [bool, np.uint8])
def test_masks_hide_keys(shape, kind):
    q, k, v = operands("float32")
    hidden = np.random.default_rng(3).random(shape) < 0.4
    hidden[..., 2, :] = True  # a query that sees nothing gets zeros
    for mask in layouts(hidden.astype(kind)):
        y, maxima, sums = forward(q, k, v, "BNSD", 0.5, mask=mask)
        expected, _, totals, p = reference(q, k, v, 0.5, hidden)
        near(y, expected, "float32")
        assert not y[:, :, 2].any()
        np.testing.assert_allclose(sums, np.broadcast_to(totals, sums.shape), rtol=1e-5)
        got, _ = backward(q, k, v, np.ones_like(y), y, maxima, sums, "BNSD", 0.5, mask=mask)
        for one, other in zip(got, gradients(q, k, v, np.ones_like(y), p, 0.5), strict=False):
            near(one, other, "float32", 4)


@pytest.mark.parametrize("positions", [(5, 7), (7, 5), (6, 6)])
@pytest.mark.parametrize("mode", [0, 2, 3, 4, 5, 6])
def test_patterns(mode, positions):
    q, k, v = operands("float32", positions=positions)
    i, j = np.indices(positions)
    late = i + positions[1] - positions[0]
    before, after, prefix = 2, 1, np.array([1, 4])
    hidden = {
        0: (j < i - before) | (j > i + after), 2: j > i, 3: j > late, 4: (j < late - before) | (j > late + after),
    }.get(mode)  # fmt: skip
    if hidden is None:
        hidden = ((j > late) & (j >= prefix[:, None, None]))[:, None]
    mask = np.triu(np.ones((2048, 2048), bool), 1)
    if mode == 0:
        mask = np.zeros(positions, bool)
    elif mode == 5:
        mask = hidden
    elif mode == 6:
        mask = np.concatenate([mask, np.ones((1024, 2048), bool)])
    listed = acl.IntArray([1, 4]) if mode in (5, 6) else None
    y, _, _ = forward(q, k, v, "BNSD", 0.5, prefix=listed, mask=mask, mode=mode, before=before, after=after)
    near(y, reference(q, k, v, 0.5, hidden)[0], "float32")


@pytest.mark.parametrize("shape", [(2, 4, 5, 7), (1, 4, 5, 7), (2, 4, 1, 7)])
def test_a_shift_of_the_scores(shape):
    q, k, v = operands("float32")
    shift = values(shape, np.float32, seed=5)
    y, maxima, sums = forward(q, k, v, "BNSD", 0.5, shift=shift)
    expected, _, _, p = reference(q, k, v, 0.5, shift=shift)
    near(y, expected, "float32")
    dy = values(y.shape, np.float32, seed=6)
    got, of_shift = backward(q, k, v, dy, y, maxima, sums, "BNSD", 0.5, shift=shift)
    *slopes, ds = gradients(q, k, v, dy, p, 0.5)
    for one, other in zip(got, slopes, strict=True):
        near(one, other, "float32", 4)
    axes = tuple(axis for axis in range(4) if shape[axis] == 1)
    near(of_shift, (ds * 0.5).sum(axes, keepdims=True) if axes else ds * 0.5, "float32", 4)
    for kind in (0, 1):
        y, _, _ = forward(q, k, v, "BNSD", 0.5, shift=shift, kind=kind)
        near(y, reference(q, k, v, 0.5, shift=shift, shift_first=kind == 1)[0], "float32")


def test_dropped_probabilities():
    q, k, v = operands("float32")
    bits = np.random.default_rng(8).integers(0, 256, 2 * 4 * 5 * 7 // 8, dtype=np.uint8)
    kept = np.unpackbits(bits, bitorder="little").reshape(2, 4, 5, 7) / 0.75
    y, maxima, sums = forward(q, k, v, "BNSD", 0.5, drop=bits, keep=0.75)
    expected, _, _, p = reference(q, k, v, 0.5, kept=kept)
    near(y, expected, "float32")
    dy = values(y.shape, np.float32, seed=6)
    got, _ = backward(q, k, v, dy, y, maxima, sums, "BNSD", 0.5, drop=bits, keep=0.75)
    for one, other in zip(got, gradients(q, k, v, dy, p, 0.5, kept), strict=False):
        near(one, other, "float32", 4)


@pytest.mark.parametrize(
    ("word", "changed"),
    [
        ("sparseMode", {"mode": 9, "mask": np.zeros((5, 7), bool)}),
        ("attenMaskOptional", {"mode": 2}),
        ("attenMaskOptional", {"mode": 2, "mask": np.zeros((5, 7), bool)}),
        ("attenMaskOptional", {"mask": np.zeros((7, 5), bool)}),
        ("attenMaskOptional", {"mask": np.zeros((5, 7), np.float32)}),
        ("dropMaskOptional", {"keep": 0.5}),
        ("keepProb", {"keep": 1.5}),
        ("realShiftOptional", {"shift": np.zeros((2, 4, 7), np.float32)}),
    ],
)
def test_refusals(word, changed):
    q, k, v = operands("float32")
    with acl.refused(161002, "aclnnFlashAttentionScore", word):
        forward(q, k, v, "BNSD", 0.5, **changed)


@pytest.mark.parametrize(
    ("word", "heads", "layout"),
    [("inputLayout", 4, "NBSD"), ("query", 4, "BSH"), ("headNum", 3, "BNSD"), ("headNum", 0, "BNSD")],
)
def test_refused_layouts(word, heads, layout):
    q, k, v = operands("float32")
    statistics = [np.zeros((2, 4, 5, 8), np.float32) for _ in range(2)]
    with acl.refused(161002, "aclnnFlashAttentionScore", word):
        acl.run(
            "aclnnFlashAttentionScore", q, k, v, *Options().tensors(), None, *Options().numbers(0.5, heads, layout),
            *statistics, None, q,
        )  # fmt: skip


def test_refused_keys():
    q, k, v = operands("float32")
    with acl.refused(161002, "aclnnFlashAttentionScore", "key"):
        forward(q, k[:, :3], v[:, :3], "BNSD", 0.5)
    with acl.refused(161002, "aclnnFlashAttentionScore", "value"):
        forward(q, k, v[:, :, :3], "BNSD", 0.5)
