"""Slices of matrices, pools of buffers, the older form of Fixpipe, and instructions by names outside the namespace."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Probes
from .vector import VectorProbes

pytestmark = needs_compiler

TENSORS = """
    LocalTensor<float> a(TPosition::VECIN, 0, 512);
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    SliceInfo whole[2] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    SliceInfo part[2] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
"""
POOLS = """
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool, other;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
"""
ROUND = """{
        auto from = in.AllocTensor<float>();
        DataCopy(from, xg[%s], 64);
        in.EnQue(from);
        from = in.DeQue<float>();
        auto to = out.AllocTensor<float>();
        Adds(to, from, 1.0f, 64);
        out.EnQue(to);
        in.FreeTensor(from);
        to = out.DeQue<float>();
        DataCopy(yg[%s], to, 64);
        out.FreeTensor(to);
    }"""
BUFFERS = "%s.InitBuffer(in, 1, 256); %s.InitBuffer(out, 1, 256);"
PROBES = Probes(
    slice_in=TENSORS + "DataCopy(a, xg, whole, part, 2); SetFlag<HardEvent::MTE2_MTE3>(0);"
    "WaitFlag<HardEvent::MTE2_MTE3>(0); DataCopy(yg, a, 96);",
    slice_out=TENSORS + "DataCopy(a, xg, 96); SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);"
    "DataCopy(yg, a, part, whole, 2);",
    slice_late=TENSORS + "WaitFlag<HardEvent::S_MTE2>(0); { DataCopy(a, xg, whole, part, 2); whole[0].burstLen = 9; }"
    "SetFlag<HardEvent::S_MTE2>(0); SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0);"
    "DataCopy(yg, a, 96);",
    slice_beyond=TENSORS + "part[0].endIndex = 100; DataCopy(a, xg, whole, part, 2);",
    slice_uneven=TENSORS + "part[0].endIndex = 69; DataCopy(a, xg, whole, part, 2);",
    slice_counts=TENSORS + "DataCopy(a, xg, whole, part, 1); DataCopy(a, xg, whole, part + 1, 1);",
    pool=POOLS + "pipe.InitBufPool(pool, 512);" + BUFFERS % ("pool", "pool") + ROUND % ("0", "0") + "pool.Reset();"
    + BUFFERS % ("pool", "pool") + ROUND % ("64", "64") + "pool.Reset();",
    # Each pipe waits for what used its own buffers; the copy in would overtake the copy out of the same bytes.
    pool_swapped=POOLS + "pipe.InitBufPool(pool, 512);" + BUFFERS % ("pool", "pool") + ROUND % ("0", "0")
    + "pool.Reset(); pool.InitBuffer(out, 1, 256); pool.InitBuffer(in, 1, 256);" + ROUND % ("64", "64"),
    pool_in_pool=POOLS + "pipe.InitBufPool(other, 1024); other.InitBufPool(pool, 512);" + BUFFERS % ("pool", "other")
    + ROUND % ("0", "0") + "TBufPool<TPosition::VECCALC> again; other.InitBufPool(again, 512, pool);"
    + "pool.Reset(); again.InitBuffer(in, 1, 256);" + ROUND % ("64", "64"),
    pool_full=POOLS + "pipe.InitBufPool(pool, 256);" + BUFFERS % ("pool", "pool"),
    pool_elsewhere=POOLS + "pipe.InitBufPool(pool, 512); TQue<TPosition::A1, 1> deep; pool.InitBuffer(deep, 1, 256);",
    pool_shared_too_much=POOLS + "pipe.InitBufPool(pool, 512); pipe.InitBufPool(other, 1024, pool);",
    pool_in_use=POOLS + "pipe.InitBufPool(pool, 512);" + BUFFERS % ("pool", "pool")
    + "auto from = in.AllocTensor<float>(); DataCopy(from, xg, 64); pool.Reset();",
)  # fmt: skip
WRONG = {"slice_beyond": "bounds", "slice_uneven": "count", "slice_counts": "count", "pool_full": "buffers",
         "pool_elsewhere": "buffers", "pool_shared_too_much": "buffers", "pool_in_use": "queue",
         "pool_swapped": "race"}  # fmt: skip
RAW = VectorProbes(
    sums="set_mask_norm(); set_vector_mask(0, 0xffffffff);"
    "vcadd((__ubuf__ float*)out<float>().GetPhyAddr(), (__ubuf__ float*)in<float>().GetPhyAddr(), 3, 1, 1, 8, false);"
    "set_vector_mask(~0ull, ~0ull); PipeBarrier<PIPE_ALL>(); uint64_t bits = get_acc_val();"
    "out<float>().SetValue(3, *reinterpret_cast<float*>(&bits)); "
    "out<int32_t>().SetValue(4, block_idx + 10 * block_num);",
    padded="SetPadValue<float>(7.0f); GlobalTensor<float> xg; xg.SetGlobalBuffer((__gm__ float*)x);"
    "copy_gm_to_ubuf_align_b32((__ubuf__ float*)out<float>().GetPhyAddr(), x, 0, 1, 20, 2, 1, 0, 0);",
)
SUMS = """
    GlobalTensor<half> xg;
    GlobalTensor<%s> yg;
    xg.SetGlobalBuffer((__gm__ half*)x);
    yg.SetGlobalBuffer((__gm__ %s*)y);
    LocalTensor<half> a1(TPosition::A1, 0, 1024), a2(TPosition::A2, 0, 1024), b2(TPosition::B2, 0, 1024);
    LocalTensor<float> sums(TPosition::CO1, 0, 1024);
    DataCopy(a1, xg, Nd2NzParams(1, 32, 32, 0, 32, 32, 1, 0));
    PipeBarrier<PIPE_ALL>();
    LoadData2DParams band(0, 2, 2, 0, 0, false, 0);
    LoadData(a2, a1, band);
    band.startIndex = 1;
    LoadData(a2[512], a1, band);
    LoadData2DParams turned(0, 2, 2, 0, 0, true, 0);
    LoadData(b2, a1, turned);
    turned.startIndex = 1;
    LoadData(b2[512], a1, turned);
    PipeBarrier<PIPE_ALL>();
    Mmad(sums, a2, b2, MmadParams(32, 32, 32));
    PipeBarrier<PIPE_ALL>();
    FixpipeParams<float> p(2, 20 * 16 * 4 / 32, 0, %s);
"""
CUBES = Probes(
    rows=SUMS % ("float", "float", "30") + "p.nz2ndParams = {true, 1, 0, 0, 30}; Fixpipe(yg, sums, p);",
    fractals=SUMS % ("half", "half", "4") + "p.quantParams = {QuantMode_t::F322F16}; p.reluEn = true; "
    "Fixpipe(yg, sums, p);",
    repeated="SetLoadDataRepeat({0, 1, 0}); SetLoadDataRepeat({0, 2, 0});",
)
INTO_L1 = Probes(
    into_l1="""
    LocalTensor<half> ub(TPosition::VECIN, 0, 1024), l1(TPosition::A1, 0, 1024);
    GlobalTensor<half> xg;
    xg.SetGlobalBuffer((__gm__ half*)x);
    DataCopy(ub, xg, 20 * 24 + 32);
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(l1, ub, Nd2NzParams(1, 20, 20, 0, 24, 32, 1, 0));
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < 1024; ++i)
        if (i / 16 % 32 < 20) ((__gm__ half*)y)[i] = l1.GetValue(i);
""",
    from_l1="LocalTensor<half> ub(TPosition::VECIN, 0, 1024), l1(TPosition::A1, 0, 1024);"
    "DataCopy(ub, l1, Nd2NzParams(1, 20, 20, 0, 24, 32, 1, 0));",
)


def test_slices_in_and_out():
    x = np.arange(3 * 87, dtype=np.float32)
    part = x.reshape(3, 87)[::2][:, [*range(16, 40), *range(47, 71)]]
    for name in ("slice_in", "slice_late"):
        y = np.zeros(96, np.float32)
        assert PROBES(name, 1, x, y).findings == []
        np.testing.assert_array_equal(y.reshape(2, 48), part)
    y = np.zeros(3 * 87, np.float32)
    assert PROBES("slice_out", 1, x, y).findings == []
    expected = np.zeros((3, 87), np.float32)
    expected[::2, 16:40], expected[::2, 47:71] = x[:96].reshape(2, 48)[:, :24], x[:96].reshape(2, 48)[:, 24:]
    np.testing.assert_array_equal(y.reshape(3, 87), expected)


@pytest.mark.parametrize("name", ["pool", "pool_in_pool"])
def test_pools_hand_out_their_bytes_again(name):
    x, y = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    assert PROBES(name, 1, x, y).findings == []
    np.testing.assert_array_equal(y, x + 1)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_are_named(name):
    assert PROBES(name, 1, np.zeros(512, np.float32), np.zeros(512, np.float32)).rules() == [WRONG[name]]


def test_sums_by_their_older_name():
    x = np.arange(192, dtype=np.float32)
    got = RAW("sums", x)
    sums = x.reshape(3, 64)[:, :32].sum(1)
    np.testing.assert_array_equal(got.view(np.float32)[:4], [*sums, sums.sum()])
    assert got.view(np.int32)[4] == 10


def test_what_copies_pad_with_is_set():
    x = np.arange(5, dtype=np.float32) + 1
    np.testing.assert_array_equal(RAW("padded", x).view(np.float32)[:8], [7, 7, *x, 7])


def test_the_older_form_of_fixpipe():
    x = np.random.default_rng(0).integers(-4, 5, (32, 32)).astype(np.float16)
    product = x.astype(np.float32) @ x.astype(np.float32)
    y = np.zeros((20, 30), np.float32)
    assert CUBES("rows", 1, x, y, kind="cube").findings == []
    np.testing.assert_array_equal(y, product[:20, :30])
    # Columns of 16 with gaps of four blocks between.
    y = np.zeros((2, 24, 16), np.float16)
    assert CUBES("fractals", 1, x, y, kind="cube").findings == []
    np.testing.assert_array_equal(y[:, :20], np.maximum(product, 0)[:20].reshape(20, 2, 16).swapaxes(0, 1))
    assert (y[:, 20:] == 0).all()


def test_loads_that_repeat_are_refused():
    ran = CUBES("repeated", 1, np.zeros(8, np.float16), np.zeros(8, np.float16), kind="cube")
    assert ran.rules() == ["unsupported"]
    assert "SetLoadDataRepeat" in ran.findings[0]


def test_rows_become_fractals_on_their_way_to_l1():
    x, y = np.arange(512).astype(np.float16), np.zeros(1024, np.float16)
    assert INTO_L1("into_l1", 1, x, y).findings == []
    rows = np.pad(x[: 20 * 24].reshape(20, 24)[:, :20], ((0, 12), (0, 12)))
    np.testing.assert_array_equal(y.reshape(2, 32, 16), rows.reshape(32, 2, 16).swapaxes(0, 1))
    assert INTO_L1("from_l1", 1, x, y).rules() == ["address"]
