"""asnumpy.scipy.sparse beside SciPy's: classes, operators, products, sums, indexing, conversions."""

from __future__ import annotations

import copy
import operator
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as theirs

import asnumpy as ap
import asnumpy.scipy.sparse as own

FORMATS = ("csr", "csc", "coo")
ARRAYS = [
    *(("csr", "array", dtype) for dtype in (np.float64, np.complex128, np.int8, np.bool_)),
    ("csc", "array", np.float64), ("csc", "array", np.bool_), ("coo", "array", np.float64), ("coo", "array", np.int8),
]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def entries(dtype: Any, shape: tuple[int, int] = (9, 7), count: int = 30) -> Any:
    """Values and places: some twice, rows and columns without any, one row much longer than the others."""
    rng = np.random.default_rng(5)
    rows, columns = rng.integers(0, shape[0] - 2, count), rng.integers(1, shape[1], count)
    rows[: count // 3] = 2
    values = rng.integers(-4, 5, count)
    return (values + (1j * values if np.dtype(dtype).kind == "c" else 0)).astype(dtype), (rows, columns)


def pair(format: str = "csr", dtype: Any = np.float64, kind: str = "array", shape: Any = (9, 7)) -> tuple[Any, Any]:
    """The same matrix of ours and SciPy's."""
    values, places = entries(dtype, shape)
    name = f"{format}_{kind}"
    given = ap.array(values), tuple(map(ap.array, places))
    return getattr(own, name)(given, shape=shape), getattr(theirs, name)((values, places), shape=shape)


def arrays_of(value: Any) -> list[Any]:
    names = {"coo": ("coords",), "dia": ("data", "offsets")}.get(value.format, ("indices", "indptr"))
    found: list[Any] = [value.data]
    for name in names:
        part = getattr(value, name)
        found += part if isinstance(part, tuple) else [part]
    return found


def same(got: Any, wanted: Any, rtol: float = 0.0) -> None:
    """Equal in class, dtype and elements; sparse arrays in the arrays that they consist of."""
    if isinstance(wanted, tuple):
        for one, other in zip(got, wanted, strict=True):
            same(one, other, rtol)
    elif theirs.issparse(wanted):
        if wanted.format in ("lil", "dok"):  # these are SciPy's own
            assert type(got) is type(wanted) and (got != wanted).nnz == 0
            return
        assert isinstance(got, getattr(own, type(wanted).__name__))
        assert all(isinstance(one, ap.ndarray) for one in arrays_of(got))
        assert (type(got).__name__, got.shape, got.dtype, got.nnz) == (
            type(wanted).__name__, wanted.shape, wanted.dtype, wanted.nnz)
        assert repr(got) == repr(wanted)
        same(got.toarray(), wanted.toarray(), rtol)
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert isinstance(got, (np.matrix if isinstance(wanted, np.matrix) else ap.ndarray))
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=rtol, atol=rtol)
    else:
        assert got == wanted


def outcome(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception as error:
        return type(error)


def both(function: Callable[..., Any], ours: tuple[Any, ...], scipys: tuple[Any, ...], rtol: float = 1e-6) -> None:
    """The same result, or an exception of the same class."""
    got, wanted = outcome(lambda: function(*ours)), outcome(lambda: function(*scipys))
    if isinstance(wanted, type):
        assert got == wanted
    else:
        same(got, wanted, rtol)


UNARY: dict[str, Callable[[Any], Any]] = {
    "negative": operator.neg, "absolute": abs, "round": round, "conj": lambda a: a.conj(), "real": lambda a: a.real,
    "imag": lambda a: a.imag, "T": lambda a: a.T, "copy": lambda a: a.copy(), "sqrt": lambda a: abs(a).sqrt(),
    "arctan": lambda a: a.arctan(), "ceil": lambda a: a.ceil(), "power": lambda a: a.power(2), "sin": np.sin,
    "zeroth power": lambda a: a.power(0), "power of an array": lambda a: a.power([1, 2]),
    "power of a dtype": lambda a: a.power(3, np.float64), "astype": lambda a: a.astype(np.float32),
    "times 3": lambda a: a * 3, "3 times": lambda a: 3 * a, "times a half": lambda a: a * 0.5,
    "half": lambda a: a / 2, "half of float32": lambda a: a / np.float32(2), "by text": lambda a: a * "x",
    "plus 0": lambda a: a + 0, "plus 1": lambda a: a + 1, "1 over": lambda a: 1 / a, "equal": lambda a: a == 2,
    "less": lambda a: a < 0, "not 0": lambda a: a != 0, "truth": bool, "length": len, "text": lambda a: str(a)[:60],
    "sum": lambda a: a.sum(), "sum 0": lambda a: a.sum(axis=0), "sum 1": lambda a: a.sum(axis=1),
    "sum -1": lambda a: a.sum(axis=-1), "sum 2": lambda a: a.sum(axis=2), "sum float32": lambda a: a.sum(0, np.float32),
    "mean": lambda a: a.mean(), "mean 0": lambda a: a.mean(axis=0), "mean 1": lambda a: a.mean(1, np.float32),
    "max": lambda a: a.max(), "max 0": lambda a: a.max(axis=0), "min 1": lambda a: a.min(axis=1),
    "argmax": lambda a: a.argmax(axis=1), "diagonal": lambda a: a.diagonal(1), "trace": lambda a: a.trace(),
    "nonzero": lambda a: a.nonzero(), "count": lambda a: a.count_nonzero(), "nnz": lambda a: a.nnz,
    "size": lambda a: a.size, "tocsr": lambda a: a.tocsr(), "tocsc": lambda a: a.tocsc(), "tocoo": lambda a: a.tocoo(),
    "todia": lambda a: a.todia(), "tolil": lambda a: a.tolil(), "tobsr": lambda a: a.tobsr((3, 7)),
    "todense": lambda a: a.todense(), "toarray": lambda a: a.toarray(order="F"),
    "asformat": lambda a: a.asformat("csc"),
    "no format": lambda a: a.asformat("none"), "reshape": lambda a: a.reshape(7, 9), "row": lambda a: a[2],
    "rows": lambda a: a[1:6], "places": lambda a: a[[2, 1], [3, 2]], "column": lambda a: a[:, 3],
    "element": lambda a: a[2, 3], "outside": lambda a: a[20, 1], "where": lambda a: a[a > 1],
    "first": lambda a: next(iter(a)), "getrow": lambda a: a.getrow(2), "getH": lambda a: a.getH(),
    "sorted": lambda a: a.has_sorted_indices,
    "squared": lambda a: a**2, "canonical": lambda a: a.has_canonical_format,
    "unknown": lambda a: a.nothing, "shape": lambda a: a.shape,
}


@pytest.mark.parametrize("format, kind, dtype", [
    *ARRAYS, ("csr", "matrix", np.float64), ("coo", "matrix", np.bool_),
])
def test_of_one(format: str, kind: str, dtype: Any) -> None:
    for name, function in UNARY.items():
        mine, scipys = pair(format, dtype, kind)
        try:
            both(function, (mine,), (scipys,))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "product": operator.matmul, "transposed product": lambda a, b: a @ b.T, "greater": operator.gt,
    "maximum": lambda a, b: a.maximum(b), "method": lambda a, b: a.multiply(b), "equal": operator.eq,
}


@pytest.mark.parametrize("formats, kind", [
    (("csr", "csr"), "array"), (("csr", "coo"), "array"), (("csc", "csr"), "array"), (("coo", "csc"), "array"),
    (("csr", "csc"), "matrix"),
])
def test_of_two(formats: tuple[str, str], kind: str) -> None:
    for dtypes in ((np.float64, np.float64), (np.int8, np.float32), (np.bool_, np.complex128)):
        mine, scipys = zip(*(pair(*two, kind) for two in zip(formats, dtypes, strict=True)), strict=True)
        for function in BINARY.values():
            both(function, mine, scipys)
            both(function, (mine[0], scipys[1]), scipys)
            if function in (operator.add, operator.sub, operator.truediv, operator.matmul):
                both(function, (scipys[0], mine[1]), scipys)


SHAPES = ((7,), (7, 1), (7, 4), (7, 0), (9,), (4, 9), (1, 9), (9, 7), (3,), (2, 2, 2), ())
WITH_DENSE: tuple[Callable[[Any, Any], Any], ...] = (
    operator.matmul, operator.mul, operator.add, operator.sub, lambda a, b: a.dot(b), lambda a, b: b @ a,
    lambda a, b: b * a, lambda a, b: b - a,
)


@pytest.mark.parametrize("format, kind, dtype", [
    *ARRAYS, ("dia", "array", np.float64), ("bsr", "array", np.int8), ("csr", "matrix", np.complex128),
])
def test_with_dense(format: str, kind: str, dtype: Any) -> None:
    mine, scipys = (one.asformat(format) for one in pair("coo", dtype, kind))
    rng = np.random.default_rng(3)
    others = [rng.normal(0, 3, shape) for shape in SHAPES]
    others += [rng.integers(0, 5, shape).astype(np.int8) for shape in ((7,), (4, 9))]
    others += [rng.random(shape) > 0.5 for shape in ((7,), (4, 9))]
    for dense in map(np.asarray, others):
        for function in WITH_DENSE:
            both(function, (mine, ap.array(dense)), (scipys, dense))


def test_products_of_what_is_not_finite() -> None:
    mine, scipys = pair()
    x = np.array([np.nan, 1.0, np.inf, -1.0, 0.0, 2.0, -np.inf])  # no value stands in the first column
    for function in (operator.matmul, lambda a, b: b @ a.T, lambda a, b: a @ b[:, None]):
        both(function, (mine, ap.array(x)), (scipys, x))
    assert not np.isnan(ap.to_numpy(mine @ ap.array(x))[[7, 8]]).any()


def test_products_of_long_rows() -> None:
    rng = np.random.default_rng(8)
    rows = np.concatenate([np.full(700, 4), np.full(130, 11), rng.integers(0, 50, 60)])
    columns, values = rng.integers(0, 900, rows.size), rng.normal(size=rows.size)
    scipys = theirs.csr_array((values, (rows, columns)), shape=(50, 900))
    mine = own.csr_array(scipys)
    for one, other in ((mine, scipys), (mine.T, scipys.T), (mine.tocoo(), scipys.tocoo())):
        x, y = rng.normal(size=(one.shape[1], 3)), rng.normal(size=(3, one.shape[0]))
        same(one @ ap.array(x), other @ x, 1e-10)
        same(ap.array(y) @ one, y @ other, 1e-10)
        same(one.sum(axis=0), other.sum(axis=0), 1e-10)
        same(one.sum(axis=1), other.sum(axis=1), 1e-10)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (4, 5), (1, 1)])
def test_empty(shape: tuple[int, int]) -> None:
    for format in FORMATS:
        mine, scipys = getattr(own, f"{format}_array")(shape), getattr(theirs, f"{format}_array")(shape)
        x = np.ones(shape[1])
        both(operator.matmul, (mine, ap.array(x)), (scipys, x))
        for function in (
            lambda a: a.sum(axis=0), lambda a: a.sum(), lambda a: a.max(), lambda a: a * 2, lambda a: a.T, bool,
            lambda a: a.toarray(), lambda a: a.mean(axis=1), lambda a: a.tocoo(), lambda a: a + a,
        ):
            both(function, (mine,), (scipys,))


@pytest.mark.parametrize("format", FORMATS)
def test_in_place(format: str) -> None:
    def setdiag(a: Any) -> None:
        a.setdiag(5)

    def assign(a: Any) -> None:
        a[1, 2] = 4

    def times(a: Any) -> None:
        a *= 3

    def over(a: Any) -> None:
        a /= 3

    changes: tuple[Callable[[Any], Any], ...] = (
        setdiag, assign, times, over, lambda a: a.sum_duplicates(), lambda a: a.eliminate_zeros(),
        lambda a: a.sort_indices(), lambda a: a.resize(4, 5), lambda a: a.resize(9, 12), lambda a: a.resize(11, 7),
        lambda a: a.data.fill(2), lambda a: setattr(a, "data", a.data * 2),
    )

    def products(mine: Any, scipys: Any) -> None:
        x, y = (np.arange(1.0, 1.0 + length) for length in mine.shape)
        both(lambda a, b: b @ a, (mine, ap.array(x)), (scipys, x))
        both(operator.matmul, (mine, ap.array(y)), (scipys, y))
        both(lambda a: a.sum(axis=0), (mine,), (scipys,))

    for dtype, change in [*((np.float64, one) for one in changes), (np.int64, times), (np.int64, over)]:
        mine, scipys = pair(format, dtype)
        products(mine, scipys)  # what they have found out must not stay
        assert outcome(lambda: change(mine)) == outcome(lambda: change(scipys))  # noqa: B023
        same(mine, scipys, 1e-15)  # values of one place are added in another order on a device
        products(mine, scipys)


def test_parts_are_put() -> None:
    """Arrays, of ours and NumPy's, in the place of what an array consists of."""
    mine, scipys = pair("coo")
    for name, values in (("row", scipys.row[::-1].copy()), ("col", scipys.col[::-1].copy()), ("data", scipys.data * 2)):
        setattr(mine, name, values if name == "row" else ap.array(values))
        setattr(scipys, name, values)
        same(mine, scipys)
        assert mine.row.dtype == scipys.row.dtype and isinstance(mine.row, ap.ndarray)
    mine, scipys = pair("csr")
    for one, make in ((mine, ap.array), (scipys, np.array)):
        one.sort_indices()
        one.indices, one.indptr = make(scipys.indices[::-1].copy()), make(scipys.indptr)
        one.has_sorted_indices = False
    same(mine, scipys)
    assert not mine.has_canonical_format and mine.has_sorted_indices == scipys.has_sorted_indices


def test_made_of() -> None:
    values, (rows, columns) = entries(np.float64)
    dense = np.zeros((4, 3), np.float32)
    dense[1, 2] = dense[3, 0] = 7
    scipys = theirs.csr_array(dense)
    parts = (scipys.data, scipys.indices, scipys.indptr)
    calls: tuple[Callable[[Any, Any], Any], ...] = (
        lambda m, a: m.csr_array(a(dense)), lambda m, a: m.coo_array(a(dense), dtype=np.int64),
        lambda m, a: m.csr_array(tuple(map(a, parts))), lambda m, a: m.csr_array(tuple(map(a, parts)), shape=(4, 5)),
        lambda m, a: m.csr_array(tuple(map(a, parts[:2]))),
        lambda m, a: m.csc_array((a(values), (a(rows), a(columns)))), lambda m, a: m.coo_matrix((3, 4), dtype="i4"),
        lambda m, a: m.coo_array((a(values), (a(rows), a(columns))), shape=(2, 2)), lambda m, a: m.csr_array("text"),
        lambda m, a: m.csr_matrix([[1, 0], [0, 2]]), lambda m, a: m.csr_matrix(m.coo_array(a(dense)), copy=True),
        lambda m, a: m.dia_array((a(np.ones((1, 4))), a(np.array([1]))), shape=(4, 4)), lambda m, a: m.csr_array(3),
        lambda m, a: m.coo_array(a(values)), lambda m, a: m.csr_array(a(np.ones((2, 2, 2)))),
        lambda m, a: m.csr_array(a(dense), shape=(3, 4)),
        lambda m, a: m.csr_array((a(values), (a(rows - 1), a(columns)))),
    )
    for call in calls:
        both(call, (own, ap.array), (theirs, np.array))
        both(call, (own, np.array), (theirs, np.array))
    same(own.csr_array(scipys), scipys)
    kept = ap.array(scipys.data)
    shared = own.csr_array((kept, ap.array(scipys.indices), ap.array(scipys.indptr)))
    kept[0] = 9.0
    assert float(shared.data[0]) == 9.0  # as SciPy's, which copies where it is told to


def test_nothing_is_shared_with_numpys_arrays() -> None:
    values, (rows, columns) = entries(np.float64)
    scipys = theirs.csr_array((values, (rows, columns)), shape=(9, 7))
    parts = [part.copy() for part in (scipys.data, scipys.indices, scipys.indptr)]
    kept, given = scipys.copy(), own.csr_array(tuple(parts), shape=(9, 7))
    taken = own.csr_array(scipys)
    scaled = taken * 2, given * 2
    for part in (scipys.data, *parts):
        part[:] = 0
    for one in (taken, given):
        same(one, kept)
    for one in scaled:
        same(one, kept * 2)


def test_what_is_shared() -> None:
    """As in SciPy: transposes and conversions without a copy have the same values, results of operations others."""
    for format in FORMATS:
        mine, scipys = pair(format)
        derived: tuple[Callable[[Any], Any], ...] = (
            lambda a: a.T, lambda a, format=format: a.asformat(format), lambda a: a.copy(), lambda a: a * 1,
            lambda a: a.tocoo(copy=False),
        )
        for derive in derived:
            one, other = derive(mine), derive(scipys)
            one.data[0] = other.data[0] = float(mine.data[0]) + 1
            assert float(mine.data[0]) == scipys.data[0]
            same(mine, scipys)


def test_functions() -> None:
    mine, scipys = pair()
    calls: tuple[Callable[[Any, Any, Any], Any], ...] = (
        lambda m, a, _: m.vstack([a, a]), lambda m, a, _: m.hstack([a, a], format="csr"),
        lambda m, a, _: m.block_array([[a, None], [None, a]]), lambda m, a, _: m.kron(a, a), lambda m, a, _: m.tril(a),
        lambda m, a, _: m.triu(a, 1, format="csr"), lambda m, a, _: m.find(a), lambda m, a, _: m.eye_array(3, k=1),
        lambda m, a, x: m.diags_array(x(np.arange(1.0, 4.0))), lambda m, a, _: m.identity(3),
        lambda m, a, _: m.eye(2, 3),
        lambda m, a, _: m.random_array((5, 6), density=0.5, rng=np.random.default_rng(1)),
        lambda m, a, _: m.issparse(a),
        lambda m, a, x: m.issparse(x(np.ones(2))), lambda m, a, _: m.isspmatrix(a), lambda m, a, _: m.isspmatrix_csr(a),
        lambda m, a, _: m.vstack([a, a.T]), lambda m, a, _: m.block_diag([a, a]),
        lambda m, a, _: m.csgraph.connected_components(a[:7]), lambda m, a, _: m.isspmatrix_csr(m.csr_matrix(a)),
    )
    for call in calls:
        both(call, (own, mine, ap.array), (theirs, scipys, np.array))
    assert isinstance(mine, own.sparray) and not isinstance(mine, own.spmatrix)
    assert own.issparse(scipys) and own.lil_array is theirs.lil_array


def test_files(tmp_path: Any) -> None:
    for format in FORMATS:
        mine, scipys = pair(format)
        own.save_npz(tmp_path / "a.npz", mine)
        same(own.load_npz(tmp_path / "a.npz"), scipys)
        same(own.csr_array(theirs.load_npz(tmp_path / "a.npz")), scipys.tocsr())
        for again in (pickle.loads(pickle.dumps(mine)), copy.copy(mine), copy.deepcopy(mine)):
            same(again, scipys)


def test_to_scipy_and_devices() -> None:
    for format in FORMATS:
        mine, scipys = pair(format)
        given = mine.to_scipy()
        assert type(given) is type(scipys) and (given != scipys).nnz == 0
        given.data[:] = 0
        same(mine, scipys)
        moved = mine.to_device("cpu")
        same(moved, scipys)
        assert moved.device == "cpu" and mine.to_device(mine.device) is mine


def test_in_traced_functions() -> None:
    """What SciPy computes is refused: the samples of a trace are no indices. Products on a device are recorded."""
    mine, scipys = pair()
    x = np.arange(1.0, 8.0)
    mine @ ap.array(x)
    with pytest.raises(ap.TracingError, match="outside of the function"):
        ap.jit(lambda x: (mine + mine) @ x)(ap.array(x))
    doubled = ap.jit(lambda x: (mine * 2.0).data * x[0])
    same(doubled(ap.array(x)), scipys.data * 2.0)
    if mine.device != "cpu":
        product = ap.jit(lambda x: mine @ x + 1)
        for factor in (1.0, 3.0, -2.0):
            same(product(ap.array(x * factor)), scipys @ (x * factor) + 1, 1e-12)


def test_host_work_is_counted() -> None:
    mine, _ = pair()
    ap.forget_fallbacks()
    _ = mine * 2, -mine, mine.T
    assert not any(one["function"].startswith("scipy") for one in ap.fallbacks())
    mine.todia()
    assert "scipy.sparse.csr_array.todia" in [one["function"] for one in ap.fallbacks()]
