"""The Python array API standard: array-api-strict's names, parameters and results are what ours are held to."""

from __future__ import annotations

import inspect
import itertools
import operator
import warnings

import array_api_strict as strict
import numpy as np
import pytest
from agreement import assert_same, sample

import asnumpy as ap

DTYPES = list(strict.__array_namespace_info__().dtypes())
NAMESPACES = {"": (strict, ap), "linalg.": (strict.linalg, ap.linalg), "fft.": (strict.fft, ap.fft)}
# Of array-api-strict itself, not of the standard.
_ITS_OWN = {"Device", "set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
            "ArrayAPIStrictFlags", "__array_api_version__"}


def _public():
    for prefix, (theirs, _) in NAMESPACES.items():
        for name in theirs.__all__:
            if name not in _ITS_OWN and (prefix == "" or callable(getattr(theirs, name))):
                yield prefix + name


def _pair(name):
    prefix, _, last = name.rpartition(".")
    theirs, ours = NAMESPACES[prefix + "." if prefix else ""]
    return getattr(theirs, last), getattr(ours, last)


def _functions():
    return [name for name in _public() if inspect.isfunction(_pair(name)[0]) and name != "__array_namespace_info__"]


@pytest.mark.parametrize("name", sorted(set(_public())))
def test_name(name):
    theirs, ours = _pair(name)  # which looks both up
    assert callable(ours) or not callable(theirs)


@pytest.mark.parametrize("name", _functions())
def test_parameters(name):
    """Every way to call that the standard allows is one of ours: as many by position, the same names as keywords."""
    theirs, ours = _pair(name)
    if isinstance(ours, ap.ufunc):
        wanted = inspect.signature(theirs).parameters.values()
        assert all(one.kind is one.POSITIONAL_ONLY for one in wanted) or name in ("linalg.vecdot", "vecdot", "clip")
        return
    own = inspect.signature(ours).parameters.values()
    names = {one.name for one in own if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}
    places = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in own)
    if any(one.kind is one.VAR_POSITIONAL for one in own):
        places = 99
    by_place = 0
    for one in inspect.signature(theirs).parameters.values():
        if one.kind is one.KEYWORD_ONLY:
            assert one.name in names, f"{name} takes no keyword {one.name}"
        elif one.kind is not one.VAR_POSITIONAL:
            by_place += 1
            assert one.kind is one.POSITIONAL_ONLY or one.name in names
    assert places >= by_place


# --- results ---


def _make(namespace, value):
    if isinstance(value, np.ndarray):
        return namespace.asarray(np.array(value))
    if type(value) in (tuple, list):
        return type(value)(_make(namespace, one) for one in value)
    return value


def _plain(value):
    if isinstance(value, strict._array_object.Array):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value


def _ours(value):
    """With 0-d arrays for Numbers: the standard has no scalars."""
    if isinstance(value, (tuple, list)):
        return [_ours(one) for one in value]
    return ap.asarray(value) if isinstance(value, ap.Number) else value


def conforms(name, *args, ulp=4, atol=0, **kwargs):
    """Ours gives what array-api-strict gives, wherever that accepts the call; whether it did."""
    theirs, ours = _pair(name) if isinstance(name, str) else (name, name)
    named = {key: _make(strict, value) for key, value in kwargs.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = theirs(*_make(strict, args), **named)
        except (TypeError, ValueError, IndexError):
            return False  # outside the standard: there NumPy is the model
        got = ours(*_make(ap, args), **{key: _make(ap, value) for key, value in kwargs.items()})
    expected, got = _plain(expected), _ours(got)
    if not isinstance(expected, (np.ndarray, list)):
        assert got == expected and type(got) is type(expected)
    else:
        assert_same(expected, got, ulp=ulp, atol=atol)
    return True


def _elementwise():
    found = []
    for name in _functions():
        parameters = list(inspect.signature(_pair(name)[0]).parameters.values())
        only_arrays = all(one.kind is one.POSITIONAL_ONLY and one.name in ("x", "x1", "x2") for one in parameters)
        if only_arrays and name not in ("unique_all", "unique_counts", "unique_inverse", "unique_values", "matmul",
                                        "nonzero", "matrix_transpose") and "." not in name:
            found.append((name, len(parameters)))
    return found


def values(shape, dtype, seed=0):
    made = sample(shape, dtype, seed)
    return np.where(made == 0, np.ones_like(made), made) if made.dtype.kind in "iu" else made


@pytest.mark.parametrize(("name", "operands"), _elementwise())
def test_elementwise(name, operands):
    accepted = 0
    for dtype in DTYPES:
        a, b = values((4, 5), dtype), values((5,), dtype, 1)
        if "shift" in name:
            b = (abs(b) % 7 if b.dtype.kind != "b" else b).astype(dtype)
        if name == "pow" and b.dtype.kind in "iu":
            b = np.abs(b % 4).astype(dtype)
        if operands == 1:
            accepted += conforms(name, a, ulp=8)
            continue
        accepted += conforms(name, a, b, ulp=64)
        if not (name == "pow" and b.dtype.kind in "iu"):
            conforms(name, a, True if b.dtype.kind == "b" else 3, ulp=64)
            conforms(name, True if b.dtype.kind == "b" else 3, a, ulp=64)
        for other in DTYPES:
            if "shift" not in name and name != "pow":
                conforms(name, a, values((4, 1), other, 2), ulp=64)
    assert accepted, f"{name} took no dtype"


OPERATORS = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le gt ge eq ne iadd isub imul itruediv "
    "ifloordiv imod ipow imatmul iand ior ixor ilshift irshift neg pos abs invert"
).split()


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    function = getattr(operator, name)
    for dtype in DTYPES:
        a, b = values((4, 4), dtype), values((4, 4), dtype, 1)
        if "shift" in name or "pow" in name:
            b = (np.abs(b) % 4).astype(dtype) if b.dtype.kind != "b" else b
        if name in ("neg", "pos", "abs", "invert"):
            conforms(function, a)
            continue
        conforms(function, a, b, ulp=64, atol=1e-4)
        conforms(function, a, True if b.dtype.kind == "b" else 2, ulp=64)
        if not name.startswith("i") or name == "invert":
            conforms(function, True if b.dtype.kind == "b" else 2, np.abs(a) if "pow" in name else a, ulp=64)


M, V, T, C = (sample((4, 5), "float64"), sample(6, "int64"), sample((2, 3, 4), "float32"), sample((3, 4), "complex128"))
B, I = sample((4, 5), "bool"), np.array([[2, 0], [1, 1]])
NUMBERS = [sample((4, 5), dtype) for dtype in DTYPES]
POSITIVE = M @ M.T + 30 * np.eye(4)
CALLS = [
    *[(name, (a,), {"axis": axis, "keepdims": keepdims})
      for name in ("sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "count_nonzero")
      for a in NUMBERS for axis in (None, 0, -1, (0, 1)) for keepdims in (False, True)],
    *[(name, (a,), {"axis": axis}) for name in ("cumulative_sum", "cumulative_prod") for a in NUMBERS for axis in (0,
      1)],
    *[(name, (a,), {"axis": 1, "include_initial": True}) for name in ("cumulative_sum", "cumulative_prod")
      for a in NUMBERS],
    *[(name, (a,), {"axis": axis, "keepdims": keepdims}) for name in ("argmax", "argmin") for a in NUMBERS
      for axis in (None, 0, -1) for keepdims in (False, True)],
    *[(name, (a,), {"axis": axis, "descending": falling, "stable": True}) for name in ("sort", "argsort")
      for a in NUMBERS for axis in (0, -1) for falling in (False, True)],
    *[(name, (a,), {}) for name in ("unique_all", "unique_counts", "unique_inverse", "nonzero") for a in NUMBERS],
    *[("diff", (a,), {"axis": axis, "n": n}) for a in NUMBERS for axis in (0, 1) for n in (0, 1, 2)],
    ("diff", (V,), {"prepend": V[:2], "append": V[:1]}),
    *[("searchsorted", (np.sort(V), v), {"side": side}) for v in (V, I, 3) for side in ("left", "right")],
    ("searchsorted", (V, V), {"sorter": np.argsort(V)}),
    *[("isin", (V, other), {}) for other in (V[:2], 3, I)],
    ("isin", (3, V), {}), ("where", (B, M, M + 1), {}), ("where", (B, M, 2), {}), ("where", (B, 1, M), {}),
    *[("clip", (a, low, high), {}) for a in (M, V, T) for low in (None, -1, 0) for high in (None, 2)],
    ("clip", (M, M - 1, M + 1), {}), ("clip", (V,), {"min": 1, "max": 3}),
    *[("take", (a, np.array([2, 0, 1])), {"axis": axis}) for a in (M, C) for axis in (0, 1)], ("take", (V, I[0]), {}),
    ("take_along_axis", (M, np.array([[0], [2], [1], [3]])), {}),
    ("take_along_axis", (M, np.array([[0, 2, 1, 3, 0]])), {"axis": 0}),
    ("concat", ([M, M],), {}), ("concat", ([M, M],), {"axis": 1}), ("concat", ([M, M],), {"axis": None}),
    ("stack", ([M, M],), {}), ("stack", ([M, M],), {"axis": -1}), ("unstack", (T,), {}), ("unstack", (T,), {"axis": 2}),
    ("expand_dims", (M,), {"axis": 1}), ("expand_dims", (M,), {"axis": -1}), ("squeeze", (M[:, :1],), {"axis": 1}),
    ("flip", (T,), {}), ("flip", (T,), {"axis": (0, 2)}), ("moveaxis", (T, 0, -1), {}), ("moveaxis", (T, (0, 1),
    (1, 2)), {}),
    ("permute_dims", (T, (2, 0, 1)), {}), ("permute_dims", (T,), {"axes": (-1, 0, 1)}), ("matrix_transpose", (T,), {}),
    ("reshape", (T, (4, 6)), {}), ("reshape", (T, (-1,)), {"copy": True}), ("roll", (T, 2), {}),
    ("roll", (T, (1, -1)), {"axis": (0, 2)}), ("repeat", (M, 2), {"axis": 1}), ("repeat", (V, 3), {}),
    ("repeat", (V, np.array([1, 0, 2, 1, 1, 3])), {}), ("tile", (M, (2, 1)), {}), ("tile", (V, (2, 2)), {}),
    ("broadcast_to", (V, (3, 6)), {}), ("broadcast_arrays", (V, V[:1]), {}), ("broadcast_shapes", ((3, 1), (1, 4)), {}),
    ("meshgrid", (V, V[:2]), {}), ("meshgrid", (V, V[:2]), {"indexing": "ij"}), ("tril", (T,), {"k": -1}),
    ("triu", (M,), {"k": 1}), ("matmul", (M, M.T), {}), ("tensordot", (M, M.T), {"axes": 1}),
    ("tensordot", (T, T), {"axes": ((0, 1), (0, 1))}), ("vecdot", (C, C), {}), ("vecdot", (C, C), {"axis": -2}),
    ("arange", (5,), {}), ("arange", (1, 7, 2), {}), ("arange", (0,), {"stop": 1.0, "step": 0.25}),
    ("linspace", (0, 1, 7), {}), ("linspace", (0, 1), {"num": 5, "endpoint": False}), ("eye", (3,), {}),
    ("eye", (3, 4), {"k": 1}), ("zeros", ((2, 3),), {}), ("ones", (3,), {}), ("full", ((2,), 7), {}),
    ("full", (3, 1.5), {}),
    ("full", (2, True), {}), ("full", (2, 1j), {}), ("zeros_like", (T,), {}), ("ones_like", (C,), {}),
    ("full_like", (V, 4), {}),
    ("asarray", ([1, 2],), {}), ("asarray", (1.5,), {}), ("asarray", ([1j],), {}), ("asarray", (True,), {}),
    *[(f"linalg.{name}", (POSITIVE,), {}) for name in ("cholesky", "det", "inv", "eigvalsh", "svdvals", "slogdet",
      "pinv",
                                                       "matrix_rank", "trace", "diagonal", "matrix_transpose",
                                                       "matrix_norm")],
    ("linalg.cholesky", (POSITIVE,), {"upper": True}), ("linalg.solve", (POSITIVE, M), {}),
    ("linalg.matrix_power", (POSITIVE, 3), {}), ("linalg.diagonal", (T,), {"offset": 1}), ("linalg.outer", (V, V), {}),
    ("linalg.trace", (V.reshape(2, 3),), {"offset": 1}), ("linalg.cross", (V[:3], V[3:]), {}),
    ("linalg.matmul", (M, M.T), {}),
    ("linalg.tensordot", (M, M.T), {"axes": 1}), ("linalg.vecdot", (C, C), {"axis": -2}),
    ("linalg.pinv", (M,), {"rtol": 1e-9}),
    ("linalg.matrix_rank", (M,), {"rtol": 0.5}), ("linalg.svd", (M,), {"full_matrices": False}),
    ("linalg.qr", (M,), {}),
    ("linalg.eigh", (POSITIVE,), {}),
    *[("linalg.vector_norm", (a,), {"axis": axis, "ord": order, "keepdims": True}) for a in (M, T, C)
      for axis in (None, 0, (0, 1)) for order in (0, 1, 2, 3, float("inf"), -float("inf"))],
    *[("linalg.matrix_norm", (a,), {"ord": order}) for a in (M, T, C) for order in (1, -1, 2, "fro", "nuc",
      float("inf"))],
    *[(f"fft.{name}", (a,), {"norm": norm}) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn",
      "ifftn",
                                                         "rfftn", "irfftn")
      for a in (M, C, T) for norm in ("backward", "ortho", "forward")],
    *[(f"fft.{name}", (C,), {"n": 6, "axis": 0}) for name in ("fft", "ifft", "irfft", "hfft")],
    ("fft.fftn", (C,), {"s": (2, 3), "axes": (0, 1)}), ("fft.fftshift", (T,), {"axes": (0,)}),
    ("fft.ifftshift", (C,), {}),
    ("fft.fftfreq", (7,), {"d": 0.5}), ("fft.rfftfreq", (8,), {}),
    ("can_cast", (V, V), {}),
]


def _id(call):
    return call[0]


GROUPED = {name: [call for call in CALLS if call[0] == name] for name in dict.fromkeys(call[0] for call in CALLS)}


@pytest.mark.parametrize("name", GROUPED)
def test_calls(name):
    near = {"ulp": 64, "atol": 1e-4 if "." in name or name in ("matmul", "tensordot", "vecdot") else 1e-6}
    accepted = sum(conforms(name, *args, **near, **kwargs) for _, args, kwargs in GROUPED[name])
    assert accepted or name == "can_cast"


def test_calls_cover_the_standard():
    tested = set(GROUPED) | {name for name, _ in _elementwise()}
    elsewhere = {"astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type", "from_dlpack", "empty", "empty_like",
                 "unique_values", "linalg.eig", "linalg.eigvals"}
    assert not set(_functions()) - tested - elsewhere


def test_values_without_order():
    for a in NUMBERS:
        got = ap.unique_values(ap.asarray(a))
        assert_same(np.unique(a), got)
    a = ap.unique_values(ap.asarray([np.nan, 1.0, np.nan]))
    assert a.shape == (3,) and ap.isnan(a).sum() == 2


def test_eigenvalues_of_any_matrix():
    """Where all are real, NumPy and we give real ones; the standard asks for complex."""
    for name in ("eig", "eigvals"):
        turned = getattr(ap.linalg, name)(ap.asarray([[0.0, -1.0], [1.0, 0.0]]))
        assert (turned if name == "eigvals" else turned.eigenvalues).dtype == np.complex128
        real = getattr(ap.linalg, name)(ap.asarray([[2.0, 0.0], [0.0, 1.0]]))
        assert (real if name == "eigvals" else real.eigenvalues).dtype == np.float64


# --- dtypes ---


def test_dtype_functions():
    for a, b in itertools.product(DTYPES, DTYPES):
        theirs, others = getattr(strict, a), getattr(strict, b)
        assert not strict.can_cast(theirs, others) or ap.can_cast(getattr(ap, a), getattr(ap, b))
        try:
            expected = strict.result_type(theirs, others)
        except TypeError:
            continue
        assert ap.result_type(ap.dtype(a), ap.dtype(b)) == np.dtype(str(expected).rpartition(".")[2])
    for kind in ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
                 "numeric"):
        for a in DTYPES:
            assert ap.isdtype(ap.dtype(a), kind) is strict.isdtype(getattr(strict, a), kind)
    for name in ("float32", "float64", "complex64", "complex128"):
        theirs, ours = strict.finfo(getattr(strict, name)), ap.finfo(ap.dtype(name))
        assert (ours.bits, ours.eps, ours.max, ours.min, ours.smallest_normal) == (
            theirs.bits, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal)
    assert (ap.iinfo(ap.int16).bits, ap.iinfo(ap.int16).max, ap.iinfo(ap.int16).min) == (16, 32767, -32768)
    assert ap.finfo(ap.ones(2, dtype=ap.float32)).bits == 32


def test_astype():
    x = ap.asarray([1.5, 2.5])
    assert ap.astype(x, ap.float64, copy=False) is x
    assert ap.astype(x, ap.float64) is not x
    assert_same(np.array([1, 2], "int32"), ap.astype(x, ap.int32, device="cpu"))
    with pytest.raises(ValueError, match="cuda"):
        ap.astype(x, ap.int32, device="cuda")
    for a, b in itertools.product(DTYPES, DTYPES):
        if not (a.startswith("complex") and not b.startswith("complex")):
            assert_same(sample(7, a).astype(b), ap.astype(ap.asarray(sample(7, a)), ap.dtype(b)))


# --- the inspection object ---


def test_inspection():
    info = ap.__array_namespace_info__()
    theirs = strict.__array_namespace_info__()
    assert info.capabilities() == theirs.capabilities()
    assert info.default_device() in info.devices()
    assert info.default_dtypes() == np.__array_namespace_info__().default_dtypes()
    for kind in (None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
                 "numeric", ("bool", "integral"), ()):
        assert set(info.dtypes(kind=kind)) == set(theirs.dtypes(kind=kind))
        assert all(isinstance(one, np.dtype) and one.name == name for name, one in info.dtypes(kind=kind).items())
    for call in (lambda: info.dtypes(kind="floats"), lambda: info.dtypes(kind=("bool", "x"))):
        with pytest.raises(ValueError, match=r"unsupported kind.*real floating"):
            call()
    for call in (lambda: info.dtypes(device="cuda"), lambda: info.default_dtypes(device="cuda")):
        with pytest.raises(ValueError, match="cuda"):
            call()
    ap.zeros((1,) * info.capabilities()["max dimensions"])
    with pytest.raises(ValueError, match="64"):
        ap.zeros((1,) * (info.capabilities()["max dimensions"] + 1))


def test_edition():
    assert ap.__array_api_version__ >= np.__array_api_version__
    x = ap.ones(2)
    for edition in ("2021.12", "2022.12", "2023.12", "2024.12", ap.__array_api_version__, None):
        space = x.__array_namespace__(api_version=edition)
        assert space is ap.__array_namespace__(api_version=edition)
        assert space.__array_api_version__ == (edition or ap.__array_api_version__)
        assert space.add is ap.add
        assert space.fft is ap.fft
    with pytest.raises(ValueError, match=r"2030\.12.*2024\.12"):
        x.__array_namespace__(api_version="2030.12")


# --- the array object ---


def test_attributes():
    wanted = {name for name in vars(strict._array_object.Array) if not name.startswith("_") or name.startswith("__")}
    wanted -= {"__module__", "__weakref__", "__buffer__", "__annotations__", "__hash__", "__static_attributes__",
               "__firstlineno__"}
    assert not [name for name in wanted if not hasattr(ap.ndarray, name)]
    x = ap.asarray(T)
    assert (x.ndim, x.shape, x.size, x.dtype, x.device) == (3, (2, 3, 4), 24, np.float32, ap.Device())
    assert x.mT.shape == (2, 4, 3) and ap.asarray(M).T.shape == (5, 4)
    assert x.to_device(x.device) is x and x.to_device(str(x.device), stream=None) is x
    for call in (lambda: x.to_device("tpu:9"), lambda: x.to_device("cpu", stream=3)):
        with pytest.raises(ValueError, match="to_device"):
            call()


def test_conversions_of_single_elements():
    for dtype in DTYPES:
        x = ap.asarray(np.array(1, dtype))
        assert bool(x) is True and complex(x) == 1 and type(complex(x)) is complex
        if not dtype.startswith("complex"):
            assert int(x) == 1 and float(x) == 1.0 and type(float(x)) is float
        if "int" in dtype:
            assert operator.index(x) == 1
    assert ap.asarray([5, 6, 7])[ap.asarray(1)] == 6 and [0, 1, 2][ap.asarray(2)] == 2
    with pytest.raises(TypeError):
        operator.index(ap.asarray(1.0))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ap.ones(2))
    assert list(ap.asarray([1, 2])) == [1, 2]


@pytest.mark.parametrize("key", [
    2, -1, slice(1, 4, 2), slice(None, None, -1), (1, 2), (slice(None), 1), (..., 2), (None, 1),
    (slice(3, 0, -2), None),
    (..., slice(1, 2)), (), ...,
])
def test_indexing(key):
    conforms(lambda x: x[key], M)
    plain, mine = np.array(M), ap.asarray(M)
    assert_same(plain[key], mine[key])
    plain[key] = 7
    mine[key] = 7
    assert_same(plain, mine)


def test_indexing_with_arrays():
    conforms(lambda x, m: x[m], M, B)
    conforms(lambda x, i: x[i, :], M, np.array([2, 0]))
    conforms(lambda x, i, j: x[i, j], M, np.array([2, 0]), np.array([1, 4]))
    conforms(lambda x, i: x[i, 1:3], M, I)
    plain, mine = np.array(M), ap.asarray(M)
    plain[B] = 0
    mine[ap.asarray(B)] = 0
    assert_same(plain, mine)


# --- devices and DLPack ---


@pytest.mark.host_memory
@pytest.mark.parametrize("make", [
    lambda **how: ap.asarray([1.0], **how), lambda **how: ap.zeros(2, **how), lambda **how: ap.ones(2, **how),
    lambda **how: ap.empty(2, **how), lambda **how: ap.full(2, 1.0, **how), lambda **how: ap.arange(3, **how),
    lambda **how: ap.linspace(0, 1, 3, **how), lambda **how: ap.eye(2, **how), lambda **how: ap.zeros_like(T, **how),
    lambda **how: ap.ones_like(T, **how), lambda **how: ap.empty_like(T, **how),
    lambda **how: ap.full_like(T, 1, **how),
    lambda **how: ap.fft.fftfreq(4, **how), lambda **how: ap.fft.rfftfreq(4, **how),
    lambda **how: ap.from_dlpack(np.ones(2), **how),
])
def test_devices(make):
    assert make(device="cpu").device == make(device=None).device == "cpu"
    with pytest.raises(ValueError, match="cuda:1"):
        make(device="cuda:1")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_both_ways(dtype):
    for turn in (lambda a: a, lambda a: a.T, lambda a: a[::2, ::-1], lambda a: a[1], lambda a: a[:0], lambda a: a[1,
                 2]):
        plain = np.array(sample((4, 6), dtype))
        mine = ap.from_dlpack(plain)
        assert_same(turn(plain), turn(mine))
        back = np.from_dlpack(turn(mine))
        np.testing.assert_array_equal(back, turn(plain))
        assert_same(np.asarray(turn(plain)), ap.from_dlpack(np.asarray(turn(plain))))
    mine[0, 0] = 1
    assert plain[0, 0] == 1  # one memory


@pytest.mark.host_memory
def test_dlpack_arguments():
    x = ap.asarray(M)
    assert x.__dlpack_device__() == (1, 0)
    for how in ({}, {"stream": None}, {"max_version": (1, 0)}, {"max_version": (2, 1)}, {"max_version": None},
                {"max_version": (0, 8)}, {"dl_device": (1, 0)}, {"dl_device": None}, {"copy": True}, {"copy": False},
                {"copy": None}):
        name = "dltensor_versioned" if how.get("max_version") and how["max_version"][0] >= 1 else "dltensor"
        assert f'"{name}"' in repr(x.__dlpack__(**how))
    with pytest.raises((RuntimeError, ValueError)):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        x.__dlpack__(None)
    shared, copied = np.from_dlpack(x), np.from_dlpack(x, copy=True)
    x[0, 0] = 99
    assert shared[0, 0] == 99 and copied[0, 0] != 99
    plain = np.array(M)
    own = ap.from_dlpack(plain, copy=True)
    plain[0, 0] = 55
    assert own[0, 0] != 55 and ap.from_dlpack(plain, copy=False)[0, 0] == 55
    same = ap.from_dlpack(x)
    same[0, 0] = 1
    assert x[0, 0] == 1 and ap.from_dlpack(x, copy=True) is not x
    x.flags.writeable = False
    assert not np.from_dlpack(x).flags.writeable and not ap.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError):
        x.__dlpack__()  # the old capsule cannot say that the memory is read-only
    for wrong in ([1, 2], 3):
        with pytest.raises(TypeError, match="from_dlpack"):
            ap.from_dlpack(wrong)


class Old:
    """A producer from before DLPack 1.0, whose capsule cannot say who may write."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_of_old_producers():
    plain = np.arange(4.0)
    made = ap.from_dlpack(Old(plain))
    assert made.flags.writeable is np.from_dlpack(Old(plain)).flags.writeable is False
    plain[0] = 7
    assert made[0] == 7
    copied = ap.from_dlpack(Old(plain), copy=True)
    copied[0] = 1
    assert plain[0] == 7
