"""Memory shared with the host: NumPy, memoryview and DLPack see each other's writes at once, whatever is pending."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.check._edges import ALL, BFLOAT16

pytestmark = pytest.mark.host_memory

N = 3000
Share = Callable[[Any], Any]
SHARES: dict[str, Share] = {
    "asarray": np.asarray,
    "array without copy": lambda x: np.array(x, copy=False),
    "buffer": lambda x: np.frombuffer(x, dtype=x.dtype).reshape(x.shape),
    "memoryview": lambda x: np.asarray(memoryview(x)),
    "dlpack": np.from_dlpack,
    "interface": lambda x: np.asarray(type("Other", (), {"__array_interface__": x.__array_interface__, "owner": x})()),
}


@pytest.fixture(autouse=True, params=["recorded", "at once when small", "eager"])
def recording(request: pytest.FixtureRequest) -> Iterator[None]:
    with ap.config.using(eager=request.param == "eager", eager_size=0 if request.param == "recorded" else 4096):
        yield


@pytest.mark.parametrize("share", SHARES)
def test_writes_are_seen_on_the_other_side(share: str) -> None:
    x = ap.arange(N, dtype=np.float64) + 1  # pending
    host = SHARES[share](x)
    assert host[0] == 1 and host[N - 1] == N
    x += 10
    assert host[0] == 11
    x[5] = -1
    assert host[5] == -1
    x[10:20] = x[20:30] * 2
    assert host[10] == (20 + 11) * 2
    y = x[::2]
    y *= 0
    assert host[2] == 0 and host[3] == 14
    if host.flags.writeable:
        host[7] = 99
        assert float(x[7]) == 99
        host[:] = 3
        assert float(x.sum()) == 3 * N
        z = x * 2
        host[:] = 4  # after z was asked for
        assert float(z[0]) == 6 and float((x * 2)[0]) == 8


@pytest.mark.parametrize("share", SHARES)
def test_pending_readers_see_what_was_there_when_they_were_recorded(share: str) -> None:
    x = ap.arange(N, dtype=np.float64)
    y = x * 2  # recorded before the memory is handed out
    total = x.sum()
    host = SHARES[share](x)
    if not host.flags.writeable:
        pytest.skip("handed out read-only")
    host[...] = -5
    assert float(y[3]) == 6 and float(total) == N * (N - 1) / 2
    assert float(x[3]) == -5


def test_result_recorded_before_its_target_is_handed_out() -> None:
    x, target = ap.ones(N), ap.zeros(N)
    ap.add(x, x, out=target)
    host = np.asarray(target)
    x += 1
    assert (host == 2).all()
    ap.add(x, x, out=target)
    assert (host == 4).all()


def test_sharing_ends_with_the_last_alias() -> None:
    x = ap.ones(N)
    host = np.asarray(x)
    part = host[10:20].reshape(2, 5)
    del host
    gc.collect()
    x += 1
    assert (part == 2).all()
    part[...] = 7
    assert float(x[15]) == 7
    del part
    gc.collect()
    y = x + 1
    assert float(y[15]) == 8


def test_memory_outlives_the_array() -> None:
    host = np.asarray(ap.arange(N) + 1)
    pointers = [np.asarray(ap.full(N, k)) for k in range(5)]
    assert host[N - 1] == N and [p[0] for p in pointers] == [0, 1, 2, 3, 4]
    tensor = np.from_dlpack(ap.arange(N) * 3)
    gc.collect()
    assert tensor[N - 1] == 3 * (N - 1)
    memory = memoryview(ap.arange(N, dtype=np.int32) * 2)
    gc.collect()
    assert memory[4] == 8 and memory.nbytes == 4 * N


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_views_of_every_dtype_share(dtype: np.dtype) -> None:
    plain = np.arange(60).reshape(3, 4, 5).astype(dtype)
    for view in (
        lambda a: a,
        lambda a: a[::-1],
        lambda a: a.transpose(2, 0, 1),
        lambda a: a[:, 1:3, ::2],
        lambda a: a[1, 2, 3:4].reshape(()),
    ):
        x = ap.from_numpy(plain)
        mine, theirs = view(x), view(plain)
        for share in (np.asarray, np.from_dlpack):
            if share is np.from_dlpack and dtype == BFLOAT16:
                continue  # NumPy cannot take it
            host = share(mine)
            assert host.dtype == dtype and host.shape == theirs.shape
            if theirs.size:
                assert host.strides == mine.strides
            assert np.array_equal(host, theirs)
        np.asarray(mine)[...] = 1
        assert (np.asarray(view(x)) == 1).all()
        assert np.shares_memory(np.asarray(x), np.asarray(mine))


def test_host_memory_taken_in_is_shared_too() -> None:
    plain = np.arange(N, dtype=np.float64)
    x = ap.from_dlpack(plain)
    y = x * 2
    plain[3] = 100
    assert float(y[3]) == 6, "recorded before the host wrote"
    assert float(x[3]) == 100
    x[4] = 200
    assert plain[4] == 200
    x += 1
    assert plain[3] == 101
    both = ap.from_dlpack(plain[::-1])
    both[0] = -1
    assert plain[N - 1] == -1 and float(x[N - 1]) == -1


def test_two_arrays_over_the_same_host_memory() -> None:
    plain = np.arange(10.0)
    x, y = ap.from_dlpack(plain), ap.from_dlpack(plain[2:])
    x[2:] += y
    assert plain.tolist() == [0, 1, 4, 6, 8, 10, 12, 14, 16, 18]
    y[...] = x[:8]
    assert plain.tolist() == [0, 1, 0, 1, 4, 6, 8, 10, 12, 14]


@pytest.mark.parametrize("shift", [1, 2, 700])
def test_shifted_arrays_over_the_same_host_memory(shift: int) -> None:
    """Both start at their own offset 0: only their addresses tell that one writes what the other reads."""
    for length in (100, N):
        plain = np.arange(float(length + shift))
        x, y = ap.from_dlpack(plain[:length]), ap.from_dlpack(plain[shift:])
        expected = plain.copy()
        np.add(expected[:length], 1, out=expected[shift:])
        ap.add(x, 1, out=y)
        assert np.array_equal(plain, expected)
        expected[:length] -= expected[shift:]
        x -= y
        assert np.array_equal(plain, expected)


def test_owner_of_host_memory_lives_as_long_as_needed() -> None:
    class Owner(np.ndarray):
        pass

    plain = np.arange(float(N)).view(Owner)
    alive = weakref.ref(plain)
    x = ap.from_dlpack(plain)
    view = x[5:10]
    del plain, x
    gc.collect()
    assert alive() is not None and float(view[0]) == 5
    result = view + 1
    del view
    assert float(result[0]) == 6
    gc.collect()
    assert alive() is None


def test_copies_are_copies() -> None:
    x = ap.arange(N)
    for copy in (
        ap.to_numpy(x),
        np.array(x),
        x.copy(),
        ap.array(x),
        np.array(x, copy=True),
        ap.from_numpy(np.asarray(x)),
    ):
        copy[...] = -1
        assert int(x[5]) == 5
    plain = np.arange(N)
    for made in (ap.array(plain), ap.asarray(plain), ap.from_numpy(plain)):
        plain[3] = -7
        made[0] = 50
        assert int(made[3]) == 3 and plain[0] == 0
        plain[3] = 3


def test_numpy_functions_write_through() -> None:
    x = ap.zeros(N)
    host = np.asarray(x)
    np.copyto(host, 5)
    y = x + 1
    np.add(host, 1, out=host)
    assert float(y[0]) == 6 and float(x[0]) == 6
    host.sort()
    host[::-1].sort()
    assert float(x[0]) == 6


def test_readonly_memory_stays_so() -> None:
    x = ap.arange(N)
    x.flags.writeable = False
    assert not np.asarray(x).flags.writeable
    assert memoryview(x).readonly
    plain = np.arange(N)
    plain.flags.writeable = False
    with pytest.raises(ValueError):
        ap.from_dlpack(plain)[0] = 1
    assert plain[0] == 0


def test_release_while_a_writer_is_recorded() -> None:
    x = ap.ones(N)
    for k in range(20):
        host = np.asarray(x)
        x += 1
        assert host[0] == k + 2
        del host
        x *= 1
    assert float(x[0]) == 21


def test_memoryview_of_odd_views() -> None:
    x = ap.arange(24, dtype=np.int16).reshape(4, 6)
    memory = memoryview(x[::2, ::-1])
    assert memory.shape == (2, 6) and memory.strides == (24, -2) and memory.format == "h"
    assert memory.tolist() == np.arange(24).reshape(4, 6)[::2, ::-1].tolist()
    memory[1, 0] = 77
    assert int(x[2, 5]) == 77
    memory.release()
    with pytest.raises((ValueError, BufferError), match="contiguous"):
        np.frombuffer(x[:, ::2], np.int16)
