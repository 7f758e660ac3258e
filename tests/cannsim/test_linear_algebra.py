"""Simulated matrix operators and Fourier transforms against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from cannsim import acl
from cannsim.comparing import agree, holder_of, layouts, refuses, values, wide

KINDS = ["float32", "float64", "complex64", "complex128"]


def real_of(dtype):
    return np.zeros(0, dtype).real.dtype


def invertible(shape, dtype, seed=0):
    return values(shape, dtype, seed) + 5 * np.eye(shape[-1], dtype=dtype)


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 3, 3), (0, 2, 2), (2, 0, 0)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_inverse(dtype, shape):
    x = invertible(shape, dtype)
    agree(acl.result("aclnnInverse", x, ..., out=np.empty(shape, dtype)), np.linalg.inv(wide(x)), 2)
    if len(shape) == 2:
        swapped = np.ascontiguousarray(np.roll(x, 1, axis=0).T).T  # a zero on the diagonal would need a pivot
        agree(acl.result("aclnnInverse", swapped, ..., out=holder_of(x, dtype)), np.linalg.inv(wide(swapped)), 2)


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 3, 3), (2, 0, 0)])
@pytest.mark.parametrize("dtype", KINDS)
def test_determinants(dtype, shape):
    for x in layouts(values(shape, dtype)):
        sign, logarithm = np.linalg.slogdet(wide(x))
        signs, logarithms = acl.Tensor(np.empty(sign.shape, dtype)), acl.Tensor(np.empty(sign.shape, real_of(dtype)))
        acl.run("aclnnSlogdet", x, signs, logarithms)
        agree(signs.numpy(), sign, 5)
        agree(logarithms.numpy(), logarithm, 5)
        got = acl.result("aclnnLogdet", x, ..., out=np.empty(sign.shape, dtype))
        with np.errstate(invalid="ignore"):
            agree(got, np.log(sign) + logarithm, 5)
    x = np.ones((2, 2), dtype)
    signs, logarithms = acl.Tensor(np.empty((), dtype)), acl.Tensor(np.empty((), real_of(dtype)))
    acl.run("aclnnSlogdet", x, signs, logarithms)
    assert signs.numpy() == 0
    assert logarithms.numpy() == -np.inf
    with acl.refused(161002, "aclnnSlogdet", "self"):
        acl.plan("aclnnSlogdet", acl.Tensor(np.ones((2, 3), dtype)), signs, logarithms)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (2, 1, 1)])
@pytest.mark.parametrize("dtype", KINDS)
def test_qr(dtype, shape):
    for x in layouts(values(shape, dtype)):
        for mode, number in (("reduced", 0), ("complete", 1), ("r", 2)):
            made = np.linalg.qr(wide(x), mode)
            q, r = made if mode != "r" else (np.empty(0), made)
            q_out, r_out = (
                acl.Tensor(np.empty(q.shape if mode != "r" else (1, 1), dtype)),
                acl.Tensor(np.empty(r.shape, dtype)),
            )
            acl.run("aclnnLinalgQr", x, number, q_out, r_out)
            agree(r_out.numpy(), r, 10)
            if mode == "r":
                continue
            agree(q_out.numpy(), q, 10)
            acl.run("aclnnQr", x, mode == "reduced", q_out, r_out)
            agree(q_out.numpy() @ r_out.numpy(), wide(x), 20)
    with acl.refused(161002, "aclnnLinalgQr", "mode"):
        acl.plan("aclnnLinalgQr", acl.Tensor(x), 3, q_out, r_out)
    with acl.refused(161002, "aclnnLinalgQr", "R"):
        acl.plan(
            "aclnnLinalgQr",
            acl.Tensor(x),
            0,
            acl.Tensor(np.linalg.qr(wide(x))[0].astype(dtype)),
            acl.Tensor(np.ones((7, 7), dtype)),
        )


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("dtype", KINDS)
def test_triangular(dtype, upper, transpose, unit):
    a, b = invertible((2, 4, 4), dtype), values((4, 3), dtype, 1)
    x, copied = acl.Tensor(np.empty((2, 4, 3), dtype)), acl.Tensor(np.empty((2, 4, 4), dtype))
    acl.run("aclnnTriangularSolve", b, a, upper, transpose, unit, x, copied)
    for k in range(2):
        expected = scipy.linalg.solve_triangular(
            wide(a[k]), wide(b), lower=not upper, trans=int(transpose), unit_diagonal=unit
        )
        agree(x.numpy()[k], expected, 100)
    agree(copied.numpy(), wide(a))
    with acl.refused(161002, "aclnnTriangularSolve", "self"):
        acl.plan("aclnnTriangularSolve", acl.Tensor(b[:3]), acl.Tensor(a), upper, transpose, unit, x, copied)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "complex64"])
def test_cross(dtype):
    for x in layouts(values((4, 3), dtype)):
        y = values((3,), dtype, 1)
        expected = np.cross(wide(x), wide(y))
        agree(acl.result("aclnnLinalgCross", x, y, -1, ..., out=np.empty((4, 3), dtype)), expected, 5)
        other = np.ascontiguousarray(x.T)
        agree(acl.result("aclnnLinalgCross", other, y[:, None], 0, ..., out=np.empty((3, 4), dtype)), expected.T, 5)
    with acl.refused(161002, "aclnnLinalgCross", "dim"):
        acl.result("aclnnLinalgCross", x, y, 0, ..., out=np.empty((4, 3), dtype))


@pytest.mark.parametrize("n", [1, 2, 7, 12, 64, 100])
@pytest.mark.parametrize("norm, scaled", [(1, "backward"), (2, "forward"), (3, "ortho")])
def test_real_transform(n, norm, scaled):
    for x in layouts(values((3, 16), np.float32)):
        for dim in (0, 1, -1):
            expected = np.fft.rfft(wide(x), n, dim, scaled)
            parts = np.stack([expected.real, expected.imag], -1)
            agree(acl.result("aclRfft1D", x, n, dim, norm, ..., out=np.empty(parts.shape, np.float32)), parts, 5)
    refuses(
        "aclRfft1D",
        [x, 4, 1, norm, np.empty((3, 3, 2), np.float32)],
        {0: "self", 4: "out"},
        np.empty((3, 3, 2), np.float32),
        4,
    )


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("with_window", [False, True])
@pytest.mark.parametrize("dtype", KINDS)
def test_short_time_transform(dtype, with_window, one_sided):
    if dtype.startswith("complex") and one_sided:
        with acl.refused(161002, "aclStft", "onesided"):
            acl.plan(
                "aclStft",
                acl.Tensor(values((1, 9), dtype)),
                None,
                acl.Tensor(np.empty((1, 3, 2), dtype)),
                4,
                4,
                4,
                False,
                True,
                True,
            )
        return
    result = np.result_type(dtype, np.complex64)
    for layout in layouts(values((2, 50), dtype)):
        if not layout.flags.c_contiguous:
            with acl.refused(161002, "aclStft", "self", "C order"):
                out = acl.Tensor(np.empty((2, 16, 7), result))
                acl.plan("aclStft", acl.Tensor(layout), None, out, 16, 5, 12, False, False, True)
        signal = np.ascontiguousarray(layout)
        window = values(12, dtype, 1) if with_window else None
        n, hop, width = 16, 5, 12
        factors = np.zeros(n, np.result_type(dtype, np.float64))
        factors[2:14] = window if with_window else 1
        pieces = np.stack([wide(signal)[:, k : k + n] * factors for k in range(0, 50 - n + 1, hop)], -2)
        expected = np.fft.fft(pieces, axis=-1)[..., : n // 2 + 1 if one_sided else n].swapaxes(-1, -2)
        got = acl.result(
            "aclStft", signal, window, ..., n, hop, width, False, one_sided, True, out=np.empty(expected.shape, result)
        )
        agree(got, expected, 5)
        parts = np.stack([expected.real, expected.imag], -1) / 4
        got = acl.result(
            "aclStft",
            signal,
            window,
            ...,
            n,
            hop,
            width,
            True,
            one_sided,
            False,
            out=np.empty(parts.shape, real_of(result)),
        )
        agree(got, parts, 5)
        agree(
            acl.result(
                "aclStft",
                signal[0].copy(),
                window,
                ...,
                n,
                hop,
                width,
                True,
                one_sided,
                False,
                out=np.empty(parts.shape[1:], real_of(result)),
            ),
            parts[0],
            5,
        )
    with acl.refused(161002, "aclStft", "nFft"):
        acl.plan(
            "aclStft",
            acl.Tensor(signal),
            None,
            acl.Tensor(np.empty(expected.shape, result)),
            60,
            5,
            12,
            False,
            one_sided,
            True,
        )


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3), (3, 1), (1, 3)])
@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_singular_values(name, shape, full):
    bound = 1e-5 if name in ("float32", "complex64") else 1e-12
    *batch, m, n = shape
    k = min(m, n)
    for x in layouts(values(shape, name)):
        shapes = (*batch, k), (*batch, m, m if full else k), (*batch, n, n if full else k)
        made = [acl.Tensor(np.zeros(one, name)) for one in shapes]
        acl.run("aclnnSvd", x, full, True, *made)
        sigma, u, v = (np.array(one.numpy()) for one in made)
        np.testing.assert_allclose(sigma.real, np.linalg.svd(x, compute_uv=False), rtol=bound, atol=bound)
        np.testing.assert_allclose(
            (u[..., :k] * sigma[..., None, :]) @ v[..., :k].swapaxes(-1, -2), x, rtol=bound * 10, atol=bound * 10
        )
        for one in (u, v):
            np.testing.assert_allclose(
                one.conj().swapaxes(-1, -2) @ one,
                np.broadcast_to(np.eye(one.shape[-1]), (*batch, *[one.shape[-1]] * 2)),
                atol=bound * 10,
            )


def test_singular_values_of_low_rank_and_alone():
    x = np.outer([1.0, 2, 3, 4], [1.0, -1, 2]).astype(np.float32)
    made = [acl.Tensor(np.zeros(one, np.float32)) for one in ((3,), (4, 4), (3, 3))]
    acl.run("aclnnSvd", x, True, True, *made)
    sigma, u, v = (np.array(one.numpy()) for one in made)
    np.testing.assert_allclose(sigma, [np.sqrt(180), 0, 0], atol=1e-5)
    np.testing.assert_allclose(u.T @ u, np.eye(4), atol=1e-5)
    np.testing.assert_allclose(v.T @ v, np.eye(3), atol=1e-5)
    acl.run("aclnnSvd", x, True, False, *made)
    assert np.array(made[0].numpy())[0] == sigma[0] and not np.array(made[1].numpy()).any()
    with acl.refused(161002, "aclnnSvd", "sigma"):
        acl.run("aclnnSvd", x, True, True, np.empty(4, np.float32), *made[1:])
