"""Simulated reading of images at grids, and the grids of affine maps, against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from cannsim import acl
from cannsim.documented import dtype_of, layouts, values

BOUNDS = {"float32": 1e-5, "float64": 1e-12, "float16": 4e-3, "bfloat16": 4e-2}
LINEAR, NEAREST, CUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2


def places(grid, image, corners):
    """The grid's numbers as places along the image's axes, the first axis first."""
    lengths = np.array(image[::-1])
    at = (grid + 1) / 2 * (lengths - 1) if corners else ((grid + 1) * lengths - 1) / 2
    return np.moveaxis(at[..., ::-1], -1, 0)


def folded(i, n, border, corners):
    """Whole places brought into the image."""
    if border == BORDER:
        return np.clip(i, 0, n - 1)
    if border == REFLECTION:
        span = 2 * (n - 1) if corners else 2 * n
        i = np.mod(i, span)
        return np.where(i >= n, (span if corners else span - 1) - i, i)
    return i


def cubic(image, at, border, corners):
    """Convolution with the kernel whose slope at 1 is -0.75."""

    def weight(d):
        d, a = np.abs(d), -0.75
        near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((d - 5) * d + 8) * d * a - 4 * a
        return np.where(d <= 1, near, far)

    low = np.floor(at).astype(int)
    result = np.zeros(at.shape[1:])
    for dy in range(-1, 3):
        for dx in range(-1, 3):
            y, x = (folded(low[k] + d, image.shape[k], border, corners) for k, d in ((0, dy), (1, dx)))
            inside = (y >= 0) & (y < image.shape[0]) & (x >= 0) & (x < image.shape[1])
            read = np.where(inside, image[np.where(inside, y, 0), np.where(inside, x, 0)], 0)
            result += weight(at[0] - low[0] - dy) * weight(at[1] - low[1] - dx) * read
    return result


def reference(x, grid, mode, border, corners):
    x, grid = x.astype(np.float64), grid.astype(np.float64)
    result = np.empty((*x.shape[:2], *grid.shape[1:-1]))
    for n, c in np.ndindex(x.shape[:2]):
        at = places(grid[n], x.shape[2:], corners)
        if mode == CUBIC:
            result[n, c] = cubic(x[n, c], at, border, corners)
            continue
        how = ("grid-constant", "nearest", "mirror" if corners else "reflect")[border]
        result[n, c] = ndimage.map_coordinates(
            x[n, c], np.rint(at) if mode == NEAREST and border == ZEROS else at, order=1 - mode, mode=how
        )
    return result


def case(axes, dtype=np.float64):
    image, points = ((3, 4), (5, 2)) if axes == 2 else ((3, 4, 2), (2, 3, 2))
    return values((2, 3, *image), dtype), values((2, *points, axes), dtype, seed=1, low=-1.7, high=1.7)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("border", [ZEROS, BORDER, REFLECTION])
@pytest.mark.parametrize(("axes", "mode"), [(2, LINEAR), (2, NEAREST), (2, CUBIC), (3, LINEAR), (3, NEAREST)])
def test_values(axes, mode, border, corners):
    for name, bound in BOUNDS.items():
        x, grid = case(axes, dtype_of(name))
        expected = reference(x, grid, mode, border, corners)
        for one in layouts(x):
            got = acl.result(
                f"aclnnGridSampler{axes}D", one, grid, mode, border, corners, ..., out=np.empty(expected.shape, x.dtype)
            )
            np.testing.assert_allclose(got.astype(np.float64), expected, rtol=bound, atol=bound * 3)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("border", [ZEROS, BORDER, REFLECTION])
@pytest.mark.parametrize(("axes", "mode"), [(2, LINEAR), (2, NEAREST), (2, CUBIC), (3, LINEAR), (3, NEAREST)])
def test_gradients(axes, mode, border, corners):
    x, grid = case(axes)
    g = values((2, 3, *grid.shape[1:-1]), np.float64, seed=2)
    made = [acl.Tensor(np.zeros_like(one)) for one in (x, grid)]
    acl.run(f"aclnnGridSampler{axes}DBackward", g, x, grid, mode, border, corners, acl.BoolArray([True, True]), *made)
    by_image, by_grid = (np.array(one.numpy()) for one in made)

    def total(x, grid):
        return (
            g * acl.result(f"aclnnGridSampler{axes}D", x, grid, mode, border, corners, ..., out=np.empty(g.shape))
        ).sum()

    start, step = total(x, grid), 1e-6
    for which, got in ((0, by_image), (1, by_grid)):
        for place in list(np.ndindex(got.shape))[::5]:
            moved = [x.copy(), grid.copy()]
            moved[which][place] += step
            assert abs((total(*moved) - start) / step - got[place]) < 2e-4, (which, place)


def test_gradients_that_are_not_asked_for():
    x, grid = case(2)
    g, by_grid = np.ones((2, 3, 5, 2)), acl.Tensor(np.zeros_like(grid))
    acl.run("aclnnGridSampler2DBackward", g, x, grid, 0, 0, False, acl.BoolArray([False, True]), None, by_grid)
    assert np.array(by_grid.numpy()).any()


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (2, 3, 4, 1), (2, 1, 3, 4, 2)])
def test_affine_grids(size, corners):
    axes = len(size) - 2
    for name in ("float32", "float16", "bfloat16"):
        for theta in layouts(values((size[0], axes, axes + 1), dtype_of(name))):
            lines = []
            for n in size[2:]:
                line = np.linspace(-1, 1, n) if n > 1 else np.array([0.0 if corners else -1.0])
                lines.append(line if corners else (2 * np.arange(n) + 1) / n - 1)
            points = np.stack([*np.meshgrid(*lines, indexing="ij")][::-1] + [np.ones(size[2:])], -1)
            expected = np.einsum("nij,...j->n...i", theta.astype(np.float64), points)
            got = acl.result(
                "aclnnAffineGrid", theta, acl.IntArray(size), corners, ..., out=np.empty(expected.shape, theta.dtype)
            )
            np.testing.assert_allclose(got.astype(np.float64), expected, rtol=BOUNDS[name], atol=BOUNDS[name])


def test_refusals():
    x, grid = case(2, np.float32)
    out = np.empty((2, 3, 5, 2), np.float32)
    for word, *arguments in (
        ("input", x[0], grid, 0, 0, False, out),
        ("grid", x, grid[:1], 0, 0, False, out),
        ("grid", x, grid.astype(np.float16), 0, 0, False, out),
        ("interpolationMode", x, grid, 3, 0, False, out),
        ("paddingMode", x, grid, 0, 3, False, out),
        ("out", x, grid, 0, 0, False, out[:, :2]),
    ):
        with acl.refused(161002, "aclnnGridSampler2D", word):
            acl.run("aclnnGridSampler2D", *arguments)
    theta = values((2, 2, 3), np.float32)
    for word, *arguments in (
        ("theta", theta[:, :, :2], acl.IntArray([2, 3, 4, 5]), False, np.empty((2, 4, 5, 2), np.float32)),
        ("size", theta, acl.IntArray([2, 3, 4]), False, np.empty((2, 4, 5, 2), np.float32)),
        ("out", theta, acl.IntArray([2, 3, 4, 5]), False, np.empty((2, 5, 4, 2), np.float32)),
    ):
        with acl.refused(161002, "aclnnAffineGrid", word):
            acl.run("aclnnAffineGrid", *arguments)
