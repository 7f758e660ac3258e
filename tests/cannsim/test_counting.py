"""Simulated unique values, runs and counts against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtypes, layouts, outs, same


def over(name, parameter="self"):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


def few(shape, dtype, seed=0):
    x = np.random.default_rng(seed).integers(0, 3, shape).astype(dtype)
    if x.dtype.kind in "iu":
        x.ravel()[[1, 4]] = np.iinfo(x.dtype).max
    return x


def found(tensor):
    """What the view says after the run."""
    shape = tensor.view_shape()
    return np.array(tensor.numpy()).reshape(-1)[: int(np.prod(shape))].reshape(shape)


def run(name, x, *arguments, value, inverse, counts=None):
    made = [acl.Tensor(one) for one in (value, inverse, counts) if one is not None]
    acl.run(name, x, *arguments, *made)
    return [found(one) for one in made]


def sortable(x):
    return x.astype(np.float64) if x.dtype.name in ("float16", "bfloat16") else x


@over("aclnnUnique2")
def test_unique(dtype):
    for x in layouts(few((4, 5), dtype)):
        value, inverse, counts = np.unique(sortable(x), return_inverse=True, return_counts=True)
        inverse = inverse.reshape(x.shape)
        spare = {"value": np.empty(20, dtype), "inverse": np.empty((4, 5), np.int64), "counts": np.empty(20, np.int64)}
        got = run("aclnnUnique2", x, True, True, True, **spare)
        for one, expected in zip(got, (value.astype(dtype), inverse, counts), strict=True):
            same(one, expected)
        got = run(
            "aclnnUnique2",
            x,
            True,
            False,
            False,
            value=spare["value"],
            inverse=np.empty(0, np.int64),
            counts=np.empty(0, np.int64),
        )
        same(got[0], value.astype(dtype))
        got = run("aclnnUnique", x, True, True, value=spare["value"], inverse=spare["inverse"])
        same(got[0], value.astype(dtype))
        same(got[1], inverse)


def test_every_nan_is_unique():
    x = np.array([np.nan, 1, -0.0, np.nan, 0.0], np.float32)
    got = run(
        "aclnnUnique2",
        x,
        True,
        True,
        True,
        value=np.empty(5, np.float32),
        inverse=np.empty(5, np.int64),
        counts=np.empty(5, np.int64),
    )
    value, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, equal_nan=False)
    same(got[0], value)
    same(got[1], inverse)
    same(got[2], counts)


@over("aclnnUniqueDim")
def test_unique_slices(dtype):
    for x in layouts(few((4, 6, 2), bool).astype(dtype)):
        for axis in (0, 1, -1):
            n = x.shape[axis]
            value, inverse, counts = np.unique(sortable(x), axis=axis, return_inverse=True, return_counts=True)
            got = run(
                "aclnnUniqueDim",
                x,
                True,
                True,
                axis,
                value=np.empty(x.shape, dtype),
                inverse=np.empty(n, np.int64),
                counts=np.empty(n, np.int64),
            )
            same(got[0], value.astype(dtype))
            same(got[1], inverse.reshape(-1))
            same(got[2], counts)


@over("aclnnUniqueConsecutive")
def test_runs(dtype):
    for x in layouts(few((4, 5), dtype)):
        flat = x.reshape(-1)
        starts = np.flatnonzero(np.r_[True, flat[1:] != flat[:-1]])
        got = run(
            "aclnnUniqueConsecutive",
            x,
            True,
            True,
            1000,
            value=np.empty(20, dtype),
            inverse=np.empty((4, 5), np.int64),
            counts=np.empty(20, np.int64),
        )
        same(got[0], flat[starts])
        same(got[2], np.diff(np.r_[starts, 20]))
        same(got[0][got[1]], x)
    rows = np.array([[1, 0], [1, 0], [0, 1], [1, 0]]).astype(dtype)
    got = run(
        "aclnnUniqueConsecutive",
        rows,
        True,
        True,
        0,
        value=np.empty((4, 2), dtype),
        inverse=np.empty(4, np.int64),
        counts=np.empty(4, np.int64),
    )
    same(got[0], rows[1:])
    assert (got[1].tolist(), got[2].tolist()) == ([0, 0, 1, 2], [2, 1, 1])


@over("aclnnBincount")
def test_bincount(dtype):
    for x in layouts(np.random.default_rng(0).integers(0, 7, 30).astype(dtype)):
        for least in (0, 12):
            expected = np.bincount(x.astype(np.int64), minlength=least)
            for out in outs(expected):
                same(acl.result("aclnnBincount", x, None, least, ..., out=out), expected)
            for kind in dtypes("aclnnBincount", "weights"):
                weights = np.arange(30).astype(kind)
                expected = np.bincount(x.astype(np.int64), weights.astype(np.float64), least)
                same(acl.result("aclnnBincount", x, weights, least, ..., out=np.empty_like(expected)), expected)


def test_bincount_of_values_outside_is_a_finding():
    before = acl.sim.cannsim_findings(b"out_of_bounds")
    acl.result("aclnnBincount", np.array([1, -1]), None, 0, ..., out=np.empty(2, np.int64))
    assert acl.sim.cannsim_findings(b"out_of_bounds") == before + 1


@over("aclnnHistc")
def test_histogram(dtype):
    counts = dtype if dtype in dtypes("aclnnHistc", "out") else np.dtype(np.float32)
    for x in layouts(np.random.default_rng(0).integers(0, 90, (6, 5)).astype(dtype)):
        for bins, low, high in ((4, 0, 0), (5, 10, 50), (3, 80, 81)):
            bounds = (float(x.min()), float(x.max())) if low == high else (low, high)
            expected = np.histogram(x, bins, bounds)[0].astype(counts)
            for out in outs(expected):
                got = acl.result(
                    "aclnnHistc", x, bins, acl.Scalar(low, np.float32), acl.Scalar(high, np.float32), ..., out=out
                )
                same(got, expected)
    same(
        acl.result(
            "aclnnHistc",
            x[:0].copy(),
            3,
            acl.Scalar(0, np.float32),
            acl.Scalar(0, np.float32),
            ...,
            out=np.ones(3, counts),
        ),
        np.zeros(3, counts),
    )


def test_of_no_elements():
    none = np.empty(0, np.float32)
    got = run(
        "aclnnUnique2", none, True, True, True, value=none, inverse=np.empty(0, np.int64), counts=np.empty(0, np.int64)
    )
    assert [one.shape for one in got] == [(0,)] * 3


def test_refusals():
    x, places = few((3, 4), np.float32), np.empty(12, np.int64)
    one = acl.Scalar(1, np.float32)
    for name, word, *arguments in (
        ("aclnnUnique2", "valueOut", x, True, True, True, np.empty(11, np.float32), places, places),
        ("aclnnUnique2", "valueOut", x, True, True, True, np.empty(12, np.int32), places, places),
        ("aclnnUnique2", "inverseOut", x, True, True, True, np.empty(12, np.float32), places[:3].copy(), places),
        ("aclnnUnique2", "countsOut", x, True, False, True, np.empty(12, np.float32), places, places[:3].copy()),
        ("aclnnUniqueDim", "dim", x, True, True, 2, x.copy(), places, places),
        ("aclnnBincount", "self", x.astype(np.int64), None, 0, places),
        ("aclnnBincount", "minlength", places, None, -1, places),
        ("aclnnBincount", "weights", places, x, 0, places),
        ("aclnnHistc", "bins", x, 0, one, one, x[0].copy()),
        ("aclnnHistc", "max", x, 4, one, acl.Scalar(0, np.float32), x[0].copy()),
        ("aclnnHistc", "out", x, 5, one, one, x[0].copy()),
    ):
        with acl.refused(161002, name, word):
            acl.run(name, *arguments)
