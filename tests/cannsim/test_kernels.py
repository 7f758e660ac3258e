"""Ascend C kernels in the simulator: compiled at run time, launched, and what becomes of those that go wrong."""

from __future__ import annotations

import ctypes
import json

import numpy as np
import pytest

from cannsim import acl, kernels
from cannsim.acl import Memory, P, call
from cannsim.kernels import HEAD, Binary, Refused, array_of, build, memory_of, wait

pytestmark = pytest.mark.skipif(
    not kernels.compiles(), reason="CANN 8 has no libacl_rtc.so, or there is no C++ compiler to compile kernels with"
)

ADD = HEAD + """
constexpr int32_t TILE = 4096;
extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> xq, yq;
    TQue<QuePosition::VECOUT, 2> zq;
    pipe.InitBuffer(xq, 2, TILE * sizeof(float));
    pipe.InitBuffer(yq, 2, TILE * sizeof(float));
    pipe.InitBuffer(zq, 2, TILE * sizeof(float));
    GlobalTensor<float> xg, yg, zg;
    uint32_t per = (n + GetBlockNum() - 1) / GetBlockNum();
    per = (per + 7) / 8 * 8;
    const uint32_t first = per * GetBlockIdx(), last = first + per < n ? first + per : n;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    zg.SetGlobalBuffer((__gm__ float*)z);
    for (uint32_t at = first; at < last; at += TILE) {
        const uint32_t m = last - at < TILE ? last - at : TILE, bytes = m * sizeof(float);
        LocalTensor<float> a = xq.AllocTensor<float>(), b = yq.AllocTensor<float>();
        DataCopyPad(a, xg[at], {1, bytes, 0, 0, 0}, {false, 0, 0, 0});
        DataCopyPad(b, yg[at], {1, bytes, 0, 0, 0}, {false, 0, 0, 0});
        xq.EnQue(a); yq.EnQue(b);
        a = xq.DeQue<float>(); b = yq.DeQue<float>();
        LocalTensor<float> c = zq.AllocTensor<float>();
        Add(c, a, b, m);
        zq.EnQue(c); xq.FreeTensor(a); yq.FreeTensor(b);
        c = zq.DeQue<float>();
        DataCopyPad(zg[at], c, {1, bytes, 0, 0, 0});
        zq.FreeTensor(c);
    }
}
"""
WRONG = HEAD + """
extern "C" __global__ __aicore__ void beyond(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> a = buffer.Get<float>();
    GlobalTensor<float> xg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    DataCopy(a, xg[1024], 64);
}
extern "C" __global__ __aicore__ void crash(GM_ADDR x) { *(volatile int*)8 = 1; }
extern "C" __global__ __aicore__ void endless(GM_ADDR x) { volatile int going = 1; while (going) {} }
extern "C" __global__ __aicore__ void fine(GM_ADDR x) {}
"""
SCALARS = HEAD + """
struct Tiling { uint32_t n; float scale; };
template <class T> __global__ __aicore__ void fill(GM_ADDR out, T value, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) ((__gm__ T*)out)[i] = value;
}
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR tiling) {
    const __gm__ Tiling* t = (const __gm__ Tiling*)tiling;
    for (uint32_t i = 0; i < t->n; ++i) ((__gm__ float*)x)[i] *= t->scale;
}
"""


@pytest.mark.parametrize(("n", "blocks"), [(1, 1), (1000, 3), (100_000, 48), (50_000, 100)])
def test_add_compiled_at_run_time(n, blocks):
    rng = np.random.default_rng(n)
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    places = [memory_of(x), memory_of(y), Memory(x.nbytes)]
    binary = Binary(build(ADD))
    binary.launch("add", blocks, *places, np.uint32(n))
    wait()
    assert (array_of(places[2], np.float32) == x + y).all()
    binary.unload()
    for place in places:
        place.free()


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("beyond", kernels.VECTOR_CORE_EXCEPTION, ("kernel.cpp:11", "[bounds]")),
        ("crash", kernels.VECTOR_CORE_EXCEPTION, ("[crash]", "0x8")),
        ("endless", kernels.VECTOR_CORE_TIMEOUT, ("[time]",)),
    ],
)
def test_a_kernel_that_goes_wrong_fails_its_stream_alone(name, code, words):
    from cannsim.processes import child

    done = child(
        f"""
        from cannsim.kernels import *
        from cannsim.test_kernels import WRONG
        memory = memory_of(np.arange(256, dtype=np.float32))
        binary = Binary(build(WRONG))
        binary.launch({name!r}, 2, memory, seconds=1)
        try:
            wait()
            print("no error")
        except AclError as error:
            print("code", error.code)
        binary.launch("fine", 2, memory)
        wait()
        print((array_of(memory, np.float32) == np.arange(256)).all(), acl.sim.cannsim_findings(b"kernel") > 0)
        """,
        strict="error",
    )
    assert done.stdout.splitlines() == [f"code {code}", "True True"], done.stdout + done.stderr
    for word in (f"cannsim: kernel: {name}: ", *words):
        assert word in done.stderr, done.stderr


KEYS = HEAD + """
extern "C" __global__ __aicore__ void keyed(GM_ADDR x) {
    GlobalTensor<int32_t> xg;
    xg.SetGlobalBuffer((__gm__ int32_t*)x);
    if (TILING_KEY_IS(0)) xg.SetValue(0, 10);
    else if (TILING_KEY_IS(3)) xg.SetValue(0, 13);
    else xg.SetValue(0, TILING_KEY_VAR);
}
"""


def test_a_launch_names_the_tiling_key():
    memory = memory_of(np.zeros(8, np.int32))
    binary = Binary(build(KEYS))
    found = []
    for name in ("keyed", "keyed_3", "keyed_0", "keyed_70001"):
        binary.launch(name, 1, memory)
        wait()
        found.append(int(array_of(memory, np.int32)[0]))
    assert found == [10, 13, 10, 70001]
    for key in (3, 0, 9):
        function, arguments, parameter = P(), P(), P()
        call("aclrtBinaryGetFunctionByEntry", binary.handle, ctypes.c_uint64(key), ctypes.byref(function))
        call("aclrtKernelArgsInit", function, ctypes.byref(arguments))
        address = bytes(ctypes.c_uint64(memory.address.value or 0))
        call("aclrtKernelArgsAppend", arguments, address, ctypes.c_size_t(8), ctypes.byref(parameter))
        call("aclrtKernelArgsFinalize", arguments)
        call("aclrtLaunchKernelWithConfig", function, ctypes.c_uint32(1), P(None), None, arguments, None)
        wait()
        assert int(array_of(memory, np.int32)[0]) == {3: 13, 0: 10, 9: 9}[key]
    for wrong in ("other_3", "keyed_", "keyed_x", "keyed_-1"):
        with acl.refused(507027):
            binary.function(wrong)
    memory.free()


def test_the_timeline_has_the_pipes_of_kernels(tmp_path):
    from cannsim.processes import child

    trace = tmp_path / "trace.json"
    done = child(
        """
        from cannsim.kernels import *
        from cannsim.test_kernels import ADD
        places = [memory_of(np.ones(10000, np.float32)) for _ in range(3)]
        binary = Binary(build(ADD))
        for _ in range(2):
            binary.launch("add", 2, *places, np.uint32(10000))
        wait()
        """,
        trace=str(trace),
    )
    assert done.returncode == 0, done.stderr
    events = json.loads(trace.read_text())["traceEvents"]
    names = {each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"}
    assert len(names) == 2 and all(name.startswith("add, blocks: 2, modelled: ") for name in names.values())
    first, second = ([each for each in events if each["pid"] == pid and each["ph"] == "X"] for pid in sorted(names))
    assert [each["name"] for each in first].count("Add") == 4  # 5000 numbers a core in tiles of 4096
    assert {each["args"]["at"].split(":")[0] for each in first} == {"kernel.cpp"}
    assert min(each["ts"] for each in second) >= max(each["ts"] + each["dur"] for each in first) - 1e-6


def test_abort_ends_the_process_at_a_finding_in_a_kernel():
    from cannsim.processes import child

    done = child(
        """
        from cannsim.kernels import *
        from cannsim.test_kernels import WRONG
        Binary(build(WRONG)).launch("beyond", 1, memory_of(np.zeros(256, np.float32)))
        wait()
        """,
        strict="abort",
    )
    assert done.returncode == -6 and "[bounds]" in done.stderr, done.stderr


def test_templates_by_their_lowered_names_and_pointers_of_the_scalar_unit():
    binary = Binary(build(SCALARS, names=["fill<float>", "fill<int64_t>"]))
    floats, whole = Memory(40), Memory(80)
    binary.launch("fill<float>", 1, floats, np.float32(2.5), np.uint32(10))
    binary.launch("fill<int64_t>", 1, whole, np.int64(-7), np.uint32(10))
    wait()
    assert (array_of(floats, np.float32) == 2.5).all() and (array_of(whole, np.int64) == -7).all()
    tiling = memory_of(np.array([10, np.float32(3).view(np.uint32)], np.uint32))
    binary.launch("scale", 1, floats, tiling)
    wait()
    assert (array_of(floats, np.float32) == 7.5).all()
    for place in (floats, whole, tiling):
        place.free()


def test_arguments_that_go_with_the_launch():
    binary = Binary(build(SCALARS))
    x = memory_of(np.ones(10, np.float32))
    tiling = np.array([10, np.float32(4).view(np.uint32)], np.uint32).tobytes()
    host = np.array([x.address.value, 0], np.uint64).tobytes() + tiling
    holes = (ctypes.c_uint32 * 2)(8, 16)
    call("aclrtLaunchKernelWithHostArgs", binary.function("scale"), 1, None, None, host, ctypes.c_size_t(len(host)),
         holes, ctypes.c_size_t(1))  # fmt: skip
    arguments, parameter, buffer = P(), P(), P()
    call("aclrtKernelArgsInit", binary.function("scale"), ctypes.byref(arguments))
    address = ctypes.c_uint64(x.address.value or 0)
    call("aclrtKernelArgsAppend", arguments, ctypes.byref(address), ctypes.c_size_t(8), ctypes.byref(parameter))
    call("aclrtKernelArgsAppendPlaceHolder", arguments, ctypes.byref(parameter))
    call("aclrtKernelArgsGetPlaceHolderBuffer", arguments, parameter, ctypes.c_size_t(8), ctypes.byref(buffer))
    ctypes.memmove(buffer, tiling, 8)
    call("aclrtKernelArgsFinalize", arguments)
    call("aclrtLaunchKernelWithConfig", binary.function("scale"), 1, None, None, arguments, None)
    wait()
    assert (array_of(x, np.float32) == 16).all()
    second = memory_of(np.frombuffer(tiling, np.uint8))
    on_device = memory_of(np.array([x.address.value, second.address.value], np.uint64))
    call("aclrtLaunchKernel", binary.function("scale"), 1, on_device.address, ctypes.c_size_t(16), None)
    wait()
    assert (array_of(x, np.float32) == 64).all()


def test_what_a_launch_refuses():
    binary = Binary(build(SCALARS))
    with acl.refused(507027, "scale", "missing"):
        binary.function("missing")
    with acl.refused(100000, "paramSize", "8 bytes, got 4"):
        binary.launch("scale", 1, np.float32(1), np.float32(1))
    with acl.refused(100000, "2 parameters, got 1"):
        binary.launch("scale", 1, np.int64(1))
    with acl.refused(100000, "numBlocks"):
        binary.launch("scale", 0, np.int64(1), np.int64(1))


def test_the_compilers_errors_show_the_lines_of_the_source():
    with pytest.raises(Refused) as refusal:
        build(HEAD + "\n\nextern \"C\" __global__ __aicore__ void f(GM_ADDR x) { nothing(); }\n", name="broken.cpp")
    assert "broken.cpp:5" in str(refusal.value) and "nothing" in str(refusal.value)


def test_the_second_compilation_of_a_text_is_read_from_the_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("ASCENDC_CACHE", str(tmp_path))
    source = HEAD + 'extern "C" __global__ __aicore__ void f(GM_ADDR x) { }\n'
    first = build(source)
    kept = sorted(tmp_path.iterdir())
    assert build(source) == first
    assert sorted(tmp_path.iterdir()) == kept
