"""Arithmetic of sparse arrays on a device: where the values of both lie is found on the host, once for two patterns."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._types import ndarray
from asnumpy.creation.arrays import ones
from asnumpy.indexing.selection import select_where, take
from asnumpy.manipulation.shapes import broadcast_to, ravel
from asnumpy.reduction.reductions import all as all_of
from asnumpy.scipy.sparse._door import Held
from asnumpy.scipy.sparse._moves import converted
from asnumpy.scipy.sparse._patterns import Pattern, Places, host_indices, keys, one_each, stand_in, stays, without_zeros
from asnumpy.scipy.sparse._products import dense_of
from asnumpy.statistics.groups import Groups
from asnumpy.ufunc import functions as ufuncs

_FORMATS = ("csr", "csc", "coo")
_MOST_PAIRS = 1 << 25  # pairs of values of a product; of more, SciPy's loop needs less memory
_MOST_PLACES = 1 << 62  # of a matrix: they are numbered
_NOT_FINITE = "fdFDgG"


def _one_of_two(held: Any) -> bool:
    return (
        held.format in _FORMATS and len(held._shape) == 2 and math.prod(held._shape) < _MOST_PLACES and stays(held)
    )


def _both(one: Any, other: Any) -> bool:
    """Whether they are two matrices on one device."""
    return (
        isinstance(other, Held) and _one_of_two(one) and _one_of_two(other)
        and one._parts[0]._device_name == other._parts[0]._device_name
    )


def _compressed(held: Any) -> Any:
    return converted(held, "tocsr") if held.format == "coo" else held


def _two(one: Any, other: Any) -> tuple[Any, Any]:
    """Both in the compressed format and the class of the first, as SciPy's loops take them."""
    one = _compressed(one)
    if type(other) is type(one):
        return one, other
    return one, converted(other, f"to{one.format}")


def _ones(held: Held, dtype: Any = np.int64) -> Any:
    return stand_in(held, np.ones(held._parts[0].shape, dtype))


def _found(one: Any, other: Any, name: str, find: Callable[[Any, Any], Any]) -> Any:
    """What is to be known of two patterns, kept for the last that met `one`."""
    met = host_indices(other)
    known = one._groups.get(name)
    if known is None or known[0] is not met:
        known = met, find(one, other)
        one._groups[name] = known
    return known[1]


# --- element by element ---


def _numbered(held: Any) -> np.ndarray:
    indices, pointers = host_indices(held)
    return keys(indices, pointers, held._shape[held.format == "csr"])


def _meeting(one: Any, other: Any, made: Any) -> tuple[Pattern, Places, Places]:
    """The pattern of SciPy's result of ones, and the places of both values of each of its places."""
    near = one._parts[0]
    pattern = Pattern(made, near)
    length = made.shape[made.format == "csr"]
    wanted = keys(made.indices, made.indptr, length)

    def places(held: Any) -> Places:
        there = _numbered(held)
        at = np.searchsorted(there, wanted)
        at[at == len(there)] = 0
        hit = there[at] == wanted if len(there) else np.zeros(len(wanted), bool)
        return Places(np.where(hit, at + 1, 0), near)

    return pattern, places(one_each(one)), places(one_each(other))


def _of_union(one: Any, other: Any) -> Any:
    return _meeting(one, other, _ones(one) + _ones(other))


def _of_common(one: Any, other: Any) -> Any:
    return _meeting(one, other, _ones(one).multiply(_ones(other)))


def _finite(held: Any) -> bool:
    data = held._parts[0]
    return data.dtype.char not in _NOT_FINITE or bool(all_of(ufuncs.isfinite(data)))


def _combined(one: Any, other: Any, function: Any, common: bool = False) -> Any:
    """function(one, other) of each place that one of them has, without the zeros that arise."""
    one, other = _two(one, other)
    common = common and _finite(one) and _finite(other)  # what is not finite stays so without a partner
    find = _of_common if common else _of_union
    pattern, mine, its = _found(one, other, find.__name__, find)
    dtype = np.result_type(one._parts[0].dtype, other._parts[0].dtype)
    values = [
        places.of(one_each(held._with_data(held._parts[0].astype(dtype, copy=False), False))._parts[0])
        for held, places in ((one, mine), (other, its))
    ]
    return without_zeros(pattern.array(function(*values)))


def _same_shape(one: Any, other: Any) -> bool:
    return _both(one, other) and one._shape == other._shape


def _subtracted(one: ndarray, other: ndarray) -> ndarray:
    made: ndarray = (ufuncs.not_equal if one.dtype == bool else ufuncs.subtract)(one, other)
    return made


def _with_dense(held: Any, dense: Any) -> ndarray | None:
    """The elements of both are to be combined: those of the sparse one."""
    if not _one_of_two(held) or not isinstance(dense, ndarray) or hasattr(held, "getformat"):
        return None
    if dense._host_visible or dense._device_name != held._parts[0]._device_name or dense.ndim > 2 or dense.ndim == 0:
        return None
    if any(length not in (1, whole) for length, whole in zip(dense.shape[::-1], held._shape[::-1], strict=False)):
        return None
    return dense_of(one_each(held))


def _added(held: Any, other: Any) -> Any:
    if is_number(other) and other == 0:
        return held.copy()
    if _same_shape(held, other):
        return _combined(held, other, ufuncs.add)
    own = _with_dense(held, other)
    return NotImplemented if own is None else own + broadcast_to(other, held._shape)


def _less(held: Any, other: Any) -> Any:
    if _same_shape(held, other):
        return _combined(held, other, _subtracted)
    own = _with_dense(held, other)
    return NotImplemented if own is None or own.dtype == other.dtype == bool else own - broadcast_to(other, held._shape)


def _less_reflected(held: Any, other: Any) -> Any:
    own = _with_dense(held, other)
    return NotImplemented if own is None or own.dtype == other.dtype == bool else broadcast_to(other, held._shape) - own


def _multiplied(held: Any, other: Any) -> Any:
    if _same_shape(held, other):
        return _combined(held, other, ufuncs.multiply, common=True)
    if not _one_of_two(held) or not isinstance(other, ndarray) or other._host_visible or other.ndim not in (1, 2):
        return NotImplemented
    rows, columns = held._shape
    lines = other.reshape(1, -1) if other.ndim == 1 else other
    if rows == 1 or columns == 1 or other._device_name != held._parts[0]._device_name:
        return NotImplemented
    made = converted(_compressed(held), "tocoo")
    row, column = made._parts[1]
    if lines.shape == (rows, columns):
        if "flat" not in made._groups:
            numbers = [one.astype(np.int64) for one in host_indices(made)[0]]
            made._groups["flat"] = Places(numbers[0] * columns + numbers[1] + 1, lines)
        by = made._groups["flat"].of(ravel(lines))
    elif lines.shape == (1, columns):
        by = take(ravel(lines), column, 0)
    elif lines.shape == (rows, 1):
        by = take(ravel(lines), row, 0)
    else:
        return NotImplemented
    return made._with_data(ufuncs.multiply(made._parts[0], by), False)


# --- comparisons ---

_NEGATED = {"eq": "ne", "le": "gt", "ge": "lt"}


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def _by_number(held: Any, number: Any, function: Any) -> Any:
    """function(held, number), where that of zero and the number is zero."""
    one = _compressed(held)
    one.sum_duplicates()
    return without_zeros(one._with_data(function(one._parts[0], number)))


def _compared(name: str) -> Callable[[Any, Any], Any]:
    theirs = getattr(operator, name)
    own = {"eq": "equal", "ne": "not_equal", "lt": "less", "gt": "greater", "le": "less_equal", "ge": "greater_equal"}

    def compare(held: Any, other: Any) -> Any:
        if is_number(other) and _one_of_two(held):
            return NotImplemented if theirs(0, other) or other != other else _by_number(held, other, getattr(
                ufuncs, own[name]))
        if not _same_shape(held, other):
            return NotImplemented
        made = _combined(held, other, getattr(ufuncs, own[_NEGATED.get(name, name)]))
        if name not in _NEGATED:
            return made
        theirs(made._theirs((1, 1)), made._theirs((1, 1)))  # which warns, in SciPy's words
        pattern = Pattern(made._theirs(np.ones(made._shape, np.bool_)) - _ones(made, np.bool_), made._parts[0])
        return pattern.array(ones(pattern.host[0].shape, np.bool_, device=made._parts[0].device))

    return compare


def _larger(one: ndarray, other: ndarray) -> ndarray:
    """As SciPy's loop chooses, which shows where one is no number."""
    return select_where(ufuncs.less(one, other), other, one, one.dtype)


def _smaller(one: ndarray, other: ndarray) -> ndarray:
    return select_where(ufuncs.less(other, one), other, one, one.dtype)


def _extreme(name: str, chosen: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    theirs, own = getattr(np, name), getattr(ufuncs, name)

    def choose(held: Any, other: Any) -> Any:
        if is_number(other):
            return NotImplemented if not _one_of_two(held) or theirs(0, other) else _by_number(held, other, own)
        return _combined(held, other, chosen) if _same_shape(held, other) else NotImplemented

    return choose


# --- products ---


def _pairs(one: Any, other: Any) -> Any:
    """The pattern of the product, the places of the values that meet, in its order, and which of them are added."""
    made = _ones(one) @ _ones(other)  # as many as are added
    if made.data.sum() > _MOST_PAIRS:
        return None
    near = one._parts[0]
    first, second = (one, other) if one.format == "csr" else (other, one)
    (indices, pointers), (further, starts) = host_indices(first), host_indices(second)
    counts = np.diff(starts)[indices]
    mine = np.repeat(np.arange(len(indices)), counts)
    within = np.arange(len(mine)) - np.repeat(np.cumsum(counts) - counts, counts)
    its = np.repeat(starts[:-1][indices], counts) + within
    length = second._shape[second.format == "csr"]
    row = keys(np.zeros_like(indices), pointers, length)
    wanted = keys(made.indices, made.indptr, length)
    rank = np.argsort(wanted)
    order = np.argsort(rank[np.searchsorted(wanted[rank], row[mine] + further[its])], kind="stable")
    groups, pattern = Groups(made.data, None, near), Pattern(made, near)
    ordered = Places(mine[order] + 1, near), Places(its[order] + 1, near)
    return pattern, groups, *(ordered if first is one else ordered[::-1])


def _matmul(held: Any, other: Any) -> Any:
    if isinstance(other, Held) and held.format == "dia" and stays(held) and other.format in _FORMATS:
        return _matmul(_without_dia(held), other)
    if isinstance(other, Held) and other.format == "dia" and stays(other) and held.format in _FORMATS:
        other = _without_dia(other)
    if not _both(held, other) or held._shape[1] != other._shape[0]:
        return NotImplemented
    one, other = _two(held, other)
    found = _found(one, other, "product", _pairs)
    if found is None:
        return NotImplemented
    pattern, groups, mine, its = found
    dtype = np.result_type(one._parts[0].dtype, other._parts[0].dtype)
    products = ufuncs.multiply(mine.of(one._parts[0]), its.of(other._parts[0]), dtype=dtype)
    return without_zeros(pattern.array(groups.sums(products, dtype)))


def _without_dia(held: Any) -> Any:
    return without_zeros(converted(held, "tocsr"))


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "__add__": _added, "__radd__": _added, "__sub__": _less, "__rsub__": _less_reflected, "multiply": _multiplied,
    "maximum": _extreme("maximum", _larger), "minimum": _extreme("minimum", _smaller),
    "__matmul__": _matmul, "dot": _matmul,
    **{f"__{name}__": _compared(name) for name in ("eq", "ne", "lt", "gt", "le", "ge")},
}
