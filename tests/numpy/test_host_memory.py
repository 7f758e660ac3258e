"""Memory of the host that a file or another object shares: what is written is there, also beside a device's arrays."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import assert_same

import asnumpy as ap


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_a_mapped_file_meets_arrays_of_where_new_arrays_are_made(tmp_path: Path, mode: Any) -> None:
    def work(xp: Any, name: str) -> list[Any]:
        xp.save(tmp_path / name, xp.arange(12.0).reshape(3, 4))
        m, x = xp.load(tmp_path / name, mmap_mode=mode), xp.arange(12.0).reshape(3, 4)[:, ::-1]
        found = [m + x, x @ m.T, xp.where(x > 4, m, x), xp.concatenate([m, x]), m[x > 4], m[xp.arange(2)], x[m > 4]]
        m[1] = x[2]
        m[0, 1] = x[1, 1]
        m[:, 3] = x.sum(axis=1)
        m[xp.array([2, 0]), 0] = x[0, :2]
        m[x > 9] = -1
        x += m
        m *= x
        xp.add(m, x, out=m)
        xp.copyto(m, x, where=x > 20)
        found += [x, m + 0, x * m[0, 0], m.sum(axis=0) + x, xp.einsum("ij,ij", m, x), xp.linalg.norm(m - x)]
        m.flush()
        return [*found, xp.load(tmp_path / name)]

    for ours, expected in zip(work(ap, "ours.npy"), work(np, "numpys.npy"), strict=True):
        assert np.array_equal(np.asarray(ours), expected) and np.asarray(ours).dtype == expected.dtype



def over_bytes(xp, memory):
    return xp.frombuffer(memory, "f8")


def over_part(xp, memory):
    return xp.ndarray((2, 2), "f8", memory, 8, (8, 16))


def over_odd_bytes(xp, memory):
    return xp.frombuffer(memory, "f4", 5, 2)


def over_c(xp, memory):
    return xp.ctypeslib.as_array((ctypes.c_double * 6).from_buffer(memory))


@pytest.mark.parametrize("over", [over_bytes, over_part, over_odd_bytes, over_c])
def test_what_is_written_to_memory_of_another_object_is_there(over):
    def work(xp):
        memory = bytearray(48)
        x = over(xp, memory)
        x[...] = xp.arange(x.size).reshape(x.shape)
        x += xp.ones(x.shape, x.dtype)
        x[x > 3] = xp.max(x)
        xp.add(x, xp.float32(1), out=x)
        return bytes(memory), xp.multiply(x, xp.ones(x.shape)).sum()

    (octets, total), (expected, expected_total) = work(ap), work(np)
    assert octets == expected and total == expected_total


@pytest.mark.parametrize("start", [0, 3])
def test_bytes_that_may_not_change_give_an_array_that_may_not_either(start):
    x = ap.frombuffer(bytes(range(27)), "f8", 3, start)
    assert_same(np.frombuffer(bytes(range(27)), "f8", 3, start), x)
    assert not x.flags.writeable and x.device == ap.Device()
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
