"""Simulated products of matrices and vectors against NumPy: dtypes, layouts, broadcasting, refusals."""

from __future__ import annotations

import ctypes
import json
from functools import partial

import numpy as np
import pytest

from cannsim import acl, comparing
from cannsim.comparing import FLOATS, wide

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-12}
KEEP = ctypes.c_int8(0)
acl.sim.cannsim_report_json.restype = ctypes.c_char_p


values = partial(comparing.values, low=-2, high=2, integers=(0, 5))
agree = partial(comparing.agree, bounds=TOLERANCE, absolute=4)


SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((2, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((3, 0), (0, 5)),
    ((0, 3), (3, 2)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_matmul(dtype, a, b):
    x, y = values(a, dtype), values(b, dtype, 1)
    expected = wide(x) @ wide(y)
    agree(acl.result("aclnnMatmul", x, y, ..., KEEP, out=np.empty(expected.shape, dtype)), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_transposed_and_strided(dtype):
    x, y = values((4, 3), dtype).T, values((8, 10), dtype)[::2, 1::2]
    out = np.empty((5, 3), dtype).T
    agree(acl.result("aclnnMm", x, y, ..., KEEP, out=out), wide(x) @ wide(y))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_forms(dtype):
    x, v = values((3, 4), dtype), values(4, dtype)
    agree(acl.result("aclnnMv", x, v, ..., KEEP, out=np.empty(3, dtype)), wide(x) @ wide(v))
    agree(acl.result("aclnnDot", v, v, ..., out=np.empty((), dtype)), wide(v) @ wide(v))
    if dtype.name != "bfloat16":  # which the operator does not take
        agree(acl.result("aclnnGer", v, v, ..., out=np.empty((4, 4), dtype)), np.outer(wide(v), wide(v)))
    stack, other = values((2, 3, 4), dtype), values((2, 4, 5), dtype)
    agree(
        acl.result("aclnnBatchMatMul", stack, other, ..., KEEP, out=np.empty((2, 3, 5), dtype)),
        wide(stack) @ wide(other),
    )


@pytest.mark.parametrize(("beta", "alpha"), [(1.0, 1.0), (0.5, 2.0), (0.0, 1.0)])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_blends(dtype, beta, alpha):
    b, a = acl.Scalar(beta, np.float32), acl.Scalar(alpha, np.float32)
    x, y, c, row = (values(shape, dtype) for shape in ((3, 4), (4, 5), (3, 5), (5,)))
    expected = beta * wide(c) + alpha * (wide(x) @ wide(y))
    out = np.empty((3, 5), dtype)
    agree(acl.result("aclnnAddmm", c, x, y, b, a, ..., KEEP, out=out), expected)
    agree(acl.result("aclnnAddmm", row, x, y, b, a, ..., KEEP, out=out), beta * wide(row) + alpha * (wide(x) @ wide(y)))
    agree(acl.result("aclnnInplaceAddmm", ..., x, y, b, a, KEEP, out=c.copy()), expected)
    agree(
        acl.result("aclnnGemm", x, y, c, ctypes.c_float(alpha), ctypes.c_float(beta), 0, 0, ..., KEEP, out=out),
        expected,
    )
    agree(
        acl.result(
            "aclnnGemm",
            np.ascontiguousarray(x.T),
            np.ascontiguousarray(y.T),
            c,
            ctypes.c_float(alpha),
            ctypes.c_float(beta),
            1,
            1,
            ...,
            KEEP,
            out=out,
        ),
        expected,
    )
    stack, other, base = (values(shape, dtype) for shape in ((2, 3, 4), (2, 4, 5), (2, 3, 5)))
    product = alpha * (wide(stack) @ wide(other))
    agree(
        acl.result("aclnnBaddbmm", base, stack, other, b, a, ..., KEEP, out=np.empty((2, 3, 5), dtype)),
        beta * wide(base) + product,
    )
    agree(
        acl.result("aclnnInplaceBaddbmm", ..., stack, other, b, a, KEEP, out=base.copy()), beta * wide(base) + product
    )
    agree(acl.result("aclnnAddbmm", c, stack, other, b, a, ..., KEEP, out=out), beta * wide(c) + product.sum(axis=0))
    agree(
        acl.result("aclnnInplaceAddbmm", ..., stack, other, b, a, KEEP, out=c.copy()),
        beta * wide(c) + product.sum(axis=0),
    )
    v, w = values(3, dtype), values(5, dtype)
    agree(acl.result("aclnnAddr", c, v, w, b, a, ..., out=out), beta * wide(c) + alpha * np.outer(wide(v), wide(w)))
    agree(
        acl.result("aclnnInplaceAddr", ..., v, w, b, a, out=c.copy()),
        beta * wide(c) + alpha * np.outer(wide(v), wide(w)),
    )
    u = values(4, dtype)
    agree(
        acl.result("aclnnAddmv", v, x, u, a, b, ..., KEEP, out=np.empty(3, dtype)),
        beta * wide(v) + alpha * (wide(x) @ wide(u)),
    )


def test_a_beta_of_zero_leaves_self_unread():
    x, c = values((3, 3), np.dtype("float32")), np.full((3, 3), np.nan, np.float32)
    zero, one = acl.Scalar(0.0, np.float32), acl.Scalar(1.0, np.float32)
    agree(acl.result("aclnnAddmm", c, x, x, zero, one, ..., KEEP, out=np.empty((3, 3), np.float32)), wide(x) @ wide(x))


@pytest.mark.parametrize(
    "equation", ["ij,jk->ik", "ij->ji", "ii->i", "bij,bjk->bik", "i,j->ij", "ij->", "ij,ij->i", "ijk,kl,jm->ilm"]
)
@pytest.mark.parametrize(
    "dtype", [np.dtype("float16"), np.dtype("float32"), np.dtype("int32"), np.dtype("int64")], ids=str
)
def test_einsum(dtype, equation):
    length = dict(zip("bijklm", (2, 3, 4, 2, 3, 2), strict=True)) | ({"i": 3} if equation == "ii->i" else {})
    arrays = [values([length[c] for c in term], dtype) for term in equation.split("->")[0].split(",")]
    expected = np.einsum(equation, *[wide(one) for one in arrays])
    got = acl.result("aclnnEinsum", acl.TensorList(arrays), equation, ..., out=np.empty(expected.shape, dtype))
    agree(got, expected)


def test_refusals():
    x, y = values((3, 4), np.dtype("float32")), values((4, 5), np.dtype("float32"))
    with acl.refused(161002, "aclnnMm", "mat2"):
        acl.result("aclnnMm", x, x, ..., KEEP, out=np.empty((3, 3), np.float32))
    with acl.refused(161002, "aclnnMm", "out"):
        acl.result("aclnnMm", x, y, ..., KEEP, out=np.empty((3, 4), np.float32))
    with acl.refused(161002, "aclnnMm", "self"):
        acl.result("aclnnMm", x.astype(np.float64), y, ..., KEEP, out=np.empty((3, 5), np.float32))
    with acl.refused(161002, "aclnnMm", "self"):
        acl.result("aclnnMm", x[0], y, ..., KEEP, out=np.empty(5, np.float32))
    with acl.refused(161001, "aclnnMm", "mat2"):
        acl.result("aclnnMm", x, None, ..., KEEP, out=np.empty((3, 5), np.float32))
    one = acl.Scalar(1.0, np.float32)
    with acl.refused(161002, "aclnnAddmm", "self"):
        acl.result(
            "aclnnAddmm",
            values(4, np.dtype("float32")),
            x,
            y,
            one,
            one,
            ...,
            KEEP,
            out=np.empty((3, 5), np.float32),
        )
    with acl.refused(161002, "aclnnEinsum", "equation"):
        acl.result("aclnnEinsum", acl.TensorList([x, y]), "ij,kj->ik", ..., out=np.empty((3, 4), np.float32))


def modelled(name: str, dtype: np.dtype, *rest: object, shape: tuple[int, int] = (2048, 2048)) -> float:
    """The modelled seconds of one product, its launch left out; nothing is computed."""
    acl.sim.cannsim_set(b"COMPUTE", b"0")
    acl.sim.cannsim_clear()
    x, y, out = (acl.Tensor(np.zeros(shape, dtype)) for _ in range(3))
    try:
        acl.run(name, x, y, out, *rest)
        (task,) = (one for one in json.loads(acl.sim.cannsim_report_json())["tasks"] if one["name"] == name)
        return task["modelled_seconds"] - 5e-6
    finally:
        acl.sim.cannsim_set(b"COMPUTE", b"1")
        for one in (x, y, out):
            one.destroy()


def test_the_modelled_rate_is_the_dtypes() -> None:
    operations, half_rate = 2 * 2048**3, 24 * 8192 * 1850e6
    half = modelled("aclnnMatmul", np.dtype("float16"), KEEP)
    assert half == pytest.approx(operations / half_rate, rel=1e-6)
    assert modelled("aclnnMatmul", comparing.BFLOAT16, KEEP) == pytest.approx(half)
    single = np.dtype("float32")
    shares = {kind: modelled("aclnnMatmul", single, ctypes.c_int8(kind)) / half for kind in (0, 1, 2, 3)}
    assert shares == pytest.approx({0: 4, 1: 2, 2: 1, 3: 2})
