"""Device memory that operators ask for in phase one: how much, what is refused and found, what is left in it."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import values

MIB = 1 << 20


def asked(name, *arguments):
    """What phase one asks for; the executor is used up."""
    made = [acl.Tensor(one) if isinstance(one, np.ndarray) else one for one in arguments]
    size, executor = acl.plan(name, *made)
    acl.launch(name, size, executor)
    acl.call("aclrtSynchronizeDevice")
    return size


def test_how_much() -> None:
    x = values((64, 32), np.float32)
    assert asked("aclnnAbs", x, np.empty_like(x)) == 0
    assert asked("aclnnAbs", x.T, np.empty((32, 64), np.float32)) == x.nbytes  # what does not lie in C order is copied
    assert asked("aclnnAbs", x, np.empty((32, 64), np.float32).T) == x.nbytes
    assert asked("aclnnAbs", x[:, :1], np.empty((64, 1), np.float32)) == 512
    row, one = np.broadcast_to(x[:1], x.shape), acl.Scalar(1, np.float32)
    assert asked("aclnnAdd", x, row, one, np.empty_like(x)) == x.nbytes
    assert asked("aclnnMax", x, np.empty((), np.float32)) == x.nbytes  # other operators have some of their own
    large = np.zeros((1 << 20,), np.float32)
    assert asked("aclnnMax", large, np.empty((), np.float32)) == MIB
    y = values((32, 8), np.float32)
    assert asked("aclnnMatmul", x, y, np.empty((64, 8), np.float32), 0) == 16 * MIB + x.nbytes + y.nbytes


def planned(shape=(64, 32)):
    x = acl.Tensor(values(shape, np.float32))
    out = acl.Tensor(np.empty((), np.float32))
    return [x, out, *acl.plan("aclnnMax", x, out)]


def test_too_small_null_misaligned_or_of_the_host_is_refused() -> None:
    *_, size, executor = planned()
    with pytest.raises(acl.AclError) as error:
        acl.launch("aclnnMax", size - 1, executor)
    assert error.value.code == 161002
    for address, code in ((0, 161001), (8, 161002)):
        *_, size, executor = planned()
        memory = acl.Memory(size + 64)
        where = ctypes.c_void_p((memory.address.value or 0) + address) if address else ctypes.c_void_p()
        got = acl.nn.aclnnMax(where, ctypes.c_uint64(size), executor, ctypes.c_void_p())
        assert got == code, got
        memory.free()
    *_, size, executor = planned()
    host = ctypes.create_string_buffer(size)
    assert acl.nn.aclnnMax(ctypes.c_void_p(ctypes.addressof(host)), ctypes.c_uint64(size), executor, ctypes.c_void_p())
    assert acl.sim.cannsim_findings(b"misaligned") and acl.sim.cannsim_findings(b"host_pointer")


def test_what_was_there_is_gone() -> None:
    x, out, size, executor = planned((300, 300))
    memory = acl.Memory(size)
    memory.write(bytes(size))
    acl.nn.aclnnMax(memory.address, ctypes.c_uint64(size), executor, ctypes.c_void_p())
    acl.call("aclrtSynchronizeDevice")
    assert out.numpy() == x.array.max()
    left = np.frombuffer(memory.read(), np.uint8)
    assert (left[: 256 << 10] == 0xA5).all() and (left[256 << 10 :: 256] == 0xA5).all()
    memory.free()


def test_two_streams_that_share_one_are_found() -> None:
    streams = [ctypes.c_void_p() for _ in range(2)]
    for stream in streams:
        acl.call("aclrtCreateStream", ctypes.byref(stream))
    memory = acl.Memory(1 << 16)
    codes = []
    for stream in streams:
        *_, size, executor = planned()
        codes.append(acl.nn.aclnnMax(memory.address, ctypes.c_uint64(size), executor, stream))
    assert codes[0] == 0 and acl.sim.cannsim_findings(b"unordered_access")
    for stream in streams:
        acl.call("aclrtSynchronizeStream", stream)
        acl.call("aclrtDestroyStream", stream)
    memory.free()
