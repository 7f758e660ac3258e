"""Comparisons, selections and reductions against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .vector import SIZE, TYPES, VectorProbes, numbers, same

pytestmark = needs_compiler

REAL = ["half", "float"]
MODES = {
    "LT": np.less,
    "GT": np.greater,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}
SECOND = SIZE // 2
OPERATORS = {"LT": "<", "GT": ">", "EQ": "==", "LE": "<=", "GE": ">=", "NE": "!="}


def bodies() -> dict[str, str]:
    """A kernel for each instruction and type."""
    made = {}
    for each in REAL:
        head = f"using T = {each}; auto a = in<T>(), b = in<T>({SECOND}); auto z = out<T>(); auto w = work<T>();"
        one = "{1, 1, 1, 8, 8, 8}"
        made |= {
            f"compare_{each}": head + "Compare(out<uint8_t>(), a, b, (CMPMODE)P[0], P[1]);",
            f"compare_mask_{each}": head + f"Compare(out<uint8_t>(), a, b, (CMPMODE)P[0], (uint64_t)P[1], 2, {one});",
            f"compare_scalar_{each}": head + "CompareScalar(out<uint8_t>(), a, (T)1.0f, (CMPMODE)P[0], P[1]);"
            "Compares(out<int8_t>(1024), a, (T)1.0f, (CMPMODE)P[0], (uint64_t)40, 1, {1, 1, 8, 8});",
            f"register_{each}": head + f"Compare(a, b, (CMPMODE)P[0], (uint64_t)256 / sizeof(T), {one});"
            f"GetCmpMask(out<uint8_t>(SIZE / 2)); Select<T, SELMODE::VSEL_CMPMASK_SPR>(z, a, b, 2, {one});",
            f"tensors_{each}": head + "Compare(out<uint8_t>(SIZE / 2), a, b, CMPMODE::GT, P[1]);"
            "Select(z, out<uint8_t>(SIZE / 2), a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, P[1]);",
            f"tensors_mask_{each}": head + "Compare(out<uint8_t>(SIZE / 2), a, b, CMPMODE::GT, 512);"
            f"Select(z, out<uint16_t>(SIZE / 2), a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, (uint64_t)P[1], 2, {one});",
            f"scalar_{each}": head + "Compare(out<uint8_t>(SIZE / 2), a, b, CMPMODE::GT, P[1]);"
            "Select(z, out<uint8_t>(SIZE / 2), a, (T)-2.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, P[1]);",
            f"same_bits_{each}": head + "Compare(out<uint8_t>(SIZE / 2), a, b, CMPMODE::GT, P[1]);"
            "Select(z, out<uint8_t>(SIZE / 2), a, b, SELMODE::VSEL_CMPMASK_SPR, P[1]);",
            f"address_{each}": head + "Compare(out<uint8_t>(SIZE / 2), a, b, CMPMODE::GT, 512);"
            "auto t = work<int64_t>(); t.SetValue(0, out<uint8_t>(SIZE / 2).GetPhyAddr()); t.SetValue(1, 0); "
            "SetCmpMask(t);"
            f"Select<T, SELMODE::VSEL_TENSOR_TENSOR_MODE>(z, a, b, 2, {one});",
            f"register_scalar_{each}": head + "Compare(out<uint8_t>(SIZE / 2), a, b, CMPMODE::GT, 512); "
            "Duplicate(w, (T)7, 16);"
            f"SetCmpMask(w); Select(z, out<uint8_t>(SIZE / 2), a, 2, {one});",
            f"groups_{each}": head + "BlockReduceSum(z, a, 2, P[0], 1, 1, 8); BlockReduceMax(z[64], a, 2, "
            "P[0], 2, 2, 4);"
            "BlockReduceMin(z[128], a, 2, P[0], 1, 1, 8); PairReduceSum(z[256], a, 2, P[0], 1, 1, 8);"
            "WholeReduceSum(z[512], a, P[0], 3, 2, 1, 8); RepeatReduceSum(z[576], a, 3, P[0], 1, 1, 1, 8);"
            "ReduceDataBlock<ReduceType::SUM>(z[640], a, P[0], 2, 1, 1, 8); "
            "ReducePairElem<ReduceType::SUM>(z[704], a, P[0], 2, 1, 1, 8);"
            "ReduceRepeat<ReduceType::SUM>(z[896], a, P[0], 3, 1, 1, 8);",
            f"order_{each}": head + "for (int i = 0; i < 4; ++i) {"
            "WholeReduceMax(z[i * 64], a, P[0], 3, 1, 1, 8, (ReduceOrder)i);"
            "WholeReduceMin(z[256 + i * 64], a, P[0], 3, 1, 1, 8, (ReduceOrder)i); }"
            "T value, index; GetReduceMaxMinCount(value, index);"
            "z.SetValue(1024, value); z.SetValue(1025, index);"
            "ReduceRepeat<ReduceType::MAX>(z[1040], a, P[0], 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
            f"all_{each}": head + "ReduceSum(z, a, w, P[0]); z.SetValue(1, GetAccVal<T>());"
            "ReduceMax(z[16], a, w, P[0], true); ReduceMin(z[32], a, w, P[0], true);"
            "ReduceMax(z[48], a, w, P[0]); ReduceSum(z[64], a, w, 40, 3, 8); ReduceMax(z[80], a, w, 40, 3, 8, true);"
            "SetMaskCount(); SetVectorMask<T, MaskMode::COUNTER>(0, P[0]);"
            "WholeReduceSum<T, false>(z[96], a, MASK_PLACEHOLDER, 1, 1, 1, 8); SetMaskNorm(); ResetMask();",
        }  # fmt: skip
        for mode, symbol in OPERATORS.items():
            made[f"operator_{mode}_{each}"] = head + f"auto bits = out<uint8_t>(); a.SetSize(512); bits = a {symbol} b;"
    made["equal_int32"] = f"Compare(out<uint8_t>(), in<int32_t>(), in<int32_t>({SECOND}), CMPMODE::EQ, 128);"
    return made


PROBES = VectorProbes(**bodies())


def pair(type_name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two sources with numbers that are equal among them, and the area that holds them."""
    dtype = np.dtype(TYPES[type_name])
    a, b = numbers(dtype, 1, 1024), numbers(dtype, 2, 1024)
    b[::3] = a[::3]
    x = np.zeros(SIZE, np.uint8)
    x[: a.nbytes], x[SECOND : SECOND + b.nbytes] = a.view(np.uint8), b.view(np.uint8)
    return a, b, x


def packed(bits: np.ndarray) -> np.ndarray:
    """Bits as bytes, the first lowest."""
    return np.packbits(bits, bitorder="little")


@pytest.mark.parametrize("type_name", REAL)
@pytest.mark.parametrize("mode", MODES)
def test_compare(type_name, mode):
    a, b, x = pair(type_name)
    lanes, code = 256 // a.itemsize, list(MODES).index(mode)
    bits = MODES[mode](a, b)
    got = PROBES(f"compare_{type_name}", x, None, [code, 4 * lanes])
    np.testing.assert_array_equal(got[: lanes // 2], packed(bits[: 4 * lanes]))
    got = PROBES(f"compare_mask_{type_name}", x, None, [code, 40])
    kept = bits[: 2 * lanes].reshape(2, lanes) & (np.arange(lanes) < 40)
    np.testing.assert_array_equal(got[: lanes // 4], packed(kept.ravel()))
    got = PROBES(f"compare_scalar_{type_name}", x, None, [code, 2 * lanes])
    scalar = MODES[mode](a, a.dtype.type(1))
    np.testing.assert_array_equal(got[: lanes // 4], packed(scalar[: 2 * lanes]))
    np.testing.assert_array_equal(got[1024:1029], packed(scalar[:40]))
    got = PROBES(f"register_{type_name}", x, None, [code])
    np.testing.assert_array_equal(got[SECOND : SECOND + lanes // 8], packed(bits[:lanes]))
    both = np.where(np.tile(bits[:lanes], 2), a[: 2 * lanes], b[: 2 * lanes])
    same(got.view(a.dtype)[: 2 * lanes], both)
    got = PROBES(f"operator_{mode}_{type_name}", x)
    np.testing.assert_array_equal(got[:64], packed(bits[:512]))


def test_compare_integers_for_equality():
    a, b = np.arange(128, dtype=np.int32), np.arange(128, dtype=np.int32) // 2 * 2
    x = np.zeros(SIZE, np.uint8)
    x[:512], x[SECOND : SECOND + 512] = a.view(np.uint8), b.view(np.uint8)
    np.testing.assert_array_equal(PROBES("equal_int32", x)[:16], packed(a == b))


@pytest.mark.parametrize("type_name", REAL)
def test_select(type_name):
    a, b, x = pair(type_name)
    lanes, dtype = 256 // a.itemsize, a.dtype
    n = 3 * lanes + (0 if type_name == "half" else 64)
    bits = a > b
    same(PROBES(f"tensors_{type_name}", x, None, [0, n]).view(dtype)[:n], np.where(bits, a, b)[:n])
    same(PROBES(f"scalar_{type_name}", x, None, [0, n]).view(dtype)[:n], np.where(bits, a, dtype.type(-2))[:n])
    repeated = np.resize(bits[:lanes], n)
    same(PROBES(f"same_bits_{type_name}", x, None, [0, n]).view(dtype)[:n], np.where(repeated, a[:n], b[:n]))
    expected = np.where(bits, a, b)[: 2 * lanes]
    same(PROBES(f"address_{type_name}", x).view(dtype)[: 2 * lanes], expected)
    same(
        PROBES(f"register_scalar_{type_name}", x).view(dtype)[: 2 * lanes],
        np.where(bits, a, dtype.type(7))[: 2 * lanes],
    )
    got = PROBES(f"tensors_mask_{type_name}", x, None, [0, 37]).view(dtype)[: 2 * lanes].reshape(2, lanes)
    same(got, np.where(np.arange(lanes) < 37, expected.reshape(2, lanes), dtype.type(0)))


def tree(values: np.ndarray) -> np.ndarray:
    """The sum of neighbours, of their sums and so on, rounded each time."""
    while values.size > 1:
        if values.size % 2:
            values = np.append(values, values.dtype.type(-0.0))
        values = (values[0::2].astype(np.float32) + values[1::2].astype(np.float32)).astype(values.dtype)
    return values[0]


def part(type_name: str) -> np.ndarray:
    """Numbers for sums and extremes, with ties."""
    values = np.random.default_rng(3).normal(0, 20, 2000).astype(TYPES[type_name])
    values[300:500] = values[:200]
    return values


@pytest.mark.parametrize("type_name", REAL)
@pytest.mark.parametrize("mask", [64, 37, 3])
def test_reductions_of_groups(type_name, mask):
    a = part(type_name)
    lanes, per = 256 // a.itemsize, 32 // a.itemsize
    got = PROBES(f"groups_{type_name}", a, None, [mask]).view(a.dtype)
    rows = [a[r * lanes : r * lanes + mask] for r in range(3)]
    blocks = -(-mask // per)
    pairs = -(-mask // 2)
    for r in range(2):
        for k in range(blocks):
            one = rows[r][k * per : (k + 1) * per]
            strided = a[(r * 4 + 2 * k) * per :][: len(one)]
            assert got[r * 8 + k] == tree(one) == got[640 + r * 8 + k]
            assert got[64 + r * 16 + k] == strided.max()
            assert got[128 + r * 8 + k] == one.min()
        for k in range(pairs):
            assert got[256 + r * lanes // 2 + k] == tree(rows[r][2 * k : 2 * k + 2]) == got[704 + r * lanes // 2 + k]
    for r in range(3):
        assert got[512 + 2 * r] == got[576 + r] == got[896 + r] == tree(rows[r])
    assert (got[blocks:8] == 0).all()


@pytest.mark.parametrize("type_name", REAL)
@pytest.mark.parametrize("special", [None, np.nan, np.inf, -np.inf])
def test_orders_of_extremes(type_name, special):
    a = part(type_name)
    lanes, index_type = 256 // a.itemsize, {2: np.uint16, 4: np.uint32}[a.itemsize]
    if special is not None:
        a[lanes + 5], a[lanes + 9] = special, special
    got = PROBES(f"order_{type_name}", a, None, [lanes - 3]).view(a.dtype)
    for start, f in ((0, np.argmax), (256, np.argmin)):
        at = np.array([f(a[r * lanes : (r + 1) * lanes - 3]) for r in range(3)])
        values = a[at + np.arange(3) * lanes]
        same(got[start : start + 6 : 2], values)
        np.testing.assert_array_equal(got[start : start + 6].view(index_type)[1::2], at)
        np.testing.assert_array_equal(got[start + 64 : start + 70].view(index_type)[0::2], at)
        same(got[start + 65 : start + 71 : 2], values)
        same(got[start + 128 : start + 131], values)
        np.testing.assert_array_equal(got[start + 192 :][: 12 // a.itemsize].view(np.uint32), at)
    places = np.concatenate([np.arange(r * lanes, (r + 1) * lanes - 3) for r in range(3)])
    least = places[np.argmin(a[places])]
    same(got[1024:1025], a[least : least + 1])
    assert got[1025:1026].view(index_type)[0] == least


@pytest.mark.parametrize("type_name", REAL)
@pytest.mark.parametrize("n", [1, 40, 128, 700, 1500])
def test_reductions_of_all(type_name, n):
    a = part(type_name)
    lanes, index_type = 256 // a.itemsize, {2: np.uint16, 4: np.uint32}[a.itemsize]
    got = PROBES(f"all_{type_name}", a, None, [n]).view(a.dtype)
    total = a[:n].astype(np.float64).sum()
    bound = (4e-3 if type_name == "half" else 1e-6) * np.abs(a[:n]).astype(np.float64).sum() + 1e-6
    assert abs(float(got[0]) - total) <= bound and got[1] == got[0]
    sums = [tree(a[i : min(i + lanes, n)]) for i in range(0, n, lanes)]
    assert got[0] == tree(np.array(sums, a.dtype))
    for at, f in ((16, np.argmax), (32, np.argmin)):
        assert got[at] == a[f(a[:n])] and got[at + 1 : at + 2].view(index_type)[0] == f(a[:n])
    assert got[48] == a[:n].max() and got[49] == 0
    rows = np.concatenate([np.arange(r * lanes, r * lanes + 40) for r in range(3)])
    best = rows[np.argmax(a[rows])]
    assert got[64] == tree(np.array([tree(a[r * lanes : r * lanes + 40]) for r in range(3)], a.dtype))
    assert got[80] == a[best] and got[81:82].view(index_type)[0] == best
    np.testing.assert_array_equal(got[96 : 96 + len(sums)], np.array(sums, a.dtype))
