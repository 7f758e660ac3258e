"""Files of arrays: .npy, .npz and mapped files, against NumPy's readers and writers."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from agreement import NUMERIC, agree_error, assert_same, same_list, sample
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy.dtypes.dtype import EXTENDED, wide_dtype

LAYOUTS = {
    "C": lambda a: a, "F": lambda a: a.T, "strided": lambda a: a[:, ::2], "reversed": lambda a: a[::-1],
    "empty": lambda a: a[:0], "0-d": lambda a: a[1, 2, ...],
}
MAPPED = ap.memmap if ap.Device() == "cpu" else np.memmap  # a device holds no file


def through(file: Any, value: Any, **how: Any) -> Any:
    ap.save(file, value)
    if hasattr(file, "seek"):
        file.seek(0)
    return ap.load(file, **how)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble"])
def test_save_and_load(tmp_path: Path, dtype: str, layout: str) -> None:
    plain = LAYOUTS[layout](sample((3, 4), dtype))
    x = LAYOUTS[layout](ap.asarray(sample((3, 4), dtype)))
    path = tmp_path / "a.npy"
    back = through(path, x)
    assert_same(plain, back)
    assert_same(plain, ap.asarray(np.load(path)))
    other = tmp_path / "b.npy"
    np.save(other, np.asarray(x))
    assert path.read_bytes() == other.read_bytes()
    back += back  # what was loaded belongs to nobody else
    assert_same(plain, ap.load(path))


@pytest.mark.parametrize("name", EXTENDED)
def test_dtypes_that_numpy_cannot_name(tmp_path: Path, name: str) -> None:
    dtype = EXTENDED[name]
    values = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
    for view in (values, values.T, values[:, ::2], values[0, :0], values[1, 2, ...]):
        file = io.BytesIO()
        back = through(file, ap.asarray(values)[0, :0] if view.size == 0 else ap.asarray(view))
        assert back.dtype == dtype and back.shape == view.shape and same_list(back, ap.asarray(view))
        file.seek(0)
        plain = np.load(file)
        assert plain.dtype == np.dtype([(name, f"V{dtype.itemsize}")])
        assert plain[name].tobytes() == np.ascontiguousarray(view).tobytes()
    path = tmp_path / "several.npz"
    ap.savez_compressed(path, ap.asarray(values), other=ap.arange(3))
    with ap.load(path) as archive:
        assert archive["arr_0"].dtype == dtype and same_list(archive["arr_0"], ap.asarray(values))
    if name in dir(ml_dtypes):  # another program needs only NumPy and ml_dtypes
        with np.load(path) as archive:
            seen = archive["arr_0"][name].view(getattr(ml_dtypes, name))
        assert seen.tobytes() == values.tobytes()


def test_structures_of_other_programs_stay(tmp_path: Path) -> None:
    for dtype in ([("bfloat16", "<i2")], [("bfloat16", "V3")], [("a", "V2")], [("bfloat16", "V2"), ("b", "i4")], "V2"):
        plain = np.zeros(3, dtype)
        np.save(tmp_path / "a.npy", plain)
        back = ap.load(tmp_path / "a.npy")
        assert isinstance(back, np.ndarray) and back.dtype == plain.dtype


def test_names_paths_and_files(tmp_path: Path) -> None:
    x = ap.arange(6).reshape(2, 3)
    ap.save(tmp_path / "bare", x)
    assert_same(np.arange(6).reshape(2, 3), ap.load(tmp_path / "bare.npy"))
    assert_same(np.arange(6).reshape(2, 3), ap.load(str(tmp_path / "bare.npy")))
    with open(tmp_path / "two", "wb") as file:
        ap.save(file, x)
        ap.save(file, [ap.ones(2), ap.zeros(2)])
    with open(tmp_path / "two", "rb") as file:
        assert_same(np.arange(6).reshape(2, 3), ap.load(file))
        assert_same(np.array([[1.0, 1], [0, 0]]), ap.load(file))
        with pytest.raises(EOFError):
            ap.load(file)
    with gzip.open(tmp_path / "packed.npy.gz", "wb") as packed:
        ap.save(packed, x)
    with gzip.open(tmp_path / "packed.npy.gz", "rb") as packed:
        assert_same(np.arange(6).reshape(2, 3), ap.load(packed))
    with pytest.raises(FileNotFoundError):
        ap.load(tmp_path / "nothing.npy")
    (tmp_path / "junk").write_bytes(b"some bytes that are nothing")
    for xp in (np, ap):
        with pytest.raises(ValueError, match="allow_pickle"):
            xp.load(tmp_path / "junk")
        with pytest.raises(pickle.UnpicklingError):
            xp.load(tmp_path / "junk", allow_pickle=True)
        with pytest.raises(ValueError, match="encoding"):
            xp.load(tmp_path / "bare.npy", encoding="utf8")


def test_objects_need_pickle(tmp_path: Path) -> None:
    objects = np.array([{"a": 1}, None], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        ap.save(tmp_path / "o.npy", objects, allow_pickle=False)
    ap.save(tmp_path / "o.npy", objects)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        ap.load(tmp_path / "o.npy")
    back = ap.load(tmp_path / "o.npy", allow_pickle=True)
    assert isinstance(back, np.ndarray) and back.tolist() == objects.tolist()


def test_byte_order(tmp_path: Path) -> None:
    np.save(tmp_path / "big.npy", np.arange(5, dtype=">i4"))
    back = ap.load(tmp_path / "big.npy")
    assert type(back) is np.ndarray and back.dtype == ">i4" and back.tolist() == [0, 1, 2, 3, 4]
    mapped = ap.load(tmp_path / "big.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert_same(np.arange(1, 6, dtype="i4"), ap.add(mapped, np.int32(1)))


@pytest.mark.parametrize("compressed", [False, True])
def test_archives(tmp_path: Path, compressed: bool) -> None:
    save = ap.savez_compressed if compressed else ap.savez
    path = tmp_path / "a.npz"
    save(path, ap.arange(3), np.ones(2), [1, 2], b=ap.ones((2, 2), "float32"), file_=ap.zeros(1))
    archive = ap.load(path)
    assert archive.files == ["b", "file_", "arr_0", "arr_1", "arr_2"] or set(archive.files) == {
        "b", "file_", "arr_0", "arr_1", "arr_2"}
    with np.load(path) as plain:
        assert list(archive) == list(plain) and len(archive) == 5 and repr(archive) == repr(plain)
        for key in plain:
            assert_same(plain[key], archive[key])
    assert "b" in archive and "b.npy" in archive and "c" not in archive and archive.get("c", 7) == 7
    assert_same(np.arange(3), archive.f.arr_0)
    assert "b" in dir(archive.f) and {key for key, _ in archive.items()} == set(archive.keys())
    with pytest.raises(AttributeError):
        archive.f.nothing
    with pytest.raises(KeyError, match="c is not a file in the archive"):
        archive["c"]
    archive.close()
    with pytest.raises(ValueError, match="arr_0"):
        save(tmp_path / "bad.npz", ap.ones(1), arr_0=ap.ones(1))
    file = io.BytesIO()
    save(file, x=ap.arange(4))
    file.seek(0)
    assert_same(np.arange(4), ap.load(file)["x"])
    assert isinstance(archive, ap.lib.npyio.NpzFile)


# --- mapped files ---


def test_mapped_reading(tmp_path: Path) -> None:
    path = tmp_path / "m.npy"
    plain = np.arange(1000.0).reshape(10, 100)
    np.save(path, plain)
    x = ap.load(path, mmap_mode="r")
    assert type(x) is MAPPED and x.mode == "r" and Path(x.filename) == path.resolve() and x.offset == 128
    assert_same(plain, ap.asarray(x) + 0)
    assert_same(plain[3] * 2, ap.asarray(x[3]) * 2)
    assert type(ap.add(x, 1)) is ap.ndarray and not x.flags.writeable
    assert_same(plain.sum(axis=0), ap.sum(x, axis=0))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    view = x[2:4]
    del x
    assert_same(plain[2:4], ap.add(view, 0))


@pytest.mark.host_memory
def test_mapped_writing(tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    ap.save(path, ap.zeros(1000, "float32"))
    x = ap.load(path, mmap_mode="r+")
    y = ap.arange(1000, dtype="float32") * 2
    x[...] = y
    x[3] = -1
    x[10:20] += 5
    x.flush()
    expected = np.arange(1000, dtype="f4") * 2
    expected[3] = -1
    expected[10:20] += 5
    assert_same(expected, ap.load(path))
    seen = subprocess.run(
        [sys.executable, "-c", f"import numpy as np; print(np.load({str(path)!r})[:5].tolist())"],
        capture_output=True, text=True, check=True,
    )
    assert seen.stdout.strip() == "[0.0, 2.0, 4.0, -1.0, 8.0]"
    private = ap.load(path, mmap_mode="c")
    private[0] = 99
    assert private[0] == 99
    private.flush()
    assert_same(expected, ap.load(path))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "int4", "hifloat8", "complex32"])
def test_mapped_files_of_narrow_dtypes(tmp_path: Path, name: str) -> None:
    path = tmp_path / "n.npy"
    ap.save(path, ap.ones((4, 5), name))
    x = ap.load(path, mmap_mode="r+")
    assert x.dtype == EXTENDED[name] and type(x) is MAPPED
    x[1] = 0
    x.flush()
    assert ap.load(path).tolist() == [[0.0] * 5 if i == 1 else [1.0] * 5 for i in range(4)]


@pytest.mark.host_memory
def test_memmap(tmp_path: Path) -> None:
    path = tmp_path / "raw"
    x = ap.memmap(path, "int32", "w+", shape=(3, 4))
    assert x.shape == (3, 4) and not np.asarray(x).any() and os.path.getsize(path) == 48
    x[...] = ap.arange(12).reshape(3, 4)
    x.flush()
    assert_same(np.arange(12, dtype="i4"), ap.fromfile(path, "int32"))
    tail = ap.memmap(path, np.int32, "r", offset=16, shape=(2, 4))
    assert_same(np.arange(4, 12, dtype="i4").reshape(2, 4), tail + np.int32(0))
    assert_same(np.arange(12, dtype="i4").reshape(4, 3, order="F"), ap.memmap(path, "i4", "r", 0, (4, 3), "F") + 0)
    assert ap.memmap(path, mode="r").shape == (48,)
    for wrong in ({"mode": "x"}, {"dtype": "f8", "shape": (100, 100), "mode": "r"}, {"mode": "w+"}):
        agree_error(lambda xp, wrong=wrong: xp.memmap(path, **wrong))
    assert isinstance(ap.memmap(path, ">i4", "r"), np.memmap)


@pytest.mark.host_memory
def test_open_memmap_and_format(tmp_path: Path) -> None:
    path = tmp_path / "f.npy"
    x = ap.lib.format.open_memmap(path, "w+", "bfloat16", (2, 3))
    x[...] = ap.arange(6).reshape(2, 3)
    x.flush()
    assert ap.load(path).dtype == ap.bfloat16 and ap.load(path).tolist() == [[0, 1, 2], [3, 4, 5]]
    file = io.BytesIO()
    ap.lib.format.write_array(file, ap.ones(3, "int4"))
    file.seek(0)
    assert ap.lib.format.read_magic(file) == (1, 0)
    shape, fortran, dtype = ap.lib.format.read_array_header_1_0(file)
    assert (shape, fortran, dtype) == ((3,), False, np.dtype([("int4", "V1")]))
    file.seek(0)
    assert ap.lib.format.read_array(file).dtype == EXTENDED["int4"]
    for dtype in map(np.dtype, ["f4", "i8", "int4", "hifloat8", [("a", "f4"), ("b", "i2")]]):
        assert ap.lib.format.descr_to_dtype(ap.lib.format.dtype_to_descr(dtype)) == dtype
    assert set(np.lib.format.__dict__) - set(ap.lib.format.__dict__) <= {"__all__", "__doc__"}


@given(st.lists(st.floats(width=32), max_size=20), st.sampled_from(["f4", "f8", "f2", "c8"]))
def test_round_trip_of_values(values: list[float], dtype: str) -> None:
    with np.errstate(all="ignore"):
        plain = np.array(values, dtype)
    x = ap.asarray(plain)
    assert_same(plain, through(io.BytesIO(), x))
    assert_same(plain, ap.frombuffer(x.tobytes(), dtype) if values else x)


def test_wide_dtype_of_native_is_itself() -> None:
    for dtype in NUMERIC:
        assert wide_dtype(np.dtype(dtype)) == np.dtype(dtype)


def test_a_mapped_file_whose_elements_are_not_aligned_is_numpys(tmp_path):
    file = tmp_path / "data"
    file.write_bytes(b"\0" * 33)
    made = ap.memmap(file, dtype=np.float64, mode="r+", offset=1, shape=(4,))
    assert type(made) is np.memmap and made.offset == 1
    made[2] = 5
    del made
    assert np.memmap(file, np.float64, "r", 1).tolist() == [0, 0, 5, 0]
    assert type(ap.memmap(file, dtype=np.float64, mode="r+", offset=8, shape=(3,))) is MAPPED
