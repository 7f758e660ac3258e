"""Functions of the library beside NumPy and SciPy, in float and half, with a temporary and without."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from host_compiler import needs_compiler

from .harness import Probes

pytestmark = needs_compiler

N = 1024
TYPES = {"float": np.float32, "half": np.float16}


def kernel(type_: str, call: str, inputs: int = 1, outputs: int = 1) -> str:
    """Loads `inputs` pieces of x, runs a call on a, b, c and stores `outputs` pieces to y from p, q, r."""
    text = f"using T = {type_}; constexpr uint32_t n = {N};\nTPipe pipe;\nGlobalTensor<T> xg, yg;\n"
    text += "xg.SetGlobalBuffer((__gm__ T*)x); yg.SetGlobalBuffer((__gm__ T*)y);\n"
    for name in "abc"[:inputs] + "pqr"[:outputs]:
        text += f"TBuf<TPosition::VECCALC> {name}_; pipe.InitBuffer({name}_, n * sizeof(T));"
        text += f" auto {name} = {name}_.Get<T>();\n"
    text += "TBuf<TPosition::VECCALC> t_; pipe.InitBuffer(t_, 4096); [[maybe_unused]] auto t = t_.Get<uint8_t>();\n"
    for i, name in enumerate("abc"[:inputs]):
        text += f"DataCopy({name}, xg[{i} * n], n);\n"
    text += f"PipeBarrier<PIPE_ALL>();\n{call}\nPipeBarrier<PIPE_ALL>();\n"
    for i, name in enumerate("pqr"[:outputs]):
        text += f"DataCopy(yg[{i} * n], {name}, n);\n"
    return text


def sigmoid(x):
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def gelu(x):
    """Its tanh form."""
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


FUNCTIONS = {
    "Log": np.log, "Log2": np.log2, "Log10": np.log10, "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Sinh": np.sinh,
    "Cosh": np.cosh, "Tanh": np.tanh, "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Asinh": np.arcsinh,
    "Acosh": np.arccosh, "Atanh": np.arctanh, "Erf": scipy.special.erf, "Erfc": scipy.special.erfc, "Floor": np.floor,
    "Ceil": np.ceil, "Round": np.rint, "Rint": np.rint, "Trunc": np.trunc, "Frac": lambda x: x - np.trunc(x),
    "Sign": np.sign, "Lgamma": scipy.special.gammaln, "Digamma": scipy.special.digamma, "Sigmoid": sigmoid,
    "Gelu": gelu,
    "FasterGelu": lambda x: x * sigmoid(1.702 * x), "FasterGeluV2": lambda x: x * sigmoid(1.702 * x),
    "Silu": lambda x: x * sigmoid(x),
}  # fmt: skip

OF_TWO = {
    "Power": np.power, "Fmod": np.fmod, "Hypot": np.hypot, "GeGLU": lambda a, b: a * gelu(b),
    "ReGlu": lambda a, b: a * np.maximum(b, 0),
}  # fmt: skip

TILING = "SoftMaxTiling tiling; tiling.srcM = 16; tiling.srcK = 64;"

PROBES = Probes(
    **{
        f"{name}_{type_}": kernel(type_, f"{name}<T>(p, a{', t' if type_ == 'half' else ''}, n);")
        for name in FUNCTIONS
        for type_ in TYPES
    },
    **{f"{name}_{type_}": kernel(type_, f"{name}<T>(p, a, b, n);", 2) for name in OF_TWO for type_ in TYPES},
    exp_series=kernel("float", "Exp<T, 10, true>(p, a, n);"),
    power_scalar=kernel("float", "Power<T>(p, a, 2.5f, n);"),
    scalar_power=kernel("float", "Power<T>(p, 2.5f, a, n);"),
    integer_power=kernel("int32_t", "Power<T>(p, a, b, n);", 2),
    xor_=kernel("int16_t", "Xor<T>(p, a, b, n);", 2),
    clamp=kernel("float", "ClampMax<T>(p, a, t, 1.5f, n); ClampMin<T>(p, p, t, -0.5f, n);"),
    swish=kernel("float", "Swish<T>(p, a, n, 1.3f);"),
    swiglu=kernel("float", "SwiGLU<T>(p, a, b, 0.7f, n);", 2),
    sums=kernel("float", "Add(p, a, a, n); Sum<T>(p, a, {16, 64, 50});"),
    means=kernel("half", "Add(p, a, a, n); Mean<T>(p, a, t, {16, 64, 50});"),
    broadcast_columns=kernel("float", "uint32_t d[] = {16, 64}, s[] = {16, 1}; BroadCast<T, 2, 1>(p, a, d, s);"),
    broadcast_rows=kernel("float", "uint32_t d[] = {16, 64}, s[] = {1, 64}; Broadcast<T, 2, 0>(p, a, d, s);"),
    cumulative=kernel("float", "CumSum<T>(p, q, a, CumSumInfo{16, 64}); Add(q, a, a, n);", 1, 2),
    softmax=kernel("float", TILING + "Add(q, a, a, n); Add(r, a, a, n); SoftMax<T>(p, q, r, a, tiling);", 1, 3),
    softmax_half=kernel("half", TILING + "Add(p, a, a, n); SoftMax<T>(p, a, tiling, {16, 64, 16, 50});"),
    flash=kernel(
        "float",
        "SoftMaxTiling tiling; tiling.srcM = 16; tiling.srcK = 32; auto half_a = a[512];"
        "TBuf<TPosition::VECCALC> s_; pipe.InitBuffer(s_, 2048); "
        "auto sum = s_.Get<T>(128), max = s_.GetWithOffset<T>(128, 512),"
        "factor = s_.GetWithOffset<T>(128, 1024);"
        "SoftmaxFlashV2<T, false>(p, sum, max, a, factor, sum, max, t, tiling);"
        "SoftmaxFlashV2<T, true>(p[512], sum, max, half_a, factor, sum, max, t, tiling);"
        "Add(q, a, a, n); Add(q, sum, sum, 128); Add(q[128], max, max, 128); Add(q[256], factor, factor, 128);",
        1,
        2,
    ),
    layer_norm=kernel(
        "float",
        "LayerNormTiling tiling; tiling.bLength = 4; tiling.sLength = 4; tiling.hLength = 64; "
        "tiling.originalHLength = 64;"
        "Add(q, a, a, n); Add(r, a, a, n); LayerNorm<T>(p, q, r, a, b, c, t, 1e-5f, tiling);",
        3,
        3,
    ),
    rms_norm=kernel(
        "float",
        "RmsNormTiling tiling; tiling.bLength = 4; tiling.sLength = 4; tiling.hLength = 64; "
        "tiling.originalHLength = 64;"
        "RmsNorm<T>(p, a, b, t, 1e-5f, tiling);",
        2,
    ),
    topk=kernel(
        "float",
        "TBuf<TPosition::VECCALC> i_; pipe.InitBuffer(i_, n * 4); auto places = i_.Get<int32_t>(); "
        "LocalTensor<bool> none;"
        "Add(p, a, a, n); TopkTiling tiling; TopKInfo info{16, 64, 50};"
        "TopK<T>(p, places, a, places, none, 8, tiling, info);"
        "GlobalTensor<int32_t> ig; ig.SetGlobalBuffer((__gm__ int32_t*)y + n);"
        "PipeBarrier<PIPE_ALL>(); DataCopy(ig, places, 128);",
    ),
    quantised=kernel(
        "float",
        "TBuf<TPosition::VECCALC> i_; pipe.InitBuffer(i_, n); auto bytes = i_.Get<int8_t>();"
        "AscendQuant<T>(bytes, a, 30.0f, 1.5f, n); AscendAntiQuant<int8_t, T>(p, bytes, -1.5f, 0.25f, t, 1);",
    ),
    wrong_scratch=kernel("float", "Sin<T>(p, a, t[4000], n);"),
    wrong_rows=kernel("float", "Sum<T>(p, a, {16, 63, 50});"),
    unwritten=kernel("float", "Sin<T>(p, q, n);", 1, 2),
    spoiled=kernel("float", "Sin<T, true>(p, a, n); Add(p, a, a, n);"),
)


def run(name: str, *inputs: np.ndarray, outputs: int = 1) -> list[np.ndarray]:
    """The results of a probe on pieces of N elements."""
    x, y = np.concatenate(inputs), np.zeros(outputs * N, inputs[0].dtype)
    ran = PROBES(name, 1, x, y)
    assert ran.findings == []
    return list(y.reshape(outputs, N))


def numbers(dtype: type, low: float = -3, high: float = 3, seed: int = 0) -> np.ndarray:
    """N numbers with the special ones among them."""
    values = np.random.default_rng(seed).uniform(low, high, N).astype(dtype)
    values[:8] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5]
    return values


def agree(got: np.ndarray, exact: np.ndarray) -> None:
    """Within two units in the last place of float, one of half: the exact value is rounded once."""
    with np.errstate(all="ignore"):
        expected = exact.astype(got.dtype)
    got_wide, expected_wide = got.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(got_wide, expected_wide, rtol=4 * np.finfo(got.dtype).eps, atol=1e-7)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, type_):
    x = numbers(TYPES[type_])
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name](x.astype(np.float64))
    got = run(f"{name}_{type_}", x)[0]
    usable = np.isfinite(x) | (name not in {"Lgamma", "Digamma", "Gelu", "FasterGelu", "FasterGeluV2", "Silu", "Frac"})
    agree(got[usable], exact[usable])


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_two(name, type_):
    x, y = numbers(TYPES[type_], 0.1)[8:], numbers(TYPES[type_], seed=1)[8:]
    x, y = np.resize(x, N), np.resize(y, N)
    agree(run(f"{name}_{type_}", x, y)[0], OF_TWO[name](x.astype(np.float64), y.astype(np.float64)))


def test_scalars_and_integers():
    x = np.random.default_rng(0).uniform(0.1, 4, N).astype(np.float32)
    wide = x.astype(np.float64)
    agree(run("exp_series", x)[0], np.exp(wide))
    agree(run("power_scalar", x)[0], wide**2.5)
    agree(run("scalar_power", x)[0], 2.5**wide)
    agree(run("clamp", x - 2)[0], np.clip(wide - 2, -0.5, 1.5))
    agree(run("swish", x - 2)[0], (x - 2).astype(float) * sigmoid(float(np.float32(1.3)) * (x - 2).astype(float)))
    a, b = x - 2, x[::-1].copy()
    agree(run("swiglu", a, b)[0], a.astype(float) * b * sigmoid(float(np.float32(0.7)) * b.astype(float)))
    base, exponent = np.arange(N, dtype=np.int32) % 17 - 8, np.arange(N, dtype=np.int32) % 6
    assert (run("integer_power", base, exponent)[0] == base**exponent).all()
    p, q = np.arange(N, dtype=np.int16) * 31, np.arange(N, dtype=np.int16) * -7
    assert (run("xor_", p, q)[0] == (p ^ q)).all()


def test_rows():
    x = np.random.default_rng(1).uniform(-1, 1, N).astype(np.float32)
    rows = x.reshape(16, 64)
    agree(run("sums", x)[0][:16], rows[:, :50].sum(1, np.float64))
    agree(run("means", x.astype(np.float16))[0][:16], rows[:, :50].astype(np.float16).mean(1, np.float64))
    assert (run("broadcast_columns", x)[0].reshape(16, 64) == x[:16, None]).all()
    assert (run("broadcast_rows", x)[0].reshape(16, 64) == x[None, :64]).all()
    agree(run("cumulative", x, outputs=2)[0], rows.cumsum(1, np.float64).ravel())


def test_softmax():
    x = np.random.default_rng(2).uniform(-3, 3, N).astype(np.float32)
    rows = x.reshape(16, 64).astype(np.float64)
    got, sums, maxima = run("softmax", x, outputs=3)
    agree(got.reshape(16, 64), scipy.special.softmax(rows, 1))
    agree(maxima[:128].reshape(16, 8), np.repeat(rows.max(1, keepdims=True), 8, 1))
    agree(sums[:128].reshape(16, 8), np.repeat(np.exp(rows - rows.max(1, keepdims=True)).sum(1, keepdims=True), 8, 1))
    halves = x.astype(np.float16)
    got = run("softmax_half", halves)[0].reshape(16, 64)
    agree(got[:, :50], scipy.special.softmax(halves.reshape(16, 64)[:, :50].astype(np.float64), 1))
    assert (got[:, 50:] == 2 * halves.reshape(16, 64)[:, 50:]).all()


def test_softmax_piece_by_piece():
    x = np.random.default_rng(3).uniform(-3, 3, N).astype(np.float32)
    pieces = x.reshape(2, 16, 32).astype(np.float64)
    dst, state = run("flash", x, outputs=2)
    whole = np.concatenate(list(pieces), 1)
    maximum = whole.max(1)
    agree(dst[512:].reshape(16, 32), np.exp(pieces[1] - maximum[:, None]))
    agree(state[:128].reshape(16, 8)[:, 0], 2 * np.exp(whole - maximum[:, None]).sum(1))
    agree(state[128:256].reshape(16, 8)[:, 0], 2 * maximum)
    agree(state[256:384].reshape(16, 8)[:, 0], 2 * np.exp(pieces[0].max(1) - maximum))


def test_normalization():
    x, gamma, beta = (np.random.default_rng(seed).uniform(-1, 2, N).astype(np.float32) for seed in range(3))
    rows = x.reshape(16, 64).astype(np.float64)
    mean, variance = rows.mean(1, keepdims=True), rows.var(1, keepdims=True)
    got, means, variances = run("layer_norm", x, gamma, beta, outputs=3)
    agree(got.reshape(16, 64), (rows - mean) / np.sqrt(variance + 1e-5) * gamma[:64] + beta[:64])
    agree(means[:16], mean[:, 0])
    agree(variances[:16], variance[:, 0])
    got = run("rms_norm", x, gamma)[0]
    agree(got.reshape(16, 64), rows / np.sqrt((rows**2).mean(1, keepdims=True) + 1e-5) * gamma[:64])


def test_topk_and_quantisation():
    x = np.random.default_rng(4).permutation(N).astype(np.float32)
    y = np.zeros(2 * N, np.float32)
    assert PROBES("topk", 1, x, y).findings == []
    order = np.argsort(-x.reshape(16, 64)[:, :50], 1, kind="stable")[:, :8]
    assert (y[:128].reshape(16, 8) == np.take_along_axis(x.reshape(16, 64), order, 1)).all()
    assert (y[N : N + 128].view(np.int32).reshape(16, 8) == order).all()
    values = np.random.default_rng(5).uniform(-6, 6, N).astype(np.float32)
    quantised = np.clip(np.rint(values.astype(np.float64) * 30 + 1.5), -128, 127)
    assert (run("quantised", values)[0] == (quantised - 1.5) * 0.25).all()


@pytest.mark.parametrize(
    "name, rule",
    [
        ("wrong_scratch", "buffers"),
        ("wrong_rows", "length"),
        ("unwritten", "uninitialised"),
        ("spoiled", "uninitialised"),
    ],
)
def test_what_is_wrong_is_named(name, rule):
    x, y = np.zeros(N, np.float32), np.zeros(2 * N, np.float32)
    assert PROBES(name, 1, x, y).rules() == [rule]
