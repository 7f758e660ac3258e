"""Arrays of asnumpy and tensors of torch_npu over the same memory, in one process on the simulator.

Prints a line as JSON for each case, with what failed.
"""

from __future__ import annotations

import numpy as np
import torch
import torch_npu  # noqa: F401 - makes torch know the device
from case_program import main

import asnumpy as ap
from asnumpy import cann

DTYPES = ("float32", "float16", "int32", "int64", "uint8", "bool")


def plain(dtype: str) -> np.ndarray:
    return (np.arange(12) % 5).astype(dtype).reshape(3, 4)


def to_torch() -> None:
    """torch sees what was recorded before, and what is written on either side shows on the other."""
    for dtype in DTYPES:
        x = ap.from_numpy(plain(dtype)) * ap.asarray(1, dtype=dtype)   # pending
        t = torch.utils.dlpack.from_dlpack(x.__dlpack__())
        assert str(t.device) == "npu:0" and t.data_ptr() == x.data.ptr
        np.testing.assert_array_equal(t.cpu().numpy(), plain(dtype))
        t[1] = 0
        torch.npu.synchronize()
        changed = plain(dtype)
        changed[1] = 0
        np.testing.assert_array_equal(ap.to_numpy(x), changed)
        x[0] = 1
        ap.synchronize()
        changed[0] = 1
        np.testing.assert_array_equal(t.cpu().numpy(), changed)


def the_protocol() -> None:
    x = ap.from_numpy(plain("float32")) + 1
    assert x.__dlpack_device__() == (12, 0)
    t = torch.from_dlpack(x)
    assert str(t.device) == "npu:0" and t.data_ptr() == x.data.ptr
    np.testing.assert_array_equal(t.cpu().numpy(), plain("float32") + 1)


def views_to_torch() -> None:
    """Views that begin at a multiple of 32 bytes: torch takes the first element's address for that of the memory."""
    whole = np.arange(24, dtype="float32").reshape(3, 8)
    x = ap.from_numpy(whole)
    for view in (x.T, x[1:, ::2], x[2], x[0, 0, ...], x[:, :0]):
        t = torch.utils.dlpack.from_dlpack(view.__dlpack__())
        assert tuple(t.shape) == view.shape
        np.testing.assert_array_equal(t.cpu().numpy(), ap.to_numpy(view))
    y = torch.utils.dlpack.from_dlpack(x[1:, ::2].__dlpack__())
    y += 10
    torch.npu.synchronize()
    expected = whole.copy()
    expected[1:, ::2] += 10
    np.testing.assert_array_equal(ap.to_numpy(x), expected)


def from_torch() -> None:
    """Memory of torch's as an array: read, written, computed with."""
    for dtype in DTYPES:
        t = torch.from_numpy(plain(dtype)).to("npu")
        torch.npu.synchronize()
        x = ap.from_dlpack(t)
        assert x.device == "ascend:0" and x.data.ptr == t.data_ptr() and x.dtype == dtype
        np.testing.assert_array_equal(ap.to_numpy(x), plain(dtype))
        x[1:, 2] = 1
        y = ap.where(x, x, x)
        ap.synchronize()
        expected = plain(dtype)
        expected[1:, 2] = 1
        np.testing.assert_array_equal(t.cpu().numpy(), expected)
        np.testing.assert_array_equal(ap.to_numpy(y), expected)
        legacy = ap._core.from_dlpack(torch.utils.dlpack.to_dlpack(t))  # which cannot say that it may be written
        assert legacy.data.ptr == t.data_ptr() and not legacy.flags.writeable
        np.testing.assert_array_equal(ap.to_numpy(legacy), expected)


def tensors_as_arguments() -> None:
    t = torch.from_numpy(plain("float32")).to("npu").T
    torch.npu.synchronize()
    x = ap.from_dlpack(t)
    assert x.data.ptr == t.data_ptr() and x.strides == (4, 16)
    np.testing.assert_allclose(ap.to_numpy(x @ x.T), plain("float32").T @ plain("float32"))


def memory_lives_as_long_as_it_is_used() -> None:
    t = torch.utils.dlpack.from_dlpack((ap.from_numpy(plain("float32")) * 3).__dlpack__())
    made = torch.from_numpy(plain("int32")).to("npu") + 4
    torch.npu.synchronize()  # torch_npu's own queue: what it has not handed to CANN yet, nobody else can wait for
    x = ap.from_dlpack(made)
    del made
    for _ in range(5):  # what would take the memory, were it given back
        ap.free_all_blocks()
        ap.eval(ap.zeros(1000), ap.ones((3, 4), dtype="float32"), ap.ones((3, 4), dtype="int32"))
        torch.npu.empty_cache()
        torch.ones(3, 4, device="npu").add_(1)
    torch.npu.synchronize()
    np.testing.assert_array_equal(t.cpu().numpy(), plain("float32") * 3)
    np.testing.assert_array_equal(ap.to_numpy(x), plain("int32") + 4)


def addresses() -> None:
    """An operator of CANN's on torch's memory, by its address."""
    t = torch.from_numpy(plain("float32")).to("npu")
    torch.npu.synchronize()
    out = ap.empty((3, 4), dtype="float32")
    cann.op("aclnnMuls")(cann.tensor(t.data_ptr(), (3, 4), "float32", owner=t), 2.0, out)
    np.testing.assert_array_equal(ap.to_numpy(out), plain("float32") * 2)


def work_of_both() -> None:
    """A loop in which each computes with the other's results, in turn."""
    x = ap.from_numpy(plain("float32"))
    t = torch.utils.dlpack.from_dlpack(x.__dlpack__())
    expected = plain("float32")
    for k in range(10):
        x += k
        ap.synchronize()
        t.mul_(0.5)
        torch.npu.synchronize()
        expected = (expected + np.float32(k)) * np.float32(0.5)
    np.testing.assert_array_equal(ap.to_numpy(x), expected)


if __name__ == "__main__":
    main(
        to_torch, the_protocol, views_to_torch, from_torch, tensors_as_arguments,
        memory_lives_as_long_as_it_is_used, addresses, work_of_both,
    )  # fmt: skip
