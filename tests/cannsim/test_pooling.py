"""Simulated pooling and its gradients against windows by NumPy."""

from __future__ import annotations

import ctypes
from itertools import product

import numpy as np
import pytest

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, layouts, values, wide

KEEP = ctypes.c_int8(0)


def windows(n, kernel, stride, padding, dilation, ceil):
    """The indices inside the image of each window, and the length that counts with the border."""
    room = n + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil else 0)) // stride + 1
    if ceil and (count - 1) * stride >= n + padding:
        count -= 1
    result = []
    for i in range(count):
        begin = i * stride - padding
        inside = [begin + k * dilation for k in range(kernel) if 0 <= begin + k * dilation < n]
        result.append((inside, min(begin + kernel, n + padding) - begin))
    return result


def adaptive(n, count):
    parts = [(list(range(i * n // count, -(-(i + 1) * n // count))), 0) for i in range(count)]
    return [(inside, len(inside)) for inside, _ in parts]


def each(tables):
    """The places of each window of the last axes, flat, with the whole lengths."""
    for place in product(*[range(len(table)) for table in tables]):
        chosen = [table[i] for table, i in zip(tables, place, strict=True)]
        yield place, np.ix_(*[inside for inside, _ in chosen]), int(np.prod([whole for _, whole in chosen]))


def averaged(x, tables, include=True, divisor=0):
    out = np.zeros((*x.shape[: -len(tables)], *map(len, tables)))
    for place, inside, whole in each(tables):
        part = x[(..., *inside)]
        axes = tuple(range(part.ndim - len(tables), part.ndim))
        out[(..., *place)] = part.sum(axis=axes) / (
            divisor or (whole if include else np.prod(part.shape[-len(axes) :]))
        )
    return out


def largest(x, tables):
    """The values and their places in the plane; NaN wins."""
    plane = np.arange(np.prod(x.shape[-len(tables) :])).reshape(x.shape[-len(tables) :])
    out = np.zeros((*x.shape[: -len(tables)], *map(len, tables)))
    index = np.zeros(out.shape, int)
    for place, inside, _ in each(tables):
        part = x[(..., *inside)].reshape(*out.shape[: -len(tables)], -1)
        best = part.argmax(axis=-1)
        out[(..., *place)] = np.take_along_axis(part, best[..., None], -1)[..., 0]
        index[(..., *place)] = plane[inside].ravel()[best]
    return out, index


def spread(dy, index, shape):
    """The gradient of the largest: each goes where its value came from."""
    planes = np.zeros((int(np.prod(shape[: -len(shape) + 2])), int(np.prod(shape[2:]))))
    for plane, g, i in zip(planes, dy.reshape(len(planes), -1), index.reshape(len(planes), -1), strict=True):
        np.add.at(plane, i, g)
    return planes.reshape(shape)


# image, kernel, stride, padding, dilation
CASES = [
    ((6, 7), (2, 3), (2, 3), (0, 0), (1, 1)),
    ((6, 7), (3, 3), (2, 1), (1, 1), (1, 1)),
    ((7, 9), (2, 3), (1, 2), (1, 1), (2, 2)),
    ((4, 5, 6), (2, 2, 3), (2, 1, 2), (1, 0, 1), (1, 1, 1)),
]
IDS = ["2d", "2d-padded", "2d-dilated", "3d"]


def tables_of(case, ceil, dilated=True):
    image, kernel, stride, padding, dilation = case
    dilation = dilation if dilated else (1,) * len(image)
    return [windows(*one, ceil) for one in zip(image, kernel, stride, padding, dilation, strict=True)]


def ints(*lists):
    return [acl.IntArray(one) for one in lists]


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_average(case, dtype, ceil):
    image, kernel, stride, padding, _ = case
    name, tables = f"aclnnAvgPool{len(image)}d", tables_of(case, ceil, dilated=False)
    for include, divisor in ((True, 0), (False, 0), (False, 5)):
        for x in layouts(values((2, 3, *image), dtype)):
            expected = averaged(wide(x), tables, include, divisor)
            tail = [ceil, include, divisor, *([KEEP] if len(image) == 2 else [])]
            given = [*ints(kernel, stride, padding), *tail]
            agree(acl.result(name, x, *given, ..., out=np.empty(expected.shape, dtype)), expected)
            agree(acl.result(name, x, *given, ..., out=holder_of(expected, dtype)), expected)
        dy = values(expected.shape, dtype, 1)
        got = acl.result(f"{name}Backward", dy, x, *given, ..., out=np.empty(x.shape, dtype))
        expected = np.zeros(x.shape)
        for place in np.ndindex(*image):
            unit = np.zeros(x.shape)
            unit[(..., *place)] = 1
            slope = averaged(unit, tables, include, divisor) * wide(dy)
            expected[(..., *place)] = slope.sum(axis=tuple(range(2, x.ndim)))
        agree(got, expected, 2)


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_largest(case, dtype, ceil):
    image = case[0]
    name = "aclnnMaxPool2dWithIndices" if len(image) == 2 else "aclnnMaxPool3dWithArgmax"
    for x in layouts(values((2, 3, *image), dtype)):
        x[0, 1, 2] = np.nan
        value, index = largest(wide(x), tables_of(case, ceil))
        out, indices = acl.Tensor(np.empty(value.shape, dtype)), acl.Tensor(np.empty(value.shape, np.int32))
        acl.run(name, x, *ints(*case[1:]), ceil, out, indices)
        agree(out.numpy(), value)
        np.testing.assert_array_equal(indices.numpy(), index)
    dy = values(value.shape, dtype, 1)
    given = [dy, x, index.astype(np.int32), *ints(*case[1:]), ceil]
    agree(acl.result(f"{name}Backward", *given, ..., out=np.empty(x.shape, dtype)), spread(wide(dy), index, x.shape), 3)


def test_largest_by_mask():
    for case in CASES[:3]:
        x = values((2, 3, *case[0]), np.float32)
        value, index = largest(wide(x), tables_of(case, False))
        length = (-(-value.shape[2] * value.shape[3] // 16) + 1) * 32
        out = acl.Tensor(np.empty(value.shape, np.float32))
        mask = acl.Tensor(np.empty((2, 3, case[1][0] * case[1][1], length), np.int8))
        acl.run("aclnnMaxPool2dWithMask", x, *ints(*case[1:]), False, out, mask)
        agree(out.numpy(), value)
        dy = values(value.shape, np.float32, 1)
        given = [dy, x, mask, *ints(*case[1:]), False]
        got = acl.result("aclnnMaxPool2dWithMaskBackward", *given, ..., out=np.empty(x.shape, np.float32))
        agree(got, spread(wide(dy), index, x.shape), 3)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(("image", "size"), [((6, 7), (3, 4)), ((5, 4), (1, 1)), ((4, 5, 6), (2, 5, 4))], ids=str)
def test_adaptive(image, size, dtype):
    tables = [adaptive(n, m) for n, m in zip(image, size, strict=True)]
    axes = len(image)
    for x in layouts(values((2, 3, *image), dtype)):
        expected = averaged(wide(x), tables)
        out = np.empty(expected.shape, dtype)
        agree(acl.result(f"aclnnAdaptiveAvgPool{axes}d", x, acl.IntArray(size), ..., out=out), expected)
        value, index = largest(wide(x), tables)
        top, places = acl.Tensor(out), acl.Tensor(np.empty(value.shape, np.int64))
        acl.run(f"aclnnAdaptiveMaxPool{axes}d", x, acl.IntArray(size), top, places)
        agree(top.numpy(), value)
        np.testing.assert_array_equal(places.numpy(), index)
    dy = values(expected.shape, dtype, 1)
    spread_out = np.zeros(x.shape)
    for place, inside, whole in each(tables):
        spread_out[(..., *inside)] += (wide(dy)[(..., *place)] / whole).reshape(2, 3, *[1] * axes)
    got = acl.result(f"aclnnAdaptiveAvgPool{axes}dBackward", dy, x, ..., out=np.empty(x.shape, dtype))
    agree(got, spread_out, 2)
    if axes == 3:
        got = acl.result("aclnnAdaptiveMaxPool3dBackward", dy, x, index, ..., out=np.empty(x.shape, dtype))
        agree(got, spread(wide(dy), index, x.shape), 3)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_global(dtype):
    for shape in ((2, 3, 5), (2, 3, 4, 5), (1, 2, 3, 2, 4)):
        for x in layouts(values(shape, dtype)):
            axes = tuple(range(2, x.ndim))
            out = np.empty((*shape[:2], *[1] * len(axes)), dtype)
            mean, top = wide(x).mean(axis=axes, keepdims=True), wide(x).max(axis=axes, keepdims=True)
            agree(acl.result("aclnnGlobalAveragePool", x, ..., out=out), mean)
            agree(acl.result("aclnnGlobalMaxPool", x, ..., out=out), top)


def test_one_number_stands_for_all_axes_and_no_stride_for_the_kernels():
    x = values((2, 3, 6, 8), np.float32)
    tables = [windows(n, 2, 2, 0, 1, False) for n in (6, 8)]
    out = np.empty((2, 3, 3, 4), np.float32)
    given = [*ints([2], [], [0]), False, True, 0, KEEP]
    agree(acl.result("aclnnAvgPool2d", x, *given, ..., out=out), averaged(wide(x), tables))
    agree(acl.result("aclnnAvgPool2d", x[0].copy(), *given, ..., out=out[0].copy()), averaged(wide(x[0]), tables))


def test_refusals():
    x, out = values((2, 3, 6, 8), np.float32), np.empty((2, 3, 3, 4), np.float32)
    good = [x, *ints([2, 2], [2, 2], [0, 0]), False, True, 0, KEEP]
    for place, wrong, word in (
        (0, x[0, 0].copy(), "self"),
        (0, x.astype(np.int32), "self"),
        (1, acl.IntArray([]), "kernelSize"),
        (1, acl.IntArray([2, 2, 2]), "kernelSize"),
        (1, acl.IntArray([9, 2]), "kernelSize"),
        (2, acl.IntArray([0, 1]), "strides"),
        (3, acl.IntArray([2, 0]), "paddings"),
    ):
        changed = [*good]
        changed[place] = wrong
        with acl.refused(161002, "aclnnAvgPool2d", word):
            acl.result("aclnnAvgPool2d", *changed, ..., out=out)
    with acl.refused(161002, "aclnnAvgPool2d", "out"):
        acl.result("aclnnAvgPool2d", *good, ..., out=out[..., :3].copy())
    with acl.refused(161002, "aclnnAdaptiveAvgPool2d", "outputSize"):
        acl.result("aclnnAdaptiveAvgPool2d", x, acl.IntArray([0, 1]), ..., out=out)
    with acl.refused(161002, "aclnnMaxPool2dWithIndices", "indices"):
        given = [*ints([2, 2], [2, 2], [0, 0], [1, 1]), False]
        acl.run("aclnnMaxPool2dWithIndices", x, *given, out, np.empty(out.shape, np.float32))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("axes", [2, 3])
def test_values_put_back(axes, kind):
    small, large = (2, 3, 2)[:axes], (4, 5, 3)[:axes]
    rng = np.random.default_rng(1)
    places = np.stack([rng.permutation(int(np.prod(large)))[: int(np.prod(small))] for _ in range(6)])
    places = places.reshape(2, 3, *small).astype(kind)
    extra = [acl.IntArray([2] * axes), acl.IntArray([0] * axes)] if axes == 3 else []
    for x in layouts(values((2, 3, *small), np.float32)):
        expected = np.zeros((6, int(np.prod(large))), np.float32)
        np.put_along_axis(expected, places.reshape(6, -1), x.reshape(6, -1), 1)
        size = acl.IntArray(large)
        got = acl.result(
            f"aclnnMaxUnpool{axes}d", x, places, size, *extra, ..., out=np.empty((2, 3, *large), np.float32)
        )
        np.testing.assert_array_equal(got, expected.reshape(got.shape))
        g = values(got.shape, np.float32, 2)
        back = acl.result(
            f"aclnnMaxUnpool{axes}dBackward", g, x, places, size, *extra, ..., out=np.empty(x.shape, np.float32)
        )
        np.testing.assert_array_equal(
            back, np.take_along_axis(g.reshape(6, -1), places.reshape(6, -1), 1).reshape(x.shape)
        )
        alone = acl.result(
            f"aclnnMaxUnpool{axes}d", x[0].copy(), places[0].copy(), size, *extra, ..., out=got[0].copy()
        )
        np.testing.assert_array_equal(alone, got[0])
    with acl.refused(161002, f"aclnnMaxUnpool{axes}d", "outputSize"):
        acl.run(f"aclnnMaxUnpool{axes}d", x, places, acl.IntArray([4]), *extra, got)
    with acl.refused(161002, f"aclnnMaxUnpool{axes}d", "out"):
        acl.run(f"aclnnMaxUnpool{axes}d", x, places, acl.IntArray([n + 1 for n in large]), *extra, got)
