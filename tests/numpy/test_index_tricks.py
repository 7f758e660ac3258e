"""Grids and joins written as indices, iterators, printing, and the functions that ask about types."""

from __future__ import annotations

import io

import numpy as np
import pytest
from agreement import agree, sample

import asnumpy as ap


@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
def test_grids(name):
    agree(lambda xp: getattr(xp, name)[0:5])
    agree(lambda xp: getattr(xp, name)[0:5, 2:8:2])
    agree(lambda xp: getattr(xp, name)[-1:1:5j])
    agree(lambda xp: getattr(xp, name)[0:1:3j, 0:4, 1.0:3:0.5], ulp=2)
    agree(lambda xp: getattr(xp, name)[5:0:-1])


def test_joins():
    a, b = sample(4, "float32"), sample((2, 4), "int64")
    for name in ("r_", "c_"):
        agree(lambda xp, x, n=name: getattr(xp, n)[x, x], a)
        agree(lambda xp, x, n=name: getattr(xp, n)[x, 0, 5.0, x], sample(3, "float64")) if name == "r_" else None
        agree(lambda xp, x, n=name: getattr(xp, n)[x, x], b)
        agree(lambda xp, n=name: getattr(xp, n)[0:5, 7])if name == "r_" else None
        agree(lambda xp, n=name: getattr(xp, n)[0:1:4j])
        agree(lambda xp, x, n=name: getattr(xp, n)[[1, 2], x], np.arange(2))
    agree(lambda xp, x: xp.r_["0,2", x, [9, 9, 9, 9]], a)
    agree(lambda xp, x: xp.r_["-1", x, x], b)
    agree(lambda xp, x: xp.r_["0,3,1", x, x], a)
    agree(lambda xp, x: xp.r_[x, sample((2, 4), "int64")], a)
    agree(lambda xp: xp.r_["nonsense", 1])
    assert ap.s_[1:3, ..., None] == np.s_[1:3, ..., None] and ap.index_exp[2:] == (slice(2, None),)


def test_open_meshes_and_masks():
    agree(lambda xp: xp.ix_([0, 2], [1, 3, 4]))
    agree(lambda xp, m: xp.ix_(m, [1]), sample(5, "bool"))
    agree(lambda xp, a: a[xp.ix_([0, 2], [1, 3])], sample((4, 5), "int32"))
    agree(lambda xp: xp.ix_([[1]]))
    agree(lambda xp: xp.mask_indices(4, xp.triu, 1))
    agree(lambda xp: xp.unravel_index(np.array([3, 7]), (2, 4), "F"))
    agree(lambda xp: xp.ravel_multi_index(([1, 5], [2, 3]), (4, 4), mode=("clip", "wrap")))
    agree(lambda xp: xp.indices((2, 3), sparse=True))
    agree(lambda xp: xp.fromfunction(lambda i, j: i * 3 + j, (2, 3), dtype=int))
    agree(lambda xp, a: xp.diag_indices_from(a), sample((3, 3), "int8"))
    agree(lambda xp, a: (xp.tril_indices_from(a, 1), xp.triu_indices_from(a, -1)), sample((3, 4), "int8"))


def test_piecewise_and_select():
    a = sample(20, "float64")
    agree(lambda xp, x: xp.piecewise(x, [x < 0, x > 3], [-1, lambda v: v * 2, 7]), a)
    agree(lambda xp, x: xp.piecewise(x, x > 0, [lambda v, k: v + k, 0.5], 3), a)
    agree(lambda xp, x: xp.piecewise(x, [x > 0, x > 1, x > 2], [1]), a)
    agree(lambda xp, x: xp.piecewise(x, [x < 0], [1]), np.float64(3))
    agree(lambda xp, x: xp.select([x < 0, x > 3], [x, x * x], 42), a)
    agree(lambda xp, x: xp.select([x < 0, True], [x, 1]), a)
    agree(lambda xp, x: xp.select([x < 0], [x, x]), a)
    agree(lambda xp, x: xp.select([x < 0], [x], np.float32(2)), sample(9, "int8"))
    agree(lambda xp, x: xp.select([], []), a)
    agree(lambda xp, x: xp.select([x], [x]), a)


def test_along_axes():
    a = sample((2, 3, 4), "float64")
    agree(lambda xp, x: xp.apply_over_axes(xp.sum, x, [0, 2]), a)
    agree(lambda xp, x: xp.apply_over_axes(xp.max, x, -1), a)
    for axis in (0, 1, -1):
        agree(lambda xp, x, k=axis: xp.apply_along_axis(lambda v: v[::-1] * 2, k, x), a)
        agree(lambda xp, x, k=axis: xp.apply_along_axis(lambda v: xp.outer(v, v), k, x), a)
        agree(lambda xp, x, k=axis: xp.apply_along_axis(lambda v, p, q=0: v.sum() * p + q, k, x, 2, q=1), a, ulp=2)
    agree(lambda xp, x: xp.apply_along_axis(len, 0, x), a)
    agree(lambda xp, x: xp.apply_along_axis(len, 5, x), a)


@pytest.mark.host_memory
def test_iterators():
    plain = sample((2, 3), "float64")
    a = ap.from_numpy(plain)
    assert list(ap.ndindex(2, 3)) == list(np.ndindex(2, 3)) and list(ap.ndindex(a.shape)) == list(np.ndindex(2, 3))
    assert [(place, float(value)) for place, value in ap.ndenumerate(a)] == list(np.ndenumerate(plain))
    assert [float(x) for x in ap.nditer(a)] == [float(x) for x in np.nditer(plain)]
    walk = ap.nditer([a, None], flags=["external_loop"])
    for x, out in walk:
        out[...] = x * 2
    np.testing.assert_array_equal(walk.operands[1], plain * 2)
    with ap.nditer(a, op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = -x
    np.testing.assert_array_equal(ap.to_numpy(a), -plain)
    outer, inner = ap.nested_iters(a, [[0], [1]])
    assert sum(float(y) for _ in outer for y in inner) == pytest.approx(-plain.sum())
    assert ap.broadcast(a, [[1], [2]]).shape == (2, 3)
    assert [float(x) for x in a.flat] == (-plain).ravel().tolist()
    assert list(ap.lib.Arrayterator(a, 3).flat)[2] == a[0, 2]


def test_text():
    values = np.array([[1.5, -2.25e-7, np.nan], [np.inf, 1e20, 3]])
    a = ap.from_numpy(values)
    for options in ({}, {"precision": 3}, {"suppress": True, "precision": 4}, {"threshold": 2, "edgeitems": 1},
                    {"sign": "+"}, {"floatmode": "fixed"}, {"nanstr": "none", "infstr": "much"}, {"linewidth": 20},
                    {"formatter": {"float": lambda x: f"<{x:.1f}>"}}, {"legacy": "1.13"}):
        with ap.printoptions(**options):
            assert ap.get_printoptions() == np.get_printoptions()
            assert repr(a) == repr(values) and str(a) == str(values)
            assert ap.array2string(a, separator=", ") == np.array2string(values, separator=", ")
            assert ap.array_repr(a, precision=2) == np.array_repr(values, precision=2)
            assert ap.array_str(a, suppress_small=True) == np.array_str(values, suppress_small=True)
    before = np.get_printoptions()
    ap.set_printoptions(precision=2)
    assert repr(ap.asarray([1 / 3])) == "array([0.33])"
    ap.set_printoptions(**before)
    assert ap.format_float_positional(ap.asarray(2.5)[()].item(), trim="-") == "2.5"
    assert ap.format_float_scientific(1234.5, precision=2) == "1.23e+03"
    assert ap.base_repr(35, 36) == "Z" and ap.binary_repr(-3, 5) == "11101"
    written, wanted = io.StringIO(), io.StringIO()
    ap.info(a, output=written)
    np.info(values, output=wanted)
    assert written.getvalue().splitlines()[:4] == wanted.getvalue().splitlines()[:4]
    ap.info("gelu_no_such_name", output=written)
    assert "Help for gelu_no_such_name not found" in written.getvalue()


def test_types():
    a, z = ap.zeros(3, "int16"), ap.zeros(3, "complex64")
    assert ap.common_type(a, z) is np.complex128 and ap.mintypecode("fD") == "D" and ap.typename("h") == "short"
    assert ap.iscomplexobj(z) and ap.isrealobj(a) and ap.isscalar(3) and not ap.isscalar(a) and ap.iterable(a)
    assert ap.isfortran(ap.zeros((2, 3), order="F")) and not ap.isfortran(a)
    assert ap.min_scalar_type(300) == np.uint16 and ap.min_scalar_type(a) == np.int16
    assert ap.result_type(a, 1.0) == np.float64 and ap.can_cast(ap.int8, ap.int16)
    assert ap.promote_types("i4", "f4") == np.float64
    assert ap.isdtype(a.dtype, "integral") and ap.issubdtype(z.dtype, ap.complexfloating)
    assert ap.getbufsize() == np.getbufsize() and ap.setbufsize(8192) == np.getbufsize()
    assert ap.may_share_memory(a, a[1:]) and not ap.shares_memory(a, z)


def test_real_functions_that_become_complex():
    for name in ("sqrt", "log", "log2", "log10"):
        for dtype in ("float16", "float32", "float64", "int8", "uint8", "complex64"):
            agree(lambda xp, x, n=name: getattr(xp.emath, n)(x), sample(9, dtype), ulp=8, atol=1e-6)
        agree(lambda xp, n=name: getattr(xp.emath, n)([1.0, 4.0]))
    for name in ("arccos", "arcsin", "arctanh"):
        for scale in (0.04, 0.2):
            agree(lambda xp, x, n=name: getattr(xp.emath, n)(x), sample(9, "float64") * scale, ulp=16, atol=1e-12)
        agree(lambda xp, x, n=name: getattr(xp.lib.scimath, n)(x), np.array([0, 2, -3]), ulp=16, atol=1e-12)
    agree(lambda xp, x: xp.emath.logn(2, x), sample(9, "float64"), ulp=8)
    agree(lambda xp, x: xp.emath.logn([-2, 4], x), sample((3, 2), "float64"), ulp=8, atol=1e-12)
    agree(lambda xp, x: xp.emath.power(x, 0.5), sample(9, "float64"), ulp=8, atol=1e-12)
    agree(lambda xp, x: xp.emath.power(x, -2), np.array([2, -4]), ulp=4)
    agree(lambda xp, x: xp.emath.power(x, [2, 3]), np.array([2, 4]))


@pytest.mark.host_memory
def test_the_rest_of_lib():
    a = ap.arange(6)
    low, high = ap.lib.array_utils.byte_bounds(a[1:3])
    assert high - low == 16 and low == np.asarray(a).ctypes.data + 8
    stream = io.BytesIO()
    ap.lib.format.write_array(stream, a)
    stream.seek(0)
    again = ap.lib.format.read_array(stream)
    assert isinstance(again, ap.ndarray) and again.tolist() == a.tolist() and ap.lib.format.magic(1, 0)
    assert "add" in ap.lib.introspect.opt_func_info("^add$", "float32")

    class Tagged(ap.lib.mixins.NDArrayOperatorsMixin):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, [type(one).__name__ for one in inputs]

    assert a + Tagged() == ("add", ["ndarray", "Tagged"]) and Tagged() * a == ("multiply", ["Tagged", "ndarray"])


@pytest.mark.host_memory
def test_foreign_memory_and_text():
    import ctypes

    raw = (ctypes.c_double * 4)(1, 2, 3, 4)
    a = ap.ctypeslib.as_array(raw)
    a += 1
    assert list(raw) == [2, 3, 4, 5] and isinstance(a, ap.ndarray)
    shared = ap.ctypeslib.as_ctypes(ap.arange(3, dtype="int32"))
    assert list(shared) == [0, 1, 2]
    names = np.array(["one", "three"])
    assert ap.strings.str_len(names).tolist() == [3, 5] and isinstance(ap.strings.str_len(names), ap.ndarray)
    assert ap.char.upper(names).tolist() == ["ONE", "THREE"]
    assert ap.busday_count(np.array(["2024-01-01"], "M8[D]"), "2024-01-08").tolist() == [5]
    assert ap.is_busday("2024-01-06") == np.False_ and ap.datetime_data(np.dtype("M8[25s]")) == ("s", 25)
    assert str(ap.datetime_as_string(np.datetime64("2024-01-01"))) == "2024-01-01"
    assert ap.get_include() == np.get_include() and "main" in dir(ap.f2py)
    assert "char" in dir(ap) and not hasattr(ap, "no_such_module")


@pytest.mark.parametrize("expression", [
    "xp.mgrid[-1 : 1 : n * 1j]", "xp.ogrid[-1 : 1 : n * 1j, 0 : 1 : 2j]", "xp.mgrid[0 : 1 : n * 1j, f : n : n * 2j]",
    "xp.mgrid[0:n, f:n:f]", "xp.r_[0 : 1 : n * 1j]", "xp.r_[0:n:f, n, f]", "xp.c_[0 : 1 : n * 1j]", "xp.s_[0:n]",
])
def test_bounds_and_steps_that_were_taken_out_of_arrays(expression):
    got, expected = (eval(expression, {"xp": xp, "n": xp.array([3])[0], "f": xp.array([0.5])[0]}) for xp in (ap, np))
    if isinstance(expected, slice):
        assert got == expected
        return
    for one, numpys in zip(*(made if isinstance(made, tuple) else (made,) for made in (got, expected)), strict=True):
        assert one.dtype == numpys.dtype
        np.testing.assert_array_equal(ap.to_numpy(one), numpys)
