"""numpy.fft: values, dtypes and errors as NumPy's, for small input and for input that takes the threaded way."""

from __future__ import annotations

import inspect
import itertools

import ml_dtypes
import numpy as np
import pytest
from agreement import NUMERIC, agree, assert_same, calls_of_numpys, sample
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
PLANES = ["fft2", "ifft2", "rfft2", "irfft2"]
SPACES = ["fftn", "ifftn", "rfftn", "irfftn"]
ALL = LINES + PLANES + SPACES


def near(dtype, size=1):
    return {"atol": {"float16": 2e-2, "float32": 2e-4, "complex64": 2e-4}.get(str(dtype), 1e-10) * max(size, 1) ** 0.5}


@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble", "clongdouble", "bfloat16"])
@pytest.mark.parametrize("name", ALL)
def test_dtypes_and_shapes(name, dtype):
    for shape in ((6, 8), (4, 5, 3), (5,), (1,), (), (0,), (2, 0), (0, 3), (1, 1), (200, 180)):
        values = sample(shape, "float32").astype(ml_dtypes.bfloat16) if dtype == "bfloat16" else sample(shape, dtype)
        agree("fft." + name, values, **near("float32" if dtype == "bfloat16" else dtype, values.size))


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("rows", [3, 8000])
def test_lines(name, rows):
    for dtype, n, axis, norm in itertools.product(
        ("float32", "complex128"), (None, 1, 4, 7, 0, -1, 2.0, np.int64(5)), (-1, 0, 1, 2, "x"),
        (None, "backward", "ortho", "forward", "nonsense"),
    ):
        if rows == 3 or (axis in (-1, 2) and norm in ("ortho", "nonsense")) or (n, norm) == (4, None):
            agree("fft." + name, sample((rows, 6), dtype), n, axis, norm, **near(dtype, rows))


@pytest.mark.parametrize("name", PLANES + SPACES)
@pytest.mark.parametrize("large", [False, True])
def test_spaces(name, large):
    shape = (40, 30, 32) if large else (4, 3, 5)
    for s, axes in itertools.product(
        (None, (2, 3), (4,), (3, -1), (0, 2), (2, 3, 4), (), 3),
        (None, (0, 1), (-1,), (1, 0), (0, 0), (2, 1, 0), (), (5,), 1, (-1, 0)),
    ):
        for dtype in ("float32", "complex128"):
            agree("fft." + name, sample(shape, dtype), s, axes, **near(dtype, 40_000 if large else 60))
    for norm in ("backward", "ortho", "forward", "nonsense"):
        agree("fft." + name, sample(shape, "float64"), norm=norm, **near("float64", 40_000))


@given(shape=st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple), data=st.data(),
       name=st.sampled_from(ALL), dtype=st.sampled_from(["float64", "complex64", "int8"]))
@settings(max_examples=200)
def test_views(shape, data, name, dtype):
    turn = data.draw(st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[..., ::2]]))
    agree(lambda xp, x: getattr(xp.fft, name)(turn(x)), sample(shape, dtype), **near("complex64", 125))


@pytest.mark.parametrize("rows", [4, 6000])
def test_out(rows):
    a = sample((rows, 8), "complex128")
    agree("fft.fft", a, out=np.zeros((rows, 8), "complex128"), **near("complex128", rows))
    agree("fft.fft", a, out=np.zeros((rows, 8), "complex64"), **near("complex64", rows))
    agree("fft.fft", a, out=np.zeros((rows, 7), "complex128"))
    agree("fft.fft", a, out=np.zeros((rows, 8)))
    agree("fft.rfft", a.real.copy(), out=np.zeros((rows, 5), "complex128"), **near("complex128", rows))
    agree("fft.irfft", a, out=np.zeros((rows, 14)), **near("complex128", rows))
    agree("fft.fftn", a, out=np.zeros((rows, 8), "complex128"), **near("complex128", rows))
    x, target = ap.asarray(a), ap.zeros((rows, 8), "complex128")
    assert ap.fft.fft(x, out=target) is target
    plain = np.zeros((rows, 8), "complex128")
    assert ap.fft.fft(x, out=plain) is plain and plain.any()
    agree(lambda xp, x: xp.fft.ifft(x, out=x), a, **near("complex128", rows))


def test_inverses_and_threads():
    x = ap.asarray(sample((512, 256), "float32"))
    for there, back in (("fft", "ifft"), ("fft2", "ifft2"), ("fftn", "ifftn"), ("rfft", "irfft"), ("rfftn", "irfftn")):
        y = getattr(ap.fft, back)(getattr(ap.fft, there)(x))
        assert y.dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(np.asarray(y), np.asarray(x), atol=1e-4)
    assert calls_of_numpys()["scipy.fft.fft2"] > 0
    with ap.config.using(num_threads=1):
        one = ap.fft.fft2(x)
    many = ap.to_numpy(ap.fft.fft2(x))  # another library's, with its own order of additions
    np.testing.assert_allclose(ap.to_numpy(one), many, rtol=0, atol=4e-7 * np.abs(many).max())
    assert type(np.fft.fft(x)) is ap.ndarray


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name):
    for n, d in itertools.product((1, 2, 5, 8, 1001, np.int16(7), 0, -1, -2, 2.0, "4"),
                                  (1.0, 0.1, 2, np.float32(0.3), 0)):
        agree("fft." + name, n, d)
    agree("fft." + name, 4, device="cpu")
    agree("fft." + name, 4, device="cuda")
    single = getattr(ap.fft, name)(5, d=0.2, dtype=ap.float32)
    assert_same(getattr(np.fft, name)(5, d=0.2).astype("float32"), single)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts(name):
    for shape, axes in itertools.product(((5,), (4,), (3, 4), (2, 3, 5), (0,), (0, 2)),
                                         (None, 0, -1, (0,), (0, 1), (1, 0), [0, -1], (0, 0), 7, np.int8(0), ())):
        agree("fft." + name, sample(shape, "int16"), axes)
    agree("fft." + name, [1, 2, 3])


@pytest.mark.parametrize(("name", "args"), [
    ("fft", (0,)), ("fft", (None, 3)), ("rfft", (None, -1, "half")), ("fftn", ((2, 2), (0,))), ("fft2", (None, (0, 7))),
])
def test_errors_name_the_function(name, args):
    x = np.ones(4)
    with pytest.raises((ValueError, IndexError)) as expected:
        getattr(np.fft, name)(x, *args)
    with pytest.raises(expected.type) as caught:
        getattr(ap.fft, name)(ap.asarray(x), *args)
    if type(expected.value) in (ValueError, IndexError):
        assert str(caught.value).startswith(f"fft.{name}: ") and "float64 of shape (4,)" in str(caught.value)


def test_namespace():
    assert set(ap.fft.__all__) == set(np.fft.__all__)
    for name in ap.fft.__all__:
        own, theirs = getattr(ap.fft, name), getattr(np.fft, name)
        assert own.__doc__ and own.__name__ == name and own.__module__ == "asnumpy.fft"
        expected = [(p.name, p.kind, p.default) for p in inspect.signature(theirs).parameters.values()]
        mine = [(p.name, p.kind, p.default) for p in inspect.signature(own).parameters.values()]
        assert [one for one in mine if one[0] != "dtype"] == expected, name
