"""Arrays from and to text, raw bytes and buffers, against NumPy's readers and writers."""

from __future__ import annotations

import gzip
import io
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import NUMERIC, agree, agree_error, assert_same, same_list, sample

import asnumpy as ap
from asnumpy.dtypes.dtype import EXTENDED

TABLE = "1 2 3\n4 5 6\n# a comment\n7 8 9\n"


@pytest.mark.parametrize("how", [
    {}, {"dtype": int}, {"dtype": "float32"}, {"usecols": (0, 2)}, {"usecols": 1}, {"skiprows": 1}, {"max_rows": 2},
    {"unpack": True}, {"ndmin": 2, "usecols": 1}, {"comments": None, "max_rows": 2}, {"dtype": ">i2"},
    {"converters": {0: lambda text: -float(text)}}, {"delimiter": ","}, {"usecols": 7}, {"dtype": "complex64"},
    {"dtype": [("a", "f4"), ("b", "i4"), ("c", "f8")]}, {"dtype": str}, {"quotechar": '"'}, {"encoding": "utf-8"},
])
def test_loadtxt(how: dict[str, Any]) -> None:
    try:
        expected = np.loadtxt(io.StringIO(TABLE), **how)
    except Exception as error:
        with pytest.raises(type(error)):
            ap.loadtxt(io.StringIO(TABLE), **how)
        return
    got = ap.loadtxt(io.StringIO(TABLE), **how)
    if expected.dtype.names or expected.dtype.kind == "U" or not expected.dtype.isnative:
        assert isinstance(got, np.ndarray) and got.dtype == expected.dtype and got.tolist() == expected.tolist()
    else:
        assert_same(expected, got)


@pytest.mark.parametrize("how", [
    {}, {"dtype": None}, {"delimiter": ","}, {"delimiter": ",", "filling_values": -1},
    {"delimiter": ",", "names": True},
    {"delimiter": ",", "usecols": (0, 1), "dtype": "float32"}, {"delimiter": ",", "skip_header": 1, "unpack": True},
    {"delimiter": ",", "skip_header": 1, "skip_footer": 1, "dtype": int}, {"delimiter": ",", "max_rows": 2},
    {"delimiter": ",", "missing_values": "x", "usemask": True, "skip_header": 1},
    {"delimiter": ",", "skip_header": 1, "ndmin": 2, "usecols": 0},
])
def test_genfromtxt(how: dict[str, Any]) -> None:
    text = "a,b,c\n1,2,3\n4,,x\n7,8,9\n"
    try:
        expected = np.genfromtxt(io.StringIO(text), **how)
    except Exception as error:
        with pytest.raises(type(error)):
            ap.genfromtxt(io.StringIO(text), **how)
        return
    got = ap.genfromtxt(io.StringIO(text), **how)
    if isinstance(expected, np.ma.MaskedArray):
        assert isinstance(got, np.ma.MaskedArray) and got.mask.tolist() == expected.mask.tolist()
    elif isinstance(expected, np.ndarray) and (expected.dtype.names or expected.dtype.kind == "U"):
        assert (isinstance(got, np.ndarray) and got.dtype == expected.dtype and got.tolist() == expected.tolist()) or (
            str(got) == str(expected))
    else:
        assert_same(expected, got)


@pytest.mark.parametrize("name", EXTENDED)
def test_text_of_narrow_dtypes(tmp_path: Path, name: str) -> None:
    x = ap.asarray(np.array([[1, 0], [1, 1]]).astype(EXTENDED[name]))
    for read in (ap.loadtxt, ap.genfromtxt):
        made = read(io.StringIO("1 1\n1 1"), dtype=name)
        assert made.dtype == x.dtype and made.tolist() == [[1, 1], [1, 1]]
    if name in ("float8_e8m0fnu", "complex32"):
        return
    ap.savetxt(tmp_path / "t", x, fmt="%g")
    assert (tmp_path / "t").read_text() == "1 0\n1 1\n"
    assert ap.loadtxt(tmp_path / "t", dtype=EXTENDED[name]).tolist() == x.tolist()
    assert ap.fromstring("1 0 1", dtype=name, sep=" ").tolist() == [1, 0, 1]


@pytest.mark.parametrize("how", [
    {}, {"fmt": "%d"}, {"fmt": ["%.2f", "%d", "%g"]}, {"delimiter": ", "}, {"header": "a\nb", "footer": "end"},
    {"newline": "\r\n"}, {"comments": "%", "header": "x"}, {"fmt": "%.1f:%d:%s"}, {"fmt": "%d %d"}, {"fmt": 3},
])
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex128", "float16", "bool"])
def test_savetxt(dtype: str, how: dict[str, Any]) -> None:
    plain = sample((4, 3), dtype)

    def written(xp: Any, value: Any) -> Any:
        file = io.StringIO()
        try:
            xp.savetxt(file, value, **how)
        except (TypeError, ValueError, AttributeError) as error:
            return type(error), str(error)
        return file.getvalue()

    expected = written(np, plain)
    assert written(ap, ap.asarray(plain)) == expected
    assert written(ap, [ap.asarray(row) for row in plain]) == expected


def test_savetxt_to_files(tmp_path: Path) -> None:
    x = ap.linspace(0, 1, 7)
    for name in ("a.txt", "a.txt.gz", "a.txt.bz2", "a.txt.xz"):
        ap.savetxt(tmp_path / name, x)
        assert_same(np.linspace(0, 1, 7), ap.loadtxt(str(tmp_path / name)))
    with gzip.open(tmp_path / "a.txt.gz") as packed:
        assert packed.read() == (tmp_path / "a.txt").read_bytes()
    agree("savetxt", io.BytesIO(), np.zeros((2, 2, 2)))


def test_fromregex() -> None:
    text = "1312 foo\n1534 bar\n444 qux\n"
    dtype = [("num", np.int64), ("key", "S3")]
    got = ap.fromregex(io.StringIO(text), r"(\d+)\s+(...)", dtype)
    assert isinstance(got, np.ndarray) and got["num"].tolist() == [1312, 1534, 444]
    with pytest.raises(TypeError, match="structured"):
        ap.fromregex(io.StringIO(text), r"(\d+)", np.int64)


def test_fromstring() -> None:
    cases = (("1 2 3", {"sep": " "}), ("1,2", {"sep": ",", "dtype": int}), ("5 6 7", {"sep": " ", "count": 2}))
    for text, how in cases:
        assert_same(np.fromstring(text, **how), ap.fromstring(text, **how))  # type: ignore[call-overload]
    agree_error(lambda xp: xp.fromstring("1 2", sep=""))


# --- raw bytes ---


@pytest.mark.parametrize("dtype", [*NUMERIC, ">f4", "<i2", ">c16", *EXTENDED])
def test_raw_files(tmp_path: Path, dtype: str) -> None:
    kind = EXTENDED[dtype] if dtype in EXTENDED else np.dtype(dtype)
    values = np.array([1, 0, 1, 1, 0, 1]).astype(kind)
    path = tmp_path / "raw"
    values.tofile(path)
    size = kind.itemsize
    for count, offset in ((-1, 0), (3, 0), (2, size), (-1, 2 * size), (0, 0)):
        expected = np.fromfile(path, kind, count, offset=offset)
        got = ap.fromfile(path, kind, count, offset=offset)
        assert got.dtype == kind and same_list(got, expected)
    x = ap.asarray(values)
    other = tmp_path / "other"
    x[::2].tofile(other)
    with open(other, "ab") as file:
        x.tofile(file)
    assert other.read_bytes() == values[::2].tobytes() + values.tobytes()


def test_text_files(tmp_path: Path) -> None:
    path = tmp_path / "t"
    ap.asarray([1.5, -2, 3]).tofile(path, sep=", ", format="%.1f")
    assert path.read_text() == "1.5, -2.0, 3.0"
    assert_same(np.array([1.5, -2, 3]), ap.fromfile(path, sep=","))
    assert_same(np.array([1.5, -2], "f4"), ap.fromfile(str(path), "f4", 2, ","))
    with open(path, "rb") as file:
        assert_same(np.array([1.5, -2, 3]), ap.fromfile(file, sep=","))
    agree_error(lambda xp: xp.fromfile(tmp_path / "none"))
    agree_error(lambda xp: xp.fromfile(io.BytesIO(b"12345678")))
    agree_error(lambda xp: xp.fromfile(path, offset=1, sep=","))
    agree_error(lambda xp: xp.fromfile(path, object))
    for dtype in ("U2", [("a", "f4")]):
        assert ap.fromfile(path, dtype).tobytes() == np.fromfile(path, dtype).tobytes()


@pytest.mark.host_memory
@pytest.mark.parametrize("dtype", [*NUMERIC, *EXTENDED])
def test_frombuffer(dtype: str) -> None:
    kind = EXTENDED[dtype] if dtype in EXTENDED else np.dtype(dtype)
    values = np.array([1, 0, 1, 1]).astype(kind)
    memory = bytearray(values.tobytes())
    x = ap.frombuffer(memory, dtype)
    assert x.dtype == kind and same_list(x, ap.asarray(values)) and x.flags.writeable
    x[0] = values[1]
    assert memory[: kind.itemsize] == values[1:2].tobytes()
    assert not ap.frombuffer(bytes(memory), dtype).flags.writeable
    assert same_list(ap.frombuffer(memory, dtype, 2, kind.itemsize), ap.asarray(values[1:3]))


@pytest.mark.host_memory
def test_frombuffer_errors_and_sources() -> None:
    for wrong in ({"count": 9}, {"offset": 100}, {"offset": -1}, {"dtype": "i4", "count": -1, "offset": 1}):
        agree_error(lambda xp, wrong=wrong: xp.frombuffer(b"1234567890123456", **wrong))
    agree_error(lambda xp: xp.frombuffer("text"))
    assert_same(np.frombuffer(bytes(range(17)), "f8", offset=1), ap.frombuffer(bytes(range(17)), "f8", offset=1))
    with mmap.mmap(-1, 64) as memory:
        x = ap.frombuffer(memory, "f8")
        x[...] = 3
        assert memory[:8] == np.float64(3).tobytes()
        del x
    assert_same(np.arange(4.0), ap.frombuffer(ap.arange(4.0)))
