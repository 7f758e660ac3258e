"""Patterns of sparse arrays: what the host finds out of indices, and gathers that bring values into another pattern.

Index arrays are read as products read them, and what is found out is kept with them. Values stay where they lie.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import count_nonzero, take
from asnumpy.manipulation.joining import concatenate
from asnumpy.scipy.sparse._door import Held, known_of, laid, ours, parts_of, scipys
from asnumpy.scipy.sparse._products import ADDED
from asnumpy.statistics.groups import Groups


def copied(part: Any) -> Any:
    return tuple(map(copied, part)) if type(part) is tuple else part.copy()


def _on_host(part: Any) -> Any:
    if type(part) is tuple:
        return tuple(map(_on_host, part))
    return kept(_core.numpy_copy(part))


def kept(part: Any) -> Any:
    """A host array that several objects of SciPy's look into."""
    if type(part) is tuple:
        return tuple(map(kept, part))
    part.flags.writeable = False
    return part


def host_indices(held: Held) -> tuple[Any, ...]:
    """The index arrays as NumPy's, read once."""
    if "host" not in held._groups:
        held._groups["host"] = tuple(map(_on_host, held._parts[1:]))
    found: tuple[Any, ...] = held._groups["host"]
    return found


def stays(held: Held) -> bool:
    """Whether its values are to stay on a device; under jit there is nothing to move yet."""
    return is_there(held._parts[0])


def is_there(data: ndarray) -> bool:
    return not data._host_visible and data.dtype.char in ADDED and not _core.tracing()


def stand_in(held: Held, values: np.ndarray) -> Any:
    """SciPy's object of the same pattern with these values."""
    return scipys(held, (values, *host_indices(held)))


def in_order(held: Held, name: str) -> bool:
    """What SciPy finds out of the indices."""
    return bool(getattr(stand_in(held, np.broadcast_to(np.int8(1), held._parts[0].shape)), name))


class Places:
    """Where in an array the values of another lie: numbered from 1, 0 where there is none."""

    def __init__(self, numbers: np.ndarray, near: ndarray) -> None:
        self.shape, self.first, self.index = numbers.shape, -1, None
        if numbers.ndim == 1 and numbers.size:
            first = int(numbers[0])
            if first > 0 and np.array_equal(numbers, np.arange(first, first + numbers.size)):
                self.first = first - 1
                return
        self.some_nothing = bool(numbers.size) and not numbers.all()
        if numbers.size:
            self.index = asarray(numbers if self.some_nothing else numbers - 1, device=near.device)

    def of(self, values: ndarray) -> ndarray:
        """The values at the places, in memory of their own."""
        if self.first >= 0:
            return values[self.first:self.first + self.shape[0]].copy()
        if self.index is None:
            return zeros(self.shape, values.dtype, device=values.device)
        if self.some_nothing:
            values = concatenate([zeros(1, values.dtype, device=values.device), values])
        found: ndarray = take(values, self.index, 0)
        return found


class Pattern:
    """Class, shape and indices of results whose values alone differ."""

    def __init__(self, made: Any, near: ndarray) -> None:
        """Of an object of SciPy's."""
        host = kept(parts_of(made)[1:])
        self.kind, self.shape, self.known, self.host = ours(type(made)), made.shape, known_of(made), host
        self.parts = laid(host, near)
        self.groups: dict[Any, Any] = {"host": host}  # shared by all arrays of the pattern

    def array(self, values: ndarray) -> Any:
        made = self.kind._of(self.shape, (values, *copied(self.parts)), dict(self.known))
        made._groups = self.groups
        return made


def keys(indices: np.ndarray, pointers: np.ndarray, length: int) -> np.ndarray:
    """A number for the place of each value of a compressed array."""
    counts = np.diff(pointers)
    numbers: np.ndarray = np.repeat(np.arange(len(counts), dtype=np.int64) * length, counts) + indices
    return numbers


def one_each(held: Any) -> Any:
    """The matrix with one value a place, in order; itself where it is so."""
    if held.has_canonical_format:
        return held
    if "unique" not in held._groups:
        held._groups["unique"] = _united(held)
    pattern, groups = held._groups["unique"]
    values = held._parts[0]
    return pattern.array(groups.of(values) if isinstance(groups, Places) else groups.sums(values, values.dtype))


def _united(held: Any) -> tuple[Pattern, Any]:
    pointers = None
    if held.format == "coo":
        major, minor = host_indices(held)[0]
    else:
        minor, pointers = host_indices(held)
        major = np.repeat(np.arange(len(pointers) - 1, dtype=minor.dtype), np.diff(pointers))
    order = np.lexsort((minor, major))
    major, minor = major[order], minor[order]
    differs = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    first = np.flatnonzero(np.append(np.ones(min(len(order), 1), bool), differs))
    lengths = np.diff(np.append(first, len(order)))
    made = stand_in(held, np.ones(len(first), np.int8))
    if pointers is None:
        made.coords = major[first], minor[first]
    else:
        starts = np.zeros_like(pointers)
        np.cumsum(np.bincount(major[first], minlength=len(pointers) - 1), out=starts[1:])
        made.indices, made.indptr = minor[first], starts
    made.has_canonical_format = True
    near = held._parts[0]
    alone = len(first) == len(order)
    return Pattern(made, near), Places(order + 1, near) if alone else Groups(lengths, order, near)


def without_zeros(made: Any) -> Any:
    """The compressed or coordinate array, made on the device, without the values that are zero, as SciPy's loops leave
    them out; how many there are is read.
    """
    data = made._parts[0]
    there = data != 0
    if not data.shape[0] or int(count_nonzero(there)) == data.shape[0]:
        return made
    mask = _core.numpy_copy(there)
    left = scipys(made, (np.ones(int(mask.sum()), np.int8), *host_indices(made)))
    if made.format == "coo":
        left.coords = tuple(one[mask] for one in left.coords)
    else:
        before = np.append(0, np.cumsum(mask))
        left.indices, left.indptr = left.indices[mask], before[left.indptr].astype(left.indptr.dtype)
    return Pattern(left, data).array(Places(np.flatnonzero(mask) + 1, data).of(data))
