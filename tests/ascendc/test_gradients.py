"""Functions of the library that gradients and long rows take: beside NumPy, and used wrongly."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from host_compiler import needs_compiler

from .harness import Probes
from .test_library import N, agree, kernel

pytestmark = needs_compiler

SOFTMAX = "SoftMaxTiling tiling; tiling.srcM = 16; tiling.srcK = 64;"
PIECES = (
    "SoftMaxTiling tiling; tiling.srcM = 16; tiling.srcK = 32; TBuf<TPosition::VECCALC> s_; pipe.InitBuffer(s_, 2048);"
    "auto sum = s_.Get<T>(128), max = s_.GetWithOffset<T>(128, 512), factor = s_.GetWithOffset<T>(128, 1024);"
)
NORM = "tiling.bLength = 4; tiling.sLength = 4; tiling.hLength = 64; tiling.originalHLength = 50;"
WELFORD = "WelfordUpdateParam update; update.rnLength = 1; update.abLength = 64; update.abComputeLength = 64;"
PROBES = Probes(
    grad=kernel("float", f"{SOFTMAX} SoftmaxGrad<T>(p, a, b, t, tiling);", 2),
    grad_half=kernel("half", f"{SOFTMAX} SoftmaxGrad<T>(p, a, b, tiling);", 2),
    grad_front=kernel("float", f"{SOFTMAX} Add(p, a, b, n); SoftmaxGrad<T>(p, a, b, t, tiling, true);", 2),
    front=kernel(
        "float", f"{SOFTMAX} Add(p, a, b, n); SoftmaxGradFront<T>(p, a, b, t, tiling, {{16, 64, 16, 50}});", 2
    ),
    # The shape that the source was given counts where none is named.
    front_shape=kernel(
        "float",
        "SoftMaxTiling tiling; uint32_t to[] = {32, 32}; Add(p, a, b, n); b.SetShapeInfo(ShapeInfo(2, to));"
        "SoftmaxGradFront<T>(p, a, b, t, tiling);",
        2,
    ),
    flash=kernel(
        "float",
        f"{PIECES} SoftmaxFlash<T>(p, sum, max, a, factor, sum, max, t, tiling);"
        "SoftmaxFlash<T>(p[512], sum, max, a[512], factor, sum, max, tiling, true);"
        "Add(q, a, a, n); Adds(q, sum, 0.0f, 128); Adds(q[128], max, 0.0f, 128); Adds(q[256], factor, 0.0f, 128);",
        1,
        2,
    ),
    flash2=kernel(
        "float",
        f"{PIECES} SoftmaxFlashV2<T, false>(p, sum, max, a, factor, sum, max, tiling);"
        "SoftmaxFlashV2<T, true>(p[512], sum, max, a[512], factor, sum, max, tiling);",
    ),
    norm_grad=kernel(
        "float",
        f"LayerNormGradTiling tiling; {NORM} Add(p, a, a, n); Add(q, a, a, n);"
        "LayerNormGrad<T>(p, q, a, b, c, c[16], c[64], t, 1e-3f, tiling);",
        3,
        2,
    ),
    norm_grad_beta=kernel(
        "float",
        f"LayerNormGradBetaTiling tiling; {NORM} Add(p, a, a, n); Add(q, a, a, n);"
        "LayerNormGradBeta<T>(p, q, a, b, tiling);",
        2,
        2,
    ),
    welford=kernel(
        "float",
        f"{WELFORD} Duplicate(q, 0.0f, n); for (int i = 0; i < 16; ++i) {{ update.nRec = 1.0f / (i + 1);"
        "WelfordUpdate<T, float>(q, q[64], q, q[64], a[i * 64], t, update); }"
        "WelfordFinalizePara all; all.rnLength = 16; all.abLength = 64; all.abRec = 1.0f / 64; all.rRec = 1.0f / 1024;"
        "Duplicate(p, 0.0f, n); WelfordFinalize<>(p, p[8], q, q[64], t, all);",
        1,
        2,
    ),
    # The last piece is shorter, and what is behind it keeps its values.
    welford_tail=kernel(
        "float",
        f"{WELFORD} Duplicate(q, 0.0f, n); static constexpr WelfordUpdateConfig in_place = {{true}};"
        "for (int i = 0; i < 16; ++i) { update.nRec = 1.0f / (i + 1); if (i == 15) update.abComputeLength = 40;"
        "WelfordUpdate<T, float, false, in_place>(q, q[64], q, q[64], a[i * 64], update); }"
        "WelfordFinalizePara all; all.rnLength = 16; all.abLength = 64; all.headCount = 16; all.headCountLength = 40;"
        "all.tailCount = 15; all.tailCountLength = 24; all.abRec = 1.0f / 64; all.rRec = 1.0f / 1000;"
        "Duplicate(p, 0.0f, n); WelfordFinalize<>(p, p[8], q, q[64], all);"
        "TBuf<TPosition::VECCALC> c_; pipe.InitBuffer(c_, 256); auto counts = c_.Get<int32_t>();"
        "Duplicate(counts, 15, 64); Duplicate(counts, 16, 40); WelfordFinalize<>(p[16], p[24], q, q[64], counts, all);",
        1,
        2,
    ),
    pad=kernel(
        "float",
        "PadTiling tiling; tiling.srcHeight = 8; tiling.srcWidth = 24; tiling.srcOriWidth = 19; Duplicate(p, 0.0f, n);"
        "Pad<T>(p, a, {2, 3, -7}, t, tiling);",
    ),
    unpad=kernel(
        "float",
        "UnPadTiling tiling; tiling.srcHeight = 8; tiling.srcWidth = 24; Duplicate(p, 0.0f, n);"
        "UnPad<T>(p, a, {0, 5}, tiling);",
    ),
    too_wide=kernel("float", f"{WELFORD} update.abComputeLength = 65; WelfordUpdate<T, float>(p, p, a, a, a, update);"),
    two_counts=kernel(
        "float",
        "WelfordFinalizePara all; all.abLength = 64; all.headCountLength = 30; all.tailCountLength = 30;"
        "WelfordFinalize<>(p, p[8], a, a[64], all);",
    ),
    unwritten=kernel("float", f"{SOFTMAX} SoftmaxGrad<T>(p, a, q, tiling);", 1, 2),
    small=kernel("float", f"{SOFTMAX} SoftmaxGrad<T>(p, a, b, t[4000], tiling);", 2),
    short_pad=kernel(
        "float",
        "PadTiling tiling; tiling.srcHeight = 8; tiling.srcWidth = 24; tiling.srcOriWidth = 25;"
        "Pad<T>(p, a, {2, 3, 0}, t, tiling);",
    ),
)
WRONG = {"too_wide": "count", "two_counts": "count", "unwritten": "uninitialised", "small": "buffers",
         "short_pad": "count"}  # fmt: skip


def run(name: str, *inputs: np.ndarray, outputs: int = 1) -> list[np.ndarray]:
    """The results of a probe on pieces of N elements."""
    x, y = np.concatenate(inputs), np.zeros(outputs * N, inputs[0].dtype)
    assert PROBES(name, 1, x, y).findings == []
    return list(y.reshape(outputs, N))


def draw(seed: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, N).astype(dtype)


@pytest.mark.parametrize("name, dtype", [("grad", np.float32), ("grad_half", np.float16)])
def test_the_gradient_of_softmax(name, dtype):
    grad, src = draw(0, dtype), draw(1, dtype)
    g, s = (each.reshape(16, 64).astype(np.float64) for each in (grad, src))
    agree(run(name, grad, src)[0].reshape(16, 64), (g - (g * s).sum(1, keepdims=True)) * s)


@pytest.mark.parametrize("name, rows, columns", [("grad_front", 16, 64), ("front", 16, 50), ("front_shape", 32, 32)])
def test_the_front_of_the_gradient(name, rows, columns):
    grad, src = draw(2), draw(3)
    g, s = (each.reshape(rows, -1)[:, :columns].astype(np.float64) for each in (grad, src))
    got = run(name, grad, src)[0]
    agree(got[: rows * 8].reshape(rows, 8), np.repeat((g * s).sum(1, keepdims=True), 8, 1))
    assert (got[rows * 8 :] == (grad + src)[rows * 8 :]).all()


def test_softmax_piece_by_piece_divided_by_the_sum_so_far():
    x = draw(4) * 3
    first, second = x.reshape(2, 16, 32).astype(np.float64)
    dst, state = run("flash", x, outputs=2)
    agree(dst[:512].reshape(16, 32), scipy.special.softmax(first, 1))
    whole = scipy.special.softmax(np.concatenate([first, second], 1), 1)
    agree(dst[512:].reshape(16, 32), whole[:, 32:])
    # The factor makes the first piece's result a part of the whole.
    agree(dst[:512].reshape(16, 32) * state[256:384].reshape(16, 8)[:, :1], whole[:, :32])


def test_softmax_piece_by_piece_without_a_temporary():
    x = draw(5) * 3
    maximum = np.concatenate(list(x.reshape(2, 16, 32)), 1).max(1, keepdims=True)
    agree(run("flash2", x)[0][512:].reshape(16, 32), np.exp(x[512:].reshape(16, 32).astype(np.float64) - maximum))


def test_the_gradient_of_layer_norm():
    dy, x, more = draw(6), draw(7), np.abs(draw(8))
    slopes, rows = (each.reshape(16, 64)[:, :50].astype(np.float64) for each in (dy, x))
    variance, mean, gamma = more[:16, None].astype(float), more[16:32, None].astype(float), more[64:114].astype(float)
    inverse = 1 / np.sqrt(variance + float(np.float32(1e-3)))
    centred, scaled = rows - mean, slopes * gamma
    by_variance = (-0.5 * scaled * centred * inverse**3).sum(1, keepdims=True)
    by_mean = (-scaled * inverse).sum(1, keepdims=True) + by_variance * (-2 * centred).mean(1, keepdims=True)
    dx, kept = run("norm_grad", dy, x, more, outputs=2)
    expected = scaled * inverse + by_variance * 2 * centred / 50 + by_mean / 50
    np.testing.assert_allclose(dx.reshape(16, 64)[:, :50], expected, rtol=1e-5, atol=1e-6)
    agree(kept.reshape(16, 64)[:, :50], centred * inverse)
    assert (dx.reshape(16, 64)[:, 50:] == 2 * dy.reshape(16, 64)[:, 50:]).all()


def test_the_gradient_by_scale_and_shift():
    kept, dy = draw(9), draw(10)
    first, second = (each.reshape(16, 64)[:, :50].astype(np.float64) for each in (kept, dy))
    scale, shift = run("norm_grad_beta", kept, dy, outputs=2)
    np.testing.assert_allclose(scale[:50], (first * second).sum(0), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(shift[:50], second.sum(0), rtol=1e-6, atol=1e-7)
    assert (scale[50:] == 2 * kept[50:]).all()


def test_means_and_variances_of_pieces():
    x = draw(11)
    got = run("welford", x, outputs=2)[0]
    np.testing.assert_allclose(got[[0, 8]], [x.astype(float).mean(), x.astype(float).var()], rtol=1e-5, atol=1e-7)


def test_means_and_variances_with_a_shorter_last_piece():
    x = draw(12)
    used = x[:1000].astype(float)
    got = run("welford_tail", x, outputs=2)[0]
    for at in (0, 16):
        np.testing.assert_allclose(got[[at, at + 8]], [used.mean(), used.var()], rtol=1e-5, atol=1e-7)


def test_rows_are_padded_and_cut():
    x = draw(13)
    rows = x[:192].reshape(8, 24)
    padded = np.pad(rows[:, :19], ((0, 0), (2, 3)), constant_values=-7)
    np.testing.assert_array_equal(run("pad", x)[0][: padded.size].reshape(padded.shape), padded)
    np.testing.assert_array_equal(run("unpad", x)[0][: 8 * 19].reshape(8, 19), rows[:, :19])


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_are_named(name):
    inputs = 2 if name == "small" else 1
    x, y = draw(14), np.zeros(2 * N, np.float32)
    assert PROBES(name, 1, np.resize(x, inputs * N), y).rules() == [WRONG[name]]
