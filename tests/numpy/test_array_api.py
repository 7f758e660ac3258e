"""The Python array API standard: array-api-strict's names, parameters and results are what ours are held to."""

from __future__ import annotations

import inspect
import itertools
import operator

import array_api_strict as strict
import numpy as np
import pytest
from agreement import assert_same, sample
from array_api_standard import NAMESPACES, B, C, I, M, T, V, conforms, pair

import asnumpy as ap

DTYPES = list(strict.__array_namespace_info__().dtypes())
# Of array-api-strict itself, not of the standard.
_ITS_OWN = {"Device", "set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
            "ArrayAPIStrictFlags", "__array_api_version__"}


def _public():
    for prefix, (theirs, _) in NAMESPACES.items():
        for name in theirs.__all__:
            if name not in _ITS_OWN and (prefix == "" or callable(getattr(theirs, name))):
                yield prefix + name


def _functions():
    return [name for name in _public() if inspect.isfunction(pair(name)[0]) and name != "__array_namespace_info__"]


@pytest.mark.parametrize("name", sorted(set(_public())))
def test_name(name):
    theirs, ours = pair(name)  # which looks both up
    assert callable(ours) or not callable(theirs)


@pytest.mark.parametrize("name", _functions())
def test_parameters(name):
    """Every way to call that the standard allows is one of ours: as many by position, the same names as keywords."""
    theirs, ours = pair(name)
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


def _elementwise():
    found = []
    for name in _functions():
        parameters = list(inspect.signature(pair(name)[0]).parameters.values())
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
