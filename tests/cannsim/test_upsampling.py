"""Simulated resizing of images and its gradients against matrices of weights by NumPy, and SciPy's interpolation."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from scipy import interpolate

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, layouts, values, wide


def matrix(mode, n, m, corners=False, scale=0.0):
    """The weights of the n elements of an axis in each of m results."""
    result = np.zeros((m, n))
    places = np.arange(m)
    if mode in ("Nearest", "NearestExact"):
        half = mode == "NearestExact"
        if scale > 0:
            chosen = np.floor((places + 0.5 * half) / scale).astype(int)
        else:
            chosen = (2 * places + half) * n // (2 * m)
        result[places, np.minimum(chosen, n - 1)] = 1
        return result
    if corners:
        at = places * ((n - 1) / (m - 1) if m > 1 else 0)
    else:
        at = (places + 0.5) / (scale if scale > 0 else m / n) - 0.5
    if mode == "linear":
        at = np.maximum(at, 0)
    low = np.floor(at).astype(int)
    for i, (x, first) in enumerate(zip(at, low, strict=True)):
        for k in range(first - 1, first + 3):
            d = abs(x - k)
            if mode == "linear":
                weight = max(1 - d, 0)
            else:
                near, far = 1.25 * d**3 - 2.25 * d**2 + 1, -0.75 * (d**3 - 5 * d**2 + 8 * d - 4)
                weight = near if d <= 1 else far if d < 2 else 0
            result[i, min(max(k, 0), n - 1)] += weight
    return result


def resized(x, matrices):
    for axis, one in enumerate(matrices, 2):
        x = np.moveaxis(np.tensordot(one, x, (1, axis)), 0, axis)
    return x


# name, axes, mode, what the parameters behind the size are: "c" corners, "d" and "f" a scale for each axis
FORMS = [
    ("Nearest1d", 1, "Nearest", ""),
    ("Nearest1dV2", 1, "Nearest", "f"),
    ("Nearest2d", 2, "Nearest", ""),
    ("Nearest2dV2", 2, "Nearest", "f"),
    ("Nearest3d", 3, "Nearest", "d"),
    ("NearestExact1d", 1, "NearestExact", "d"),
    ("NearestExact2d", 2, "NearestExact", "d"),
    ("NearestExact3d", 3, "NearestExact", "d"),
    ("Linear1d", 1, "linear", "cd"),
    ("Bilinear2d", 2, "linear", "cd"),
    ("Trilinear3d", 3, "linear", "cd"),
    ("Bicubic2d", 2, "cubic", "cd"),
]
SIZES = [((5, 4, 3), (10, 8, 6)), ((5, 4, 3), (7, 2, 3)), ((3, 5, 4), (1, 9, 8))]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("form", FORMS, ids=[form[0] for form in FORMS])
def test_sizes(form, sizes):
    name, axes, mode, kinds = form
    small, large = (one[:axes] for one in sizes)
    for corners in (False, True) if "c" in kinds else (False,):
        for scales in ((0.0,) * axes, (1.9, 2.1, 1.5)[:axes]) if kinds.strip("c") else ((0.0,) * axes,):
            matrices = [matrix(mode, *one[:2], corners, one[2]) for one in zip(small, large, scales, strict=True)]
            numbers = [ctypes.c_float(s) if "f" in kinds else s for s in scales] if kinds.strip("c") else []
            given = [*([corners] if "c" in kinds else []), *numbers]
            for dtype in FLOATS:
                for x in layouts(values((2, 3, *small), dtype)):
                    expected = resized(wide(x), matrices)
                    head = [x, acl.IntArray(large)]
                    out = np.empty(expected.shape, dtype)
                    agree(acl.result(f"aclnnUpsample{name}", *head, *given, ..., out=out), expected)
                    agree(acl.result(f"aclnnUpsample{name}", *head, *given, ..., out=holder_of(out, dtype)), expected)
                backward = f"aclnnUpsample{name.removesuffix('V2')}Backward"
                dy = values(out.shape, dtype, 1)
                slopes = resized(wide(dy), [one.T for one in matrices])
                tail = [*([corners] if "c" in kinds else []), *map(float, scales)]
                head = [dy, acl.IntArray(large), acl.IntArray(x.shape)]
                agree(acl.result(backward, *head, *tail, ..., out=np.empty(x.shape, dtype)), slopes, 4)
                if name == "Bilinear2d":
                    agree(acl.result(f"{backward}V2", *head, *tail, ..., out=np.empty(x.shape, dtype)), slopes, 4)


def test_beside_scipy():
    x = values((1, 1, 5, 7), np.float32)
    points = np.meshgrid(np.linspace(0, 4, 9), np.linspace(0, 6, 10), indexing="ij")
    expected = interpolate.RegularGridInterpolator((range(5), range(7)), wide(x)[0, 0])(tuple(points))[None, None]
    out = np.empty((1, 1, 9, 10), np.float32)
    agree(acl.result("aclnnUpsampleBilinear2d", x, acl.IntArray([9, 10]), True, 0.0, 0.0, ..., out=out), expected, 2)


def test_bytes():
    x = values((1, 2, 3, 4), np.uint8)
    got = acl.result("aclnnUpsampleNearest2d", x, acl.IntArray([6, 8]), ..., out=np.empty((1, 2, 6, 8), np.uint8))
    np.testing.assert_array_equal(got, x.repeat(2, 2).repeat(2, 3))


def test_refusals():
    x, out = values((1, 2, 3, 4), np.float32), np.empty((1, 2, 6, 8), np.float32)
    for first, size, target, word in (
        (x[0].copy(), [6, 8], out, "self"),
        (x.astype(np.int32), [6, 8], out, "self"),
        (x, [6], out, "outputSize"),
        (x, [6, 0], out, "outputSize"),
        (x, [6, 7], out, "out"),
        (x, [6, 8], out.astype(np.float16), "out"),
    ):
        with acl.refused(161002, "aclnnUpsampleNearest2d", word):
            acl.result("aclnnUpsampleNearest2d", first, acl.IntArray(size), ..., out=target)
    with acl.refused(161001, "aclnnUpsampleNearest2d", "self"):
        acl.result("aclnnUpsampleNearest2d", None, acl.IntArray([6, 8]), ..., out=out)
    with acl.refused(161002, "aclnnUpsampleNearest2dBackward", "gradOut"):
        given = [acl.IntArray([6, 7]), acl.IntArray([1, 2, 3, 4]), 0.0, 0.0]
        acl.result("aclnnUpsampleNearest2dBackward", out, *given, ..., out=x.copy())


def smooth(n, to, cubic, corners):
    """The matrix of a filter that widens where the image becomes smaller."""
    step = ((n - 1) / (to - 1) if to > 1 else 0) if corners else n / to
    wide = max(step, 1)
    d = np.abs((np.arange(n) + 0.5 - step * (np.arange(to)[:, None] + 0.5)) / wide)
    near, far = (1.5 * d - 2.5) * d * d + 1, ((d - 5) * d + 8) * d * -0.5 + 2
    weights = np.where(d < 1, near, np.where(d < 2, far, 0)) if cubic else np.maximum(1 - d, 0)
    return weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("size", [(3, 4), (9, 13), (6, 3)])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("cubic", [False, True])
def test_without_jagged_edges(cubic, corners, size):
    name = "aclnnUpsampleBicubic2dAA" if cubic else "aclnnUpsampleBilinear2dAA"
    rows, columns = smooth(6, size[0], cubic, corners), smooth(7, size[1], cubic, corners)
    for x in layouts(values((2, 3, 6, 7), np.float32)):
        got = acl.result(name, x, acl.IntArray(size), corners, 0.0, 0.0, ..., out=np.empty((2, 3, *size), np.float32))
        np.testing.assert_allclose(got, rows @ x.astype(np.float64) @ columns.T, rtol=1e-5, atol=1e-5)
    g = values((2, 3, *size), np.float32, 1)
    sizes = acl.IntArray(size), acl.IntArray(x.shape)
    back = acl.result(
        name + ("Grad" if cubic else "Backward"), g, *sizes, corners, 0.0, 0.0, ..., out=np.empty(x.shape, np.float32)
    )
    np.testing.assert_allclose(back, rows.T @ g.astype(np.float64) @ columns, rtol=1e-5, atol=1e-5)
