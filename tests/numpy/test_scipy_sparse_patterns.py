"""Sparse arrays whose pattern changes: sums, products, comparisons, conversions, selections.

On a device nothing of it is the host's. Indices, their dtypes and order, and what is known of them are SciPy's; values
that are added are its up to the order.
"""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as theirs

import asnumpy as ap
import asnumpy.scipy.sparse as own

FORMATS = ("csr", "csc", "coo")
KINDS = ("canonical", "doubled", "zeros", "unsorted", "empty")
PAIRS = list(itertools.product(KINDS, KINDS))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def scipys_of(kind: str, format: str, dtype: Any, shape: tuple[int, int], seed: int = 0) -> Any:
    """A matrix with values at few places: some twice, some zero, out of order, or none."""
    rng = np.random.default_rng([seed, *shape])
    count = 0 if kind == "empty" or 0 in shape else 3 * min(shape) + 2
    rows, columns = (rng.integers(0, max(length - 1, 1), count) for length in shape)
    values = rng.integers(1, 4, count) * rng.choice([-1, 1], count)
    if np.dtype(dtype).kind == "u":
        values = abs(values)
    if kind == "zeros" and count:
        values[::3] = 0
    values = values * (1 + 2j) if np.dtype(dtype).kind == "c" else values
    made = theirs.coo_array((values.astype(dtype), (rows, columns)), shape=shape)
    if kind in ("canonical", "zeros"):
        made.sum_duplicates()
    if format == "coo" or kind == "canonical":
        return type(made)(made) if format == "coo" else made.asformat(format)
    major, minor = (rows, columns) if format == "csr" else (columns, rows)
    if kind == "zeros":
        return made.asformat(format)
    order = np.argsort(major, kind="stable")  # values of a row stand as they came: nothing is added
    if kind == "unsorted":
        keys = np.unique(major * 1000 + minor, return_index=True)[1]
        order = keys[np.lexsort((-minor[keys], major[keys]))]
    starts = np.append(0, np.cumsum(np.bincount(major[order], minlength=shape[format == "csc"])))
    return getattr(theirs, f"{format}_array")((made.data[order], minor[order], starts), shape=shape)


def mine_of(scipys: Any) -> Any:
    return getattr(own, type(scipys).__name__)(scipys)


def check(got: Any, wanted: Any, rtol: float) -> None:
    """Equal in class, format, dtypes, indices and their order; values within the tolerance."""
    if not theirs.issparse(wanted):
        if isinstance(wanted, tuple):
            for one, other in zip(got, wanted, strict=True):
                check(one, other, rtol)
            return
        if isinstance(wanted, (np.ndarray, np.generic)):
            assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=rtol, atol=rtol)
            return
        assert got == wanted and type(got) is type(wanted)
        return
    assert (type(got).__name__, got.shape, got.dtype, got.nnz) == (
        type(wanted).__name__, wanted.shape, wanted.dtype, wanted.nnz)
    for name in ("coords",) if wanted.format == "coo" else ("indices", "indptr"):
        mine, its = getattr(got, name), getattr(wanted, name)
        for one, other in zip(mine, its, strict=True) if name == "coords" else ((mine, its),):
            assert one.dtype == other.dtype and isinstance(one, ap.ndarray)
            np.testing.assert_array_equal(ap.to_numpy(one), other)
    np.testing.assert_allclose(ap.to_numpy(got.data), wanted.data, rtol=rtol, atol=rtol)
    assert got.has_canonical_format == wanted.has_canonical_format
    if wanted.format != "coo":
        assert got.has_sorted_indices == wanted.has_sorted_indices


def both(function: Callable[..., Any], mine: Any, scipys: Any, rtol: float = 1e-12) -> None:
    """The same of ours and SciPy's, or its error with its words; on a device nothing by the host."""
    try:
        wanted = function(*scipys)
    except Exception as error:
        with pytest.raises(type(error)) as refused:
            function(*mine)
        assert str(refused.value) == str(error)
        return
    ap.forget_fallbacks()
    got = function(*mine)
    if not isinstance(got, (bool, ap.ndarray)):
        ap.synchronize()
    if ap.array(0.0).device != "cpu":
        assert [one["function"] for one in ap.fallbacks()] == []
    check(got, wanted, rtol)


OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b), "not equal": operator.ne, "less": operator.lt, "greater": operator.gt,
    "equal": operator.eq, "less equal": operator.le, "greater equal": operator.ge,
}


@pytest.mark.parametrize("formats", list(itertools.product(FORMATS, FORMATS)), ids="-".join)
def test_elements_of_two(formats: tuple[str, str]) -> None:
    for number, kinds in enumerate(PAIRS[FORMATS.index(formats[0])::3]):
        scipys = [scipys_of(kind, format, np.float64, (6, 5), number + place)
                  for place, (kind, format) in enumerate(zip(kinds, formats, strict=True))]
        for name in list(OF_TWO)[number % 4::4]:
            both(OF_TWO[name], [*map(mine_of, scipys)], [one.copy() for one in scipys])


DTYPES = ["bool", "int8", "uint8", "int64", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str) -> None:
    for other in DTYPES[DTYPES.index(dtype) % 2::2]:
        scipys = [scipys_of("doubled", "csr", one, (5, 5), place) for place, one in enumerate((dtype, other))]
        mine = [*map(mine_of, scipys)]
        for name in ("add", "subtract", "multiply", "maximum", "less"):
            both(OF_TWO[name], mine, scipys, 1e-6)
        both(operator.matmul, mine, scipys, 1e-5)


@pytest.mark.parametrize("formats", list(itertools.product(FORMATS, FORMATS)), ids="-".join)
def test_products(formats: tuple[str, str]) -> None:
    for number, kinds in enumerate(PAIRS[FORMATS.index(formats[1])::3]):
        scipys = [scipys_of(kind, format, np.float64, shape, number)
                  for kind, format, shape in zip(kinds, formats, ((7, 5), (5, 6)), strict=True)]
        both(operator.matmul, [*map(mine_of, scipys)], scipys)


@pytest.mark.parametrize("format", FORMATS)
def test_products_twice(format: str) -> None:
    """What is known of a pattern serves other values, and no other pattern."""
    scipys = scipys_of("doubled", format, np.float64, (6, 6))
    further = scipys_of("canonical", format, np.float64, (6, 6), 4)
    mine, another = mine_of(scipys), mine_of(further)
    for function in (operator.matmul, operator.add, operator.mul, lambda a, b: a.T @ b, lambda a, b: (a + b.T).T):
        for one, other in ((another, further), (mine, scipys), (another * 3, further * 3), (another, further)):
            both(function, (mine, one), (scipys, other))
            both(function, (mine * 2, one), (scipys * 2, other))
            both(function, (one.tocsr(), mine.tocsr()), (other.tocsr(), scipys.tocsr()))


def test_matrices() -> None:
    scipys = [theirs.csr_matrix(scipys_of("doubled", "csr", np.float64, (5, 5), seed)) for seed in (1, 2)]
    for one in scipys:  # of int64 SciPy looks at memory that nobody has written, to see whether int32 would do
        one.indices, one.indptr = one.indices.astype(np.int32), one.indptr.astype(np.int32)
    mine = [*map(mine_of, scipys)]
    for function in (operator.mul, operator.matmul, operator.add, lambda a, b: a.multiply(b), lambda a, b: a.dot(b)):
        both(function, mine, scipys)
    both(lambda a, b: a @ b.tocsc(), mine, scipys)


CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    **{f"to{one}": operator.methodcaller(f"to{one}") for one in FORMATS},
    **{f"as{one}": operator.methodcaller("asformat", one) for one in FORMATS},
    "uncopied": lambda a: a.tocoo(copy=False), "transposed": lambda a: a.T.tocsr(),
    "copied": lambda a: a.tocsr(copy=True),
    "there and back": lambda a: a.tocsc().tocoo().tocsr(), "reshaped": lambda a: a.reshape(5, 6),
    "diagonal": lambda a: a.diagonal(), "above": lambda a: a.diagonal(2), "below": lambda a: a.diagonal(k=-1),
    "beyond": lambda a: a.diagonal(30), "trace": lambda a: a.trace(), "count": lambda a: a.count_nonzero(),
    "nonzero": lambda a: a.nonzero(), "dense": lambda a: a.toarray(),
    "more": lambda a: a > 1, "not 2": lambda a: a != 0, "is 2": lambda a: a == 2, "at least": lambda a: a.maximum(-1),
    "at most": lambda a: a.minimum(1),
    "class": lambda a: (own if type(a).__module__ == own.__name__ else theirs).csc_array(a),
    "largest": lambda a: a.max(), "smallest": lambda a: a.min(), "largest stored": lambda a: a.max(explicit=True),
    "too small": lambda a: a.reshape(2, 2),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_conversions(format: str, kind: str) -> None:
    for name, function in CONVERSIONS.items():
        scipys = scipys_of(kind, format, np.float64, (6, 5))
        mine = mine_of(scipys)
        for _ in range(2):
            try:
                both(function, (mine,), (scipys,))
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error


SELECTIONS: dict[str, Any] = {
    "row": 2, "last": -1, "rows": slice(1, 4), "every second": slice(None, None, 2), "backwards": slice(None, None, -1),
    "column": (slice(None), 3), "columns": (slice(None), slice(1, 3)), "block": (slice(1, 4), slice(2, 5)),
    "element": (2, 3), "some rows": [4, 0, 0], "some columns": (slice(None), [3, 0, 3]),
    "places": ([0, 2, 1], [1, 3, 0]),
    "grid": (np.array([[0], [2]]), np.array([[1, 3]])), "outside": 20, "too many": (1, 2, 3), "all": Ellipsis,
    "mask": np.array([True, False, True, True, False, False]), "in a row": (2, [1, 3]),
    "steps": (slice(0, 5, 2), slice(4, 0, -2)),
    "part of a row": (3, slice(1, 4)), "part of a column": (slice(1, 5), 1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_selections(format: str, kind: str) -> None:
    scipys = scipys_of(kind, format, np.float64, (6, 5))
    mine = mine_of(scipys)
    for name, key in SELECTIONS.items():
        try:
            both(lambda a: a[key], (mine,), (scipys,))  # noqa: B023
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
    if format != "coo":  # SciPy's sets flags of the index, which a view of an array of ours does not allow
        both(lambda a, index: a[index], (mine, ap.array([3, 1])), (scipys, np.array([3, 1])))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("format", FORMATS)
def test_in_place(format: str, kind: str) -> None:
    def after(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(a: Any) -> Any:
            a = a.copy()
            assert change(a) is None
            return a

        return run

    scipys = scipys_of(kind, format, np.float64, (6, 5))
    for change in (lambda a: a.sum_duplicates(), lambda a: a.eliminate_zeros(), lambda a: a.sort_indices()):
        both(after(change), (mine_of(scipys),), (scipys,))


@pytest.mark.parametrize("format", FORMATS)
def test_with_dense(format: str) -> None:
    rng = np.random.default_rng(2)
    for kind, dtype in zip(KINDS, ("float64", "float32", "int8", "complex128", "bool"), strict=True):
        scipys = scipys_of(kind, format, dtype, (6, 5))
        mine = mine_of(scipys)
        for shape in ((6, 5), (5,), (1, 5), (6, 1)):
            for dense in (rng.normal(size=shape), rng.integers(-3, 4, shape)):
                x = ap.array(dense)
                both(lambda a, b: a.multiply(b), (mine, x), (scipys, dense), 1e-6)
                both(operator.add, (mine, x), (scipys, dense), 1e-6)
                both(operator.sub, (mine, x), (scipys, dense), 1e-6)
                both(lambda a, b: b - a, (mine, x), (scipys, dense), 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_put_together(kind: str) -> None:
    for format, other in (("csr", "csr"), ("csc", "coo"), ("coo", "csr")):
        scipys = [scipys_of(kind, format, np.float64, (6, 5)), scipys_of(kind, other, np.int8, (6, 5), 1)]
        mine = [*map(mine_of, scipys)]
        calls: tuple[Callable[[Any, Any, Any], Any], ...] = (
            lambda m, a, b: m.vstack([a, b]), lambda m, a, b: m.hstack([a, b], format="csr"),
            lambda m, a, b: m.block_array([[a, None], [None, b]]), lambda m, a, b: m.block_diag([a, b]),
            lambda m, a, b: m.tril(a, -1), lambda m, a, b: m.triu(b, format="csc"), lambda m, a, b: m.vstack([a, b.T]),
        )
        for call in calls:
            both(call, (own, *mine), (theirs, *scipys))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (0, 0)])
def test_without_places(shape: tuple[int, int]) -> None:
    for formats in itertools.product(FORMATS, FORMATS):
        scipys = [scipys_of("canonical", one, np.float64, shape) for one in formats]
        mine = [*map(mine_of, scipys)]
        for function in (operator.add, operator.mul, operator.ne, lambda a, b: a @ b.T, lambda a, b: a.T @ b):
            both(function, mine, scipys)
        for convert in (lambda a: a.tocsr(), lambda a: a.tocsc(), lambda a: a.tocoo(), lambda a: a[0:1]):
            both(convert, mine[:1], scipys[:1])


def test_refused() -> None:
    scipys = [scipys_of("canonical", "csr", np.float64, shape) for shape in ((4, 5), (5, 4))]
    mine = [*map(mine_of, scipys)]
    for function in (operator.add, operator.sub, operator.mul, operator.lt, lambda a, b: a.maximum(b),
                     lambda a, b: a @ b @ a @ a, lambda a, b: a + "text", lambda a, b: a + 1):
        both(function, mine, scipys)
    assert (mine[0] == mine[1]) is False and (mine[0] != mine[1]) is True


def test_what_is_not_finite() -> None:
    scipys = [scipys_of("canonical", "csr", np.float64, (6, 5), seed) for seed in (1, 2)]
    scipys[0].data[[0, 3, 5]] = np.nan, np.inf, -np.inf
    mine = [*map(mine_of, scipys)]
    for function in (*OF_TWO.values(), lambda a, b: a @ b.T):
        both(function, mine, scipys)
        both(function, mine[::-1], scipys[::-1])


def test_sums_that_vanish() -> None:
    """Zeros that arise are left out, as SciPy's loops do."""
    scipys = scipys_of("canonical", "csr", np.float64, (6, 5))
    mine = mine_of(scipys)
    both(operator.sub, (mine, mine.copy()), (scipys, scipys.copy()))
    assert (mine - mine).nnz == 0
    one, other = theirs.csr_array(np.array([[1.0, 1.0], [2.0, 3.0]])), theirs.csr_array(np.array([[1.0, 2], [-1.0, 2]]))
    both(operator.matmul, (mine_of(one), mine_of(other)), (one, other))


def test_scaled_rows() -> None:
    scipys = scipys_of("doubled", "csr", np.float64, (6, 5))
    lines = np.array([[1.0, 0.0, 2.0, -1.0, 3.0, 5.0]])
    scale = theirs.dia_array((lines, np.array([0])), shape=(6, 6))
    own_scale = own.dia_array((ap.array(lines), ap.array([0])), shape=(6, 6))
    both(operator.matmul, (own_scale, mine_of(scipys)), (scale, scipys))
    both(lambda a, b: b.T @ a, (own_scale, mine_of(scipys)), (scale, scipys))
    both(lambda a: a.tocsr(), (own_scale,), (scale,))


def test_made_of_parts() -> None:
    values, rows, columns = np.array([4.0, 9.0, 1.0, 2.0]), np.array([0, 1, 1, 1]), np.array([1, 0, 2, 0])
    for name in ("csr_array", "csc_array", "coo_array", "csr_matrix"):
        for shape in (None, (3, 4), (1, 1)):
            both(lambda m, v, r, c: getattr(m, name)((v, (r, c)), shape=shape),  # noqa: B023
                 (own, ap.array(values), ap.array(rows), ap.array(columns)), (theirs, values, rows, columns))
    scipys = scipys_of("doubled", "csc", np.float64, (6, 5))
    parts = scipys.data, scipys.indices, scipys.indptr
    both(lambda m, *parts: m.csc_array(parts, shape=(6, 5)), (own, *map(ap.array, parts)), (theirs, *parts))
    both(lambda m, *parts: m.csc_array(parts, shape=(4, 9)), (own, *map(ap.array, parts)), (theirs, *parts))


@pytest.mark.parametrize("format", FORMATS)
def test_products_of_one_line(format: str) -> None:
    for shape in ((1, 3), (3, 1), (1, 1)):
        scipys = scipys_of("zeros", format, np.float64, shape)
        for dense in (np.ones(shape[1]), np.ones((shape[1], 1))):
            both(operator.matmul, (mine_of(scipys), ap.array(dense)), (scipys, dense))
            both(lambda a, b: b.T @ a.T, (mine_of(scipys), ap.array(dense)), (scipys, dense))


def test_a_long_product() -> None:
    """Rows and columns of very different lengths; the order of additions is another."""
    scipys = theirs.random_array((60, 300), density=0.05, rng=np.random.default_rng(3)).tocsr()
    scipys = (scipys + theirs.csr_array((np.ones(300), (np.full(300, 7), np.arange(300))), shape=(60, 300))).tocsr()
    mine = mine_of(scipys)
    both(lambda a: a @ a.T, (mine,), (scipys,), 1e-12)
    both(lambda a: (a.T @ a).tocsc(), (mine,), (scipys,), 1e-12)
