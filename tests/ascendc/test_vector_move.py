"""Fills, copies, gathering, transposition and sorting against NumPy, and what each instruction refuses."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .vector import SIZE, TYPES, VectorProbes, numbers, same

pytestmark = needs_compiler

MOVED = ["half", "float", "int16_t", "uint16_t", "int32_t", "uint32_t"]
COUNTED = ["half", "float", "int16_t", "int32_t"]
REAL = ["half", "float"]
SECOND = SIZE // 2


def bodies() -> dict[str, str]:
    """A kernel for each instruction and type."""
    made: dict[str, str] = {}
    for each in MOVED:
        head = f"using T = {each}; auto a = in<T>(); auto z = out<T>(); auto offsets = in<uint32_t>({SECOND});"
        made |= {
            f"duplicate_{each}": head + "Duplicate(z, (T)7, P[0]); uint64_t m[2] = {0x8005, 0};"
            "Duplicate(z[1024], (T)9, m, 3, 2, 20); Duplicate(z[3072], (T)5, (uint64_t)9, 2, 1, 8);",
            f"copy_{each}": head + "Copy(z, a, (uint64_t)20, 3, {2, 1, 18, 8}); SetMaskCount();"
            "Copy(z[2048], a, (uint64_t)200, 2, {1, 1, 30, 27}); SetMaskNorm(); ResetMask(); Copy(z[3072], a, 99);",
            f"brcb_{each}": head + "Brcb(z, a, 2, {1, 8}); Brcb(z[1024], a, 2, {2, 16});",
            f"gather_{each}": head + "Gather(z, a, offsets, 8, P[0]);"
            "Gather(z[1024], a, offsets, 0, (uint64_t)30, 3, 10);",
            f"blocks_{each}": head + "Gatherb(z, a, offsets, 2, {1, 8}); Gatherb(z[1024], a, offsets, 2, {2, 17});",
            f"pick_{each}": head + "uint64_t n = 0;"
            "for (int i = 1; i <= 7; ++i) { GatherMask(z[(i - 1) * 512], a, (uint8_t)i, true, P[0], {1, 2, "
            "24, 0}, n);"
            "ResetMask(); out<uint32_t>(SIZE - 64).SetValue(i, n); }",
            f"pick_tensor_{each}": head + "uint64_t n = 0; using U = std::conditional_t<sizeof(T) == 2, "
            "uint16_t, uint32_t>;"
            f"GatherMask(z, a, in<U>({SECOND}), false, 0, {{1, 3, 8, 1}}, n); "
            f"out<uint32_t>(SIZE - 64).SetValue(0, n);",
            f"lists_{each}": head + "LocalTensor<T> from[16], to[16]; uint64_t d[16], s[16]; "
            "constexpr int per = 32 / sizeof(T);"
            "for (int i = 0; i < 16; ++i) { from[i] = a[i * per * 2]; to[i] = z[i * per * 2];"
            "d[i] = z[1024 + i * per].GetPhyAddr(); s[i] = from[i].GetPhyAddr(); }"
            "TransDataTo5HD<T>(to, from, TransDataTo5HDParams(false, false, 2, 1, 1));"
            "TransDataTo5HD<T>(d, s, {false, false, 1, 0, 0});",
        }
    for each in COUNTED:
        head = f"using T = {each}; auto z = out<T>();"
        made[f"index_{each}"] = (
            head + "CreateVecIndex(z, (T)3, P[0]); CreateVecIndex(z[1024], (T)3, (uint64_t)20, 2, 1, 9);"
        )
        made[f"progression_{each}"] = (
            head + "ArithProgression<T>(z, (T)3, (T)2, P[0]); Arange<T>(z[1024], (T)-5, (T)3, P[0]);"
        )
    for each in REAL:
        head = f"using T = {each}; auto a = in<T>(); auto z = out<T>(); auto w = work<T>();"
        head += f"auto index = in<uint32_t>({SECOND});"
        lists = "uint32_t step = GetSortLen<T>(32); MrgSortSrcList<T> lists(w, w[step], w[2 * step], w[3 * step]);"
        made |= {
            f"sort32_{each}": head + "Sort32(z, a, index, 4);",
            f"sort_{each}": head + "auto t = work<T>(8192); LocalTensor<T> joined; Concat(joined, a, t, 8); "
            "Sort<T, true>(w, joined, index, t, 8);"
            "Extract(z, out<uint32_t>(SIZE / 2), w, 8);",
            f"merge_{each}": head + "Sort32(w, a, index, 4);" + lists + "uint16_t n[4] = {32, 32, 20, 7};"
            "MrgSort(z, lists, MrgSort4Info(n, false, 15, 1)); uint16_t k[4]; GetMrgSortResult(k[0], k[1], "
            "k[2], k[3]);"
            "for (int i = 0; i < 4; ++i) out<uint32_t>(SIZE - 64).SetValue(i, k[i]);",
            f"merge_two_{each}": head + "Sort32(w, a, index, 4);" + lists + "uint16_t n[4] = {32, 20, 0, "
            "0}; uint32_t k[4];"
            "MrgSort<T, true>(z, lists, n, k, 3, 1); for (int i = 0; i < 4; "
            "++i) out<uint32_t>(SIZE - 64).SetValue(i, k[i]);",
        }  # fmt: skip
    made["transpose"] = "Transpose(out<half>(), in<half>());"
    made["images"] = (
        "Transpose(out<half>(), in<half>(), work<uint8_t>(), {2, 3, 4, 8, TransposeType::TRANSPOSE_NCHW2NHWC});"
        "Transpose(out<half>(4096), in<half>(), work<uint8_t>(), {2, 3, 4, 8, TransposeType::TRANSPOSE_NHWC2NCHW});"
    )
    made["eight_bits"] = (
        "LocalTensor<int8_t> from[16], to[16]; for (int i = 0; i < 16; ++i) { from[i] = in<int8_t>(i * 32); "
        "to[i] = out<int8_t>(i * 32); }"
        "TransDataTo5HD<int8_t>(to, from, TransDataTo5HDParams(false, true, 1, 0, 0));"
        "TransDataTo5HD<int8_t>(to, from, TransDataTo5HDParams(true, false, 1, 0, 0));"
    )
    made["within"] = "DataCopy(out<float>(), in<float>(), 64);"
    made["within"] += "DataCopy(out<float>(4096), in<float>(), DataCopyParams(3, 2, 1, 4));"
    made |= {f"wrong_{i}": text for i, (_, text) in enumerate(WRONG)}
    return made


F = "auto a = in<float>(); auto z = out<float>(); auto w = work<float>(); auto bits = out<uint8_t>(); uint64_t n = 0;"
WRONG = [
    ("count", F + "ShiftLeft(out<int16_t>(), in<int16_t>(), 17, 8);"),
    ("count", F + "Adds(z, a, 1.0f, -1);"),
    ("count", F + "Duplicate(z, 1.0f, (uint64_t)65, 1, 1, 8);"),
    ("count", F + "Duplicate(z, 1.0f, (uint64_t)64, 2, 0, 8);"),
    ("count", F + "SetVectorMask<float>(65);"),
    ("count", F + "uint64_t m[2] = {1, 1}; Adds(z, a, 1.0f, m, 1, {1, 1, 8, 8});"),
    ("count", F + "WholeReduceSum(z, a, 64, 256, 1, 1, 8);"),
    ("count", F + "GatherMask(z, a, (uint8_t)8, true, 8, {1, 1, 8, 8}, n);"),
    ("count", F + "uint16_t k[4] = {32, 32, 0, 0}; MrgSort(z, MrgSortSrcList<float>(a, a[64], a, a), "
    "MrgSort4Info(k, false, 5, 1));"),
    ("count", F + "uint16_t k[4] = {4096, 32, 0, 0}; MrgSort(z, MrgSortSrcList<float>(a, a[64], a, a), "
    "MrgSort4Info(k, false, 3, 1));"),
    ("count", F + "Cast(out<int4b_t>(), in<half>(), RoundMode::CAST_NONE, 7);"),
    ("length", F + "Compare(bits, a, a, CMPMODE::LT, 63);"),
    ("length", F + "DataCopy(z, a, 7);"),
    ("type", F + "Compare(bits, in<int32_t>(), in<int32_t>(), CMPMODE::LT, 64);"),
    ("type", F + "Select(z, bits, a, 1.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);"),
    ("type", F + "Select(z, bits, a, a, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);"),
    ("state", F + "Cast(out<half>(), in<int32_t>(), RoundMode::CAST_NONE, 8);"),
    ("state", F + "CastDeq<int8_t, int16_t>(out<int8_t>(), in<int16_t>(), 8);"),
    ("overlap", F + "Adds(z[8], z, 1.0f, 64);"),
    ("overlap", F + "Adds(z[64], z, 1.0f, 128);"),
    ("overlap", F + "Cast(z, out<half>(), RoundMode::CAST_NONE, 64);"),
    ("overlap", F + "Brcb(z, z, 1, {1, 8});"),
    ("overlap", F + "uint16_t k[4] = {32, 32, 0, 0}; MrgSort(a, MrgSortSrcList<float>(a, a[64], a, a), "
    "MrgSort4Info(k, false, 3, 1));"),
    ("bounds", F + "ReduceSum(z, a, area<float>(4 * SIZE - 32, 4 * SIZE), 1024);"),
    ("bounds", F + "Duplicate(in<uint32_t>(), 65536u, 8); Gather(z, in<float>(64), in<uint32_t>(), 0, 8);"),
    ("bounds", F + "Sort32(out<float>(SIZE - 32), a, in<uint32_t>(), 1);"),
    ("bounds", F + "Cast(out<half>(SIZE - 32), a, RoundMode::CAST_NONE, 64);"),
    ("address", F + "Duplicate(in<uint32_t>(), 2u, 8); Gather(z, a, in<uint32_t>(), 0, 8);"),
    ("address", F + "uint64_t l[16] = {}; TransDataTo5HD<half>(l, l, {false, false, 1, 0, 0});"),
    ("address", F + "Adds(z[1], a, 1.0f, 8);"),
    ("count", F + "LocalTensor<half> l[16]; for (auto& e : l) e = in<half>(); TransDataTo5HD<half>(l, l, "
    "TransDataTo5HDParams(false, false, 1, 1, 0));"),
    ("uninitialised", F + "Gather(z, a, work<uint32_t>(), 0, 8);"),
    ("uninitialised", F + "GatherMask(z, a, work<uint32_t>(), true, 8, {1, 1, 8, 8}, n);"),
    ("uninitialised", F + "Muls(z, w, 2.0f, 8);"),
    ("uninitialised", F + "Cast(z, work<half>(), RoundMode::CAST_NONE, 8);"),
    ("uninitialised", F + "ReduceSum(z, a, z[64], 640);"),
    ("uninitialised", F + "WholeReduceSum(w, w, 64, 1, 1, 1, 8); GetAccVal<float>();"),
    ("uninitialised", F + "float v; WholeReduceMax(w, w, 64, 1, 1, 1, 8); GetReduceMaxMinCount(v);"),
    ("uninitialised", F + "Select(z, work<uint8_t>(), a, a, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);"),
    ("uninitialised", F + "Compare(w.ReinterpretCast<uint8_t>(), w[64], a, CMPMODE::LT, 64); "
    "DataCopy(out<uint8_t>(), work<uint8_t>(), 32);"),
    ("uninitialised", F + "Sort32(z, w, in<uint32_t>(), 1);"),
    ("uninitialised", F + "Transpose(out<half>(), work<half>());"),
    ("buffers", "TPipe pipe; TBuf<TPosition::VECCALC> all; pipe.InitBuffer(all, 196608);" + F
     + "Select(z, bits, a, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);"),
    ("race", F + "SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0); ReduceSum(z, a, w, 640);"
     "GlobalTensor<float> yg; yg.SetGlobalBuffer((__gm__ float*)y); DataCopy(z, yg, 8);"),
]  # fmt: skip
# What looks like it and is right.
RIGHT = [
    # The bits are all set: what nobody wrote is never chosen.
    F + "Select(z, out<uint8_t>(SIZE / 2), a, w, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);",
    F + "Muls(w, w, 2.0f, 64); Duplicate(w, 1.0f, 64); Muls(z, w, 2.0f, 64);",
    F + "Adds(z, z, 1.0f, 640); Adds(z[64], z, 1.0f, (uint64_t)8, 8, {1, 1, 1, 1});",
    F + "Add(z, a, z, (uint64_t)64, 4, {1, 1, 1, 0, 8, 0});",
    F + "WholeReduceSum(z, z, 64, 8, 1, 1, 8);",
]


PROBES = VectorProbes(**bodies(), right=RIGHT)


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_is_wrong_is_named(case):
    _, ran = PROBES.run(f"wrong_{case}", np.zeros(SIZE, np.uint8))
    assert ran.rules() == [WRONG[case][0]], (WRONG[case], ran.findings)


@pytest.mark.parametrize("case", range(len(RIGHT)))
def test_what_is_right_is_left_alone(case):
    _, ran = PROBES.run(f"right_{case}", np.zeros(SIZE, np.uint8), np.full(SIZE, 255, np.uint8))
    assert ran.findings == [], RIGHT[case]


@pytest.mark.parametrize("type_name", MOVED)
@pytest.mark.parametrize("n", [0, 1, 300])
def test_duplicate(type_name, n):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    before = numbers(dtype, 1, SIZE // dtype.itemsize)
    got = PROBES(f"duplicate_{type_name}", before, before, [n]).view(dtype)
    want = before.copy()
    want[:n] = 7
    for r in range(3):
        for lane in (0, 2, 15):
            want[1024 + r * 20 * per + lane // per * 2 * per + lane % per] = 9
    for r in range(2):
        want[3072 + r * 8 * per : 3072 + r * 8 * per + 9] = 5
    same(got, want)


@pytest.mark.parametrize("type_name", MOVED)
def test_copy(type_name):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    a = numbers(dtype, 1, SIZE // dtype.itemsize)
    got = PROBES(f"copy_{type_name}", a, a[::-1].copy()).view(dtype)
    want = a[::-1].copy()
    for r in range(3):
        for lane in range(20):
            want[r * 18 * per + lane // per * 2 * per + lane % per] = a[r * 8 * per + lane]
    for r in range(2):
        want[2048 + r * 30 * per :][:200] = a[r * 27 * per :][:200]
    want[3072 : 3072 + 99] = a[:99]
    same(got, want)


@pytest.mark.parametrize("type_name", COUNTED)
def test_sequences(type_name):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    got = PROBES(f"index_{type_name}", np.zeros(0), None, [700]).view(dtype)
    same(got[:700], (np.arange(700) + 3).astype(dtype))
    for r in range(2):
        same(got[1024 + r * 9 * per :][:20], (np.arange(20) + 3 + r * 8 * per).astype(dtype))
    got = PROBES(f"progression_{type_name}", np.zeros(0), None, [700]).view(dtype)
    same(got[:700], (np.arange(700) * 2 + 3).astype(dtype))
    same(got[1024:1724], (np.arange(700) * 3 - 5).astype(dtype))


@pytest.mark.parametrize("type_name", MOVED)
def test_blocks_of_an_element(type_name):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    a = numbers(dtype, 1, 256)
    got = PROBES(f"brcb_{type_name}", a).view(dtype)
    same(got[: 16 * per], np.repeat(a[:16], per))
    same(got[1024 : 1024 + 32 * per].reshape(16, 2, per)[:, 0].ravel(), np.repeat(a[:16], per))


@pytest.mark.parametrize("type_name", MOVED)
def test_gather(type_name):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    a = numbers(dtype, 1, SECOND // dtype.itemsize)
    rng = np.random.default_rng(2)
    places = rng.integers(0, 500, 500).astype(np.uint32)
    x = np.zeros(SIZE, np.uint8)
    x[:SECOND] = a.view(np.uint8)
    x[SECOND : SECOND + 2000] = (places * dtype.itemsize).view(np.uint8)
    got = PROBES(f"gather_{type_name}", x, None, [333]).view(dtype)
    same(got[:333], a[places[:333] + 8 // dtype.itemsize])
    for r in range(3):
        same(got[1024 + r * 10 * per :][:30], a[places[r * 8 * per :][:30]])
    blocks = rng.integers(0, 100, 16).astype(np.uint32)
    x[SECOND : SECOND + 64] = (blocks * 32).view(np.uint8)
    got = PROBES(f"blocks_{type_name}", x).view(dtype)
    want = a.reshape(-1, per)[blocks]
    same(got[: 16 * per].reshape(16, per), want)
    for i in range(16):
        same(got[1024 + (i // 8 * 17 + i % 8 * 2) * per :][:per], want[i])


@pytest.mark.parametrize("type_name", MOVED)
@pytest.mark.parametrize("n", [5, 150])
def test_gather_by_masks(type_name, n):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    a = numbers(dtype, 1, SECOND // dtype.itemsize)
    got = PROBES(f"pick_{type_name}", a, None, [n])
    counts, values = got[SIZE - 64 :].view(np.uint32), got.view(dtype)
    rows = [a[r * 24 * per :][:n] for r in range(2)]
    parts = [slice(0, None, 2), slice(1, None, 2), *(slice(k, None, 4) for k in range(4)), slice(None)]
    for i, part in enumerate(parts):
        want = np.concatenate([row[part] for row in rows])
        assert counts[i + 1] == want.size
        same(values[i * 512 : i * 512 + want.size], want)
    bits = np.random.default_rng(4).integers(0, 256, 96).astype(np.uint8)
    x = np.zeros(SIZE, np.uint8)
    x[:SECOND], x[SECOND : SECOND + 96] = a.view(np.uint8), bits
    got = PROBES(f"pick_tensor_{type_name}", x)
    kept = np.unpackbits(bits.reshape(3, 32), axis=1, bitorder="little")[:, : 8 * per].astype(bool)
    want = a[: 24 * per].reshape(3, 8 * per)[kept]
    assert got[SIZE - 64 :].view(np.uint32)[0] == want.size
    same(got.view(dtype)[: want.size], want)


@pytest.mark.parametrize("type_name", MOVED)
def test_address_lists(type_name):
    dtype = np.dtype(TYPES[type_name])
    per = 32 // dtype.itemsize
    a = numbers(dtype, 1, SIZE // dtype.itemsize)
    got = PROBES(f"lists_{type_name}", a).view(dtype)
    blocks = a[: 32 * per].reshape(16, 2, per)
    for r in range(2):
        want = blocks[:, r].T.reshape(16, per)
        same(got[: 32 * per].reshape(16, 2, per)[:, r], want)
    same(got[1024 : 1024 + 16 * per].reshape(16, per), blocks[:, 0].T.reshape(16, per))


def test_transposition():
    a = numbers(np.float16, 1, 2048)
    same(PROBES("transpose", a).view(np.float16)[:256].reshape(16, 16), a[:256].reshape(16, 16).T)
    got = PROBES("images", a).view(np.float16)
    same(got[:192].reshape(2, 4, 8, 3), a[:192].reshape(2, 3, 4, 8).transpose(0, 2, 3, 1))
    same(got[2048 : 2048 + 192].reshape(2, 3, 4, 8), a[:192].reshape(2, 4, 8, 3).transpose(0, 3, 1, 2))
    b = np.arange(512).astype(np.int8)
    got = PROBES("eight_bits", b).view(np.int8)[:512].reshape(16, 32)
    np.testing.assert_array_equal(got[:, :16], b.reshape(16, 32)[:, 16:].T)
    np.testing.assert_array_equal(got[:, 16:], b.reshape(16, 32)[:, :16].T)


def test_copies_within_ub():
    a = np.arange(128, dtype=np.float32)
    got = PROBES("within", a).view(np.float32)
    same(got[:64], a[:64])
    for i in range(3):
        same(got[1024 + i * 48 :][:16], a[i * 24 :][:16])


def records(area: np.ndarray, n: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Scores and indices of records."""
    words = area[: 8 * n].view(np.uint32).reshape(n, 2)
    return words[:, 0].astype({2: np.uint16, 4: np.uint32}[dtype.itemsize]).view(dtype), words[:, 1]


@pytest.mark.parametrize("type_name", REAL)
def test_sorting(type_name):
    dtype = np.dtype(TYPES[type_name])
    rng = np.random.default_rng(8)
    a = rng.integers(-40, 40, 256).astype(dtype)
    index = rng.permutation(256).astype(np.uint32)
    x = np.zeros(SIZE, np.uint8)
    x[: a.nbytes], x[SECOND : SECOND + 1024] = a.view(np.uint8), index.view(np.uint8)
    order = np.concatenate([np.argsort(-a[i : i + 32], kind="stable") + i for i in range(0, 128, 32)])
    scores, numbers_of = records(PROBES(f"sort32_{type_name}", x), 128, dtype)
    same(scores, a[order])
    np.testing.assert_array_equal(numbers_of, index[order])
    whole = np.argsort(-a, kind="stable")
    got = PROBES(f"sort_{type_name}", x)
    same(got.view(dtype)[:256], a[whole])
    np.testing.assert_array_equal(got[SECOND : SECOND + 1024].view(np.uint32), index[whole])
    got = PROBES(f"merge_{type_name}", x)
    kept = np.concatenate([order[:32], order[32:64], order[64:84], order[96:103]])
    merged = kept[np.argsort(-a[kept], kind="stable")]
    scores, numbers_of = records(got, 91, dtype)
    same(scores, a[merged])
    np.testing.assert_array_equal(numbers_of, index[merged])
    np.testing.assert_array_equal(got[SIZE - 64 :].view(np.uint32)[:4], [32, 32, 20, 7])
    got = PROBES(f"merge_two_{type_name}", x)
    used = got[SIZE - 64 :].view(np.uint32)[:4]
    two = np.concatenate([order[:32], order[32:52]])
    merged = two[np.argsort(-a[two], kind="stable")][: used[:2].sum()]
    assert used[0] == 32 or used[1] == 20
    same(records(got, merged.size, dtype)[0], a[merged])
    np.testing.assert_array_equal(records(got, merged.size, dtype)[1], index[merged])
