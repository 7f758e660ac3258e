"""Allocation, copies and fills of device and pinned memory; planned faults; the model clock."""

from __future__ import annotations

import ctypes
import json

import ml_dtypes
import numpy as np
import pytest

from cannsim import acl
from cannsim.acl import DEVICE_TO_HOST, HOST_TO_DEVICE, Memory, P, call, refused
from cannsim.processes import child

U = ctypes.c_size_t
for name in ("report", "log", "timeline"):
    getattr(acl.sim, f"cannsim_{name}_json").restype = ctypes.c_char_p
acl.sim.cannsim_memory_used.restype = ctypes.c_uint64


def test_addresses_sizes_and_policies() -> None:
    before = acl.sim.cannsim_memory_used(0)
    blocks = [Memory(size) for size in (1, 31, 32, 33, 4096, 1_000_003)]
    assert all(block.address.value % 64 == 0 for block in blocks)
    assert acl.sim.cannsim_memory_used(0) - before == sum((block.nbytes + 31) // 32 * 32 + 32 for block in blocks)
    for block in blocks:
        block.free()
    assert acl.sim.cannsim_memory_used(0) == before
    address = P()
    for policy in range(8):
        call("aclrtMalloc", ctypes.byref(address), U(64), policy)
        call("aclrtFree", address)
    for policy in (8, 0x101, -1):
        with refused(100000, "policy"):
            call("aclrtMalloc", ctypes.byref(address), U(64), policy)
    with refused(100000, "size"):
        call("aclrtMalloc", ctypes.byref(address), U(0), 0)
    with refused(100000, "devPtr"):
        call("aclrtFree", None)
    with refused(100000, "lies inside"):
        block = Memory(100)
        call("aclrtFree", P(block.address.value + 64))
    block.free()


def test_copies_and_their_checks() -> None:
    data = np.arange(256, dtype=np.uint8)
    a, b = Memory(256), Memory(256)
    a.write(data.tobytes())
    call("aclrtMemcpy", b.address, U(256), a.address, U(256), 3)
    assert b.read() == data.tobytes()
    out = np.zeros(64, np.uint8)
    call("aclrtMemcpy", out.ctypes.data_as(P), U(64), P(b.address.value + 100), U(64), 4)
    np.testing.assert_array_equal(out, data[100:164])
    call("aclrtMemcpy", b.address, U(256), a.address, U(0), 99)  # nothing to copy
    for arguments, word in (
        ((b.address, U(8), a.address, U(9), 3), "destMax"),
        ((b.address, U(8), a.address, U(8), 8), "kind"),
        ((None, U(8), a.address, U(8), 3), "dst"),
    ):
        with refused(100000, word):
            call("aclrtMemcpy", *arguments)
    grid = np.arange(6 * 16, dtype=np.uint8).reshape(6, 16)
    call("aclrtMemcpy2d", a.address, U(32), grid.ctypes.data_as(P), U(16), U(10), U(6), HOST_TO_DEVICE)
    back = np.zeros((6, 12), np.uint8)
    call("aclrtMemcpy2d", back.ctypes.data_as(P), U(12), a.address, U(32), U(10), U(6), DEVICE_TO_HOST)
    np.testing.assert_array_equal(back[:, :10], grid[:, :10])
    with refused(100000, "width"):
        call("aclrtMemcpy2d", a.address, U(8), grid.ctypes.data_as(P), U(16), U(10), U(6), HOST_TO_DEVICE)
    call("aclrtMemset", a.address, U(256), 0xAB, U(100))
    assert a.read()[:100] == b"\xab" * 100
    call("aclrtMemsetAsync", a.address, U(256), 0, U(256), None)
    call("aclrtSynchronizeStream", None)
    assert a.read() == bytes(256)
    a.free()
    b.free()


def test_queued_copies_from_pinned_and_pageable_memory() -> None:
    acl.sim.cannsim_set(b"LAG", b"30000")
    pinned, device = P(), Memory(64)
    call("aclrtMallocHost", ctypes.byref(pinned), U(64))
    ctypes.memset(pinned, 7, 64)
    call("aclrtMemcpyAsync", device.address, U(64), pinned, U(64), HOST_TO_DEVICE, None)
    ctypes.memset(pinned, 9, 64)  # before the copy runs: it takes what is there then
    call("aclrtSynchronizeStream", None)
    assert device.read() == b"\x09" * 64
    pageable = np.full(64, 5, np.uint8)
    call("aclrtMemcpyAsync", device.address, U(64), pageable.ctypes.data_as(P), U(64), HOST_TO_DEVICE, None)
    pageable[:] = 6  # the call came back after the copy
    assert device.read() == b"\x05" * 64
    with refused(207000):
        call("aclrtMemcpyAsync", pinned, U(64), pinned, U(64), 0, None)
    acl.sim.cannsim_set(b"LAG", b"0")
    call("aclrtFreeHost", pinned)
    device.free()


def test_the_limit_of_memory() -> None:
    done = child(
        """
        memory = Memory(600 << 10)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        call("aclrtGetMemInfo", 1, ctypes.byref(free), ctypes.byref(total))
        print(total.value, free.value)
        try: Memory(600 << 10)
        except AclError as error: print(error.code, "asked for 614400" in error.text)
        memory.free(); Memory(600 << 10)
        """,
        memory="1M",
    )
    assert done.stdout.split() == [str(1 << 20), str((1 << 20) - (600 << 10) - 32), "207001", "True"], done.stderr


def test_mapped_memory() -> None:
    class Property(ctypes.Structure):
        _fields_ = (
            ("handle_type", ctypes.c_int32),
            ("allocation_type", ctypes.c_int32),
            ("attribute", ctypes.c_int32),
            ("id", ctypes.c_uint32),
            ("location", ctypes.c_int32),
            ("reserve", ctypes.c_uint64),
        )

    address, handle, size = P(), P(), 4 << 20
    call("aclrtReserveMemAddress", ctypes.byref(address), U(size), U(0), None, ctypes.c_uint64(1))
    with refused(100000, "no allocation"):
        call("aclrtMemset", address, U(64), 1, U(64))
    prop = Property(0, 0, 4, 0, 1, 0)
    call("aclrtMallocPhysical", ctypes.byref(handle), U(size), ctypes.byref(prop), ctypes.c_uint64(0))
    call("aclrtMapMem", address, U(size), U(0), handle, ctypes.c_uint64(0))
    fresh = ctypes.create_string_buffer(64)
    call("aclrtMemcpy", fresh, U(64), address, U(64), DEVICE_TO_HOST)
    assert fresh.raw == b"\xf5\x7f" * 32
    call("aclrtMemset", address, U(size), 1, U(size))
    with refused(100000, "still mapped"):
        call("aclrtFreePhysical", handle)
    call("aclrtUnmapMem", address)
    call("aclrtFreePhysical", handle)
    call("aclrtReleaseMemAddress", address)


@pytest.mark.parametrize("when", [1, 3])
def test_a_planned_call_fails(when: int) -> None:
    acl.sim.cannsim_fail(b"aclrtMalloc", ctypes.c_uint64(when), 207001)
    for n in range(1, 5):
        if n == when:
            with refused(207001, "as planned"):
                Memory(8)
        else:
            Memory(8).free()


def test_faults_from_the_environment_and_a_lost_device() -> None:
    done = child(
        """
        try: call("aclrtCreateStream", ctypes.byref(P()))
        except AclError as error: print(error.code)
        x = Tensor(np.ones(8, np.float32))
        size, executor = plan("aclnnExp", x, x)
        launch("aclnnExp", size, executor)
        sim.cannsim_lose_device(0)
        for attempt in (lambda: call("aclrtSynchronizeDevice"), lambda: Memory(8), lambda: call("aclrtSetDevice", 0)):
            try: attempt()
            except AclError as error: print(error.code, "lost" in error.text)
        call("aclrtSetDevice", 1)
        print(Memory(8).address.value % 64)
        """,
        faults="aclrtCreateStream:1:207008",
        devices="2",
    )
    assert done.stdout.split() == ["207008"] + ["507010", "True"] * 3 + ["0"], done.stderr


def test_the_model_clock_depends_on_the_work_alone() -> None:
    code = """
        start, end = P(), P()
        for event in (start, end): call("aclrtCreateEvent", ctypes.byref(event))
        n = 1 << 22
        x, y = Tensor(np.zeros(n, np.float32)), Tensor(np.zeros(n, np.float32))
        size, executor = plan("aclnnNeg", x, y)
        call("aclrtRecordEvent", start, None)
        launch("aclnnNeg", size, executor)
        call("aclrtRecordEvent", end, None)
        call("aclrtSynchronizeStream", None)
        ms = ctypes.c_float(); call("aclrtEventElapsedTime", ctypes.byref(ms), start, end)
        print(ms.value)
        """
    times = {float(child(code, clock="model", compute=compute).stdout) for compute in ("0", "1")}
    assert len(times) == 1
    bytes_time = 2 * 4 * (1 << 22) / 1.46e12 * 1e3
    assert bytes_time < times.pop() < bytes_time + 0.02  # and the launch


def test_the_log_has_calls_with_their_arguments() -> None:
    acl.sim.cannsim_set(b"LOG", b"1")
    Memory(100).free()
    acl.sim.cannsim_set(b"LOG", b"0")
    log = json.loads(acl.sim.cannsim_log_json())
    log = [line for line in log if line["function"] != "cannsim_set"]
    assert [line["function"] for line in log] == ["aclrtMalloc", "aclrtFree"]
    assert log[0]["arguments"] == {"size": 100, "policy": 0} and log[0]["code"] == 0 and log[0]["modelled"] >= 0


def test_the_report() -> None:
    x, y = acl.Tensor(np.zeros(1000, np.float32)), acl.Tensor(np.zeros(1000, np.float32))
    for _ in range(3):
        acl.run("aclnnNeg", x, y)
    report = json.loads(acl.sim.cannsim_report_json())
    (neg,) = (task for task in report["tasks"] if task["name"] == "aclnnNeg")
    assert neg["count"] == 3 and neg["bytes"] == 3 * 8000 and neg["modelled_seconds"] > 3 * 5e-6
    assert report["chip"] == "Ascend910B1" and report["findings"] == [] and report["memory"][0]["used"] > 0
    (copy,) = report["copies"]
    assert copy["name"] == "aclrtMemcpy, host to device" and copy["bytes"] == 8000
    x.destroy()
    y.destroy()


def test_chips() -> None:
    done = child(
        "rt.aclrtGetSocName.restype = ctypes.c_char_p\nprint(rt.aclrtGetSocName().decode())", chip="Ascend910B4"
    )
    assert done.stdout.strip() == "Ascend910B4"
    assert "makes no sense" in child("", chip="Ascend310").stderr


def test_freed_pinned_memory_is_the_hosts_again() -> None:
    device, address = Memory(4096), ctypes.c_void_p()
    for _ in range(300):
        acl.call("aclrtMallocHost", ctypes.byref(address), ctypes.c_size_t(64))
        acl.call("aclrtFreeHost", address)
    for _ in range(300):
        kept = [device.read() for _ in range(5)]
    assert acl.sim.cannsim_findings(None) == 0 and len(kept) == 5
    device.free()


UNWRITTEN = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("nbytes", [1, 7, 64, 4096, 1_000_003])
def test_fresh_memory_shows_itself(nbytes: int) -> None:
    block = Memory(nbytes)
    got = block.read()
    assert got == (b"\xf5\x7f" * nbytes)[:nbytes]
    whole = got[: nbytes // 16 * 16]
    for dtype in UNWRITTEN:
        assert np.isnan(np.frombuffer(whole, np.dtype(getattr(ml_dtypes, dtype, dtype))).astype(complex)).all()
    for dtype in "hiq":
        assert (np.frombuffer(whole, dtype) > np.iinfo(dtype).max * 0.999).all()
    assert not {0, 1} & set(got)  # what a bool may be
    block.write(bytes(nbytes))
    assert block.read() == bytes(nbytes)
    block.free()


def test_the_ends_of_a_large_block_show_themselves() -> None:
    size = 80 << 20
    block, out = Memory(size), ctypes.create_string_buffer(64)
    for offset in (0, (16 << 20) - 64, size - (15 << 20), size - 64):
        call("aclrtMemcpy", out, U(64), P(block.address.value + offset), U(64), DEVICE_TO_HOST)
        assert out.raw == b"\xf5\x7f" * 32, offset
    block.free()


@pytest.mark.parametrize("nbytes", [64, 4096, 200_000])
def test_freed_memory_shows_itself(nbytes: int) -> None:
    done = child(
        f"""
        block = Memory({nbytes})
        block.write(np.ones({nbytes}, np.uint8).tobytes())
        block.free()
        print(block.read()[:64].hex())
        """,
        strict="log",
    )
    assert done.stdout.split() == ["f57f" * 32], done.stderr


def test_freed_addresses_rest() -> None:
    """A block that is freed is not the next one's, even where its neighbours are free: late uses of it are seen."""
    done = child(
        "first = Memory(1000); old = first.address.value; first.free()\n"
        "taken = [Memory(1000) for _ in range(50)]\n"
        "assert old not in [block.address.value for block in taken]\n"
        "for _ in range(1000): Memory(1000).free()\n"
        "first.address = P(old); first.read()"
    )
    assert "use_after_free" in done.stderr and "freed allocation" in done.stderr


@pytest.mark.parametrize("nbytes", [1000, 60_000, 70_000])
def test_resting_addresses_keep_no_memory(nbytes: int) -> None:
    """A hundred megabytes pass through blocks of this size; what the process holds stays small."""
    done = child(
        f"for _ in range({120_000_000 // nbytes}):\n"
        f"    memory = Memory({nbytes})\n"
        f"    rt.aclrtMemset(memory.address, ctypes.c_size_t({nbytes}), 1, ctypes.c_size_t({nbytes}))\n"
        "    memory.free()\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('RssShmem')))"
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 40_000, f"{done.stdout} kB of device memory are held after everything was freed"
