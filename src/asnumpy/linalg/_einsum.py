"""Einstein summation: parsed, ordered by cost, run pairwise as matrix products where axes are contracted."""

from __future__ import annotations

import functools
import math
from operator import index
from typing import Any

import numpy as np

from asnumpy import _core, config
from asnumpy._public import public
from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.host.door import host
from asnumpy.host.numpys import expect_whole_target
from asnumpy.linalg._products import gemm, product_dtype, sum_products
from asnumpy.ufunc.functions import multiply

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# A label is a letter, or -1, -2, ... for the axes under an ellipsis, counted from the right.
Labels = list[Any]


def _sublist_text(sublist: Any) -> str:
    text = ""
    for one in sublist:
        if one is Ellipsis:
            text += "..."
        else:
            place = index(one)
            if not 0 <= place < len(_LETTERS):
                raise ValueError(f"subscript is not within the valid range [0, {len(_LETTERS)})")
            text += _LETTERS[place]
    return text


def _as_string(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Both ways of writing a sum, as one string and its operands."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one "
                         "operand and its corresponding subscripts list")
    if isinstance(operands[0], str):
        if len(operands) == 1:
            raise ValueError("must specify the einstein sum subscripts string and at least one operand")
        return operands[0].replace(" ", ""), list(operands[1:])
    given = list(operands)
    output = _sublist_text(given.pop()) if len(given) % 2 else None
    text = ",".join(_sublist_text(one) for one in given[1::2])
    return text if output is None else f"{text}->{output}", given[0::2]


def _split_term(term: str, what: str) -> tuple[Labels, int]:
    """The letters of one term, and where its ellipsis stands (-1: it has none)."""
    place = term.find("...")
    if place >= 0:
        term = term[:place] + term[place + 3:]
    for letter in term:
        if letter == ".":
            raise ValueError(f"einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') "
                             f"in {what}")
        if letter not in _LETTERS:
            raise ValueError(
                f"invalid subscript '{letter}' in einstein sum subscripts string, subscripts must be letters")
    return list(term), place


def _parse(text: str, arrays: list[ndarray]) -> tuple[list[Labels], Labels]:
    """The labels of every operand and of the output."""
    labels, output = _parsed(text, tuple(a.ndim for a in arrays))
    return list(labels), output


@functools.lru_cache(256)
def _parsed(text: str, ranks: tuple[int, ...]) -> tuple[list[Labels], Labels]:
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        amount = "more" if len(terms) < len(ranks) else "fewer"
        raise ValueError(f"{amount} operands provided to einstein sum function than specified in the subscripts string")
    labels: list[Labels] = []
    widest = 0
    for number, (term, rank) in enumerate(zip(terms, ranks, strict=True)):
        letters, ellipsis = _split_term(term, f"operand {number}")
        hidden = rank - len(letters)
        if hidden < 0:
            raise ValueError(f"einstein sum subscripts string contains too many subscripts for operand {number}")
        if hidden and ellipsis < 0:
            raise ValueError("operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                             "provided to broadcast the extra dimensions.")
        if ellipsis >= 0:
            letters[ellipsis:ellipsis] = list(range(-hidden, 0))
            widest = max(widest, hidden)
        labels.append(letters)
    broadcast = list(range(-widest, 0))
    if not arrow:
        seen = [label for one in labels for label in one if isinstance(label, str)]
        return labels, broadcast + sorted(label for label in set(seen) if seen.count(label) == 1)
    letters, ellipsis = _split_term(output, "the output")
    for letter in letters:
        if letters.count(letter) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{letter}' multiple times")
        if all(letter not in one for one in labels):
            raise ValueError(f"einstein sum subscripts string included output subscript '{letter}' which never "
                             "appeared in an input")
    if ellipsis >= 0:
        letters[ellipsis:ellipsis] = broadcast
    elif widest:
        raise ValueError("output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                         "provided to broadcast the extra dimensions.")
    return labels, letters


def _diagonal(a: ndarray, labels: Labels, number: int) -> tuple[ndarray, Labels]:
    """A label that occurs twice in one operand walks both axes at once."""
    if len(set(labels)) == len(labels):
        return a, labels
    once = list(dict.fromkeys(labels))
    shape, strides = [], []
    for label in once:
        axes = [axis for axis, other in enumerate(labels) if other == label]
        lengths = {a.shape[axis] for axis in axes}
        if len(lengths) > 1:
            first, other = a.shape[axes[0]], next(a.shape[axis] for axis in axes if a.shape[axis] != a.shape[axes[0]])
            raise ValueError(f"dimensions in operand {number} for collapsing index '{label}' don't match "
                             f"({first} != {other})")
        shape.append(lengths.pop())
        strides.append(sum(a.strides[axis] for axis in axes))
    return _core.as_strided(a, tuple(shape), tuple(strides), 0, a._flags_writeable), once


def _sizes(arrays: list[ndarray], labels: list[Labels]) -> dict[Any, int]:
    sizes: dict[Any, int] = {}
    for a, one in zip(arrays, labels, strict=True):
        for label, length in zip(one, a.shape, strict=True):
            known = sizes.setdefault(label, length)
            if known == 1:
                sizes[label] = length
            elif length not in (1, known):
                raise ValueError(f"operands could not be broadcast together: index '{label}' has the lengths {known} "
                                 f"and {length}")
    return sizes


def _without_broadcast(a: ndarray, labels: Labels, sizes: dict[Any, int]) -> tuple[ndarray, Labels]:
    """Drops axes of length one that another operand stretches: they repeat the same element."""
    stretched = [label for label, length in zip(labels, a.shape, strict=True) if length == 1 and sizes[label] != 1]
    if not stretched:
        return a, labels
    key = tuple(0 if label in stretched else slice(None) for label in labels)
    return a[(*key, ...)], [label for label in labels if label not in stretched]


def _reduced(a: ndarray, labels: Labels, keep: set[Any]) -> tuple[ndarray, Labels]:
    """Sums over the labels that nothing else needs."""
    axes = tuple(axis for axis, label in enumerate(labels) if label not in keep)
    return sum_products(a, axes), [label for label in labels if label in keep]


def _arranged(a: ndarray, labels: Labels, order: Labels) -> ndarray:
    axes = tuple(labels.index(label) for label in order)
    return a if axes == tuple(range(a.ndim)) else _core.transpose(a, axes)


def _expanded(a: ndarray, labels: Labels, order: Labels) -> ndarray:
    """The axes in `order`, with new ones of length one for labels that the array does not have."""
    a = _arranged(a, labels, [label for label in order if label in labels])
    return a[tuple(slice(None) if label in labels else None for label in order) + (...,)]


def _pair(
    a: ndarray, la: Labels, b: ndarray, lb: Labels, keep: set[Any], sizes: dict[Any, int],
) -> tuple[ndarray, Labels]:
    """Contracts two operands over the labels that neither the output nor another operand needs."""
    a, la = _reduced(a, la, keep | set(lb))
    b, lb = _reduced(b, lb, keep | set(la))
    summed = [label for label in la if label in lb and label not in keep]
    batch = [label for label in la if label in lb and label in keep]
    rows = [label for label in la if label not in lb]
    columns = [label for label in lb if label not in la]
    if not summed or not (rows or columns):
        order = batch + rows + columns + summed
        made = multiply(_expanded(a, la, order), _expanded(b, lb, order))
        return sum_products(made, tuple(range(len(order) - len(summed), len(order)))), order[:len(order) - len(summed)]

    def lengths(labels: Labels) -> tuple[int, ...]:
        return tuple(sizes[label] for label in labels)

    m, n, k = (math.prod(lengths(labels)) for labels in (rows, columns, summed))
    left = _arranged(a, la, batch + rows + summed).reshape((*lengths(batch), m, k))
    right = _arranged(b, lb, batch + summed + columns).reshape((*lengths(batch), k, n))
    order = batch + rows + columns
    return gemm(left, right).reshape(lengths(order)), order


def _path(labels: list[Labels], output: Labels, sizes: dict[Any, int], optimize: Any) -> list[tuple[int, ...]]:
    """Which operands meet in which order; NumPy plans it on shapes alone, and judges `optimize`."""
    if optimize is False or optimize is True:
        optimize = "greedy"
    if len(labels) < 3 and isinstance(optimize, str) and optimize in ("greedy", "optimal"):
        return [tuple(range(len(labels)))]
    names: dict[Any, int] = {}
    stand_ins: list[Any] = []
    for one in labels:
        stand_ins.append(np.broadcast_to(np.empty(()), tuple(sizes[label] for label in one)))
        stand_ins.append([names.setdefault(label, len(names)) for label in one])
    path = np.einsum_path(*stand_ins, [names[label] for label in output], optimize=optimize)[0]
    return [tuple(step) for step in path[1:]]


def _contract(
    arrays: list[ndarray], labels: list[Labels], output: Labels, sizes: dict[Any, int], optimize: Any,
) -> tuple[ndarray, Labels, bool]:
    """The contracted array, its labels, and whether the last two operands met in a label."""
    joined = False
    for step in _path(labels, output, sizes, optimize):
        chosen = [(arrays[place], labels[place]) for place in step]
        joined = len(step) == 2 and not set(labels[step[0]]).isdisjoint(labels[step[1]])
        for place in sorted(step, reverse=True):
            del arrays[place], labels[place]
        # NumPy's plan may join more than two at a time: the later ones follow one by one
        while len(chosen) > 1:
            (a, la), (b, lb), *rest = chosen
            keep = set(output).union(*labels, *(one for _, one in rest))
            chosen = [_pair(a, la, b, lb, keep, sizes), *rest]
        arrays.append(chosen[0][0])
        labels.append(chosen[0][1])
    return *_reduced(arrays[0], labels[0], set(output)), joined


def _are_small(operands: tuple[Any, ...]) -> bool:
    """Two or more arrays on the host so small that NumPy has multiplied them before a contraction is planned."""
    return len(operands) > 1 and all(
        isinstance(one, ndarray) and one.size <= config.eager_size and one._host_visible and one.dtype.isbuiltin == 1
        for one in operands
    )


@public
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> ndarray:
    unknown = [name for name in kwargs if name not in ("dtype", "order", "casting")]
    if unknown:
        raise TypeError(f"Did not understand the following kwargs: {unknown}" if optimize is not False
                        else f"einsum() got an unexpected keyword argument '{unknown[0]}'")
    if not kwargs and out is None and optimize is False and _are_small(operands[1:]) and type(operands[0]) is str:
        return host(np.einsum, *operands)
    text, given = _as_string(operands)
    arrays = [asarray(one) for one in given]
    labels, output = _parse(text, arrays)
    dtype = kwargs.get("dtype")
    casting = kwargs.get("casting", "safe")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got {casting!r})")
    if str(kwargs.get("order", "K")).upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {kwargs['order']!r})")
    if len(arrays) == 1 and out is None and set(labels[0]) == set(output):
        np.dtype(dtype)  # NumPy asks no more of it: the view that follows has the operand's own
        return _core.returned(_arranged(*_diagonal(arrays[0], labels[0], 0), output)[...])
    wanted = product_dtype(*arrays) if dtype is None else as_dtype(dtype, "einsum")
    for number, a in enumerate(arrays):
        if a.dtype != wanted and not np.can_cast(a.dtype, wanted, casting):
            raise TypeError(f"Iterator operand {number} dtype could not be cast from {a.dtype!r} to {wanted!r} "
                            f"according to the rule '{casting}'")
    sources = list(arrays)
    for number, a in enumerate(arrays):
        arrays[number], labels[number] = _diagonal(a, labels[number], number)
    sizes = _sizes(arrays, labels)
    for number, a in enumerate(arrays):
        a, labels[number] = _without_broadcast(a, labels[number], sizes)
        arrays[number] = as_dtype_of(a, wanted)
    made, order, joined = _contract(arrays, labels, output, sizes, optimize)
    made = _expanded(made, order, output) if len(order) != len(output) else _arranged(made, order, output)
    shape = tuple(sizes[label] for label in output)
    if made.shape != shape:
        made = _core.broadcast_to(made, shape)
    if out is None and not shape:  # what NumPy contracts as matrices comes back as an array
        return asarray(made) if optimize is not False and joined else _core.returned(made)
    if out is None:
        order_name = str(kwargs.get("order", "K")).upper()
        fortran = order_name == "F" or (order_name == "A" and all(a._flags_f_contiguous for a in sources))
        if order_name == "C" and not made._flags_c_contiguous:
            return _core.cast(made, made.dtype)
        return _fortran(made) if fortran else made
    target = expect_whole_target(out, "einsum")
    if target.shape != shape:
        raise ValueError(f"einsum: expected out of shape {shape}, got {target.shape}")
    if not np.can_cast(wanted, target.dtype, casting):
        raise TypeError(f"Iterator requested dtype could not be cast from {wanted!r} to {target.dtype!r}, the operand "
                        f"{len(arrays)} dtype, according to the rule '{casting}'")
    _core.assign(target, made)
    return target


def _fortran(a: ndarray) -> ndarray:
    if a._flags_f_contiguous:
        return a
    made = _core.empty(a.shape, a.dtype, "F")
    _core.assign(made, a)
    return made


@public
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    text, given = _as_string(operands)
    stand_ins = [np.broadcast_to(np.empty((), one.dtype), one.shape) for one in map(asarray, given)]
    return np.einsum_path(text, *stand_ins, optimize=optimize)
