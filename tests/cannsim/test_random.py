"""Simulated random numbers: distribution, determinism in seed and offset, refusals."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from scipy import stats

from cannsim import acl
from cannsim.comparing import BFLOAT16
from cannsim.documented import dtypes, layouts, same, values

F = ctypes.c_float
N = 20000


def over(name, parameter):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


def filled(name, x, *arguments):
    target = acl.Tensor(x)
    acl.run(name, target, *arguments)
    return np.array(target.numpy())


def wide(x):
    return x.astype(np.float64) if x.dtype.kind != "c" else x.real


def repeats(function):
    """The same for the same seed and offset, another for another."""
    first = function(3, 0)
    same(function(3, 0), first)
    assert (function(4, 0) != first).any()
    assert (function(3, 8) != first).any()


@over("aclnnInplaceUniform", "selfRef")
def test_uniform(dtype):
    got = wide(filled("aclnnInplaceUniform", np.empty(N, dtype), 2.0, 100.0, 1, 0))
    assert got.min() >= (1 if dtype.kind == "b" else 2)
    assert got.max() < 100 if dtype.kind in "iu" or dtype.itemsize > 2 else got.max() <= 100
    if dtype == np.float32 or dtype == np.float64:
        assert stats.kstest(got, stats.uniform(2, 98).cdf).pvalue > 1e-4
    elif dtype.kind in "iu":
        assert stats.chisquare(np.bincount(got.astype(int), minlength=100)[2:]).pvalue > 1e-4


def test_uniform_below_one():
    for dtype in (np.float16, np.float32, dtypes("aclnnInplaceUniform", "selfRef")[-3]):
        got = wide(filled("aclnnInplaceUniform", np.empty(N, dtype), 0.0, 1.0, 5, 0))
        assert 0 <= got.min() and got.max() < 1


@over("aclnnInplaceNormal", "selfRef")
def test_normal(dtype):
    got = wide(filled("aclnnInplaceNormal", np.empty(N, dtype), F(2.0), F(3.0), 1, 0))
    if dtype.itemsize > 2:
        assert stats.kstest(got, stats.norm(2, 3).cdf).pvalue > 1e-4
    assert abs(got.mean() - 2) < 0.1 and abs(got.std() - 3) < 0.1


@over("aclnnNormalFloatFloat", "out")
def test_normals(dtype):
    out = np.empty((100, 200), dtype)
    mean, std = (
        np.repeat([[0.0], [50.0]], 100, 0)[::2].astype(dtype) + np.zeros(200, dtype),
        np.full((100, 200), 2, dtype),
    )
    for name, first, second, expected in (
        ("FloatFloat", F(5.0), F(2.0), 5),
        ("FloatTensor", F(5.0), std, 5),
        ("TensorFloat", mean, F(2.0), wide(mean)),
        ("TensorTensor", mean, std, wide(mean)),
    ):
        got = wide(acl.result(f"aclnnNormal{name}", first, second, 1, 0, ..., out=out)) - expected
        assert abs(got.mean()) < 0.1 and abs(got.std() - 2) < 0.1
    with acl.refused(161002, "aclnnNormalFloatFloat", "std"):
        acl.result("aclnnNormalFloatFloat", F(0.0), F(-1.0), 1, 0, ..., out=out)


@over("aclnnInplaceRandom", "selfRef")
def test_integers(dtype):
    low, high = (0, 2) if dtype.kind == "b" else (3, 13)
    got = wide(filled("aclnnInplaceRandom", np.empty(N, dtype), low, high, 1, 0)).astype(int)
    counts = np.bincount(got - low, minlength=high - low)
    assert len(counts) == high - low
    assert stats.chisquare(counts).pvalue > 1e-4


def test_integers_of_the_whole_range():
    got = filled("aclnnInplaceRandom", np.empty(N, np.int64), -(2**63), 2**63 - 1, 1, 0)
    assert abs((got > 0).mean() - 0.5) < 0.02
    assert abs((got & 1).mean() - 0.5) < 0.02


@over("aclnnBernoulli", "out")
def test_bernoulli(dtype):
    x = np.zeros((100, 200), dtype)
    for p in (0.0, 0.3, 1.0):
        prob = acl.Scalar(p, np.float32)
        for got in (
            acl.result("aclnnBernoulli", x, prob, 1, 0, ..., out=x.copy()),
            filled("aclnnInplaceBernoulli", x, prob, 1, 0),
        ):
            assert set(np.unique(wide(got))) <= {0, 1}
            assert abs(wide(got).mean() - p) < 0.02


def test_bernoulli_of_tensors():
    p = np.linspace(0, 1, 5, dtype=np.float32)
    for got in (
        filled("aclnnInplaceBernoulliTensor", np.empty((4000, 5), np.int32), p, 1, 0),
        acl.result(
            "aclnnBernoulliTensor", np.zeros((4000, 5), np.float32), p, 1, 0, ..., out=np.empty((4000, 5), np.float32)
        ),
    ):
        np.testing.assert_allclose(wide(got).mean(0), p, atol=0.04)
    short, x = p.astype(BFLOAT16), np.zeros((4000, 5), BFLOAT16)
    for got in (  # the sources take it, the documents do not
        filled("aclnnInplaceBernoulliTensor", x, short, 1, 0),
        acl.result("aclnnBernoulliTensor", x, short, 1, 0, ..., out=x.copy()),
    ):
        np.testing.assert_allclose(wide(got).mean(0), p, atol=0.04)


@over("aclnnRandperm", "out")
def test_permutation(dtype):
    n = 100
    got = acl.result("aclnnRandperm", n, 1, 0, ..., out=np.empty(n, dtype))
    same(np.sort(wide(got)), np.arange(n, dtype=np.float64))
    assert (wide(got) != np.arange(n)).sum() > 80


def test_every_permutation_is_likely():
    index = {}
    for seed in range(3000):
        got = tuple(acl.result("aclnnRandperm", 3, seed, 0, ..., out=np.empty(3, np.int64)).tolist())
        index[got] = index.get(got, 0) + 1
    assert len(index) == 6
    assert stats.chisquare(list(index.values())).pvalue > 1e-4


@over("aclnnMultinomial", "self")
def test_multinomial(dtype):
    weights = np.array([[1, 2, 0, 5], [3, 0, 0, 1]], dtype)
    got = acl.result("aclnnMultinomial", weights, N, True, 1, 0, ..., out=np.empty((2, N), np.int64))
    for line, weight in zip(got, wide(weights), strict=True):
        np.testing.assert_allclose(np.bincount(line, minlength=4) / N, weight / weight.sum(), atol=0.02)
    many = np.tile(weights[0], (N, 1))
    got = acl.result("aclnnMultinomial", many, 3, False, 1, 0, ..., out=np.empty((N, 3), np.int64))
    same(np.sort(got, 1), np.tile([0, 1, 3], (N, 1)))
    np.testing.assert_allclose(np.bincount(got[:, 0], minlength=4) / N, wide(weights[0]) / 8, atol=0.02)


def bits(mask, n):
    return np.unpackbits(mask, bitorder="little")[:n].astype(bool)


@over("aclnnDropout", "input")
def test_dropout(dtype):
    for x in layouts(np.ones((100, 130), dtype)):
        out, mask = acl.Tensor(np.empty((100, 130), dtype)), acl.Tensor(np.empty(1632, np.uint8))
        acl.run("aclnnDropout", x, 0.25, True, 1, 0, out, mask)
        kept = bits(np.array(mask.numpy()), 13000).reshape(100, 130)
        assert abs(kept.mean() - 0.75) < 0.02
        expected = np.where(kept, np.float32(1 / 0.75), 0).astype(dtype)
        same(np.array(out.numpy()), expected)
        again = acl.result("aclnnDropoutDoMask", x, np.array(mask.numpy()), 0.25, ..., out=np.empty((100, 130), dtype))
        same(again, expected)
        given = (x, np.array(mask.numpy()), 1 / 0.75)
        slope = acl.result("aclnnDropoutBackward", *given, ..., out=np.empty((100, 130), dtype))
        same(slope, expected)
        acl.run("aclnnDropout", x, 0.25, False, 1, 0, out, mask)
        same(np.array(out.numpy()), x)


def test_masks():
    for name, extra in (("aclnnDropoutGenMask", ()), ("aclnnDropoutGenMaskV2", (1,))):
        got = acl.result(name, acl.IntArray([100, 200]), 0.4, 1, 0, *extra, ..., out=np.empty(2512, np.uint8))
        assert abs(bits(got, 20000).mean() - 0.6) < 0.02
    with acl.refused(161002, "aclnnDropoutGenMask", "out"):
        acl.result("aclnnDropoutGenMask", acl.IntArray([100, 200]), 0.4, 1, 0, ..., out=np.empty(2496, np.uint8))


def test_deterministic():
    x = np.empty(50, np.float32)
    repeats(lambda seed, offset: filled("aclnnInplaceUniform", x, 0.0, 1.0, seed, offset))
    repeats(lambda seed, offset: filled("aclnnInplaceNormal", x, F(0.0), F(1.0), seed, offset))
    repeats(lambda seed, offset: filled("aclnnInplaceRandom", x, 0, 1000, seed, offset))
    repeats(lambda seed, offset: filled("aclnnInplaceBernoulli", x, acl.Scalar(0.5, np.float32), seed, offset))
    repeats(lambda seed, offset: acl.result("aclnnRandperm", 50, seed, offset, ..., out=x))
    repeats(
        lambda seed, offset: acl.result(
            "aclnnMultinomial", np.ones(9, np.float32), 50, True, seed, offset, ..., out=np.empty(50, np.int64)
        )
    )
    for one in layouts(np.empty((5, 10), np.float32)):
        same(
            filled("aclnnInplaceUniform", one, 0.0, 1.0, 3, 0).ravel(), filled("aclnnInplaceUniform", x, 0.0, 1.0, 3, 0)
        )


def test_streams_are_independent():
    draws = [
        filled("aclnnInplaceUniform", np.empty(5000), 0.0, 1.0, seed, offset)
        for seed, offset in ((1, 0), (2, 0), (1, 1), (0, 1))
    ]
    correlation = np.corrcoef(draws) - np.eye(4)
    assert np.abs(correlation).max() < 0.08
    x = draws[0]
    assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 0.05


def test_refusals():
    x = values((3, 4), np.float32)
    prob = acl.Scalar(1.5, np.float32)
    for name, word, *arguments in (
        ("aclnnInplaceUniform", "to", x, 1.0, 0.0, 1, 0),
        ("aclnnInplaceRandom", "to", x, 5, 5, 1, 0),
        ("aclnnInplaceNormal", "std", x, F(0.0), F(-1.0), 1, 0),
        ("aclnnInplaceBernoulli", "prob", x, prob, 1, 0),
        ("aclnnBernoulli", "out", x, acl.Scalar(0.5, np.float32), 1, 0, x[:2].copy()),
        ("aclnnInplaceBernoulliTensor", "prob", x, x[0, :3].copy(), 1, 0),
        ("aclnnRandperm", "n", -1, 1, 0, x),
        ("aclnnRandperm", "out", 3, 1, 0, x),
        ("aclnnMultinomial", "numsamples", x, 5, False, 1, 0, np.empty((3, 5), np.int64)),
        ("aclnnMultinomial", "out", x, 4, True, 1, 0, np.empty((3, 5), np.int64)),
        ("aclnnDropout", "p", x, 1.5, True, 1, 0, x.copy(), np.empty(16, np.uint8)),
        ("aclnnDropout", "maskOut", x, 0.5, True, 1, 0, x.copy(), np.empty(15, np.uint8)),
        ("aclnnDropoutDoMask", "mask", x, np.empty(15, np.uint8), 0.5, x.copy()),
        ("aclnnDropoutBackward", "mask", x, np.empty(15, np.uint8), 2.0, x.copy()),
        ("aclnnDropoutBackward", "scale", x, np.empty(16, np.uint8), 0.5, x.copy()),
    ):
        with acl.refused(161002, name, word):
            acl.run(name, *arguments)


@pytest.mark.parametrize("in_place", [False, True])
def test_random_slopes(in_place):
    x = values((100, 130), np.float32)
    numbers = acl.Scalar(0.25, np.float32), acl.Scalar(0.75, np.float32)
    for training in (False, True):
        self, noise, out = (acl.Tensor(one) for one in (x, np.zeros_like(x), np.zeros_like(x)))
        name = "aclnnInplaceRReluWithNoise" if in_place else "aclnnRReluWithNoise"
        acl.run(name, self, noise, *numbers, training, 1, 0, *([] if in_place else [out]))
        got, slopes = np.array((self if in_place else out).numpy()), np.array(noise.numpy())
        if not training:
            same(got, np.where(x > 0, x, x * np.float32(0.5)))
            continue
        assert (slopes[x > 0] == 1).all() and stats.kstest(slopes[x < 0], stats.uniform(0.25, 0.5).cdf).pvalue > 1e-3
        np.testing.assert_allclose(got, np.where(x > 0, x, x * slopes), rtol=1e-6)
    with acl.refused(161002, name, "lower"):
        acl.run(name, x, np.zeros_like(x), *numbers[::-1], True, 1, 0, *([] if in_place else [x.copy()]))
