"""ndarray's attributes and methods against numpy.ndarray's."""

from __future__ import annotations

import copy
import inspect
import io

import ml_dtypes
import numpy as np
import pytest
from agreement import FEW, NUMERIC, agree, agree_method, assert_same, sample

import asnumpy as ap

LAYOUTS = {
    "c": lambda a: a,
    "transposed": lambda a: a.T,
    "strided": lambda a: a[::2, 1:],
    "reversed": lambda a: a[::-1, ::-1],
    "new axis": lambda a: a[:, None],
    "row": lambda a: a[0],
    "empty": lambda a: a[:0],
}


def test_every_public_name():
    # __array_finalize__ and its kin are for subclasses written in C.
    left_out = {"__array_finalize__", "__array_struct__", "__setstate__"}
    assert {name for name in dir(np.ndarray) if not hasattr(ap.ndarray, name)} <= left_out


@pytest.mark.parametrize("name", [name for name in dir(np.ndarray) if not name.startswith("_")])
def test_docstrings(name):
    assert inspect.getdoc(getattr(ap.ndarray, name))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FEW)
def test_attributes(dtype, layout):
    n, a = sample((4, 6), dtype), ap.asarray(sample((4, 6), dtype))
    n, a = LAYOUTS[layout](n), LAYOUTS[layout](a)
    for name in ("shape", "ndim", "size", "itemsize", "nbytes", "dtype", "strides"):
        assert getattr(a, name) == getattr(n, name), name
    for flag in (
        "C_CONTIGUOUS",
        "F_CONTIGUOUS",
        "OWNDATA",
        "WRITEABLE",
        "ALIGNED",
        "FORC",
        "FNC",
        "CARRAY",
        "FARRAY",
        "BEHAVED",
    ):
        assert a.flags[flag] == n.flags[flag], flag
    assert repr(a.flags) == repr(n.flags)
    assert len(a) == len(n)
    assert a.device == ap.Device()
    assert (a.base is None) == (n.base is None)
    agree(lambda _, x: LAYOUTS[layout](x).T, sample((4, 6), dtype))
    agree(lambda _, x: LAYOUTS[layout](x).mT, sample((4, 6), dtype))
    agree(lambda _, x: LAYOUTS[layout](x).real, sample((4, 6), dtype))
    agree(lambda _, x: LAYOUTS[layout](x).imag, sample((4, 6), dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble"])
def test_text(dtype, layout):
    n, a = sample((4, 6), dtype), ap.asarray(sample((4, 6), dtype))
    n, a = LAYOUTS[layout](n), LAYOUTS[layout](a)
    assert repr(a) == repr(n)
    assert str(a) == str(n)
    assert ap.array2string(a, precision=1) == np.array2string(n, precision=1)
    assert ap.array_repr(a) == np.array_repr(n)
    assert ap.array_str(a) == np.array_str(n)


def test_text_of_large_arrays_and_scalars():
    n = np.arange(5000) / 7
    assert repr(ap.asarray(n)) == repr(n)
    with ap.printoptions(precision=2, suppress=True):
        assert str(ap.asarray(n)) == str(n)
    x = ap.asarray(2.25)
    assert f"{x:.3f} {x!s} {x!r}" == f"{np.array(2.25):.3f} {np.array(2.25)!s} {np.array(2.25)!r}"
    assert repr(ap.ones(2, ap.bfloat16)) == repr(np.ones(2, ml_dtypes.bfloat16))
    with pytest.raises(TypeError):
        format(ap.ones(2), ".2f")


def test_real_and_imag_are_views():
    def write(xp, x):
        x.real = 2
        x.imag[1] = [7, 8, 9, 10]
        x.T[::-1].imag[0] += 1
        x.real[0, 0] = -1
        return x, x.real, x.imag

    agree(write, sample((3, 4), "complex64"))
    agree(lambda xp, x: setattr(x, "real", 3) or x, sample(4, "float64"))
    agree(lambda xp, x: setattr(x, "imag", 3), sample(4, "float64"))
    agree(lambda xp, x: x.imag.__setitem__(0, 1), sample(4, "float64"))
    agree(lambda xp, x: (x[1, 2].real, x.reshape(3, 2, 2).imag), sample((3, 4), "complex128"))


def test_shape_can_be_assigned():
    def assign(xp, x, shape):
        with np.testing.suppress_warnings() as quiet:
            quiet.filter(DeprecationWarning)
            x.shape = shape
        return x

    for shape in ((4, 3), (-1,), 12, (2, 6), (5,), (2, -1, 3)):
        agree(lambda xp, x, shape=shape: assign(xp, x, shape), sample((3, 4), "float64"))
    agree(lambda xp, x: assign(xp, x.T, (12,)), sample((3, 4), "float64"))


def test_flat():
    def body(xp, x):
        f = x.flat
        first = next(f), next(f), f.index, f.coords
        values = [v.item() for v in x.flat]
        picked = (x.flat[3], x.flat[2:7], x.flat[::-3], x.flat[[0, 5]])
        x.flat[1] = 50
        x.flat[4:6] = [1, 2]
        x.flat[[0, 2]] = 9
        return x, [float(v) for v in first[:2]], first[2:], values, picked, len(x.flat)

    agree(body, sample((3, 4), "float64"))
    agree(lambda xp, x: body(xp, x.T), sample((3, 4), "float64"))

    def assign(xp, x, value):
        x.flat = value
        return x

    for value in (3, [1, 2, 3], np.arange(30.0)):
        agree(assign, sample((3, 4), "float64"), value)
    assert ap.ones((2, 2)).flat.base.shape == (2, 2)


# --- methods ---


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FEW)
def test_copies_and_bytes(dtype, layout):
    n = sample((4, 6), dtype)

    def on(body):
        agree(lambda xp, x: body(LAYOUTS[layout](x)), n)

    for order in "CFAK":
        on(lambda x, order=order: x.copy(order))
        on(lambda x, order=order: x.flatten(order))
        on(lambda x, order=order: x.ravel(order))
        on(lambda x, order=order: x.tobytes(order if order != "K" else "C"))
        left, right = LAYOUTS[layout](n).copy(order), LAYOUTS[layout](ap.asarray(n)).copy(order)
        assert (right.flags.c_contiguous, right.flags.f_contiguous) == (
            left.flags.c_contiguous,
            left.flags.f_contiguous,
        )
        for to in ("float32", "int64"):
            on(lambda x, order=order, to=to: x.astype(to, order))
            left = LAYOUTS[layout](n).astype(to, order, copy=False)
            right = LAYOUTS[layout](ap.asarray(n)).astype(to, order, copy=False)
            assert (right.flags.c_contiguous, right.flags.f_contiguous) == (
                left.flags.c_contiguous,
                left.flags.f_contiguous,
            )
    on(lambda x: x.tolist())
    on(copy.copy)
    on(copy.deepcopy)
    on(lambda x: x.byteswap())
    on(lambda x: x.conj())
    on(lambda x: x.conjugate())
    on(lambda x: x.view())
    on(lambda x: x.view("uint8"))
    on(lambda x: x.view(x.dtype))
    on(lambda x: x.__contains__(x.flat[0]) if x.size else x.__contains__(0))


@pytest.mark.parametrize("first", NUMERIC)
def test_astype(first):
    a = sample((3, 4), first)
    for second in NUMERIC:
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
            agree(
                lambda _, x, to=second, casting=casting: x.astype(to, casting=casting),
                abs(a) if second[0] == "u" else a,
            )
        agree("astype", abs(a) if second[0] == "u" else a, second)
    x = ap.asarray(a)
    assert x.astype(first, copy=False) is x
    assert x.astype(first) is not x


def test_bfloat16_casts():
    values = np.array([1.0, -2.5, 3.14159, 1e30, np.inf, np.nan])
    for to in ("float16", "float32", "float64", "complex64"):
        with np.errstate(over="ignore"):
            assert_same(values.astype(ml_dtypes.bfloat16).astype(to), ap.asarray(values).astype(ap.bfloat16).astype(to))


def test_views_keep_the_byte_order():
    x = ap.asarray([1.0, 2.0])
    assert_same(np.array([1.0, 2.0]), x.view(np.dtype("=f8")))
    assert x.view(">u1").shape == (16,)  # bytes have no order
    swapped = x.view(x.dtype.newbyteorder("S"))
    assert isinstance(swapped, np.ndarray) and swapped.tobytes() == x.tobytes()


def test_views_of_other_types():
    a = sample((4, 6), "float64")
    for to in ("int64", "float32", "complex128", "uint8", "float16", "bool"):
        agree(lambda _, x, to=to: x.view(to).shape, a)
        agree(lambda _, x, to=to: x[::2].view(to).shape, a)
    agree(lambda _, x: x.T.view("float32"), a)
    agree(lambda _, x: x[:, :3].view("complex128"), a)
    agree(lambda _, x: x[0, 0].view("int64") if x[0, 0].ndim else None, a)

    def write(xp, x):
        x.view("int64")[0] = 0
        return x

    agree(write, a)
    agree(lambda _, x: (x.getfield("int32", 4), x.getfield("uint8", 1)), a)
    agree(lambda _, x: x.getfield("int64", 4), a)
    agree(lambda _, x: x.setfield(1, "int32") or x, sample((3, 4), "int64"))


def test_methods_in_place():
    def body(xp, x):
        x.sort()
        x[1].sort()
        x.sort(0)
        x.partition(2, axis=1)
        x.put([0, 7], [100, 200])
        return x

    agree(body, sample((4, 6), "float64"))
    agree(lambda xp, x: x.fill(3) or x, sample((4, 6), "int8"))
    agree(lambda xp, x: x.fill(3.7) or x, sample((4, 6), "int8"))
    agree(lambda xp, x: x.fill(300), sample((4, 6), "int8"))
    agree(lambda xp, x: x.fill([1, 2]), sample((4, 6), "int8"))
    agree(lambda xp, x: x.byteswap(inplace=True), sample((4, 6), "int32"))


def test_resize():
    def body(xp, *shape, **kwargs):
        x = xp.arange(6.0)
        x.resize(*shape, **kwargs)
        return x

    for shape in ((2, 3), (3,), ((3, 3),), (8,), ((0,),), (-1,), ()):
        agree(lambda xp, shape=shape: body(xp, *shape))

    def seen(xp):
        x = xp.arange(6.0)
        view = x[1:]
        x.resize(10)
        return view

    agree(seen)
    agree(lambda xp: xp.arange(6.0)[1:].resize(9))


METHODS = {
    "all": [(), (0,)],
    "any": [(), (1,)],
    "argmax": [(), (0,)],
    "argmin": [(), (1,)],
    "argpartition": [(2,)],
    "argsort": [(), (0,)],
    "clip": [(1, 5), (None, 3)],
    "compress": [([True, False, True],), ([0, 1], 1)],
    "cumprod": [(), (1,)],
    "cumsum": [(), (0,)],
    "diagonal": [(), (1,)],
    "dot": [(3,)],
    "max": [(), (0,)],
    "mean": [(), (0,)],
    "min": [(), (1,)],
    "nonzero": [()],
    "prod": [(), (1,)],
    "repeat": [(2,), ([1, 2, 0], 0)],
    "reshape": [(4, 3), (-1,), ((2, 6),)],
    "round": [(), (1,), (-1,)],
    "squeeze": [(), (0,)],
    "std": [(), (0,)],
    "var": [(), (1,)],
    "sum": [(), (0,), (None, "float32")],
    "swapaxes": [(0, 1)],
    "take": [([0, 2],), ([1, 0], 1)],
    "trace": [(), (1,)],
    "transpose": [(), (1, 0)],
    "tolist": [()],
    "item": [(3,), (1, 2), ()],
    "choose": [()],
    "searchsorted": [(2,)],
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("dtype", FEW)
def test_methods(name, dtype):
    for args in METHODS[name]:
        if name == "choose":
            agree(lambda _, x: (x % 2).astype("int64").choose([0, 1]), abs(sample((3, 4), "int64")))
        elif name == "searchsorted":
            agree(lambda _, x: x.searchsorted([1, 2]), np.sort(sample(9, dtype)))
        elif name in ("argsort", "argpartition"):  # equal elements have no order
            agree(
                lambda _, x, args=args: getattr(x, name)(*args),
                np.arange(12).reshape(3, 4)[::-1, ::-1].astype(dtype if dtype != "bool" else "int8"),
            )
        else:
            agree_method(name, sample((3, 4), dtype), *args, ulp=16, atol=2e-2 if dtype == "float16" else 1e-5)


def test_conversions():
    for value in (3, 2.5, True, 1 + 2j):
        for shape in ((), (1,), (1, 1), (2,), (0,)):
            for convert in (bool, int, float, complex, len, list, hash, iter):
                if convert is iter:
                    agree(lambda _, x: [float(abs(v)) for v in x], np.full(shape, value))
                else:
                    agree(
                        lambda _, x, convert=convert: convert(x) if convert is not list else [v.tolist() for v in x],
                        np.full(shape, value),
                    )
    assert [10, 20, 30][ap.asarray(1)] == 20
    with pytest.raises(TypeError):
        [1, 2][ap.asarray(1.0)]


def test_files():
    a = ap.asarray(sample((3, 4), "float32"))
    target = io.BytesIO()
    ap.save(target, a)
    target.seek(0)
    assert_same(sample((3, 4), "float32"), ap.load(target))


def test_tofile(tmp_path):
    a = sample((3, 4), "int16")
    ap.asarray(a).tofile(tmp_path / "a.bin")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "a.bin", "int16"), a.ravel())
    ap.asarray(a).dump(tmp_path / "a.pickle")
    assert_same(a, np.load(tmp_path / "a.pickle", allow_pickle=True))


def test_constructor():
    x = ap.ndarray((2, 3), "int32")
    assert (x.shape, x.dtype) == ((2, 3), np.int32)
    assert ap.ndarray(3).shape == (3,)
    assert ap.ndarray((2, 3), order="F").flags.f_contiguous
    memory = bytearray(8)
    ap.ndarray(2, "int32", memory)[...] = 1
    assert memory == b"\1\0\0\0" * 2
    assert isinstance(ap.ndarray(2, object), np.ndarray)
    assert ap.NPUArray is ap.ndarray is ap.NPArray


def test_subclass():
    class Field(ap.ndarray):
        def doubled(self):
            return self * 2

    x = ap.asarray([1.0, 2.0]).view(Field)
    assert isinstance(x, Field)
    assert_same(np.array([2.0, 4.0]), x.doubled().view(ap.ndarray) if isinstance(x.doubled(), Field) else x.doubled())


def test_flags_can_be_set():
    def body(xp, x):
        x.flags.writeable = False
        view = x[1:]
        try:
            view.flags.writeable = True
        except ValueError:
            x.setflags(write=True)
        x[0] = 1
        return x

    agree(body, sample(4, "float64"))
    with pytest.raises(KeyError):
        ap.ones(2).flags["NO_SUCH"]
