"""What comes from a device to the host unasked, and is counted: implicit copies, work for NumPy, what is printed."""

from __future__ import annotations

import ctypes
import io
import struct
import warnings

import numpy as np
import pytest
import seeded
from device_marks import OTHERS, left_devices, needs_one

import asnumpy as ap

pytestmark = pytest.mark.usefixtures("usual_settings")


@needs_one
def test_implicit_copies() -> None:
    x = ap.asarray([1.0, 2.0, 3.0], device=OTHERS[0])
    with ap.config.using(implicit_copies="error"):
        for call in (lambda: np.asarray(x), lambda: memoryview(x), lambda: x.__array__(), lambda: np.array([x, x]),
                     lambda: np.array(x, dtype="int8"), lambda: x.ctypes):
            with pytest.raises(TypeError, match=r"asnumpy\.to_numpy\(a\)"):
                call()
    for policy in ("error", "count"):
        with ap.config.using(implicit_copies=policy), pytest.raises(ValueError, match="avoid copy"):
            x.__array__(copy=False)
    assert left_devices() == []
    with ap.config.using(implicit_copies="count"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.asarray(ap.zeros(1 << 18, dtype="int64", device=OTHERS[0])).sum() == 0
        copied = np.asarray(x)
        assert bytes(memoryview(x)) == copied.tobytes()
        for dtype in ("bfloat16", "int8", "complex64"):
            assert np.asarray(x.astype(dtype)).tolist() == [1, 2, 3]
    (row,) = [one for one in ap.fallbacks() if one["dtypes"] == "float64"]
    assert row["kind"] == "copy" and row["function"] == "numpy.asarray" and row["count"] == 2 and row["bytes"] == 48


@needs_one
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])  # the buffer protocol has no word for the second
def test_large_implicit_copies_are_reported_once(dtype: str) -> None:
    x = ap.ones(3, dtype=dtype, device=OTHERS[0])
    with ap.config.using(implicit_copies="warn"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.asarray(x).tolist() == [1, 1, 1]  # small
        large = ap.ones(1 << 19, dtype=dtype, device=OTHERS[0])
        said = rf"numpy\.asarray copies an array of {large.nbytes} bytes"
        with pytest.warns(ap.FallbackWarning, match=said) as caught:
            np.asarray(large)
            np.asarray(large)
        assert len(caught) == 1 and caught[0].filename == __file__
    (row,) = [one for one in ap.fallbacks() if one["dtypes"] == dtype]
    assert row["count"] == 3


@needs_one
def test_an_implicit_copy_is_the_caller_s() -> None:
    x = ap.asarray([3.0, 1.0, 2.0], device=OTHERS[0])
    for copied in (np.asarray(x), np.array(x), x.__array__(), x.__array__(np.float32), np.asarray(x.astype("bfloat16")),
                   np.frombuffer(memoryview(x)), np.asarray(x[::-1])):
        assert copied.flags.writeable
        copied.sort()
        assert copied.tolist() == [1, 2, 3] and x.tolist() == [3, 1, 2]
    with pytest.raises(ValueError, match="copy"):
        x.__array__(copy=False)


class Writing:
    """What a function of C sees that asks for an array's memory to write there, for as long as it holds it."""

    class Buffer(ctypes.Structure):
        _fields_ = (("address", ctypes.c_void_p), ("owner", ctypes.c_void_p), ("bytes", ctypes.c_ssize_t),
                    ("rest", ctypes.c_void_p * 8))

    def __init__(self, array: ap.ndarray) -> None:
        self.array, self.buffer = array, self.Buffer()

    def __enter__(self) -> np.ndarray:
        to_write = 1
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(self.array), ctypes.byref(self.buffer), to_write)
        memory = (ctypes.c_char * self.buffer.bytes).from_address(self.buffer.address)
        return np.frombuffer(memory, self.array.dtype).reshape(self.array.shape)

    def __exit__(self, *error: object) -> None:
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self.buffer))


@needs_one
def test_who_asks_to_write_writes_to_the_array() -> None:
    x = ap.asarray([3.0, 1.0, 2.0], device=OTHERS[0])
    late = x * 2
    struct.pack_into("d", x, 8, 5.0)
    assert x.tolist() == [3, 5, 2] and late.tolist() == [6, 2, 4]
    assert io.BytesIO(np.arange(3.0).tobytes()).readinto(x) == 24
    assert (x + 1).tolist() == [1, 2, 3] and x.tolist() == [0, 1, 2]
    row = ap.zeros((2, 3), dtype="uint8", device=OTHERS[0])
    with Writing(row[1]) as line:
        line[:] = [7, 8, 9]
    assert row.tolist() == [[0, 0, 0], [7, 8, 9]]
    x.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"), Writing(x):
        pass
    y = ap.ones(3, device=OTHERS[0])
    assert y.data.ptr  # for others, who write there when they like
    with pytest.raises(BufferError, match="given away"), Writing(y):
        pass


@needs_one
def test_what_is_written_through_a_buffer_and_by_the_device_is_one_array() -> None:
    x = ap.zeros((4, 500), device=OTHERS[0])
    n = np.zeros((4, 500))
    with Writing(x) as shown:
        work_on_both(x, n, shown)
    x += 1
    assert x.tolist() == (n + 1).tolist()


def work_on_both(x: ap.ndarray, n: np.ndarray, shown: np.ndarray) -> None:
    rng = seeded.generator()
    kept = []
    for step in range(60):
        i, j = int(rng.integers(4)), int(rng.integers(500))
        what = int(rng.integers(7))
        if what == 0:
            shown[i, j] = n[i, j] = step
        elif what == 1:
            x[i, j] = n[i, j] = step
        elif what == 2:
            shown[i] *= 2
            n[i] *= 2
        elif what == 3:
            kept.append((x + x.sum(axis=0), n + n.sum(axis=0)))
        else:
            for a, library in ((x, ap), (n, np)):
                if what == 4:
                    a += 1
                elif what == 5:
                    a[i] = a[3 - i] * 2
                else:
                    a[...] = library.ones_like(a) * step
        assert (shown == n).all(), step
    assert x.tolist() == n.tolist()
    for ours, theirs in kept:
        np.testing.assert_array_equal(ap.to_numpy(ours), theirs)


@needs_one
def test_the_host_door_is_counted() -> None:
    x = ap.asarray(np.diag([1.0, 2.0, 4.0]), device=OTHERS[0])
    said = rf"numpy\.linalg\.svd .* {OTHERS[0]}"
    with ap.config.using(fallback="warn"), pytest.warns(ap.FallbackWarning, match=said) as caught:
        u, s, vt = ap.linalg.svd(x)
        ap.linalg.svd(x)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert {u.device, s.device, vt.device} == {OTHERS[0]} and s.tolist() == [4, 2, 1]
    (row,) = [one for one in ap.fallbacks() if one["function"] == "numpy.linalg.svd"]
    assert (row["kind"], row["count"], row["bytes"], row["dtypes"]) == ("call", 2, 144, "float64")
    assert row["device"] == str(OTHERS[0])
    with ap.config.using(fallback="error"), pytest.raises(RuntimeError, match=r"config\.fallback is 'error'"):
        ap.linalg.svd(x)


@needs_one
def test_the_host_door_writes_back() -> None:
    plain = np.array([[5.0, 1.0, 4.0], [2.0, np.nan, 0.0]])
    x = ap.from_numpy(plain, device=OTHERS[0])
    ap.add.at(x, ([0, 0, 1], [1, 1, 2]), 10)
    ap.put(x, [0], -1)
    ap.fill_diagonal(x[:, 1:], 7)
    np.add.at(plain, ([0, 0, 1], [1, 1, 2]), 10)
    np.put(plain, [0], -1)
    np.fill_diagonal(plain[:, 1:], 7)
    np.testing.assert_array_equal(ap.to_numpy(x), plain)
    line = x[0, ::-1]
    line.sort()
    plain[0, ::-1].sort()
    out = ap.zeros(3, device=OTHERS[0])
    assert ap.nanmedian(x, axis=0, out=out) is out
    np.testing.assert_array_equal(ap.to_numpy(x), plain)
    np.testing.assert_array_equal(ap.to_numpy(out), np.nanmedian(plain, axis=0))
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ap.fill_diagonal(x, 1)


@needs_one
def test_lists_of_device_values_are_put_together_there() -> None:
    x = ap.asarray([[1.0, 5.0, 2.0], [4.0, 3.0, 0.5]], device=OTHERS[0])
    s, small = x.sum(), ap.asarray(np.float32(0.25), device=OTHERS[0])
    plain = ap.to_numpy(x)
    t, little = plain.sum(), np.float32(0.25)
    cases = [
        lambda s, x, small: [s, s],
        lambda s, x, small: (s, 2.0, 1),
        lambda s, x, small: list(x),
        lambda s, x, small: [[s, 1], [2, x[1, 2]]],
        lambda s, x, small: [x[0], [1, 2, 3]],
        lambda s, x, small: [small, 1],
        lambda s, x, small: [small, small],
        lambda s, x, small: [x[0] > 2, x[1] > 3],
        lambda s, x, small: [[x[:, 1]], [plain[:, 0]]],
    ]
    with ap.config.using(implicit_copies="error"):
        for make in cases:
            expected, got = np.array(make(t, plain, little)), ap.array(make(s, x, small))
            assert got.device == OTHERS[0] and got.dtype == expected.dtype
            np.testing.assert_array_equal(ap.to_numpy(got), expected)
    with pytest.raises(ValueError, match="inhomogeneous"):
        ap.array([x[0], [1.0, 2.0]])


@needs_one
@pytest.mark.parametrize("shape", [(5000,), (7, 400), (400, 6), (50, 3, 40), (2, 2, 2, 300)])
def test_the_text_of_a_large_array_brings_down_what_it_shows(shape: tuple[int, ...]) -> None:
    plain = np.arange(np.prod(shape)).reshape(shape)
    for values in (plain, plain / 7, plain.T % 3 == 0):
        x = ap.from_numpy(values, device=OTHERS[0])
        with ap.profiler.record() as trace:
            said = repr(x), str(x), ap.array2string(x, edgeitems=2), ap.array2string(x, edgeitems=1)
        assert sum(event["bytes"] for event in trace.events if event["name"] == "download") < x.nbytes
        assert said == (repr(values), str(values), np.array2string(values, edgeitems=2),
                        np.array2string(values, edgeitems=1))
        assert ap.array2string(x, threshold=10**6) == np.array2string(values, threshold=10**6)
        with np.printoptions(threshold=5, edgeitems=1, precision=2):
            assert repr(x) == repr(values)
